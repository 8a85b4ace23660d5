r"""Column paths: a tuple of segments in code, a dotted name for people.

A segment is a field's own name, or a mark: `[]` an array's element, `[0]` a tuple's, `{}` a map's value, `<Name>` a
branch of a union, `@key` the key of a message where its key and value are listed together. A field whose own name looks
like a mark (or is itself in backticks) is quoted already in the tuple, so that a tuple is never ambiguous; the dotted
name also quotes segments that hold a dot or a backtick, or are empty. A backtick inside quotes is doubled.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scanner_model.errors import InputInvalid

ColumnPath = tuple[str, ...]

ELEMENT = "[]"
MAP_VALUE = "{}"
KEY = "@key"

_BRANCH = r"<(?:[^`>]*|`(?:[^`]|``)*`)>"
_MARK = re.compile(rf"^(?:\[\d*\]|\{{\}}|@key|{_BRANCH})$")
_QUOTED = re.compile(r"^`(?:[^`]|``)*`$")
_SEGMENT = re.compile(rf"(?P<quoted>`(?:[^`]|``)*`)|(?P<branch>{_BRANCH})|(?P<plain>[^.`<][^.`]*)")


def element(index: int | None = None) -> str:
    """Return the mark of an array's element, or of a tuple's element at *index*."""
    return ELEMENT if index is None else f"[{index}]"


def branch(name: str) -> str:
    """Return the mark of the union branch called *name*; a name that holds `>` or a backtick is quoted inside."""
    return f"<{_quoted(name)}>" if ">" in name or "`" in name else f"<{name}>"


def field_segment(name: str) -> str:
    """Return the segment of a field called *name*: the name itself, quoted where it could be taken for a mark."""
    return name if name.isidentifier() or not _is_final(name) else _quoted(name)


def field_name(segment: str) -> str | None:
    """Return the own name of the field that *segment* stands for; None: it is a mark."""
    if _QUOTED.match(segment):
        return segment[1:-1].replace("``", "`")
    return None if _MARK.match(segment) else segment


def is_branch(segment: str) -> bool:
    """Return whether *segment* is the mark of a union's branch."""
    return segment.startswith("<") and _MARK.match(segment) is not None


@lru_cache(maxsize=1 << 16)
def path_name(path: ColumnPath) -> str:
    """Return *path* in dotted notation; the root path is the empty string."""
    return ".".join(map(_shown, path))


def parse_path(text: str) -> ColumnPath:
    """Parse a path written by `path_name`; raises InputInvalid where a quote or a dot is out of place."""
    path: list[str] = []
    at = 0
    while at < len(text):
        match = _SEGMENT.match(text, at)
        if not match or (match.end() < len(text) and text[match.end()] != ".") or match.end() + 1 == len(text):
            raise InputInvalid(f"{text!r} is not a column path", hint="quote a name that holds a dot: `my.field`.id")
        path.append(_unshown(match))
        at = match.end() + 1
    return tuple(path)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _is_final(segment: str) -> bool:
    return bool(_MARK.match(segment) or _QUOTED.match(segment))


def _shown(segment: str) -> str:
    if _is_final(segment):
        return segment
    return _quoted(segment) if not segment or segment[0] == "<" or set(segment) & {".", "`"} else segment


def _unshown(match: re.Match[str]) -> str:
    if match["quoted"] is None:
        return match[0]
    name = match["quoted"][1:-1].replace("``", "`")
    return match["quoted"] if _is_final(name) else name
