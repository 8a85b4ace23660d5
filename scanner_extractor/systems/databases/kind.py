"""The kind of source of databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_extractor.source_kind import (
    CATALOG,
    SourceKind,
)
from scanner_extractor.systems.databases.section import DATABASE_SECTION
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.lazy_names import deferred, load

if TYPE_CHECKING:
    pass


_DATABASES = "scanner_extractor.systems.databases"

DATABASE = SourceKind(
    name="database",
    phase=CATALOG,
    section=DATABASE_SECTION,
    settings=DatabaseSettings,
    proofs=deferred(f"{_DATABASES}.products:product_proofs"),
    read=lambda settings, connections, progress: connections.database(settings, progress),
    check=lambda settings, _: load(f"{_DATABASES}.client:database_probes")(settings),
)
