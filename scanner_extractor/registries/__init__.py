"""Schema registries: the table of kinds and how each is read; plug-ins come in by entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from scanner_extractor.exchange import Exchange
from scanner_extractor.http import Http
from scanner_extractor.readings import Progress, RegistryReading
from scanner_extractor.registries.apicurio import read_apicurio
from scanner_extractor.registries.cloudera import read_cloudera
from scanner_extractor.registries.glue import read_glue
from scanner_extractor.registries.glue_exchange import glue_exchange
from scanner_extractor.registries.plans import read_confluent
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import InputInvalid

__all__ = ["PLUG_INS", "REGISTRIES", "RegistryReader", "own_exchange", "registries"]

RegistryReader = Callable[[RegistrySettings, Http, Progress], RegistryReading]
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


def own_exchange(settings: RegistrySettings) -> Exchange | None:
    """Give what speaks to a registry that is not asked over plain HTTP; None: it is."""
    return glue_exchange(settings.glue, settings.http) if settings.glue else None


@cache
def registries() -> Mapping[str, RegistryReader]:
    """Give every kind of registry, plug-ins too; those load when they read, and do not replace ours."""
    return {**{entry.name: _plugged_in(entry) for entry in entry_points(group=PLUG_INS)}, **REGISTRIES}


def _plugged_in(entry: EntryPoint) -> RegistryReader:
    def read(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryReading:
        try:
            reader: RegistryReader = entry.load()
        except (ImportError, AttributeError) as error:
            what = f"the plug-in for registries of type {entry.name!r} cannot be loaded: {error}"
            raise InputInvalid(what, where=entry.value) from error
        return reader(settings, http, progress)

    return read
