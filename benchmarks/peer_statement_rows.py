"""Figures of another reader of SQL on the same statements in the same run: sqllineage, from PyPI, beside ours."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

# At the end: the lab has modules of the same name as some of the benchmarks.
sys.path.append(str(Path(__file__).parents[1] / "tests" / "lab"))

import artifacts
from graph_rows import read_seconds, statements
from measure import Row
from places import CACHE

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_sql

_NAME = "a statement of Flink, followed to columns"
_PROGRAM = Path(__file__).with_name("peer_sqllineage.py")
_PYTHON = CACHE / "sqllineage" / "bin" / "python"


def peer_statements_row(_: Path) -> list[Row]:
    """How long a statement of Flink takes, read down to columns, and how long sqllineage, which has no ksqlDB.

    sqllineage is fetched at the first call; where it cannot be had, the row is skipped and says why.
    """
    if missing := artifacts.bring(("sqllineage",)):
        return [Row(name=_NAME, ours=math.nan, unit="", target="", met=True, detail=missing["sqllineage"])]
    texts = [text for text, dialect in statements() if dialect is Dialect.FLINK]
    counted = [_columns(text) for text in texts]
    seconds = [min(read_seconds(text, Dialect.FLINK) for _ in range(3)) for text in texts]
    peer = json.loads(subprocess.check_output([str(_PYTHON), str(_PROGRAM)], input=json.dumps(texts), text=True))
    ours, theirs = 1000 * statistics.median(seconds), 1000 * statistics.median(peer["seconds"])
    return [
        Row(
            name=_NAME,
            ours=ours,
            unit="ms",
            target="less than the peer",
            met=ours < theirs,
            limit=f"sqllineage {peer['version']}: {theirs:.3g} ms",
            ratio=ours / theirs,
            detail=f"columns of {_count_read(counted)} of {len(texts)} statements; "
            f"the peer of {_count_read(peer['columns'])}; "
            f"load {os.getloadavg()[0]:.1f}",
        )
    ]


def _columns(text: str) -> int:
    return sum(
        bool(flow.source.path) for statement_flows in read_sql(text, Dialect.FLINK) for flow in statement_flows.flows
    )


def _count_read(counted: list[int]) -> int:
    return sum(number > 0 for number in counted)
