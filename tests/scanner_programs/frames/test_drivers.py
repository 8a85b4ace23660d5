"""Rows of a frame that a job sends by a driver of a database: what they write."""

from __future__ import annotations

import pytest

from scanner_programs.frames.reader import read_jobs
from scanner_programs.frames.spark import Job

_HEAD = """
from pyspark.sql import functions as F
raw = spark.readStream.format("kafka").option("subscribe", "orders").load()
orders = raw.select(F.from_json(F.col("value").cast("string"), "id LONG, total DOUBLE, city STRING").alias("m"))
orders = orders.select("m.*")
def batch(frame, number):
"""
_TAIL = "\norders.writeStream.foreachBatch(batch).start()\n"


def _job(body: str) -> Job:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    (program,) = read_jobs({"job.py": _HEAD + indented + _TAIL}, ["job.py"], lambda _: None)
    return program.job


SENT = {
    "each row by a cursor": (
        "import psycopg2\n"
        "with psycopg2.connect(host='db', port=5432, dbname='shop') as connection:\n"
        "    cursor = connection.cursor()\n"
        "    for row in frame.select('id', 'total').collect():\n"
        "        cursor.execute('INSERT INTO public.orders (id, at, sum) VALUES (%s, now(), %s)',\n"
        "            (row['id'], row.total))",
        ("postgres://db:5432", "shop.public.orders"),
        {"id": ["orders.id"], "at": [], "sum": ["orders.total"]},
    ),
    "rows of pandas, replaced": (
        "import pymysql\n"
        "cursor = pymysql.connect(host='m', database='shop').cursor()\n"
        "for _, row in frame.toPandas().dropna().iterrows():\n"
        "    cursor.execute('REPLACE INTO cities (name) VALUES (%s)', (row['city'],))",
        ("mysql://m:3306", "shop.cities"),
        {"name": ["orders.city"]},
    ),
    "many rows at once": (
        "import psycopg2\nfrom psycopg2.extras import execute_values\n"
        "rows = [(r.id, r.city) for r in frame.toLocalIterator()]\n"
        "execute_values(psycopg2.connect('postgresql://u@db/shop').cursor(), 'INSERT INTO t (k, c) VALUES %s', rows)",
        ("postgres://db:5432", "shop.t"),
        {"k": ["orders.id"], "c": ["orders.city"]},
    ),
    "an update": (
        "import psycopg2\ncursor = psycopg2.connect(host='db', dbname='shop').cursor()\n"
        "for r in frame.collect():\n"
        "    cursor.execute('UPDATE t SET sum = sum + %(x)s WHERE id = %(i)s', {'x': r.total, 'i': r.id})",
        ("postgres://db:5432", "shop.t"),
        {"sum": ["orders.total"]},
    ),
    "a partition": (
        "from cassandra.cluster import Cluster\n"
        "def send(rows):\n"
        "    session = Cluster(['c']).connect('shop')\n"
        "    for r in rows:\n"
        "        session.execute('INSERT INTO totals (id, total) VALUES (%s, %s)', (r.id, r.total))\n"
        "frame.foreachPartition(send)",
        ("cassandra", "shop.totals"),
        {"id": ["orders.id"], "total": ["orders.total"]},
    ),
    "a frame of pandas": (
        "from sqlalchemy import create_engine\n"
        "engine = create_engine('postgresql+psycopg2://u@db:5432/shop')\n"
        "frame.select('id').toPandas().to_sql('t', engine, schema='s', if_exists='append')",
        ("postgres://db:5432", "shop.s.t"),
        {"id": ["orders.id"]},
    ),
    "a file that pandas writes": (
        "frame.select('city').toPandas().to_parquet('/out/cities.parquet')",
        ("file", "/out/cities.parquet"),
        {"city": ["orders.city"]},
    ),
}


@pytest.mark.parametrize(("body", "table", "columns"), SENT.values(), ids=SENT)
def test_rows_that_a_driver_sends_are_columns_of_a_table(
    body: str, table: tuple[str, str], columns: dict[str, list[str]]
) -> None:
    job = _job(body)
    (sink,) = job.sinks

    assert sink.target is not None
    assert (sink.target.namespace, sink.target.name) == table
    assert {
        out.name: sorted(".".join((dataset.name, *path)) for dataset, path in out.value.origins)
        for out in sink.frame.columns
    } == columns
    assert not job.problems


UNRESOLVED = {
    "a statement that is computed": (
        "import psycopg2, other\ncursor = psycopg2.connect(host='db').cursor()\n"
        "for r in frame.collect():\n    cursor.execute(other.sql(), (r.id,))",
        "the table that rows are sent to is not resolved",
    ),
    "a client that is not known": (
        "import other\nclient = other.Client()\nfor r in frame.collect():\n    client.send('x', r.id)",
        "what becomes of the rows of a frame is not resolved",
    ),
}


@pytest.mark.parametrize(("body", "problem"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_rows_that_are_sent_elsewhere_are_reported(body: str, problem: str) -> None:
    assert problem in [what for _, what in _job(body).problems]


_DAG = """
import os
from airflow import DAG
from airflow.providers.google.cloud.operators.bigquery import (
    BigQueryCreateExternalTableOperator, BigQueryInsertJobOperator)
from airflow.providers.google.cloud.transfers.gcs_to_bigquery import GCSToBigQueryOperator
PROJECT, BUCKET = os.environ.get("PROJECT"), os.environ["BUCKET"]
def external(name, folder):
    return BigQueryCreateExternalTableOperator(task_id=name, table_resource={
        "tableReference": {"projectId": PROJECT, "datasetId": "stg", "tableId": f"{name}_{{{{ ds_nodash }}}}"},
        "externalDataConfiguration": {"sourceFormat": "PARQUET", "sourceUris": [f"gs://{BUCKET}/{folder}/day=1/*"]}})
with DAG(dag_id="load", user_defined_macros={"TABLE": "clicks"}) as dag:
    BODY
"""
OPERATORS = {
    "an external table": (
        "external('clicks', 'raw/clicks')",
        [("gs://${BUCKET} raw/clicks", "bigquery stg.clicks_*")],
    ),
    "files that are loaded": (
        "GCSToBigQueryOperator(task_id='l', bucket='b', source_objects=['out/*.json'],"
        " destination_project_dataset_table='p:d.t')",
        [("gs://b out", "bigquery p.d.t")],
    ),
    "a statement in a file, with templates": (
        "BigQueryInsertJobOperator(task_id='i', configuration={'query': {'query': \"{% include 'sql/fill.sql' %}\"}})",
        [("bigquery stg.clicks_*", "bigquery stg.clicks")],
    ),
}


@pytest.mark.parametrize(("body", "flows"), OPERATORS.values(), ids=OPERATORS)
def test_operators_of_airflow_write_tables_over_files(body: str, flows: list[tuple[str, str]]) -> None:
    files = {
        "dags/load.py": _DAG.replace("BODY", body),
        "dags/sql/fill.sql": "INSERT stg.{{ TABLE }} SELECT id FROM stg.{{ TABLE }}_{{ ds_nodash }} WHERE id > 0",
    }
    (program,) = read_jobs(files, ["dags/load.py"], lambda _: None)
    found = [
        (f"{source.namespace} {source.name}", f"{sink.target.namespace} {sink.target.name}")
        for sink in program.job.sinks
        if sink.target is not None
        for source in sink.frame.sources
    ]

    assert found == flows
    assert program.job.name == "load"
    assert not program.job.problems


def test_table_over_files_that_are_not_known_is_reported() -> None:
    body = "GCSToBigQueryOperator(bucket=other.bucket(), source_objects=other.objects())"
    (program,) = read_jobs({"load.py": _DAG.replace("BODY", body)}, ["load.py"], lambda _: None)

    assert [what for _, what in program.job.problems] == ["a table over files is not resolved"]
