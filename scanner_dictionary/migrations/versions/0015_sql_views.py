"""The views for people who query the dictionary with SQL; each shows what exists now."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"

_BROKERS = """
CREATE VIEW v_brokers AS
SELECT c.name AS cluster, b.address
FROM broker b
JOIN cluster c ON c.id = b.cluster_id
WHERE b.gone IS NULL
"""

_TOPICS = """
CREATE VIEW v_topics AS
SELECT c.name AS cluster, t.name AS topic, t.partitions, t.replication, t.is_internal, t.description, t.tags,
       t.config, s.name AS source, t.first_seen, t.last_seen,
       (s.stale_since IS NOT NULL
        AND t.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = t.cluster_id)) AS is_stale
FROM topic t
JOIN cluster c ON c.id = t.cluster_id
JOIN source s ON s.id = t.source_id
WHERE t.gone IS NULL
"""

_TOPIC_SCHEMAS = """
CREATE VIEW v_topic_schemas AS
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
"""

_TOPIC_COLUMNS = """
CREATE VIEW v_topic_columns AS
SELECT c.name AS cluster, t.name AS topic, ts.schema_role, ts.context, ts.subject, ts.version, ts.schema_id, d.format,
       k.ordinal, k.name AS column_name, k.path AS column_path, k.depth, k.data_type, k.logical_type, k.nullable,
       k.default_value, k.doc, k.tags, ts.definition_id
FROM topic_schema ts
JOIN topic t ON t.id = ts.topic_id
JOIN cluster c ON c.id = t.cluster_id
JOIN schema_definition d ON d.id = ts.definition_id
JOIN schema_column k ON k.definition_id = ts.definition_id
WHERE ts.is_current AND ts.gone IS NULL AND t.gone IS NULL
"""

_SUBJECT_VERSIONS = """
CREATE VIEW v_subject_versions AS
SELECT c.name AS cluster, r.url AS registry, u.context, u.name AS subject, v.version, v.schema_id, v.format,
       u.compatibility, v.registered_at, v.tags, v.deleted AS is_deleted,
       (s.stale_since IS NOT NULL
        AND v.last_seen < (SELECT max(n.id) FROM scan n WHERE n.cluster_id = r.cluster_id)) AS is_stale,
       v.definition_id, coalesce(d.schema_text, v.schema_text) AS schema_text
FROM subject_version v
JOIN subject u ON u.id = v.subject_id
JOIN registry r ON r.id = u.registry_id
JOIN cluster c ON c.id = r.cluster_id
JOIN source s ON s.id = v.source_id
LEFT JOIN schema_definition d ON d.id = v.definition_id
WHERE v.gone IS NULL AND u.gone IS NULL
"""

_CONNECTORS = """
CREATE VIEW v_connectors AS
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
"""

_LINEAGE = """
CREATE VIEW v_lineage AS
SELECT e.kind AS edge_kind, a.kind AS source_kind, a.namespace AS source_namespace, a.name AS source_name,
       a.path AS source_path, b.kind AS target_kind, b.namespace AS target_namespace, b.name AS target_name,
       b.path AS target_path, e.flow_type, e.subtype, e.evidence, e.certainty,
       a.node_key AS source_key, b.node_key AS target_key
FROM flow_edge e
JOIN flow_node a ON a.id = e.source_node_id
JOIN flow_node b ON b.id = e.target_node_id
WHERE e.kind IN ('reads', 'writes', 'materializes', 'column-flow', 'member-of')
"""

_FINDINGS = """
CREATE VIEW v_findings AS
SELECT c.name AS cluster, f.scan_number, f.severity, f.rule, f.location, f.what, f.hint
FROM finding f
JOIN cluster c ON c.id = f.cluster_id
"""

_SOURCES = """
CREATE VIEW v_sources AS
SELECT c.name AS cluster, s.name AS source, s.kind, s.last_read, n.finished AS last_read_at,
       (s.stale_since IS NOT NULL) AS is_stale, s.stale_since, s.stale_reason
FROM source s
JOIN cluster c ON c.id = s.cluster_id
LEFT JOIN scan n ON n.id = s.last_read
"""

_VIEWS = (
    _BROKERS,
    _TOPICS,
    _TOPIC_SCHEMAS,
    _TOPIC_COLUMNS,
    _SUBJECT_VERSIONS,
    _CONNECTORS,
    _LINEAGE,
    _FINDINGS,
    _SOURCES,
)


def upgrade() -> None:
    """Create the views."""
    for statement in _VIEWS:
        op.execute(statement.strip())
