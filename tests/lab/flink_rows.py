"""A Flink session cluster with one worker, an SQL gateway before it, and the installation's streaming SQL."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import places
import requests
from kafka_rows import java
from places import CACHE, HOST
from rows import Server, Step, answers

_PATIENCE = 60.0
_CLUSTER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
_WORKER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
_LISTENER = "io.openlineage.flink.listener.OpenLineageJobStatusChangedListenerFactory"
_GATEWAY = "org.apache.flink.table.gateway.SqlGateway"
# What Flink's own configuration opens on Java 17.
_OPENED = (
    "java.base/java.lang",
    "java.base/java.net",
    "java.base/java.io",
    "java.base/java.nio",
    "java.base/sun.nio.ch",
    "java.base/java.lang.reflect",
    "java.base/java.text",
    "java.base/java.time",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/java.util.concurrent.locks",
)
_SETTINGS = {
    "jobmanager.rpc.address": HOST,
    "jobmanager.rpc.port": places.FLINK_RPC,
    "jobmanager.bind-host": HOST,
    "jobmanager.memory.process.size": "900m",
    "rest.address": HOST,
    "rest.bind-address": HOST,
    "rest.port": places.FLINK,
    "taskmanager.host": HOST,
    "taskmanager.bind-host": HOST,
    "taskmanager.numberOfTaskSlots": 8,
    "taskmanager.cpu.cores": 1.0,
    "taskmanager.memory.task.heap.size": "384m",
    "taskmanager.memory.task.off-heap.size": "0m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.memory.managed.size": "96m",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "128m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "128m",
    "taskmanager.memory.jvm-overhead.max": "128m",
    "parallelism.default": 1,
    "execution.checkpointing.interval": "3s",
    "execution.job-status-changed-listeners": _LISTENER,
    "openlineage.transport.type": "file",
    "openlineage.transport.location": str(places.FLINK_EVENTS),
    "sql-gateway.endpoint.rest.address": HOST,
    "sql-gateway.endpoint.rest.bind-address": HOST,
    "sql-gateway.endpoint.rest.port": places.FLINK_GATEWAY,
}


def _home() -> Path:
    (home,) = (CACHE / "flink").glob("lib/python*/site-packages/pyflink")
    return home


def _prepare() -> None:
    lines = [f"{name}: {value}\n" for name, value in _SETTINGS.items()]
    (places.data("flink") / "config.yaml").write_text("".join(lines), "utf-8")


def _flink(memory: str, main: str, *arguments: str) -> list[str]:
    opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
    scratch = f"-Djava.io.tmpdir={places.data('flink')}"
    classpath = f"{_home()}/lib/*:{CACHE}/flink-jars/*"
    return java(memory, *opened, scratch, "-cp", classpath, main, *arguments)


def _configured(memory: str, main: str) -> list[str]:
    return _flink(memory, main, "--configDir", str(places.data("flink")))


def _has_worker() -> bool:
    try:
        return requests.get(f"{places.FLINK_URL}/overview", timeout=2).json()["taskmanagers"] > 0
    except (requests.RequestException, KeyError):
        return False


def _run_sql() -> str:
    """Run the installation's statements in one session; a job that runs already is left alone."""
    jobs = requests.get(f"{places.FLINK_URL}/jobs/overview", timeout=10).json()["jobs"]
    if any(job["state"] == "RUNNING" for job in jobs):
        return "already running"
    session = requests.post(f"{places.GATEWAY_URL}/v1/sessions", json={}, timeout=30).json()["sessionHandle"]
    statements = tuple(_statements(places.FLINK_SQL.read_text("utf-8")))
    for statement in statements:
        _execute(session, statement)
    return f"{len(statements)} statements"


def _statements(text: str) -> Iterator[str]:
    """Part the file at semicolons that end a line; a statement set holds others, which end further in."""
    return filter(None, (part.strip() for part in text.split(";\n\n")))


def _execute(session: str, statement: str) -> None:
    base = f"{places.GATEWAY_URL}/v1/sessions/{session}"
    operation = requests.post(f"{base}/statements", json={"statement": statement}, timeout=60).json()["operationHandle"]
    deadline = time.monotonic() + _PATIENCE
    while (state := requests.get(f"{base}/operations/{operation}/status", timeout=10).json()["status"]) != "FINISHED":
        if state in {"ERROR", "CANCELED", "TIMEOUT"} or time.monotonic() > deadline:
            reported = requests.get(f"{base}/operations/{operation}/result/0", timeout=10).text
            raise RuntimeError(f"{state}: {statement[:60]}…: {_cause(reported)}")
        time.sleep(0.2)


def _cause(reported: str) -> str:
    """Return the innermost cause of a Java trace."""
    return reported.rpartition("Caused by: ")[2].partition("\\n")[0]


ROWS = (
    Server(
        name="flink",
        port=places.FLINK,
        needs=("flink", "flink-jars"),
        prepare=_prepare,
        command=lambda: _configured("512m", _CLUSTER),
        ready=lambda: answers(f"{places.FLINK_URL}/overview"),
    ),
    Server(
        name="flink-worker",
        port=None,
        needs=("flink", "flink-jars"),
        after=("flink",),
        command=lambda: _configured("512m", _WORKER),
        ready=_has_worker,
    ),
    Server(
        name="flink-gateway",
        port=places.FLINK_GATEWAY,
        needs=("flink", "flink-jars"),
        after=("flink",),
        command=lambda: _flink("512m", _GATEWAY),
        environment={"FLINK_CONF_DIR": str(places.STATE / "data" / "flink")},
        ready=lambda: answers(f"{places.GATEWAY_URL}/v1/info"),
    ),
    Step(name="flink-sql", after=("flink-worker", "flink-gateway", "connectors"), run=_run_sql),
)
