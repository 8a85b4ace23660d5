"""MySQL's information_schema: the same facts as SQLAlchemy's inspector reads table by table, in three requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import Connection, event, inspect

from scanner_extractor.systems.databases.client import connected
from scanner_extractor.systems.databases.inspection import InformationSchema, Inspection, default_text
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.reader import TABLE, Reported, TableCatalog
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.columns import Column

DATABASE = "described"
COLUMNS = """
`id` int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'the key; it''s "one"',
filled bigint(20) unsigned zerofill DEFAULT 5, flag boolean NOT NULL DEFAULT true, price decimal(12,3) DEFAULT -1.50,
whole numeric unsigned, ratio float(7,4), far double DEFAULT 1e3, near double unsigned, tiny tinyint,
small smallint unsigned, medium mediumint NOT NULL DEFAULT (1+2), raw binary(16), more varbinary(20) DEFAULT 'ab',
code char(3) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL, note varchar(40) DEFAULT 'it''s\\\\a',
`long` longtext DEFAULT 'x, y', mood enum('a','b,c','it''s (d)') DEFAULT 'a', marks set('x','y') DEFAULT 'x,y',
changed timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, picture blob, `with space` int,
made datetime(6) DEFAULT current_timestamp(6), at time(3), born year, since date DEFAULT '2020-01-01',
document json, guid uuid DEFAULT uuid(), doubled int AS (small * 2) VIRTUAL,
shouted varchar(80) GENERATED ALWAYS AS (concat(note, '!')) STORED COMMENT 'made of it',
nothing varchar(10) DEFAULT NULL, word varchar(10) DEFAULT 'NULL', empty varchar(10) DEFAULT '', Größe int
"""
STATEMENTS = (
    f"CREATE TABLE types ({COLUMNS}) COMMENT 'What''s in it'",
    "CREATE TABLE parent (a int, b varchar(10), c int, PRIMARY KEY (b, a), UNIQUE KEY both_of (c, b), UNIQUE (c))",
    "CREATE TABLE child (x int, y varchar(10), z int, UNIQUE KEY same (z), INDEX (y(3)),"
    " CONSTRAINT same FOREIGN KEY (z) REFERENCES parent (c), FOREIGN KEY (y, x) REFERENCES parent (b, a))",
    "CREATE TABLE abroad (i int, FOREIGN KEY (i) REFERENCES described_too.target (id))",
    "CREATE TABLE `Mixed-Case` (`Id` int PRIMARY KEY)",
    "CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN MAXVALUE)",
    "CREATE TABLE versions (id int PRIMARY KEY, v int) WITH SYSTEM VERSIONING",
    "CREATE SEQUENCE numbers",
    "CREATE VIEW latest (top, note) AS SELECT id, note FROM types",
    "CREATE TABLE gone (id int)",
    "CREATE VIEW broken AS SELECT id FROM gone",
    "DROP TABLE gone",
)
BEYOND = (
    "CREATE TABLE beyond (place point NOT NULL, host inet6, bits bit(8) DEFAULT b'101', hidden int INVISIBLE DEFAULT 3,"
    " small varchar(10) COMPRESSED DEFAULT 'q', `a\nb` int, `tick``ed` int)"
)
"""Columns that SQLAlchemy's inspector reads in part, or not at all."""


@pytest.fixture(scope="module")
def described(mariadb_server: str, run_sql: Callable[..., None]) -> Iterator[tuple[Connection, Location]]:
    """Connect to a MariaDB database with the tables of STATEMENTS."""
    databases = (DATABASE, f"{DATABASE}_too")
    run_sql(mariadb_server, *(f"CREATE DATABASE {name} CHARACTER SET utf8mb4" for name in databases))
    run_sql(f"{mariadb_server}/{databases[1]}", "CREATE TABLE target (id int PRIMARY KEY)")
    run_sql(f"{mariadb_server}/{DATABASE}", *STATEMENTS)
    settings = DatabaseSettings(name="shop", url=f"{mariadb_server}/{DATABASE}")
    with connected(settings, Location.of(settings)) as conn:
        yield conn, Location.of(settings)
    run_sql(mariadb_server, *(f"DROP DATABASE {name}" for name in databases))


def both(described: tuple[Connection, Location]) -> tuple[TableCatalog, TableCatalog]:
    conn, location = described
    return InformationSchema(conn, location), Inspection(inspect(conn), location)


def _without_double_brackets(default: str | None) -> str | None:
    """Return a default as information_schema shows the expression of a generated column."""
    return default and re.sub(r"ALWAYS AS \(\((.*)\)\) ", r"ALWAYS AS (\1) ", default)


def facts(reported: Reported, name: str) -> tuple[object, ...]:
    """Return what is reported of a table; of a view without what the inspector does not read of its columns."""
    columns = [
        replace(column, default=_without_double_brackets(column.default))
        if reported.kinds[name] == TABLE
        else replace(column, nullable=True, default=None, doc=None)
        for column in reported.columns.get(name, ())
    ]
    return columns, sorted(reported.keys.get(name, ())), reported.comments.get(name, "")


@pytest.mark.mariadb
@pytest.mark.xdist_group("mariadb")
class TestMariaDb:
    """Both ways of reading one real server."""

    def test_facts_are_those_that_the_inspector_reads_table_by_table(self, described) -> None:
        """Every type, default and key, names with spaces and capitals, partitions, versions, a view over no table."""
        at_once, one_by_one = (catalog.reported(DATABASE) for catalog in both(described))

        assert at_once.kinds == one_by_one.kinds
        assert len(at_once.kinds) == 9
        for name in at_once.kinds:
            assert facts(at_once, name) == facts(one_by_one, name)
        assert "broken" not in at_once.columns

    def test_columns_of_a_view_may_be_not_null(self, described) -> None:
        """The inspector takes all of them for nullable."""
        columns = list(both(described)[0].reported(DATABASE).columns["latest"])

        assert [(column.path, column.nullable) for column in columns] == [(("top",), False), (("note",), True)]

    def test_text_of_a_view_has_the_names_of_its_columns(self, described) -> None:
        """They are what lineage is resolved to."""
        assert "`top`" in both(described)[0].definition(DATABASE, "latest")

    def test_columns_that_the_inspector_does_not_parse_are_read(self, described, mariadb_server, run_sql) -> None:
        """Types, bits, invisible and compressed columns, names with a line break or a backtick."""
        run_sql(f"{mariadb_server}/{DATABASE}", BEYOND)
        columns = both(described)[0].reported(DATABASE).columns["beyond"]
        run_sql(f"{mariadb_server}/{DATABASE}", "DROP TABLE beyond")

        assert tuple(columns) == (
            Column(path=("place",), type="point"),
            Column(path=("host",), type="inet6", nullable=True),
            Column(path=("bits",), type="bit", logical_type="bit(8)", nullable=True, default="\"b'101'\""),
            Column(path=("hidden",), type="integer", logical_type="integer(11)", nullable=True, default='"3"'),
            Column(path=("small",), type="varchar", logical_type="varchar(10)", nullable=True, default="\"'q'\""),
            Column(path=("a\nb",), type="integer", logical_type="integer(11)", nullable=True),
            Column(path=("tick`ed",), type="integer", logical_type="integer(11)", nullable=True),
        )

    def test_four_requests_read_any_number_of_tables(self, described) -> None:
        """A server that is 20 ms away is not asked 5,000 times."""
        sent: list[str] = []
        conn = described[0]
        event.listen(conn, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
        both(described)[0].reported(DATABASE)

        assert len(sent) == 4

    @examples(max_examples=30)
    @given(st.text("aé '\"\\%(),;:\n", max_size=12), st.text("aé '\"\\%(),;:\n", max_size=12))
    def test_texts_of_users_are_read_alike(self, described, mariadb_server, run_sql, default, comment) -> None:
        """Quotes, backslashes and line breaks in defaults and comments."""

        def quoted(value: str) -> str:
            return "'{}'".format(value.replace("\\", "\\\\").replace("'", "''").replace(":", "\\:"))

        note = f"note varchar(40) DEFAULT {quoted(default)} COMMENT {quoted(comment)}"
        url = f"{mariadb_server}/{DATABASE}"
        run_sql(url, f"CREATE OR REPLACE TABLE texts ({note}) COMMENT {quoted(comment)}")
        at_once, one_by_one = (catalog.reported(DATABASE) for catalog in both(described))
        run_sql(url, "DROP TABLE texts")

        assert facts(at_once, "texts") == facts(one_by_one, "texts")
        assert at_once.comments["texts"] == comment


@pytest.mark.parametrize(
    ("default", "type_", "extra", "written"),
    [
        (None, "integer", "", None),
        ("0", "integer", "", "'0'"),
        ("it's\n\\", "varchar", "", "'it''s\\n\\\\'"),
        ("NULL", "varchar", "", "'NULL'"),
        ("b'101'", "bit", "", "b'101'"),
        ("2020-01-01 00:00:00", "datetime", "", "'2020-01-01 00:00:00'"),
        (
            "CURRENT_TIMESTAMP",
            "timestamp",
            "on update CURRENT_TIMESTAMP",
            "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
        ),
        (
            "CURRENT_TIMESTAMP(3)",
            "datetime",
            "DEFAULT_GENERATED on update CURRENT_TIMESTAMP(3)",
            "CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)",
        ),
        ("concat(_utf8mb4\\'a\\',1)", "varchar", "DEFAULT_GENERATED", "(concat(_utf8mb4'a',1))"),
        ("CURRENT_TIMESTAMP", "varchar", "", "'CURRENT_TIMESTAMP'"),
    ],
)
def test_bare_defaults_of_mysql_are_written_as_sql(default, type_, extra, written) -> None:
    """As SHOW CREATE TABLE of MySQL 5.7 and 8.0 writes them; MariaDB before 10.2.7 is like the former."""
    assert default_text(default, type_, extra, quoted=False) == written
