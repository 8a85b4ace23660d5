"""Every file of `cases`: SQL, a line `---`, and what is read of it. A new rule, or a mended defect, starts there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import SqlColumn, StatementFlows
from dataflow_generator.sql.reader import read_sql
from scanner_model.columns import path_name

FOLDER = Path(__file__).parent / "cases"
FILES = sorted(FOLDER.glob("*/*.case"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_statements_are_read_as_the_case_file_states(file: Path) -> None:
    """One rule, one file: its name says what is right."""
    sql, _, expected = file.read_text(encoding="utf-8").partition("---\n")

    assert shown(sql, Dialect(file.parent.name)) == expected


def shown(sql: str, dialect: Dialect) -> str:
    """Write what is read of the statements that move data, or that something is to be said of."""
    return "".join(f"{line}\n" for flows in read_sql(sql, dialect) for line in _statement(flows))


def _statement(flows: StatementFlows) -> Iterator[str]:
    if not (flows.sources or flows.sinks or flows.problems or flows.unresolved):
        return
    yield f"{flows.kind}: {', '.join(flows.sources) or '-'} -> {', '.join(flows.sinks) or '-'}"
    for dataset in flows.datasets:
        topics = [*dataset.topics, *([f"/{dataset.topic_pattern}/"] if dataset.topic_pattern else [])]
        if topics or dataset.qualified != (dataset.name,):
            yield f"  {dataset.name} is {'.'.join(dataset.qualified)}, topic {', '.join(topics) or '?'}"
    for flow in flows.flows:
        yield f"  {_place(flow.source)} -> {_place(flow.target)} {flow.effect}"
    yield from (f"  problem at {problem.where}: {problem.what}" for problem in flows.problems)
    yield from (f"  unresolved at {problem.where}: {problem.what}" for problem in flows.unresolved)


def _place(column_ref: SqlColumn) -> str:
    return f"{column_ref.dataset or 'result'}:{path_name(column_ref.path) or '*'}"
