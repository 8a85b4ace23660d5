"""Figures of tags: inheriting them along the flows of many columns, and judging the names of many columns."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

from measure import Row

from dataflow_generator.stored.column_tags import ColumnTags
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import add_rows
from scanner_dictionary.queries.columns import TopicColumnRow
from scanner_dictionary.search.columns_in_graph import Place, PlacedColumn
from scanner_model.tag_rules import rules_of

COLUMNS = 1_000_000
_WIDTH, _CHAIN = 100, 10
_NAMESPACE = "kafka://a:1"
_NAMES = ("id", "customer_email", "createdAt", "status", "homeAddress", "amount", "lastName", "sku", "note", "phone_ok")


def inheritance_row(directory: Path, count: int = COLUMNS) -> list[Row]:
    """Time to pass a tag along chains of ten datasets; the first declares it for every column."""
    datasets = count // _WIDTH
    engine = open_dictionary(str(directory / "tags.db"), create=True)
    with engine.begin() as conn:
        add_rows(conn, _nodes(datasets), _flows(datasets))
    declared = [_declared(dataset, column) for dataset in range(0, datasets, _CHAIN) for column in range(_WIDTH)]
    with engine.connect() as conn:
        gc.freeze()
        started, processor = time.perf_counter(), time.process_time()
        found = ColumnTags(conn, SqlGraphReader(conn), declared).flows().inherited
        seconds, processor = time.perf_counter() - started, time.process_time() - processor
    detail = f"{len(declared):,} of them declare it, {len(found):,} inherit it; {processor:.1f} s of processor"
    return [_row(f"inherited tags of {count:,} columns and their flows", seconds, 10, detail)]


def judging_row(_: Path, count: int = COLUMNS) -> list[Row]:
    """How long the rules take for names of columns, most of them met before."""
    judge = rules_of().suggest
    started, processor = time.perf_counter(), time.process_time()
    found = sum(
        judge(f"topic{at % 5_000}", ("payload", f"{_NAMES[at % 10]}_{at % 40_000}"), "string", "a line of it")
        is not None
        for at in range(count)
    )
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    detail = f"{found:,} suggestions; {processor:.1f} s of processor"
    return [_row(f"names of {count:,} columns judged", seconds, 20, detail)]


def _row(name: str, seconds: float, most: int, detail: str) -> Row:
    return Row(name=name, ours=seconds, unit="s", target=f"< {most} s", met=seconds < most, detail=detail)


def _declared(dataset: int, column: int) -> PlacedColumn:
    name, path = f"t{dataset}", (f"c{column}",)
    row = TopicColumnRow("a", name, "value", ".", "", None, path, path[0], "string", None, False, None, ("PII",))
    return PlacedColumn(Place(_NAMESPACE, name, path), row)


def _nodes(datasets: int) -> Iterator[tuple[object, ...]]:
    for dataset in range(datasets):
        for column in range(_WIDTH):
            name = f"t{dataset}"
            key = f"column:{_NAMESPACE}/{name}#c{column}"
            yield dataset * _WIDTH + column + 1, key, "column", _NAMESPACE, name, f'["c{column}"]', "{}"


def _flows(datasets: int) -> Iterator[tuple[object, ...]]:
    """Yield a flow from each column to that of the next dataset of its chain; one in three computes."""
    for dataset in range(datasets):
        for column in range(_WIDTH if (dataset + 1) % _CHAIN else 0):
            source = dataset * _WIDTH + column + 1
            how = "IDENTITY" if column % 3 else "TRANSFORMATION"
            evidence = f"connector c{dataset}: topics"
            yield source, source, source + _WIDTH, "column-flow", "DIRECT", how, evidence, "derived"
