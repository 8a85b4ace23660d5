"""The syntax of TMDL: objects and properties by indentation, with expressions. Source: Microsoft, TMDL overview."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = re.compile(
    r"(?P<kind>\w+)(?:[ \t]+(?P<name>'(?:[^']|'')*'|[^\s=:']+))?[ \t]*(?:(?P<sign>[:=])(?P<value>.*))?", re.DOTALL
)
_FENCE = "```"


@dataclass(slots=True)
class TmdlObject:
    """An object: its *text* is the expression behind its name, *values* are its properties."""

    kind: str
    name: str
    text: str = ""
    values: dict[str, str] = field(default_factory=dict)
    children: list[TmdlObject] = field(default_factory=list)

    def inside(self, kind: str) -> Iterator[TmdlObject]:
        """Yield its children of a kind."""
        return (child for child in self.children if child.kind == kind)


class _TmdlLines:
    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").splitlines()
        self.at = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while self.at < len(self._lines):
            line = self._lines[self.at]
            self.at += 1
            if line.strip() and not line.lstrip().startswith("///"):
                yield _depth(line), line.strip()

    def expression(self, first: str, depth: int) -> str:
        """Return an expression: what follows its sign, and the lines deeper than *depth*; or those in a fence."""
        if first.strip() == _FENCE:
            start = self.at
            while self.at < len(self._lines) and self._lines[self.at].strip() != _FENCE:
                self.at += 1
            self.at += 1
            return "\n".join(self._lines[start : self.at - 1])
        lines = [first]
        while self.at < len(self._lines):
            line = self._lines[self.at]
            if line.strip() and _depth(line) <= depth:
                break
            lines.append(line)
            self.at += 1
        return "\n".join(lines).strip()


def parse_tmdl(text: str) -> TmdlObject:
    """Parse TMDL into objects; what does not fit is skipped."""
    top = TmdlObject("", "")
    stack = [(-1, top)]
    lines = _TmdlLines(text)
    for depth, line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        while len(stack) > 1 and stack[-1][0] >= depth:
            stack.pop()
        owner, value = stack[-1][1], match["value"] or ""
        if match["sign"] and not match["name"]:
            owner.values[match["kind"]] = (
                value.strip() if match["sign"] == ":" else lines.expression(value.strip(), depth)
            )
            continue
        own = TmdlObject(match["kind"], plain_name(match["name"] or ""))
        if match["sign"] == "=":
            own.text = lines.expression(value.strip(), depth + 1)
        owner.children.append(own)
        stack.append((depth, own))
    return top


def plain_name(name: str) -> str:
    """Return a name without its quotes."""
    is_quoted = len(name) > 1 and name[0] == name[-1] == "'"
    return name[1:-1].replace("''", "'") if is_quoted else name


def _depth(line: str) -> int:
    """Return the levels of indentation of a line: tabs, or four spaces each."""
    space = line[: len(line) - len(line.lstrip())]
    return space.count("\t") + space.replace("\t", "").count(" ") // 4
