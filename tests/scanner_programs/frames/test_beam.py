"""Pipelines of Beam in Python: what they write, and what each part of an element is derived from."""

from __future__ import annotations

import pytest

from scanner_programs.frames.reader import read_jobs

_HEAD = """
import json
import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka, WriteToKafka
from apache_beam.io.gcp.bigquery import WriteToBigQuery
class Shape(beam.DoFn):
    def process(self, element, factor=1):
        key, value = element
        doc = json.loads(value)
        yield key, json.dumps({"id": doc["id"], "cents": doc["price"] * factor}).encode("utf-8")
def parsed(pair): return json.loads(pair[1].decode())
p = beam.Pipeline()
orders = p | "read" >> ReadFromKafka(consumer_config={}, topics=["orders"])
"""
_OUT = ' | WriteToKafka({}, "out")'
WRITES = {
    "fields of a DoFn": (
        "orders | beam.ParDo(Shape(), factor=100)" + _OUT,
        {"id": ["orders.id"], "cents": ["orders.price"]},
    ),
    "a row of a table": (
        'orders | beam.Map(parsed) | beam.Filter(lambda d: d["ok"]) | '
        'beam.Map(lambda d: {"id": d["id"], "name": f"{d[\'first\']} {d.get(\'last\')}"}) | WriteToBigQuery("p:d.t")',
        {"id": ["orders.id"], "name": ["orders.first", "orders.last"]},
    ),
    "a function that is not known": (
        "import acme\n"
        'orders | beam.Map(parsed) | beam.Map(lambda d: {"id": acme.clean(d["id"])}) | WriteToBigQuery("p:d.t")',
        {"id": ["orders.id"]},
    ),
    "values of a key": (
        'orders | beam.Map(parsed) | beam.Map(lambda d: (d["city"], d["price"])) | beam.CombinePerKey(sum)'
        ' | beam.Map(lambda kv: {"city": kv[0], "sum": kv[1]}) | WriteToBigQuery("p:d.t")',
        {"city": ["orders.city"], "sum": ["orders.price"]},
    ),
    "values of all elements": (
        'orders | beam.Map(parsed) | beam.Map(lambda d: (d["city"], d["price"])) | beam.combiners.ToList()'
        ' | beam.Map(lambda all: {"rows": all}) | WriteToBigQuery("p:d.t")',
        {"rows": ["orders.city", "orders.price"]},
    ),
    "a topic that a class of options adds": (
        "from apache_beam.options.pipeline_options import PipelineOptions\n"
        "class Own(PipelineOptions):\n"
        "    @classmethod\n"
        "    def _add_argparse_args(cls, parser):\n"
        "        parser.add_argument('--topic', default='paid')\n"
        "given = PipelineOptions([]).view_as(Own)\n"
        'p | ReadFromKafka({}, [given.topic]) | beam.Map(parsed) | beam.Map(lambda d: {"id": d["id"]})'
        ' | WriteToBigQuery("p:d.t")',
        {"id": ["paid.id"]},
    ),
    "two collections": (
        'paid = p | ReadFromKafka({}, ["paid"])\n'
        '(orders, paid) | beam.Flatten() | beam.Map(parsed) | beam.Map(lambda d: {"id": d["id"]})'
        ' | WriteToBigQuery("p:d.t")',
        {"id": ["orders.id", "paid.id"]},
    ),
}


def _written(text: str) -> dict[str, set[str]]:
    (program,) = read_jobs({"job.py": _HEAD + text}, ["job.py"], lambda _: None)
    assert not program.job.problems
    found: dict[str, set[str]] = {}
    for sink in program.job.sinks:
        value = sink.frame.named("value")
        parts = value.value.parts if value is not None and sink.is_topic else None
        for name, part in parts or ((out.name, out.value) for out in sink.frame.columns):
            found.setdefault(name, set()).update(".".join((dataset.name, *path)) for dataset, path in part.origins)
    return found


@pytest.mark.parametrize(("text", "columns"), WRITES.values(), ids=WRITES)
def test_part_of_an_element_is_derived_from_fields(text: str, columns: dict[str, list[str]]) -> None:
    assert _written(text) == {name: set(origins) for name, origins in columns.items()}


@pytest.mark.parametrize("write", ["WriteToKafka({}, topic)", "WriteToBigQuery(table)", 'beam.io.WriteToOther("x")'])
def test_sink_without_a_name_is_an_end_that_is_reported(write: str) -> None:
    (program,) = read_jobs({"job.py": f"{_HEAD}orders | {write}"}, ["job.py"], lambda _: None)

    assert [sink.target for sink in program.job.sinks] == [None]
    assert program.job.problems
