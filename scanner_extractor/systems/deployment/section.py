"""The `files` of cluster.json: deployment files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import (
    Items,
    ParseContext,
    Section,
    ValidationContext,
    name_or_path,
    nonempty,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.repository.declared import Collector
from scanner_extractor.results import (
    Progress,
    Reading,
    no_progress,
)
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.deployment.reader import (
    DOCUMENT,
    deployment_document,
    deployment_reading,
    read_deployment,
    read_deployment_document,
)
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_model.declarations import DeclaredKind
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import SourceUnreachable
from scanner_model.maturity import live

ENDINGS = frozenset({".yaml", ".yml", ".json"})
"""Of the files that a pattern matches, or that are below a directory, those with one of these endings are read."""

_FILES: Json = {
    "title": "Deployment files",
    "description": "Deployment files of GitOps tools with topics, connectors and Flink jobs.",
    "type": "object",
    "required": ["path"],
    "properties": {
        "name": nonempty("Name", "Name of the source. Keep it when the files move.", "deploy"),
        "path": nonempty(
            "Files",
            "A file, a pattern, or a directory (all .yaml, .yml and .json below it).",
            "deploy/**/*.yaml",
        ),
    },
    "additionalProperties": False,
    "examples": [{"path": "deploy/**/*.yaml"}],
}


def deployment_files(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file whatever its ending, else those with one of ENDINGS."""
    files = named_files(pattern, base, "**/*")
    if files == (base / pattern,):
        return files
    return tuple(path for path in files if path.suffix.lower() in ENDINGS and path.is_file())


def parse_deployment(item: Json, context: ParseContext) -> DeploymentSettings:
    """Return the settings of deployment files."""
    files = FileSettings(
        pattern=item["path"],
        base=context.base,
        files=deployment_files(item["path"], context.base),
        secret_names=context.secret_names,
    )
    return DeploymentSettings(files=files, name=item.get("name", ""))


def validate_deployment(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `files` of cluster.json: a path without a file, two sources of one name."""
    for path, item in items:
        pattern, where = item.get("path"), (*path, "path")
        if context.present and isinstance(pattern, str) and not deployment_files(pattern, context.directory):
            what = f"{context.shown(where)} matches no .yaml, .yml or .json file"
            yield where, what, "the pattern is relative to this file"
    yield from repeated_sources(items, name_or_path)


FILES_SECTION = Section(
    member="files",
    listing={
        "title": "Deployment files",
        "description": "Deployment files with topics, connectors and Flink jobs.",
        "examples": [[{"path": "deploy/**/*.yaml"}]],
    },
    schema=_FILES,
    parse=parse_deployment,
    validate=validate_deployment,
    over_http=False,
)


def _read(settings: DeploymentSettings, connections: Connections, progress: Progress) -> Collector:
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


def _described(reading: Collector) -> str:
    totals, kinds = reading.totals, Counter(kind for kind, _ in reading.declarations)
    if totals["failed"]:
        first = reading.problems[0]
        raise SourceUnreachable(f"{first.where}: {first.what}", hint=f"{totals['failed']} could not be read")
    others = sum(reading.others.values())
    reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(reading.others.items()))
    parts = (
        f"{totals['files']} files with {totals['documents']} documents",
        f"{kinds[DeclaredKind.TOPIC]} topics",
        f"{kinds[DeclaredKind.CONNECTOR]} connectors",
        f"{len(reading.statements)} jobs with SQL",
        *([f"{others} not read ({reasons})"] if others else []),
        *([f"{len(reading.problems)} problems"] if reading.problems else []),
    )
    return ", ".join(parts)


def _read_deployment(settings: DeploymentSettings, connections: Connections, progress: Progress) -> Reading:
    return deployment_reading(_read(settings, connections, progress))


FILES = SourceKind(
    name="files",
    phase=STREAMING,
    section=FILES_SECTION,
    settings=DeploymentSettings,
    proofs=tested(live("deployment files", "of 14 public examples", "benchmarks/estates.py")),
    read=_read_deployment,
    check=deployment_probes,
)
