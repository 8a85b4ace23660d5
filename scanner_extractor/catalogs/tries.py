"""What `scanner check` tries on each kind of catalog: to list what holds tables; lineage is another right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scanner_extractor.catalogs.datazone import list_assets
from scanner_extractor.catalogs.glue import list_databases
from scanner_extractor.catalogs.google import list_datasets
from scanner_extractor.catalogs.unity import list_schemas
from scanner_extractor.http import Http
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_model.errors import InputInvalid


def _google(settings: CatalogSettings, http: Http) -> int:
    return sum(len(list_datasets(settings, http, project)) for project in settings.wanted.catalogs)


_LISTS: Mapping[str, tuple[str, Callable[[CatalogSettings, Http], int]]] = {
    "unity": ("schemas", lambda settings, http: len(list_schemas(settings, http))),
    "glue": ("databases", lambda settings, http: len(list_databases(settings, http))),
    "google": ("datasets", _google),
    "datazone": ("assets", lambda settings, http: len(list_assets(settings, http))),
}


def tried(settings: CatalogSettings) -> str:
    """Say what is tried."""
    return f"list {_LISTS[settings.type][0]}" if settings.type in _LISTS else "nothing"


def listed(settings: CatalogSettings, http: Http) -> str:
    """List what holds tables and say how much there is; raises ScannerError."""
    if settings.type not in _LISTS:
        raise InputInvalid("a plug-in's catalog cannot be tried", hint="scan it: `scanner extract --only catalog`")
    what, count = _LISTS[settings.type]
    return f"{count(settings, http)} {what}"
