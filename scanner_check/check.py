"""The check itself: every proposed file against the dictionary, then what is not known, then the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, TypeVar

from dataflow_generator.jobs.model import GraphDataset
from dataflow_generator.stored.dictionary import Dictionary, known_cluster
from scanner_check.inputs.baseline import apply_baseline
from scanner_check.inputs.contracts import CONTRACT, ProposedContract
from scanner_check.inputs.files import ProposedFiles
from scanner_check.inputs.input_files import format_of
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import CONNECTOR, SCHEMA, SQL, TOPIC, Proposal
from scanner_check.model import ChangeFinding, ChangeReport, CheckedFile, Message, Place, Verdict
from scanner_check.policy import policy_notes
from scanner_check.rows.files import NOTHING_CHECKED, UNKNOWN_NAME
from scanner_check.rows.table import row_of
from scanner_check.rules.coverage.file_findings import (
    DeletionContext,
    check_deleted,
    unknown_name,
    unparsed,
    unread_file,
)
from scanner_check.rules.flows.tag_spread import TagSpread
from scanner_check.rules.schemas.contracts import contract_findings, contract_sides
from scanner_check.rules.schemas.invalid_schemas import invalid_schema
from scanner_check.rules.schemas.schema_change import check_schema, replaced_sides
from scanner_check.rules.schemas.schema_sides import ProposedReferences, SchemaContext
from scanner_check.sides.proposed_columns import ReplacedSide
from scanner_check.users.hits import Hits
from scanner_check.users.others import about_others, open_others
from scanner_check.users.unknowns import Age, graph_findings, source_findings
from scanner_check.users.usage import without_unused
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.state import last_scans
from scanner_dictionary.queries.subjects import topics_named
from scanner_extractor.evolution import Level as Level
from scanner_extractor.evolution import Policy as Policy
from scanner_extractor.evolution import SchemaText
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.lazy_names import deferred

if TYPE_CHECKING:
    from scanner_check.sides.changed_jobs import ChangedJob

# Statements and connectors: imported if there are some, because it takes half of a schema's check.
_job_context, changed_jobs, job_findings = (
    deferred(f"scanner_check.rules.flows.job_change:{name}") for name in ("JobContext", "changed_jobs", "job_findings")
)
_proposed_graph = deferred("scanner_check.sides.proposed_graph:proposed_graph")
_ABOUT_DICTIONARY = Place(file="")


def check_change(
    dictionary: Dictionary,
    files: ProposedFiles,
    options: CheckOptions | None = None,
    *,
    now: datetime | None = None,
) -> ChangeReport:
    """Return what the proposed *files* break and whom they hit, without asking any server.

    *now* is the time for `max_age` and the baseline; None is the present. Raises InputInvalid where the only file is no
    schema, statement or configuration, NameUnknown where it is of something that is not in the dictionary; of several
    files, and of those between two commits, that is a finding.

    >>> files = proposed_files(["orders-value.avsc"])
    >>> check_change(dictionary, files).verdict
    """
    return check_beside(dictionary, files, options or CheckOptions(), now or datetime.now(UTC), None)


def check_beside(
    dictionary: Dictionary, files: ProposedFiles, chosen: CheckOptions, at: datetime, base: Hits | None
) -> ChangeReport:
    """Return what the proposed *files* do to what the dictionary has; raises what `check_change` does.

    *base* is the graph of the commit that the files change: it completes the dictionary's, and what only that commit
    has is compared there, not here. None without commits.
    """
    with ExitStack() as stack:
        conn, others = stack.enter_context(dictionary.reading()), open_others(chosen, stack)
        known_cluster(conn, chosen.cluster)
        checked, findings = _checked(dictionary, (conn, others), files, (chosen, at.date(), base))
        findings += [_nothing_checked(files)] if not (checked or base) else []
        findings += chosen.settings_changes
        findings += _about_dictionary((conn, others), chosen, findings, at)
        scans = tuple(row for row in last_scans(conn) if chosen.cluster in (None, row.cluster))
        of_policy = tuple(policy_notes(conn, chosen.rules, at.date()))
        findings, of_usage = without_unused(findings, (conn, *others), chosen.usage)
    marked, notes = apply_baseline(findings, chosen.accepted, at.date())
    notes = (*notes, *of_policy, *of_usage)
    return ChangeReport(files=checked, findings=marked, scans=scans, skipped=files.skipped, notes=notes)


def _checked(
    dictionary: Dictionary,
    conns: tuple[Connection, Sequence[Connection]],
    files: ProposedFiles,
    how: tuple[CheckOptions, date, Hits | None],
) -> tuple[tuple[CheckedFile, ...], list[ChangeFinding]]:
    (conn, others), (options, today, base) = conns, how
    beside = (*map(Hits, others), *((base,) if base else ()))
    state = _ProposedState(conn, files, options, beside, has_base=base is not None)
    spread = TagSpread(conn, state.changed, options.rules, today, state.sides)
    deletion = DeletionContext(dictionary, state.hits, options.cluster)
    is_alone = len(files.proposals) == 1 and not files.between_commits
    checked: list[CheckedFile] = []
    findings: list[ChangeFinding] = []
    for contract in files.contracts:
        targets = tuple(dict.fromkeys(f"topic {schema.topic}" for schema in contract.after))
        checked.append(CheckedFile(file=contract.file, kind=CONTRACT, targets=targets))
        findings += contract_findings(contract, state.hits, state.topics_called)
    for proposal in files.proposals:
        targets = ()
        of_file: tuple[ChangeFinding, ...]
        try:
            if proposal.unread:
                of_file = tuple(unread_file(proposal))
            elif proposal.text is None and proposal.kind in (SCHEMA, TOPIC):
                targets, of_file = check_deleted(proposal, files, deletion)
            elif proposal.kind == SCHEMA:
                targets, of_file = check_schema(proposal, state.schemas)
            else:
                jobs = state.changed_jobs(proposal)
                known = tuple(job for job in jobs if not (base and job.is_new))
                targets, of_file = job_findings(proposal, known, state.jobs, state.hits)
                of_file = (*of_file, *_not_scanned(proposal, known, is_allowed=options.allow_new))
                of_file = (*of_file, *spread.findings(jobs, Place(file=proposal.file, line=proposal.line)))
        except NameUnknown as error:
            if is_alone and not options.allow_new:
                raise
            of_file = () if base else (unknown_name(proposal, error, is_allowed=options.allow_new),)
        except InputInvalid as error:
            if is_alone:
                raise
            of_file = tuple(_invalid(proposal)) or (unparsed(proposal, error),)
        kind = "deleted" if proposal.text is None else proposal.kind
        checked.append(CheckedFile(file=proposal.file, kind=kind, targets=targets))
        findings += of_file
    return tuple(checked), [*findings, *spread.of_columns()]


def _invalid(proposal: Proposal) -> Iterator[ChangeFinding]:
    """Yield that a schema's text is invalid in its own format."""
    if proposal.kind == SCHEMA and proposal.text and (format := format_of(proposal.file, proposal.text)):
        place = Place(file=proposal.file)
        text = SchemaText(proposal.text, proposal.references)
        yield from invalid_schema(place, proposal.file, format, text, lambda: proposal.base)


def _not_scanned(proposal: Proposal, jobs: Iterable[ChangedJob], *, is_allowed: bool) -> Iterator[ChangeFinding]:
    """Yield a finding for each job that the base of the change has and the dictionary has not."""
    for job in jobs if proposal.existed else ():
        if job.is_new:
            verdict = Verdict.FINE if is_allowed else Verdict.UNKNOWN
            place = Place(file=proposal.file)
            yield UNKNOWN_NAME.found(verdict, place, proposal.file, job.target, form="not scanned")


class _ProposedState:
    """The schemas, statements and connectors of all files in place of the stored ones, before anything is judged."""

    def __init__(
        self, conn: Connection, files: ProposedFiles, options: CheckOptions, others: Sequence[Hits], *, has_base: bool
    ) -> None:
        proposals = [proposal for proposal in files.proposals if not proposal.unread]
        schemas = SchemaContext(
            conn=conn,
            hits=Hits(conn, others=others),
            cluster=options.cluster,
            level=options.level,
            policy=options.policy,
            with_base=has_base,
            proposed=ProposedReferences(proposal for proposal in proposals if proposal.kind == SCHEMA),
        )
        is_job = [proposal for proposal in proposals if proposal.kind in (SQL, CONNECTOR)]
        self._conn, self._cluster, self._naming = conn, options.cluster, schemas.hits.naming
        is_limited = is_job or options.rules.forbidden
        self.sides = tuple(self._sides(proposals, files.contracts, schemas) if is_limited else ())
        if is_job:
            self.jobs = _job_context(
                conn=conn,
                cluster=options.cluster,
                dialect=options.dialect,
                sides=self.sides,
                allow_new=options.allow_new,
            )
            self.jobs.propose(is_job)
        self._changed = {id(proposal): tuple(_readable(changed_jobs, proposal, self.jobs)) for proposal in is_job}
        self.changed = [job for jobs in self._changed.values() for job in jobs]
        several = self.changed and len(proposals) > 1
        self.hits = Hits(conn, rows=_proposed_graph(conn, self.changed), others=others) if several else schemas.hits
        self.schemas = replace(schemas, hits=self.hits)

    def _sides(
        self, proposals: Iterable[Proposal], contracts: Iterable[ProposedContract], schemas: SchemaContext
    ) -> Iterator[ReplacedSide]:
        """Yield the columns that topics get by the change; a schema counts more than a contract."""
        for contract in contracts:
            yield from contract_sides(contract, self.topics_called)
        for proposal in proposals:
            if proposal.kind == SCHEMA and proposal.text is not None:
                yield from _readable(replaced_sides, proposal, schemas)

    def topics_called(self, name: str) -> Iterator[tuple[str, GraphDataset]]:
        """Yield the topics of a name, each with its cluster."""
        for topic in topics_named(self._conn, name, self._cluster):
            yield topic.cluster, self._naming.topic(topic.cluster, name)

    def changed_jobs(self, proposal: Proposal) -> tuple[ChangedJob, ...]:
        """Return the jobs of a statement or connector, before and after; raises what `changed_jobs` does."""
        return self._changed[id(proposal)] or changed_jobs(proposal, self.jobs)


_Context = TypeVar("_Context")
_Part = TypeVar("_Part")


def _readable(
    read: Callable[[Proposal, _Context], Iterable[_Part]], proposal: Proposal, context: _Context
) -> Iterator[_Part]:
    """Yield what *read* finds in a proposal; what is wrong with that is said where it is judged."""
    with suppress(InputInvalid, NameUnknown):
        yield from read(proposal, context)


def _nothing_checked(proposed: ProposedFiles) -> ChangeFinding:
    """Return the finding that no file was checked: that nothing was found says nothing."""
    count = len(proposed.skipped)
    place = Place(file=proposed.skipped[0].file) if count else _ABOUT_DICTIONARY
    reasons = (Message("of file", (skipped.file, skipped.why)) for skipped in proposed.skipped[:_LISTED])
    return NOTHING_CHECKED.unknown(place, "the change", count, reasons=(*reasons, Message("--map", ())))


_LISTED = 10


def _about_dictionary(
    conns: tuple[Connection, Sequence[Connection]],
    options: CheckOptions,
    findings: Sequence[ChangeFinding],
    now: datetime,
) -> Iterator[ChangeFinding]:
    """Yield what is not known; the graph matters only where something that may be used changes."""
    conn, others = conns
    age = None if options.max_age is None else Age(now, options.max_age)
    yield from source_findings(conn, options.cluster, _ABOUT_DICTIONARY, age)
    if options.rules.forbidden or any(_may_hit(finding) for finding in findings):
        yield from graph_findings(conn, Hits(conn), _ABOUT_DICTIONARY)
        yield from about_others(others, options, _ABOUT_DICTIONARY, age)


def _may_hit(finding: ChangeFinding) -> bool:
    return finding.verdict is Verdict.IMPACT or not row_of(finding).is_harmless
