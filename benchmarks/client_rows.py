"""Figures of clients: rules of access evaluated for every topic, and Prometheus with many pairs of topic and client."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from measure import Row, medians, scanner, sized

from scanner_model.clients import AclAuthorizer, AclRule, Acls, Direction
from scanner_model.names import SourceId

_RULES, _TOPICS, _PRINCIPALS, _PREFIXES = sized(50_000), sized(10_000), sized(2_000), 500
_PAIRS, _SERIES = sized(20_000), sized(1_000_000)
_ACL_SECONDS, _SECONDS, _MEMORY = 5.0, 10.0, 300.0
_RUNS = 3
_METRIC = "kafka_producer_producer_topic_metrics_record_send_total"
_SOURCE = SourceId("acls:localhost:1")


def acl_row(_: Path) -> list[Row]:
    """How long it takes to find out who may read and who may write each of 10,000 topics, with 50,000 rules."""
    topics, rules = [f"team-{i % _PREFIXES}.topic-{i}" for i in range(_TOPICS)], list(_rules())
    authorizer = AclAuthorizer(source=_SOURCE, active=True)
    seconds = statistics.median(_evaluated(rules, authorizer, topics) for _ in range(_RUNS))
    name = f"{_RULES:,} rules of access for {_TOPICS:,} topics, both ways"
    target = f"≤ {_ACL_SECONDS:g} s"
    return [Row(name=name, ours=seconds, unit="s", target=target, met=seconds <= _ACL_SECONDS)]


def _evaluated(rules: list[AclRule], authorizer: AclAuthorizer, topics: list[str]) -> float:
    started = time.process_time()
    acls = Acls(rules, authorizer)
    for topic in topics:
        for direction in Direction:
            acls.permitted(topic, direction.operation)
    return time.process_time() - started


def _rules() -> Iterator[AclRule]:
    """Yield rules for exact names, prefixes and all topics; some deny, or are limited to a host."""
    for i in range(_RULES):
        kind, name = (
            ("PREFIXED", f"team-{i % _PREFIXES}.")
            if i % 5 == 0
            else ("LITERAL", "*" if i % 50 == 1 else f"team-{i % _PREFIXES}.topic-{i % _TOPICS}")
        )
        yield AclRule(
            source=_SOURCE,
            pattern_type=kind,
            name=name,
            principal=f"User:p{i % _PRINCIPALS}-{i // 25_000}",
            host="10.0.0.1" if i % 97 == 0 else "*",
            operation="WRITE" if i % 2 else "READ",
            permission="DENY" if i % 31 == 0 else "ALLOW",
        )


def prometheus_row(directory: Path) -> list[Row]:
    """How long and with how much memory `scanner scan` reads and stores who uses topics, of a million series."""
    file, dictionary = directory / "prometheus.json", directory / "prometheus.db"
    with _server() as url:
        servers = [{"url": url, "cluster_selector": ""}]
        file.write_text(json.dumps({"cluster": "bench", "brokers": ["localhost:1"], "prometheus": servers}), "utf-8")
        command = [scanner(), "extract", "--config", str(file), "--dictionary", str(dictionary), "--quiet"]
        measured = medians(lambda: command, runs=_RUNS, before=lambda: dictionary.unlink(missing_ok=True))
    name = f"scan of Prometheus: {_SERIES:,} series of {_PAIRS:,} pairs of topic and client"
    return [
        Row(
            name=f"{name}, time",
            ours=measured.seconds,
            unit="s",
            target=f"≤ {_SECONDS:g} s",
            met=measured.seconds <= _SECONDS,
            detail=f"{measured.processor:.1f} s of processor time",
        ),
        Row(
            name=f"{name}, memory",
            ours=measured.memory,
            unit="MiB",
            target=f"≤ {_MEMORY:g} MiB",
            met=measured.memory <= _MEMORY,
        ),
    ]


@contextmanager
def _server() -> Iterator[str]:
    """Serve what Prometheus answers once it has added up the series: one row for each pair."""
    rows: list[dict[str, object]] = [
        {
            "metric": {
                "topic": f"team-{i % 500}.topic-{i % _TOPICS}",
                "client_id": f"service-{i // 10}-{i % 10}",
                "application": f"service-{i // 10}",
                "job": "pods",
            },
            "value": [1_790_000_000.0, f"{i + 1}.25"],
        }
        for i in range(_PAIRS)
    ]
    full, empty = (_answer(listed) for listed in (rows, []))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)["query"][0]
            body = full if f"{_METRIC}{{" in query else empty
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def _answer(rows: list[dict[str, object]]) -> bytes:
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": rows}}).encode()
