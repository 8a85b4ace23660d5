"""Pipelines as blocks of plug-ins, as Logstash and SeaTunnel have them in `.conf` files: a plug-in may occur again.

Sources: Logstash, "Structure of a pipeline"; SeaTunnel, "Config file". Keys of HOCON that occur again would be merged.
"""

from __future__ import annotations

import re

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import Mapping
from scanner_model.payload import Json

_SECTION = re.compile(r"^(env|input|output|source|sink)\s*\{", re.MULTILINE)
_TOKEN = re.compile(
    r'''(?P<comment>(?:\#|//)[^\n]*)|(?P<text>"""(?:[^"]|"(?!""))*+(?:""")?|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)'''
    r"""|(?P<mark>=>|[{}\[\]=:,\n])|(?P<word>[^\s{}\[\]=:,"'\#]+)"""
)
_MOST, _DEEPEST = 100_000, 50


def is_plugin_blocks(file: RepositoryFile) -> bool:
    """Check whether a file is a pipeline: sections for input or output, or those of SeaTunnel beside its `env`."""
    if file.ending not in (".conf", ".cfg"):
        return False
    sections = {match[1] for match in _SECTION.finditer(file.text)}
    return not sections.isdisjoint(("input", "output")) or ("env" in sections and len(sections) > 1)


def plugin_blocks(text: str) -> Json:
    """Return the blocks of a pipeline: each name with a list of its blocks, each setting with its last value."""
    reader = _Reader()
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count > _MOST or len(reader.open) > _DEEPEST:
            break
        reader.take(match)
    return reader.open[0]


class _Reader:
    """Collects the blocks that are *open*, the outermost first."""

    def __init__(self) -> None:
        self.open: list[Mapping] = [Mapping(1)]
        self._line = 1
        self._words: list[str] = []
        self._value: list[str] | None = None
        self._items: list[str] | None = None

    def take(self, token: re.Match[str]) -> None:
        mark = token["mark"]
        if token["word"] or token["text"]:
            self._target().append(token["word"] or token["text"].strip("\"'"))
        elif mark == "{":
            self._begin()
        elif mark == "}":
            self._finish()
            self.open = self.open[:-1] or self.open
        elif mark == "[" and self._value == []:
            self._items = []
        elif mark == "]" and self._items is not None:
            self._finish()
        elif mark in ("=>", "=", ":"):
            self._value = [] if self._value is None else self._value
        elif mark in (",", "\n") and self._items is None and self._value:
            self._finish()
        self._line += token[0].count("\n")

    def _target(self) -> list[str]:
        if self._items is not None:
            return self._items
        return self._words if self._value is None else self._value

    def _begin(self) -> None:
        name = (self._words[0] if self._value is not None else self._words[-1]) if self._words else ""
        block, holder = Mapping(self._line), self.open[-1]
        listed = holder.setdefault(name, [])
        if isinstance(listed, list):
            listed.append(block)
        self.open.append(block)
        self._words, self._value, self._items = [], None, None

    def _finish(self) -> None:
        if self._words and self._value is not None:
            name, holder = self._words[-1], self.open[-1]
            holder[name] = self._items if self._items is not None else " ".join(self._value)
            holder.lines[name] = self._line
        self._words, self._value, self._items = [], None, None
