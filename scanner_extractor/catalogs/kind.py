"""The kind of source of catalogs of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.catalogs.section import CATALOG_SECTION
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.source_kind import (
    CATALOG,
    typed_kind,
)

if TYPE_CHECKING:
    pass


CATALOGS_OF_TABLES = typed_kind("catalog", CATALOG, CATALOG_SECTION, CatalogSettings, CATALOGS)
