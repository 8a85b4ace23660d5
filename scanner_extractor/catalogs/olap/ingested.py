"""A table that an engine ingests from topics, as a fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scanner_extractor.catalogs.column_types import Part, columns_of
from scanner_extractor.catalogs.table_members import parameters, server_namespace
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import CatalogTable


def ingested_table(
    settings: CatalogSettings, port: int, name: str, words: Mapping[str, str], columns: Iterable[Part]
) -> CatalogTable:
    """Return the table *name* of the engine that the settings name; *port* is its usual one, *words* are parameters."""
    engine = settings.type
    return CatalogTable(
        source=settings.source,
        provider=engine,
        namespace=server_namespace(engine, settings.http.url, port),
        name=name,
        kind="TABLE",
        table_format=engine.capitalize(),
        parameters=parameters(words),
        symlinks=tuple((server_namespace(engine, alias, port), name) for alias in settings.aliases),
        columns=tuple(columns_of(columns)),
    )
