"""The notifications that are to be sent, and up to which scan of each cluster there are any: one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A notification to be sent to the target of *kind*."""

    kind: str
    id: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxState:
    """Up to which scan of each cluster notifications are recorded, and those that are to be sent, in order."""

    scans: Mapping[str, int]
    pending: tuple[Pending, ...] = ()


class Outbox:
    """Keeps its state in *file*, replaced as a whole: a notification is sent again if its end was not recorded."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.state = _read(file)

    def record(self, cluster: str, scan: int, pending: tuple[Pending, ...]) -> None:
        """Record that the changes of *cluster* up to *scan* are *pending*; raises InputInvalid if it cannot."""
        scans = {**self.state.scans, cluster: scan}
        self._write(OutboxState(scans=scans, pending=(*self.state.pending, *pending)))

    def remove(self, sent: Pending) -> None:
        """Record that *sent* need not be sent again; raises InputInvalid if that cannot be recorded."""
        self._write(replace(self.state, pending=tuple(message for message in self.state.pending if message != sent)))

    def _write(self, state: OutboxState) -> None:
        pending = [{"kind": message.kind, "id": message.id, "body": message.body} for message in state.pending]
        text = json.dumps({"scans": dict(state.scans), "pending": pending})
        try:
            with atomic_path(self._file, durable=True) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            raise InputInvalid(what, where=str(self._file), hint="choose another file with --state") from error
        self.state = state


def _read(file: Path) -> OutboxState:
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
        pending = tuple(Pending(**message) for message in document["pending"])
        return OutboxState(scans={str(name): int(scan) for name, scan in document["scans"].items()}, pending=pending)
    except FileNotFoundError:
        return OutboxState(scans={})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = "is not the state of a watch"
        raise InputInvalid(what, where=str(file), hint="choose another file with --state, or remove it") from error
