"""What is gathered from a registry while it is read, and the reading that becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_extractor.paging import PagesWithoutEnd
from scanner_extractor.readings import RegistryReading
from scanner_extractor.references import find_reference, finder
from scanner_extractor.registries.rows import BadRow, Row
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError
from scanner_model.names import SourceId, SubjectName
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome
from scanner_model.schemas import Association, Registry, SchemaVersion

KIND = "schema_registry"

Key = tuple[str, SubjectName, int]
"""What names a version in its registry: context, subject, number. An id does not: many versions share one."""

_SHOWN = 3
_MANY = 5
_NOTHING = NotFound("", status=404)
_VANISHED = "it was deleted meanwhile, or the registry hides it from this user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Rows by key, rows that cannot be read, what went wrong, and the subjects that exist and were not read.

    *cut* says why a list was not read to its end; empty where it was. What it did not name need not be gone.
    """

    rows: Mapping[Key, Row] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    unread: Mapping[SubjectName, str] = field(default_factory=dict)
    associations: tuple[Association, ...] = ()
    cut: str = ""

    def __add__(self, other: Gathered) -> Gathered:
        """Give both; a row that is here already stays."""
        return Gathered(
            rows={**other.rows, **self.rows},
            problems=(*self.problems, *other.problems),
            unread={**other.unread, **self.unread},
            associations=(*self.associations, *other.associations),
            cut=self.cut or other.cut,
        )


def cut_off(source: SourceId, error: PagesWithoutEnd) -> Gathered:
    """Report a list without end, of which nothing is kept but what was read."""
    return Gathered(problems=(Problem(str(source), error.what, error.hint),), cut=error.what)


def key_of(version: SchemaVersion) -> Key:
    """Give what names *version* in its registry."""
    return version.context, version.subject, version.version


def sort_out(rows: Iterable[Row | BadRow]) -> Gathered:
    """Part rows from what cannot be read; the first row of a key counts."""
    listed = tuple(rows)
    bad = {row.problem: row for row in listed if isinstance(row, BadRow)}
    return Gathered(
        rows={key_of(row.version): row for row in reversed(listed) if isinstance(row, Row)},
        problems=tuple(sorted(bad)),
        unread={row.subject: row.problem.what for row in bad.values() if row.subject},
    )


def failed(source: SourceId, subject: str, error: ScannerError) -> Problem:
    """Report that a subject could not be read this time; *subject* is its name, with its context."""
    return Problem(f"{source} {str(subject)!r}", _why(error), error.hint)


def associations_failed(source: SourceId, error: ScannerError) -> Problem:
    """Report that a registry's associations could not be asked for."""
    return Problem(f"{source} associations", _why(error), error.hint)


def _why(error: ScannerError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def lost(source: SourceId, errors: Iterable[tuple[str, ScannerError]]) -> Gathered:
    """Report what could not be read, a subject once; one that is not found is not unread."""
    first: dict[str, ScannerError] = {}
    for subject, error in errors:
        if isinstance(first.get(subject, _NOTHING), NotFound):
            first[subject] = error
    unread = {subject: error for subject, error in first.items() if not isinstance(error, NotFound)}
    return Gathered(
        problems=tuple(_reported(source, first)),
        unread={SubjectName(subject): error.what for subject, error in unread.items()},
    )


def without_deleted(gathered: Gathered) -> Gathered:
    """Leave deleted versions out, except those that a live one refers to, or one that it refers to."""
    find = finder(row.version for row in gathered.rows.values())
    kept = {key: row for key, row in gathered.rows.items() if not row.version.deleted}
    waiting = [row.version for row in kept.values()]
    while waiting:
        version = waiting.pop()
        for reference in version.references:
            target = find_reference(version.context, reference, find)
            if target and key_of(target) not in kept:
                kept[key_of(target)] = gathered.rows[key_of(target)]
                waiting.append(target)
    return replace(gathered, rows=kept)


def as_reading(settings: RegistrySettings, gathered: Gathered, requests: int) -> RegistryReading:
    """Give the reading in its fixed order; it is PARTIAL where something that exists was not read."""
    versions = tuple(gathered.rows[key].version for key in sorted(gathered.rows))
    inline = (link for row in gathered.rows.values() for link in row.associations)
    return RegistryReading(
        registry=Registry(
            source=settings.source, kind=settings.type, url=settings.http.url, environment=settings.environment
        ),
        outcome=_outcome(settings.source, gathered, len(versions), requests),
        versions=versions,
        associations=tuple(sorted({*inline, *gathered.associations}, key=_order)),
        problems=tuple(sorted(set(gathered.problems))),
    )


def _reported(source: SourceId, errors: Mapping[str, ScannerError]) -> Iterator[Problem]:
    """Report each subject by itself, but many that failed alike in one line: a dead registry fails them all."""
    alike: dict[str, list[str]] = {}
    for subject, error in errors.items():
        alike.setdefault(error.what, []).append(subject)
    for what, subjects in alike.items():
        if len(subjects) > _MANY:
            one = _lost(source, subjects[0], errors[subjects[0]])
            why = one.what if isinstance(errors[subjects[0]], NotFound) else what
            names = f"{', '.join(map(repr, subjects[:_SHOWN]))} and {len(subjects) - _SHOWN} more"
            yield Problem(str(source), f"{len(subjects)} subjects could not be read: {why} ({names})", one.hint)
        else:
            yield from (_lost(source, subject, errors[subject]) for subject in subjects)


def _lost(source: SourceId, subject: str, error: ScannerError) -> Problem:
    if isinstance(error, NotFound):
        return Problem(f"{source} {str(subject)!r}", "it was listed, and is not found when it is read", _VANISHED)
    return failed(source, subject, error)


def _outcome(source: SourceId, gathered: Gathered, got: int, requests: int) -> Outcome:
    unread = sorted(gathered.unread)
    outcome = Outcome(source=source, kind=KIND, answer=Answer.READ, got=got, asked=got + len(unread), requests=requests)
    if gathered.cut:
        return replace(outcome, answer=Answer.PARTIAL, reason=gathered.cut, hint="what was read of it is stored")
    if not unread:
        return outcome
    return replace(
        outcome,
        answer=Answer.PARTIAL,
        reason=f"{_counted(unread)} could not be read: {gathered.unread[unread[0]]}",
        hint="what earlier scans know of them stays; the problems tell more",
        unread=frozenset(unread),
    )


def _counted(names: Sequence[SubjectName]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} subject{'s' if len(names) != 1 else ''} ({shown}{more})"


def _order(link: Association) -> tuple[str, SubjectName, str, str, str]:
    return link.context, link.subject, link.topic, link.role, link.namespace
