"""Where commands send OpenLineage events: what their options and cluster.json say, as openlineage-python takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scanner_cli.output.files import check_file
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.openlineage.emit.transports import Transport
    from scanner_extractor.settings.cluster import Settings


def transport_of(
    url: str | None, token: str | None, file: Path | None, clusters: Sequence[Settings] = ()
) -> Transport | None:
    """Get the transport that the options name, else *clusters*; None leaves it to openlineage-python's configuration.

    Raises InputInvalid where both options, or two clusters, name different ones.
    """
    from dataflow_generator.openlineage.emit.transports import file_transport, http_transport

    if url and file:
        raise InputInvalid("both say where events go", where="--url, --file", hint="leave one of them out")
    if file:
        return file_transport(check_file(file, "--file"))
    return http_transport(url, token or "") if url else _of_clusters(clusters)


def lines_file(transport: Transport | None) -> Path | None:
    """Return the file that *transport* adds lines to; None where it sends events elsewhere."""
    if transport and transport.get("type") == "file" and transport.get("append") and "://" not in _path(transport):
        return Path(_path(transport))
    return None


def _path(transport: Transport) -> str:
    return str(transport["log_file_path"])


def _of_clusters(clusters: Sequence[Settings]) -> Transport | None:
    told = [(one.file, one.openlineage.transport) for one in clusters if one.openlineage]
    others = [file for file, transport in told if transport != told[0][1]]
    if others:
        where = f"{told[0][0]}, {others[0]}"
        hint = "give --url or --file, or name one of them, or one transport of the type composite in both"
        raise InputInvalid("say differently where events go", where=where, hint=hint)
    return told[0][1] if told else None
