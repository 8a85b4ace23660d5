"""Words that options take, written down so that help imports nothing; a test compares them with the library."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_model.plugins import REGISTRIES, SCHEMA_FORMATS, plugins

LEVELS = (
    *("none", "backward", "backward_transitive", "forward", "forward_transitive"),
    *("full", "full_transitive"),
)
"""The compatibility levels of a subject."""

TAG_KINDS = ("known", "declared", "inherited", "suggested", "all")
"""The ways in which a column's tag is known."""

POLICIES = ("strict", "lenient", "logical")
"""The compatibility policies."""

ENGINES = ("auto", "local", "spark")
"""The engines that parse and generate."""

_OUTPUTS = ("json", "csv", "graphml", "dot", "mermaid", "html")

GRAPH_FORMATS = (*_OUTPUTS, "parquet")
"""The formats of `dataflow`."""

TABLE_FORMATS = ("parquet", "h2")
"""The formats of `dictionary export`."""

EXPORT_FORMATS = (*_OUTPUTS, "openlineage", *TABLE_FORMATS, "odcs", "asyncapi", "backstage")
"""The formats of `export` that the library writes."""

SQL_DIALECTS = (
    *("ksqldb", "flink"),
    *("postgres", "mysql", "sqlserver", "oracle", "sqlite", "redshift", "snowflake"),
)
"""The SQL dialects of `explain sql`."""

_REGISTRY_KINDS = ("confluent", "karapace", "apicurio", "glue")
_SCHEMA_FORMATS = ("avro", "json", "json_payload", "protobuf")


def registry_kinds() -> tuple[str, ...]:
    """Return the kinds of schema registry: ours, then those of plug-ins."""
    return _with_plugins(_REGISTRY_KINDS, plugins(REGISTRIES))


def schema_formats() -> tuple[str, ...]:
    """Return the schema formats in lower case: ours, then those of plug-ins."""
    return _with_plugins(_SCHEMA_FORMATS, map(str.lower, plugins(SCHEMA_FORMATS)))


def _with_plugins(own: tuple[str, ...], plugged_in: Iterable[str]) -> tuple[str, ...]:
    return (*own, *sorted(set(plugged_in) - set(own)))
