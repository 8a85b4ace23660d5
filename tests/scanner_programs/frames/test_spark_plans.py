"""Programs of PySpark in many styles: their columns are those of the plans that Spark makes of them.

`data/plans.json` has the plans' columns as `spark_plans.py` prints them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scanner_model.columns import KEY, field_name
from scanner_programs.frames.reader import read_jobs
from scanner_programs.frames.spark import Sink
from scanner_programs.frames.values import Origin, Value

_DATA = Path(__file__).parent / "data"
_PROGRAMS = sorted((_DATA / "programs").glob("*.py"))
_PLANS = json.loads((_DATA / "plans.json").read_text())
_UNRESOLVED = {
    "p16_joins": "which of two tables has a column is known to Spark's catalog only",
}
"""Programs with columns that a program's text alone does not tell; each has to be reported."""


def _plain(name: str) -> str:
    """Return a name with the defaults of its settings."""
    return re.sub(r"\$\{[^:}]*:([^}]*)\}", r"\1", name)


def _shown(origin: Origin) -> str:
    dataset, path = origin
    return ".".join((_plain(dataset.name), *(part for part in path if part == KEY or field_name(part) is not None)))


def _written(sink: Sink) -> dict[str, Value]:
    """Return the columns of a table, or the fields of the messages of a topic."""
    if not sink.is_topic:
        return {out.name: out.value for out in sink.frame.columns}
    value = sink.frame.named("value")
    return dict(value.value.parts or ()) if value is not None else {}


def _read(path: Path) -> tuple[dict[str, dict[str, Value]], list[str], set[str]]:
    (program,) = read_jobs({path.name: path.read_text()}, [path.name], lambda _: None)
    targets: dict[str, dict[str, Value]] = {}
    used: set[str] = set()
    for sink in program.job.sinks:
        targets.setdefault(_plain(sink.target.name if sink.target else ""), {}).update(_written(sink))
        used |= {_shown(origin) for origin, _ in sink.frame.deciders}
        used |= {_shown(origin) for out in sink.frame.columns for origin in out.value.every}
    problems = [what for _, what in program.job.problems]
    problems += [what for sink in program.job.sinks for what in sink.frame.problems]
    return targets, problems, used


@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.stem)
def test_columns_are_those_of_the_plan(path: Path) -> None:
    """The conditions of CASE, and what windows partition and sort by, are origins for Spark and decide here."""
    targets, problems, used = _read(path)
    plan = _PLANS[path.stem]

    if path.stem in _UNRESOLVED:
        assert problems
        return
    assert problems == []
    for target, known in plan.items():
        names = [name for name in targets if target == "?" or target.endswith(name) or name.endswith(target)]
        assert names, f"{target} is not written"
        for name in names:
            assert set(targets[name]) == set(known["columns"])
            for column, origins in known["columns"].items():
                value = targets[name][column]
                shown = ({_shown(origin) for origin in value.origins}, {_shown(origin) for origin in value.every})
                assert set(origins) in shown, f"{name}.{column}"
    assert used == {name for known in plan.values() for name in known["uses"]}


@pytest.mark.spark
@pytest.mark.slow
def test_stored_plans_are_those_of_spark() -> None:
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("PySpark or Java is not installed")
    oracle = Path(__file__).with_name("spark_plans.py")

    answer = subprocess.run([sys.executable, str(oracle), *map(str, _PROGRAMS)], capture_output=True, check=True)

    assert json.loads(answer.stdout) == _PLANS
