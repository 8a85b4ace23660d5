"""`scanner lineage`: what it says where there is nothing, too much, or something old to tell."""

import json
import shutil

import pytest

from scanner_cli.main import run


@pytest.fixture(scope="module")
def drawn_once(scanned, tmp_path_factory):
    """Return the directory of a dictionary whose graph holds a flow, and a job called like a topic."""
    home = tmp_path_factory.mktemp("drawn")
    (home / "manual.json").write_text(
        json.dumps(
            {
                "cluster": "shop",
                "topics": ["clicks", "sensors"],
                "flows": [{"from": "orders", "to": "clicks", "job": "sensors"}],
            }
        )
    )
    (home / "cluster.json").write_text(scanned.config.read_text())
    dictionary = ("--dictionary", str(home / "own.db"))
    scan = ("extract", "--config", str(home / "cluster.json"), "--replay", str(scanned.captures[0]), *dictionary)
    assert run([*scan, "--quiet"]) == 0
    assert run(["dataflow", *dictionary]) == 0
    return home


@pytest.fixture
def drawn(drawn_once, scanned, tmp_path):
    """Return the option that names a copy of that dictionary, and the words that scan into it again."""
    shutil.copytree(drawn_once, tmp_path, dirs_exist_ok=True)
    dictionary = ("--dictionary", tmp_path / "own.db")
    return dictionary, ("extract", "--config", tmp_path / "cluster.json", "--replay", scanned.captures[0], *dictionary)


def test_a_name_of_several_nodes_is_answered_with_all_of_them(drawn, scanner) -> None:
    """Which one is meant is not ours to guess."""
    said = scanner("lineage", "sensors", *drawn[0])

    assert (said.status, said.out) == (2, "")
    assert "topic:kafka://kafka-1:9092/sensors, job:kafka://kafka-1:9092/sensors" in said.err
    assert scanner("lineage", "job:kafka://kafka-1:9092/sensors", *drawn[0]).status == 0


def test_an_unknown_name_is_answered_with_the_nearest(drawn, scanner) -> None:
    """Exit status 4, as everywhere."""
    said = scanner("lineage", "clickz", *drawn[0])

    assert (said.status, said.out) == (4, "")
    assert "'clicks'" in said.err


def test_a_message_that_is_one_value_is_not_offered_as_a_column(drawn, scanner) -> None:
    """The key of orders is a string and no record; its name would be the topic's and a dot."""
    said = scanner("lineage", "orders.", *drawn[0])

    assert said.status == 4
    assert "'orders.'" not in said.err.partition("did you mean")[2]


def test_without_a_graph_it_names_the_command_that_makes_one(scanner, dictionary) -> None:
    """Nothing is known, which is not: there is no flow."""
    said = scanner("lineage", "orders", *dictionary)

    assert said.status == 4
    assert "scanner dataflow" in said.err


def test_a_graph_older_than_the_newest_scan_is_told_on_stderr(drawn, scanner) -> None:
    """The answer is still the answer."""
    fresh = scanner("lineage", "orders", *drawn[0])
    scanner(*drawn[1])
    stale = scanner("lineage", "orders", *drawn[0])

    assert "scanner dataflow" not in fresh.err
    assert "older than the newest scan: run `scanner dataflow`" in stale.err
    assert (stale.status, stale.out) == (0, fresh.out)


def test_a_column_of_a_schema_that_no_flow_names_is_known(drawn, scanner) -> None:
    """No flow is an answer; an unknown name is a mistake."""
    said = scanner("lineage", "orders.id", *drawn[0], "--format", "json")

    assert (said.status, said.json["edges"], len(said.json["nodes"])) == (0, [], 1)
    assert said.json["nodes"][0]["path"] == ["id"]
    assert "no such flow" in said.err


def test_ways_and_depth_narrow_the_answer(drawn, scanner) -> None:
    """A step is an edge."""
    ways = {
        way: scanner("lineage", "clicks", way, *drawn[0], "--format", "json").json
        for way in ("--upstream", "--downstream")
    }
    near = scanner("lineage", "clicks", "--depth", 1, *drawn[0], "--format", "json").json

    assert [len(ways[way]["edges"]) for way in ways] == [2, 0]
    assert [edge["kind"] for edge in near["edges"]] == ["writes"]


def test_both_ways_are_what_both_flags_ask_for(drawn, scanner) -> None:
    """Else the last one would win, and half of the answer be missing without a word."""
    ways = ((), ("--upstream", "--downstream"), ("--downstream", "--upstream"), ("--both", "--upstream"))
    said = [scanner("lineage", "job:kafka://kafka-1:9092/sensors", *way, *drawn[0]).out for way in ways]

    assert set(said) == {said[0]}
    assert len(said[0].splitlines()) == 3


@pytest.mark.parametrize("way", ["--upstream", "--both", "--components"])
def test_two_questions_at_a_time_are_refused(scanner, dictionary, way) -> None:
    """Neither is the one that was meant."""
    said = scanner("lineage", "orders", "--impact", way, *dictionary)

    assert (said.status, said.out) == (2, "")
    assert "--impact" in said.err
    assert way in said.err


def test_impact_lists_what_a_change_affects_grouped_for_people(drawn, scanner) -> None:
    """Whoever renames a topic looks at a list, not at a graph."""
    said = scanner("lineage", "orders", "--impact", *drawn[0])

    assert said.status == 0
    assert [line.split()[:4] for line in said.out.splitlines()] == [
        ["AFFECTED", "KIND", "USE", "STEPS"],
        ["sensors", "job", "unknown", "1"],
        ["clicks", "topic", "unknown", "2"],
    ]
    assert "1 jobs (1 unknown); 1 topics (1 unknown)" in said.err


def test_impact_of_a_column_that_no_flow_names_are_the_readers_of_its_topic(drawn, scanner) -> None:
    """What a job of which no columns are known does with it nobody can rule out."""
    said = scanner("lineage", "orders.id", "--impact", *drawn[0], "--format", "json").json

    assert [job["name"] for job in said["affected"]["jobs"]] == ["sensors"]
    assert said["root"].endswith("orders#id")


def test_impact_of_a_job_is_what_it_makes(drawn, scanner) -> None:
    """Dropped, its topics fall dry."""
    said = scanner("lineage", "job:kafka://kafka-1:9092/sensors", "--impact", *drawn[0], "--format", "json").json

    assert [(topic["name"], topic["use"]) for topic in said["affected"]["topics"]] == [("clicks", "made")]


def test_impact_as_far_as_somebody_wants_to_look(drawn, scanner) -> None:
    """`--depth` counts steps here, too."""
    said = scanner("lineage", "orders", "--impact", "--depth", 1, "--evidence", *drawn[0])

    assert "clicks" not in said.out
    assert "manual.json" in said.out


@pytest.mark.parametrize("name", ["kafka-1:9092/orders", "KAFKA-1/orders", "kafka-1:9092/orders#id"])
def test_a_broker_needs_no_scheme(name, drawn, scanner) -> None:
    """People copy `bootstrap.servers`."""
    assert scanner("lineage", name, *drawn[0]).status == 0


def test_what_looks_odd_in_the_graph_is_told_and_fails_nothing(drawn, scanner, tmp_path) -> None:
    """Of each kind the first few; the report has all."""
    said = scanner("dataflow", "--report", tmp_path / "report.json", *drawn[0])
    report = json.loads((tmp_path / "report.json").read_text())

    assert said.status == 0
    assert "has no known readers or writers" in said.err
    assert report["counts"]["orphan-topic"] == len(report["findings"])


def test_a_report_of_a_graph_that_is_not_stored_is_refused(drawn, scanner, tmp_path) -> None:
    """It is made of what is stored."""
    said = scanner("dataflow", "--no-store", "--report", tmp_path / "report.json", *drawn[0])

    assert said.status == 2
    assert "--store" in said.err
