"""HOCON, the configuration format of Typesafe's library: keys, values and included files, without its functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'''(?P<blank>[ \t\r\f]+|(?:\#|//)[^\n]*)|(?P<end>[\n,])|"""(?P<raw>(?:[^"]|"(?!""))*)"""'''
    r"""|"(?P<text>(?:[^"\\\n]|\\.)*)"|\$\{(?P<optional>\??)(?P<reference>[^{}\n]*)\}"""
    r"""|(?P<mark>\+=|[{}\[\]=:])|(?P<plain>[^\s"{}\[\]=:,\#$+/]+|"(?:[^"\\\n]|\\.)*+|.)"""
)
_INCLUDE = re.compile(r'^[ \t]*include[ \t]+[a-z() \t]{0,40}"([^"\n]{1,200})"', re.MULTILINE)
_MOST = 20_000
"""Maximum keys of one file."""


@dataclass(slots=True)
class _Block:
    """An object or a list that is open: *prefix* is its path, *items* the texts of a list."""

    prefix: str
    is_list: bool = False
    items: list[str] = field(default_factory=list)
    count: int = 0


@dataclass(slots=True)
class _Reader:
    found: dict[str, tuple[str, int]] = field(default_factory=dict)
    blocks: list[_Block] = field(default_factory=lambda: [_Block("")])
    key: str = ""
    pieces: list[str] = field(default_factory=list)
    has_value: bool = False
    optional: bool = False

    def read(self, text: str) -> None:
        """Read the tokens of *text*; other text is skipped."""
        line = 1
        for match in _TOKEN.finditer(text):
            if match["mark"]:
                self._mark(match["mark"], line)
            elif match["end"]:
                if match["end"] == "," or not self.has_value or "".join(self.pieces).strip():
                    self._finish(line)  # a value may begin on the next line
            elif match["reference"] is not None:
                self.pieces.append(f"${{{match['reference'].strip()}}}")
                self.optional = self.optional or bool(match["optional"])
            elif not match["blank"]:
                self.pieces.append(
                    next(part for part in (match["raw"], match["text"], match["plain"]) if part is not None)
                )
            elif self.pieces and not match[0].startswith(("#", "/")):
                self.pieces.append(" ")
            line += match[0].count("\n")
            if len(self.found) > _MOST:
                return
        self._finish(line)

    def _mark(self, mark: str, line: int) -> None:
        block = self.blocks[-1]
        if mark in "{[" and len(self.blocks) < 100:
            if not self.has_value and not block.is_list:
                self._take_key()
            path = f"{block.prefix}[{block.count}]" if block.is_list else _joined(block.prefix, self.key)
            block.count += 1
            self.blocks.append(_Block(path, mark == "["))
            self.key, self.has_value = "", False
            self.pieces.clear()
        elif mark in "}]" and len(self.blocks) > 1:
            self._finish(line)
            closed = self.blocks.pop()
            if closed.is_list and closed.items:
                self._store(closed.prefix, ",".join(closed.items), line)
        elif self.has_value or block.is_list:
            self.pieces.append(mark)  # as in a URL
        elif mark not in "{}[]":
            self._take_key()
            self.has_value = True

    def _take_key(self) -> None:
        self.key = "".join(self.pieces).strip()
        self.pieces.clear()

    def _finish(self, line: int) -> None:
        """End a value or an item of a list."""
        block, text = self.blocks[-1], "".join(self.pieces).strip()
        if block.is_list and text:
            block.items.append(text)
        elif self.has_value and self.key and text:
            self._store(_joined(block.prefix, self.key), text, line)
        self.key, self.has_value, self.optional = "", False, False
        self.pieces.clear()

    def _store(self, path: str, text: str, line: int) -> None:
        """Store a value; an optional reference such as `${?TOPIC}` keeps the value before it as its default."""
        if self.optional and path in self.found and text.startswith("${") and text.endswith("}"):
            text = f"{text[:-1]}:{self.found[path][0]}}}"
        self.found[path] = (text, line)


def _joined(prefix: str, key: str) -> str:
    return f"{prefix}.{key}" if prefix and key else prefix or key


def read_hocon(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the keys of a text, each with its value and line; items of a list are joined by commas.

    A value that is a reference is a placeholder `${name}`; of several values of a key, the last counts.
    """
    reader = _Reader()
    reader.read(text)
    yield from ((key, value, line) for key, (value, line) in reader.found.items())


def included(text: str) -> Iterator[str]:
    """Yield the names of the files that a text includes, without a directory or a way to find them."""
    for match in _INCLUDE.finditer(text):
        yield match[1].rpartition("/")[2]
