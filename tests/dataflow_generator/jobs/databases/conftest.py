"""An installation whose topics hold plain JSON: a shop's database, Debezium, a JDBC sink, a warehouse with views."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from named_scan import NamedScan

from dataflow_generator.build.assemble import read_flows
from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.build.snapshot import load_snapshot
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import PRIMARY_KEY, CatalogLink, CatalogTable, TableKey
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

AT = datetime(2024, 2, 29, tzinfo=UTC)
CDC = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "shop-db",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
    "table.include.list": "public.customers",
}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/warehouse",
    "topics": "cdc.public.customers",
    "table.name.format": "customers",
    "transforms": "unwrap",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
}


def column(name: str, type_: str, refined: str | None = None) -> Column:
    return Column(path=(name,), type=type_, logical_type=refined)


def table(source: str, namespace: str, name: str, *columns: Column, **more: Any) -> CatalogTable:
    database, schema, _ = name.split(".") if name.count(".") == 2 else ("", "", name)
    parameters = tuple((kind, part) for kind, part in (("database", database), ("schema", schema)) if part)
    words = {"kind": "TABLE", "parameters": parameters} | more
    return CatalogTable(
        source=SourceId(source), provider="database", namespace=namespace, name=name, columns=columns, **words
    )


CUSTOMERS = table(
    "database:shop",
    "postgres://shop-db:5432",
    "shop.public.customers",
    column("id", "bigint"),
    column("email", "varchar", "varchar(200)"),
    keys=(TableKey(PRIMARY_KEY, ("id",)),),
)
LOADED = table(
    "database:warehouse",
    "postgres://dw:5432",
    "warehouse.public.customers",
    column("id", "bigint"),
    column("email", "varchar", "varchar(200)"),
    column("loaded_at", "timestamp without time zone"),
)
VIEW = table(
    "database:warehouse",
    "postgres://dw:5432",
    "warehouse.report.domains",
    column("customer", "bigint"),
    column("domain", "text"),
    kind="VIEW",
    definition=" SELECT c.id AS customer,\n    split_part(c.email::text, '@'::text, 2) AS domain\n   FROM customers c;",
)


def connector(name: str, kind: ConnectorKind, config: dict[str, str]) -> Connector:
    return Connector(
        source=SourceId("connect:main"),
        name=name,
        kind=kind,
        connector_class=config["connector.class"],
        config=tuple(sorted(config.items())),
    )


CONNECTORS = (connector("cdc", ConnectorKind.SOURCE, CDC), connector("dw", ConnectorKind.SINK, SINK))


def installation(
    *tables: CatalogTable, connectors: tuple[Connector, ...] = CONNECTORS, links: tuple[CatalogLink, ...] = ()
) -> ClusterScan:
    sources = {"kafka:k-1:9092", "connect:main", *(str(listed.source) for listed in tables)}
    return NamedScan(
        cluster=Cluster(name=ClusterName("retail"), brokers=("k-1:9092",)),
        outcomes=tuple(
            SourceResult(source=SourceId(name), kind=name.partition(":")[0], status=SourceStatus.READ)
            for name in sorted(sources)
        ),
        topics=(Topic(source=SourceId("kafka:k-1:9092"), name=TopicName("cdc.public.customers")),),
        connectors=connectors,
        catalog_tables=tables,
        catalog_links=links,
    )


@pytest.fixture
def graph(new_dictionary: str) -> Iterator[Callable[[ClusterScan], Flows]]:
    """Return a function that stores a scan and reads the flows of its graph."""
    engine = open_dictionary(new_dictionary)

    def flows_of(scan: ClusterScan) -> Flows:
        write_scan(engine, scan, started=AT, finished=AT)
        with engine.connect() as conn:
            return read_flows(load_snapshot(conn))

    yield flows_of
    engine.dispose()


@pytest.fixture(name="installation")
def _installation() -> Callable[..., ClusterScan]:
    """Return the function that builds a scan of tables and connectors."""
    return installation


def _described(kind: str, program: str, server: str, url: str) -> tuple[CatalogTable, ...]:
    """Read the tables of a fake that answers what a real server did."""
    fake = getattr(import_module(program), server)()

    def exchange(request: Request) -> Response:
        status, reported = fake.answer(request.method, request.url.removeprefix(url), request.body.encode())
        return Response(status=status, body=json.dumps(reported).encode())

    settings = CatalogSettings(type=kind, name="analytics", http=HttpSettings(url=url))
    with Http(settings.http, settings.source, exchange=exchange) as http:
        return CATALOGS[kind].read(settings, http, no_progress).of(CatalogTable)


@pytest.fixture(scope="session")
def clickhouse_tables() -> tuple[CatalogTable, ...]:
    """Return the tables that a real ClickHouse described."""
    return _described("clickhouse", "clickhouse_server", "ClickHouse", "http://ch:8123")


@pytest.fixture(scope="session")
def iceberg_tables() -> tuple[CatalogTable, ...]:
    """Return the tables that Apache Iceberg's own REST catalog described."""
    return _described("iceberg", "iceberg_server", "Iceberg", "http://lake:8181")
