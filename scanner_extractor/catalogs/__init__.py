"""The types of catalogs of tables, each imported when it is used; other packages add types as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from typing import TYPE_CHECKING

from scanner_extractor import systems
from scanner_extractor.probes import Probe
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.source_types import SourceType, SourceTypes
from scanner_model import plugins

if TYPE_CHECKING:
    from scanner_extractor.http.client import Http

__all__ = ["CATALOGS", "CatalogType", "lists"]

CatalogType = SourceType[CatalogSettings]


def lists(
    what: str, listing: Callable[[CatalogSettings, Http], Sized]
) -> Callable[[CatalogSettings, Http], Iterator[Probe]]:
    """Return the check of a catalog: it counts *what* holds tables, as *listing* lists it."""

    def check(settings: CatalogSettings, http: Http) -> Iterator[Probe]:
        yield Probe(f"list {what}", lambda: f"{len(listing(settings, http))} {what}")

    return check


CATALOGS: SourceTypes[CatalogSettings] = SourceTypes(systems.CATALOGS, plugins.CATALOGS)
"""The types of catalog by the name that cluster.json gives them."""
