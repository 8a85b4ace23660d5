"""One package for each system that is read: settings, JSON Schema, client, reader and probes.

The tables list built-in types as an entry point does: the name in cluster.json, and `module:attribute`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scanner_model.maturity import Proof, validated

_SYSTEMS = "scanner_extractor.systems"

REGISTRIES: Mapping[str, str] = {
    "confluent": f"{_SYSTEMS}.schema_registry.types:CONFLUENT",
    "karapace": f"{_SYSTEMS}.schema_registry.types:KARAPACE",
    "apicurio": f"{_SYSTEMS}.schema_registry.types:APICURIO",
    "glue": f"{_SYSTEMS}.glue.registry:GLUE",
}
"""Types of schema registry."""

_CONFLUENT = ("topic", "topic-record", "record", "simple-topic-id")

NAMING: Mapping[str, tuple[str, ...]] = {
    "confluent": ("associated", *_CONFLUENT),
    "karapace": _CONFLUENT,
    "apicurio": ("topic", "apicurio-topic-record", "apicurio-record", "apicurio-qualified-record", "simple-topic-id"),
    "glue": ("simple-topic-id",),
}
"""The naming strategies that the serialisers of a registry type offer, the most common first."""

CATALOGS: Mapping[str, str] = {
    name: f"{_SYSTEMS}.{name}.catalog:CATALOG" for name in ("unity", "glue", "clickhouse", "iceberg", "druid", "google")
}
"""Types of catalog of tables."""


class TargetRow(NamedTuple):
    """A target of pushes: *attribute* is `module:attribute` of its PushTarget, *proof* how it was tested."""

    attribute: str
    proof: Proof


def _target(name: str, proof: Proof) -> tuple[str, TargetRow]:
    return name, TargetRow(f"scanner_api.push.targets.{name}:TARGET", proof)


_TESTS = "tests/vendor/test_"
_DATAHUB, _OPENMETADATA = "the classes of acryl-datahub 1.7.0.17", "the models of openmetadata-ingestion 2.0.7.0"
_GOOGLE = "the API documents of google-api-python-client 2.202.0"

PUSH_TARGETS: Mapping[str, TargetRow] = dict(
    (
        _target("datahub", validated("DataHub", _DATAHUB, f"{_TESTS}datahub.py")),
        _target("openmetadata", validated("OpenMetadata", _OPENMETADATA, f"{_TESTS}openmetadata.py")),
        _target("unity", validated("Databricks", "databricks-sdk 0.162.0", f"{_TESTS}unity.py")),
        _target("google", validated("Google", _GOOGLE, f"{_TESTS}google.py")),
        _target("glue", validated("AWS Glue", "moto 5.2.5", "tests/lab/test_lab_catalogs.py")),
    )
)
"""Catalogs that lineage is pushed into, a module each; they are in `scanner_api`, as they write the graph."""
