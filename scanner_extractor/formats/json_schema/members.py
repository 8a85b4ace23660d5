"""Members of a JSON Schema's objects and arrays (properties, map values, elements, tuple items), and union branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import unquote

from scanner_extractor.formats.json_schema.allof import Merged, Parts
from scanner_extractor.formats.json_schema.references import Located, References, Schema
from scanner_extractor.formats.json_schema.types import ANY, NULL, claim, compatible

_Name = TypeVar("_Name", str, int)

_ANNOTATIONS = ("title", "description", "default", "confluent:tags")
_INNER = (
    "additionalItems",
    "additionalProperties",
    "connect.type",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A property of an object: its name, its subschemas, and whether it is always present."""

    name: str
    parts: Parts
    required: bool


class Inside:
    """Lists the members of one merged position, in document order (Connect's own order where it wrote one)."""

    def __init__(self, merged: Merged, references: References) -> None:
        self._references = references
        self._solid = merged.solid
        self._extra = merged.extra

    def members(self) -> tuple[Member, ...]:
        """List the properties; one that only a branch or a condition describes is optional."""
        solid, extra = _by_name(self._solid, self._properties), _by_name(self._extra_of("object"), self._properties)
        required = {name for subschema in self._solid for name in _texts(subschema.schema.get("required"))}
        members = [
            Member(name=name, parts=layered(solid.get(name, []), extra.get(name, [])), required=name in required)
            for name in solid | extra
        ]
        return tuple(sorted(members, key=_connect_index))

    def value(self) -> Parts:
        """Return the subschemas of unlisted properties; several patterns may apply."""
        solid = [value for subschema in self._solid for value in self._values(subschema)]
        return layered(solid, [value for subschema in self._extra_of("object") for value in self._values(subschema)])

    def element(self) -> Parts:
        """Return what an array's elements are, after those of a tuple."""
        solid = [rest for subschema in self._solid for rest in self._rest(subschema)]
        return layered(solid, [rest for subschema in self._extra_of("array") for rest in self._rest(subschema)])

    def tuple_elements(self) -> tuple[tuple[int, Parts], ...]:
        """List what applies to each item of a tuple, with its index."""
        solid, extra = _by_name(self._solid, self._elements), _by_name(self._extra_of("array"), self._elements)
        return tuple((at, layered(solid.get(at, []), extra.get(at, []))) for at in sorted(solid | extra))

    def any_solid(self) -> bool:
        """Return whether there are members whatever branch a value is of."""
        return any(map(self.lists, self._solid))

    def lists(self, subschema: Located) -> bool:
        """Return whether *subschema* itself lists properties, values or elements."""
        listed = (self._properties, self._values, self._rest, self._elements)
        return any(True for inner in listed for _ in inner(subschema))

    def bare(self) -> Parts:
        """Return the same without names, words and choices: what also holds for a branch of the place's own union."""
        remaining = (
            replace(
                subschema,
                schema={key: subschema.schema[key] for key in _INNER if key in subschema.schema},
                made=True,
                via=(),
            )
            for subschema in (*self._solid, *self._extra)
        )
        return tuple(subschema for subschema in remaining if subschema.schema)

    def _child(self, schema: Schema, subschema: Located) -> Located:
        """Locate a property, element or value of *subschema*, inside everything that *subschema* is part of."""
        return replace(self._references.child(schema, subschema), inside=subschema.inside)

    def _extra_of(self, word: str) -> Parts:
        claims = ((subschema, claim(subschema.schema)) for subschema in self._extra)
        return tuple(subschema for subschema, stated in claims if not stated or compatible(stated.types, (word,)))

    def _properties(self, subschema: Located) -> Iterator[tuple[str, Located]]:
        for name, schema in _dict(subschema.schema.get("properties")).items():
            if schema is not False:
                yield name, self._child(schema, subschema)

    def _values(self, subschema: Located) -> Iterator[Located]:
        rest = subschema.schema.get("additionalProperties", subschema.schema.get("unevaluatedProperties"))
        schemas = list(_dict(subschema.schema.get("patternProperties")).values())
        schemas += [rest] if isinstance(rest, dict) else []
        values = [self._child(schema, subschema) for schema in schemas if schema is not False]
        yield from one_of(values, same=False)

    def _rest(self, subschema: Located) -> Iterator[Located]:
        items, prefix = subschema.schema.get("items"), subschema.schema.get("prefixItems")
        rest = subschema.schema.get("additionalItems") if isinstance(items, list) else items
        rest = subschema.schema.get("unevaluatedItems") if rest is None else rest
        is_tuple = isinstance(items, list) or isinstance(prefix, list)
        if isinstance(rest, dict) or (rest is True and not is_tuple):
            yield self._child(rest, subschema)

    def _elements(self, subschema: Located) -> Iterator[tuple[int, Located]]:
        items, prefix = subschema.schema.get("items"), subschema.schema.get("prefixItems")
        schemas = items if isinstance(items, list) else prefix if isinstance(prefix, list) else []
        for index, schema in enumerate(schemas):
            if schema is not False:
                yield index, self._child(schema, subschema)


def layered(solid: list[Located], extra: list[Located]) -> Parts:
    """Combine what always holds with what holds for some values; where nothing does, it is one of them."""
    if solid:
        return (*solid, *(replace(subschema, extra=True) for subschema in extra))
    return tuple(one_of([replace(subschema, extra=False) for subschema in extra], same=True))


def one_of(subschemas: list[Located], *, same: bool) -> Iterator[Located]:
    """Build one place of several that describe it differently: it matches any of them (*same*: see Choice)."""
    distinct = list({id(subschema.schema): subschema for subschema in subschemas}.values())
    if len(distinct) < 2:
        yield from distinct
        return
    words = next((words for subschema in distinct if (words := _annotations(subschema.schema))), {})
    inside = entered(distinct)
    yield replace(distinct[0], schema=words, options=tuple(distinct), same=same, made=True, inside=inside)


def entered(subschemas: Iterable[Located]) -> frozenset[int]:
    """Return the identities of all schemas that *subschemas* stand inside of."""
    return frozenset[int]().union(*(subschema.inside for subschema in subschemas))


def _annotations(schema: Schema) -> dict[str, Any]:
    return {key: schema[key] for key in _ANNOTATIONS if key in schema} if isinstance(schema, dict) else {}


def _by_name(
    subschemas: Parts, listed: Callable[[Located], Iterator[tuple[_Name, Located]]]
) -> dict[_Name, list[Located]]:
    by_name: dict[_Name, list[Located]] = {}
    for subschema in subschemas:
        for name, child in listed(subschema):
            by_name.setdefault(name, []).append(child)
    return by_name


def _connect_index(member: Member) -> tuple[bool, int]:
    indexes = (
        subschema.schema.get("connect.index") for subschema in member.parts if isinstance(subschema.schema, dict)
    )
    index = next((index for index in indexes if type(index) is int), None)
    return (index is None, index or 0)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


_OBJECTS = frozenset({"map", "object"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A branch: its schemas, its types (several where it is a plain union), and whether there is nothing inside it.

    *reference* is the text of the `$ref` that leads to it, empty without; *title* may be empty.
    """

    parts: Parts
    words: tuple[str, ...]
    plain: bool
    null: bool = False
    logical_type: str | None = None
    title: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Types of the schema that holds the choice: *types* stated (empty: none), *word* also where implied."""

    types: tuple[str, ...]
    word: str
    has_inside: bool

    def covers(self, option: Option) -> bool:
        """Return whether *option* adds nothing: constraints such as `required`, or a type that is stated already."""
        if not option.plain:
            return False
        if self.types:
            return all(word == ANY or compatible((word,), self.types) for word in option.words)
        return self.has_inside and option.words in ((ANY,), (self.word,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a choice comes to. At most one of *solid*, *extra* and *branches* is there; all empty: it adds nothing.

    *solid*: there is no choice, these apply. *extra*: these apply to some values. *branches*: a union of these, of
    which no two are the same; *logical_type* is what refines all of them alike.
    """

    null: bool = False
    solid: Parts = ()
    extra: Parts = ()
    branches: tuple[Option, ...] = ()
    logical_type: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """List the types of a union that has only plain branches; empty for any other."""
        plain = all(option.plain for option in self.branches)
        return tuple(dict.fromkeys(word for option in self.branches for word in option.words)) if plain else ()


def decide(own: Own, options: Sequence[Option], *, same: bool = False) -> Outcome:
    """Decide what a choice among *options* comes to (*same*: if all are objects they are one object)."""
    null = any(option.null for option in options)
    real = [option for option in options if option.words != (NULL,)]
    if own.types:
        real = [option for option in real if compatible(option.words, own.types)]
    loud = [option for option in real if not own.covers(option)]
    parts = tuple(part for option in loud for part in option.parts)
    if _is_one(own, loud, same=same) or (len(loud) == 1 < len(real)):
        return Outcome(null=null, extra=parts)
    if len(loud) < 2:
        return Outcome(null=null, solid=parts)
    kinds = {option.logical_type for option in loud}
    return Outcome(null=null, branches=_distinct(loud), logical_type=kinds.pop() if len(kinds) == 1 else None)


def are_one_object(unions: Sequence[Outcome]) -> bool:
    """Return whether several unions that all apply are of objects only, so that together they describe one object."""
    options = (option for outcome in unions for option in outcome.branches)
    return len(unions) > 1 and all(set(option.words) <= _OBJECTS for option in options)


def as_extra(union: Outcome) -> Outcome:
    """Return the branches of a union as what applies to some values of one object."""
    return Outcome(extra=tuple(part for option in union.branches for part in option.parts))


def branch_names(options: Sequence[Option]) -> list[str]:
    """Name each branch by its title, else its type; those that collide by what their `$ref` names, else by number."""
    names = [option.title or (option.words[0] if len(option.words) == 1 else "union") for option in options]
    count = Counter(names)
    wanted = [
        (_last_name(option.reference) or name) if count[name] > 1 else name
        for name, option in zip(names, options, strict=True)
    ]
    taken: set[str] = set()
    last: Counter[str] = Counter()
    return [_free(name, taken, last) for name in wanted]


def _is_one(own: Own, options: Sequence[Option], *, same: bool) -> bool:
    words = {word for option in options for word in option.words}
    if own.has_inside and (words == {own.word} or (own.word in _OBJECTS and words <= _OBJECTS)):
        return bool(options)
    return same and len(options) > 1 and words <= _OBJECTS


def _distinct(options: Sequence[Option]) -> tuple[Option, ...]:
    """Keep one of branches that no name could distinguish: plain ones of the same type, and the same schema twice."""
    unique: dict[object, Option] = {}
    for option in options:
        same = (option.words, option.title) if option.plain else tuple(id(part.schema) for part in option.parts)
        unique.setdefault(same, option)
    return tuple(unique.values())


def _last_name(reference: str) -> str:
    address, _, fragment = reference.partition("#")
    last = (fragment or address).rpartition("/")[2]
    return unquote(last).replace("~1", "/").replace("~0", "~")


def _free(name: str, taken: set[str], last: Counter[str]) -> str:
    """Return *name*, with the next number after the *last* one of this name where it is taken."""
    free, number = name, max(last[name], 1)
    while free in taken:
        number += 1
        free = f"{name} {number}"
    taken.add(free)
    last[name] = number
    return free
