"""Confluent's Flink: every statement of every page, what lacks is said, and nothing is lost for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.confluent import (
    MATERIALIZED_TABLE,
    read_items,
    read_page,
    read_statement,
    read_table,
)
from scanner_extractor.systems.flink.settings import CMF, CONFLUENT, FlinkSettings
from scanner_model.errors import PayloadUnexpected, SourceRefused, SourceUnreachable
from scanner_model.payload import Payload
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import StreamingStatement

MEMBERS = [
    "data",
    "items",
    "metadata",
    "next",
    "name",
    "spec",
    "status",
    "statement",
    "query",
    "latest_offsets",
    "labels",
]
NO_PAUSE = Clock(pause=lambda _: None)

Read = Callable[..., Reading]


@pytest.fixture
def read(flink) -> Read:
    """Read a fake Flink service over loopback."""

    def query(server: Any, kind: str = CONFLUENT) -> Reading:
        with flink.serving(server) as url:
            environment = "shop" if kind == CMF else flink.ENVIRONMENT
            settings = FlinkSettings(
                type=kind,
                http=HttpSettings(url=url),
                name="main",
                organization=flink.ORGANIZATION,
                environment=environment,
                region="aws.eu-central-1",
            )
            with Http(settings.http, settings.source, clock=NO_PAUSE) as http:
                return FLINK_SOURCES[kind].read(settings, http, no_progress)

    return query


def names(reading: Reading) -> list[str]:
    return [statement.name for statement in reading.of(StreamingStatement)]


def test_a_statement_arrives_with_all_that_the_service_reports(flink, read: Read) -> None:
    """What is not kept now cannot be asked of a statement that is deleted tomorrow."""
    sql = "INSERT INTO `eur` SELECT id FROM `billing.invoices`"

    (flink_statement,) = read(flink.Flink(statements=[[flink.statement("enrich", sql)]])).of(StreamingStatement)

    assert (flink_statement.source, flink_statement.name, flink_statement.statement) == ("flink:main", "enrich", sql)
    assert (
        flink_statement.kind,
        flink_statement.state,
        flink_statement.catalog_name,
        flink_statement.database_name,
    ) == (
        "INSERT_INTO",
        "RUNNING",
        "prod",
        "billing",
    )
    assert (flink_statement.compute_pool, flink_statement.region, flink_statement.principal) == (
        "lfcp-1",
        "aws.eu-central-1",
        "sa-9",
    )
    assert (flink_statement.uid, flink_statement.created, flink_statement.hidden) == (
        "uid-enrich",
        "2026-05-01T10:00:00Z",
        False,
    )
    assert flink_statement.topics_read == ("billing.invoices",)


def test_every_page_is_read_a_hundred_at_once(flink, read: Read) -> None:
    """The service gives ten a page unless it is queried for more, and an empty page ends nothing."""
    server = flink.Flink(statements=[[flink.statement("b")], [], [flink.statement("a")]])

    reading = read(server)

    assert (names(reading), reading.outcome.status, reading.outcome.requests) == (["a", "b"], SourceStatus.READ, 4)
    assert server.asked == [
        f"{flink.CLOUD}/statements?page_size=100",
        f"{flink.CLOUD}/statements?page_size=100&page_token=1",
        f"{flink.CLOUD}/statements?page_size=100&page_token=2",
        f"{flink.CLOUD}/materialized-tables?page_size=100",
    ]


@pytest.mark.parametrize("phase", ["DEGRADED", "FAILED", "STOPPED", "DELETING", "HIBERNATING"])
def test_phase_stays_the_services_word(flink, read: Read, phase) -> None:
    """A statement that failed still says what it would do; a word that is new is no error."""
    assert read(flink.Flink(statements=[[flink.statement("a", phase=phase)]])).of(StreamingStatement)[0].state == phase


def test_hidden_statements_are_kept_and_flagged(flink, read: Read) -> None:
    """The console issues them; whether they matter is for others to say."""
    labels = {"metadata": {"labels": {"user.confluent.io/hidden": "true"}}}

    assert read(flink.Flink(statements=[[flink.statement("a", **labels)]])).of(StreamingStatement)[0].hidden


@pytest.mark.parametrize(
    "unusual",
    [
        {"spec": {"compute_pool_id": None, "compute_pool": {"id": "lfcp-1"}}, "status": {"traits": None}},
        {"spec": {"properties": None}, "status": {"latest_offsets": {}, "phase": None, "detail": None}},
        {"metadata": {"labels": None, "created_at": None, "uid": None}},
    ],
)
def test_members_that_lack_are_left_open(flink, read: Read, unusual) -> None:
    """Older and newer services tell less, and otherwise."""
    reading = read(flink.Flink(statements=[[flink.statement("a", **unusual)]]))

    assert (names(reading), reading.outcome.status) == (["a"], SourceStatus.READ)
    assert reading.of(StreamingStatement)[0].compute_pool == "lfcp-1"


def test_topics_that_the_engine_does_not_report_are_unknown(flink, read: Read) -> None:
    """An empty list would say that it reads none."""
    shown = [flink.statement("a", status={"latest_offsets": {}}), flink.statement("b", status={"latest_offsets": None})]

    assert [statement.topics_read for statement in read(flink.Flink(statements=[shown])).of(StreamingStatement)] == [
        None,
        None,
    ]


def test_item_that_cannot_be_read_costs_itself(flink, read: Read) -> None:
    """What an earlier scan knows of it stays."""
    shown = [flink.statement("a", ""), flink.statement("b"), flink.statement("c", status={"phase": 7})]

    reading = read(flink.Flink(statements=[shown]))

    assert (names(reading), reading.outcome.status, reading.outcome.unread) == (["b"], SourceStatus.PARTIAL, {"a", "c"})
    assert reading.outcome.reason == "2 could not be read"


@pytest.mark.parametrize("odd", [None, "odd", {}, {"name": "", "spec": {"statement": "SELECT 2"}}, {"name": 7}])
def test_item_without_a_name_proves_nothing_to_be_gone(flink, read: Read, odd) -> None:
    """It may be any of those that an earlier scan knows."""
    reading = read(flink.Flink(statements=[[flink.statement("a", ""), odd]]))

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())


@pytest.mark.parametrize("page", [500, 429, 400, "<html>502 Bad Gateway</html>"])
def test_list_that_breaks_off_keeps_what_it_reported(flink, read: Read, page) -> None:
    """A token may expire, a proxy may fail: nothing is gone for that."""
    reading = read(flink.Flink(statements=[[flink.statement("a")], page], tables=[[flink.table("t")]]))

    assert names(reading) == ["a", "lkc-1/t"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert reading.outcome.reason == "statements could not all be listed"


@pytest.mark.parametrize(
    ("page", "error"),
    [
        (401, SourceRefused),
        (403, SourceRefused),
        (503, SourceUnreachable),
        ("<html>", SourceUnreachable),
    ],
)
def test_nothing_listed_is_a_failure(flink, read: Read, page, error) -> None:
    """Empty and unknown are two answers."""
    with pytest.raises(error):
        read(flink.Flink(statements=[page]))


def test_materialised_tables_are_statements_of_their_own_kind(flink, read: Read) -> None:
    """Clusters share names, and a table may be called as a statement is."""
    table = flink.table("t", creation_statement="CREATE OR ALTER MATERIALIZED TABLE t AS SELECT 2 AS a")
    other = flink.table("t", "lkc-2", latest_offsets={"o": "partition:0,offset:1"})
    server = flink.Flink(statements=[[flink.statement("t")]], tables=[[table], [other]])

    statement, first, second = sorted(
        read(server).of(StreamingStatement), key=lambda flink_statement: (flink_statement.kind, flink_statement.name)
    )

    assert (statement.name, first.name, second.name) == ("t", "lkc-1/t", "lkc-2/t")
    assert first.statement == "CREATE OR ALTER MATERIALIZED TABLE t AS SELECT 2 AS a"
    assert second.statement == "CREATE MATERIALIZED TABLE `t` AS SELECT 1 AS a"
    assert (first.kind, first.catalog_name, first.database_name) == (MATERIALIZED_TABLE, flink.ENVIRONMENT, "lkc-1")
    assert (first.topics_read, second.topics_read) == (None, ("o",))


@pytest.mark.parametrize(
    ("page", "answer"), [(404, SourceStatus.READ), (403, SourceStatus.PARTIAL), (500, SourceStatus.PARTIAL)]
)
def test_tables_that_are_not_reported_leave_the_statements(flink, read: Read, page, answer) -> None:
    """A region without them has none; a right that lacks makes them unknown."""
    reading = read(flink.Flink(statements=[[flink.statement("a")]], tables=[page]))

    assert (names(reading), reading.outcome.status) == (["a"], answer)


def test_secrets_of_a_statement_are_hidden(flink, read: Read) -> None:
    """People write connections by hand."""
    sql = "CREATE CONNECTION c WITH ('type' = 'openai', 'api-key' = 'zqSECRETzq')"

    (flink_statement,) = read(
        flink.Flink(statements=[[flink.statement("a", sql, status={"detail": "token=zqSECRETzq"})]])
    ).of(StreamingStatement)

    assert "zqSECRETzq" not in repr(flink_statement)
    assert "'type' = 'openai'" in flink_statement.statement


def test_manager_of_the_platform_reports_the_same(flink, read: Read) -> None:
    """It names things otherwise, and numbers its pages."""
    server = flink.Flink(managed=[[flink.managed("b")], [flink.managed("a", phase="FAILED")]])

    reading = read(server, CMF)

    flink_statement = reading.of(StreamingStatement)[0]
    assert (names(reading), reading.outcome.status, len(server.asked)) == (["a", "b"], SourceStatus.READ, 3)
    assert (
        flink_statement.kind,
        flink_statement.state,
        flink_statement.compute_pool,
        flink_statement.catalog_name,
    ) == (
        "SELECT",
        "FAILED",
        "pool",
        "kafka-cat",
    )
    assert (flink_statement.uid, flink_statement.created) == ("uid-a", "2026-05-01T10:00:00.000Z")


def test_manager_that_fails_later_keeps_what_it_reported(flink, read: Read) -> None:
    """Pages are whole in themselves."""
    reading = read(flink.Flink(managed=[[flink.managed("b")], 500]), CMF)

    assert (names(reading), reading.outcome.status, reading.outcome.unread) == (
        ["b"],
        SourceStatus.PARTIAL,
        frozenset(),
    )


@pytest.mark.parametrize(("page", "error"), [(500, SourceUnreachable), (403, SourceRefused)])
def test_manager_that_lists_nothing_is_a_failure(flink, read: Read, page, error) -> None:
    """What an earlier scan knows stays."""
    with pytest.raises(error):
        read(flink.Flink(managed=[page]), CMF)


@pytest.mark.parametrize("kind", [CONFLUENT, CMF])
@pytest.mark.parametrize("body", ["[]", "{}", '{"data": 1, "items": 2}', "null"])
def test_another_answer_is_no_list(canned, kind, body) -> None:
    """Something else listens there."""
    canned.get(re.compile("http://flink.example/.*"), body=body)
    settings = FlinkSettings(
        type=kind, http=HttpSettings(url="http://flink.example"), organization="o", environment="e"
    )

    with Http(settings.http, settings.source, clock=NO_PAUSE) as http, pytest.raises(PayloadUnexpected):
        FLINK_SOURCES[kind].read(settings, http, no_progress)


def test_progress_reports_how_far_it_is(flink) -> None:
    """A list of many pages must not look stuck."""
    reported: list[tuple[int, int | None]] = []
    with flink.serving(flink.Flink(statements=[[flink.statement("a")], [flink.statement("b")]])) as url:
        settings = FlinkSettings(
            type=CONFLUENT, http=HttpSettings(url=url), organization=flink.ORGANIZATION, environment=flink.ENVIRONMENT
        )
        with Http(settings.http, settings.source) as http:
            FLINK_SOURCES[CONFLUENT].read(settings, http, lambda _, done, total: reported.append((done, total)))

    assert reported == [(1, None), (2, None), (2, 2)]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.just("http://[?page_token=\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=5),
    max_leaves=20,
)


@given(ANY_JSON)
def test_any_answer_is_read_or_refused(reported) -> None:
    """Nothing that a service may say ends in a traceback."""
    settings = FlinkSettings(type=CONFLUENT, http=HttpSettings(url="http://f"))
    for reader in (read_page, read_items):
        with suppress(PayloadUnexpected):
            reader(reported)
    for reader in (read_statement, read_table):
        with suppress(PayloadUnexpected):
            assert reader(Payload(reported), settings).name


@pytest.mark.parametrize(
    "following", ["http://[?page_token=1", "https://f/x?page_token=\ud800", "https://ф/?page_token=1"]
)
def test_next_page_without_an_address_is_refused(following) -> None:
    """A list that cannot go on must not look as if it ended."""
    with pytest.raises(PayloadUnexpected):
        read_page({"data": [], "metadata": {"next": following}})


@pytest.mark.parametrize("following", [None, "", "https://f/x", "https://f/x?page_token=", "%"])
def test_page_without_a_token_is_the_last(following) -> None:
    """The service leaves the address out, or empty."""
    (item,), token = read_page({"data": [{}], "metadata": {"next": following}})

    assert (item.value, token) == ({}, "")
