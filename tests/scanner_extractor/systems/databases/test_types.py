"""Types of columns as databases write them."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects import mssql, mysql, oracle, postgresql, sqlite
from sqlalchemy.types import NullType

from scanner_extractor.systems.databases.reader import column_type

POSTGRES, MYSQL, SQLITE, MSSQL = postgresql.dialect(), mysql.dialect(), sqlite.dialect(), mssql.dialect()


@pytest.mark.parametrize(
    ("type_", "dialect", "word", "refined"),
    [
        (postgresql.NUMERIC(10, 2), POSTGRES, "numeric", "numeric(10,2)"),
        (
            postgresql.TIMESTAMP(timezone=True, precision=3),
            POSTGRES,
            "timestamp with time zone",
            "timestamp with time zone(3)",
        ),
        (postgresql.DOUBLE_PRECISION(), POSTGRES, "double precision", None),
        (postgresql.ARRAY(postgresql.INTEGER), POSTGRES, "integer[]", None),
        (postgresql.JSONB(), POSTGRES, "jsonb", None),
        (postgresql.ENUM("a", "b(", name="mood"), POSTGRES, "mood", None),
        (mysql.VARCHAR(20, charset="utf8mb4", collation="utf8mb4_bin"), MYSQL, "varchar", "varchar(20)"),
        (mysql.ENUM("a,b", "c(d)"), MYSQL, "enum", None),
        (mysql.TINYINT(1), MYSQL, "tinyint", "tinyint(1)"),
        (mysql.INTEGER(unsigned=True), MYSQL, "integer unsigned", None),
        (mssql.NVARCHAR("max"), MSSQL, "nvarchar", "nvarchar(max)"),
        (oracle.NUMBER(12, 0), oracle.dialect(), "number", "number(12,0)"),
        (sqlite.NUMERIC(), SQLITE, "numeric", None),
    ],
)
def test_type_is_a_word_and_what_refines_it(type_, dialect, word, refined) -> None:
    """Sizes tell what fits; character sets and the values of enums do not."""
    assert column_type(type_, dialect) == (word, refined)


def test_type_that_nothing_knows_is_unknown() -> None:
    """SQLAlchemy has no type for those of extensions."""
    assert column_type(NullType(), POSTGRES) == ("unknown", None)
    assert column_type(postgresql.TSVECTOR(), MYSQL) == ("tsvector", None)
