"""Notebooks and bundles of Databricks: cells of SQL, other notebooks, and what tasks pass to a file."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.frames import document_of
from scanner_extractor.repository.notebooks import code_of
from scanner_programs.frames.bundles import as_program
from scanner_programs.frames.reader import Program, read_jobs

_READ = """from pyspark.sql.functions import col, from_json
def read(topic):
    raw = spark.readStream.format("kafka").option("subscribe", topic).load()
    return raw.select(from_json(col("value").cast("string"), "id INT, name STRING").alias("m")).select("m.*")
"""
_BUNDLE = """bundle:
  name: shop
variables:
  topic:
    default: orders
resources:
  jobs:
    load:
      name: load-orders
      tasks:
        - task_key: load
          PLACE
"""


def _programs(**files: str) -> dict[str, Program]:
    texts = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    paths = [path for path in texts if path.endswith(".py")]
    return {program.path: program for program in read_jobs(texts, paths, document_of)}


def _ends(program: Program) -> tuple[list[str], list[str]]:
    reads = [dataset.name for dataset in program.job.reads]
    return reads, [sink.target.name for sink in program.job.sinks if sink.target is not None]


def test_cells_of_sql_are_statements_in_the_order_of_the_notebook() -> None:
    notebook = (
        "# Databricks notebook source\n# MAGIC %run ./shared\n# COMMAND ----------\n"
        "read('orders').createOrReplaceTempView('o')\n# COMMAND ----------\n# MAGIC %sql\n"
        "# MAGIC CREATE TABLE gold AS\n# MAGIC SELECT id, upper(name) AS n FROM o\n# COMMAND ----------\nx = 1"
    )
    program = _programs(nb__job_dot_py=notebook, nb__shared_dot_py=_READ)["nb/job.py"]
    (sink,) = program.job.sinks

    assert _ends(program) == (["orders"], ["gold"])
    assert [out.name for out in sink.frame.columns] == ["id", "n"]
    assert sink.place == "nb/job.py:6"
    assert as_program(notebook).count("\n") == notebook.count("\n")


def test_cell_of_sql_in_a_jupyter_notebook_is_a_statement_of_spark() -> None:
    cells = ["[\"spark.range(3).createOrReplaceTempView('r')\"]", '["%%sql\\n", "CREATE TABLE t AS SELECT id FROM r"]']
    listed = ", ".join(f'{{"cell_type": "code", "source": {each}}}' for each in cells)
    notebook = f'{{"cells": [{listed}]}}'
    found = code_of("a.ipynb", notebook)

    assert found is not None
    assert _ends(_programs(a_dot_py=found[1])["a.py"])[1] == ["t"]


def test_cell_of_sql_of_another_library_is_left_out() -> None:
    found = code_of("a.ipynb", '{"cells": [{"cell_type": "code", "source": ["%%sql\\n", "SELECT 1"]}]}')

    assert found is not None
    assert "sql" not in found[1]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            "notebook_task: {notebook_path: ../src/job.py, base_parameters: {topic: '${var.topic}'}}",
            "read(dbutils.widgets.get('topic'))",
        ),
        ("spark_python_task: {python_file: ../src/job.py, parameters: [orders]}", "import sys\nread(sys.argv[1])"),
        (
            "spark_python_task: {python_file: ../src/job.py, parameters: ['--topic', 'orders']}",
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--topic')\n"
            "read(parser.parse_args().topic)",
        ),
        (
            "spark_python_task: {python_file: ../src/job.py, parameters: ['--topic=orders']}",
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--topic', default='x')\n"
            "read(parser.parse_args().topic)",
        ),
    ],
)
def test_task_of_a_bundle_names_the_job_and_passes_its_parameters(place: str, text: str) -> None:
    bundle = _BUNDLE.replace("PLACE", place)
    job = _READ + text + ".writeStream.toTable('t')"
    program = _programs(databricks_dot_yml="bundle:\n  name: x", b__jobs_dot_yml=bundle, src__job_dot_py=job)[
        "src/job.py"
    ]

    assert program.job.name == "load-orders"
    assert _ends(program) == (["orders"], ["t"])


def test_widget_without_a_task_is_a_setting_with_its_default() -> None:
    text = "dbutils.widgets.text('topic', 'orders')\nread(dbutils.widgets.get('topic')).writeStream.toTable('t')"
    program = _programs(job_dot_py=_READ + text)["job.py"]

    assert _ends(program) == (["${topic:orders}"], ["t"])
