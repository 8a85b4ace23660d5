"""The policy of a cluster applied to what the dictionary has: each finding with its place and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from typing import NamedTuple

import regex

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.stored.column_tags import SUGGESTED, ColumnTags, listed_with_tags
from dataflow_generator.stored.dictionary import Dictionary, known_cluster
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries import listings
from scanner_dictionary.queries.columns import ANY_TAG, TopicColumnRow, topic_columns
from scanner_dictionary.queries.listings import TopicFilter, TopicRow
from scanner_dictionary.queries.subjects import live_subjects
from scanner_dictionary.queries.tag_decisions import tag_rules
from scanner_dictionary.search.columns_in_graph import Place, PlacedColumn, tagged_columns
from scanner_dictionary.search.other_columns import cluster_names
from scanner_dictionary.validation import Finding, Severity
from scanner_extractor.config.policy import parse_policy as parse_policy
from scanner_extractor.config.policy import read_policy as read_policy
from scanner_extractor.evolution import Level
from scanner_model.columns import field_name, path_name
from scanner_model.policy import FORBIDDEN as FORBIDDEN
from scanner_model.policy import ClusterPolicy as ClusterPolicy
from scanner_model.policy import Waiver

_LISTED = 3
_ALL = 1 << 31
_FLOWS, _WRITES = frozenset((EdgeKind.COLUMN_FLOW,)), frozenset((EdgeKind.WRITES,))
_PROMISES: Mapping[Level, frozenset[str]] = {
    Level.NONE: frozenset(),
    Level.BACKWARD: frozenset({"backward"}),
    Level.BACKWARD_TRANSITIVE: frozenset({"backward", "backward to all"}),
    Level.FORWARD: frozenset({"forward"}),
    Level.FORWARD_TRANSITIVE: frozenset({"forward", "forward to all"}),
    Level.FULL: frozenset({"backward", "forward"}),
    Level.FULL_TRANSITIVE: frozenset({"backward", "forward", "backward to all", "forward to all"}),
}
"""What each level promises; a level is at least another one where it promises all that the other does."""


class PolicyResult(NamedTuple):
    """What breaks a policy, by cluster, rule and place, and notes on waivers: which were used, and which expired."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


class Found(NamedTuple):
    """What breaks a policy: *item* identifies it in a check, *path* are the reasons of the flows that lead there."""

    cluster: str
    where: str
    what: str
    item: str = ""
    path: tuple[str, ...] = ()


class _Checked(NamedTuple):
    """What a rule looks at: the policy, and the dictionary of one cluster or of all.

    *kept* are columns with tags that count although the dictionary does not have these tags.
    """

    conn: Connection
    policy: ClusterPolicy
    cluster: str | None
    kept: Sequence[PlacedColumn] = ()

    def topics(self, wanted: TopicFilter | None = None) -> Iterator[TopicRow]:
        rows = listings.topics(self.conn, wanted or TopicFilter(cluster=self.cluster))
        return (row for row in rows if not row.internal)


def apply_policy(
    dictionary: Dictionary,
    policy: ClusterPolicy,
    *,
    cluster: str | None = None,
    rules: Collection[str] | None = None,
    now: datetime | None = None,
    kept: Sequence[PlacedColumn] = (),
) -> PolicyResult:
    """Return what breaks *policy* in the dictionary; *now* is the time for its waivers, None the present.

    *rules* are some of POLICY_RULES, None for all of them. *kept* are columns whose tags count in addition.

    A waiver holds until the end of its last day. Raises NameUnknown for an unknown cluster.

    >>> apply_policy(dictionary, ClusterPolicy(topic_owner=True)).findings
    """
    today = (now or datetime.now(UTC)).date()
    chosen = [rule for rule in _RULES if rules is None or rule in rules]
    with dictionary.reading() as conn:
        checked = _Checked(conn, policy, known_cluster(conn, cluster), kept)
        found = [(rule, each) for rule in chosen for each in sorted(_RULES[rule].find(checked))]
        notes = list(policy_notes(conn, policy, today))
    findings: list[Finding] = []
    waived: Counter[Waiver] = Counter()
    for rule, (name, where, what, *_) in found:
        waiver = policy.waiver(rule, where, today)
        if waiver:
            waived[waiver] += 1
        else:
            hint = _RULES[rule].hint
            findings.append(
                Finding(cluster=name, rule=rule, severity=Severity.ERROR, where=where, what=what, hint=hint)
            )
    notes += [
        f"policy: {count} of {waiver.rule} at {waiver.where} let pass until {waiver.expires}: {waiver.reason}"
        for waiver, count in waived.items()
    ]
    return PolicyResult(tuple(sorted(findings)), tuple(notes))


def policy_notes(conn: Connection, policy: ClusterPolicy, today: date) -> Iterator[str]:
    """Yield what a policy names and the dictionary does not have, so that it asks for nothing, and expired waivers."""
    for waiver in policy.waivers:
        if waiver.expires < today:
            what = f"the waiver of {waiver.rule} at {waiver.where} expired on {waiver.expires}"
            yield f"policy: {what}: {waiver.reason}"
    declared = (
        {tag.lower() for _, column in tagged_columns(conn, ANY_TAG) for tag in column.tags} if policy.forbidden else ()
    )
    nodes = SqlGraphReader(conn).top_nodes(_ALL) if policy.forbidden else ()
    datasets = [f"{node.namespace}/{node.name}" for node in nodes if node.kind in (NodeKind.DATASET, NodeKind.TOPIC)]
    for rule in policy.forbidden:
        if rule.tag.lower() not in declared:
            yield f"policy: no column declares {rule.tag}, which `forbidden` names: nothing is judged by that"
        for system in rule.systems:
            if not any(rule._replace(systems=(system,)).is_broken(rule.tag, dataset) for dataset in datasets):
                yield f"policy: no dataset fits {system}, which `forbidden` names for {rule.tag}"
    suggested = {tag.lower() for rules in tag_rules(conn).values() for tag in rules.tags}
    for tag in policy.tagged:
        if tag.lower() not in suggested:
            yield f"policy: no rule suggests {tag}, which `tagged` names: nothing is judged by that"


def _without_owner(checked: _Checked) -> Iterator[Found]:
    if checked.policy.topic_owner:
        for row in checked.topics(TopicFilter(cluster=checked.cluster, without_owner=True)):
            yield Found(row.cluster, f"topic {row.name}", "it has no owner")


def _misnamed(checked: _Checked) -> Iterator[Found]:
    patterns = [regex.compile(text) for text in checked.policy.topic_names]
    for row in checked.topics() if patterns else ():
        if not any(pattern.fullmatch(row.name) for pattern in patterns):
            yield Found(
                row.cluster, f"topic {row.name}", f"its name fits none of {_listed(checked.policy.topic_names)}"
            )


def _untagged_topics(checked: _Checked) -> Iterator[Found]:
    wanted = checked.policy.required_tags
    for row in checked.topics() if wanted else ():
        lacking = [tag for tag in wanted if tag.lower() not in map(str.lower, row.tags)]
        if lacking:
            yield Found(row.cluster, f"topic {row.name}", f"it has no tag {_listed(lacking)}")


def _lenient(checked: _Checked) -> Iterator[Found]:
    """Find subjects that promise less than the level; one whose level was not read is found, too."""
    least = checked.policy.compatibility
    for row in live_subjects(checked.conn, checked.cluster) if least else ():
        word = row.level.split()[0] if row.level else ""
        level = Level.parse(word)
        if level is None:
            what = f"its compatibility level is not known, {least} is asked for"
            yield Found(row.cluster, f"subject {row.full_name}", what)
        elif not _PROMISES[level] >= _PROMISES[Level(least)]:
            yield Found(
                row.cluster, f"subject {row.full_name}", f"its compatibility level is {word}, not at least {least}"
            )


def _undocumented(checked: _Checked) -> Iterator[Found]:
    if not checked.policy.field_documentation:
        return
    rows = topic_columns(checked.conn, cluster=checked.cluster)
    fields = (row for row in rows if row.path and field_name(row.path[-1]) is not None)
    for (cluster, where), listed in groupby(fields, key=lambda row: (row.cluster, _schema_place(row))):
        lacking = dict.fromkeys(row.name for row in listed if not row.doc)
        if lacking:
            yield Found(cluster, where, f"{len(lacking)} fields have no documentation: {_listed(list(lacking))}")
    yield from _unknown_columns(checked)


def _schema_place(row: TopicColumnRow) -> str:
    return f"subject {row.subject}" if row.subject else f"topic {row.topic}"


def _unknown_columns(checked: _Checked) -> Iterator[Found]:
    """Find topics that no schema with columns describes: a rule about columns says nothing of them."""
    described = {(row.cluster, row.topic) for row in topic_columns(checked.conn, cluster=checked.cluster)}
    for row in checked.topics():
        if (row.cluster, row.name) not in described:
            yield Found(row.cluster, f"topic {row.name}", "no schema describes its columns, so they are not known")


def _forbidden(checked: _Checked) -> Iterator[Found]:
    """Find columns that declare or inherit a tag where it may not be; what is not known is a finding, too."""
    if not checked.policy.forbidden:
        return
    graph = stored_graph(checked.conn)
    if graph is None or graph.last_scan < newest_scan(checked.conn):
        what = "it is older than the newest scan, or missing: where data go is not known"
        yield Found("", "the graph", what, "the graph it is older than the newest scan")
    yield from _unknown_flows(checked.conn, checked.policy)
    declared = [*tagged_columns(checked.conn, ANY_TAG), *checked.kept]
    clusters = cluster_names(checked.conn)
    for place, column in declared:
        for tag in column.tags if checked.cluster in (None, column.cluster) or not column.cluster else ():
            if _is_forbidden(checked.policy, tag, f"{place.namespace}/{place.name}"):
                yield Found(column.cluster, _column(place), f"it has {tag}, declared", _tag_at(place, tag))
    tags = ColumnTags(checked.conn, SqlGraphReader(checked.conn), declared)
    inherited = tags.flows().inherited
    origins = tags.clusters_of(inherited, clusters)
    for place, column in tags.found(inherited):
        for found in column.found_tags:
            name = column.cluster or origins.get(place, "")
            if _is_forbidden(checked.policy, found.tag, f"{place.namespace}/{place.name}") and checked.cluster in (
                None,
                name,
            ):
                what = f"it has {found.tag}, from {found.origin}: {'; '.join(found.path)}"
                yield Found(name, _column(place), what, _tag_at(place, found.tag), found.path)


def forbidden_columns(dictionary: Dictionary, policy: ClusterPolicy, kept: Sequence[PlacedColumn] = ()) -> list[Found]:
    """Return the columns with a tag where the policy forbids it, and what is not known of that; no waiver counts."""
    with dictionary.reading() as conn:
        return sorted(_forbidden(_Checked(conn, policy, None, kept)))


def _unknown_flows(conn: Connection, policy: ClusterPolicy) -> Iterator[Found]:
    """Find datasets where a tag may not be, and jobs that write them without a known flow of columns."""
    graph = SqlGraphReader(conn)
    nodes = (node for node in graph.top_nodes(_ALL) if node.kind in (NodeKind.DATASET, NodeKind.TOPIC))
    limited = {node.id: node for node in nodes if _is_limited(policy, f"{node.namespace}/{node.name}")}
    columns = {
        node.id: (node.namespace, node.name)
        for node in graph.nodes_named({node.name for node in limited.values()})
        if node.kind == NodeKind.COLUMN
    }
    filled = {columns[edge.target_node_id] for edge in graph.edges_at(list(columns), forward=False, kinds=_FLOWS)}
    writes = graph.edges_at(list(limited), forward=False, kinds=_WRITES)
    jobs = graph.nodes_of({edge.source_node_id for edge in writes})
    for edge in writes:
        target, job = limited[edge.target_node_id], jobs[edge.source_node_id]
        if (target.namespace, target.name) not in filled or '"unread": true' in job.attributes:
            what = f"{job.kind} {job.name} writes it, and which columns is not known"
            where = f"dataset {target.namespace}/{target.name}"
            yield Found("", where, what, f"{where} {job.kind} {job.name} writes it")


def _is_limited(policy: ClusterPolicy, dataset: str) -> bool:
    return any(rule.is_broken(rule.tag, dataset) for rule in policy.forbidden)


def _untagged_columns(checked: _Checked) -> Iterator[Found]:
    """Find columns that are suggested to have a tag and neither declare nor inherit it."""
    if not checked.policy.tagged:
        return
    for tag in checked.policy.tagged:
        for row in listed_with_tags(checked.conn, tag, checked.cluster, (SUGGESTED,)):
            name = f"{row.topic or row.dataset.partition('/')[2]}.{row.name}"
            yield Found(row.cluster, column_at(name), f"it has no tag {tag}: {row.found_tags[0].path[0]}")
    yield from _unknown_columns(checked)


def _is_forbidden(policy: ClusterPolicy, tag: str, dataset: str) -> bool:
    return any(rule.is_broken(tag, dataset) for rule in policy.forbidden)


def column_at(name: str) -> str:
    """Return the place of a finding about a column, as waivers name it; *name* is behind that of its dataset."""
    return f"column {name}"


def _column(place: Place) -> str:
    return column_at(f"{place.name}.{path_name(place.path)}")


def _tag_at(place: Place, tag: str) -> str:
    """Return what identifies a finding about a tag of a column: the path to it may change."""
    return f"{place.name}.{path_name(place.path)} {tag}"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


class _Rule(NamedTuple):
    find: Callable[[_Checked], Iterator[Found]]
    hint: str


_RULES: Mapping[str, _Rule] = {
    "policy-topic-owner": _Rule(_without_owner, "set an owner in the stream catalog"),
    "policy-topic-name": _Rule(_misnamed, "rename it, or add a pattern to `topic_names`"),
    "policy-required-tag": _Rule(_untagged_topics, "set the tag in the stream catalog or its definition"),
    "policy-compatibility": _Rule(_lenient, 'set the level in the registry; `"compatibility": true` reads it'),
    "policy-field-documentation": _Rule(_undocumented, "describe the fields in the schema"),
    "policy-untagged-column": _Rule(_untagged_columns, "tag it, or waive it with the reason why it is not personal"),
    FORBIDDEN: _Rule(_forbidden, "leave the column out, mask it, or ask for a waiver"),
}
"""The rules of a policy, in the order of docs/how-to/personal-data.md."""

POLICY_RULES = frozenset(_RULES)
