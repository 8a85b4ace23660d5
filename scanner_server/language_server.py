"""The language server: an editor shows what a change breaks, and who reads the field below the cursor; extra `lsp`.

The protocol is that of https://microsoft.github.io/language-server-protocol. Checks and scans run in threads: an editor
gets the result of the newest text only.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from scanner_api.dictionary import Dictionary
from scanner_api.editor import OpenFile, Subject, User
from scanner_check.model import ChangeReport
from scanner_model.errors import ScannerError
from scanner_model.text import storable
from scanner_server.editor_repository import Repository, diagnostic, hint, location, message, text_on_disk

ACCEPT = "scanner.accept"
"""The command that writes a finding into the baseline: fingerprint, and optionally a reason and the last day."""

_PAUSE = 0.1
"""Seconds without a change before a text is checked."""

T = TypeVar("T")


class ScannerServer(LanguageServer):
    """The state of one editor: its repository, the newest check, and the files that have diagnostics."""

    def __init__(self, dictionary: Dictionary | None) -> None:
        super().__init__("scanner", version("kafka-lineage-scanner"))
        self._dictionary = dictionary
        self._checks, self._lookups = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._newest = 0
        self._opened = asyncio.Event()
        self._reported: set[str] = set()
        self.is_shut_down, self.status = False, 0
        self.repository: Repository | None = None

    async def open(self) -> None:
        """Read the repository of the editor's first folder, and check it."""
        folder = next(iter(self.workspace.folders.values()), None)
        directory = to_fs_path(folder.uri) if folder else self.workspace.root_path
        make = self._reporting(lambda: Repository(Path(directory or "."), self._dictionary))
        self.repository = await self._run(self._lookups, make)
        reading = asyncio.ensure_future(self.saved())
        await asyncio.sleep(0)  # lookups come after the first reading
        self._opened.set()
        await asyncio.gather(self.changed(), reading)

    async def changed(self) -> None:
        """Check the open texts, unless they change again in the meantime."""
        self._newest += 1
        mine, repository = self._newest, self.repository
        await asyncio.sleep(_PAUSE)
        if repository is None or mine != self._newest:
            return
        texts = dict(self._unsaved(repository))
        report = await self._run(self._checks, self._reporting(lambda: repository.check(texts)))
        if report is not None and mine == self._newest:
            self._publish(repository, report)

    async def saved(self) -> None:
        """Read the files again, for hovers and links."""
        if self.repository:
            await self._run(self._lookups, self._reporting(self.repository.scan))

    async def subjects(self, uri: str, position: lsp.Position) -> Sequence[tuple[str, Subject]]:
        """Return what a place names, each with where that is known from; waits for the first scan."""
        await self._opened.wait()
        repository = self.repository
        if repository is None or not (path := repository.path_of(uri)):
            return ()
        document = self.workspace.get_text_document(uri)
        file, offset = OpenFile(path=path, text=storable(document.source)), document.offset_at_position(position)
        find = self._reporting(lambda: tuple(repository.subjects(file, offset)))
        return await self._run(self._lookups, find) or ()

    async def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """Return who reads each field or topic of a text, above its name; waits for the first scan."""
        await self._opened.wait()
        repository = self.repository
        if repository is None or not (path := repository.path_of(uri)):
            return []
        document = self.workspace.get_text_document(uri)
        file = OpenFile(path=path, text=storable(document.source))
        found = await self._run(self._lookups, self._reporting(lambda: repository.lenses(file)))
        lines = [(document.source.count("\n", 0, lens.offset), lens.title) for lens in found or ()]
        return [
            # The command of a line that only says something has no name.
            lsp.CodeLens(lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0)), lsp.Command(title, ""))
            for line, title in lines
        ]

    async def accept(self, fingerprint: str, reason: str = "", until: str = "") -> None:
        """Accept a finding and check again."""
        repository = self.repository
        if repository is None:
            return
        file = await self._run(self._checks, self._reporting(lambda: repository.accept(fingerprint, reason, until)))
        if file is not None:
            self._show(f"{fingerprint} is accepted in {file.name}", lsp.MessageType.Info)
            await self.changed()

    def close(self) -> None:
        """End the threads and remove what was written."""
        for pool in (self._checks, self._lookups):
            pool.shutdown(cancel_futures=True)
        if self.repository:
            self.repository.close()

    def _unsaved(self, repository: Repository) -> Iterator[tuple[str, str]]:
        for uri, document in self.workspace.text_documents.items():
            path = repository.path_of(uri)
            text = storable(document.source) if path else ""
            if path and text != text_on_disk(repository.top / path):
                yield path, text

    def _publish(self, repository: Repository, report: ChangeReport) -> None:
        """Send the findings of each file, and clear those that are gone."""
        by_file: dict[str, list[lsp.Diagnostic]] = {}
        for finding in report.findings:
            if finding.counts and finding.place.file:
                document = self.workspace.get_text_document(repository.uri_of(finding.place.file))
                by_file.setdefault(finding.place.file, []).append(diagnostic(finding, document, repository))
            elif finding.counts:
                self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, message(finding)))
        for path, why in report.not_examined:
            by_file.setdefault(path, []).append(hint(f"scanner does not examine this file: {why}"))
        for path in by_file.keys() | self._reported:
            uri = repository.uri_of(path)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, by_file.get(path, [])))
        self._reported = set(by_file)

    def _reporting(self, function: Callable[[], T]) -> Callable[[], T | None]:
        """Return *function* that shows an error to the user and returns None instead of raising ScannerError."""
        loop = asyncio.get_running_loop()

        def call() -> T | None:
            try:
                return function()
            except ScannerError as error:
                loop.call_soon_threadsafe(self._show, f"scanner: {error}", lsp.MessageType.Error)
            return None

        return call

    def _show(self, text: str, kind: lsp.MessageType) -> None:
        self.window_show_message(lsp.ShowMessageParams(kind, text))

    @staticmethod
    async def _run(pool: ThreadPoolExecutor, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, function)


async def _initialized(ls: ScannerServer, _: lsp.InitializedParams) -> None:
    await ls.open()


async def _changed(ls: ScannerServer, _: Any) -> None:  # noqa: ANN401 - parameters of three notifications
    await ls.changed()


async def _saved(ls: ScannerServer, _: lsp.DidSaveTextDocumentParams) -> None:
    await asyncio.gather(ls.changed(), ls.saved())


async def _shut_down(ls: ScannerServer, _: Any) -> None:  # noqa: ANN401 - a request without parameters
    ls.is_shut_down = True


def _exited(ls: ScannerServer, _: Any) -> None:  # noqa: ANN401 - a notification without parameters
    ls.status = 0 if ls.is_shut_down else 1


async def _hover(ls: ScannerServer, params: lsp.HoverParams) -> lsp.Hover | None:
    origins: dict[str, list[str]] = {}
    for origin, subject in await ls.subjects(params.text_document.uri, params.position):
        origins.setdefault(subject.markdown, []).append(origin)
    text = "\n\n---\n\n".join(f"{shown}\n\n*{', '.join(where)}*" for shown, where in origins.items())
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None


async def _lenses(ls: ScannerServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    return await ls.lenses(params.text_document.uri)


async def _writers(ls: ScannerServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return await _locations(ls, params, lambda subject: subject.writers)


async def _readers(ls: ScannerServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    return await _locations(ls, params, lambda subject: subject.readers)


async def _locations(
    ls: ScannerServer,
    params: lsp.DefinitionParams | lsp.ReferenceParams,
    users: Callable[[Subject], Iterable[User]],
) -> list[lsp.Location]:
    found = await ls.subjects(params.text_document.uri, params.position)
    places = dict.fromkeys(place for _, subject in found for user in users(subject) for place in user.places)
    return [location(place, ls.repository) for place in places if ls.repository]


def _actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    return [
        lsp.CodeAction(
            title=f"Accept the finding {each.code}",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[each],
            command=lsp.Command(title="Accept the finding", command=ACCEPT, arguments=[each.data]),
        )
        for each in params.context.diagnostics
        if each.source == "scanner" and each.data
    ]


async def _accepted(ls: ScannerServer, fingerprint: str, reason: str = "", until: str = "") -> None:
    await ls.accept(fingerprint, reason, until)


_FEATURES: Mapping[str, Callable[..., Any]] = {
    lsp.INITIALIZED: _initialized,
    lsp.SHUTDOWN: _shut_down,
    lsp.EXIT: _exited,
    lsp.TEXT_DOCUMENT_DID_OPEN: _changed,
    lsp.TEXT_DOCUMENT_DID_CHANGE: _changed,
    lsp.TEXT_DOCUMENT_DID_CLOSE: _changed,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_DEFINITION: _writers,
    lsp.TEXT_DOCUMENT_REFERENCES: _readers,
    lsp.TEXT_DOCUMENT_CODE_LENS: _lenses,
}
"""Method of the protocol → the function that handles it."""


def language_server(dictionary: Dictionary | None) -> ScannerServer:
    """Return a server with its features; *dictionary* is one of what runs."""
    server = ScannerServer(dictionary)
    for method, handler in _FEATURES.items():
        server.feature(method)(handler)
    kinds = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, kinds)(_actions)
    server.command(ACCEPT)(_accepted)
    return server


def run_stdio(dictionary: Dictionary | None) -> int:
    """Serve an editor over standard input and output until it ends.

    Returns the status that the protocol demands: 1 for `exit` without `shutdown` before it.
    """
    server = language_server(dictionary)
    # pygls closes what it writes to; the program still flushes its own standard output when it ends.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    try:
        server.start_io(stdout=output)
    finally:
        server.close()
    return server.status
