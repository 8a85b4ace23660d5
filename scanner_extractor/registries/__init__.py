"""Schema registries: the table of their types; other packages add types as plug-ins."""

from __future__ import annotations

from scanner_extractor.http.messages import Transport
from scanner_extractor.registries.apicurio.client import read_apicurio
from scanner_extractor.registries.cloudera import read_cloudera
from scanner_extractor.registries.confluent.plan import read_confluent
from scanner_extractor.registries.glue import glue_registry_transport, read_glue
from scanner_extractor.registries.probes import (
    apicurio_probes,
    cloudera_probes,
    confluent_probes,
    glue_probes,
)
from scanner_extractor.scan.results import RegistryResult
from scanner_extractor.scan.source_types import SourceType, SourceTypes
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_model import plugins

__all__ = ["REGISTRIES", "RegistryType"]

RegistryType = SourceType[RegistrySettings, RegistryResult]


def _glue_transport(settings: RegistrySettings) -> Transport | None:
    return glue_registry_transport(settings.glue, settings.http) if settings.glue else None


_CONFLUENT = RegistryType(read=read_confluent, check=confluent_probes)

REGISTRIES: SourceTypes[RegistrySettings, RegistryResult] = SourceTypes(
    {
        "confluent": _CONFLUENT,
        "karapace": _CONFLUENT,
        "apicurio": RegistryType(read=read_apicurio, check=apicurio_probes),
        "cloudera": RegistryType(read=read_cloudera, check=cloudera_probes),
        "glue": RegistryType(read=read_glue, check=glue_probes, transport=_glue_transport),
    },
    plugins.REGISTRIES,
)
"""The types of schema registry by the name that cluster.json gives them."""
