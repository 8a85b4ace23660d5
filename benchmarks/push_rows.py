"""Figures of `scanner push`: 100,000 columns and 10,000 edges into each catalog."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from measure import Row, environment, run, scanner, sized

_TOPICS, _COLUMNS, _JOBS, _EDGES, _PAIRS = 2 * sized(1_000), 50, sized(1_000), 10, 10
_SECONDS, _MEMORY = 60.0, 300.0
TARGETS = ("datahub", "openmetadata", "unity", "google", "datazone", "glue")
_OPTIONS = {
    "google": {"parent": "projects/p/locations/eu"},
    "datazone": {"region": "eu-central-1", "domain": "dzd_4ab1"},
    "glue": {"region": "eu-central-1"},
}
_WAIT = 30.0


def push_row(directory: Path) -> list[Row]:
    """How long, and with how much memory, a first push and a second one of the same graph take."""
    rows: list[Row] = []
    for target in TARGETS:
        dictionary = directory / ("push-glue.db" if target == "glue" else "push.db")
        if not dictionary.exists():
            _generate(directory, dictionary)
        rows += _rows(directory, dictionary, target)
    return rows


def _end(number: int, dictionary: Path) -> Any:  # noqa: ANN401 - JSON
    """Return a topic, or for Glue, which has tables only, one of these."""
    table = {"namespace": "arn:aws:glue:eu-central-1:123456789012", "name": f"table/lake/t{number}"}
    return table if dictionary.stem == "push-glue" else f"topic-{number}"


def _generate(directory: Path, dictionary: Path) -> None:
    names = [f"field_{i}" for i in range(_COLUMNS)]
    columns = [{"name": name, "type": "string"} for name in names]
    topics = [
        {
            "name": f"topic-{i}",
            "partitions": 6,
            "schemas": [{"format": "AVRO", "subject": f"topic-{i}-value", "version": 1, "columns": columns}],
        }
        for i in range(_TOPICS)
    ]
    pairs = [{"from": name, "to": name} for name in names[:_PAIRS]]
    flows = [
        {
            "job": f"job-{job}",
            "from": f"topic-{2 * job}",
            "to": _end((2 * job + 1 + edge) % _TOPICS, dictionary),
            "columns": pairs,
        }
        for job in range(_JOBS)
        for edge in range(_EDGES)
    ]
    manual = {"version": 1, "cluster": "bench", "topics": topics, "flows": flows}
    (directory / "push-manual.json").write_text(json.dumps(manual), "utf-8")
    config = {"cluster": "bench", "brokers": ["b:9092"], "manual_input": ["push-manual.json"]}
    (directory / "push.json").write_text(json.dumps(config), "utf-8")
    place = ["--dictionary", str(dictionary)]
    run([scanner(), "extract", "--config", str(directory / "push.json"), *place, "--quiet"])
    run([scanner(), "dataflow", *place])


def _rows(directory: Path, dictionary: Path, target: str) -> Iterator[Row]:
    name = f"{target}: first push of {_TOPICS * _COLUMNS:,} columns and {_JOBS * _EDGES:,} edges"
    with _catalog(directory, target) as url:
        file = directory / f"push-{target}.json"
        config = json.loads((directory / "push.json").read_text("utf-8"))
        is_aws = "region" in _OPTIONS.get(target, {})
        at = {"endpoint_url": url} if is_aws else {"url": url, "auth": {"bearer": {"token": "t"}}}
        entry = {"target": target, **at, **_OPTIONS.get(target, {})}
        file.write_text(json.dumps(config | {"push": [entry]}), "utf-8")
        command = [scanner(), "push", target, "--config", str(file), "--dictionary", str(dictionary)]
        os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"} if is_aws else {}
        first = run(command)
        sent = _requests(url)
        second = run(command)
        more = _requests(url) - sent
    detail = f"{sent:,} requests, {first.processor:.1f} s of processor"
    time_met, memory_met = first.seconds <= _SECONDS, first.memory <= _MEMORY
    yield Row(name=name, ours=first.seconds, unit="s", target=f"≤ {_SECONDS:g} s", met=time_met, detail=detail)
    yield Row(name=f"{name}, memory", ours=first.memory, unit="MiB", target=f"≤ {_MEMORY:g} MiB", met=memory_met)
    yield Row(
        name=f"{target}: the same push again",
        ours=second.seconds,
        unit="s",
        target=f"≤ {_SECONDS:g} s",
        met=second.seconds <= _SECONDS,
        detail=f"{more:,} requests, {second.processor:.1f} s of processor",
    )


def _requests(url: str) -> int:
    with urlopen(f"{url}/count") as answer:
        counts: dict[str, int] = json.load(answer)
    return sum(counts.values())


@contextmanager
def _catalog(directory: Path, target: str) -> Iterator[str]:
    """Yield the address of a catalog in another process."""
    file = directory / f"push-{target}.port"
    program = [sys.executable, str(Path(__file__).with_name("push_server.py")), target, str(file)]
    with subprocess.Popen(program, env=environment()) as process:
        try:
            ends = time.monotonic() + _WAIT
            while not (file.exists() and file.read_text("utf-8")) and time.monotonic() < ends:
                time.sleep(0.05)
            yield f"http://127.0.0.1:{file.read_text('utf-8')}"
        finally:
            process.terminate()
