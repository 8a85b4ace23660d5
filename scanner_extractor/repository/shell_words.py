"""The words of a shell script: quotes, substitutions, operators and here-documents, none of them expanded."""

from __future__ import annotations

import re
from typing import NamedTuple

_BARE = re.compile(r"[^\s'\"`$\\;&|<>()#]+|#")
VARIABLE = re.compile(
    r"\$\{(?P<braced>\w+|[@*])(?:(?P<sign>:?[-=])(?P<default>[^{}]*)|(?P<case>\^\^|,,)|(?P<all>\[[@*]\])"
    r"|(?P<cut>%%?|##?)(?P<pattern>[^{}]*))?\}"
    r"|\$(?P<plain>[A-Za-z_]\w*|\d|[@*])"
)
_HEREDOC = re.compile(r"<<(?P<tabs>-?)[ \t]*(?P<quote>['\"\\]?)(?P<end>[\w.-]+)['\"]?")


class Piece(NamedTuple):
    """A part of a word: text, expanded or quoted (variables in it are replaced), command (a substitution), array."""

    kind: str
    text: str


class Token(NamedTuple):
    """A word with its pieces, or an operator; *document* is the body of a here-document after `<<`."""

    operator: str
    pieces: tuple[Piece, ...]
    line: int
    document: Piece | None = None


def read_tokens(text: str) -> list[Token]:
    """Return the words and operators of a script, with the lines that they begin at; never raises for any text."""
    tokens: list[Token] = []
    waiting: list[tuple[int, re.Match[str]]] = []
    at, line, end = 0, 1, len(text)
    while at < end:
        sign = text[at]
        if sign == "\n":
            tokens.append(Token("\n", (), line))
            at, line = at + 1, line + 1
            for number, heredoc in waiting:
                body, at = _body(text, at, heredoc)
                kind = "text" if heredoc["quote"] else "document"
                tokens[number] = tokens[number]._replace(document=Piece(kind, body))
                line += body.count("\n") + 2
            waiting = []
        elif sign in " \t\r":
            at += 1
        elif sign == "#" and (at == 0 or text[at - 1] in " \t\n;"):
            at = _find(text, "\n", at)
        elif sign == "\\" and text[at + 1 : at + 2] == "\n":
            at, line = at + 2, line + 1
        elif (begun := _HEREDOC.match(text, at)) and not text.startswith("<<<", at):
            waiting.append((len(tokens), begun))
            tokens.append(Token("<<", (), line))
            at = begun.end()
        elif sign in ";&|<>()":
            size = 3 if text.startswith("<<<", at) else 2 if text[at : at + 2] in ("&&", "||", ";;", ">>", "|&") else 1
            tokens.append(Token(text[at : at + size], (), line))
            at += size
        else:
            pieces, behind = _word(text, at)
            tokens.append(Token("", tuple(pieces), line))
            line += text.count("\n", at, behind)
            at = max(behind, at + 1)
    return tokens


def _body(text: str, at: int, heredoc: re.Match[str]) -> tuple[str, int]:
    """Return the lines of a here-document, and the position behind the line that ends it."""
    start = at
    while at < len(text):
        line_end = _find(text, "\n", at)
        line = text[at:line_end]
        if line.strip() == heredoc["end"] or line.strip().startswith((heredoc["end"] + ")", heredoc["end"] + '"')):
            return text[start:at], line_end if line.strip() == heredoc["end"] else at + line.find(heredoc["end"]) + len(
                heredoc["end"]
            )
        at = line_end + 1
    return text[start:], len(text)


def _find(text: str, sign: str, at: int) -> int:
    found = text.find(sign, at)
    return len(text) if found < 0 else found


def _word(text: str, at: int) -> tuple[list[Piece], int]:  # noqa: C901 - the signs of one grammar
    pieces: list[Piece] = []
    end = len(text)
    while at < end:
        sign = text[at]
        if text.startswith("$'", at) or sign == "'":
            close = _find(text, "'", at + 1 + (sign == "$"))
            pieces.append(Piece("text", text[at + 1 + (sign == "$") : close]))
            at = close + 1
        elif sign == '"':
            at = _double_quoted(text, at + 1, pieces)
        elif sign == "`":
            close = _find(text, "`", at + 1)
            pieces.append(Piece("command", text[at + 1 : close]))
            at = close + 1
        elif text.startswith("$(", at):
            close = _closing(text, at + 2)
            pieces.append(Piece("command", text[at + 2 : close]))
            at = close + 1
        elif text.startswith("${", at):
            close = _find(text, "}", at)
            pieces.append(Piece("expanded", text[at : close + 1]))
            at = close + 1
        elif sign == "$":
            match = VARIABLE.match(text, at)
            pieces.append(Piece("expanded", match[0] if match else "$"))
            at = match.end() if match else at + 1
        elif sign == "\\":
            pieces.append(Piece("text", text[at + 1 : at + 2] if text[at + 1 : at + 2] != "\n" else ""))
            at += 2
        elif match := _BARE.match(text, at):
            pieces.append(Piece("text", match[0]))
            at = match.end()
            if sign != "#" and text[at : at + 1] == "(" and match[0].endswith("="):
                close = _closing(text, at + 1)  # an array
                pieces.append(Piece("array", text[at + 1 : close]))
                at = close + 1
        else:
            break
    return pieces, at


def _double_quoted(text: str, at: int, pieces: list[Piece]) -> int:
    """Add the pieces of a text in double quotes, and return the position behind it."""
    start = at
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            pieces += [Piece("quoted", text[start:at]), Piece("text", _unescaped(text[at : at + 2]))]
            at = start = at + 2
        elif text.startswith("$(", at):
            close = _closing(text, at + 2)
            pieces += [Piece("quoted", text[start:at]), Piece("command", text[at + 2 : close])]
            at = start = close + 1
        elif text[at] == "`":
            close = _find(text, "`", at + 1)
            pieces += [Piece("quoted", text[start:at]), Piece("command", text[at + 1 : close])]
            at = start = close + 1
        else:
            at += 1
    pieces.append(Piece("quoted", text[start:at]))
    return at + 1


def _unescaped(pair: str) -> str:
    return "" if pair == "\\\n" else pair[1:] if pair[1:] in ('"', "$", "`", "\\") else pair


def _closing(text: str, at: int) -> int:
    """Return the position of the bracket that closes one before *at*; quotes and here-documents are skipped."""
    depth = 1
    while at < len(text):
        sign = text[at]
        if sign in "'\"":
            at += 1
            while at < len(text) and text[at] != sign:
                at += 2 if text[at] == "\\" and sign == '"' else 1
        elif (heredoc := _HEREDOC.match(text, at)) and not text.startswith("<<<", at):
            _, at = _body(text, _find(text, "\n", at) + 1, heredoc)
            continue
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(text)


def plain_word(token: Token) -> str:
    """Return a word that is written without quotes or variables; of another one, its beginning; operators are empty."""
    if token.operator or not token.pieces or token.pieces[0].kind not in ("text", "array"):
        return ""
    return token.pieces[0].text
