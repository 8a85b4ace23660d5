"""Two commits of a repository as all that their files declare: what the change of one into the other does, and to whom.

Neither needs a dictionary: each commit is read as `scanner extract --from` reads a directory, and its graph generated.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import UNREAD_FILE, JobReading, job_partitions, lookup_context, read_partition
from dataflow_generator.jobs.model import Dataset
from dataflow_generator.jobs.proposed import JobPair
from scanner_api.change_check.file_findings import DeletionContext, check_deleted
from scanner_api.change_check.files import ProposedFiles
from scanner_api.change_check.flow_comparison import ChangedJob, FlowComparison
from scanner_api.change_check.git import ObjectReader, Trees, commit_trees, object_reader
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import CheckedFile, Finding, Place, SkippedFile, Verdict
from scanner_api.change_check.proposals import SCHEMA, TOPIC, Proposal, Target
from scanner_api.change_check.proposed_columns import Renames
from scanner_api.change_check.proposed_references import ProposedReferences
from scanner_api.change_check.schema_change import check_schema
from scanner_api.change_check.schema_sides import SchemaContext
from scanner_api.dictionary import Dictionary
from scanner_api.graph.generate import generate
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.repository.context import STATEMENT
from scanner_extractor.repository.files import Entry, is_candidate, is_left_out
from scanner_extractor.repository.reader import SETTINGS, RepositoryReading, read_entries
from scanner_extractor.results import no_progress
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import SourceReadings
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.settings.repository import RepositorySettings
from scanner_model.declarations import DeclaredKind
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import ClusterName
from scanner_model.repository import UnreadFile

_CLUSTER = "repository"
_LISTED = 10
_NOTHING = "nothing that is read stands in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitChanges:
    """What a change between two commits does: *files* were judged, and the others *skipped*, each with the reason."""

    files: tuple[CheckedFile, ...]
    skipped: tuple[SkippedFile, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """One commit: what its files declare, the dictionary that holds it, and its jobs."""

    reading: RepositoryReading
    dictionary: Dictionary
    jobs: tuple[JobReading, ...]

    @property
    def topics(self) -> frozenset[str]:
        """Return the topics that files create; one that a statement only names has to be there already."""
        declared = self.reading.result.declared.declarations
        topics = (entry for entry in declared if entry.kind is DeclaredKind.TOPIC and entry.tool != STATEMENT)
        return frozenset(entry.name for entry in topics)

    @property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Return the texts of each subject, the newest last."""
        texts: dict[str, tuple[str, ...]] = {}
        registry = self.reading.result.registry
        for version in registry.versions if registry else ():
            texts[version.subject] = (*texts.get(version.subject, ()), version.text)
        return texts

    @property
    def unread(self) -> Mapping[str, UnreadFile]:
        """Return the files that may declare flows and are not read, by path."""
        return {file.name.partition(":")[0]: file for file in self.reading.result.unread}


def compare_commits(commits: str, directory: Path = Path(), *, cluster: str = _CLUSTER) -> CommitChanges:
    """Return what the change between the commits `BASE..HEAD`, or `BASE...HEAD`, does to what BASE declares.

    Raises InputInvalid where git is missing or fails, or where the repository does not have a commit.
    """
    trees = commit_trees(commits, directory)
    with ExitStack() as stack:
        objects = stack.enter_context(object_reader(directory))
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scanner-")))
        known: dict[str, bool] = {}
        base, head = (
            _commit(files, objects, place / name, known, cluster)
            for files, name in ((trees.base, "base.db"), (trees.head, "head.db"))
        )
        generate(base.dictionary)
        conn = stack.enter_context(base.dictionary.reading())
        return _Comparison(base, head, trees, conn).changes()


def _commit(
    files: Mapping[str, str], objects: ObjectReader, place: Path, known: dict[str, bool], cluster: str
) -> _Commit:
    entries = [
        Entry(path, partial(objects.read, name), f"{name}:{path}")
        for path, name in sorted(files.items())
        if is_candidate(path) and not is_left_out(path)
    ]
    objects.expect(files[entry.path] for entry in entries if known.get(entry.identity) is not False)
    settings = RepositorySettings(pattern=".", directory=Path(), name=cluster)
    reading = read_entries(settings, entries, no_progress, known)
    result = reading.result
    scanned = merge_results(
        Settings(cluster=ClusterName(cluster), brokers=(), file=Path("cluster.json")),
        SourceReadings(outcomes=(result.outcome,), readings=(result,)),
    )
    dictionary = Dictionary(str(place))
    engine = dictionary.writing(create=True)
    now = datetime.now(UTC)
    write_scan(engine, scanned, started=now, finished=now)
    engine.dispose()
    with dictionary.reading() as conn:
        snapshot = load_snapshot(conn)
        context = lookup_context(snapshot)
        jobs = tuple(
            job
            for part in job_partitions(snapshot)
            for job in read_partition(part, context).jobs
            if ("type", UNREAD_FILE) not in job.flows.job.attributes
        )
    return _Commit(reading=reading, dictionary=dictionary, jobs=jobs)


class _Comparison:
    """Compares two commits."""

    def __init__(self, base: _Commit, head: _Commit, trees: Trees, conn: Connection) -> None:
        self._base = base
        self._head = head
        self._trees = trees
        self._hits = Hits(conn)
        self._conn = conn
        self._judged = {path: kind for path in trees.changed if (kind := self._kind(path))}

    def changes(self) -> CommitChanges:
        findings = [*self._unread(), *self._flows(), *self._schemas(), *self._topics(), *self._not_understood()]
        if any(finding.counts for finding in findings):
            findings += self._elsewhere()
        skipped = tuple(
            SkippedFile(path, self._why_skipped(path)) for path in self._trees.changed if path not in self._judged
        )
        return CommitChanges(
            files=tuple(
                CheckedFile(file=path, kind=kind if path in self._trees.head else "deleted")
                for path, kind in self._judged.items()
            ),
            skipped=skipped,
            findings=tuple(dict.fromkeys(findings)),
        )

    def _kind(self, path: str) -> str:
        """Return as what a changed file is judged; empty where nothing that is read stands in it."""
        for commit in (self._head, self._base):
            if path in commit.unread:
                return commit.unread[path].kind
            kinds = [kind for kind, files in commit.reading.files.items() if path in files]
            if kinds and (path in commit.reading.result.places or {"schema", SETTINGS} & set(kinds)):
                return kinds[0]
        return ""

    def _why_skipped(self, path: str) -> str:
        if not is_candidate(path):
            return "its ending is that of no file that is read"
        return "it is vendored" if is_left_out(path) else _NOTHING

    # --- what is not read

    def _unread(self) -> Iterator[Finding]:
        for path in self._judged:
            unread = self._head.unread.get(path) or self._base.unread.get(path)
            if unread:
                what = f"{unread.kind}: {unread.reason}"
                yield _finding("not-read", Verdict.UNKNOWN, Place(file=path), path, what)

    def _elsewhere(self) -> Iterator[Finding]:
        """Yield one finding for the unread files that the change does not touch: who is hit may stand there."""
        others = [file for path, file in sorted(self._head.unread.items()) if path not in self._judged]
        if others:
            why = tuple(f"{file.name}: {file.kind}: {file.reason}" for file in others[:_LISTED])
            what = f"{len(others)} other files may use what changes, and are not read"
            yield replace(_finding("not-read", Verdict.UNKNOWN, Place(file=""), "the repository", what), why=why)

    # --- flows

    def _flows(self) -> Iterator[Finding]:
        before, after = _differing(self._base.jobs, self._head.jobs)
        if not before and not after:
            return
        pair = JobPair(
            _with_co_writers(before, after, self._base.jobs), _with_co_writers(after, before, self._head.jobs)
        )
        changed = ChangedJob(target="the change", pair=pair)
        start = Place(file=next(iter(self._judged), ""))
        renames = Renames((), self._hits.naming)
        for finding in FlowComparison(changed, self._hits, start, renames).findings():
            if finding.rule not in ("input-gained", "input-lost"):
                yield self._placed(finding, (*before, *after))
        yield from self._inputs(before, after)

    def _inputs(self, before: Sequence[JobReading], after: Sequence[JobReading]) -> Iterator[Finding]:
        """Yield what is read otherwise: a topic that nobody writes or declares is a mistake, or from elsewhere."""
        known = {dataset for job in self._head.jobs for dataset in _written(job)}
        read_before = {dataset for job in before for dataset in _read(job)}
        lost = {dataset for dataset in read_before if not any(dataset in _read(job) for job in after)}
        for job in after:
            for dataset in sorted(_read(job) - read_before):
                place = self._place((job,))
                target = f"job {job.flows.job.name}"
                declared = dataset.kind is not NodeKind.TOPIC or dataset.name in self._head.topics
                if dataset in known or declared:
                    yield _finding("input-gained", Verdict.FINE, place, target, f"{dataset.name} is read", dataset.name)
                    continue
                had = [other for other in lost if other.kind is NodeKind.TOPIC]
                verdict = Verdict.IMPACT if had else Verdict.UNKNOWN
                instead = f", instead of {', '.join(other.name for other in sorted(had))}" if had else ""
                what = f"{dataset.name} is read{instead}, which nothing in the repository writes or declares"
                hit = tuple(hit for written in sorted(_written(job)) for hit in self._hits.of(written))
                finding = _finding("input-without-writer", verdict, place, target, what, dataset.name)
                yield replace(finding, affected=tuple(dict.fromkeys(hit)))
        for dataset in sorted(lost):
            place = self._place(before)
            yield _finding("input-lost", Verdict.FINE, place, "the change", f"{dataset.name} is not read any more")

    def _placed(self, finding: Finding, jobs: Sequence[JobReading]) -> Finding:
        """Return a finding with the job that it is of, and the file of that."""
        writing = [job for job in jobs for dataset in _written(job) if _is_of(finding.item, dataset)]
        named = [job for job in jobs if job.flows.job.name == finding.item]
        owners = writing or named
        if not owners:
            return finding
        target = f"job {owners[0].flows.job.name}"
        return replace(finding, target=target, place=self._place(owners))

    def _place(self, jobs: Iterable[JobReading]) -> Place:
        """Return the changed file that one of *jobs* stands in, else the first."""
        for job in jobs:
            texts = [job.flows.job.name, *(use.evidence for use in (*job.flows.reads, *job.flows.writes))]
            texts += [flow.evidence for flow in job.flows.columns[:1]]
            statement = str(dict(job.flows.job.attributes).get("statement", ""))
            for commit in (self._head, self._base):
                texts.append(commit.reading.result.place_of(job.flows.job.name, statement))
            for text in filter(None, texts):
                for path in self._judged:
                    if path in text:
                        line = text[text.index(path) + len(path) :].removeprefix(":").partition(":")[0]
                        return Place(file=path, line=int(line) if line.isdigit() else 1)
        return Place(file=next(iter(self._judged), ""))

    # --- schemas and topics

    def _schemas(self) -> Iterator[Finding]:
        before, after = self._base.schemas, self._head.schemas
        context = SchemaContext(
            conn=self._conn,
            hits=self._hits,
            proposed=ProposedReferences(self._schema_proposal(subject, texts[-1]) for subject, texts in after.items()),
        )
        deletion = DeletionContext(self._base.dictionary, self._hits, None)
        for subject, texts in sorted(before.items()):
            newest = after.get(subject)
            if newest == texts:
                continue
            proposal = self._schema_proposal(subject, newest[-1] if newest else None)
            try:
                if proposal.text is None:
                    yield from check_deleted(proposal, ProposedFiles(proposals=(proposal,)), deletion)[1]
                else:
                    yield from check_schema(proposal, context)[1]
            except (InputInvalid, NameUnknown) as error:
                yield _finding("not-read", Verdict.UNKNOWN, Place(file=proposal.file), f"subject {subject}", error.what)
        for subject in sorted(after.keys() - before.keys()):
            place = Place(file=self._schema_file(subject))
            yield _finding("schema-added", Verdict.FINE, place, f"subject {subject}", "the subject is new")

    def _schema_proposal(self, subject: str, text: str | None) -> Proposal:
        return Proposal(file=self._schema_file(subject), text=text, kind=SCHEMA, target=Target(subject=subject))

    def _schema_file(self, subject: str) -> str:
        """Return the changed file of a subject; of several, one that is called like it."""
        listed = [path for path, kind in self._judged.items() if kind == "schema"]
        stem = subject.rpartition(".")[2].removesuffix("-value").removesuffix("-key").casefold()
        alike = [path for path in listed if stem in path.rpartition("/")[2].casefold()]
        return next(iter(alike or listed or self._judged), "")

    def _topics(self) -> Iterator[Finding]:
        deletion = DeletionContext(self._base.dictionary, self._hits, None)
        used = {dataset.name for job in self._head.jobs for dataset in (*_read(job), *_written(job))}
        for topic in sorted(self._base.topics - self._head.topics):
            file = self._topic_file(topic)
            proposal = Proposal(file=file, text=None, kind=TOPIC, target=Target(topic=topic))
            try:
                listed = check_deleted(proposal, ProposedFiles(proposals=(proposal,)), deletion)[1]
            except NameUnknown:
                listed = ()
            if topic in used:
                what = f"the topic {topic} is not declared any more, and is used"
                yield _finding("topic-gone", Verdict.IMPACT, Place(file=file), f"topic {topic}", what, topic)
            yield from listed

    def _topic_file(self, topic: str) -> str:
        for declared in self._base.reading.result.declared.declarations:
            file = declared.place.rpartition(":")[0]
            if declared.kind is DeclaredKind.TOPIC and declared.name == topic and file in self._judged:
                return file
        return next(iter(self._judged), "")

    # --- changes whose effect is not known

    def _not_understood(self) -> Iterator[Finding]:
        """Yield the jobs whose texts differ, and of which neither side is wholly understood."""
        after = {job.flows.job.key: job for job in self._head.jobs}
        changed = _texts(self._base).items() ^ _texts(self._head).items()
        names = {name for name, _ in changed}
        for job in self._base.jobs:
            other = after.get(job.flows.job.key)
            name = job.flows.job.name
            text = name if name in names else name.rpartition(":")[0]
            if other is None or text not in names or _signature(job) != _signature(other):
                continue
            problems = tuple(problem.what for problem in other.coverage.problems)
            if problems or other.coverage.unread or other.coverage.unknown_connectors:
                what = f"{name} is changed, and what it does is not all known"
                place = self._place((other,))
                yield replace(_finding("not-read", Verdict.UNKNOWN, place, f"job {name}", what, name), why=problems)


def _texts(commit: _Commit) -> Mapping[str, str]:
    """Return the configuration or the text of each connector and file of statements, by its name."""
    declared = commit.reading.result.declared
    texts = {entry.name: repr(entry.config) for entry in declared.declarations if entry.kind is DeclaredKind.CONNECTOR}
    return {**texts, **{statement.name: statement.statement for statement in declared.statements}}


_Signature = tuple[frozenset[Dataset], frozenset[Dataset], frozenset[tuple[str, ...]], int]


def _signature(job: JobReading) -> _Signature:
    """Return what a job does, without where it is written."""
    flows = job.flows
    columns = frozenset((flow.source.key, flow.target.key, flow.type, flow.subtype) for flow in flows.columns)
    return _read(job), _written(job), columns, job.coverage.unread


def _differing(
    before: Sequence[JobReading], after: Sequence[JobReading]
) -> tuple[tuple[JobReading, ...], tuple[JobReading, ...]]:
    """Return the jobs that have no equal on the other side; a job that is renamed or moved does the same."""

    def lacking(jobs: Sequence[JobReading], others: Sequence[JobReading]) -> tuple[JobReading, ...]:
        equal = Counter(map(_signature, others))
        listed: list[JobReading] = []
        for job in jobs:
            signature = _signature(job)
            if equal[signature]:
                equal[signature] -= 1
            else:
                listed.append(job)
        return tuple(listed)

    return lacking(before, after), lacking(after, before)


def _with_co_writers(
    jobs: Sequence[JobReading], others: Sequence[JobReading], listed: Sequence[JobReading]
) -> tuple[JobReading, ...]:
    """Return *jobs* with those of *listed* that write the same datasets as *jobs* or *others*."""
    written = {dataset for job in (*jobs, *others) for dataset in _written(job)}
    own = set(map(id, jobs))
    return (*jobs, *(job for job in listed if id(job) not in own and _written(job) & written))


def _written(job: JobReading) -> frozenset[Dataset]:
    return frozenset(use.dataset for use in job.flows.writes)


def _read(job: JobReading) -> frozenset[Dataset]:
    return frozenset(use.dataset for use in job.flows.reads)


def _is_of(item: str, dataset: Dataset) -> bool:
    return item == dataset.name or item.startswith(f"{dataset.name}.")


def _finding(rule: str, verdict: Verdict, place: Place, target: str, what: str, item: str = "") -> Finding:
    return Finding(rule=rule, verdict=verdict, place=place, target=target, what=what, item=item)
