"""One commit of a repository: what all of its files declare, the dictionary that holds it, and its jobs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.flink.resolve import CONFLUENT_FILE
from dataflow_generator.jobs.kinds import UNREAD_FILE, CountedJob, job_partitions, lookup_context, read_partition
from dataflow_generator.jobs.model import GraphDataset
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_catalog
from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.model import ChangeFinding, Place
from scanner_check.rows.files import NOT_READ
from scanner_check.sides.changed_jobs import moves_of
from scanner_check.users.other_repositories import without_subjects, write_repositories
from scanner_check.users.others import CLUSTER
from scanner_extractor.repository.applications.endpoints import ProgramEndpoints
from scanner_extractor.repository.applications.reader import KnownFiles
from scanner_extractor.repository.context import STATEMENT
from scanner_extractor.repository.files import Entry, is_candidate, is_left_out
from scanner_extractor.repository.reader import SETTINGS, SharedReadings, read_entries
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.repository.topic_files.settings import FILE
from scanner_extractor.repository.undeclared import names_in
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.schemas.parsing import ParseRequest, parse_in_process
from scanner_model.catalogs import Annotation
from scanner_model.columns import ParsedSchema
from scanner_model.declarations import UNRESOLVED_USE, Declaration, DeclaredKind, UnreadFile
from scanner_model.documents.json_input import load_text
from scanner_model.field_uses import FieldUse
from scanner_model.lazy_names import load
from scanner_model.manual import DeclaredFlow
from scanner_model.schemas import SchemaVersion
from scanner_model.streaming_sql import StreamingStatement

_GENERATE = "dataflow_generator.build.store:generate"
"""What generates a graph is imported when a finding needs one."""
_LISTED = 10
_UNDECLARED = "flink://"
"""What the names of Flink's own tables begin with."""


class Commit:
    """One commit: what its files declare, the dictionary that holds it, and its jobs, each made when it is needed.

    A commit whose files declare the same as those of *base*, another commit, has its jobs.
    """

    def __init__(
        self,
        reading: RepositoryReading,
        place: Path,
        texts: ParsedTexts,
        base: Commit | None = None,
        others: Sequence[Reading] = (),
    ) -> None:
        self.reading = reading
        self._place, self._texts, self._others = place, texts, others
        self._base = base if base is not None and _facts(base.reading) == _facts(reading) else None

    @cached_property
    def programs(self) -> ProgramEndpoints:
        """Return what evaluates the programs."""
        assert self.reading.programs is not None  # files of all kinds are read
        return self.reading.programs()

    @cached_property
    def dictionary(self) -> Dictionary:
        """Return a dictionary with what the files declare, and the other repositories."""
        return self._stored(self.reading, self._place)

    @cached_property
    def with_field_uses(self) -> Dictionary:
        """Return a dictionary with the fields that programs use, too: reading them takes as long as all else."""
        reading = self.reading.with_facts({FieldUse: self.reading.field_uses()})
        return self._stored(reading, self._place.with_suffix(".fields.db"))

    def _stored(self, reading: Reading, place: Path) -> Dictionary:
        others = (without_subjects(other, self.schemas) for other in self._others)
        return write_repositories(place, (reading, *others), self._texts.read)

    @cached_property
    def with_graph(self) -> Dictionary:
        """Return the dictionary with the graph of the commit."""
        load(_GENERATE)(self.dictionary.writing())
        return self.dictionary

    @cached_property
    def jobs(self) -> tuple[CountedJob, ...]:
        """Return the jobs that the files declare."""
        if self._base is not None:
            return self._base.jobs
        with self.dictionary.reading() as conn:
            snapshot = load_snapshot(conn)
            context = lookup_context(snapshot)
            return tuple(
                job
                for part in job_partitions(snapshot)
                for job in read_partition(part, context).jobs
                if ("type", UNREAD_FILE) not in job.flows.job.attributes
            )

    def file_of(self, job: CountedJob) -> str:
        """Return the path of the file that declares a job; empty if that is not known."""
        name = job.flows.job.name
        place = self._places.get(name) or self._places.get(name.rpartition(":")[0], "")
        uses = (*job.flows.reads, *job.flows.writes)
        place = place or next((use.evidence for use in uses if use.evidence), "")
        return place.rpartition(":")[0] if place[-1:].isdigit() else place

    @cached_property
    def _places(self) -> Mapping[str, str]:
        """Return where jobs are declared, by their names."""
        reading = self.reading
        places = {flow.job: flow.evidence for flow in reading.of(DeclaredFlow)}
        places |= {statement.name: statement.detail for statement in reading.of(StreamingStatement)}
        return places | {entry.name: entry.place for entry in reading.of(Declaration)}

    @cached_property
    def topics(self) -> frozenset[str]:
        """Return the topics that files create; one that a statement only names has to be there already."""
        declared = self.reading.of(Declaration)
        topics = (entry for entry in declared if entry.kind is DeclaredKind.TOPIC and entry.tool != STATEMENT)
        return frozenset(entry.name for entry in topics)

    def kind(self, path: str) -> str:
        """Return as what the file at *path* is read; empty where it is not there, or nothing that is read is in it."""
        if path in self.unread:
            return self.unread[path].kind
        kinds = [kind for kind, files in self.reading.files.items() if path in files]
        has_schema = bool(self.reading.schema_files.get(path))
        if has_schema and (not kinds or "schema" in kinds):
            return "schema"
        is_read = path in self.reading.places or SETTINGS in kinds or path in self._annotated or has_schema
        return kinds[0] if kinds and is_read else ""

    @cached_property
    def _annotated(self) -> frozenset[str]:
        """Return the files with the owner or description of a topic, which another file may declare, too."""
        return frozenset(note.name.rpartition("#")[0] for note in self.reading.of(Annotation) if note.topic)

    @cached_property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Return the texts of each subject, the newest last."""
        texts: dict[str, tuple[str, ...]] = {}
        for version in self.reading.of(SchemaVersion):
            texts[version.subject] = (*texts.get(version.subject, ()), version.text)
        return texts

    @cached_property
    def tables(self) -> frozenset[str]:
        """Return the tables that statements declare where a table is the topic of its name."""
        declared = self.reading.of(StreamingStatement)
        texts = (statement.statement for statement in declared if statement.engine == CONFLUENT_FILE)
        return frozenset(name[-1] for text in texts for name in read_catalog(text, Dialect.FLINK).tables)

    @cached_property
    def used(self) -> frozenset[GraphDataset]:
        """Return what the jobs read and write."""
        return frozenset(dataset for job in self.jobs for dataset in uses_of(job))

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of the topics that files declare, and that jobs read and write."""
        used = (dataset.name for dataset in self.used if dataset.kind is NodeKind.TOPIC)
        return frozenset((*self.topics, *self.tables, *used))

    @cached_property
    def unread(self) -> Mapping[str, UnreadFile]:
        """Return the files that may declare flows and are not read, by path."""
        files = (file for file in self.reading.of(UnreadFile) if file.kind != UNRESOLVED_USE)
        return {file.name.partition(":")[0]: file for file in files}


class CommitReader:
    """Reads commits of one repository; what their files have in common is read once.

    *beside* are the directories of other repositories, *others* what these declare, *changed* the files that differ.
    """

    def __init__(
        self,
        objects: ObjectReader,
        directory: Path,
        beside: tuple[Path, ...] = (),
        others: Sequence[Reading] = (),
        changed: Iterable[str] = (),
    ) -> None:
        self._objects, self._directory = objects, directory
        self._beside, self._others = beside, others
        self._shared, self._texts = SharedReadings(), ParsedTexts()
        self.sources.endpoints.changed = frozenset(changed)
        self._settings = ""

    @property
    def sources(self) -> KnownFiles:
        """Return what is known of source files, for all commits."""
        return self._shared.sources

    def read(self, files: Mapping[str, str], name: str, base: Commit | None = None) -> Commit:
        """Read the *files* of a commit, names of objects by path; its dictionary will be called *name*.

        Files of a form of the user's own are read as the settings of the *base* describe them, in both commits: the
        change that is judged does not say how it is read.
        """
        if base is None:
            self._settings = files.get(FILE, "")
        files = {path: content for path, content in files.items() if path != FILE}
        files |= {FILE: self._settings} if self._settings else {}
        entries = [
            Entry(path, partial(self._objects.read, content), f"{content}:{path}")
            for path, content in sorted(files.items())
            if is_candidate(path) and not is_left_out(path)
        ]
        self._objects.expect(files[entry.path] for entry in entries if entry.identity not in self._shared.files)
        settings = RepositorySettings(pattern=".", directory=Path(), name=CLUSTER, beside=self._beside)
        reading = read_entries(settings, entries, no_progress, self._shared)
        return Commit(reading, self._directory / f"{name}.db", self._texts, base, self._others)


class ParsedTexts:
    """Parses schema texts, each once for all commits."""

    def __init__(self) -> None:
        self._known: dict[Hashable, ParsedSchema] = {}

    def read(self, requests: Sequence[ParseRequest]) -> Iterator[ParsedSchema]:
        """Yield the columns of every text, in the order given."""
        keys = [(one.format, one.text, tuple(sorted(one.texts.items())), one.tags, one.record) for one in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._known}
        self._known |= zip(new, parse_in_process(list(new.values())), strict=True)
        yield from (self._known[key] for key in keys)


def _facts(reading: RepositoryReading) -> tuple[object, ...]:
    """Return what a repository declares, without the paths of its files."""
    return reading.outcome, reading.facts, reading.table_files, reading.levels


def written_by(job: CountedJob) -> frozenset[GraphDataset]:
    """Return what a job writes."""
    return frozenset(use.dataset for use in job.flows.writes)


def read_by(job: CountedJob) -> frozenset[GraphDataset]:
    """Return what a job reads."""
    return frozenset(use.dataset for use in job.flows.reads)


def uses_of(job: CountedJob) -> frozenset[GraphDataset]:
    """Return what a job reads or writes."""
    return read_by(job) | written_by(job)


def files_using(job: CountedJob) -> frozenset[str]:
    """Return the files where a job uses a topic or table."""
    return frozenset(use.evidence.rpartition(":")[0] for use in (*job.flows.reads, *job.flows.writes))


def signature(job: CountedJob) -> tuple[object, ...]:
    """Return what a job does, without its name and where it is written."""
    return *moves_of(job), job.coverage.unread


def differing(base: Commit, head: Commit) -> tuple[tuple[CountedJob, ...], tuple[CountedJob, ...]]:
    """Return the jobs that have no equal on the other side; a job that is renamed or moved does the same.

    A job that its own file declares otherwise now has no equal elsewhere: a copy of its former self stands for nothing.
    """
    at_home = {id(job) for job in _changed_at_home(base, head)}
    apart = tuple(job for job in base.jobs if id(job) in at_home)
    before = [job for job in base.jobs if id(job) not in at_home]
    gone, new = _lacking(before, head.jobs, signature), _lacking(head.jobs, before, signature)
    pairs = ((gone, new), (new, gone))
    moved = [_by_names(job) for jobs, others in pairs for job in jobs if _has_undeclared(job)]
    left, right = (
        _lacking(jobs, [job for job in others if _by_names(job) in moved], _by_names) for jobs, others in pairs
    )
    return (*apart, *left), right


def _changed_at_home(base: Commit, head: Commit) -> Iterator[CountedJob]:
    """Yield the jobs of *base* whose own file has a job that writes the same, or has the name, and does otherwise."""
    now: dict[str, list[CountedJob]] = {}
    for job in head.jobs:
        now.setdefault(head.file_of(job), []).append(job)
    for job in base.jobs:
        own = now.get(base.file_of(job), ()) if base.file_of(job) else ()
        if own and all(signature(other) != signature(job) for other in own):
            name, written = job.flows.job.name, written_by(job)
            if any(other.flows.job.name == name or (written and written_by(other) == written) for other in own):
                yield job


def _has_undeclared(job: CountedJob) -> bool:
    """Return whether a job uses a table that no file declares."""
    return any(dataset.namespace.startswith(_UNDECLARED) for dataset in uses_of(job))


def _lacking(
    jobs: Sequence[CountedJob], others: Sequence[CountedJob], same: Callable[[CountedJob], Hashable]
) -> tuple[CountedJob, ...]:
    equal = Counter(map(same, others))
    listed: list[CountedJob] = []
    for job in jobs:
        own = same(job)
        if equal[own]:
            equal[own] -= 1
        else:
            listed.append(job)
    return tuple(listed)


def _by_names(job: CountedJob) -> Hashable:
    """Return what a statement does by the names of its tables, whose topics only the files around it tell.

    A table that no file declares is one of Flink's; any other has to be the same on both sides.
    """
    columns = frozenset(
        (flow.source.dataset.name, flow.source.path, flow.target.dataset.name, flow.target.path, flow.subtype)
        for flow in job.flows.columns
    )
    own = "" if "statement" in dict(job.flows.job.attributes) else job.flows.job.key
    reads, writes = (frozenset(one.name for one in datasets) for datasets in (read_by(job), written_by(job)))
    return own, reads, writes, columns, job.coverage.unread


# --- files that are not read


def broken_files(paths: Iterable[str], trees: Trees, objects: ObjectReader) -> Iterator[ChangeFinding]:
    """Yield those of *paths* whose YAML or JSON cannot be parsed any more: not all of them is read."""
    for path in paths:
        parse = _PARSERS.get(path.rpartition(".")[2])
        if parse is None or path not in trees.head:
            continue
        both = zip((trees.base, trees.head), objects.texts(path, trees), strict=True)
        before, after = (parse(text) if path in tree else "" for tree, text in both)
        is_sequence = path not in trees.base and path.endswith(".json") and _is_sequence(objects.texts(path, trees)[1])
        if after and not is_sequence and (not before or path.endswith((".yaml", ".yml"))):
            line, _, error = after.partition(" ")
            yield NOT_READ.unknown(Place(file=path, line=int(line)), path, error)


def unread_elsewhere(
    files: Mapping[str, UnreadFile], names: Collection[str], tree: Mapping[str, str], objects: ObjectReader
) -> Iterator[ChangeFinding]:
    """Yield the unread *files* of a commit that contain one of *names*, topics that change: a user may be in them."""
    for path, file in sorted(files.items()) if names else ():
        named = sorted(names_in(path, objects.read(tree[path]), names)) if path in tree else ()
        if named:
            yield NOT_READ.unknown(Place(file=path), path, path, tuple(named[:_LISTED]), file.reason, form="elsewhere")


def _yaml_error(text: str) -> str:
    """Return line and reason of the first document of invalid YAML; empty if all are valid."""
    return next((f"{one.line} invalid YAML: {one.error}" for one in parse_yaml(text) if one.error), "")


def _json_error(text: str) -> str:
    """Return line and reason why a text is invalid JSON; empty if it is valid."""
    try:
        load_text(text, strict=False)
    except json.JSONDecodeError as error:
        return f"{error.lineno} invalid JSON: {error.msg}"
    except ValueError as error:
        return f"1 JSON that cannot be read: {error}"
    return ""


def _is_sequence(text: str) -> bool:
    """Return whether a text is several JSON values, one after the other, as some tools take them."""
    for _ in range(_MOST_VALUES):
        try:
            load_text(text, strict=False)
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                return False
            text = text[error.pos :]
        except ValueError:
            return False
        else:
            return True
    return False


_MOST_VALUES = 100
_PARSERS = {"yaml": _yaml_error, "yml": _yaml_error, "json": _json_error}
