"""`scanner lineage`: its output for no result, ambiguous names and old graphs."""

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
    scan = ("scan", "--config", str(home / "cluster.json"), "--replay", str(scanned.captures[0]), *dictionary)
    assert run([*scan, "--quiet"]) == 0
    return home


@pytest.fixture
def graph_options(drawn_once, scanned, tmp_path):
    """Return the option that names a copy of that dictionary, and the words that scan into it again."""
    shutil.copytree(drawn_once, tmp_path, dirs_exist_ok=True)
    dictionary = ("--dictionary", tmp_path / "own.db")
    return dictionary, ("scan", "--config", tmp_path / "cluster.json", "--replay", scanned.captures[0], *dictionary)


def test_a_name_of_several_nodes_is_answered_with_all_of_them(graph_options, scanner) -> None:
    """Which one is meant is not ours to guess."""
    result = scanner("lineage", "sensors", *graph_options[0])

    assert (result.status, result.out) == (2, "")
    assert "topic:kafka://kafka-1:9092/sensors, job:kafka://kafka-1:9092/sensors" in result.err
    assert scanner("lineage", "job:kafka://kafka-1:9092/sensors", *graph_options[0]).status == 0


def test_an_unknown_name_is_answered_with_the_nearest(graph_options, scanner) -> None:
    """Exit status 4, as everywhere."""
    result = scanner("lineage", "clickz", *graph_options[0])

    assert (result.status, result.out) == (4, "")
    assert "'clicks'" in result.err


def test_a_message_that_is_one_value_is_not_offered_as_a_column(graph_options, scanner) -> None:
    """The key of orders is a string and no record; its name would be the topic's and a dot."""
    result = scanner("lineage", "orders.", *graph_options[0])

    assert result.status == 4
    assert "'orders.'" not in result.err.partition("did you mean")[2]


def test_without_a_graph_it_names_the_command_that_generates_one(scanner, dictionary) -> None:
    """No known flow does not mean that there is none."""
    result = scanner("lineage", "orders", *dictionary)

    assert result.status == 4
    assert "scanner dictionary dataflow" in result.err


def test_a_graph_older_than_the_newest_scan_is_reported_on_stderr(graph_options, scanner) -> None:
    """The answer is still the answer."""
    fresh = scanner("lineage", "orders", *graph_options[0])
    scanner(*graph_options[1], "--no-graph")
    stale = scanner("lineage", "orders", *graph_options[0])

    assert "scanner dictionary dataflow" not in fresh.err
    assert "older than the newest scan: run `scanner dictionary dataflow`" in stale.err
    assert (stale.status, stale.out) == (0, fresh.out)


def test_a_column_of_a_schema_that_no_flow_names_is_known(graph_options, scanner) -> None:
    """No flow is an answer; an unknown name is a mistake."""
    result = scanner("lineage", "orders.id", *graph_options[0], "--format", "json")

    assert (result.status, result.json["edges"], len(result.json["nodes"])) == (0, [], 1)
    assert result.json["nodes"][0]["path"] == ["id"]
    assert "no such flow" in result.err


def test_directions_and_depth_narrow_the_answer(graph_options, scanner) -> None:
    """A step is an edge."""
    directions = {
        direction: scanner("lineage", "clicks", direction, *graph_options[0], "--format", "json").json
        for direction in ("--upstream", "--downstream")
    }
    neighbours = scanner("lineage", "clicks", "--depth", 1, *graph_options[0], "--format", "json").json

    assert [len(directions[direction]["edges"]) for direction in directions] == [2, 0]
    assert [edge["kind"] for edge in neighbours["edges"]] == ["writes"]


def test_both_flags_together_select_both_directions(graph_options, scanner) -> None:
    """Else the last one would win, and half of the answer be missing without a word."""
    directions = ((), ("--upstream", "--downstream"), ("--downstream", "--upstream"), ("--both", "--upstream"))
    result = [
        scanner("lineage", "job:kafka://kafka-1:9092/sensors", *direction, *graph_options[0]).out
        for direction in directions
    ]

    assert set(result) == {result[0]}
    assert {"├── comes from", "└── goes to"} <= set(result[0].splitlines())


@pytest.mark.parametrize("direction", ["--upstream", "--both", "--components"])
def test_two_questions_at_a_time_are_refused(scanner, dictionary, direction) -> None:
    """Neither is the one that was meant."""
    result = scanner("lineage", "orders", "--impact", direction, *dictionary)

    assert (result.status, result.out) == (2, "")
    assert "--impact" in result.err
    assert direction in result.err


def test_impact_lists_what_a_change_affects_grouped_for_people(graph_options, scanner) -> None:
    """Whoever renames a topic looks at a list, not at a graph."""
    result = scanner("impact", "orders", *graph_options[0])

    assert result.status == 0
    assert result.out == scanner("lineage", "orders", "--impact", *graph_options[0]).out
    assert result.out.splitlines()[0] == "orders: a change affects 1 job in 1 system; no owner is known."
    assert [line.split()[:4] for line in result.out.splitlines()[1:]] == [
        ["AFFECTED", "KIND", "USE", "STEPS"],
        ["sensors", "job", "unknown", "1"],
        ["clicks", "topic", "unknown", "2"],
    ]


def test_lineage_is_a_tree_with_the_effect_of_each_step(graph_options, scanner) -> None:
    """A row for each edge is for programs."""
    result = scanner("lineage", "clicks", *graph_options[0])

    assert result.out.splitlines() == [
        "clicks",
        "└── comes from",
        "    └── sensors  writes",
        "        └── orders  reads",
    ]
    assert scanner("lineage", "clicks", "--format", "table", *graph_options[0]).out.startswith("FROM ")


def test_a_scan_generates_the_graph(graph_options, scanner) -> None:
    """No command answers from a graph that is older than the scan."""
    dictionary, scan = graph_options

    assert scanner(*scan).err.splitlines()[-1].startswith("data flow: ")
    assert scanner("lineage", "clicks", *dictionary).err == ""


def test_impact_of_a_column_that_no_flow_names_are_the_readers_of_its_topic(graph_options, scanner) -> None:
    """A job of which no columns are known may use any column."""
    result = scanner("lineage", "orders.id", "--impact", *graph_options[0], "--format", "json").json

    assert [job["name"] for job in result["affected"]["jobs"]] == ["sensors"]
    assert result["root"].endswith("orders#id")


def test_impact_of_a_job_is_what_it_makes(graph_options, scanner) -> None:
    """Dropped, its topics fall dry."""
    result = scanner(
        "lineage", "job:kafka://kafka-1:9092/sensors", "--impact", *graph_options[0], "--format", "json"
    ).json

    assert [(topic["name"], topic["use"]) for topic in result["affected"]["topics"]] == [("clicks", "made")]


def test_impact_as_far_as_somebody_wants_to_look(graph_options, scanner) -> None:
    """`--depth` counts steps here, too."""
    result = scanner("lineage", "orders", "--impact", "--depth", 1, "--evidence", *graph_options[0])

    assert "clicks" not in result.out
    assert "manual.json" in result.out


@pytest.mark.parametrize("name", ["kafka-1:9092/orders", "KAFKA-1/orders", "kafka-1:9092/orders#id"])
def test_a_broker_needs_no_scheme(name, graph_options, scanner) -> None:
    """People copy `bootstrap.servers`."""
    assert scanner("lineage", name, *graph_options[0]).status == 0


def test_anomalies_of_the_graph_are_reported_and_fail_nothing(graph_options, scanner, tmp_path) -> None:
    """Of each kind the first few; the report has all."""
    result = scanner("dataflow", "--report", tmp_path / "report.json", *graph_options[0])
    report = json.loads((tmp_path / "report.json").read_text())

    assert result.status == 0
    assert "has no known readers or writers" in result.err
    assert report["counts"]["orphan-topic"] == len(report["findings"])


def test_a_report_of_a_graph_that_is_not_stored_is_refused(graph_options, scanner, tmp_path) -> None:
    """The report is computed from the stored graph."""
    result = scanner("dataflow", "--no-store", "--report", tmp_path / "report.json", *graph_options[0])

    assert result.status == 2
    assert "--store" in result.err
