"""The kind of source of schema registries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_extractor.registries import REGISTRIES
from scanner_extractor.registries.section import REGISTRY_SECTION
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.source_kind import (
    SCHEMAS,
    typed_kind,
)

if TYPE_CHECKING:
    pass


REGISTRY = typed_kind("schema_registry", SCHEMAS, REGISTRY_SECTION, RegistrySettings, REGISTRIES)
