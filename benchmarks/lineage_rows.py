"""Figures of OpenLineage: events a second out of a file into the dictionary, and out of it into a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from lineage_installation import ndjson
from measure import Row, medians, scanner

_EVENTS = 20_000
_REQUIRED = 2_000


def import_row(directory: Path) -> list[Row]:
    """Measure the import of 20,000 events by a whole process; the limit parses the same lines and does nothing else."""
    file, dictionary = directory / "events.ndjson", directory / "lineage.db"
    with file.open("w", encoding="utf-8") as out:
        out.writelines(ndjson(_EVENTS))
    command = [scanner(), "openlineage", "import", str(file), "--dictionary", str(dictionary)]
    ours = medians(lambda: command, runs=3, before=lambda: dictionary.unlink(missing_ok=True))
    parse = f"import json\nfor line in open({json.dumps(str(file))}): json.loads(line)"
    least = medians(lambda: [sys.executable, "-c", parse], runs=3)
    rate = _EVENTS / ours.seconds
    size = f"{_EVENTS:,} events of {file.stat().st_size / _EVENTS / 1000:.1f} KB"
    return [
        Row(
            name="importing OpenLineage events",
            ours=rate,
            unit="events/s",
            target=f"≥ {_REQUIRED:,}",
            met=rate >= _REQUIRED,
            limit="parsing the same lines as JSON",
            ratio=ours.seconds / least.seconds,
            detail=f"{size}, 500 jobs; {ours.memory:.0f} MiB; {ours.processor:.1f} s of processor time",
        )
    ]


def emit_row(directory: Path) -> list[Row]:
    """Measure a whole process that emits a graph of 20,000 topics; the limit writes the same lines and nothing else."""
    dictionary, out = directory / "emitted.db", directory / "emitted.ndjson"
    topics = {"cluster": "big", "topics": [_topic(number) for number in range(_EVENTS)]}
    (directory / "manual.json").write_text(json.dumps(topics))
    cluster = {"cluster": "big", "brokers": ["k-1:9092", "k-2:9092"], "manual_input": ["manual.json"]}
    (directory / "cluster.json").write_text(json.dumps(cluster))
    at = ("--dictionary", str(dictionary))
    for words in (("extract", "--config", str(directory / "cluster.json"), "--quiet"), ("dataflow",)):
        subprocess.run([scanner(), *words, *at], check=True, capture_output=True)
    command = [scanner(), "openlineage", "emit", "--file", str(out), *at]
    ours = medians(lambda: command, runs=3, before=lambda: out.unlink(missing_ok=True))
    copy = (
        f"out = open({json.dumps(str(out) + '.copy')}, 'w')\nfor line in open({json.dumps(str(out))}): out.write(line)"
    )
    least = medians(lambda: [sys.executable, "-c", copy], runs=3)
    with out.open() as lines:
        events = sum(1 for _ in lines)
    rate = events / ours.seconds
    return [
        Row(
            name="emitting OpenLineage events to a file",
            ours=rate,
            unit="events/s",
            target=f"≥ {_REQUIRED:,}",
            met=rate >= _REQUIRED,
            limit="copying the same lines",
            ratio=ours.seconds / least.seconds,
            detail=f"{events:,} events of {out.stat().st_size / events / 1000:.1f} KB; {ours.memory:.0f} MiB",
        )
    ]


def _topic(number: int) -> dict[str, object]:
    return {"name": f"shop.topic-{number}", "description": "Made up.", "tags": ["gold"]}
