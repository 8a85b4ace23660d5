"""The language server: an editor shows what a change breaks, and who reads the field below the cursor; extra `lsp`.

The protocol is that of https://microsoft.github.io/language-server-protocol. Checks and scans run in threads: an editor
gets the result of the newest text only.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

import scanner_api
from scanner_api.change_check.baseline import Accepted, accept
from scanner_api.change_check.model import ChangeReport, Finding, Verdict
from scanner_api.change_check.settings import DEFAULT_BASELINE, read_judging
from scanner_api.dictionary import Dictionary
from scanner_api.editor import OpenFile, Subject, User, subjects_at
from scanner_api.work_tree import WorkTree, check_work_tree
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.private_files import temporary_directory

ACCEPT = "scanner.accept"
"""The command that writes a finding into the baseline: fingerprint, and optionally a reason and the last day."""

_PAUSE = 0.1
"""Seconds without a change before a text is checked."""
_ACCEPTED_FOR = timedelta(days=90)
_REASON = "accepted in the editor"
_LISTED = 5
_SEVERITY = {
    Verdict.BREAKS: lsp.DiagnosticSeverity.Error,
    Verdict.IMPACT: lsp.DiagnosticSeverity.Warning,
    Verdict.UNKNOWN: lsp.DiagnosticSeverity.Information,
}
_WORD = re.compile(r"[\w.$-]+|\S")
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")

T = TypeVar("T")


class Repository:
    """The repository of an editor's folder: its check against HEAD, and its files as a dictionary.

    *dictionary* is one of what runs, or None. Methods are called by one thread each.
    """

    def __init__(self, directory: Path, dictionary: Dictionary | None) -> None:
        self._stack = ExitStack()
        place = self._stack.enter_context(temporary_directory())
        self._running = dictionary if dictionary and dictionary.exists else None
        self._files = Dictionary(str(place / "files.db"))
        self._tree = WorkTree(directory, place / "copy")
        self.top = self._tree.top

    def check(self, texts: Mapping[str, str]) -> ChangeReport:
        """Check the work tree with the unsaved *texts*, by path; raises ScannerError."""
        return check_work_tree(self._tree, texts, dictionary=self._running)

    def scan(self) -> None:
        """Read the files of the work tree, for hovers and links; raises ScannerError."""
        scanner_api.scan((), self._files, directories=[self.top])
        scanner_api.generate(self._files, store=True)

    def subjects(self, file: OpenFile, offset: int) -> Iterator[tuple[str, Subject]]:
        """Yield what a place in a file names, each with where that is known from."""
        if self._running:
            yield from ((self._running.shown, each) for each in subjects_at(self._running, file, offset, self._files))
        if self._files.exists:
            yield from (("this repository", each) for each in subjects_at(self._files, file, offset))

    def accept(self, fingerprint: str, reason: str, until: str) -> Path:
        """Write an entry into the baseline and return its file; raises InputInvalid."""
        try:
            expires = date.fromisoformat(until) if until else date.today() + _ACCEPTED_FOR
        except ValueError as error:
            raise InputInvalid(f"{until!r} is not a date", hint="as in 2027-01-31") from error
        if not _FINGERPRINT.fullmatch(fingerprint):
            raise InputInvalid(f"{fingerprint!r} is not a fingerprint", hint="use the one of a diagnostic")
        file = self.top / (read_judging(None, self.top).settings.baseline or DEFAULT_BASELINE)
        accept(file, Accepted(fingerprint=fingerprint, reason=reason.strip() or _REASON, expires=expires))
        return file

    def path_of(self, uri: str) -> str:
        """Return the path in the repository of a document; empty if it is outside."""
        file = Path(to_fs_path(uri) or "").resolve()
        top = self.top.resolve()
        return file.relative_to(top).as_posix() if file.is_relative_to(top) else ""

    def uri_of(self, path: str) -> str:
        """Return the URI of a path in the repository."""
        return from_fs_path(str(self.top / path)) or ""

    def close(self) -> None:
        """Remove what was written."""
        self._stack.close()


class ScannerServer(LanguageServer):
    """The state of one editor: its repository, the newest check, and the files that have diagnostics."""

    def __init__(self, dictionary: Dictionary | None) -> None:
        super().__init__("scanner", version("kafka-lineage-scanner"))
        self._dictionary = dictionary
        self._checks, self._lookups = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._newest = 0
        self._opened = asyncio.Event()
        self._reported: set[str] = set()
        self.repository: Repository | None = None

    async def open(self) -> None:
        """Read the repository of the editor's first folder, and check it."""
        folder = next(iter(self.workspace.folders.values()), None)
        directory = to_fs_path(folder.uri) if folder else self.workspace.root_path
        make = self._told(lambda: Repository(Path(directory or "."), self._dictionary))
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
        report = await self._run(self._checks, self._told(lambda: repository.check(texts)))
        if report is not None and mine == self._newest:
            self._publish(repository, report)

    async def saved(self) -> None:
        """Read the files again, for hovers and links."""
        if self.repository:
            await self._run(self._lookups, self._told(self.repository.scan))

    async def subjects(self, uri: str, position: lsp.Position) -> Sequence[tuple[str, Subject]]:
        """Return what a place names, each with where that is known from; waits for the first scan."""
        await self._opened.wait()
        repository = self.repository
        if repository is None or not (path := repository.path_of(uri)):
            return ()
        document = self.workspace.get_text_document(uri)
        file, offset = OpenFile(path=path, text=document.source), document.offset_at_position(position)
        find = self._told(lambda: tuple(repository.subjects(file, offset)))
        return await self._run(self._lookups, find) or ()

    async def accept(self, fingerprint: str, reason: str = "", until: str = "") -> None:
        """Accept a finding and check again."""
        repository = self.repository
        if repository is None:
            return
        file = await self._run(self._checks, self._told(lambda: repository.accept(fingerprint, reason, until)))
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
            if path and document.source != _text_on_disk(repository.top / path):
                yield path, document.source

    def _publish(self, repository: Repository, report: ChangeReport) -> None:
        """Send the findings of each file, and clear those that are gone."""
        by_file: dict[str, list[lsp.Diagnostic]] = {}
        for finding in report.findings:
            if finding.counts and finding.place.file:
                document = self.workspace.get_text_document(repository.uri_of(finding.place.file))
                by_file.setdefault(finding.place.file, []).append(diagnostic(finding, document, repository))
            elif finding.counts:
                self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, _message(finding)))
        for path, why in report.not_examined:
            by_file.setdefault(path, []).append(_hint(f"scanner does not examine this file: {why}"))
        for path in by_file.keys() | self._reported:
            uri = repository.uri_of(path)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, by_file.get(path, [])))
        self._reported = set(by_file)

    def _told(self, function: Callable[[], T]) -> Callable[[], T | None]:
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


def diagnostic(finding: Finding, document: TextDocument, repository: Repository) -> lsp.Diagnostic:
    """Return a finding at its place in *document*, with links to the jobs that it hits."""
    related = [
        lsp.DiagnosticRelatedInformation(_location(hit.place, repository), f"{hit.use}: {hit.shown}")
        for hit in finding.affected
        if hit.place
    ]
    return lsp.Diagnostic(
        range=_range(document, finding.place.line, finding.place.column),
        message=_message(finding),
        severity=_SEVERITY[finding.verdict],
        code=finding.rule,
        source="scanner",
        data=finding.fingerprint,
        related_information=related,
    )


def _text_on_disk(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _message(finding: Finding) -> str:
    names = list(dict.fromkeys(hit.name for hit in finding.readers))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    readers = f"; read by {', '.join(names[:_LISTED])}{more}" if names else ""
    return f"{finding.what}{readers}"


def _hint(text: str) -> lsp.Diagnostic:
    start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    return lsp.Diagnostic(range=start, message=text, severity=lsp.DiagnosticSeverity.Hint, source="scanner")


def _range(document: TextDocument, line: int, column: int) -> lsp.Range:
    """Return the word at a place; *line* and *column* count characters from 1, and may be of an earlier text."""
    lines = document.lines
    at = min(line, max(len(lines), 1)) - 1
    text = lines[at].rstrip("\r\n") if lines else ""
    start = min(column - 1, len(text))
    word = _WORD.search(text, start)
    first, last = word.span() if word else (0, len(text))
    ends = (document.position_codec.position_to_client_units(lines, lsp.Position(at, each)) for each in (first, last))
    return lsp.Range(*ends) if lines else lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def _location(place: str, repository: Repository) -> lsp.Location:
    """Return the start of the line that a place, `FILE:LINE` or `FILE`, names."""
    file, _, line = place.rpartition(":")
    if not line.isdigit():
        file, line = place, "1"
    start = lsp.Position(max(int(line) - 1, 0), 0)
    return lsp.Location(repository.uri_of(file), lsp.Range(start, start))


def language_server(dictionary: Dictionary | None) -> ScannerServer:
    """Return a server with its features; *dictionary* is one of what runs."""
    server = ScannerServer(dictionary)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        await server.open()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def changed(_: Any) -> None:  # noqa: ANN401 - parameters of three notifications
        await server.changed()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        await asyncio.gather(server.changed(), server.saved())

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = await server.subjects(params.text_document.uri, params.position)
        text = "\n\n---\n\n".join(f"{subject.markdown}\n\n*{origin}*" for origin, subject in found)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def writers(params: lsp.DefinitionParams) -> list[lsp.Location]:
        return await locations(params, lambda subject: subject.writers)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def readers(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return await locations(params, lambda subject: subject.readers)

    async def locations(
        params: lsp.DefinitionParams | lsp.ReferenceParams, users: Callable[[Subject], Iterable[User]]
    ) -> list[lsp.Location]:
        found = await server.subjects(params.text_document.uri, params.position)
        places = dict.fromkeys(place for _, subject in found for user in users(subject) for place in user.places)
        return [_location(place, server.repository) for place in places if server.repository]

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        own = [each for each in params.context.diagnostics if each.source == "scanner" and each.data]
        return [
            lsp.CodeAction(
                title=f"Accept the finding {each.code}",
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[each],
                command=lsp.Command(title="Accept the finding", command=ACCEPT, arguments=[each.data]),
            )
            for each in own
        ]

    @server.command(ACCEPT)
    async def accepted(fingerprint: str, reason: str = "", until: str = "") -> None:
        await server.accept(fingerprint, reason, until)

    return server


def run_stdio(dictionary: Dictionary | None) -> None:
    """Serve an editor over standard input and output until it ends."""
    server = language_server(dictionary)
    try:
        server.start_io()
    finally:
        server.close()
