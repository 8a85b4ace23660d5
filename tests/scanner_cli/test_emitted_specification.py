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

pytestmark = pytest.mark.slow

HOME = Path(__file__).parents[2] / "examples" / "retail"
OPTIONS = (("design",), ("run",), ("both",), ("both", "--lineage-facet", "--producer", "https://example.org/x"))


@pytest.fixture(scope="module")
def events_by_options(tmp_path_factory) -> dict[tuple[str, ...], list[Any]]:
    """Return the events of the bundled example for each of OPTIONS."""
    directory = tmp_path_factory.mktemp("events")
    at = ["--dictionary", str(directory / "d.db")]
    run(["extract", "--config", str(HOME / "cluster.json"), "--replay", str(HOME / "capture"), "--quiet", *at])
    run(["dataflow", *at])
    for number, options in enumerate(OPTIONS):
        run(["openlineage", "emit", "--as", *options, "--file", str(directory / f"{number}.ndjson"), *at])
    texts = ((options, (directory / f"{number}.ndjson").read_text()) for number, options in enumerate(OPTIONS))
    return {options: list(map(json.loads, text.splitlines())) for options, text in texts}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_facets_are_what_openlineage_python_writes(options, events_by_options, judge) -> None:
    """The same members, in the versions that it has."""
    problems = [problem for event in events_by_options[options] for problem in judge.library_problems(event)]

    assert len(events_by_options[options]) > 15
    assert problems == []


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_every_event_is_valid_by_the_specification(options, events_by_options, judge) -> None:
    """With every format in it; the schemas are not the project's."""
    folder = judge.schemas()
    if folder is None:
        pytest.skip("needs the JSON Schemas of OpenLineage: SCANNER_OPENLINEAGE_SPEC=FOLDER")
    specification = judge.Specification(folder)
    problems = {number: specification.problems(event) for number, event in enumerate(events_by_options[options])}
    sys.stdout.write(shown(" ".join(options), events_by_options[options], specification))

    assert {number: listed for number, listed in problems.items() if listed} == {}


def test_validators_find_errors(events_by_options, judge: ModuleType) -> None:
    """A validator that accepts everything would prove nothing."""
    event = next(
        event
        for event in events_by_options["run",]
        if any(dataset["facets"].get("schema") for dataset in event["outputs"])
    )
    facet = next(dataset["facets"]["schema"] for dataset in event["outputs"] if "schema" in dataset["facets"])
    facet["fields"][0] = {"type": 3, "colour": "red"}
    facet["_schemaURL"] = facet["_schemaURL"].replace("1-2-0", "1-0-0")
    problems = " ".join(judge.library_problems(event))

    assert all(word in problems for word in ("'colour'", "'name' is missing", "1-0-0", "3"))


def shown(options: str, events: list[Any], specification: Any) -> str:
    """Report how many events of which kinds were judged, with which facets."""
    kinds = Counter(event["schemaURL"].rpartition("/")[2] for event in events)
    facets = ", ".join(f"{name} ×{count}" for name, count in sorted(specification.facets.items()))
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"\n--as {options}: {len(events)} events ({listed}), {specification.facets.total()} facets: {facets}\n"
