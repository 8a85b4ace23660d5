"""Figures of whole scans against a fake registry on loopback that adds 5 ms to each request."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import Row, medians, scanner, sized

FAKE = Path(__file__).parent / "serve.py"
FLOOR = Path(__file__).parent / "floor.py"
_DELAY = "0.005"


def help_row(_directory: Path) -> list[Row]:
    """How long `scanner --help` takes; the limit is an empty Python program."""
    ours = medians(lambda: [scanner(), "--help"], runs=9)
    floor = medians(lambda: [sys.executable, "-c", "pass"], runs=9)
    ratio = ours.seconds / floor.seconds
    return [
        Row(
            name="`scanner --help`",
            ours=ours.seconds,
            unit="s",
            target="< 0.3 s",
            met=ours.seconds < 0.3,
            limit="python -c pass",
            ratio=ratio,
        )
    ]


def one_topic_row(directory: Path) -> list[Row]:
    """One topic with three schemas, process start included."""
    with registry("--topics", "1", "--versions", "2") as url:
        return [_scan_row("one topic, three schemas", directory, url, "one", seconds=1.0, runs=7)]


def bulk_row(directory: Path) -> list[Row]:
    """A thousand topics with key and value schemas, where the registry has the bulk endpoint."""
    with registry("--topics", str(sized(1000))) as url:
        return [_scan_row("1,000 topics, bulk", directory, url, "bulk", seconds=2.0, memory=200, runs=5)]


def walk_row(directory: Path) -> list[Row]:
    """The same without the bulk endpoint."""
    with registry("--topics", str(sized(1000)), "--flavour", "confluent-old") as url:
        return [_scan_row("1,000 topics, no bulk", directory, url, "walk", seconds=4.0, memory=200, runs=5)]


def large_bulk_row(directory: Path) -> list[Row]:
    """Five thousand topics with key and value schemas, bulk."""
    with registry("--topics", str(sized(5000))) as url:
        return [_scan_row("5,000 topics, bulk", directory, url, "large", seconds=6.0, memory=300, runs=3)]


@contextmanager
def registry(*arguments: str) -> Iterator[str]:
    """Run the fake registry in a process of its own; give its URL."""
    command = [sys.executable, str(FAKE), "--delay", _DELAY, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _scan_row(  # noqa: PLR0913  a row has as many parts
    name: str, directory: Path, url: str, stem: str, *, seconds: float, runs: int, memory: float | None = None
) -> Row:
    config = directory / f"{stem}.json"
    registries = [{"type": "confluent", "url": url}]
    config.write_text(json.dumps({"cluster": "bench", "brokers": ["kafka:9092"], "schema_registries": registries}))
    dictionary = directory / f"{stem}.db"
    command = [scanner(), "extract", "--config", str(config), "--dictionary", str(dictionary), "--quiet"]
    ours = medians(lambda: command, runs=runs, before=lambda: dictionary.unlink(missing_ok=True))
    floor = medians(lambda: [sys.executable, str(FLOOR), url], runs=runs)
    target = f"< {seconds:g} s" + (f", < {memory:g} MiB" if memory else "")
    return Row(
        name=name,
        ours=ours.seconds,
        unit="s",
        target=target,
        met=ours.seconds < seconds and (memory is None or ours.memory < memory),
        limit="the same requests, responses discarded",
        ratio=ours.seconds / floor.seconds,
        detail=f"{ours.memory:.0f} MiB; {ours.processor:.2f} s of processor time",
    )
