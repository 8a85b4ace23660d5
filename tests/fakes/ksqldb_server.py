"""A fake of ksqlDB on loopback that answers as 8.3.1 and 6.1.15 answered; no ksqlDB runs here.

Run it: `python tests/fakes/ksqldb_server.py --port 18088 [--version 6.1.15]` prints its URL. One installation (the
retail example's), the statements that a scan or a check sends, DESCRIBE of a name, and TERMINATE, PAUSE, RESUME and
DROP. It creates nothing. Source of the shapes: recorded answers (`tests/conformance/recorded`), ksqlDB's REST API.
"""

from __future__ import annotations

import argparse
import json
import re
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
    """Return a field of a collection; a value column bears no `type` of its own."""
    members = {"name": name, "schema": {"type": kind, "fields": None, "memberSchema": None} | schema}
    return members | ({"type": role} if role else {})


def source(name: str, topic: str, statement: str, fields: list[Json], **more: Json) -> Json:
    """Return a collection as `DESCRIBE STREAMS;` lists it."""
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
        "clusterStatistics": [],
        "clusterErrorStats": [],
    }
    return known | more


GEO = [field("CITY", "STRING"), field("COUNTRY", "STRING")]
CLICKS = source(
    "CLICKS",
    "clicks",
    "CREATE STREAM CLICKS (SESSION_ID STRING KEY, URL STRING, `AT` TIMESTAMP, GEO STRUCT<CITY STRING, COUNTRY STRING>,"
    " TAGS ARRAY<STRING>)"
    " WITH (CLEANUP_POLICY='delete', KAFKA_TOPIC='clicks', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');",
    [
        field("SESSION_ID", "STRING", "KEY"),
        field("URL", "STRING"),
        field("AT", "TIMESTAMP"),
        field("GEO", "STRUCT", fields=GEO),
        field("TAGS", "ARRAY", memberSchema={"type": "STRING", "fields": None, "memberSchema": None}),
    ],
    sourceConstraints=["CLICKS_PER_CITY"],
)
PROCESSING_LOG = source(
    "KSQL_PROCESSING_LOG",
    "default_ksql_processing_log",
    "CREATE STREAM KSQL_PROCESSING_LOG (LOGGER STRING, LEVEL STRING, `TIME` BIGINT) WITH (CLEANUP_POLICY='delete',"
    " KAFKA_TOPIC='default_ksql_processing_log', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');",
    [field("LOGGER", "STRING"), field("LEVEL", "STRING"), field("TIME", "BIGINT")],
    partitions=1,
)
QUERY = "CREATE TABLE CLICKS_PER_CITY WITH (CLEANUP_POLICY='compact,delete', KAFKA_TOPIC='clicks.per.city', PARTITIONS=12, REPLICAS=1, RETENTION_MS=604800000) AS SELECT\n  CLICKS.GEO->CITY CITY,\n  COUNT(*) CLICKS\nFROM CLICKS CLICKS\nWINDOW TUMBLING ( SIZE 1 HOURS ) \nGROUP BY CLICKS.GEO->CITY\nEMIT CHANGES;"  # noqa: E501  as the server writes it
PER_CITY = source(
    "CLICKS_PER_CITY",
    "clicks.per.city",
    QUERY,
    [field("CITY", "STRING", "KEY"), field("CLICKS", "BIGINT")],
    type="TABLE",
    windowType="TUMBLING",
)
SOURCES = (CLICKS, PROCESSING_LOG, PER_CITY)
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
FUNCTIONS = [
    {"name": "COUNT", "type": "AGGREGATE", "category": "AGGREGATE"},
    {"name": "EXPLODE", "type": "TABLE", "category": "TABLE"},
    {"name": "PARSE_DATE", "type": "SCALAR", "category": "DATE / TIME"},
    {"name": "UCASE", "type": "SCALAR", "category": "STRING"},
]
TYPES = {"PLACE": {"type": "STRUCT", "fields": GEO, "memberSchema": None}}
INFO = {
    "KsqlServerInfo": {
        "version": "8.3.1",
        "kafkaClusterId": "retail",
        "ksqlServiceId": "default_",
        "serverStatus": "RUNNING",
    }
}
OLD = "6.1.15"
_SINCE_LATER = ("sourceConstraints", "clusterStatistics", "clusterErrorStats", "consumerGroupId", "tasksMetadata")
"""Members that 6.1.15 does not have."""
_COMMAND = re.compile(r"(?P<verb>TERMINATE|PAUSE|RESUME) (?P<query>\w+)|DROP (?P<kind>STREAM|TABLE) (?P<name>\w+)")
_DONE = {"TERMINATE": "Query terminated.", "PAUSE": "Query paused.", "RESUME": "Query resumed."}


def query(name: str = "CTAS_CLICKS_PER_CITY_5", state: str = "RUNNING", *errors: str, **more: Json) -> Json:
    """Return a query as `SHOW QUERIES EXTENDED;` lists it, with what went wrong in it.

    Of a paused one the server's one word is RUNNING, and its hosts' is PAUSED.
    """
    members = [
        {"timestamp": 1777629600000 + number, "errorMessage": error, "type": "UNKNOWN"}
        for number, error in enumerate(errors)
    ]
    hosts = {"ksqlHostQueryStatus": {"127.0.0.1:18088": state}}
    word = "RUNNING" if state == "PAUSED" else state
    return DESCRIPTION | hosts | {"id": name, "state": word, "queryErrors": members} | more


def running(described: Json) -> Json:
    """Return a query as `SHOW QUERIES;` and descriptions of collections list it."""
    states = list(described["ksqlHostQueryStatus"].values())
    topics = {item["name"]: item["topic"] for item in SOURCES}
    return {
        "queryString": described["statementText"],
        "sinks": described["sinks"],
        "sinkKafkaTopics": [topics[sink] for sink in described["sinks"] if sink in topics],
        "id": described["id"],
        "statusCount": {state: states.count(state) for state in states},
        "queryType": described["queryType"],
        "state": described["state"],
    }


class Objection(Exception):
    """Raised where a statement is refused; *whole*: the server's grammar does not know it, so it refuses the batch."""

    def __init__(self, message: str, *, whole: bool = False, code: int = 40001) -> None:
        super().__init__(message)
        self.message, self.whole, self.code = message, whole, code


@dataclass(slots=True, kw_only=True)
class Ksql:
    """A server whose *queries* come and go; *asked* fills up with what it was queried.

    *starting*: it answers 503 to everything. *refusing*: it answers 401 or 403. *stopping*: it closes a query after
    each answer, as on SIGTERM, and answers as ever. *healthy*: it reaches its brokers. *unknown* are further statements
    that it takes for errors.
    """

    queries: tuple[Json, ...] = (DESCRIPTION,)
    sources: tuple[Json, ...] = SOURCES
    version: str = "8.3.1"
    starting: bool = False
    refusing: int = 0
    stopping: bool = False
    healthy: bool = True
    unknown: frozenset[str] = frozenset()
    asked: list[str] = member(default_factory=list)

    def answer(self, statements: str) -> tuple[int, Json]:
        """Answer a batch: it is checked whole before anything runs, and one bad statement fails all of it."""
        self.asked.append(statements)
        if (hindered := self.hindered()) is not None:
            return hindered
        *parts, rest = statements.split(";")
        listed = [part.strip() for part in parts]
        for statement in listed:
            try:
                self._check(statement, statements)
            except Objection as error:
                return 400, _objection(error, statements if error.whole else f"{statement};")
        if rest.strip():
            what = f"line 1:{len(statements) + 1}: {self._syntax}missing ';' at '<EOF>'"
            return 400, _objection(Objection(what), statements)
        answers = [self._run(text) | {"statementText": f"{text};", "warnings": []} for text in listed]
        self.queries = self.queries[:-1] if self.stopping else self.queries
        return 200, answers

    def hindered(self) -> tuple[int, Json] | None:
        """Return what a server answers to anything that has not started, or that refuses this user."""
        if self.starting:
            return 503, _problem(50302, "KSQL is not yet ready to serve requests.")
        if self.refusing:
            return self.refusing, _problem(self.refusing * 100, "Unauthorized" if self.refusing == 401 else "Forbidden")
        return None

    def info(self) -> Json:
        """Return the answer to `GET /info`."""
        return {"KsqlServerInfo": INFO["KsqlServerInfo"] | {"version": self.version}}

    def health(self) -> Json:
        """Return the answer to `GET /healthcheck`, whose status is 200 in any case."""
        details = {name: {"isHealthy": True} for name in ("metastore", "commandRunner")}
        kafka = {"kafka": {"isHealthy": self.healthy}}
        return {"isHealthy": self.healthy, "details": {**details, **kafka}, "serverState": "READY"}

    @property
    def _syntax(self) -> str:
        return "" if self.version == OLD else "Syntax Error\n"

    def _check(self, statement: str, batch: str) -> None:
        """Raise Objection for a statement that this version does not know, or that names what is not there."""
        if self.version == OLD and statement == "DESCRIBE STREAMS":
            index = batch.index(statement) + len("DESCRIBE ")
            raise Objection(f"line 1:{index + 1}: no viable alternative at input 'DESCRIBE STREAMS'", whole=True)
        command = _COMMAND.fullmatch(statement)
        if command and command["query"] and command["query"] not in {query["id"] for query in self.queries}:
            raise Objection(f"Unknown queryId: {command['query']}")
        if statement.startswith("SELECT "):
            types = "\n\t* PRINT\n\t* SELECT"
            what = f"The following statement types should be issued to the websocket endpoint '/query':{types}"
            raise Objection(what, code=40002)
        name = self._described(statement)
        if name is not None and name not in {source["name"] for source in self.sources}:
            raise Objection(f"Could not find STREAM/TABLE '{name}' in the Metastore")
        if name is None and not command and (statement not in self._answers() or statement in self.unknown):
            raise Objection(self._unknown(statement, batch.index(statement)), whole=True)

    def _unknown(self, statement: str, start: int) -> str:
        first, _, second = statement.partition(" ")
        if self.version == OLD:
            return f"line 1:{start + len(first) + 1}: no viable alternative at input '{first} {second.split(' ')[0]}'"
        if first not in ("SHOW", "LIST", "DESCRIBE"):
            return f"line 1:{start}: Syntax Error\nUnknown statement '{first}'\nDid you mean 'SHOW'?"
        at = f"line 1:{start + len(first) + 1}"
        return f"{at}: Syntax Error\nSyntax error at or near '{second.split(' ')[0]}' at {at}"

    def _described(self, statement: str) -> str | None:
        """Return the collection that a DESCRIBE names; 6.1.15 reads DESCRIBE TABLES so, too."""
        verb, _, name = statement.partition(" ")
        lists = ("STREAMS",) if self.version == OLD else ("STREAMS", "TABLES")
        return name.strip("`") if verb == "DESCRIBE" and name and name not in lists else None

    def _run(self, statement: str) -> Json:
        if command := _COMMAND.fullmatch(statement):
            return self._commanded(command)
        if (name := self._described(statement)) is not None:
            result = next(source for source in self.sources if source["name"] == name)
            unsized = {"partitions": 0, "replication": 0} if self.version == OLD else {}
            return {"@type": "sourceDescription", "sourceDescription": self._source(result, extended=False) | unsized}
        return self._answers()[statement]()

    def _commanded(self, command: re.Match[str]) -> Json:
        name = command["query"] or command["name"]
        if command["verb"] is None:
            topic = next((source["topic"] for source in self.sources if source["name"] == name), "")
            self.sources = tuple(source for source in self.sources if source["name"] != name)
            self.queries = tuple(query for query in self.queries if name not in query["sinks"])
            what, at = f"Source `{name}` (topic: {topic}) was dropped.", f"{command['kind'].lower()}/{name}/drop"
        else:
            states = {"PAUSE": "PAUSED", "RESUME": "RUNNING"}
            retained = [query for query in self.queries if command["verb"] in states or query["id"] != name]
            hosts = {"ksqlHostQueryStatus": {"127.0.0.1:18088": states.get(command["verb"], "")}}
            self.queries = tuple(item | hosts if item["id"] == name else item for item in retained)
            what, at = _DONE[command["verb"]], f"{command['verb'].lower()}/{name}/execute"
        status = {"status": "SUCCESS", "message": what, "queryId": None}
        return {"@type": "currentStatus", "commandId": at, "commandStatus": status, "commandSequenceNumber": 2}

    def _answers(self) -> Mapping[str, Callable[[], Json]]:
        return {
            "DESCRIBE STREAMS": lambda: self._sources("STREAM", extended=False),
            "DESCRIBE TABLES": lambda: self._sources("TABLE", extended=False),
            "LIST STREAMS EXTENDED": lambda: self._sources("STREAM", extended=True),
            "LIST TABLES EXTENDED": lambda: self._sources("TABLE", extended=True),
            "SHOW STREAMS": lambda: self._listed("STREAM"),
            "LIST STREAMS": lambda: self._listed("STREAM"),
            "LIST TABLES": lambda: self._listed("TABLE"),
            "SHOW QUERIES": lambda: {"@type": "queries", "queries": list(map(running, self.queries))},
            "SHOW QUERIES EXTENDED": lambda: {
                "@type": "query_descriptions",
                "queryDescriptions": [self._of_version(query) for query in self.queries],
            },
            "SHOW FUNCTIONS": lambda: {"@type": "function_names", "functions": FUNCTIONS},
            "LIST TYPES": lambda: {"@type": "type_list", "types": TYPES},
        }

    def _sources(self, kind: str, *, extended: bool) -> Json:
        listed = [self._source(source, extended=extended) for source in self.sources if source["type"] == kind]
        return {"@type": "source_descriptions", "sourceDescriptions": listed}

    def _source(self, described: Json, *, extended: bool) -> Json:
        name = described["name"]
        reads = [running(query) for query in self.queries if name in query["sources"]]
        writes = [running(query) for query in self.queries if name in query["sinks"]]
        return self._of_version(described | {"readQueries": reads, "writeQueries": writes, "extended": extended})

    def _of_version(self, payload: Json) -> Json:
        left_out = _SINCE_LATER if self.version == OLD else ()
        return {name: value for name, value in payload.items() if name not in left_out}

    def _listed(self, kind: str) -> Json:
        listed = [
            {"type": kind} | {name: source[name] for name in LISTED} | {"isWindowed": source["windowType"] is not None}
            for source in self.sources
            if source["type"] == kind
        ]
        word = "streams" if kind == "STREAM" else "tables"
        return {"@type": word, word: listed}


LISTED = ("name", "topic", "keyFormat", "valueFormat")


def _problem(code: int, message: str) -> Json:
    return {"@type": "generic_error", "error_code": code, "message": message}


def _objection(error: Objection, statement: str) -> Json:
    kind = {"@type": "statement_error", "error_code": error.code, "message": error.message}
    return kind | {"statementText": statement, "entities": []}


def answer(statements: str) -> tuple[int, Json]:
    """Answer a batch as a server with the whole installation does."""
    return Ksql().answer(statements)


def handler(ksql: Ksql | None = None) -> type[Any]:
    """Return what answers `GET /info`, `GET /healthcheck` and `POST /ksql` as *ksql* does; else 404, in plain text."""
    server = ksql or Ksql()

    def reported(request: Asked) -> tuple[int, Json]:
        if request.method == "POST" and request.path == "/ksql":
            return server.answer(json.loads(request.body)["ksql"])
        if (hindered := server.hindered()) is not None:
            return hindered
        known = {"/info": server.info, "/healthcheck": server.health}
        return (200, known[request.path]()) if request.path in known else (404, "Not Found")

    return answering(reported, text="")


def serving(ksql: Ksql) -> AbstractContextManager[str]:
    """Serve *ksql* on loopback and give its URL."""
    return on_loopback(handler(ksql))


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--version", default="8.3.1", choices=("8.3.1", OLD))
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(Ksql(version=options.version)))
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
