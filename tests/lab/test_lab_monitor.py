"""A connector's life at the real Connect, told by the monitor: its own connector, made and deleted through REST."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

pytestmark = pytest.mark.lab

_NAME = "monitored-lines"
_PATIENCE = 60.0
_OF_NUMBERS = "org.apache.kafka.connect.converters.LongConverter"


@dataclass(slots=True, kw_only=True)
class Monitor:
    """A monitor as a process, which may be killed and started again; *url* is that of our connector."""

    url: str
    config: Path
    directory: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        scanner = str(Path(sys.executable).parent / "scanner")
        places = ("--file", str(self.directory / "runs.ndjson"), "--state", str(self.directory / "monitor.json"))
        line = [scanner, "monitor", "connect", "--config", str(self.config), "--interval", "0.5", *places]
        self.process = subprocess.Popen(line, stderr=subprocess.DEVNULL)

    def end(self, number: int) -> int:
        """Send it a signal, and give its exit status."""
        assert self.process
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)

    def put(self, path: str, body: Any = None) -> None:
        """Ask Connect for a change; a worker that shares its tasks out anew is asked again."""
        _until(lambda: requests.put(self.url + path, json=body, timeout=30).status_code < 400)

    def events(self) -> list[Any]:
        """Give what it told of our connector."""
        file = self.directory / "runs.ndjson"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        return [event for event in map(json.loads, lines) if event["job"]["name"] == _NAME]

    def tells(self, *states: str) -> None:
        """Wait until the events of our connector are these and no others."""
        _until(lambda: [event["eventType"] for event in self.events()] == list(states))


@pytest.fixture
def monitor(lab, tmp_path) -> Iterator[Monitor]:
    """Start a monitor of the lab's Connect alone; our connector is deleted afterwards."""
    lab.needs("connect")
    config = lab.config(kafka=None, schema_registries=None, ksqldb=None, metrics=None, flink=[])
    found = Monitor(url=f"{lab.told['connect']}/connectors/{_NAME}", config=config, directory=tmp_path)
    found.start()
    yield found
    found.end(signal.SIGKILL)
    requests.delete(found.url, timeout=30)


@pytest.fixture
def lines(lab) -> Iterator[dict[str, str]]:
    """Give the configuration of a connector that reads a file."""
    file = Path(lab.told["state"]) / f"{_NAME}.txt"
    file.write_text("one\n", "utf-8")
    yield {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "tasks.max": "1",
        "file": str(file),
        "topic": _NAME,
    }
    file.unlink()


def test_life_of_a_connector_is_told_as_it_was(monitor, lines) -> None:
    """Create, pause, resume, change, fail its task: a row each; a monitor that is killed is tried with a stand-in."""
    other = lines | {"topic": f"{_NAME}-2"}
    told = ("START", "COMPLETE", "START", "RUNNING", "FAIL")

    monitor.put("/config", lines)
    monitor.tells(*told[:1])
    monitor.put("/pause")
    monitor.tells(*told[:2])
    monitor.put("/resume")
    monitor.tells(*told[:3])
    monitor.put("/config", other)
    monitor.tells(*told[:4])
    monitor.put("/config", other | {"value.converter": _OF_NUMBERS})  # which takes no text
    Path(lines["file"]).write_text("one\ntwo\n", "utf-8")
    monitor.tells(*told)

    assert monitor.end(signal.SIGTERM) == 0
    changed, failed = monitor.events()[3:]
    assert [each["name"] for each in changed["outputs"]] == [f"{_NAME}-2"]
    assert failed["run"]["facets"]["errorMessage"]["message"].startswith("1 of 1 tasks failed (0): ")
    assert "\tat " in failed["run"]["facets"]["errorMessage"]["stackTrace"]


def _until(true: Callable[[], bool]) -> None:
    """Wait until it is *true*."""
    deadline = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
