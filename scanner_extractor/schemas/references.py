"""Follows the references of a schema through a lookup: depth first, loop-safe, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from scanner_extractor.formats.avro.names import defined_names
from scanner_extractor.naming.subjects import reference_locations
from scanner_model.columns import Lookup
from scanner_model.errors import Problem
from scanner_model.names import SubjectName
from scanner_model.schemas import Reference, SchemaVersion, qualified_subject

Find = Callable[[str, SubjectName, int], SchemaVersion | None]
"""Return a version by context, subject and number (-1: the newest, live ones first); None if absent."""

LATEST = -1

DEEPEST = 64
"""How long a chain of references may be: each schema of a longer one would repeat the columns of all the others."""

MOST = 1000
"""Texts that one schema may refer to, directly or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Every text that a schema needs, by reference name; a text stands after those that it needs itself."""

    texts: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def resolve(version: SchemaVersion, find: Find) -> Resolved:
    """Gather the texts behind the references of *version*, and behind theirs, depth first.

    A name is followed once: where two references have it, the first on the way counts, as in Confluent's registry.
    Always the referenced version, soft-deleted or not. A missing one gives a problem; the rest is resolved.
    What lies beyond DEEPEST references or MOST texts is not followed, which is one problem.
    """
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    limited = False
    # A chain of references may be longer than Python's stack, so the way back is kept in a list.
    stack: list[tuple[str, SchemaVersion, Iterator[Reference]]] = [("", version, iter(version.references))]
    while stack:
        name, parent, left = stack[-1]
        reference = next((reference for reference in left if reference.name not in seen), None)
        if reference and (len(stack) > DEEPEST or len(seen) == MOST):
            limited, reference = True, None
        if reference is None:
            stack.pop()
            if stack:
                texts[name] = parent.text
            continue
        seen.add(reference.name)
        if target := find_reference(parent.context, reference, find):
            stack.append((reference.name, target, iter(target.references)))
        else:
            problems.append(_missing(parent, reference))
    return Resolved(texts=texts, problems=(*problems, _limit_reached(version)) if limited else tuple(problems))


def find_reference(context: str, reference: Reference, find: Find) -> SchemaVersion | None:
    """Return the version that a schema of *context* means by *reference*; None where it is missing.

    An unqualified subject stays in the context, `:.ctx:subject` and `group:artifact` name their own. In a registry
    without contexts or groups that same text is a plain name, so it is looked up as it is first.
    """
    locations = reference_locations(context, reference.subject)
    versions = (find(location, SubjectName(subject), reference.version) for location, subject in locations)
    return next((version for version in versions if version), None)


def finder(versions: Iterable[SchemaVersion]) -> Find:
    """Look versions of one registry up; -1 finds the newest live one, else the newest."""
    known: dict[tuple[str, SubjectName, int], SchemaVersion] = {}
    newest: dict[tuple[str, SubjectName], SchemaVersion] = {}
    for version in sorted(versions, key=lambda version: (not version.deleted, version.version)):
        known[version.context, version.subject, version.version] = version
        newest[version.context, version.subject] = version
    return lambda context, subject, number: (
        newest.get((context, subject)) if number == LATEST else known.get((context, subject, number))
    )


def lookup_in(format_name: str, texts: Mapping[str, str]) -> Lookup:
    """Return a lookup of *texts* by reference name, and for Avro by the named types that they define.

    An Avro reference's name is free: a registry's parser learns the types of every referenced text, in any order.
    """
    if format_name.upper() != "AVRO":
        return texts.get

    @cache
    def defining() -> Mapping[str, str]:
        return {name: text for text in reversed(list(texts.values())) for name in defined_names(text)}

    return lambda name: defining().get(name) or texts.get(name)


def _limit_reached(version: SchemaVersion) -> Problem:
    return Problem(
        f"{version.subject} version {version.version}",
        f"references lead more than {DEEPEST} deep, or to more than {MOST} texts",
        "further references are not followed: types that they define have no columns",
    )


def _missing(parent: SchemaVersion, reference: Reference) -> Problem:
    number = "the newest version" if reference.version == LATEST else f"version {reference.version}"
    return Problem(
        f"{qualified_subject(parent.context, parent.subject)!r} version {parent.version}",
        f"reference {reference.name!r} leads to {number} of subject {reference.subject!r}, which is not known",
        "was it hard-deleted, or does this user lack permission?",
    )
