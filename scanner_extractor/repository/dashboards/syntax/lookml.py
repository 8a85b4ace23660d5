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


_LIQUID = re.compile(r"\{%-?\s*(?P<word>\w*)[^%]{0,500}%\}")
_STARTS, _BRANCHES, _ENDS = ("if", "unless", "case"), ("elsif", "else", "when"), ("endif", "endunless", "endcase")
_ENCLOSING = frozenset({"condition", "endcondition", "assign", "comment", "endcomment", "raw", "endraw"})
"""Tags that are not a value themselves."""


def without_liquid(text: str) -> str:
    """Return SQL with the branches of Liquid's conditions as the arguments of COALESCE: each may be what is asked.

    A tag that is an output, such as `date_start`, is a value. Where a branch is not an expression, the result is not
    SQL.
    """
    stack: list[list[list[str]]] = [[[]]]
    at = 0
    for tag in _LIQUID.finditer(text):
        stack[-1][-1].append(text[at : tag.start()])
        at, word = tag.end(), tag["word"]
        if word in _STARTS:
            stack.append([[]])
        elif word in _BRANCHES:
            stack[-1].append([])
        elif word not in _ENDS:
            stack[-1][-1].append(" " if word in _ENCLOSING else "1")
        elif len(stack) > 1:
            branches = [joined for parts in stack.pop() if (joined := "".join(parts).strip())]
            stack[-1][-1].append(f" COALESCE({', '.join(branches)}) " if branches else " ")
    stack[-1][-1].append(text[at:])
    return "".join(part for level in stack for branch in level for part in branch)
