"""The repository that is open in an editor: its check, its names, and findings as diagnostics; extra `lsp`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.editor import Lens, OpenFile, Subject, lenses_in, subjects_at
from scanner_check.inputs.baseline import Accepted, accept
from scanner_check.inputs.options import DEFAULT_BASELINE, read_judging
from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_check.work_tree import WorkTree, check_work_tree
from scanner_model.errors import InputInvalid
from scanner_model.private_files import temporary_directory

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


class Repository:
    """The repository of an editor's folder: its check against HEAD, and its files as a dictionary.

    *dictionary* is one of what runs, and optional. Methods are called by one thread each.
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

    def lenses(self, file: OpenFile) -> tuple[Lens, ...]:
        """Return the lines above the names in a file: of what runs if it knows any of them, else of this repository."""
        running = lenses_in(self._running, file, self._files) if self._running else ()
        return running or (lenses_in(self._files, file) if self._files.exists else ())

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
        """Return the path in the repository of a document; empty if it is outside, or no file can have that name."""
        try:
            file, top = Path(to_fs_path(uri) or "").resolve(), self.top.resolve()
        except (OSError, ValueError, RuntimeError):  # NUL, half a surrogate pair, a name too long, a loop of links
            return ""
        return file.relative_to(top).as_posix() if file.is_relative_to(top) else ""

    def uri_of(self, path: str) -> str:
        """Return the URI of a path in the repository."""
        return from_fs_path(str(self.top / path)) or ""

    def close(self) -> None:
        """Remove what was written."""
        self._stack.close()


def diagnostic(finding: ChangeFinding, document: TextDocument, repository: Repository) -> lsp.Diagnostic:
    """Return a finding at its place in *document*, with links to the jobs that it hits."""
    related = [
        lsp.DiagnosticRelatedInformation(location(hit.place, repository), f"{hit.use}: {hit.shown}")
        for hit in finding.affected
        if hit.place
    ]
    return lsp.Diagnostic(
        range=_range(document, finding.place.line, finding.place.column),
        message=message(finding),
        severity=_SEVERITY[finding.verdict],
        code=finding.rule,
        source="scanner",
        data=finding.fingerprint,
        related_information=related,
    )


def text_on_disk(file: Path) -> str | None:
    """Return the saved text of a file; None without a file in UTF-8."""
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def message(finding: ChangeFinding) -> str:
    """Return what a finding says, with the nearest readers."""
    names = list(dict.fromkeys(hit.name for hit in finding.readers))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    readers = f"; read by {', '.join(names[:_LISTED])}{more}" if names else ""
    return f"{finding.what}{readers}"


def hint(text: str) -> lsp.Diagnostic:
    """Return a remark about a file, at its start."""
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


def location(place: str, repository: Repository) -> lsp.Location:
    """Return the start of the line that a place, `FILE:LINE` or `FILE`, names."""
    file, _, line = place.rpartition(":")
    if not line.isdigit():
        file, line = place, "1"
    start = lsp.Position(max(int(line) - 1, 0), 0)
    return lsp.Location(repository.uri_of(file), lsp.Range(start, start))
