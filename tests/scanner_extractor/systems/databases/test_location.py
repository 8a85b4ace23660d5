"""URLs of databases: namespaces in OpenLineage, names of tables, defaults of each product."""

from __future__ import annotations

import pytest

from scanner_extractor.systems.databases.products import Location, database_url
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import InputInvalid


def location(url: str, **more: object) -> Location:
    return Location.of(DatabaseSettings(name="shop", url=url, **more))


@pytest.mark.parametrize(
    ("url", "namespace", "name"),
    [
        ("postgresql://scanner@DB.Example/shop", "postgres://db.example:5432", "shop.s.t"),
        ("postgres://scanner@db:6432/shop", "postgres://db:6432", "shop.s.t"),
        ("postgresql+psycopg://scanner@/shop?host=/run/postgresql", "postgres://localhost:5432", "shop.s.t"),
        ("postgresql://[fe80::1]/shop", "postgres://[fe80::1]:5432", "shop.s.t"),
        ("mysql://db/shop", "mysql://db:3306", "s.t"),
        ("mariadb+mysqldb://db/shop", "mysql://db:3306", "s.t"),
        ("mssql://db/shop", "sqlserver://db:1433", "shop.s.t"),
        ("oracle://db/?service_name=XEPDB1", "oracle://db:1521", "XEPDB1.s.t"),
        ("snowflake://scanner@acme-eu/SHOP/PUBLIC", "snowflake://acme-eu", "SHOP.s.t"),
        ("postgresql://scanner@db", "postgres://db:5432", "scanner.s.t"),
        ("mssql://scanner@db", "sqlserver://db:1433", "s.t"),
        ("somedb://db:77/shop", "somedb://db:77", "shop.s.t"),
    ],
)
def test_database_is_named_as_openlineage_does(url, namespace, name) -> None:
    """The names of connectors and events are the same."""
    found = location(url)

    assert (found.namespace, found.name("s", "t")) == (namespace, name)


def test_driver_is_the_one_that_an_extra_installs() -> None:
    """SQLAlchemy's own default for PostgreSQL is another one; a named driver stays."""
    assert location("postgresql://db/shop").url.drivername == "postgresql+psycopg"
    assert location("mysql+mysqldb://db/shop").url.drivername == "mysql+mysqldb"


def test_password_of_its_own_needs_no_encoding() -> None:
    """One that a vault made has slashes and at-signs."""
    url = location("postgresql://scanner@db/shop", password="a/b@c:d").url

    assert url.password == "a/b@c:d"
    assert url.host == "db"


def test_aliases_have_the_default_port() -> None:
    """As jobs are named that do not write one."""
    assert location("postgresql://db/shop", aliases=("shop-db", "Replica:6432")).aliases == (
        "postgres://shop-db:5432",
        "postgres://replica:6432",
    )


@pytest.mark.parametrize("url", ["", "shop.db", "sqlite:///:memory:", "postgresql://u:p@ss@db/shop"])
def test_text_that_is_no_url_is_refused_without_quoting_it(url) -> None:
    """It may hold a password."""
    with pytest.raises(InputInvalid) as caught:
        database_url(url)

    assert not url or url not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("scheme", ["starrocks", "doris"])
def test_engine_is_known_by_its_http_port_and_by_the_protocol_that_it_speaks(scheme) -> None:
    """Sink connectors write at 8030; JDBC URLs are those of MySQL."""
    engine = location(f"{scheme}://scanner@fe/shop", aliases=("lb:9031",))

    assert (engine.namespace, engine.url.drivername, engine.url.port) == (f"{scheme}://fe:9030", "mysql+pymysql", 9030)
    assert engine.aliases == (
        f"{scheme}://lb:9031",
        "mysql://fe:9030",
        "mysql://lb:9031",
        f"{scheme}://fe:8030",
        f"{scheme}://lb:8030",
    )
