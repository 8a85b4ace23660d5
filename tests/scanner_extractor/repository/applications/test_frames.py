"""Jobs of Spark in Python: the flows and uses of fields that a repository has of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from scanner_extractor.repository.applications.reader import ApplicationsReading, read_applications
from scanner_model.columns import path_name
from scanner_model.manual import FlowEnd
from scanner_model.names import SourceId

_JOB = """
    from pyspark.sql import functions as F
    from pyspark.sql.functions import *
    raw = spark.readStream.format("kafka").option("subscribe", "payments").load()
    schema = "id STRING, card STRING, amount DOUBLE, ts TIMESTAMP, lines ARRAY<STRUCT<sku: STRING, price: DOUBLE>>"
    p = raw.select(from_json(col("value").cast("string"), schema).alias("p")).select("p.*")
    p{calls}.writeStream.toTable("t")
    """


def _read(**files: str) -> ApplicationsReading:
    texts = {name.replace("__", "/").replace("_dot_", "."): dedent(text) for name, text in files.items()}
    return read_applications(texts, SourceId("repository:test"))


def _fields(reading: ApplicationsReading) -> set[str]:
    """Return the fields that are read as `payments id`; `?` is not resolved, `*` all fields."""
    listed = (use for use in reading.fields if not use.writes)
    return {f"{use.topic} {'.'.join(use.path) or ('*' if use.whole else '?')}" for use in listed}


def _flows(reading: ApplicationsReading) -> set[str]:
    """Return the flows between columns as `orders.id > t.id IDENTITY`; a topic or table alone is the whole."""
    return {f"{_shown(flow.origin)} > {_shown(flow.target)} {flow.effect}".rstrip() for flow in reading.flows}


def _shown(end: FlowEnd) -> str:
    return f"{end.name}.{path_name(end.path)}" if end.path else end.name


@pytest.mark.parametrize(
    ("calls", "fields"),
    [
        ('.dropDuplicates(["card"]).select("amount")', "amount card"),
        ('.select(to_json(struct("card", F.col("amount"))).alias("j"))', "amount card"),
        ('.select(F.coalesce("card", "id").alias("m")).select("m")', "card id"),
        ('.select(sha2("card", 256), F.date_format("ts", "yyyy-MM"), regexp_replace("id", "x", "y"))', "card id ts"),
        ('.withWatermark("ts", "10 minutes").groupBy(window("ts", "1 hour"), "id").count()', "id ts"),
        ('.groupBy(F.window("ts", "1 hour")).agg(F.sum("amount").alias("s")).select("window.start", "s")', "amount ts"),
        (
            '.select("id", explode("lines").alias("l")).select("id", "l.sku", col("l.price"))',
            "id lines.price lines.sku",
        ),
        ('.selectExpr("ts + interval 1 hour AS late", "CAST(amount AS decimal(10, 2))")', "amount ts"),
        ('.agg({"amount": "sum", "*": "count"})', "amount"),
        ('.withColumn("day", F.to_date("ts")).select("day", "id")', "id ts"),
        ('.withColumnRenamed("card", "pan").select("pan")', "card"),
        ('.orderBy(F.col("ts").desc()).limit(5).select("id")', "id ts"),
        ('.select(lit("x"), current_timestamp(), col("id").alias("y").cast("string"))', "id"),
        ('.filter(p["amount"] > 1).where("card IS NOT NULL AND id = \'x\'").select("ts")', "amount card id ts"),
        ('.dropna().select("id")', "amount card id lines ts"),
        (".na.fill(0)", "amount card id lines ts"),
        ('.select("id").distinct()', "id"),
        ('.transform(unknown.clean).select("id")', "? amount card id lines ts"),
    ],
)
def test_fields_of_a_frame_are_those_that_reach_an_end(calls: str, fields: str) -> None:
    """A duration, a format or the name of a computed column is no field; what is not understood is all fields."""
    found = _fields(_read(job_dot_py=_JOB.replace("{calls}", calls)))

    assert found == {f"payments {name}" for name in fields.split()}


def test_fields_of_an_unknown_schema_are_all_fields() -> None:
    job = """
        from pyspark.sql.functions import col, from_json
        from schemas import schema
        frame = spark.readStream.format("kafka").option("subscribe", "orders").load()
        flat = frame.select(from_json(col("value"), schema).alias("data")).select("data.*")
        flat{calls}.writeStream.start("/lake/orders")
        """

    assert _fields(_read(job_dot_py=job.replace("{calls}", ""))) == {"orders *"}
    assert _fields(_read(job_dot_py=job.replace("{calls}", '.select("total")'))) == {"orders total"}


def test_two_streams_of_one_helper_have_their_own_fields() -> None:
    job = """
        from pyspark.sql.functions import col, from_json
        def read(topic):
            raw = spark.readStream.format("kafka").option("subscribe", topic).load()
            return raw.select(from_json(col("value").cast("string"), schema).alias("v")).select("v.*")

        a = read("t-a")
        b = read("t-b")
        a.select("x").writeStream.start("/a")
        b.select("p").writeStream.start("/b")
        """

    assert _fields(_read(job_dot_py=job)) == {"t-a x", "t-b p"}


def test_columns_of_a_topic_that_is_written_are_those_of_its_struct() -> None:
    job = """
        from pyspark.sql import functions as F
        raw = spark.readStream.format("kafka").option("subscribe", "orders").load()
        o = raw.select(F.from_json("value", "id STRING, total DOUBLE, city STRING").alias("o")).select("o.*")
        o = o.filter("total > 10").select(F.to_json(F.struct("id", F.struct("city").alias("place"))).alias("value"))
        o.writeStream.format("kafka").option("topic", "large").start()
        """

    assert _flows(_read(job_dot_py=job)) == {
        "orders > large",
        "orders.total > large FILTER",
        "orders.id > large.id IDENTITY",
        "orders.city > large.place TRANSFORMATION",
        "orders.city > large.place.city IDENTITY",
    }


def test_settings_of_a_deployment_name_what_a_job_uses() -> None:
    job = """
        import os
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.appName("copy").getOrCreate()
        df = spark.readStream.format("kafka").option("subscribe", os.environ["INPUT"]).load()
        df.writeStream.start(f"s3a://{os.getenv('BUCKET', 'dev')}/raw")
        """
    compose = """
        services:
          copier:
            image: spark
            command: spark-submit job.py
            environment: {INPUT: orders, BUCKET: lake}
        """
    reading = _read(job_dot_py=job, docker__compose_dot_yaml=compose)
    written = [flow for flow in reading.flows if flow.target.name]

    assert {(flow.target.namespace, flow.target.name) for flow in written} <= {
        ("s3://lake", "raw"),
        ("s3://dev", "raw"),
    }


def test_topics_that_are_read_by_a_pattern_are_not_resolved() -> None:
    job = """
        from pyspark.sql import SparkSession
        df = spark.readStream.format("kafka").option("subscribePattern", "audit-.*").load()
        df.writeStream.start("/audit")
        """

    reading = _read(job_dot_py=job)

    assert [path for path, _ in reading.unresolved] == ["job.py"]
    assert {flow.origin.name for flow in reading.flows} == {"regex:audit-.*"}


def test_table_whose_name_has_a_setting_without_a_value_is_reported() -> None:
    job = """
        import os
        df = spark.readStream.format("kafka").option("subscribe", "orders").load()
        df.writeStream.start(f"abfss://{os.environ['STORE']}/raw")
        """

    reading = _read(job_dot_py=job)

    assert {flow.target.name for flow in reading.flows if flow.target.name} == {"raw"}
    assert ["has no value (set it with --var)" in reason for _, reason in reading.unresolved] == [True]


_MERCHANTS = """
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("merchants").getOrCreate()
    m = spark.read.format("kafka").option("subscribe", "merchants").load()
    m = m.selectExpr("from_json(CAST(value AS STRING), 'id STRING, mcc STRING') AS m")
    m.select("m.id", "m.mcc").write.saveAsTable("ref.merchants")
    """
_JOINED = """
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("joined").getOrCreate()
    m = spark.table("ref.merchants")
    p = spark.read.table("p").select("id", "price")
    p.join(m, p.id == m.id).drop(m.id).write.saveAsTable("silver.p")
    """


def test_columns_that_another_job_writes_to_a_table_are_copied_with_it() -> None:
    reading = _read(merchants_dot_py=_MERCHANTS, joined_dot_py=_JOINED)

    flows = _flows(reading)
    assert "ref.merchants.mcc > silver.p.mcc IDENTITY" in flows
    assert "ref.merchants.id > silver.p.id IDENTITY" not in flows


def test_columns_that_no_program_lists_are_a_flow_of_the_whole_table() -> None:
    flows = _flows(_read(joined_dot_py=_JOINED))

    assert {"ref.merchants > silver.p IDENTITY", "p > silver.p"} <= flows


def test_whole_table_is_copied_if_one_of_the_files_of_a_job_does() -> None:
    named = """
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.appName("joined").getOrCreate()
        spark.table("ref.merchants").select("id").write.saveAsTable("silver.p")
        """

    assert "ref.merchants > silver.p IDENTITY" in _flows(_read(a_dot_py=named, joined_dot_py=_JOINED))


def test_jobs_of_one_name_are_one_job() -> None:
    job = """
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.appName("copy").getOrCreate()
        spark.readStream.format("kafka").option("subscribe", "orders").load().writeStream.start("/raw")
        """

    reading = _read(a_dot_py=job, b_dot_py=job)

    assert len(reading.flows) == len({(flow.job, flow.origin, flow.target) for flow in reading.flows})
    assert len(reading.fields) == 1


def test_class_in_a_file_that_does_not_mention_kafka_is_a_schema() -> None:
    """In Scala, neither its file nor an import is named after it."""
    job = """
        package shop
        import org.apache.spark.sql.{Encoders, SparkSession}
        import org.apache.spark.sql.functions._
        object Main extends App {
          val spark = SparkSession.builder.appName("copy").getOrCreate()
          val schema = Encoders.product[Order].schema
          val raw = spark.readStream.format("kafka").option("subscribe", "orders").load()
          raw.select(from_json(col("value").cast("string"), schema) as "o").select("o.*")
            .writeStream.toTable(Tables.Orders)
        }
        """
    model = 'package shop\n\ncase class Order(id: Long, total: Double)\nobject Tables { val Orders = "lake.orders" }\n'

    reading = _read(build_dot_sbt='name := "copy"', src__Main_dot_scala=job, src__Model_dot_scala=model)

    assert {"orders.id > lake.orders.id IDENTITY", "orders.total > lake.orders.total IDENTITY"} <= _flows(reading)


def test_source_table_of_flink_is_not_written() -> None:
    """A descriptor names a topic, not what is done with it."""
    job = """
        import org.apache.flink.table.api.*;
        import static org.apache.flink.table.api.Expressions.*;
        class Copy {
          static TableDescriptor kafka(String topic) {
            Schema schema = Schema.newBuilder().column("id", DataTypes.STRING()).build();
            return TableDescriptor.forConnector("kafka").schema(schema).option("topic", topic).format("json").build();
          }
          public static void main(String[] args) {
            TableEnvironment env = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
            env.createTemporaryTable("a", kafka("orders"));
            env.createTemporaryTable("b", kafka("copies"));
            env.from("a").select($("id")).executeInsert("b");
          }
        }
        """

    reading = _read(pom_dot_xml="<artifactId>copy</artifactId>", Copy_dot_java=job)

    assert _flows(reading) == set()
    assert "INSERT INTO b SELECT `id` FROM a" in reading.statements[0][2]


def test_statements_of_flink_that_a_loop_assembles_are_those_that_run() -> None:
    job = """
        from pyflink.table import EnvironmentSettings, TableEnvironment
        env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        TABLES = {"a": ("orders", "id INT"), "b": ("copies", "id INT")}
        for name, (topic, columns) in TABLES.items():
            env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}')")
        statements = env.create_statement_set()
        for text in ["INSERT INTO b SELECT id FROM a"]:
            statements.add_insert_sql(text)
        statements.execute()
        """

    (_, _, script) = _read(job_dot_py=job).statements[0]

    assert script.split(";\n") == [
        "CREATE TABLE a (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders')",
        "CREATE TABLE b (id INT) WITH ('connector' = 'kafka', 'topic' = 'copies')",
        "INSERT INTO b SELECT id FROM a",
    ]


def test_bucket_has_the_default_that_another_job_has_for_its_setting() -> None:
    job = """
        import os
        bucket = os.getenv("BUCKET", "lake")
        raw = spark.readStream.format("kafka").option("subscribe", "clicks").load()
        raw.writeStream.start(f"gs://{bucket}/clicks")
        """
    load = """
        import os
        from airflow.providers.google.cloud.transfers.gcs_to_bigquery import GCSToBigQueryOperator
        GCSToBigQueryOperator(bucket=os.environ["BUCKET"], source_objects=["clicks/*"],
            destination_project_dataset_table="stg.clicks")
        """
    flows = {(flow.origin, flow.target) for flow in _read(job_dot_py=job, load_dot_py=load).flows}

    assert (FlowEnd(name="clicks"), FlowEnd(namespace="gs://lake", name="clicks")) in flows
    assert (FlowEnd(namespace="gs://lake", name="clicks"), FlowEnd(namespace="bigquery", name="stg.clicks")) in flows


def test_members_of_a_column_that_is_copied_have_flows_of_their_own() -> None:
    """Another job reads one of them, and its lineage goes on to the topic."""
    job = """
        from pyspark.sql.functions import col, collect_list, from_json, struct
        raw = spark.read.format("kafka").option("subscribe", "visits").load()
        ddl = "id STRING, at STRUCT<city: STRING>, pages ARRAY<STRUCT<url: STRING>>, tags ARRAY<STRING>"
        visits = raw.select(from_json(col("value").cast("string"), ddl).alias("v")).select("v.*")
        visits.groupBy("at").agg(collect_list(struct("id")).alias("all")).write.saveAsTable("cities")
        visits.select("tags").write.saveAsTable("tags")
        """

    flows = _flows(_read(job_dot_py=job))

    assert {flow for flow in flows if " > tags" in flow} == {"visits > tags", "visits.tags > tags.tags IDENTITY"}
    assert {
        "visits.at > cities.at IDENTITY",
        "visits.at.city > cities.at.city IDENTITY",
        "visits.id > cities.all.[].id AGGREGATION",
    } <= flows


_RAW = """
    from pyspark.sql.functions import col
    raw = spark.readStream.format("kafka").option("subscribe", "orders").load()
    raw.select(col("value").cast("string").alias("body"), "topic").writeStream.toTable("bronze.orders")
    spark.readStream.table("bronze.orders").select("body").writeStream.toTable("bronze.kept")
    """
_PARSED = """
    from pyspark.sql.functions import from_json, get_json_object
    kept = spark.readStream.table("bronze.kept")
    kept.select(from_json("body", "id STRING, buyer STRUCT<city: STRING>").alias("o")).select("o.id", "o.buyer.city") \\
        .writeStream.toTable("silver.orders")
    spark.table("crm.forms").select(get_json_object("answers", "$.age").alias("age")).write.saveAsTable("silver.forms")
    """


def test_field_of_messages_in_a_column_is_followed_to_the_topic_whichever_job_comes_first() -> None:
    """What is in a text of any other table is computed from its column."""
    for names in (("a_dot_py", "b_dot_py"), ("b_dot_py", "a_dot_py")):
        flows = _flows(_read(**dict(zip(names, (_RAW, _PARSED), strict=True))))

        assert {
            "orders.id > bronze.orders.body.id IDENTITY",
            "orders.buyer.city > bronze.orders.body.buyer.city IDENTITY",
            "bronze.orders.body.id > bronze.kept.body.id IDENTITY",
            "bronze.orders.body > bronze.kept.body IDENTITY",
            "bronze.kept.body.buyer.city > silver.orders.city IDENTITY",
            "crm.forms.answers > silver.forms.age TRANSFORMATION",
        } <= flows
        assert not any(flow.startswith("crm.forms.answers.") for flow in flows)


def test_everything_in_a_file_that_is_not_resolved_is_reported() -> None:
    """A sink without a name is not hidden by a frame whose use is unknown."""
    job = """
        raw = spark.read.format("kafka").option("subscribe", "orders").load()
        raw.write.format("weird.Provider").save()
        raw.rdd.saveAsTextFile("x")
        """

    ((path, reason),) = _read(job_dot_py=job).unresolved

    assert path == "job.py"
    assert "what is written to is not resolved: line 3" in reason
    assert "what becomes of a frame is not resolved" in reason
