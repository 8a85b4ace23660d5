"""Files of ksqlDB statements become collections and queries, as a server would report them."""

from __future__ import annotations

from dataflow_generator.jobs.ksqldb_files import file_queries
from scanner_model.names import SourceId
from scanner_model.streaming_sql import SCRIPT, StreamingStatement


def file(name: str, text: str) -> StreamingStatement:
    return StreamingStatement(
        source=SourceId("repository:shop"), name=name, statement=text, kind=SCRIPT, engine="ksqldb"
    )


ORDERS = "CREATE STREAM orders (id INT KEY, total DOUBLE) WITH (KAFKA_TOPIC='shop.orders', VALUE_FORMAT='JSON');"


def test_queries_have_the_topics_that_the_server_makes():
    text = ORDERS + "CREATE TABLE totals AS SELECT id, SUM(total) AS s FROM orders GROUP BY id;"
    text += "CREATE STREAM big WITH (KAFKA_TOPIC='big') AS SELECT * FROM orders; INSERT INTO big SELECT * FROM orders;"
    (found,) = file_queries([file("a.ksql", text)])
    assert [(query.name, query.sources, query.sink_topics) for query in found.queries] == [
        ("CTAS_TOTALS", ("ORDERS",), ("TOTALS",)),
        ("CSAS_BIG", ("ORDERS",), ("big",)),
        ("INSERTQUERY_BIG", ("ORDERS",), ("big",)),
    ]
    assert {source.name: source.topic for source in found.collections}["ORDERS"] == "shop.orders"


def test_files_depend_on_each_other_in_any_order():
    first = file("a.ksql", "CREATE STREAM copy AS SELECT * FROM orders;")
    (found,) = file_queries([first, file("z.ksql", ORDERS)])
    (copied,) = (source for source in found.collections if source.name == "COPY")
    assert [column.column.path for column in copied.columns] == [("ID",), ("TOTAL",)]


def test_a_name_is_that_of_the_nearest_file():
    other = ORDERS.replace("shop.orders", "other")
    files = [
        file("a/orders.ksql", ORDERS),
        file("b/orders.ksql", other),
        file("b/copy.ksql", "CREATE STREAM copy AS SELECT * FROM orders;"),
    ]
    (found,) = file_queries(files)
    assert {source.name: source.topic for source in found.collections}["ORDERS"] == "other"


def test_two_files_that_fill_one_collection_otherwise_are_two_queries():
    copy = "CREATE STREAM copy AS SELECT * FROM orders;"
    other = ORDERS.replace("shop.orders", "other") + copy
    files = [file("a.ksql", ORDERS + copy), file("b.ksql", other), file("c/a.ksql", ORDERS + copy)]
    names = [query.name for found in file_queries(files) for query in found.queries]
    assert names == ["CSAS_COPY", "CSAS_COPY (b.ksql)", "CSAS_COPY"]
