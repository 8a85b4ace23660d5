"""Ten clusters on loopback in a process of its own, each with REST, registry, Connect and ksqlDB; prints its URL."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))
sys.path.insert(0, str(Path(__file__).parent))

import cloud_server
import connect_server
import ksqldb_server
from confluent_registry import Server, Stored
from installation import schemas, topic_name
from serve import Indexed

Json = Any


class Cluster:
    """One cluster's sources: topics and connectors from *first* on, some queries over its first topics."""

    def __init__(self, number: int, topics: int, queries: int) -> None:
        first = number * topics
        names = [topic_name(at) for at in range(topics)]
        known = tuple(cloud_server.Topic(name=name, config={"retention.ms": "60000"}) for name in names)
        cluster = cloud_server.Cluster(id="lkc-1", topics=known, groups=tuple(f"g-{name}" for name in names[:10]))
        self.cloud = cloud_server.Cloud(environments=(cloud_server.Environment(clusters=(cluster,)),))
        stored = (
            Stored(subject=subject, version=version, id=first * 2 + at, schema=text)
            for at, (subject, version, text) in enumerate(schemas(topics), 1)
        )
        self.registry = Indexed(installation=tuple(stored))
        self.connect = connect_server.Connect(installation=tuple(map(_connector, names)))
        self.ksqldb = _ksqldb(names[:queries], names[queries : 2 * queries])

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, Json]:
        """Answer a request; the first step of its path names the source."""
        source, _, rest = target.removeprefix("/").partition("/")
        target = f"/{rest}"
        answer: tuple[int, Json]
        match source:
            case "rest":
                answer = self.cloud.answer(method, target, "", body)
            case "registry":
                answer = self.registry.answer(target)
            case "connect":
                answer = self.connect.answer(target)
            case _:
                answer = (200, self.ksqldb) if body else (200, ksqldb_server.INFO)
        return answer


def _connector(topic: str) -> connect_server.Kept:
    config = {
        "connector.class": "com.acme.Sink",
        "topics": topic,
        "tasks.max": "2",
        "connection.url": f"jdbc:postgresql://db.example:5432/{topic}",
        "connection.user": "loader",
        "connection.password": "${file:/run/secrets/db:password}",
        "transforms": "rename",
        "transforms.rename.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
        "transforms.rename.renames": "a:b,c:d",
        **{f"consumer.override.setting.{at}": str(at) for at in range(20)},
    }
    return connect_server.Kept(name=f"sink-{topic}", config=config, tasks=("RUNNING", "RUNNING"), topics=(topic,))


def _ksqldb(topics: list[str], sinks: list[str]) -> list[Json]:
    streams, tables, queries = [], [], []
    for at, (topic, sink) in enumerate(zip(topics, sinks, strict=True)):
        text = f"CREATE STREAM S{at} (ID STRING KEY, A INT, B INT) WITH (KAFKA_TOPIC='{topic}', VALUE_FORMAT='JSON');"
        fields = [ksqldb_server.field("ID", "STRING", "KEY"), ksqldb_server.field("A", "INTEGER")]
        streams.append(ksqldb_server.source(f"S{at}", topic, text, fields))
        query = f"CREATE TABLE T{at} AS SELECT ID, SUM(A) A FROM S{at} GROUP BY ID EMIT CHANGES;"
        tables.append(ksqldb_server.source(f"T{at}", sink, query, fields, type="TABLE"))
        description = {"id": f"CTAS_T{at}_1", "statementText": query, "sources": [f"S{at}"], "sinks": [f"T{at}"]}
        queries.append(ksqldb_server.DESCRIPTION | description)
    listed = (
        {"@type": "source_descriptions", "sourceDescriptions": streams},
        {"@type": "source_descriptions", "sourceDescriptions": tables},
        {"@type": "query_descriptions", "queryDescriptions": queries},
        {"@type": "function_names", "functions": ksqldb_server.FUNCTIONS},
        {"@type": "type_list", "types": ksqldb_server.TYPES},
    )
    return [item | {"statementText": "", "warnings": []} for item in listed]


def handler(clusters: list[Cluster], delay: float) -> type[BaseHTTPRequestHandler]:
    """Return the class that answers; answers are kept as text, so that the figures are not those of the fake."""
    retained: dict[tuple[str, str, bytes], tuple[int, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            request = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            time.sleep(delay)
            key = (self.command, self.path, request)
            if key not in retained:
                _, number, rest = self.path.split("/", 2)
                status, response = clusters[int(number)].answer(self.command, f"/{rest}", request)
                retained[key] = (status, json.dumps(response).encode())
            status, body = retained[key]
            head = f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            self.wfile.write(head.encode() + body)

        do_GET = do_POST = answer  # noqa: N815  http.server calls them so

        def log_message(self, *args: object) -> None:
            """Report nothing."""

    return Handler


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--topics", type=int, default=100, help="of each cluster; and as many connectors")
    parser.add_argument("--queries", type=int, default=10, help="of each cluster")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds added to every request")
    options = parser.parse_args()
    clusters = [Cluster(number, options.topics, options.queries) for number in range(options.clusters)]
    with Server(("127.0.0.1", 0), handler(clusters, options.delay)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
