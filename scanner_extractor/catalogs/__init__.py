"""Catalogs of tables: the table of providers and how each is read; plug-ins come in by entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from scanner_extractor.catalogs.datazone import datazone_exchange, read_datazone
from scanner_extractor.catalogs.glue import glue_catalog_exchange, read_glue_catalog
from scanner_extractor.catalogs.google import read_google
from scanner_extractor.catalogs.google_exchange import google_exchange
from scanner_extractor.catalogs.unity import read_unity
from scanner_extractor.exchange import Exchange
from scanner_extractor.http import Http
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_model.errors import InputInvalid

__all__ = ["PLUG_INS", "PROVIDERS", "CatalogReader", "catalog_exchange", "providers"]

CatalogReader = Callable[[CatalogSettings, Http, Progress], CatalogReading]
"""Read the tables that a catalog has, and what it tells of their lineage; raises ScannerError where it tells none."""

PLUG_INS = "scanner.catalogs"
"""The entry-point group by which other people's packages add kinds of catalogs; an entry's name is the kind's."""

PROVIDERS: Mapping[str, CatalogReader] = {
    "unity": read_unity,
    "glue": read_glue_catalog,
    "google": read_google,
    "datazone": read_datazone,
}

_EXCHANGES: Mapping[str, Callable[[CatalogSettings], Exchange]] = {
    "glue": glue_catalog_exchange,
    "google": google_exchange,
    "datazone": datazone_exchange,
}


def catalog_exchange(settings: CatalogSettings) -> Exchange | None:
    """Give what speaks to a catalog that is not asked over plain HTTP; None: it is."""
    make = _EXCHANGES.get(settings.type)
    return make(settings) if make else None


@cache
def providers() -> Mapping[str, CatalogReader]:
    """Give every kind of catalog, plug-ins too; those load when they read, and do not replace ours."""
    return {**{entry.name: _plugged_in(entry) for entry in entry_points(group=PLUG_INS)}, **PROVIDERS}


def _plugged_in(entry: EntryPoint) -> CatalogReader:
    def read(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogReading:
        try:
            reader: CatalogReader = entry.load()
        except (ImportError, AttributeError) as error:
            what = f"the plug-in for catalogs of type {entry.name!r} cannot be loaded: {error}"
            raise InputInvalid(what, where=entry.value) from error
        return reader(settings, http, progress)

    return read
