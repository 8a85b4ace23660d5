"""`scanner changes`, `diff --flows`, `lineage --as-of`, `export --history`, `dictionary prune`: lineage over time."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FLOW = {"from": "clicks", "to": "invoices", "job": "nightly"}
NODE = "kafka://kafka-1:9092"


@pytest.fixture
def over_time(scanner, new_dictionary, tmp_path) -> Callable[..., tuple[str, ...]]:
    """Return the option for a dictionary with a scan and a graph for each list of columns that flow."""

    def made(*columns: list[str]) -> tuple[str, ...]:
        url = ("--dictionary", new_dictionary)
        config = {"cluster": "shop", "brokers": ["kafka-1"], "manual_input": ["manual.json"]}
        (tmp_path / "cluster.json").write_text(json.dumps(config))
        for names in columns:
            flow = FLOW | {"columns": [{"from": name, "to": name} for name in names]}
            topics = [{"name": "clicks"}, {"name": "invoices"}]
            document = {"version": 1, "cluster": "shop", "topics": topics, "flows": [flow]}
            (tmp_path / "manual.json").write_text(json.dumps(document))
            assert scanner("extract", "--config", tmp_path / "cluster.json", *url).status == 0
            assert scanner("dataflow", *url).status == 0
        return url

    return made


@pytest.fixture
def twice(over_time) -> tuple[str, ...]:
    """Return the option for two scans: a column does not flow any more in the second."""
    return over_time(["id", "iban"], ["id"])


def test_diff_of_flows_names_what_went_and_its_cause(scanner, twice) -> None:
    """In the table a line each; in JSON beside the facts."""
    table = scanner("changes", 1, 2, "--flows", *twice).out.splitlines()
    document = scanner("changes", 1, 2, "--flows", "--format", "json", *twice).json

    assert [re.split(r"\s{2,}", line)[:3] for line in table[1:3]] == [
        ["removed", "column", "clicks.iban"],
        ["removed", "column", "invoices.iban"],
    ]
    assert "manual_flow" in table[-1]
    assert [(edge["source"], edge["action"]) for edge in document["flows"]["edges"]] == [
        (f"column:{NODE}/clicks#iban", "removed")
    ]
    assert document["flows"]["edges"][0]["cause"]["action"] == "gone"
    assert document["others"][0]["kind"] == "manual_flow"


def test_diff_of_flows_as_csv_has_the_same_lines(scanner, twice) -> None:
    """A header, two columns and their flow."""
    assert len(scanner("changes", 1, 2, "--flows", "--format", "csv", *twice).out.splitlines()) == 4


def test_lineage_reports_which_scan_it_is_of(scanner, twice) -> None:
    """On stderr for people, in JSON for programs."""
    then = scanner("lineage", "clicks.iban", "--as-of", 1, "--format", "json", *twice)
    now = scanner("lineage", "clicks.iban", *twice)

    assert then.json["scan"] == 1
    assert [edge["target"] for edge in then.json["edges"]] == [f"column:{NODE}/invoices#iban"]
    assert "note: the graph of scan 1, finished 20" in then.err
    assert now.status == 4


@pytest.mark.parametrize(("moment", "status"), [("9", 4), ("2000-01-01", 4), ("soon", 2), ("", 2)])
def test_unknown_moment_has_its_status_and_one_line(scanner, twice, moment, status) -> None:
    """Not an answer of another time."""
    said = scanner("lineage", "clicks", "--as-of", moment, *twice)

    assert (said.status, said.out, said.err.count("\n")) == (status, "", 1)


def test_impact_and_export_are_of_an_earlier_scan_too(scanner, twice, tmp_path) -> None:
    """Whatever reads a graph."""
    impact = scanner("lineage", "clicks.iban", "--impact", "--as-of", 1, *twice)
    scanner("export", "--as-of", 1, "-o", tmp_path / "then.json", *twice)

    assert "invoices" in impact.out
    assert "#iban" in (tmp_path / "then.json").read_text()


def test_history_has_a_line_for_each_change(scanner, twice) -> None:
    """The oldest first."""
    rows = scanner("changes", "invoices.iban", "--format", "json", *twice).json["history"]

    assert [(row["scan"], row["kind"], row["action"]) for row in rows] == [
        (1, "node", "first known"),
        (2, "column-flow", "removed"),
        (2, "node", "removed"),
    ]
    assert "first known" in scanner("changes", "invoices.iban", *twice).out


def test_history_between_two_nodes_may_be_empty(scanner, twice) -> None:
    """It says so: nothing is known, which is no error."""
    between = scanner("changes", "clicks.iban", "invoices.iban", *twice)
    said = scanner("changes", "clicks.id", "invoices.id", *twice)

    assert "removed" in between.out
    assert (said.status, "no change of 'clicks.id' → 'invoices.id'" in said.err) == (0, True)


def test_history_of_an_unknown_name_suggests_others(scanner, twice) -> None:
    """As everywhere."""
    said = scanner("changes", "invoice", *twice)

    assert said.status == 4
    assert "invoices" in said.err


def page_data(file: Path) -> dict:
    (found,) = re.findall(r'id="graph">\n(.*?)</script>', file.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found)


def test_page_with_history_has_what_every_graph_has(scanner, twice, tmp_path) -> None:
    """And from which scan to which."""
    said = scanner("export", "--history", "-o", tmp_path / "history.html", *twice)
    data = page_data(tmp_path / "history.html")
    keys = [node[0] for node in data["nodes"]]
    lifetimes = {keys[int(index)]: listed for index, listed in data["history"]["nodes"].items()}
    edges = {tuple(keys[end] for end in data["edges"][int(index)][:2]) for index in data["history"]["edges"]}

    assert said.status == 0
    assert [number for number, _ in data["history"]["scans"]] == [1, 2]
    assert {key: [each[:2] for each in listed] for key, listed in lifetimes.items()} == {
        f"column:{NODE}/clicks#iban": [[None, 2]],
        f"column:{NODE}/invoices#iban": [[None, 2]],
    }
    assert (f"column:{NODE}/clicks#iban", f"column:{NODE}/invoices#iban") in edges


@pytest.mark.parametrize(
    "wrong", [("--format", "json"), ("--node", "clicks"), ("--cluster", "shop"), ("--as-of", "1"), ("--graph", "flow")]
)
def test_history_is_of_a_whole_page_only(scanner, twice, tmp_path, wrong) -> None:
    """Another combination is a mistake that names the options to leave out."""
    said = scanner("export", "--history", "-o", tmp_path / "history.html", *wrong, *twice)

    assert said.status == 2
    assert "--history" in said.err
    assert not (tmp_path / "history.html").exists()


def test_prune_shows_what_goes_and_deletes_it_with_yes_only(scanner, twice) -> None:
    """Whoever tries it out loses nothing."""
    shown = scanner("dictionary", "prune", "--keep-scans", 1, *twice)
    still = scanner("lineage", "clicks.iban", "--as-of", 1, *twice).status
    done = scanner("dictionary", "prune", "--keep-scans", 1, "--yes", "--format", "json", *twice)
    after = scanner("lineage", "clicks.iban", "--as-of", 1, *twice)

    assert "shop: scans 1 to 1 would be deleted; history begins with scan 2" in shown.out
    assert "nothing was deleted: repeat it with --yes" in shown.err
    assert (still, after.status) == (0, 4)
    assert done.json["clusters"] == [{"name": "shop", "removed": [1], "oldest": 2}]
    assert (done.json["dry_run"], done.json["graphs"]) == (False, [1])


@pytest.mark.parametrize("options", [(), ("--keep-scans", 1, "--before", 2), ("--before", "soon"), ("--keep-scans", 0)])
def test_unclear_retention_is_refused(scanner, twice, options) -> None:
    """One line, and nothing is deleted."""
    said = scanner("dictionary", "prune", *options, "--yes", *twice)

    assert (said.status, said.out) == (2, "")
    assert len(scanner("changes", "--scans", "--format", "csv", *twice).out.splitlines()) == 3


def test_example_of_the_page_runs(scanner, tmp_path) -> None:
    """docs/history.md shows what the commands print for the bundled example, after an edit."""
    home = Path(__file__).parents[3]
    manual = json.loads((home / "examples/retail/manual/legacy.json").read_text())
    url = ("--dictionary", tmp_path / "retail.db")
    for directory in ("capture", "flink", "manual"):
        (tmp_path / directory).mkdir()
        for file in _files(home / "examples/retail" / directory):
            target = tmp_path / directory / file.relative_to(home / "examples/retail" / directory)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (tmp_path / "cluster.json").write_bytes((home / "examples/retail/cluster.json").read_bytes())
    for columns in (2, 1):
        manual["flows"][0]["columns"] = manual["flows"][0]["columns"][:columns]
        (tmp_path / "manual" / "legacy.json").write_text(json.dumps(manual))
        replay = ("--config", tmp_path / "cluster.json", "--replay", tmp_path / "capture")
        assert scanner("extract", *replay, *url).status == 0
        assert scanner("dataflow", *url).status == 0
    page = (home / "docs" / "history.md").read_text(encoding="utf-8")

    assert scanner("changes", 1, 2, "--flows", *url).out in page
    assert scanner("lineage", "legacy.invoices.iban", "--as-of", 1, *url).out in page


def _files(directory: Path) -> Iterator[Path]:
    return (file for file in sorted(directory.rglob("*")) if file.is_file())


def test_what_may_be_deleted_is_answered_as_of_an_earlier_scan(scanner, twice) -> None:
    """The scan that is meant is named once, however many questions the answer takes."""
    now = scanner("check", "clicks.iban", *twice)
    then = scanner("check", "clicks.iban", "--as-of", "1", *twice)

    assert now.status != 6
    assert then.status == 6
    assert "nightly" in then.out
    assert then.err.count("as of scan 1") == 1


@pytest.mark.parametrize("line", [("query", "clicks"), ("jobs",), ("tables",), ("plan", "split clicks → a, b")])
def test_every_list_takes_a_moment(scanner, twice, line) -> None:
    result = scanner(*line, "--as-of", "1", *twice)

    assert result.status == 0
    assert result.err.count("as of scan 1") == 1


def test_a_moment_goes_with_a_name_not_with_a_change(scanner, twice, tmp_path) -> None:
    (tmp_path / "clicks-value.avsc").write_text('"string"')

    result = scanner("check", tmp_path / "clicks-value.avsc", "--topic", "clicks", "--as-of", "1", *twice)

    assert result.status == 2
    assert "--as-of: it goes with the name of what would be deleted" in result.err
