"""Columns that get a tag by a proposed statement, connector, schema or commit, and whether the policy forbids it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from dataflow_generator.analysis.inherited_tags import TaggedColumn
from dataflow_generator.jobs.model import Naming
from dataflow_generator.stored.column_tags import DECLARED, ColumnTags
from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.model import ChangeFinding, Message, Place, Verdict, literal
from scanner_check.policy import FORBIDDEN, column_at, forbidden_columns
from scanner_check.rows.flows import POLICY_FORBIDDEN_FLOW, TAG_REMOVED, TAG_SPREAD
from scanner_check.sides.proposed_columns import ReplacedSide
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.columns import ANY_TAG, FoundTag
from scanner_dictionary.search.columns_in_graph import Place as ColumnPlace
from scanner_dictionary.search.columns_in_graph import PlacedColumn, tagged_columns
from scanner_model.columns import ColumnPath, path_name
from scanner_model.lazy_names import deferred
from scanner_model.policy import ClusterPolicy

if TYPE_CHECKING:
    from dataflow_generator.jobs.kinds import CountedJob
    from scanner_check.sides.changed_jobs import ChangedJob

proposed_graph = deferred("scanner_check.sides.proposed_graph:proposed_graph")


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
    _declared: dict[tuple[str, ColumnPath, str], ReplacedSide] = field(default_factory=dict)

    def findings(self, jobs: Sequence[ChangedJob], start: Place) -> Iterator[ChangeFinding]:
        """Yield a finding for each column that gets a tag through one of *jobs*, those that are forbidden first."""
        tags, new = self._compared()
        owners = {flow: job for job in jobs for flow in _flows(job)}
        listed: list[ChangeFinding] = []
        for column in new:
            job = next((owners[flow] for flow in tags.keys_on(column) if flow in owners), None)
            if job is not None:
                listed.append(self._finding(column, job.target, job.places[0] if job.places else start))
        yield from sorted(listed, key=lambda finding: (finding.verdict is Verdict.FINE, finding.item))

    def of_columns(self) -> Iterator[ChangeFinding]:
        """Yield where the policy forbids a tag that the change gives to a column: there, and where its values go.

        What gets there through a changed job is a finding of that.
        """
        if not (self.policy.forbidden and any(column.tags for side in self.sides for column in side.after)):
            return
        tags, new = self._compared()
        jobs = {flow for job in self.changed for flow in _flows(job)}
        for (dataset, path, tag), side in self._declared.items():
            if self._is_forbidden(tag, dataset):
                at = f"{side.topic[1]}.{path_name(path)}", dataset
                yield self._found(at, FoundTag(tag, DECLARED, "", "", 0, ()), _topic(side), side.place)
        for column in new:
            origin = tags.dataset(column.origin), tags.path(column.origin), column.tag
            side_of, is_forbidden = (
                self._declared.get(origin),
                self._is_forbidden(column.tag, tags.dataset(column.node)),
            )
            if side_of and is_forbidden and jobs.isdisjoint(tags.keys_on(column)):
                yield self._finding(column, _topic(side_of), side_of.place)

    def _finding(self, column: TaggedColumn, target: str, place: Place) -> ChangeFinding:
        tags, _ = self._compared()
        return self._found((tags.name(column.node), tags.dataset(column.node)), tags.tag_of(column), target, place)

    def _found(self, at: tuple[str, str], found: FoundTag, target: str, place: Place) -> ChangeFinding:
        name, dataset = at
        is_forbidden = self._is_forbidden(found.tag, dataset)
        waiver = self.policy.waiver(FORBIDDEN, column_at(name), self.today) if is_forbidden else None
        rule = POLICY_FORBIDDEN_FLOW if is_forbidden else TAG_SPREAD
        origin = (found.origin, str(found.flow), found.steps) if found.origin else ()
        message = rule.message(name, found.tag, origin, str(found.certainty), dataset)
        return rule.found(
            Verdict.BREAKS if is_forbidden else Verdict.FINE,
            place,
            target,
            message=message,
            item=f"{name} {found.tag}",
            reasons=tuple(map(literal, found.path)),
            tags=(found.tag,),
            accepted=f"{waiver.reason} (until {waiver.expires})" if waiver else "",
        )

    def _is_forbidden(self, tag: str, dataset: str) -> bool:
        return any(rule.is_broken(tag, dataset) for rule in self.policy.forbidden)

    def _compared(self) -> tuple[ColumnTags, tuple[TaggedColumn, ...]]:
        """Return the tags after the change, and the columns that have more of them than before."""
        if self._tags is None:
            declared = list(tagged_columns(self.conn, ANY_TAG))
            before = ColumnTags(self.conn, SqlGraphReader(self.conn), declared).flows().inherited
            self._tags = ColumnTags(self.conn, proposed_graph(self.conn, self.changed), declared)
            had = {(placed.place, tag.lower()) for placed in declared for tag in placed.column.tags}
            for place, tag, side in self._proposed():
                self._tags.declare(place, (tag,))
                if (place, tag.lower()) not in had:
                    self._declared[f"{place.namespace}/{place.name}", place.path, tag] = side
            known = {(column.node, column.tag) for column in before}
            after = self._tags.flows().inherited
            self._new = tuple(column for column in after if (column.node, column.tag) not in known)
            self._tags.read(self._new)
        return self._tags, self._new

    def _proposed(self) -> Iterator[tuple[ColumnPlace, str, ReplacedSide]]:
        naming = Naming(graph_clusters(self.conn))
        for side in self.sides:
            topic = naming.topic(*side.topic)
            for column in side.after:
                place = ColumnPlace(topic.namespace, topic.name, column.path)
                yield from ((place, tag, side) for tag in column.tags)


def forbidden_by_commits(
    commits: tuple[Dictionary, Dictionary],
    policy: ClusterPolicy,
    today: date,
    files: Sequence[str],
    jobs: tuple[Sequence[CountedJob], Callable[[CountedJob], Place]],
) -> Iterator[ChangeFinding]:
    """Yield what the policy forbids in the second of two dictionaries, and what the first does not have.

    *files* are those that differ, *jobs* the new or changed ones, with what says where each is declared. A job whose
    columns are not known is unknown where it writes such a system.
    """
    kept = _removed_tags(commits, policy)
    yield from _untagged(kept, files)
    known = {found.item for found in forbidden_columns(commits[0], policy)}
    for found in forbidden_columns(commits[1], policy, kept):
        if found.item not in known:
            waiver = policy.waiver(FORBIDDEN, found.where, today)
            yield POLICY_FORBIDDEN_FLOW.found(
                Verdict.BREAKS if found.where.startswith(column_at("")) else Verdict.UNKNOWN,
                Place(
                    file=next((file for file in files if any(file in one for one in found.path)), next(iter(files), ""))
                ),
                "the change",
                message=POLICY_FORBIDDEN_FLOW.message(found.where, found.what, form="of a commit"),
                item=found.item,
                accepted=f"{waiver.reason} (until {waiver.expires})" if waiver else "",
            )
    yield from _of_unknown_jobs(commits[1], policy, *jobs)


def _removed_tags(commits: tuple[Dictionary, Dictionary], policy: ClusterPolicy) -> list[PlacedColumn]:
    """Return the columns of the first dictionary with the tags of the policy that the second does not declare for them.

    A change cannot lift the policy by removing a tag. A column that is deleted counts if its topic has a new column,
    which may be its new name.
    """
    limited = {rule.tag.lower() for rule in policy.forbidden}
    before, after = map(_columns, commits)
    changed = {place[:2] for place in after.keys() - before.keys()}
    removed: list[PlacedColumn] = []
    for place, placed in before.items():
        still = {tag.lower() for tag in after[place].column.tags} if place in after else set()
        lost = tuple(tag for tag in placed.column.tags if tag.lower() in limited - still)
        if lost and (place in after or place[:2] in changed):
            removed.append(placed._replace(column=placed.column._replace(tags=lost)))
    return removed


def _columns(dictionary: Dictionary) -> dict[ColumnPlace, PlacedColumn]:
    with dictionary.reading() as conn:
        return {placed.place: placed for placed in tagged_columns(conn, None)}


def _untagged(removed: Sequence[PlacedColumn], files: Sequence[str]) -> Iterator[ChangeFinding]:
    """Yield a finding for each column that loses a tag of the policy."""
    for place, column in removed:
        name = f"{place.name}.{path_name(place.path)}"
        yield TAG_REMOVED.unknown(
            Place(file=next((file for file in files if place.name in file), next(iter(files), ""))),
            f"topic {place.name}",
            name,
            tuple(column.tags),
            item=name,
            reasons=(Message("policy still applies", ()),),
            tags=column.tags,
        )


def _topic(side: ReplacedSide) -> str:
    return f"topic {side.topic[1]}"


def _flows(job: ChangedJob) -> set[tuple[str, str]]:
    flows = (flow for reading in job.pair.after for flow in reading.flows.columns)
    return {(flow.source.key, flow.target.key) for flow in flows}


def _of_unknown_jobs(
    head: Dictionary, policy: ClusterPolicy, jobs: Sequence[CountedJob], place_of: Callable[[CountedJob], Place]
) -> Iterator[ChangeFinding]:
    """Yield those of *jobs* that read columns with a tag of the policy and whose targets are not known."""
    limited = {rule.tag.lower() for rule in policy.forbidden}
    tagged: dict[tuple[str, str], set[str]] = {}
    for place, placed in _columns(head).items():
        if tags := {tag for tag in placed.column.tags if tag.lower() in limited}:
            tagged.setdefault((place.namespace, place.name), set()).update(tags)
    for job in jobs:
        if not job.coverage.unknown_connectors or job.flows.writes:
            continue
        for use in job.flows.reads:
            for tag in sorted(tagged.get((use.dataset.namespace, use.dataset.name), ())):
                name = job.flows.job.name
                yield POLICY_FORBIDDEN_FLOW.unknown(
                    place_of(job),
                    f"job {name}",
                    message=POLICY_FORBIDDEN_FLOW.message(name, use.dataset.name, tag, form="of an unknown class"),
                    item=f"{name} {use.dataset.name} {tag}",
                    tags=(tag,),
                )
