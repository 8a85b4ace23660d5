"""Catalogs' tables and topics that are kept as tables, read for the graph and added to what jobs make."""

from __future__ import annotations

from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.build.schema_nodes import topic_key
from dataflow_generator.jobs.catalogs import kept_of, with_tables
from dataflow_generator.jobs.kinds import LookupContext
from dataflow_generator.jobs.model import Dataset
from scanner_dictionary.lineage_inputs import catalogs
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_model.columns import Column


def with_catalogs(conn: Connection, flows: Flows, around: LookupContext) -> Flows:
    """Add what catalogs and services that keep topics as tables tell; without any *flows* stay as they are."""
    tables = _tables(conn, around)
    rows = list(catalogs.materialized_topics(conn))
    if not tables and not rows:
        return flows
    topics = around.columns({(row.cluster, row.topic) for row in rows})
    namespaces = {namespace: name for name, namespace in around.naming.clusters.items()}

    def fields(dataset: Dataset) -> tuple[Column, ...]:
        table = tables.get(dataset)
        return table.columns if table else topics.get((namespaces.get(dataset.namespace, ""), dataset.name), ())

    live = around.topics()
    there = {topic_key(around.naming.clusters[cluster], name) for cluster, names in live.items() for name in names}
    return with_tables(flows, tables, list(kept_of(rows, around.naming, fields)), there)


def _tables(conn: Connection, around: LookupContext) -> dict[Dataset, TableRow]:
    """Read the tables by the dataset they are shown as; of several names that one counts, else the first."""
    found: dict[Dataset, TableRow] = {}
    for table in catalogs.catalog_tables(conn):
        dataset = around.naming.dataset(*table.name)
        if dataset not in found or (dataset.namespace, dataset.name) == table.name:
            found[dataset] = table
    return found
