"""The transport of OpenLineage events, from arguments or from cluster.json, as openlineage-python takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dataflow_generator.openlineage.emit.transports import Transport, file_transport, http_transport
from scanner_api.files import check_file
from scanner_extractor.settings.cluster import Settings
from scanner_model.errors import InputInvalid


def transport_of(
    url: str | None, token: str | None, file: Path | None, clusters: Sequence[Settings] = ()
) -> Transport | None:
    """Return the transport to *url* or *file*, else that of *clusters*; None: openlineage-python's own configuration.

    Raises InputInvalid where *url* and *file*, or two clusters, name different ones.
    """
    if url and file:
        raise InputInvalid("both name a target of events", where="--url, --file", hint="leave one of them out")
    if file:
        return file_transport(check_file(file, "--file"))
    return http_transport(url, token or "") if url else _of_clusters(clusters)


def lines_file(transport: Transport | None) -> Path | None:
    """Return the file that *transport* appends lines to; None where it sends events elsewhere."""
    if transport and transport.get("type") == "file" and transport.get("append") and "://" not in _path(transport):
        return Path(_path(transport))
    return None


def _path(transport: Transport) -> str:
    return str(transport["log_file_path"])


def _of_clusters(clusters: Sequence[Settings]) -> Transport | None:
    configured = [(settings.file, settings.openlineage.transport) for settings in clusters if settings.openlineage]
    others = [file for file, transport in configured if transport != configured[0][1]]
    if others:
        where = f"{configured[0][0]}, {others[0]}"
        hint = "give --url or --file, or name one of them, or one transport of the type composite in both"
        raise InputInvalid("name different targets of events", where=where, hint=hint)
    return configured[0][1] if configured else None
