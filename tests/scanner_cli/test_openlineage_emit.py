"""`scanner openlineage emit` and `export --format openlineage`: the graph as events that others take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dataflow_generator.openlineage.keeping import Keeping
from dataflow_generator.openlineage.listener import Listener
from dataflow_generator.openlineage.receiving import Rules
from dataflow_generator.openlineage.spool import Spool
from scanner_cli.main import run
from scanner_dictionary.event_writer import write_events
from scanner_dictionary.opening import open_dictionary

HOME = Path(__file__).parents[2] / "examples" / "retail"

FLOW = ("source", "target", "type", "subtype")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Give a dictionary of the bundled example whose graph was generated."""
    file = str(tmp_path_factory.mktemp("retail") / "d.db")
    config, capture = str(HOME / "cluster.json"), str(HOME / "capture")
    run(["extract", "--config", config, "--replay", capture, "--dictionary", file, "--quiet"])
    run(["dataflow", "--dictionary", file])
    return file


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_datasets_and_jobs_are_told_with_what_they_are(scanner, generated) -> None:
    """Each event names its version of the spec, its producer and one time for all."""
    told = events(scanner("openlineage", "emit", "--dry-run", "--dictionary", generated).out)
    datasets = {each["dataset"]["name"]: each["dataset"] for each in told if "dataset" in each}

    assert {each["schemaURL"].rpartition("/")[2] for each in told} == {"DatasetEvent", "JobEvent"}
    assert len({(each["eventTime"], each["producer"]) for each in told}) == 1
    assert datasets["orders"]["namespace"].startswith("kafka://")
    assert datasets["orders"]["facets"]["schema"]["fields"]


def test_same_dictionary_gives_the_same_bytes(scanner, generated) -> None:
    """Whoever compares two files sees what changed in the estate, and nothing else."""
    first, second = (scanner("export", "--format", "openlineage", "--dictionary", generated).out for _ in range(2))

    assert first == second
    assert first == scanner("openlineage", "emit", "--dry-run", "--dictionary", generated).out


def test_runs_are_told_to_those_who_take_nothing_else(scanner, generated) -> None:
    """A job that is known to run has a run."""
    told = events(scanner("openlineage", "emit", "--as", "run", "--dry-run", "--dictionary", generated).out)

    assert {each["schemaURL"].rpartition("/")[2] for each in told} == {"RunEvent"}
    assert all(each["run"]["runId"] for each in told)


def test_what_is_emitted_can_be_imported_whole(scanner, generated, tmp_path) -> None:
    """Our own door refuses none of it."""
    file = tmp_path / "events.ndjson"
    sent = scanner("openlineage", "emit", "--as", "both", "--file", file, "--dictionary", generated)
    taken = scanner("openlineage", "import", file, "--format", "json", "--dictionary", tmp_path / "other.db").json

    assert sent.status == 0
    assert sent.err.endswith(f"{len(file.read_text().splitlines())} events delivered\n")
    assert taken["refused"] == 0
    assert taken["stored"] == len(file.read_text().splitlines())


def test_other_dictionary_that_imports_them_has_the_same_flows_of_columns(scanner, generated, tmp_path) -> None:
    """Keys, elements of lists and values of maps, too; the one value of a line of a file is called `value`."""
    other = ("--dictionary", tmp_path / "other.db")
    scanner("openlineage", "emit", "--file", tmp_path / "events.ndjson", "--dictionary", generated)
    scanner("openlineage", "import", tmp_path / "events.ndjson", *other)
    scanner("dataflow", *other)

    def flows(*where: object) -> set[tuple[str, ...]]:
        edges = scanner("export", "--format", "json", *where).json["edges"]
        named = ({key: f"{text}value" if text.endswith("#") else text for key, text in each.items()} for each in edges)
        return {tuple(each[name] for name in FLOW) for each in named if each["kind"] == "column-flow"}

    assert flows(*other) == flows("--dictionary", generated)
    assert any("#@key" in source for source, *_ in flows(*other))


def test_export_writes_events_into_a_file_that_its_ending_names(scanner, generated, tmp_path) -> None:
    """As for every other format."""
    said = scanner("export", "-o", tmp_path / "events.ndjson", "--dictionary", generated)

    assert (said.status, said.out) == (0, "")
    assert events((tmp_path / "events.ndjson").read_text())


def test_what_is_emitted_over_http_is_taken_whole_by_our_listener(scanner, generated, tmp_path) -> None:
    """Over a real socket, each event acknowledged."""
    engine, aside = open_dictionary(str(tmp_path / "heard.db")), tmp_path / "rejected.ndjson"
    spool = Spool(tmp_path / "spool", aside, largest=1 << 24)
    keeping = Keeping(spool, lambda found: write_events(engine, found), aside, list)
    listener = Listener(("127.0.0.1", 0), spool, Rules(token="abc", largest=1 << 20), dict)
    keeping.start()
    listener.start()
    target = ("--url", f"http://127.0.0.1:{listener.port}", "--token", "abc")
    sent = scanner("openlineage", "emit", "--as", "both", *target, "--dictionary", generated)
    listener.stop()
    keeping.stop()
    spool.close()
    engine.dispose()

    assert sent.status == 0
    assert sent.err.endswith(f"{keeping.taken.stored} events delivered\n")
    assert keeping.taken.stored > 50
    assert not aside.exists()


def test_what_was_only_imported_is_told_at_the_time_of_the_latest_event(scanner, tmp_path) -> None:
    """Without a scan there is no end of one, and an event without a time is none."""
    job = {"namespace": "n", "name": "j"}
    told = {"eventTime": "2026-01-02T03:04:05Z", "producer": "urn:x:1", "schemaURL": "urn:x#/JobEvent", "job": job}
    read = {"inputs": [{"namespace": "kafka://k:9092", "name": "orders"}]}
    (tmp_path / "e.json").write_text(json.dumps(told | read))
    at = ("--dictionary", tmp_path / "d.db")
    scanner("openlineage", "import", tmp_path / "e.json", *at)
    scanner("dataflow", *at)

    found = events(scanner("openlineage", "emit", "--dry-run", *at).out)
    assert {each["eventTime"][:19] for each in found} == {"2026-01-02T03:04:05"}


def test_target_that_nobody_answers_at_fails(scanner, generated) -> None:
    """Not delivered is not done."""
    said = scanner("openlineage", "emit", "--url", "http://127.0.0.1:9", "--dictionary", generated)

    assert said.status == 1
    assert "0 events delivered" in said.err


@pytest.mark.parametrize(
    "options", [("--url", "ftp://x"), ("--url", "http://x", "--file", "y")], ids=["no web address", "two targets"]
)
def test_options_that_name_no_target_are_refused(options, scanner, generated, tmp_path, monkeypatch) -> None:
    """Before anything is sent."""
    monkeypatch.chdir(tmp_path)

    assert scanner("openlineage", "emit", *options, "--dictionary", generated).status == 2


def test_without_a_graph_it_names_the_command_that_makes_one(scanner, own_dictionary) -> None:
    """An empty file would look like an empty estate."""
    said = scanner("openlineage", "emit", "--dry-run", "--dictionary", own_dictionary)

    assert said.status == 4
    assert "scanner dataflow" in said.err
