"""Text of others in Markdown: it neither formats, links nor mentions anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from scanner_model.text import visible

_SPEAKING = re.compile(
    r"^/[a-z_]+$|@|#\d|:[\w+-]+:|://|(?i:www\.|mailto:|xmpp:|\bgh-\d)|[!%~^]\w|&\d|\$\S|\b[0-9a-f]{7,64}\b", re.ASCII
)
"""What GitHub, GitLab or an editor acts on: mentions, references, emoji, addresses, commits, commands, formulas."""
_OPENS, _CLOSES = "([{'\"", ")]}'\",.;:"
_MARKS = "\\`*_{}[]<>|#!~"


def inert(text: str, *, lines: bool = False) -> str:
    """Return *text* without markup of its own; a word that a platform would act on is code. With *lines*, lines stay.

    An entity such as `&#64;` does not help: GitHub decodes it before it looks for mentions.
    """
    parts = re.split(r"([ \n\t])", visible(text, lines=lines))
    return "".join(part if part.isspace() else _word(part, _escaped, code) for part in parts)


def inert_html(text: str) -> str:
    """Return *text* for HTML in Markdown, such as a `<summary>`, where no backslash or backtick is markup."""
    parts = re.split(r"([ \n\t])", visible(text))
    return "".join(part if part.isspace() else _word(part, escape, _html_code) for part in parts)


def _html_code(text: str) -> str:
    """Return HTML for code; a separator keeps a reader of the plain text from seeing a mention or an address."""
    return f"<code>{_LEADING.sub(_separated, escape(text))}</code>"


_LEADING = re.compile(r"@|://|www\.")


def _separated(match: re.Match[str]) -> str:
    return f"{match[0]}\u200b"


def code(text: str) -> str:
    """Return *text* as code, also in a cell of a table."""
    return f"`{visible(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def sentence(text: str) -> str:
    """Return *text* without markup of its own, except code between backticks."""
    parts = text.split("`")
    is_paired = len(parts) % 2 == 1
    return "".join(code(part) if at % 2 else inert(part) for at, part in enumerate(parts)) if is_paired else inert(text)


def _word(word: str, escaped: Callable[[str], str], code: Callable[[str], str]) -> str:
    if not _SPEAKING.search(word):
        return escaped(word)
    inner = word.lstrip(_OPENS)
    bare = inner.rstrip(_CLOSES)
    if not bare or not _SPEAKING.search(bare):
        return code(word)
    before, after = word[: len(word) - len(inner)], inner[len(bare) :]
    return f"{escaped(before)}{code(bare)}{escaped(after)}"


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in _MARKS else character for character in text.replace("&", "&amp;"))
