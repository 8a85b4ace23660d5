"""Figures of OpenLineage: events a second out of a file into the dictionary."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lineage_estate import ndjson
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
