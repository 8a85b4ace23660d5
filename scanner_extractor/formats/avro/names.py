"""Resolve Avro's named types across a schema and its references."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from scanner_extractor.formats.limits import LONGEST_NAME, read_json
from scanner_model.columns import Lookup
from scanner_model.errors import InputInvalid, Problem

Attributes = Mapping[str, object]

PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
NAMED = ("record", "error", "enum", "fixed")
"""The words that define a named type."""


class NamedType(NamedTuple):
    """A definition, its full name (empty where it has none) and the namespace that names inside it are read in."""

    name: str
    namespace: str
    definition: Attributes


class NamedTypes:
    """The named types of a text and of the texts that it refers to, which are loaded on demand.

    A name may be used before it is defined. Where a name is defined twice the first definition stands.
    """

    def __init__(self, root: object, lookup: Lookup, namespace: str = "") -> None:
        self.problems: list[Problem] = []
        self._lookup = lookup
        self._known: dict[str, NamedType] = {}
        self._requested_names: set[str] = set()
        for named in definitions(root, namespace):
            if named.name in self._known:
                hint = "its first definition is used everywhere"
                self.problems.append(Problem(named.name, "a named type is defined twice", hint))
            self._known.setdefault(named.name, named)
        self._own = frozenset(self._known)
        self._load(_included(root))

    def defined(self, definition: Attributes, namespace: str) -> NamedType:
        """Return the type that *definition*, met in *namespace*, stands for."""
        named = _named(definition, namespace)
        return self._known.get(named.name, named)

    def find(self, name: str, namespace: str) -> NamedType | None:
        """Return the type that *name* means in *namespace*, else without namespace; None where it is undefined."""
        qualified = name if "." in name or not namespace else f"{namespace}.{name}"
        names = dict.fromkeys((qualified.removeprefix("."), name.removeprefix("."), name))
        named = self._first(names)
        if not named:
            self._load(names)
            named = self._first(names)
        return named

    def foreign(self) -> Iterator[str]:
        """List the full names that came from other texts, sorted."""
        yield from sorted(self._known.keys() - self._own)

    def _first(self, names: Mapping[str, None]) -> NamedType | None:
        return next((self._known[name] for name in names if name in self._known), None)

    def _load(self, names: Mapping[str, None]) -> None:
        waiting = deque(names)
        while waiting:
            name = waiting.popleft()
            if name in self._requested_names:
                continue
            self._requested_names.add(name)
            text = self._lookup(name)
            if text is not None:
                waiting.extend(self._define(name, text))

    def _define(self, reference: str, text: str) -> Mapping[str, None]:
        """Add the definitions of the *text* behind a *reference*, and return the names that it includes in turn."""
        try:
            root = read_json(text)
            defined = list(definitions(root))
        except InputInvalid as error:
            self.problems.append(
                Problem(f"{reference} {error.where}".rstrip(), error.what, "fix the referenced schema")
            )
            return {}
        for named in defined:
            known = self._known.setdefault(named.name, named)
            if not _are_equal(known.definition, named.definition):
                hint = "the first of them is used everywhere"
                self.problems.append(Problem(named.name, "two schemas define this type differently", hint))
        return _included(root)


@lru_cache(maxsize=256)
def defined_names(text: str) -> tuple[str, ...]:
    """Return the full names of the types that an Avro text defines; none where it cannot be read."""
    try:
        return tuple(named.name for named in definitions(read_json(text)))
    except InputInvalid:
        return ()


def definitions(root: object, namespace: str = "") -> Iterator[NamedType]:
    """List the named types that a schema defines, in document order; no recursion, however deep it is."""
    waiting: list[tuple[object, str]] = [(root, namespace)]
    while waiting:
        schema, namespace = waiting.pop()
        if isinstance(schema, dict) and schema.get("type") in NAMED:
            named = _named(schema, namespace)
            namespace = named.namespace
            if named.name:
                yield named
        for inner in reversed(_inside(schema)):
            if isinstance(inner, dict | list):
                waiting.append((inner, namespace))


def _inside(schema: object) -> list[object]:
    if isinstance(schema, list):
        return schema
    if not isinstance(schema, dict):
        return []
    word = schema.get("type")
    if word in ("record", "error"):
        return [field.get("type") for field in listed(schema, "fields") if isinstance(field, dict)]
    return [schema.get("items") if word == "array" else schema.get("values") if word == "map" else word]


def listed(attributes: Attributes, key: str) -> list[object]:
    """Return the list under *key*; empty if absent, or something else."""
    value = attributes.get(key)
    return value if isinstance(value, list) else []


def worded(attributes: Attributes, key: str) -> str:
    """Return the text under *key*; empty if absent, or something else."""
    value = attributes.get(key)
    return value if isinstance(value, str) else ""


def _named(definition: Attributes, enclosing: str) -> NamedType:
    """Read a definition's name by the Avro specification (section Names): a dotted name ignores `namespace`."""
    name = worded(definition, "name")
    if "." in name:
        namespace = name.rpartition(".")[0]
    else:
        own = definition.get("namespace")
        namespace = own if isinstance(own, str) else enclosing
    simple = name.rpartition(".")[2]
    if len(namespace) + len(simple) > LONGEST_NAME:
        hint = "the text is stored without columns"
        raise InputInvalid(f"a type's name is longer than {LONGEST_NAME} characters", where="$", hint=hint)
    return NamedType(f"{namespace}.{simple}" if namespace and simple else simple, namespace, definition)


def _included(root: object) -> dict[str, None]:
    """Return the names under `includeSchemas`, which are other schemas of the registry."""
    includes = listed(root, "includeSchemas") if isinstance(root, dict) else []
    names = [worded(include, "name") for include in includes if isinstance(include, dict)]
    return dict.fromkeys(name for name in names if name)


def _are_equal(first: Attributes, second: Attributes) -> bool:
    try:
        return first is second or first == second
    except RecursionError:
        return False
