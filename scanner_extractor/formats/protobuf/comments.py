"""Which comment belongs to which declaration, by protoc's rules (descriptor.proto, SourceCodeInfo), as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PIECE = re.compile(r"(?P<line>//[^\n]*\n?)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<newline>\n)", re.DOTALL)
_LINE_MARK = re.compile(r"^//[/!]*<?")
_BLOCK_MARKS = re.compile(r"^/\*[*!]*|\**/$")
_STARS = re.compile(r"^[ \t]*\*+")
_CLOSERS = ("}", "]", ")", "")
_BLANK = ""


def attached(previous: str, gap: str, following: str) -> tuple[str | None, str | None]:
    """Give the comment after the token *previous* and the one before *following*, of what stands between them.

    The first comment is the previous token's where it starts on its line, or where a blank line or another comment
    parts it from what follows. Blank lines on both sides make a comment nobody's. *previous* is empty at the start.
    """
    if "/" not in gap:
        return None, None
    own = _PIECE.search(gap) if previous else None
    if not own or own["newline"]:
        return _shared(list(_comments(gap)), None, bool(previous), following in _CLOSERS)
    if own["block"] and not gap[own.end() :].strip(" \t\r\f\v"):
        # It stands between two tokens of one line and may mean either.
        return None, None
    return _shared(list(_comments(gap[own.end() :])), own[0], False, following in _CLOSERS)


def _shared(comments: list[str], trailing: str | None, open_: bool, closing: bool) -> tuple[str | None, str | None]:
    pending: str | None = None
    for comment in [*comments, *([_BLANK] if closing else [])]:
        if pending and open_:
            trailing, open_ = pending, False
        pending = comment or None
        open_ = open_ and bool(comment)
    return _plain(trailing), _plain(pending)


def _comments(text: str) -> Iterator[str]:
    """List comments in order, lines that follow each other as one, and an empty text for each blank line."""
    lines, fresh = "", False
    for match in _PIECE.finditer(text):
        if match["line"]:
            lines += match[0]
        else:
            if lines:
                yield lines
            lines = ""
            if match["block"]:
                yield match[0]
            elif fresh:
                yield _BLANK
        fresh = not match["block"]
    if lines:
        yield lines


def _plain(comment: str | None) -> str | None:
    """Take the marks away; None where nothing is left."""
    if comment is None:
        return None
    if comment.startswith("/*"):
        lines = _BLOCK_MARKS.sub("", comment).split("\n")
        lines = [lines[0], *(_STARS.sub("", line) for line in lines[1:])]
    else:
        lines = [_LINE_MARK.sub("", line.strip()) for line in comment.split("\n")]
    return "\n".join(line.strip() for line in lines).strip() or None
