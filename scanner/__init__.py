"""The data dictionary and its lineage in Python and notebooks: a short form of `scanner_api`, which has every option.

import scanner

d = scanner.scan(".")                       # or scanner.open("dictionary.db")
d.topics().to_frame()
d.lineage("orders.total").to_networkx()
"""

from __future__ import annotations

from pathlib import Path

import scanner_api
from scanner.dictionary import Dictionary as Dictionary
from scanner.lineage import Lineage as Lineage
from scanner.tables import Table as Table
from scanner_api import ScannerError as ScannerError

__all__ = ["Dictionary", "Lineage", "ScannerError", "Table", "open", "scan"]


def open(dictionary: str | Path = "dictionary.db") -> Dictionary:
    """Open the dictionary in a file, or at a URL; raises ScannerError if it does not exist or is not one."""
    return Dictionary(scanner_api.open_dictionary(dictionary))


def scan(*paths: str | Path, dictionary: str | Path = "dictionary.db", replay: str | Path | None = None) -> Dictionary:
    """Scan directories of files, or each cluster.json, into *dictionary*, and generate the lineage.

    Without a path, the current directory is scanned. *replay* is a capture to read instead of servers. `reports` of
    the result says what could not be read. Raises ScannerError if nothing could be, or for an invalid file.
    """
    places = [Path(path) for path in paths or (".",)]
    stored = scanner_api.open_dictionary(dictionary, create=True)
    reports = scanner_api.scan(
        [path for path in places if not path.is_dir()],
        stored,
        directories=[path for path in places if path.is_dir()],
        replay=Path(replay) if replay else None,
    )
    if not any(report.stored for report in reports):
        reasons = [f"{source.source}: {source.reason}" for report in reports for source in report.outcomes]
        hint = "`scanner doctor` tests each source"
        raise ScannerError(f"nothing could be read: {'; '.join(reasons)}", where="scanner.scan", hint=hint)
    scanner_api.generate(stored, store=True)
    return Dictionary(stored, reports)
