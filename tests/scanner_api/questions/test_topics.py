"""Who writes to and reads from a topic: each application with how it is known, on the question and in the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from checked_installation import AT, KAFKA, installation, read_result
from sqlalchemy import and_, select
from sqlalchemy.orm import aliased

import scanner_api
from dataflow_generator.analysis.findings import stored_findings
from scanner_api.dictionary import Dictionary
from scanner_check.users.hits import Hits
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import topic_level
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import write_scan
from scanner_model.catalogs import Metric
from scanner_model.clients import (
    AT_SCAN,
    AclAuthorizer,
    AclRule,
    ApplicationIdentity,
    ClientUse,
    Direction,
    IdentityKind,
)
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceStatus

pytestmark = pytest.mark.slow

PROMETHEUS, ACLS, MAPPING = SourceId("prometheus:main"), SourceId("acls:k:9092"), SourceId("applications:cluster.json")
TWO = ("shop.idle", "shop.busy")
KINDS = {PROMETHEUS: "prometheus", ACLS: "acls", MAPPING: "applications"}


def use(topic: str, direction: Direction = Direction.WRITES, **names: str) -> ClientUse:
    return ClientUse(
        source=PROMETHEUS,
        topic=TopicName(topic),
        direction=direction,
        identities=tuple(sorted((kind.replace("_", "."), name) for kind, name in names.items())),
        started="2026-02-28T12:00:00+00:00",
        ended="2026-03-01T12:00:00+00:00",
        window="1d",
        metric="sent_total",
        amount=5.0,
    )


def scan_with(
    *facts: Any, status: SourceStatus = SourceStatus.READ, topics: tuple[str, ...] = ("shop.idle",)
) -> ClusterScan:
    """Return the small installation with more topics, and what says who uses them."""
    scan = installation()
    outcomes = tuple(replace(read_result(source, status), kind=kind) for source, kind in KINDS.items())
    more = tuple(Topic(source=KAFKA, name=TopicName(name)) for name in topics)
    return replace(scan, facts=(*scan.facts, *more, *facts), outcomes=(*scan.outcomes, *outcomes))


@pytest.fixture
def stored(tmp_path) -> Callable[..., Dictionary]:
    """Store scans one after the other, *apart* from each other, and generate the graph."""

    def store(*scans: ClusterScan, graph: bool = True, apart: timedelta = timedelta(0)) -> Dictionary:
        url = f"sqlite:///{tmp_path / 'dictionary.db'}"
        engine = open_dictionary(url, create=True)
        for number, scan in enumerate(scans):
            write_scan(engine, scan, started=AT + number * apart, finished=AT + number * apart)
        dictionary = scanner_api.open_dictionary(url)
        if graph:
            scanner_api.generate(dictionary)
        return dictionary

    return store


def listed(dictionary: Dictionary, **asked: Any) -> list[tuple[str, str, str]]:
    return [(row.application, row.use, row.certainty) for row in scanner_api.clients(dictionary, **asked)]


OWNED = ApplicationIdentity(
    source=MAPPING, application="shop", kind=IdentityKind.CLIENT_ID, pattern="shop-*", owner="team-shop"
)
RULES = (
    AclAuthorizer(source=ACLS, active=True),
    AclRule(
        source=ACLS,
        pattern_type="PREFIXED",
        name="shop.",
        principal="User:a",
        host="*",
        operation="WRITE",
        permission="ALLOW",
    ),
)


def test_clients_of_one_application_are_one_row_with_owner_and_time(stored) -> None:
    """Whom to call is the question, not which instance it was."""
    dictionary = stored(scan_with(OWNED, use("shop.idle", client_id="shop-1"), use("shop.idle", client_id="shop-2")))
    (row,) = scanner_api.clients(dictionary, topic="shop.idle")

    assert (row.application, row.use, row.certainty, row.joined) == ("shop", "writes", "observed", "mapping")
    assert (row.owner, row.last_seen) == ("team-shop", "2026-03-01T12:00:00+00:00")
    assert [identity.name for identity in row.identities] == ["shop-1", "shop-2"]
    assert row.evidence == "sent_total of prometheus:main within 1d"


def test_lag_of_a_group_is_that_of_its_newest_metric_and_unknown_without_one(stored) -> None:
    """An old figure hides that a group caught up, and 0 is not the same as not measured."""
    level = {"source": PROMETHEUS, "topic": "shop.idle", "object_kind": "group", "object_name": "billing"}
    metrics = (
        Metric(name="consumer_lag_offsets", amount=7.0, ended="2026-03-01T12:00:00+00:00", **level),
        Metric(name="consumed_records", amount=9.0, ended="2026-03-01T12:00:00+00:00", **level),
    )
    groups = [ConsumerGroup(source=KAFKA, name=name, topics=(TopicName("shop.idle"),)) for name in ("billing", "audit")]
    dictionary = stored(replace(scan_with(*groups), metrics=metrics))
    users = scanner_api.describe_topic(dictionary, topic="shop.idle").users

    assert {user.name: user.lag for user in users} == {"billing": 7.0, "audit": None}


def test_three_certainties_stay_three_rows(stored) -> None:
    """What is permitted is no use, and a file is no observation."""
    flow = DeclaredFlow(
        source=KAFKA,
        origin=FlowEnd(),
        target=FlowEnd(name="shop.idle"),
        job="shop",
        description="",
        evidence="deploy.yaml:3",
    )
    dictionary = stored(scan_with(OWNED, *RULES, flow, use("shop.idle", client_id="shop-1")))

    assert listed(dictionary, topic="shop.idle") == [
        ("shop", "writes", "observed"),
        ("shop", "writes", "configured"),
        ("nobody", "reads", "permitted"),
        ("1 principal", "writes", "permitted"),
    ]
    assert listed(dictionary, topic="shop.idle", certainty="permitted", principals=True) == [
        ("User:a", "writes", "permitted")
    ]


def test_rights_of_files_name_principals_and_never_say_that_nobody_has_one(stored) -> None:
    """Files declare some rules; without those of the brokers, others are not known."""
    dictionary = stored(scan_with(RULES[1]))

    assert listed(dictionary, topic="shop.idle", certainty="permitted", principals=True) == [
        ("User:a", "writes", "permitted")
    ]
    assert [row[1] for row in listed(dictionary, topic="shop.idle", certainty="permitted")] == ["writes"]


def test_permitted_alone_is_no_flow_and_no_verdict(stored) -> None:
    """A rule for everybody would connect everything."""
    dictionary = stored(scan_with(*RULES))
    (answer,) = scanner_api.may_delete(dictionary, topic="shop.idle")

    assert answer.answer == "yes"
    assert "shop.idle" in [row.name for row in scanner_api.topics(dictionary, unused=True)]


def test_topic_that_only_an_ordinary_producer_writes_may_not_be_deleted(stored) -> None:
    """Nobody but its metrics knows it."""
    before, after = scan_with(), scan_with(OWNED, use("shop.idle", client_id="shop-1"))
    (unknown,) = scanner_api.may_delete(stored(before), topic="shop.idle")
    dictionary = stored(after)
    (answer,) = scanner_api.may_delete(dictionary, topic="shop.idle")

    assert (unknown.answer, answer.answer) == ("yes", "no")
    assert [(item.name, item.owner, item.last_seen[:10]) for item in answer.uses] == [
        ("shop", "team-shop", "2026-03-01")
    ]
    assert "shop.idle" not in [row.name for row in scanner_api.topics(dictionary, without_writer=True)]


def test_observed_application_is_a_job_that_passes_nothing_on(stored) -> None:
    """That it reads and writes does not say which of them come from which."""
    dictionary = stored(
        scan_with(
            use("shop.idle", Direction.READS, application="svc"),
            use("out", application="svc"),
            topics=("shop.idle", "out"),
        )
    )
    lineage = scanner_api.lineage(dictionary, node="shop.idle")

    assert {(node.kind, node.name) for node in lineage.nodes} == {("topic", "shop.idle"), ("job", "svc")}
    assert {edge.certainty for edge in lineage.edges} == {"observed"}


def test_producer_that_reads_nothing_is_no_finding_of_the_graph(stored) -> None:
    """Every ordinary producer would be one."""
    dictionary = stored(scan_with(use("shop.idle", application="svc")))
    with dictionary.reading() as conn:
        found = stored_findings(topic_level(conn))

    assert not [finding for finding in found if "svc" in finding.what]


def test_underscores_of_consumer_metrics_are_dots_where_one_topic_is_meant(stored) -> None:
    """Java wrote so before Kafka 4.1; of two topics neither is guessed."""
    one = scan_with(use("shop_idle", Direction.READS, application="svc"))
    two = scan_with(
        use("shop_idle", Direction.READS, application="svc"), topics=("shop.idle", "shop-idle", "shop_idle.")
    )
    both = scan_with(use("a_b_c", Direction.READS, application="svc"), topics=("a.b_c", "a_b.c"))

    assert listed(stored(one), topic="shop.idle") == [("svc", "reads", "observed")]
    assert listed(stored(two), topic="shop.idle") == [("svc", "reads", "observed")]
    assert listed(stored(both), certainty="observed") == []


def test_client_of_a_topic_that_the_cluster_lacks_is_of_another_cluster(stored) -> None:
    """Names of topics repeat among clusters."""
    assert listed(stored(scan_with(use("elsewhere", application="svc"))), certainty="observed") == []


def test_client_of_an_earlier_window_is_shown_on_request(stored) -> None:
    """A yearly report writes once a year."""
    dictionary = stored(scan_with(use("shop.idle", application="svc")), scan_with())

    assert listed(dictionary, topic="shop.idle") == []
    (row,) = scanner_api.clients(dictionary, topic="shop.idle", earlier=True)
    assert (row.application, row.gone) == ("svc", True)


def test_source_that_fails_keeps_what_it_showed_stale(stored) -> None:
    """An outage of monitoring is no end of the clients."""
    failed = scan_with(status=SourceStatus.UNAVAILABLE)
    (row,) = scanner_api.clients(stored(scan_with(use("shop.idle", application="svc")), failed), topic="shop.idle")

    assert (row.application, row.stale) == ("svc", True)


def test_without_a_graph_the_answer_is_not_complete(stored) -> None:
    """Configured uses are the graph's."""
    dictionary = stored(scan_with(use("shop.idle", application="svc")), graph=False)

    assert not scanner_api.clients(dictionary, topic="shop.idle").complete
    assert scanner_api.clients(dictionary, topic="shop.idle", certainty="observed").complete


def test_unknown_topic_is_named_with_the_nearest(stored) -> None:
    """A typing error is not a topic without clients."""
    with pytest.raises(NameUnknown, match=r"shop\.idl"):
        scanner_api.clients(stored(scan_with()), topic="shop.idl")


def test_internal_topics_are_no_candidates_for_a_drop(stored) -> None:
    """Nobody reads the offsets of Connect as a consumer, and Connect stops without them."""
    offsets = Topic(source=KAFKA, name=TopicName("connect-offsets"), internal=True)
    dictionary = stored(scan_with(offsets))

    assert "connect-offsets" in [row.name for row in scanner_api.topics(dictionary)]
    assert "connect-offsets" not in [row.name for row in scanner_api.topics(dictionary, unused=True)]
    assert "connect-offsets" in [row.name for row in scanner_api.topics(dictionary, without_reader=True)]


def unused(dictionary: Dictionary, age: str) -> tuple[list[str], bool]:
    page = scanner_api.topics(dictionary, unused_for=age, pattern="shop.")
    return [row.name for row in page], page.complete


def test_topic_is_unused_for_as_long_as_nobody_was_observed_at_it(tmp_path) -> None:
    """How long clients have been observed for says whether the answer is complete."""
    url = f"sqlite:///{tmp_path / 'dictionary.db'}"
    engine = open_dictionary(url, create=True)
    first = scan_with(use("shop.idle", application="svc"), use("shop.busy", application="svc"), topics=TWO)
    for days, scan in ((0, first), (40, scan_with(use("shop.busy", application="svc"), topics=TWO))):
        at = AT + timedelta(days=days)
        write_scan(engine, scan, started=at, finished=at)
    dictionary = scanner_api.open_dictionary(url)
    scanner_api.generate(dictionary)

    assert unused(dictionary, "30d") == (["shop.idle"], True)
    assert unused(dictionary, "6w") == ([], False)
    with pytest.raises(InputInvalid):
        unused(dictionary, "soon")


def test_change_of_a_topic_hits_the_applications_that_read_it(stored) -> None:
    """With whom to call, and when monitoring saw it last."""
    dictionary = stored(scan_with(OWNED, use("shop.idle", Direction.READS, client_id="shop-1")))
    with dictionary.reading() as conn:
        hits = Hits(conn)
        (cluster,) = hits.naming.clusters
        affected = hits.of(hits.naming.topic(cluster, "shop.idle"))

    assert [(hit.name, hit.owner, hit.last_seen[:10]) for hit in affected] == [("shop", "team-shop", "2026-03-01")]


@pytest.mark.parametrize(("apart", "remembered"), [(timedelta(days=6), True), (timedelta(days=8), False)])
def test_writer_that_a_sample_misses_is_remembered_for_a_week(stored, apart: timedelta, remembered: bool) -> None:
    """A transaction is open for a moment only: that the next scan finds none does not mean that nobody writes."""
    at = AT.isoformat()
    seen = replace(use("shop.idle", transactional_id="billing"), sampled=True, started=at, ended=at, window=AT_SCAN)
    dictionary = stored(scan_with(seen), scan_with(), apart=apart)

    assert [row.application for row in scanner_api.clients(dictionary, topic="shop.idle")] == ["billing"] * remembered
    assert [row.gone for row in scanner_api.clients(dictionary, topic="shop.idle", earlier=True)] == [True]


def test_member_of_a_described_group_is_its_group(stored) -> None:
    """Share groups and Streams groups are in no list of consumer groups."""
    member = replace(use("shop.idle", Direction.READS, group="workers", client_id="worker-7"), window=AT_SCAN)
    (row,) = scanner_api.clients(stored(scan_with(member)), topic="shop.idle")

    assert (row.application, row.kind) == ("workers", "consumer-group")


def test_moment_of_a_scan_is_no_time_of_observation(stored) -> None:
    """Members that were seen a month ago do not say who used a topic since."""
    member = replace(use("shop.busy", Direction.READS, group="workers"), window=AT_SCAN)
    dictionary = stored(scan_with(member, topics=TWO), scan_with(member, topics=TWO), apart=timedelta(days=40))

    assert not scanner_api.topics(dictionary, unused_for="30d").complete


def edges_at(dictionary: Dictionary, topic: str) -> list[tuple[str, str, str]]:
    """Return the edges of jobs and groups at a topic: the other end, kind, certainty."""
    edge, end, other = t.flow_edge.c, aliased(t.flow_node), aliased(t.flow_node)
    ends = and_(end.c.id.in_([edge.source_node_id, edge.target_node_id]), end.c.kind == "topic", end.c.name == topic)
    others = and_(other.c.id.in_([edge.source_node_id, edge.target_node_id]), other.c.id != end.c.id)
    query = select(other.c.name, edge.kind, edge.certainty).select_from(t.flow_edge).join(end, ends).join(other, others)
    with dictionary.reading() as conn:
        return sorted(tuple(row) for row in conn.execute(query.where(edge.kind.in_(["reads", "writes"]))))


def test_described_group_reads_in_the_graph(stored) -> None:
    """A share group commits nothing, and is in no list: it is a reader all the same."""
    member = replace(use("shop.idle", Direction.READS, group="workers"), window=AT_SCAN)
    dictionary = stored(scan_with(member))

    assert edges_at(dictionary, "shop.idle") == [("workers", "reads", "observed")]


def test_use_that_a_group_has_anyway_counts_once(stored) -> None:
    """Committed offsets say that the group reads; that a metric shows it, too, makes no second reader."""
    group = ConsumerGroup(source=KAFKA, name="workers", topics=(TopicName("shop.idle"),))
    uses = use("shop.idle", Direction.READS, group="workers"), use("shop.busy", Direction.READS, group="workers")
    dictionary = stored(scan_with(group, *uses, topics=TWO))

    assert [edges_at(dictionary, topic) for topic in TWO] == [
        [("workers", "reads", "declared")],
        [("workers", "reads", "observed")],
    ]
    assert [row.readers for row in scanner_api.topics(dictionary) if row.name == "shop.idle"] == [1]


def test_application_that_is_declared_and_observed_is_one_writer(stored) -> None:
    """Two edges say how it is known; the number is that of jobs."""
    ends = {"origin": FlowEnd(), "target": FlowEnd(name="shop.idle")}
    flow = DeclaredFlow(source=KAFKA, job="billing", description="", evidence="deploy.yaml:3", **ends)
    dictionary = stored(scan_with(flow, use("shop.idle", application="billing")))

    assert [row.writers for row in scanner_api.topics(dictionary) if row.name == "shop.idle"] == [1]


def permitted_rows(dictionary: Dictionary, **asked: Any) -> list[tuple[str, str]]:
    rows = scanner_api.clients(dictionary, topic="shop.idle", certainty="permitted", **asked)
    return [(row.application, row.evidence) for row in rows if row.use == "writes"]


def test_empty_list_of_rules_says_nothing_of_who_may(stored) -> None:
    """Where RBAC, IAM or Ranger decide, brokers list no rule either; "nobody" would be a false statement."""
    seen = use("shop.idle", client_id="shop-1", principal="User:shop")
    dictionary = stored(scan_with(AclAuthorizer(source=ACLS, active=True), seen))

    assert permitted_rows(dictionary) == []
    assert not [row for row in scanner_api.validate(dictionary) if row.rule == "unknown-writer"]


def test_rules_are_not_all_where_the_authorizer_knows_role_bindings(stored) -> None:
    """A principal without a rule may have a role: it is neither "nobody" nor a finding."""
    seen = use("shop.idle", client_id="shop-1", principal="User:shop")
    asked = AclAuthorizer(source=ACLS, active=True, class_name="a.RbacAuthorizer")
    others = replace(RULES[1], name="other.")
    answers = []
    for authorizer in (RULES[0], asked):
        dictionary = stored(scan_with(authorizer, others, seen))
        findings = [row for row in scanner_api.validate(dictionary) if row.rule == "unknown-writer"]
        answers.append(([name for name, _ in permitted_rows(dictionary)], len(findings)))

    assert answers == [(["nobody"], 1), (["unknown"], 0)]


def test_everybody_from_some_hosts_is_everybody_once(stored) -> None:
    """It is neither one principal nor everybody from anywhere."""
    rules = tuple(replace(RULES[1], principal="User:*", host=host) for host in ("10.0.0.1", "10.0.0.2"))
    denied = replace(RULES[1], principal="User:*", host="10.0.0.1", permission="DENY")
    some = stored(scan_with(RULES[0], *rules))

    assert permitted_rows(some) == [("everybody", "from some hosts only")]
    assert permitted_rows(some, principals=True) == [("User:*", "everybody, from some hosts only")]
    but_one = stored(scan_with(RULES[0], replace(RULES[1], principal="User:*"), denied))
    assert permitted_rows(but_one, principals=True) == [("User:*", "everybody, from some hosts only")]
