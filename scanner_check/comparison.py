"""Compare two commits: each is read as `scanner scan` reads a directory, and its graph generated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import GraphDataset
from dataflow_generator.jobs.proposed import JobPair
from scanner_check.changed_places import at_changed_lines
from scanner_check.edits.deployed_files import deployed_files, in_lfs
from scanner_check.edits.documents import is_document
from scanner_check.edits.libraries import is_build_file
from scanner_check.folding import folded
from scanner_check.inputs.contracts import ProposedContract
from scanner_check.inputs.copies import copied_files
from scanner_check.inputs.files import ProposedFiles
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import TOPIC, Proposal, Target
from scanner_check.model import ChangeFinding, ChangeReport, CheckedFile, CommitChanges, Place, SkippedFile, Verdict
from scanner_check.rows.files import MENTIONED, NOT_READ
from scanner_check.rows.flows import (
    COLUMN_LOST,
    INPUT_GAINED,
    INPUT_LOST,
    INPUT_WITHOUT_WRITER,
    TABLE_GONE,
    TOPIC_GONE,
    WRITER_LOST,
)
from scanner_check.rows.table import row_of
from scanner_check.rules.coverage.file_findings import DeletionContext, check_deleted
from scanner_check.rules.coverage.unexplained import Unexplained
from scanner_check.rules.flows.flow_comparison import FlowComparison
from scanner_check.rules.flows.library_records import library_records
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.rules.flows.record_classes import record_findings
from scanner_check.rules.flows.rights import lost_rights, rules_shown
from scanner_check.rules.flows.unread_programs import is_unread, unread_programs
from scanner_check.rules.schemas.contracts import contract_findings, without_readers
from scanner_check.rules.schemas.invalid_schemas import invalid_schema
from scanner_check.sides import mentions
from scanner_check.sides.changed_jobs import ChangedJob
from scanner_check.sides.commit import (
    Commit,
    CommitReader,
    broken_files,
    differing,
    files_using,
    read_by,
    unread_elsewhere,
    uses_of,
    written_by,
)
from scanner_check.sides.programs import Sources
from scanner_check.sides.proposed_columns import Renames
from scanner_check.users.hits import Hits
from scanner_check.users.other_repositories import read_repositories
from scanner_check.users.others import CLUSTER, about_others, open_others
from scanner_check.users.unknowns import Age
from scanner_extractor.evolution import SchemaText
from scanner_extractor.repository.contracts import ASYNCAPI, CONTRACT
from scanner_extractor.repository.files import is_candidate, is_left_out
from scanner_extractor.repository.kinds import TEMPLATE
from scanner_extractor.repository.other_uses import OTHER_USE
from scanner_extractor.repository.programs import APPLICATION, TERRAFORM
from scanner_extractor.repository.reader import SETTINGS
from scanner_extractor.repository.syntax_trees import suffix
from scanner_extractor.repository.topic_files.forms import DESCRIPTION
from scanner_extractor.repository.undeclared import TEST, UNDECLARED, is_workflow, why_harmless
from scanner_model.catalogs import CatalogTable
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.errors import NameUnknown
from scanner_model.lazy_names import load
from scanner_model.manual import ManualSchema
from scanner_model.policy import FORBIDDEN
from scanner_model.private_files import temporary_directory
from scanner_model.schemas import SchemaVersion

if TYPE_CHECKING:
    from scanner_check.rules.schemas.commit_schemas import SchemaComparison

_LISTED = 10
_SCHEMA = " schema"
"""What the kinds of schema files that are not read end in, behind their format."""
_NOTHING = "it declares nothing that scanner reads"


def compare_trees(
    trees: Trees, objects: ObjectReader, options: CheckOptions, now: datetime, running: Running | None = None
) -> CommitChanges:
    """Return what the change of one commit's files into another's does to what they declare.

    Of *options*, the rules, the usage, and the other repositories and dictionaries count. *now* is the time for waivers
    and ages. *running* compares with what runs: a schema or job that runs is compared with that, any other with the
    first commit.
    """
    with ExitStack() as stack:
        opened = stack.enter_context
        others = read_repositories(options, options.top)
        reader = CommitReader(objects, opened(temporary_directory()), options.beside, others, trees.changed)
        base = reader.read(trees.base, "base")
        copies = copied_files(trees, objects)
        head_files = {path: content for path, content in trees.head.items() if path not in copies}
        changed = tuple(path for path in trees.changed if path not in copies)
        trees = trees._replace(head=head_files, changed=changed)
        head = reader.read(trees.head, "head", base)
        conns = open_others(replace(options, beside=()), stack)
        hits = Hits(
            lambda: opened(base.with_graph.reading()),
            lambda: opened(base.with_field_uses.reading()),
            others=tuple(map(Hits, conns)),
        )
        comparison = _Comparison(base, head, trees, hits, Sources(objects, reader.sources.endpoints.files))
        changes = comparison.changes(objects, running)
        skipped = [SkippedFile(path, f"it holds the former text of {origin}") for path, origin in copies.items()]
        changes = changes._replace(skipped=(*changes.skipped, *skipped))
        counting = [finding for finding in changes.findings if finding.counts and finding.verdict is not Verdict.FINE]
        if conns and counting:
            age = None if options.max_age is None else Age(now, options.max_age)
            unknown = about_others(conns, options, counting[0].place, age)
            changes = changes._replace(findings=(*changes.findings, *unknown))
        if not options.rules.forbidden:
            return changes
        known = {finding.item for finding in changes.findings if finding.rule == FORBIDDEN}
        jobs = differing(base, head)[1], comparison.place_of
        graphs = base.with_graph, head.with_graph
        forbidden = load(_FORBIDDEN)(graphs, options.rules, now.date(), trees.changed, jobs)
        new = (finding for finding in forbidden if finding.rule != FORBIDDEN or finding.item not in known)
        return changes._replace(findings=(*changes.findings, *at_changed_lines(new, trees, objects)))


Running = Callable[[Sequence[Proposal], Hits | None], ChangeReport]
"""Compares the files of two commits, and their schemas, with what runs, completed by the graph of the first commit."""


_OF_JOBS = ("connector ", "statement ", "query ")
_SCHEMAS = "scanner_check.rules.schemas.commit_schemas:SchemaComparison"
_FORBIDDEN = "scanner_check.rules.flows.tag_spread:forbidden_by_commits"


class _Comparison:
    """Compares two commits; *hits* are looked up in the graph of the first."""

    def __init__(self, base: Commit, head: Commit, trees: Trees, hits: Hits, sources: Sources) -> None:
        self._base, self._head, self._trees, self._hits, self._sources = base, head, trees, hits, sources
        self._judged = {path: kind for path in trees.changed if (kind := head.kind(path) or base.kind(path))}
        self._first = next(iter((*self._judged, *trees.changed)), "")
        self._running: dict[str, list[ChangeFinding]] = {}
        self._deployed: frozenset[str] = frozenset()

    def changes(self, objects: ObjectReader, check: Running | None) -> CommitChanges:
        """Return what was judged, what was not, and what was found; *objects* reads the changed files once more."""
        self._deployed = deployed_files(self._trees.changed, self._trees, objects)
        self._hits.removed = self._removed_jobs
        schemas = self._schemas()
        proposals = (*(schemas.changed if schemas else ()), *self._dropped_topics())
        running = check(proposals, self._hits) if check else None
        for finding in running.findings if running else ():
            if not row_of(finding).is_undecided:
                self._running.setdefault(finding.target, []).append(finding)
        of_schemas = list(schemas.findings(self._running)) if schemas else []
        findings = [
            *(running.findings if running else ()),
            *self._unread(objects),
            *unread_programs(self._other_uses, self._trees, objects),
            *broken_files(
                # Placeholders in a description are replaced before it is parsed; else it is unread.
                [path for path, kind in self._judged.items() if path not in self._head.unread and kind != DESCRIPTION],
                self._trees,
                objects,
            ),
            *self._flows(),
            *of_schemas,
            *self._contracts(),
            *self._topics(),
            *self._tables(),
            *lost_rights((self._base, self._head), self._hits),
        ]
        commits = (self._base, self._head)
        if changed := frozenset(mentions.changed_programs(self._trees)):
            findings += record_findings(commits, changed, self._hits, findings)
        programs = ProgramChanges(commits, self._trees, self._hits, self._sources)
        findings += programs.findings(findings)
        findings += library_records(programs, self._trees, programs.sources)
        unexplained = Unexplained(commits, self._trees, (self._judged, self._deployed), self._hits, objects)
        findings += unexplained.findings(findings, self._renamed, programs)
        findings += self._mentioned(findings, unexplained.unbound, objects, programs)
        if any(finding.counts for finding in findings):
            about = {name for finding in findings if finding.counts for name in self._about(finding)}
            outside = {
                path: file
                for path, file in self._head.unread.items()
                if path not in self._judged and file.kind != UNDECLARED
            }
            findings += unread_elsewhere(outside, about & self._base.names, self._trees.head, objects)
        judged = {finding.place.file for finding in findings if finding.counts}
        files = {path: kind for path in self._trees.changed if (kind := self._kind(path, programs))}
        files |= {path: SETTINGS for path in self._trees.changed if path in judged and path not in files}
        findings = [
            one for one in findings if not self._why_harmless(one.place.file) or one.place.file in self._trees.special
        ]
        skipped = {path: self._why_skipped(path, programs) for path in self._trees.changed if path not in files}
        skipped |= {path: what for path, (what, _) in self._trees.special.items()}
        return CommitChanges(
            files=tuple(
                CheckedFile(file=path, kind=kind if path in self._trees.head else "deleted")
                for path, kind in files.items()
            ),
            skipped=tuple(SkippedFile(*pair) for pair in sorted(skipped.items())),
            not_examined=tuple(
                SkippedFile(*pair) for pair in sorted(skipped.items()) if not self._is_harmless(pair[0])
            ),
            concerns_kafka=any(finding.place.file for finding in findings)
            or any(kind != SETTINGS for kind in files.values())
            or mentions.speaks_of_kafka(self._trees, objects),
            findings=tuple(at_changed_lines(folded(findings, commits, self._hits), self._trees, objects)),
            running=running,
        )

    def _why_harmless(self, path: str) -> str:
        """Return why a file declares nothing that runs.

        Empty for a file of tests that something deploys, and for a document that declares topics, such as a page.
        """
        why = why_harmless(path)
        is_read = path in self._deployed or (why not in ("", TEST) and self._describes_topics(path))
        return "" if is_read else why

    def _describes_topics(self, path: str) -> bool:
        return DESCRIPTION in (self._head.kind(path), self._base.kind(path))

    @property
    def _removed_jobs(self) -> frozenset[str]:
        """Return the jobs that the second commit lacks, and whose files it removes, all of them, to no other path."""
        kept = {job.flows.job.name for job in self._head.jobs}
        files: dict[str, set[str]] = {}
        for job in self._base.jobs:
            files.setdefault(job.flows.job.name, set()).update(files_using(job))
        removed = {path for path in self._trees.base if path not in self._trees.head} - {*self._renamed}
        return frozenset(name for name, paths in files.items() if name not in kept and paths and paths <= removed)

    def _schemas(self) -> SchemaComparison | None:
        """Return the comparison of schemas; None if they are the same."""
        before, after = (
            (reading.of(SchemaVersion), reading.levels, reading.schema_files)
            for reading in (self._base.reading, self._head.reading)
        )
        if before == after:
            return None
        schemas: SchemaComparison = load(_SCHEMAS)(self._base, self._head, self._trees, self._hits)
        return schemas

    def _kind(self, path: str, programs: ProgramChanges) -> str:
        """Return as what a changed file was examined; empty if it was not."""
        if path in self._renamed or self._why_harmless(path):
            return ""
        if path in self._judged and path not in self._unread_programs:
            is_known = self._judged[path] != SETTINGS or suffix(path) or mentions.is_script(path)
            return self._judged[path] if is_known or is_document(path) else ""
        if path in programs.read:
            return SETTINGS if not programs.is_application(path) else APPLICATION
        if is_workflow(path):
            return SETTINGS  # its commands are compared
        if not is_candidate(path) or is_left_out(path):
            return ""
        is_read = is_build_file(path) or is_document(path)
        return SETTINGS if is_read else ""

    def _is_harmless(self, path: str) -> bool:
        """Return whether the change of a skipped file has no effect: it declares nothing, or is only renamed."""
        if path in self._trees.special:
            return False
        return bool(self._why_harmless(path)) or path in self._renamed

    @property
    def _renamed(self) -> Collection[str]:
        """Return the changed paths whose content stands at another one, as often as before."""
        before, after = self._trees.base, self._trees.head
        gone, new = (
            Counter(one[path] for path in self._trees.changed if path in one and path not in other)
            for one, other in ((before, after), (after, before))
        )
        moved = {content for content in gone if gone[content] == new[content]}
        both = (path for path in self._trees.changed if (path in before) != (path in after))
        return frozenset(path for path in both if (before.get(path) or after.get(path)) in moved)

    def _why_skipped(self, path: str, programs: ProgramChanges) -> str:
        if path in self._unread_programs:
            return self._unread_programs[path]
        if path in programs.unread:
            return programs.unread[path]
        if why := self._why_harmless(path):
            return why
        if path in self._renamed:
            return "it is renamed, and its content is the same"
        if not is_candidate(path):
            return "unsupported file type"
        return "vendored" if is_left_out(path) else _NOTHING

    # --- what is not read

    def _unread(self, objects: ObjectReader) -> Iterator[ChangeFinding]:
        for path in self._trees.changed:
            if not self._why_harmless(path) and in_lfs(path, self._trees, objects):
                yield NOT_READ.unknown(Place(file=path), path, form="of Git LFS")
        for path in self._judged:
            unread = self._head.unread.get(path) or self._base.unread.get(path)
            if unread is None or unread.kind == UNDECLARED or path in self._renamed:
                continue
            if unread.kind.endswith(_SCHEMA) and (found := tuple(self._invalid(path, unread.kind, objects))):
                yield from found
                continue
            # Others are compared elsewhere.
            if path not in self._unread_programs or (unread.kind == APPLICATION and not is_unread(path)):
                is_valid = path in self._trees.head and path not in self._head.unread
                yield NOT_READ.unknown(
                    Place(file=path), path, unread.kind, "" if is_valid else unread.reason, form="of a kind"
                )
        for path, (what, _) in self._trees.special.items():
            yield NOT_READ.unknown(Place(file=path), path, what, form="not followed")

    def _invalid(self, path: str, kind: str, objects: ObjectReader) -> Iterator[ChangeFinding]:
        """Yield that a schema's file is invalid now; nothing if it is gone, or valid."""
        before, after = objects.texts(path, self._trees)
        if after:
            subjects = self._base.reading.schema_files.get(path, ())
            target = f"subject {subjects[0]}" if subjects else path
            format = kind.removesuffix(_SCHEMA)
            yield from invalid_schema(Place(file=path), target, format, SchemaText(after), lambda: before)

    @cached_property
    def _unread_programs(self) -> Mapping[str, str]:
        """Return the changed files that use Kafka and that scanner does not claim to understand, with the reason."""
        unread = {**self._base.unread, **self._head.unread}
        kinds = (OTHER_USE, TEMPLATE, TERRAFORM, APPLICATION)
        return {
            path: unread[path].reason for path in self._trees.changed if path in unread and unread[path].kind in kinds
        }

    @property
    def _other_uses(self) -> Mapping[str, str]:
        """Return the files of both commits that use Kafka in a form that is not read, with the reason."""
        files = (*self._base.unread.values(), *self._head.unread.values())
        kinds = (OTHER_USE, APPLICATION)
        return {file.name: file.reason for file in files if file.kind in kinds and is_unread(file.name)}

    def _contracts(self) -> Iterator[ChangeFinding]:
        """Yield the columns of changed contracts and AsyncAPI documents that differ, with who uses them."""
        before, after = (commit.reading.of(ManualSchema) for commit in (self._base, self._head))
        readings = (self._base.reading, self._head.reading)
        documents = {path for one in readings for kind in (CONTRACT, ASYNCAPI) for path in one.files.get(kind, ())}
        # A document that is not changed itself may refer to a file that is.
        for path in (*self._judged, *sorted(documents - self._judged.keys())):
            old, new = (
                tuple(schema for schema in schemas if schema.location.startswith(f"{path} "))
                for schemas in (before, after)
            )
            listed = contract_findings(ProposedContract(path, old, new), self._hits, self._topics_called) if old else ()
            yield from without_readers([finding for finding in listed if finding.target not in self._running])

    def _topics_called(self, name: str) -> Iterator[tuple[str, GraphDataset]]:
        yield CLUSTER, self._hits.naming.topic(CLUSTER, name)

    # --- flows

    def _flows(self) -> Iterator[ChangeFinding]:
        before, after = differing(self._base, self._head)
        if not before and not after:
            return
        pair = JobPair(
            _with_co_writers(before, after, self._base.jobs), _with_co_writers(after, before, self._head.jobs)
        )
        changed = ChangedJob(target="the change", pair=JobPair(*map(self._not_running, pair)))
        renames = Renames((), self._hits.naming)
        for finding in FlowComparison(changed, self._hits, Place(file=self._first), renames).findings():
            if row_of(finding) in (INPUT_GAINED, INPUT_LOST):
                continue
            if row_of(finding) is COLUMN_LOST and self._is_new_schema(self._placed(finding, after).place.file):
                continue
            if row_of(finding) is NOT_READ and self._is_addition(finding.item):
                finding = replace(finding, verdict=Verdict.FINE)
            yield self._placed(finding, (*before, *after))
        yield from self._writers(before, after)
        yield from self._inputs(before, after)

    def _is_new_schema(self, path: str) -> bool:
        """Return whether a file is a schema that the change adds: that takes no column from the records of a job."""
        return path not in self._trees.base and bool(self._head.reading.schema_files.get(path))

    def _not_running(self, jobs: Iterable[CountedJob]) -> tuple[CountedJob, ...]:
        """Return *jobs* without those that were compared with what runs."""
        known = [target.partition(" ")[2] for target in self._running if target.startswith(_OF_JOBS)]
        names = tuple(f"{name}:" for name in known)  # a statement of a file is called by its line, too
        return tuple(job for job in jobs if not f"{job.flows.job.name}:".startswith(names))

    def _is_addition(self, name: str) -> bool:
        """Return whether a job is new, and writes nothing that was used before."""
        written = {dataset for job in self._head.jobs if job.flows.job.name == name for dataset in written_by(job)}
        is_known = any(job.flows.job.name == name for job in self._base.jobs)
        return not is_known and written.isdisjoint(self._base.used)

    def _writers(self, before: Sequence[CountedJob], after: Sequence[CountedJob]) -> Iterator[ChangeFinding]:
        """Yield the jobs that write no more what only others write that did before: their part of the data is lost."""
        still = {dataset for job in self._head.jobs for dataset in written_by(job)}
        wrote = {(job.flows.job.name, dataset) for job in self._base.jobs for dataset in written_by(job)}
        instead = {one for job in after for one in written_by(job) if (job.flows.job.name, one) not in wrote}
        kept = {(job.flows.job.name, one) for job in self._head.jobs for one in written_by(job)}
        for job in before:
            for dataset in sorted((written_by(job) & still) - instead):
                name, place = job.flows.job.name, self._place((job,), dataset.name)
                if (name, dataset) in kept:
                    continue
                affected = self._hits.readers((dataset,))
                yield WRITER_LOST.found(
                    Verdict.IMPACT, place, f"job {name}", name, dataset.name, item=dataset.name, affected=affected
                )

    def _inputs(self, before: Sequence[CountedJob], after: Sequence[CountedJob]) -> Iterator[ChangeFinding]:
        """Yield changed reads: a topic that is neither written nor declared is a mistake, or from elsewhere."""
        known = {dataset for job in self._head.jobs for dataset in written_by(job)}
        known |= {dataset for job in self._base.jobs for dataset in read_by(job)}  # it comes from elsewhere
        read_before = {dataset for job in before for dataset in read_by(job)}
        lost = {dataset for dataset in read_before if not any(dataset in read_by(job) for job in after)}
        for job in after:
            for dataset in sorted(read_by(job) - read_before):
                place = self._place((job,), dataset.name)
                target = f"job {job.flows.job.name}"
                declared = dataset.kind is not NodeKind.TOPIC or dataset.name in self._head.topics
                if dataset in known or declared:
                    yield INPUT_GAINED.found(Verdict.FINE, place, target, dataset.name, item=dataset.name)
                    continue
                had = [other for other in self._lost_by(job, before) or lost if other.kind is NodeKind.TOPIC]
                verdict = Verdict.IMPACT if had else Verdict.UNKNOWN
                if not had and self._is_addition(job.flows.job.name):
                    verdict = Verdict.FINE
                instead = tuple(other.name for other in sorted(had))
                hit = self._hits.readers(sorted(written_by(job)))
                yield INPUT_WITHOUT_WRITER.found(
                    verdict, place, target, dataset.name, instead, item=dataset.name, affected=hit
                )
        for dataset in sorted(lost):
            place = self._place(before)
            yield INPUT_LOST.found(Verdict.FINE, place, "the change", dataset.name)

    @staticmethod
    def _lost_by(job: CountedJob, before: Sequence[CountedJob]) -> frozenset[GraphDataset]:
        """Return what the job's former self read and it does not, whatever others read now."""
        former = (read_by(other) for other in before if other.flows.job.name == job.flows.job.name)
        return frozenset().union(*former) - read_by(job)

    def _placed(self, finding: ChangeFinding, jobs: Sequence[CountedJob]) -> ChangeFinding:
        """Return a finding with its job, and the job's file."""
        writing = [job for job in jobs for dataset in written_by(job) if _is_of(finding.item, dataset)]
        named = [job for job in jobs if job.flows.job.name == finding.item]
        owners = writing or named
        if not owners:
            return finding
        target = f"job {owners[0].flows.job.name}"
        return replace(finding, target=target, place=self._place(owners))

    def place_of(self, job: CountedJob) -> Place:
        """Return the changed file that declares a job."""
        return self._place((job,))

    def _place(self, jobs: Iterable[CountedJob], name: str = "") -> Place:
        """Return the changed file with one of *jobs*, where it uses the topic or table *name*; else the first."""
        for job in jobs:
            uses = sorted((*job.flows.reads, *job.flows.writes), key=lambda use: use.dataset.name != name)
            texts = [job.flows.job.name, *(use.evidence for use in uses)]
            texts += [flow.evidence for flow in job.flows.columns[:1]]
            statement = str(dict(job.flows.job.attributes).get("statement", ""))
            for commit in (self._head, self._base):
                texts.append(commit.reading.place_of(job.flows.job.name, statement))
            for text in filter(None, texts):
                for path in self._judged:
                    if path in text:
                        line = text[text.index(path) + len(path) :].removeprefix(":").partition(":")[0]
                        return Place(file=path, line=int(line) if line.isdigit() else 1)
            if path := self._changed_schema(job):
                return Place(file=path)
        return Place(file=self._first)

    def _changed_schema(self, job: CountedJob) -> str:
        """Return the changed file of a schema of what a job uses: a job without a change of its own follows that."""
        used = tuple(dataset.name for dataset in (*sorted(read_by(job)), *sorted(written_by(job))))
        for path in self._judged:
            subjects = (*self._head.reading.schema_files.get(path, ()), *self._base.reading.schema_files.get(path, ()))
            if any(subject.startswith(used) for subject in subjects):
                return path
        return ""

    # --- topics and tables

    def _topics(self) -> Iterator[ChangeFinding]:
        dropped = self._dropped_topics()
        deletion = DeletionContext(self._base.with_graph if dropped else self._base.dictionary, self._hits, None)
        used = {dataset.name for dataset in self._head.used}
        for proposal in dropped:
            topic, file = proposal.target.topic, proposal.file
            try:
                listed = check_deleted(proposal, ProposedFiles(proposals=(proposal,)), deletion)[1]
            except NameUnknown:
                listed = ()
            if topic in used:
                yield TOPIC_GONE.found(Verdict.IMPACT, Place(file=file), f"topic {topic}", topic, item=topic)
            yield from listed if f"topic {topic}" not in self._running else ()

    def _dropped_topics(self) -> tuple[Proposal, ...]:
        """Return the topics that no file declares any more, as deletions."""
        return tuple(
            Proposal(file=self._topic_file(topic), text=None, kind=TOPIC, target=Target(topic=topic))
            for topic in sorted(self._base.topics - self._head.topics)
        )

    def _tables(self) -> Iterator[ChangeFinding]:
        """Yield the tables of DDL that are not declared any more, and that jobs still read or write."""
        before, after = ({table.name: table for table in c.reading.of(CatalogTable)} for c in (self._base, self._head))
        used = {dataset.name for dataset in self._head.used}
        for name in sorted(before.keys() - after.keys()):
            tail = name.rpartition(".")[2].casefold()
            users = sorted(other for other in used if other.rpartition(".")[2].casefold() == tail)
            if users:
                place = Place(file=next((path for path, kind in self._judged.items() if kind == "SQL"), ""))
                listed = tuple(users[:_LISTED])
                yield TABLE_GONE.found(Verdict.IMPACT, place, f"table {name}", name, listed, item=name)
        yield from self._tables_of_statements()

    def _tables_of_statements(self) -> Iterator[ChangeFinding]:
        for name in sorted(self._base.tables - self._head.tables - self._head.topics):
            statements = [job for job in self._head.jobs if "statement" in dict(job.flows.job.attributes)]
            users = {job.flows.job.name: one for job in statements for one in uses_of(job) if one.name == name}
            for dataset in list(users.values())[:1]:
                listed, place = tuple(sorted(users)[:_LISTED]), Place(file=self._first)
                affected = self._hits.of(dataset)
                yield TABLE_GONE.found(
                    Verdict.IMPACT, place, f"table {name}", name, listed, item=name, affected=affected
                )

    def _topic_file(self, topic: str) -> str:
        for declared in self._base.reading.of(Declaration):
            file = declared.place.rpartition(":")[0]
            if declared.kind is DeclaredKind.TOPIC and declared.name == topic and file in self._judged:
                return file
        return self._first

    # --- changes whose effect is not known

    def _mentioned(
        self,
        findings: Sequence[ChangeFinding],
        unbound: Collection[tuple[str, str]],
        objects: ObjectReader,
        programs: ProgramChanges,
    ) -> Iterator[ChangeFinding]:
        """Yield the topics that changed lines name in a file without a finding about them: whom that hits is not known.

        *unbound* are topics with files whose changed lines have no effect on them.
        """
        names = (self._base.names | self._head.names) - (self._base.topics ^ self._head.topics)
        counting = [finding for finding in findings if finding.counts]
        placed = {(name, finding.place.file) for finding in counting for name in self._about(finding)}
        placed |= {(name, finding.place.file) for finding in counting for name in finding.message.texts}
        placed |= self._shown_by_flows() | {*unbound} | rules_shown((self._base, self._head))
        for name, path, line in mentions.changed_names(self._trees, names, objects):
            if (name, path) not in placed and not programs.only_watches(path, name):
                dataset = next((one for one in self._base.used if one.name == name), None)
                place = Place(file=path, line=line)
                affected = self._hits.of(dataset) if dataset else ()
                yield MENTIONED.unknown(place, f"topic {name}", name, item=name, affected=affected)

    @staticmethod
    def _about(finding: ChangeFinding) -> frozenset[str]:
        """Return the names that a finding is about, with those of what it hits."""
        return mentions.named_by(finding) | {hit.name for hit in finding.affected}

    def _shown_by_flows(self) -> set[tuple[str, str]]:
        """Return the topics that changed jobs use, each with the file that says so: the flows are compared."""
        shown: set[tuple[str, str]] = set()
        for commit, jobs in zip((self._base, self._head), differing(self._base, self._head), strict=True):
            for job in jobs:
                statement = str(dict(job.flows.job.attributes).get("statement", ""))
                declared = commit.reading.place_of(job.flows.job.name, statement).rpartition(":")[0]
                for use in (*job.flows.reads, *job.flows.writes):
                    shown |= {(use.dataset.name, declared), (use.dataset.name, use.evidence.rpartition(":")[0])}
        return shown


def _with_co_writers(
    jobs: Sequence[CountedJob], others: Sequence[CountedJob], listed: Sequence[CountedJob]
) -> tuple[CountedJob, ...]:
    """Return *jobs* with those of *listed* that write the same datasets as *jobs* or *others*."""
    written = {dataset for job in (*jobs, *others) for dataset in written_by(job)}
    own = set(map(id, jobs))
    return (*jobs, *(job for job in listed if id(job) not in own and written_by(job) & written))


def _is_of(item: str, dataset: GraphDataset) -> bool:
    return item == dataset.name or item.startswith(f"{dataset.name}.")
