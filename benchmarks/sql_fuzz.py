"""Mutated statements through the reader: `python benchmarks/sql_fuzz.py [COUNT] [FOLDER]`.

Cuts, swaps, doubles and replaces pieces of statements that the engines accept. Says how many were read whole, and the
slowest. Any exception ends it with the text that raised it. Without a folder of cases it mutates a few of its own.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_sql

_OWN = (
    (Dialect.KSQLDB, "CREATE TABLE t AS SELECT a->b, COUNT(*) FROM s WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY a->b;"),
    (
        Dialect.FLINK,
        "INSERT INTO t SELECT x.*, SUM(y) OVER (PARTITION BY k) FROM (SELECT * FROM s) AS x WHERE y IN (1)",
    ),
)
_PIECES = (
    *"()[],;.'`\"*",
    "->",
    "SELECT ",
    "FROM ",
    "CASE ",
    "((((",
    "WITH a AS (",
    " JOIN ",
    "/*",
    "--",
    "${x}",
    "é",
    "\0",
)


def statements(folder: Path) -> list[tuple[Dialect, str]]:
    """Return the statements to mutate."""
    result = []
    for name, dialect in (("flink", Dialect.FLINK), ("ksqldb", Dialect.KSQLDB)):
        for kind in ("statements_valid", "column_lineage"):
            path = folder / "sql" / f"{name}_{kind}.json"
            cases = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
            result += [(dialect, ";\n".join([*case.get("ddl", []), case["sql"]])) for case in cases]
    return result or list(_OWN)


def mutated(text: str, other: str, dice: random.Random) -> str:
    """Change *text* in one to four places."""
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.choice((0, 1, 3, 10, 60)))
        from_other = dice.randrange(len(other) + 1)
        piece = dice.choice(
            ("", dice.choice(_PIECES), text[start:end] * 2, other[from_other : from_other + 30], text[start:end][::-1])
        )
        text = text[:start] + piece + text[end:]
    return text


def mutations(count: int, folder: Path, seed: int = 1) -> Iterator[tuple[Dialect, str]]:
    """Return *count* mutated texts, the same ones for the same *seed*."""
    dice = random.Random(seed)
    known = statements(folder)
    for _ in range(count):
        dialect, text = dice.choice(known)
        yield dialect, mutated(text, dice.choice(known)[1], dice)


def main(arguments: list[str]) -> int:
    """Read every mutation and say how it went."""
    count = int(arguments[0]) if arguments else 100_000
    folder = Path(arguments[1] if len(arguments) > 1 else os.environ.get("SCANNER_CASES", ""))
    slowest = (0.0, "")
    complete = read = 0
    started = time.perf_counter()
    for dialect, text in mutations(count, folder):
        before = time.process_time()
        try:
            flows = read_sql(text, dialect)
        except BaseException:  # raised again, whatever it is: the text that caused it would be lost
            print(f"raised by {dialect}: {text!r}")
            raise
        slowest = max(slowest, (time.process_time() - before, text))
        read += len(flows)
        complete += sum(not statement_flows.problems for statement_flows in flows)
    seconds = time.perf_counter() - started
    print(f"{count} texts, {read} statements, {complete} without a problem, {seconds:.0f} s")
    print(f"slowest {slowest[0] * 1000:.1f} ms of processor time, {len(slowest[1])} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
