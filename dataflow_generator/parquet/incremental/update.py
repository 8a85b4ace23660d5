"""A graph in Parquet files brought up to date: what did not change is taken over, and the rows are those made anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.garbage_collection import infrequent_collection
from dataflow_generator.incremental.inputs import Estate, read_estate
from dataflow_generator.incremental.jobs import reread
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.incremental.parts import (
    TOPICS,
    job_keys,
    part_row,
    read_part_row,
    read_topic_parts,
    topic_parts,
)
from dataflow_generator.incremental.update import Reused
from dataflow_generator.jobs.kinds import LookupContext, lookup_context
from dataflow_generator.parquet.build_cache import Made, definitions_after, read_made, write_made
from dataflow_generator.parquet.dataset import checked_manifest
from dataflow_generator.parquet.incremental.jobs import Jobs, renewed_flows
from dataflow_generator.parquet.incremental.schemas import cuts, renew_schemas, spans_before
from dataflow_generator.parquet.incremental.topics import Topics, renewed_estate, topics_now
from dataflow_generator.parquet.job_tables import read_job_tables, write_job_tables
from dataflow_generator.parquet.manifest import MADE, Written, whole_graph, write_manifest
from scanner_dictionary.lineage_inputs.column_batches import live_heads
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_model.errors import InputInvalid


class RenewedFiles(NamedTuple):
    """The graph, and how much of it was taken over from the one before."""

    written: Written
    topics: Reused
    jobs: Reused
    schemas: Reused


def renew_graph(source: DictionarySource, directory: Path, *, most: float = 1) -> RenewedFiles | None:
    """Bring the graph in *directory* up to what *source* holds now, whole or not at all.

    None, and nothing is changed, where it can only be made anew, or where more than the part *most* of the topics
    differ. Raises InputInvalid where it cannot be written.
    """
    if not (directory / MADE).exists():
        return None
    try:
        with source.connected() as conn, infrequent_collection(), whole_graph(directory) as part, _plain_memory():
            return _renewed(conn, source, (directory, part), most)
    except Unrenewable:
        return None


@contextmanager
def _plain_memory() -> Iterator[None]:
    """Let Arrow ask the system for memory: what its own allocator sets up first costs as much as half of the work."""
    import pyarrow as pa

    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


def _renewed(conn: Connection, source: DictionarySource, places: tuple[Path, Path], most: float) -> RenewedFiles:
    old, new = places
    made, estate, around = _made_before(old), read_estate(conn), lookup_context(conn)
    definitions = definitions_after(conn, made.definitions)
    if not made.said or made.said != estate.said:
        raise Unrenewable
    before = read_topic_parts(made.parts)
    topics = topics_now(estate, before, around.naming.clusters)
    if len(topics.differing) > most * max(len(before), len(estate.topics)):
        raise Unrenewable
    known = {name: read_part_row(row) for name, row in made.parts.items() if name[0] != TOPICS}
    again = reread(conn, estate, known, around)
    jobs = Jobs(keys=sorted(job_keys(again.parts)), changed=again.changed, gone=again.gone, flowing=made.flowing)
    flowing = _write_above(conn, estate, topics, jobs, around, places)
    told = {name: made.parts[name] if known.get(name) is part else part_row(part) for name, part in again.parts.items()}
    parts = {**topic_parts(estate), **told}
    write_made(new, Made(said=estate.said, definitions=definitions, flowing=flowing, parts=parts))
    schemas = _write_schemas(conn, old, new)
    coverage = Coverage.total(part.coverage for part in again.parts.values())
    written = Written(write_manifest(new, source.newest_scan(), coverage), coverage)
    redone = {each.job.key for each in jobs.changed}
    return RenewedFiles(
        written,
        Reused(len(estate.topics) - len(topics.changed), len(estate.topics)),
        Reused(len(jobs.keys) - len(redone), len(jobs.keys)),
        schemas,
    )


def _made_before(directory: Path) -> Made:
    """Read what the graph was made of; raises Unrenewable where it is not whole."""
    try:
        checked_manifest(directory)
    except InputInvalid as error:
        raise Unrenewable from error
    return read_made(directory)


def _write_above(
    conn: Connection, estate: Estate, topics: Topics, jobs: Jobs, around: LookupContext, places: tuple[Path, Path]
) -> Sequence[tuple[str, int]]:
    """Write what stands above the schemas; gives how many flows between columns each job has."""
    above = read_job_tables(places[0])
    nodes, edges = renewed_estate(conn, above, estate, topics)
    drawn = renewed_flows(above, jobs, topics, around)
    write_job_tables([nodes, drawn.nodes], [edges, drawn.edges], places[1])
    return drawn.flowing


def _write_schemas(conn: Connection, old: Path, new: Path) -> Reused:
    live = live_heads(conn)
    found = cuts(spans_before(old), live)
    renew_schemas(conn, old, found, new)
    return Reused(sum(len(cut.staying) for cut in found), len(live))
