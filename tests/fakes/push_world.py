"""A graph that tests push, and catalogs that answer in memory."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from scanner_api import Dictionary, generate, scan
from scanner_api.push.run import Network, push, undo_push
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.push import PushSettings
from scanner_model.errors import SourceUnreachable

Json = Any
TRUTH = object()
"""In place of an answer: the server's own."""

KAFKA = "kafka://b:9092"
TABLE = {"namespace": "postgres://h:5432", "name": "shop.public.orders"}


def avro(subject: str, *columns: str) -> Json:
    """Return a schema of text columns for manual input."""
    listed = [{"name": name, "type": "string"} for name in columns]
    return {"format": "AVRO", "subject": f"{subject}-value", "version": 1, "columns": listed}


@dataclass
class World:
    """an installation in *directory* that a test changes: *topics* are columns by name, *flows* as in manual input.

    *tags* are those of topics by name, *partitions* the number of each topic, none for an unknown one.
    """

    directory: Path
    topics: dict[str, tuple[str, ...]]
    flows: list[Json]
    tags: dict[str, list[str]] = field(default_factory=dict)
    partitions: int | None = 3

    @property
    def dictionary(self) -> Dictionary:
        return Dictionary(f"sqlite:///{self.directory / 'd.db'}")

    def scan(self) -> None:
        """Scan the installation, and generate its graph."""
        listed = [
            {"name": name, "tags": self.tags.get(name, []), "schemas": [avro(name, *columns)]}
            | ({"partitions": self.partitions} if self.partitions else {})
            for name, columns in self.topics.items()
        ]
        manual = {"version": 1, "cluster": "retail", "topics": listed, "flows": self.flows}
        (self.directory / "manual.json").write_text(json.dumps(manual))
        config = {"cluster": "retail", "brokers": ["b:9092"], "manual_input": ["manual.json"]}
        (self.directory / "c.json").write_text(json.dumps(config))
        scan([self.directory / "c.json"], self.dictionary)
        generate(self.dictionary)


def installation(directory: Path) -> World:
    """Return a graph of two topics and a table, with two jobs."""
    topics = {"orders": ("id", "total", "email"), "paid": ("id", "sum")}
    flows = [
        {"job": "bill", "from": "orders", "to": "paid", "columns": [{"from": "id", "to": "id"}]},
        {"job": "load", "from": TABLE, "to": "orders", "columns": [{"from": "total", "to": "total"}]},
    ]
    made = World(directory, topics, flows)
    made.scan()
    return made


@dataclass
class Catalog:
    """A fake *server* behind a transport that counts; *away_after* so many writing requests it is unreachable.

    It answers 500 to requests that contain one of *failing*, or only to those that write. *read_answer* and
    *write_answer* replace what it answers with status 200, as a proxy does; *forgets*: it answers a write as if it
    had carried it out.
    """

    server: Any
    settings: PushSettings
    world: World
    is_write: Callable[[Request], bool]
    away_after: int | None = None
    failing: frozenset[str] = frozenset()
    fails_reads: bool = True
    writes: list[Request] = field(default_factory=list)
    read_answer: Json = TRUTH
    write_answer: Json = TRUTH
    forgets: bool = False
    pauses: list[float] = field(default_factory=list)
    alone: Lock = field(default_factory=Lock, repr=False)

    def exchange(self, request: Request) -> Response:
        is_failing = self.fails_reads or self.is_write(request)
        if is_failing and any(part in unquote(request.url) + request.body for part in self.failing):
            return Response(status=500, body=b'{"message": "NullPointerException"}')
        if self.is_write(request):
            if self.away_after is not None and len(self.writes) >= self.away_after:
                raise SourceUnreachable("nobody answers", where=request.url)
            self.writes.append(request)
        given = self.write_answer if self.is_write(request) else self.read_answer
        if given is not TRUTH:
            return Response(status=200, body=json.dumps(given).encode())
        if self.forgets:
            return self._forgetful(request)
        status, body = self.server.answer(request.method, request.url, request.body)
        return Response(status=status, body=b"" if body is None else json.dumps(body).encode())

    def _forgetful(self, request: Request) -> Response:
        with self.alone:  # requests come from several threads, and none may bring back what another one wrote
            stored = {name: copy.deepcopy(getattr(self.server, name)) for name in self._stored}
            status, body = self.server.answer(request.method, request.url, request.body)
            for name, value in stored.items() if self.is_write(request) else ():
                setattr(self.server, name, value)
        return Response(status=status, body=b"" if body is None else json.dumps(body).encode())

    @property
    def _stored(self) -> list[str]:
        """Return the attributes in which the server keeps what it stores."""
        return [entry.name for entry in fields(self.server) if isinstance(getattr(self.server, entry.name), dict)]

    @property
    def network(self) -> Network:
        return Network(exchange=self.exchange, now=lambda: "2026-03-01T12:00:00+00:00", pause=self.pauses.append)

    def push(self, **options: Any) -> Any:
        """Push; the requests that wrote before are forgotten."""
        self.writes.clear()
        return push(self.world.dictionary, self.settings, network=self.network, **options)

    def undo(self, run: int) -> Any:
        return undo_push(self.world.dictionary, self.settings, run, network=self.network)


def settings(target: str, **more: Any) -> PushSettings:
    """Return the settings of a catalog that writes everything."""
    parts = frozenset({"documentation", "owners", "tags"})
    return PushSettings(target=target, http=HttpSettings(url="http://catalog:1"), **{"parts": parts, **more})
