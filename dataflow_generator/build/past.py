"""The dictionary in the state of an earlier scan, for questions that are asked as of a date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dataflow_generator.build.schema_nodes import schema_rows
from dataflow_generator.build.store import index_graph
from scanner_dictionary.engine.open import Connection, writing
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.queries.graph_at import past_scan
from scanner_dictionary.write.rewind import private_dictionary, rewind


@contextmanager
def past_dictionary(
    conn: Connection, moment: str | int, notify: Callable[[str], None] | None = None
) -> Iterator[Connection]:
    """Open a private copy of the dictionary at *conn*, turned back to *moment*: a scan number, a date or a time.

    *notify* gets the scan that is meant. Raises NameUnknown where no scan was finished then, InputInvalid for what is
    no moment.
    """
    consistent_read(conn)
    scan, finished = past_scan(conn, moment)
    if notify:
        notify(f"note: as of scan {scan}, finished {finished}")
    if scan == newest_scan(conn):
        yield conn
        return
    with private_dictionary(conn) as engine:
        with writing(engine) as copy:
            rewind(copy, scan, schema_rows)
            index_graph(copy)
        with engine.connect() as copy:
            yield copy
