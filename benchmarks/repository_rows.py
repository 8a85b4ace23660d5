"""Figures of repositories with 20,000 files: a check of two commits, and a scan of one whose files all use Kafka."""

from __future__ import annotations

import statistics
from pathlib import Path

from large_repository import commit, write_repository
from measure import Row, Run, run, scanner, sized

_FILES, _RUNS = sized(20_000), 3
_IMPACT, _READ = 6, 0
_OF_SERVICE = 98
"""Source files of a service: all but its build file and deployment."""


def repository_row(directory: Path) -> list[Row]:
    """Check a commit that renames a topic in one of 20,000 files, and scan as many files that use Kafka, with fields.

    Children such as git and the process that tries to parse files are included.
    """
    changed, using = directory / "changed", directory / "using"
    write_repository(changed, _FILES, using=3)
    commit(changed, "base")
    _rename_topic(changed)
    commit(changed, "rename a topic")
    write_repository(using, _FILES, using=_OF_SERVICE)
    command = ["sh", "-c", f'cd "$1" && exec "{scanner()}" check HEAD~1..HEAD', "sh", str(changed)]
    checks = [run(command, expect=_IMPACT) for _ in range(_RUNS)]
    stored = directory / "using.db"
    scans = []
    for _ in range(_RUNS):
        stored.unlink(missing_ok=True)
        options = ("--no-graph", "--quiet", "--dictionary", str(stored))
        scans.append(run([scanner(), "scan", str(using), *options], expect=_READ))
    return [
        _row(f"check of a commit, {_FILES:,} files", checks, 8, "two files change, 3 of 100 files use Kafka"),
        _row(f"scan of {_FILES:,} files that use Kafka", scans, 25, "with fields, --no-graph"),
    ]


def _rename_topic(directory: Path) -> None:
    """Rename the topic that one program writes, and change a file without Kafka."""
    files = sorted(directory.rglob("*.java"))
    using = next(file for file in files if "KafkaListener" in file.read_text(encoding="utf-8"))
    other = next(file for file in files if "KafkaListener" not in file.read_text(encoding="utf-8"))
    using.write_text(using.read_text(encoding="utf-8").replace('.done"', '.finished"'), encoding="utf-8")
    other.write_text(other.read_text(encoding="utf-8").replace("toLowerCase", "toUpperCase"), encoding="utf-8")


def _row(name: str, runs: list[Run], most: float, detail: str) -> Row:
    processor, clock, memory = (
        statistics.median(getattr(measured, member) for measured in runs)
        for member in ("processor", "seconds", "memory")
    )
    return Row(
        name=name,
        ours=processor,
        unit="s of processor",
        target=f"≤ {most:g} s, 400 MB",
        met=processor <= most and memory <= 400,
        detail=f"{detail}; by the clock {clock:.1f} s; {memory:,.0f} MiB",
    )
