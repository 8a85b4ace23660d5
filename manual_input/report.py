"""Result of `scanner manual-input check`: a row for each problem, and a summary of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from manual_input.json_cursor import Document
from manual_input.loader import Reach, load_all, read_documents
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName


class Severity(StrEnum):
    """Whether a problem makes the input invalid."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One problem as a row: location, message, hint (empty where there is none)."""

    severity: Severity
    where: str
    what: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Counts of the readable files for one cluster; *cluster* is empty where they name none."""

    cluster: ClusterName
    files: int
    brokers: int
    topics: int
    schemas: int
    assignments: int
    flows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of a check: *rows* in the order of the files, *summaries* by cluster name."""

    rows: tuple[CheckRow, ...]
    summaries: tuple[Summary, ...]

    @property
    def valid(self) -> bool:
        """Return whether a scan would accept the files."""
        return all(row.severity is Severity.WARNING for row in self.rows)


def check(files: Sequence[Path], reach: Reach | None = None) -> Check:
    """Check *files* of any clusters; a file that names no cluster is checked among the others that name none."""
    reach = reach or Reach()
    documents = load_all(files, reach.base)
    clusters: dict[ClusterName, list[Document]] = {}
    for document in documents:
        clusters.setdefault(ClusterName(document.root.text("cluster")), []).append(document)
    summaries = tuple(_summary(name, of, reach) for name, of in sorted(clusters.items()))
    return Check(rows=tuple(row for document in documents for row in _rows(document)), summaries=summaries)


def _summary(name: ClusterName, documents: Sequence[Document], reach: Reach) -> Summary:
    facts = read_documents(documents, Cluster(name=name, brokers=()), reach)
    return Summary(
        cluster=name,
        files=len(documents),
        brokers=len(facts.cluster.brokers),
        topics=len(facts.topics),
        schemas=len(facts.schemas),
        assignments=len(facts.assignments),
        flows=len(facts.flows),
    )


def _rows(document: Document) -> Iterator[CheckRow]:
    kinds = {Severity.ERROR: document.sorted_errors(), Severity.WARNING: document.sorted_warnings()}
    for severity, problems in kinds.items():
        for problem in problems:
            yield CheckRow(severity=severity, where=problem.where, what=problem.what, hint=problem.hint)
