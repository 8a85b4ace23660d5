"""The graph in a database that Spark's tasks write to: a real PostgreSQL, and what is refused before it is queried."""

import json
from urllib.parse import urlsplit

import pytest

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.targets import JdbcTarget
from dataflow_generator.spark.assemble import replace_tables, write_database
from scanner_model.errors import InputInvalid, ScannerError

TWICE = """CREATE FUNCTION twice() RETURNS event_trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO t_new VALUES (0); EXCEPTION WHEN undefined_table THEN NULL; END $$"""


@pytest.fixture
def database(postgres_url):
    """Return a connection to an empty database, and it as a target."""
    psycopg = pytest.importorskip("psycopg")
    at = urlsplit(postgres_url)
    url = f"jdbc:postgresql://{at.hostname}:{at.port}{at.path}"
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        yield conn, JdbcTarget(url=url, user=at.username, password=at.password)


@pytest.mark.spark
@pytest.mark.postgres
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("driver")
def test_tables_are_the_graph_in_place_of_an_earlier_one(spark, database, installation_of, tmp_path) -> None:
    """Ordered by rank and place, rows are in the order of the graph; nothing of the tables before is left."""
    conn, target = database
    conn.execute("CREATE TABLE graph_node (old integer)")
    source = DictionarySource(installation_of(6, tmp_path))
    written = write_database(spark, source, target)
    with source.connected() as read:
        snapshot = load_snapshot(read)
        graph = build_graph(snapshot, read_flows(snapshot))
        nodes, edges = list(graph.nodes()), list(graph.edges())

    found = conn.execute("SELECT node_key, path FROM graph_node ORDER BY rank, place").fetchall()
    assert [(key, path and tuple(json.loads(path))) for key, path in found] == [(each.key, each.path) for each in nodes]
    found = conn.execute("SELECT source, target, kind, evidence FROM graph_edge ORDER BY rank, place").fetchall()
    assert found == [(each.source, each.target, each.kind, each.evidence) for each in edges]
    assert conn.execute("SELECT last_scan FROM graph_about").fetchall() == [(written.about.last_scan,)]
    assert conn.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE '%new'").fetchall() == []


@pytest.mark.spark
@pytest.mark.postgres
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("driver")
def test_what_cannot_be_replaced_stays(spark, database, installation_of, tmp_path) -> None:
    """A view that somebody made of a table keeps it; the other tables are not replaced then, either."""
    conn, target = database
    conn.execute("CREATE TABLE graph_node (old integer)")
    conn.execute("CREATE TABLE graph_edge (old integer)")
    conn.execute("CREATE VIEW seen AS SELECT old FROM graph_edge")

    with pytest.raises(ScannerError, match=r"the database reported: .*depend"):
        write_database(spark, DictionarySource(installation_of(6, tmp_path)), target)
    assert conn.execute("SELECT old FROM graph_node").fetchall() == []


@pytest.mark.spark
@pytest.mark.postgres
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("driver")
def test_rows_that_a_task_wrote_twice_do_not_take_the_place_of_any(spark, database) -> None:
    """A task that dies after its commit is tried again; here the database itself adds the row."""
    conn, target = database
    conn.execute("CREATE TABLE t (old integer)")
    conn.execute(TWICE)
    conn.execute("CREATE EVENT TRIGGER twice ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION twice()")

    with pytest.raises(ScannerError, match="t_new has 4 rows instead of 3"):
        replace_tables(spark, {"t": spark.range(3).toDF("n")}, target)
    assert conn.execute("SELECT old FROM t").fetchall() == []


@pytest.mark.spark
@pytest.mark.postgres
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("driver")
def test_an_address_where_nobody_answers_is_reported_without_a_trace(spark, tmp_path) -> None:
    """And before any work is done: there is not even a dictionary."""
    target = JdbcTarget(url="jdbc:postgresql://127.0.0.1:1/db?password=hidden-word", user="u")

    with pytest.raises(ScannerError, match="refused") as failed:
        write_database(spark, DictionarySource(str(tmp_path / "nowhere.db")), target)
    assert "hidden-word" not in str(failed.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [("postgresql://db/x", "is not a JDBC URL"), ("jdbc:", "is not a JDBC URL"), ("jdbc:derby:x", "--jdbc-driver")],
)
def test_a_url_that_nothing_can_be_done_with_is_refused(url, said) -> None:
    """The mistake is a word's, not the database's."""
    with pytest.raises(InputInvalid) as refused:
        _ = JdbcTarget(url=url).properties

    assert said in str(refused.value)


def test_a_target_does_not_report_its_secrets() -> None:
    """It stands in messages."""
    target = JdbcTarget(url="jdbc:mysql://db/x?password=hidden-word", password="hidden-word")

    assert "hidden-word" not in f"{target} {target.masked_url}"
    assert target.properties == {"password": "hidden-word", "driver": "com.mysql.cj.jdbc.Driver"}
