"""Tables of databases by the names that jobs use for them."""

from __future__ import annotations

import pytest

from dataflow_generator.jobs.databases.names import TableNames
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_model.names import SourceId


def row(namespace: str, name: str, *aliases: str, provider: str = "database") -> TableRow:
    links = tuple((alias, name) for alias in aliases)
    source = SourceId("catalog:db")
    return TableRow(source=source, cluster="c", provider=provider, namespace=namespace, name=name, symlinks=links)


TABLES = TableNames(
    [
        row("postgres://db-1:5432", "shop.public.orders", "postgres://db:5432"),
        row("mysql://my:3306", "shop.Orders"),
        row("mysql://my:3306", "shop.a"),
        row("mysql://my:3306", "shop.A"),
        row("oracle://ora:1521", "XE.SHOP.ORDERS"),
        row("unity://x", "main.s.t", provider="unity"),
    ]
)


@pytest.mark.parametrize(
    ("namespace", "name", "found"),
    [
        ("postgres://db", "shop.public.orders", ("postgres://db-1:5432", "shop.public.orders")),
        ("postgresql://DB-1:5432", "shop.public.orders", ("postgres://db-1:5432", "shop.public.orders")),
        ("postgres://db", "shop.public.Orders", ("postgres://db-1:5432", "shop.public.Orders")),
        ("postgres://db", "shop.public.missing", ("postgres://db-1:5432", "shop.public.missing")),
        ("postgres://elsewhere", "shop.public.orders", None),
        ("mariadb://my", "shop.orders", ("mysql://my:3306", "shop.Orders")),
        ("mysql://my:3306", "shop.A", ("mysql://my:3306", "shop.A")),
        ("mysql://my:3307", "shop.orders", None),
        ("oracle://ora:1521", "XE.shop.orders", ("oracle://ora:1521", "XE.SHOP.ORDERS")),
        ("unity://x", "main.s.t", None),
    ],
)
def test_table_is_found_by_the_rules_of_its_product(namespace: str, name: str, found: Name | None) -> None:
    """Aliases, default ports and schemes of one server are equal; letter case is a matter of the product."""
    assert TABLES.find(namespace, name) == found
