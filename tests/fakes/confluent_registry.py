"""A fake of Confluent-compatible registries: a real HTTP server that answers as each of them was seen to.

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

from confluent_flavours import (
    AMBIGUOUS,
    FLAVOURS,
    JSON,
    REGISTRY_JSON,
    SERVERS,
    Flavour,
    full_association,
    java_hash,
    within_context,
)

UNAUTHORIZED = b'{"error_code":401,"message":"Unauthorized"}'
FORBIDDEN = b'{"error_code":403,"message":"!authorized"}'
_HTML = "<html><head><title>Error 400</title></head><body><h2>HTTP ERROR 400 Ambiguous URI</h2></body></html>"
_STATIC = {"": {}, "mode": {"mode": "READWRITE"}, "config": {"compatibilityLevel": "BACKWARD"}}


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
    ts: int = 1700000000000
    more: dict[str, Any] = field(default_factory=dict)


def _qualified(stored: Stored) -> bool:
    return stored.subject.startswith(":.")


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
    """What a server knows and how it answers; *log* are the targets asked, *busiest* the most requests at once.

    *aliases* are subjects by their other names. *page* bounds the lists of schemas and of subjects, *versions_page*
    that of a subject's versions, as an operator may set it. *levels* are compatibility levels by subject.
    *login* is the header `Authorization` that it wants. *unlisted* are members that the bulk list leaves out.
    """

    flavour: str = "confluent"
    installation: tuple[Stored, ...] = ()
    associations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    inline_associations: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    page: int = 1000
    versions_page: int = 1_000_000
    login: str = ""
    delay: float = 0.0
    faults: dict[str, Fault] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
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

    @property
    def can(self) -> Flavour:
        """Return what a server of this flavour can do."""
        return SERVERS[self.flavour]

    @property
    def is_confluent(self) -> bool:
        """Return whether this is a server of Confluent's."""
        return self.flavour.startswith("confluent")

    def answer(self, target: str) -> tuple[int, Any]:
        """Return status and JSON of a GET; a text that begins with `<` is a web page."""
        parts = urlsplit(f"http://registry{target}")
        if self.can.modern and any(part in parts.path.lower() for part in AMBIGUOUS):
            return 400, _HTML
        steps = [unquote(step) for step in parts.path.split("/")[1:]]
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if self.flavour == "apicurio":
            if steps[:3] != ["apis", "ccompat", "v7"]:
                return 404, {"title": "not found", "status": 404}
            steps = steps[3:]
        if self.can.contexts and steps[0] == "contexts" and len(steps) > 2:
            steps, query = within_context(steps, query)
        if not all(query.get(name, "0").lstrip("-").isdecimal() for name in ("offset", "limit")):
            return self.unknown()
        return self.routed(steps, query)

    def routed(self, steps: list[str], query: dict[str, str]) -> tuple[int, Any]:
        """Return the answer of the resource that the *steps* of a path name."""
        match steps:
            case ["schemas"] if self.can.bulk:
                return self.schemas(query)
            case ["schemas", "types"]:
                return 200, ["JSON", "PROTOBUF", "AVRO"]
            case ["schemas", "ids", number]:
                return self.by_id(number)
            case ["contexts"] if self.can.contexts:
                return 200, sorted({".", *(s.subject[1:].split(":")[0] for s in self.visible() if _qualified(s))})
            case [text] if text in _STATIC:
                return 200, _STATIC[text]
            case ["subjects"]:
                return 200, self.subjects(query)
            case ["subjects", subject, "versions"]:
                numbers = [stored.version for stored in self.of(self.behind(subject), query)]
                if not numbers:
                    return self.missing(40401, f"Subject '{subject}' not found.")
                return 200, self.window(numbers, query, self.versions_page) if self.can.pages else numbers
            case ["subjects", subject, "versions", number]:
                return self.version(self.behind(subject), number, query)
            case ["config", subject] if subject in self.levels or query.get("defaultToGlobal") == "true":
                return 200, {"compatibilityLevel": self.levels.get(subject, "BACKWARD")}
            case ["config", subject] if subject in self.aliases and self.can.metadata:
                return 200, {"alias": self.aliases[subject]}
            case ["config", subject]:
                return self.missing(40408, f"Subject '{subject}' does not have subject-level compatibility configured")
            case ["v1", "metadata", "version"] if self.is_confluent and self.can.contexts:
                return 200, {"version": "8.3.1" if self.can.metadata else "7.3.0", "commitId": "0"}
            case ["associations", "subjects", subject] if self.can.associations:
                return 200, self.associated(subject)
        return self.unknown()

    def unknown(self) -> tuple[int, Any]:
        """Return the answer to a path that is no resource."""
        return (404, "Not Found") if self.flavour == "karapace" else self.missing(404, "HTTP 404 Not Found")

    def media_type(self, status: int, value: Any) -> str:
        """Return the Content-Type of an answer; empty where the server sends none."""
        if isinstance(value, str) and value.startswith("<"):
            return "text/html;charset=iso-8859-1"
        if status == 404 and value == self.unknown()[1]:
            old = self.is_confluent and not self.can.modern
            return "" if old else JSON
        return REGISTRY_JSON

    def behind(self, subject: str) -> str:
        """Return the subject that an alias stands for, in the context of the alias."""
        return self.aliases.get(subject, subject) if self.can.metadata else subject

    def associated(self, subject: str) -> list[dict[str, Any]]:
        """Return the associations of a subject with all their members."""
        return [full_association(subject, given) for given in self.associations.get(subject, [])]

    def by_id(self, number: str) -> tuple[int, Any]:
        """Return a schema by its id, of the default context."""
        result = [s for s in self.visible() if str(s.id) == number and not _qualified(s)]
        if not result:
            return self.missing(40403, f"Schema {number} not found")
        kind = {} if result[0].type == "AVRO" else {"schemaType": result[0].type}
        return 200, {**kind, "schema": result[0].schema}

    def schemas(self, query: dict[str, str]) -> tuple[int, Any]:
        """List rows as the flavour does: what `deleted` adds, which contexts, which page, which members."""
        deleted = query.get("deleted") == "true"
        if self.flavour == "karapace":
            if any(not stored.subject.isprintable() for stored in self.installation):
                return 500, {"error_code": 500, "message": "Internal server error"}
            result = [stored for stored in self.registered() if not (stored.deleted and deleted)]
        else:
            result = [s for s in self.visible() if (deleted or not s.deleted) and self.covered(s, query)]
        if query.get("latestOnly") == "true":
            result = list({stored.subject: stored for stored in result if not stored.deleted}.values())
        if self.flavour == "karapace":
            return 200, [self.row(stored, bulk=True) for stored in result]
        if self.flavour == "apicurio":
            return 200, [{"schema": stored.schema, "references": []} for stored in self.window(result, query)]
        filtered = "resourceType" in query and self.can.associations
        if filtered:
            result = [stored for stored in result if self.associations.get(stored.subject)]
        inline = self.inline_associations or filtered
        rows = [self.row(stored, bulk=True, inline=inline) for stored in self.window(result, query)]
        return 200, [{name: row[name] for name in row if name not in self.unlisted} for row in rows]

    def covered(self, stored: Stored, query: dict[str, str]) -> bool:
        """Report whether a prefix covers a subject; the empty one covers the default context only."""
        prefix = query.get("subjectPrefix", "")
        if prefix == ":*:" and self.can.contexts:
            return True
        return stored.subject.startswith(prefix) if prefix else not _qualified(stored)

    def subjects(self, query: dict[str, str]) -> list[str]:
        """List subjects; Apicurio windows artifacts of every type and then drops those that are no schemas."""
        only = query.get("deletedOnly") == "true" and self.can.contexts
        result = [
            stored for stored in self.registered() if not stored.deleted or query.get("deleted") == "true" or only
        ]
        if "subjectPrefix" in query and self.can.contexts:
            result = [stored for stored in result if self.covered(stored, query)]
        names = self.ordered({stored.subject: None for stored in result})
        if only:
            live = {stored.subject for stored in result if not stored.deleted}
            names = [name for name in names if name not in live]
        if self.flavour == "apicurio":
            artifacts = [name for at, name in enumerate(names) for name in [*[""] * self.others.get(at, 0), name]]
            return [name for name in self.window(artifacts, query) if name]
        return list(self.window(names, query)) if self.can.pages else names

    def ordered(self, names: Iterable[str]) -> list[str]:
        """Return *names*, which are in the order of registration, in the order of this server's lists."""
        if self.can.order == "registration":
            return list(names)
        return sorted(names, key=java_hash) if self.can.order == "hash" else sorted(names)

    def version(self, subject: str, number: str, query: dict[str, str]) -> tuple[int, Any]:
        """Return one version, or say that there is no such subject or version."""
        result = self.of(subject, query)
        if not result or (self.flavour == "apicurio" and all(s.deleted for s in result)):
            return self.missing(40401, f"Subject '{subject}' not found.")
        if number in ("latest", "-1"):
            # The newest live one, also where deleted ones are queried for; Apicurio was not seen with a deleted one.
            chosen = [s for s in result if self.flavour == "apicurio" or not s.deleted][-1:]
            number = "-1"
        elif number.isdecimal() and int(number):
            chosen = [s for s in result if str(s.version) == number]
        else:
            text = "The specified version '{}' is not a valid version id. "
            allowed = 'Allowed values are between [1, 2^31-1] and the string "latest"'
            return 422, {"error_code": 42202, "message": text.format(number) + allowed}
        return (200, self.row(chosen[0])) if chosen else self.missing(40402, f"Version {number} not found.")

    def of(self, subject: str, query: dict[str, str]) -> list[Stored]:
        """List what is stored of a subject and may be shown."""
        deleted = query.get("deleted") == "true"
        return [s for s in self.visible() if s.subject == subject and (deleted or not s.deleted)]

    def registered(self) -> list[Stored]:
        """List what this user may see, in the order in which it was registered."""
        return [stored for stored in self.installation if stored.subject not in self.hidden]

    def visible(self) -> list[Stored]:
        """List what this user may see, in the order of subject and version."""
        return sorted(self.registered(), key=lambda stored: (stored.subject, stored.version))

    def window(self, items: list[Any], query: dict[str, str], most: int = 0) -> list[Any]:
        """Cut a page out; a limit of none, or above the maximum, is replaced by the maximum."""
        most = most or self.page
        limit, offset = int(query.get("limit", 0)), int(query.get("offset", 0))
        limit = most if limit <= 0 or limit > most else limit
        return items[offset : offset + limit]

    def row(self, stored: Stored, *, bulk: bool = False, inline: bool = False) -> dict[str, Any]:
        """Write a row with the members of the flavour, in its order."""
        row: dict[str, Any] = {"subject": stored.subject, "version": stored.version, "id": stored.id}
        references = [{"name": n, "subject": s, "version": v} for n, s, v in stored.references]
        karapace, newest = self.flavour == "karapace", self.can.modern
        if newest:
            row["guid"] = f"00000000-0000-0000-0000-{stored.id:012d}"
        if stored.type != "AVRO" or newest or (karapace and bulk):
            row["schemaType"] = stored.type
        if references or (karapace and bulk):
            row["references"] = references or None
        # Karapace drops what it does not know, Apicurio has no place for it.
        more = stored.more if self.can.metadata else {}
        row.update(more)
        row.setdefault("schema", stored.schema)
        if newest:
            row["ts"] = stored.ts
            row["deleted"] = more.get("deleted", stored.deleted)
        if inline and self.associations.get(stored.subject):
            row["associations"] = self.associated(stored.subject)
        return row

    def missing(self, code: int, message: str) -> tuple[int, Any]:
        """Report that something is not there, as Confluent does."""
        return 404, {"error_code": code, "message": message}

    def fault(self, target: str) -> Fault | None:
        """Return the fault of a path (as it was sent, without query; or with it), and count it down."""
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
        if registry.login and self.headers.get("Authorization", "") != registry.login:
            self.write(401, UNAUTHORIZED, JSON, {}, len(UNAUTHORIZED))
            return
        status, value = registry.answer(self.path)
        page = isinstance(value, str) and value.startswith("<")
        body = (value if page else json.dumps(value, ensure_ascii=False)).encode()
        self.write(status, body, registry.media_type(status, value), {}, len(body))

    def write(self, status: int, body: bytes, kind: str, headers: dict[str, str], announced: int) -> None:
        """Write everything at once, so that small answers are one packet."""
        lines = [f"HTTP/1.1 {status} Answer", f"Content-Length: {announced}"]
        lines += [f"Content-Type: {kind}"] if kind else []
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)

    def log_message(self, *args: object) -> None:
        """Report nothing."""


class Server(ThreadingHTTPServer):
    """A server that many clients may reach at once."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args: object) -> None:
        """Report nothing of clients that went away."""


@contextmanager
def serving(registry: Registry, port: int = 0) -> Iterator[Registry]:
    """Serve *registry* on this machine until the block ends; its `url` reports where."""
    handler = type("BoundHandler", (Handler,), {"registry": registry})
    with Server(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        registry.url = f"http://127.0.0.1:{server.server_port}"
        yield registry
        server.shutdown()


def many(subjects: int, versions: int = 1) -> Iterable[Stored]:
    """Build an installation of plain Avro subjects."""
    for number in range(subjects):
        for version in range(1, versions + 1):
            fields = [{"name": f"field_{at}", "type": "string"} for at in range(15 + version)]
            text = json.dumps({"type": "record", "name": f"Row{number}", "namespace": "bench", "fields": fields})
            yield Stored(
                subject=f"topic-{number:06d}-value", version=version, id=number * versions + version, schema=text
            )


def main() -> None:
    """Serve a made-up installation until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flavour", choices=FLAVOURS, default="confluent")
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds added to every request")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    installation = tuple(many(options.subjects, options.versions))
    with serving(
        Registry(flavour=options.flavour, installation=installation, delay=options.delay), options.port
    ) as registry:
        sys.stdout.write(registry.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
