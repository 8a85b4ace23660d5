"""Figures of another program on the same input in the same run: DataHub's Kafka source, from PyPI, beside a scan."""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# At the end: the lab has modules of the same name as some of the benchmarks.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "lab"))

import artifacts
from installation import topic_name
from lone_broker import broker
from measure import Row, Run, medians, scanner
from places import CACHE
from scan_rows import registry

_TOPICS = 1000
_VERSIONS = 2
_RUNS = 3
_DATAHUB = CACHE / "datahub" / "bin"
_GOT = """select (select count(*) from topic where not is_internal), (select count(*) from subject_version),
 (select count(*) from schema_column), (select count(*) from schema_column c join topic_schema l
 on l.definition_id = c.definition_id where l.is_current)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What another program took, and what it got: the newest version of each schema is all that it asks for."""

    name: str
    took: Run
    topics: int
    versions: int
    columns: int


def peers_row(directory: Path) -> list[Row]:
    """How long a scan of 1,000 topics on a broker and in a registry takes, and how long DataHub's Kafka source.

    Kafka and DataHub are fetched at the first call; where one cannot be had, the row is skipped and says why.
    """
    name = f"{_TOPICS:,} topics, broker and registry"
    if reason := _missing():
        return [Row(name=name, ours=math.nan, unit="", target="", met=True, detail=reason)]
    topics = [topic_name(number) for number in range(_TOPICS)]
    # Of this registry `GET /subjects` is not cut into pages; the peer asks for no second one.
    of = ("--topics", str(_TOPICS), "--versions", str(_VERSIONS), "--flavour", "confluent-7.4")
    with broker(directory / "kafka", topics) as address, registry(*of) as url:
        return _rows(name, *_scanned(directory, address, url), _ingested(directory, address, url))


def _missing() -> str:
    if not shutil.which("java"):
        return "java is not installed"
    return "; ".join(f"{name}: {reason}" for name, reason in artifacts.bring(("kafka", "datahub")).items())


def _scanned(directory: Path, address: str, url: str) -> tuple[Run, Sequence[int]]:
    config, dictionary = directory / "peers.json", directory / "peers.db"
    registries = [{"type": "confluent", "url": url}]
    settings = {"cluster": "bench", "brokers": [address], "kafka": {}, "schema_registries": registries}
    config.write_text(json.dumps(settings), "utf-8")
    command = [scanner(), "extract", "--config", str(config), "--dictionary", str(dictionary), "--quiet"]
    took = medians(lambda: command, runs=_RUNS, before=lambda: dictionary.unlink(missing_ok=True))
    connection = sqlite3.connect(dictionary)
    (got,) = connection.execute(_GOT)
    connection.close()
    return took, got


def _ingested(directory: Path, address: str, url: str) -> Peer:
    recipe, file = directory / "recipe.json", directory / "datahub.json"
    source = {"connection": {"bootstrap": address, "schema_registry_url": url}}
    parts = {"source": {"type": "kafka", "config": source}, "sink": {"type": "file", "config": {"filename": str(file)}}}
    recipe.write_text(json.dumps(parts), "utf-8")
    # Its settings and its telemetry are its user's choice, not a benchmark's.
    quiet = ["/usr/bin/env", f"HOME={directory}", "DATAHUB_TELEMETRY_ENABLED=false"]
    took = medians(lambda: [*quiet, str(_DATAHUB / "datahub"), "ingest", "-c", str(recipe)], runs=_RUNS)
    records = json.loads(file.read_text("utf-8"))
    fields = [record["aspect"]["json"]["fields"] for record in records if record["aspectName"] == "schemaMetadata"]
    sides = {(at, "[key=True]" in field["fieldPath"]) for at, listed in enumerate(fields) for field in listed}
    return Peer(
        name=f"DataHub {_version()}",
        took=took,
        topics=len({record["entityUrn"] for record in records}),
        versions=len(sides),
        columns=sum(map(len, fields)),
    )


def _version() -> str:
    code = "from importlib.metadata import version; print(version('acryl-datahub'))"
    return subprocess.check_output([str(_DATAHUB / "python"), "-c", code], text=True).strip()


def _rows(name: str, ours: Run, got: Sequence[int], peer: Peer) -> list[Row]:
    topics, versions, columns, newest = got
    load = f"load {os.getloadavg()[0]:.1f}"
    return [
        Row(
            name=name,
            ours=ours.seconds,
            unit="s",
            target="less than the peer",
            met=ours.seconds < peer.took.seconds and topics == peer.topics,
            limit=f"{peer.name}: {peer.took.seconds:.1f} s",
            ratio=ours.seconds / peer.took.seconds,
            detail=f"{ours.processor:.1f} s of processor, the peer {peer.took.processor:.1f} s; {load}",
        ),
        Row(
            name="the same, memory",
            ours=ours.memory,
            unit="MiB",
            target="less than the peer",
            met=ours.memory < peer.took.memory,
            limit=f"{peer.name}: {peer.took.memory:.0f} MiB",
            ratio=ours.memory / peer.took.memory,
            detail=f"{topics:,} topics, {versions:,} versions of schemas, {columns:,} columns, {newest:,} of the "
            f"newest; the peer {peer.topics:,} topics, {peer.versions:,} versions, {peer.columns:,} columns",
        ),
    ]
