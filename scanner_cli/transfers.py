"""The whole dictionary for other programs, as `scanner dictionary export` and `scanner export` write it."""

from __future__ import annotations

import sys
from pathlib import Path

from scanner_cli.options import reading
from scanner_model.errors import InputInvalid

TRANSFERS = ("parquet", "h2")
"""The formats that hold every table."""

STDOUT = Path("-")


def export_tables(style: str, output: Path, url: str) -> None:
    """Write every table of the dictionary at *url* to *output*; raises InputInvalid where that cannot be."""
    from scanner_dictionary.transfer import export_h2, export_parquet

    if output == STDOUT and style == "parquet":
        raise InputInvalid("Parquet is a directory of files", where="--output -", hint="name a new directory")
    with reading(url) as conn:
        if style == "parquet":
            export_parquet(conn, output)
        else:
            export_h2(conn, sys.stdout if output == STDOUT else output)
