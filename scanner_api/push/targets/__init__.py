"""The catalogs that lineage is pushed into: a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scanner_api.push.model import Target
from scanner_api.push.targets.datahub import DataHub
from scanner_api.push.targets.datazone import DataZone
from scanner_api.push.targets.glue import Glue
from scanner_api.push.targets.google import GoogleLineage
from scanner_api.push.targets.openmetadata import OpenMetadata
from scanner_api.push.targets.unity import UnityCatalog
from scanner_extractor.settings.push import PushSettings

TARGETS: Mapping[str, Callable[[PushSettings], Target]] = {
    "datahub": DataHub,
    "openmetadata": OpenMetadata,
    "unity": UnityCatalog,
    "google": GoogleLineage,
    "glue": Glue,
    "datazone": DataZone,
}
"""Builds the target of settings, by the name that commands and cluster.json have for it."""
