"""Read every version of every subject: a thousand rows a request from `GET /schemas`, or subject by subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import PagesWithoutEnd, paged
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries import result
from scanner_extractor.registries.result import BadRow, Key, RegistryContent, Row, key_of, separate_rows, truncated_list
from scanner_extractor.schemas.references import LATEST
from scanner_extractor.systems.schema_registry.confluent_reader import (
    EVERY_CONTEXT,
    NOTHING,
    PAGE,
    ConfluentClient,
    Known,
)
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SubjectName
from scanner_model.schemas import DEFAULT_CONTEXT, SchemaVersion, qualified_subject

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
    listed = map_concurrently(
        subjects,
        lambda subject: _numbers(client, subject, deleted),
        pool=pool,
        on_result=lambda done: report(done, len(subjects)),
    )
    to_read = [
        Wanted(subject=subject, number=number, live=subject in live, deleted=deleted)
        for subject, numbers in zip(subjects, listed, strict=True)
        if not isinstance(numbers, ScannerError)
        for number in numbers
    ]
    read = map_concurrently(
        to_read,
        lambda version: read_one(client, version),
        pool=pool,
        on_result=lambda done: report(len(subjects) + done, len(subjects) + len(to_read)),
    )
    rows = [_own_row(client, row) for row in read if not isinstance(row, ScannerError)]
    errors = [*_errors(subjects, listed), *_errors([version.subject for version in to_read], read)]
    if not rows and errors and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    return separate_rows(rows) + unread_subjects(client, errors) + cut + cut_hidden


def list_subjects(client: ConfluentClient, *, deleted: bool) -> tuple[str, ...]:
    """List every subject, whether the server paginates, caps its pages, or ignores pagination.

    Apicurio counts a page before it drops other artifacts, so its pages may be short or empty before the end: one
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
    """Return the subjects, and the report of a list without end; subjects read so far are kept."""
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


ReportRows = Callable[[int], None]
"""Told how many rows were read so far."""


def read_bulk(client: ConfluentClient, *, deleted: bool, report: ReportRows) -> RegistryContent | None:
    """Read everything in bulk; None: the bulk response is unusable, or empty, which is not conclusive.

    Servers of 6.1 and 6.2 read the wildcard for every context as a name prefix and find nothing, so an empty
    response is requested again without it. *deleted*: soft-deleted versions are wanted too. Raises what `Http`
    raises.
    """
    prefix = prefix_for(client)
    for candidate in (prefix, "") if prefix == EVERY_CONTEXT else (prefix,):
        forms = _forms(client, candidate, _wanted(client, deleted), report)
        if forms is None:
            return None
        if any(forms):
            _check_one(client, forms[-1])
            return _with_deletions(forms, deleted)
    return None


def _check_one(client: ConfluentClient, rows: Sequence[Row | BadRow]) -> None:
    """Compare one version of the list with its own answer; raises PayloadUnexpected where the list leaves out data.

    AxonOps's registry lists no metadata and no rule sets. A list in which any row has some is believed.
    """
    listed = [row for row in rows if isinstance(row, Row) and not row.version.deleted]
    if client.origin.kind != "confluent" or not listed or any(_extras(row.version) for row in listed):
        return
    version = listed[-1].version
    name = qualified_subject(version.context, version.subject)
    try:
        single = client.version(name, version.version, deleted=False)
    except ScannerError:
        return
    if isinstance(single, Row) and not single.behind and _extras(single.version):
        left_out = " and ".join(_extras(single.version))
        raise PayloadUnexpected(f"the list leaves out {left_out}, which version {version.version} of {name!r} has")


def _extras(version: SchemaVersion) -> list[str]:
    """Return which members a version has beside its schema."""
    members = {"metadata": version.metadata, "ruleSet": version.rule_set}
    return [name for name, text in members.items() if text]


def prefix_for(client: ConfluentClient) -> str:
    """Return the prefix that covers what is read: one context, or every one where there are contexts."""
    if client.origin.kind != "confluent":
        return ""
    context = client.origin.context
    return qualified_subject(context, "") if context else EVERY_CONTEXT


def key(row: Row | BadRow) -> Key | str:
    """Return the key of a row of a page."""
    return row.text if isinstance(row, BadRow) else key_of(row.version)


def _wanted(client: ConfluentClient, deleted: bool) -> tuple[bool, ...]:
    """List the forms to request by their parameter `deleted`.

    Confluent adds soft-deleted versions to the second form, and since 8.0 its rows have the flag, so that this form
    alone may do. Karapace adds them to the first, and does not mark them in either.
    """
    if client.origin.kind == "confluent":
        return (True, False) if deleted else (False,)
    return False, True


def _forms(
    client: ConfluentClient, prefix: str, deleted_forms: Iterable[bool], report: ReportRows
) -> list[tuple[Row | BadRow, ...]] | None:
    """Read the list in each form that is needed; None where its rows are of no use."""
    forms: list[tuple[Row | BadRow, ...]] = []
    known: Known = NOTHING
    for deleted in deleted_forms:
        form = _form(partial(client.schemas, deleted=deleted, prefix=prefix, known=known), report)
        if form is None:
            return None
        forms.append(form)
        rows = [row for row in form if isinstance(row, Row)]
        if deleted and all(row.flagged for row in rows):
            break
        # Nearly every row is in both lists, and need neither be read nor kept twice.
        known = {_listed_as(row.version): row for row in rows}
    return forms


def _listed_as(version: SchemaVersion) -> tuple[str, int]:
    return qualified_subject(version.context, version.subject), version.version


def _form(page: Callable[[int], Sequence[Row | BadRow]], report: ReportRows) -> tuple[Row | BadRow, ...] | None:
    first = page(0)
    if first and not any(isinstance(row, Row) for row in first):
        return None
    rows: list[Row | BadRow] = []

    def fetch(offset: int, _size: int) -> Sequence[Row | BadRow]:
        report(offset)
        return first if offset == 0 else page(offset)

    rows.extend(paged(fetch, key=key, size=PAGE))
    return tuple(rows)


def _with_deletions(forms: Sequence[tuple[Row | BadRow, ...]], deleted: bool) -> RegistryContent:
    """Flag as deleted what is missing from one of the forms and has no flag itself."""
    parts = [separate_rows(rows) for rows in forms]
    live = set.intersection(*(set(part.rows) for part in parts))
    everything = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    rows = {
        row_key: row if row.flagged or row_key in live else _deleted(row) for row_key, row in everything.rows.items()
    }
    remaining = {row_key: row for row_key, row in rows.items() if deleted or not row.version.deleted}
    return replace(everything, rows=remaining)


def _deleted(row: Row) -> Row:
    return replace(row, version=replace(row.version, deleted=True))
