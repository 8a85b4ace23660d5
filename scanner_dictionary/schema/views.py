"""The read-only SQL views for people who query the dictionary themselves; docs/sql-views.md is generated from them.

Their text is the same for SQLite, PostgreSQL and H2. A view shows what exists now; the tables have the rest. Names and
meaning of the columns are public: see docs/stability.md. A revision that changes one has a text of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view: what a row of it is, the meaning of each column in order, and the text of its query."""

    name: str
    about: str
    columns: Mapping[str, str]
    query: str

    @property
    def statement(self) -> str:
        """Return the statement that creates it."""
        return f"CREATE VIEW {self.name} AS\n{self.query.strip()}"


_CLUSTER = "name of the cluster in cluster.json"
_JSON_TAGS = "JSON array"
_STALE = "not confirmed by the newest scan, because its source could not be read"
_FIRST = "scan number that observed it first"
_LAST = "scan number that observed it last"
_CONTEXT = "the subject's context, `.` for the default one"
_DEFINITION = "key of schema_definition and schema_column"

V_BROKERS = View(
    name="v_brokers",
    about="An address of a cluster.",
    columns={"cluster": _CLUSTER, "address": "host:port, lower case"},
    query="""
SELECT c.name AS cluster, b.address
FROM broker b
JOIN cluster c ON c.id = b.cluster_id
WHERE b.gone IS NULL
""",
)

V_TOPICS = View(
    name="v_topics",
    about="A topic.",
    columns={
        "cluster": _CLUSTER,
        "topic": "its name",
        "partitions": "empty if no source reports it",
        "replication": "replication factor, empty if no source reports it",
        "is_internal": "the broker or ksqlDB marks it as internal",
        "description": "may be empty",
        "tags": f"{_JSON_TAGS}; those that a stream catalog sets are in the table annotation",
        "config": "JSON object of its settings",
        "source": "the source that reported it",
        "first_seen": _FIRST,
        "last_seen": _LAST,
        "is_stale": _STALE,
    },
    query="""
SELECT c.name AS cluster, t.name AS topic, t.partitions, t.replication, t.is_internal, t.description, t.tags,
       t.config, s.name AS source, t.first_seen, t.last_seen,
       (s.stale_since IS NOT NULL
        AND t.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = t.cluster_id)) AS is_stale
FROM topic t
JOIN cluster c ON c.id = t.cluster_id
JOIN source s ON s.id = t.source_id
WHERE t.gone IS NULL
""",
)

V_TOPIC_SCHEMAS = View(
    name="v_topic_schemas",
    about="A schema of a topic's key or value: those that describe it now, and earlier versions.",
    columns={
        "cluster": _CLUSTER,
        "topic": "the topic",
        "schema_role": "key or value",
        "is_current": "it describes the topic now",
        "context": _CONTEXT,
        "subject": "the subject without its context; empty if no registry is behind the schema",
        "version": "the subject's version; empty if no registry is behind the schema",
        "schema_id": "the registry's id, as text; empty if no registry is behind the schema",
        "format": "AVRO, JSON, PROTOBUF, …",
        "record_name": "the record, message or title, may be empty",
        "registry": "address of the registry; empty if no registry is behind the schema",
        "strategy": "the rule that linked it with the topic",
        "evidence": "what the link was derived from",
        "confidence": "declared, confirmed, observed, assumed or ambiguous",
        "is_deleted": "the registry retains the version as deleted",
        "is_stale": _STALE,
        "definition_id": _DEFINITION,
        "schema_text": "the text as registered",
    },
    query="""
SELECT c.name AS cluster, t.name AS topic, ts.schema_role, ts.is_current, ts.context, ts.subject, ts.version,
       ts.schema_id, d.format, d.name AS record_name, r.url AS registry, ts.strategy, ts.evidence, ts.confidence,
       ts.deleted AS is_deleted,
       (s.stale_since IS NOT NULL
        AND ts.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = t.cluster_id)) AS is_stale,
       ts.definition_id, d.schema_text
FROM topic_schema ts
JOIN topic t ON t.id = ts.topic_id
JOIN cluster c ON c.id = t.cluster_id
JOIN schema_definition d ON d.id = ts.definition_id
JOIN source s ON s.id = ts.source_id
LEFT JOIN registry r ON r.id = ts.registry_id
WHERE ts.gone IS NULL AND t.gone IS NULL
""",
)

V_TOPIC_COLUMNS = View(
    name="v_topic_columns",
    about="A column of a schema that describes a topic now, at any depth: parents before their children.",
    columns={
        "cluster": _CLUSTER,
        "topic": "the topic",
        "schema_role": "key or value",
        "context": _CONTEXT,
        "subject": "the subject without its context; empty if no registry is behind the schema",
        "version": "the subject's version; empty if no registry is behind the schema",
        "schema_id": "the registry's id, as text; empty if no registry is behind the schema",
        "format": "AVRO, JSON, PROTOBUF, …",
        "ordinal": "position in the schema, from 0",
        "column_name": "the path with dots; empty if the whole message is one value",
        "column_path": "JSON array of the path's segments",
        "depth": "segments of the path",
        "data_type": "the type as the format names it",
        "logical_type": "a refinement of the type; may be empty",
        "nullable": "the value may be null or absent",
        "default_value": "JSON text; empty without a default",
        "doc": "documentation; may be empty",
        "tags": f"{_JSON_TAGS} of the schema's tags, may be empty; "
        "those that a stream catalog sets are in the table annotation",
        "definition_id": _DEFINITION,
        "inherited_tags": f"{_JSON_TAGS}: those of the tags that only a record has which holds the column",
    },
    query="""
SELECT c.name AS cluster, t.name AS topic, ts.schema_role, ts.context, ts.subject, ts.version, ts.schema_id, d.format,
       k.ordinal, k.name AS column_name, k.path AS column_path, k.depth, k.data_type, k.logical_type, k.nullable,
       k.default_value, k.doc, k.tags, ts.definition_id, k.inherited_tags
FROM topic_schema ts
JOIN topic t ON t.id = ts.topic_id
JOIN cluster c ON c.id = t.cluster_id
JOIN schema_definition d ON d.id = ts.definition_id
JOIN schema_column k ON k.definition_id = ts.definition_id
WHERE ts.is_current AND ts.gone IS NULL AND t.gone IS NULL
""",
)

V_SUBJECT_VERSIONS = View(
    name="v_subject_versions",
    about="A version of a subject in a registry, whether it describes a topic or not.",
    columns={
        "cluster": _CLUSTER,
        "registry": "address of the registry",
        "context": _CONTEXT,
        "subject": "the subject without its context",
        "version": "its number",
        "schema_id": "the registry's id, as text, unique in one context of one registry only",
        "format": "AVRO, JSON, PROTOBUF, …",
        "compatibility": "level that the registry applies to the subject; empty if it was not read",
        "registered_at": "ISO 8601, UTC; empty if the registry does not report it",
        "tags": _JSON_TAGS,
        "is_deleted": "the registry retains the version as deleted",
        "is_stale": _STALE,
        "definition_id": f"{_DEFINITION}; empty if the text was not parsed",
        "schema_text": "the text as registered",
    },
    query="""
SELECT c.name AS cluster, r.url AS registry, u.context, u.name AS subject, v.version, v.schema_id, v.format,
       u.compatibility, v.registered_at, v.tags, v.deleted AS is_deleted,
       (s.stale_since IS NOT NULL
        AND v.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = r.cluster_id)) AS is_stale,
       v.definition_id, coalesce(v.schema_text, d.schema_text) AS schema_text
FROM subject_version v
JOIN subject u ON u.id = v.subject_id
JOIN registry r ON r.id = u.registry_id
JOIN cluster c ON c.id = r.cluster_id
JOIN source s ON s.id = v.source_id
LEFT JOIN schema_definition d ON d.id = v.definition_id
WHERE v.gone IS NULL AND u.gone IS NULL
""",
)

V_CONNECTORS = View(
    name="v_connectors",
    about="A connector of Kafka Connect.",
    columns={
        "cluster": _CLUSTER,
        "source": "the Connect cluster that reported it",
        "connector": "its name",
        "kind": "source, sink or unknown",
        "connector_class": "the plug-in as its configuration names it",
        "state": "as the server names it, empty if it does not report it",
        "tasks": "number of its tasks",
        "failed_tasks": "tasks whose state is FAILED or DEGRADED",
        "trace": "why the connector failed, empty if it did not; those of tasks are in the table connector_task",
        "topics": "JSON array of the topics that it used; empty if they are unknown",
        "config": "JSON object of its settings; secrets are redacted",
        "plugin_version": "version of the plug-in, empty if it is unknown",
        "is_stale": _STALE,
    },
    query="""
SELECT c.name AS cluster, s.name AS source, k.name AS connector, k.kind, k.connector_class, k.state,
       (SELECT count(*) FROM connector_task a WHERE a.connector_id = k.id) AS tasks,
       (SELECT count(*) FROM connector_task a
        WHERE a.connector_id = k.id AND a.state IN ('FAILED', 'DEGRADED')) AS failed_tasks,
       k.trace, k.topics, k.config, k.plugin_version,
       (s.stale_since IS NOT NULL
        AND k.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = k.cluster_id)) AS is_stale
FROM connector k
JOIN cluster c ON c.id = k.cluster_id
JOIN source s ON s.id = k.source_id
WHERE k.gone IS NULL
""",
)

V_LINEAGE = View(
    name="v_lineage",
    about="A step of the generated graph along the direction of the data: from a dataset into a job, from a job into a "
    "dataset, from a topic to its table, from a column to a column, from a consumer group to its job.",
    columns={
        "edge_kind": "reads, writes, materializes, column-flow or member-of",
        "source_kind": "topic, dataset, job, column, consumer-group",
        "source_namespace": "OpenLineage namespace",
        "source_name": "OpenLineage name; of a column that of its topic or dataset",
        "source_path": "JSON array: the column's path; empty for other nodes",
        "target_kind": "as source_kind",
        "target_namespace": "as source_namespace",
        "target_name": "as source_name",
        "target_path": "as source_path",
        "flow_type": "DIRECT or INDIRECT of a column flow, else empty",
        "subtype": "IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, …; of reads and writes the route through the job",
        "evidence": "which configuration key, statement, manual line or event says so",
        "certainty": "declared, derived, matched, suggested (source code) or observed",
        "source_key": "identity of the source in every generation, as `scanner lineage --format json` has it",
        "target_key": "identity of the target in every generation",
    },
    query="""
SELECT e.kind AS edge_kind, a.kind AS source_kind, a.namespace AS source_namespace, a.name AS source_name,
       a.path AS source_path, b.kind AS target_kind, b.namespace AS target_namespace, b.name AS target_name,
       b.path AS target_path, e.flow_type, e.subtype, e.evidence, e.certainty,
       a.node_key AS source_key, b.node_key AS target_key
FROM flow_edge e
JOIN flow_node a ON a.id = e.source_node_id
JOIN flow_node b ON b.id = e.target_node_id
WHERE e.kind IN ('reads', 'writes', 'materializes', 'column-flow', 'member-of')
""",
)

V_FINDINGS = View(
    name="v_findings",
    about="What `scanner validate` found after the newest scan of a cluster.",
    columns={
        "cluster": _CLUSTER,
        "scan_number": "the scan that it was validated after",
        "severity": "warning or error",
        "rule": "the rule",
        "location": "what it is about",
        "what": "what is wrong",
        "hint": "the next step",
    },
    query="""
SELECT c.name AS cluster, f.scan_number, f.severity, f.rule, f.location, f.what, f.hint
FROM finding f
JOIN cluster c ON c.id = f.cluster_id
""",
)

V_SOURCES = View(
    name="v_sources",
    about="A source, and how fresh its facts are.",
    columns={
        "cluster": _CLUSTER,
        "source": "its identity in every scan: kind:url or kind:name",
        "kind": "kafka, schema_registry, ksqldb, connect, manual, …",
        "last_read": "scan number that read all of it last; empty if never",
        "last_read_at": "when that scan ended, ISO 8601, UTC; empty if never",
        "is_stale": "the newest scan that queried it could not read all of it",
        "stale_since": "first scan number that could not; empty while it is fresh",
        "stale_reason": "one line why, empty while it is fresh",
    },
    query="""
SELECT c.name AS cluster, s.name AS source, s.kind, s.last_read, n.finished AS last_read_at,
       (s.stale_since IS NOT NULL) AS is_stale, s.stale_since, s.stale_reason
FROM source s
JOIN cluster c ON c.id = s.cluster_id
LEFT JOIN scan n ON n.id = s.last_read
""",
)

VIEWS = (
    V_BROKERS,
    V_TOPICS,
    V_TOPIC_SCHEMAS,
    V_TOPIC_COLUMNS,
    V_SUBJECT_VERSIONS,
    V_CONNECTORS,
    V_LINEAGE,
    V_FINDINGS,
    V_SOURCES,
)
