"""StarRocks and Apache Doris as products: they speak MySQL's protocol, and are read by an engine of their own."""

from __future__ import annotations

from dataclasses import replace

from scanner_extractor.systems.databases.products import Product
from scanner_model.maturity import Proof

_ENGINE = "scanner_extractor.systems.starrocks.engine"

STARROCKS = Product(
    scheme="starrocks",
    proof=Proof("StarRocks"),
    port=9030,
    schemas_in_database=False,
    own=frozenset({"_statistics_", "information_schema", "sys"}),
    time_limit="SET query_timeout = {seconds}",
    driver="pymysql",
    protocol="mysql",
    other_ports=(8030,),
    engine=f"{_ENGINE}:STARROCKS",
)
DORIS = replace(
    STARROCKS,
    scheme="doris",
    proof=Proof("Apache Doris"),
    own=frozenset({"__internal_schema", "information_schema", "mysql"}),
    engine=f"{_ENGINE}:DORIS",
)
