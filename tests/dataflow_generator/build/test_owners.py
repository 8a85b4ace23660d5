"""Stated owners in the graph."""

from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.build.owners import with_owners
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind, present
from dataflow_generator.jobs.model import Naming
from scanner_model.owners import Owners

NAMING = Naming((("eu", ("eu:9092",)), ("us", ("us:9092",))))


def owners(flows: Flows, **stated: dict[str, str]) -> dict[str, object]:
    of_cluster = {cluster: Owners(patterns) for cluster, patterns in stated.items()}
    return {node.key: dict(node.attributes).get("owner") for node in with_owners(flows, of_cluster, NAMING).nodes}


def job(namespace: str, name: str, owner: str = "") -> Node:
    return Node(f"{namespace} {name}", NodeKind.JOB, namespace, name, None, present(owner=owner))


def test_owner_is_that_of_the_cluster_of_a_job() -> None:
    """Two clusters may have connectors of one name; a server that several clusters may use is of any."""
    nodes = (job("connect://eu/main", "sink"), job("connect://us/main", "sink"), job("ksqldb://host:8088", "QUERY"))

    assert owners(Flows(nodes=nodes), us={"sink": "us-team", "Q*": "ksql-team"}) == {
        "connect://eu/main sink": None,
        "connect://us/main sink": "us-team",
        "ksqldb://host:8088 QUERY": "ksql-team",
    }


def test_owner_of_another_source_is_kept() -> None:
    """Manual input adds what is missing."""
    assert owners(Flows(nodes=(job("kafka://eu:9092", "app", "observed"),)), eu={"*": "all"}) == {
        "kafka://eu:9092 app": "observed"
    }


def test_query_of_a_file_has_the_owner_of_the_file_unless_its_name_has_one() -> None:
    query = Node("CSAS_A", NodeKind.JOB, "ksqldb://repo", "CSAS_A", None, present(file="sql/a.ksql"))
    other = Node("CSAS_B", NodeKind.JOB, "ksqldb://repo", "CSAS_B", None, present(file="sql/b.ksql"))
    stated = {"eu": Owners({"*_B": "team-b"}, {"sql/a.ksql": "@streams", "sql/b.ksql": "@streams"})}

    nodes = with_owners(Flows(nodes=(query, other)), stated, NAMING).nodes
    assert [dict(node.attributes)["owner"] for node in nodes] == ["@streams", "team-b"]


def test_consumer_group_has_the_owner_of_its_job() -> None:
    """A connector's group is nobody else's."""
    sink = job("connect://eu/main", "sink")
    group = Node("group", NodeKind.CONSUMER_GROUP, "kafka://eu:9092", "connect-sink")
    member = Edge("group", sink.key, EdgeKind.MEMBER_OF, "", Certainty.DERIVED)

    assert owners(Flows(nodes=(group, sink), edges=(member,)), eu={"sink": "a"})["group"] == "a"
