"""Where a graph is generated from: something that every process that takes part can open, to read its share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dataflow_generator.jobs import Around, around_of
from scanner_dictionary.graph_store import newest_scan
from scanner_dictionary.opening import open_dictionary
from scanner_dictionary.queries.column_cells import Cells, column_ranges, definition_cells
from scanner_dictionary.queries.graph_input import Connection

Range = tuple[int, int]
"""The first and the last key of definitions that are read together."""


@dataclass(frozen=True, slots=True)
class DictionarySource:
    """The dictionary at *url*, which must be reachable from every process that reads."""

    url: str

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open it for questions."""
        engine = open_dictionary(self.url, create=False)
        try:
            with engine.connect() as conn:
                yield conn
        finally:
            engine.dispose()

    def newest_scan(self) -> int:
        """Give the number of the newest scan, 0 where there is none."""
        with self.connected() as conn:
            return newest_scan(conn)

    def around(self, conn: Connection) -> Around:
        """Give what jobs may be read with."""
        return around_of(conn)

    def ranges(self, columns: int) -> tuple[Range, ...]:
        """Cut the definitions that live topics have into ranges of at most *columns* columns, or one definition."""
        with self.connected() as conn:
            return column_ranges(conn, columns)

    def cells(self, span: Range) -> Iterator[Cells]:
        """Read the definitions of a range, in bounded portions."""
        with self.connected() as conn:
            yield from definition_cells(conn, *span)
