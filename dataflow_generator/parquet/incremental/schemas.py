"""The files of schemas of a graph, taken over into a new one: linked where nothing in them changed, else made again.

A definition never changes, so that only what topics have no longer leaves a file, and what they came to have is made.
"""

from __future__ import annotations

import os
import re
import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.build.dictionary_source import Range
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.parquet import schema_batches
from dataflow_generator.parquet.manifest import ABOVE_SCHEMAS
from dataflow_generator.parquet.schema import EDGE_DDL, NODE_DDL, arrow_schema
from dataflow_generator.parquet.schema_files import (
    COLUMNS,
    SPAN_COLUMNS,
    Table,
    definitions_in,
    make_places,
    span_name,
    write_changed,
)
from scanner_dictionary.lineage_inputs.column_batches import Head, cells_of
from scanner_dictionary.lineage_inputs.topics import Connection

_NAME = re.compile(r"schemas-(\d+)-(\d+)\.parquet")
_DDL = (NODE_DDL, NODE_DDL, EDGE_DDL)


class Cut(NamedTuple):
    """Definitions whose rows lie in one file of each kind: *staying* of those *before* in *files*, and *new* ones."""

    files: Sequence[str]
    before: frozenset[int]
    staying: Sequence[Head]
    new: Sequence[Head]

    @property
    def left(self) -> Sequence[int]:
        """Return the definitions that are no more, in order."""
        return sorted(self.before - {head.id for head in self.staying})

    @property
    def same(self) -> bool:
        """Report whether its files are as they were."""
        return not self.new and len(self.staying) == len(self.before) > 0

    @property
    def apart(self) -> bool:
        """Report whether all that is new comes behind what stays."""
        return not (self.staying and self.new) or self.staying[-1].id < self.new[0].id

    @property
    def columns(self) -> int:
        """Count its columns."""
        return sum(head.columns for head in (*self.staying, *self.new))

    @property
    def name(self) -> str:
        """Name its files."""
        keys = [head.id for head in (*self.staying, *self.new)]
        return span_name((min(keys), max(keys)))


def spans_before(directory: Path) -> dict[Range, frozenset[int]]:
    """List the spans of the graph in *directory*, in order, each with the definitions in it.

    Raises Unrenewable where a file has another name, or cannot be read.
    """
    files = {file.name for place in SPAN_COLUMNS for file in (directory / place).glob("*.parquet")} - {ABOVE_SCHEMAS}
    found = {name: _NAME.fullmatch(name) for name in files}
    if not all(found.values()):
        raise Unrenewable
    spans = sorted((int(match[1]), int(match[2])) for match in found.values() if match)
    return {span: definitions_in(directory / SPAN_COLUMNS[0] / span_name(span)) for span in spans}


def cuts(before: Mapping[Range, frozenset[int]], live: Sequence[Head]) -> list[Cut]:
    """Tell what becomes of each span, and where definitions go that are in none; *live* are those of now, in order."""
    heads = {head.id: head for head in live}
    keys = list(heads)
    new = heads.keys() - frozenset[int]().union(*before.values())
    found: list[Cut] = []
    for span, inside in before.items():
        within = [key for key in keys[bisect_left(keys, span[0]) : bisect_right(keys, span[1])] if key in new]
        new -= set(within)
        staying = [heads[key] for key in sorted(inside) if key in heads]
        found.append(Cut([span_name(span)], inside, staying, [heads[key] for key in within]))
    found += (Cut((), frozenset(), (), [heads[key]]) for key in new)
    there = (each for each in found if each.staying or each.new)
    return list(_joined(sorted(there, key=lambda each: each.name)))


def renew_schemas(conn: Connection, old: Path, found: Iterable[Cut], directory: Path) -> None:
    """Write the files of schemas into *directory*, from those of the graph in *old*; raises Unrenewable."""
    make_places(directory)
    for cut in found:
        if cut.same:
            for place in SPAN_COLUMNS:
                take_over(old / place / cut.files[0], directory / place / cut.files[0])
        else:
            _write(conn, old, cut, directory)


def _joined(found: Iterable[Cut]) -> Iterator[Cut]:
    """Join neighbours that are written anyway, as long as they are small together."""
    waiting: Cut | None = None
    for each in found:
        if waiting and not waiting.same and not each.same and waiting.columns + each.columns <= COLUMNS:
            waiting = Cut(
                [*waiting.files, *each.files],
                waiting.before | each.before,
                [*waiting.staying, *each.staying],
                [*waiting.new, *each.new],
            )
        else:
            if waiting:
                yield waiting
            waiting = each
    if waiting:
        yield waiting


def _write(conn: Connection, old: Path, cut: Cut, directory: Path) -> None:
    made = [schema_batches.batches(cells) for cells in cells_of(conn, cut.new)]
    for at, (place, ddl) in enumerate(zip(SPAN_COLUMNS, _DDL, strict=True)):
        files = [file for file in (old / place / name for name in cut.files) if file.exists()]
        new = _rows([each[at] for each in made], ddl)
        write_changed(files, cut.left, new, directory / place / cut.name, apart=cut.apart)


def _rows(batches: Sequence[Table], ddl: str) -> Table:
    import pyarrow as pa

    return pa.Table.from_batches(batches, arrow_schema(ddl)).drop_columns(["kind"])


def take_over(file: Path, new: Path, link: Callable[[Path, Path], None] = os.link) -> None:
    """Return a file a second name, which costs nothing; copy it where the disk knows no such names."""
    if file.exists():
        try:
            link(file, new)
        except OSError:
            shutil.copyfile(file, new)
