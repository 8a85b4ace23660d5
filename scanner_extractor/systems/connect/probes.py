"""Probes of `scanner doctor` for Kafka Connect."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe
from scanner_extractor.systems.connect.client import listed_connectors, worker_facts
from scanner_extractor.systems.connect.settings import ConnectSettings


def connect_probes(settings: ConnectSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a worker, which a managed Connect does not have, and to list the connectors."""
    if not settings.is_managed:
        yield Probe("reach a worker", lambda: f"Kafka Connect {worker_facts(http)[0]}", required=False)
    yield Probe("list connectors", lambda: f"{len(listed_connectors(settings, http))} connectors")
