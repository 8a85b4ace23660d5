"""What StarRocks and Doris answer, by statement; a session with an engine that answers so.

The rows of SHOW ROUTINE LOAD are those of both products' documentation (StarRocks: SHOW ROUTINE LOAD, Continuously load
data from Apache Kafka; Doris: Routine Load), others have the same members, as `jobPropertiesToJsonString` writes them.
COLUMN_TYPE is as `toMysqlColumnTypeString` writes it, TABLE_COMMENT as StarRocks' documentation of `tables` shows it.
The materialized view is that of StarRocks' test ShowCreateMaterializedViewStmtTest in form, with columns of this shop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from scanner_extractor.systems.databases.engines.session import EngineSession, Row
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import SourceUnreachable

SECRET = "Pl4in-t3xt-w0rd"
"""A password that an older version shows; it must not be in anything that is stored."""

_STARROCKS_JOB = {
    "partitions": "*",
    "rowDelimiter": "\t",
    "partial_update": "false",
    "columnToColumnExpr": "*",
    "maxBatchIntervalS": "20",
    "whereExpr": "*",
    "timezone": "Asia/Shanghai",
    "format": "json",
    "json_root": "",
    "strict_mode": "false",
    "jsonpaths": "",
    "desireTaskConcurrentNum": "3",
    "maxErrorNum": "0",
    "strip_outer_array": "false",
    "currentTaskConcurrentNum": "3",
    "maxBatchRows": "200000",
}
_DORIS_JOB = {
    "max_batch_rows": "200000",
    "timezone": "America/New_York",
    "column_separator": "','",
    "line_delimiter": "\n",
    "delete": "*",
    "merge_type": "APPEND",
    "strict_mode": "false",
    "jsonpaths": "",
    "partitions": "*",
    "columnToColumnExpr": "*",
    "whereExpr": "*",
    "precedingFilter": "*",
    "format": "csv",
    "json_root": "",
    "strip_outer_array": "false",
    "num_as_string": "false",
}


def starrocks_load(name: str, table: str, topic: str = "orders", state: str = "RUNNING", **properties: str) -> Row:
    """Return a row of SHOW ROUTINE LOAD of StarRocks, by the names that a session gives its columns."""
    return _load(name, table, topic, state, _STARROCKS_JOB | properties)


def doris_load(name: str, table: str, topic: str = "orders", state: str = "RUNNING", **properties: str) -> Row:
    """Return a row of SHOW ROUTINE LOAD of Doris."""
    return {**_load(name, table, topic, state, _DORIS_JOB | properties), "ismultitable": "false", "user": "root"}


def _load(name: str, table: str, topic: str, state: str, properties: Mapping[str, str]) -> Row:
    brokers = "k-2:9092,k-1:9092"
    custom = {"kafka_default_offsets": "OFFSET_BEGINNING", "group.id": f"{name}_73daf600", "sasl.password": SECRET}
    return {
        "id": "63013",
        "name": name,
        "createtime": "2022-08-10 17:09:00",
        "pausetime": None,
        "endtime": None,
        "dbname": "default_cluster:shop",
        "tablename": table,
        "state": state,
        "datasourcetype": "KAFKA",
        "currenttasknum": "3",
        "jobproperties": json.dumps(properties),
        "datasourceproperties": json.dumps({"topic": topic, "currentKafkaPartitions": "0,1", "brokerList": brokers}),
        "customproperties": json.dumps(custom),
        "statistic": '{"receivedBytes":230,"errorRows":0}',
        "progress": '{"0":"1","1":"OFFSET_ZERO"}',
        "reasonofstatechanged": "",
        "errorlogurls": "",
        "othermsg": "",
    }


def table_row(name: str, kind: str = "BASE TABLE", comment: str = "OLAP") -> Row:
    """Return a row of `information_schema.tables`."""
    return {"table_name": name, "table_type": kind, "table_comment": comment}


def column_row(table: str, name: str, type_: str, **more: Any) -> Row:
    """Return a row of `information_schema.columns`."""
    given = {"is_nullable": "YES", "column_default": None, "column_key": "", "column_comment": ""}
    return {
        "table_name": table,
        "column_name": name,
        "column_type": type_,
        **given,
        "generation_expression": None,
        **more,
    }


TABLES = [
    table_row("orders", comment="What was ordered"),
    table_row("order_view", "VIEW", "VIEW"),
    table_row("totals", "VIEW", "MATERIALIZED_VIEW"),
]
COLUMNS = [
    column_row("orders", "id", "bigint(20)", is_nullable="NO", column_key="PRI"),
    column_row("orders", "customer", "varchar(65533)", column_comment="as he wrote it"),
    column_row("orders", "paid", "tinyint(1)", column_default="0"),
    column_row("orders", "price", "decimal(10, 2)"),
    column_row("order_view", "id", "bigint(20)", is_nullable="NO"),
    column_row("order_view", "cents", "decimal(20, 2)"),
    column_row("totals", "customer", "varchar(65533)"),
    column_row("totals", "total", "decimal(38, 2)"),
]
STARROCKS_VIEW = "SELECT `shop`.`orders`.`id` AS `id`, (`shop`.`orders`.`price`) * 100 AS `cents`\nFROM `shop`.`orders`"
DORIS_VIEW = (
    "SELECT `internal`.`shop`.`orders`.`id` AS `id`, (`internal`.`shop`.`orders`.`price` * 100) FROM "
    "`internal`.`shop`.`orders`"
)
STARROCKS_TOTALS = """CREATE MATERIALIZED VIEW `totals` (`customer` COMMENT "who; AS written", `total`)
COMMENT "MATERIALIZED_VIEW"
PARTITION BY (date_trunc('day', `at`))
DISTRIBUTED BY HASH(`customer`) BUCKETS 12\x20
REFRESH ASYNC START("2022-09-01 10:00:00") EVERY(INTERVAL 1 DAY)
PROPERTIES (
"replicated_storage" = "true",
"replication_num" = "1"
)
AS SELECT `shop`.`orders`.`customer`, sum(`shop`.`orders`.`price`) AS `total`
FROM `shop`.`orders`
GROUP BY `shop`.`orders`.`customer`;"""
DORIS_TOTALS = "SELECT customer, sum(price) AS total FROM orders GROUP BY customer"

Answer = list[Row] | Exception


def answers(**more: Answer) -> dict[str, Answer]:
    """Return the answers of a StarRocks server, by a word of the statement."""
    return {
        "SHOW DATABASES": [{"database": name} for name in ("_statistics_", "information_schema", "shop", "sys")],
        "information_schema.tables": TABLES,
        "information_schema.columns": COLUMNS,
        "information_schema.views": [{"table_name": "order_view", "view_definition": STARROCKS_VIEW}],
        "information_schema.materialized_views": [{"name": "totals", "definition": STARROCKS_TOTALS}],
        "SHOW ROUTINE LOAD": [starrocks_load("load_orders", "orders")],
        "@@version_comment": [{"@@version_comment": "StarRocks version 3.3.2"}],
        "SELECT 1": [{"1": 1}],
    } | more


def doris_answers(**more: Answer) -> dict[str, Answer]:
    """Return the answers of a Doris server."""
    views = [{"table_name": "order_view", "view_definition": DORIS_VIEW}]
    return answers() | {
        "SHOW DATABASES": [{"database": name} for name in ("__internal_schema", "information_schema", "mysql", "shop")],
        "information_schema.views": views,
        "information_schema.materialized_views": SourceUnreachable("Table [materialized_views] does not exist"),
        "mv_infos": [{"name": "totals", "definition": DORIS_TOTALS}],
        "SHOW ROUTINE LOAD": [doris_load("load_orders", "orders", format="json")],
        "SHOW ROUTINE LOAD FROM": SourceUnreachable("mismatched input 'FROM'"),
        "USE `shop`": [],
        **more,
    }


def engine_at(url: str, answered: Mapping[str, Answer], sent: list[str] | None = None, **more: Any) -> EngineSession:
    """Return a session with an engine that answers a statement by the longest word of *answered* in it."""
    settings = DatabaseSettings(name="olap", url=url, **more)
    return EngineSession(settings=settings, location=Location.of(settings), rows=_replay(answered, sent))


def _replay(answered: Mapping[str, Answer], sent: list[str] | None) -> Callable[[str], list[Row]]:
    def rows(statement: str) -> list[Row]:
        if sent is not None:
            sent.append(statement)
        known = [word for word in answered if word in statement]
        answer = answered[max(known, key=len)] if known else SourceUnreachable(f"unexpected: {statement}")
        if isinstance(answer, Exception):
            raise answer
        return answer

    return rows
