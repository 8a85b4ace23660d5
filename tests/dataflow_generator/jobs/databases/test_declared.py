"""Tables of files are found on the servers whose tables connectors name."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.jobs.databases.declared import located_tables
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import Column
from scanner_model.names import SourceId


def table(name: str, *columns: str, namespace: str = "ddl://shop") -> TableRow:
    listed = tuple(Column(path=(column,), type="int") for column in columns)
    return TableRow(
        source=SourceId("s"), cluster="c", provider="database", namespace=namespace, name=name, columns=listed
    )


def names(*ends: tuple[str, str]) -> list[tuple[str, str]]:
    return [row.dataset for row in located_tables([table("shop.users", "id")], ends)]


def test_an_end_that_names_the_table_or_a_pattern_of_it_is_where_it_is():
    assert names(("mysql://db:3306", "shop.users")) == [("mysql://db:3306", "shop.users")]
    assert names(("mysql://db:3306", r"regex:shop\..*")) == [("mysql://db:3306", "shop.users")]
    assert names(("postgres://db:5432", r"regex:orders\.shop\..*")) == [("postgres://db:5432", "orders.shop.users")]
    assert names(("postgres://db:5432", "orders.shop.users")) == [("postgres://db:5432", "orders.shop.users")]


def test_a_table_that_no_end_is_stays():
    assert names(("mysql://db:3306", "shop.items"), ("mysql://db:3306", "regex:(")) == [("ddl://shop", "shop.users")]


def test_a_database_folds_names_without_quotes():
    (row,) = located_tables([table("users", "firstName")], [("postgres://db:5432", "d.public.users")])
    assert row.columns[0].path == ("firstname",)
    quoted = replace(table("users", "firstName"), parameters=(("quoted", '["firstName"]'),))
    (row,) = located_tables([quoted], [("postgres://db:5432", "d.public.users")])
    assert row.columns[0].path == ("firstName",)


def test_what_a_database_itself_describes_is_preferred():
    own = table("shop.users", "a", namespace="mysql://db:3306")
    listed = located_tables([own, table("shop.users", "b")], [("mysql://db:3306", "shop.users")])
    assert own in listed
