"""What a report shows beside its findings: the source line of each, and the code owners of the files it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from scanner_check.inputs.git import text_at
from scanner_check.inputs.proposals import decoded, text_of_file
from scanner_check.model import ChangeReport, Place
from scanner_extractor.repository.code_owners import OWNER_FILES, code_owners
from scanner_model.errors import InputInvalid
from scanner_model.redaction.texts import mask_text

_LONGEST = 400


def with_surroundings(report: ChangeReport, commits: str | None, directory: Path, top: Path) -> ChangeReport:
    """Return *report* with source lines and code owners, those of HEAD (else BASE) and of BASE if *commits* are given.

    Secrets in source lines are masked. A file that cannot be read has no lines.
    """
    read = _reader(commits, directory, top)
    places = {finding.place for finding in report.findings if finding.place.file}
    texts = {place.file: read(place.file).splitlines() for place in places}
    lines = {place: _line(texts[place.file], place) for place in places}
    owners = code_owners(next(filter(None, map(_base_reader(commits, top), OWNER_FILES)), ""))
    named = {file for finding in report.findings for file in _files(finding.place, finding.affected)}
    return replace(
        report,
        lines={place: line for place, line in lines.items() if line.strip()},
        code_owners={file: found for file in sorted(named) if (found := owners(file))},
    )


def _files(place: Place, affected: object) -> Iterator[str]:
    yield place.file
    for hit in affected if isinstance(affected, tuple) else ():
        yield hit.place.rpartition(":")[0]


def _line(lines: list[str], place: Place) -> str:
    return mask_text(lines[place.line - 1][:_LONGEST]) if place.line <= len(lines) else ""


def _reader(commits: str | None, directory: Path, top: Path) -> Callable[[str], str]:
    if commits is None:
        return lambda file: _text_of(directory / file)
    base, _, head = commits.replace("...", "..").partition("..")
    return lambda file: _decoded(text_at(top, head or "HEAD", file) or text_at(top, base, file))


def _base_reader(commits: str | None, top: Path) -> Callable[[str], str]:
    if commits is None:
        return lambda file: _text_of(top / file)
    base = commits.replace("...", "..").partition("..")[0]
    return lambda file: _decoded(text_at(top, base, file))


def _text_of(file: Path) -> str:
    try:
        return text_of_file(file)
    except InputInvalid:
        return ""


def _decoded(content: bytes | None) -> str:
    try:
        return decoded(content or b"", "")
    except InputInvalid:
        return ""
