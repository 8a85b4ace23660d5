"""The tables of jobs, catalogs, tags and metrics; `tables` imports them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Float, Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.schema.column_types import (
    column_description,
    declare,
    identity,
    may,
    must,
    ordinal,
    parent,
    provenance,
)

cluster_alias = declare(
    "cluster_alias",
    "Another name of a cluster: its CRN, its display name in its environment.",
    identity(),
    parent("cluster_id", "cluster", "the cluster"),
    must("kind", String, "crn, environment, display_name, …"),
    must("alias", String, "the name"),
    UniqueConstraint("cluster_id", "kind", "alias", name="uq_cluster_alias"),
)

flink_statement = declare(
    "flink_statement",
    "A Flink SQL statement, or a file of them, as received.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name, or the file's"),
    must("statement", Text, "its text"),
    must("kind", String, "as the server names it; SCRIPT for a file"),
    must("state", String, "as the server names it, empty where it does not report it"),
    must("detail", Text, "details of its state, may be empty"),
    must("catalog_name", String, "the catalog of unqualified names, may be empty"),
    must("database_name", String, "the database of unqualified names, may be empty"),
    must("compute_pool", String, "Confluent Cloud's compute pool, empty elsewhere"),
    must("region", String, "cloud and region, empty elsewhere"),
    must("principal", String, "the principal that runs it, may be empty"),
    must("uid", String, "the server's id, may be empty"),
    must("created", String, "ISO 8601, may be empty"),
    must("hidden", Boolean, "the service issued it for itself"),
    may("topics_read", Text, "JSON array: topics that the engine reports as read; empty where it does not report them"),
    must("engine", String, "whose SQL a file holds: ksqldb, confluent; empty for Flink"),
    *provenance(),
    UniqueConstraint("source_id", "name", name="uq_flink_statement_name"),
    Index("ix_flink_statement_cluster", "cluster_id"),
)

flink_job = declare(
    "flink_job",
    "A job of a Flink JobManager.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its id"),
    must("title", Text, "its display name"),
    must("state", String, "as the server names it"),
    must("started", String, "ISO 8601, may be empty"),
    must("plan", Text, "its plan as JSON, may be empty"),
    *provenance(),
    UniqueConstraint("source_id", "name", name="uq_flink_job_name"),
    Index("ix_flink_job_cluster", "cluster_id"),
)

streams_topology = declare(
    "streams_topology",
    "A Kafka Streams topology as its application describes it.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "the application id"),
    must("topology", Text, "what Topology.describe() printed"),
    must("file", Text, "where it was read from"),
    *provenance(),
    UniqueConstraint("source_id", "name", name="uq_streams_topology_name"),
    Index("ix_streams_topology_cluster", "cluster_id"),
)

ksql_function = declare(
    "ksql_function",
    "A function of a ksqlDB server.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    must("kind", String, "SCALAR, AGGREGATE or TABLE"),
    *provenance(),
    UniqueConstraint("source_id", "name", name="uq_ksql_function_name"),
    Index("ix_ksql_function_cluster", "cluster_id"),
)

ksql_type = declare(
    "ksql_type",
    "A user-defined type in ksqlDB.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    must("definition", Text, "SQL text of the type"),
    *provenance(),
    UniqueConstraint("source_id", "name", name="uq_ksql_type_name"),
    Index("ix_ksql_type_cluster", "cluster_id"),
)

mirror_topic = declare(
    "mirror_topic",
    "A topic that a cluster link copies from another cluster.",
    identity(),
    parent("cluster_id", "cluster", "the cluster that it is copied to"),
    must("topic", String, "the mirror topic"),
    must("link", String, "the cluster link"),
    must("origin_topic", String, "the source topic"),
    must("origin_cluster", String, "id of the source cluster, may be empty"),
    must("state", String, "as the server names it"),
    *provenance(),
    UniqueConstraint("source_id", "topic", name="uq_mirror_topic"),
    Index("ix_mirror_topic_cluster", "cluster_id"),
)

declaration = declare(
    "declaration",
    "A topic or connector as a deployment file declares it; what runs is in topic and connector.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name"),
    must("kind", String, "topic or connector"),
    must("parent", String, "the Connect cluster that the file names, may be empty"),
    must("tool", String, "whose form the document has: strimzi, confluent, jikkou, kafka-gitops, julieops, connect"),
    must("place", Text, "file and line"),
    must("config", Text, "JSON object of its settings; secrets are redacted, placeholders as written"),
    must("whole", Boolean, "a running one has no other settings"),
    may("partitions", BigInteger, "of a topic; empty where left to the cluster"),
    may("replication", BigInteger, "of a topic: replication factor; empty where left to the cluster"),
    must("state", String, "of a connector: running, paused or stopped; empty where left open"),
    *provenance(),
    UniqueConstraint("source_id", "kind", "name", name="uq_declaration"),
    Index("ix_declaration_cluster", "cluster_id"),
)

unread_file = declare(
    "unread_file",
    "A file of a repository that may declare flows and cannot be read: what it declares is unknown.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", Text, "its path in the repository"),
    must("kind", String, "what kind of file it is"),
    must("reason", Text, "why it is not read"),
    *provenance(),
    UniqueConstraint("source_id", "name", "kind", name="uq_unread_file"),
    Index("ix_unread_file_cluster", "cluster_id"),
)

annotation = declare(
    "annotation",
    "Annotations of one object in a stream catalog: tags, owner, description, business metadata.",
    identity(),
    parent("cluster_id", "cluster", "the cluster whose scan read it"),
    must("kind", String, "kafka_topic, sr_schema, sr_record, sr_field, cn_connector, …"),
    must("name", Text, "the catalog's qualified name"),
    may("topic", String, "the topic it is about, empty for other objects"),
    may("subject", String, "the subject it is about, empty for other objects"),
    may("context", String, "the subject's or schema's context, empty for other objects"),
    may("version", BigInteger, "the subject's version, empty for other objects"),
    may("schema_id", String, "the registry's id of the schema, empty for other objects"),
    may("record", Text, "the record in the schema, empty for other objects"),
    may("path", Text, "JSON array: the column in the record, empty for other objects"),
    may("connector", Text, "the connector it is about, empty for other objects"),
    may("connector_topics", Text, "JSON array: the connector's topics, empty where they are unknown"),
    must("tags", Text, "JSON array"),
    must("owner", Text, "may be empty"),
    must("owner_email", Text, "may be empty"),
    must("description", Text, "may be empty"),
    must("business_metadata", Text, "JSON array of (name.attribute, JSON text) pairs"),
    *provenance(),
    Index("ix_annotation_cluster", "cluster_id"),
    Index("ix_annotation_topic", "topic"),
    Index("ix_annotation_schema", "schema_id"),
)

materialization = declare(
    "materialization",
    "A topic that a service materializes as a table, in one format and one catalog.",
    identity(),
    parent("cluster_id", "cluster", "the topic's cluster"),
    must("topic", String, "the topic"),
    must("table_format", String, "DELTA, ICEBERG, …"),
    must("catalog", String, "id of the catalog integration, empty for the service's own"),
    must("catalog_kind", String, "Unity, AwsGlue, …"),
    must("namespace", Text, "OpenLineage namespace of the table"),
    must("name", Text, "OpenLineage name of the table"),
    must("location", Text, "where its files are stored, may be empty"),
    must("state", String, "as the service names it"),
    must("write_mode", String, "APPEND, UPSERT, …, may be empty"),
    must("storage", String, "the kind of storage, may be empty"),
    must("suspended", Boolean, "it is not updated at present"),
    must("detail", Text, "error message, may be empty"),
    *provenance(),
    UniqueConstraint("source_id", "topic", "table_format", "catalog", name="uq_materialization"),
    Index("ix_materialization_cluster", "cluster_id"),
)

catalog_table = declare(
    "catalog_table",
    "A table of a data catalog or a database.",
    identity(),
    parent("cluster_id", "cluster", "the cluster whose scan read it"),
    must("namespace", Text, "OpenLineage namespace"),
    must("name", Text, "OpenLineage name"),
    must("provider", String, "unity, glue, google, datazone, iceberg, druid, pinot, dbt, database, …"),
    must("kind", String, "as the catalog names it: TABLE, VIEW, …"),
    must("table_format", String, "delta, iceberg, parquet, …, may be empty"),
    must("location", Text, "where its files are stored, may be empty"),
    must("serde", Text, "the SerDe's class, may be empty"),
    must("owner", Text, "may be empty"),
    must("description", Text, "may be empty"),
    must("created", String, "ISO 8601, may be empty"),
    must("updated", String, "ISO 8601, may be empty"),
    must("parameters", Text, "JSON array of (key, value) pairs; secrets are redacted"),
    must("partition_keys", Text, "JSON array of column names"),
    must("symlinks", Text, "JSON array of (namespace, name) pairs: other names of the same data"),
    *provenance(),
    must("definition", Text, "SQL text of a view, may be empty; secrets are redacted"),
    must("keys", Text, "JSON array of (kind, columns, referenced table, its columns)"),
    Index("ix_catalog_table_cluster", "cluster_id"),
    Index("ix_catalog_table_source", "source_id"),
)

catalog_column = declare(
    "catalog_column",
    "A column of a table of a data catalog or a database.",
    parent("catalog_table_id", "catalog_table", "the table", key=True),
    ordinal("place in the table, from 0"),
    *column_description(),
)

catalog_link = declare(
    "catalog_link",
    "A flow that a data catalog reports.",
    identity(),
    parent("cluster_id", "cluster", "the cluster whose scan read it"),
    must("origin_namespace", Text, "OpenLineage namespace of the dataset it comes from"),
    must("origin_name", Text, "its name"),
    may("origin_path", Text, "JSON array: the column; empty for the whole dataset"),
    must("target_namespace", Text, "OpenLineage namespace of the dataset it goes to"),
    must("target_name", Text, "its name"),
    may("target_path", Text, "JSON array: the column; empty for the whole dataset"),
    must("process", Text, "the process, as the catalog names it, may be empty"),
    must("dependency", String, "kind of dependency as the catalog names it, may be empty"),
    *provenance(),
    Index("ix_catalog_link_cluster", "cluster_id"),
    Index("ix_catalog_link_source", "source_id"),
)

metric = declare(
    "metric",
    "The newest metric of a topic, or of one consumer group, client or connector of it; not in the change log.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "what is measured"),
    must("topic", String, "the topic, may be empty"),
    must("object_kind", String, "group, client, connector, …, empty for the topic itself"),
    must("object_name", Text, "its name, empty for the topic itself"),
    must("amount", Float, "sum over the window, or the level at its end"),
    must("started", String, "ISO 8601, UTC; empty for a level"),
    must("ended", String, "ISO 8601, UTC"),
    *provenance(),
    Index("ix_metric_cluster", "cluster_id"),
    Index("ix_metric_source", "source_id"),
)

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
