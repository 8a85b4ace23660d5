"""Jobs of Spark in Scala: what they write, and what each column of it is derived from."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.frames import document_of, python_tree
from scanner_model.columns import path_name
from scanner_programs.frames.reader import read_jobs
from scanner_programs.frames.values import Origin

_HEAD = """
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Dataset, Encoders, SparkSession}
"""
Columns = dict[str, dict[str, list[str]]]


def _shown(origin: Origin) -> str:
    return f"{origin[0].name}.{path_name(origin[1])}".rstrip(".")


def _columns(**files: str) -> tuple[Columns, list[str]]:
    texts = {f"src/{name}.scala": _HEAD + text for name, text in files.items()}
    found: Columns = {}
    problems: list[str] = []
    for program in read_jobs(texts, texts, document_of, python_tree):
        problems += [what for _, what in program.job.problems]
        for sink in program.job.sinks:
            outs = [(out.name, out.value) for out in sink.frame.columns]
            if sink.is_topic:
                outs = list(next(value.parts or () for name, value in outs if name == "value"))
            columns = {name: sorted(map(_shown, value.origins)) for name, value in outs}
            found[sink.target.name if sink.target else "?"] = columns
    return found, problems


JOBS: dict[str, tuple[str, Columns]] = {
    "functions without brackets, in an object and in a class": (
        """
object Tables { def fares = "lake.fares" }
class Rides(spark: SparkSession) {
  private def schema = new StructType().add("km", DoubleType).add("fare", DoubleType)
  def rides(implicit limit: Int) =
    spark.read.format("kafka").option("subscribe", "rides").load()
      .select(from_json(col("value").cast("string"), schema) as 'r).select("r.*")
  def store(): Unit = rides.select(($"fare" / $"km") as 'price).write.saveAsTable(Tables.fares)
}
object Main extends App { new Rides(SparkSession.builder.appName("x").getOrCreate()).store() }""",
        {"lake.fares": {"price": ["rides.fare", "rides.km"]}},
    ),
    "settings of a list, and defaults without arguments": (
        """
object Main {
  def main(args: Array[String]): Unit = {
    val Array(topic, column, table) = if (args.length == 3) args else Array("t", "n", "lake.t")
    val Some(format) = Option("delta")
    val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", topic).load()
    val v = k.select(from_json(col("value").cast("string"), lit("n INT")) as "v").select("v.*")
    v.select(col(column)).write.format(format).saveAsTable(table)
  }
}""",
        {"lake.t": {"n": ["t.n"]}},
    ),
    "a merge whose conditions have no brackets": (
        """
object Main extends App {
  val spark = SparkSession.builder.getOrCreate()
  val k = spark.read.format("kafka").option("subscribe", "t").load()
  val v = k.select(from_json(col("value").cast("string"), "id INT, n INT, gone BOOLEAN") as "v").select("v.*")
  io.delta.tables.DeltaTable.forName("lake.t").as("t").merge(v.as("s"), "s.id = t.id")
    .whenMatched.update(Map("n" -> expr("s.n + t.n")))
    .whenNotMatched.insertExpr(Map("id" -> "s.id")).execute()
}""",
        {"lake.t": {"n": ["t.n"], "id": ["t.id"]}},
    ),
    "a record that a library with a registry parses": (
        """
import za.co.absa.abris.avro.functions.from_avro
object Main extends App {
  val spark = SparkSession.builder.getOrCreate()
  val k = spark.readStream.format("kafka").option("subscribe", "t").load()
  k.select(from_avro(col("value"), settings) as "c").select($"c.card.number" as "card").writeStream.toTable("cards")
}""",
        {"cards": {"card": ["t.card.number"]}},
    ),
    "an object with a main function": (
        """
object Job {
  def read(spark: SparkSession, topic: String): DataFrame =
    spark.readStream.format("kafka").option("subscribe", topic).load()
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.appName("trades").getOrCreate()
    import spark.implicits._
    val px = StructField("px", DoubleType)
    val schema = StructType(Seq(StructField("sym", StringType), px, StructField("q", LongType)))
    val t = read(spark, "trades").select(from_json($"value".cast("string"), schema) as "t").select("t.*")
    t.groupBy($"sym").agg(sum($"px" * $"q").as("turnover"), max('px).alias("high"))
      .writeStream.outputMode("complete").format("delta").option("path", "/lake/turnover").start().awaitTermination()
  }
}""",
        {"/lake/turnover": {"sym": ["trades.sym"], "turnover": ["trades.px", "trades.q"], "high": ["trades.px"]}},
    ),
    "steps that are called, one of a class without a name": (
        """
trait Step { def apply(df: DataFrame): DataFrame }
class Parse(ddl: String = "a STRING, b INT, c INT") extends Step {
  def apply(df: DataFrame): DataFrame = df.select(from_json(col("value").cast("string"), kind()).as("v")).select("v.*")
  private def kind() = org.apache.spark.sql.types.StructType.fromDDL(ddl)
}
object Drop { def apply(names: String*): Step = new Step { def apply(df: DataFrame): DataFrame = df.drop(names: _*) } }
object Job extends App {
  val source = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "steps").load()
  Seq(new Parse(), Drop("b")).foldLeft(source)((df, step) => step(df)).write.saveAsTable("t")
}""",
        {"t": {"a": ["steps.a"], "c": ["steps.c"]}},
    ),
    "methods of an implicit class": (
        """
object Job {
  implicit class Rich(df: DataFrame) {
    def parsed(ddl: String): DataFrame =
      df.select(from_json(col("value").cast("string"), StructType.fromDDL(ddl)).as("v")).select("v.*")
  }
  def main(args: Array[String]): Unit =
    SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "rich").load()
      .parsed("id LONG").write.saveAsTable("t")
}""",
        {"t": {"id": ["rich.id"]}},
    ),
    "rows for the elements of a row": (
        """
case class Line(sku: String, n: Int)
case class Order(id: Long, lines: Seq[Line])
case class Flat(order: Long, item: String)
object Job {
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    import spark.implicits._
    val orders = spark.read.format("kafka").option("subscribe", "orders").load()
      .select(from_json($"value".cast("string"), Encoders.product[Order].schema) as "o").select("o.*").as[Order]
    orders.flatMap(o => o.lines.map(l => Flat(o.id, l.sku))).write.saveAsTable("t")
  }
}""",
        {"t": {"order": ["orders.id"], "item": ["orders.lines.[].sku"]}},
    ),
    "steps that may fail, of a trait": (
        """
import scala.util.{Failure, Success, Try}
trait Steps {
  def read(spark: SparkSession, topic: String): DataFrame =
    spark.readStream.format("kafka").option("subscribe", topic).load()
  def parse(df: DataFrame): Try[DataFrame] = Try {
    println("parsing")
    df.select(from_json(col("value").cast("string"), StructType.fromDDL("a STRING, b INT")).as("v")).select("v.*")
  }
  def write(df: DataFrame, table: String): Try[Any] = Try(df.writeStream.toTable(table))
  def grouped(df: DataFrame, keys: Seq[Column]): DataFrame = df.groupBy(upper(col("a")).as("k") +: keys: _*).count()
}
object Job extends Steps {
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    val result = for {
      parsed <- parse(read(spark, "try"))
      query <- write(grouped(parsed, Seq.empty).select("k"), "t")
    } yield query
    parse(read(spark, "try")) match {
      case Failure(error) =>
        println("failed")
        throw error
      case Success(frame) => frame.select("b").writeStream.toTable("u")
    }
  }
}""",
        {"t": {"k": ["try.a"]}, "u": {"b": ["try.b"]}},
    ),
    "a class with a case class as schema": (
        """
case class Address(zip: String, city: String)
case class Customer(id: Long, mail: Option[String], home: Address, tags: Seq[String])
class Loader(spark: SparkSession, topic: String, table: String) {
  private val schema = Encoders.product[Customer].schema
  def frame(): DataFrame = {
    val raw = spark.read.format("kafka").options(Map("subscribe" -> topic, "failOnDataLoss" -> "false")).load()
    raw.select(from_json(col("value").cast(StringType), schema).as("c")).select("c.*")
  }
  def run(): Unit = {
    val out = frame().withColumn("tag", explode(col("tags"))).select(col("id"), lower(col("mail")).as("mail"),
      col("home.city"), col("tag"))
    out.write.mode("append").saveAsTable(table)
  }
}
object Main extends App {
  val spark = SparkSession.builder().getOrCreate()
  new Loader(spark, "crm.customers", "crm.mails").run()
}""",
        {
            "crm.mails": {
                "id": ["crm.customers.id"],
                "mail": ["crm.customers.mail"],
                "city": ["crm.customers.home.city"],
                "tag": ["crm.customers.tags.[]"],
            }
        },
    ),
    "folds and functions over columns": (
        """
object Clean {
  val spark = SparkSession.builder().getOrCreate()
  val names = List("a", "b")
  def trimmed(df: DataFrame): DataFrame = names.foldLeft(df) { (acc, n) => acc.withColumn(n, trim(col(n))) }
  def main(args: Array[String]): Unit = {
    val src = spark.readStream.format("kafka").option("subscribe", "raw.in").load
      .selectExpr("from_json(CAST(value AS STRING), 'a STRING, b STRING, c INT') AS r").select("r.*")
    val out = trimmed(src).transform(renamed("c", "n")(_))
    out.select(out.columns.map(c => col(c).as(s"x_$c")): _*)
      .select(to_json(struct(col("x_a"), col("x_b"), col("x_n"))).as("value"))
      .writeStream.format("kafka").option("topic", "raw.out").start()
  }
  def renamed(from: String, to: String)(df: DataFrame): DataFrame = df.withColumnRenamed(from, to)
}""",
        {"raw.out": {"x_a": ["raw.in.a"], "x_b": ["raw.in.b"], "x_n": ["raw.in.c"]}},
    ),
    "batches and SQL": (
        """
object Upsert extends App {
  lazy val spark = SparkSession.builder().getOrCreate()
  val s = spark.readStream.format("kafka").option("subscribe", "inv.items").load()
    .select(get_json_object(col("value").cast("string"), "$.sku").as("sku"),
            get_json_object(col("value").cast("string"), "$.stock.qty").cast("int").as("qty"))
  s.writeStream.foreachBatch { (batch: DataFrame, id: Long) =>
    batch.createOrReplaceTempView("updates")
    batch.sparkSession.sql(\"\"\"
      |MERGE INTO inv.stock t USING updates u ON t.sku = u.sku
      |WHEN MATCHED THEN UPDATE SET t.qty = u.qty
      |WHEN NOT MATCHED THEN INSERT *\"\"\".stripMargin)
    ()
  }.start()
}""",
        {"inv.stock": {"sku": ["inv.items.sku"], "qty": ["inv.items.stock.qty"]}},
    ),
    "settings of the environment": (
        """
object Env extends App {
  val spark = SparkSession.builder().getOrCreate()
  val topic = sys.env.getOrElse("TOPIC", "env.in")
  spark.readStream.format("kafka").option("subscribe", "e").load().select(col("key").cast("string").as("k"))
    .writeStream.format("delta").start(s"/lake/${topic}")
}""",
        {"/lake/${TOPIC:env.in}": {"k": ["e.@key"]}},
    ),
    "joins by condition and by name": (
        """
object Joined {
  def parse(spark: SparkSession, topic: String, ddl: String) = {
    val k = spark.readStream.format("kafka").option("subscribe", topic).load()
    k.select(from_json(k("value").cast("string"), StructType.fromDDL(ddl)).as("v")).select("v.*")
  }
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    import spark.implicits._
    val o = parse(spark, "o", "oid STRING, cid STRING, sum DOUBLE").as("o")
    val c = parse(spark, "c", "cid STRING, name STRING").as("c")
    val j = o.join(c, $"o.cid" === $"c.cid", "left")
    j.select($"o.oid", when($"c.name".isNull, lit("?")).otherwise($"c.name").as("name")).writeStream.toTable("m.one")
    o.join(c, Seq("cid")).select("oid", "cid", "name").writeStream.toTable("m.two")
  }
}""",
        {
            "m.one": {"oid": ["o.oid"], "name": ["c.name"]},
            "m.two": {"oid": ["o.oid"], "cid": ["o.cid"], "name": ["c.name"]},
        },
    ),
}


@pytest.mark.parametrize(("text", "columns"), JOBS.values(), ids=JOBS)
def test_column_of_a_job_in_scala_is_derived_from_fields(text: str, columns: Columns) -> None:
    assert _columns(Job=text) == (columns, [])


def test_method_of_a_trait_is_called_by_the_one_that_overrides_it() -> None:
    job = """
trait Sink { def name: String; def put(df: DataFrame): Unit = df.write.saveAsTable(name) }
class Short(val name: String) extends Sink { override def put(df: DataFrame): Unit = super.put(df.select("n")) }
object Main extends App {
  val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "t").load()
  new Short("s").put(k.select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*"))
}"""

    assert _columns(Main=job) == ({"s": {"n": ["t.n"]}}, [])


def test_objects_of_a_file_have_members_of_the_same_name() -> None:
    job = """
sealed trait Source { def topic: String; def columns: Seq[String] }
case object Orders extends Source { val topic = "orders"; val columns = Seq("n") }
case object Moves extends Source { val topic = "moves"; val columns = Seq("m", Main.Extra) }
abstract class Copy(spark: SparkSession) {
  def read(s: Source): DataFrame = spark.read.format("kafka").option("subscribe", s.topic).load()
    .select(from_json(col("value").cast("string"), lit("n INT, m INT, o INT")) as "v").select("v.*")
  def source: Source
  def run(): Unit = read(source).select(source.columns.map(col): _*).write.saveAsTable(source.topic)
}
class Of(spark: SparkSession, val source: Source) extends Copy(spark)
object Main {
  val Extra = "o"
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    Seq(Orders, Moves).foreach(s => new Of(spark, s).run())
  }
}"""

    columns, _ = _columns(Main=job)

    assert columns["orders"] == {"n": ["orders.n"]}
    assert columns["moves"]["m"] == ["moves.m"]


def test_case_of_a_constant_is_taken_only_for_it() -> None:
    job = """
case class Rule(kind: String, column: String, to: Option[String] = None)
object Main {
  def made(df: DataFrame, rule: Rule): DataFrame = rule.kind match {
    case "upper" | "lower" => df.withColumn(rule.to.getOrElse(rule.column), upper(col(rule.column)))
    case "drop" => df.drop(rule.column)
    case _ => df.withColumn("never", lit(1))
  }
  def main(args: Array[String]): Unit = {
    val topic = scala.util.Try(args(0)).getOrElse("t")
    val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", topic).load()
    val v = k.select(from_json(col("value").cast("string"), lit("n INT, m INT, o INT")) as "v").select("v.*")
    List(Rule("lower", "n", Some("x")), Rule("upper", "n"), Rule("drop", "o")).foldLeft(v)(made).write.saveAsTable("s")
  }
}"""

    assert _columns(Main=job) == ({"s": {"n": ["t.n"], "m": ["t.m"], "x": ["t.n"]}}, [])


def test_steps_are_joined_by_an_operator_of_their_trait() -> None:
    job = """
trait Step { self =>
  def apply(df: DataFrame): DataFrame
  def ~>(next: Step): Step = new Step { override def apply(df: DataFrame): DataFrame = next(self(df)) }
}
object Steps {
  def add(name: String, of: String): Step = new Step { def apply(df: DataFrame) = df.withColumn(name, col(of)) }
  def only(names: String*): Step = new Step { def apply(df: DataFrame): DataFrame = df.select(names.map(col): _*) }
}
object Main extends App {
  import Steps._
  val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "t").load()
  val v = k.select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*")
  (add("x", "n") ~> only("x"))(v).write.saveAsTable("s")
}"""

    assert _columns(Main=job) == ({"s": {"x": ["t.n"]}}, [])


def test_entries_of_a_map_and_values_of_an_option_are_used() -> None:
    job = """
case class Out(table: String, columns: Seq[String], test: Option[String])
object Main {
  val makes: Map[String, DataFrame => DataFrame] = Map("a" -> (df => df.select("n")), "b" -> (df => df.select("m")))
  def main(args: Array[String]): Unit = {
    val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "t").load()
    val v = k.select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*")
    for ((table, make) <- makes) make(v).write.saveAsTable(table)
    List(Out("c", Seq("n", "m"), None), Out("d", Seq("m"), Some("n > 1"))).foreach { out =>
      val rows = out.test.map(test => v.where(test)).getOrElse(v)
      rows.select(out.columns.head, out.columns.tail: _*).write.saveAsTable(out.table)
    }
  }
}"""

    assert _columns(Main=job) == (
        {"a": {"n": ["t.n"]}, "b": {"m": ["t.m"]}, "c": {"n": ["t.n"], "m": ["t.m"]}, "d": {"m": ["t.m"]}},
        [],
    )


def test_for_over_values_that_may_fail_makes_one_value() -> None:
    job = """
import scala.util.{Failure, Success, Try}
object Main {
  def read(spark: SparkSession, topic: String): Try[DataFrame] = Try {
    spark.read.format("kafka").option("subscribe", topic).load()
      .select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*")
  }
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    val joined = for { a <- read(spark, "a"); b <- read(spark, "b") } yield {
      val keys = b.select(col("n"), col("m").as("k"))
      a.join(keys, "n").select("m", "k")
    }
    joined match {
      case Success(df) => df.write.saveAsTable("s")
      case Failure(e) => throw e
    }
  }
}"""

    assert _columns(Main=job) == ({"s": {"m": ["a.m"], "k": ["b.m"]}}, [])


def test_objects_are_keys_and_columns_have_added_methods() -> None:
    job = """
sealed abstract class Feed(val topic: String)
object Feed {
  case object In extends Feed("in")
  case object Out extends Feed("out")
  val all: Seq[Feed] = Seq(In, Out)
}
object Main {
  implicit class Rich(private val c: Column) { def doubled: Column = c * 2 }
  def load(spark: SparkSession, feed: Feed) = spark.read.format("kafka").option("subscribe", feed.topic).load()
    .select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*")
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    val frames = Feed.all.map(f => f -> load(spark, f)).toMap
    frames(Feed.Out).select(col("n").doubled.as("x")).write.saveAsTable("s")
  }
}"""

    assert _columns(Main=job) == ({"s": {"x": ["out.n"]}}, [])


def test_object_in_an_object_has_members() -> None:
    job = """
object Main {
  object In { val Topic = "t" }
  object Out { val Table = "lake.t"; val Columns = Seq("n", "m") }
  def main(args: Array[String]): Unit = {
    import Out._
    val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", In.Topic).load()
    val v = k.select(from_json(col("value").cast("string"), lit("n INT, m INT")) as "v").select("v.*")
    v.select(Columns.filterNot(_ == "m").map(col): _*).write.saveAsTable(Table)
  }
}"""

    assert _columns(Main=job) == ({"lake.t": {"n": ["t.n"]}}, [])


def test_functions_that_leave_out_a_place_or_take_cases_are_folded() -> None:
    job = """
object Main {
  type Step = DataFrame => DataFrame
  def slim: Step = _.select("n", "m")
  val twice: Step = _.withColumn("n", col("n") * 2)
  def named(names: Map[String, String]): Step =
    df => names.foldLeft(df) { case (d, (old, fresh)) => d.withColumnRenamed(old, fresh) }
  def main(args: Array[String]): Unit = {
    val k = SparkSession.builder.getOrCreate().read.format("kafka").option("subscribe", "t").load()
    val v = k.select(from_json(col("value").cast("string"), lit("n INT, m INT, o INT")) as "v").select("v.*")
    Seq(slim, twice, named(Map("m" -> "minutes"))).foldLeft(v)((df, step) => step(df)).write.saveAsTable("s")
  }
}"""

    assert _columns(Main=job) == ({"s": {"n": ["t.n"], "minutes": ["t.m"]}}, [])


def test_object_of_another_file_is_used_without_an_import() -> None:
    library = "object Slim { def keep(df: DataFrame, names: String*): DataFrame = df.select(names.map(col): _*) }"
    job = """
object Main extends App {
  val spark = SparkSession.builder().getOrCreate()
  val k = spark.read.format("kafka").option("subscribe", "t").load()
  val v = k.select(from_json(col("value").cast("string"), lit("a INT, b INT")).as("v")).select("v.*")
  Slim.keep(v, "b").write.parquet("s3a://lake/b")
}"""

    assert _columns(Slim=library, Main=job) == ({"b": {"b": ["t.b"]}}, [])


_TYPED = """
object Main extends App {
  val spark = SparkSession.builder().getOrCreate()
  val k = spark.read.format("kafka").option("subscribe", "t").load()
  val v = k.select(from_json(col("value").cast("string"), Encoders.product[In].schema).as("v")).select("v.*").as[In]
"""
_IN = "case class Place(city: String)\ncase class In(a: Int, b: Int, at: Place)\n"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ('v.map(x => x.a + x.b).toDF("sum")', {"sum": ["t.a", "t.b"]}),
        ("v.filter(_.a > 0).map(convert _)", {"id": ["t.a"], "city": ["t.at.city"]}),
        ("v.map(x => (x.b, x.at.city.toUpperCase))", {"_1": ["t.b"], "_2": ["t.at.city"]}),
        ('v.map(x => new java.net.URI(x.at.city).getHost).toDF("host")', {"host": ["t.at.city"]}),
        ('v.map(x => x.b.toString.length).toDF("length")', {"length": ["t.b"]}),
        ("v.map { case In(id, _, at) => Out(id, at.city) }", {"id": ["t.a"], "city": ["t.at.city"]}),
        (
            "v.filter { case x => x.a > 0 }.map { case x if x.b > 1 => Out(x.a, x.at.city) }",
            {"id": ["t.a"], "city": ["t.at.city"]},
        ),
        ("v.map(x => x.copy(a = x.b))", {"a": ["t.b"], "b": ["t.b"], "at": ["t.at"]}),
        ("v.map(Other.convert(_))", {}),
    ],
)
def test_function_of_typed_rows_is_followed(made: str, expected: dict[str, list[str]]) -> None:
    """What a library makes of a row has no columns that are known."""
    out = "case class Out(id: Int, city: String)\n"
    convert = "  def convert(x: In): Out = { val city = x.at.city; Out(x.a, city.trim) }\n"
    job = _IN + out + _TYPED + convert + f'  {made}.write.saveAsTable("sums")\n}}'

    columns, _ = _columns(Main=job)

    assert columns == {"sums": expected}


@pytest.mark.parametrize(
    "made",
    [
        "v.groupByKey(_.a).mapGroupsWithState(GroupStateTimeout.NoTimeout)(sum _)",
        "v.groupByKey(x => x.a).flatMapGroups((key, rows) => Seq(sum(key, rows, null)))",
    ],
)
def test_function_of_groups_makes_each_column_of_all_fields(made: str) -> None:
    out = "case class Out(id: Int, city: String)\n"
    function = (
        "  def sum(key: Int, rows: Iterator[In], state: GroupState[Int]): Out = Out(key, rows.map(_.at.city).max)\n"
    )
    job = _IN + out + _TYPED + function + f'  {made}.write.saveAsTable("sums")\n}}'

    columns, problems = _columns(Main=job)

    assert columns == {"sums": {"id": ["t.a", "t.at", "t.b"], "city": ["t.a", "t.at", "t.b"]}}
    assert problems == []


def test_classes_and_objects_of_a_package_may_be_in_a_file_of_any_name() -> None:
    model = _IN + 'object Names { val Sums = "sums" }'
    job = _TYPED + '  v.select("at.city").write.saveAsTable(Names.Sums)\n}'

    assert _columns(Model=model, Main=job) == ({"sums": {"city": ["t.at.city"]}}, [])


def test_object_runs_the_main_function_of_its_trait() -> None:
    base = """
trait Job {
  def table: String
  lazy val spark = SparkSession.builder.getOrCreate()
  def read(topic: String): DataFrame = spark.readStream.format("kafka").option("subscribe", topic).load()
  def convert(frame: DataFrame): DataFrame
  def main(args: Array[String]): Unit = convert(read("t")).writeStream.toTable(table)
}"""
    job = """
object Sums extends Job {
  val table = "sums"
  private val lines = StructType(Seq(StructField("n", ArrayType(StructType(Seq(StructField("x", StringType)))))))
  def convert(frame: DataFrame): DataFrame =
    frame.select(from_json(col("value").cast(StringType), lines) as "v")
      .select(posexplode(col("v.n")) as Seq("at", "line")).select($"at", $"line.x")
}"""

    columns, problems = _columns(Job=base, Sums=job)

    assert columns["sums"] == {"at": [], "x": ["t.n.[].x"]}
    assert problems == []


def test_setting_is_named_with_the_sections_around_it() -> None:
    job = """
object Main extends App {
  val lake = ConfigFactory.load().getConfig("shop").getConfig("lake")
  val spark = SparkSession.builder().getOrCreate()
  spark.read.format("kafka").option("subscribe", "t").load().select("key").write.saveAsTable(lake.getString("table"))
}"""

    assert list(_columns(Main="import com.typesafe.config.ConfigFactory\n" + job)[0]) == ["${shop.lake.table}"]
