"""Every figure that the documentation names: `make bench`, or `python benchmarks/run.py [NAME …]` for some of them.

Each row is a median of several runs, beside what is required and beside a limit measured in the same run.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from capture_rows import capture_row
from change_rows import change_row
from client_rows import acl_row, prometheus_row
from copy_rows import copy_row
from database_rows import database_row, views_row
from deployment_rows import deployment_row
from dictionary_rows import query_row, write_row
from graph_rows import graph_row, statements_row
from history_rows import history_row
from installation_rows import installation_row
from lineage_rows import emit_row, import_row
from listener_rows import listener_row
from measure import Row, conditions, table
from page_rows import page_row
from path_rows import paths_row
from peer_rows import peers_row
from peer_statement_rows import peer_statements_row
from push_rows import push_row
from renewal_rows import renewal_row
from repository_rows import repository_row
from scan_rows import bulk_row, help_row, large_bulk_row, one_topic_row, second_row, walk_row
from skew_rows import skew_row
from tag_rows import inheritance_row, judging_row
from worker_rows import workers_row

Measure = Callable[[Path], list[Row]]

ROWS: Mapping[str, Measure] = {
    "help": help_row,
    "history": history_row,
    "one-topic": one_topic_row,
    "bulk": bulk_row,
    "walk": walk_row,
    "large-bulk": large_bulk_row,
    "second": second_row,
    "installation": installation_row,
    "write": write_row,
    "query": query_row,
    "import-events": import_row,
    "emit-events": emit_row,
    "listener": listener_row,
    "graph": graph_row,
    "push": push_row,
    "renewal": renewal_row,
    "statements": statements_row,
    "change": change_row,
    "database": database_row,
    "views": views_row,
    "copy": copy_row,
    "deployment": deployment_row,
    "repository": repository_row,
    "acls": acl_row,
    "prometheus": prometheus_row,
    "inherited-tags": inheritance_row,
    "judged-names": judging_row,
}

LONG: Mapping[str, Measure] = {
    "capture": capture_row,
    "page": page_row,
    "paths": paths_row,
    "peers": peers_row,
    "peer-statements": peer_statements_row,
    "skew": skew_row,
    "workers": workers_row,
}
"""Rows of many minutes that need Spark, or programs of others; they are measured where they are named."""


ALL: Mapping[str, Measure] = {**ROWS, **LONG}


def main(names: list[str]) -> int:
    """Measure the rows of *names*, all but the long ones where none is named; status 1 where a figure is not met."""
    unknown = sorted(set(names) - set(ALL))
    if unknown:
        print(f"no row {', '.join(unknown)}; there are: {', '.join(ALL)}", file=sys.stderr)
        return 2
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as directory:
        for name in names or ROWS:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            rows.extend(measured(name, partial(_fresh, ALL[name], Path(directory))))
    print(f"{conditions()}\n\n{table(rows)}")
    return 0 if all(row.met for row in rows) else 1


def measured(name: str, measure: Callable[[], list[Row]]) -> list[Row]:
    """Measure one row; a failure is a row that is not met, and loses no other."""
    try:
        return measure()
    except Exception as error:  # noqa: BLE001 - whatever a row raises
        print(f"{name} failed: {error!r}", file=sys.stderr, flush=True)
        return [Row(name=name, ours=math.nan, unit="", target="", met=False, detail=f"failed: {type(error).__name__}")]


def _fresh(row: Measure, directory: Path) -> list[Row]:
    """Measure in a process of its own: the kernel counts what a process has as memory of the program that it starts."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(row, directory).result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
