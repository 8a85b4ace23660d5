"""The kind of source of deployment files."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.probes import Probe
from scanner_extractor.results import (
    DeclaredResult,
    Progress,
    no_progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.deployment.reader import (
    DOCUMENT,
    DeploymentReading,
    deployment_document,
    deployment_result,
    read_deployment,
    read_deployment_document,
)
from scanner_extractor.systems.deployment.section import FILES_SECTION
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_model.declarations import DeclaredKind
from scanner_model.errors import SourceUnreachable
from scanner_model.maturity import live


def _read(settings: DeploymentSettings, connections: Connections, progress: Progress) -> DeploymentReading:
    return connections.reading(
        settings.source,
        DOCUMENT,
        lambda: read_deployment(settings, progress),
        deployment_document,
        read_deployment_document,
    )


def deployment_probes(settings: DeploymentSettings, connections: Connections) -> Iterator[Probe]:
    """Try to read every file; what they declare is counted, and what is not read, with the reasons."""
    yield Probe("read its files", lambda: _described(_read(settings, connections, no_progress)))


def _described(reading: DeploymentReading) -> str:
    if reading.failed:
        first = reading.problems[0]
        raise SourceUnreachable(f"{first.where}: {first.what}", hint=f"{reading.failed} could not be read")
    others = sum(reading.others.values())
    reasons = ", ".join(f"{number} {reason}" for reason, number in reading.others.items())
    parts = (
        f"{reading.files} files with {reading.documents} documents",
        f"{reading.count(DeclaredKind.TOPIC)} topics",
        f"{reading.count(DeclaredKind.CONNECTOR)} connectors",
        f"{len(reading.statements)} jobs with SQL",
        *([f"{others} not read ({reasons})"] if others else []),
        *([f"{len(reading.problems)} problems"] if reading.problems else []),
    )
    return ", ".join(parts)


def _read_deployment(settings: DeploymentSettings, connections: Connections, progress: Progress) -> DeclaredResult:
    return deployment_result(_read(settings, connections, progress), settings.source)


FILES = SourceKind(
    name="files",
    phase=STREAMING,
    section=FILES_SECTION,
    settings=DeploymentSettings,
    proofs=tested(live("deployment files", "of 14 public examples", "benchmarks/estates.py")),
    read=_read_deployment,
    check=deployment_probes,
)
