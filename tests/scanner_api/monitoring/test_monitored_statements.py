"""Queries of ksqlDB, statements and jobs of Flink, as a monitor tells them: against fakes and a hand-made clock."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dataflow_generator.openlineage.journal import Journal
from scanner_api.monitoring.loop import Monitor
from scanner_api.monitoring.servers import flink_servers, ksqldb_servers
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.flink.settings import CMF, CONFLUENT, JOB_MANAGER, FlinkSettings, SqlFilesSettings
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.names import ClusterName

pytestmark = pytest.mark.slow

QUERY = "CTAS_CLICKS_PER_CITY_5"
TRACE = "org.apache.flink.runtime.JobException: it broke\n\tat org.apache.flink.Task"
SQL = "INSERT INTO `paid` SELECT `id` FROM `orders`"
SCRIPT = """
CREATE TABLE clicks (page STRING) WITH ('connector' = 'kafka', 'topic' = 'clicks');
CREATE TABLE pages (page STRING) WITH ('connector' = 'kafka', 'topic' = 'pages');
CREATE TABLE slow (page STRING) WITH ('connector' = 'kafka', 'topic' = 'slow.pages');
INSERT INTO pages SELECT page FROM clicks;
INSERT INTO slow SELECT page FROM clicks;
"""
PAGES = "insert-into_default_catalog.default_database.pages"


@dataclass
class Stage:
    """A monitor of one server; polls are ten seconds apart."""

    world: Any
    state: Path
    server: Any = None
    fake: Any = None
    requests: list[list[str]] = field(default_factory=list)

    def poll(self) -> list[str]:
        """Poll once more, and give the states that this told."""
        before, requests = len(self.world.events), len(self.fake.asked)
        self.world.at += timedelta(seconds=10)
        with Journal(self.state) as journal:
            monitor = Monitor(journal=journal, context=self.world.context(), producer="urn:test")
            monitor.poll(self.server)
            monitor.deliver()
        self.requests.append(self.fake.asked[requests:])
        return self.world.states[before:]


def settings(**members: Any) -> Settings:
    """Return a cluster with *members*."""
    return Settings(cluster=ClusterName("shop"), brokers=("k-1:9092",), file=Path("c.json"), **members)


@pytest.fixture
def queries(ksql, world, state):
    """Return the stage of a ksqlDB server."""
    fake = ksql.Ksql(queries=())
    with ksql.serving(fake) as url:
        (server,) = ksqldb_servers(
            [settings(ksqldb=(KsqlSettings(http=HttpSettings(url=url)),))],
            clock=Clock(pause=lambda _: None),
            now=lambda: world.at,
        )
        yield Stage(world, state, server, fake)


@pytest.fixture
def flinks(flink, world, state, tmp_path):
    """Return a function that makes the stage of one kind of Flink server."""
    fake = flink.Flink()
    (tmp_path / "jobs.sql").write_text(SCRIPT)
    files = FileSettings(pattern="*.sql", base=tmp_path, files=(tmp_path / "jobs.sql",))
    with flink.serving(fake) as url:

        def build_stage(kind: str) -> Stage:
            environment = "shop" if kind == CMF else flink.ENVIRONMENT
            server_settings = FlinkSettings(
                type=kind,
                http=HttpSettings(url=url),
                name="f",
                organization=flink.ORGANIZATION,
                environment=environment,
                region="aws.eu-1" if kind == CONFLUENT else "",
            )
            cluster_settings = settings(
                flink=(server_settings,), sql_files=(SqlFilesSettings(files=files, name="files"),)
            )
            (server,) = flink_servers([cluster_settings], clock=Clock(pause=lambda _: None))
            return Stage(world, state, server, fake)

        yield build_stage


def test_states_of_a_query_become_events(queries, ksql) -> None:
    """Create, pause, resume, fail, start it again, terminate: a row each; a server that starts proves nothing."""
    story = [
        ((), []),
        (("RUNNING",), ["START"]),
        (("RUNNING",), []),
        (("PAUSED",), ["COMPLETE"]),
        (("RUNNING",), ["START"]),
        (("UNRESPONSIVE",), []),
        (("ERROR", "no such topic\n\tat org.apache"), ["FAIL"]),
        (("ERROR", "no such topic\n\tat org.apache"), []),
        (("RUNNING",), ["START"]),
        (None, []),
        (None, []),
        ((), []),
        ((), ["COMPLETE"]),
    ]

    observed = []
    for state, _ in story:
        queries.fake.starting = state is None
        queries.fake.queries = (ksql.query(QUERY, *state),) if state else ()
        observed.append((state, queries.poll()))

    assert observed == story


def test_queries_of_a_server_that_is_being_stopped_do_not_end(queries, ksql) -> None:
    """It closes them one after the other and answers all the while; its collections stay. Then it starts again."""
    running = tuple(ksql.query(f"CTAS_CLICKS_PER_CITY_{number}") for number in range(8))
    queries.fake.queries = running
    started = queries.poll()
    queries.fake.stopping = True
    while_stopping = [queries.poll() for _ in range(4)]
    queries.fake.starting, queries.fake.stopping = True, False
    while_starting = queries.poll()
    queries.fake.starting, queries.fake.queries = False, running

    assert (started, while_stopping, while_starting) == (["START"] * 8, [[], [], [], []], [])
    assert queries.poll() == []


def test_query_that_fails_again_and_again_runs_with_problems(queries, ksql) -> None:
    """8.3.1 tries again and calls it RUNNING (a source topic that was deleted); after 20 minutes it is over."""
    trouble = ksql.query(QUERY, "RUNNING", "MissingSourceTopicException: missing\n\tat org.apache")
    failed_at = datetime.fromtimestamp(trouble["queryErrors"][0]["timestamp"] / 1000, UTC)
    queries.fake.queries = (ksql.query(),)
    queries.poll()
    queries.fake.queries = (trouble,)
    queries.world.at = failed_at
    states = [queries.poll(), queries.poll()]
    messages = [event["run"]["facets"].get("errorMessage", {}).get("message") for event in queries.world.events]
    queries.world.at = failed_at + timedelta(minutes=20)
    over = queries.poll()

    assert (states, over) == ([["RUNNING"], []], ["RUNNING"])
    assert messages == [None, "MissingSourceTopicException: missing"]
    assert "errorMessage" not in queries.world.events[-1]["run"]["facets"]


def test_query_is_emitted_with_its_statement_its_topics_and_its_error(queries, ksql) -> None:
    """As the graph names it; the newest error, on one line, and all of it."""
    queries.fake.queries = (ksql.query(),)
    queries.poll()
    queries.fake.queries = (ksql.query(QUERY, "ERROR", "old", "no such topic\n\tat org.apache"),)
    queries.poll()

    start, failed = queries.world.events
    assert start["job"]["name"] == QUERY
    assert start["job"]["namespace"].startswith("ksqldb://127.0.0.1:")
    assert start["job"]["facets"]["sql"]["query"].startswith("CREATE TABLE CLICKS_PER_CITY")
    assert [(dataset["namespace"], dataset["name"]) for dataset in start["inputs"]] == [("kafka://k-1:9092", "clicks")]
    assert [dataset["name"] for dataset in start["outputs"]] == ["clicks.per.city"]
    error = failed["run"]["facets"]["errorMessage"]
    assert (error["message"], error["stackTrace"]) == ("no such topic", "no such topic\n\tat org.apache")
    assert failed["run"]["facets"]["processing_engine"]["name"] == "ksqlDB"


def test_query_that_all_hosts_paused_is_paused_whatever_its_state(queries, ksql) -> None:
    """It says RUNNING for older clients."""
    queries.fake.queries = (ksql.query(),)
    queries.poll()
    queries.fake.queries = (ksql.query(ksqlHostQueryStatus={"a:8088": "PAUSED", "b:8088": "UNRESPONSIVE"}),)

    assert queries.poll() == ["COMPLETE"]


def test_ksqldb_gets_one_request_a_poll(queries, ksql) -> None:
    """Also the first time."""
    queries.fake.queries = (ksql.query(),)
    queries.poll()
    queries.poll()

    assert queries.requests == [["DESCRIBE STREAMS; DESCRIBE TABLES; SHOW QUERIES EXTENDED;"]] * 2


def test_server_that_does_not_list_its_queries_ends_none(queries, ksql) -> None:
    """It is not the same as a server without any."""
    queries.fake.queries = (ksql.query(),)
    queries.poll()
    queries.fake.unknown = frozenset({"SHOW QUERIES EXTENDED", "SHOW QUERIES"})

    assert [queries.poll() for _ in range(3)] == [[], [], []]
    assert "does not list its queries" in queries.world.messages[0]


def test_states_of_a_statement_become_events(flinks, flink) -> None:
    """Start, run, degrade, stop, resume, fail, delete: a row each, by the words of Confluent Cloud."""
    story = [
        ("PENDING", "", []),
        ("RUNNING", "", ["START"]),
        ("DEGRADED", "state is large", ["RUNNING"]),
        ("RUNNING", "", ["RUNNING"]),
        ("STOPPING", "", []),
        ("STOPPED", "", ["COMPLETE"]),
        ("RUNNING", "", ["START"]),
        ("FAILING", "", []),
        ("FAILED", "no such column\nin line 1", ["FAIL"]),
        ("RUNNING", "", ["START"]),
        ("COMPLETED", "", ["COMPLETE"]),
        ("RUNNING", "", ["START"]),
        ("", "", []),
        ("", "", ["COMPLETE"]),
    ]
    stage = flinks(CONFLUENT)

    observed = []
    for phase, detail, _ in story:
        statement = flink.statement("pay", SQL, phase, status={"detail": detail})
        stage.fake.statements = ((statement,) if phase else (),)
        observed.append((phase, detail, stage.poll()))

    assert observed == story
    error = stage.world.events[5]["run"]["facets"]["errorMessage"]
    assert (error["message"], error["stackTrace"]) == ("no such column", "no such column\nin line 1")


def test_statement_is_emitted_with_the_topics_of_its_tables(flinks, flink) -> None:
    """And its text; what declares a table moves no data."""
    stage = flinks(CONFLUENT)
    create = flink.statement("make", "CREATE TABLE `paid` (`id` INT)", "COMPLETED")
    stage.fake.statements = ((create, flink.statement("pay", SQL, status={"latest_offsets": {}})),)
    stage.poll()

    (start,) = stage.world.events
    assert (start["job"]["name"], start["job"]["facets"]["sql"]["query"]) == ("pay", SQL)
    assert [dataset["name"] for dataset in (*start["inputs"], *start["outputs"])] == ["orders", "paid"]


@pytest.mark.parametrize(("kind", "requests"), [(CONFLUENT, 2), (CMF, 2), (JOB_MANAGER, 1)])
def test_flink_gets_few_requests_a_poll(flinks, flink, kind, requests) -> None:
    """Once a poll, but where materialised tables are listed apart, or only an empty page ends the list."""
    stage = flinks(kind)
    stage.fake.jobs = (flink.job("a1", PAGES),)
    stage.fake.managed = ((flink.managed("pay", SQL),),)
    stage.poll()
    stage.poll()

    assert [len(polled) for polled in stage.requests] == [requests, requests]


def test_statement_of_confluent_platform_is_emitted(flinks, flink) -> None:
    """Its manager says the same in other words."""
    stage = flinks(CMF)
    stage.fake.managed = ((flink.managed("pay", SQL),),)
    first = stage.poll()
    stage.fake.managed = ((flink.managed("pay", SQL, "STOPPED"),),)

    assert (first, stage.poll()) == (["START"], ["COMPLETE"])


def test_list_with_a_statement_without_a_name_ends_none(flinks, flink) -> None:
    """It may be any that is missed; so may one of a list that breaks off."""
    stage = flinks(CONFLUENT)
    stage.fake.statements = ((flink.statement("pay", SQL),),)
    stage.poll()
    stage.fake.statements = ((flink.statement("", SQL),),)
    nameless = [stage.poll() for _ in range(3)]
    stage.fake.statements = ((flink.statement("other", SQL),), 500)

    assert nameless == [[], [], []]
    assert [stage.poll() for _ in range(3)] == [[], [], []]


def test_region_without_materialised_tables_is_polled_all_the_same(flinks, flink) -> None:
    """It answers that there is no such thing; where there are, they are jobs, too."""
    stage = flinks(CONFLUENT)
    stage.fake.statements, stage.fake.tables = ((flink.statement("pay", SQL),),), (404,)
    first = stage.poll()
    stage.fake.tables = ((flink.table("totals", query="SELECT `id` FROM `orders`"),),)

    assert (first, stage.poll()) == (["START"], ["START"])
    assert stage.world.events[1]["job"]["name"] == "lkc-1/totals"


def test_states_of_a_job_become_events(flinks, flink) -> None:
    """Fail and be restarted by Flink within one run, fail for good, cancel, finish, be lost with the JobManager."""
    story = [
        (("a1", "CREATED"), []),
        (("a1", "RUNNING"), ["START"]),
        (("a1", "RESTARTING"), []),
        (("a1", "RUNNING"), []),
        (("a1", "FAILED"), ["FAIL"]),
        (("a2", "RUNNING"), ["START"]),
        (("a2", "CANCELLING"), []),
        (("a2", "CANCELED"), ["ABORT"]),
        (("a3", "RUNNING"), ["START"]),
        (("a3", "FINISHED"), ["COMPLETE"]),
        (("a4", "RUNNING"), ["START"]),
        (None, []),
        (None, ["ABORT"]),
    ]
    stage = flinks(JOB_MANAGER)
    stage.fake.causes = {"a1": TRACE}

    observed = []
    for state, _ in story:
        stage.fake.jobs = (flink.job(state[0], PAGES, state[1]),) if state else ()
        observed.append((state, stage.poll()))

    assert observed == story
    error = stage.world.events[1]["run"]["facets"]["errorMessage"]
    assert (error["message"], error["stackTrace"]) == (TRACE.partition("\n")[0], TRACE)
    assert len({event["run"]["runId"] for event in stage.world.events}) == 4


def test_the_cause_of_a_failure_is_requested_once(flinks, flink) -> None:
    """However long it stays listed; for a job that the server has forgotten there is no trace."""
    stage = flinks(JOB_MANAGER)
    stage.fake.jobs = (flink.job("a1", PAGES),)
    stage.poll()
    stage.fake.jobs = (flink.job("a1", PAGES, "FAILED"),)
    stage.poll()
    stage.poll()

    assert stage.requests[1:] == [["/jobs/overview", "/jobs/a1/exceptions?maxExceptions=1"], ["/jobs/overview"]]
    assert stage.world.events[-1]["run"]["facets"]["errorMessage"]["message"] == "the job is FAILED"


def test_job_is_emitted_as_the_statements_of_the_files_whose_tables_it_writes(flinks, flink) -> None:
    """A JobManager does not expose SQL; a job of a statement set is several. A job of no file keeps its title."""
    stage = flinks(JOB_MANAGER)
    both = f"{PAGES},default_catalog.default_database.slow"
    stage.fake.jobs = (flink.job("a1", both), flink.job("b2", "insert-into_c.d.pages_x"), flink.job("c3", "nightly"))
    stage.poll()

    event_by_job = {event["job"]["name"]: event for event in stage.world.events}
    assert sorted(event_by_job) == ["insert-into_c.d.pages_x", "jobs.sql:1", "jobs.sql:2", "nightly"]
    assert [
        dataset["name"] for dataset in (*event_by_job["jobs.sql:2"]["inputs"], *event_by_job["jobs.sql:2"]["outputs"])
    ] == [
        "clicks",
        "slow.pages",
    ]
    assert event_by_job["nightly"]["job"]["namespace"] == "flink://shop/f"
    assert event_by_job["nightly"]["inputs"] == []
    assert "sql" in json.dumps(event_by_job["jobs.sql:1"]["job"]["facets"])
