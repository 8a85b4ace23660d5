"""A whole ksqlDB cluster: what is asked of new, old and reluctant servers, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http import Answer, Http, Request
from scanner_extractor.readings import KsqlReading, no_progress
from scanner_extractor.settings import HttpSettings, KsqlSettings
from scanner_extractor.sources.ksqldb import read_ksqldb
from scanner_model.errors import ScannerError
from scanner_model.scan import Answer as Answered

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

    def __call__(self, request: Request) -> Answer:
        if request.method == "GET":
            return _answer(200, self.info) if self.info else _answer(404, {"error_code": 40400, "message": "no"})
        statement = json.loads(request.body)["ksql"]
        self.asked.append(statement)
        known = self.answers.get(statement)
        if known is None:
            return _answer(400, {"@type": "statement_error", "error_code": 40001, "message": "what?", "entities": []})
        return _answer(*known) if isinstance(known, tuple) else _answer(200, known)


def _answer(status: int, body: Any) -> Answer:
    return Answer(status=status, headers={"content-type": "application/json"}, body=json.dumps(body).encode())


Read = Callable[[Server], KsqlReading]


@pytest.fixture
def read() -> Read:
    settings = KsqlSettings(http=HttpSettings(url="http://ksql:8088"))

    def ask(server: Server) -> KsqlReading:
        with Http(settings.http, settings.source, exchange=server) as http:
            return read_ksqldb(settings, http, no_progress)

    return ask


def test_two_requests_tell_everything(read: Read) -> None:
    """A server of a thousand collections is asked as often as an empty one."""
    answer = [
        sources(source("PAID", "paid"), source("ORDERS", "orders")),
        sources(),
        queries(query("Q1")),
        FUNCTIONS,
        TYPES,
    ]
    server = Server({BATCH: answer})

    reading = read(server)

    assert [one.name for one in reading.sources] == ["ORDERS", "PAID"]
    assert [(one.name, one.sources, one.sinks, one.sink_topics) for one in reading.queries] == [
        ("Q1", ("ORDERS",), ("PAID",), ("paid",))
    ]
    assert (reading.outcome.answer, reading.outcome.requests, reading.outcome.got) == (Answered.READ, 2, 3)


def test_empty_server_is_read_and_empty(read: Read) -> None:
    """Nothing there is an answer, not a failure."""
    reading = read(Server({BATCH: [sources(), sources(), queries(), FUNCTIONS, TYPES]}))

    assert (reading.outcome.answer, reading.sources, reading.queries) == (Answered.READ, (), ())


def test_older_server_is_asked_in_older_words(read: Read) -> None:
    """One unknown statement fails the whole batch, so each is asked alone."""
    server = Server(
        {
            "LIST STREAMS EXTENDED;": [sources(source("ORDERS", "orders"))],
            "LIST TABLES EXTENDED;": [sources(source("USERS", "users", type="TABLE"))],
            "SHOW QUERIES EXTENDED;": [queries(query("Q1"))],
        }
    )

    reading = read(server)

    assert [one.name for one in reading.sources] == ["ORDERS", "USERS"]
    assert (len(reading.queries), reading.outcome.answer) == (1, Answered.READ)


def test_what_a_failed_batch_answered_is_not_asked_again(read: Read) -> None:
    """The error carries the results of the statements before it."""
    error = {"error_code": 40001, "message": "what?", "entities": [sources(source("ORDERS", "orders"))]}
    server = Server({BATCH: (400, error), "DESCRIBE TABLES;": [sources()], "SHOW QUERIES EXTENDED;": [queries()]})

    reading = read(server)

    assert server.asked == [BATCH, "DESCRIBE TABLES;", "SHOW QUERIES EXTENDED;", "SHOW FUNCTIONS;", "LIST TYPES;"]
    assert [one.name for one in reading.sources] == ["ORDERS"]


def test_collection_called_streams_is_not_taken_for_the_list(read: Read) -> None:
    """Old servers read `DESCRIBE STREAMS` as the description of a collection of that name."""
    one = {"@type": "sourceDescription", "sourceDescription": source("STREAMS", "s"), "warnings": []}
    server = Server(
        {
            "DESCRIBE STREAMS;": [one],
            "LIST STREAMS EXTENDED;": [sources(source("STREAMS", "s"), source("ORDERS", "orders"))],
            "LIST TABLES EXTENDED;": [sources()],
            "SHOW QUERIES EXTENDED;": [queries()],
        }
    )

    assert [one.name for one in read(server).sources] == ["ORDERS", "STREAMS"]


def test_oldest_server_is_asked_name_by_name(read: Read) -> None:
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

    assert [(one.name, one.value_format) for one in reading.sources] == [
        ("ORDERS", "DELIMITED"),
        ("TABLES", "JSON"),
        ("my-stream", "JSON"),
    ]
    assert (reading.outcome.answer, reading.outcome.unread) == (Answered.PARTIAL, frozenset({"GONE"}))


def test_queries_that_are_refused_leave_the_collections(read: Read) -> None:
    """Half of an answer is partial, and what collections say of queries is still there."""
    running = {"id": "Q1", "queryString": "CREATE …", "sinks": ["PAID"], "sinkKafkaTopics": ["paid"]}
    streams = sources(source("ORDERS", "orders", readQueries=[running]), source("PAID", "paid", writeQueries=[running]))

    reading = read(Server({"DESCRIBE STREAMS;": [streams], "DESCRIBE TABLES;": [sources()]}))

    assert [(one.name, one.sources, one.sink_topics) for one in reading.queries] == [("Q1", ("ORDERS",), ("paid",))]
    assert reading.outcome.answer == Answered.PARTIAL
    assert reading.outcome.reason == "ksqlDB does not list its queries"


def test_server_that_tells_nothing_is_unavailable(read: Read) -> None:
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

    reading = read(Server({BATCH: [streams, sources(), queries(query("Q1", sources=["A"]))]}))

    assert [(one.name, one.sources, one.sink_topics, one.statement) for one in reading.queries] == [
        ("INSERTQUERY_2", (), ("paid",), "x"),
        ("Q1", ("A", "B"), ("paid",), "CREATE STREAM …"),
    ]


def test_queries_at_a_prompt_are_left_out(read: Read) -> None:
    """A push query writes nowhere and ends with its terminal."""
    answer = [sources(), sources(), queries(query("transient", queryType="PUSH", sinks=[]))]

    assert read(Server({BATCH: answer})).queries == ()


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({"state": None, "ksqlHostQueryStatus": {"a:1": "RUNNING", "b:1": "ERROR"}}, "ERROR"),
        ({"state": None, "ksqlHostQueryStatus": {"a:1": "RUNNING"}}, "RUNNING"),
        ({"state": None}, ""),
    ],
)
def test_state_is_the_worst_of_all_hosts(read: Read, told, state) -> None:
    """Old servers do not sum it up themselves."""
    (found,) = read(Server({BATCH: [sources(), sources(), queries(query("Q1", **told))]})).queries

    assert found.state == state


@pytest.mark.parametrize(("name", "topic"), [("KSQL_PROCESSING_LOG", "x"), ("LOG", "shop_ksql_processing_log")])
def test_processing_log_is_internal(read: Read, name, topic) -> None:
    """It is ksqlDB's own, whatever it is called."""
    reading = read(Server({BATCH: [sources(source(name, topic), source("ORDERS", "orders")), sources(), queries()]}))

    assert {one.name: one.internal for one in reading.sources} == {name: True, "ORDERS": False}


@pytest.mark.parametrize("info", [None, [], {"KsqlServerInfo": {}}])
def test_server_that_hides_its_info_is_read_all_the_same(read: Read, info) -> None:
    """The service id only helps to name the processing log."""
    server = Server({BATCH: [sources(source("ORDERS", "orders")), sources(), queries()]}, info=info)

    assert len(read(server).sources) == 1


def test_functions_and_types_are_told_with_the_rest(read: Read) -> None:
    """Functions tell aggregates from others, types what a column's short name stands for."""
    functions = [
        {"name": "b", "type": "table"},
        {"name": "A", "type": "AGGREGATE", "category": "X"},
        {"type": "SCALAR"},
    ]
    member = {"type": "ARRAY", "memberSchema": {"type": "MAP", "memberSchema": {"type": "DOUBLE"}}}
    fields = [
        {"name": "SUM", "schema": {"type": "DECIMAL", "parameters": {"precision": 9, "scale": 2}}},
        {"name": "my`s", "schema": member},
        {"name": "D", "schema": {"type": "DECIMAL"}},
    ]
    types = {"MONEY": {"type": "STRUCT", "fields": fields, "memberSchema": None}, "BAD": {"fields": []}, "BAD2": None}
    answer = [sources(), sources(), queries(), {**FUNCTIONS, "functions": functions}, {**TYPES, "types": types}]

    reading = read(Server({BATCH: answer}))

    assert [(one.name, one.kind) for one in reading.functions] == [("A", "AGGREGATE"), ("b", "TABLE")]
    assert [(one.name, one.definition) for one in reading.types] == [
        ("MONEY", "STRUCT<SUM DECIMAL(9, 2), `my``s` ARRAY<MAP<STRING, DOUBLE>>, D DECIMAL>")
    ]
    assert (reading.outcome.answer, reading.outcome.unread) == (Answered.PARTIAL, {"?", "BAD", "BAD2"})


def test_server_that_knows_no_types_is_whole(read: Read) -> None:
    """A statement that it does not know asks for what it does not have."""
    error = {"error_code": 40001, "message": "what?", "entities": [sources(), sources(), queries(), FUNCTIONS]}

    reading = read(Server({BATCH: (400, error)}))

    assert (reading.outcome.answer, reading.types, reading.problems) == (Answered.READ, (), ())


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

    assert ([one.name for one in reading.sources], reading.outcome.answer) == (["ORDERS"], Answered.PARTIAL)
    assert reading.outcome.reason == "ksqlDB does not list its functions"


def test_type_that_is_nested_without_end_costs_itself(read: Read) -> None:
    """No server nests so deep; a broken one must not end the scan."""
    schema: dict[str, Any] = {"type": "STRING"}
    for _ in range(150):
        schema = {"type": "ARRAY", "memberSchema": schema}

    reading = read(Server({BATCH: [sources(), sources(), queries(), FUNCTIONS, {**TYPES, "types": {"T": schema}}]}))

    assert (reading.types, reading.outcome.unread) == ((), {"T"})
