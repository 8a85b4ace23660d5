"""Figures of `scanner dictionary dataflow`: the first graph, and the one after a scan that changed little.

`python benchmarks/renewal_rows.py [COLUMNS …]` measures inputs of other sizes than the one of `run.py`.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from installation import SEED
from large_installation import Size, build
from measure import Row, Run, conditions, run, scanner, sized, table
from sqlalchemy import Connection, insert, select, update

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import next_id

_RUNS = 3
_COLUMNS = sized(1_000_000)


def renewal_row(directory: Path, columns: int = _COLUMNS) -> list[Row]:
    """How long the first graph of a dictionary takes, and the one after a change of one topic in a hundred.

    Of the topics that change, all but two have a new version of their value with one column more, one is new and one is
    gone. Then the first graph in Parquet files, which are rewritten each time. All are whole processes on copies of
    one file, in turn; the times are of the processor, because that is what other programs on the machine change least.
    """
    size = Size(columns=columns, topics=max(columns // 100, 200), jobs=max(columns // 500, 6))
    before, after = directory / "before.db", directory / "after.db"
    build(str(before), size)
    shutil.copy(before, after)
    _dataflow(after)
    detail = f"{change_topics(after, size.topics // 100)} of {size.topics:,} topics"
    pairs = [(_copied(before, directory), _copied(after, directory)) for _ in range(_RUNS)]
    files = _middle([_written(before, directory / f"files-{turn}") for turn in range(_RUNS)])
    for file in (before, after):
        file.unlink()
    first, again = (_middle([pair[at] for pair in pairs]) for at in (0, 1))
    ratio = statistics.median(other.processor / first.processor for first, other in pairs)
    what, jobs = f"of {columns:,} columns", f"{size.topics:,} topics, {size.jobs:,} jobs"
    return [
        _row(f"graph {what}, nothing stored before", first, "≤ 15 s", first.processor <= 15, jobs),
        replace(
            _row(f"graph {what} after 1 % of the topics changed", again, "≤ 40 % of the first", ratio <= 0.4, detail),
            limit="the first graph",
            ratio=ratio,
        ),
        _row(f"Parquet graph {what}", files, "≤ 15 s", files.processor <= 15, jobs),
    ]


def _row(name: str, used: Run, target: str, met: bool, detail: str) -> Row:
    detail = f"{detail}; by the clock {used.seconds:.1f} s; {used.memory:,.0f} MiB"
    return Row(name=name, ours=used.processor, unit="s of processor", target=target, met=met, detail=detail)


def _dataflow(file: Path, *more: str) -> Run:
    return run([scanner(), "dataflow", "--engine", "local", "--dictionary", str(file), *more])


def _copied(file: Path, directory: Path) -> Run:
    return _dataflow(Path(shutil.copy(file, directory / "copy.db")))


def _written(file: Path, output: Path) -> Run:
    return _dataflow(file, "--format", "parquet", "--output", str(output))


def _middle(runs: list[Run]) -> Run:
    names = ("seconds", "processor", "memory")
    return Run(*(statistics.median(getattr(run, name) for run in runs) for name in names))


def change_topics(file: Path, count: int) -> int:
    """Change so many topics, by a fixed seed."""
    engine = open_dictionary(str(file))
    with writing(engine) as conn:
        current = select(t.topic_schema).where(t.topic_schema.c.is_current, t.topic_schema.c.schema_role == "value")
        links = sorted(conn.execute(current).mappings(), key=lambda link: int(link["id"]))
        chosen = random.Random(SEED).sample(links, max(count - 1, 2))
        for link in chosen[1:]:
            _new_version(conn, dict(link))
        topic = t.topic.c
        conn.execute(update(t.topic).where(topic.id == chosen[0]["topic_id"]).values(gone=2))
        row = dict(conn.execute(select(t.topic).where(topic.id == chosen[1]["topic_id"])).mappings().one())
        conn.execute(insert(t.topic).values(row | {"id": next_id(conn, t.topic), "name": f"{row['name']}-new"}))
    engine.dispose()
    return len(chosen) + 1


def _new_version(conn: Connection, link: dict[str, Any]) -> None:
    """Return a topic another schema: the columns of the one before, and one more."""
    definition, column, key = t.schema_definition, t.schema_column, link["definition_id"]
    number = next_id(conn, definition)
    row = dict(conn.execute(select(definition).where(definition.c.id == key)).mappings().one())
    count = row["column_count"]
    values = {"id": number, "fingerprint": f"{number:020x}".rjust(64, "e")[::-1], "column_count": count + 1}
    conn.execute(insert(definition).values(row | values))
    cells = [dict(row) for row in conn.execute(select(column).where(column.c.definition_id == key)).mappings()]
    more = {"ordinal": count, "depth": 1, "path": json.dumps(["added"]), "name": "added", "data_type": "string"}
    retained = {**dict.fromkeys(cells[0]), "nullable": True, **more}
    conn.execute(insert(column), [item | {"definition_id": number} for item in [*cells, retained]])
    conn.execute(update(t.topic_schema).where(t.topic_schema.c.id == link["id"]).values(is_current=False))
    version = {"id": next_id(conn, t.topic_schema), "definition_id": number, "version": link["version"] + 1}
    conn.execute(insert(t.topic_schema).values(link | version | {"schema_id": str(number)}))


def main(sizes: list[int]) -> int:
    """Measure *sizes*; status 1 where a figure is not met."""
    rows: list[Row] = []
    for columns in sizes or [_COLUMNS]:
        with tempfile.TemporaryDirectory() as directory:
            rows += renewal_row(Path(directory), columns)
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main([int(text.replace("_", "")) for text in sys.argv[1:]]))
