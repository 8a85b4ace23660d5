"""Jobs of Spark in Java and Kotlin: the columns that they write, and what each is derived from."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.frames import document_of, python_tree
from scanner_programs.frames.reader import read_jobs

_JAVA = """package com.acme;
import java.util.*;
import org.apache.spark.sql.*;
import org.apache.spark.sql.expressions.*;
import org.apache.spark.sql.types.*;
import static org.apache.spark.sql.functions.*;
public class Job {
  static final String DDL = "id INT, name STRING, price DOUBLE";
  private static final StructType SCHEMA = new StructType().add("id", DataTypes.IntegerType).add("name", "string")
      .add("price", DataTypes.DoubleType);
  enum Mode { FULL, KEYS }
  record Route(String topic, Mode mode, String table) {}
  public static class Bean { private int id; private String name; }
  static Dataset<Row> read(SparkSession spark, String topic, StructType schema) {
    return spark.readStream().format("kafka").option("subscribe", topic).load()
        .select(from_json(col("value").cast("string"), schema).as("m")).select("m.*");
  }
  public static void main(String[] args) throws Exception {
    SparkSession spark = SparkSession.builder().appName("java-job").getOrCreate();
    Dataset<Row> orders = read(spark, "orders", SCHEMA);
    BODY
  }
}
"""
_KOTLIN = """import org.apache.spark.sql.*
import org.apache.spark.sql.functions.*
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.StructType
val schema = StructType().add("id", DataTypes.LongType).add("name", DataTypes.StringType)
fun shaped(df: Dataset<Row>) = df.withColumn("name", upper(col("name")))
fun main() {
    val spark = SparkSession.builder().appName("kotlin-job").getOrCreate()
    val topic = System.getenv("TOPIC") ?: "orders"
    val orders = spark.readStream().format("kafka").option("subscribe", topic).load()
        .select(from_json(col("value").cast("string"), schema).`as`("j")).select("j.*")
    BODY
}
"""
Columns = dict[str, dict[str, list[str]]]


def _columns(path: str, text: str) -> Columns:
    (program,) = read_jobs({path: text}, [path], document_of, python_tree)
    assert not program.job.problems
    return {
        sink.target.name if sink.target else "?": {
            out.name: sorted(
                ".".join((name.removeprefix("${TOPIC:").rstrip("}"), *path)) for (_, name), path in origins
            )
            for out in sink.frame.columns
            for origins in [out.value.origins]
        }
        for sink in program.job.sinks
    }


JAVA: dict[str, tuple[str, Columns]] = {
    "columns by functions": (
        'orders.filter(col("price").gt(1)).select(col("id"), col("price").multiply(2).as("twice"))'
        '.writeStream().format("delta").toTable("t");',
        {"t": {"id": ["orders.id"], "twice": ["orders.price"]}},
    ),
    "rows of a window, and groups": (
        'WindowSpec w = Window.partitionBy("id").orderBy(col("price").desc());\n'
        'orders.withColumn("n", row_number().over(w)).where("n = 1").drop("n", "price").write().saveAsTable("last");\n'
        'orders.groupBy("name").agg(sum("price").as("total")).write().mode(SaveMode.Append).parquet("/out");',
        {
            "last": {"id": ["orders.id"], "name": ["orders.name"]},
            "/out": {"name": ["orders.name"], "total": ["orders.price"]},
        },
    ),
    "a statement over a view": (
        'orders.createOrReplaceTempView("o");\n'
        'spark.sql("SELECT id, upper(name) AS " + "n" + " FROM o").write().saveAsTable("t");',
        {"t": {"id": ["orders.id"], "n": ["orders.name"]}},
    ),
    "a function of batches": (
        'orders.writeStream().foreachBatch((batch, id) -> { batch.select("id").write().saveAsTable("t"); }).start();',
        {"t": {"id": ["orders.id"]}},
    ),
    "records and enumerations in a loop": (
        'for (Route r : List.of(new Route("a", Mode.FULL, "ta"), new Route("b", Mode.KEYS, "tb"))) {\n'
        "Dataset<Row> d = read(spark, r.topic(), SCHEMA);\n"
        'if (r.mode() == Mode.KEYS) { d = d.select(col("id")); }\n'
        'd.drop("price").write().saveAsTable(String.format("x.%s", r.table())); }',
        {"x.ta": {"id": ["a.id"], "name": ["a.name"]}, "x.tb": {"id": ["b.id"]}},
    ),
    "a schema of a bean": (
        'read(spark, "beans", Encoders.bean(Bean.class).schema()).write().saveAsTable("t");',
        {"t": {"id": ["beans.id"], "name": ["beans.name"]}},
    ),
    "a schema of fields": (
        "StructType s = DataTypes.createStructType(new StructField[]{"
        'DataTypes.createStructField("a", DataTypes.StringType, true)});\n'
        'read(spark, "fields", s).write().saveAsTable("t");',
        {"t": {"a": ["fields.a"]}},
    ),
}


@pytest.mark.parametrize(("body", "columns"), JAVA.values(), ids=JAVA)
def test_column_of_a_job_in_java_is_derived_from_fields(body: str, columns: Columns) -> None:
    assert _columns("src/main/java/com/acme/Job.java", _JAVA.replace("BODY", body)) == columns


KOTLIN: dict[str, tuple[str, Columns]] = {
    "a function of the file": (
        'shaped(orders).writeStream().format("parquet").option("path", "/out").start()',
        {"/out": {"id": ["orders.id"], "name": ["orders.name"]}},
    ),
    "a choice by when": (
        'val kind = when (2) { 1 -> "a"\n else -> "b" }\n'
        'orders.withColumn("k", `when`(col("id").gt(1), col("name")).otherwise("-")).drop("name").write()'
        '.saveAsTable("t_$kind")',
        {"t_b": {"id": ["orders.id"], "k": ["orders.name"]}},
    ),
    "a loop over names": (
        'var df = orders\nfor (n in listOf("id", "name")) { df = df.withColumnRenamed(n, "o_" + n) }\n'
        'df.write().saveAsTable("t")',
        {"t": {"o_id": ["orders.id"], "o_name": ["orders.name"]}},
    ),
}


@pytest.mark.parametrize(("body", "columns"), KOTLIN.values(), ids=KOTLIN)
def test_column_of_a_job_in_kotlin_is_derived_from_fields(body: str, columns: Columns) -> None:
    assert _columns("src/Job.kt", _KOTLIN.replace("BODY", body)) == columns


_WRITES = """import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.*;
import static org.apache.spark.sql.functions.*;
import java.util.*;
public class Job {
  MEMBERS
  private final SparkSession spark = SparkSession.builder().getOrCreate();
  private Dataset<Row> orders() {
    return spark.readStream().format("kafka").option("subscribe", "orders").load()
        .select(from_json(col("value").cast("string"), lit("id INT, name STRING")).as("m")).select("m.*");
  }
  void run() throws Exception {
    Dataset<Row> orders = orders();
    BODY
  }
  public static void main(String[] args) throws Exception { new Job().run(); }
}
"""
MEMBERS: dict[str, tuple[str, str, Columns]] = {
    "a variable with the name of a method": (
        "",
        'orders.select("id").writeStream().toTable("t");',
        {"t": {"id": ["orders.id"]}},
    ),
    "entries of a map that a static initializer fills": (
        'static final Map<String, String> T = new HashMap<>(); static { T.put("name", "t"); }',
        "for (Map.Entry<String, String> e : T.entrySet())\n"
        "  orders.select(e.getKey()).writeStream().toTable(e.getValue());",
        {"t": {"name": ["orders.name"]}},
    ),
    "constants of an enumeration with members": (
        'enum Out { NAMES("name"), IDS("id"); final String column; Out(String column) { this.column = column; }\n'
        '  String table() { return "lake." + name().toLowerCase(); } }',
        "for (Out out : Out.values()) { orders.select(out.column).writeStream().toTable(out.table()); }",
        {"lake.names": {"name": ["orders.name"]}, "lake.ids": {"id": ["orders.id"]}},
    ),
    "an object of the function for batches": (
        "static class Store implements VoidFunction2<Dataset<Row>, Long> { private final String table;\n"
        "  Store(String table) { this.table = table; }\n"
        "  public void call(Dataset<Row> rows, Long id) { rows.write().saveAsTable(table); } }",
        'orders.select("id").writeStream().foreachBatch(new Store("t")).start();',
        {"t": {"id": ["orders.id"]}},
    ),
    "functions as values of an interface": (
        "interface Step extends java.util.function.UnaryOperator<Dataset<Row>> {}\n"
        "  static Step keep(String... names) { return rows -> rows.select(Arrays.stream(names).map(functions::col)"
        ".toArray(Column[]::new)); }\n"
        '  static final List<Step> STEPS = List.of(keep("id", "name"), keep("name"));',
        'Dataset<Row> rows = orders; for (Step s : STEPS) { rows = s.apply(rows); }\nrows.writeStream().toTable("t");',
        {"t": {"name": ["orders.name"]}},
    ),
    "overloads, by how many arguments they take": (
        "static Column of(String name) { return col(name); }\n"
        "  static Column of(String name, String as) { return col(name).as(as); }\n"
        "  Column of(String first, String second, String as) { return concat(col(first), col(second)).as(as); }",
        'orders.select(of("id"), of("name", "n"), of("id", "name", "both")).writeStream().toTable("t");',
        {"t": {"id": ["orders.id"], "n": ["orders.name"], "both": ["orders.id", "orders.name"]}},
    ),
    "records of a static list": (
        "record Part(String from, String to) { Column column() { return col(from).as(to); } }\n"
        '  static final List<Part> PARTS = List.of(new Part("name", "n"));',
        "orders.select(Stream.concat(PARTS.stream().map(Part::column), "
        'Stream.of(col("id"))).toArray(Column[]::new)).writeStream().toTable("t");',
        {"t": {"n": ["orders.name"], "id": ["orders.id"]}},
    ),
    "fields of a superclass": (
        'abstract static class Base { protected final String table = "x." + name(); abstract String name(); }\n'
        '  static class Out extends Base { String name() { return "t"; } }',
        'orders.select("id").writeStream().toTable(new Out().table);',
        {"x.t": {"id": ["orders.id"]}},
    ),
    "a switch over the constants of an enumeration": (
        "enum Mode { FULL, KEYS }\n"
        '  static Dataset<Row> of(Dataset<Row> d, Mode m) { return switch (m) { case KEYS -> d.select("id");\n'
        "    case FULL -> d; }; }",
        'of(orders, Mode.KEYS).writeStream().toTable("t");',
        {"t": {"id": ["orders.id"]}},
    ),
}


@pytest.mark.parametrize(("members", "body", "columns"), MEMBERS.values(), ids=MEMBERS)
def test_members_of_a_class_in_java_are_used(members: str, body: str, columns: Columns) -> None:
    assert _columns("src/Job.java", _WRITES.replace("MEMBERS", members).replace("BODY", body)) == columns


def test_what_is_written_of_a_name_that_is_not_known_is_reported() -> None:
    text = _WRITES.replace("MEMBERS", "").replace("BODY", 'rows().writeStream().toTable("t");')
    (program,) = read_jobs({"Job.java": text}, ["Job.java"], document_of, python_tree)

    assert [sink.target.name for sink in program.job.sinks if sink.target] == ["t"]
    assert program.job.sinks[0].frame.problems


def test_class_of_another_file_is_evaluated_with_the_arguments_of_its_caller() -> None:
    files = {
        "src/main/java/com/acme/Job.java": _JAVA.replace("BODY", 'new Sink("t").write(orders.select("id"));'),
        "src/main/java/com/acme/Sink.java": "package com.acme;\nimport org.apache.spark.sql.*;\nclass Sink {\n"
        "  private final String table;\n  Sink(String table) { this.table = table; }\n"
        '  void write(Dataset<Row> df) { df.write().saveAsTable("db." + table); }\n}',
    }
    programs = {each.path: each for each in read_jobs(files, files, document_of, python_tree)}
    (sink,) = programs["src/main/java/com/acme/Job.java"].job.sinks

    assert sink.target is not None
    assert sink.target.name == "db.t"


@pytest.mark.parametrize("length", range(40, len(_JAVA), 97))
def test_file_that_ends_early_raises_nothing(length: int) -> None:
    path = "src/Job.java"
    list(read_jobs({path: _JAVA[:length]}, [path], document_of, python_tree))
