"""A whole ksqlDB cluster: what is queried of new, old and reluctant servers, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http.client import Http, Request, Response
from scanner_extractor.results import KsqlServer, Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.ksqldb.client import read_ksqldb
from scanner_extractor.systems.ksqldb.queries import NOTHING_EARLIER, Earlier
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.errors import ScannerError
from scanner_model.scan import SourceStatus as Answered
from scanner_model.streaming_sql import KsqlFunction, KsqlSource, KsqlType, Query

INFO = {"KsqlServerInfo": {"version": "7.9.0", "kafkaClusterId": "abc", "ksqlServiceId": "shop_"}}
BATCH = "DESCRIBE STREAMS; DESCRIBE TABLES; SHOW QUERIES EXTENDED; SHOW FUNCTIONS; LIST TYPES;"
STRING = {"type": "STRING"}


def source(name: str, topic: str, **more: Any) -> dict[str, Any]:
    fields = [{"name": "ID", "schema": STRING, "type": "KEY"}, {"name": "A", "schema": STRING}]
    base = {"name": name, "topic": topic, "type": "STREAM", "valueFormat": "JSON", "partitions": 1, "fields": fields}
    return {**base, **more}


def sources(*descriptions: Any) -> dict[str, Any]:
    return {"@type": "source_descriptions", "sourceDescriptions": list(descriptions), "warnings": []}


def queries(*descriptions: Any) -> dict[str, Any]:
    return {"@type": "query_descriptions", "queryDescriptions": list(descriptions), "warnings": []}


FUNCTIONS = {"@type": "function_names", "functions": []}
TYPES: dict[str, Any] = {"@type": "type_list", "types": {}}


def query(name: str, **more: Any) -> dict[str, Any]:
    base = {"id": name, "statementText": "CREATE STREAM …", "queryType": "PERSISTENT", "state": "RUNNING"}
    return {**base, "sources": ["ORDERS"], "sinks": ["PAID"], "consumerGroupId": "_g", **more}


class Server:
    """Answers statements from a table; what is not in it is refused as an unknown statement."""

    def __init__(self, answers: dict[str, Any], info: Any = INFO) -> None:
        self.answers, self.info, self.asked = answers, info, []

    def __call__(self, request: Request) -> Response:
        if request.method == "GET":
            return _answer(200, self.info) if self.info else _answer(404, {"error_code": 40400, "message": "no"})
        statement = json.loads(request.body)["ksql"]
        self.asked.append(statement)
        known = self.answers.get(statement)
        if known is None:
            return _answer(
                400, objection(f"line 1:1: Syntax Error\nUnknown statement '{statement}'\nDid you mean 'SHOW'?")
            )
        return _answer(*known) if isinstance(known, tuple) else _answer(200, known)


def objection(message: str) -> dict[str, Any]:
    """Return what the server says to a batch with a bad statement: nothing of it is answered."""
    return {"@type": "statement_error", "error_code": 40001, "message": message, "statementText": "…", "entities": []}


def _answer(status: int, body: Any) -> Response:
    return Response(status=status, headers={"content-type": "application/json"}, body=json.dumps(body).encode())


Read = Callable[..., Reading]


@pytest.fixture
def read() -> Read:
    settings = KsqlSettings(http=HttpSettings(url="http://ksql:8088"))

    def query(server: Server, earlier: Earlier = NOTHING_EARLIER) -> Reading:
        with Http(settings.http, settings.source, exchange=server) as http:
            return read_ksqldb(settings, http, no_progress, earlier)

    return query


def test_two_requests_report_everything(read: Read) -> None:
    """A server of a thousand collections is queried as often as an empty one."""
    answer = [
        sources(source("PAID", "paid"), source("ORDERS", "orders")),
        sources(),
        queries(query("Q1")),
        FUNCTIONS,
        TYPES,
    ]
    server = Server({BATCH: answer})

    reading = read(server)

    assert [source.name for source in reading.of(KsqlSource)] == ["ORDERS", "PAID"]
    assert [(query.name, query.sources, query.sinks, query.sink_topics) for query in reading.of(Query)] == [
        ("Q1", ("ORDERS",), ("PAID",), ("paid",))
    ]
    assert (reading.outcome.status, reading.outcome.requests, reading.outcome.received) == (Answered.READ, 2, 3)


def test_empty_server_is_read_and_empty(read: Read) -> None:
    """Nothing there is an answer, not a failure."""
    reading = read(Server({BATCH: [sources(), sources(), queries(), FUNCTIONS, TYPES]}))

    assert (reading.outcome.status, reading.of(KsqlSource), reading.of(Query)) == (Answered.READ, (), ())


def test_older_server_is_queried_in_older_words(read: Read) -> None:
    """One unknown statement fails the whole batch, so each is queried alone."""
    server = Server(
        {
            "LIST STREAMS EXTENDED;": [sources(source("ORDERS", "orders"))],
            "LIST TABLES EXTENDED;": [sources(source("USERS", "users", type="TABLE"))],
            "SHOW QUERIES EXTENDED;": [queries(query("Q1"))],
        }
    )

    reading = read(server)

    assert [source.name for source in reading.of(KsqlSource)] == ["ORDERS", "USERS"]
    assert (len(reading.of(Query)), reading.outcome.status) == (1, Answered.READ)


def test_batch_that_fails_is_queried_statement_by_statement(read: Read) -> None:
    """A server checks the whole batch before it answers any of it (8.3.1, 6.1.15)."""
    server = Server(
        {
            "DESCRIBE STREAMS;": [sources(source("ORDERS", "orders"))],
            "DESCRIBE TABLES;": [sources()],
            "SHOW QUERIES EXTENDED;": [queries()],
        }
    )

    reading = read(server)

    assert server.asked == [BATCH, *(f"{part};" for part in BATCH.rstrip(";").split("; "))]
    assert ([source.name for source in reading.of(KsqlSource)], reading.outcome.status) == (["ORDERS"], Answered.READ)


def test_collection_called_streams_is_not_taken_for_the_list(read: Read) -> None:
    """Old servers read `DESCRIBE STREAMS` as the description of a collection of that name."""
    texts = {"@type": "sourceDescription", "sourceDescription": source("STREAMS", "s"), "warnings": []}
    server = Server(
        {
            "DESCRIBE STREAMS;": [texts],
            "LIST STREAMS EXTENDED;": [sources(source("STREAMS", "s"), source("ORDERS", "orders"))],
            "LIST TABLES EXTENDED;": [sources()],
            "SHOW QUERIES EXTENDED;": [queries()],
        }
    )

    assert [source.name for source in read(server).of(KsqlSource)] == ["ORDERS", "STREAMS"]


def test_oldest_server_is_queried_name_by_name(read: Read) -> None:
    """Names are quoted where the server would fold or misread them; one that fails costs itself."""
    listed = [{"name": name} for name in ("ORDERS", "my-stream", "TABLES", "GONE")]
    server = Server(
        {
            "LIST STREAMS;": [{"@type": "streams", "streams": listed}],
            "LIST TABLES;": [{"@type": "tables", "tables": []}],
            "SHOW QUERIES;": [{"@type": "queries", "queries": []}],
            "DESCRIBE ORDERS;": [
                {"sourceDescription": source("ORDERS", "orders", format="DELIMITED", valueFormat=None)}
            ],
            "DESCRIBE `my-stream`;": [{"sourceDescription": source("my-stream", "s")}],
            "DESCRIBE `TABLES`;": [{"sourceDescription": source("TABLES", "t")}],
        }
    )

    reading = read(server)

    assert [(source.name, source.value_format) for source in reading.of(KsqlSource)] == [
        ("ORDERS", "DELIMITED"),
        ("TABLES", "JSON"),
        ("my-stream", "JSON"),
    ]
    assert (reading.outcome.status, reading.outcome.unread) == (Answered.PARTIAL, frozenset({"GONE"}))


def test_queries_that_are_refused_leave_the_collections(read: Read) -> None:
    """Half of an answer is partial, and what collections say of queries is still there."""
    running = {"id": "Q1", "queryString": "CREATE …", "sinks": ["PAID"], "sinkKafkaTopics": ["paid"]}
    streams = sources(source("ORDERS", "orders", readQueries=[running]), source("PAID", "paid", writeQueries=[running]))

    reading = read(Server({"DESCRIBE STREAMS;": [streams], "DESCRIBE TABLES;": [sources()]}))

    assert [(query.name, query.sources, query.sink_topics) for query in reading.of(Query)] == [
        ("Q1", ("ORDERS",), ("paid",))
    ]
    assert reading.outcome.status == Answered.PARTIAL
    assert reading.outcome.reason == "ksqlDB does not list its queries"


def test_server_that_reports_nothing_is_unavailable(read: Read) -> None:
    """An empty reading would erase what the last scan found."""
    with pytest.raises(ScannerError):
        read(Server({}))


def test_several_answers_about_one_query_are_joined(read: Read) -> None:
    """Descriptions name sources, collections name topics: together they are whole."""
    running = {
        "id": "Q1",
        "queryString": "x",
        "sinks": ["PAID"],
        "sinkKafkaTopics": ["paid"],
        "queryType": "PERSISTENT",
    }
    streams = sources(
        source("A", "a", readQueries=[running]),
        source("B", "b", readQueries=[running]),
        source("PAID", "paid", writeQueries=[running, {**running, "id": "INSERTQUERY_2"}]),
    )

    described = queries(query("Q1", sources=["A"]), query("INSERTQUERY_2", sources=["B"], statementText=None))
    reading = read(Server({BATCH: [streams, sources(), described]}))

    assert [(query.name, query.sources, query.sink_topics, query.statement) for query in reading.of(Query)] == [
        ("INSERTQUERY_2", ("B",), ("paid",), "x"),
        ("Q1", ("A", "B"), ("paid",), "CREATE STREAM …"),
    ]


def test_queries_at_a_prompt_are_left_out(read: Read) -> None:
    """A push query writes nowhere and ends with its terminal."""
    answer = [sources(), sources(), queries(query("transient", queryType="PUSH", sinks=[]))]

    assert read(Server({BATCH: answer})).of(Query) == ()


@pytest.mark.parametrize(
    ("reported", "state"),
    [
        ({"state": None, "ksqlHostQueryStatus": {"a:1": "RUNNING", "b:1": "ERROR"}}, "ERROR"),
        ({"state": None, "ksqlHostQueryStatus": {"a:1": "RUNNING"}}, "RUNNING"),
        ({"state": None}, ""),
    ],
)
def test_state_is_the_worst_of_all_hosts(read: Read, reported, state) -> None:
    """Old servers do not sum it up themselves."""
    (result,) = read(Server({BATCH: [sources(), sources(), queries(query("Q1", **reported))]})).of(Query)

    assert result.state == state


@pytest.mark.parametrize(("name", "topic"), [("KSQL_PROCESSING_LOG", "x"), ("LOG", "shop_ksql_processing_log")])
def test_processing_log_is_internal(read: Read, name, topic) -> None:
    """It is ksqlDB's own, whatever it is called."""
    reading = read(Server({BATCH: [sources(source(name, topic), source("ORDERS", "orders")), sources(), queries()]}))

    assert {source.name: source.internal for source in reading.of(KsqlSource)} == {name: True, "ORDERS": False}


@pytest.mark.parametrize("info", [None, [], {"KsqlServerInfo": {}}])
def test_server_that_hides_its_info_is_read_all_the_same(read: Read, info) -> None:
    """The service id only helps to name the processing log."""
    server = Server({BATCH: [sources(source("ORDERS", "orders")), sources(), queries()]}, info=info)

    assert len(read(server).of(KsqlSource)) == 1


def test_functions_and_types_are_reported_with_the_rest(read: Read) -> None:
    """Functions tell aggregates from others, types what a column's short name stands for."""
    functions = [{"name": "b", "type": "table"}, {"name": "A", "type": "AGGREGATE", "category": "X"}]
    member = {"type": "ARRAY", "memberSchema": {"type": "MAP", "memberSchema": {"type": "DOUBLE"}}}
    fields = [
        {"name": "SUM", "schema": {"type": "DECIMAL", "parameters": {"precision": 9, "scale": 2}}},
        {"name": "my`s", "schema": member},
        {"name": "D", "schema": {"type": "DECIMAL"}},
    ]
    types = {"MONEY": {"type": "STRUCT", "fields": fields, "memberSchema": None}, "BAD": {"fields": []}, "BAD2": None}
    answer = [sources(), sources(), queries(), {**FUNCTIONS, "functions": functions}, {**TYPES, "types": types}]

    reading = read(Server({BATCH: answer}))

    assert [(function.name, function.kind) for function in reading.of(KsqlFunction)] == [
        ("A", "AGGREGATE"),
        ("b", "TABLE"),
    ]
    assert [(ksql_type.name, ksql_type.definition) for ksql_type in reading.of(KsqlType)] == [
        ("MONEY", "STRUCT<SUM DECIMAL(9, 2), `my``s` ARRAY<MAP<STRING, DOUBLE>>, D DECIMAL>")
    ]
    assert (reading.outcome.status, reading.outcome.unread) == (Answered.PARTIAL, {"BAD", "BAD2"})


def test_object_without_a_name_proves_nothing_to_be_gone(read: Read) -> None:
    """It may be any of those that are known."""
    functions = [{"name": "a", "type": "table"}, {"type": "SCALAR"}]
    reading = read(Server({BATCH: [sources(), sources(), queries(), {**FUNCTIONS, "functions": functions}, TYPES]}))

    assert (reading.outcome.status, reading.outcome.unread) == (Answered.PARTIAL, frozenset())


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("line 1:6: no viable alternative at input 'LIST TYPES'", Answered.READ),
        ("line 1:6: mismatched input 'TYPES' expecting {'PROPERTIES', 'TOPICS'}", Answered.READ),
        ("line 1:1: Syntax Error\nUnknown statement 'LIST'\nDid you mean 'SHOW'?", Answered.READ),
        ("Syntax error at or near 'TYPES' at line 1:6", Answered.READ),
        ("Could not find STREAM/TABLE 'TYPES' in the Metastore", Answered.PARTIAL),
        ("Failed to list types: the metastore is not there", Answered.PARTIAL),
    ],
)
def test_only_a_statement_that_is_not_known_requests_what_is_not_there(read: Read, message, answer) -> None:
    """Servers before 5.4 have no types; the same code stands for any statement that fails."""
    server = Server(
        {
            "DESCRIBE STREAMS;": [sources()],
            "DESCRIBE TABLES;": [sources()],
            "SHOW QUERIES EXTENDED;": [queries()],
            "SHOW FUNCTIONS;": [FUNCTIONS],
            "LIST TYPES;": (400, objection(message)),
        }
    )

    reading = read(server)

    assert (reading.outcome.status, reading.of(KsqlType)) == (answer, ())
    assert bool(reading.problems) is (answer is Answered.PARTIAL)


def test_deleted_topic_is_missing_and_no_warning(read: Read) -> None:
    """Validation finds it with its collections; what the server warns of otherwise stays."""
    warnings = [
        {"message": f"Error from Kafka: Failed to Describe Kafka Topic(s): [{name}]"} for name in ("gone", "hidden")
    ]
    lost = {"partitions": 0, "replication": 0}
    streams = sources(source("A", "gone", **lost), source("B", "gone", **lost)) | {"warnings": warnings}

    reading = read(Server({BATCH: [streams, sources(), queries(), FUNCTIONS, TYPES]}))

    assert [problem.what for problem in reading.problems] == [
        "ksqlDB warns: Error from Kafka: Failed to Describe Kafka Topic(s): [hidden]",
    ]
    assert reading.of(KsqlServer)[0].missing == {"gone"}


def test_collection_described_by_its_name_states_nothing_of_its_topic(read: Read) -> None:
    """6.1.15 answers 0 partitions for every topic there."""
    server = Server(
        {
            "LIST STREAMS;": [{"@type": "streams", "streams": [{"name": "A"}]}],
            "LIST TABLES;": [{"@type": "tables", "tables": []}],
            "SHOW QUERIES;": [{"@type": "queries", "queries": []}],
            "DESCRIBE A;": [{"sourceDescription": source("A", "a", partitions=0, replication=0)}],
        }
    )

    assert (read(server).of(KsqlServer)[0].missing, read(server).problems) == (frozenset(), ())


class Stopping(Server):
    """A server that lists fewer queries each time; *left* are the names in the answers to come, None: it is gone."""

    def __init__(self, *left: tuple[str, ...] | None, healthy: bool = True) -> None:
        super().__init__({})
        self.left = list(left)
        self.healthy = healthy

    def __call__(self, request: Request) -> Response:
        if request.url.endswith("/healthcheck"):
            return _answer(200, {"isHealthy": self.healthy, "serverState": "READY"})
        if request.method == "GET":
            return super().__call__(request)
        names = self.left.pop(0)
        if names is None:
            return _answer(503, {"error_code": 50302, "message": "KSQL is not yet ready to serve requests."})
        listed = [source("ORDERS", "orders"), source("PAID", "paid"), source("ALL", "all")]
        running = [{"id": name, "queryString": "x", "sinks": ["PAID"], "sinkKafkaTopics": ["paid"]} for name in names]
        if request.body == json.dumps({"ksql": "SHOW QUERIES;", "streamsProperties": {}}).encode():
            return _answer(200, [{"@type": "queries", "queries": running}])
        return _answer(200, [sources(*listed), sources(), queries(*map(query, names)), FUNCTIONS, TYPES])


KNOWN = {"Q1": frozenset({"paid"}), "Q2": frozenset({"paid"}), "Q3": frozenset({"all"}), "STORE": frozenset[str]()}


ALL = ("Q1", "Q2", "Q3", "STORE")
FEW = ("Q1", "Q2")


@pytest.mark.parametrize("left", [FEW, ()], ids=["stalls", "last-moment"])
def test_query_that_is_missing_once_may_be_of_a_server_that_is_being_stopped(left) -> None:
    """It closes its queries one by one, may get stuck at one, and answers as ever: the next scan tells."""
    earlier = Earlier(queries=KNOWN, pause=lambda _: pytest.fail("it waited"))
    reading = stopping(Stopping(left), earlier)

    assert (reading.outcome.status, reading.outcome.unread) == (Answered.PARTIAL, set(ALL).difference(left))
    assert "terminated, or ksqlDB is being stopped" in reading.outcome.reason


@pytest.mark.parametrize(
    ("left", "unread", "waits"),
    [
        ([ALL], set(), 0),
        ([FEW, ("Q1",)], {"Q3", "STORE"}, 1),
        ([FEW, None], {"Q3", "STORE"}, 1),
        ([FEW, ("Q1", "Q2", "Q3")], {"Q3", "STORE"}, 1),
        ([("Q1",), ("Q1",)], {"Q2"}, 1),
        ([FEW, FEW], set(), 1),
        ([FEW, ("Q1", "Q2", "NEW")], set(), 1),
    ],
    ids=["whole", "shrinks", "stops", "starts", "terminated-and-missing", "terminated", "terminated-and-created"],
)
def test_query_that_is_missing_twice_is_gone_where_the_list_stays_as_it_is(left, unread, waits) -> None:
    """One that is missing for the first time waits for its own second scan."""
    paused: list[float] = []
    server = Stopping(*left)
    earlier = Earlier(queries=KNOWN, missing=frozenset({"Q3", "STORE"}), pause=paused.append)
    reading = stopping(server, earlier)

    assert (reading.outcome.unread, len(paused), len(server.left)) == (unread, waits, 0)
    assert reading.outcome.status is (Answered.PARTIAL if unread else Answered.READ)


def test_server_that_is_not_healthy_proves_nothing() -> None:
    """It reports so while its broker does not respond, and its stop does not go on either."""
    earlier = Earlier(queries=KNOWN, missing=frozenset({"Q3", "STORE"}), pause=lambda _: None)

    assert stopping(Stopping(FEW, FEW, healthy=False), earlier).outcome.unread == {"Q3", "STORE"}


def test_query_that_is_closed_between_two_statements_keeps_what_is_known_of_it(read: Read) -> None:
    """Its collections still list it, without its consumer group and all its sources."""
    closed = {"id": "Q2", "queryString": "x", "sinks": ["PAID"], "sinkKafkaTopics": ["paid"]}
    listed = [sources(source("PAID", "paid", writeQueries=[closed])), sources(), queries(query("Q1")), FUNCTIONS, TYPES]
    reading = read(Server({BATCH: listed}))

    assert ([found.name for found in reading.of(Query)], reading.outcome.unread) == (["Q1"], {"Q2"})
    assert reading.outcome.status is Answered.PARTIAL


def stopping(server: Stopping, earlier: Earlier) -> Reading:
    settings = KsqlSettings(http=HttpSettings(url="http://ksql:8088"))
    with Http(settings.http, settings.source, exchange=server) as http:
        return read_ksqldb(settings, http, no_progress, earlier)


def test_query_whose_stream_was_dropped_is_gone_at_once() -> None:
    """Nothing is left that it could write: nobody has to be asked again."""
    earlier = Earlier(queries={"Q9": frozenset({"dropped"})}, pause=lambda _: pytest.fail("it waited"))
    reading = stopping(Stopping(("Q1",)), earlier)

    assert (reading.outcome.status, reading.outcome.unread) == (Answered.READ, frozenset())


def test_functions_that_are_refused_cost_themselves(read: Read) -> None:
    """They need another right than collections do, on a server with access control."""
    refused = (403, {"error_code": 40300, "message": "no"})
    server = Server(
        {
            BATCH: refused,
            "DESCRIBE STREAMS;": [sources(source("ORDERS", "orders"))],
            "DESCRIBE TABLES;": [sources()],
            "SHOW QUERIES EXTENDED;": [queries()],
            "SHOW FUNCTIONS;": refused,
            "LIST TYPES;": [TYPES],
        }
    )

    reading = read(server)

    assert ([source.name for source in reading.of(KsqlSource)], reading.outcome.status) == (
        ["ORDERS"],
        Answered.PARTIAL,
    )
    assert reading.outcome.reason == "ksqlDB does not list its functions"


def test_type_that_is_nested_without_end_costs_itself(read: Read) -> None:
    """No server nests so deep; a broken one must not end the scan."""
    schema: dict[str, Any] = {"type": "STRING"}
    for _ in range(150):
        schema = {"type": "ARRAY", "memberSchema": schema}

    reading = read(Server({BATCH: [sources(), sources(), queries(), FUNCTIONS, {**TYPES, "types": {"T": schema}}]}))

    assert (reading.of(KsqlType), reading.outcome.unread) == ((), {"T"})
