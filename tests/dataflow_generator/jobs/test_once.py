"""What several kinds of jobs need of a connector or a statement is read once for a generation."""

from __future__ import annotations

from pathlib import Path

from dataflow_generator.jobs.once import Once
from scanner_api import connectors, generate, open_dictionary, scan, statements

RETAIL = Path(__file__).parents[3] / "examples" / "retail"


def test_a_result_is_computed_once_for_the_same_rows() -> None:
    """Rows are told apart by identity: they are large, and one generation reads each once."""
    once, first, second = Once(), ["a"], ["a"]
    counted: list[str] = []

    results = [once.of("length", (row,), lambda: counted.append("x") or len(counted)) for row in (first, second, first)]

    assert results == [1, 2, 1]


def test_connectors_and_statements_are_read_once(tmp_path: Path, calls) -> None:
    """Jobs, their consumer groups, and columns that are derived through connectors share one reading."""
    dictionary = open_dictionary(tmp_path / "d.db", create=True)
    scan([str(RETAIL / "cluster.json")], dictionary, replay=RETAIL / "capture")

    counted = calls(lambda: generate(dictionary))

    assert counted["report_connector"] == len(connectors(dictionary))
    assert counted["read_text"] == len(statements(dictionary))
