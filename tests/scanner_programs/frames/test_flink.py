"""Programs of Flink's Table API: the statements of SQL that their calls make."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.frames import document_of, python_tree
from scanner_programs.frames.reader import Program, read_jobs

_JAVA = """
import org.apache.flink.table.api.*;
import static org.apache.flink.table.api.Expressions.*;
public class Job {
  static final String SOURCE = "orders";
  public static void main(String[] args) { new Job().run(TableEnvironment.create(null)); }
  void run(TableEnvironment t) {
    t.executeSql("CREATE TABLE orders (id INT, `name` STRING, price DECIMAL(10, 2), at TIMESTAMP(3), "
        + "WATERMARK FOR at AS at) WITH ('connector' = 'kafka')");
    BODY
  }
  private void emit(Table table, String target) { table.executeInsert(target); }
}
"""
_PYTHON = """
from pyflink.table import TableEnvironment, TableDescriptor, Schema, DataTypes
from pyflink.table.expressions import col, lit
from pyflink.table.window import Slide
t = TableEnvironment.create(None)
"""


def _program(name: str, text: str) -> Program:
    (program,) = read_jobs({name: text}, [name], document_of, python_tree)
    return program


def _inserted(program: Program) -> list[str]:
    return [text for text, _ in program.statements.listed if not text.startswith("CREATE TABLE orders")]


JAVA = {
    "columns of a filtered table": (
        't.from(SOURCE).filter($("price").isGreater(1)).select($("id"), $("price").times(2).as("p"))'
        '.executeInsert("o");',
        "INSERT INTO o SELECT `id`, (`price` * 2) AS `p` FROM (SELECT * FROM orders WHERE (`price` > 1))",
    ),
    "groups of a window": (
        't.from("orders").window(Tumble.over(lit(5).minutes()).on($("at")).as("w")).groupBy($("w"), $("name"))'
        '.select($("name"), $("w").start().as("s"), $("id").count().as("n")).executeInsert("o");',
        "INSERT INTO o SELECT `name`, TUMBLE_START(`at`, INTERVAL '5' MINUTE) AS `s`, COUNT(`id`) AS `n` FROM orders"
        " GROUP BY TUMBLE(`at`, INTERVAL '5' MINUTE), `name`",
    ),
    "rows of a window": (
        't.from("orders").window(Over.partitionBy($("id")).orderBy($("at")).preceding(UNBOUNDED_RANGE).as("w"))'
        '.select($("price").sum().over($("w")).as("s")).executeInsert("o");',
        "INSERT INTO o SELECT SUM(`price`) OVER (PARTITION BY `id` ORDER BY `at`) AS `s` FROM orders",
    ),
    "a column that is added, one that is renamed and one that is left out": (
        't.from("orders").addColumns(concat($("name"), "!").as("x")).renameColumns($("id").as("key"))'
        '.dropColumns($("at"), $("price")).executeInsert("o");',
        "INSERT INTO o SELECT `key`, `name`, `x` FROM (SELECT `id` AS `key`, `name`, `price`, `at`, `x` FROM"
        " (SELECT `id`, `name`, `price`, `at`, CONCAT(`name`, '!') AS `x` FROM orders))",
    ),
    "columns of a list": (
        "java.util.List<ApiExpression> items = new java.util.ArrayList<>();\n"
        'items.add($("id")); items.add($("name").as("n"));\n'
        't.from("orders").select(items.toArray(new ApiExpression[0])).executeInsert("o");',
        "INSERT INTO o SELECT `id`, `name` AS `n` FROM orders",
    ),
    "a range of columns": (
        't.from("orders").select(withColumns(range("name", "at"), 1)).executeInsert("o");',
        "INSERT INTO o SELECT `name`, `price`, `at`, `id` FROM orders",
    ),
    "all columns but one": (
        't.from("orders").select(withoutColumns($("at"))).executeInsert("o");',
        "INSERT INTO o SELECT `id`, `name`, `price` FROM orders",
    ),
    "expressions that are named later": (
        't.from("orders").select($("id"), $("price").times(2)).as("key").executeInsert("o");',
        "INSERT INTO o SELECT * FROM (SELECT `id`, (`price` * 2) FROM orders) AS T(`key`, `EXPR$1`)",
    ),
    "a list of a class that is not imported": (
        'for (String name : java.util.List.of("orders")) { t.from(name).select($("id")).executeInsert("o"); }',
        "INSERT INTO o SELECT `id` FROM orders",
    ),
    "a text that is compared": (
        't.from("orders").select($(SOURCE.equals("orders") ? "id" : "name")).executeInsert("o");',
        "INSERT INTO o SELECT `id` FROM orders",
    ),
    "a table that a method writes": (
        'emit(t.sqlQuery("SELECT id FROM orders"), "o");',
        "INSERT INTO o SELECT id FROM orders",
    ),
    "a join": (
        'Table b = t.from("b"); t.from("orders").join(b, $("id").isEqual($("bid"))).select($("y")).executeInsert("o");',
        "INSERT INTO o SELECT `y` FROM (SELECT * FROM orders JOIN b ON (`id` = `bid`))",
    ),
    "a union": (
        't.from("orders").unionAll(t.from("old")).distinct().insertInto("o").execute();',
        "INSERT INTO o SELECT DISTINCT * FROM (SELECT * FROM orders UNION ALL SELECT * FROM old)",
    ),
    "members, conditions and functions of the program": (
        't.from("orders").select($("a").get("b"), $("m").at("k").as("k"), call("mask", $("name")).as("n"),'
        ' ifThenElse($("id").isNull(), lit("x"), lit("y")).as("c")).executeInsert("o");',
        "INSERT INTO o SELECT `a`.`b` AS `b`, `m`['k'] AS `k`, mask(`name`) AS `n`,"
        " CASE WHEN (`id` IS NULL) THEN 'x' ELSE 'y' END AS `c` FROM orders",
    ),
    "a set of statements": (
        'StatementSet s = t.createStatementSet(); s.addInsert("o", t.from("orders")); s.execute();',
        "INSERT INTO o SELECT * FROM orders",
    ),
    "a view": (
        't.createTemporaryView("v", t.from("orders").select($("id")));',
        "CREATE TEMPORARY VIEW v AS SELECT `id` FROM orders",
    ),
    "a descriptor": (
        't.createTemporaryTable("d", TableDescriptor.forConnector("kafka").schema(Schema.newBuilder()'
        '.column("id", DataTypes.INT().notNull()).column("r", DataTypes.ROW(DataTypes.FIELD("x", DataTypes.STRING())))'
        '.primaryKey("id").build()).option("topic", "d.topic").format("json").build());',
        "CREATE TEMPORARY TABLE d (`id` INT, `r` ROW<`x` STRING>, PRIMARY KEY (`id`) NOT ENFORCED)"
        " WITH ('connector' = 'kafka', 'topic' = 'd.topic', 'format' = 'json')",
    ),
}


TEXTS = {
    "a text that is built in steps": (
        'StringBuilder sql = new StringBuilder("INSERT INTO o ").append("SELECT id ");\nsql.append("FROM orders");\n'
        "t.executeSql(sql.toString());"
    ),
    "a form in a variable": ('String form = "INSERT INTO o SELECT id FROM %s";\nt.executeSql(form.formatted(SOURCE));'),
}


@pytest.mark.parametrize("body", TEXTS.values(), ids=TEXTS)
def test_statements_that_a_program_assembles_are_those_that_run(body: str) -> None:
    program = _program("src/main/java/Job.java", _JAVA.replace("BODY", body))

    assert _inserted(program) == ["INSERT INTO o SELECT id FROM orders"]
    assert not program.job.problems


def test_text_with_a_part_that_is_not_known_is_reported() -> None:
    body = 'StringBuilder sql = new StringBuilder("INSERT INTO o SELECT id FROM ").append(t.name());\n'
    program = _program("src/main/java/Job.java", _JAVA.replace("BODY", body + "t.executeSql(sql.toString());"))

    assert [what for _, what in program.job.problems] == ["a statement of Flink is not resolved"]


@pytest.mark.parametrize(("body", "statement"), JAVA.values(), ids=JAVA)
def test_calls_of_the_table_api_are_statements(body: str, statement: str) -> None:
    program = _program("src/main/java/Job.java", _JAVA.replace("BODY", body))

    assert _inserted(program) == [statement]
    assert program.statements.is_built
    assert not program.job.problems


PYTHON = {
    "operators and properties": (
        "t.from_path('a').select(col('id'), col('name').upper_case.alias('n'), (col('p') * lit(2)).alias('q'))"
        ".execute_insert('o').wait()",
        "INSERT INTO o SELECT `id`, UPPER(`name`) AS `n`, (`p` * 2) AS `q` FROM a",
    ),
    "groups of a sliding window": (
        "t.from_path('a').window(Slide.over('1.minutes').every('10.seconds').on('at').alias('w'))"
        ".group_by(col('w'), col('k')).select(col('k'), col('v').avg.alias('m')).execute_insert('o')",
        "INSERT INTO o SELECT `k`, AVG(`v`) AS `m` FROM a GROUP BY HOP(`at`, INTERVAL '10' SECOND, INTERVAL '1'"
        " MINUTE), `k`",
    ),
    "a text that is formatted": (
        "t.execute_sql('INSERT INTO {} SELECT * FROM a'.format('o'))\nt.create_temporary_view('v', t.from_path('a'))",
        "INSERT INTO o SELECT * FROM a",
    ),
}


@pytest.mark.parametrize(("body", "statement"), PYTHON.values(), ids=PYTHON)
def test_calls_in_python_are_statements(body: str, statement: str) -> None:
    assert _inserted(_program("job.py", _PYTHON + body))[0] == statement


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "src/Job.scala",
            "import org.apache.flink.table.api._\nobject Job { def main(args: Array[String]): Unit = {\n"
            'val t = TableEnvironment.create(null)\nt.from("a").where($"n" > 1).select($"id", ($"n" + 1).as("m"))'
            '.executeInsert("o")\n} }',
        ),
        (
            "src/Job.kt",
            "import org.apache.flink.table.api.*\nimport org.apache.flink.table.api.Expressions.*\n"
            'class Job(private val t: TableEnvironment, val target: String = "o") {\nfun run() {\n'
            't.from("a").where(`$`("n").isGreater(1)).select(`$`("id"), `$`("n").plus(1).`as`("m"))'
            ".executeInsert(target)\n"
            "}\n}\nfun main() { Job(TableEnvironment.create(null)).run() }",
        ),
    ],
)
def test_jobs_in_scala_and_kotlin_make_the_same_statement(name: str, text: str) -> None:
    assert _inserted(_program(name, text)) == [
        "INSERT INTO o SELECT `id`, (`n` + 1) AS `m` FROM (SELECT * FROM a WHERE (`n` > 1))"
    ]


PYTHON = {
    "columns as attributes of a table": (
        "a = t.from_path('a')\na.select(a.n, (a.m + 1).alias('x')).execute_insert('o')",
        "INSERT INTO o SELECT `n`, (`m` + 1) AS `x` FROM a",
    ),
    "rows of a window": (
        "from pyflink.table.window import Over\n"
        "w = Over.partition_by(col('n')).order_by(col('at')).preceding(lit(2)).alias('w')\n"
        "t.from_path('a').over_window(w).select(col('m').sum.over(col('w')).alias('s')).execute_insert('o')",
        "INSERT INTO o SELECT SUM(`m`) OVER (PARTITION BY `n` ORDER BY `at`) AS `s` FROM a",
    ),
    "functions that are written with words": (
        "t.from_path('a').filter(col('n').between(1, 2)).select(col('at').extract(TimeIntervalUnit.YEAR).alias('y'))"
        ".execute_insert('o')",
        "INSERT INTO o SELECT EXTRACT(YEAR FROM `at`) AS `y` FROM (SELECT * FROM a WHERE (`n` BETWEEN 1 AND 2))",
    ),
}


@pytest.mark.parametrize(("body", "statement"), PYTHON.values(), ids=PYTHON)
def test_table_of_python_makes_a_statement(body: str, statement: str) -> None:
    head = _PYTHON + "from pyflink.table.expressions import TimeIntervalUnit\n"
    head += "t.execute_sql('CREATE TABLE a (n INT, m INT, at TIMESTAMP(3))')\n"

    assert _inserted(_program("job.py", head + body))[1:] == [statement]


def test_condition_of_a_library_is_reported() -> None:
    text = "import rules\nt.from_path('a').filter(rules.valid(col('n'))).select(col('n')).execute_insert('o')"
    program = _program("job.py", _PYTHON + text)

    assert [what for _, what in program.job.problems] == ["an expression of a table of Flink is not resolved"]


REPORTED = {
    "a table of a stream": 't.fromDataStream(stream).executeInsert("o");',
    "a table that an argument names": 't.from("orders").executeInsert(System.getProperty(args[0]));',
    "a function of rows": 't.from("orders").flatAggregate(call("top", $("id"))).select($("id")).executeInsert("o");',
    "a column that is not known": 't.from("orders").select(Names.of("orders")).executeInsert("o");',
    "columns of a table without a declaration": 't.from("elsewhere").dropColumns($("a")).executeInsert("o");',
    "a statement that is not known": "t.executeSql(load());",
    "a table of a library": 'Reports.of(t.from("orders")).executeInsert("o");',
}


@pytest.mark.parametrize("body", REPORTED.values(), ids=REPORTED)
def test_what_is_not_resolved_is_reported(body: str) -> None:
    program = _program("src/main/java/Job.java", _JAVA.replace("BODY", body))

    assert _inserted(program) == []
    assert program.job.problems
