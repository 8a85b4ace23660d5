"""Text sanitising for storage, XML, terminals and CSV; placeholders in texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
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
    ESC becomes `\x1b`, a line feed `\n`. Nor is it a command to a CI system that reads the log: `##` becomes `\x23#`.
    """
    shown = text if text.isprintable() else "".join(_visible(character, lines) for character in text)
    return _COMMAND.sub(_escaped_command, shown) if "##" in shown or "::" in shown else shown


_COMMAND = re.compile(r"##(?=\w*\[)|(?<!\S)::(?=[A-Za-z-]+(?: |::))")
"""The start of a command in a log: Azure, TeamCity and GitHub look for the first anywhere, GitHub for `::name::`."""


def _escaped_command(match: re.Match[str]) -> str:
    """Return the start of a command with an escape; a cast of SQL such as `::text` has no second pair of colons."""
    start = match[0]
    line_end = match.string.find("\n", match.end())
    is_command = start == "##" or match.string.find("::", match.end(), None if line_end < 0 else line_end) >= 0
    return f"\\x{ord(start[0]):02x}{start[1:]}" if is_command else start


def _visible(character: str, lines: bool) -> str:
    if character.isprintable() or category(character) in _SHOWN or (lines and character in "\n\t"):
        return character
    return character.encode("unicode_escape").decode("ascii")


_INVISIBLE = re.compile(r"#(?=#\w*\[)|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Control characters that JSON does not escape, those that turn a line around, and commands to a CI system's log."""


def visible_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return *value* as JSON text for programs and people: two spaces, members in their order, no line end.

    Control characters, bidirectional marks and commands to a log are escaped, which is the same value to programs.
    """
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False, indent=2))


_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Prefixes that make a cell a formula in some spreadsheet (OWASP's list)."""
_QUOTED = re.compile('[",;|\t\n\v\f\r\x85\u2028\u2029]')
"""Characters that some reader takes for the end of a cell or a line."""


def csv_row(cells: Iterable[Any]) -> str:
    """Return one line, with its end: text, numbers, `true` and `false`; None is empty.

    An apostrophe stands before text that a spreadsheet would run as a formula, and U+FFFD for control characters that
    no spreadsheet reads. Cells with a separator or a line end of any kind are quoted.
    """
    line = ",".join(map(_cell, cells))
    return f"{line}\n" if line else '""\n'


def _cell(value: Any) -> str:  # noqa: ANN401 - whatever a row holds
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return _text(value)


def _text(text: str) -> str:
    harmless = f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
    harmless = writable(harmless)
    return '"' + harmless.replace('"', '""') + '"' if _QUOTED.search(harmless) else harmless


def first_line(text: str) -> str:
    """Return the first line of *text* that is not empty: the message of a trace, without its stack."""
    return next(iter(text.strip().splitlines()), "").rstrip()


_PLACEHOLDER = re.compile(
    r"\$\{[^{}]*\}|\$\([\w.-]+\)|\{\{[^{}]*\}\}|\{%[^%]*%\}|<%[^%]*%>|(?<![A-Za-z0-9])\$[A-Za-z_]\w*"
    r"|(?<![\w?(<])<[A-Za-z][\w .-]*>"
)


def has_placeholder(name: str) -> bool:
    """Check whether *name* has a part that another program, or a person, replaces.

    Such as `${…}`, `$NAME`, `$(…)`, `{{ … }}`, `<% … %>`, `<NAME>`.
    No name of a topic has one: Kafka permits letters, digits, dots, dashes and underscores.
    """
    return _PLACEHOLDER.search(name) is not None


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 topic`, `1,200 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, and how many others there are: `a, b, c and 2 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def tasks_apart(state: str, tasks: Sequence[str]) -> str:
    """Return which *tasks* of a connector have another state than it; empty if none has.

    A worker calls a connector RUNNING even if all of its tasks are FAILED or UNASSIGNED, or if it has none.
    """
    if not tasks:
        return "no tasks" if state == _RUNNING else ""
    apart = Counter(task for task in tasks if task == _FAILED or task not in ("", state, _RUNNING))
    return ", ".join(f"{count} of {len(tasks)} tasks {name}" for name, count in sorted(apart.items()))


_RUNNING, _FAILED = "RUNNING", "FAILED"
