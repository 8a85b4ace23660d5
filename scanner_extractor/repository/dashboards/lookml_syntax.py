"""The syntax of LookML: blocks of parameters, lists, and texts of SQL that end with two semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r'#[^\n]*|"(?:[^"\\]|\\.)*"|[{}\[\],]|[\w.+-]+\s*:|[^\s{}\[\],":#]+|\s+')


class Block(NamedTuple):
    """A block of LookML: its kind, name, parameters and blocks."""

    kind: str
    name: str
    values: dict[str, str]
    blocks: list[Block]

    def inside(self, *kinds: str) -> Iterator[Block]:
        """Yield the blocks of some kinds."""
        return (block for block in self.blocks if block.kind in kinds)


def parse_lookml(text: str) -> Block:
    """Parse LookML into blocks; what does not fit is skipped, as a file may be written by hand."""
    top = Block("", "", {}, [])
    stack, at = [top], 0
    key, words = "", list[str]()
    while at < len(text):
        if key.startswith("sql") or key in ("html", "expression"):
            end = text.find(";;", at)
            if end < 0:
                break
            stack[-1].values[key] = text[at:end].strip()
            key, at, words = "", end + 2, []
            continue
        match = _TOKEN.match(text, at)
        sign, at = (match[0], match.end()) if match else ("", at + 1)
        is_listed = words[:1] == ["["] and words[-1] != "]"
        if not sign.strip() or sign.startswith("#"):
            continue
        if sign.endswith(":") and len(sign) > 1 and not is_listed:
            key, words = sign[:-1].strip(), []
        elif sign in ("{", "}"):
            if sign == "{":
                stack[-1].blocks.append(Block(key, " ".join(words), {}, []))
                stack.append(stack[-1].blocks[-1])
            elif len(stack) > 1:
                stack.pop()
            key, words = "", []
        elif key:
            words.append(sign.strip('"'))
            stack[-1].values[key] = " ".join(words)
    return top
