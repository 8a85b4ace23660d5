"""Cases of OpenLineage: real events read whole, facets of the specification itself, what must be refused, names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from case_results import Deviation, FileResult

from dataflow_generator.openlineage.events import InvalidEvent, event_text, read_event
from dataflow_generator.openlineage.facets import read_facet
from dataflow_generator.openlineage.importer import texts_of
from dataflow_generator.openlineage.names import trimmed
from scanner_model.openlineage import Facet, LineageEvent

Json = Any


def lineage_events(folder: Path) -> Iterator[FileResult]:
    """Run every kind of case that is there."""
    directory = folder / "openlineage"
    for name in ("events", "events_from_templates"):
        files = sorted((directory / name).rglob("*.json"))
        if files:
            yield _result(
                f"openlineage/{name}", {str(file.relative_to(directory)): tuple(_event(file)) for file in files}
            )
    facets = sorted((directory / "spec" / "tests").rglob("*.json"))
    if facets:
        yield _result(
            "openlineage/spec/tests", {str(file.relative_to(directory)): tuple(_facets(file)) for file in facets}
        )
    negative = sorted((directory / "negative").glob("*.json"))
    if negative:
        yield _result("openlineage/negative", {file.name: tuple(_refused(file)) for file in negative})
    trimmers = directory / "naming_trimmer_cases.json"
    if trimmers.is_file():
        cases = json.loads(trimmers.read_text(encoding="utf-8"))
        yield _result(f"openlineage/{trimmers.name}", {case["in"]: tuple(_trimmed(case)) for case in cases})


def _result(name: str, result: Mapping[str, tuple[str, ...]]) -> FileResult:
    deviations = tuple(Deviation(case=case, what=what) for case, wrong in result.items() for what in wrong)
    right = sum(not wrong for wrong in result.values())
    return FileResult(file=name, right=right, total=len(result), deviations=deviations)


def _event(file: Path) -> Iterator[str]:
    """Compare what was read of a file with what its JSON holds; a file of a facet alone is read as one."""
    for text in texts_of(file):
        document = json.loads(text.text)
        if "eventTime" not in document:
            yield from _facets(file)
            continue
        event = read_event(text.text)
        if isinstance(event, InvalidEvent):
            yield f"refused: {event.problems[0]}"
            continue
        if read_event(event_text(event)) != event:
            yield "is another event when it is written and read again"
        for what, ours, expected in _compared(event, document):
            if ours != expected:
                yield f"{what}: {ours}, expected {expected}"


def _compared(event: LineageEvent, document: Json) -> Iterator[tuple[str, object, object]]:
    listed = [*(document.get("inputs") or ()), *(document.get("outputs") or ())]
    yield "datasets", [dataset.ref.name for dataset in event.datasets], [item["name"] for item in listed]
    read = [facet for dataset in event.datasets for facet in (*dataset.facets, *dataset.use_facets)]
    event_facets = [facet for item in listed for facet in (item.get("facets") or {}).items() if facet[1]]
    yield "columns", sum(len(facet.columns) for facet in read), sum(map(_columns, _named(event_facets, "schema")))
    yield "flows", sum(len(facet.flows) for facet in read), sum(map(_flows, _named(event_facets, "columnLineage")))
    links = sum(len(item["identifiers"]) for item in _named(event_facets, "symlinks"))
    yield "symlinks", sum(len(facet.symlinks) for facet in read), links
    own = sum(len(holder.get(side) or {}) for holder in listed for side in ("inputFacets", "outputFacets"))
    yield "facets", len(read), len(event_facets) + own


def _named(facets: list[tuple[str, Json]], name: str) -> list[Json]:
    return [facet for text, facet in facets if text == name]


def _columns(facet: Json) -> int:
    return sum(1 + _columns(field) for field in facet.get("fields") or ())


def _flows(facet: Json) -> int:
    """Count different flows: older producers repeat one in every field, and some repeat one in a field."""
    origins = [(None, origin) for origin in facet.get("dataset") or ()]
    origins += [(name, origin) for name, field in facet["fields"].items() for origin in field["inputFields"]]
    return len(
        {
            json.dumps([target, [origin[key] for key in ("namespace", "name", "field")], how], sort_keys=True)
            for target, origin in origins
            for how in origin.get("transformations") or [None]
        }
    )


def _facets(file: Path) -> Iterator[str]:
    document = json.loads(file.read_text(encoding="utf-8"))
    if "eventTime" in document:
        yield from _event(file)
        return
    for name, value in document.items():
        facet = read_facet(name, value)
        if facet.problems:
            yield f"{name}: {facet.problems[0]}"
        elif name in ("lineage", "columnLineage") and not _reports(facet.facet, value):
            yield f"{name}: nothing was read of it"


def _reports(facet: Facet, value: Json) -> bool:
    """Report whether anything was read; flows between jobs only are kept as received."""
    return bool(facet.flows or facet.uses) or '"DATASET"' not in json.dumps(value)


def _refused(file: Path) -> Iterator[str]:
    for text in texts_of(file):
        if not isinstance(read_event(text.text), InvalidEvent):
            yield "was not refused"


def _trimmed(case: Json) -> Iterator[str]:
    ours = trimmed(case["in"]).name
    if ours != case["out"]:
        yield f"{ours}, expected {case['out']}"
