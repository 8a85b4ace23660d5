"""Figures of whole scans against a fake registry on loopback that adds 5 ms to each request."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from measure import Row, Run, medians, run, scanner, sized

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
        row = partial(_scan_row, directory=directory, url=url, stem="bulk", seconds=2.0, memory=200, runs=5)
        alone = row("1,000 topics, bulk, without the graph", more=["--no-graph"])
        return [alone, row("1,000 topics, bulk, with the graph")]


def walk_row(directory: Path) -> list[Row]:
    """The same without the bulk endpoint."""
    with registry("--topics", str(sized(1000)), "--flavour", "confluent-old") as url:
        return [_scan_row("1,000 topics, no bulk", directory, url, "walk", seconds=4.0, memory=200, runs=5)]


def large_bulk_row(directory: Path) -> list[Row]:
    """Five thousand topics with key and value schemas, bulk."""
    with registry("--topics", str(sized(5000))) as url:
        return [_scan_row("5,000 topics, bulk", directory, url, "large", seconds=6.0, memory=300, runs=3)]


def second_row(directory: Path) -> list[Row]:
    """A thousand topics, two versions of each value, scanned again: nothing changed, then one subject.

    The scans alternate, each first one into a new dictionary. Times are of the processor.
    """
    flag, topics = directory / "changed", sized(1000)
    with registry("--topics", str(topics), "--versions", "2", "--flag", str(flag)) as url:
        command, dictionary = _command(directory, url, "second")
        turns = [_second(command, dictionary, flag) for _ in range(4)][1:]
    names = ("nothing changed", "one subject changed")
    return [_second_row(f"{topics:,} topics again, {name}", turns, at) for at, name in enumerate(names, 1)]


def _second(command: list[str], dictionary: Path, flag: Path) -> tuple[Run, Run, Run]:
    dictionary.unlink(missing_ok=True)
    first, same = run(command), run(command)
    flag.touch()
    changed = run(command)
    flag.unlink()
    return first, same, changed


def _second_row(name: str, turns: list[tuple[Run, Run, Run]], at: int) -> Row:
    ratio = statistics.median(turn[at].processor / turn[0].processor for turn in turns)
    return Row(
        name=name,
        ours=statistics.median(turn[at].processor for turn in turns),
        unit="s of processor",
        target="≤ 0.25 of the first",
        met=ratio <= 0.25,
        limit="the first scan",
        ratio=ratio,
        detail=f"{statistics.median(turn[at].memory for turn in turns):.0f} MiB",
    )


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
    name: str,
    directory: Path,
    url: str,
    stem: str,
    *,
    seconds: float,
    runs: int,
    memory: float | None = None,
    more: Sequence[str] = (),
) -> Row:
    command, dictionary = _command(directory, url, stem)
    ours = medians(lambda: [*command, *more], runs=runs, before=lambda: dictionary.unlink(missing_ok=True))
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


def _command(directory: Path, url: str, stem: str) -> tuple[list[str], Path]:
    """Return the command that scans the registry at *url*, and the dictionary that it writes."""
    config, dictionary = directory / f"{stem}.json", directory / f"{stem}.db"
    registries = [{"type": "confluent", "url": url}]
    config.write_text(json.dumps({"cluster": "bench", "brokers": ["kafka:9092"], "schema_registries": registries}))
    return [scanner(), "scan", "--config", str(config), "--dictionary", str(dictionary), "--quiet"], dictionary
