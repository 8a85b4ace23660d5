"""A fake of Confluent-compatible registries: a real HTTP server that behaves as each of them is documented to.

Run it for benchmarks: `python tests/fakes/confluent_registry.py --subjects 2000 --delay 0.005 --port 0`.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

FLAVOURS = ("confluent", "confluent-7.4", "confluent-6.1", "confluent-old", "karapace", "apicurio")


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One version as a registry stores it; *more* are further members of its row."""

    subject: str
    version: int
    id: int
    schema: str
    type: str = "AVRO"
    references: tuple[tuple[str, str, int], ...] = ()
    deleted: bool = False
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What happens instead of an answer: *cut* announces more than is sent; after *times* it is over, None: never."""

    status: int = 500
    body: bytes = b'{"error_code":50001,"message":"store"}'
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    cut: bool = False
    times: int | None = None


@dataclass(kw_only=True)
class Registry:
    """What a server knows and how it answers; *log* are the targets asked, *busiest* the most requests at once."""

    flavour: str = "confluent"
    estate: tuple[Stored, ...] = ()
    associations: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    inline_associations: bool = False
    page: int = 1000
    delay: float = 0.0
    faults: dict[str, Fault] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    others: dict[int, int] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    busiest: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.busy = 0

    def asked(self, part: str) -> int:
        """Count the requests whose target holds *part*."""
        return sum(part in target for target in self.log)

    def answer(self, target: str) -> tuple[int, Any]:
        """Give status and JSON of a GET."""
        parts = urlsplit(target)
        steps = [unquote(step) for step in parts.path.split("/")[1:]]
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if self.flavour == "apicurio":
            if steps[:3] != ["apis", "ccompat", "v7"]:
                return 404, {"title": "not found", "status": 404}
            steps = steps[3:]
        match steps:
            case ["schemas"] if self.flavour != "confluent-old":
                return 200, self.schemas(query)
            case ["subjects"]:
                return 200, self.subjects(query)
            case ["subjects", subject, "versions"]:
                numbers = [stored.version for stored in self.of(subject, query)]
                return (200, numbers) if numbers else self.missing(40401, f"Subject '{subject}' not found.")
            case ["subjects", subject, "versions", number]:
                return self.version(subject, number, query)
            case ["associations", "subjects", subject] if self.flavour == "confluent":
                return 200, self.associations.get(subject, [])
        return (404, "Not Found") if self.flavour == "karapace" else self.missing(404, "HTTP 404 Not Found")

    def schemas(self, query: dict[str, str]) -> list[dict[str, Any]]:
        """List rows as the flavour does: what `deleted` adds, which contexts, which page, which members."""
        deleted = query.get("deleted") == "true"
        if self.flavour == "karapace":
            return [self.row(stored, bulk=True) for stored in self.visible() if not (stored.deleted and deleted)]
        found = [s for s in self.visible() if (deleted or not s.deleted) and self.covered(s, query)]
        if self.flavour == "apicurio":
            return [{"schema": stored.schema, "references": []} for stored in self.window(found, query)]
        if "resourceType" in query and self.flavour == "confluent":
            found = [stored for stored in found if stored.subject in self.associations]
        inline = self.inline_associations or "resourceType" in query
        return [self.row(stored, bulk=True, inline=inline) for stored in self.window(found, query)]

    def covered(self, stored: Stored, query: dict[str, str]) -> bool:
        """Say whether a prefix covers a subject; the empty one covers the default context only."""
        prefix = query.get("subjectPrefix", "")
        if prefix == ":*:" and self.flavour != "confluent-6.1":
            return True
        return stored.subject.startswith(prefix) if prefix else not stored.subject.startswith(":.")

    def subjects(self, query: dict[str, str]) -> list[str]:
        """List subjects; Apicurio windows artifacts of every type and then drops those that are no schemas."""
        found = [stored for stored in self.visible() if not stored.deleted or query.get("deleted") == "true"]
        names: list[str] = sorted({stored.subject for stored in found})
        if self.flavour == "apicurio":
            artifacts = [name for at, name in enumerate(names) for name in [*[""] * self.others.get(at, 0), name]]
            return [name for name in self.window(artifacts, query) if name]
        return list(self.window(names, query)) if self.flavour == "confluent" else names

    def version(self, subject: str, number: str, query: dict[str, str]) -> tuple[int, Any]:
        """Give one version, or say that there is no such subject or version."""
        found = self.of(subject, query)
        if not found or (self.flavour == "apicurio" and all(s.deleted for s in found)):
            return self.missing(40401, f"Subject '{subject}' not found.")
        chosen = found[-1:] if number == "latest" else [s for s in found if str(s.version) == number]
        return (200, self.row(chosen[0])) if chosen else self.missing(40402, f"Version {number} not found.")

    def of(self, subject: str, query: dict[str, str]) -> list[Stored]:
        """List what is stored of a subject and may be shown."""
        deleted = query.get("deleted") == "true"
        return [s for s in self.visible() if s.subject == subject and (deleted or not s.deleted)]

    def visible(self) -> list[Stored]:
        """List what this user may see, in the order of subject and version."""
        shown = [stored for stored in self.estate if stored.subject not in self.hidden]
        return sorted(shown, key=lambda stored: (stored.subject, stored.version))

    def window(self, items: list[Any], query: dict[str, str]) -> list[Any]:
        """Cut a page out; a limit above the maximum is replaced by the default, not clamped."""
        limit, offset = int(query.get("limit", -1)), int(query.get("offset", 0))
        limit = self.page if limit < 0 or limit > self.page else limit
        return items[offset : offset + limit]

    def row(self, stored: Stored, *, bulk: bool = False, inline: bool = False) -> dict[str, Any]:
        """Write a row with the members of the flavour."""
        row: dict[str, Any] = {"subject": stored.subject, "version": stored.version, "id": stored.id}
        references = [{"name": n, "subject": s, "version": v} for n, s, v in stored.references]
        karapace, newest = self.flavour == "karapace", self.flavour == "confluent"
        if stored.type != "AVRO" or newest or (karapace and bulk):
            row["schemaType"] = stored.type
        if references or karapace:
            row["references"] = references or None
        if newest:
            row["guid"] = f"00000000-0000-0000-0000-{stored.id:012d}"
            row["ts"] = 1700000000000
            if stored.deleted:
                row["deleted"] = True
        if inline and self.associations.get(stored.subject):
            row["associations"] = self.associations[stored.subject]
        # Karapace drops what it does not know, Apicurio has no place for it.
        more = stored.more if self.flavour in ("confluent", "confluent-7.4") else {}
        return {**row, **more, "schema": stored.schema}

    def missing(self, code: int, message: str) -> tuple[int, Any]:
        """Say that something is not there, as Confluent does."""
        return 404, {"error_code": code, "message": message}

    def fault(self, target: str) -> Fault | None:
        """Give the fault of a path (as it was sent, without query; or with it), and count it down."""
        with self.lock:
            for key in (target, target.partition("?")[0]):
                if (fault := self.faults.get(key)) and fault.times != 0:
                    if fault.times is not None:
                        self.faults[key] = replace(fault, times=fault.times - 1)
                    return fault
        return None


class Handler(BaseHTTPRequestHandler):
    """Answer one connection's requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    registry: Registry

    def do_GET(self) -> None:
        registry = self.registry
        with registry.lock:
            registry.log.append(self.path)
            registry.busy += 1
            registry.busiest = max(registry.busiest, registry.busy)
        time.sleep(registry.delay)
        try:
            self.reply(registry)
        finally:
            with registry.lock:
                registry.busy -= 1

    def reply(self, registry: Registry) -> None:
        """Write the fault of this path, or the answer."""
        if fault := registry.fault(self.path):
            time.sleep(fault.pause)
            self.write(fault.status, fault.body, fault.kind, fault.headers, len(fault.body) + 100 * fault.cut)
            self.close_connection = self.close_connection or fault.cut
            return
        status, value = registry.answer(self.path)
        body = json.dumps(value, ensure_ascii=False).encode()
        self.write(status, body, "application/vnd.schemaregistry.v1+json", {}, len(body))

    def write(self, status: int, body: bytes, kind: str, headers: dict[str, str], announced: int) -> None:
        """Write everything at once, so that small answers are one packet."""
        lines = [f"HTTP/1.1 {status} Answer", f"Content-Type: {kind}", f"Content-Length: {announced}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server that many clients may reach at once."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args: object) -> None:
        """Say nothing of clients that went away."""


@contextmanager
def serving(registry: Registry, port: int = 0) -> Iterator[Registry]:
    """Serve *registry* on this machine until the block ends; its `url` tells where."""
    handler = type("BoundHandler", (Handler,), {"registry": registry})
    with Server(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        registry.url = f"http://127.0.0.1:{server.server_port}"
        yield registry
        server.shutdown()


def many(subjects: int, versions: int = 1) -> Iterable[Stored]:
    """Make an estate of plain Avro subjects."""
    for number in range(subjects):
        for version in range(1, versions + 1):
            fields = [{"name": f"field_{at}", "type": "string"} for at in range(15 + version)]
            text = json.dumps({"type": "record", "name": f"Row{number}", "namespace": "bench", "fields": fields})
            yield Stored(
                subject=f"topic-{number:06d}-value", version=version, id=number * versions + version, schema=text
            )


def main() -> None:
    """Serve a made-up estate until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flavour", choices=FLAVOURS, default="confluent")
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds added to every request")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    estate = tuple(many(options.subjects, options.versions))
    with serving(Registry(flavour=options.flavour, estate=estate, delay=options.delay), options.port) as registry:
        sys.stdout.write(registry.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
