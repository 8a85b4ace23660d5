"""From the body of a request to its answer: validate, have the disk hold the events, acknowledge. Knows no server."""

from __future__ import annotations

import threading

from dataflow_generator.openlineage.receiving import Reply, busy, judge
from dataflow_generator.openlineage.spool import Spool, SpoolFull

_PARSED_AT_ONCE = 4
"""Bodies that are parsed at once: as Python objects one takes many times its bytes."""


class EventIntake:
    """Stores events in *spool* before they are acknowledged; safe to use from many threads."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._parsing = threading.BoundedSemaphore(_PARSED_AT_ONCE)

    def receive(self, body: bytes, *, where: str) -> Reply:
        """Return the answer to *body*, which came from *where*; 2xx only for what the spool holds."""
        with self._parsing:
            judged = judge(body, where=where)
        try:
            if judged.accepted or judged.refused:
                self._spool.keep(judged.accepted, judged.refused)
        except SpoolFull as error:
            return busy(str(error), seconds=1)
        return judged.reply
