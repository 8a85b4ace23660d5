"""Names of what jobs read and write are OpenLineage's."""

from __future__ import annotations

import pytest

from scanner_programs.frames.datasets import external, jdbc, path
from scanner_programs.frames.values import Dataset


@pytest.mark.parametrize(
    ("uri", "namespace", "name"),
    [
        ("s3a://lake/bronze/orders/", "s3://lake", "bronze/orders"),
        ("gs://lake/a", "gs://lake", "a"),
        ("abfss://raw@acct.dfs.core.windows.net/a/b", "abfss://raw@acct.dfs.core.windows.net", "a/b"),
        ("hdfs://nn:8020/api/calls", "hdfs://nn:8020", "/api/calls"),
        ("/lake/orders", "file", "/lake/orders"),
        ("dbfs:/mnt/a", "dbfs", "/mnt/a"),
    ],
)
def test_path_is_named_by_its_store(uri: str, namespace: str, name: str) -> None:
    assert path(uri) == Dataset(namespace, name)


@pytest.mark.parametrize(
    ("url", "table", "namespace", "name"),
    [
        ("jdbc:postgresql://DB/app?user=u", "public.t", "postgres://db:5432", "app.public.t"),
        ("jdbc:postgresql://u:p@db:6432/app", "t", "postgres://db:6432", "app.t"),
        ("jdbc:mysql://db:3306/stores", "shops", "mysql://db:3306", "stores.shops"),
        ("jdbc:sqlserver://db:1433;databaseName=crm;encrypt=true", "dbo.t", "sqlserver://db:1433", "crm.dbo.t"),
        ("jdbc:oracle:thin:@//db:1521/svc", "OWNER.T", "oracle://db:1521", "svc.OWNER.T"),
        ("${URL}", "t", "jdbc", "t"),
    ],
)
def test_table_of_a_database_is_named_by_its_url(url: str, table: str, namespace: str, name: str) -> None:
    assert jdbc(url, table) == Dataset(namespace, name)


@pytest.mark.parametrize(
    ("kind", "options", "where", "dataset"),
    [
        ("org.apache.spark.sql.cassandra", {"keyspace": "retail", "table": "t"}, None, ("cassandra", "retail.t")),
        ("mongodb", {"connection.uri": "mongodb://u:p@m:27017", "database": "d", "collection": "c"}, None, None),
        ("mongo", {"spark.mongodb.output.uri": "mongodb://u:p@m:27017/d.c?retryWrites=true"}, None, None),
        (
            "mongodb",
            {"spark.mongodb.write.connection.uri": "mongodb://m:27017/d", "spark.mongodb.collection": "c"},
            None,
            None,
        ),
        ("bigquery", {"table": "p:d.t"}, None, ("bigquery", "p.d.t")),
        ("iceberg", {}, "lake.db.t", ("spark", "lake.db.t")),
        ("delta", {"path": "/lake/t"}, None, ("file", "/lake/t")),
        ("parquet", {"path": None}, None, "unresolved"),
    ],
)
def test_sink_is_named_by_its_options(
    kind: str, options: dict[str, str | None], where: str | None, dataset: object
) -> None:
    expected = {None: Dataset("mongodb://m:27017", "d.c"), "unresolved": None}

    assert external(kind, options, where) == (Dataset(*dataset) if isinstance(dataset, tuple) else expected[dataset])
