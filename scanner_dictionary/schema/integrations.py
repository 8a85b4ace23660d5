"""The tables of jobs, catalogs, tags and metrics; `tables` imports them."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.schema.facts import (
    column_description,
    declare,
    fact_table,
    identity,
    must,
    ordinal,
    parent,
)
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.clients import AclAuthorizer, AclRule, ApplicationIdentity, ClientUse
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.kafka import StreamsTopology
from scanner_model.schemas import SchemaIdUse
from scanner_model.streaming_sql import FlinkJob, FlinkStatement, KsqlFunction, KsqlType
from scanner_model.tag_decisions import TagDecision

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

flink_statement = fact_table("flink_statement", FlinkStatement)

flink_job = fact_table("flink_job", FlinkJob)

streams_topology = fact_table("streams_topology", StreamsTopology)

ksql_function = fact_table("ksql_function", KsqlFunction)

ksql_type = fact_table("ksql_type", KsqlType)

mirror_topic = fact_table("mirror_topic", MirrorTopic)

declaration = fact_table("declaration", Declaration)

unread_file = fact_table("unread_file", UnreadFile)

client_use = fact_table("client_use", ClientUse, Index("ix_client_use_topic", "topic"))

schema_id_use = fact_table("schema_id_use", SchemaIdUse, Index("ix_schema_id_use_topic", "topic"))

application_identity = fact_table("application_identity", ApplicationIdentity)

acl_rule = fact_table("acl_rule", AclRule)

acl_authorizer = fact_table("acl_authorizer", AclAuthorizer)

tag_decision = fact_table("tag_decision", TagDecision)

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
