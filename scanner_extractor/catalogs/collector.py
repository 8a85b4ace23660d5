"""Collects tables, lineage links and failures while one catalog is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import PagesWithoutEnd
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.columns import ColumnPath
from scanner_model.errors import NotFound, Problem, ScannerError
from scanner_model.payload import Unread

Job = TypeVar("Job")
Result = TypeVar("Result")
Name = tuple[str, str]
"""Namespace and name of a dataset."""

_TRIAL = 5
"""How many tables are tried for lineage before all are: where all of these fail, the catalog offers none."""

_REPORT_INTERVAL = 100
_PATIENCE = 90.0
_LONG = 86_400.0
"""Seconds that one list may take: while its pages come, the runner knows that the source goes on."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A dataset, or a column of it."""

    name: Name
    path: ColumnPath | None = None


@dataclass(slots=True)
class CatalogCollector:
    """Collects the content of one catalog.

    *unread* are tables that exist and could not be read; *unlisted* counts schemas (or similar) whose tables
    could not be listed, *without_lineage* tables whose lineage could not be read.
    """

    settings: CatalogSettings
    http: Http
    progress: Progress
    tables: dict[Name, CatalogTable] = field(default_factory=dict)
    links: dict[tuple[str, ...], CatalogLink] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unread: Unread = field(init=False)
    unlisted: int = 0
    without_lineage: int = 0

    def __post_init__(self) -> None:
        """Begin with nothing unread."""
        self.unread = Unread(self.settings.source)

    def keep(self, tables: Iterable[CatalogTable]) -> None:
        """Add *tables*; of duplicate names the first is retained."""
        for table in tables:
            self.tables.setdefault((table.namespace, table.name), table)
        self.progress(self.settings.source, len(self.tables), None)

    def link(self, origin: Endpoint, target: Endpoint, process: str = "", dependency: str = "") -> None:
        """Add a flow between datasets, or between their columns; a flow into itself is ignored."""
        if origin == target:
            return
        link = CatalogLink(
            source=self.settings.source,
            origin_namespace=origin.name[0],
            origin_name=origin.name[1],
            origin_path=origin.path,
            target_namespace=target.name[0],
            target_name=target.name[1],
            target_path=target.path,
            process=process,
            dependency=dependency,
        )
        paths = ("\0".join(endpoint.path) if endpoint.path is not None else "" for endpoint in (origin, target))
        self.links.setdefault((*origin.name, *target.name, *paths, process), link)

    def paged_entries(self, entries: Iterable[Result]) -> Iterator[Result]:
        """Yield the entries of a long list and report progress; an endless list is truncated."""
        try:
            for number, entry in enumerate(entries):
                if number % _REPORT_INTERVAL == 0:
                    self.progress(self.settings.source, len(self.tables), None)
                yield entry
        except PagesWithoutEnd as error:
            if not error.items:
                raise
            self.unlisted += 1
            self.report_problem("a list", "it was not read to its end", error)

    def run_all(
        self, jobs: Sequence[Job], call: Callable[[Job], Result], *, patience: float = _PATIENCE
    ) -> list[Result | ScannerError]:
        """Run *call* for each job concurrently, with results in order.

        Reports progress, and gives up as `WorkerPool` does.
        """

        def report(done: int) -> None:
            self.progress(self.settings.source, done, len(jobs))

        pool = WorkerPool(threads=self.settings.http.concurrency, patience=patience)
        answers = map_concurrently(
            jobs, lambda job: (call(job),), pool=pool, on_result=report
        )  # an answer may be JSON's null
        return [answer if isinstance(answer, ScannerError) else answer[0] for answer in answers]

    def lists(
        self, names: Sequence[str], call: Callable[[str], list[Result]], what: str
    ) -> list[tuple[str, list[Result]]]:
        """List the content of each of *names*; one that cannot be listed is reported and skipped.

        Raises where none of them can.
        """
        answers = list(zip(names, self.run_all(names, call, patience=_LONG), strict=True))
        errors = [(name, answer) for name, answer in answers if isinstance(answer, ScannerError)]
        if errors and len(errors) == len(answers):
            raise errors[0][1]
        for name, error in errors:
            self.unlisted += 1
            self.report_problem(name, f"its {what} could not be listed", error)
        return [(name, answer) for name, answer in answers if not isinstance(answer, ScannerError)]

    def lineage(
        self,
        jobs: Sequence[Job],
        name: Callable[[Job], str],
        call: Callable[[Job], Result],
        offered: Callable[[], bool] = _always,
    ) -> list[Result]:
        """Fetch the lineage of each job; where the first few all fail, no other is queried.

        If none of them is found, *offered* tells whether the server has lineage; if not, the source is complete.
        """
        answers = list(self.run_all(jobs[:_TRIAL], call))
        if answers and all(isinstance(answer, NotFound) for answer in answers) and not offered():
            what = "the server does not offer lineage (404): its tables are read, and no lineage of them"
            self.problems.append(
                Problem(str(self.settings.source), what, '`"lineage": "none"` leaves the requests out')
            )
            return []
        if not all(isinstance(answer, ScannerError) for answer in answers):
            answers += self.run_all(jobs[_TRIAL:], call)
        for job, answer in zip(jobs, answers, strict=False):
            if isinstance(answer, ScannerError):
                self.without_lineage += 1
                self.report_problem(name(job), "its lineage could not be read", answer)
        self.without_lineage += len(jobs) - len(answers)
        return [answer for answer in answers if not isinstance(answer, ScannerError)]

    def report_problem(self, name: str, what: str, error: ScannerError) -> None:
        """Report what could not be read of *name*."""
        self.problems.append(Problem(f"{self.settings.source} {name}", f"{what}: {error.what}", error.hint))

    def reading(self) -> Reading:
        """Return the result, sorted; unread names are dropped where other tables could not be listed."""
        reasons = self._reasons()
        complete = not self.unlisted and not self.without_lineage
        return Reading(
            outcome=answered(
                self.settings.source,
                "catalog",
                len(self.tables),
                reasons=reasons,
                missing=len(self.unread),
                requests=self.http.requests,
                unread=self.unread.known if complete else frozenset(),
            ),
            facts=(
                *(self.tables[key] for key in sorted(self.tables)),
                *(self.links[key] for key in sorted(self.links)),
            ),
            problems=tuple(sorted((*self.problems, *self.unread.problems))),
        )

    def _reasons(self) -> list[str]:
        counts = (
            (self.unlisted, "{} of its schemas could not be listed"),
            (len(self.unread), "{} of its tables could not be read"),
            (self.without_lineage, "{} of its tables did not report their lineage"),
        )
        return [words.format(count) for count, words in counts if count]
