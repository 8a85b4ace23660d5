"""Parse untrusted YAML into plain values with line numbers: bounded in size, depth and expansion of aliases.

The values are those of the text: only `null` and booleans are converted, and a number stays the text written in
the file, so that `1.10` is not `1.1`. No tag creates an object: what a tag of an application makes of a text is not
known before it runs, so that `!Ref name` is the placeholder `${name}`. The parser's events are read instead of its
nodes, because composing nodes recurses in C, and expands aliases without a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from scanner_model.payload import Json

DEEPEST = 64
"""Maximum nesting of one document."""
MOST_VALUES = 500_000
"""Maximum values of one document, each counted wherever an alias repeats it."""
MOST_CHARACTERS = 16 * 1024 * 1024
"""Maximum characters of the texts of one document, counted likewise: as many as a file may have."""
MOST_DOCUMENTS = 100_000
"""Maximum documents of one text."""

Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser: libyaml's where PyYAML was built with it, else PyYAML's own, which is ten times slower."""

_BETWEEN = re.compile(r"^(?:---(?=[\s]|$)|\.\.\.(?=[\s]|$))", re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{|\{%|<%")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    word: value
    for value, words in ((True, ("true", "yes", "on")), (False, ("false", "no", "off")))
    for plain in words
    for word in (plain, plain.capitalize(), plain.upper())
}
"""Kubernetes and the tools that read these files follow YAML 1.1."""


class Mapping(dict[str, Json]):
    """A mapping with the *line* that it begins on, and the *lines* of its keys."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document: *line* is where it begins, *value* None where it is empty or where *error* says what is wrong.

    *template*: it is a template (Helm, Jinja) that has to be rendered before it is YAML. *foreign*: it cannot be read,
    and has no member of a form that is read.
    """

    line: int
    value: Json = None
    error: str = ""
    template: bool = False
    foreign: bool = False


class _Refused(Exception):
    """Raised where a document exceeds a limit; the text says which, *line* where, *template* whether it may be one."""

    def __init__(self, what: str, line: int, *, template: bool = False) -> None:
        super().__init__(what)
        self.line = line
        self.template = template


def parse_yaml(text: str, *, numbers: bool = False) -> Iterator[Parsed]:
    """Yield the documents of *text*; one that cannot be read has an error, and those after it are read.

    With *numbers*, numbers of JSON are numbers, as schemas in a document need them. Documents are separated before they
    are parsed, which the marks `---` and `...` at the start of a line permit.
    """
    for number, (line, document) in enumerate(_separated(text)):
        if number == MOST_DOCUMENTS:
            yield Parsed(line, error=f"it has more than {MOST_DOCUMENTS} documents; those from here on are not read")
            return
        if document.strip():
            yield _parsed(document, line, numbers=numbers)


def _separated(text: str) -> Iterator[tuple[int, str]]:
    """Yield each document with the number of its first line; directives such as `%YAML 1.2` are left out."""
    start, line = 0, 1
    for mark in _BETWEEN.finditer(text):
        document = text[start : mark.start()]
        if not document.lstrip().startswith("%"):
            yield line, document
        line += document.count("\n")
        start = mark.end()
    yield line, text[start:]


def _parsed(document: str, line: int, *, numbers: bool) -> Parsed:
    try:
        return Parsed(line, _Builder(line, numbers).build(document))
    except _Refused as refused:
        return Parsed(refused.line, error=str(refused), template=refused.template and _is_template(document))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = line + (mark.line if mark else 0)
        return Parsed(at, error=f"it is not YAML: {error.problem}", template=_is_template(document))
    except yaml.YAMLError as error:  # a character that YAML does not permit, which has no mark
        return Parsed(line, error=f"it is not YAML: {getattr(error, 'reason', '') or error}")


def _is_template(document: str) -> bool:
    return _TEMPLATE.search(document) is not None


class _Size(NamedTuple):
    """Values, and the characters of their texts, as they are with every alias written out."""

    values: int
    characters: int = 0


@dataclass(slots=True)
class _Container:
    """A mapping or list whose end has not been read; *key* is the key whose value comes next, None before a key.

    *begun* is the size of what stands before it.
    """

    value: Json
    begun: _Size
    anchor: str | None
    key: str | None = None
    merged: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    """Builds the value of one document from the parser's events."""

    line: int
    numbers: bool = False
    root: Json = None
    size: _Size = _Size(0)
    open: list[_Container] = field(default_factory=list)
    anchors: dict[str, tuple[Json, _Size]] = field(default_factory=dict)

    def build(self, document: str) -> Json:
        """Return the document's value; raises YAMLError, and _Refused where it exceeds a limit."""
        parser = Loader(document)
        try:
            while parser.check_event():
                self._add(parser.get_event())
        finally:
            parser.dispose()
        return self.root

    def _add(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                is_key = bool(self.open) and isinstance(self.open[-1].value, Mapping) and self.open[-1].key is None
                value, size = _scalar(event, numbers=self.numbers and not is_key), _Size(1, len(event.value))
                self._count(size, event)
                if event.anchor:
                    self.anchors[event.anchor] = (value, size)
                self._put(value, event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event)
            case yaml.AliasEvent():
                self._alias(event)

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        if len(self.open) == DEEPEST:
            raise _Refused(f"it is nested more than {DEEPEST} levels deep", self._at(event))
        begun = self.size
        self._count(_Size(1), event)
        value: Json = Mapping(self._at(event)) if isinstance(event, yaml.MappingStartEvent) else []
        self.open.append(_Container(value, begun, event.anchor))

    def _close(self, event: yaml.Event) -> None:
        closed = self.open.pop()
        for merged in closed.merged:
            for key in merged.keys() - closed.value.keys():
                closed.value[key] = merged[key]
                closed.value.lines[key] = merged.lines[key]
        if closed.anchor:
            size = _Size(self.size.values - closed.begun.values, self.size.characters - closed.begun.characters)
            self.anchors[closed.anchor] = (closed.value, size)
        self._put(closed.value, event)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self.anchors:
            # Its name is not shown: it may be a password that begins with an asterisk and is not quoted.
            raise _Refused("an alias (`*…`) refers to nothing before it", self._at(event))
        value, size = self.anchors[event.anchor]
        self._count(size, event)
        self._put(value, event)

    def _count(self, added: _Size, event: yaml.Event) -> None:
        self.size = _Size(self.size.values + added.values, self.size.characters + added.characters)
        if self.size.values > MOST_VALUES:
            raise _Refused(f"it has more than {MOST_VALUES} values, aliases expanded", self._at(event))
        if self.size.characters > MOST_CHARACTERS:
            raise _Refused(f"it has more than {MOST_CHARACTERS} characters, aliases expanded", self._at(event))

    def _put(self, value: Json, event: yaml.Event) -> None:
        """Add a complete value to the container that it is in."""
        if not self.open:
            self.root = value
            return
        parent = self.open[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key is None:
            parent.key = _key(value)
            if parent.key is None:  # `{{ .Values.name }}` is a mapping whose key is a mapping
                raise _Refused("it is not YAML: a key is not a text", self._at(event), template=True)
            parent.value.lines[parent.key] = self._at(event)
        else:
            self._put_member(parent, parent.key, value)
            parent.key = None

    def _put_member(self, parent: _Container, key: str, value: Json) -> None:
        if key != "<<":
            parent.value[key] = value
            return
        parent.merged += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, Mapping)]

    def _at(self, event: yaml.Event) -> int:
        return self.line + (event.start_mark.line if event.start_mark else 0)


def _scalar(event: yaml.ScalarEvent, *, numbers: bool) -> str | float | bool | None:
    if event.tag is not None and event.tag.startswith("!") and event.tag != "!":
        return event.value if "${" in event.value else f"${{{event.value}}}"  # the argument of a function
    if not event.implicit[0]:  # quoted, or with a tag of YAML itself
        return str(event.value)
    if numbers and _NUMBER.fullmatch(event.value):
        return int(event.value) if event.value.lstrip("-").isdecimal() else float(event.value)
    return None if event.value in _NULLS else _BOOLEANS.get(event.value, event.value)


def _key(value: Json) -> str | None:
    match value:
        case str():
            return value
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case _:
            return None
