"""A graph in Parquet files that is brought up to date has the rows of one made anew, whatever changed in the estate."""

from __future__ import annotations

import errno
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import changing_estate as changing
import pytest
from hypothesis import HealthCheck, given, settings
from pyarrow import parquet

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.parquet.dataset import EDGES, NODES, ParquetTables
from dataflow_generator.parquet.incremental.update import RenewedFiles, renew_graph
from dataflow_generator.parquet.manifest import MADE
from dataflow_generator.parquet.writer import write_graph
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import InputInvalid
from scanner_model.names import Role

CONNECTORS, FIELDS, estate = changing.CONNECTORS, changing.FIELDS, changing.estate


@pytest.fixture
def home(empty, tmp_path) -> Path:
    """Return a directory with a dictionary and the graph of an estate."""
    shutil.copy(empty, tmp_path / "dictionary.db")
    change(tmp_path, estate())
    write_graph(source(tmp_path), tmp_path / "graph")
    return tmp_path


def source(home: Path) -> DictionarySource:
    return DictionarySource(str(home / "dictionary.db"))


def change(home: Path, state: dict[str, Any]) -> None:
    changing.write_state(home / "dictionary.db", state).dispose()


def renewed(home: Path, **other: Any) -> RenewedFiles | None:
    change(home, estate(**other))
    return renew_graph(source(home), home / "graph")


def rows(directory: Path) -> tuple[Any, ...]:
    tables = ParquetTables(directory)
    return *(list(tables.every_row(name)) for name in (NODES, EDGES)), (directory / "_about.json").read_text()


def anew(home: Path) -> tuple[Any, ...]:
    write_graph(source(home), home / "anew")
    return rows(home / "anew")


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=changing.histories())
def test_renewed_files_have_the_rows_of_those_made_anew(empty, tmp_path_factory, history) -> None:
    """Not a row may tell in which order an estate became what it is; what is remembered is the same, too."""
    home = tmp_path_factory.mktemp("renewed")
    shutil.copy(empty, home / "dictionary.db")
    for state in history:
        change(home, state)
        if renew_graph(source(home), home / "graph") is None:
            write_graph(source(home), home / "graph")

        assert rows(home / "graph") == anew(home)
        assert made(home / "graph") == made(home / "anew")


def made(directory: Path) -> Any:
    if not (directory / MADE).exists():
        return None
    table = parquet.read_table(directory / MADE)
    return sorted(table.to_pylist(), key=repr), table.schema.metadata


def test_what_did_not_change_is_taken_over(home) -> None:
    """Of two topics one has another schema: one of the two sinks, and the query that writes it, are read again."""
    schemas = {("a.orders", Role.VALUE): FIELDS, ("b.paid", Role.VALUE): FIELDS[:2]}
    after = renewed(home, schemas=schemas)

    assert after
    assert (after.topics, after.schemas) == ((1, 2), (1, 2))
    assert after.jobs.kept < after.jobs.all == 3
    assert rows(home / "graph") == anew(home)


def test_files_of_schemas_that_did_not_change_are_the_same_files(home) -> None:
    """A second name costs nothing, however many columns they have."""
    (file,) = (home / "graph" / NODES / "kind=column").glob("schemas-*")
    before = file.stat().st_ino
    after = renewed(home, tags=("PII",))

    assert after
    assert file.stat().st_ino == before


def test_a_topic_that_went_stays_where_a_job_names_it(home) -> None:
    """Its edges lead to what is now a dataset among others, and back when it returns."""
    for topics in (("b.paid",), ("a.orders", "b.paid"), ("a.orders",), ("a.orders", "b.paid", "z")):
        assert renewed(home, topics=topics)
        assert rows(home / "graph") == anew(home)


def test_two_jobs_with_one_flow_in_common_are_made_anew(home) -> None:
    """Which of them an edge is of cannot be told from the rows."""
    ends = (("kafka://k-1:9092", "a.orders", ("id",)), ("kafka://k-1:9092", "b.paid", ("id",)))
    scan = changing.scan_of(estate(manual=[(*ends, "one"), (*ends, "two")]))
    alike = tuple(replace(flow, evidence="the same page") for flow in scan.manual_flows)
    for flows in (alike[:1], alike):
        engine = open_dictionary(str(home / "dictionary.db"))
        write_scan(engine, replace(scan, manual_flows=flows), started=changing.AT, finished=changing.AT)
        engine.dispose()

        assert (renew_graph(source(home), home / "graph") is None) == (flows == alike)


def test_definitions_come_and_go_among_the_files(home) -> None:
    """New ones join a file that is written anyway; one that returns finds its place again."""
    for fields in (FIELDS[:1], FIELDS[1:], FIELDS, FIELDS[:2]):
        assert renewed(home, schemas={("a.orders", Role.VALUE): fields, ("b.paid", Role.KEY): FIELDS[:1]})
        assert rows(home / "graph") == anew(home)


def test_an_estate_that_changed_much_can_be_left_to_others(home) -> None:
    """Half of the topics differ: Spark would be the faster one."""
    change(home, estate(topics=("a.orders",)))

    assert renew_graph(source(home), home / "graph", most=0.1) is None
    assert renew_graph(source(home), home / "graph", most=0.5)


def test_a_graph_of_another_dictionary_is_made_anew(home, empty) -> None:
    """Its schemas have other keys."""
    shutil.copy(empty, home / "dictionary.db")

    assert renewed(home, schemas={("a.orders", Role.VALUE): FIELDS[:1]}) is None


def _tell(change: dict[str, Any]) -> Any:
    def damage(graph: Path) -> None:
        table = parquet.read_table(graph / MADE)
        told = json.loads(table.schema.metadata[b"scanner"]) | change
        parquet.write_table(table.replace_schema_metadata({"scanner": json.dumps(told)}), graph / MADE)

    return damage


def _cut(name: str) -> Any:
    def damage(graph: Path) -> None:
        (file,) = graph.glob(name)
        file.write_bytes(file.read_bytes()[:-20])

    return damage


def _scratched(name: str) -> Any:
    def damage(graph: Path) -> None:
        (file,) = graph.glob(name)
        text = bytearray(file.read_bytes())
        text[4:40] = b"x" * 36
        file.write_bytes(bytes(text))

    return damage


def _gone(name: str) -> Any:
    return lambda graph: next(graph.glob(name)).unlink()


def _renamed(graph: Path) -> None:
    for file in graph.glob("*/kind=*/schemas-*"):
        file.rename(file.with_name("part-1.parquet"))


def _shorter(graph: Path) -> None:
    """Take away the last job, and say so."""
    file = graph / "nodes" / "kind=job" / "part-0.parquet"
    table = parquet.ParquetFile(file).read()
    parquet.write_table(table.slice(0, len(table) - 1), file)
    about = json.loads((graph / "_about.json").read_text())
    (graph / "_about.json").write_text(json.dumps(about | {"nodes": about["nodes"] - 1}))


@pytest.mark.parametrize(
    "damage",
    [
        _tell({"said": "another program"}),
        _tell({"said": ""}),
        _tell({"definitions": "9/x"}),
        _tell({"definitions": "x"}),
        _tell({"flowing": []}),
        _tell({"flowing": 1}),
        _tell({"rows": {}}),
        _gone(MADE),
        _gone("_about.json"),
        _gone("nodes/kind=schema/schemas-*"),
        _cut(MADE),
        _cut("nodes/kind=job/part-0.parquet"),
        _cut("edges/kind=contains/schemas-*"),
        _scratched("edges/kind=column-flow/part-0.parquet"),
        _scratched("edges/kind=contains/schemas-*"),
        _renamed,
        _shorter,
    ],
)
def test_what_this_program_did_not_write_is_made_anew(home, damage) -> None:
    """Files that are not sure are worth nothing; they stay until all of the new graph is there."""
    damage(home / "graph")
    found = sorted(file.name for file in (home / "graph").rglob("*"))

    assert renewed(home, topics=("a.orders", "z"), schemas={("a.orders", Role.VALUE): FIELDS[:2]}) is None
    assert sorted(file.name for file in (home / "graph").rglob("*")) == found


def test_events_make_all_anew(home) -> None:
    """What an event tells of a dataset bears on every job that names it; nothing is remembered of such a graph."""
    assert renewed(home, event=True) is None
    write_graph(source(home), home / "graph")

    assert not (home / "graph" / MADE).exists()


def test_a_directory_that_holds_something_else_is_refused(home) -> None:
    """It is not taken away by being brought up to date either."""
    (home / "graph" / "notes.txt").write_text("mine")

    with pytest.raises(InputInvalid, match="something else"):
        renewed(home)


class Broken(DictionarySource):
    """A dictionary at which all ends that is nearly done."""

    def newest_scan(self) -> int:
        raise KeyboardInterrupt


class Full(DictionarySource):
    """A dictionary beside which the disk is full when all is nearly written."""

    def newest_scan(self) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(("kind", "error"), [(Broken, KeyboardInterrupt), (Full, InputInvalid)])
def test_what_is_not_written_to_its_end_leaves_the_graph_before(home, kind, error) -> None:
    """Whole or not at all, and nothing lies about."""
    before, names = rows(home / "graph"), sorted(file.name for file in home.iterdir())
    change(home, estate(topics=("a.orders",)))

    with pytest.raises(error):
        renew_graph(kind(str(home / "dictionary.db")), home / "graph")
    assert rows(home / "graph") == before
    assert sorted(file.name for file in home.iterdir()) == names


def test_where_files_have_one_name_only_they_are_copied(home) -> None:
    """Of some disks, and between two, there are no second names."""
    from dataflow_generator.parquet.incremental.schemas import take_over

    def refuse(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    (file,) = (home / "graph" / NODES / "kind=column").glob("schemas-*")
    take_over(file, home / "copy", refuse)

    assert (home / "copy").read_bytes() == file.read_bytes()
    assert (home / "copy").stat().st_ino != file.stat().st_ino
