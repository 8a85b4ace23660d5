"""Any text is read in bounded time and memory, and never raises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.applications.frames import FrameUses, problems_by_file
from scanner_model.names import SourceId
from scanner_programs.frames.reader import read_jobs
from scanner_programs.frames.spark import Job

_PROGRAMS = [path.read_text() for path in sorted((Path(__file__).parent / "data" / "programs").glob("*.py"))]
_WORDS = sorted({word for text in _PROGRAMS for word in re.findall(r"\w+", text)} | {"None", "[]", "{}", "'x'"})
_HEAD = """
from pyspark.sql import functions as F
from pyspark.sql.types import *
import json, os
df = spark.readStream.format("kafka").option("subscribe", "t").load()
df.createOrReplaceTempView("v")
x, e, items, t = "a", F.col("key"), ["a"], StringType()
"""
_LOOP = "for i in range(100):\n    "
GROWING = {
    "an expression": "e = e + e",
    "a condition": "e = F.when(e > 1, e).otherwise(e)",
    "a struct": "e = F.struct(e.alias('a'), e.alias('b'))",
    "a lambda": "e = F.transform(e, lambda y: F.struct(y, y))",
    "a join": "df = df.join(df, 'key')",
    "a union": "df = df.union(df)",
    "a view": "spark.sql(f'select a.*, b.key as k{i} from v a join v b').createOrReplaceTempView('v')",
    "a query": "x = '(select * from ' + x + ') q join ' + x",
    "a text": "x = f'{x}{x}'",
    "a format": "x = '{0}{0}{0}'.format(x)",
    "a joined text": "x = x.join([x, x, x])",
    "a percent format": "x = '%s%s%s' % (x, x, x)",
    "a type": "t = StructType([StructField('a', t), StructField('b', t)])",
    "a list": "items = [items, items]",
    "a dictionary": "items = {'a': items, 'b': items}",
    "columns": "[df := df.withColumn(f'c{i}{j}', F.col('key')) for j in range(100)]",
}
_END = """
df.select(e).withColumn("p", F.from_json("value", t)).select("p.*", F.lit(json.dumps(items))).write.saveAsTable("out")
spark.sql("select * from " + x).write.saveAsTable("other")
"""


def _job(text: str) -> Job:
    (program,) = read_jobs({"job.py": text}, ["job.py"], lambda _: None)
    uses = FrameUses(program.job, "job", "", SourceId("s"), lambda dataset: (dataset,)).read()
    list(uses.flows)
    list(uses.field_uses)
    problems_by_file(program.job)
    return program.job


@pytest.mark.parametrize("statement", GROWING.values(), ids=GROWING)
def test_value_that_doubles_in_a_loop_is_bounded(statement: str) -> None:
    job = _job(f"{_HEAD}{_LOOP}{statement}\n{_END}")

    assert job.sinks or job.problems


@given(st.data())
def test_changed_program_never_raises(data: st.DataObject) -> None:
    parts = re.split(r"(\w+)", data.draw(st.sampled_from(_PROGRAMS)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(parts) // 2 - 1)) * 2 + 1
        parts[place] = data.draw(st.sampled_from(_WORDS))
    text = "import pyspark\n" + "".join(parts)

    _job(text)
