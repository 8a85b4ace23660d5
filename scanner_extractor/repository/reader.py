"""Read a repository: find its files by content, read those of each kind, and return the facts that follow."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from scanner_extractor.http.recording import MANIFEST
from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.applications.modules import OUTSIDE
from scanner_extractor.repository.applications.reader import KnownFiles
from scanner_extractor.repository.applications.settings import files_named_in
from scanner_extractor.repository.charts import installed_helm, with_rendered_charts
from scanner_extractor.repository.code_owners import OWNER_FILES, CodeOwners, code_owners, owned_in_files
from scanner_extractor.repository.context import Context, Texts
from scanner_extractor.repository.declared import Collector
from scanner_extractor.repository.files import (
    Entry,
    RepositoryFile,
    UnreadText,
    directory_files,
    text_of,
)
from scanner_extractor.repository.globs import glob_pattern
from scanner_extractor.repository.kinds import KINDS, TEMPLATE, Kind
from scanner_extractor.repository.notebooks import ENDING, named_as_notebook, with_notebooks
from scanner_extractor.repository.programs import APPLICATION, TERRAFORM
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.repository.settings import RepositorySettings, TopicFiles
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.topic_files.settings import (
    FILE,
    KIND,
    MEMBER,
    is_listed,
    read_topic_files,
    settings_of,
)
from scanner_extractor.repository.undeclared import (
    UNDECLARED,
    is_program,
    leave_undeclared,
    may_be_undeclared,
    read_paths,
)
from scanner_extractor.repository.variables import MOST_GROWTH, Variables
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.deployment.reader import declared_facts
from scanner_model.catalogs import CatalogTable
from scanner_model.declarations import UNREAD_HINT, UnreadFile
from scanner_model.documents.json_positions import repeated_members
from scanner_model.errors import InputInvalid, Problem, ScannerError, SourceUnreachable
from scanner_model.facts import Facts
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import TopicName
from scanner_model.schemas import Registry

SETTINGS = "settings"
"""What files that set variables are counted as."""
_READ_BY_NAME = words(".sql .ksql .avsc .avdl .avpr .proto .yaml .yml .sh .tf .json .properties .ipynb")
MOST_TEXT = 64 * 1024 * 1024
"""Characters of the files that are read together."""


MOST_FAILING = 20
"""Files of a repository whose readers may fail."""
_LOG = logging.getLogger(__name__)


class _Classified(NamedTuple):
    """A file with the names of its kinds, and whether it sets variables; without a text, *unread* says why."""

    file: RepositoryFile | None
    kinds: tuple[str, ...]
    sets_variables: bool
    unread: str = ""


@dataclass(slots=True)
class SharedReadings:
    """What several readings of a repository share, such as those of two commits: equal files are read once.

    *files* are classified files by identity, *sources* what is known of source files, *texts* their texts.
    """

    files: dict[str, _Classified] = field(default_factory=dict)
    sources: KnownFiles = field(default_factory=KnownFiles)
    texts: Texts = field(default_factory=Texts)


def read_directory(settings: RepositorySettings, progress: Progress) -> Reading:
    """Read a directory, with the fields that programs use; raises SourceUnreachable where it cannot be listed.

    If there are other repositories beside it, the places of flows and uses start with the name of the repository.
    """
    reading = directory_reading(settings, progress)
    reading = reading.with_facts({FieldUse: reading.field_uses()})
    name = settings.name or PurePosixPath(settings.pattern).name
    return _with_home(reading, name) if settings.beside and name else reading


def _with_home(reading: Reading, name: str) -> Reading:
    def at(place: str) -> str:
        return f"{name}/{place}" if place and not place.startswith(OUTSIDE) else place

    flows = (replace(flow, evidence=at(flow.evidence)) for flow in reading.of(DeclaredFlow))
    uses = (replace(use, places=tuple(map(at, use.places))) for use in reading.of(FieldUse))
    return reading.with_facts({DeclaredFlow: flows, FieldUse: uses})


def directory_reading(
    settings: RepositorySettings, progress: Progress, helm: Callable[[], str | None] = installed_helm
) -> RepositoryReading:
    """Read a directory, and return what was found in which files; raises SourceUnreachable if it cannot be listed.

    *helm* returns the program that renders charts; None: they are left as they are.
    """
    try:
        entries = list(directory_files(settings.directory))
    except OSError as error:
        what = f"the directory cannot be listed: {error.strerror or error}"
        raise SourceUnreachable(what, where=str(settings.directory), hint="name a directory") from error
    charts = with_rendered_charts(entries, None if settings.kinds else helm())
    return read_entries(settings, charts.entries, progress, failures=charts.failures)


def read_entries(
    settings: RepositorySettings,
    entries: Iterable[Entry],
    progress: Progress,
    shared: SharedReadings | None = None,
    failures: Mapping[str, str] = MappingProxyType({}),
) -> RepositoryReading:
    """Read the files *entries* together; what is *shared* with another reading is not read again, and is filled in.

    *failures* are charts that were not rendered, with the reason. If a reader fails with an exception of its own, the
    file that it read is left, and all others are read without it: up to MOST_FAILING files.
    """
    listed, broken = tuple(entries), dict[str, str]()
    while True:
        rest = [entry for entry in listed if entry.path not in broken]
        try:
            return _read_entries(settings, rest, progress, shared or SharedReadings(), {**failures, **broken}, broken)
        except ScannerError:
            raise
        except Exception as error:
            path = _file_in(error)
            if path is None or path in broken or len(broken) >= MOST_FAILING:
                raise
            _LOG.debug("the reader of %s failed", path, exc_info=True)
            broken[path] = f"scanner's reader failed: {type(error).__name__} (this is a defect of scanner)"


def _file_in(error: Exception) -> str | None:
    """Return the path of the file that was read when *error* was raised; None if no function had one."""
    path, trace = None, error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if isinstance(value, RepositoryFile | Entry):
                path = value.path
        trace = trace.tb_next
    return path


def _read_entries(
    settings: RepositorySettings,
    entries: Iterable[Entry],
    progress: Progress,
    shared: SharedReadings,
    failures: Mapping[str, str],
    broken: Collection[str],
) -> RepositoryReading:
    every = {entry.path: entry for entry in with_notebooks(entries)}
    listed = {path: entry for path, entry in every.items() if _is_chosen(path, settings.files)}
    captures = tuple(path.removesuffix(MANIFEST) for path in listed if f"/{path}".endswith(f"/{MANIFEST}"))
    # What servers answered another scan is no declaration.
    listed = {path: entry for path, entry in listed.items() if not captures or not path.startswith(captures)}
    variables = Variables(given=settings.variables, secret_names=settings.secret_names)
    collector = Collector(source=settings.source, secret_names=settings.secret_names)
    context = Context(
        source=settings.source,
        variables=variables,
        collector=collector,
        entries=listed,
        engine=settings.engine,
        pattern=settings.pattern,
        sources=shared.sources,
        texts=shared.texts,
        beside=settings.beside,
    )
    for path, reason in failures.items():
        context.leave(path, "file" if path in broken else TEMPLATE, reason)
    own = None if settings.kinds else every.get(FILE)
    mappings = (*settings.topic_files, *_topic_files(own, context))
    found = _found(listed.values(), settings, context, progress, shared, mappings)
    read_topic_files(mappings, found.get(KIND, ()), context)
    for kind in KINDS:
        kind.read(found.get(kind.name, ()), context)
    _leave_undeclared(found, context)
    if variables.left <= 0:
        what = f"its variables add more than {MOST_GROWTH} characters to its texts"
        collector.problem("", what, "placeholders after that are not replaced")
    collector.problems += _repeated_members(context)
    files = {kind: tuple(named_as_notebook(file.path) for file in group) for kind, group in found.items()}
    result = _result(context, _code_owners(every))
    if any(ENDING in path for path in listed):
        result = _of_notebooks(result)
    return RepositoryReading(
        outcome=result.outcome,
        facts=result.facts,
        problems=result.problems,
        field_uses=lambda: (*context.declared_uses, *context.field_uses()),
        changed_fields=lambda paths: context.changed_fields(paths),
        programs=context.programs,
        files=files,
        table_files=tuple(context.table_files),
        chart_files=tuple(context.chart_files),
        seen=len(listed),
        levels=context.levels,
        schema_files=context.schema_files,
        forms=mappings,
        rights=context.rights,
    )


def _of_notebooks(reading: Reading) -> Reading:
    """Return a reading with the places of notebooks, not those of the programs that they were read as."""
    flows = (replace(flow, evidence=named_as_notebook(flow.evidence)) for flow in reading.of(DeclaredFlow))
    unread = (replace(file, name=named_as_notebook(file.name)) for file in reading.of(UnreadFile))
    return reading.with_facts({DeclaredFlow: flows, UnreadFile: unread})


def _leave_undeclared(found: dict[str, list[RepositoryFile]], context: Context) -> None:
    """Leave the files that no reader understood, without the settings of programs that are read."""
    waiting = [file.path for file in found.pop(UNDECLARED, ())]
    is_program_read = any(is_program(file.path) for file in found.get(APPLICATION, ()))
    named = files_named_in(file.text for file in found.get(APPLICATION, ()) if is_program(file.path))
    waiting = [path for path in waiting if path.rpartition("/")[2] not in named]  # read as settings of the program
    claiming = (SETTINGS, APPLICATION, TERRAFORM, "commands in YAML") if is_program_read else (TERRAFORM,)
    leave_undeclared(waiting, read_paths(context, found, (*claiming, "script")), context)


def _repeated_members(context: Context) -> Iterator[Problem]:
    """Yield the members that a JSON file has twice, of files that declare something; schemas report their own."""
    places = {declaration.place for declaration in context.collector.declarations.values()}
    for path in sorted({place.rpartition(":")[0] or place for place in places}):
        text = context.text(path) if path.endswith(".json") and path in context.entries else None
        yield from () if text is None else repeated_members(text, path)


def _code_owners(entries: Mapping[str, Entry]) -> CodeOwners:
    """Return the owners of files; none where no CODEOWNERS file can be read."""
    for path in OWNER_FILES:
        if path in entries:
            with suppress(UnreadText):
                return code_owners(text_of(entries[path]).text)
    return code_owners("")


def _topic_files(entry: Entry | None, context: Context) -> tuple[TopicFiles, ...]:
    """Return the topic files that the settings file of the directory lists; one that is not valid is left."""
    try:
        return settings_of(text_of(entry).text) if entry is not None else ()
    except InputInvalid as error:
        context.leave(FILE, MEMBER, f"{error.where}: {error.what}" if error.where else error.what)
    except UnreadText as error:
        context.leave(FILE, MEMBER, str(error))
    return ()


def _found(
    entries: Iterable[Entry],
    settings: RepositorySettings,
    context: Context,
    progress: Progress,
    shared: SharedReadings,
    mappings: tuple[TopicFiles, ...],
) -> dict[str, list[RepositoryFile]]:
    found: dict[str, list[RepositoryFile]] = {}
    kinds = [kind for kind in KINDS if not settings.kinds or kind.name in settings.kinds]
    total = 0
    for done, entry in enumerate(entries, start=1):
        file, names, sets_variables, unread = _classified(entry, kinds, context, shared)
        if unread:
            _leave_unread(entry, unread, context)
        elif any(is_listed(form, entry.path) for form in mappings):
            file, names = file or text_of(entry), (KIND, *names)
        if file is None:
            continue
        if sets_variables:
            found.setdefault(SETTINGS, []).append(RepositoryFile(file.path, ""))
        if UNDECLARED in names:  # its text is read again if no reader understands the file
            found.setdefault(UNDECLARED, []).append(RepositoryFile(file.path, ""))
            names = names[: names.index(UNDECLARED)]
        if names and total + len(file.text) > MOST_TEXT:
            context.leave(file, names[0], f"the files of the repository have more than {MOST_TEXT // 2**20} MiB")
            continue
        total += len(file.text) if names else 0
        for name in names:
            found.setdefault(name, []).append(file)
        if done % 500 == 0:
            progress(settings.source, done, None)
    return found


def _classified(entry: Entry, kinds: Sequence[Kind], context: Context, shared: SharedReadings) -> _Classified:
    """Return a file with its kinds, and add the variables that it sets; a file that is nothing has no text."""
    known = shared.files.get(entry.identity)
    if known is not None:
        if known.file is not None and known.sets_variables:
            context.variables.add(known.file)
        return known
    try:
        file = text_of(entry)
    except UnreadText as error:
        classified = _Classified(None, (), False, str(error))
    else:
        shared.texts.keep(entry, file.text)
        sets_variables = context.variables.add(file)
        names = tuple(kind.name for kind in kinds if kind.fits(file))
        names = (*names, UNDECLARED) if len(kinds) == len(KINDS) and may_be_undeclared(file) else names
        classified = _Classified(file if names or sets_variables else None, names, sets_variables)
    if entry.identity:
        shared.files[entry.identity] = classified
    return classified


def _leave_unread(entry: Entry, reason: str, context: Context) -> None:
    """Note a file without a text, if its kind may matter."""
    if entry.path.endswith("/"):
        context.leave(entry.path, "directory", reason)
    elif PurePosixPath(entry.path).suffix.lower() in _READ_BY_NAME or is_program(entry.path):
        context.leave(entry.path, "file", reason)


def _is_chosen(path: str, patterns: tuple[str, ...]) -> bool:
    compiled = (glob_pattern(pattern) for pattern in patterns)
    return not patterns or any(pattern is not None and pattern.fits(path) for pattern in compiled)


def _result(context: Context, owners: CodeOwners) -> Reading:
    collector, source = context.collector, context.source
    unread = tuple(
        UnreadFile(source=source, name=path, kind=kind, reason=reason)
        for (path, kind), reason in sorted(context.unread.items())
    )
    count = len(collector.declarations) + len(collector.statements) + len(context.versions)
    count += len(context.tables) + len(context.schemas)
    declared = Facts(facts=(*_with_flows(declared_facts(collector), context).facts, *context.schemas))
    return Reading(
        outcome=answered(source, "repository", count),
        facts=(
            *declared.facts,
            *([Registry(source=source, kind="files", url="")] if context.versions else []),
            *(replace(version, compatibility=context.level(version.subject)) for version in context.versions),
            *_distinct_tables(context.tables),
            *context.rights,
            *dict.fromkeys(context.links),
            *{note.name: note for note in context.annotations}.values(),
            *owned_in_files(source, declared, context.schema_files, owners),
            *unread,
        ),
        problems=(
            *dict.fromkeys(collector.problems),
            *(Problem(f"{source} {file.name}", f"{file.kind}: {file.reason}", UNREAD_HINT) for file in unread),
        ),
    )


def _distinct_tables(tables: Iterable[CatalogTable]) -> tuple[CatalogTable, ...]:
    """Return the tables, of two with one name the first."""
    named: dict[tuple[str, str], CatalogTable] = {}
    for table in tables:
        named.setdefault((table.namespace, table.name), table)
    return tuple(named[name] for name in sorted(named))


def _with_flows(declared: Facts, context: Context) -> Facts:
    """Return *declared* with all flows, and with every topic that any file names: patterns are resolved by these."""
    flows, topics = declared.of(DeclaredFlow), declared.of(Topic)
    ends = {end.name for flow in flows for end in (flow.origin, flow.target) if not end.namespace}
    named = {*filter(is_topic_name, ends), *context.topic_names()} - {topic.name for topic in topics}
    return declared.with_facts(
        {
            Topic: (*topics, *(Topic(source=context.source, name=TopicName(name)) for name in sorted(named))),
            Connector: (_with_outbox(connector, context) for connector in declared.of(Connector)),
            DeclaredFlow: (*flows, *context.flows),
        }
    )


def _with_outbox(connector: Connector, context: Context) -> Connector:
    """Return a connector of an outbox table with its topics, where the code of its writers names their events."""
    config = dict(connector.config)
    aggregates = context.aggregates.get(config.get("database.dbname", ""), ())
    routers = [key.removesuffix(".type") for key, value in config.items() if value.endswith(".outbox.EventRouter")]
    by_type = len(routers) == 1 and f"{routers[0]}.route.by.field" not in config
    if not aggregates or not by_type or "," in config.get("table.include.list", ","):
        return connector
    form = config.get(f"{routers[0]}.route.topic.replacement", "outbox.event.${routedByValue}")
    return replace(connector, topics=tuple(TopicName(form.replace("${routedByValue}", text)) for text in aggregates))
