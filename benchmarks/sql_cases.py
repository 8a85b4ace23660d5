"""Cases of streaming SQL: statements that the engines accept must be read; column lineage must be the engine's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from case_results import Deviation, FileResult, Reason

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import Effect, SqlFlow, StatementFlows
from dataflow_generator.sql.reader import read_sql

Json = Any
_VALID = ("flink_statements_valid.json", "ksqldb_statements_valid.json")
_LINEAGE = ("flink_column_lineage.json", "ksqldb_column_lineage.json")
_STRONGEST = (Effect.AGGREGATION, Effect.TRANSFORMATION, Effect.IDENTITY)
_NO_KIND = ("CONSTANT", "WINDOW")

Columns = dict[str, set[tuple[str, str]]]


def valid_statements(folder: Path) -> Iterator[FileResult]:
    """Read each statement by itself: a construct that is not known is a deviation."""
    for name in _VALID:
        cases = _cases(folder / "sql" / name)
        if not cases:
            continue
        dialect = Dialect.FLINK if name.startswith("flink") else Dialect.KSQLDB
        deviations = []
        for number, case in enumerate(cases):
            problems = [problem for flows in read_sql(case["sql"], dialect) for problem in flows.problems]
            if problems:
                deviations.append(Deviation(case=f"statement {number}", what=str(problems[0])))
        right = len(cases) - len(deviations)
        yield FileResult(file=name, right=right, total=len(cases), deviations=tuple(deviations))


def column_lineage(folder: Path) -> Iterator[FileResult]:
    """Compare the sources of every column, and of every case its tables; how a column is made is a remark."""
    for name in _LINEAGE:
        cases = _cases(folder / "sql" / name)
        if not cases:
            continue
        read = [(case, _last(case)) for case in cases]
        wrong = [deviation for case, flows in read if (deviation := _deviation(case, flows)) is not None]
        kinds = sum(not list(_other_kinds(case, flows)) for case, flows in read)
        yield FileResult(
            file=name,
            right=len(cases) - len(wrong),
            total=len(cases),
            deviations=tuple(wrong),
            remark=f"{kinds} with every column's kind as the engine's plan has it",
        )


def _cases(path: Path) -> list[Json]:
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def _last(case: Json) -> StatementFlows:
    text = ";\n".join([statement.strip().rstrip(";") for statement in [*case["ddl"], case["sql"]]])
    return read_sql(text, Dialect(case["dialect"]))[-1]


def _deviation(case: Json, flows: StatementFlows) -> Deviation | None:
    expected, direct = _expected(case), _sources_by_column(case, flows, direct=True)
    tables = sorted(source["name"] if isinstance(source, dict) else source for source in case["sources"])
    if expected == direct and tables == list(flows.sources) and not flows.problems:
        return None
    reason = _reason(case, expected, direct, _sources_by_column(case, flows, direct=False))
    differing = sorted(name for name in expected | direct if expected.get(name) != direct.get(name))
    what = "; ".join(f"{name}: {_shown(direct, name)} for {_shown(expected, name)}" for name in differing)
    return Deviation(case=case["id"], what=what or f"{flows.sources} {flows.problems}", reason=reason)


def _expected(case: Json) -> Columns:
    topics = {source["topic"]: source["name"] for source in case["sources"] if isinstance(source, dict)}
    columns: Columns = {}
    for column in case["expected"]:
        sources = {
            (source.get("table") or topics.get(source["topic"], source["topic"]), _path(source))
            for source in column["sources"]
        }
        if sources:
            columns[column["target_column"]] = sources
    return columns


def _path(source: Json) -> str:
    return ".".join([source["column"], *([source["path"]] if source.get("path") else [])])


def _sources_by_column(case: Json, flows: StatementFlows, *, direct: bool) -> Columns:
    """Return the direct sources of each column, or all of them with the indirect ones."""
    columns: Columns = {}
    for flow in flows.flows:
        if flow.target.path and (not direct or flow.effect.type == "DIRECT"):
            path = flow.source.path if case["dialect"] == "ksqldb" else flow.source.path[:1]
            columns.setdefault(flow.target.path[0], set()).add((flow.source.dataset, ".".join(path)))
    return columns


def _reason(case: Json, expected: Columns, direct: Columns, every: Columns) -> Reason | None:
    names = [name for name in expected | direct if expected.get(name) != direct.get(name)]
    if all(expected.get(name, set()) == every.get(name, set()) for name in names):
        return Reason.OVER_KEYS
    if case.get("convention") and all(name not in every for name in names):
        return Reason.COMPUTED_COLUMN
    combined = {source for name in names for source in expected.get(name, set())}
    if combined == {source for name in names for source in direct.get(name, set())}:
        return Reason.COMBINED_KEY
    return None


def _shown(columns: Columns, name: str) -> str:
    return ", ".join(".".join(source) for source in sorted(columns.get(name, set()))) or "nothing"


def _other_kinds(case: Json, flows: StatementFlows) -> Iterator[str]:
    for column in case["expected"]:
        kind = column.get("kind")
        effects = {flow.effect for flow in flows.flows if _is_direct(flow, column["target_column"])}
        mine = next((str(effect) for effect in _STRONGEST if effect in effects), "")
        if kind and kind != mine and not (kind in _NO_KIND and not mine) and (column["sources"] or mine):
            yield f"{case['id']} {column['target_column']}: {mine} for {kind}"


def _is_direct(flow: SqlFlow, column: str) -> bool:
    return flow.target.path == (column,) and flow.effect.type == "DIRECT"
