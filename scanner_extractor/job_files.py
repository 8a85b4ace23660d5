"""Read text files that describe jobs, mask secrets, and record them in captures as one document per source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.settings.sources import FileSettings
from scanner_model.errors import InputInvalid, Problem, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.redaction import mask_text
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.sql_statements import unread_statements

DOCUMENT = "files"
"""The name under which a capture holds them."""

LARGEST = 4 * 1024 * 1024
"""Maximum bytes of one file: more than hand-written SQL needs."""

Hide = Callable[[str], str]
"""Takes the secrets out of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """A file: *name* is its path from cluster.json, with slashes; *failure* is the reason where there is no *text*."""

    name: str
    text: str = ""
    failure: str = ""


def read_texts(settings: FileSettings, hide: Hide) -> tuple[FileText, ...]:
    """Read every file, sorted by name; an unreadable file has the reason. Secrets are masked."""
    texts = (_read(path, file_name(path, settings.base), hide) for path in settings.files)
    return tuple(sorted(texts, key=lambda file: file.name))


def texts_document(texts: Iterable[FileText]) -> Json:
    """Return *texts* as JSON; its members are described in `docs/capture.md`."""
    return [{"name": file.name, "statement": file.text, "failure": file.failure} for file in texts]


def read_texts_document(document: Json, source: SourceId) -> tuple[FileText, ...]:
    """Read what `texts_document` gave; raises InputInvalid for anything else."""
    match document:
        case list() if all(isinstance(file, dict) for file in document):
            texts = [{member: file.get(member, "") for member in ("name", "statement", "failure")} for file in document]
            if all(isinstance(value, str) for file in texts for value in file.values()):
                return tuple(FileText(name=t["name"], text=t["statement"], failure=t["failure"]) for t in texts)
    raise InputInvalid("the document in the capture is damaged", where=str(source), hint="record the capture again")


def separate_failed(
    texts: Iterable[FileText], pattern: str, source: SourceId
) -> tuple[tuple[FileText, ...], tuple[FileText, ...]]:
    """Separate the files that have a text from those that have none.

    Raises SourceUnreachable where no file has one: that is not the same as no statements.
    """
    listed = tuple(texts)
    files = tuple(file for file in listed if not file.failure)
    failed = tuple(file for file in listed if file.failure)
    if not files:
        what = f"none of its {len(failed)} files can be read" if failed else f"{pattern!r} matches no file"
        hint = f"{failed[0].name}: {failed[0].failure}" if failed else "the pattern is relative to cluster.json"
        raise SourceUnreachable(what, where=str(source), hint=hint)
    return files, failed


def file_problem(file: FileText, source: SourceId) -> Problem:
    """Return the problem of a file that could not be read."""
    return Problem(f"{source} {file.name}", file.failure, "check the file and its rights")


def file_outcome(source: SourceId, kind: str, got: int, unread: frozenset[str]) -> SourceResult:
    """Return the result of a source of files; *unread* are the names of objects of unreadable files."""
    return SourceResult(
        source=source,
        kind=kind,
        status=SourceStatus.PARTIAL if unread else SourceStatus.READ,
        received=got,
        requested=got + len(unread),
        reason=f"{len(unread)} of its files could not be read" if unread else "",
        unread=unread,
    )


def file_name(path: Path, base: Path) -> str:
    """Return the name of a file: its path from the directory of cluster.json, with slashes."""
    return Path(os.path.relpath(path, base)).as_posix()


def _read(path: Path, name: str, hide: Hide) -> FileText:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return FileText(name=name, failure=f"it is not UTF-8 at byte {error.start}")
    except (OSError, ValueError) as error:
        return FileText(name=name, failure=f"it cannot be read: {getattr(error, 'strerror', '') or 'no such file'}")
    if len(content) > LARGEST:
        return FileText(name=name, failure=f"it is larger than {LARGEST} bytes")
    return FileText(name=name, text=hide(text)) if "\0" not in text else FileText(name=name, failure="it is not text")


def statement_problems(before_line: str, sql: str) -> Iterator[Problem]:
    """Yield a problem for each statement of *sql* that is not read; *before_line* and its line say where it is."""
    for unread in unread_statements(sql):
        yield Problem(f"{before_line}{unread.line}", f"the statement {unread.opening} is not read", unread.why)


def file_probes(settings: FileSettings, source: SourceId) -> Iterator[Probe]:
    """Try to read every file."""

    def read() -> str:
        texts, failed = separate_failed(read_texts(settings, mask_text), settings.pattern, source)
        if failed:
            raise SourceUnreachable(f"{failed[0].name}: {failed[0].failure}", hint="check the file and its rights")
        return f"{len(texts)} files"

    yield Probe("read its files", read)
