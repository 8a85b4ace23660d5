"""Settings of a push: the catalog that gets lineage, its address, and how the names of datasets are written there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scanner_extractor.settings.cluster import HttpSettings


class Schemas(StrEnum):
    """Datasets whose schemas are written: those without one in the catalog, all, or none."""

    MISSING = "missing"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRow:
    """How datasets of one namespace are named in a catalog; what is empty is the catalog's default.

    *namespace* is a whole OpenLineage namespace, or only its scheme (`kafka`, `postgres`). *platform* and *instance*
    are DataHub's terms, *service* OpenMetadata's. *lower_case* writes names in lower case.
    """

    namespace: str
    platform: str = ""
    instance: str = ""
    service: str = ""
    lower_case: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSettings:
    """One catalog that is pushed into.

    *parts* are what is written beside lineage: documentation, owners, tags. *after_scan*: `watch` and `serve` push
    after each scan. *keep_runs* is the number of newest runs that can be undone. *options* are the members that only
    this target has, *place* is what tells apart two of its catalogs at one address.
    """

    target: str
    http: HttpSettings
    identity: tuple[IdentityRow, ...] = ()
    parts: frozenset[str] = frozenset()
    schemas: Schemas = Schemas.MISSING
    after_scan: bool = False
    keep_runs: int = 100
    options: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""

    @property
    def address(self) -> str:
        """Return what distinguishes this catalog from others: the target, its address, and the place inside it."""
        return " ".join(filter(None, (self.target, self.http.url, self.place)))
