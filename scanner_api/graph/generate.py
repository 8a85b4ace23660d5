"""Generating the data flow graph of a dictionary: into the dictionary, into files, into another database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.analysis.findings import FindingKind, GraphFinding, counts, stored_findings
from dataflow_generator.build import store as graph_store
from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource, SnapshotSource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.targets import PARQUET_DIRECTORY, JdbcTarget, Written
from dataflow_generator.graph import FlowGraph
from dataflow_generator.query.stored_graph import coverage_of, whole_graph
from dataflow_generator.render import OUTPUTS, write_files
from dataflow_generator.stored.column_tags import store_tags
from scanner_api.dictionary import Dictionary
from scanner_api.files import GraphProgress, Notify, check_directory, ignore, no_graph_progress
from scanner_api.spark import SparkChoice
from scanner_dictionary.engine.open import Engine, from_anywhere, writing
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import StoredGraph, stored_graph, topic_level
from scanner_dictionary.lineage_inputs.topics import column_count
from scanner_dictionary.validation import replace_flow_findings
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid

__all__ = [
    "FORMATS",
    "Coverage",
    "GenerateResult",
    "GraphFinding",
    "GraphReport",
    "GraphTables",
    "JdbcTarget",
    "generate",
    "is_stored",
]

PARQUET = "parquet"
FORMATS = (*OUTPUTS, PARQUET)


class GraphTables(NamedTuple):
    """Tables that hold a generated graph: where they are, how many rows, and which engine wrote them.

    *manifest* names the file or table that holds all problems.
    """

    location: str
    nodes: int
    edges: int
    coverage: Coverage
    engine: str
    manifest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReport:
    """The graph stored in the dictionary: its size, how much of statements and connectors was read, and findings."""

    engine: str
    nodes: int
    edges: int
    coverage: Coverage
    findings: tuple[GraphFinding, ...]

    @property
    def finding_counts(self) -> Mapping[FindingKind, int]:
        """Return the number of findings by kind, the gravest first; kinds without findings are left out."""
        return counts(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateResult:
    """What `generate` wrote; *stored* is None where nothing was written into the dictionary."""

    stored: GraphReport | None = None
    files: tuple[Path, ...] = ()
    tables: tuple[GraphTables, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """Where a graph goes; *rows* are formats of files that are written row by row into *directory*."""

    store: bool
    directory: Path | None
    rows: Sequence[str]
    parquet: Path | None
    jdbc: JdbcTarget | None = field(repr=False)

    @property
    def are_none(self) -> bool:
        return not (self.store or self.rows or self.parquet or self.jdbc)


def generate(
    dictionary: Dictionary,
    *,
    output: Path | None = None,
    formats: Sequence[str] = ("json", "dot"),
    store: bool | None = None,
    snapshot: Path | None = None,
    spark: SparkChoice = SparkChoice(),  # noqa: B008 - frozen
    jdbc: JdbcTarget | None = None,
    progress: GraphProgress = no_graph_progress,
    notify: Notify = ignore,
) -> GenerateResult:
    """Generate the data flow graph of *dictionary* and write it to every output that is named.

    *output* is a directory for files in *formats*. *store*: into the dictionary; None means yes, unless Parquet, a
    snapshot or another database is requested. *snapshot* is a Parquet export to read instead of the dictionary. Raises
    InputInvalid for arguments that contradict each other or an output that cannot be written, DictionaryUnusable.

    >>> result = generate(dictionary, output=Path("flow"))
    >>> [file.name for file in result.files]
    ['graph.json', 'graph.dot']
    """
    engines = Engines(dictionary.url, snapshot, spark, notify)
    outputs = _outputs(output, formats, jdbc, store=is_stored(store, formats, snapshot, jdbc))
    engine = engines.choose(in_parts=bool(jdbc) or not (outputs.store or outputs.rows))
    if outputs.are_none:
        return GenerateResult()
    light = not (outputs.store or outputs.rows or jdbc)
    with engines.started(engine, progress, light=light) as generation:
        tables = _write_tables(generation, outputs, engine)
        graph = _store(generation, dictionary.writing()) if outputs.store else None
        files = _write_files(generation, dictionary, outputs)
    stored = _report(dictionary, graph, engine) if graph else None
    return GenerateResult(stored=stored, files=files, tables=tuple(tables))


def is_stored(store: bool | None, formats: Sequence[str], snapshot: Path | None, jdbc: JdbcTarget | None) -> bool:
    """Return whether the graph goes into the dictionary: *store*, or if it is None, unless it goes elsewhere only."""
    return (PARQUET not in formats and snapshot is None and jdbc is None) if store is None else store


def _outputs(output: Path | None, formats: Sequence[str], jdbc: JdbcTarget | None, *, store: bool) -> _Outputs:
    names = _known_formats(formats)
    directory = check_directory(output, "--output") if output else None
    if PARQUET in names and directory is None:
        raise InputInvalid("Parquet is written into a directory", where="--format parquet", hint="add --output DIR")
    return _Outputs(
        store=store,
        directory=directory,
        rows=[name for name in names if name != PARQUET] if directory else [],
        parquet=directory / PARQUET_DIRECTORY if directory and PARQUET in names else None,
        jdbc=jdbc,
    )


def _known_formats(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in FORMATS:
            hint = closest_match(name, FORMATS) or f"one of {', '.join(FORMATS)}"
            raise InputInvalid(f"{name!r} is not known", where="scanner dictionary dataflow --format", hint=hint)
    return tuple(dict.fromkeys(names))


def _store(generation: Generation, engine: Engine) -> StoredGraph:
    graph = generation.store(engine)
    replace_flow_findings(engine)
    with writing(engine) as conn:
        store_tags(conn)
    return graph


def _write_tables(generation: Generation, outputs: _Outputs, engine: str) -> list[GraphTables]:
    tables: list[GraphTables] = []
    if outputs.parquet:
        written = generation.parquet(outputs.parquet)
        tables.append(_tables(written, engine, str(outputs.parquet), "_about.json there"))
    if outputs.jdbc and generation.database:
        written = generation.database(outputs.jdbc)
        tables.append(_tables(written, engine, outputs.jdbc.masked_url, "graph_about there"))
    return tables


def _tables(written: Written, engine: str, location: str, manifest: str) -> GraphTables:
    about = written.about
    return GraphTables(location, about.nodes, about.edges, written.coverage, engine, manifest)


def _write_files(generation: Generation, dictionary: Dictionary, outputs: _Outputs) -> tuple[Path, ...]:
    """Write files of the graph: of the one stored in *dictionary*, where it is, so that it is not generated twice."""
    if not (outputs.rows and outputs.directory):
        return ()
    if outputs.store:
        with dictionary.reading() as conn:
            about = stored_graph(conn)
            graph = whole_graph(SqlGraphReader(conn), about) if about else None
            return write_files(graph, outputs.directory, outputs.rows) if graph else ()
    with generation.graph() as graph:
        return write_files(graph, outputs.directory, outputs.rows)


def _report(dictionary: Dictionary, graph: StoredGraph, engine: str) -> GraphReport:
    coverage = coverage_of(graph)
    with dictionary.reading() as conn:
        findings = stored_findings(topic_level(conn), coverage.misfits)
    return GraphReport(engine=engine, nodes=graph.nodes, edges=graph.edges, coverage=coverage, findings=findings)


LARGE = 2_000_000
"""Columns from which `--engine auto` has Spark write files: below, starting a JVM costs more than it saves."""


class Generation(NamedTuple):
    """What one engine can do: store the graph in a dictionary, yield its rows, write them as Parquet or by JDBC."""

    store: Callable[[Engine], StoredGraph]
    graph: Callable[[], AbstractContextManager[FlowGraph]]
    parquet: Callable[[Path], Written]
    database: Callable[[JdbcTarget], Written] | None = None


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for the dictionary at *url*, or for a Parquet export of it, *snapshot*."""

    url: str = field(repr=False)
    snapshot: Path | None
    spark: SparkChoice
    notify: Notify = field(default=ignore, repr=False)

    def choose(self, *, in_parts: bool) -> str:
        """Return `local` or `spark`; for auto Spark where many columns are written *in_parts*, and notify why.

        One process writes the dictionary and single files: rows that tasks build take longer to get there.
        """
        if self.spark.wanted != "auto" or self.spark.remote:
            return self.spark.choose(0, LARGE, "columns", self.notify)
        if not in_parts:
            return "local"
        with self.source().connected() as conn:
            columns = column_count(conn)
        return self.spark.choose(columns, LARGE, "columns", self.notify)

    @contextmanager
    def started(self, engine: str, progress: GraphProgress, *, light: bool = False) -> Iterator[Generation]:
        """Start *engine* for the `with` block, reporting to *progress*; *light*: only Parquet is written."""
        if engine == "spark":
            source = replace(self, url=from_anywhere(self.url)).source()
            with self.spark.session(light=light) as spark, spark.report(progress):
                yield Generation(
                    lambda engine: graph_store.store(engine, spark.graph(source)),
                    lambda: nullcontext(spark.graph(source)),
                    lambda directory: spark.write_files(source, directory),
                    lambda target: spark.write_tables(source, target),
                )
        else:
            source = self.source()
            yield Generation(
                lambda engine: self._store_local(engine, source, progress),
                lambda: _local(source),
                lambda directory: _write_parquet(source, directory, progress),
            )

    def source(self) -> DictionarySource:
        """Return the dictionary, or the snapshot of it, that the graph is built from."""
        return DictionarySource(self.url) if self.snapshot is None else SnapshotSource(str(self.snapshot.absolute()))

    def _store_local(self, engine: Engine, source: DictionarySource, progress: GraphProgress) -> StoredGraph:
        if self.snapshot is None:
            return graph_store.generate(engine, progress)
        with _local(source) as graph:
            return graph_store.store(engine, graph)


@contextmanager
def _local(source: DictionarySource) -> Iterator[FlowGraph]:
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        flows = read_flows(snapshot)
        # A transaction that has read would keep the dictionary from being written.
        conn.rollback()
        yield build_graph(snapshot, flows)


def _write_parquet(source: DictionarySource, directory: Path, progress: GraphProgress) -> Written:
    from dataflow_generator.parquet import job_batches  # noqa: PLC0415 - pyarrow may be missing

    return job_batches.write_graph(source, directory, progress)
