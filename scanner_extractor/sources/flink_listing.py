"""Gathers lists of a Flink service page by page: what was read stays, whatever becomes of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.settings_flink import FlinkSettings
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.flink import FlinkStatement
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

Item = Mapping[str, Json]


@dataclass(slots=True)
class FlinkListing:
    """What was read of one service; *unread* names what it has and could not be read, *reasons* say what lacks."""

    settings: FlinkSettings
    progress: Progress
    statements: dict[str, FlinkStatement] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    whole: bool = True

    def take(
        self, items: Iterable[Item], read: Callable[[Item, FlinkSettings], FlinkStatement], name: Callable[[Item], str]
    ) -> None:
        """Read *items*, each alone; raises what listing them raises, and keeps what came before."""
        for item in items:
            try:
                statement = read(item, self.settings)
                self.statements[statement.name] = statement
            except PayloadUnexpected as error:
                self._lost(name(item), error)
            self.progress(self.settings.source, len(self.statements), None)

    def broken_off(self, things: str, error: ScannerError) -> None:
        """Note that a list of *things* was not told to its end: nothing that it did not name is gone."""
        self.whole = False
        self.reasons.append(f"{things} could not all be listed")
        what = f"{things} could not all be listed: {error.what}"
        self.problems.append(Problem(str(self.settings.source), what, error.hint))

    def reading(self, http: Http) -> JobsReading:
        """Give all of it, sorted by name."""
        got, lost = len(self.statements), [f"{len(self.unread)} could not be read"] if self.unread else []
        self.progress(self.settings.source, got, got)
        outcome = Outcome(
            source=self.settings.source,
            kind="flink",
            answer=Answer.PARTIAL if self.problems else Answer.READ,
            got=got,
            asked=got + len(self.unread),
            reason="; ".join((*self.reasons, *lost)),
            requests=http.requests,
            # With a name in it, a partial answer counts as a list of everything else.
            unread=frozenset(self.unread) if self.whole else frozenset(),
        )
        statements = tuple(self.statements[name] for name in sorted(self.statements))
        return JobsReading(outcome=outcome, statements=statements, problems=tuple(self.problems))

    def _lost(self, name: str, error: PayloadUnexpected) -> None:
        self.unread.add(name)
        if not name:  # what cannot be named cannot be kept apart from what is gone
            self.whole = False
        self.problems.append(Problem(f"{self.settings.source} {name}".rstrip(), error.what, error.hint))
