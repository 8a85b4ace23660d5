"""What openlineage-python says in its log and in no other way: events of its console, warnings, and failures."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from dataflow_generator.openlineage.door import clean_text

_LIBRARY = "openlineage"
_CONSOLE = "openlineage.client.transport.console"
_COMPOSITE = "openlineage.client.transport.composite"


class Missed(NamedTuple):
    """A transport of a composite that did not take an event, and why."""

    transport: object
    error: Exception


class Words(logging.Handler):
    """Hears the library's log: *show* is told the events of its console, *say* its warnings, each once in a row.

    *errors* counts what it calls an error, *last* is its latest warning or error; *missed* which transports of a
    composite failed while others went on, until `clear`.
    """

    def __init__(self, say: Callable[[str], object], show: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._say, self._show = say, show
        self.errors = 0
        self.last = ""
        self.missed: list[Missed] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record of the log."""
        text = record.getMessage()
        if record.name == _CONSOLE and record.levelno == logging.INFO:
            self._show(text)
        elif record.levelno >= logging.WARNING:
            self.errors += record.levelno >= logging.ERROR
            self._note(record)
            said = clean_text(" ".join(text.split()))
            if said != self.last:
                self._say(said)
            self.last = said

    def clear(self) -> None:
        """Forget which transports failed."""
        self.missed = []

    def listen(self) -> None:
        """Begin to hear; nobody else does then."""
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False
        logging.getLogger(_CONSOLE).setLevel(logging.INFO)

    def leave(self) -> None:
        """Hear no more."""
        logging.getLogger(_LIBRARY).removeHandler(self)

    def _note(self, record: logging.LogRecord) -> None:
        match record.args:
            case (transport, Exception() as error) if record.name.startswith(_COMPOSITE):
                self.missed.append(Missed(transport, error))
