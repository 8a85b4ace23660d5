"""Rules about the stored graph: flows that do not fit the schemas and tables that they use."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, select

from scanner_dictionary.graph.reader import undescribed_columns
from scanner_dictionary.graph.store import stored_graph, topic_level
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation.findings import Rule, Severity
from scanner_model.columns import path_name


def unknown_columns(conn: Connection, cluster: int) -> Iterator[tuple[str, str]]:
    """Find columns of topics that a flow uses and that no schema of the topic has, by topic and path.

    The graph has an order of its own, which an answer as of a former scan does not know.
    """
    node, level = t.flow_node.c, topic_level(conn)
    in_cluster = select(node.id, node.namespace, node.name).where(level.nodes, node.kind == "topic")
    rows = conn.execute(in_cluster.where(node.namespace == _namespaces(conn).get(cluster)))
    found = undescribed_columns(level, {(row.namespace, row.name): row.id for row in rows})
    for column in sorted(found, key=lambda one: (one.name, one.path)):
        yield f"topic {column.name}", unknown_column(column.path, column.name)


def unknown_column(path: tuple[str, ...], topic: str) -> str:
    """Return what is wrong with a column that a flow uses and no schema of *topic* has."""
    return f"a flow uses {path_name(path)}, which no schema of {topic} contains"


def misfits(conn: Connection, cluster: int) -> Iterator[tuple[str, str]]:
    """Find columns that do not fit the table that a job writes; of the first cluster, where no topic takes part."""
    graph, spaces, node = stored_graph(conn), _namespaces(conn), t.flow_node.c
    listed = json.loads(graph.coverage).get("misfits", ()) if graph else ()
    jobs = select(node.node_key, node.name).where(topic_level(conn).nodes, node.kind == "job")
    names = {row.node_key: row.name for row in conn.execute(jobs)} if listed else {}
    for keys, what in listed:
        owners = (owner for owner, space in spaces.items() if any(key.startswith(f"column:{space}/") for key in keys))
        if next(owners, min(spaces, default=cluster)) == cluster:
            yield f"job {names.get(keys[0], keys[0])}", what


def _namespaces(conn: Connection) -> dict[int, str]:
    """Return the namespace of the topics of each cluster in the stored graph, by the cluster's key."""
    node = t.flow_node.c
    clusters = select(t.cluster.c.id, node.namespace).join(t.flow_node, node.name == t.cluster.c.name)
    rows = conn.execute(clusters.where(topic_level(conn).nodes, node.kind == "cluster").order_by(t.cluster.c.name))
    return {row.id: row.namespace for row in rows}


RULES = (
    Rule(
        name="unknown-column",
        meaning="A flow uses a column that no schema of its topic contains.",
        example_bad="SELECT totl FROM orders",
        example_good="SELECT total FROM orders",
        severity=Severity.WARNING,
        hint="correct the statement or the connector, or register the schema that has the column",
        find=unknown_columns,
    ),
    Rule(
        name="column-misfit",
        meaning="A job writes a column that its table does not have, or that cannot hold every value.",
        example_bad="BIGINT into INT",
        example_good="BIGINT into BIGINT",
        severity=Severity.WARNING,
        hint="change the table's column, or what the job writes into it",
        find=misfits,
    ),
)
