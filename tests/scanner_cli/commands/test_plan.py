"""`scanner plan`: an issue, a list of what is done, and the schemas to check."""

from __future__ import annotations

import pytest

CHANGE = "rename orders.price → amount"


@pytest.fixture
def planned(scanner, dictionary):
    """Run `scanner plan` on a dictionary with a graph."""
    scanner("dictionary", "dataflow", *dictionary)
    return lambda *line: scanner("plan", *line, *dictionary)


def test_a_plan_is_an_issue_with_a_task_for_each_step(planned, tmp_path) -> None:
    result = planned(CHANGE)
    written = planned(CHANGE, "-o", str(tmp_path / "plan.md"))

    assert result.status == 0
    assert result.out.startswith("# Plan: rename orders.price → amount\n")
    assert "- [ ] **1. Register orders-value with amount beside price**" in result.out
    assert "Passes `NONE`, `BACKWARD`" in result.out
    assert (tmp_path / "plan.md").read_text(encoding="utf-8") == result.out
    assert "5 steps" in written.err


def test_the_status_is_a_line_for_each_step(planned) -> None:
    lines = planned(CHANGE, "--status").out.splitlines()
    document = planned(CHANGE, "--status", "--format", "json").json
    tasks = [line for line in planned(CHANGE, "--status", "--format", "markdown").out.splitlines() if line[:2] == "- "]

    assert lines[0].split() == ["NUMBER", "STATUS", "TITLE", "WHY"] or "OWNER" in lines[0]
    assert len(lines) - 1 == len(document["steps"]) == len(tasks) == 5


def test_schemas_of_open_steps_are_files_that_the_check_reads(planned, scanner, dictionary, tmp_path) -> None:
    result = planned(CHANGE, "--schemas", str(tmp_path / "steps"))
    first = scanner("check", str(tmp_path / "steps/1/orders-value.avsc"), *dictionary, "--format", "json")

    assert [line.rpartition("steps/")[2] for line in result.err.splitlines()[:2]] == [
        "1/orders-value.avsc",
        "5/orders-value.avsc",
    ]
    assert "breaks" not in {finding["verdict"] for finding in first.json["findings"]}


@pytest.mark.parametrize(
    ("change", "status", "what"),
    [
        ("paint orders.price", 2, "is not a change"),
        ("rename orders.prices → amount", 4, "did you mean 'orders.price'"),
    ],
)
def test_a_change_that_cannot_be_planned_is_an_error_with_a_hint(planned, change, status, what) -> None:
    result = planned(change)

    assert result.status == status
    assert what in result.err
    assert "(" in result.err
