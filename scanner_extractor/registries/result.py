"""Content read from a registry, and its conversion to a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_extractor.http.pagination import PagesWithoutEnd
from scanner_extractor.results import Reading
from scanner_extractor.schemas.references import find_reference, finder
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError
from scanner_model.names import SourceId, SubjectName
from scanner_model.payload import Json, Payload, canonical
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Association, Registry, SchemaVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One schema row: a version, and the topics that the registry associates its subject with.

    *flagged*: the row itself has the deleted flag, as Confluent's do since 8.0. *behind* is the
    subject that the registry returned for an alias that was requested; else empty.
    """

    version: SchemaVersion
    flagged: bool = False
    behind: str = ""
    associations: tuple[Association, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be read: its subject where that is legible (else empty), why, and what identifies it."""

    subject: SubjectName
    problem: Problem
    text: str


def bad_row(source: str, subject: str, error: PayloadUnexpected, payload: Payload) -> BadRow:
    """Report a row that cannot be read."""
    name = repr(str(subject)) if subject else "a row without subject"
    problem = Problem(f"{source} {name}", f"the registry's row cannot be read: {error.what}")
    return BadRow(subject=SubjectName(subject), problem=problem, text=canonical(payload.value))


def details(**members: Json) -> str:
    """Return a registry's metadata of a schema as JSON text, without what is empty; empty where all of it is."""
    values = {name: value for name, value in members.items() if value not in (None, "", [], {})}
    return canonical(values) if values else ""


KIND = "schema_registry"

Key = tuple[str, SubjectName, int]
"""What names a version in its registry: context, subject, number. An id does not: many versions share one."""

_SHOWN = 3
_MANY = 5
_NOTHING = NotFound("", status=404)
_VANISHED = "it was deleted meanwhile, or this user may not read it"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryContent:
    """Rows by key, rows that cannot be read, what went wrong, and the subjects that exist and were not read.

    *server_version* is that of the registry's program, empty where it was not requested, or has none.
    *cut* is the reason why a list does not name all that exists; empty where it does. Objects that it did not name are
    not deleted.
    """

    rows: Mapping[Key, Row] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    unread: Mapping[SubjectName, str] = field(default_factory=dict)
    associations: tuple[Association, ...] = ()
    cut: str = ""
    server_version: str = ""

    def __add__(self, other: RegistryContent) -> RegistryContent:
        """Return both; a row that is here already stays."""
        return RegistryContent(
            rows={**other.rows, **self.rows},
            problems=(*self.problems, *other.problems),
            unread={**other.unread, **self.unread},
            associations=(*self.associations, *other.associations),
            cut=self.cut or other.cut,
            server_version=self.server_version or other.server_version,
        )


def truncated_list(source: SourceId, error: PagesWithoutEnd) -> RegistryContent:
    """Return the report of an endless list, which was read partly."""
    return RegistryContent(problems=(Problem(str(source), error.what, error.hint),), cut=error.what)


def key_of(version: SchemaVersion) -> Key:
    """Return what names *version* in its registry."""
    return version.context, version.subject, version.version


def separate_rows(rows: Iterable[Row | BadRow]) -> RegistryContent:
    """Separate rows from what cannot be read; the first row of a key counts."""
    listed = tuple(rows)
    bad = {row.problem: row for row in listed if isinstance(row, BadRow)}
    return RegistryContent(
        rows={key_of(row.version): row for row in reversed(listed) if isinstance(row, Row)},
        problems=tuple(sorted(bad)),
        unread={row.subject: row.problem.what for row in bad.values() if row.subject},
        cut=next((f"rows without a subject: {row.problem.what}" for row in bad.values() if not row.subject), ""),
    )


def failed(source: SourceId, subject: str, error: ScannerError) -> Problem:
    """Report that a subject could not be read this time; *subject* is its name, with its context."""
    return Problem(f"{source} {str(subject)!r}", _why(error), error.hint)


def associations_failed(source: SourceId, error: ScannerError) -> Problem:
    """Report that a registry's associations could not be read."""
    return Problem(f"{source} associations", _why(error), error.hint)


def levels_failed(source: SourceId, error: ScannerError, count: int) -> Problem:
    """Report that the compatibility levels of *count* subjects could not be read, with the first *error*."""
    return Problem(f"{source} compatibility", f"of {count} subjects it cannot be read: {_why(error)}", error.hint)


def _why(error: ScannerError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def unread_subjects(source: SourceId, errors: Iterable[tuple[str, ScannerError]]) -> RegistryContent:
    """Report what could not be read, a subject once; one that is not found is not unread."""
    first: dict[str, ScannerError] = {}
    for subject, error in errors:
        if isinstance(first.get(subject, _NOTHING), NotFound):
            first[subject] = error
    unread = {subject: error for subject, error in first.items() if not isinstance(error, NotFound)}
    return RegistryContent(
        problems=tuple(_reported(source, first)),
        unread={SubjectName(subject): error.what for subject, error in unread.items()},
    )


def without_deleted(gathered: RegistryContent) -> RegistryContent:
    """Leave deleted versions out, except those that a live one refers to, or one that it refers to."""
    find = finder(row.version for row in gathered.rows.values())
    retained = {key: row for key, row in gathered.rows.items() if not row.version.deleted}
    waiting = [row.version for row in retained.values()]
    while waiting:
        version = waiting.pop()
        for reference in version.references:
            target = find_reference(version.context, reference, find)
            if target and key_of(target) not in retained:
                retained[key_of(target)] = gathered.rows[key_of(target)]
                waiting.append(target)
    return replace(gathered, rows=retained)


def as_result(settings: RegistrySettings, gathered: RegistryContent, requests: int) -> Reading:
    """Return the reading in its fixed order; it is PARTIAL where something that exists was not read."""
    versions = tuple(gathered.rows[key].version for key in sorted(gathered.rows))
    inline = (link for row in gathered.rows.values() for link in row.associations)
    registry = Registry(
        source=settings.source,
        kind=settings.type,
        url=settings.http.url,
        environment=settings.environment,
        server_version=gathered.server_version,
    )
    return Reading(
        outcome=_outcome(settings.source, gathered, len(versions), requests),
        facts=(registry, *versions, *sorted({*inline, *gathered.associations}, key=_order)),
        problems=tuple(sorted(set(gathered.problems))),
    )


def _reported(source: SourceId, errors: Mapping[str, ScannerError]) -> Iterator[Problem]:
    """Report each subject by itself, but many that failed alike in one line: a dead registry fails them all."""
    alike: dict[str, list[str]] = {}
    for subject, error in errors.items():
        alike.setdefault(error.what, []).append(subject)
    for what, subjects in alike.items():
        if len(subjects) > _MANY:
            problem = _unread_problem(source, subjects[0], errors[subjects[0]])
            why = problem.what if isinstance(errors[subjects[0]], NotFound) else what
            names = f"{', '.join(map(repr, subjects[:_SHOWN]))} and {len(subjects) - _SHOWN} more"
            yield Problem(str(source), f"{len(subjects)} subjects could not be read: {why} ({names})", problem.hint)
        else:
            yield from (_unread_problem(source, subject, errors[subject]) for subject in subjects)


def _unread_problem(source: SourceId, subject: str, error: ScannerError) -> Problem:
    if isinstance(error, NotFound):
        return Problem(f"{source} {str(subject)!r}", "it was listed, but not found when it was read", _VANISHED)
    return failed(source, subject, error)


def _outcome(source: SourceId, gathered: RegistryContent, got: int, requests: int) -> SourceResult:
    unread = sorted(gathered.unread)
    outcome = SourceResult(
        source=source, kind=KIND, status=SourceStatus.READ, received=got, requested=got + len(unread), requests=requests
    )
    if gathered.cut:
        return replace(outcome, status=SourceStatus.PARTIAL, reason=gathered.cut, hint="what was read of it is stored")
    if not unread:
        return outcome
    return replace(
        outcome,
        status=SourceStatus.PARTIAL,
        reason=f"{_counted(unread)} could not be read: {gathered.unread[unread[0]]}",
        hint="facts of earlier scans are retained; see the problems",
        unread=frozenset(unread),
    )


def _counted(names: Sequence[SubjectName]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} subject{'s' if len(names) != 1 else ''} ({shown}{more})"


def _order(link: Association) -> tuple[str, SubjectName, str, str, str]:
    return link.context, link.subject, link.topic, link.role, link.namespace
