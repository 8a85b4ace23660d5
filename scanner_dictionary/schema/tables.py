"""The tables of the dictionary, with those of the other modules here; docs/dictionary.md is generated from them.

Names avoid every dialect's reserved words, types are plain, JSON is stored as text. A *scan number* is `scan.id`.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.schema import openlineage as openlineage
from scanner_dictionary.schema.derived import column_tag as column_tag
from scanner_dictionary.schema.derived import flow_edge as flow_edge
from scanner_dictionary.schema.derived import flow_edge_version as flow_edge_version
from scanner_dictionary.schema.derived import flow_graph as flow_graph
from scanner_dictionary.schema.derived import flow_graph_version as flow_graph_version
from scanner_dictionary.schema.derived import flow_node as flow_node
from scanner_dictionary.schema.derived import flow_node_version as flow_node_version
from scanner_dictionary.schema.derived import search_progress as search_progress
from scanner_dictionary.schema.derived import search_term as search_term
from scanner_dictionary.schema.derived import search_use as search_use
from scanner_dictionary.schema.derived import search_word as search_word
from scanner_dictionary.schema.facts import (
    child_table,
    column_description,
    declare,
    fact_table,
    identity,
    may,
    maybe,
    must,
    ordinal,
    parent,
    provenance,
)
from scanner_dictionary.schema.facts import metadata as metadata
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.clients import AclAuthorizer, AclRule, ApplicationIdentity, ClientUse
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, ConnectorTask, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.scan import SourceResult
from scanner_model.schemas import Reference, Registry, SchemaIdUse
from scanner_model.streaming_sql import FlinkJob, KsqlFunction, KsqlSource, KsqlType, Query, StreamingStatement
from scanner_model.tag_decisions import TagDecision, TagRuleFile

# --- other names, jobs, files, clients, catalogs, and what validation found

cluster_alias = declare(
    "cluster_alias",
    "Another name of a cluster: its CRN, its display name in its environment.",
    identity(),
    parent("cluster_id", "cluster", "the cluster"),
    must("kind", String, "crn, environment, display_name, …"),
    must("alias", String, "the name"),
    UniqueConstraint("cluster_id", "kind", "alias", name="uq_cluster_alias"),
)

server_alias = declare(
    "server_alias",
    "What people call a server of databases or another system, as cluster.json says.",
    parent("cluster_id", "cluster", "the cluster whose file says it", key=True),
    Column("namespace", String, primary_key=True, doc="its namespace in lineage"),
    must("alias", String, "what people call it"),
)

flink_statement = fact_table("flink_statement", StreamingStatement)

flink_job = fact_table("flink_job", FlinkJob)

streams_topology = fact_table("streams_topology", StreamsTopology)

ksql_function = fact_table("ksql_function", KsqlFunction)

ksql_type = fact_table("ksql_type", KsqlType)

mirror_topic = fact_table("mirror_topic", MirrorTopic)

declaration = fact_table("declaration", Declaration)

unread_file = fact_table("unread_file", UnreadFile)

field_use = fact_table("field_use", FieldUse, Index("ix_field_use_topic", "topic"))

client_use = fact_table("client_use", ClientUse, Index("ix_client_use_topic", "topic"))

schema_id_use = fact_table("schema_id_use", SchemaIdUse, Index("ix_schema_id_use_topic", "topic"))

application_identity = fact_table("application_identity", ApplicationIdentity)

acl_rule = fact_table("acl_rule", AclRule)

acl_authorizer = fact_table("acl_authorizer", AclAuthorizer)

tag_decision = fact_table("tag_decision", TagDecision)

tag_rule_file = fact_table("tag_rule_file", TagRuleFile)

annotation = fact_table(
    "annotation",
    Annotation,
    Index("ix_annotation_topic", "topic"),
    Index("ix_annotation_schema", "schema_id"),
)

materialization = fact_table("materialization", Materialization)

catalog_table = fact_table("catalog_table", CatalogTable)

catalog_column = declare(
    "catalog_column",
    "A column of a table of a data catalog or a database.",
    parent("catalog_table_id", "catalog_table", "the table", key=True),
    ordinal("place in the table, from 0"),
    *column_description(),
)

catalog_link = fact_table("catalog_link", CatalogLink)

metric = fact_table("metric", Metric)

finding = declare(
    "finding",
    "A result of validation after the newest scan of a cluster.",
    parent("cluster_id", "cluster", "the cluster", key=True),
    ordinal("position, by rule and name"),
    must("scan_number", Integer, "the scan that it was validated after"),
    must("rule", String, "the rule"),
    must("severity", String, "warning or error"),
    must("location", Text, "what it is about"),
    must("what", Text, "what is wrong"),
    must("hint", Text, "the next step"),
)

# --- connectors

connector = fact_table("connector", Connector)

connector_task = child_table(
    "connector_task",
    ConnectorTask,
    parent("connector_id", "connector", "the connector", key=True),
    ordinal("position among its tasks, from 0"),
)


# --- scans and sources

cluster = declare(
    "cluster",
    "A Kafka cluster.",
    identity(),
    must("name", String, "its name in cluster.json"),
    must("kafka_cluster_id", String, "the cluster's own id; empty if no source reported it"),
    UniqueConstraint("name", name="uq_cluster_name"),
)

scan = declare(
    "scan",
    "One scan of one cluster, stored in one transaction.",
    identity(),
    parent("cluster_id", "cluster", "the cluster scanned"),
    must("started", String, "ISO 8601, UTC"),
    must("finished", String, "ISO 8601, UTC"),
    must("mode", String, "full, extract, enrich, or forget"),
    must("status", String, "read (every source queried was read), partial, or unavailable (none was)"),
    must("added", Integer, "facts observed for the first time"),
    must("changed", Integer, "facts that differ from the scan before"),
    must("gone", Integer, "facts that were deleted"),
    must("returned", Integer, "deleted facts that exist again"),
    must("stale", Integer, "facts that were retained because their source could not be read"),
    must("refused", Integer, "facts that were not stored; scan_problem says why"),
    Index("ix_scan_cluster", "cluster_id"),
)

source = declare(
    "source",
    "Where facts of a cluster come from: a registry, the brokers, a ksqlDB or Connect cluster, a file.",
    identity(),
    parent("cluster_id", "cluster", "the cluster that it describes"),
    must("name", String, "its identity in every scan: kind:url or kind:name"),
    must("kind", String, "what it is: kafka, schema_registry, ksqldb, connect, manual, …"),
    may("last_queried", Integer, "scan number that queried it last; empty if never"),
    may("last_read", Integer, "scan number that read all of it last; empty if never"),
    may("stale_since", Integer, "first scan number that could not (fully) read it since; empty while it is fresh"),
    must("stale_reason", Text, "one line why, empty while it is fresh"),
    UniqueConstraint("cluster_id", "name", name="uq_source_name"),
)

scan_outcome = child_table(
    "scan_outcome",
    SourceResult,
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("position in the scan's order"),
    parent("source_id", "source", "the source"),
)

scan_problem = declare(
    "scan_problem",
    "A problem of a scan: something unreadable or contradictory.",
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("position in the scan's order; what the dictionary refused comes last"),
    must("location", Text, "file, JSON path, subject"),
    must("what", Text, "what is wrong"),
    must("hint", Text, "the next step, empty if absent"),
)

change_log = declare(
    "change_log",
    "A fact that one scan added, changed, found deleted or found again.",
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("position: by kind from cluster down to columns, then by entity"),
    must(
        "entity_kind",
        String,
        "broker, or the table of the fact (query for ksql_query)",
    ),
    must("entity", Text, 'JSON array of the parts of its natural name, as in ["orders"]'),
    must("action", String, "added, changed, gone or returned; known: older entries were pruned, this is what it was"),
    may("before_json", Text, "JSON object: what it was (changed: the members that differ), empty for added"),
    may("after_json", Text, "JSON object: what it is (changed: the members that differ), empty for gone"),
)

# --- the cluster

broker = declare(
    "broker",
    "An address of a cluster; no two clusters have the same.",
    identity(),
    parent("cluster_id", "cluster", "the cluster it belongs to"),
    must("address", String, "host:port, lower case"),
    must("first_seen", Integer, "scan number that observed it first"),
    must("last_seen", Integer, "scan number that observed it last"),
    may("gone", Integer, "scan number that found it deleted; it still resolves until another cluster claims it"),
    UniqueConstraint("address", name="uq_broker_address"),
    Index("ix_broker_cluster", "cluster_id"),
)

topic = fact_table("topic", Topic, shared=True)

consumer_group = fact_table("consumer_group", ConsumerGroup, shared=True)

consumer_group_topic = declare(
    "consumer_group_topic",
    "A topic that a consumer group reads.",
    identity(),
    parent("consumer_group_id", "consumer_group", "the group"),
    must("topic_name", String, "the topic, which may be unknown or deleted"),
    *provenance(),
    UniqueConstraint("consumer_group_id", "topic_name", name="uq_consumer_group_topic"),
    Index("ix_consumer_group_topic_name", "topic_name"),
)

# --- schemas

registry = fact_table("registry", Registry)

subject = declare(
    "subject",
    "A subject of a registry.",
    identity(),
    parent("registry_id", "registry", "its registry"),
    must("context", String, "`.` for the default context"),
    must("name", String, "its name without the context"),
    must("deleted", Boolean, "every version of it is soft-deleted"),
    *provenance(),
    may(
        "compatibility",
        String,
        "level that its registry applies, in its word, then policy, group and alias if any; empty if not read",
    ),
    UniqueConstraint("registry_id", "context", "name", name="uq_subject_name"),
    Index("ix_subject_name", "name"),
    Index("ix_subject_source", "source_id"),
)

schema_definition = declare(
    "schema_definition",
    "A parsed schema, stored once however many subjects, versions, topics and clusters share it; never changed.",
    identity(),
    must("fingerprint", String, "identity: format, text, what its references resolved to, the record read from it"),
    must("format", String, "AVRO, JSON, PROTOBUF, …"),
    must("name", String, "the record, message or title that the columns are of, may be empty"),
    must("schema_text", Text, "the text as registered"),
    must("problems", Text, "JSON array of {where, what, hint}: what could not be parsed"),
    must("column_count", Integer, "its columns, parents and leaves"),
    must("first_seen", Integer, "scan number that observed it first"),
    must("tags", Text, "JSON array: the tags of the record, which its columns inherit"),
    UniqueConstraint("fingerprint", name="uq_schema_definition_fingerprint"),
)

schema_column = declare(
    "schema_column",
    "A column of a definition: parents before their children, in document order.",
    parent("definition_id", "schema_definition", "the definition that owns it", key=True),
    ordinal("position in the document, from 0"),
    *column_description(),
    # One b-tree instead of a table and an index of its key; other databases ignore the option.
    sqlite_with_rowid=False,
)
_TAGGED = schema_column.c.tags.is_not(None)
# Few columns have tags: those are found without the others. A partial index of another database imports its dialect.
Index("ix_schema_column_tags", schema_column.c.definition_id, sqlite_where=_TAGGED).ddl_if(dialect="sqlite")

schema_text = declare(
    "schema_text",
    "A schema text that was read: the next scan need not parse it.",
    Column("digest", String, primary_key=True, doc="identity: the text and everything else that its columns depend on"),
    must("reader", String, "versions of what read it; others read it again"),
    parent("definition_id", "schema_definition", "what it was read to"),
    must("reading", Text, "JSON array: what was read, without columns; empty if another spelling was parsed"),
    Index("ix_schema_text_definition", "definition_id"),
)

subject_version = declare(
    "subject_version",
    "A version of a subject, as registered.",
    identity(),
    parent("subject_id", "subject", "its subject"),
    must("version", BigInteger, "its number"),
    must("schema_id", String, "the registry's id, unique in one context of one registry only"),
    must("guid", String, "the registry's global id, may be empty"),
    must("format", String, "AVRO, JSON, PROTOBUF, …"),
    maybe("definition_id", "schema_definition", "the parsed schema; empty if the text was not parsed"),
    may("schema_text", Text, "the text as registered, where its definition is spelled otherwise or absent"),
    must("metadata", Text, "JSON as the registry gave it, may be empty"),
    must("rule_set", Text, "JSON as the registry gave it, may be empty"),
    must("tags", Text, "JSON array"),
    must("deleted", Boolean, "it is soft-deleted"),
    must("state", String, "as the registry names it, empty for an ordinary version"),
    *provenance(),
    may("registered_at", String, "when it was registered, ISO 8601, UTC; empty if the registry does not report it"),
    UniqueConstraint("subject_id", "version", name="uq_subject_version"),
    Index("ix_subject_version_definition", "definition_id"),
    Index("ix_subject_version_source", "source_id"),
)

schema_reference = child_table(
    "schema_reference",
    Reference,
    parent("subject_version_id", "subject_version", "the version that refers", key=True),
    ordinal("position in the registry's list"),
)

topic_schema = declare(
    "topic_schema",
    "A link from a topic to a definition, with the rule that made it.",
    identity(),
    parent("topic_id", "topic", "the topic"),
    must("schema_role", String, "key or value"),
    parent("definition_id", "schema_definition", "the definition"),
    maybe("registry_id", "registry", "the registry behind it; empty for a schema declared by hand or by ksqlDB"),
    must("context", String, "the subject's context, `.` for the default one"),
    must("subject", String, "the subject without its context; empty if no registry is behind it"),
    may("version", BigInteger, "the subject's version"),
    may("schema_id", String, "the registry's id"),
    must("is_current", Boolean, "it describes the topic now; older versions stay linked, not current"),
    must("deleted", Boolean, "the version is soft-deleted"),
    must("strategy", String, "the rule that made the link"),
    must("evidence", Text, "what the link was derived from, for display"),
    must("confidence", String, "declared, confirmed, observed, assumed or ambiguous"),
    *provenance(),
    Index("ix_topic_schema_topic", "topic_id", "is_current"),
    Index("ix_topic_schema_definition", "definition_id"),
    Index("ix_topic_schema_subject", "registry_id", "subject"),
    Index("ix_topic_schema_source", "source_id"),
)

# --- ksqlDB and manual input

ksql_source = fact_table("ksql_source", KsqlSource)

ksql_column = declare(
    "ksql_column",
    "A column of a ksqlDB collection.",
    parent("ksql_source_id", "ksql_source", "the collection", key=True),
    ordinal("position in the collection, from 0"),
    may("schema_role", String, "key or value; empty for a header column"),
    must("header", Text, "the header it is read from, empty for other columns"),
    *column_description(),
)

ksql_query = fact_table("ksql_query", Query)

manual_flow = fact_table("manual_flow", DeclaredFlow)
