"""All that applies at one place of a JSON Schema: `$ref` followed, `allOf` and conditions laid side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from scanner_extractor.formats.json_schema_refs import Located, References, Schema

Parts = tuple[Located, ...]
"""Schemas that all apply to one value."""

Complaint = tuple[str, str]
"""What is wrong, and a hint."""

DEEPEST_MERGE = 64
"""How many `$ref`, `allOf` and conditions may lie inside each other at one place."""

_ANNOTATIONS = ("title", "description", "default", "confluent:tags", "connect.index")
_CONDITIONS = ("if", "then", "else")
_DEPENDENT = ("dependentSchemas", "dependencies")
_CHOICES = ("oneOf", "anyOf")
_FOLLOWED = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", *_CONDITIONS, *_DEPENDENT, *_CHOICES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A `oneOf` or `anyOf`: the value is as one of the *options* says; *owner* tells choices of one run apart.

    *same*: the options describe one property as several branches know it, so if all are objects they are one object.
    *inside* are the identities of the schemas that the choice is a part of.
    """

    owner: int
    options: tuple[Parts, ...]
    same: bool = False
    inside: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What applies at one place: *solid* always, *extra* for some values.

    *references* are (identity of the target, text of the reference). *possible*: False where the schema `false` is
    among them, so that no value can stand here. *effort*: how many schemas were looked at.
    """

    solid: Parts
    extra: Parts
    choices: tuple[Choice, ...]
    references: tuple[tuple[int, str], ...]
    complaints: tuple[Complaint, ...]
    possible: bool
    effort: int = 0


def merge(parts: Parts, references: References) -> Merged:
    """Lay side by side what *parts* and everything that they refer to say."""
    merging = _Merging(references)
    for part in parts:
        merging.start(part)
    return merging.merged()


class _Merging:
    def __init__(self, references: References) -> None:
        self._references = references
        self._solid: list[Located] = []
        self._extra: list[Located] = []
        self._choices: list[Choice] = []
        self._followed: list[tuple[int, str]] = []
        self._seen: set[tuple[int, bool]] = set()
        self._complaints: list[Complaint] = []
        self._possible = True
        self._effort = 0
        self._entered: frozenset[int] = frozenset()

    def merged(self) -> Merged:
        return Merged(
            solid=tuple(self._solid),
            extra=tuple(self._extra),
            choices=tuple(self._choices),
            references=tuple(self._followed),
            complaints=tuple(self._complaints),
            possible=self._possible,
            effort=self._effort,
        )

    def start(self, part: Located) -> None:
        """Add one of the parts of the place that is merged, and everything that it refers to."""
        # Where a part of a text was listed says nothing here: the same part stands in other places too.
        self._entered = (part.inside if part.made else frozenset()) | {identity for identity, _ in part.via}
        self.add(part, ())

    def add(self, place: Located, within: tuple[int, ...]) -> None:
        """Add what stands at *place*; *within* are the schemas that led here, to notice a loop."""
        schema = place.schema
        self._effort += 1
        self._followed.extend(place.via)
        if not isinstance(schema, dict):
            self._add_plain(place)
        elif len(within) > DEEPEST_MERGE:
            self._complain("a schema is put together of too many others", f"read {DEEPEST_MERGE} levels deep")
        elif self._is_new(place):
            # The identity of a schema that we made may be that of another one later.
            self._add_schema(place, within if place.made else (*within, id(schema)))

    def _is_new(self, place: Located) -> bool:
        if place.made:
            return True
        if {(id(place.schema), False), (id(place.schema), place.extra)} & self._seen:
            return False
        self._seen.add((id(place.schema), place.extra))
        return True

    def _add_plain(self, place: Located) -> None:
        if place.schema is False:
            self._possible = self._possible and place.extra
        elif place.schema is not True:
            self._complain("a schema is neither an object nor true or false", f"found {type(place.schema).__name__}")

    def _add_schema(self, place: Located, within: tuple[int, ...]) -> None:
        kept = replace(place, schema=_own(place), inside=self._entered.union(within))
        (self._extra if place.extra else self._solid).append(kept)
        self._follow(place, within)
        if _stands_alone(place):
            return
        for part in _listed(place.schema.get("allOf")):
            self.add(self._child(part, place), within)
        for part in _conditional(place.schema):
            self.add(_as_extra(self._child(part, place)), within)
        self._choose(place, within)

    def _follow(self, place: Located, within: tuple[int, ...]) -> None:
        ways = (
            ("$ref", self._references.follow),
            ("$dynamicRef", self._references.follow_dynamic),
            ("$recursiveRef", self._references.follow_recursive),
        )
        for keyword, way in ways:
            reference = place.schema.get(keyword)
            if isinstance(reference, str):
                self._refer(reference, way(reference, place), place, within)

    def _refer(self, text: str, target: Located | None, place: Located, within: tuple[int, ...]) -> None:
        if target is None:
            hint = "nothing is fetched: register the schema that it names as a reference of this one"
            self._complain(f"the reference {text!r} leads nowhere", hint)
        elif id(target.schema) in within:
            if not place.extra:
                self._complain(f"the reference {text!r} leads back to itself", "such a loop describes nothing")
        else:
            if isinstance(target.schema, dict):
                self._followed.append((id(target.schema), text))
            self.add(_as_extra(target) if place.extra else target, within)

    def _choose(self, place: Located, within: tuple[int, ...]) -> None:
        groups = [(id(place), list(place.options), place.same)]
        for keyword in _CHOICES:
            branches = _listed(place.schema.get(keyword))
            groups.append((id(branches), [self._child(branch, place) for branch in branches], False))
        for owner, branches, same in groups:
            if place.extra:
                for branch in branches:
                    self.add(_as_extra(branch), within)
            elif branches:
                options = tuple((branch,) for branch in branches)
                inside = self._entered.union(within)
                self._choices.append(Choice(owner=owner, options=options, same=same, inside=inside))

    def _child(self, schema: Schema, place: Located) -> Located:
        child = self._references.child(schema, place)
        return _as_extra(child) if place.extra else child

    def _complain(self, what: str, hint: str) -> None:
        self._complaints.append((what, hint))


def _as_extra(place: Located) -> Located:
    return place if place.extra else replace(place, extra=True)


def _stands_alone(place: Located) -> bool:
    """Tell whether a `$ref` at *place* is all that counts, as until draft 7; annotations are read all the same."""
    return isinstance(place.schema.get("$ref"), str) and not place.resource.dialect.modern


def _own(place: Located) -> dict[str, Any]:
    schema: dict[str, Any] = place.schema
    if _stands_alone(place):
        return {key: schema[key] for key in _ANNOTATIONS if key in schema}
    if not _FOLLOWED & schema.keys():
        return schema
    return {key: value for key, value in schema.items() if key not in _FOLLOWED}


def _conditional(schema: dict[str, Any]) -> Iterator[Any]:
    for keyword in _CONDITIONS if "if" in schema else ():
        if isinstance(schema.get(keyword), dict):
            yield schema[keyword]
    for keyword in _DEPENDENT:
        if isinstance(schema.get(keyword), dict):
            yield from (value for value in schema[keyword].values() if isinstance(value, dict))


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
