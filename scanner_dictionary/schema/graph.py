"""The tables of the generated graph."""

from __future__ import annotations

from sqlalchemy import Index, Integer, String, Text

from scanner_dictionary.schema.column_types import declare, identity, may, must, wide_identity, wide_parent

flow_graph = declare(
    "flow_graph",
    "The graph that was generated last; one row, or none.",
    identity(),
    must("last_scan", Integer, "newest scan number when it was generated; a newer scan makes it out of date"),
    must("node_count", Integer, "its nodes"),
    must("edge_count", Integer, "its edges"),
    may("coverage", Text, "JSON object: how much of statements and connectors was read, and every problem"),
    may("schema_layout", Integer, "how rows of schemas are made and numbered; empty where a next graph keeps none"),
)

flow_node = declare(
    "flow_node",
    "A node of the generated graph.",
    wide_identity("key, in the graph's order; below zero what belongs to no schema"),
    must("node_key", Text, "its identity in every generation: unique, stable"),
    must("kind", String, "cluster, topic, schema, column, job, dataset, consumer_group, …"),
    must("namespace", String, "OpenLineage namespace"),
    must("name", String, "OpenLineage name"),
    may("path", Text, "JSON array: the column's path; empty for other nodes"),
    must("attributes", Text, "JSON object: extra information"),
    Index("ix_flow_node_name", "name", "namespace"),
)

flow_edge = declare(
    "flow_edge",
    "An edge of the generated graph.",
    wide_identity("key, in the graph's order; below zero what belongs to no schema"),
    wide_parent("source_node_id", "flow_node", "where it starts"),
    wide_parent("target_node_id", "flow_node", "where it ends"),
    must("kind", String, "contains, reads, writes, member-of, has-schema, materializes, column-flow, …"),
    must("flow_type", String, "DIRECT or INDIRECT of a column flow, else empty"),
    must("subtype", String, "IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, …, else empty"),
    must("evidence", Text, "which configuration key, statement, manual line or event says so"),
    must("certainty", String, "declared, derived or matched"),
    Index("ix_flow_edge_source", "source_node_id"),
    Index("ix_flow_edge_target", "target_node_id"),
)
