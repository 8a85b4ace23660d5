"""The types of schema registry, each imported when it is used; other packages add types as plug-ins."""

from __future__ import annotations

from scanner_extractor import systems
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.source_types import SourceType, SourceTypes
from scanner_model import plugins

__all__ = ["REGISTRIES", "RegistryType"]

RegistryType = SourceType[RegistrySettings]

REGISTRIES: SourceTypes[RegistrySettings] = SourceTypes(systems.REGISTRIES, plugins.REGISTRIES)
"""The types of schema registry by the name that cluster.json gives them."""
