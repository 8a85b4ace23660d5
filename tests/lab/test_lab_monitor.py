"""Runs at a real Connect and a real Flink, as the monitor reports them: tables of what was done and what was emitted.

`make lab-test` with `-s` shows the table; a test that fails shows it, too.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests
from confluent_kafka.admin import AdminClient

pytestmark = pytest.mark.lab

_NAME = "monitored-lines"
_PATIENCE = 60.0
_POLLS = 1.5
"""Seconds in which the monitor polls several times."""
_OF_NUMBERS = "org.apache.kafka.connect.converters.LongConverter"
_LAB = Path(__file__).with_name("lab.py")
_CLUSTER = Path(__file__).with_name("cluster.json")


@dataclass(slots=True, kw_only=True)
class Monitor:
    """A monitor as a process, which may be killed and started again; it looks at what *config* names."""

    kind: str
    config: Path
    directory: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        scanner = str(Path(sys.executable).parent / "scanner")
        locations = ("--file", str(self.directory / "runs.ndjson"), "--state", str(self.directory / "monitor.json"))
        line = [scanner, "monitor", self.kind, "--config", str(self.config), "--interval", "0.5", *locations]
        with (self.directory / "said.txt").open("ab") as output:
            self.process = subprocess.Popen(line, stderr=output)

    def end(self, number: int) -> int:
        """Send it a signal, and give its exit status."""
        assert self.process
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)

    @property
    def is_running(self) -> bool:
        """Report whether it may tell something."""
        return self.process is not None and self.process.poll() is None

    @property
    def said(self) -> str:
        """Return what it said on stderr since it was started first."""
        return (self.directory / "said.txt").read_text("utf-8")

    def told(self) -> list[Any]:
        """Return what it reported."""
        file = self.directory / "runs.ndjson"
        return [json.loads(line) for line in (file.read_text("utf-8").splitlines() if file.exists() else ())]

    def events(self, name: str) -> list[Any]:
        """Return what it reported of the job *name*."""
        return [event for event in self.told() if event["job"]["name"] == name]


@dataclass(slots=True, kw_only=True)
class Story:
    """What was done, what must be reported of it, and what was reported."""

    monitor: Monitor
    job: str
    rows: list[tuple[str, list[str], list[Any]]] = field(default_factory=list)

    def then(self, what: str, act: Callable[[], object], *expected: str) -> None:
        """Do it, and wait until *expected* is emitted; where that is nothing, wait a while."""
        before = sum(len(reported) for *_, reported in self.rows)
        self.rows.append((what, list(expected), []))
        act()
        deadline = time.monotonic() + (_PATIENCE if expected else _POLLS if self.monitor.is_running else 0.0)
        while time.monotonic() < deadline:
            self.rows[-1][2][:] = self.monitor.events(self.job)[before:]
            if expected and len(self.rows[-1][2]) >= len(expected):
                break
            time.sleep(0.1)
        assert _states(self.rows[-1][2]) == list(expected), self.table()

    def table(self) -> str:
        """Show it; runs are numbered."""
        runs: dict[str, str] = {}
        lines = [("done", "expected", "emitted", "run")]
        for what, expected, reported in self.rows:
            numbers = [runs.setdefault(item["run"]["runId"], str(len(runs) + 1)) for item in reported]
            lines.append(
                (what, ", ".join(expected) or "-", ", ".join(_states(reported)) or "-", ", ".join(numbers) or "-")
            )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n" + "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """Our connector: it reads *file*; *worker* is the address of the Connect cluster."""

    worker: str
    file: Path

    @property
    def config(self) -> dict[str, str]:
        """Return a configuration with which it runs; nobody else makes its topic."""
        return {
            "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
            "tasks.max": "1",
            "file": str(self.file),
            "topic": _NAME,
            "topic.creation.default.replication.factor": "1",
            "topic.creation.default.partitions": "1",
        }

    def put(self, path: str, body: Any = None) -> Callable[[], None]:
        """Query Connect for a change; a worker that rebalances is queried again."""
        url = f"{self.worker}/connectors/{_NAME}{path}"
        return lambda: _until(lambda: requests.put(url, json=body, timeout=30).status_code < 400)

    def fail(self) -> None:
        """Have its task fail: the converter takes no text. The task of before may still read some lines."""
        self.put("/config", self.config | {"topic": f"{_NAME}-2", "value.converter": _OF_NUMBERS})()

        def failed() -> bool:
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write("one more\n")
            status = requests.get(f"{self.worker}/connectors/{_NAME}/status", timeout=30)
            return "FAILED" in [task["state"] for task in status.json().get("tasks", ())]

        _until(failed)

    def delete(self) -> None:
        """Delete it."""
        url = f"{self.worker}/connectors/{_NAME}"
        _until(lambda: requests.delete(url, timeout=30).status_code in (204, 404))

    def others(self) -> dict[str, Any]:
        """Return the states of the installation's connectors and tasks; none while the worker does not answer."""
        try:
            reported = requests.get(f"{self.worker}/connectors", params={"expand": "status"}, timeout=10).json()
        except (requests.RequestException, ValueError):
            return {}
        status = {name: item["status"] for name, item in reported.items() if name != _NAME and "status" in item}
        return {name: [item["state"] for item in (item["connector"], *item["tasks"])] for name, item in status.items()}


@pytest.fixture
def monitor(lab, tmp_path) -> Iterator[Callable[..., Monitor]]:
    """Return a monitor of one kind of the lab's servers, started; the others are not in its cluster.json."""
    built: list[Monitor] = []

    def started(kind: str, **members: Any) -> Monitor:
        others = dict.fromkeys(("kafka", "schema_registries", "metrics", "connect", "ksqldb", "flink"))
        config = lab.config(**others | members)
        built.append(Monitor(kind=kind, config=config, directory=tmp_path))
        built[-1].start()
        return built[-1]

    yield started
    for item in built:
        item.end(signal.SIGKILL)


@pytest.fixture
def connector(lab, tmp_path) -> Iterator[Connector]:
    """Return the connector that the story is of; it is deleted afterwards, with its topics.

    Its file is another one in every run: Connect knows how far it was read, whatever becomes of the connector.
    """
    lab.needs("connect", "connectors")
    file = tmp_path / "lines.txt"
    file.write_text("one\n", "utf-8")
    connector = Connector(worker=lab.told["connect"], file=file)
    yield connector
    connector.delete()
    admin = AdminClient({"bootstrap.servers": lab.told["brokers"]["plaintext"]})
    names = [name for name in (_NAME, f"{_NAME}-2") if name in admin.list_topics(timeout=10).topics]
    for done in admin.delete_topics(names).values() if names else ():
        done.result()


def test_life_of_a_connector_is_reported_as_it_was(monitor, connector) -> None:
    """The monitor killed twice in between, and the worker once: it lists nothing then, which deletes nothing."""
    watching = monitor("connect", connect=[{"name": "lab", "url": connector.worker}])
    story = Story(monitor=watching, job=_NAME)
    other = connector.config | {"topic": f"{_NAME}-2"}

    story.then("create", connector.put("/config", connector.config), "START")
    story.then("pause", connector.put("/pause"), "COMPLETE")
    story.then("resume", connector.put("/resume"), "START")
    story.then("write another topic", connector.put("/config", other), "RUNNING")
    story.then("fail its task", connector.fail, "FAIL")
    story.then("kill the monitor, mend the task", _killed(watching, connector.put("/config", connector.config)))
    story.then("start the monitor", watching.start, "START")
    before = connector.others()
    story.then("kill the worker", lambda: (_lab("kill"), _until(lambda: "is unknown" in watching.said)))
    story.then("start the worker", lambda: (_lab("serve"), _until(lambda: "responds again" in watching.said)))
    story.then("stop", connector.put("/stop"), "COMPLETE")
    story.then("resume", connector.put("/resume"), "START")
    story.then("kill the monitor, delete", _killed(watching, connector.delete))
    story.then("start the monitor", watching.start, "COMPLETE")

    assert watching.end(signal.SIGTERM) == 0
    _until(lambda: connector.others() == before)
    sys.stdout.write(story.table())
    _, _, _, changed, failed, *_ = watching.events(_NAME)
    assert [item["name"] for item in changed["outputs"]] == [f"{_NAME}-2"]
    assert failed["run"]["facets"]["errorMessage"]["message"].startswith("1 of 1 tasks failed (0): ")
    assert "\tat " in failed["run"]["facets"]["errorMessage"]["stackTrace"]
    started, ended = watching.events(_NAME)[-2:]
    assert (started["run"]["runId"], started["outputs"]) == (ended["run"]["runId"], ended["outputs"])


@dataclass(slots=True, kw_only=True)
class Job:
    """A job of Flink's that writes to nowhere; *title* is its name at the JobManager."""

    manager: str
    gateway: str
    directory: Path
    title: str
    session: str = ""

    def run(self, value: str) -> Callable[[], None]:
        """Have it write *value*, a text of SQL over the numbers `n`, as often as twice a second."""
        return lambda: self._sql(f"INSERT INTO nowhere SELECT CAST({value} AS INT) FROM numbers")

    def prepare(self) -> None:
        """Build its tables, in a session that gives a job up when it fails."""
        self.session = requests.post(f"{self.gateway}/v1/sessions", json={}, timeout=30).json()["sessionHandle"]
        numbers = (
            "'rows-per-second' = '2', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '999'"
        )
        self._sql(f"SET 'pipeline.name' = '{self.title}'")
        self._sql("SET 'restart-strategy.type' = 'none'")
        self._sql("SET 'execution.job-status-changed-listeners' = ''")  # whose events are those of the installation
        self._sql(f"CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '2', {numbers})")
        self._sql("CREATE TABLE nowhere (n INT) WITH ('connector' = 'blackhole')")

    def cancel(self) -> None:
        """Cancel it."""
        requests.patch(f"{self.manager}/jobs/{self._id()}", timeout=30).raise_for_status()

    def stop(self) -> None:
        """Stop it with a savepoint, which is its orderly end."""
        where = {"targetDirectory": (self.directory / "savepoint").as_uri(), "drain": False}
        requests.post(f"{self.manager}/jobs/{self._id()}/stop", json=where, timeout=30).raise_for_status()

    def gone(self) -> None:
        """Cancel it where it runs."""
        if self._id():
            self.cancel()

    def _id(self) -> str:
        jobs = requests.get(f"{self.manager}/jobs/overview", timeout=10).json()["jobs"]
        running = [job["jid"] for job in jobs if (job["name"], job["state"]) == (self.title, "RUNNING")]
        return running[0] if running else ""

    def _sql(self, statement: str) -> None:
        base = f"{self.gateway}/v1/sessions/{self.session}"
        reported = requests.post(f"{base}/statements", json={"statement": statement}, timeout=30).json()
        status = f"{base}/operations/{reported['operationHandle']}/status"
        _until(lambda: requests.get(status, timeout=10).json()["status"] == "FINISHED")


@pytest.fixture
def job(lab, tmp_path) -> Iterator[Job]:
    """Return a job of a session of its own, which ends afterwards."""
    lab.needs("flink-sql")
    addresses = {item["type"]: item.get("url") for item in json.loads(_CLUSTER.read_text("utf-8"))["flink"]}
    title = f"monitored {tmp_path.parent.name}"
    job = Job(manager=addresses["jobmanager"], gateway=addresses["sql-gateway"], directory=tmp_path, title=title)
    job.prepare()
    yield job
    job.gone()
    requests.delete(f"{job.gateway}/v1/sessions/{job.session}", timeout=30)


def test_life_of_a_job_is_reported_as_it_was(monitor, job) -> None:
    """Cancelled, stopped with a savepoint, failed: ABORT, COMPLETE and FAIL are the truth, as Flink's own words are."""
    watching = monitor("flink", flink=[{"type": "jobmanager", "name": "lab", "url": job.manager}])
    story = Story(monitor=watching, job=job.title)

    story.then("run", job.run("n"), "START")
    story.then("cancel", job.cancel, "ABORT")
    story.then("run", job.run("n"), "START")
    story.then("kill the monitor, stop with a savepoint", _killed(watching, job.stop))
    story.then("start the monitor", watching.start, "COMPLETE")
    story.then("run what fails after two seconds", job.run("CASE WHEN n < 5 THEN '1' ELSE 'x' END"), "START", "FAIL")

    assert watching.end(signal.SIGTERM) == 0
    sys.stdout.write(story.table())
    error = watching.events(job.title)[-1]["run"]["facets"]["errorMessage"]
    assert "NumberFormatException" in error["stackTrace"]


def test_installations_statements_are_reported_with_their_lineage(monitor, lab) -> None:
    """A JobManager does not tell its SQL: the files beside it do."""
    lab.needs("flink-sql")
    flink = [item for item in json.loads(_CLUSTER.read_text("utf-8"))["flink"] if item["type"] != "sql-gateway"]
    for item in flink:
        item |= {"path": str(_CLUSTER.parent / item["path"])} if "path" in item else {}
    watching = monitor("flink", flink=flink)
    _until(lambda: len(watching.told()) >= 4)

    reported = {tuple(item["name"] for item in (*item["inputs"], *item["outputs"])) for item in watching.told()}
    assert {("clicks", "clicks-by-page"), ("cdc.customers", "cdc.orders", "orders-enriched")} <= reported


def _killed(watching: Monitor, act: Callable[[], object]) -> Callable[[], None]:
    """Kill the monitor as soon as it has told what came before, and act while nobody looks."""

    def done() -> None:
        watching.end(signal.SIGKILL)
        act()

    return done


def _lab(verb: str) -> None:
    subprocess.run([sys.executable, str(_LAB), verb, "connect"], check=True, timeout=150)


def _states(events: list[Any]) -> list[str]:
    return [event["eventType"] for event in events]


def _until(true: Callable[[], bool]) -> None:
    """Wait until it is *true*."""
    deadline = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
