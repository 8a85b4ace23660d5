"""`scanner openlineage emit` and `export --format openlineage`: the graph as events that others take."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from scanner_api.dictionary import Dictionary
from scanner_api.event_intake import EventReceiver
from scanner_cli.main import run
from scanner_server.app import listener_application
from scanner_server.options import ServerOptions

pytestmark = pytest.mark.slow

HOME = Path(__file__).parents[3] / "examples" / "retail"

FLOW = ("source", "target", "type", "subtype")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Return a dictionary of the bundled example whose graph was generated."""
    file = str(tmp_path_factory.mktemp("retail") / "d.db")
    config, capture = str(HOME / "cluster.json"), str(HOME / "capture")
    run(["extract", "--config", config, "--replay", capture, "--dictionary", file, "--quiet"])
    run(["dataflow", "--dictionary", file])
    return file


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_datasets_and_jobs_are_emitted_with_their_facets(scanner, generated) -> None:
    """Each event names its version of the spec, its producer and one time for all."""
    emitted = events(scanner("openlineage", "emit", "--dry-run", "--dictionary", generated).out)
    datasets = {event["dataset"]["name"]: event["dataset"] for event in emitted if "dataset" in event}

    assert {event["schemaURL"].rpartition("/")[2] for event in emitted} == {"DatasetEvent", "JobEvent"}
    assert len({(event["eventTime"], event["producer"]) for event in emitted}) == 1
    assert datasets["orders"]["namespace"].startswith("kafka://")
    assert datasets["orders"]["facets"]["schema"]["fields"]


def test_same_dictionary_gives_the_same_bytes(scanner, generated) -> None:
    """A comparison of two files shows the changes of the metadata, and nothing else."""
    first, second = (scanner("export", "--format", "openlineage", "--dictionary", generated).out for _ in range(2))

    assert first == second
    assert first == scanner("openlineage", "emit", "--dry-run", "--dictionary", generated).out


def test_runs_are_emitted_for_consumers_that_accept_only_runs(scanner, generated) -> None:
    """A job that is known to run has a run."""
    emitted = events(scanner("openlineage", "emit", "--as", "run", "--dry-run", "--dictionary", generated).out)

    assert {event["schemaURL"].rpartition("/")[2] for event in emitted} == {"RunEvent"}
    assert all(event["run"]["runId"] for event in emitted)


def test_emitted_events_can_all_be_imported(scanner, generated, tmp_path) -> None:
    """Our own validation refuses none of them."""
    file = tmp_path / "events.ndjson"
    sent = scanner("openlineage", "emit", "--as", "both", "--file", file, "--dictionary", generated)
    imported = scanner("openlineage", "import", file, "--format", "json", "--dictionary", tmp_path / "other.db").json

    assert sent.status == 0
    assert sent.err.endswith(f"{len(file.read_text().splitlines())} events delivered\n")
    assert imported["refused"] == 0
    assert imported["stored"] == len(file.read_text().splitlines())


def test_other_dictionary_that_imports_them_has_the_same_flows_of_columns(scanner, generated, tmp_path) -> None:
    """Keys, elements of lists and values of maps, too; the one value of a line of a file is called `value`."""
    other = ("--dictionary", tmp_path / "other.db")
    scanner("openlineage", "emit", "--file", tmp_path / "events.ndjson", "--dictionary", generated)
    scanner("openlineage", "import", tmp_path / "events.ndjson", *other)
    scanner("dataflow", *other)

    def flows(*where: object) -> set[tuple[str, ...]]:
        edges = scanner("export", "--format", "json", *where).json["edges"]
        named = ({key: f"{text}value" if text.endswith("#") else text for key, text in edge.items()} for edge in edges)
        return {tuple(edge[name] for name in FLOW) for edge in named if edge["kind"] == "column-flow"}

    assert flows(*other) == flows("--dictionary", generated)
    assert any("#@key" in source for source, *_ in flows(*other))


def test_export_writes_events_into_a_file_that_its_ending_names(scanner, generated, tmp_path) -> None:
    """As for every other format."""
    result = scanner("export", "-o", tmp_path / "events.ndjson", "--dictionary", generated)

    assert (result.status, result.out) == (0, "")
    assert events((tmp_path / "events.ndjson").read_text())


def test_our_listener_accepts_every_event_that_is_emitted_over_http(scanner, generated, tmp_path) -> None:
    """Over a real socket, each event acknowledged."""
    rejected = tmp_path / "rejected.ndjson"
    receiver = EventReceiver(Dictionary(str(tmp_path / "heard.db")), spool=tmp_path / "spool", rejected=rejected)
    options = ServerOptions(port=0, token="abc")
    config = uvicorn.Config(listener_application(receiver, options), port=0, log_config=None, lifespan="off")
    server, listening = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    target = ("--url", f"http://127.0.0.1:{listening.getsockname()[1]}", "--token", "abc")
    sent = scanner("openlineage", "emit", "--as", "both", *target, "--dictionary", generated)
    server.should_exit = True
    thread.join()
    problems = receiver.close()

    assert (sent.status, problems) == (0, [])
    assert sent.err.endswith(f"{receiver.counts()['stored']} events delivered\n")
    assert receiver.counts()["stored"] > 50
    assert not rejected.exists()


def test_imported_events_are_emitted_at_the_time_of_the_latest_one(scanner, tmp_path) -> None:
    """Without a scan there is no end of a scan, and an event needs a time."""
    job = {"namespace": "n", "name": "j"}
    event = {"eventTime": "2026-01-02T03:04:05Z", "producer": "urn:x:1", "schemaURL": "urn:x#/JobEvent", "job": job}
    read = {"inputs": [{"namespace": "kafka://k:9092", "name": "orders"}]}
    (tmp_path / "e.json").write_text(json.dumps(event | read))
    at = ("--dictionary", tmp_path / "d.db")
    scanner("openlineage", "import", tmp_path / "e.json", *at)
    scanner("dataflow", *at)

    emitted = events(scanner("openlineage", "emit", "--dry-run", *at).out)
    assert {event["eventTime"][:19] for event in emitted} == {"2026-01-02T03:04:05"}


def test_unreachable_target_fails(scanner, generated, monkeypatch) -> None:
    """Not delivered is not done."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__RETRY__TOTAL", "0")
    result = scanner("openlineage", "emit", "--url", "http://127.0.0.1:9", "--dictionary", generated)

    assert result.status == 1
    assert "0 events delivered" in result.err


@pytest.mark.parametrize(
    "options", [("--url", "ftp://x"), ("--url", "http://x", "--file", "y")], ids=["no web address", "two targets"]
)
def test_options_that_name_no_target_are_refused(options, scanner, generated, tmp_path, monkeypatch) -> None:
    """Before anything is sent."""
    monkeypatch.chdir(tmp_path)

    assert scanner("openlineage", "emit", *options, "--dictionary", generated).status == 2


def test_without_a_graph_it_names_the_command_that_generates_one(scanner, own_dictionary) -> None:
    """An empty file would look like an empty installation."""
    result = scanner("openlineage", "emit", "--dry-run", "--dictionary", own_dictionary)

    assert result.status == 4
    assert "scanner dictionary dataflow" in result.err


def cluster(directory: Path, **transport: object) -> Path:
    """Write a cluster.json that names a target of events."""
    file = directory / f"cluster-{len(list(directory.glob('cluster-*')))}.json"
    document = {"cluster": "shop", "brokers": ["k-1:9092"], "openlineage": {"transport": transport}}
    file.write_text(json.dumps(document if transport else {"cluster": "other", "brokers": ["k-2:9092"]}))
    return file


def test_cluster_json_names_the_target_and_an_option_overrides_it(scanner, generated, tmp_path) -> None:
    """A file beside cluster.json, whatever directory the program was started in."""
    config = cluster(tmp_path, type="file", log_file_path="a.ndjson", append=True)
    emit = ("openlineage", "emit", "--config", config, "--dictionary", generated)

    assert scanner(*emit).status == 0
    assert scanner(*emit, "--file", tmp_path / "b.ndjson").status == 0
    assert (tmp_path / "a.ndjson").read_text() == (tmp_path / "b.ndjson").read_text()


def test_cluster_json_wins_over_the_librarys_own_configuration(scanner, generated, tmp_path, monkeypatch) -> None:
    """As what a program hands to openlineage-python does."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "http")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", "http://127.0.0.1:9")
    config = cluster(tmp_path, type="file", log_file_path="a.ndjson", append=True)

    assert scanner("openlineage", "emit", "--config", config, "--dictionary", generated).status == 0
    assert (tmp_path / "a.ndjson").exists()


def test_clusters_without_a_target_or_with_different_ones_are_refused(scanner, generated, tmp_path) -> None:
    """It would be unknown where events went."""
    first, second = (cluster(tmp_path, type="file", log_file_path=name) for name in "ab")
    second.write_text(second.read_text().replace('"shop"', '"market"'))
    emit = ("openlineage", "emit", "--dictionary", generated)
    differing = scanner(*emit, "--config", first, "--config", second)
    silent = scanner(*emit, "--config", cluster(tmp_path))
    broken = scanner(*emit, "--config", cluster(tmp_path, type="http"))

    assert (differing.status, silent.status, broken.status) == (2, 2, 2)
    assert "name different targets of events" in differing.err
    assert "names no target of events" in silent.err
    assert "'url' is missing" in broken.err


def test_report_counts_events_and_facets_by_version(scanner, generated, tmp_path) -> None:
    """For programs; a dry run counts the same and sends nothing."""
    emit = ("openlineage", "emit", "--as", "both", "--format", "json", "--dictionary", generated)
    sent = scanner(*emit, "--file", tmp_path / "e.ndjson").json
    counted = scanner(*emit, "--dry-run").json

    assert sent["events"] == sent["delivered"] == len((tmp_path / "e.ndjson").read_text().splitlines())
    assert (sent["refused"], sent["not_sent"], sent["missed"], sent["problem"]) == (0, 0, {}, None)
    assert set(sent["kinds"]) == {"DatasetEvent", "JobEvent", "RunEvent"}
    assert {"facet": "schema", "of": "Dataset", "version": "1-2-0"}.items() <= next(
        facet.items() for facet in sent["facets"] if facet["facet"] == "schema"
    )
    assert counted == {name: sent[name] for name in ("format_version", "events", "kinds", "facets")}


def test_report_for_people_is_a_table(scanner, generated) -> None:
    """Also of a console, whose events are no part of the answer then."""
    result = scanner("openlineage", "emit", "--dry-run", "--format", "table", "--dictionary", generated)

    assert result.out.splitlines()[0].split() == ["FACET", "OF", "VERSION", "TIMES"]


def test_console_writes_events_to_stdout_unless_a_report_is_requested(scanner, generated, tmp_path) -> None:
    """Whoever reads the report as JSON meets nothing else."""
    config = cluster(tmp_path, type="console")
    emit = ("openlineage", "emit", "--config", config, "--dictionary", generated)
    plain, report = scanner(*emit), scanner(*emit, "--format", "json")

    assert len(events(plain.out)) == report.json["delivered"] == report.json["events"]


def test_producer_and_time_are_options(scanner, generated) -> None:
    """The rest stays the same bytes; all jobs may be in one namespace, and have the newer facet, too."""
    emit = ("openlineage", "emit", "--dry-run", "--dictionary", generated, "--producer", "https://x.org/y")
    emitted = events(scanner(*emit, "--event-time", "2026-01-02T03:04:05Z", "--lineage-facet").out)
    jobs = [event["job"] for event in emitted if "job" in event]

    assert {(event["producer"], event["eventTime"]) for event in emitted} == {
        ("https://x.org/y", "2026-01-02T03:04:05+00:00")
    }
    assert all("lineage" in event["facets"] for event in jobs)


def test_all_jobs_may_be_in_one_namespace(scanner, generated) -> None:
    """Some catalogs sort by it."""
    emitted = events(
        scanner("openlineage", "emit", "--job-namespace", "shop", "--dry-run", "--dictionary", generated).out
    )

    assert {event["job"]["namespace"] for event in emitted if "job" in event} == {"shop"}


@pytest.fixture
def catalog():
    """Serve a catalog that answers with the statuses in a list, and with 201 when it is at its end."""
    with _Catalog(("127.0.0.1", 0), _Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class _Catalog(ThreadingHTTPServer):
    statuses: list[int]


class _Answer(BaseHTTPRequestHandler):
    server: _Catalog

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.mark.parametrize(
    ("statuses", "status", "counts"),
    [
        ([201, 422, 201], 3, {"refused": 1, "not_sent": 0}),
        ([201, 201, 403], 3, {"delivered": 2, "refused": 0}),
        ([404], 1, None),
        ([422] * 1_000, 1, {"delivered": 0, "not_sent": 0}),
    ],
    ids=["one refused", "denied later", "nothing there", "all refused"],
)
def test_refused_events_are_reported_and_kept_in_a_file(
    statuses, status, counts, catalog, scanner, generated, tmp_path
) -> None:
    """The same command can be given again."""
    catalog.statuses = statuses
    target = ("--url", f"http://127.0.0.1:{catalog.server_port}", "--rejected", tmp_path / "refused.ndjson")
    result = scanner("openlineage", "emit", *target, "--format", "json", "--dictionary", generated)

    assert result.status == status
    if counts:
        report = result.json
        assert counts.items() <= report.items()
        assert report["events"] == report["delivered"] + report["refused"] + report["not_sent"]
        rejected = events((tmp_path / "refused.ndjson").read_text()) if report["rejected"] else []
        assert len(rejected) == report["refused"]
        assert all("422" in line["problems"][0]["what"] and line["event"]["eventTime"] for line in rejected)


def test_target_of_several_that_is_away_is_partial(scanner, generated, tmp_path) -> None:
    """The others have all of it."""
    away = {"type": "http", "url": "http://127.0.0.1:9", "retry": {"total": 0}}
    archive = {"type": "file", "log_file_path": "a.ndjson", "append": True}
    config = cluster(tmp_path, type="composite", transports={"catalog": away, "archive": archive})
    result = scanner("openlineage", "emit", "--config", config, "--dictionary", generated, "--format", "json")

    assert result.status == 3
    assert result.json["missed"] == {"catalog": result.json["events"]}
    assert len((tmp_path / "a.ndjson").read_text().splitlines()) == result.json["delivered"] == result.json["events"]


def test_disabled_library_is_reported(scanner, generated, monkeypatch) -> None:
    """Nothing was sent, as somebody wants it."""
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    result = scanner("openlineage", "emit", "--url", "http://127.0.0.1:9", "--dictionary", generated)

    assert result.status == 0
    assert "OPENLINEAGE_DISABLED" in result.err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--event-time", "yesterday"),
        ("--event-time", "2026-01-02T03:04:05"),
        ("--producer", "me"),
        ("--producer", "a: b"),
    ],
)
def test_option_that_cannot_be_is_refused_with_its_name(option, value, scanner, generated) -> None:
    """An event with it would be none."""
    result = scanner("openlineage", "emit", "--dry-run", option, value, "--dictionary", generated)

    assert result.status == 2
    assert option in result.err
