"""Every figure of the documentation is measured by a row that runs, here on a hundredth of its size."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(FOLDER))

run = pytest.importorskip("run")
PATIENCE = 300


def measured(*names: str) -> str:
    command = [sys.executable, str(FOLDER / "run.py"), *names]
    # Coverage of processes that measure would count the same lines again, at several times their cost.
    small = {key: value for key, value in os.environ.items() if not key.startswith(("COV_", "COVERAGE_"))}
    small |= {"SCANNER_BENCH_SHARE": "0.01"}
    ended = subprocess.run(command, capture_output=True, text=True, env=small, timeout=PATIENCE)
    return ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", run.ROWS)
def test_a_row_runs(name: str) -> None:
    printed = measured(name)

    assert "failed" not in printed
    assert "| what | ours |" in printed


def test_a_row_that_fails_loses_no_other() -> None:
    def fails() -> list[object]:
        raise RuntimeError("no space")

    rows = run.measured("a", fails)

    assert [(row.name, row.met, row.detail) for row in rows] == [("a", False, "failed: RuntimeError")]
    assert "**failed**" in run.table(rows)
