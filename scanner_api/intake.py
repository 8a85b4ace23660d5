"""Receiving OpenLineage events for a server: on disk before they are acknowledged, then stored in the dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dataflow_generator.openlineage.intake.importer import SpoolImporter
from dataflow_generator.openlineage.intake.listener import BodyBroken, BodyTooLarge, EventIntake, unpack
from dataflow_generator.openlineage.intake.requests import LARGEST, Head, Reply, Rules, admit, refusal, too_large
from dataflow_generator.openlineage.intake.spool import Spool
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, check_file, ignore
from scanner_dictionary.write.events import write_events

__all__ = ["Reply"]

_MIB = 1024 * 1024


class EventReceiver:
    """Receives events until it is closed; the guarantees are those of `scanner openlineage listen`.

    Events are on disk before `receive` returns a status below 300. What was not stored when the process ended is stored
    by the next receiver of the same spool. *spool* and *rejected* default to places beside the dictionary's file.
    Raises InputInvalid where another process uses the spool, or a place cannot be written.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        *,
        spool: Path | None = None,
        rejected: Path | None = None,
        largest_body: int = LARGEST,
        largest_spool: int = 1024 * _MIB,
        notify: Notify = ignore,
    ) -> None:
        file = check_file(rejected or dictionary.sibling(".rejected.ndjson"), "--rejected")
        engine = replace(dictionary, notify=None, pool=None).writing(create=True)
        self._rules = Rules(largest=largest_body)
        self._spool = Spool(spool or dictionary.sibling(".spool"), file, largest=largest_spool)
        self._importer = SpoolImporter(self._spool, lambda events: write_events(engine, events), file, notify)
        self._intake = EventIntake(self._spool)
        self._importer.start()

    @property
    def largest_body(self) -> int:
        """Return the largest body in bytes, also after decompression."""
        return self._rules.largest

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Reply | None:
        """Return the response that refuses a request by its head; None where its body is to be read.

        Names of *headers* are in lower case. Access (token, host) is the server's to check.
        """
        harmless = {name: value for name, value in headers.items() if name not in ("host", "origin", "sec-fetch-site")}
        return admit(Head(method=method, path=path, headers=harmless), self._rules)

    def too_large(self) -> Reply:
        """Return the response to a body that is too large."""
        return too_large(self._rules)

    def receive(self, pieces: Iterable[bytes], *, packed: bool, where: str) -> Reply:
        """Return the response to a body, *packed* with gzip or plain; *where* is its origin for rejected events."""
        body = bytearray()
        try:
            for piece in unpack(iter(pieces), self._rules.largest) if packed else pieces:
                body += piece
                if len(body) > self._rules.largest:
                    raise BodyTooLarge
        except BodyTooLarge:
            return self.too_large()
        except BodyBroken as error:
            return refusal(400, str(error))
        return self._intake.receive(bytes(body), where=where)

    def problems(self) -> list[str]:
        """Return what prevents events from being received or stored now; empty for nothing."""
        return self._importer.problems()

    def counts(self) -> Mapping[str, Any]:
        """Return how many events were stored, repeated and refused, and the bytes that wait in the spool."""
        return {"spool_bytes": self._spool.size(), **asdict(self._importer.result)}

    def close(self) -> None:
        """Store what is in the spool, and stop; what cannot be stored now stays there."""
        self._importer.stop()
        self._spool.close()
