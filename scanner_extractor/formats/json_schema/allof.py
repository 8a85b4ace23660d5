"""Merge all subschemas that apply at one position: `$ref`, `allOf` and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from scanner_extractor.formats.json_schema.references import Located, References, Schema

Parts = tuple[Located, ...]
"""Schemas that all apply to one value."""

MergeProblem = tuple[str, str]
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
    """A `oneOf` or `anyOf`: the value matches one of the *options*; *owner* identifies the choice within one run.

    *same*: the options describe one property as several branches know it, so if all are objects they are one object.
    *inside* are the identities of the schemas that the choice is a part of.
    """

    owner: int
    options: tuple[Parts, ...]
    same: bool = False
    inside: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The subschemas that apply at one position: *solid* always, *extra* for some values.

    *references* are (identity of the target, text of the reference). *possible*: False where the schema `false` is
    among them, so that no value can stand here. *effort*: how many schemas were looked at.
    """

    solid: Parts
    extra: Parts
    choices: tuple[Choice, ...]
    references: tuple[tuple[int, str], ...]
    problems: tuple[MergeProblem, ...]
    possible: bool
    effort: int = 0


def merge(parts: Parts, references: References) -> Merged:
    """Merge *parts* and everything that they refer to."""
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
        self._problems: list[MergeProblem] = []
        self._possible = True
        self._effort = 0
        self._entered: frozenset[int] = frozenset()

    def merged(self) -> Merged:
        return Merged(
            solid=tuple(self._solid),
            extra=tuple(self._extra),
            choices=tuple(self._choices),
            references=tuple(self._followed),
            problems=tuple(self._problems),
            possible=self._possible,
            effort=self._effort,
        )

    def start(self, part: Located) -> None:
        """Add one of the parts of the place that is merged, and everything that it refers to."""
        # The position of a part does not matter: the same part occurs at other positions too.
        self._entered = (part.inside if part.made else frozenset()) | {identity for identity, _ in part.via}
        self.add(part, ())

    def add(self, subschema: Located, within: tuple[int, ...]) -> None:
        """Add what stands at *subschema*; *within* are the schemas that led here, to notice a loop."""
        schema = subschema.schema
        self._effort += 1
        self._followed.extend(subschema.via)
        if not isinstance(schema, dict):
            self._add_plain(subschema)
        elif len(within) > DEEPEST_MERGE:
            self._report("a schema combines too many others", f"read {DEEPEST_MERGE} levels deep")
        elif self._is_new(subschema):
            # The identity of a schema that we made may be that of another one later.
            self._add_schema(subschema, within if subschema.made else (*within, id(schema)))

    def _is_new(self, subschema: Located) -> bool:
        if subschema.made:
            return True
        if {(id(subschema.schema), False), (id(subschema.schema), subschema.extra)} & self._seen:
            return False
        self._seen.add((id(subschema.schema), subschema.extra))
        return True

    def _add_plain(self, subschema: Located) -> None:
        if subschema.schema is False:
            self._possible = self._possible and subschema.extra
        elif subschema.schema is not True:
            self._report("a schema is neither an object nor true or false", f"found {type(subschema.schema).__name__}")

    def _add_schema(self, subschema: Located, within: tuple[int, ...]) -> None:
        resolved = replace(subschema, schema=_own(subschema), inside=self._entered.union(within))
        (self._extra if subschema.extra else self._solid).append(resolved)
        self._follow(subschema, within)
        if _stands_alone(subschema):
            return
        for part in _listed(subschema.schema.get("allOf")):
            self.add(self._child(part, subschema), within)
        for part in _conditional(subschema.schema):
            self.add(_as_extra(self._child(part, subschema)), within)
        self._choose(subschema, within)

    def _follow(self, subschema: Located, within: tuple[int, ...]) -> None:
        resolvers = (
            ("$ref", self._references.follow),
            ("$dynamicRef", self._references.follow_dynamic),
            ("$recursiveRef", self._references.follow_recursive),
        )
        for keyword, resolve in resolvers:
            reference = subschema.schema.get(keyword)
            if isinstance(reference, str):
                self._refer(reference, resolve(reference, subschema), subschema, within)

    def _refer(self, text: str, target: Located | None, subschema: Located, within: tuple[int, ...]) -> None:
        if target is None:
            hint = "nothing is fetched: register the referenced schema as a reference of this schema"
            self._report(f"the reference {text!r} cannot be resolved", hint)
        elif id(target.schema) in within:
            if not subschema.extra:
                self._report(f"the reference {text!r} leads back to itself", "such a loop has no meaning")
        else:
            if isinstance(target.schema, dict):
                self._followed.append((id(target.schema), text))
            self.add(_as_extra(target) if subschema.extra else target, within)

    def _choose(self, subschema: Located, within: tuple[int, ...]) -> None:
        groups = [(id(subschema), list(subschema.options), subschema.same)]
        for keyword in _CHOICES:
            branches = _listed(subschema.schema.get(keyword))
            groups.append((id(branches), [self._child(branch, subschema) for branch in branches], False))
        for owner, branches, same in groups:
            if subschema.extra:
                for branch in branches:
                    self.add(_as_extra(branch), within)
            elif branches:
                options = tuple((branch,) for branch in branches)
                inside = self._entered.union(within)
                self._choices.append(Choice(owner=owner, options=options, same=same, inside=inside))

    def _child(self, schema: Schema, subschema: Located) -> Located:
        child = self._references.child(schema, subschema)
        return _as_extra(child) if subschema.extra else child

    def _report(self, what: str, hint: str) -> None:
        self._problems.append((what, hint))


def _as_extra(subschema: Located) -> Located:
    return subschema if subschema.extra else replace(subschema, extra=True)


def _stands_alone(subschema: Located) -> bool:
    """Return whether a `$ref` at *subschema* is all that counts, as until draft 7.

    Annotations are read all the same.
    """
    return isinstance(subschema.schema.get("$ref"), str) and not subschema.resource.dialect.modern


def _own(subschema: Located) -> dict[str, Any]:
    schema: dict[str, Any] = subschema.schema
    if _stands_alone(subschema):
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
