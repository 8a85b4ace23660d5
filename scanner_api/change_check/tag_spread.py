"""Columns that get a tag by a proposed statement or connector, and whether the policy forbids it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from dataflow_generator.analysis.inherited_tags import TaggedColumn
from dataflow_generator.jobs.model import Naming
from scanner_api.change_check.flow_comparison import ChangedJob
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_api.change_check.proposed_columns import ReplacedSide
from scanner_api.change_check.proposed_graph import proposed_graph
from scanner_api.graph.column_tags import ColumnTags
from scanner_api.policy import FORBIDDEN, column_at
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.columns import ANY_TAG
from scanner_dictionary.search.columns_in_graph import Place as ColumnPlace
from scanner_dictionary.search.columns_in_graph import tagged_columns
from scanner_model.policy import ClusterPolicy


@dataclass(slots=True)
class TagSpread:
    """Compares the tags of the stored graph with those of the graph that the *changed* jobs make.

    *sides* are the columns that topics get by the same change, with the tags that it proposes.
    """

    conn: Connection
    changed: Sequence[ChangedJob]
    policy: ClusterPolicy
    today: date
    sides: Sequence[ReplacedSide] = ()
    _tags: ColumnTags | None = None
    _new: tuple[TaggedColumn, ...] = ()

    def findings(self, jobs: Sequence[ChangedJob], start: Place) -> Iterator[Finding]:
        """Yield a finding for each column that gets a tag through one of *jobs*, those that are forbidden first."""
        tags, new = self._compared()
        owners = {flow: job for job in jobs for flow in _flows(job)}
        listed: list[Finding] = []
        for column in new:
            job = next((owners[flow] for flow in tags.keys_on(column) if flow in owners), None)
            if job is not None:
                listed.append(self._finding(column, job, job.places[0] if job.places else start))
        yield from sorted(listed, key=lambda finding: (finding.verdict is Verdict.FINE, finding.item))

    def _finding(self, column: TaggedColumn, job: ChangedJob, place: Place) -> Finding:
        tags, _ = self._compared()
        name, dataset, found = tags.name(column.node), tags.dataset(column.node), tags.tag_of(column)
        is_forbidden = any(rule.is_broken(column.tag, dataset) for rule in self.policy.forbidden)
        waiver = self.policy.waiver(FORBIDDEN, column_at(name), self.today) if is_forbidden else None
        steps = f"{found.steps} step{'' if found.steps == 1 else 's'}"
        forbids = f"; the policy forbids it in {dataset}" if is_forbidden else ""
        return Finding(
            rule=FORBIDDEN if is_forbidden else "tag-spread",
            verdict=Verdict.BREAKS if is_forbidden else Verdict.FINE,
            place=place,
            target=job.target,
            what=f"{name} gets {found.tag}, from {found.origin}, {found.flow}, {steps}{forbids}",
            item=f"{name} {found.tag}",
            why=found.path,
            tags=(found.tag,),
            accepted=f"{waiver.reason} (until {waiver.expires})" if waiver else "",
        )

    def _compared(self) -> tuple[ColumnTags, tuple[TaggedColumn, ...]]:
        """Return the tags after the change, and the columns that have more of them than before."""
        if self._tags is None:
            declared = list(tagged_columns(self.conn, ANY_TAG))
            before = ColumnTags(self.conn, SqlGraphReader(self.conn), declared).flows().inherited
            self._tags = ColumnTags(self.conn, proposed_graph(self.conn, self.changed), declared)
            naming = Naming(graph_clusters(self.conn))
            for side in self.sides:
                topic = naming.topic(*side.topic)
                for column in side.after:
                    self._tags.declare(ColumnPlace(topic.namespace, topic.name, column.path), column.tags)
            known = {(column.node, column.tag) for column in before}
            after = self._tags.flows().inherited
            self._new = tuple(column for column in after if (column.node, column.tag) not in known)
            self._tags.read(self._new)
        return self._tags, self._new


def _flows(job: ChangedJob) -> set[tuple[str, str]]:
    flows = (flow for reading in job.pair.after for flow in reading.flows.columns)
    return {(flow.source.key, flow.target.key) for flow in flows}
