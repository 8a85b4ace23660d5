"""Catalogs of tables: the table of providers and how each is read; plug-ins come in by entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from scanner_extractor.catalogs.datazone import datazone_transport, read_datazone
from scanner_extractor.catalogs.glue import glue_catalog_transport, read_glue_catalog
from scanner_extractor.catalogs.google import read_google
from scanner_extractor.catalogs.google_transport import google_api_transport
from scanner_extractor.catalogs.unity import read_unity
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Transport
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.errors import InputInvalid

__all__ = ["PLUG_INS", "PROVIDERS", "CatalogReader", "catalog_transport", "providers"]

CatalogReader = Callable[[CatalogSettings, Http, Progress], CatalogResult]
"""Read the tables that a catalog has, and what it tells of their lineage; raises ScannerError where it tells none."""

PLUG_INS = "scanner.catalogs"
"""The entry-point group by which other people's packages add kinds of catalogs; an entry's name is the kind's."""

PROVIDERS: Mapping[str, CatalogReader] = {
    "unity": read_unity,
    "glue": read_glue_catalog,
    "google": read_google,
    "datazone": read_datazone,
}

_EXCHANGES: Mapping[str, Callable[[CatalogSettings], Transport]] = {
    "glue": glue_catalog_transport,
    "google": google_api_transport,
    "datazone": datazone_transport,
}


def catalog_transport(settings: CatalogSettings) -> Transport | None:
    """Return what speaks to a catalog that is not asked over plain HTTP; None: it is."""
    make = _EXCHANGES.get(settings.type)
    return make(settings) if make else None


@cache
def providers() -> Mapping[str, CatalogReader]:
    """Return every kind of catalog, plug-ins too; those load when they read, and do not replace ours."""
    return {**{entry.name: _plugged_in(entry) for entry in entry_points(group=PLUG_INS)}, **PROVIDERS}


def _plugged_in(entry: EntryPoint) -> CatalogReader:
    def read(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
        try:
            reader: CatalogReader = entry.load()
        except (ImportError, AttributeError) as error:
            what = f"the plug-in for catalogs of type {entry.name!r} cannot be loaded: {error}"
            raise InputInvalid(what, where=entry.value) from error
        return reader(settings, http, progress)

    return read
