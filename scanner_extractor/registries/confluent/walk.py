"""Read a registry subject by subject and version by version, where there is no usable bulk response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import PagesWithoutEnd, paged
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries import result
from scanner_extractor.registries.confluent.client import PAGE, ConfluentClient
from scanner_extractor.registries.result import BadRow, RegistryContent, Row, separate_rows, truncated_list
from scanner_extractor.schemas.references import LATEST
from scanner_model.errors import NotFound, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SubjectName
from scanner_model.schemas import DEFAULT_CONTEXT, qualified_subject

ReportRequests = Callable[[int, int], None]
"""Told how many requests of how many known so far are done."""

_SHOWN = 10
_APICURIO_LIST = 500
"""How many of a subject's versions Apicurio lists at most, the oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One version to read; of a *live* subject it is requested without `deleted` first, to detect deletion."""

    subject: str
    number: int
    live: bool
    deleted: bool = True


def walk(client: ConfluentClient, pool: WorkerPool, *, deleted: bool, report: ReportRequests) -> RegistryContent:
    """Read every version of every listed subject; one broken subject costs one subject.

    A subject that is not found after it was listed is reported, and does not count as unread. Registries that hide
    unauthorised subjects respond in the same way: neither that nor a missing name proves that a subject is deleted.
    Raises SourceRefused where every request is refused, and what `Http` raises where the list of subjects fails.
    """
    live, cut = _all_subjects(client, deleted=False)
    hidden, cut_hidden = _deleted_subjects(client) if deleted else (set[str](), RegistryContent())
    subjects = sorted(live | hidden)
    count = _RequestCount(report, len(subjects))
    listed = map_concurrently(
        subjects, lambda subject: _numbers(client, subject, deleted), pool=pool, on_result=count.increment
    )
    to_read = [
        Wanted(subject=subject, number=number, live=subject in live, deleted=deleted)
        for subject, numbers in zip(subjects, listed, strict=True)
        if not isinstance(numbers, ScannerError)
        for number in numbers
    ]
    count.total += len(to_read)
    read = map_concurrently(to_read, lambda version: read_one(client, version), pool=pool, on_result=count.increment)
    rows = [_own_row(client, row) for row in read if not isinstance(row, ScannerError)]
    errors = [*_errors(subjects, listed), *_errors([version.subject for version in to_read], read)]
    if not rows and errors and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    return separate_rows(rows) + unread_subjects(client, errors) + cut + cut_hidden


def list_subjects(client: ConfluentClient, *, deleted: bool) -> tuple[str, ...]:
    """List every subject, whether the server paginates, caps its pages, or ignores pagination.

    Apicurio counts a page before it drops what is no schema, so its pages may be short or empty before the end: one
    more window is requested.
    """
    patience, limit = (2, PAGE) if client.origin.kind == "apicurio" else (1, None)

    def page(offset: int, _size: int) -> Sequence[str]:
        return client.subjects(offset, deleted=deleted, limit=limit)

    return wanted_subjects(client, paged(page, key=str, size=PAGE, patience=patience))


def wanted_subjects(client: ConfluentClient, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of *names* that are in the one context that is read, or all where every context is."""
    only = client.origin.context
    return tuple(name for name in names if not only or parse_subject(name, client.origin.kind)[0] == only)


def check_context(client: ConfluentClient) -> None:
    """Raise NotFound where the one context that is read, and gave nothing, does not exist."""
    only = client.origin.context
    if only in ("", DEFAULT_CONTEXT):
        return
    try:
        known = tuple(paged(lambda offset, _: client.contexts(offset), key=str, size=PAGE))
    except NotFound:  # a registry before 7.0
        known = (DEFAULT_CONTEXT,)
    if only not in known:
        shown = ", ".join(map(repr, known[:_SHOWN])) + (
            f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
        )
        what = f"there is no context {only!r} in the registry"
        raise NotFound(what, where=str(client.origin.source), hint=f"it has {shown}", status=404)


def read_one(client: ConfluentClient, version: Wanted) -> Row | BadRow:
    """Read one version and flag it as deleted where it is; raises NotFound where the registry does not return it."""
    if version.live:
        try:
            return client.version(version.subject, version.number, deleted=False)
        except NotFound:
            if not version.deleted:
                raise
    return _flag_deleted(client.version(version.subject, version.number, deleted=True))


def unread_subjects(client: ConfluentClient, errors: Iterable[tuple[str, ScannerError]]) -> RegistryContent:
    """Report what could not be read, by subject."""
    return result.unread_subjects(client.origin.source, ((_name(client, subject), error) for subject, error in errors))


def _all_subjects(client: ConfluentClient, *, deleted: bool) -> tuple[set[str], RegistryContent]:
    """Return the subjects, and the report of a list without end, of which those that were read are kept."""
    try:
        return set(list_subjects(client, deleted=deleted)), RegistryContent()
    except PagesWithoutEnd as error:
        return set(wanted_subjects(client, error.items)), truncated_list(client.origin.source, error)


def _deleted_subjects(client: ConfluentClient) -> tuple[set[str], RegistryContent]:
    try:
        return _all_subjects(client, deleted=True)
    except (NotFound, SourceObjected):  # it does not know the parameter, so it keeps nothing deleted
        return set(), RegistryContent()


def _numbers(client: ConfluentClient, subject: str, deleted: bool) -> tuple[int, ...]:
    """List the numbers of a subject's versions; Confluent pages them since 7.9.2, the others do not."""
    if client.origin.kind == "confluent":
        listed = paged(lambda offset, _: client.versions(subject, offset, deleted=deleted), key=int)
        return tuple(sorted(listed))
    numbers = client.versions(subject, deleted=deleted)
    if client.origin.kind != "apicurio" or len(numbers) < _APICURIO_LIST:
        return numbers
    newest = client.version(subject, LATEST, deleted=False)
    beyond = newest.version.version if isinstance(newest, Row) else 0
    return (*numbers, *range(numbers[-1] + 1, beyond + 1))


def _own_row(client: ConfluentClient, row: Row | BadRow) -> Row | BadRow:
    """Return a row that is the listed subject's own: its alias hides those that the bulk list shows."""
    if isinstance(row, BadRow) or not row.behind:
        return row
    name = qualified_subject(row.version.context, row.version.subject)
    what = f"it has an alias, so the registry shows the versions of {row.behind!r} in place of its own"
    problem = Problem(f"{client.origin.source} {name!r}", what, "only `GET /schemas` shows its own")
    return BadRow(subject=SubjectName(name), problem=problem, text="")


def _flag_deleted(row: Row | BadRow) -> Row | BadRow:
    return row if isinstance(row, BadRow) or row.flagged else replace(row, version=replace(row.version, deleted=True))


def _errors(subjects: Sequence[str], answers: Sequence[object]) -> Iterator[tuple[str, ScannerError]]:
    for subject, answer in zip(subjects, answers, strict=True):
        if isinstance(answer, ScannerError):
            yield subject, answer


def _name(client: ConfluentClient, subject: str) -> SubjectName:
    return SubjectName(qualified_subject(*parse_subject(subject, client.origin.kind)))


@dataclass(slots=True)
class _RequestCount:
    report: ReportRequests
    total: int
    done: int = 0

    def increment(self) -> None:
        self.done += 1
        self.report(self.done, self.total)
