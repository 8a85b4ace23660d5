"""Tokenizer for .proto files, and a cursor over the tokens with access to comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner_extractor.formats.limits import LONGEST_NAME

_PIECE = re.compile(r"(?P<line>//[^\n]*\n?)|(?P<block>/\*.*?(?:\*/|\Z))|(?P<newline>\n)", re.DOTALL)
_LINE_MARK = re.compile(r"^//[/!]*<?")
_BLOCK_MARKS = re.compile(r"^/\*[*!]*|(?<!\*)\**/$")
_STARS = re.compile(r"^[ \t]*\*+")
_COMMENT_CLOSERS = ("}", "]", ")", "")
_BLANK = ""


def attached(previous: str, gap: str, following: str) -> tuple[str | None, str | None]:
    """Return the comment after the token *previous* and the one before *following*, of what stands between them.

    The first comment is the previous token's where it starts on its line, or where a blank line or another comment
    parts it from what follows. A comment with blank lines on both sides belongs to neither. *previous* is empty at
    the start.
    """
    if "/" not in gap:
        return None, None
    own = _PIECE.search(gap) if previous else None
    if not own or own["newline"]:
        return _shared(list(_comments(gap)), None, bool(previous), following in _COMMENT_CLOSERS)
    if own["block"] and not gap[own.end() :].strip(" \t\r\f\v"):
        # It stands between two tokens of one line and may mean either.
        return None, None
    return _shared(list(_comments(gap[own.end() :])), own[0], False, following in _COMMENT_CLOSERS)


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
    """Strip the comment marks; None where nothing is left."""
    if comment is None:
        return None
    if comment.startswith("/*"):
        lines = _BLOCK_MARKS.sub("", comment).split("\n")
        lines = [lines[0], *(_STARS.sub("", line) for line in lines[1:])]
    else:
        lines = [_LINE_MARK.sub("", line.strip()) for line in comment.split("\n")]
    return "\n".join(line.strip() for line in lines).strip() or None


_TOKEN = re.compile(
    r"""
    (?:\s++|//[^\n]*+|/\*.*?(?:\*/|\Z))*+
    (?P<token>
      \.?[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+            # a name, perhaps with dots
    | 0[xX][0-9a-fA-F]++
    | (?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?[fF]?
    | "(?:[^"\\\n]|\\.)*+"?+ | '(?:[^'\\\n]|\\.)*+'?+  # a string that is not closed ends with its line
    | . | \Z)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_NAME = re.compile(r"\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_SIMPLE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_INTEGER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|\d{1,20}", re.ASCII)
_OPENERS = frozenset("{[(<")
_CLOSERS = frozenset("}])>")
_LONGEST_QUOTE = 40
_SHORT = f"a name of at most {LONGEST_NAME} characters"

END = ""
"""The token after the last one."""


def statement_end(text: str, start: int) -> int:
    """Return the position after the semicolon that ends the statement at *start*; the end of *text* without one.

    *start* must not lie in a comment or a string.
    """
    ends = (match.end() for match in _TOKEN.finditer(text, start) if match[1] == ";")
    return next(ends, len(text))


class UnreadableError(Exception):
    """Raised when the token at *index* is not what the grammar expects; internal to the parser."""

    def __init__(self, index: int, expected: str) -> None:
        super().__init__(expected)
        self.index = index
        self.expected = expected


class Cursor:
    """A position among the tokens of *text*, which only moves forward except by `back_to`."""

    def __init__(self, text: str) -> None:
        self.index = 0
        self._text = text
        self._matches = list(_TOKEN.finditer(text))
        self._tokens = [match["token"] for match in self._matches]

    @property
    def token(self) -> str:
        """Return the current token, END after the last."""
        return self._tokens[self.index]

    @property
    def next_token(self) -> str:
        """Return the token after this one."""
        return self._tokens[min(self.index + 1, len(self._tokens) - 1)]

    @property
    def deepest(self) -> int:
        """Count how many brackets of any kind stand inside each other at most."""
        depth = deepest = 0
        for token in self._tokens:
            if token in _OPENERS:
                depth += 1
                deepest = max(depth, deepest)
            elif depth and token in _CLOSERS:
                depth -= 1
        return deepest

    def sees(self, *words: str) -> bool:
        """Return whether the next tokens are *words*; nothing is consumed."""
        return tuple(self._tokens[self.index : self.index + len(words)]) == words

    def back_to(self, index: int) -> None:
        """Return to an earlier position."""
        self.index = index

    def advance(self) -> str:
        """Consume the current token, whatever it is; stays at the end."""
        token = self.token
        self.index = min(self.index + 1, len(self._tokens) - 1)
        return token

    def take(self, *words: str) -> bool:
        """Consume the current token if it is one of *words*."""
        matches = self.token in words
        if matches:
            self.advance()
        return matches

    def expect(self, word: str) -> None:
        """Consume *word*, or raise UnreadableError."""
        if not self.take(word):
            raise self.unreadable(f"`{word}`")

    def simple_name(self) -> str:
        """Consume a name without dots, or raise UnreadableError."""
        if not _SIMPLE_NAME.fullmatch(self.token):
            raise self.unreadable("a name")
        if len(self.token) > LONGEST_NAME:
            raise self.unreadable(_SHORT)
        return self.advance()

    def name(self) -> str:
        """Consume a name, which may have dots (and space around them), or raise UnreadableError."""
        start = self.index
        parts = [self.advance()] if self.sees(".") else []
        if not _NAME.fullmatch(self.token):
            raise self.unreadable("a name")
        parts.append(self.advance())
        while self.token.startswith(".") and (_NAME.fullmatch(self.token) or _SIMPLE_NAME.fullmatch(self.next_token)):
            parts.append(self.advance())
            if parts[-1] == ".":
                parts.append(self.advance())
        name = "".join(parts)
        if len(name) > LONGEST_NAME:
            raise UnreadableError(start, _SHORT)
        return name

    def integer(self) -> int:
        """Consume a whole number (decimal, hexadecimal, octal), or raise UnreadableError."""
        if not _INTEGER.fullmatch(self.token):
            raise self.unreadable("a number")
        return integer(self.advance())

    def skip_block(self) -> None:
        """Go past the brace that closes the current one, or to the end of the text where none does."""
        depth = 0
        while self.token != END:
            depth += self.sees("{") - self.sees("}")
            self.advance()
            if depth == 0:
                return

    def skip_statement(self) -> None:
        """Go past the next `;` or block, but not past the end of what encloses it."""
        while self.token not in (END, ";", "}"):
            if not self.sees("{"):
                self.advance()
                continue
            self.skip_block()
            # A block inside an option's value does not end the statement.
            if self.token not in ("]", ",", ";"):
                return
        self.take(";")

    def skip_to_semicolon(self) -> None:
        """Go to the next `;` that is in no block, but not past the end of what encloses it."""
        while self.token not in (END, ";", "}"):
            if self.sees("{"):
                self.skip_block()
            else:
                self.advance()

    def gap(self, index: int) -> tuple[str, str, str]:
        """Return the token before *index*, what stands between, and the token at *index*."""
        before = self._matches[index - 1].end() if index else 0
        previous = self._tokens[index - 1] if index else END
        return previous, self._text[before : self._matches[index].start("token")], self._tokens[index]

    def offset(self, index: int) -> int:
        """Return where a token starts in the text."""
        return self._matches[index].start("token")

    def position(self, index: int) -> str:
        """Return line and column of a token, both from 1, as `3:14`."""
        start = self.offset(index)
        return f"{self._text.count(chr(10), 0, start) + 1}:{start - self._text.rfind(chr(10), 0, start)}"

    def quote(self, index: int) -> str:
        """Return a token as quoted in messages."""
        token = self._tokens[index]
        if token == END:
            return "the end"
        return repr(token if len(token) <= _LONGEST_QUOTE else f"{token[:_LONGEST_QUOTE]}…")

    def unreadable(self, expected: str) -> UnreadableError:
        """Return the error with what was expected."""
        return UnreadableError(self.index, expected)


def integer(token: str) -> int:
    """Read a whole number as Protobuf writes it: `0x1f`, `017`, `15`; raises ValueError for anything else."""
    if token[:2] in ("0x", "0X"):
        return int(token, 16)
    return int(token, 8 if token.startswith("0") else 10)
