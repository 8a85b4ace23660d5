"""Impact: what is affected by a change of a node, how closely, and by which way."""

from dataclasses import replace

import pytest
from edges_in_memory import ahead_in

from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind
from dataflow_generator.query.impact import ImpactGraph, NodeInfo, Root, Use, impact
from dataflow_generator.query.neighbourhood import Step

KAFKA = "kafka://k-1:9092"


class Drawn:
    """A graph that a test draws: jobs between topics, and what they make of columns, as `a.id > b.id`."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.partly: set[str] = set()

    def node(self, kind: NodeKind, name: str, *path: str) -> str:
        key = f"{kind}:{KAFKA}/{name}" + (f"#{'.'.join(path)}" if path else "")
        self.nodes[key] = Node(key, kind, KAFKA, name, path or None)
        return key

    def edge(self, source: str, target: str, kind: EdgeKind, evidence: str = "", how: str = "") -> None:
        type_, _, subtype = how.partition(" ")
        edge = Edge(source, target, kind, evidence, Certainty.DERIVED, type_, subtype)
        self.edges += [] if edge in self.edges else [edge]

    def job(self, name: str, reads: str, writes: str, *flows: str, evidence: str | None = None) -> None:
        job = self.node(NodeKind.JOB, name)
        for topic in reads.split():
            self.edge(self.node(NodeKind.TOPIC, topic), job, EdgeKind.READS, f"{name} source")
        for topic in writes.split():
            self.edge(job, self.node(NodeKind.TOPIC, topic), EdgeKind.WRITES, f"{name} sink")
        for flow in flows:
            ends, _, how = flow.partition(": ")
            source, target = map(self.place, ends.split(" > "))
            self.edge(source, target, EdgeKind.COLUMN_FLOW, evidence or f"{name} statement", HOWS[how or "copy"])

    def place(self, text: str) -> str:
        name, *path = text.split(".")
        topic = self.node(NodeKind.TOPIC, name)
        if not path:
            return topic
        column = self.node(NodeKind.COLUMN, name, *path)
        self.edge(topic, column, EdgeKind.CONTAINS)
        return column

    def of(self, text: str) -> dict[str, Use]:
        """Return what is affected by a change of *text*, by name, nearest first."""
        return {shown(item): item.use for item in self.found(text)}

    def found(self, text: str):
        name, *path = text.split(".")
        keys = (f"{kind}:{KAFKA}/{name}" for kind in (NodeKind.JOB, NodeKind.CONSUMER_GROUP, NodeKind.TOPIC))
        key = next(key for key in keys if key in self.nodes)
        root = Root(node=key, path=tuple(path), is_job=not key.startswith("topic:"))
        return impact(root, ImpactGraph(ahead=ahead_in(self.edges), node_infos=self.node_infos, step=reported))

    def node_infos(self, keys):
        nodes = {key: self.nodes[key] for key in keys}
        return {key: NodeInfo(node.kind, node.name, node.path, key in self.partly) for key, node in nodes.items()}


HOWS = {"copy": "DIRECT IDENTITY", "sum": "DIRECT AGGREGATION", "filter": "INDIRECT FILTER", "by hand": "DIRECT "}


def reported(edge: Edge) -> Step:
    return Step(edge.type, edge.subtype, edge.evidence)


def shown(item) -> str:
    return ".".join((item.node.rpartition("/")[2], *(item.path or ())))


def test_a_column_is_copied_computed_from_or_only_depended_on() -> None:
    """Whoever renames a column asks which of these each is."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id", "a.id > b.twice: sum", "a.day > b: filter")

    assert built.of("a.id") == {"j": Use.COPIES, "b": Use.COPIES, "b.id": Use.COPIES, "b.twice": Use.COMPUTES}
    assert built.of("a.day") == {"j": Use.DEPENDS, "b": Use.DEPENDS}


def test_job_that_was_read_in_part_may_use_any_column() -> None:
    """What it does with the others is not known; what is known of it counts first."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id")
    built.job("next", "b", "c", "b.day > c.day")
    built.partly.add(built.node(NodeKind.JOB, "j"))

    assert built.of("a.id")["j"] == Use.COPIES
    assert built.of("a.day") == {"j": Use.UNKNOWN, "b": Use.UNKNOWN, "next": Use.UNKNOWN, "c": Use.UNKNOWN}


def test_the_loosest_step_of_a_route_reports_what_is_made_along_it() -> None:
    """A copy of a sum is no copy."""
    built = Drawn()
    built.job("one", "a", "b", "a.id > b.s: sum")
    built.job("two", "b", "c", "b.s > c.s")

    assert built.of("a.id") == {
        "one": Use.COMPUTES,
        "b": Use.COMPUTES,
        "b.s": Use.COMPUTES,
        "two": Use.COMPUTES,
        "c": Use.COMPUTES,
        "c.s": Use.COMPUTES,
    }


def test_of_several_routes_the_closest_counts_whatever_its_length() -> None:
    """That a filter is nearer does not make the copy behind it less of a copy."""
    built = Drawn()
    built.job("far", "a", "b", "a.id > b.id")
    built.job("farther", "b", "c", "b.id > c.id")
    built.job("near", "a", "c", "a.id > c: filter")
    (column,) = [item for item in built.found("a.id") if shown(item) == "c.id"]

    assert (column.use, [hop.target.rpartition("/")[2] for hop in column.route]) == (Use.COPIES, ["b#id", "c#id"])
    assert [job.rpartition("/")[2] for job in column.through] == ["far", "farther"]


def test_what_a_column_filters_is_followed_through_all_that_is_made_of_it() -> None:
    """Which rows there are affects each of their columns."""
    built = Drawn()
    built.job("one", "a", "b", "a.day > b: filter", "a.id > b.id")
    built.job("two", "b", "c", "b.id > c.id")

    assert built.of("a.day")["c.id"] == Use.DEPENDS
    assert "b.id" not in built.of("a.day")


def test_a_job_whose_columns_nobody_reports_may_use_any() -> None:
    """That it is not known is an answer; silence would be taken for: not affected."""
    built = Drawn()
    built.job("sink", "a", "x")
    built.job("next", "x", "y", "x.id > y.id")
    uses = built.of("a.id")

    assert uses == {"sink": Use.UNKNOWN, "x": Use.UNKNOWN, "next": Use.UNKNOWN, "y": Use.UNKNOWN}


def test_a_job_that_reports_its_columns_and_uses_another_one_is_not_affected() -> None:
    """That is what columns are for."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id")

    assert built.of("a.day") == {}


def test_a_job_without_an_end_is_affected_all_the_same() -> None:
    """A consumer writes nothing that we know of."""
    built = Drawn()
    built.job("consumer", "a", "")

    assert built.of("a") == {"consumer": Use.UNKNOWN}


def test_a_part_of_a_copied_structure_goes_with_it() -> None:
    """The copy has the part, too; the structure's other parts are not affected."""
    built = Drawn()
    built.job("copy", "a", "b", "a.customer > b.buyer")
    built.job("pick", "b", "c", "b.buyer.id > c.id", "b.buyer.name > c.name")
    uses = built.of("a.customer.id")

    assert uses["b.buyer.id"] == Use.COPIES
    assert uses["c.id"] == Use.COPIES
    assert "c.name" not in uses


def test_a_structure_that_is_dropped_takes_its_parts_along() -> None:
    """The flows are of the parts."""
    built = Drawn()
    built.job("pick", "a", "b", "a.customer.id > b.id", "a.total > b.total")

    assert "b.id" in built.of("a.customer")
    assert "b.total" not in built.of("a.customer")


def test_of_a_part_of_what_is_computed_with_the_result_is_computed() -> None:
    """Where the structure went into a sum nobody can tell its parts apart."""
    built = Drawn()
    built.job("hash", "a", "b", "a.customer > b.digest: sum")

    assert built.of("a.customer.id")["b.digest"] == Use.COMPUTES


def test_those_who_write_a_topic_are_affected_by_its_end() -> None:
    """A renamed topic breaks both sides."""
    built = Drawn()
    built.job("writer", "z", "a", "z.id > a.id")
    built.job("other", "z", "a")

    assert built.of("a") == {"writer": Use.WRITES, "other": Use.WRITES}
    assert built.of("a.id") == {"writer": Use.WRITES, "other": Use.WRITES}
    assert built.of("a.day") == {"other": Use.WRITES}


def test_of_a_job_what_it_makes_is_affected() -> None:
    """Who drops a connector asks what falls dry."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id")
    built.job("k", "b", "c", "b.id > c.id")

    assert built.of("j") == {"b": Use.MADE, "k": Use.COPIES, "c": Use.COPIES, "c.id": Use.COPIES}


def test_of_two_jobs_between_the_same_topics_the_evidence_reports_which_is_meant() -> None:
    """One is not broken by the other's columns."""
    built = Drawn()
    built.job("orders_1", "a", "b", "a.id > b.id")
    built.job("orders_12", "a", "b", "a.day > b.day")

    assert built.of("a.day") == {"orders_12": Use.COPIES, "b": Use.COPIES, "b.day": Use.COPIES}
    assert "orders_12" not in built.of("a.id")


def test_where_nobody_reports_which_job_makes_a_flow_all_that_may_are_affected() -> None:
    """Rather one too many than one forgotten."""
    built = Drawn()
    built.job("one", "a", "b", "a.id > b.id", evidence="flows.json 3")
    built.job("two", "a", "b")

    assert {"one", "two"} <= set(built.of("a.id"))


def test_a_cycle_comes_to_an_end() -> None:
    """A structure that is copied into itself would grow for ever."""
    built = Drawn()
    built.job("j", "a", "a", "a.x > a.x.y")

    assert built.of("a.x.z")["a.x.y.z"] == Use.COPIES


def test_a_flow_declared_by_hand_is_one_that_computes() -> None:
    """It is not known that the value stays as it is."""
    built = Drawn()
    built.job("nightly", "a", "b", "a.id > b.id: by hand")

    assert built.of("a.id")["b.id"] == Use.COMPUTES


def test_a_job_of_several_routes_takes_a_topic_along_its_own_route_only() -> None:
    """A mirror of ten topics does not mix them."""
    built = Drawn()
    for variant in ("a", "b"):
        built.job("mirror", variant, f"copy-{variant}")
    built.edges = [
        replace(edge, subtype=edge.source[-1] if edge.kind == "reads" else edge.target[-1]) for edge in built.edges
    ]

    assert built.of("a") == {"mirror": Use.UNKNOWN, "copy-a": Use.UNKNOWN}


def test_the_consumer_group_of_an_affected_job_is_a_part_of_it() -> None:
    """It is not a second one to ask, and it may read another topic only; one that has no job counts."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id")
    group, alone = (built.node(NodeKind.CONSUMER_GROUP, name) for name in ("connect-j", "alone"))
    topic = built.node(NodeKind.TOPIC, "a")
    built.edge(group, f"job:{KAFKA}/j", EdgeKind.MEMBER_OF)
    for reader in (group, alone):
        built.edge(topic, reader, EdgeKind.READS)
    result = {shown(item): item for item in built.found("a.id")}

    assert result["j"].groups == (group,)
    assert result["alone"].groups == ()
    assert "connect-j" not in result


def test_of_a_consumer_group_what_its_jobs_make_is_affected() -> None:
    """Who drops a group stops the connector that reads through it, and no other group of the same job."""
    built = Drawn()
    built.job("j", "a", "b", "a.id > b.id")
    built.job("k", "b", "c", "b.id > c.id")
    ours, other = (built.node(NodeKind.CONSUMER_GROUP, name) for name in ("ours", "other"))
    for group in (ours, other):
        built.edge(group, f"job:{KAFKA}/j", EdgeKind.MEMBER_OF)
    result = {shown(item): item for item in built.found("ours")}

    assert {name: item.use.name for name, item in result.items()} == {
        "j": "DEPENDS",
        "b": "MADE",
        "k": "COPIES",
        "c": "COPIES",
        "c.id": "COPIES",
    }
    assert [(result[name].steps, len(result[name].through)) for name in "jbkc"] == [(1, 0), (2, 1), (3, 1), (3, 2)]


def test_a_group_of_two_affected_jobs_is_a_part_of_both() -> None:
    built = Drawn()
    group = built.node(NodeKind.CONSUMER_GROUP, "shared")
    for name, how in (("one", "filter"), ("two", "copy")):
        built.job(name, "a", name + "-out", f"a.id > {name}-out.id: {how}")
        built.edge(group, f"job:{KAFKA}/{name}", EdgeKind.MEMBER_OF)

    assert {shown(item) for item in built.found("a.id") if item.groups == (group,)} == {"one", "two"}


@pytest.mark.no_cover
def test_a_flow_of_a_hub_is_not_compared_with_all_its_readers(calls) -> None:
    """One of its readers writes the target: with all of them, a hub of 500 readers took seconds."""
    built = Drawn()
    for number in range(100):
        built.job(f"j{number}", "hub", f"made{number}", f"hub.a > made{number}.a", f"hub.b > made{number}.b: sum")

    counted = calls(lambda: built.found("hub"))

    assert len(built.of("hub.a")) == 3 * 100
    assert counted["_on_same_route"] <= 2 * 100
