"""A stand-in for Kafka Connect on loopback, with the answers of a real worker (4.3) and the oddities of older ones.

It knows the connectors that it is given. `generation` chooses whose answers they are: `current`, `old` (before 2.3:
`expand` is ignored, no plug-in reports its settings, topics are not tracked) or `managed` (Confluent Cloud's API).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from loopback import answering, on_loopback

Json = Any

MANAGED = "/connect/v1/environments/env-1/clusters/lkc-1"
CLUSTER = "c2Nhbm5lci1sYWItMDAwMQ"
PLUGINS: Mapping[str, Mapping[str, str]] = {
    "com.acme.Sink": {"type": "sink", "version": "2.1.0"},
    "com.acme.Source": {"type": "source", "version": "3.0.0"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A connector; *tasks* are states, *topics* what it uses, *trace* why its failed tasks failed."""

    name: str
    config: Mapping[str, str]
    kind: str = "sink"
    state: str = "RUNNING"
    tasks: tuple[str, ...] = ("RUNNING",)
    topics: tuple[str, ...] = ()
    trace: str = "org.apache.kafka.connect.errors.ConnectException: no\n\tat org.apache.Task"

    def info(self) -> Json:
        """Return what `GET /connectors/{name}` answers; the worker adds the name to the configuration."""
        tasks = [{"connector": self.name, "task": number} for number in range(len(self.tasks))]
        return {"name": self.name, "config": {**self.config, "name": self.name}, "tasks": tasks, "type": self.kind}

    def status(self) -> Json:
        """Return what `GET /connectors/{name}/status` answers; a trace is there only where something failed."""
        worker = {
            "worker_id": "10.0.0.1:8083",
            "version": PLUGINS.get(self.config["connector.class"], {}).get("version"),
        }
        own = {"state": self.state, **worker, **({"trace": self.trace} if self.state == "FAILED" else {})}
        tasks = [
            {"id": number, "state": state, **worker, **({"trace": self.trace} if state == "FAILED" else {})}
            for number, state in enumerate(self.tasks)
        ]
        return {"name": self.name, "connector": own, "tasks": tasks, "type": self.kind}


@dataclass(slots=True, kw_only=True)
class Connect:
    """A Connect cluster; *passwords* are what its plug-ins declare, by class. *asked* fills up with paths.

    *rebalancing* counts the answers that will be 409 before any other; *untracked*: topics are not tracked.
    """

    installation: tuple[Kept, ...] = ()
    generation: str = "current"
    passwords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rebalancing: int = 0
    untracked: bool = False
    asked: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, target: str) -> tuple[int, Json]:
        """Answer `GET target`."""
        parts = urlsplit(target)
        with self.lock:
            self.asked.append(target)
            if self.rebalancing:
                self.rebalancing -= 1
                message = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance"
                return 409, {"error_code": 409, "message": message}
        path = parts.path.removeprefix(MANAGED)
        steps = tuple(unquote(step) for step in path.strip("/").split("/") if step)
        if "%2F" in path or "%25" in path:  # as the web server inside Kafka 4 does
            return 400, "<html><h2>HTTP ERROR 400 Ambiguous URI path separator</h2></html>"
        return self._known(steps, [value for name, value in parse_qsl(parts.query) if name == "expand"])

    def _known(self, steps: tuple[str, ...], expand: list[str]) -> tuple[int, Json]:
        by_name = {retained.name: retained for retained in self.installation}
        match steps:
            case () if self.generation != "managed":
                version = "4.3.1" if self.generation == "current" else "2.2.0"
                return 200, {"version": version, "commit": "26b251a451ce941d", "kafka_cluster_id": CLUSTER}
            case ("connectors",):
                return 200, self._listed(expand)
            case ("connector-plugins",):
                return 200, [{"class": name, **reported} for name, reported in PLUGINS.items()]
            case ("connector-plugins", name, "config") if self.generation == "current":
                return self._settings(name)
            case ("connectors", name, "topics") if self.generation == "current":
                if self.untracked:
                    return 403, {"error_code": 403, "message": "Topic tracking is disabled."}
                return 200, {name: {"topics": list(by_name[name].topics) if name in by_name else []}}
            case ("connectors", name) if name in by_name:
                return 200, by_name[name].info()
            case ("connectors", name, "status") if name in by_name:
                return 200, self._status(by_name[name])
            case ("connectors", name, *_):
                return 404, {"error_code": 404, "message": f"Connector {name} not found"}
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _listed(self, expand: list[str]) -> Json:
        if not expand or self.generation == "old":
            return [retained.name for retained in self.installation]
        known = expand[0].split(",") if self.generation == "managed" else expand
        return {
            retained.name: {part: reported for part, reported in self._parts(retained) if part in known}
            for retained in self.installation
        }

    def _parts(self, retained: Kept) -> Iterator[tuple[str, Json]]:
        yield "info", retained.info()
        yield "status", self._status(retained)
        if self.generation == "managed":
            yield "id", {"id": f"lcc-{retained.name}", "id_type": "ID"}

    def _status(self, retained: Kept) -> Json:
        status = retained.status()
        if self.generation == "old":  # versions in a status came with Kafka 4
            for item in (status["connector"], *status["tasks"]):
                del item["version"]
        return status

    def _settings(self, name: str) -> tuple[int, Json]:
        if name not in self.passwords and name not in PLUGINS:
            return 404, {"error_code": 404, "message": f"Unknown plugin {name}."}
        secret = [{"name": text, "type": "PASSWORD", "default_value": None} for text in self.passwords.get(name, ())]
        return 200, [{"name": "topics", "type": "LIST", "default_value": ""}, *secret]


@contextmanager
def serving(connect: Connect) -> Iterator[str]:
    """Serve *connect* on loopback and give its URL."""
    with on_loopback(answering(lambda request: connect.answer(request.path))) as url:
        yield url + (MANAGED if connect.generation == "managed" else "")
