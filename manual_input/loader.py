"""Load manual-input files as facts of one cluster; problems of all files are reported together."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from manual_input.json_cursor import Document, is_manual_input, load, validate
from manual_input.schema_sources import FILE_FORMATS, ContentReader
from manual_input.topics import KnownTopics, SchemaReader, TopicReader, assignments, field_uses, flows, owners
from scanner_model.catalogs import Annotation
from scanner_model.documents.json_positions import closest_match, parse_with_positions
from scanner_model.errors import InputInvalid, Problem
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Cluster
from scanner_model.manual import Assignment, DeclaredFlow, ManualInput, ManualSchema
from scanner_model.names import ClusterName, SourceId, TopicName, broker_address


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualResult:
    """Facts of the files for one cluster, and warnings, in file order."""

    input: ManualInput
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Context of the files. *base*: names are shown relative to it; None: as given.

    *topics* are those known from other sources, None where none was queried. *formats* are those of schema files.
    *scanned*: sources are read afterwards, and topics of flows are compared with theirs then.
    """

    base: Path | None = None
    topics: Collection[TopicName] | None = None
    formats: Collection[str] = FILE_FORMATS
    scanned: bool = False


def read_manual_input(
    files: Sequence[Path], cluster: ClusterName, brokers: tuple[str, ...], reach: Reach | None = None
) -> ManualResult:
    """Read the facts of *files* for *cluster*; the brokers that they list are added to *brokers*.

    A file of another cluster is skipped with a warning that counts what it holds. Raises one InputInvalid that lists
    every problem of every file.
    """
    reach = reach or Reach()
    documents = load_all(files, reach.base)
    ours = [document for document in documents if _is_of(document, cluster)]
    facts = read_documents(ours, Cluster(name=cluster, brokers=brokers), reach)
    errors = [problem for document in documents for problem in document.sorted_errors()]
    if errors:
        raise InputInvalid.listing(errors)
    warnings = tuple(problem for document in documents for problem in document.sorted_warnings())
    return ManualResult(input=facts, warnings=warnings)


def schemas_in(text: str, name: str) -> tuple[tuple[ManualSchema, ...], tuple[Problem, ...]] | None:
    """Return the schemas of topics in the text of one file, and their problems; None: not manual input.

    Files that it refers to are looked for beside *name*.
    """
    document = Document(Path(name), name)
    try:
        document.placed = parse_with_positions(text, name)
    except InputInvalid:
        return None
    validate(document)
    if document.errors or not is_manual_input(document.placed.value):
        return None
    reader = TopicReader()
    reader.read(document.root, _source(document), SchemaReader(document, _source(document), ContentReader()))
    return tuple(reader.schemas), tuple(document.sorted_errors())


def load_all(files: Sequence[Path], base: Path | None) -> list[Document]:
    """Read each of *files* as JSON, each once, in their order."""
    return [load(file, _name(file, base)) for file in dict.fromkeys(files)]


def read_documents(documents: Sequence[Document], cluster: Cluster, reach: Reach) -> ManualInput:
    """Read *documents*, all of one cluster; errors and warnings are added to the document."""
    collector = _FactCollector(brokers=dict.fromkeys(cluster.brokers))
    contents = ContentReader(reach.formats)
    for document in documents:
        validate(document)
        collector.add(document, contents)
    collector.add_flows(documents, reach)
    return ManualInput(
        cluster=Cluster(name=cluster.name, brokers=tuple(collector.brokers), cluster_id=cluster.cluster_id),
        sources=tuple(map(_source, documents)),
        topics=tuple(sorted(collector.topics.topics, key=lambda topic: topic.name)),
        schemas=tuple(collector.topics.schemas),
        assignments=tuple(collector.assignments),
        flows=tuple(collector.flows),
        owners=tuple(collector.owners),
        field_uses=tuple(dict.fromkeys(collector.field_uses)),
    )


@dataclass(slots=True)
class _FactCollector:
    """Collects the facts of the documents of one cluster."""

    brokers: dict[str, None]
    topics: TopicReader = field(default_factory=TopicReader)
    assignments: list[Assignment] = field(default_factory=list)
    flows: list[DeclaredFlow] = field(default_factory=list)
    owners: list[Annotation] = field(default_factory=list)
    field_uses: list[FieldUse] = field(default_factory=list)
    _stated: dict[str, str] = field(default_factory=dict)

    def add(self, document: Document, contents: ContentReader) -> None:
        source = _source(document)
        self.brokers |= _brokers(document)
        self.topics.read(document.root, source, SchemaReader(document, source, contents))
        self.assignments += assignments(document.root, source)
        self.owners += owners(document.root, source, self._stated)

    def add_flows(self, documents: Iterable[Document], reach: Reach) -> None:
        declared = [topic.name for topic in self.topics.topics]
        assigned = [assignment.topic for assignment in self.assignments]
        known = KnownTopics(None if reach.scanned else [*declared, *assigned, *(reach.topics or ())])
        for document in documents:
            self.flows += flows(document.root, _source(document), known)
            self.field_uses += field_uses(document.root, _source(document))


def _is_of(document: Document, cluster: ClusterName) -> bool:
    named = document.root.text("cluster")
    if not named or named == cluster:
        return True
    root = document.root
    parts = (("topics", root.elements("topics")), ("flows", root.elements("flows")))
    counts = [f"{sum(1 for _ in nodes)} {key}" for key, nodes in parts]
    counts += [f"{sum(1 for _ in root.member(key).members())} {key}" for key in ("subjects", "owners")]
    what = f"{', '.join(counts)} of cluster {named!r} skipped: this is {cluster!r}"
    root.member("cluster").warn(what, closest_match(named, [cluster]))
    return False


def _brokers(document: Document) -> dict[str, None]:
    addresses: dict[str, None] = {}
    for node in document.root.elements("brokers"):
        try:
            addresses |= {broker_address(node.string): None} if node.string else {}
        except InputInvalid as error:
            node.refuse(error.what, error.hint)
    return addresses


def _source(document: Document) -> SourceId:
    return SourceId(f"manual:{document.name}")


def _name(file: Path, base: Path | None) -> str:
    relative = Path(os.path.relpath(file, base)) if base else file
    # A name that is not UTF-8 must not stop what is stored or shown.
    return relative.as_posix().encode("utf-8", "backslashreplace").decode()


class Severity(StrEnum):
    """Whether a problem makes the input invalid."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One problem as a row: location, message, hint (empty if absent)."""

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
    owners: int


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
        owners=len({fact.owner for fact in facts.owners}),
    )


def _rows(document: Document) -> Iterator[CheckRow]:
    kinds = {Severity.ERROR: document.sorted_errors(), Severity.WARNING: document.sorted_warnings()}
    for severity, problems in kinds.items():
        for problem in problems:
            yield CheckRow(severity=severity, where=problem.where, what=problem.what, hint=problem.hint)
