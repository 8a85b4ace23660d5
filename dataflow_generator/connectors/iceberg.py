"""Iceberg sinks: every topic goes to every table that is configured, unless data route it."""

from __future__ import annotations

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses, object_path, web_dataset
from dataflow_generator.connectors.flows import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.sinks import Written, sink
from scanner_model.problems import Problem

_UNTOLD = "iceberg"


def iceberg_sink(connector: Connector) -> ConnectorFlows:
    """Read an Iceberg sink; tables are named as their catalogue does (OpenLineage: the symlink of type TABLE)."""
    config = connector.config
    tables = tuple(dict.fromkeys(config.items("iceberg.tables")))
    datasets = tuple(_table(config, table) for table in tables)
    dynamic = config.is_on("iceberg.tables.dynamic-enabled")
    problems = []
    if dynamic:
        problems.append(Problem("iceberg.tables.dynamic-enabled", "a field of the data names the tables"))
    elif not datasets:
        problems.append(Problem("iceberg.tables", "no table is told"))
    written = Written(
        targets=lambda _: () if dynamic else datasets,
        keys="iceberg.tables",
        problems=tuple(problems),
        outside_known=not dynamic,
        nowhere=not dynamic and not datasets,
    )
    return sink(connector, written)


def _table(config: Config, table: str) -> Dataset:
    catalog = config.under("iceberg.catalog.")
    kind = catalog.text("type", "catalog-impl").rpartition(".")[2].lower().removesuffix("catalog")
    uri = catalog.text("uri")
    match kind:
        case "hive" if uri:
            return Dataset(addresses("hive", uri), table)
        case "rest" | "nessie" if web := web_dataset(uri):
            return Dataset(web.namespace + web.name.rstrip("/"), table)
        case "glue" if (region := catalog.text("client.region")) and (account := catalog.text("glue.id")):
            return Dataset(f"arn:aws:glue:{region}:{account}", f"table/{table.replace('.', '/')}")
        case "hadoop" if catalog.text("warehouse"):
            place = object_path(catalog.text("warehouse"))
            return Dataset(f"{place.namespace}/{place.name.strip('/')}".rstrip("/"), table)
        case _:
            return Dataset(_UNTOLD, table)
