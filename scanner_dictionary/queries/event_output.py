"""What events tell of topics and tables beside the graph: owners and notes, other names, and when it was all seen."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from scanner_dictionary import tables as t
from scanner_dictionary.queries.catalog_input import Name, catalog_tables
from scanner_dictionary.queries.flow_input import ClusterTopic
from scanner_dictionary.queries.written import Written, written_of


def newest_moment(conn: Connection) -> str | None:
    """Give the moment (ISO 8601 in UTC) at which the newest scan ended, where none was made that of the latest event.

    None where the dictionary holds neither.
    """
    found = conn.scalar(select(func.max(t.scan.c.finished)))
    found = found or conn.scalar(select(func.max(t.tables_openlineage.lineage_job.c.last_time)))
    return str(found) if found else None


def written_by_name(conn: Connection) -> Mapping[ClusterTopic, Written]:
    """Give what stream catalogs tell of topics, by the cluster's and the topic's name."""
    names = {row.id: row.name for row in conn.execute(select(t.cluster.c.id, t.cluster.c.name))}
    return {(names[cluster], topic): each for (cluster, topic), each in sorted(written_of(conn).items())}


def other_table_names(conn: Connection) -> Mapping[Name, tuple[Name, ...]]:
    """Give the other names of catalogs' tables, by the name that the catalog gives; not those without any."""
    return {table.name: table.symlinks for table in catalog_tables(conn, columns=False) if table.symlinks}
