"""Read events from files: NDJSON, documents or arrays, plain or gzip; each text with its location."""

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
"""The largest number of characters of a line, or of a document of several lines."""

_GZIP = b"\x1f\x8b"
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_SPACES = re.compile(r"[ \t\r\n]*")


class EventText(NamedTuple):
    """The text of one event with its location: a file and a line, or an index in an array."""

    where: str
    text: str


def event_files(path: Path) -> list[Path]:
    """Return the files at *path*: itself, or all in a directory and below, sorted; hidden ones are left out.

    Raises InputInvalid where there is none.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputInvalid("no such file", where=str(path), hint="name a file, a directory, or - for a pipe")
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    listed = [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if not listed:
        raise InputInvalid("the directory has no files", where=str(path), hint="choose a directory with events")
    return listed


def texts_of(file: Path) -> Iterator[EventText]:
    """Yield the texts of events in *file*; raises InputInvalid where it cannot be read or decompressed."""
    try:
        with file.open("rb") as stream:
            yield from texts_in(stream, str(file))
    except OSError as error:
        raise InputInvalid(f"cannot be read: {error.strerror or error}", where=str(file)) from error


def texts_in(stream: BinaryIO, name: str, *, longest: int = LONGEST) -> Iterator[EventText]:
    """Yield the texts of events in *stream*, valid or not."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    packed = buffered.peek(2)[:2] == _GZIP
    try:
        lines = gzip.GzipFile(fileobj=buffered) if packed else buffered
        yield from _texts(
            _lines(io.TextIOWrapper(lines, encoding="utf-8-sig", errors="surrogateescape"), name, longest), name
        )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputInvalid(f"cannot be decompressed: {error}", where=name, hint="is the file complete?") from error


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
    if len(text) >= LONGEST:  # too large for a document: the rest is read as lines
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
    """Yield lines up to *most* characters in total."""
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
    """Return the event of a line, or the events of an array on one line."""
    listed = _of_document(line, where) if line.lstrip(_SPACE)[:1] == "[" else None
    return [EventText(where, line)] if listed is None else listed


def _of_document(text: str, where: str) -> list[EventText] | None:
    """Return the events of a document, or of several one after the other; None where not all of it is JSON."""
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
