"""Where commands send OpenLineage events: what their options say, as openlineage-python takes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.outputs import check_file
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.openlineage.delivery import Transport


def transport_of(url: str | None, token: str | None, file: Path | None) -> Transport | None:
    """Give the transport that the options name; None leaves it to openlineage-python's configuration."""
    from dataflow_generator.openlineage.delivery import http_transport

    if url and file:
        raise InputInvalid("both say where events go", where="--url, --file", hint="leave one of them out")
    if file:
        return {"type": "file", "log_file_path": str(check_file(file, "--file")), "append": True}
    return http_transport(url, token or "") if url else None
