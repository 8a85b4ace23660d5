"""Events in files: one on each line, one or an array in a document, plain or gzip; each text with its place."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scanner_model.errors import InputInvalid
from scanner_model.json_input import check_size

LONGEST = 128 * 1024 * 1024
"""Characters of one line, or of a document of several lines, at most."""

_GZIP = b"\x1f\x8b"
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_SPACES = re.compile(r"[ \t\r\n]*")


class EventText(NamedTuple):
    """The text of one event, and where it stands: a file with a line, or with an index in its array."""

    where: str
    text: str


def event_files(place: Path) -> list[Path]:
    """List the files of *place*: itself, or all in a directory and below, by name; hidden ones are left out.

    Raises InputInvalid where there is none.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise InputInvalid("there is no such file", where=str(place), hint="name a file, a directory, or - for a pipe")
    found = (each for each in sorted(place.rglob("*")) if each.is_file())
    listed = [each for each in found if not any(part.startswith(".") for part in each.relative_to(place).parts)]
    if not listed:
        raise InputInvalid("the directory holds no file", where=str(place), hint="name one with events in it")
    return listed


def texts_of(file: Path) -> Iterator[EventText]:
    """Give the texts of events in *file*; raises InputInvalid where it cannot be read or unpacked."""
    try:
        with file.open("rb") as stream:
            yield from texts_in(stream, str(file))
    except OSError as error:
        raise InputInvalid(f"cannot be read: {error.strerror or error}", where=str(file)) from error


def texts_in(stream: BinaryIO, name: str, *, longest: int = LONGEST) -> Iterator[EventText]:
    """Give the texts of events in *stream*; what is no event is given too, for its reader to refuse."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    packed = buffered.peek(2)[:2] == _GZIP
    try:
        lines = gzip.GzipFile(fileobj=buffered) if packed else buffered
        yield from _texts(
            _lines(io.TextIOWrapper(lines, encoding="utf-8-sig", errors="surrogateescape"), name, longest), name
        )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputInvalid(f"cannot be unpacked: {error}", where=name, hint="is the file whole?") from error


def _lines(stream: io.TextIOWrapper, name: str, longest: int) -> Iterator[str]:
    """Yield the lines of *stream*; raises InputInvalid for one that is longer than any event."""
    while line := stream.readline(longest):
        if len(line) == longest:
            what = f"a line is longer than {longest} characters"
            raise InputInvalid(what, where=name, hint="is it a file of events?")
        yield line


def _texts(lines: Iterable[str], name: str) -> Iterator[EventText]:
    rest = iter(lines)
    number, first = next(((n, line) for n, line in enumerate(rest, 1) if line.strip(_SPACE)), (0, ""))
    if not number:
        return
    if _is_json(first):
        yield from _of_line(first, f"{name}:{number}")
        yield from _of_lines(rest, name, number)
        return
    later = list(_first(rest, LONGEST))
    text = "".join([first, *later])
    if len(text) >= LONGEST:  # no document is as large: what comes are lines
        yield EventText(f"{name}:{number}", first)
        yield from _of_lines(chain(later, rest), name, number)
        return
    whole = _of_document(text, name)
    if whole is None and any(line.lstrip(_SPACE)[:1] == "{" and _is_json(line) for line in later):
        yield EventText(f"{name}:{number}", first)
        yield from _of_lines(iter(later), name, number)
    else:
        yield from [EventText(name, text)] if whole is None else whole


def _first(lines: Iterator[str], most: int) -> Iterator[str]:
    """Yield lines until they are *most* characters together."""
    for line in lines:
        most -= len(line)
        yield line
        if most <= 0:
            return


def _of_lines(lines: Iterator[str], name: str, before: int) -> Iterator[EventText]:
    for number, line in enumerate(lines, before + 1):
        if line.strip(_SPACE):
            yield from _of_line(line, f"{name}:{number}")


def _of_line(line: str, where: str) -> list[EventText]:
    """Give the event of a line, or the events of an array on one line."""
    listed = _of_document(line, where) if line.lstrip(_SPACE)[:1] == "[" else None
    return [EventText(where, line)] if listed is None else listed


def _of_document(text: str, where: str) -> list[EventText] | None:
    """Give the events of a document, or of several one after the other; None where not all of it is JSON."""
    values = []
    at = _after_spaces(text, 0)
    try:
        check_size(text.encode("utf-8", "surrogatepass"))
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _after_spaces(text, end)
    except (ValueError, RecursionError):
        return None
    if len(values) == 1 and not isinstance(values[0], list):
        return [EventText(where, text)]
    items = values[0] if len(values) == 1 else values
    return [EventText(f"{where}[{index}]", json.dumps(item)) for index, item in enumerate(items)]


def _after_spaces(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


def _is_json(line: str) -> bool:
    try:
        check_size(line.encode("utf-8", "surrogatepass"))
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
