"""The stores whose datasets are tables, by the scheme of their OpenLineage namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Product(NamedTuple):
    """How OpenLineage names the tables of a product.

    *parts* is the number of parts in a table's full name, the database first; 0 if a name has no database or is always
    full. *port* is appended to a JDBC URL without one, as openlineage-java does; 0 for a URL that stays as it is.
    *schema* is where a server looks up unqualified tables, as the JDBC connectors do; empty without a default.
    """

    parts: int = 0
    port: int = 0
    schema: str = ""


PRODUCTS: Mapping[str, Product] = {
    "bigquery": Product(),
    "cassandra": Product(2, 9042),
    "clickhouse": Product(2, 8123),
    "crate": Product(2, 5432),
    "db2": Product(3, 6789),
    "doris": Product(2),
    "hive": Product(),
    "materialize": Product(3, schema="public"),
    "mysql": Product(2, 3306),
    "oceanbase": Product(2, 2881),
    "oracle": Product(3, 1521),
    "postgres": Product(3, 5432, "public"),
    "redshift": Product(3, 5439, "public"),
    "risingwave": Product(3, schema="public"),
    "snowflake": Product(),
    "spanner": Product(),
    "sqlserver": Product(3, schema="dbo"),
    "starrocks": Product(2),
    "teradata": Product(2, 1025),
    "trino": Product(3, 443),
    "unitycatalog": Product(),
}
OTHER_SCHEMES = {"ch": "clickhouse", "mssql": "sqlserver", "postgresql": "postgres", "unity-catalog": "unitycatalog"}
"""Other spellings of a scheme, in JDBC URLs and in what producers send."""
