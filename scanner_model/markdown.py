"""Text of others in Markdown: it neither formats, links nor mentions anything."""

from __future__ import annotations

import re

from scanner_model.text import visible

_SPEAKING = re.compile(r"@|#\d|:[\w+-]+:|://|(?i:www\.|mailto:|xmpp:|\bgh-\d)|[!$%~^]\w|\b[0-9a-f]{7,64}\b", re.ASCII)
"""What GitHub, GitLab or an editor acts on in a word: mentions, references, emoji, addresses, commits."""
_OPENS, _CLOSES = "([{'\"", ")]}'\",.;:"
_MARKS = "\\`*_{}[]<>|#!~"


def inert(text: str, *, lines: bool = False) -> str:
    """Return *text* without markup of its own; a word that a platform would act on is code. With *lines*, lines stay.

    An entity such as `&#64;` does not help: GitHub decodes it before it looks for mentions.
    """
    parts = re.split(r"([ \n\t])", visible(text, lines=lines))
    return "".join(part if part.isspace() else _word(part) for part in parts)


def code(text: str) -> str:
    """Return *text* as code, also in a cell of a table."""
    return f"`{visible(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _word(word: str) -> str:
    if not _SPEAKING.search(word):
        return _escaped(word)
    inner = word.lstrip(_OPENS)
    bare = inner.rstrip(_CLOSES)
    if not bare or not _SPEAKING.search(bare):
        return code(word)
    before, after = word[: len(word) - len(inner)], inner[len(bare) :]
    return f"{_escaped(before)}{code(bare)}{_escaped(after)}"


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in _MARKS else character for character in text.replace("&", "&amp;"))
