"""One package for each system that is read: settings, JSON Schema, client, reader and probes.

The tables list built-in types as an entry point does: the name in cluster.json, and `module:attribute`.
"""

from __future__ import annotations

from collections.abc import Mapping

_SYSTEMS = "scanner_extractor.systems"

REGISTRIES: Mapping[str, str] = {
    "confluent": f"{_SYSTEMS}.schema_registry.types:CONFLUENT",
    "karapace": f"{_SYSTEMS}.schema_registry.types:KARAPACE",
    "apicurio": f"{_SYSTEMS}.schema_registry.types:APICURIO",
    "cloudera": f"{_SYSTEMS}.cloudera.registry:CLOUDERA",
    "glue": f"{_SYSTEMS}.glue.registry:GLUE",
}
"""Types of schema registry."""

CATALOGS: Mapping[str, str] = {
    name: f"{_SYSTEMS}.{name}.catalog:CATALOG"
    for name in ("unity", "glue", "clickhouse", "iceberg", "druid", "pinot", "google", "datazone")
}
"""Types of catalog of tables."""
