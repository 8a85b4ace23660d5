"""SHAPES: what the facets that we read must hold, as the specification requires it; everything else may be absent.

A shape is a type (int is any whole number), a list of one shape, or members: a name with `?` may be absent or null, `*`
stands for every member, and of names with `|` between one must be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scanner_model.problems import Problem

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
_TESTED = {"name": str, "status": str}

SHAPES: Mapping[str, Shape] = {
    "catalog": {"framework": str, "type": str, "name": str},
    "columnLineage": {"fields": {"*": {"inputFields": [_INPUT_FIELD]}}, "dataset?": [_INPUT_FIELD]},
    "dataQualityAssertions": {"assertions": [{"assertion": str, "success": bool}]},
    # The specification requires `columnMetrics`; older producers tell of rows alone.
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
    "jobType": {"processingType": str, "integration": str},
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
"""The major version of each facet that we know; what a later one requires we cannot judge."""


def misfits(value: Json, shape: Shape, where: str, depth: int = 0) -> Iterator[Problem]:
    """Find what *shape* requires and *value*, which stands at *where*, does not hold; deeper than 60 levels is not."""
    if depth > _DEEPEST:
        yield Problem(where, "nests too deeply to be read")
    elif isinstance(shape, dict):
        if isinstance(value, dict):
            yield from _members(value, shape, where, depth + 1)
        else:
            yield Problem(where, f"is {_kind(value)}, not an object")
    elif isinstance(shape, list):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from misfits(item, shape[0], f"{where}[{index}]", depth + 1)
        else:
            yield Problem(where, f"is {_kind(value)}, not an array")
    elif not _is_a(value, shape):
        yield Problem(where, f"is {_kind(value)}, not {_WANTED[shape]}")


_WANTED: Mapping[type, str] = {str: "a string", bool: "true or false", int: "a whole number"}


def _is_a(value: Json, wanted: type) -> bool:
    if wanted is int:
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return is_whole and not isinstance(value, bool)
    return isinstance(value, wanted)


def _members(value: dict[str, Json], shape: dict[str, Shape], where: str, depth: int) -> Iterator[Problem]:
    for name, inner in shape.items():
        if name == "*":
            for key, item in value.items():
                yield from misfits(item, inner, f"{where}.{key}", depth)
            continue
        if "|" in name:
            if all(value.get(each) is None for each in name.split("|")):
                yield Problem(where, f"has none of the members {name.split('|')}", "the specification requires it")
            continue
        member = name.removesuffix("?")
        found = value.get(member)
        if found is not None:
            yield from misfits(found, inner, f"{where}.{member}", depth)
        elif member == name:
            yield Problem(where, f"the member {member!r} is missing", "the specification requires it")


def _kind(value: Json) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
