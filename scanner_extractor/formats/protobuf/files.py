"""A schema's text together with everything that it imports, as far as somebody has it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scanner_extractor.formats.protobuf.declarations import ProtoFile
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_extractor.formats.protobuf.shipped import shipped
from scanner_model.columns import Lookup
from scanner_model.problems import Problem

MAIN = ""
"""The schema's own name among its files: no import can have it."""

LONGEST = 10_000_000
"""Characters of all files of a schema: a megabyte takes about a second."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


_TOO_LONG = Problem(
    "$",
    f"the schema and its imports are longer than {LONGEST} characters",
    "the text is kept; from here on nothing of it is read",
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one schema by import name, its own under MAIN, in the order in which they were met."""

    texts: Mapping[str, str]
    parsed: Mapping[str, ProtoFile]
    problems: tuple[Problem, ...]


def gather(text: str, lookup: Lookup) -> Files:
    """Read *text* and, once each, all that it imports; a looked-up text wins over one that everybody has."""
    texts, parsed = {MAIN: _storable(text)}, {}
    problems: list[Problem] = []
    waiting = deque([MAIN])
    seen = {MAIN}
    left = LONGEST
    while waiting:
        name = waiting.popleft()
        left -= len(texts[name])
        if left < 0:
            problems.append(_TOO_LONG if name == MAIN else replace(_TOO_LONG, where=f"import {name!r}"))
            texts[name] = ""
        parsed[name] = parse_proto(texts[name])
        for imported in parsed[name].imports:
            if imported.name in seen:
                continue
            seen.add(imported.name)
            found = _found(imported.name, lookup)
            if isinstance(found, Problem):
                problems.append(found)
            else:
                texts[imported.name] = _storable(found)
                waiting.append(imported.name)
    return Files(texts, parsed, tuple(problems))


def _found(name: str, lookup: Lookup) -> str | Problem:
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or not name:
        return Problem(f"import {name!r}", "an import may only name a file below the schema's own", "it is not read")
    text = lookup(name)
    text = shipped(name) if text is None else text
    if text is None:
        hint = "register it as a reference under this name; fields of its types have no columns below them"
        return Problem(f"import {name!r}", "the schema imports a file that nobody has", hint)
    return text


def _storable(text: str) -> str:
    """Replace what no UTF-8 file or dictionary could hold."""
    return _UNSTORABLE.sub("\ufffd", text.removeprefix("\ufeff"))
