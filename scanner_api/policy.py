"""The policy of a cluster applied to what the dictionary has: each finding with its place and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

import regex

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.column_tags import ColumnTags
from scanner_dictionary import queries
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries.columns import ANY_TAG, topic_columns
from scanner_dictionary.queries.listings import TopicFilter, TopicRow
from scanner_dictionary.queries.subjects import live_subjects
from scanner_dictionary.search.columns_in_graph import Place, tagged_columns
from scanner_dictionary.search.other_columns import cluster_names
from scanner_dictionary.validation import Finding, Severity
from scanner_extractor.config.policy import read_policy as read_policy
from scanner_extractor.evolution import Level
from scanner_model.columns import field_name, path_name
from scanner_model.policy import ClusterPolicy as ClusterPolicy
from scanner_model.policy import Waiver

FORBIDDEN = "policy-forbidden-flow"
_LISTED = 3
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


class _Found(NamedTuple):
    cluster: str
    where: str
    what: str


class _Checked(NamedTuple):
    """What a rule looks at: the policy, and the dictionary of one cluster or of all."""

    conn: Connection
    policy: ClusterPolicy
    cluster: str | None

    def topics(self, wanted: TopicFilter | None = None) -> Iterator[TopicRow]:
        rows = queries.topics(self.conn, wanted or TopicFilter(cluster=self.cluster))
        return (row for row in rows if not row.internal)


def apply_policy(
    dictionary: Dictionary,
    policy: ClusterPolicy,
    *,
    cluster: str | None = None,
    rules: Collection[str] | None = None,
    now: datetime | None = None,
) -> PolicyResult:
    """Return what breaks *policy* in the dictionary; *now* is the time for its waivers, None the present.

    *rules* are some of POLICY_RULES, None for all of them.

    A waiver holds until the end of its last day. Raises NameUnknown for an unknown cluster.

    >>> apply_policy(dictionary, ClusterPolicy(topic_owner=True)).findings
    """
    today = (now or datetime.now(UTC)).date()
    chosen = [rule for rule in _RULES if rules is None or rule in rules]
    with dictionary.reading() as conn:
        checked = _Checked(conn, policy, known_cluster(conn, cluster))
        found = [(rule, each) for rule in chosen for each in sorted(_RULES[rule].find(checked))]
    findings: list[Finding] = []
    notes = [
        f"policy: the waiver of {waiver.rule} at {waiver.where} expired on {waiver.expires}: {waiver.reason}"
        for waiver in policy.waivers
        if waiver.expires < today
    ]
    waived: Counter[Waiver] = Counter()
    for rule, (name, where, what) in found:
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


def _without_owner(checked: _Checked) -> Iterator[_Found]:
    if checked.policy.topic_owner:
        for row in checked.topics(TopicFilter(cluster=checked.cluster, without_owner=True)):
            yield _Found(row.cluster, f"topic {row.name}", "it has no owner")


def _misnamed(checked: _Checked) -> Iterator[_Found]:
    patterns = [regex.compile(text) for text in checked.policy.topic_names]
    for row in checked.topics() if patterns else ():
        if not any(pattern.fullmatch(row.name) for pattern in patterns):
            yield _Found(
                row.cluster, f"topic {row.name}", f"its name fits none of {_listed(checked.policy.topic_names)}"
            )


def _untagged_topics(checked: _Checked) -> Iterator[_Found]:
    wanted = checked.policy.required_tags
    for row in checked.topics() if wanted else ():
        lacking = [tag for tag in wanted if tag.lower() not in map(str.lower, row.tags)]
        if lacking:
            yield _Found(row.cluster, f"topic {row.name}", f"it has no tag {_listed(lacking)}")


def _lenient(checked: _Checked) -> Iterator[_Found]:
    """Find subjects that promise less than the level; one whose level was not read is found, too."""
    least = checked.policy.compatibility
    for row in live_subjects(checked.conn, checked.cluster) if least else ():
        word = row.level.split()[0] if row.level else ""
        level = Level.parse(word)
        if level is None:
            what = f"its compatibility level is not known, {least} is asked for"
            yield _Found(row.cluster, f"subject {row.full_name}", what)
        elif not _PROMISES[level] >= _PROMISES[Level(least)]:
            yield _Found(
                row.cluster, f"subject {row.full_name}", f"its compatibility level is {word}, not at least {least}"
            )


def _undocumented(checked: _Checked) -> Iterator[_Found]:
    rows = topic_columns(checked.conn, cluster=checked.cluster) if checked.policy.field_documentation else ()
    fields = (row for row in rows if row.subject and row.path and field_name(row.path[-1]) is not None)
    for (cluster, subject), listed in groupby(fields, key=lambda row: (row.cluster, row.subject)):
        lacking = dict.fromkeys(row.name for row in listed if not row.doc)
        if lacking:
            what = f"{len(lacking)} fields have no documentation: {_listed(list(lacking))}"
            yield _Found(cluster, f"subject {subject}", what)


def _forbidden(checked: _Checked) -> Iterator[_Found]:
    """Find columns that declare or inherit a tag where it may not be; an old graph is a finding, too."""
    if not checked.policy.forbidden:
        return
    graph = stored_graph(checked.conn)
    if graph is None or graph.last_scan < newest_scan(checked.conn):
        yield _Found("", "the graph", "it is older than the newest scan, or missing: where data go is not known")
    declared = list(tagged_columns(checked.conn, ANY_TAG))
    clusters = cluster_names(checked.conn)
    for place, column in declared:
        for tag in column.tags:
            if _is_forbidden(checked.policy, tag, f"{place.namespace}/{place.name}"):
                yield _Found(column.cluster, _column(place), f"it has {tag}, declared")
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
                yield _Found(name, _column(place), f"it has {found.tag}, from {found.origin}: {'; '.join(found.path)}")


def _is_forbidden(policy: ClusterPolicy, tag: str, dataset: str) -> bool:
    return any(rule.is_broken(tag, dataset) for rule in policy.forbidden)


def column_at(name: str) -> str:
    """Return the place of a finding about a column, as waivers name it; *name* is behind that of its dataset."""
    return f"column {name}"


def _column(place: Place) -> str:
    return column_at(f"{place.name}.{path_name(place.path)}")


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


class _Rule(NamedTuple):
    find: Callable[[_Checked], Iterator[_Found]]
    hint: str


_RULES: Mapping[str, _Rule] = {
    "policy-topic-owner": _Rule(_without_owner, "set an owner in the stream catalog"),
    "policy-topic-name": _Rule(_misnamed, "rename it, or add a pattern to `topic_names`"),
    "policy-required-tag": _Rule(_untagged_topics, "set the tag in the stream catalog or its definition"),
    "policy-compatibility": _Rule(_lenient, 'set the level in the registry; `"compatibility": true` reads it'),
    "policy-field-documentation": _Rule(_undocumented, "describe the fields in the schema"),
    FORBIDDEN: _Rule(_forbidden, "leave the column out, mask it, or ask for a waiver"),
}
"""The rules of a policy, in the order of docs/how-to/personal-data.md."""

POLICY_RULES = frozenset(_RULES)
