"""Text sanitising for storage, XML and terminals."""

from __future__ import annotations

import re
from unicodedata import category

REPLACEMENT = "\ufffd"

# XML 1.0 has no way to write these, not even as references; the other formats' readers stumble over most of them.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SHOWN = frozenset({"Zs", "Cn", "Co"})
"""Not printable to Python, and harmless on a terminal: wide spaces, and letters newer than Python's tables."""


def storable(text: str) -> str:
    """Return *text* with U+FFFD for what cannot be stored: half a surrogate pair (in no encoding), NUL (PostgreSQL)."""
    if text.isascii() and "\0" not in text:
        return text
    if not _UNSTORABLE.search(text):
        return text
    # Two halves that stand beside each other are one character.
    return text.replace("\0", REPLACEMENT).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def writable(text: str) -> str:
    """Return *text* with U+FFFD for what XML 1.0 cannot hold: control characters but tab, line feed and return."""
    return text if text.isprintable() else _UNWRITABLE.sub(REPLACEMENT, text)


def visible(text: str, *, lines: bool = False) -> str:
    r"""Return *text* as a terminal may show it: control characters, bidirectional marks and such become escapes.

    With *lines*, line feeds and tabs stay. A name can neither move the cursor nor begin a line that looks like ours:
    ESC becomes `\x1b`, a line feed `\n`.
    """
    if text.isprintable():
        return text
    return "".join(_visible(character, lines) for character in text)


def _visible(character: str, lines: bool) -> str:
    if character.isprintable() or category(character) in _SHOWN or (lines and character in "\n\t"):
        return character
    return character.encode("unicode_escape").decode("ascii")
