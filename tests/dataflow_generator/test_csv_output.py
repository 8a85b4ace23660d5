"""CSV: what somebody sees who opens the graph in a spreadsheet."""

import csv
import io

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.render import EDGE_COLUMNS, csv_edges, csv_nodes

TOPIC = Node(
    "topic:kafka://k/orders", NodeKind.TOPIC, "kafka://k", "orders", None, (("internal", True), ("tags", ("a", "b")))
)
TABLE = Node("dataset:pg/t", NodeKind.DATASET, "pg", "t")
COLUMN = Node("column:pg/t#a.b", NodeKind.COLUMN, "pg", "t", ("a.b", "[]"), (("type", "long"),))
FLOW = Edge(TOPIC.key, COLUMN.key, EdgeKind.COLUMN_FLOW, "m.json, line 3", Certainty.DECLARED, "DIRECT", "IDENTITY")
GRAPH = FlowGraph(nodes=lambda: iter([TOPIC, TABLE, COLUMN]), edges=lambda: iter([FLOW]))


def rows(pieces) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(pieces), newline="")))


def test_an_edge_reports_both_ends_by_name() -> None:
    """Nobody looks an id up in another sheet to read a line."""
    [edge] = rows(csv_edges(GRAPH))

    assert tuple(edge) == EDGE_COLUMNS
    assert (edge["source"], edge["source_kind"], edge["source_namespace"]) == ("orders", "topic", "kafka://k")
    assert (edge["target"], edge["target_kind"]) == ("t.`a.b`.[]", "column")
    assert (edge["kind"], edge["type"], edge["subtype"]) == ("column-flow", "DIRECT", "IDENTITY")
    assert (edge["certainty"], edge["evidence"]) == ("declared", "m.json, line 3")
    assert (edge["source_id"], edge["target_id"]) == (TOPIC.key, COLUMN.key)


def test_nodes_have_a_column_for_each_attribute_that_there_is() -> None:
    """So that they can be sorted and filtered."""
    topic, table, column = rows(csv_nodes(GRAPH))

    assert (topic["attribute_internal"], topic["attribute_tags"], topic["attribute_type"]) == ("true", "a, b", "")
    assert (table["path"], column["path"], column["attribute_type"]) == ("", '["a.b", "[]"]', "long")


def test_a_name_that_a_spreadsheet_would_run_is_text() -> None:
    """A field of somebody's schema must not become a formula on an auditor's machine."""
    node = Node("topic:x", NodeKind.TOPIC, "", "=HYPERLINK(1)")

    [row] = rows(csv_nodes(FlowGraph(nodes=lambda: iter([node]), edges=lambda: iter(()))))

    assert row["name"] == "'=HYPERLINK(1)"


def test_a_column_of_a_schema_is_called_by_both_though_nobody_holds_its_name() -> None:
    """An installation has millions of them; the key of each reports its path."""
    schema = Node("schema:f1", NodeKind.SCHEMA, "", "shop.Order")
    column = Node("column:f1#`a.b`.[]", NodeKind.COLUMN, "", "shop.Order", ("a.b", "[]"))
    root = Node("column:f1#", NodeKind.COLUMN, "", "shop.Order", ())
    edges = [Edge(schema.key, node.key, EdgeKind.CONTAINS, "", Certainty.DECLARED) for node in (column, root)]

    result = rows(csv_edges(FlowGraph(nodes=lambda: iter([schema, column, root]), edges=lambda: iter(edges))))

    assert [edge["target"] for edge in result] == ["shop.Order.`a.b`.[]", "shop.Order"]
    assert {(edge["target_kind"], edge["target_namespace"]) for edge in result} == {("column", "")}
