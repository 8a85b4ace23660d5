"""Queries for the applications at topics: observed by monitoring, configured in the graph, permitted by rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, or_, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import fetch_cells, topic_level
from scanner_dictionary.queries.facts import fact_of, is_stale, newest_scans, reported_facts, stored_rows
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.other_columns import cluster_names
from scanner_model.client_names import Applications, Match
from scanner_model.clients import (
    AT_SCAN,
    EVERYBODY,
    AclAuthorizer,
    AclRule,
    Acls,
    ApplicationIdentity,
    ClientUse,
    Direction,
    IdentityKind,
    Permitted,
)
from scanner_model.text import counted

OBSERVED, CONFIGURED, PERMITTED = "observed", "configured", "permitted"
"""How a use of a topic is known; the three are never merged."""

_REMEMBERED = timedelta(days=7)
"""Kafka's default of `transactional.id.expiration.ms`."""
_USES = (Direction.READS, Direction.WRITES)
_TOPICS_AT_ONCE = 200
"""Topics whose edges are read together: a page needs few of a large graph."""


class _TopicNode(NamedTuple):
    """A topic's node in the graph, and its cluster."""

    id: int
    cluster: str
    name: str


class Identity(NamedTuple):
    """One name of a client, of a *kind*, and the *source* that has it."""

    kind: str
    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRow:
    """An application that uses a topic; *use* is reads or writes, *certainty* observed, configured or permitted.

    *kind* is application, connector, consumer-group, principal, or the type of a job. *joined* is what made one of its
    identities: mapping, one series, naming rule, equal name (a suggestion), own name. *first_seen* and *last_seen* are
    ISO 8601, empty unless it was observed; *sampled*: the source shows a sample only. *stale*: its source could not be
    read since. *gone*: it was observed in an earlier window only.
    *column* is the field that it uses, `all fields`, or `all fields, not resolved`; empty unless fields were asked for.
    *places* are the files and lines where it uses the field. *lag* is how many records a consumer group was behind by
    the newest metric; None if no metric is known.
    """

    cluster: str
    topic: str
    use: str
    application: str
    kind: str
    certainty: str
    owner: str = ""
    first_seen: str = ""
    last_seen: str = ""
    sampled: bool = False
    joined: str = ""
    identities: tuple[Identity, ...] = ()
    evidence: str = ""
    stale: bool = False
    gone: bool = False
    column: str = ""
    places: tuple[str, ...] = ()
    lag: float | None = None


def observed(
    conn: Connection,
    *,
    cluster: str | None = None,
    topic: str | Collection[str] | None = None,
    include_gone: bool = False,
) -> Iterator[ClientRow]:
    """Return who was observed to use topics, by cluster, topic, use and application; several clients of one are a row.

    *topic* is the name of one topic, or are those of several. A client whose topic the cluster does not have is left
    out: the metric is of another cluster. One that a sample missed since is remembered for a week.
    """
    query = stored_rows(t.client_use, cluster)
    if not include_gone:
        query = query.where(or_(t.client_use.c.gone.is_(None), t.client_use.c.sampled))
    topics = _names(topic)
    if topics is not None:
        # The metrics of some consumers have `_` for `.` in the topic.
        query = query.where(t.client_use.c.topic.in_(sorted(topics | set(map(_flattened, topics)))))
    rows = conn.execute(query.order_by(t.client_use.c.id)).all()
    if not rows:
        return iter(())
    newest, scans, groups = newest_scans(conn), _scan_times(conn), dict[tuple[str, ...], _Group]()
    names = cache(lambda name: _Names.of(conn, name))
    for row in rows:
        if not include_gone and row.gone is not None and _is_forgotten(row, scans[newest[row.cluster_id]]):
            continue
        use, known = fact_of(ClientUse, row), names(row.cluster_name)
        name = known.topic(use.topic)
        if name is None or (topics is not None and name not in topics):
            continue
        if match := known.applications.match(dict(use.identities)):
            key = row.cluster_name, name, use.direction.value, match.application
            group = groups.setdefault(key, _Group(known.kind(match.application)))
            group.add(use, match, row, scans, is_stale(row, newest))
    return (groups[key].row(*key) for key in sorted(groups))


def _is_forgotten(row: Row[Any], now: str) -> bool:
    """Return whether a sampled use was last seen longer ago than brokers remember an idle transactional id."""
    return bool(now) and datetime.fromisoformat(row.ended) + _REMEMBERED < datetime.fromisoformat(now)


def _names(topic: str | Collection[str] | None) -> frozenset[str] | None:
    return topic if topic is None else frozenset((topic,) if isinstance(topic, str) else topic)


def configured(
    conn: Connection, *, cluster: str | None = None, topic: str | Collection[str] | None = None
) -> Iterator[ClientRow]:
    """Yield the jobs and consumer groups that the stored graph has at topics, but for what was observed only.

    *topic* means what it does in `observed`.
    """
    names = cache(lambda name: _Names.of(conn, name, topics=False))
    for topics in in_chunks(_topics_in_graph(conn, cluster, _names(topic)), _TOPICS_AT_ONCE):
        rows = (row for direction in _USES for row in conn.execute(_edges(direction, [each.id for each in topics])))
        homes = {each.id: each.cluster for each in topics}
        unique = {(row.topic_id, row.use, row.node_key): row for row in rows}
        listed = (_configured(homes[row.topic_id], row, names) for row in unique.values())
        yield from sorted(listed, key=lambda row: (row.cluster, row.topic, row.use, row.application))


def _topics_in_graph(conn: Connection, cluster: str | None, topics: Collection[str] | None) -> Iterator[_TopicNode]:
    """Yield the key, cluster and name of the graph's topics, by cluster and name."""
    node = t.flow_node.c
    homes = cluster_names(conn)
    # The range of keys leaves out the columns of schemas, which are most of a graph.
    query = select(node.id, node.namespace, node.name).where(topic_level(conn).nodes, node.kind == "topic")
    query = query if topics is None else query.where(node.name.in_(sorted(topics)))
    rows: dict[str, list[tuple[str, int]]] = {}
    for key, namespace, name in fetch_cells(conn.execute(query)):
        if cluster in (None, homes.get(namespace, "")):
            rows.setdefault(homes.get(namespace, ""), []).append((name, key))
    return (_TopicNode(key, home, name) for home in sorted(filter(None, rows)) for name, key in sorted(rows[home]))


def permitted(conn: Connection, cluster: str, topic: str, *, each: bool = False) -> Iterator[ClientRow]:
    """Yield who may use a topic by rules of access: one row for each use, or for *each* principal.

    Nothing where no rules were read. That a principal may use a topic does not say that it does.
    """
    listed = [(source, acls, True) for source, acls in rules_of(conn, cluster)]
    listed += [(source, acls, False) for source, acls in declared_rules(conn, cluster)]
    for direction, (source, acls, is_complete) in product(_USES, listed):
        allowed = acls.permitted(topic, direction.operation)
        names = principals_of(allowed) if each else _summary(allowed, acls)
        if not is_complete and not (allowed.principals or allowed.conditional or allowed.everybody):
            continue  # files declare some rules, not all
        for name, evidence in names:
            yield ClientRow(
                cluster=cluster,
                topic=topic,
                use=direction.value,
                application=name,
                kind="principal",
                certainty=PERMITTED,
                evidence=evidence,
                identities=(Identity(IdentityKind.PRINCIPAL.value, name, source),) if each else (),
            )


def group_lags(conn: Connection, cluster: str, topic: str) -> Mapping[str, float]:
    """Return how many records each consumer group of a topic was behind, by the newest metric that a source has."""
    metric = t.metric.c
    groups = stored_rows(t.metric, cluster, include_gone=False).where(metric.object_kind == "group")
    query = groups.where(metric.name == "consumer_lag_offsets", metric.topic == topic).order_by(metric.ended)
    return {row.object_name: row.amount for row in conn.execute(query)}


def rules_of(conn: Connection, cluster: str) -> Iterator[tuple[str, Acls]]:
    """Yield the rules of access of a cluster, by source; nothing where none were read.

    Nor where brokers list no rule: whether access is decided elsewhere, as by RBAC, IAM or Ranger, is unknown then.
    """
    rules: dict[str, list[AclRule]] = {}
    for row in conn.execute(stored_rows(t.acl_rule, cluster, include_gone=False)):
        rules.setdefault(row.source_name, []).append(fact_of(AclRule, row))
    for row in conn.execute(stored_rows(t.acl_authorizer, cluster, include_gone=False)):
        authorizer = fact_of(AclAuthorizer, row)
        if row.source_name in rules or not authorizer.active:
            yield row.source_name, Acls(rules.get(row.source_name, ()), authorizer)


def declared_rules(conn: Connection, cluster: str) -> Iterator[tuple[str, Acls]]:
    """Yield the rules of access that files declare, by source: no brokers say whether there are more."""
    rules: dict[str, list[AclRule]] = {}
    for row in conn.execute(stored_rows(t.acl_rule, cluster, include_gone=False)):
        rules.setdefault(row.source_name, []).append(fact_of(AclRule, row))
    for row in conn.execute(stored_rows(t.acl_authorizer, cluster, include_gone=False)):
        rules.pop(row.source_name, None)
    for source, listed in rules.items():
        yield source, Acls(listed, AclAuthorizer(source=listed[0].source, active=True))


def principals_of(allowed: Permitted) -> Iterator[tuple[str, str]]:
    """Yield who is allowed, each with from where: everybody first, with those who are denied."""
    if allowed.everybody or EVERYBODY in allowed.conditional:
        hosts = ", from some hosts only" if EVERYBODY in allowed.conditional else ""
        but = f", but for {', '.join(sorted(allowed.denied))}" if allowed.denied else ""
        yield EVERYBODY, f"everybody{hosts}{but}"
    for name in sorted((allowed.principals | allowed.conditional) - {EVERYBODY}):
        yield name, "from some hosts only" if name in allowed.conditional else "from any host"


def _summary(allowed: Permitted, acls: Acls) -> Iterator[tuple[str, str]]:
    count = len(allowed.principals | allowed.conditional)
    if allowed.everybody or EVERYBODY in allowed.conditional:
        why = "by a rule for everybody, or none" if acls.authorizer.active else "no authorizer"
        yield "everybody", "from some hosts only" if EVERYBODY in allowed.conditional else why
    elif count:
        yield counted(count, "principal"), "allowed by rules of access; no use seen"
    elif acls.authorizer.decides_by_more:
        yield (
            "unknown",
            f"no rule of access allows it, but {acls.authorizer.class_name} may by role bindings or policies",
        )
    else:
        yield "nobody", "no rule of access allows it"


@dataclass(slots=True)
class _Group:
    """The clients of one application that use one topic in one way."""

    kind: str
    owner: str = ""
    first_seen: str = ""
    last_seen: str = ""
    sampled: bool = False
    stale: bool = True
    gone: bool = True
    joined: set[str] = field(default_factory=set)
    identities: set[Identity] = field(default_factory=set)
    evidence: set[str] = field(default_factory=set)

    def add(self, use: ClientUse, match: Match, row: Row[Any], scans: Mapping[int, str], stale: bool) -> None:
        """Add a client; what was seen in an earlier scan was first seen then."""
        first = use.started if row.first_seen == row.last_seen else scans.get(row.first_seen, use.started)
        self.first_seen = min(filter(None, (self.first_seen, first)))
        self.last_seen = max(self.last_seen, use.ended)
        self.owner = self.owner or match.owner
        self.sampled |= use.sampled
        self.stale &= stale
        self.gone &= row.gone is not None
        self.joined.add(match.by)
        self.identities |= {Identity(kind, name, use.source) for kind, name in use.identities}
        self.evidence.add(f"{use.metric} of {use.source} within {use.window}")

    def row(self, cluster: str, topic: str, use: str, application: str) -> ClientRow:
        """Return the row."""
        return ClientRow(
            cluster=cluster,
            topic=topic,
            use=use,
            application=application,
            kind=self.kind,
            certainty=OBSERVED,
            owner=self.owner,
            first_seen=self.first_seen,
            last_seen=self.last_seen,
            sampled=self.sampled,
            joined=", ".join(sorted(self.joined)),
            identities=tuple(sorted(self.identities)),
            evidence="; ".join(sorted(self.evidence)),
            stale=self.stale,
            gone=self.gone,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What a cluster's objects are called: applications by their identities, kinds of jobs, topics if they are read."""

    applications: Applications
    kinds: Mapping[str, str]
    topics: frozenset[str] = frozenset()
    flattened: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, conn: Connection, cluster: str, *, topics: bool = True) -> _Names:
        mapped = [fact for name, fact in reported_facts(conn, ApplicationIdentity) if name == cluster]
        kinds = dict.fromkeys(_member_groups(conn, cluster), "consumer-group")
        kinds |= {name: kind for kind, table in _NAMED.items() for name in _live_names(conn, cluster, table)}
        named = frozenset(_live_names(conn, cluster, t.topic)) if topics else frozenset[str]()
        flattened: dict[str, str | None] = {}
        for topic in named:
            flattened[_flattened(topic)] = None if _flattened(topic) in flattened else topic
        flows = stored_rows(t.manual_flow, cluster, include_gone=False).with_only_columns(t.manual_flow.c.job)
        known = {*kinds, *filter(None, conn.scalars(flows)), *(identity.application for identity in mapped)}
        return cls(applications=Applications(mapped, known), kinds=kinds, topics=named, flattened=flattened)

    def topic(self, name: str) -> str | None:
        """Return the topic that a metric names; None where the cluster has none, or several may be meant."""
        return name if name in self.topics else self.flattened.get(name)

    def kind(self, application: str) -> str:
        """Return what an application is."""
        return self.kinds.get(application, "application")


_NAMED = {"consumer-group": t.consumer_group, "streams": t.streams_topology, "connector": t.connector}


def _member_groups(conn: Connection, cluster: str) -> Iterator[str]:
    """Yield the groups whose members brokers described: those of the newer kinds are in no list of consumer groups."""
    use = t.client_use.c
    query = stored_rows(t.client_use, cluster).where(use.window_length == AT_SCAN).with_only_columns(use.identities)
    for identities in conn.scalars(query.distinct()):
        yield from (name for kind, name in json.loads(identities) if kind == IdentityKind.GROUP)


def _flattened(topic: str) -> str:
    return topic.replace(".", "_")


def _live_names(conn: Connection, cluster: str, table: Any) -> Iterable[str]:  # noqa: ANN401 - a table
    return conn.scalars(stored_rows(table, cluster, include_gone=False).with_only_columns(table.c.name))


def _scan_times(conn: Connection) -> Mapping[int, str]:
    return {row.id: row.finished or "" for row in conn.execute(select(t.scan.c.id, t.scan.c.finished))}


def _edges(direction: Direction, topics: Sequence[int]) -> Select[Any]:
    """Select the edges of jobs and groups at *topics*, the keys of their nodes, with the node of the job."""
    edge, at, job = t.flow_edge.c, t.flow_node.alias(), t.flow_node.alias()
    ends = (edge.source_node_id, edge.target_node_id)
    topic_end, job_end = ends if direction is Direction.READS else reversed(ends)
    return (
        select(
            at.c.id.label("topic_id"),
            at.c.name.label("topic"),
            edge.kind.label("use"),
            edge.evidence,
            edge.certainty,
            job.c.node_key,
            job.c.kind,
            job.c.name,
            job.c.attributes,
        )
        .select_from(t.flow_edge)
        .join(at, at.c.id == topic_end)
        .join(job, job.c.id == job_end)
        .where(edge.kind == direction.value, edge.certainty != OBSERVED, topic_end.in_(topics))
        .order_by(edge.id.desc())  # the first evidence of several is kept
    )


def _configured(cluster: str, row: Row[Any], names: Callable[[str], _Names]) -> ClientRow:
    applications, attributes = names(cluster).applications, json.loads(row.attributes)
    is_group = row.kind == "consumer-group"
    identity = IdentityKind.GROUP if is_group else IdentityKind.APPLICATION
    match = applications.match({identity.value: row.name})
    mapped = match if match and match.by == "mapping" else None
    owners = attributes.get("owners") or [attributes.get("owner", "")]
    state = ", ".join(filter(None, (attributes.get(name, "") for name in ("state", "failed", "tasks"))))
    return ClientRow(
        cluster=cluster,
        topic=row.topic,
        use=row.use,
        application=mapped.application if mapped else row.name,
        kind=row.kind if is_group else attributes.get("type", row.kind),
        certainty=CONFIGURED,
        owner=(match.owner if match else "") or ", ".join(map(str, owners)),
        joined=mapped.by if mapped else "",
        identities=(Identity(identity.value, row.name, ""),) if is_group or mapped else (),
        evidence=row.evidence + (f" ({state})" if state else "") + _doubt(row.certainty),
    )


def _doubt(certainty: str) -> str:
    return f" ({certainty})" if certainty in ("matched", "suggested") else ""


def application_of_group(conn: Connection, cluster: str) -> Callable[[str], str]:
    """Return a function from a consumer group to the application that cluster.json maps it to, else to itself."""
    applications = _Names.of(conn, cluster, topics=False).applications

    def find(group: str) -> str:
        match = applications.match({IdentityKind.GROUP.value: group})
        return match.application if match else group

    return find


def has_observations(conn: Connection, cluster: str) -> bool:
    """Return whether any use of a topic of *cluster* was observed by now."""
    query = stored_rows(t.client_use, cluster).with_only_columns(t.client_use.c.id).limit(1)
    return conn.execute(query).first() is not None
