"""`scanner doctor`: test every connection and permission, one line each; changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.options import cluster_files, optional_config_option
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.usage_errors import Exit

_COLUMNS = ("cluster", "source", "tried", "answer", "detail", "hint", "note")


@command()
@optional_config_option
@format_option(Format.TABLE, Format.JSON)
def doctor(files: Sequence[str], style: str) -> int:
    """Test every connection and permission of a cluster.json; change nothing.

    Without --config, scanner reads cluster.json of the current directory.

    \b
    Examples:
      scanner doctor
      scanner doctor --config eu.json --config us.json --format json

    Exit status 3: a server did not answer, or a permission is missing.
    """
    with progress_on(sys.stderr, quiet=False) as progress:
        checks = library.check(cluster_files(files, "scanner doctor"), progress=progress)
    rows = [
        {name: getattr(result, name) for name in ("cluster", "source", "tried", "detail", "hint", "note")}
        | {"answer": result.state}
        for result in checks
    ]
    show(rows, _COLUMNS, style)
    return Exit.DONE if all(result.is_ok for result in checks) else Exit.PARTIAL
