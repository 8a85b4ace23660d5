"""Texts with places for values, as functions of the languages' own libraries fill them in.

Source: java.util.Formatter, fmt of Go, printf-style and format strings of Python, composite format strings of .NET.
"""

from __future__ import annotations

import re

_PERCENT = re.compile(r"%(?:(%)|([-+# 0,(]*+\d*+(?:\.\d+)?+)([A-Za-z]))")
_BRACES = re.compile(r"(\{\{|\}\})|\{(\d*+)(?:[:,]([^{}]*+))?+\}")
_PLAIN = frozenset("sdv")
"""The letters that write a value in its own form."""
PERCENT = frozenset(("String.format", "java.lang.String.format", "fmt.Sprintf", "formatted", "%"))
"""Functions whose texts have places as `%s`."""
BRACES = frozenset(("format", "string.Format", "String.Format"))
"""Functions whose texts have places as `{}` or `{0}`."""


def parts_of_template(name: str, template: str) -> list[str | tuple[int, str]] | None:
    """Return the texts of a template, and its places: which value, from 0, and in which form, empty for its own.

    None is returned for functions that are not known, and for templates that name their values.
    """
    pattern = _PERCENT if name in PERCENT else _BRACES if name in BRACES else None
    if pattern is None:
        return None
    found: list[str | tuple[int, str]] = []
    place = start = 0
    for one in pattern.finditer(template):
        found.append(template[start : one.start()])
        start = one.end()
        if one.group(1):
            found.append(one.group(1)[0])
        elif pattern is _PERCENT:
            flags, letter = one.group(2), one.group(3)
            found.append((place, "" if letter in _PLAIN and not flags else f"{flags}{letter}"))
            place += 1
        else:
            found.append((int(one.group(2)) if one.group(2) else place, one.group(3) or ""))
            place += 1
    found.append(template[start:])
    rest = "".join(one for one in found if isinstance(one, str))
    return None if ("%" in rest if pattern is _PERCENT else set("{}") & set(rest)) else [one for one in found if one]
