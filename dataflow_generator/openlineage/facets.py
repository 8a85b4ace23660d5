"""Parse facets: validate their required members, and read columns, column flows and other names."""

from __future__ import annotations

import marshal
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from dataflow_generator.openlineage.emit.run_events import OURS, UNTYPED, Event, Home
from dataflow_generator.openlineage.redaction import canonical, clean_facet, clean_namespace, clean_text
from scanner_model.columns import Column, ColumnPath, field_segment, parse_path
from scanner_model.errors import InputInvalid, Problem
from scanner_model.openlineage import DatasetRef, Facet, FieldFlow, Side, Symlink

Json = Any
Shape = Any

_DEEPEST = 60

_FIELD: dict[str, Shape] = {"name": str}
_FIELD["fields?"] = [_FIELD]
_TRANSFORMATIONS = [{"type": str}]
_INPUT_FIELD = {"namespace": str, "name": str, "field": str, "transformations?": _TRANSFORMATIONS}
_LINEAGE_INPUT = {"type": str, "namespace?": str, "name?": str, "field?": str, "transformations?": _TRANSFORMATIONS}
_LINEAGE_FIELDS = {"*": {"inputs": [_LINEAGE_INPUT]}}
_LINEAGE_ENTRY = {
    "type": str,
    "namespace?": str,
    "name?": str,
    "inputs?": [_LINEAGE_INPUT],
    "fields?": _LINEAGE_FIELDS,
}
_JOB_ID = {"namespace": str, "name": str}
_RUN_ID = {"runId": str}
_STATISTICS = {"rowCount?": int, "size?": int, "fileCount?": int}
_COUNTS = {"rowCount?": int, "bytes?": int, "fileCount?": int}
_COLUMN_COUNTS = {"*": {"nullCount?": int, "distinctCount?": int}}
_EMISSION = {"eventTrigger": str, "eventContentMode": str, "windowDuration?": int}
_TESTED = {"name": str, "status": str}

SHAPES: Mapping[str, Shape] = {
    "catalog": {"framework": str, "type": str, "name": str},
    "columnLineage": {"fields": {"*": {"inputFields": [_INPUT_FIELD]}}, "dataset?": [_INPUT_FIELD]},
    "dataQualityAssertions": {"assertions": [{"assertion": str, "success": bool}]},
    # The specification requires `columnMetrics`; older producers report row counts only.
    "dataQualityMetrics": {"columnMetrics|rowCount": ..., "columnMetrics?": _COLUMN_COUNTS} | _COUNTS,
    "dataSource": {"name?": str, "uri?": str},
    "datasetType": {"datasetType": str},
    "documentation": {"description": str},
    "environmentVariables": {"environmentVariables": [{"name": str}]},
    "errorMessage": {"message": str, "programmingLanguage": str},
    "executionParameters": {"parameters?": [{"key": str}]},
    "externalQuery": {"externalQueryId": str, "source": str},
    "extractionError": {"errors": [{"errorMessage": str}]},
    "hierarchy": {"hierarchy": [{"type": str, "name": str}]},
    "inputStatistics": _STATISTICS,
    "jobDependencies": {"upstream?": [{"job": _JOB_ID}], "downstream?": [{"job": _JOB_ID}]},
    "jobType": {"processingType": str, "integration": str, "emissionPattern?": _EMISSION},
    "lifecycleStateChange": {"lifecycleStateChange": str, "previousIdentifier?": _JOB_ID},
    "lineage": {"inputs?": [_LINEAGE_INPUT], "fields?": _LINEAGE_FIELDS, "entries?": [_LINEAGE_ENTRY]},
    "nominalTime": {"nominalStartTime": str},
    "outputStatistics": _STATISTICS,
    "ownership": {"owners?": [{"name": str}]},
    "parent": {"run": _RUN_ID, "job": _JOB_ID, "root?": {"run": _RUN_ID, "job": _JOB_ID}},
    "processing_engine": {"version": str},
    "schema": {"fields?": [_FIELD]},
    "sourceCode": {"language": str, "sourceCode": str},
    "sourceCodeLocation": {"type": str, "url": str},
    "sql": {"query": str},
    "storage": {"storageLayer": str},
    "symlinks": {"identifiers?": [{"namespace": str, "name": str, "type": str}]},
    "tags": {"tags?": [{"key": str}]},
    "test": {"tests": [_TESTED]},
    "version": {"datasetVersion": str},
}

MAJORS: Mapping[str, int] = dict.fromkeys(SHAPES, 1) | {"jobType": 2}
"""The supported major version of each facet; later ones are not validated."""


def schema_violations(value: Json, shape: Shape, where: str, depth: int = 0) -> Iterator[Problem]:
    """Yield the violations of *shape* by *value*, whose location is *where*; up to 60 levels deep."""
    if depth > _DEEPEST:
        yield Problem(where, "nests too deeply")
    elif isinstance(shape, dict):
        if isinstance(value, dict):
            yield from _members(value, shape, where, depth + 1)
        else:
            yield Problem(where, f"is {_kind(value)}, not an object")
    elif isinstance(shape, list):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from schema_violations(item, shape[0], f"{where}[{index}]", depth + 1)
        else:
            yield Problem(where, f"is {_kind(value)}, not an array")
    elif not _is_a(value, shape):
        yield Problem(where, f"is {_kind(value)}, not {_WANTED[shape]}")


_WANTED: Mapping[type, str] = {str: "a string", bool: "true or false", int: "a whole number"}


def _is_a(value: Json, expected: type) -> bool:
    if expected is int:
        is_integer = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return is_integer and not isinstance(value, bool)
    return isinstance(value, expected)


def _members(value: dict[str, Json], shape: dict[str, Shape], where: str, depth: int) -> Iterator[Problem]:
    for name, inner in shape.items():
        if name == "*":
            for key, item in value.items():
                yield from schema_violations(item, inner, f"{where}.{key}", depth)
            continue
        if "|" in name:
            if all(value.get(member_name) is None for member_name in name.split("|")):
                yield Problem(where, f"has none of the members {name.split('|')}", "the specification requires it")
            continue
        member = name.removesuffix("?")
        member_value = value.get(member)
        if member_value is not None:
            yield from schema_violations(member_value, inner, f"{where}.{member}", depth)
        elif member == name:
            yield Problem(where, f"the member {member!r} is missing", "the specification requires it")


def _kind(value: Json) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


PathReader = Callable[[str], ColumnPath]

_MAJOR = re.compile(r"/spec/facets/(\d{1,9})-\d+-\d+/")
_CACHED_LENGTH = 20_000
_DATASET, _JOB = "DATASET", "JOB"


class FacetReading(NamedTuple):
    """A facet, and its problems with their locations in it; a facet with problems is rejected."""

    facet: Facet
    problems: tuple[Problem, ...] = ()


def read_facet(name: str, value: dict[str, Json]) -> FacetReading:
    """Parse the facet *name*; an unknown one, or one of a future version, is stored as received."""
    try:
        # Cached, because runs of one job repeat most of their facets. Version 2 of marshal writes no references,
        # which differ between equal values.
        packed = marshal.dumps(value, 2)
    except ValueError as error:
        raise RecursionError from error
    return _cached(name, packed) if len(packed) <= _CACHED_LENGTH else _read(name, value)


@lru_cache(maxsize=4_096)
def _cached(name: str, packed: bytes) -> FacetReading:
    return _read(name, marshal.loads(packed))  # noqa: S302 - bytes that the caller just created from JSON


def _read(name: str, value: dict[str, Json]) -> FacetReading:
    removed, future = value.get("_deleted") is True, _is_future(name, value)
    known = name in SHAPES and not removed and not future
    problems = tuple(schema_violations(value, SHAPES[name], "")) if known else ()
    cleaned = clean_facet(name, value)
    read: dict[str, Any] = _READERS[name](cleaned) if known and not problems and name in _READERS else {}
    facet = Facet(name=name, body=canonical(cleaned), removed=removed, future=future, **read)
    return FacetReading(facet, problems)


def _is_future(name: str, value: Mapping[str, Json]) -> bool:
    match = _MAJOR.search(str(value.get("_schemaURL") or ""))
    return bool(match and name in MAJORS and int(match[1]) > MAJORS[name])


def _path_reader(facet: Json) -> PathReader:
    """Return the reader of field names: in our own facets they are paths, in those of others one segment."""
    return _our_path if str(facet.get("_producer") or "").startswith(OURS) else _one_segment


def _one_segment(name: str) -> ColumnPath:
    return (field_segment(name),)


def _our_path(name: str) -> ColumnPath:
    try:
        return parse_path(name) or _one_segment(name)
    except InputInvalid:
        return _one_segment(name)


def _schema(facet: Json) -> dict[str, Any]:
    columns: dict[ColumnPath, Column] = {}
    for column in _columns(facet.get("fields") or (), (), _path_reader(facet)):
        columns.setdefault(column.path, column)  # our run events list nested fields in flows twice
    return {"columns": tuple(columns.values())}


def _columns(fields: Iterable[Json], above: ColumnPath, read: PathReader) -> Iterator[Column]:
    names: set[str] = set()
    for field in fields:
        if field["name"] in names:  # of duplicate columns the first counts, as in a schema
            continue
        names.add(field["name"])
        path = (*above, *read(field["name"]))
        type_, doc = field.get("type"), field.get("description")
        known = isinstance(type_, str) and type_ != UNTYPED
        yield Column(path=path, type=type_ if known else "", doc=doc if isinstance(doc, str) else None)
        yield from _columns(field.get("fields") or (), path, read)


def _symlinks(facet: Json) -> dict[str, Any]:
    symlinks = (
        Symlink(
            namespace=clean_namespace(identifier["namespace"]),
            name=clean_text(identifier["name"]),
            kind=identifier["type"].upper(),
        )
        for identifier in facet.get("identifiers") or ()
    )
    return {"symlinks": tuple(dict.fromkeys(symlinks))}


def _column_lineage(facet: Json) -> dict[str, Any]:
    read = _path_reader(facet)
    flows = [flow for origin in facet.get("dataset") or () for flow in _flows(origin, read)]
    for name, field in sorted(facet["fields"].items()):
        older = _older_transformation(field)
        for origin in field["inputFields"]:
            flows += _flows(origin, read, read(name), older=older)
    return {"flows": tuple(dict.fromkeys(flows))}


def _older_transformation(field: Json) -> Json:
    """Return the transformation that versions before 1-1-0 have for all inputs of a field: IDENTITY or MASKED."""
    kind = field.get("transformationType")
    if not isinstance(kind, str) or not kind:
        return {}
    subtype = "IDENTITY" if kind.upper() == "IDENTITY" else "TRANSFORMATION"
    description = field.get("transformationDescription")
    return {"type": "DIRECT", "subtype": subtype, "description": description, "masking": kind.upper() == "MASKED"}


def _lineage(facet: Json) -> dict[str, Any]:
    """Read the `lineage` facet: of a dataset (its inputs) or of a job (entries with their own targets)."""
    read = _path_reader(facet)
    flows: list[FieldFlow] = []
    uses: list[tuple[DatasetRef, Side]] = []
    for entry in (facet, *(facet.get("entries") or ())):
        target = _ref(entry) if entry is not facet and entry["type"] == _DATASET else None
        if target:
            uses.append((target, Side.OUTPUT))
        feeds_job = entry is not facet and target is None
        for origin in entry.get("inputs") or ():
            uses += _input(origin)
            if origin.get("field") is not None and not feeds_job:
                flows += _flows(origin, read, None, target)
        for name, field in sorted((entry.get("fields") or {}).items()):
            for origin in field["inputs"]:
                uses += _input(origin)
                flows += _flows(origin, read, read(name), target)
    return {"flows": tuple(dict.fromkeys(flows)), "uses": tuple(dict.fromkeys(uses))}


def _input(origin: Json) -> list[tuple[DatasetRef, Side]]:
    ref = _ref(origin) if origin["type"] == _DATASET else None
    return [(ref, Side.INPUT)] if ref else []


def _flows(
    origin: Json,
    read: PathReader,
    target_path: ColumnPath | None = None,
    target: DatasetRef | None = None,
    *,
    older: Json = None,
) -> Iterator[FieldFlow]:
    """Yield a flow for each transformation of *origin*; a job that generates values is not an origin."""
    ref = _ref(origin) if origin.get("type", _DATASET) == _DATASET else None
    if ref is None:
        return
    field = origin.get("field")
    for transformation in origin.get("transformations") or [older or {}]:
        yield FieldFlow(
            origin=ref,
            origin_path=None if field is None else read(field),
            target_path=target_path,
            target=target,
            type=_word(transformation, "type"),
            subtype=_word(transformation, "subtype"),
            description=str(transformation.get("description") or ""),
            masking=transformation.get("masking") is True,
        )


def _ref(value: Json) -> DatasetRef | None:
    namespace, name = value.get("namespace"), value.get("name")
    return DatasetRef(clean_namespace(namespace), clean_text(name)) if namespace is not None and name else None


def _word(transformation: Json, member: str) -> str:
    word = transformation.get(member)
    return word.upper() if isinstance(word, str) else ""


_READERS: Mapping[str, Callable[[Json], dict[str, Any]]] = {
    "columnLineage": _column_lineage,
    "lineage": _lineage,
    "schema": _schema,
    "symlinks": _symlinks,
}


_VERSION = re.compile(r"/(\d+-\d+-\d+)/[^/]+$")


class FacetCount(NamedTuple):
    """How often a facet of one kind of entity occurred, in one version (empty: none is named)."""

    facet: str
    of: str
    version: str
    times: int


class EventStatistics:
    """Counts events by kind, and their facets by name, home and version."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._facets: Counter[tuple[str, str, str]] = Counter()

    def count(self, event: Event) -> Event:
        """Count *event*, and return it."""
        self._kinds[str(event["schemaURL"]).rpartition("/")[2]] += 1
        for home, facets in _holders(event):
            for name, facet in facets.items():
                version = _VERSION.search(str(facet.get("_schemaURL", "")).partition("#")[0])
                self._facets[name, str(home), version[1] if version else ""] += 1
        return event

    @property
    def events(self) -> int:
        """Return the number of events."""
        return self._kinds.total()

    @property
    def kinds(self) -> dict[str, int]:
        """Return the number of events by kind."""
        return dict(sorted(self._kinds.items()))

    @property
    def facets(self) -> list[FacetCount]:
        """Return the counts of facets, sorted by name."""
        return [FacetCount(*key, count) for key, count in sorted(self._facets.items())]


def _holders(event: Event) -> Iterator[tuple[Home, Mapping[str, Json]]]:
    """Yield the facets in *event*, each with the kind of entity that it describes."""
    for member, home in (("run", Home.RUN), ("job", Home.JOB), ("dataset", Home.DATASET)):
        if member in event:
            yield home, event[member]["facets"]
    for side in ("inputs", "outputs"):
        yield from ((Home.DATASET, dataset["facets"]) for dataset in event.get(side, ()))
