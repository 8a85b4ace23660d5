"""The graph of a dictionary, stored there: brought up to date where that can be done, else made anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dataflow_generator.build.assemble import build_graph
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.garbage_collection import infrequent_collection
from dataflow_generator.build.progress import ProgressCallback, silent
from dataflow_generator.build.schema_nodes import topic_key
from dataflow_generator.build.store import coverage_text, upper_rows, write
from dataflow_generator.graph import FlowGraph
from dataflow_generator.incremental.inputs import Estate, read_estate
from dataflow_generator.incremental.job_nodes import draw_jobs, erase_jobs, settle
from dataflow_generator.incremental.jobs import Reread, WholeReading, read_whole, reread
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.incremental.manifest import made_text, read_made
from dataflow_generator.incremental.nodes import read_upper
from dataflow_generator.incremental.parts import TOPICS, Part, part_row, read_part_row, read_topic_parts, topic_parts
from dataflow_generator.incremental.schemas import Schemas, read_schemas
from dataflow_generator.incremental.topic_nodes import change_topics
from dataflow_generator.jobs.kinds import LookupContext, lookup_context
from scanner_dictionary.engine.open import Connection, Engine, writing
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.graph.store import StoredGraph
from scanner_dictionary.graph.update import PartName, PartRow, read_parts, write_parts
from scanner_dictionary.lineage_inputs.fingerprints import definition_sizes
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_model.errors import DictionaryUnusable


class Reused(NamedTuple):
    """How many of how many were not made again."""

    kept: int
    all: int


class Renewed(NamedTuple):
    """The stored graph, and how much of it was there before."""

    graph: StoredGraph
    topics: Reused
    jobs: Reused
    schemas: Reused


def renew(engine: Engine, *, anew: bool = False, told: ProgressCallback = silent) -> Renewed:
    """Bring the stored graph up to what the dictionary holds now; *anew*: whatever is stored.

    The graph is the same either way. Readers see the one before until all of it is there.
    """
    begun = False
    if not anew:
        try:
            with infrequent_collection(), writing(engine) as conn:
                begun = True
                return _in_place(conn)
        except Unrenewable:
            pass
        except DictionaryUnusable:
            # Rows that somebody else changed do not fit together; a dictionary that cannot be written says so.
            if not begun:
                raise
    with engine.connect() as conn, infrequent_collection():
        read = read_whole(conn, told=told)
    with infrequent_collection(), writing(engine) as conn:
        return _made_anew(conn, read, keep=not anew)


def _in_place(conn: Connection) -> Renewed:
    """Change what differs; raises Unrenewable where that cannot be told."""
    sizes = dict(definition_sizes(conn))
    made, estate = read_made(conn, sizes), read_estate(conn)
    if not made.said or made.said != estate.said:
        raise Unrenewable
    stored = read_parts(conn)
    topics, known = read_topic_parts(stored.rows), _known(stored.rows)
    around, schemas = lookup_context(conn), read_schemas(conn, sizes, made.schemas)
    again = reread(conn, estate, known, around)
    schemas.add()
    changed = _change_upper(conn, estate, topics, again, around, schemas)
    schemas.drop()
    coverage = Coverage.total(part.coverage for part in again.parts.values())
    graph = graph_changes.write_graph_state(conn, coverage_text(coverage))
    rows = {
        name: stored.rows[name] if known.get(name) is part else part_row(part) for name, part in again.parts.items()
    }
    write_parts(conn, stored, {**topic_parts(estate), **rows}, made_text(estate.said, sizes, schemas.live))
    jobs = sum(len(part.jobs) for part in again.parts.values())
    kept = jobs - len({each.job.key for each in again.changed})
    topic_count = len(estate.topics)
    return Renewed(graph, Reused(topic_count - changed, topic_count), Reused(kept, jobs), _kept(schemas))


def _change_upper(
    conn: Connection,
    estate: Estate,
    before: Mapping[ClusterTopic, str],
    again: Reread,
    around: LookupContext,
    schemas: Schemas,
) -> int:
    """Change what stands above the schemas; gives how many of the topics that are there differ."""
    if not again.changed and not again.gone and before == {name: each.digest for name, each in estate.topics.items()}:
        return 0
    spaces = around.naming.clusters
    now = [topic_key(spaces[cluster], name) for cluster, name in estate.topics]
    upper = read_upper(conn, (topic_key(spaces[cluster], name) for cluster, name in before), now)
    redrawn = {each.job.key for each in again.changed}
    erase_jobs(upper, redrawn | again.gone)
    topics = change_topics(upper, estate, before, schemas.keys, around)
    draw_jobs(upper, again.changed, around)
    settle(upper, topics, again.gone, around)
    return len(topics & set(now))


def _made_anew(conn: Connection, read: WholeReading, *, keep: bool) -> Renewed:
    sizes = dict(definition_sizes(conn))
    graph = build_graph(conn, read.flows)
    try:
        stored, kept = _with_schemas(conn, graph, sizes, keep=keep)
    except Unrenewable:
        stored = write(conn, graph)
        kept = Reused(0, len(read_schemas(conn, sizes, frozenset()).live))
    rows: dict[PartName, PartRow] = {}
    if read.parts is not None:
        rows = {**topic_parts(read.estate), **{name: part_row(part) for name, part in read.parts.items()}}
    said = read.estate.said if read.parts is not None else ""
    schemas = read_schemas(conn, sizes, frozenset())
    write_parts(conn, read_parts(conn), rows, made_text(said, sizes, schemas.live))
    return Renewed(stored, Reused(0, len(read.estate.topics)), Reused(0, read.jobs), kept)


def _with_schemas(
    conn: Connection, graph: FlowGraph, sizes: Mapping[int, int], *, keep: bool
) -> tuple[StoredGraph, Reused]:
    """Build anew what stands above the schemas; raises Unrenewable, first, where none is to be kept."""
    if not keep or graph.above is None:
        raise Unrenewable
    schemas = read_schemas(conn, sizes, read_made(conn, sizes).schemas)
    graph_changes.delete_upper(conn)
    schemas.add()
    nodes, edges = upper_rows(graph.above, schemas.keys, graph.flowing)
    graph_changes.add_rows(conn, nodes, edges)
    schemas.drop()
    return graph_changes.write_graph_state(conn, coverage_text(graph.coverage)), _kept(schemas)


def _kept(schemas: Schemas) -> Reused:
    return Reused(len(schemas.live.keys() & schemas.stored), len(schemas.live))


def _known(rows: Mapping[PartName, PartRow]) -> dict[PartName, Part]:
    """Return what is remembered of jobs; raises Unrenewable for what this program did not write."""
    return {name: read_part_row(row) for name, row in rows.items() if name[0] != TOPICS}
