"""`scanner dataflow` once more: what it keeps is said, and the files are the same."""

from __future__ import annotations


def test_a_second_run_keeps_everything_and_writes_the_same_files(scanner, own_dictionary, tmp_path) -> None:
    """Nothing changed in between; the answer on stdout is the files as before."""
    runs = [scanner("dataflow", "--dictionary", str(own_dictionary), "--output", str(tmp_path / name)) for name in "ab"]

    assert [run.status for run in runs] == [0, 0]
    assert "reused" not in runs[0].err
    assert "reused " in runs[1].err
    for file in ("graph.json", "graph.dot"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
        assert str(tmp_path / "b" / file) in runs[1].out


def test_full_keeps_nothing(scanner, own_dictionary) -> None:
    """For who does not believe it."""
    scanner("dataflow", "--dictionary", str(own_dictionary))
    said = scanner("dataflow", "--full", "--dictionary", str(own_dictionary))

    assert said.status == 0
    assert "reused" not in said.err
