"""The dictionary that a graph is built from, which every worker process opens to read its partitions."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dataflow_generator.build.snapshot import Snapshot, load_snapshot
from scanner_dictionary.engine.open import Connection, open_dictionary
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.export import check_parquet, restore_parquet
from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.lineage_inputs.topics import Cells, column_ranges, definition_cells
from scanner_model.private_files import atomic_path, user_directory

Range = tuple[int, int]
"""The first and the last key of the definitions in a range."""


@dataclass(frozen=True, slots=True)
class DictionarySource:
    """The dictionary at *url*, which must be reachable from every process that reads."""

    url: str

    @property
    def local_url(self) -> str:
        """Return the URL that this machine opens."""
        return self.url

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open a connection to it, for reading."""
        engine = open_dictionary(self.local_url, create=False)
        try:
            with engine.connect() as conn:
                yield conn
        finally:
            engine.dispose()

    def newest_scan(self) -> int:
        """Return the number of the newest scan; 0 without a scan."""
        with self.connected() as conn:
            return newest_scan(conn)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Load the inputs of generation; columns can be read within the block."""
        with self.connected() as conn:
            consistent_read(conn)
            yield load_snapshot(conn)

    def ranges(self, columns: int) -> tuple[Range, ...]:
        """Return the definitions of live topics in ranges of at most *columns* columns (or one definition)."""
        with self.connected() as conn:
            return column_ranges(conn, columns)

    def cells(self, span: Range) -> Iterator[Cells]:
        """Yield the definitions of a range, in bounded batches."""
        with self.connected() as conn:
            yield from definition_cells(conn, *span)


@dataclass(frozen=True, slots=True)
class SnapshotSource(DictionarySource):
    """The Parquet export of a dictionary in the directory *url*; each machine restores it to a SQLite file once.

    Raises InputInvalid where the directory is not such an export.
    """

    @property
    def local_url(self) -> str:
        """Return the path of the restored dictionary, a temporary file of this machine."""
        check_parquet(Path(self.url))
        file = _directory() / f"{_identity(Path(self.url))}.db"
        if not file.exists():
            # Of several processes that start at once each restores it; the last one replaces the others.
            with atomic_path(file) as part:
                restore_parquet(Path(self.url), part)
        return str(file)


@cache
def _directory() -> Path:
    """Return the directory of restored exports, which no other user can write to."""
    return user_directory("scanner", Path(tempfile.gettempdir()))


def _identity(directory: Path) -> str:
    """Return a hash of the path and of the current sizes and times of the export's files."""
    files = sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in directory.glob("*.parquet"))
    return hashlib.sha256(repr((str(directory.resolve()), files)).encode()).hexdigest()[:16]
