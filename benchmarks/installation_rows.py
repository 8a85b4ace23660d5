"""Figures of a whole installation in one run: ten clusters with every kind of self-hosted source, 5 ms a request."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from measure import Row, medians, scanner

FAKE = Path(__file__).parent / "serve_installation.py"
CLUSTERS, SECONDS, MEMORY = 10, 6.0, 300.0
_DELAY = "0.005"


def installation_row(directory: Path) -> list[Row]:
    """1,000 topics with key and value schemas, 1,000 connectors, 100 queries on ten clusters."""
    command = [sys.executable, str(FAKE), "--delay", _DELAY, "--clusters", str(CLUSTERS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            return [_measured(directory, server.stdout.readline().strip())]
        finally:
            server.terminate()


def _measured(directory: Path, url: str) -> Row:
    dictionary, report = directory / "installation.db", directory / "installation.json"
    configs = [_config(directory, f"{url}/{number}", number) for number in range(CLUSTERS)]
    options = [part for config in configs for part in ("--config", str(config))]
    command = [scanner(), "extract", *options, "--dictionary", str(dictionary), "--report", str(report), "--quiet"]
    ours = medians(lambda: command, runs=3, before=lambda: dictionary.unlink(missing_ok=True))
    return Row(
        name="1,000 topics, 1,000 connectors, 100 queries, 10 clusters",
        ours=ours.seconds,
        unit="s",
        target=f"< {SECONDS:g} s, < {MEMORY:g} MiB",
        met=ours.seconds < SECONDS and ours.memory < MEMORY,
        detail=f"{ours.memory:.0f} MiB; {ours.processor:.2f} s of processor time; requests: {_requests(report)}",
    )


def _config(directory: Path, url: str, number: int) -> Path:
    file = directory / f"installation-{number}.json"
    document = {
        "cluster": f"cluster-{number}",
        "brokers": [f"kafka-{number}:9092"],
        "kafka_rest": {"url": f"{url}/rest", "cluster": "lkc-1"},
        "schema_registries": [{"type": "confluent", "url": f"{url}/registry"}],
        "connect": [{"name": f"connect-{number}", "url": f"{url}/connect"}],
        "ksqldb": [{"url": f"{url}/ksqldb"}],
    }
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def _requests(report: Path) -> str:
    """Report how many requests each kind of source took, and of how many objects."""
    requests, got = Counter[str](), Counter[str]()
    for cluster in json.loads(report.read_text(encoding="utf-8")):
        for source in cluster["sources"]:
            requests[source["kind"]] += source["requests"]
            got[source["kind"]] += source["received"]
    return ", ".join(f"{kind} {count} ({got[kind]} objects)" for kind, count in sorted(requests.items()))
