"""A scan whose facts tests list by name: `NamedScan(cluster=…, outcomes=…, topics=(…))`."""

from __future__ import annotations

from typing import Any

from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.clients import AclAuthorizer, AclRule, ApplicationIdentity, ClientUse
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Definition, Registry, SchemaIdUse, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import FlinkJob, KsqlFunction, KsqlSource, KsqlType, Query, StreamingStatement
from scanner_model.tag_decisions import TagDecision, TagRuleFile

TYPES: dict[str, type] = {
    "topics": Topic,
    "registries": Registry,
    "versions": SchemaVersion,
    "definitions": Definition,
    "topic_schemas": TopicSchema,
    "consumer_groups": ConsumerGroup,
    "ksql_sources": KsqlSource,
    "queries": Query,
    "connectors": Connector,
    "declared_flows": DeclaredFlow,
    "statements": StreamingStatement,
    "flink_jobs": FlinkJob,
    "topologies": StreamsTopology,
    "ksql_functions": KsqlFunction,
    "ksql_types": KsqlType,
    "mirror_topics": MirrorTopic,
    "annotations": Annotation,
    "materializations": Materialization,
    "catalog_tables": CatalogTable,
    "catalog_links": CatalogLink,
    "metrics": Metric,
    "declarations": Declaration,
    "unread_files": UnreadFile,
    "field_uses": FieldUse,
    "client_uses": ClientUse,
    "schema_id_uses": SchemaIdUse,
    "application_identities": ApplicationIdentity,
    "tag_decisions": TagDecision,
    "tag_rule_files": TagRuleFile,
    "acl_rules": AclRule,
    "acl_authorizers": AclAuthorizer,
}


class NamedScan(ClusterScan):
    """A scan; each fact type has a name, which `replace` takes, too."""

    def __init__(self, *, facts: tuple[Any, ...] = (), problems: Any = (), **members: Any) -> None:
        named = {TYPES[name]: members.pop(name) for name in [*members] if name in TYPES}
        scan = ClusterScan(facts=facts, problems=problems, **members).with_facts(named)
        super().__init__(facts=scan.facts, problems=problems, **members)

    def __getattr__(self, name: str) -> tuple[Any, ...]:
        if name not in TYPES:
            raise AttributeError(name)
        return self.of(TYPES[name])
