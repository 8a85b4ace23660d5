"""A graph as events: whose flows are whose, jobs of many datasets in parts, names of columns, what a run shows."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.openlineage.emit.datasets import DictionaryMetadata, schema_facet
from dataflow_generator.openlineage.emit.graph_events import EventOptions, graph_events
from dataflow_generator.openlineage.emit.jobs import Job, Use, parts
from dataflow_generator.openlineage.emit.run_events import event_line, run_id
from scanner_dictionary.queries.topics import CatalogAnnotations
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid

AT = "2026-03-01T10:00:00+00:00"
K = "kafka://k-1:9092"
CLUSTER = Node("cluster:shop", NodeKind.CLUSTER, K, "shop", None, (("brokers", ("k-1:9092", "k-2:9092")),))


def topic(name: str, **attributes: Any) -> Node:
    return Node(f"topic:{K}/{name}", NodeKind.TOPIC, K, name, None, tuple(attributes.items()))


def column(name: str, *path: str) -> Node:
    return Node(f"column:{K}/{name}#{'.'.join(path)}", NodeKind.COLUMN, K, name, path)


def job(name: str, **attributes: Any) -> Node:
    return Node(f"job:connect://main/{name}", NodeKind.JOB, "connect://main", name, None, tuple(attributes.items()))


def edge(source: Node, kind: EdgeKind, target: Node, evidence: str = "why", type_: str = "", subtype: str = "") -> Edge:
    return Edge(source.key, target.key, kind, evidence, Certainty.DERIVED, type_, subtype)


def through(node: Node, source: Node, target: Node, evidence: str, variant: str = "") -> list[Edge]:
    return [
        edge(source, EdgeKind.READS, node, evidence, "", variant),
        edge(node, EdgeKind.WRITES, target, evidence, "", variant),
    ]


def reported(
    nodes: list[Node], edges: list[Edge], known: DictionaryMetadata | None = None, **how: Any
) -> list[dict[str, Any]]:
    graph = FlowGraph(nodes=lambda: iter([CLUSTER, *nodes]), edges=lambda: iter(edges))
    nothing = DictionaryMetadata(columns=lambda topics: {}, annotations={}, names={})
    return list(graph_events(graph, known or nothing, EventOptions(at=AT, producer="urn:test:1", **how)))


def jobs(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {event["job"]["name"]: event for event in events if "job" in event}


def lineage(event: dict[str, Any]) -> Any:
    facet = event["outputs"][0]["facets"].get("columnLineage")
    return facet and {key: facet[key] for key in facet if not key.startswith("_")}


@pytest.fixture
def copied() -> tuple[list[Node], list[Edge]]:
    """Two connectors that both take `a` to `b`, and a flow that the second one's configuration reports."""
    a, b, item, two = topic("a"), topic("b"), job("one", type="connector"), job("two", type="connector")
    nodes = [a, b, item, two, column("a", "id"), column("b", "key", "id")]
    flow = edge(nodes[4], EdgeKind.COLUMN_FLOW, nodes[5], "connector two: transforms", "DIRECT", "IDENTITY")
    uses = [*through(item, a, b, "connector one: topics"), *through(two, a, b, "connector two: topics")]
    return nodes, [*uses, flow]


def test_flow_belongs_to_the_job_whose_evidence_it_shares(copied) -> None:
    """Both jobs have the same ends; only one of them says how columns go."""
    result = jobs(reported(*copied))
    origin = {"namespace": K, "name": "a", "field": "id"}

    assert lineage(result["one"]) is None
    assert lineage(result["two"])["fields"] == {
        "key.id": {"inputFields": [origin | {"transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}]}]}
    }


def test_column_that_affects_all_of_an_output_is_reported_for_the_output() -> None:
    """As a filter does; `fields` stays there, since the specification requires it."""
    a, b, node, used = topic("a"), topic("b"), job("one"), column("a", "state")
    flow = edge(used, EdgeKind.COLUMN_FLOW, b, "connector one: x", "INDIRECT", "FILTER")
    facet = lineage(jobs(reported([a, b, node, used], [*through(node, a, b, "connector one: x"), flow]))["one"])

    assert facet["fields"] == {}
    assert [item["field"] for item in facet["dataset"]] == ["state"]


def test_flow_from_a_whole_dataset_is_in_the_newer_facet() -> None:
    """`columnLineage` requires a field of the origin, and there is none."""
    a, b, connector, target = topic("a"), topic("b"), job("one"), column("b", "body")
    flow = edge(a, EdgeKind.COLUMN_FLOW, target, "connector one: x", "DIRECT", "IDENTITY")
    event = jobs(reported([a, b, connector, target], [*through(connector, a, b, "connector one: x"), flow]))["one"]
    entry = event["job"]["facets"]["lineage"]["entries"][0]

    assert lineage(event) is None
    assert (entry["name"], entry["fields"]["body"]["inputs"][0]["name"]) == ("b", "a")


def test_what_others_reported_is_not_reported_again() -> None:
    """Events that were imported came from somebody who reports them."""
    a, b, node = topic("a"), topic("b"), job("spark", type="openlineage")

    assert jobs(reported([a, b, node], through(node, a, b, "an event"))) == {}


def test_consumer_group_is_a_job_unless_it_is_the_route_of_one() -> None:
    """An application that nobody scans is seen by its group; a connector's group is not a second reader."""
    a, node = topic("a"), job("one")
    app, its = (Node(f"consumer-group:{K}/{name}", NodeKind.CONSUMER_GROUP, K, name) for name in ("app", "connect-one"))
    edges = [edge(a, EdgeKind.READS, app), edge(a, EdgeKind.READS, node), edge(its, EdgeKind.MEMBER_OF, node)]
    result = jobs(reported([a, app, its, node], edges))

    assert sorted(result) == ["app", "one"]
    assert result["app"]["job"]["namespace"] == "kafka-consumers://k-1:9092"


def test_topic_that_is_kept_as_a_table_feeds_it() -> None:
    """No job of anybody's does that, and the path must not end there."""
    a, table = topic("a"), Node("dataset:s3://lake/a", NodeKind.DATASET, "s3://lake", "a")
    result = jobs(reported([a, table], [edge(a, EdgeKind.MATERIALIZES, table)]))["keep a"]

    assert ([item["name"] for item in result["inputs"]], [item["name"] for item in result["outputs"]]) == (["a"], ["a"])
    assert result["outputs"][0]["namespace"] == "s3://lake"


@pytest.mark.parametrize(("reads", "writes"), [(3, 2), (450, 1), (1, 450), (450, 450)])
def test_every_pair_of_a_large_job_is_in_some_part(reads: int, writes: int) -> None:
    """However it is cut, what goes where stays told, and no part is large."""
    node = job("hub")
    hub = Job(node, [Use(f"r{n}", "", "") for n in range(reads)], [Use(f"w{n}", "", "") for n in range(writes)])
    result = list(parts(hub, 200))

    pairs = {pair for some, others in result for pair in product(some, others)}
    assert pairs == {(f"r{n}", f"w{m}") for n in range(reads) for m in range(writes)}
    assert max(len(some) + len(others) for some, others in result) <= 200


def test_parts_of_a_mirror_keep_its_routes_together() -> None:
    """A mirror of many topics is reported in several events, each with whole pairs."""
    texts = [str(n) for n in range(500)]
    hub = Job(job("mirror"), [Use(f"r{w}", w, "") for w in texts], [Use(f"w{w}", w, "") for w in texts])
    result = list(parts(hub, 200))

    assert len(result) == 5
    assert all([text[1:] for text in some] == [other[1:] for other in others] for some, others in result)


def test_job_without_datasets_is_reported() -> None:
    """That it is there is something."""
    assert list(parts(Job(job("idle")), 200)) == [([], [])]
    assert jobs(reported([job("idle", type="connector")], []))["idle"]["inputs"] == []


def test_topic_is_described_by_the_dictionary_and_the_catalog() -> None:
    """Columns with their docs, tags of both, an owner, and the other brokers as other names."""
    known = DictionaryMetadata(
        columns=lambda topics: {("shop", "a"): (Column(path=("id",), type="long", doc="The number.", tags=("PII",)),)},
        annotations={("shop", "a"): CatalogAnnotations(("finance=yes",), "team-a", "Orders.")},
        names={},
    )
    facets = reported([topic("a", tags=("gold",))], [], known)[0]["dataset"]["facets"]

    assert facets["schema"]["fields"] == [
        {"name": "id", "type": "long", "description": "The number.", "ordinal_position": 1}
    ]
    assert facets["ownership"]["owners"] == [{"name": "team-a"}]
    assert facets["documentation"]["description"] == "Orders."
    assert facets["datasetType"]["datasetType"] == "TOPIC"
    assert [(tag["key"], tag["value"], tag.get("field")) for tag in facets["tags"]["tags"]] == [
        ("finance", "yes", None),
        ("gold", "true", None),
        ("PII", "true", "id"),
    ]
    assert [item["namespace"] for item in facets["symlinks"]["identifiers"]] == ["kafka://k-2:9092"]


@pytest.mark.parametrize(
    ("namespace", "attributes", "kind"),
    [
        ("postgres://db:5432", {}, "TABLE"),
        ("s3://lake", {}, "FILE"),
        ("s3://lake", {"type": "VIEW"}, "VIEW"),
        ("http://api", {}, None),
    ],
)
def test_dataset_outside_kafka_is_of_the_kind_that_its_store_has(namespace, attributes, kind) -> None:
    """Where nobody knows it, nothing is said; other names and owners are those that a catalog reports."""
    node = Node(f"dataset:{namespace}/t", NodeKind.DATASET, namespace, "t", None, (*attributes.items(), ("owner", "x")))
    known = DictionaryMetadata(
        columns=lambda topics: {}, annotations={}, names={(namespace, "t"): (("hive://m:9083", "db.t"),)}
    )
    facets = reported([node], [], known)[0]["dataset"]["facets"]

    assert facets.get("datasetType", {}).get("datasetType") == kind
    assert facets["ownership"]["owners"] == [{"name": "x"}]
    assert facets["symlinks"]["identifiers"][0]["name"] == "db.t"


def test_schema_nests_columns_and_keeps_the_first_of_a_path() -> None:
    """A column without the one above it stands at the top by its whole name; a single value is called `value`."""
    paths = [("a",), ("a", "b"), ("a",), ("x", "y"), ()]
    result = schema_facet(Column(path=path, type="int") for path in paths)["fields"]

    assert [(item["name"], item["ordinal_position"]) for item in result] == [("a", 1), ("x.y", 2), ("value", 3)]
    assert result[0]["fields"] == [{"name": "b", "type": "int", "ordinal_position": 1}]


@pytest.mark.parametrize(("state", "told_as"), [("RUNNING", "RUNNING"), ("FAILED", "FAIL"), ("", "OTHER")])
def test_run_shows_the_state_of_its_job(state: str, told_as: str) -> None:
    """With what some consumers require: an id of a newer version, and the adapter's version."""
    event = reported([job("one", type="connector", state=state)], [], mode="run")[0]

    assert event["eventType"] == told_as
    assert event["run"]["runId"][14] == "7"
    assert event["run"]["facets"]["processing_engine"]["openlineageAdapterVersion"]


def test_datasets_of_many_runs_are_requested_at_once() -> None:
    """A question for each job took three times as long as all the rest."""
    requests: list[int] = []
    known = DictionaryMetadata(columns=lambda topics: requests.append(len(topics)) or {}, annotations={}, names={})
    copies = [job(f"copy {number}") for number in range(150)]
    ends = [edge(topic("a"), EdgeKind.READS, node) for node in copies]
    ends += [edge(node, EdgeKind.WRITES, topic(f"b{number}")) for number, node in enumerate(copies)]
    events = reported([topic("a"), *(topic(f"b{number}") for number in range(150)), *copies], ends, known, mode="run")

    assert (len(events), requests) == (150, [101, 51])
    assert [item["name"] for item in events[-1]["inputs"] + events[-1]["outputs"]] == ["a", "b149"]


def test_run_ids_differ_by_moment_and_names_and_by_nothing_else() -> None:
    """Whoever sends an event again means the same run."""
    ids = [run_id(AT, "a", "b"), run_id(AT, "ab", ""), run_id("2026-03-01T10:00:01+00:00", "a", "b")]

    assert len(set(ids)) == 3
    assert run_id(AT, "a", "b") == ids[0]


def test_no_event_holds_a_secret() -> None:
    """Neither where a name has credentials nor where a statement does."""
    a = topic("a")
    text = "CREATE TABLE t WITH ('password' = 'hidden-word')"
    node = Node("job:x", NodeKind.JOB, "http://me:hidden-word@ksql:8088", "q", None, (("statement", text),))
    lines = "".join(map(event_line, reported([a, node], [edge(a, EdgeKind.READS, node)], mode="both")))

    assert "hidden-word" not in lines
    assert "CREATE TABLE" in json.loads(lines.splitlines()[-1])["job"]["facets"]["sql"]["query"]


def test_jobs_of_one_namespace_must_not_become_one() -> None:
    """Two connectors of one name, in two Connect clusters, are two."""
    others = Node("job:connect://other/one", NodeKind.JOB, "connect://other", "one")

    assert jobs(reported([job("one"), job("two")], [], job_namespace="all")).keys() == {"one", "two"}
    with pytest.raises(InputInvalid) as error:
        reported([job("one"), others], [], job_namespace="all")
    assert "connect://other/one" in error.value.what
