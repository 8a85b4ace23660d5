"""From a topic through RisingWave or Materialize to another topic, column by column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streaming_engines import MATERIALIZE, RISINGWAVE, engine_session

from dataflow_generator.graph import EdgeKind
from scanner_extractor.systems.databases.engines.session import EngineCatalog
from scanner_extractor.systems.databases.products import product_of
from scanner_model.kafka import Topic
from scanner_model.lazy_names import load
from scanner_model.names import SourceId, TopicName

TOPICS = ("cdc.customers", "shop.big", "shop.events", "shop.orders", "shop.twice")


@pytest.fixture
def flows(graph, installation):
    """Return a function that scans an engine and reads the flows of its graph, with evidence."""

    def read(scheme: str, url: str, tables):
        catalog = EngineCatalog(load(product_of(scheme).engine), engine_session(url, tables))
        described = [table for schema in catalog.schemas() for table in catalog.read(schema).tables]
        scan = installation(*described, connectors=())
        topics = tuple(Topic(source=SourceId("kafka:k-1:9092"), name=TopicName(name)) for name in TOPICS)
        return graph(replace(scan, topics=topics))

    return read


def ways(flows) -> dict[tuple[str, str], str]:
    return {
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]): edge.evidence
        for edge in flows.edges
        if edge.kind is EdgeKind.COLUMN_FLOW
    }


def test_way_through_risingwave(flows) -> None:
    """The join of a source and a table of changes is written by two sinks, one of them with a query."""
    read = flows("risingwave", "risingwave://scanner@rw:4566/dev", RISINGWAVE)
    hops = ways(read)

    assert hops["shop.orders#total", "dev.public.orders#total"] == "source dev.public.orders of database:stream"
    assert hops["cdc.customers#after.name", "dev.public.customers#name"].startswith("table dev.public.customers")
    assert hops["dev.public.customers#name", "dev.public.big#who"].startswith("materialized view dev.public.big")
    assert hops["dev.public.big#who", "dev.public.big_sink#who"] == "sink dev.public.big_sink of database:stream"
    assert hops["dev.public.big_sink#who", "shop.big#who"] == "sink dev.public.big_sink of database:stream"
    assert ("dev.public.big#total", "dev.public.upserted#twice") in hops
    assert ("dev.public.upserted#twice", "shop.twice#twice") in hops
    assert (read.coverage.problems, read.coverage.misfits) == ((), ())


def test_sink_into_a_table_window_and_struct_are_followed_in_risingwave(flows) -> None:
    """The sink of another schema is the table's own name; a window is over a source that is its argument."""
    hops = ways(flows("risingwave", "risingwave://scanner@rw:4566/dev", RISINGWAVE))

    assert ("dev.public.big#id", "dev.public.collected#id") in hops
    assert ("dev.public.orders#ts", "dev.public.windows#window_start") in hops
    assert ("dev.public.orders#total", "dev.public.windows#total") in hops
    assert ("dev.public.orders#customer", "dev.public.towns#town") in hops
    assert not [hop for hop in hops if hop[1] == "dev.public.orders#ts"]


def test_way_through_materialize(flows) -> None:
    """The sink of another schema writes changes in Debezium's envelope."""
    read = flows("materialize", "materialize://scanner@mz:6875/materialize", MATERIALIZE)
    hops = ways(read)
    space = "materialize.public"

    assert hops["shop.orders#total", f"{space}.orders#total"] == f"source {space}.orders of database:stream"
    assert ("cdc.customers#after.name", f"{space}.customers#name") in hops
    assert (f"{space}.customers#name", f"{space}.big#who") in hops
    assert (f"{space}.big#who", "materialize.ops.big_sink#who") in hops
    assert ("materialize.ops.big_sink#who", "shop.big#after.who") in hops
    assert (f"{space}.events#data", f"{space}.kinds#kind") in hops
    assert (read.coverage.problems, read.coverage.misfits) == ((), ())


def test_sink_is_one_job_that_reads_the_view_and_writes_the_topic(flows) -> None:
    """What it reads and what it writes are not two jobs of one name."""
    read = flows("risingwave", "risingwave://scanner@rw:4566/dev", RISINGWAVE)
    job = "job:risingwave://rw:4566/dev.public.big_sink"
    ends = {
        (edge.kind, (edge.source if edge.kind is EdgeKind.READS else edge.target).rpartition("/")[2])
        for edge in read.edges
        if job in (edge.source, edge.target) and edge.kind in (EdgeKind.READS, EdgeKind.WRITES)
    }

    assert ends == {
        (EdgeKind.READS, "dev.public.big"),
        (EdgeKind.WRITES, "dev.public.big_sink"),
        (EdgeKind.WRITES, "shop.big"),
    }
