"""DDL, migrations and the objects of streaming engines are tables of a catalog."""

from __future__ import annotations

import pytest

from scanner_model.catalogs import KAFKA_TOPICS, CatalogLink, CatalogTable
from scanner_model.declarations import UnreadFile


def tables(reading) -> dict[str, list[str]]:
    listed = reading.of(CatalogTable)
    return {table.name: [".".join(column.path) for column in table.columns] for table in listed}


def test_migrations_follow_each_other_by_their_numbers(read_repository):
    files = {
        "db/V1__a.sql": "CREATE TABLE shop.users (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL, PRIMARY KEY (id));",
        "db/V2__b.sql": "ALTER TABLE shop.users ADD COLUMN email VARCHAR(255), ADD age INT DEFAULT 1;",
        "db/V10__c.sql": "ALTER TABLE shop.users DROP COLUMN name; ALTER TABLE shop.users RENAME COLUMN age TO years;",
    }
    reading = read_repository(files)
    assert tables(reading) == {"shop.users": ["id", "email", "years"]}
    assert reading.of(CatalogTable)[0].keys[0].columns == ("id",)


def test_a_database_that_is_chosen_is_part_of_the_name(read_repository):
    ddl = "USE shop;\nCREATE TABLE IF NOT EXISTS `items` (`id` INT UNSIGNED, price DECIMAL(7,2), KEY k (id));"
    assert tables(read_repository({"a.sql": ddl})) == {"shop.items": ["id", "price"]}


def test_risingwave_reads_topics_and_writes_other_databases(read_repository):
    sql = """
        CREATE SOURCE vitals (id INT, at TIMESTAMP) WITH (connector = 'kafka', topic = 'vitals')
            FORMAT PLAIN ENCODE JSON;
        CREATE MATERIALIZED VIEW alerts AS SELECT id FROM vitals;
        CREATE SINK out FROM alerts WITH (connector = 'jdbc', jdbc.url = 'jdbc:mysql://db:3306/med?password=x',
            table.name = 'alerts');
    """
    result = read_repository({"rw.sql": sql})
    source, view = (
        next(table for table in result.of(CatalogTable) if table.name.endswith(name)) for name in ("vitals", "alerts")
    )
    assert (source.namespace, source.name) == ("kafka://localhost", "vitals")
    assert source.symlinks == (("risingwave://shop", "dev.public.vitals"),)
    assert view.definition == "SELECT id FROM vitals"
    (link,) = result.of(CatalogLink)
    assert (link.origin_name, link.target_namespace, link.target_name) == (
        "dev.public.alerts",
        "mysql://db:3306",
        "med.alerts",
    )


def test_materialize_reads_topics(read_repository):
    sql = "CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC 'orders') FORMAT JSON;"
    (source,) = read_repository({"mz.sql": sql}).of(CatalogTable)
    assert dict(source.parameters)[KAFKA_TOPICS] == "orders"


def test_a_topic_without_a_known_broker_is_kept(read_repository):
    """A connection or a secret has the brokers; the statement names the topic nevertheless."""
    sql = """
        CREATE TABLE a (id INT) WITH (connector = 'kafka', topic = 'by-connection', connection = c)
            FORMAT PLAIN ENCODE JSON;
        CREATE TABLE b (id INT) WITH (connector = 'kafka', topic = 'by-secret', properties.bootstrap.server = secret s)
            FORMAT PLAIN ENCODE JSON;
        CREATE SINK c FROM a WITH (connection = c, topic = 'written') FORMAT PLAIN ENCODE JSON;
        CREATE TABLE d (id INT) WITH (connector = 'kafka', topic = '${TOPIC}', connection = c) FORMAT PLAIN ENCODE JSON;
    """
    reading = read_repository({"rw.sql": sql})
    topics = {table.name: dict(table.parameters).get(KAFKA_TOPICS) for table in reading.of(CatalogTable)}
    assert topics == {
        "dev.public.a": "by-connection",
        "dev.public.b": "by-secret",
        "dev.public.c": "written",
        "dev.public.d": None,
    }
    assert [(unread.kind, unread.reason) for unread in reading.of(UnreadFile)] == [
        ("topic", "the topic of d is a placeholder: ${TOPIC}")
    ]


def test_a_table_of_materialize_reads_the_topic_that_it_refers_to(read_repository):
    sql = """
        CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC 'orders');
        CREATE TABLE t FROM SOURCE s (REFERENCE "orders") FORMAT JSON;
    """
    source, table = read_repository({"mz.sql": sql}).of(CatalogTable)
    assert [dict(one.parameters)[KAFKA_TOPICS] for one in (source, table)] == ["orders", "orders"]
    assert table.columns == ()


def test_a_view_of_a_database_is_left_with_the_reason(read_repository):
    (unread,) = read_repository({"v.sql": "CREATE VIEW v AS SELECT a FROM t; CREATE TABLE t (a INT);"}).of(UnreadFile)
    assert (unread.name, unread.kind) == ("v.sql", "view of a database")


PROVEN = "CREATE SOURCE clicks (id INT) WITH (connector='kafka', topic='c', properties.bootstrap.server='k:1');"


def unread(reading) -> dict[str, str]:
    return {file.name: file.reason for file in reading.of(UnreadFile)}


def test_a_view_belongs_to_the_engine_that_creates_what_it_reads(read_repository):
    """`CREATE MATERIALIZED VIEW` proves no engine: RisingWave's names do."""
    reading = read_repository(
        {
            "sources/a.sql": PROVEN,
            "views/b.sql": "CREATE MATERIALIZED VIEW totals AS SELECT id FROM public.clicks;",
            "views/c.sql": 'CREATE MATERIALIZED VIEW top AS SELECT id FROM "totals";',
            "warehouse/d.sql": "CREATE MATERIALIZED VIEW months AS SELECT id FROM orders WITH DATA;",
        }
    )
    names = {table.name for table in reading.of(CatalogTable) if table.namespace.startswith("risingwave://")}

    assert {"dev.public.totals", "dev.public.top"} <= names
    assert not any("months" in name for name in names)


def test_kafka_tables_of_an_engine_that_is_not_read_are_listed(read_repository):
    sql = "CREATE TABLE q (a Int32) ENGINE = Kafka SETTINGS kafka_broker_list = 'k', kafka_topic_list = 't';"
    reading = read_repository({"k.sql": sql, "mv.sql": "CREATE MATERIALIZED VIEW v TO t AS SELECT a FROM q;"})

    assert "ClickHouse" in unread(reading)["k.sql"]
    assert not [table for table in reading.of(CatalogTable) if table.namespace.startswith("risingwave://")]


def test_inserts_into_tables_that_nothing_declares_are_listed(read_repository):
    """On Confluent Cloud a topic is a table without DDL; a migration has the DDL beside it."""
    reading = read_repository(
        {
            "dml/big.sql": "USE CATALOG `shop`;\nINSERT INTO orders_big SELECT id, total FROM `shop`.`prod`.`orders`;",
            "db/V1__t.sql": "CREATE TABLE users (id INT); CREATE TABLE people (id INT);",
            "db/V2__fill.sql": "INSERT INTO people SELECT id FROM public.users;",
        }
    )

    assert "dml/big.sql" in unread(reading)
    assert "db/V2__fill.sql" not in unread(reading)


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ("id INT, cust STRUCT<name VARCHAR, zip VARCHAR>", "id cust"),
        ("id INT, items STRUCT<sku VARCHAR, qty INT>[], n INT", "id items n"),
        ("id INT, a STRUCT<b STRUCT<c INT, d INT>, e INT>, z INT", "id a z"),
        ("m MAP(VARCHAR, STRUCT<a INT, b NUMERIC(10, 2)>), z INT", "m z"),
        ("a ARRAY<STRUCT<b INT, c INT>>, z INT CHECK (z < 3)", "a z"),
        ("a INT CHECK (a < 3), b INT, c INT CHECK (c > 1)", "a b c"),
        ('"struct" INT, b struct < x INT, y INT >, c INT', "struct b c"),
    ],
)
def test_commas_inside_of_types_separate_no_columns(read_repository, columns: str, names: str):
    with_kafka = "WITH (connector='kafka', topic='t', properties.bootstrap.server='k:1') FORMAT PLAIN ENCODE JSON;"
    (table,) = read_repository({"a.sql": f"CREATE TABLE orders ({columns}) {with_kafka}"}).of(CatalogTable)

    assert list(dict.fromkeys(column.path[0] for column in table.columns)) == names.split()
