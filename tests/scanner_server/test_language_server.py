"""The language server, driven as an editor does: over standard input and output."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from committed_repository import BASE, SCHEMA, commit_all, git
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

FILE = "orders-value.avsc"
TEXT = json.dumps(SCHEMA, indent=2)
RENAMED = TEXT.replace("total", "price")
_PATIENCE = 60


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    home = tmp_path / "repository"
    home.mkdir()
    git(home, "init", "-q")
    for name, text in {**BASE, FILE: TEXT}.items():
        (home / name).write_text(text, encoding="utf-8")
    commit_all(home)
    return home


class Editor:
    """An editor with one open file, over a client of the protocol."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self._client, self.folder = client, folder
        self.diagnostics: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self._version = 1
        client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda each: self.diagnostics.put_nowait(each))
        client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda shown: self.messages.put_nowait(shown.message))

    def uri(self, name: str) -> str:
        return (self.folder / name).resolve().as_uri()

    async def start(self) -> None:
        uri = self.folder.resolve().as_uri()
        folders = [lsp.WorkspaceFolder(uri=uri, name="repository")]
        about = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=uri, workspace_folders=folders)
        self.server = await self._client.initialize_async(about)
        self._client.initialized(lsp.InitializedParams())

    def open(self, name: str, text: str) -> None:
        item = lsp.TextDocumentItem(self.uri(name), lsp.LanguageKind.Json, self._version, text)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def open_document(self, item: lsp.TextDocumentItem) -> None:
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str) -> None:
        self._version += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self._version, uri=self.uri(name))
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self._client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, changes))

    async def next_of(self, name: str, accepts: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """Return the next diagnostics of a file that are accepted."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                published = await self.diagnostics.get()
                if published.uri == self.uri(name) and accepts(list(published.diagnostics)):
                    return list(published.diagnostics)

    async def ask(self, kind: type[Any], name: str, word: str, **more: Any) -> Any:
        """Send a request with parameters of *kind* about the first *word* of a file."""
        text = (self.folder / name).read_text(encoding="utf-8")
        before = text[: text.index(word) + 1]
        position = lsp.Position(before.count("\n"), len(before.rpartition("\n")[2]))
        document = lsp.TextDocumentIdentifier(self.uri(name))
        return await self.request(kind(text_document=document, position=position, **more))

    async def request(self, params: Any) -> Any:
        """Send the request that has parameters of this type."""
        method = {
            lsp.HoverParams: lsp.TEXT_DOCUMENT_HOVER,
            lsp.DefinitionParams: lsp.TEXT_DOCUMENT_DEFINITION,
            lsp.ReferenceParams: lsp.TEXT_DOCUMENT_REFERENCES,
            lsp.CodeLensParams: lsp.TEXT_DOCUMENT_CODE_LENS,
            lsp.CodeActionParams: lsp.TEXT_DOCUMENT_CODE_ACTION,
            lsp.ExecuteCommandParams: lsp.WORKSPACE_EXECUTE_COMMAND,
        }[type(params)]
        return await asyncio.wait_for(self._client.protocol.send_request_async(method, params), _PATIENCE)


@asynccontextmanager
async def editor_in(folder: Path) -> AsyncIterator[Editor]:
    """Start `scanner lsp` and yield an editor that is connected to it."""
    client = LanguageClient("test", "1")
    editor = Editor(client, folder)
    program = str(Path(sys.executable).with_name("scanner"))
    await client.start_io(program, "lsp", "--dictionary", str(folder.parent / "none.db"), cwd=folder)
    try:
        await editor.start()
        yield editor
    finally:
        await asyncio.wait_for(client.shutdown_async(None), _PATIENCE)
        client.exit(None)
        await asyncio.wait_for(client.stop(), _PATIENCE)


def driven(folder: Path, script: Callable[[Editor], Awaitable[None]]) -> None:
    """Run *script* with an editor."""

    async def run() -> None:
        async with editor_in(folder) as editor:
            await script(editor)

    asyncio.run(run())


pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_a_change_shows_whom_it_hits_and_undoing_it_clears_that(repository: Path) -> None:
    """Open, change, diagnostics, hover."""

    async def script(editor: Editor) -> None:
        editor.open(FILE, TEXT)
        hover = await editor.ask(lsp.HoverParams, FILE, "total")
        editor.change(FILE, RENAMED)
        found = {str(each.code): each for each in await editor.next_of(FILE, bool)}
        renamed = found["column-renamed"]
        line = RENAMED.splitlines()[renamed.range.start.line]
        editor.change(FILE, TEXT)
        cleared = await editor.next_of(FILE, lambda each: not each)

        assert "CSAS_BIG" in renamed.message
        assert renamed.severity in (lsp.DiagnosticSeverity.Error, lsp.DiagnosticSeverity.Warning)
        assert "price" in line
        assert r"read by CSAS\_BIG, s3" in hover.contents.value
        assert cleared == []

    driven(repository, script)


def test_writer_and_readers_are_links(repository: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open("sink.json", BASE["sink.json"])
        writers = await editor.ask(lsp.DefinitionParams, "sink.json", "BIG")
        context = lsp.ReferenceContext(include_declaration=False)
        readers = await editor.ask(lsp.ReferenceParams, "sink.json", "BIG", context=context)

        assert [(each.uri, each.range.start.line) for each in writers] == [(editor.uri("a.ksql"), 1)]
        assert [(each.uri, each.range.start.line) for each in readers] == [(editor.uri("sink.json"), 0)]

    driven(repository, script)


def test_readers_are_shown_above_a_field(repository: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open("orders-value.avsc", BASE["orders-value.avsc"])
        document = lsp.TextDocumentIdentifier(editor.uri("orders-value.avsc"))
        lenses = await editor.request(lsp.CodeLensParams(document))

        assert any(lens.command.title.startswith("read by CSAS_BIG:2") for lens in lenses)

    driven(repository, script)


def test_accepting_a_finding_writes_the_baseline_and_clears_it(repository: Path) -> None:
    async def script(editor: Editor) -> None:
        editor.open(FILE, TEXT)
        editor.change(FILE, RENAMED)
        found = await editor.next_of(FILE, bool)
        document, context = lsp.TextDocumentIdentifier(editor.uri(FILE)), lsp.CodeActionContext(found)
        actions = await editor.request(lsp.CodeActionParams(document, found[0].range, context))
        for each in found:
            arguments = [each.data, "agreed with billing", "2099-01-31"]
            await editor.request(lsp.ExecuteCommandParams(command="scanner.accept", arguments=arguments))
        cleared = await editor.next_of(FILE, lambda each: not each)

        assert len(actions) == len(found)
        assert cleared == []

    driven(repository, script)
    entries = json.loads((repository / ".scanner-baseline.json").read_text(encoding="utf-8"))["accepted"]

    assert {(entry["reason"], entry["expires"]) for entry in entries} == {("agreed with billing", "2099-01-31")}


def test_the_word_at_a_place_is_underlined_in_units_of_the_editor(repository: Path) -> None:
    """An editor counts UTF-16 units unless it asks for others."""
    wide = TEXT.replace('"name": "total"', '"doc": "𝄞𝄞", "name": "totals"').replace('"double"', '"string"')

    async def script(editor: Editor) -> None:
        editor.open(FILE, TEXT)
        editor.change(FILE, wide)
        for each in await editor.next_of(FILE, bool):
            line = wide.splitlines()[each.range.start.line]
            assert each.range.end.character <= len(line.encode("utf-16-le")) // 2
            assert each.range.start.character < each.range.end.character

    driven(repository, script)


def test_outside_of_a_repository_the_user_is_told(tmp_path: Path) -> None:
    """Without a message the absence of diagnostics would look like a clean check."""

    async def script(editor: Editor) -> None:
        editor.open(FILE, TEXT)
        assert "git" in await asyncio.wait_for(editor.messages.get(), _PATIENCE)
        assert await editor.ask(lsp.HoverParams, FILE, "total") is None

    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / FILE).write_text(TEXT, encoding="utf-8")
    driven(tmp_path / "plain", script)


def test_a_broken_setting_is_told_and_hovers_still_work(repository: Path) -> None:
    (repository / ".scanner.yaml").write_text("fail-on: sometimes\n", encoding="utf-8")

    async def script(editor: Editor) -> None:
        editor.open(FILE, TEXT)
        assert ".scanner.yaml" in await asyncio.wait_for(editor.messages.get(), _PATIENCE)
        assert (await editor.ask(lsp.HoverParams, FILE, "total")).contents.value

    driven(repository, script)


def framed(**message: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(("asks", "status"), [(("shutdown", "exit"), 0), (("exit",), 1), ((), 0)])
def test_the_status_is_that_of_the_protocol(tmp_path: Path, asks: tuple[str, ...], status: int) -> None:
    """Editors report another status as a crash; `exit` without `shutdown` before it is one."""
    program = str(Path(sys.executable).with_name("scanner"))
    opening = framed(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    script = opening + b"".join(framed(method=ask, **({"id": 2} if ask == "shutdown" else {})) for ask in asks)
    ended = subprocess.run([program, "lsp"], input=script, capture_output=True, cwd=tmp_path, timeout=_PATIENCE)

    assert (ended.returncode, ended.stderr) == (status, b"")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.sql", "-- \\ud800"),
        ("a%00b.sql", "-- x"),
        ("%ED%A0%80.sql", "-- x"),
        ("a" * 5_000 + ".sql", "-- x"),
        (f"{FILE}/inside.sql", "-- x"),
        (":(exclude)*", "-- x"),
        (".git/hooks/post-index-change", "x"),
        ("..%2F..%2Fetc%2Fpasswd", "-- x"),
        ("%0A%00%FF", "-- x"),
        ("q.sql%00.sql", "\\udfff\\udfff"),
    ],
)
def test_a_broken_document_does_not_stop_the_checks_of_others(repository: Path, name: str, text: str) -> None:
    async def script(editor: Editor) -> None:
        uri = f"{repository.resolve().as_uri()}/{name}"
        broken = lsp.TextDocumentItem(uri, lsp.LanguageKind.Sql, 1, json.loads(f'"{text}"'))
        editor.open_document(broken)
        editor.open(FILE, RENAMED)
        assert await editor.next_of(FILE, bool)

    driven(repository, script)
