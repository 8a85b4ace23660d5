"""Schema registries: the table of kinds and how each is read; plug-ins come in by entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Transport
from scanner_extractor.registries.apicurio.client import read_apicurio
from scanner_extractor.registries.cloudera import read_cloudera
from scanner_extractor.registries.confluent.plan import read_confluent
from scanner_extractor.registries.glue import glue_registry_transport, read_glue
from scanner_extractor.scan.results import Progress, RegistryResult
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_model.errors import InputInvalid

__all__ = ["PLUG_INS", "REGISTRIES", "RegistryReader", "own_transport", "registries"]

RegistryReader = Callable[[RegistrySettings, Http, Progress], RegistryResult]
"""Read everything that a registry has; raises ScannerError only where nothing of it can be read."""

PLUG_INS = "scanner.registries"
"""The entry-point group by which other people's packages add kinds of registries; an entry's name is the kind's."""

REGISTRIES: Mapping[str, RegistryReader] = {
    "confluent": read_confluent,
    "karapace": read_confluent,
    "apicurio": read_apicurio,
    "cloudera": read_cloudera,
    "glue": read_glue,
}


def own_transport(settings: RegistrySettings) -> Transport | None:
    """Return what speaks to a registry that is not asked over plain HTTP; None: it is."""
    return glue_registry_transport(settings.glue, settings.http) if settings.glue else None


@cache
def registries() -> Mapping[str, RegistryReader]:
    """Return every kind of registry, plug-ins too; those load when they read, and do not replace ours."""
    return {**{entry.name: _plugged_in(entry) for entry in entry_points(group=PLUG_INS)}, **REGISTRIES}


def _plugged_in(entry: EntryPoint) -> RegistryReader:
    def read(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryResult:
        try:
            reader: RegistryReader = entry.load()
        except (ImportError, AttributeError) as error:
            what = f"the plug-in for registries of type {entry.name!r} cannot be loaded: {error}"
            raise InputInvalid(what, where=entry.value) from error
        return reader(settings, http, progress)

    return read
