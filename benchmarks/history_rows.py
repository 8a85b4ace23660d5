"""Figures of lineage over time on a large installation: comparison of two scans, lineage as of the first, storage.

`python benchmarks/history_rows.py [COLUMNS …]` measures inputs of other sizes than the one of `run.py`.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from installation import SEED
from large_installation import Size, build, topic_name
from measure import Row, conditions, medians, run, scanner, sized, table
from renewal_rows import change_topics
from sqlalchemy import Connection, Table, insert, select, update

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.engine.rows import insert_rows, json_cell
from scanner_dictionary.schema import tables as t

_RUNS = 3
_COLUMNS = sized(1_000_000)
_SCAN = 2


def history_row(directory: Path, columns: int = _COLUMNS) -> list[Row]:
    """How long `diff --flows` and `lineage --as-of` take after one topic and one job in a hundred changed.

    All are whole processes; `--as-of` is compared with the same query of the stored graph, by time of the processor,
    because that is what other programs on the machine change least. The growth is that of the dictionary's file from
    before the second graph to after it.
    """
    size = Size(columns=columns, topics=max(columns // 100, 200), jobs=max(columns // 500, 6))
    file = directory / "history.db"
    build(str(file), size)
    _first_log(file)
    _dataflow(file)
    _second_scan(file, size)
    scanned = file.stat().st_size
    again = _dataflow(file)
    grown = (file.stat().st_size - scanned) / scanned
    jobs = f"{size.topics:,} topics, {size.jobs:,} jobs; generating the second graph {again:.1f} s"
    growth = Row(
        name="growth of the dictionary by the second graph",
        ours=grown * 100,
        unit="%",
        target="≤ 5 %",
        met=grown <= 0.05,
        detail=jobs,
    )
    rows = [_changes(file, columns, jobs), growth, *(_as_of(file, topic_name(number)) for number in range(3))]
    file.unlink()
    return rows


def _changes(file: Path, columns: int, jobs: str) -> Row:
    """Measure the comparison of the two scans with their flows."""
    command = [scanner(), "diff", "1", "2", "--flows", "--format", "json", "--dictionary", str(file)]
    changes = medians(lambda: command, runs=_RUNS)
    return Row(
        name=f"diff --flows of {columns:,} columns, 1 % changed",
        ours=changes.seconds,
        unit="s",
        target="≤ 5 s",
        met=changes.seconds <= 5,
        detail=f"{jobs}; {changes.memory:,.0f} MiB",
    )


def _as_of(file: Path, topic: str) -> Row:
    """Measure the lineage of *topic* as of the first scan, against that of now."""
    query = [scanner(), "lineage", topic, "--columns", "--format", "json", "--dictionary", str(file)]
    now = medians(lambda: query, runs=_RUNS)
    then = medians(lambda: [*query, "--as-of", "1"], runs=_RUNS)
    ratio = then.processor / now.processor
    return Row(
        name=f"lineage {topic} --as-of",
        ours=then.processor,
        unit="s of processor",
        target="≤ 2 times now",
        met=ratio <= 2,
        limit="lineage now",
        ratio=ratio,
        detail=f"by the clock {then.seconds:.2f} s, now {now.seconds:.2f} s",
    )


def _dataflow(file: Path) -> float:
    return run([scanner(), "dataflow", "--engine", "local", "--dictionary", str(file)]).seconds


def _second_scan(file: Path, size: Size) -> None:
    """Store a second scan in which one topic and one job in a hundred changed, with its entries of the change log."""
    change_topics(file, size.topics // 100)
    engine = open_dictionary(str(file))
    with writing(engine) as conn:
        first = dict(conn.execute(select(t.scan).where(t.scan.c.id == 1)).mappings().one())
        later = {
            name: value.replace("2024", "2025") for name, value in first.items() if name in ("started", "finished")
        }
        conn.execute(insert(t.scan).values({**first, **later, "id": _SCAN}))
        jobs = [
            entry for table in (t.connector, t.ksql_query) for entry in _mark_deleted(conn, table, size.jobs // 200)
        ]
        schemas = _schema_entries(conn)
        rows = enumerate([*jobs, *schemas])
        conn.execute(insert(t.change_log), [{"scan_id": _SCAN, "ordinal": at, **entry} for at, entry in rows])
    engine.dispose()


def _first_log(file: Path) -> None:
    """Store the entries of the change log that the first scan would have made of topics, jobs and schemas."""
    engine = open_dictionary(str(file))
    source, log = t.source.c, t.change_log
    with writing(engine) as conn:
        rows: list[tuple[str, str, str]] = []
        for kind, table in (("connector", t.connector), ("query", t.ksql_query)):
            query = select(source.name, table.c.name).join(t.source, source.id == table.c.source_id)
            rows += ((kind, json_cell(tuple(name)), "{}") for name in conn.execute(query))
        rows += (("topic", json_cell([name]), '{"partitions":6}') for name in conn.scalars(select(t.topic.c.name)))
        rows += (("topic_schema", *cells) for cells in _links(conn))
        values = ((1, at, kind, entity, "added", None, after) for at, (kind, entity, after) in enumerate(rows))
        insert_rows(conn, log, values)
    engine.dispose()


def _links(conn: Connection) -> list[tuple[str, str]]:
    """Return the name and the state of every link of a topic to a schema, as JSON."""
    link, topic = t.topic_schema.c, t.topic.c
    columns = (topic.name, link.schema_role, t.source.c.name, link.context, link.subject, link.version)
    query = select(*columns, link.definition_id, link.schema_id, link.is_current, link.id)
    query = query.select_from(t.topic_schema).join(t.topic, topic.id == link.topic_id)
    rows = conn.execute(query.join(t.source, t.source.c.id == link.source_id).order_by(link.id)).all()
    return [
        (
            json_cell([*row[:6], ""]),
            json_cell({"definition_id": row[6], "schema_id": row[7], "is_current": bool(row[8])}),
        )
        for row in rows
    ]


def _mark_deleted(conn: Connection, table: Table, count: int) -> list[dict[str, str | None]]:
    """Mark jobs as deleted; return the entries of the log."""
    query = select(table.c.id, t.source.c.name, table.c.name).join(t.source, t.source.c.id == table.c.source_id)
    rows = random.Random(SEED).sample(sorted(tuple(row) for row in conn.execute(query)), count)
    conn.execute(update(table).where(table.c.id.in_([row[0] for row in rows])).values(gone=_SCAN))
    kind = "query" if table is t.ksql_query else table.name
    return [
        {"entity_kind": kind, "entity": json_cell(row[1:]), "action": "gone", "before_json": "{}", "after_json": None}
        for row in rows
    ]


def _schema_entries(conn: Connection) -> list[dict[str, str | None]]:
    """Return the entries of the links that the second scan added."""
    known = set(conn.scalars(select(t.change_log.c.entity).where(t.change_log.c.entity_kind == "topic_schema")))
    plain = {"entity_kind": "topic_schema", "action": "added", "before_json": None}
    return [{**plain, "entity": entity, "after_json": after} for entity, after in _links(conn) if entity not in known]


def main(sizes: list[int]) -> int:
    """Print the figures for each number of columns."""
    with tempfile.TemporaryDirectory() as directory:
        rows = [row for columns in sizes for row in history_row(Path(directory), columns)]
    print(table(rows), conditions(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or [_COLUMNS]))
