"""Every event that the bundled example gives, judged by openlineage-python's types and the specification's schemas.

`SCANNER_OPENLINEAGE_SPEC=FOLDER pytest -s tests/scanner_cli/test_emitted_specification.py` prints what was judged.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scanner_cli.main import run

HOME = Path(__file__).parents[2] / "examples" / "retail"
WAYS = (("design",), ("run",), ("both",), ("both", "--lineage-facet", "--producer", "https://example.org/x"))


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[tuple[str, ...], list[Any]]:
    """Return the bundled example in each way."""
    directory = tmp_path_factory.mktemp("told")
    at = ["--dictionary", str(directory / "d.db")]
    run(["extract", "--config", str(HOME / "cluster.json"), "--replay", str(HOME / "capture"), "--quiet", *at])
    run(["dataflow", *at])
    for number, way in enumerate(WAYS):
        run(["openlineage", "emit", "--as", *way, "--file", str(directory / f"{number}.ndjson"), *at])
    texts = ((way, (directory / f"{number}.ndjson").read_text()) for number, way in enumerate(WAYS))
    return {way: list(map(json.loads, text.splitlines())) for way, text in texts}


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_facets_are_what_openlineage_python_writes(way, told, judge) -> None:
    """The same members, in the versions that it has."""
    problems = [problem for event in told[way] for problem in judge.library_problems(event)]

    assert len(told[way]) > 15
    assert problems == []


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_every_event_is_valid_by_the_specification(way, told, judge) -> None:
    """With every format in it; the schemas are not the project's."""
    folder = judge.schemas()
    if folder is None:
        pytest.skip("needs the JSON Schemas of OpenLineage: SCANNER_OPENLINEAGE_SPEC=FOLDER")
    specification = judge.Specification(folder)
    problems = {number: specification.problems(event) for number, event in enumerate(told[way])}
    sys.stdout.write(shown(" ".join(way), told[way], specification))

    assert {number: each for number, each in problems.items() if each} == {}


def test_judges_find_what_is_wrong(told, judge: ModuleType) -> None:
    """A judge that says yes to everything is none."""
    event = next(event for event in told["run",] if any(each["facets"].get("schema") for each in event["outputs"]))
    facet = next(each["facets"]["schema"] for each in event["outputs"] if "schema" in each["facets"])
    facet["fields"][0] = {"type": 3, "colour": "red"}
    facet["_schemaURL"] = facet["_schemaURL"].replace("1-2-0", "1-0-0")
    found = " ".join(judge.library_problems(event))

    assert all(word in found for word in ("'colour'", "'name' is missing", "1-0-0", "3"))


def shown(way: str, events: list[Any], specification: Any) -> str:
    """Report how many events of which kinds were judged, with which facets."""
    kinds = Counter(event["schemaURL"].rpartition("/")[2] for event in events)
    facets = ", ".join(f"{name} ×{count}" for name, count in sorted(specification.facets.items()))
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"\n--as {way}: {len(events)} events ({listed}), {specification.facets.total()} facets: {facets}\n"
