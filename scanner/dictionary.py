"""An open dictionary with its questions as methods."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal

import scanner_api
from scanner.lineage import Lineage
from scanner.tables import Table


class Dictionary:
    """A data dictionary; *handle* is that of `scanner_api`, *reports* are those of the scan that made it.

    The keyword arguments of a method are those of the function of `scanner_api` with its name.
    """

    def __init__(self, handle: scanner_api.Dictionary, reports: Sequence[scanner_api.ScanReport] = ()) -> None:
        self.handle = handle
        self.reports = tuple(reports)

    def topics(self, pattern: str | None = None, **options: Any) -> Table:
        """List topics, by a glob or a part of the name."""
        return _table(scanner_api.topics(self.handle, pattern=pattern, **options))

    def schemas(self, topic: str, **options: Any) -> Table:
        """List the current schemas of a topic with their columns and texts."""
        return _table(scanner_api.topic_schemas(self.handle, topic=topic, **options))

    def columns(self, pattern: str | None = None, **options: Any) -> Table:
        """List columns of topics and tables, by a glob or a part of the name, or with *tag*."""
        return _table(scanner_api.columns(self.handle, pattern=pattern, **options))

    def personal_data(self, tag: str = "PII", **options: Any) -> Table:
        """List where data with a tag are: tagged columns, their copies, suggestions, and readers."""
        return _table(scanner_api.personal_data(self.handle, tag=tag, **options))

    def clients(self, topic: str | None = None, **options: Any) -> Table:
        """List who reads and writes a topic, or all topics."""
        return _table(scanner_api.clients(self.handle, topic=topic, **options))

    def jobs(self, pattern: str | None = None, **options: Any) -> Table:
        """List connectors and statements."""
        return _table(scanner_api.jobs(self.handle, pattern=pattern, **options))

    def tables(self, pattern: str | None = None, **options: Any) -> Table:
        """List tables of databases and catalogs."""
        return _table(scanner_api.tables(self.handle, pattern=pattern, **options))

    def findings(self) -> Table:
        """List what failed or does not fit together, as `scanner validate`."""
        return Table(scanner_api.validate(self.handle))

    def scans(self) -> Table:
        """List the scans, the newest first."""
        return _table(scanner_api.scans(self.handle))

    def search(self, text: str) -> Table:
        """Find topics, columns, jobs, tables, tags and owners by name, the best match first."""
        return _table(scanner_api.search(self.handle, q=text))

    def impact(self, node: str, **options: Any) -> Table:
        """List what is affected if *node* is renamed or dropped: jobs and groups first, then the nearest."""
        found = scanner_api.impact(self.handle, node, **options)
        return Table(found.affected, complete=found.complete)

    def lineage(
        self, node: str, direction: Literal["both", "upstream", "downstream"] = "both", **options: Any
    ) -> Lineage:
        """Return where the data of a topic, column, table or job come from and go to; `columns=True` adds columns."""
        return Lineage(scanner_api.lineage(self.handle, node, direction=direction, **options))

    def export(self, file: str | Path, node: str | None = None) -> None:
        """Write the graph, or what is around *node*, as HTML, SVG, DOT, JSON, CSV or GraphML, by the file's ending."""
        scanner_api.export(self.handle, Path(file), node=node)

    def __repr__(self) -> str:
        return f"<scanner.Dictionary {self.handle.shown}>"

    def _repr_html_(self) -> str:
        state = scanner_api.state(self.handle)
        stale = f", {len(state.stale)} sources not read since an earlier scan" if state.stale else ""
        scan = f"scan {state.scan} of {state.finished}" if state.scan else "nothing was scanned yet"
        return f"<p><b>{escape(self.handle.shown)}</b>: {escape(f'{scan}{stale}')}</p>"


def _table(page: scanner_api.Page[Any]) -> Table:
    return Table(page, complete=page.complete)
