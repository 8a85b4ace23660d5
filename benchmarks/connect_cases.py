"""Cases of connectors: configuration to datasets, to flows, to topics; what transforms make of topics and columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from case_results import Deviation, FileResult, Reason

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Dataset, Direction, read_connector
from dataflow_generator.connectors.columns import columns_through
from dataflow_generator.connectors.dataset_names import jdbc_dataset, located_table, object_path
from dataflow_generator.connectors.jdbc_urls import snowflake_account
from dataflow_generator.connectors.transforms.model import Record, TracedColumn
from dataflow_generator.connectors.transforms.registry import Chain
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.columns import ColumnPath, parse_path

Case = Mapping[str, Any]
Judge = Callable[[Case], Iterator[Deviation]]


def connectors(folder: Path) -> Iterator[FileResult]:
    """Run every file of connectors, transforms and dataset names that is there."""
    for name, judge in _FILES.items():
        path = folder / name
        if not path.is_file():
            continue
        cases = _cases(path)
        deviations = [tuple(judge(case)) for case in cases]
        yield FileResult(
            file=name,
            right=sum(not deviation for deviation in deviations),
            total=len(cases),
            deviations=tuple(deviation for listed in deviations for deviation in listed),
        )


def _cases(path: Path) -> list[Case]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    document = json.loads(text)
    listed: list[Case] = document["cases"] if isinstance(document, dict) else document
    return listed


def _visitor(case: Case) -> Iterator[Deviation]:
    """Compare datasets; where the extension is known to be wrong, the specification's form counts."""
    flows = _read(case)
    for side, ours in (("inputs", flows.inputs), ("outputs", flows.outputs)):
        expected = sorted(map(tuple, case[side]))
        actual = sorted((dataset.namespace, dataset.name) for dataset in ours)
        if expected != actual:
            known = len(expected) == len(actual) and all(map(_corrected, expected, actual))
            yield Deviation(
                case=case["id"],
                what=f"{side}: {actual}, expected {expected}",
                reason=Reason.SPECIFICATION if known else None,
            )


def _corrected(expected: tuple[str, str], actual: tuple[str, str]) -> bool:
    """Report whether *actual* is the specification's form: HDFS begins with a slash, Snowflake is an account."""
    if expected[0].startswith("hdfs:"):
        return actual == (expected[0], f"/{expected[1]}")
    host = expected[0].removeprefix("snowflake://")
    return actual == (f"snowflake://{snowflake_account(host)}", expected[1]) or actual == expected


def _lineage(case: Case) -> Iterator[Deviation]:
    flows = _read(case)
    expected = sorted((_end(edge["source"]), _end(edge["target"])) for edge in case["expected"])
    actual = sorted((_platform(flow.source), _platform(flow.target)) for flow in flows.flows)
    folded = [[tuple(map(str.lower, end)) for end in edge] for edge in expected]
    # A null name says that the case does not contain it: an unknown end, whatever its system, is as right.
    unnamed = [[end if end[1] else ("", "") for end in edge] for edge in folded]
    ours = [[tuple(map(str.lower, end)) for end in edge] for edge in actual]
    if ours != unnamed and not _named_where_open(unnamed, ours):
        yield Deviation(case=case["id"], what=f"{actual}, expected {expected}")
    yield from _columns_of(case, flows)


def _named_where_open(expected: list[list[tuple[str, ...]]], ours: list[list[tuple[str, ...]]]) -> bool:
    pairs = [pair for item, other in zip(expected, ours, strict=False) for pair in zip(item, other, strict=True)]
    return len(expected) == len(ours) and all(item in (("", ""), other) for item, other in pairs)


def _columns_of(case: Case, flows: ConnectorFlows) -> Iterator[Deviation]:
    columns_by_dataset = case.get("given_columns", {})
    for edge in case["expected"]:
        columns = columns_by_dataset.get(f"{edge['source']['system']} {edge['source']['dataset']}")
        if "columns" not in edge or columns is None:
            continue
        config = _connector(case).config
        topic = next((flow.topic for flow in flows.flows if _platform(flow.source) == _end(edge["source"])), "")
        record = columns_through(config, flows.shape, topic, [parse_path(name) for name in columns])
        value = record.value
        if value is None:
            masked = any(set(text) == {"*"} for key, text in config.pairs if key.endswith(".type"))
            yield Deviation(
                case=case["id"], what="the columns cannot be determined", reason=Reason.MASKED_CLASS if masked else None
            )
            continue
        # An envelope holds the row twice, and the case names the newer one.
        actual = [[_dotted(column.origin[1]), _dotted(column.path)] for column in value if column.origin]
        actual = [pair for pair in actual if not pair[1].startswith("before.")]
        if sorted(actual) != sorted(edge["columns"]):
            yield Deviation(case=case["id"], what=f"columns {actual}, expected {edge['columns']}")


def _topics(case: Case) -> Iterator[Deviation]:
    flows = _read(case)
    datasets = flows.inputs if flows.direction is Direction.SINK else flows.outputs
    expected = case["expected_topics"]
    if expected is None:
        expected = [f"regex:{case['expected_pattern']}"]
    actual = sorted(dataset.name for dataset in datasets)
    if actual != sorted(expected):
        yield Deviation(case=case["id"], what=f"{actual}, expected {expected}")


def _smt_topics(case: Case) -> Iterator[Deviation]:
    chain = Chain.of(Config.of(case["config"]))
    templates = [template for name in case["topics"] for template in chain.names(name)]
    if case["expected"] is not None:
        names = [template and template.name for template in templates]
        right = names == case["expected"]
    elif "expected_pattern" in case:
        right = [template and template.pattern for template in templates] == [case["expected_pattern"]]
    else:
        right = templates == [None] and bool(list(chain.problems()))
    if not right:
        shown = [
            template and (template.name if template.name is not None else template.pattern) for template in templates
        ]
        yield Deviation(case=case["id"], what=f"{shown}, expected {case['expected']}")


def _smt_fields(case: Case) -> Iterator[Deviation]:
    chain = Chain.of(Config.of(case["config"]))
    record = Record.of([parse_path(name) for name in case["columns"]])
    routes = chain.routes(Template.of("topic"), record)
    value = routes[0].record.value
    if len(routes) != 1 or value is None:
        yield Deviation(case=case["id"], what="the columns cannot be determined")
        return
    actual: dict[str, object] = dict.fromkeys(case["columns"])
    actual |= {_dotted(column.origin[1]): _dotted(column.path) for column in value if column.origin}
    checks = {
        "expected": actual,
        "added": _names(value, lambda column: column.origin is None),
        "masked": _names(value, lambda column: column.masked),
        "transformed": _names(value, lambda column: column.changed),
        "key": {
            _dotted(column.origin[1]): _dotted(column.path) for column in routes[0].record.key or () if column.origin
        },
    }
    for member, ours in checks.items():
        expected = sorted(case[member]) if isinstance(case.get(member), list) else case.get(member, ours)
        if ours != expected:
            yield Deviation(case=case["id"], what=f"{member}: {ours}, expected {expected}")


def _dotted(path: ColumnPath) -> str:
    """Write a path as the cases do, who quote nothing."""
    return ".".join(path)


def _names(columns: tuple[TracedColumn, ...], wanted: Callable[[TracedColumn], bool]) -> list[str]:
    return sorted(_dotted(column.path) for column in columns if wanted(column))


def _jdbc_name(case: Case) -> Iterator[Deviation]:
    name = f"{case['dialect']} {case['jdbc_url'][:60]}"
    yield from _compared(name, jdbc_dataset(case["jdbc_url"], case["table"]), case)


def _file_name(case: Case) -> Iterator[Deviation]:
    uri = case["uri"]
    dataset = located_table(uri, case["table"]) if "table" in case else object_path(uri)
    yield from _compared(f"{uri} {case.get('table', '')}", dataset, case)


def _compared(name: str, dataset: Dataset, case: Case) -> Iterator[Deviation]:
    if (dataset.namespace, dataset.name) != (case["namespace"], case["name"]):
        # The folder of an embedded database without a path is a property of the machine that opens it.
        known = Reason.MACHINE if case.get("jdbc_url", "").endswith(":derby:") else None
        expected = f"{case['namespace']} {case['name']}"
        yield Deviation(case=name, what=f"{dataset.namespace} {dataset.name}, expected {expected}", reason=known)


def _account(case: Case) -> Iterator[Deviation]:
    actual = snowflake_account(case["url"])
    if actual != case["account"]:
        yield Deviation(case=case["url"], what=f"{actual}, expected {case['account']}")


def _read(case: Case) -> ConnectorFlows:
    return read_connector(_connector(case))


def _connector(case: Case) -> Connector:
    connector = case.get("connector", case)
    topics = case.get("topics_seen")
    tables = case.get("given_tables")
    return Connector(
        name=connector.get("name", case["id"]),
        config=Config.of(connector["config"]),
        direction=Direction(connector["type"]) if "type" in connector else None,
        # An empty list says that the worker was not queried.
        active=tuple(topics) if topics else None,
        known=tuple(sorted(topics)) if topics else None,
        tables=tuple(tables) if tables else None,
    )


def _end(end: Case) -> tuple[str, str]:
    return (end["system"] or "", end["dataset"] or "")


def _platform(dataset: Dataset | None) -> tuple[str, str]:
    """Return a dataset as the cases name it: a word for the system, and a name that holds the bucket."""
    if dataset is None:
        return ("", "")
    system, _, authority = dataset.namespace.partition("://")
    name = f"{authority}/{dataset.name}" if system in ("s3", "gs", "abfss") else dataset.name
    return ({"sqlserver": "mssql"}.get(system, system), name)


_FILES: Mapping[str, Judge] = {
    "connect/visitors.json": _visitor,
    "connect/lineage.jsonl": _lineage,
    "connect/topics.jsonl": _topics,
    "connect/smt_topics.jsonl": _smt_topics,
    "connect/smt_fields.jsonl": _smt_fields,
    "openlineage/naming_jdbc_cases.json": _jdbc_name,
    "openlineage/naming_filesystem_cases.json": _file_name,
    "openlineage/naming_snowflake_cases.json": _account,
}
