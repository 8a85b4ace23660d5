"""Where a graph is generated from: something that every process that takes part can open, to read its share."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dataflow_generator.jobs import Around, around_of
from scanner_dictionary.graph_store import newest_scan
from scanner_dictionary.opening import open_dictionary
from scanner_dictionary.queries.column_cells import Cells, column_ranges, definition_cells
from scanner_dictionary.queries.graph_input import Connection
from scanner_dictionary.transfer.snapshot import check_snapshot, restore_parquet
from scanner_model.private_files import atomic_path, user_directory

Range = tuple[int, int]
"""The first and the last key of definitions that are read together."""


@dataclass(frozen=True, slots=True)
class DictionarySource:
    """The dictionary at *url*, which must be reachable from every process that reads."""

    url: str

    @property
    def place(self) -> str:
        """Give what this machine opens."""
        return self.url

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open it for questions."""
        engine = open_dictionary(self.place, create=False)
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


@dataclass(frozen=True, slots=True)
class SnapshotSource(DictionarySource):
    """The Parquet export of a dictionary in the directory *url*; each machine makes a dictionary of it, once.

    Raises InputInvalid where it is none.
    """

    @property
    def place(self) -> str:
        """Give the dictionary that this machine made of the export: a file among the temporary ones."""
        check_snapshot(Path(self.url))
        file = _directory() / f"{_identity(Path(self.url))}.db"
        if not file.exists():
            # Of several processes that start at once each makes one, and the last one's stays.
            with atomic_path(file) as part:
                restore_parquet(Path(self.url), part)
        return str(file)


@cache
def _directory() -> Path:
    """Return the directory of restored exports; one that others could write to is never used."""
    return user_directory("scanner", Path(tempfile.gettempdir()))


def _identity(directory: Path) -> str:
    """Tell an export by its files as they are now."""
    found = sorted((each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in directory.glob("*.parquet"))
    return hashlib.sha256(repr((str(directory.resolve()), found)).encode()).hexdigest()[:16]
