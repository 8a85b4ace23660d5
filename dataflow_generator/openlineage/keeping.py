"""From the spool to the dictionary: closed segments are stored, each of them whole before it is removed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dataflow_generator.openlineage.files import EventText
from dataflow_generator.openlineage.intake import Store, Taken, take_in
from dataflow_generator.openlineage.rejected import RejectedFile, rejection
from dataflow_generator.openlineage.spool import Spool, whole_lines
from scanner_model.errors import ScannerError
from scanner_model.problems import Problem

_PAUSE = 0.5
_LONGEST_PAUSE = 30.0

Say = Callable[[str], None]


@dataclass(slots=True)
class Keeping:
    """Stores what the spool holds, again and again until it is stopped.

    While the dictionary cannot be written the segments stay, and *trouble* says why; it is tried again, ever later.
    A segment that cannot be read is set aside, and the others are stored.
    """

    spool: Spool
    store: Store
    aside: Path
    say: Say
    taken: Taken = field(default_factory=Taken)
    trouble: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _unreadable: set[Path] = field(default_factory=set)
    """Segments that could not even be renamed."""

    def start(self) -> None:
        """Begin with what an earlier listener left."""
        self._thread = threading.Thread(target=self._run, name="keeping", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Store what is there, and end; what cannot be stored now stays in the spool."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.store_all()

    def problems(self) -> list[str]:
        """Return what keeps events from being stored now; empty where nothing does."""
        found = [self.trouble] if self.trouble else []
        if self.spool.failure:
            found.append(f"the spool takes no events: {self.spool.failure}")
        if aside := self.spool.unreadable() + len(self._unreadable):
            found.append(f"{aside} segments of the spool cannot be read and are set aside in {self.spool.directory}")
        if not self.spool.alive:
            found.append("nothing can be received: the thread that writes the spool has ended; restart the listener")
        if self._thread is not None and not self._thread.is_alive() and not self._stop.is_set():
            found.append("nothing is stored: the thread that stores events has ended; restart the listener")
        return found

    def store_all(self) -> bool:
        """Store every segment that can be read; return whether the dictionary took them."""
        try:
            for file in self.spool.closed():
                if file not in self._unreadable:
                    self._store_or_set_aside(file)
        except ScannerError as error:
            if str(error) != self.trouble:
                self.say(f"not stored yet, the spool keeps it: {error}")
            self.trouble = str(error)
            return False
        self.trouble = ""
        return True

    def _run(self) -> None:
        pause = _PAUSE
        while not self._stop.wait(pause):
            pause = _PAUSE if self.store_all() else min(pause * 2, _LONGEST_PAUSE)

    def _store_or_set_aside(self, file: Path) -> None:
        try:
            self._store(file)
        except (OSError, ValueError) as error:
            # A disk's error, the rights of another user, or text that the dictionary's driver does not take.
            why = getattr(error, "strerror", None) or error
            self.say(f"set aside, because it cannot be read; not all of its events are stored: {file}: {why}")
            try:
                self.spool.set_aside(file)
            except OSError:
                self._unreadable.add(file)

    def _store(self, file: Path) -> None:
        with RejectedFile(self.aside) as aside:

            def refuse(text: EventText, problems: tuple[Problem, ...]) -> None:
                aside.add(rejection(text.where, text.text, problems))

            texts = (EventText(f"{file.name}:{line}", text) for line, text in enumerate(whole_lines(file), 1))
            taken = take_in(texts, self.store, refuse)
        self.spool.remove(file)
        self.taken.received += taken.received
        self.taken.stored += taken.stored
        self.taken.repeated += taken.repeated
        self.taken.refused += taken.refused
        self.taken.future += taken.future
