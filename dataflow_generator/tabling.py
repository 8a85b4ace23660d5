"""Catalogs' tables and topics that are kept as tables, read for the graph and added to what jobs make."""

from __future__ import annotations

from dataflow_generator.flows.catalogs import kept_of, with_tables
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.flows.facts import Dataset
from dataflow_generator.jobs import Around
from dataflow_generator.pieces import topic_key
from scanner_dictionary.queries import catalog_input
from scanner_dictionary.queries.catalog_input import TableRow
from scanner_dictionary.queries.graph_input import Connection
from scanner_model.columns import Column


def with_catalogs(conn: Connection, flows: Flows, around: Around) -> Flows:
    """Add what catalogs and services that keep topics as tables tell; without any *flows* stay as they are."""
    tables = _tables(conn, around)
    rows = list(catalog_input.kept_topics(conn))
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


def _tables(conn: Connection, around: Around) -> dict[Dataset, TableRow]:
    """Read the tables by the dataset they are shown as; of several names that one counts, else the first."""
    found: dict[Dataset, TableRow] = {}
    for table in catalog_input.catalog_tables(conn):
        dataset = around.naming.dataset(*table.name)
        if dataset not in found or (dataset.namespace, dataset.name) == table.name:
            found[dataset] = table
    return found
