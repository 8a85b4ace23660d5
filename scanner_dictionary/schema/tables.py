"""The tables of the dictionary: with `tables_connect` all that names their columns; docs/dictionary.md is made of it.

Names avoid every dialect's reserved words, types are plain, JSON is kept as text. A *scan number* is `scan.id`.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Float, Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.schema import openlineage as openlineage
from scanner_dictionary.schema.column_types import declare, described, identity, may, maybe, must, ordinal, parent, told
from scanner_dictionary.schema.column_types import metadata as metadata
from scanner_dictionary.schema.graph import flow_edge as flow_edge
from scanner_dictionary.schema.graph import flow_graph as flow_graph
from scanner_dictionary.schema.graph import flow_node as flow_node
from scanner_dictionary.schema.integrations import annotation as annotation
from scanner_dictionary.schema.integrations import catalog_column as catalog_column
from scanner_dictionary.schema.integrations import catalog_link as catalog_link
from scanner_dictionary.schema.integrations import catalog_table as catalog_table
from scanner_dictionary.schema.integrations import cluster_alias as cluster_alias
from scanner_dictionary.schema.integrations import finding as finding
from scanner_dictionary.schema.integrations import flink_job as flink_job
from scanner_dictionary.schema.integrations import flink_statement as flink_statement
from scanner_dictionary.schema.integrations import ksql_function as ksql_function
from scanner_dictionary.schema.integrations import ksql_type as ksql_type
from scanner_dictionary.schema.integrations import materialization as materialization
from scanner_dictionary.schema.integrations import metric as metric
from scanner_dictionary.schema.integrations import mirror_topic as mirror_topic
from scanner_dictionary.schema.integrations import streams_topology as streams_topology

connector = declare(
    "connector",
    "A connector of Kafka Connect.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name, unique among the connectors of its source"),
    must("kind", String, "source, sink or unknown"),
    must("connector_class", Text, "the plug-in as its configuration names it"),
    must("config", Text, "JSON object of its settings; what is secret is hidden"),
    must("state", String, "the server's word, empty where it does not tell"),
    must("worker", String, "the worker that runs it, may be empty"),
    must("trace", Text, "why it failed, empty where it did not"),
    may("topics", Text, "JSON array of the topics it was seen to use; empty where that cannot be told"),
    must("plugin_version", String, "version of the plug-in, empty where nobody tells"),
    must("managed_id", String, "Confluent Cloud's id of it, empty elsewhere"),
    *told(),
    UniqueConstraint("source_id", "name", name="uq_connector_name"),
    Index("ix_connector_cluster", "cluster_id"),
)

connector_task = declare(
    "connector_task",
    "A task of a connector.",
    parent("connector_id", "connector", "the connector", key=True),
    ordinal("place among its tasks, from 0"),
    must("task_number", Integer, "the server's number"),
    must("state", String, "the server's word"),
    must("worker", String, "the worker that runs it, may be empty"),
    must("trace", Text, "why it failed, empty where it did not"),
)


# --- scans and sources

cluster = declare(
    "cluster",
    "A Kafka cluster.",
    identity(),
    must("name", String, "the name people gave it in cluster.json"),
    must("kafka_cluster_id", String, "the id the cluster gives itself; empty where no source told it"),
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
    must("answer", String, "read (every source asked was read), partial, or unavailable (none was)"),
    must("added", Integer, "facts found for the first time"),
    must("changed", Integer, "facts that differ from what the scan before found"),
    must("gone", Integer, "facts that are not there any more"),
    must("returned", Integer, "facts that were gone and are back"),
    must("stale", Integer, "facts that were kept because their source could not tell"),
    must("refused", Integer, "facts that were not stored; scan_problem says why"),
    Index("ix_scan_cluster", "cluster_id"),
)

source = declare(
    "source",
    "Where facts of a cluster come from: a registry, the brokers, a ksqlDB or Connect cluster, a file.",
    identity(),
    parent("cluster_id", "cluster", "the cluster it tells about"),
    must("name", String, "its identity in every scan: kind:url or kind:name"),
    must("kind", String, "what it is: kafka, schema_registry, ksqldb, connect, manual, …"),
    may("last_asked", Integer, "scan number that asked it last; empty if never"),
    may("last_read", Integer, "scan number that read all of it last; empty if never"),
    may("stale_since", Integer, "first scan number that could not (fully) read it since; empty while it is fresh"),
    must("stale_reason", Text, "one line why, empty while it is fresh"),
    UniqueConstraint("cluster_id", "name", name="uq_source_name"),
)

scan_outcome = declare(
    "scan_outcome",
    "How one source answered in one scan.",
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("place in the scan's own order"),
    parent("source_id", "source", "the source"),
    must("kind", String, "what the source is"),
    must("answer", String, "read, partial, unavailable, skipped, kept or forgotten"),
    must("got", Integer, "objects it gave"),
    must("asked", Integer, "objects it was asked for"),
    must("reason", Text, "one line where it did not answer fully"),
    must("hint", Text, "the next step, empty where there is none"),
    must("requests", Integer, "requests it cost"),
    must("seconds", Float, "seconds it took"),
    must("unread", Text, "JSON array of the names that exist and could not be read"),
)

scan_problem = declare(
    "scan_problem",
    "Something a scan could not read or believe.",
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("place in the scan's own order; what the dictionary refused comes last"),
    must("place", Text, "file, JSON path, subject"),
    must("what", Text, "what is wrong"),
    must("hint", Text, "the next step, empty where there is none"),
)

change_log = declare(
    "change_log",
    "A fact that one scan added, changed, missed or met again.",
    parent("scan_id", "scan", "the scan", key=True),
    ordinal("place: by kind from cluster down to columns, then by entity"),
    must(
        "entity_kind",
        String,
        "broker, topic, registry, subject, subject_version, topic_schema, consumer_group, consumer_group_topic, "
        "ksql_source, query, connector or manual_flow",
    ),
    must("entity", Text, 'JSON array of the parts of its natural name, as in ["orders"]'),
    must("action", String, "added, changed, gone or returned"),
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
    must("first_seen", Integer, "scan number that found it first"),
    must("last_seen", Integer, "scan number that found it last"),
    may("gone", Integer, "scan number that found it gone; it still resolves until another cluster claims it"),
    UniqueConstraint("address", name="uq_broker_address"),
    Index("ix_broker_cluster", "cluster_id"),
)

topic = declare(
    "topic",
    "A topic of a cluster.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    may("partitions", BigInteger, "empty where no source tells"),
    may("replication", BigInteger, "replication factor, empty where no source tells"),
    must("is_internal", Boolean, "the broker or ksqlDB marks it as internal"),
    must("config", Text, "JSON object of its settings"),
    must("description", Text, "for people, empty where nobody wrote one"),
    must("tags", Text, "JSON array"),
    *told(),
    UniqueConstraint("cluster_id", "name", name="uq_topic_name"),
)

consumer_group = declare(
    "consumer_group",
    "A consumer group.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    must("state", String, "the broker's word, empty where it does not tell"),
    *told(),
    UniqueConstraint("cluster_id", "name", name="uq_consumer_group_name"),
)

consumer_group_topic = declare(
    "consumer_group_topic",
    "A topic that a consumer group reads.",
    identity(),
    parent("consumer_group_id", "consumer_group", "the group"),
    must("topic_name", String, "the topic, which may be unknown or gone"),
    *told(),
    UniqueConstraint("consumer_group_id", "topic_name", name="uq_consumer_group_topic"),
    Index("ix_consumer_group_topic_name", "topic_name"),
)

# --- schemas

registry = declare(
    "registry",
    "A schema registry, as one cluster uses it.",
    identity(),
    parent("cluster_id", "cluster", "the cluster that uses it"),
    must("kind", String, "its entry in the table of registries"),
    must("url", String, "its address"),
    must("environment", String, "its own id or name, may be empty"),
    *told(),
    UniqueConstraint("source_id", name="uq_registry_source"),
    Index("ix_registry_cluster", "cluster_id"),
)

subject = declare(
    "subject",
    "A subject of a registry.",
    identity(),
    parent("registry_id", "registry", "its registry"),
    must("context", String, "`.` for the default context"),
    must("name", String, "its name without the context"),
    must("deleted", Boolean, "every version of it is soft-deleted"),
    *told(),
    UniqueConstraint("registry_id", "context", "name", name="uq_subject_name"),
    Index("ix_subject_name", "name"),
    Index("ix_subject_source", "source_id"),
)

schema_definition = declare(
    "schema_definition",
    "A schema's meaning, stored once however many subjects, versions, topics and clusters share it; never changed.",
    identity(),
    must("fingerprint", String, "identity: format, text, what its references resolved to, the record read from it"),
    must("format", String, "AVRO, JSON, PROTOBUF, …"),
    must("name", String, "the record, message or title that the columns are of, may be empty"),
    must("schema_text", Text, "the text as registered"),
    must("problems", Text, "JSON array of {where, what, hint}: what could not be read of it"),
    must("column_count", Integer, "its columns, parents and leaves"),
    must("first_seen", Integer, "scan number that found it first"),
    UniqueConstraint("fingerprint", name="uq_schema_definition_fingerprint"),
)

schema_column = declare(
    "schema_column",
    "A column of a definition: parents before their children, in document order.",
    parent("definition_id", "schema_definition", "the definition that owns it", key=True),
    ordinal("place in the document, from 0"),
    *described(),
    # One b-tree instead of a table and an index of its key; other databases ignore the option.
    sqlite_with_rowid=False,
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
    maybe("definition_id", "schema_definition", "what it means; empty where the text was not read"),
    may("schema_text", Text, "the text as registered, where no definition holds it"),
    must("metadata", Text, "JSON as the registry gave it, may be empty"),
    must("rule_set", Text, "JSON as the registry gave it, may be empty"),
    must("tags", Text, "JSON array"),
    must("deleted", Boolean, "it is soft-deleted"),
    must("state", String, "the registry's own word, empty for an ordinary version"),
    *told(),
    may("registered_at", String, "when it was registered, ISO 8601, UTC; empty where the registry does not tell"),
    UniqueConstraint("subject_id", "version", name="uq_subject_version"),
    Index("ix_subject_version_definition", "definition_id"),
    Index("ix_subject_version_source", "source_id"),
)

schema_reference = declare(
    "schema_reference",
    "A version's reference to another subject's version.",
    parent("subject_version_id", "subject_version", "the version that refers", key=True),
    ordinal("place in the registry's list"),
    must("name", Text, "the name its text uses"),
    must("subject", String, "the subject referred to"),
    must("version", BigInteger, "its version; -1 is the newest"),
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
    must("subject", String, "the subject without its context; empty where no registry is behind it"),
    may("version", BigInteger, "the subject's version"),
    may("schema_id", String, "the registry's id"),
    must("is_current", Boolean, "it describes the topic now; older versions stay linked, not current"),
    must("deleted", Boolean, "the version is soft-deleted"),
    must("strategy", String, "the rule that made the link"),
    must("evidence", Text, "what the link was read from, for people"),
    must("confidence", String, "declared, confirmed, assumed or ambiguous"),
    *told(),
    Index("ix_topic_schema_topic", "topic_id", "is_current"),
    Index("ix_topic_schema_definition", "definition_id"),
    Index("ix_topic_schema_subject", "registry_id", "subject"),
    Index("ix_topic_schema_source", "source_id"),
)

# --- ksqlDB and manual input

ksql_source = declare(
    "ksql_source",
    "A ksqlDB collection.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    must("kind", String, "STREAM or TABLE"),
    must("topic_name", String, "the topic it is of"),
    must("key_format", String, "the server's word"),
    must("value_format", String, "the server's word"),
    must("statement", Text, "the statement that made it"),
    must("window_type", String, "empty where it is not windowed"),
    may("partitions", BigInteger, "empty where the server does not tell"),
    may("replication", BigInteger, "empty where the server does not tell"),
    must("is_internal", Boolean, "the server made it for itself"),
    *told(),
    UniqueConstraint("source_id", "name", name="uq_ksql_source_name"),
    Index("ix_ksql_source_cluster", "cluster_id"),
)

ksql_column = declare(
    "ksql_column",
    "A column of a ksqlDB collection.",
    parent("ksql_source_id", "ksql_source", "the collection", key=True),
    ordinal("place in the collection, from 0"),
    may("schema_role", String, "key or value; empty for a header column"),
    must("header", Text, "the header it is read from, empty for other columns"),
    *described(),
)

ksql_query = declare(
    "ksql_query",
    "A ksqlDB query as received.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its id"),
    must("kind", String, "the server's word"),
    must("state", String, "the server's word"),
    must("statement", Text, "its text"),
    must("sources", Text, "JSON array of the collections it reads"),
    must("sinks", Text, "JSON array of the collections it writes"),
    must("sink_topics", Text, "JSON array of the topics it writes"),
    must("consumer_group", String, "its consumer group, may be empty"),
    *told(),
    UniqueConstraint("source_id", "name", name="uq_ksql_query_name"),
    Index("ix_ksql_query_cluster", "cluster_id"),
)

manual_flow = declare(
    "manual_flow",
    "A flow that somebody declared by hand.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("origin_namespace", Text, "empty for a topic of the cluster"),
    must("origin_name", Text, "the dataset it comes from"),
    may("origin_path", Text, "JSON array: the column; empty for the whole dataset"),
    must("target_namespace", Text, "empty for a topic of the cluster"),
    must("target_name", Text, "the dataset it goes to"),
    may("target_path", Text, "JSON array: the column; empty for the whole dataset"),
    must("job", Text, "what does it, may be empty"),
    must("description", Text, "for people, may be empty"),
    must("evidence", Text, "file and place"),
    *told(),
    Index("ix_manual_flow_cluster", "cluster_id"),
)

# --- the rest of the estate: at the end, because its tables refer to those above
