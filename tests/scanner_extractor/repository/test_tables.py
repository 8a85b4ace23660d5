"""DDL, migrations and the objects of streaming engines are tables of a catalog."""

from __future__ import annotations

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
