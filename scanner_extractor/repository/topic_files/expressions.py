"""Expressions that name members of a document: JSONPath, or texts with JSONPath in braces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scanner_extractor.repository.files import RepositoryFile
from scanner_model.errors import InputInvalid
from scanner_model.payload import Json

if TYPE_CHECKING:
    from jsonpath import CompoundJSONPath, JSONPath, JSONPathMatch

MOST_MATCHES = 20_000
"""Maximum matches of one expression in one document."""
_PART = re.compile(r"\{([^{}]+)\}")
_COSTLY = re.compile(r"\b(?:match|search)\s*\(|=~|\.\..*\.\.")
_STEP = re.compile(r"\.(?P<name>[A-Za-z_][\w-]*)|\['(?P<quoted>[^'\\]*)'\]|(?P<each>\[\*\]|\.\*)")
_OWN = ("file", "directory", "key")
_PATH_OF, _LAST_OF = "path ", "last "
"""Begin a part that is of an endpoint: `{path @.uri}` is `orders` of `kafka:orders?brokers=b:9092`, and `{last @.url}`
that of `tls://b:9093/orders`."""
_SCHEME = re.compile(r"^[\w+-]+:(?://)?")


class Found(NamedTuple):
    """A text in a document, and its line."""

    text: str
    line: int


class Match(NamedTuple):
    """A value in a document, with the keys that lead to it and what contains it; *line* is 0 if it is not known."""

    value: Json
    keys: tuple[str | int, ...] = ()
    line: int = 0
    holder: Json = None


class Entry(NamedTuple):
    """An entry of a document: *match* is its place there, *line* the line that it begins on."""

    file: RepositoryFile
    document: Json
    match: Match
    line: int

    def found(self, expressions: tuple[str, ...]) -> list[Found]:
        """Return the texts of the first expression that has any."""
        return next((texts for text in expressions if (texts := list(self._texts(text)))), [])

    def first(self, expressions: tuple[str, ...]) -> str:
        """Return the first text of the first expression that has any; empty without one."""
        return next((found.text for found in self.found(expressions)), "")

    def values(self, expressions: tuple[str, ...]) -> list[Match]:
        """Return the values of the first path that has any, with a line each."""
        for expression in expressions:
            if listed := list(matches("$" + expression[1:], self._root(expression))):
                return [match._replace(line=match.line or self.line) for match in listed]
        return []

    def places(self, expression: str) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield the keys of each value that an expression leads to, from the document (`$`) or the entry (`@`)."""
        paths = [expression] if expression.startswith(("$", "@")) else _PART.findall(expression)
        for path in map(_of_endpoint, paths):
            if path.startswith(("$", "@")):
                yield from ((path[0], match.keys) for match in matches("$" + path[1:], self._root(path)))

    def _root(self, expression: str) -> Json:
        return self.match.value if expression.startswith("@") else self.document

    def _texts(self, expression: str) -> Iterator[Found]:
        if expression.startswith(("$", "@")):
            for match in matches("$" + expression[1:], self._root(expression)):
                if (text := text_of_value(match.value)) is not None:
                    yield Found(text, self._line_of(text, match))
            return
        parts = {part: self._part(part) for part in _PART.findall(expression)}
        if all(parts.values()):
            first = next((found.line for found in parts.values() if found and found.line), self.line)
            yield Found(_PART.sub(lambda part: parts[part[1]].text, expression), first)  # type: ignore[union-attr]

    def _line_of(self, text: str, match: Match) -> int:
        """Return the line of a text: the first from that of its member on that contains it."""
        start = match.line or self.line
        is_known = match.line and not isinstance((match.keys or (0,))[-1], int)
        lines = () if is_known else self.file.text.split("\n")[start - 1 :]
        return next((line for line, written in enumerate(lines, start) if text in written), start)

    def _part(self, name: str) -> Found | None:
        keys = self.match.keys
        match name:
            case "file":
                return Found(self.file.stem, 0)
            case "directory":
                return Found(self.file.directory.rpartition("/")[2], 0)
            case "key":
                return Found(str(keys[-1]), 0) if keys else None
        if name.startswith("key."):
            at = int(name.removeprefix("key."))
            return Found(str(keys[at]), 0) if at < len(keys) else None
        if name.startswith(_PATH_OF):
            found = next(self._texts(name.removeprefix(_PATH_OF)), None)
            return found and found._replace(text=_SCHEME.sub("", found.text).partition("?")[0])
        if name.startswith(_LAST_OF):
            found = next(self._texts(name.removeprefix(_LAST_OF)), None)
            last = _SCHEME.sub("", found.text).partition("/")[2] if found else ""
            return found._replace(text=last) if found and last else None
        return next(self._texts(name), None) if name.startswith(("$", "@")) else None


def check_expression(expression: str) -> None:
    """Check an expression of the settings; raises InputInvalid if it is not valid, or may take too long."""
    parts = [expression] if expression.startswith(("$", "@")) else _PART.findall(expression)
    for part in parts:
        if part in _OWN or re.fullmatch(r"key\.\d", part):
            continue
        part = _of_endpoint(part)
        if not part.startswith(("$", "@")):
            raise InputInvalid(f"unknown part {{{part}}}", hint="use file, directory, key, or a path such as $.name")
        if _COSTLY.search(part):
            raise InputInvalid(f"{part}: regular expressions and repeated .. are not supported")
        _compiled("$" + part[1:])


def _of_endpoint(part: str) -> str:
    """Return the path of a part without what says which piece of an endpoint it is."""
    return part.removeprefix(_PATH_OF).removeprefix(_LAST_OF)


@lru_cache(maxsize=512)
def _compiled(path: str) -> JSONPath | CompoundJSONPath:
    """Return a compiled JSONPath; raises InputInvalid."""
    from jsonpath import JSONPathError, compile  # noqa: PLC0415 - takes 0.1 s, and few repositories need it

    try:
        return compile(path)
    except JSONPathError as error:
        what = f"{path}: {str(error).splitlines()[0]}"
        raise InputInvalid(what, hint="use JSONPath as in RFC 9535") from error


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[tuple[str | None, ...], ...] | None:
    """Return the members that each alternative of a plain path names, None for all; None if it is not plain."""
    alternatives = []
    for part in path.split(" | "):
        listed, at = list(_STEP.finditer(part, 1)), 1
        for step in listed:
            if step.start() != at:
                return None
            at = step.end()
        if at != len(part):
            return None
        alternatives.append(
            tuple(None if step["each"] else step["quoted"] if step["name"] is None else step["name"] for step in listed)
        )
    return tuple(alternatives)


def matches(path: str, document: Json) -> Iterator[Match]:
    """Yield the matches of a JSONPath in a document; none inside a text or number."""
    if not isinstance(document, dict | list):
        yield from (Match(document),) if path == "$" else ()
        return
    if (plain := _steps(path)) is None:
        listed = (_converted(match) for match in _compiled(path).finditer(document))
    else:
        # Most paths only name members: they need no library, and take a tenth of the time.
        listed = (match for steps in plain for match in _walk(Match(document, (), _own_line(document)), steps))
    yield from islice(listed, MOST_MATCHES)


def _walk(match: Match, steps: tuple[str | None, ...]) -> Iterator[Match]:
    if not steps:
        yield match
        return
    step, rest, value = steps[0], steps[1:], match.value
    if isinstance(value, dict):
        keys = value if step is None else (step,) if step in value else ()
        for key in keys:
            yield from _walk(_inside(match, key), rest)
    elif isinstance(value, list) and step is None:
        for index in range(len(value)):
            yield from _walk(_inside(match, index), rest)


def _inside(match: Match, key: str | int) -> Match:
    value, lines = match.value[key], getattr(match.value, "lines", {})
    return Match(value, (*match.keys, key), _own_line(value) or lines.get(key) or match.line, match.value)


def _own_line(value: Json) -> int:
    return int(getattr(value, "line", 0))


def _converted(match: JSONPathMatch) -> Match:
    holder = match.parent.obj if match.parent is not None else None
    return Match(match.obj, tuple(match.parts), _line(match), holder)


def _line(match: JSONPathMatch) -> int:
    """Return the line of a match, or of the member that contains it; 0 if the lines are unknown."""
    if line := _own_line(match.obj):
        return line
    at: JSONPathMatch | None = match
    while at is not None and at.parent is not None:
        lines: Mapping[str, int] = getattr(at.parent.obj, "lines", {})
        if line := lines.get(str(at.parts[-1]), 0):
            return line
        at = at.parent
    return 0


def text_of_value(value: Json) -> str | None:
    """Return a value as a text; None for an empty text, a list, a mapping and null."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
