"""A stand-in for ksqlDB on loopback that answers with the JSON its REST API documents; no ksqlDB runs here.

Run it: `python tests/fakes/ksqldb_server.py --port 18088` prints its URL. It knows one estate (the retail example's)
and the statements that a scan or a check asks for. Source of the shapes: ksqlDB's REST API reference, `/info`, `/ksql`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from dataclasses import field as member
from http.server import ThreadingHTTPServer
from typing import Any

from loopback import Asked, answering, on_loopback

Json = Any


def field(name: str, kind: str, role: str | None = None, **schema: Json) -> Json:
    """Give a field of a collection; a value column bears no `type` of its own."""
    told = {"name": name, "schema": {"type": kind, "fields": None, "memberSchema": None} | schema}
    return told | ({"type": role} if role else {})


def source(name: str, topic: str, statement: str, fields: list[Json], **more: Json) -> Json:
    """Give a collection as `DESCRIBE STREAMS;` lists it."""
    known = {
        "name": name,
        "windowType": None,
        "readQueries": [],
        "writeQueries": [],
        "fields": fields,
        "type": "STREAM",
        "timestamp": "",
        "statistics": "",
        "errorStats": "",
        "extended": False,
        "keyFormat": "KAFKA",
        "valueFormat": "JSON",
        "topic": topic,
        "partitions": 12,
        "replication": 1,
        "statement": statement,
        "queryOffsetSummaries": [],
        "sourceConstraints": [],
    }
    return known | more


GEO = [field("CITY", "STRING"), field("COUNTRY", "STRING")]
CLICKS = source(
    "CLICKS",
    "clicks",
    "CREATE STREAM CLICKS (SESSION_ID STRING KEY, URL STRING, AT TIMESTAMP, GEO STRUCT<CITY STRING, COUNTRY STRING>,"
    " TAGS ARRAY<STRING>) WITH (KAFKA_TOPIC='clicks', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');",
    [
        field("SESSION_ID", "STRING", "KEY"),
        field("URL", "STRING"),
        field("AT", "TIMESTAMP"),
        field("GEO", "STRUCT", fields=GEO),
        field("TAGS", "ARRAY", memberSchema={"type": "STRING", "fields": None, "memberSchema": None}),
    ],
)
PROCESSING_LOG = source(
    "KSQL_PROCESSING_LOG",
    "default_ksql_processing_log",
    "CREATE STREAM KSQL_PROCESSING_LOG (LOGGER STRING, LEVEL STRING, TIME BIGINT) WITH"
    " (KAFKA_TOPIC='default_ksql_processing_log', VALUE_FORMAT='JSON');",
    [field("LOGGER", "STRING"), field("LEVEL", "STRING"), field("TIME", "BIGINT")],
    partitions=1,
)
QUERY = "CREATE TABLE CLICKS_PER_CITY WITH (KAFKA_TOPIC='clicks.per.city') AS SELECT\n  CLICKS.GEO->CITY CITY,\n  COUNT(*) CLICKS\nFROM CLICKS CLICKS\nWINDOW TUMBLING ( SIZE 1 HOURS ) \nGROUP BY CLICKS.GEO->CITY\nEMIT CHANGES;"  # noqa: E501  as the server writes it
PER_CITY = source(
    "CLICKS_PER_CITY",
    "clicks.per.city",
    QUERY,
    [field("CITY", "STRING", "KEY"), field("CLICKS", "BIGINT")],
    type="TABLE",
    windowType="TUMBLING",
)
DESCRIPTION = {
    "id": "CTAS_CLICKS_PER_CITY_5",
    "statementText": QUERY,
    "windowType": "TUMBLING",
    "fields": [field("CITY", "STRING", "KEY"), field("CLICKS", "BIGINT")],
    "sources": ["CLICKS"],
    "sinks": ["CLICKS_PER_CITY"],
    "topology": "",
    "executionPlan": "",
    "overriddenProperties": {},
    "ksqlHostQueryStatus": {"127.0.0.1:18088": "RUNNING"},
    "queryType": "PERSISTENT",
    "queryErrors": [],
    "tasksMetadata": [],
    "consumerGroupId": "_confluent-ksql-default_query_CTAS_CLICKS_PER_CITY_5",
    "state": "RUNNING",
}
ANSWERS: dict[str, Json] = {
    "DESCRIBE STREAMS": {"@type": "source_descriptions", "sourceDescriptions": [CLICKS, PROCESSING_LOG]},
    "DESCRIBE TABLES": {"@type": "source_descriptions", "sourceDescriptions": [PER_CITY]},
    "SHOW QUERIES EXTENDED": {"@type": "query_descriptions", "queryDescriptions": [DESCRIPTION]},
}
ANSWERS["SHOW FUNCTIONS"] = {
    "@type": "function_names",
    "functions": [
        {"name": "COUNT", "type": "AGGREGATE", "category": "AGGREGATE"},
        {"name": "EXPLODE", "type": "TABLE", "category": "TABLE"},
        {"name": "UCASE", "type": "SCALAR", "category": "STRING"},
    ],
}
ANSWERS["LIST TYPES"] = {
    "@type": "type_list",
    "types": {"PLACE": {"type": "STRUCT", "fields": GEO, "memberSchema": None}},
}
LISTED = ("name", "topic", "keyFormat", "valueFormat")
ANSWERS["SHOW STREAMS"] = {
    "@type": "streams",
    "streams": [
        {"type": "STREAM", "isWindowed": False} | {name: stream[name] for name in LISTED}
        for stream in (CLICKS, PROCESSING_LOG)
    ],
}
INFO = {"KsqlServerInfo": {"version": "0.29.0", "kafkaClusterId": "retail", "ksqlServiceId": "default_"}}


def query(name: str = "CTAS_CLICKS_PER_CITY_5", state: str = "RUNNING", *errors: str, **more: Json) -> Json:
    """Give a query as `SHOW QUERIES EXTENDED;` lists it, with what went wrong in it."""
    told = [
        {"timestamp": 1777629600000 + number, "errorMessage": error, "type": "UNKNOWN"}
        for number, error in enumerate(errors)
    ]
    hosts = {"ksqlHostQueryStatus": {"127.0.0.1:18088": state}}
    return DESCRIPTION | hosts | {"id": name, "state": state, "queryErrors": told} | more


@dataclass(slots=True, kw_only=True)
class Ksql:
    """A server whose *queries* come and go; *starting*: it answers 503. *asked* fills up with what it was asked.

    *unknown* are statements that it takes for errors, as old servers do.
    """

    queries: tuple[Json, ...] = (DESCRIPTION,)
    starting: bool = False
    unknown: frozenset[str] = frozenset()
    asked: list[str] = member(default_factory=list)

    def answer(self, statements: str) -> tuple[int, Json]:
        """Answer a batch."""
        self.asked.append(statements)
        if self.starting:
            return 503, {"@type": "generic_error", "error_code": 50301, "message": "KSQL is not yet ready"}
        listed = {"@type": "query_descriptions", "queryDescriptions": list(self.queries)}
        known = {name: told for name, told in ANSWERS.items() if name not in self.unknown}
        return answer(statements, known | ({"SHOW QUERIES EXTENDED": listed} if not self.unknown else {}))


def answer(statements: str, answers: Mapping[str, Json] = ANSWERS) -> tuple[int, Json]:
    """Answer a batch as the server does: an entity a statement, or 400 for the first that it does not know."""
    entities: list[Json] = []
    for statement in filter(None, (part.strip() for part in statements.split(";"))):
        if statement not in answers:
            message = f"line 1:1: Syntax Error\nUnknown statement '{statement}'"
            failed = {"@type": "statement_error", "error_code": 40001, "message": message, "statementText": statement}
            return 400, failed | {"entities": entities}
        entities.append(answers[statement] | {"statementText": f"{statement};", "warnings": []})
    return 200, entities


def handler(batch: Callable[[str], tuple[int, Json]] = answer) -> type[Any]:
    """Give what answers `GET /info`, and `POST /ksql` by *batch*; everything else is unknown."""

    def told(asked: Asked) -> tuple[int, Json]:
        if asked.method == "POST":
            return batch(json.loads(asked.body)["ksql"])
        return (200, INFO) if asked.path == "/info" else (404, {"error_code": 40400, "message": "Not found"})

    return answering(told, "application/vnd.ksql.v1+json")


def serving(ksql: Ksql) -> AbstractContextManager[str]:
    """Serve *ksql* on loopback and give its URL."""
    return on_loopback(handler(ksql.answer))


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), handler())
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
