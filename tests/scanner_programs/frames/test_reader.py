"""Programs of PySpark: what they write, and what each column of it is derived from."""

from __future__ import annotations

import pytest

from scanner_programs.frames.reader import Program, read_jobs

_HEAD = """
from pyspark.sql import SparkSession, Window, functions as F
from pyspark.sql.functions import col, expr, from_json, lit, to_json, struct
spark = SparkSession.builder.appName("job").getOrCreate()
def read(topic, schema):
    raw = spark.readStream.format("kafka").option("subscribe", topic).load()
    return raw.select(from_json(col("value").cast("string"), schema).alias("m")).select("m.*")
orders = read("orders", "id STRING, total DOUBLE, city STRING, lines ARRAY<STRUCT<sku: STRING, price: DOUBLE>>")
"""


def _jobs(**files: str) -> dict[str, Program]:
    texts = {name.replace("__", "/") + ".py": text for name, text in files.items()}
    return {program.path: program for program in read_jobs(texts, texts, lambda _: None)}


def _columns(text: str) -> dict[str, dict[str, list[str]]]:
    """Return the columns of each sink of a program, with their origins."""
    job = _jobs(job=_HEAD + text)["job.py"].job
    return {
        sink.target.name if sink.target else "?": {
            out.name: sorted(".".join((dataset.name, *path)) for dataset, path in out.value.origins)
            for out in sink.frame.columns
        }
        for sink in job.sinks
    }


WRITES = {
    "a column that is renamed": (
        "orders.select('id', col('total').alias('sum')).write.saveAsTable('t')",
        {"id": ["orders.id"], "sum": ["orders.total"]},
    ),
    "a column of two others": (
        "orders.select((col('total') * F.length('city')).alias('x')).write.saveAsTable('t')",
        {"x": ["orders.city", "orders.total"]},
    ),
    "an element of an array": (
        "orders.select(F.explode('lines').alias('l')).select('l.sku').write.saveAsTable('t')",
        {"sku": ["orders.lines.[].sku"]},
    ),
    "columns in a loop": (
        "for name in ['id', 'city']:\n    orders = orders.withColumn(name, F.trim(F.col(name)))\n"
        "orders.drop('lines', 'total').write.saveAsTable('t')",
        {"id": ["orders.id"], "city": ["orders.city"]},
    ),
    "columns by their names": (
        "orders.select([F.col(c).alias('o_' + c) for c in orders.columns if c != 'lines']).write.saveAsTable('t')",
        {"o_id": ["orders.id"], "o_total": ["orders.total"], "o_city": ["orders.city"]},
    ),
    "SQL over a view": (
        "orders.createOrReplaceTempView('o')\n"
        "spark.sql('SELECT city, sum(total) AS s FROM o GROUP BY city').write.saveAsTable('t')",
        {"city": ["orders.city"], "s": ["orders.total"]},
    ),
    "a text in a field": (
        "inner = F.from_json('city', 'name STRING, zip STRING')\n"
        "orders.select('id', inner.alias('c')).select('c.zip').write.saveAsTable('t')",
        {"zip": ["orders.city"]},
    ),
    "names that are imported by a star": (
        "from delta.tables import *\nfrom pyspark.sql.functions import *\n"
        "DeltaTable.forName(spark, 't').alias('t').merge(orders.alias('s'), 's.id = t.id')"
        ".whenMatchedUpdate(set={'t.c': upper('s.city')}).execute()",
        {"c": ["orders.city"]},
    ),
    "a fold in SQL": (
        "total = F.expr('aggregate(lines, CAST(0 AS DOUBLE), (sum, line) -> sum + line.price)')\n"
        "orders.select(total.alias('x')).write.saveAsTable('t')",
        {"x": ["orders.lines.[].price"]},
    ),
    "a rule that is called if it can be": (
        "rules = {'a': 'id', 'b': lambda df: df.city}\n"
        "for name, rule in rules.items():\n"
        "    orders = orders.withColumn(name, rule(orders) if callable(rule) else F.expr(rule))\n"
        "orders.select('a', 'b').write.saveAsTable('t')",
        {"a": ["orders.id"], "b": ["orders.city"]},
    ),
    "a function of a library that may be left out": (
        "steps = {'city': F.upper, 'total': None}\n"
        "for name, step in steps.items():\n"
        "    orders = orders.withColumn('o_' + name, step(F.col(name)) if step else F.col(name))\n"
        "orders.select('o_city', 'o_total').write.saveAsTable('t')",
        {"o_city": ["orders.city"], "o_total": ["orders.total"]},
    ),
    "a frame that a notebook shows between star imports": (
        "from pyspark.sql.types import *\ndisplay(orders)\norders.select('id').write.saveAsTable('t')",
        {"id": ["orders.id"]},
    ),
    "the fields of a nested type": (
        "p = orders.select(F.struct('id', 'city').alias('s'), 'total')\n"
        "names = p.schema['s'].dataType.fieldNames()\n"
        "orders.select(*[F.col('id').alias(n + '_new') for n in names]).write.saveAsTable('t')",
        {"id_new": ["orders.id"], "city_new": ["orders.id"]},
    ),
    "a function of columns": (
        "@F.udf('string')\ndef clean(a, b):\n    return a\n"
        "orders.select(clean('id', col('city')).alias('x')).write.saveAsTable('t')",
        {"x": ["orders.city", "orders.id"]},
    ),
    "a message of all columns in SQL": (
        "orders.selectExpr('to_json(struct(*)) AS value').select(F.get_json_object('value', '$.city').alias('c'))"
        ".write.saveAsTable('t')",
        {"c": ["orders.city"]},
    ),
    "a text that is formatted with a value that is not known": (
        "import other\nspark.sql('SELECT id FROM {name}'.format(name=other.table())).write.saveAsTable('t')",
        {},
    ),
    "one of two structs of equal fields": (
        "both = orders.select(F.from_json('city', 'o STRUCT<x: INT>, n STRUCT<x: INT>').alias('c'))\n"
        "both = read('moves', 'o STRUCT<x: INT, y: INT>, n STRUCT<x: INT, y: INT>, op STRING')\n"
        "row = F.when(col('op') == 'd', col('o')).otherwise(col('n'))\n"
        "both.select(row.alias('r')).select('r.*').drop('y').write.saveAsTable('t')",
        {"x": ["moves.n.x", "moves.o.x"]},
    ),
    "members of an enumeration": (
        "from enum import Enum\nclass Column(str, Enum):\n    ID = 'id'\n    CITY = 'city'\n"
        "orders.select(*[F.col(c.value).alias(c.name) for c in Column]).write.saveAsTable('t')",
        {"ID": ["orders.id"], "CITY": ["orders.city"]},
    ),
    "functions of the standard library": (
        "import itertools, operator, re\nfrom string import Template\nfrom functools import reduce\n"
        "orders = orders.select(F.col('id').alias('orderId'), 'total', 'city')\n"
        "orders = orders.toDF(*[re.sub('([A-Z])', r'_\\1', c).lower() for c in orders.columns])\n"
        "sums = [F.expr(Template('$f($c)').substitute(f=f, c=c)).alias(f + c)\n"
        "        for f, c in itertools.product(['min', 'max'], ['total'])]\n"
        "test = reduce(operator.or_, [col(c).isNotNull() for c in ('city', 'total')])\n"
        "orders.filter(test).groupBy('order_id').agg(*sums).write.saveAsTable('t')",
        {"order_id": ["orders.id"], "mintotal": ["orders.total"], "maxtotal": ["orders.total"]},
    ),
    "defaults of a command line": (
        "import click\n@click.command()\n@click.option('--table', '-t', default='t')\n"
        "def main(table):\n    orders.select('id').write.saveAsTable(table)\nmain()",
        {"id": ["orders.id"]},
    ),
    "a field in a column of a frame": (
        "p = orders.select(F.struct('id').alias('s'))\np.select(p['s.id'].alias('x')).write.saveAsTable('t')",
        {"x": ["orders.id"]},
    ),
    "a loop that ends, and functions of lists": (
        "from pyspark.sql.types import StructType\n"
        "orders = orders.select('id', F.struct('city', F.struct('total').alias('in')).alias('s'))\n"
        "while any(isinstance(f.dataType, StructType) for f in orders.schema.fields):\n"
        "    columns = []\n"
        "    for f in orders.schema.fields:\n"
        "        inner = f.dataType.names if isinstance(f.dataType, StructType) else None\n"
        "        columns += [F.col(f'{f.name}.{n}') for n in inner] if inner else [F.col(f.name)]\n"
        "    orders = orders.select(columns)\n"
        "orders.groupBy(*sum([['id'], ['city']], [])).agg(*[f('total').alias(f.__name__) for f in (F.min, F.max)])"
        ".write.saveAsTable('t')",
        {"id": ["orders.id"], "city": ["orders.city"], "min": ["orders.total"], "max": ["orders.total"]},
    ),
    "a copy of an object with another frame": (
        "from dataclasses import dataclass, replace\n@dataclass(frozen=True)\nclass Plan:\n    frame: object\n"
        "    def then(self, name):\n        return replace(self, frame=self.frame.select(name))\n"
        "Plan(orders).then('id').frame.write.saveAsTable('t')",
        {"id": ["orders.id"]},
    ),
    "entries of a map": (
        "orders.select(F.explode(F.create_map(F.lit('a'), 'total')).alias('k', 'v')).write.saveAsTable('t')",
        {"k": ["orders.total"], "v": ["orders.total"]},
    ),
    "columns of a type": (
        "from pyspark.sql.types import StringType\n"
        "texts = [f.name for f in orders.schema.fields if isinstance(f.dataType, StringType)]\n"
        "sums = [c for c, t in orders.dtypes if t == 'double']\norders.select(*texts, *sums).write.saveAsTable('t')",
        {"id": ["orders.id"], "city": ["orders.city"], "total": ["orders.total"]},
    ),
    "an operation in pandas": (
        "def f(it):\n    return it\norders.select('id', 'total').mapInPandas(f, 'k STRING').write.saveAsTable('t')",
        {"k": ["orders.id", "orders.total"]},
    ),
    "elements of arrays that are zipped": (
        "a = read('a', 'names ARRAY<STRING>, sums ARRAY<INT>')\n"
        "a.select(F.explode(F.arrays_zip('names', 'sums')).alias('z'))"
        ".select('z.names', 'z.sums').write.saveAsTable('t')",
        {"names": ["a.names.[]"], "sums": ["a.sums.[]"]},
    ),
    "an element and its place": (
        "a = read('a', 'sums ARRAY<INT>, id INT')\n"
        "a.select(F.transform('sums', lambda x, at: x + at).alias('x')).write.saveAsTable('t')",
        {"x": ["a.sums.[]"]},
    ),
    "the fields of a type, one after the other": (
        "from pyspark.sql.types import StructType, StructField, StringType, LongType\n"
        "kind = StructType([StructField('a', StringType()), StructField('n', LongType())])\n"
        "numbers = [f.name for f in kind if isinstance(f.dataType, LongType)]\n"
        "read('k', kind).select(*numbers).write.saveAsTable('t')",
        {"n": ["k.n"]},
    ),
    "options of a command line as the settings of a class": (
        "import argparse\nclass Settings:\n    def __init__(self, table):\n        self.table = table\n"
        "    @classmethod\n    def parsed(cls):\n        parser = argparse.ArgumentParser()\n"
        "        parser.add_argument('--table', default='t')\n        return cls(**vars(parser.parse_args()))\n"
        "orders.select('id').write.saveAsTable(Settings.parsed().table)",
        {"id": ["orders.id"]},
    ),
    "a function that a pool of threads runs": (
        "from multiprocessing.pool import ThreadPool\ndef store(table, name):\n"
        "    orders.select(name).write.saveAsTable(table)\nThreadPool(2).starmap(store, [('t', 'id')])",
        {"id": ["orders.id"]},
    ),
    "a function that a thread runs": (
        "import threading\ndef store(table, name='id'):\n    orders.select(name).write.saveAsTable(table)\n"
        "threading.Thread(target=store, args=('t',), kwargs={'name': 'city'}).start()",
        {"city": ["orders.city"]},
    ),
    "a function that is submitted": (
        "from concurrent import futures\ndef store(name):\n    orders.select(name).write.saveAsTable('t')\n"
        "with futures.ProcessPoolExecutor() as pool:\n    jobs = [pool.submit(store, n) for n in ['id']]",
        {"id": ["orders.id"]},
    ),
    "names that are sorted": (
        "names = sorted(['id', 'total'], reverse=True)\nby_length = sorted(['total', 'id'], key=len)\n"
        "orders.select('total', 'id').toDF(*by_length).select('id', F.col('total').alias(names[0] + '_'))"
        ".write.saveAsTable('t')",
        {"id": ["orders.total"], "total_": ["orders.id"]},
    ),
    "an item of a class": (
        "class Columns:\n    def __class_getitem__(cls, name):\n        return F.col(name)\n"
        "orders.select(Columns['id']).write.saveAsTable('t')",
        {"id": ["orders.id"]},
    ),
    "a function for the class of its argument": (
        "from functools import singledispatch\nclass Slim:\n    pass\nclass Trim:\n    name = 'city'\n"
        "@singledispatch\ndef run(step, frame):\n    raise TypeError\n"
        "@run.register\ndef _(step: Slim, frame):\n    return frame.select('id', 'city')\n"
        "@run.register(Trim)\ndef _(step, frame):\n    return frame.withColumn(step.name, F.trim(step.name))\n"
        "for step in [Slim(), Trim()]:\n    orders = run(step, orders)\norders.write.saveAsTable('t')",
        {"id": ["orders.id"], "city": ["orders.city"]},
    ),
    "a method that the program adds to frames": (
        "from pyspark.sql import DataFrame\n"
        "DataFrame.slim = lambda self, *names: self.select(*names)\norders.slim('id').write.saveAsTable('t')",
        {"id": ["orders.id"]},
    ),
    "columns of a generator that calls itself": (
        "from pyspark.sql.types import StructType\n"
        "n = orders.select('id', F.struct('city', F.struct('total').alias('deep')).alias('s'))\n"
        "def leaves(kind, path=()):\n    for f in kind.fields:\n        if isinstance(f.dataType, StructType):\n"
        "            yield from leaves(f.dataType, (*path, f.name))\n        else:\n"
        "            yield F.col('.'.join((*path, f.name)))\n"
        "n.select(*leaves(n.schema)).write.saveAsTable('t')",
        {"id": ["orders.id"], "city": ["orders.city"], "total": ["orders.total"]},
    ),
    "elements of maps and arrays in functions that are not listed": (
        "m = read('m', 'a MAP<STRING, INT>, b MAP<STRING, INT>, c ARRAY<INT>')\n"
        "both = F.map_zip_with('a', 'b', lambda key, left, right: left + right)\n"
        "order = F.array_sort('c', lambda one, other: one - other)\n"
        "m.select(both.alias('x'), order.alias('y')).write.saveAsTable('t')",
        {"x": ["m.a.{}", "m.b.{}"], "y": ["m.c.[]"]},
    ),
    "attributes that a class computes": (
        "class Tables:\n    def __getattr__(self, name):\n        return getattr(self, '_' + name, None) or name\n"
        "    _out = 't'\norders.select('id').write.saveAsTable(Tables().out)",
        {"id": ["orders.id"]},
    ),
    "a lateral query with a column of the row": (
        "orders.createOrReplaceTempView('o')\n"
        "spark.sql('SELECT o.id, m.top FROM o, LATERAL (SELECT max(i.total) AS top FROM o i WHERE i.city = o.city) m')"
        ".write.saveAsTable('t')",
        {"id": ["orders.id"], "top": ["orders.total"]},
    ),
}


@pytest.mark.parametrize(("text", "columns"), WRITES.values(), ids=WRITES)
def test_column_is_derived_from_the_fields_that_it_is_computed_from(text: str, columns: dict[str, list[str]]) -> None:
    assert _columns(text) == {"t": columns}


def test_statement_in_a_file_beside_the_program_is_read() -> None:
    job = """
from pathlib import Path
HERE = Path(__file__).resolve().parent
def load(name, **names):
    return (HERE / ".." / "sql" / f"{name}.sql").read_text().format(**names)
orders.createOrReplaceTempView("o")
spark.sql(load("large", source="o", least=100)).write.saveAsTable("t")
"""
    files = {"jobs/job.py": _HEAD + job, "sql/large.sql": "SELECT id FROM {source} WHERE total > {least}"}
    (program,) = read_jobs(files, ["jobs/job.py"], lambda _: None)

    assert [out.name for out in program.job.sinks[0].frame.columns] == ["id"]
    assert not program.job.problems


def test_batches_are_followed_into_their_function() -> None:
    text = """
def upsert(batch, number):
    batch.createOrReplaceTempView("b")
    batch.sparkSession.sql("MERGE INTO dim.city AS t USING b AS s ON t.id = s.id "
                           "WHEN MATCHED THEN UPDATE SET t.name = s.city "
                           "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
orders.writeStream.foreachBatch(upsert).start()
"""
    assert _columns(text) == {"dim.city": {"name": ["orders.city"], "id": ["orders.id"]}}


def test_sink_whose_name_is_not_resolved_is_an_end_with_a_problem() -> None:
    job = _jobs(job=_HEAD + "import os, x\norders.write.saveAsTable(x.table())")["job.py"].job

    assert [sink.target for sink in job.sinks] == [None]
    assert [what for _, what in job.problems] == ["what is written to is not resolved"]


def test_frame_that_is_passed_to_an_unknown_function_is_reported() -> None:
    job = _jobs(job=_HEAD + "import lake\nlake.store(orders)")["job.py"].job

    assert [what for _, what in job.problems] == ["what becomes of a frame is not resolved: lake.store is not known"]


def test_function_of_another_file_is_run_with_the_arguments_of_its_caller() -> None:
    library = "def slim(frame, *names):\n    return frame.select(*names)\n"
    programs = _jobs(lib=library, job=_HEAD + "from lib import slim\nslim(orders, 'id').write.saveAsTable('t')")

    assert [out.name for out in programs["job.py"].job.sinks[0].frame.columns] == ["id"]
    assert list(programs) == ["job.py"]


def test_program_that_leaves_spark_to_its_functions_is_a_job() -> None:
    """It imports what imports Spark, over several files."""
    functions = (
        "def read(session, topic):\n"
        "    return session.readStream.format('kafka').option('subscribe', topic).load()\n"
        "def write(frame, table):\n"
        "    frame.writeStream.toTable(table)\n"
        "def session():\n"
        "    from pyspark.sql import SparkSession\n"
        "    return SparkSession.builder.appName('pages').getOrCreate()\n"
    )
    main = "from steps import read, session, write\nwrite(read(session(), 'clicks'), 't')\n"
    programs = _jobs(functions=functions, steps="from functions import *\n", main=main, other="import functional\n")
    job = programs["main.py"].job

    assert "other.py" not in programs
    assert [[dataset.name for dataset in sink.frame.sources] for sink in job.sinks] == [["clicks"]]


def test_program_that_never_ends_is_reported() -> None:
    text = "def f(n):\n    return [f(n), f(n), f(n)]\nfor a in range(200):\n    for b in range(200):\n        f(a)\n"

    job = _jobs(job=_HEAD + text)["job.py"].job

    assert ("job.py:1", "the program takes more steps than are evaluated") in job.problems


def test_frame_that_a_framework_passes_is_written_from_an_unknown_source() -> None:
    """Nothing calls the function: what it is given is not known, but what it writes is."""
    text = "from pyspark.sql import functions as F\ndef store(df):\n    df.select(F.col('a')).write.saveAsTable('t')\n"

    job = _jobs(job=text)["job.py"].job

    assert [sink.target.name for sink in job.sinks if sink.target] == ["t"]
    assert job.sinks[0].frame.problems


def test_table_of_a_pipeline_is_read_as_a_table_and_a_view_is_passed_on() -> None:
    text = """
import dlt
@dlt.table(name="bronze")
def first():
    return orders.select("id", "total")
@dlt.view
def large():
    return dlt.read_stream("bronze").where("total > 10")
@dlt.table
def silver():
    return dlt.read_stream("large").select((col("total") * 100).alias("cents"))
dlt.apply_changes(target="dim", source="silver", keys=["cents"])
"""

    assert _columns(text) == {
        "bronze": {"id": ["orders.id"], "total": ["orders.total"]},
        "silver": {"cents": ["bronze.total"]},
        "dim": {"cents": ["silver.cents"]},
    }
    assert {dataset.name for dataset in _jobs(job=_HEAD + text)["job.py"].job.reads} == {"orders", "bronze", "silver"}


def test_flows_of_a_pipeline_that_append_to_one_table_are_all_written() -> None:
    """A view may be declared after the function that reads it by its name."""
    columns = _columns(
        """
from pyspark import pipelines as dp
dp.create_streaming_table("all")
@dp.append_flow(target="all")
def first():
    return spark.readStream.table("large").select("id")
@dp.append_flow(target="all")
def second():
    return spark.sql("SELECT payment AS id FROM STREAM(paid)")
@dp.temporary_view
def large():
    return orders.where("total > 10")
@dp.temporary_view
def paid():
    return read("payments", "payment STRING")
@dp.table
def copy():
    return spark.read.table("all")
"""
    )

    assert columns == {"all": {"id": ["payments.payment"]}, "copy": {"id": ["all.id"]}}


def test_flow_to_a_sink_of_a_pipeline_is_written_to_its_topic() -> None:
    columns = _columns(
        """
import dlt
dlt.create_sink(name="out", format="kafka", options={"kafka.bootstrap.servers": "k:9092", "topic": "large-orders"})
@dlt.append_flow(target="out", name="large")
def large():
    return orders.select(to_json(struct("id")).alias("value"))
"""
    )

    assert columns == {"large-orders": {"value": ["orders.id"]}}


def test_class_that_a_decorator_registers_is_found_by_its_name() -> None:
    columns = _columns(
        """
STEPS = {}
def step(name):
    def register(cls):
        STEPS[name] = cls
        return cls
    return register
@step("short")
class Short:
    def __call__(self, frame):
        return frame.select("id")
STEPS["short"]()(orders).write.saveAsTable("t")
"""
    )

    assert columns == {"t": {"id": ["orders.id"]}}


def test_setting_of_the_session_names_what_a_sink_is_not_given() -> None:
    columns = _columns(
        """
other = SparkSession.builder.config("spark.mongodb.output.uri", "mongodb://m/shop.orders").getOrCreate()
orders.select("id").write.format("mongo").mode("append").save()
"""
    )

    assert columns == {"shop.orders": {"id": ["orders.id"]}}


def test_frame_that_is_merged_into_a_table_is_written_to_it() -> None:
    columns = _columns(
        """
o = orders.select("id", (col("total") * 100).alias("cents")).alias("source")
merge = o.mergeInto("lake.orders", col("source.id") == col("lake.orders.id"))
merge.whenMatched().update({"cents": col("source.cents")}).whenNotMatched().insertAll().merge()
"""
    )

    assert columns == {"lake.orders": {"cents": ["orders.total"], "id": ["orders.id"]}}


def test_text_of_a_message_that_is_encoded_has_its_fields() -> None:
    job = _jobs(
        job=_HEAD
        + """
orders.select(F.encode(to_json(struct("id")), "utf-8").cast("binary").alias("value")) \\
    .write.format("kafka").option("topic", "out").save()
"""
    )["job.py"].job

    assert [name for name, _ in job.sinks[0].frame.columns[0].value.parts or ()] == ["id"]


def test_settings_of_a_file_with_sections_are_read() -> None:
    text = """
import configparser
settings = configparser.ConfigParser()
settings.read(["missing.ini", "conf/job.ini"])
for name, value in settings["source"].items():
    print(name)
reader = spark.read.format("kafka")
for name, value in settings.items("source"):
    reader = reader.option(name, value)
reader.load().select("key").write.saveAsTable(settings.get("sink", "Table", fallback="other"))
"""
    files = {"job.py": _HEAD + text, "conf/job.ini": "[source]\nsubscribe = paid\n[sink]\ntable = lake.paid\n"}

    (program,) = read_jobs(files, ["job.py"], lambda _: None)

    (sink,) = program.job.sinks
    assert (sink.target and sink.target.name, {each.name for each in sink.frame.sources}) == ("lake.paid", {"paid"})


def test_settings_of_an_object_are_read_as_a_dictionary() -> None:
    columns = _columns(
        """
from dataclasses import asdict, dataclass
@dataclass
class Target:
    table: str
    kind: str = "delta"
settings = asdict(Target("lake.orders"))
orders.select("id").write.format(settings["kind"]).saveAsTable(settings["table"])
"""
    )

    assert columns == {"lake.orders": {"id": ["orders.id"]}}


def test_column_whose_name_is_not_resolved_is_reported() -> None:
    job = _jobs(job=_HEAD + "import x\norders.select(col('id').alias(x.name())).write.saveAsTable('t')")["job.py"].job

    assert job.sinks[0].frame.problems == {"column ? is not resolved"}


def test_filter_names_a_column_that_a_projection_left_out() -> None:
    """Spark adds it to the projection, filters, and leaves it out again."""
    text = "orders.select('id').where('total > 1').orderBy('city').write.saveAsTable('t')"
    job = _jobs(job=_HEAD + text)["job.py"].job
    (sink,) = job.sinks

    assert [out.name for out in sink.frame.columns] == ["id"]
    assert not sink.frame.problems
    assert {path for (_, path), _ in sink.frame.deciders} == {("total",), ("city",)}


def test_conditions_of_a_merge_are_read() -> None:
    text = """
from delta.tables import DeltaTable
into = DeltaTable.forName(spark, "dim").alias("t").merge(orders.alias("s"), "s.id = t.id")
into = into.whenMatchedDelete(condition="s.total < 0").whenMatchedUpdate(col("s.city") != "", {"city": "s.city"})
into.whenNotMatchedInsert(values={"id": "s.id"}).execute()
"""
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks

    assert {out.name for out in sink.frame.columns} == {"id", "city"}
    assert {path[0] for (_, path), _ in sink.frame.deciders} == {"id", "total", "city"}


def test_settings_of_a_merge_that_are_not_resolved_are_reported() -> None:
    text = "from delta.tables import DeltaTable\nimport x\n"
    text += "DeltaTable.forName(spark, 'dim').merge(orders, 'a = b').whenMatchedUpdate(set=x.all()).execute()"

    job = _jobs(job=_HEAD + text)["job.py"].job

    assert [what for _, what in job.problems] == ["the columns that a merge sets are not resolved"]


def test_condition_of_a_query_in_an_expression_is_read() -> None:
    text = "orders.createOrReplaceTempView('o')\nread('p', 'k STRING, flag INT').createOrReplaceTempView('p')\n"
    text += "spark.sql('SELECT id FROM o WHERE id IN (SELECT k FROM p WHERE p.flag = o.total)').write.saveAsTable('t')"
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks

    assert {path[0] for (_, path), _ in sink.frame.deciders} == {"id", "k", "flag", "total"}
    assert not sink.frame.problems


def test_list_that_is_written_as_a_frame_is_an_end_with_a_problem() -> None:
    job = _jobs(job=_HEAD + "rows = [orders, 1]\nrows.write.saveAsTable('t')")["job.py"].job

    assert [sink.target.name for sink in job.sinks if sink.target] == ["t"]
    assert {dataset.name for dataset in job.sinks[0].frame.sources} == {"orders"}
    assert job.sinks[0].frame.problems


def test_frame_that_nothing_returns_is_written_with_a_problem() -> None:
    text = "def made():\n    raise ValueError\nmade().writeStream.toTable('t')"
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks

    assert sink.frame.problems


def test_default_of_a_setting_is_part_of_a_name() -> None:
    text = """
dbutils.widgets.text("suffix", "")
dbutils.widgets.text("catalog", "lake")
catalog, suffix = dbutils.widgets.get("catalog") or "other", dbutils.widgets.get("suffix")
orders.createOrReplaceTempView("o")
spark.sql(f"INSERT INTO {catalog}.gold{suffix}.orders SELECT id, '{catalog}' AS c FROM o WHERE total > {catalog}")
"""
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks

    assert sink.target
    assert sink.target.name == "${catalog:lake}.gold${suffix:}.orders"
    assert [out.name for out in sink.frame.columns] == ["id", "c"]
    assert not sink.frame.problems


def test_name_that_may_be_one_of_two_is_one_of_two_texts() -> None:
    text = "import x\nname = 'orders' if x.y else 'paid'\n"
    text += "raw = spark.readStream.format('kafka').option('subscribe', f'a.{name}')"
    (sink,) = _jobs(job=_HEAD + text + ".load()\nraw.select('key').writeStream.toTable('t')")["job.py"].job.sinks

    assert {dataset.name for dataset in sink.frame.sources} == {"a.orders", "a.paid"}


def test_file_of_a_container_is_one_of_the_repository() -> None:
    text = """
import json
from pyspark.sql.types import LongType, StringType, StructField, StructType
def fields(path):
    with open(path) as file:
        return StructType([StructField(f["name"], StringType()) for f in json.load(file)["fields"]])
read("clicks", fields("/opt/data/schemas/click.avsc")).write.saveAsTable("t")
"""
    files = {"job.py": _HEAD + text, "data/schemas/click.avsc": '{"fields": [{"name": "page"}]}'}

    (program,) = read_jobs(files, ["job.py"], lambda _: None)

    assert [out.name for out in program.job.sinks[0].frame.columns] == ["page"]


def test_type_of_unknown_fields_has_any_field() -> None:
    """It is not a type without fields."""
    text = "import x\nfrom pyspark.sql.types import StructField, StringType, StructType\n"
    text += "kind = StructType([StructField(n, StringType()) for n in x.names()])\n"
    text += "read('clicks', kind).select('page').write.saveAsTable('t')"

    assert _columns(text) == {"t": {"page": ["clicks.page"]}}


def test_metadata_of_files_is_no_column_of_theirs() -> None:
    text = "from pyspark.sql.types import StructType\n"
    text += "kind = StructType().add('id', 'string')\nframe = spark.read.schema(kind).json('/in')\n"
    text += "frame.select('id', col('_metadata.file_path').alias('file')).write.saveAsTable('t')"

    assert _columns(text)["t"]["file"] == []


def test_table_of_a_statement_is_written_although_a_part_of_it_is_not_known() -> None:
    text = """
import x
orders.createOrReplaceTempView("changes")
spark.sql(f"MERGE INTO lake.orders t USING changes s ON t.id = s.id WHEN MATCHED THEN UPDATE SET {x.sets()}")
"""
    job = _jobs(job=_HEAD + text)["job.py"].job
    (sink,) = job.sinks

    assert sink.target
    assert sink.target.name == "lake.orders"
    assert {dataset.name for dataset in sink.frame.sources} == {"orders"}
    assert [what for _, what in job.problems] == ["a statement of SQL is not resolved"]


NAMELESS = {
    "a column": "orders.select(F.col(x.name()).alias('n')).write.saveAsTable('t')",
    "a column of an expression": "orders.withColumn('n', F.trim(F.col(x.name()))).write.saveAsTable('t')",
    "a window": "orders.select(F.sum('total').over(x.window()).alias('n')).write.saveAsTable('t')",
    "columns in a dictionary": "orders.withColumns({x.name(): F.lit(1)}).write.saveAsTable('t')",
}


@pytest.mark.parametrize("text", NAMELESS.values(), ids=NAMELESS)
def test_column_that_a_library_names_is_reported(text: str) -> None:
    (sink,) = _jobs(job=_HEAD + "import x\n" + text)["job.py"].job.sinks

    assert sink.frame.problems


def test_view_of_what_is_not_known_is_no_table() -> None:
    text = "import lake\nlake.frame().createOrReplaceTempView('v')\nspark.sql('SELECT a FROM v').write.saveAsTable('t')"
    job = _jobs(job=_HEAD + text)["job.py"].job

    assert {dataset.name for dataset in job.reads} == {"orders"}
    assert job.sinks[0].frame.problems


def test_table_may_be_a_view_whose_name_is_not_resolved() -> None:
    text = "import x\norders.createOrReplaceTempView(x.name())\nspark.sql('SELECT id FROM o').write.saveAsTable('t')"
    job = _jobs(job=_HEAD + text)["job.py"].job

    assert {dataset.name for dataset in job.reads} == {"orders"}
    assert {dataset.name for dataset in job.sinks[0].frame.sources} == {"orders"}
    assert job.sinks[0].frame.problems


def test_text_with_an_unknown_escape_is_read_without_a_warning() -> None:
    text = "orders.where(F.regexp_extract('id', '\\d+', 0) != '').select('id').write.saveAsTable('t')"

    assert _columns(text) == {"t": {"id": ["orders.id"]}}


def test_text_that_may_be_any_column_has_no_fields_below_each_of_them() -> None:
    """The grouped frame has no column `value`: what is parsed may be of `id` or of `total`, not their members."""
    text = "grouped = orders.select('id', 'total').groupBy('*').count()\n"
    text += "grouped.select(from_json('value', 'a INT').alias('m')).select('m.a').write.saveAsTable('t')"

    assert _columns(text)["t"]["a"] == ["orders.id", "orders.total"]


def test_column_that_may_be_one_of_very_many_is_derived_from_the_table_as_a_whole() -> None:
    """A hundred flows into each column would say no more, and hide those that are known."""
    names = ", ".join(f"c{at} INT" for at in range(100))
    text = f"read('wide', '{names}').select('missing', 'c1').write.saveAsTable('t')"

    assert _columns(text)["t"] == {"missing": ["wide"], "c1": ["wide.c1"]}


@pytest.mark.parametrize(
    "text",
    [
        "orders.unpivot('id', ['city', 'total'], 'kind', 'v').write.saveAsTable('t')",
        "orders.createOrReplaceTempView('o')\n"
        "spark.sql('SELECT * FROM (SELECT id, city, total FROM o) UNPIVOT (v FOR kind IN (city, total))')"
        ".write.saveAsTable('t')",
    ],
)
def test_column_of_rows_that_were_columns_is_a_copy_of_each(text: str) -> None:
    assert _columns(text)["t"] == {"id": ["orders.id"], "kind": [], "v": ["orders.city", "orders.total"]}


UNRESOLVED = {
    "a function of groups": (
        "orders.groupBy('id').applyInPandas(lambda rows: rows, schema='id STRING, x DOUBLE').write.saveAsTable('t')",
        ["orders.city", "orders.id", "orders.lines", "orders.total"],
    ),
    "a function of two groups": (
        "pair = orders.select('id').groupBy('id').cogroup(read('paid', 'id STRING, sum INT').groupBy('id'))\n"
        "pair.applyInPandas(lambda a, b: a, schema='id STRING, x DOUBLE').write.saveAsTable('t')",
        ["orders.id", "paid.id", "paid.sum"],
    ),
    "a function of batches": (
        "orders.select('id', 'city').mapInPandas(lambda rows: rows, 'x DOUBLE').write.saveAsTable('t')",
        ["orders.city", "orders.id"],
    ),
    "rows of an RDD": (
        "orders.select('id', 'city').rdd.map(lambda row: row).toDF(['x']).write.saveAsTable('t')",
        ["orders.city", "orders.id"],
    ),
    "a table function": (
        "orders.createOrReplaceTempView('o')\n"
        "spark.sql('SELECT o.id, w.x FROM o, LATERAL words(o.city) w').write.saveAsTable('t')",
        ["orders.city"],
    ),
    "a UDF": (
        "mask = F.udf(lambda a, b: a)\norders.select(mask('id', 'city').alias('x')).write.saveAsTable('t')",
        ["orders.city", "orders.id"],
    ),
}


@pytest.mark.parametrize(("text", "origins"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_what_cannot_be_followed_is_computed_from_all_of_its_inputs(text: str, origins: list[str]) -> None:
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks
    value = sink.frame.named("x")

    assert value is not None
    assert value.value.effect == "TRANSFORMATION"
    assert sorted(".".join((dataset.name, *path)) for dataset, path in value.value.origins) == origins


REPORTED = {
    "a method by its name": "import os\ngetattr(orders, os.environ['STEP'])('id').write.saveAsTable('t')",
    "a method that is not known": "orders.toDF().flattened('id').write.saveAsTable('t')",
    "a module by its name": "import importlib\nimportlib.import_module('steps').run(orders).write.saveAsTable('t')",
    "rows of the driver": "spark.createDataFrame(orders.toPandas()).write.saveAsTable('t')",
    "a function of rows": "orders.writeStream.foreach(lambda row: post(row)).start()",
    "rows that another library writes": "orders.toPandas().to_gbq('out')",
    "a loop over rows": "for row in orders.collect():\n    client.send(row['id'])",
    "a text that is run": "eval(\"orders.write.saveAsTable('t')\")",
    "a statement of an argument": "import sys\norders.createOrReplaceTempView('o')\n"
    "spark.sql('INSERT INTO ' + sys.argv[1] + ' SELECT * FROM o')",
}


@pytest.mark.parametrize("text", REPORTED.values(), ids=REPORTED)
def test_what_becomes_of_a_frame_is_reported_where_it_is_not_resolved(text: str) -> None:
    job = _jobs(job=_HEAD + text)["job.py"].job

    assert [*job.problems, *(problem for sink in job.sinks for problem in sink.frame.problems)]
    assert {name for frame, _ in job.used for name in frame.sources} | {
        name for sink in job.sinks for name in sink.frame.sources
    }


ENDS = {
    "a table of an argument": "import sys\norders.write.saveAsTable(sys.argv[1])",
    "a topic of an argument": "import sys\nrows = orders.select(to_json(struct('*')).alias('value'))\n"
    "rows.writeStream.format('kafka').option('topic', sys.argv[2]).start()",
    "a path of the day": "import datetime\norders.write.parquet(f's3://b/{datetime.date.today()}')",
    "a format without a name": "orders.write.format('com.acme.sink').option('thing', 'x').save()",
    "a batch function of a library": "from acme import upsert\norders.writeStream.foreachBatch(upsert).start()",
    "a merge": "from delta.tables import DeltaTable\n"
    "into = DeltaTable.forName(spark, name).alias('t').merge(orders.alias('s'), 't.id = s.id')\n"
    "into.whenMatchedUpdateAll().execute()",
    "a writer of version 2": "orders.writeTo(f'cat.{name}.t').append()",
}


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_sink_without_a_name_is_an_end_that_is_reported(text: str) -> None:
    job = _jobs(job=_HEAD + text)["job.py"].job

    assert [sink.target for sink in job.sinks] == [None]
    assert {name.name for name in job.sinks[0].frame.sources} == {"orders"}
    assert "what is written to is not resolved" in {what for _, what in job.problems}


def test_named_window_decides_with_its_keys() -> None:
    text = (
        "orders.createOrReplaceTempView('o')\nspark.sql('SELECT sum(total) OVER w AS s FROM o WINDOW w AS"
        " (PARTITION BY city ORDER BY id)').write.saveAsTable('t')"
    )
    (sink,) = _jobs(job=_HEAD + text)["job.py"].job.sinks

    assert {path[0] for (_, path), _ in sink.frame.columns[0].value.deciders} == {"city", "id"}
