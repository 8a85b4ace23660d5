"""Tables that are derived from the others: the flow graph with its earlier states, and the index of names."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.schema.facts import declare, identity, may, must, parent, wide_identity, wide_parent

flow_graph = declare(
    "flow_graph",
    "The graph that was generated last; one row, or none.",
    identity(),
    must("last_scan", Integer, "newest scan number when it was generated; a newer scan makes it out of date"),
    must("node_count", Integer, "its nodes"),
    must("edge_count", Integer, "its edges"),
    must("coverage", Text, "JSON object: how much of statements and connectors was read, and every problem"),
    may("schema_layout", Integer, "how rows of schemas are made and numbered; empty if a next graph keeps none"),
    may("tags_scan", Integer, "newest scan number when column_tag was written; empty: it was not, for this graph"),
)

column_tag = declare(
    "column_tag",
    "A column that declares a tag, or inherits it along the flows of the generated graph.",
    identity(),
    must("tag", String, "the tag, in lower case"),
    must("found", String, "declared, inherited, or masked: the tag ends there"),
    may("place", Integer, "its position in the list of columns with the tag by topic; empty for masked ones"),
    must("cluster", String, "cluster of the column's topic; empty for another dataset"),
    must("content", Text, "JSON array: the column as `scanner columns` lists it, also with --tag"),
    Index("ix_column_tag_place", "tag", "place"),
    Index("ix_column_tag_found", "tag", "found"),
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
    must("certainty", String, "declared, derived, matched, suggested (source code) or observed"),
    Index("ix_flow_edge_source", "source_node_id"),
    Index("ix_flow_edge_target", "target_node_id"),
)

flow_graph_version = declare(
    "flow_graph_version",
    "A scan whose graph was generated and can be read as of that scan; the newest of them is the stored graph.",
    Column("scan", Integer, primary_key=True, autoincrement=False, doc="newest scan number when it was generated"),
    must("node_count", Integer, "its nodes"),
    must("edge_count", Integer, "its edges"),
    must("coverage", Text, "as in flow_graph"),
)

flow_node_version = declare(
    "flow_node_version",
    "One state of a node that changed since the oldest graph of flow_graph_version; columns of schemas have none.",
    wide_identity("key, assigned by the writer"),
    must("node_key", Text, "its identity in every generation"),
    must("kind", String, "as in flow_node"),
    must("namespace", String, "as in flow_node"),
    must("name", String, "as in flow_node"),
    may("path", Text, "as in flow_node"),
    must("attributes", Text, "as in flow_node"),
    may("first_scan", Integer, "scan whose graph had it first; empty: the oldest graph has it"),
    may("gone", Integer, "scan whose graph had it no longer; empty: the newest graph has it"),
    Index("ix_flow_node_version_key", "node_key"),
    Index("ix_flow_node_version_name", "name", "namespace"),
    Index("ix_flow_node_version_first", "first_scan"),
    Index("ix_flow_node_version_gone", "gone"),
)

flow_edge_version = declare(
    "flow_edge_version",
    "An edge that came or went since the oldest graph of flow_graph_version; edges inside schemas have none.",
    wide_identity("key, assigned by the writer"),
    must("source_key", Text, "node_key of where it starts"),
    must("source_name", String, "name of where it starts"),
    must("target_key", Text, "node_key of where it ends"),
    must("target_name", String, "name of where it ends"),
    must("kind", String, "as in flow_edge"),
    must("flow_type", String, "as in flow_edge"),
    must("subtype", String, "as in flow_edge"),
    must("evidence", Text, "as in flow_edge"),
    must("certainty", String, "as in flow_edge"),
    may("first_scan", Integer, "scan whose graph had it first; empty: the oldest graph has it"),
    may("gone", Integer, "scan whose graph had it no longer; empty: the newest graph has it"),
    Index("ix_flow_edge_version_source", "source_key"),
    Index("ix_flow_edge_version_target", "target_key"),
    Index("ix_flow_edge_version_first", "first_scan"),
    Index("ix_flow_edge_version_gone", "gone"),
)


WORD = String().with_variant(String(collation="C"), "postgresql")
"""Text in the order of its code points in every database: a prefix is a range of the index then."""

search_term = declare(
    "search_term",
    "A name as it is spelled: a topic's, a subject's, a node's, a tag, an owner, or the last name in a column's path; "
    "or a word of documentation after a tab.",
    identity(),
    must("term", WORD, "the name, at most 200 characters of it"),
    UniqueConstraint("term", name="uq_search_term"),
)

search_word = declare(
    "search_word",
    "The end of a term from the start of one of its words: of `orderId` these are `orderid` and `id`.",
    Column("word", WORD, primary_key=True, doc="the rest of the term from there in lower case, at most 64 characters"),
    parent("term_id", "search_term", "the term", key=True),
    sqlite_with_rowid=False,
)

search_use = declare(
    "search_use",
    "Something that has a term as its name.",
    Column(
        "kind",
        Integer,
        primary_key=True,
        autoincrement=False,
        doc="1 topic, 2 node of the graph, 3 subject, 5 definition with a column of that name, 7 column of the graph "
        "that no schema describes, 8 table with a column of that name, 9 tag, 10 owner, 11 definition and 12 topic "
        "with that word in its documentation",
    ),
    parent("term_id", "search_term", "the term", key=True),
    Column(
        "entity_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
        doc="key of the topic, flow_node, subject, schema_definition or catalog_table; 0 for a tag or owner",
    ),
    sqlite_with_rowid=False,
)

search_progress = declare(
    "search_progress",
    "Up to which key the rows of one kind are in the index; keys are assigned in ascending order.",
    Column(
        "kind",
        Integer,
        primary_key=True,
        autoincrement=False,
        doc="as in search_use; 5 stands for 11, too, 2 for 7, 9 for 10 and 12",
    ),
    must("last_id", Integer, "the largest key that is in the index; for 2, 8 and 9 the scan whose rows are"),
)
