"""Read a Confluent-compatible registry: versions in bulk or by subject, compatibility levels, the product's version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import PagesWithoutEnd, paged
from scanner_extractor.naming.strategies import default_names
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    Row,
    as_result,
    associations_failed,
    failed,
    levels_failed,
    separate_rows,
    truncated_list,
)
from scanner_extractor.results import Progress, Reading
from scanner_extractor.schemas.references import find_reference, finder
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.systems.schema_registry.aliases import add_aliases
from scanner_extractor.systems.schema_registry.confluent_reader import PAGE, ConfluentClient, Origin
from scanner_extractor.systems.schema_registry.confluent_versions import (
    Wanted,
    check_context,
    key,
    prefix_for,
    read_bulk,
    read_one,
    unread_subjects,
    walk,
)
from scanner_extractor.systems.schema_registry.settings import one_context
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SubjectName
from scanner_model.schemas import Reference, qualified_subject

SubjectKey = tuple[str, SubjectName]


def add_associations(
    settings: RegistrySettings, client: ConfluentClient, gathered: RegistryContent, pool: WorkerPool
) -> RegistryContent:
    """Add the registry's associations, where the naming strategy `associated` is in force.

    Rows may carry them; then no request is needed. Else one subject is requested first: a registry before 8.2 does
    not support associations, and no other is requested. Then the list of associated schemas is read, and those
    subjects of it that do not show their associations are requested one by one. Failures are reported, and naming
    goes on without.
    """
    subjects = sorted({(row.version.context, row.version.subject) for row in gathered.rows.values() if _is_live(row)})
    inline = any(row.associations for row in gathered.rows.values())
    strategies = settings.naming.strategies or default_names(settings.type)
    if "associated" not in strategies or inline or not subjects:
        return gathered
    try:
        client.associations(qualified_subject(*subjects[0]))
        shown, unshown = _listed(client, subjects)
    except NotFound:
        return gathered
    except ScannerError as error:
        return gathered + RegistryContent(problems=(associations_failed(settings.source, error),), cut=_cut([error]))
    answers = map_concurrently(unshown, lambda subject: client.associations(qualified_subject(*subject)), pool=pool)
    associations_read = [link for links in answers if not isinstance(links, ScannerError) for link in links]
    problems = [
        failed(settings.source, qualified_subject(*subject), error)
        for subject, error in zip(unshown, answers, strict=True)
        if isinstance(error, ScannerError)
    ]
    inline_links = (link for row in shown for link in row.associations)
    associations = (*inline_links, *associations_read)
    return gathered + RegistryContent(associations=associations, problems=tuple(problems), cut=_cut(answers))


def _cut(answers: Iterable[object]) -> str:
    """Return why associations that are known may not count as gone; empty where each answer was of their form."""
    errors = (answer for answer in answers if isinstance(answer, PayloadUnexpected))
    return next((f"its associations could not be read: {error.what}" for error in errors), "")


def _listed(client: ConfluentClient, subjects: Iterable[SubjectKey]) -> tuple[list[Row], list[SubjectKey]]:
    """List associated schemas: rows that show their associations, and subjects whose rows do not.

    Where there is no such list, or it is refused, every subject is one that does not show them.
    """
    try:
        listed = paged(lambda offset, _: client.associated(offset, prefix=prefix_for(client)), key=key, size=PAGE)
        rows = [row for row in listed if not isinstance(row, BadRow)]
    except (
        NotFound,
        SourceObjected,
        SourceRefused,
    ):  # refused: the list of all is often another right than one subject
        return [], list(subjects)
    shown = [row for row in rows if row.associations]
    unshown = {(row.version.context, row.version.subject) for row in rows} - {
        (row.version.context, row.version.subject) for row in shown
    }
    return shown, sorted(unshown)


def _is_live(row: Row) -> bool:
    return not row.version.deleted


_ROUNDS = 100
"""How long a chain of versions that only references lead to may be."""


def close(client: ConfluentClient, gathered: RegistryContent, pool: WorkerPool) -> RegistryContent:
    """Add what references lead to and is missing, so that every reference that the registry can resolve is resolved.

    A subject that could not be read is not tried again.
    """
    tried: set[tuple[str, int]] = set()
    for _ in range(_ROUNDS):
        missing = [version for version in _missing(client, gathered) if (version.subject, version.number) not in tried]
        if not missing:
            break
        tried |= {(version.subject, version.number) for version in missing}
        answers = map_concurrently(missing, lambda version: read_one(client, version), pool=pool)
        rows = [row for row in answers if not isinstance(row, ScannerError)]
        # Not found is not reported here: resolving the reference reports which schema misses it.
        errors = [
            (version.subject, answer)
            for version, answer in zip(missing, answers, strict=True)
            if isinstance(answer, ScannerError) and not isinstance(answer, NotFound)
        ]
        gathered = gathered + separate_rows(rows) + unread_subjects(client, errors)
    return gathered


def _missing(client: ConfluentClient, gathered: RegistryContent) -> list[Wanted]:
    find = finder(row.version for row in gathered.rows.values())
    targets = {
        _target(row.version.context, reference, client.origin.kind)
        for row in gathered.rows.values()
        for reference in row.version.references
        if find_reference(row.version.context, reference, find) is None
    }
    return [
        Wanted(subject=subject, number=number, live=True)
        for subject, number in sorted(targets)
        if qualified_subject(*parse_subject(subject, client.origin.kind)) not in gathered.unread
    ]


def _target(context: str, reference: Reference, kind: str) -> tuple[str, int]:
    """Return the name to request: a reference without a context of its own stays in its schema's context."""
    inherits = parse_subject(reference.subject, kind)[1] == reference.subject
    return qualified_subject(context, reference.subject) if inherits else reference.subject, reference.version


_CCOMPAT = ("apis", "ccompat", "v7")


def read_confluent(settings: RegistrySettings, http: Http, progress: Progress) -> Reading:
    """Read every version that a Confluent-compatible registry has, with the fewest requests.

    Raises SourceRefused and SourceUnreachable where not even the list of subjects can be read; other failures give
    a partial result, with the names of the rest. Sources: Confluent Schema Registry API, Karapace, Apicurio's
    ccompat/v7 (whose path is added where `url` names none).
    """
    return read_registry(settings, http, progress, WorkerPool(threads=settings.http.concurrency))


def read_registry(settings: RegistrySettings, http: Http, progress: Progress, pool: WorkerPool) -> Reading:
    """Do what `read_confluent` does, with a *pool* of one's own."""
    client = compatible_client(settings, http)
    gathered = _all_content(settings, client, progress, pool)
    if not gathered.rows and not gathered.unread:
        check_context(client)
    gathered = close(client, gathered, pool)
    gathered = add_associations(settings, client, gathered, pool)
    gathered = add_aliases(settings, client, gathered, pool, progress)
    gathered = add_levels(client, gathered, pool) if settings.compatibility else gathered
    return as_result(settings, gathered, http.requests)


def _all_content(
    settings: RegistrySettings, client: ConfluentClient, progress: Progress, pool: WorkerPool
) -> RegistryContent:
    problems: tuple[Problem, ...] = ()
    try:
        rows = read_bulk(client, deleted=settings.deleted, report=lambda done: progress(settings.source, done, None))
        if rows is not None:
            return rows
    except PagesWithoutEnd as error:
        return separate_rows(error.items) + truncated_list(settings.source, error)
    except (NotFound, SourceObjected):
        pass  # a registry without the bulk endpoint, as most are that only resemble Confluent's
    except ScannerError as error:
        problems = (_no_bulk(settings, error),)
    walked = walk(
        client,
        pool,
        deleted=settings.deleted,
        report=lambda done, total: progress(settings.source, done, total),
    )
    return replace(walked, problems=(*problems, *walked.problems))


def _no_bulk(settings: RegistrySettings, error: ScannerError) -> Problem:
    hint = "every subject was requested separately, which takes many requests"
    return Problem(str(settings.source), f"reading in bulk failed: {error}", hint)


def compatible_client(settings: RegistrySettings, http: Http) -> ConfluentClient:
    """Return the client of a registry's Confluent-compatible API."""
    origin = Origin(source=settings.source, kind=settings.type, context=one_context(settings))
    return ConfluentClient(http, origin, compatible_base(settings))


def compatible_base(settings: RegistrySettings) -> tuple[str, ...]:
    """Return the steps of the compatible API's path that `url` does not name."""
    return _CCOMPAT if settings.type == "apicurio" and "/apis/" not in f"{settings.http.url}/" else ()


def add_levels(client: ConfluentClient, gathered: RegistryContent, pool: WorkerPool) -> RegistryContent:
    """Add the level that holds for each live subject: its own, else the registry's; then the registry's version.

    A level that cannot be read stays unknown; the first failure is reported with how many there are. A version that
    cannot be read is not reported: registries before 7.0, and those of others, have none.
    """
    names = {qualified_subject(row.version.context, row.version.subject) for row in gathered.rows.values()}
    subjects = sorted(names)
    answers = dict(zip(subjects, map_concurrently(subjects, client.compatibility, pool=pool), strict=True))
    failures = [answer for answer in answers.values() if isinstance(answer, ScannerError)]
    levels = {subject: answer for subject, answer in answers.items() if isinstance(answer, str)}
    rows = {key: _with_level(row, levels) for key, row in gathered.rows.items()}
    problems = (levels_failed(client.origin.source, failures[0], len(failures)),) if failures else ()
    problems = (*gathered.problems, *problems)
    return replace(gathered, rows=rows, problems=problems, server_version=_server_version(client))


def _server_version(client: ConfluentClient) -> str:
    if client.origin.kind != "confluent":
        return ""
    try:
        return client.server_version()
    except ScannerError:
        return ""


def _with_level(row: Row, levels: Mapping[str, str]) -> Row:
    level = levels.get(qualified_subject(row.version.context, row.version.subject), "")
    return replace(row, version=replace(row.version, compatibility=level))
