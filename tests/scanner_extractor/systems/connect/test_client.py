"""A whole Connect cluster: what is queried of new, old, managed and reluctant ones, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import ConnectCluster, Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.connect.client import read_connect
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.errors import PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask
from scanner_model.scan import SourceStatus as Answered

SINK = {"connector.class": "com.acme.Sink", "topics": "orders"}
LIST = "/connectors?expand=info&expand=status"
NO_PAUSE = Clock(pause=lambda _: None)

Read = Callable[..., Reading]


@pytest.fixture
def read(connect) -> Read:
    """Read a fake Connect cluster over loopback."""

    def query(server: Any, **settings: Any) -> Reading:
        with connect.serving(server) as url:
            http = HttpSettings(url=url, retry_also=frozenset({409}), concurrency=3)
            given = ConnectSettings(**{"http": http, "name": "main"} | settings)
            with Http(given.http, given.source, clock=NO_PAUSE) as open_http:
                return read_connect(given, open_http, no_progress)

    return query


@pytest.fixture
def answered() -> Read:
    """Read what a table of paths answers: JSON, a status, or an error to raise; everything else is a 404.

    An iterator has one answer for each request.
    """

    def query(answers: dict[str, Any], **settings: Any) -> Reading:
        given = ConnectSettings(**{"http": HttpSettings(url="http://c:8083"), "name": "main"} | settings)

        def exchange(request: Request) -> Response:
            output = answers.get(request.url.removeprefix("http://c:8083"), 404)
            if isinstance(output, Iterator):
                output = next(output)
            if isinstance(output, ScannerError):
                raise output
            return (
                Response(status=output)
                if isinstance(output, int)
                else Response(status=200, body=json.dumps(output).encode())
            )

        with Http(given.http, given.source, exchange=exchange) as http:
            return read_connect(given, http, no_progress)

    return query


def entry(name: str, config: Any = SINK, **status: Any) -> dict[str, Any]:
    members = {"connector": {"state": "RUNNING", "version": "1"}, "tasks": [], "type": "sink"} | status
    return {"info": {"name": name, "config": config, "tasks": [], "type": "sink"}, "status": members}


def test_one_request_reports_all_connectors_and_one_each_the_topics(connect, read: Read) -> None:
    """Five hundred connectors are listed as fast as one."""
    server = connect.Connect(
        installation=(
            connect.Kept(name="b", config=SINK, topics=("z", "a", "z")),
            connect.Kept(name="a", config={"connector.class": "com.acme.Source"}, kind="source", tasks=()),
        )
    )

    result = read(server)
    a, b = result.of(Connector)
    assert sorted(server.asked) == sorted(["/", LIST, "/connectors/a/topics", "/connectors/b/topics"])
    assert (a.name, a.kind, a.topics, a.tasks) == ("a", ConnectorKind.SOURCE, (), ())
    assert (b.kind, b.connector_class, b.state, b.worker) == (
        ConnectorKind.SINK,
        "com.acme.Sink",
        "RUNNING",
        "10.0.0.1:8083",
    )
    assert (b.topics, b.plugin_version, dict(b.config)) == (("a", "z"), "2.1.0", {**SINK, "name": "b"})
    assert (result.of(ConnectCluster)[0].kafka_cluster_id, result.outcome.status, result.outcome.received) == (
        connect.CLUSTER,
        Answered.READ,
        2,
    )
    assert result.outcome.requests == 4


def test_running_connector_with_a_failed_task_reports_both(connect, read: Read) -> None:
    """The two states are separate."""
    server = connect.Connect(
        installation=(connect.Kept(name="a", config=SINK, tasks=("RUNNING", "FAILED"), trace="x\n\ty"),)
    )

    (connector,) = read(server).of(Connector)
    assert (connector.state, connector.trace) == ("RUNNING", "")
    assert connector.tasks == (
        ConnectorTask(number=0, state="RUNNING", worker="10.0.0.1:8083"),
        ConnectorTask(number=1, state="FAILED", worker="10.0.0.1:8083", trace="x\n\ty"),
    )


def test_old_worker_that_lists_names_is_queried_one_by_one(connect, read: Read) -> None:
    """Before 2.3 `expand` is ignored; the plug-ins tell the version then, and nobody the topics."""
    installation = tuple(connect.Kept(name=name, config=SINK, topics=("t",)) for name in ("b", "a", "c d"))
    server = connect.Connect(installation=installation, generation="old")

    result = read(server)
    assert [connector.name for connector in result.of(Connector)] == ["a", "b", "c d"]
    assert [connector.plugin_version for connector in result.of(Connector)] == ["2.1.0"] * 3
    assert [connector.topics for connector in result.of(Connector)] == [None] * 3
    assert sorted(server.asked)[-7:-1] == [
        "/connectors/a/status",
        "/connectors/a/topics",
        "/connectors/b",
        "/connectors/b/status",
        "/connectors/c%20d",
        "/connectors/c%20d/status",
    ]
    assert result.outcome.status == Answered.READ


def test_managed_connectors_are_read_with_the_words_of_confluent_cloud(connect, read: Read) -> None:
    """Its API has no worker, takes a list with commas, and reports topics by the offsets of sinks, in preview."""
    server = connect.Connect(
        installation=(connect.Kept(name="lake", config=SINK, state="DEGRADED"),), generation="managed"
    )

    (connector,) = read(server).of(Connector)
    assert server.asked == [
        f"{connect.MANAGED}/connectors?expand=info%2Cstatus%2Cid",
        f"{connect.MANAGED}/connectors/lake/offsets",
    ]
    assert (connector.state, connector.managed_id, connector.topics) == ("DEGRADED", "lcc-lake", None)


def managed(*names: str, kind: str = "sink") -> dict[str, Any]:
    """Return what Confluent Cloud lists of connectors."""
    config = {
        "connector.class": "com.acme.Own",
        "confluent.connector.type": "CUSTOM",
        "confluent.custom.plugin.id": "ccp-1",
    }
    info = {"config": config, "tasks": [], "type": kind}
    status = {"connector": {"state": "RUNNING", "version": "1"}, "tasks": [], "type": kind}
    return {name: {"id": {"id": f"lcc-{name}"}, "info": info | {"name": name}, "status": status} for name in names}


CLOUD = "/connect/v1/environments/env-1/clusters/lkc-1/connectors"


def test_offsets_of_a_managed_sink_report_what_it_reads(answered: Read) -> None:
    """With the topic that the service makes for its dead letters; custom connectors are connectors like any other."""
    offsets = {"offsets": [{"partition": {"kafka_topic": topic, "kafka_partition": 0}} for topic in ("b", "a", "b")]}
    answers = {f"{CLOUD}?expand=info%2Cstatus%2Cid": managed("one"), f"{CLOUD}/one/offsets": offsets}

    result = answered(answers, http=HttpSettings(url=f"http://c:8083{CLOUD.removesuffix('/connectors')}"))
    assert [connector.topics for connector in result.of(Connector)] == [("a", "b", "dlq-lcc-one")]
    assert dict(result.of(Connector)[0].config)["confluent.custom.plugin.id"] == "ccp-1"


@pytest.mark.parametrize("refusal", [400, 403, 404, 409])
def test_offsets_that_are_not_offered_are_queried_once(answered: Read, refusal: int) -> None:
    """They are in preview: a refusal is no failure, and the topics stay unknown."""
    answers: dict[str, Any] = {f"{CLOUD}?expand=info%2Cstatus%2Cid": managed("one", "two")}
    answers[f"{CLOUD}/one/offsets"] = refusal
    answers[f"{CLOUD}/two/offsets"] = {"offsets": []}

    result = answered(answers, http=HttpSettings(url=f"http://c:8083{CLOUD.removesuffix('/connectors')}"))
    assert [connector.topics for connector in result.of(Connector)] == [None, None]
    assert (result.outcome.status, result.problems) == (Answered.READ, ())


def test_topics_are_not_queried_where_they_are_switched_off(connect, read: Read) -> None:
    """It is a request for each connector."""
    server = connect.Connect(installation=(connect.Kept(name="a", config=SINK, topics=("t",)),))

    assert read(server, active_topics=False).of(Connector)[0].topics is None
    assert server.asked == ["/", LIST]


def test_refused_topics_of_the_first_connector_are_refused_for_all(connect, read: Read) -> None:
    """`topic.tracking.enable=false` is a setting of the worker; this is not a failure."""
    installation = tuple(connect.Kept(name=name, config=SINK) for name in "abc")
    server = connect.Connect(installation=installation, untracked=True)

    result = read(server)
    assert [connector.topics for connector in result.of(Connector)] == [None] * 3
    assert [path for path in server.asked if path.endswith("/topics")] == ["/connectors/a/topics"]
    assert (result.outcome.status, result.problems) == (Answered.READ, ())


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("4.3.1", Answered.PARTIAL),
        ("2.5.0", Answered.PARTIAL),
        ("7.9.0-ccs", Answered.PARTIAL),
        ("2.4.1", Answered.READ),
        ("5.4.3-ccs", Answered.READ),
        ("main", Answered.PARTIAL),
        ("", Answered.PARTIAL),
    ],
)
def test_topics_that_a_starting_worker_does_not_find_are_unread(version, status, answered: Read) -> None:
    """A worker since 2.5 knows the path, and answers 404 until it has started: the topics are not gone.

    A worker whose version is unknown may be one of these; those before 2.5 report theirs.
    """
    worker = {"version": version, "commit": "1", "kafka_cluster_id": "c"} if version else 404
    result = answered({"": worker, "/": worker, LIST: {"x": entry("x")}, "/connectors/x/topics": 404})

    assert (result.of(Connector)[0].topics, result.outcome.status) == (None, status)


def test_name_that_the_web_server_refuses_costs_its_topics_only(connect, read: Read) -> None:
    """Kafka 4 answers 400 for a name with a slash; the list reports everything else of it, and for ever no more."""
    server = connect.Connect(installation=(connect.Kept(name="a/b", config=SINK), connect.Kept(name="c", config=SINK)))

    result = read(server)
    assert [(connector.name, connector.topics) for connector in result.of(Connector)] == [("a/b", None), ("c", ())]
    assert [problem.where for problem in result.problems] == ["connect:main a/b"]
    assert result.outcome.status == Answered.READ


def test_workers_that_share_out_their_connectors_are_queried_again(connect, read: Read) -> None:
    """A rebalance answers 409 and passes by itself."""
    server = connect.Connect(installation=(connect.Kept(name="a", config=SINK),), rebalancing=3)

    assert [connector.name for connector in read(server).of(Connector)] == ["a"]
    assert server.asked[:4] == ["/"] * 4


def test_cluster_without_connectors_is_empty_and_not_unknown(connect, read: Read) -> None:
    """Empty is an answer."""
    result = read(connect.Connect())

    assert (result.of(Connector), result.outcome.status) == ((), Answered.READ)


@pytest.mark.parametrize("broken", [{}, None, 5, {"info": None}, {"status": {}}])
def test_connector_that_the_list_does_not_report_is_queried_alone(broken, answered: Read) -> None:
    """A worker that does not know a word of `expand` answers empty objects."""
    alone = {"name": "x", "config": SINK, "tasks": [{"connector": "x", "task": 0}], "type": "sink"}
    result = answered({LIST: {"x": broken, "y": entry("y")}, "/connectors/x": alone, "/connectors/x/topics": 403})

    assert [(connector.name, connector.state) for connector in result.of(Connector)] == [("x", ""), ("y", "RUNNING")]
    assert result.of(Connector)[0].tasks == (ConnectorTask(number=0, state=""),)


@pytest.mark.parametrize("broken", [["x"], 5, "text", True])
@pytest.mark.parametrize("managed", [False, True])
def test_an_entry_of_another_type_is_reported_though_the_connector_is_read_alone(broken, managed, answered) -> None:
    """Only the list has the id of a managed connector."""
    url = "http://c:8083"
    path = "/connect/v1/environments/e/clusters/l" if managed else ""
    listing = f"{path}/connectors?expand=info%2Cstatus%2Cid" if managed else LIST
    answers = {listing: {"x": broken}, f"{path}/connectors/x": entry("x")["info"]}
    result = answered(answers, http=HttpSettings(url=url + path), active_topics=False)

    assert [connector.name for connector in result.of(Connector)] == ["x"]
    assert [problem.where for problem in result.problems] == ["connect:main x"]


@pytest.mark.parametrize("listed", [["x"], {"x": None}, {"x": {}}])
def test_a_managed_connector_without_its_id_is_reported(listed, answered) -> None:
    """Its dead-letter topic is named after the id."""
    path = "/connect/v1/environments/e/clusters/l"
    answers = {f"{path}/connectors?expand=info%2Cstatus%2Cid": listed, f"{path}/connectors/x": entry("x")["info"]}
    result = answered(answers, http=HttpSettings(url="http://c:8083" + path), active_topics=False)

    assert ["id could not be read" in problem.what for problem in result.problems] == [True]


@pytest.mark.parametrize("config", [None, "text", [1], {"a": {"b": 1}}])
def test_one_broken_connector_costs_itself(config, answered: Read) -> None:
    """The others are read, and what is known of it from earlier stays."""
    result = answered({LIST: {"x": entry("x", config), "y": entry("y")}}, active_topics=False)

    assert [connector.name for connector in result.of(Connector)] == ["y"]
    assert (result.outcome.status, result.outcome.requested, result.outcome.received) == (Answered.PARTIAL, 2, 1)
    assert result.outcome.unread == frozenset({"x"})
    assert [problem.where for problem in result.problems] == ["connect:main x"]


def test_connector_that_was_removed_meanwhile_is_left_out(answered: Read) -> None:
    """It is gone, not unread."""
    lists = iter([["x", "y"], ["y"]])
    answers = {LIST: lists, "/connectors/y": entry("y")["info"], "/connectors/y/status": 404}
    result = answered(answers, active_topics=False)

    assert [connector.name for connector in result.of(Connector)] == ["y"]
    assert (result.outcome.status, result.outcome.unread) == (Answered.READ, frozenset())


def test_connector_that_is_listed_again_but_not_found_is_unread(answered: Read) -> None:
    """A proxy that lists names and refuses the rest must not delete what is known of them."""
    answers = {LIST: ["x", "y"], "/connectors/y": entry("y")["info"], "/connectors/y/status": 404}
    result = answered(answers, active_topics=False)

    assert (result.outcome.status, result.outcome.unread) == (Answered.PARTIAL, frozenset({"x"}))


@pytest.mark.parametrize("managed", [False, True])
def test_a_list_of_names_that_are_all_not_found_is_no_list_of_connectors(managed, answered: Read) -> None:
    """Another server may answer with a list of texts: the connectors that are known are not gone."""
    url = "http://c:8083"
    path = "/connect/v1/environments/e/clusters/l" if managed else ""
    listing = f"{path}/connectors?expand=info%2Cstatus%2Cid" if managed else LIST

    with pytest.raises(PayloadUnexpected, match="none of the connectors"):
        answered({listing: ["status", "version"]}, http=HttpSettings(url=url + path), active_topics=False)


def test_topics_that_fail_leave_the_connector_and_are_reported(answered: Read) -> None:
    """What it does is known even if its topics are not."""
    members = {LIST: {"x": entry("x"), "y": entry("y")}, "/connectors/x/topics": SourceUnreachable("no answer")}
    result = answered(members | {"/connectors/y/topics": {"y": {"topics": ["t"]}}})

    assert [connector.topics for connector in result.of(Connector)] == [None, ("t",)]
    assert (result.outcome.status, result.outcome.reason) == (
        Answered.PARTIAL,
        "1 of them did not report their topics",
    )


@pytest.mark.parametrize("topics", [[], {}, {"x": []}, {"x": {"topics": 1}}, {"y": {"topics": []}}])
def test_answer_that_is_no_list_of_topics_is_none(topics, answered: Read) -> None:
    """A proxy answers anything."""
    result = answered({LIST: {"x": entry("x")}, "/connectors/x/topics": topics})

    assert result.of(Connector)[0].topics is None
    assert len(result.problems) == 1


@pytest.mark.parametrize("root", [403, 404, [], {"version": 1}, {"version": "1.1", "commit": "c"}])
def test_worker_that_does_not_report_its_cluster_is_read_all_the_same(root, answered: Read) -> None:
    """A proxy may let through what is needed only; before 2.0 there was no cluster id."""
    result = answered({"": root, LIST: {"x": entry("x")}})

    assert (result.of(ConnectCluster)[0].kafka_cluster_id, len(result.of(Connector))) == ("", 1)


@pytest.mark.parametrize(
    ("plugins", "version", "kind"),
    [
        ([{"class": "com.acme.Sink", "type": "source", "version": "9"}], "9", ConnectorKind.SOURCE),
        ([{"class": "com.acme.Sink", "type": "sink", "version": "null"}, 1], "", ConnectorKind.SINK),
        ([{"class": "com.acme.Other"}], "", ConnectorKind.UNKNOWN),
        ({"no": "list"}, "", ConnectorKind.UNKNOWN),
        (403, "", ConnectorKind.UNKNOWN),
    ],
)
def test_plugins_report_version_and_kind_where_nothing_else_does(plugins, version, kind, answered: Read) -> None:
    """Before Kafka 4 no status reports a version; a class that is not installed is of no known kind."""
    reported = {"info": {"config": SINK, "type": "unknown"}, "status": {}}
    result = answered({LIST: {"x": reported}, "/connector-plugins": plugins}, active_topics=False)

    assert (result.of(Connector)[0].plugin_version, result.of(Connector)[0].kind) == (version, kind)


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (403, SourceRefused),
        ([1], PayloadUnexpected),
        ("text", PayloadUnexpected),
        ({"error_code": 500, "message": "x"}, PayloadUnexpected),
        (SourceUnreachable("no answer"), SourceUnreachable),
    ],
)
def test_cluster_that_does_not_list_its_connectors_is_unavailable(output, error, answered: Read) -> None:
    """Everything known of it stays then."""
    with pytest.raises(error):
        answered({LIST: output})
