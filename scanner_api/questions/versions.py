"""Questions about the versions of a subject: what differs between two of them, by the rules of its registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NamedTuple

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.parsing import parse_schema
from scanner_api.questions.question import LARGEST_NUMBER, Cluster, Cursor, Limit, Moment, Page, Parameter, page_of
from scanner_check.rules.schemas.registry_answer import level_of, unjudged_policy, whose_rules
from scanner_check.rules.schemas.schema_sides import DEFAULT_LEVEL, StoredSchema, rules_of, stored_version
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.subjects import SubjectKey, subject_names, subjects_named, versions_of
from scanner_dictionary.queries.version_use import VersionUse as VersionUse
from scanner_dictionary.queries.version_use import version_uses as stored_uses
from scanner_extractor.evolution import Difference, Level, Rules, differences, removed_symbols
from scanner_model.columns import path_name
from scanner_model.errors import InputInvalid, NameUnknown

VersionUseKind = Literal["newest", "written", "in-records", "in-files", "referenced", "unused", "unknown"]
Verdict = Literal["compatible", "breaks", "unknown"]
_MOST_LISTED = 10


class VersionDifference(NamedTuple):
    """Why readers with one version do not read data of the other.

    *direction* is backward (readers of the second version, data of the first), forward (the reverse), or symbols: an
    enum lost some, whatever a registry answers. *column* is empty where it is the whole schema, *rule* the registry's
    word. *certain* is False where the rules that are implemented do not decide.
    """

    direction: Literal["backward", "forward", "symbols"]
    column: str
    rule: str
    why: str
    certain: bool


class VersionComparison(NamedTuple):
    """What differs between two versions of a subject, judged as its registry does.

    *level* is the compatibility level that counts; *assumed*: it is the registries' default, as none is stored.
    *verdict* is whether the registry takes the second version after the first at that level, *backward* whether readers
    of the second read data of the first, *forward* the reverse. *notes* say whose rules these are where it matters.
    """

    cluster: str
    registry: str
    subject: str
    first: int
    second: int
    level: str
    assumed: bool
    verdict: Verdict
    backward: Verdict
    forward: Verdict
    differences: Sequence[VersionDifference]
    notes: Sequence[str]


class ColumnSymbols(NamedTuple):
    """What the value of a column may be, as its enum says; *name* is *path* with dots, empty for the whole message."""

    path: tuple[str, ...]
    name: str
    symbols: tuple[str, ...]


def version_uses(
    dictionary: Dictionary,
    *,
    subject: Annotated[
        str | None,
        Parameter("The subject; without it, those with several live versions.", argument=True, metavar="SUBJECT"),
    ] = None,
    use: Annotated[VersionUseKind | None, Parameter("Only versions that are used in this way.")] = None,
    as_of: Moment = None,
    cluster: Cluster = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[VersionUse]:
    """Return the live versions of subjects at their topics, and who uses each: records and files.

    Which program wrote a record is not known. Raises NameUnknown with the nearest names for an unknown subject.

    >>> [(row.version, row.use) for row in version_uses(dictionary, subject="orders-value")]
    """
    with dictionary.at(as_of).reading() as conn:
        known = known_cluster(conn, cluster)
        if subject is not None and not subjects_named(conn, subject, known):
            raise unknown_name("subject", subject, subject_names(conn, known), "`scanner schemas` lists the subjects")
        rows = (row for row in stored_uses(conn, known, subject) if use in (None, row.use))
        return page_of(rows, cursor, limit)


_Subject = Annotated[str, Parameter("The subject; `:.ctx:NAME` in a context.")]
_Registry = Annotated[str | None, Parameter("The registry's URL, where several have the subject.")]
_Number = Annotated[int, Parameter("The version to compare from.", least=0, most=LARGEST_NUMBER, request="from")]
_Other = Annotated[int, Parameter("The version to compare with.", least=0, most=LARGEST_NUMBER, request="to")]


def compare_versions(
    dictionary: Dictionary,
    *,
    subject: _Subject,
    first: _Number,
    second: _Other,
    cluster: Cluster = None,
    registry: _Registry = None,
) -> VersionComparison:
    """Compare any two stored versions of a subject, also deleted ones, by the rules of its registry.

    Raises NameUnknown for a subject or version that is not stored, InputInvalid where several registries have it.

    >>> compare_versions(dictionary, subject="orders-value", first=1, second=2).verdict
    """
    with dictionary.reading() as conn:
        key = _subject(conn, subject, known_cluster(conn, cluster), registry)
        before, after = (_stored(conn, key, number) for number in (first, second))
    rules, stored = rules_of(key), level_of(key)
    level = stored or DEFAULT_LEVEL
    found = tuple(_differences(before, after, rules))
    backward, forward = (_verdict(found, (direction,)) for direction in ("backward", "forward"))
    return VersionComparison(
        *(key.cluster, key.registry, key.full_name, first, second),
        level=" ".join(filter(None, (level, rules.policy))),
        assumed=stored is None,
        verdict=_whole_verdict(_verdict(found, _counting(level)), key, after.format),
        backward=backward,
        forward=forward,
        differences=found,
        notes=tuple(whose_rules(key, after.format)),
    )


def _whole_verdict(verdict: Verdict, subject: SubjectKey, format: str) -> Verdict:
    """Return *verdict*, or unknown where the subject's policy has rules that are not judged."""
    return "unknown" if verdict == "compatible" and unjudged_policy(subject, format) else verdict


def enum_symbols(
    dictionary: Dictionary,
    *,
    subject: _Subject,
    version: Annotated[int, Parameter("The version.", least=0, most=LARGEST_NUMBER)],
    record: Annotated[str | None, Parameter("Of several records or messages of its text, this one.")] = None,
    cluster: Cluster = None,
    registry: _Registry = None,
) -> Page[ColumnSymbols]:
    """Return the columns of a stored version that are enums, with what each may be, also where references say it.

    Raises what `compare_versions` does.

    >>> enum_symbols(dictionary, subject="orders-value", version=2)[0].symbols
    """
    with dictionary.reading() as conn:
        stored = _stored(conn, _subject(conn, subject, known_cluster(conn, cluster), registry), version)
    parsed = parse_schema(stored.text.text, stored.format, references=stored.text.references, record=record)
    rows = (ColumnSymbols(path, path_name(path), symbols) for path, symbols in parsed.symbols.items())
    return Page(tuple(rows))


def _subject(conn: Connection, name: str, cluster: str | None, registry: str | None) -> SubjectKey:
    found = [key for key in subjects_named(conn, name, cluster) if registry in (None, key.registry)]
    if not found:
        raise unknown_name("subject", name, subject_names(conn, cluster), "`scanner schemas` lists the subjects")
    if len(found) > 1:
        known = ", ".join(f"{key.registry} of {key.cluster}" for key in found[:_MOST_LISTED])
        raise InputInvalid(f"{len(found)} registries have {name!r}", where="subject", hint=f"name one of {known}")
    return found[0]


def _stored(conn: Connection, subject: SubjectKey, number: int) -> StoredSchema:
    versions = {version.version: version for version in versions_of(conn, subject)}
    if number not in versions:
        newest = sorted(versions)[-_MOST_LISTED:]
        hint = f"{'the newest are ' if len(versions) > _MOST_LISTED else 'it has '}{', '.join(map(str, newest))}"
        raise NameUnknown(f"no version {number} of {subject.full_name} is stored", hint=hint)
    return stored_version(conn, subject, versions[number])


def _differences(before: StoredSchema, after: StoredSchema, rules: Rules) -> Iterator[VersionDifference]:
    if before.format != after.format:
        why = f"the format was {before.format} and is {after.format}"
        yield VersionDifference("backward", "", "FORMAT_CHANGED", why, certain=True)
        yield VersionDifference("forward", "", "FORMAT_CHANGED", why, certain=True)
        return
    answered = set()
    for found in differences(after.format, after.text, before.text, rules):
        answered.add(found.path)
        yield _difference("backward", found)
    for found in differences(after.format, before.text, after.text, rules):
        yield _difference("forward", found)
    for found in removed_symbols(after.format, after.text, before.text):
        if found.path not in answered:
            yield _difference("symbols", found)


def _difference(direction: Literal["backward", "forward", "symbols"], found: Difference) -> VersionDifference:
    return VersionDifference(direction, path_name(found.path), found.rule, found.why, found.certain)


def _counting(level: Level) -> tuple[str, ...]:
    return (*(("backward",) if level.backward else ()), *(("forward",) if level.forward else ()))


def _verdict(found: Sequence[VersionDifference], directions: Sequence[str]) -> Verdict:
    counting = [each for each in found if each.direction in directions]
    if any(each.certain for each in counting):
        return "breaks"
    return "unknown" if counting else "compatible"
