"""The topologies of Kafka Streams that there are now."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t
from scanner_model.names import SourceId
from scanner_model.streams import StreamsTopology


def topologies(conn: Connection) -> Iterator[tuple[str, StreamsTopology]]:
    """List topologies, each with its cluster, by cluster, source and application id."""
    topology = t.streams_topology
    query = (
        select(t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name"), topology)
        .join(t.cluster, t.cluster.c.id == topology.c.cluster_id)
        .join(t.source, t.source.c.id == topology.c.source_id)
        .where(topology.c.gone.is_(None))
        .order_by(t.cluster.c.name, t.source.c.name, topology.c.name)
    )
    for row in conn.execute(query):
        source = SourceId(row.source_name)
        yield row.cluster_name, StreamsTopology(source=source, name=row.name, topology=row.topology, file=row.file)
