"""Compute the shape of a value at one position of a JSON Schema. Recursion is not cut here."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from scanner_extractor.formats.json_schema.allof import Choice, Merged, MergeProblem, Parts, merge
from scanner_extractor.formats.json_schema.members import (
    Inside,
    Option,
    Outcome,
    Own,
    are_one_object,
    as_extra,
    branch_names,
    decide,
)
from scanner_extractor.formats.json_schema.model import WITH_INSIDE, Branch, Shape, described
from scanner_extractor.formats.json_schema.references import Located, References
from scanner_extractor.formats.json_schema.types import ANY, NULL, claim, implied_type, narrowed

DEEPEST_CHOICE = 24
"""How many `oneOf` and `anyOf` may lie inside each other at one place."""

MOST_EFFORT = 100_000
"""How often schemas are looked at before choices are no longer looked into; the largest published ones need 1500."""


_TOO_DEEP = ("choices are nested too deeply", "some branches were not read")

_NOWHERE: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """A position whose choices are resolved."""

    merged: Merged
    union: Outcome
    nullable: bool
    problems: tuple[MergeProblem, ...] = ()


class Shapes:
    """Reads shapes and remembers them: a large schema refers to the same few definitions again and again."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._known: dict[object, tuple[Parts, Shape]] = {}
        self._provisional: dict[object, tuple[Parts, Shape]] = {}
        self._merged: dict[object, tuple[Parts, Merged]] = {}
        self._open: list[int] = []
        self._cut = 0
        self._effort = 0

    @property
    def exhausted(self) -> bool:
        """Return whether so much was looked at, even without choices, that nothing deeper should be."""
        return self._effort > 2 * MOST_EFFORT

    def of(self, parts: Parts) -> Shape:
        """Read the shape of the value that all of *parts* describe."""
        parts = tuple(map(self._target, parts))
        key = tuple(map(_key, parts))
        known = self._known.get(key) or self._provisional.get(key)
        if known:
            return known[1]
        cut = self._cut
        shape = self._read(self._merge(parts))
        # What was read inside a choice that leads back to itself lacks that branch: true there, and not elsewhere.
        # The parts are kept with the shape so that no other schema can get their identities.
        cache = self._provisional if self._open and self._cut > cut else self._known
        cache[key] = (parts, shape)
        if not self._open:
            self._provisional.clear()
        return shape

    def _target(self, part: Located) -> Located:
        """Return what *part* refers to where it does nothing else, so that each use of a definition is the same."""
        reference = part.schema.get("$ref") if isinstance(part.schema, dict) and len(part.schema) == 1 else None
        target = self._references.follow(reference, part) if isinstance(reference, str) else None
        if target is None or not isinstance(target.schema, dict):
            return part
        return replace(target, extra=part.extra, via=(*part.via, (id(target.schema), str(reference))))

    def _merge(self, parts: Parts) -> Merged:
        parts = tuple(map(self._target, parts))
        key = tuple(map(_key, parts))
        if key not in self._merged:
            merged = merge(parts, self._references)
            self._merged[key] = (parts, merged)
            self._effort += merged.effort
        return self._merged[key][1]

    def _read(self, merged: Merged) -> Shape:
        if not merged.possible or any(choice.owner in self._open for choice in merged.choices):
            self._cut += merged.possible
            return Shape(possible=False, problems=merged.problems)
        settled = self._settled(merged)
        shape = self._typed(settled)
        final = settled.merged
        return replace(
            described(shape, (*final.solid, *final.extra)),
            nullable=settled.nullable or shape.type == NULL or (shape.type == ANY and shape.plain),
            references=final.references,
            problems=tuple(dict.fromkeys((*final.problems, *settled.problems))),
        )

    def _settled(self, merged: Merged) -> _Settled:
        if not merged.choices:
            return _Settled(merged=merged, union=Outcome(), nullable=_nullable(merged, []))
        growing = _Growing(merged, self._references)
        unions: list[tuple[Outcome, frozenset[int]]] = []
        nulls: list[bool] = []
        problems: list[MergeProblem] = []
        pending, handled = deque(enumerate(merged.choices)), set[int]()
        while pending:
            number, choice = pending.popleft()
            if choice.owner in handled:
                continue
            handled.add(choice.owner)
            outcome = decide(growing.own(), self._options(choice, problems), same=choice.same)
            unions += [(outcome, choice.inside)] if outcome.branches else []
            if number < len(merged.choices):
                nulls.append(outcome.null)
            added = self._with(growing, outcome, choice.inside)
            pending.extend(enumerate(added, len(merged.choices)))
        union = self._joined(growing, unions)
        nullable = _nullable(merged, nulls)
        return _Settled(merged=growing.merged(), union=union, nullable=nullable, problems=tuple(problems))

    def _joined(self, growing: _Growing, unions: Sequence[tuple[Outcome, frozenset[int]]]) -> Outcome:
        """Return the one of several unions that stands; unions of objects become parts of one object instead."""
        if not are_one_object([union for union, _ in unions]):
            return unions[0][0] if unions else Outcome()
        for union, inside in unions:
            self._with(growing, as_extra(union), inside)
        return Outcome()

    def _with(self, growing: _Growing, outcome: Outcome, inside: frozenset[int]) -> Iterable[Choice]:
        parts = outcome.solid or tuple(replace(part, extra=True) for part in outcome.extra)
        return growing.add(self._merge(parts), inside) if parts else ()

    def _options(self, choice: Choice, problems: list[MergeProblem]) -> list[Option]:
        if len(self._open) >= DEEPEST_CHOICE:
            problems.append(_TOO_DEEP)
            return []
        with self._opened(choice.owner):
            branches = list(self._expanded(choice, problems))
            problems += [problem for parts in branches for problem in self.of(parts).problems]
            return [option for parts in branches for option in self._branch_options(parts)]

    def _expanded(self, choice: Choice, problems: list[MergeProblem]) -> Iterator[Parts]:
        """List the branches of *choice*; one that is nothing but a choice itself gives its branches, once."""
        waiting = deque((parts, _NOWHERE) for parts in choice.options)
        seen = {choice.owner}
        while waiting:
            parts, via = waiting.popleft()
            if self._effort > MOST_EFFORT:
                problems.append(_TOO_DEEP)
                return
            merged = self._merge(parts)
            inner = self._mere_choice(merged)
            if inner is None:
                yield _via(via, parts)
            elif inner.owner not in seen:
                seen.add(inner.owner)
                problems.extend(merged.problems)
                via = (*via, *merged.references)
                waiting.extendleft((option, via) for option in reversed(inner.options))

    def _mere_choice(self, merged: Merged) -> Choice | None:
        if len(merged.choices) != 1 or not merged.possible or merged.extra:
            return None
        is_typed = any(claim(subschema.schema) or implied_type(subschema.schema) for subschema in merged.solid)
        return None if is_typed else merged.choices[0]

    def _branch_options(self, parts: Parts) -> list[Option]:
        shape = self.of(parts)
        inner = [(_via(shape.references, branch.parts), self.of(branch.parts)) for branch in shape.branches]
        if not shape.possible:
            return []
        if not inner or any(nested.branches for _, nested in inner):
            return [_option(parts, shape)]
        null = [Option(parts=(), words=(NULL,), plain=True, null=True)] if shape.nullable else []
        return [*null, *(_option(*option) for option in inner)]

    @contextmanager
    def _opened(self, owner: int) -> Iterator[None]:
        self._open.append(owner)
        try:
            yield
        finally:
            self._open.pop()

    def _typed(self, settled: _Settled) -> Shape:
        merged, union = settled.merged, settled.union
        inside = Inside(merged, self._references)
        if union.branches and not union.words:
            own = inside.bare() if inside.any_solid() else ()
            enclosing = frozenset[int]().union(*(choice.inside for choice in merged.choices))
            return Shape(type="union", branches=_branches(union.branches, own, enclosing))
        claims = [stated for subschema in merged.solid if (stated := claim(subschema.schema))]
        types = _stated(merged.solid) or union.words or _extra_types(merged)
        if len(types) > 1:
            return self._mixed(types, inside)
        if not types:
            return Shape(type=NULL if claims else ANY)
        shape = self._single(types[0], merged, inside)
        return replace(shape, logical_type=union.logical_type) if union.branches else shape

    def _mixed(self, types: tuple[str, ...], inside: Inside) -> Shape:
        bare = inside.bare()
        first = bare[0] if bare else None
        if first is None:
            return Shape(type="union", words=types)
        typed = [(replace(first, schema={"type": word}, extra=False, made=True), *bare) for word in types]
        options = [_option(parts, self.of(parts)) for parts in typed]
        if all(option.plain for option in options):
            return Shape(type="union", words=types)
        return Shape(type="union", branches=_branches(options, (), frozenset()))

    def _single(self, word: str, merged: Merged, inside: Inside) -> Shape:
        is_map = any(subschema.schema.get("connect.type") == "map" for subschema in merged.solid)
        if word == "object":
            members, value = inside.members(), inside.value()
            return Shape(type="map" if not members and (value or is_map) else word, members=members, value=value)
        if word != "array":
            return Shape(type=word)
        element = inside.element()
        entry = self._entry_value(element) if is_map else ()
        if entry:
            return Shape(type="map", value=entry)
        return Shape(type=word, subschemas=inside.tuple_elements(), element=element)

    def _entry_value(self, element: Parts) -> Parts:
        """Return a map's values where its keys are not text, so that Connect wrote an array of {key, value}."""
        entry = Inside(merge(element, self._references), self._references)
        members = {member.name: member.parts for member in entry.members()}
        return members["value"] if members.keys() == {"key", "value"} else ()


class _Growing:
    """What applies at one place while its choices are decided one after the other."""

    def __init__(self, merged: Merged, references: References) -> None:
        self._listing = Inside(merged, references)
        self._choices = list(merged.choices)
        self._solid: list[Located] = []
        self._extra = list(merged.extra)
        self._followed = list(merged.references)
        self._problems = list(merged.problems)
        self._types: tuple[str, ...] = ()
        self._implied: str | None = None
        self._has_inside = False
        self._add_solid(merged.solid)

    def add(self, more: Merged, inside: frozenset[int]) -> Iterable[Choice]:
        """Add what a choice that stands *inside* some schemas came to, and return the choices that this brings."""
        self._add_solid([replace(subschema, inside=subschema.inside | inside) for subschema in more.solid])
        self._extra += [replace(subschema, inside=subschema.inside | inside) for subschema in more.extra]
        self._followed += more.references
        self._problems += more.problems
        added = [replace(choice, inside=choice.inside | inside) for choice in more.choices]
        self._choices += added
        return added

    def own(self) -> Own:
        """Return the types of the schema that holds the choices."""
        word = self._types[0] if len(self._types) == 1 else self._implied or ANY
        return Own(types=self._types, word=word, has_inside=self._has_inside)

    def merged(self) -> Merged:
        """Return all of it as one place."""
        return Merged(
            solid=tuple(self._solid),
            extra=tuple(self._extra),
            choices=tuple(self._choices),
            references=tuple(self._followed),
            problems=tuple(self._problems),
            possible=True,
        )

    def _add_solid(self, subschemas: Sequence[Located]) -> None:
        self._solid += subschemas
        for subschema in subschemas:
            stated = claim(subschema.schema)
            if stated and stated.types:
                self._types = narrowed(self._types, stated.types) if self._types else stated.types
            self._implied = self._implied or implied_type(subschema.schema)
            self._has_inside = self._has_inside or self._listing.lists(subschema)


def _key(subschema: Located) -> tuple[object, ...]:
    options = tuple(id(option.schema) for option in subschema.options)
    return (id(subschema.schema), subschema.resource, subschema.scope, subschema.extra, subschema.via, options)


def _via(references: tuple[tuple[int, str], ...], parts: Parts) -> Parts:
    """Store in *parts* the references that led to their union."""
    first, *rest = parts
    return (replace(first, via=(*references, *first.via)), *rest) if references else parts


def _option(parts: Parts, shape: Shape) -> Option:
    schema = parts[0].schema
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return Option(
        parts=parts,
        words=shape.words or (shape.type,),
        plain=shape.plain,
        null=shape.nullable,
        logical_type=shape.logical_type,
        title=shape.title,
        reference=reference if isinstance(reference, str) else "",
    )


def _branches(options: Sequence[Option], own: Parts, inside: frozenset[int]) -> tuple[Branch, ...]:
    named = zip(branch_names(options), options, strict=True)
    return tuple(Branch(name=name, parts=(*option.parts, *own), inside=inside) for name, option in named)


def _stated(subschemas: Parts) -> tuple[str, ...]:
    types: tuple[str, ...] = ()
    for subschema in subschemas:
        stated = claim(subschema.schema)
        if stated and stated.types:
            types = narrowed(types, stated.types) if types else stated.types
    return types


def _implied(subschemas: Parts) -> str | None:
    return next((word for subschema in subschemas if (word := implied_type(subschema.schema))), None)


def _extra_types(merged: Merged) -> tuple[str, ...]:
    """Return the type that is not stated: what the keywords are about, else what conditions add columns to."""
    word = _implied(merged.solid)
    if word:
        return (word,)
    stated = dict.fromkeys(word for subschema in merged.extra for word in _stated((subschema,)))
    if stated.keys() & WITH_INSIDE:
        return tuple(stated)
    implied = (implied_type(subschema.schema) for subschema in merged.extra)
    return next(((word,) for word in implied if word in WITH_INSIDE), ())


def _nullable(merged: Merged, nulls: list[bool]) -> bool:
    """Return whether null is allowed: the schema's own keywords decide, then its choices."""
    schemas = [subschema.schema for subschema in merged.solid]
    claims = [stated.null for schema in schemas if (stated := claim(schema))]
    if any(schema.get("nullable") is True for schema in schemas):
        return True
    return all(claims) if claims else bool(nulls) and all(nulls)
