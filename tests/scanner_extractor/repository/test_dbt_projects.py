"""dbt projects without a manifest: their models as tables with the SQL that dbt would compile."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.reading import RepositoryReading
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.declarations import UnreadFile

PROJECT = """
name: shop
profile: shop
vars: {currency: EUR}
models:
  shop:
    +materialized: view
    marts: {+materialized: table, +schema: marts}
"""
PROFILE = """
shop:
  target: "{{ env_var('DBT_TARGET', 'dev') }}"
  outputs:
    dev: {type: postgres, host: dw, user: u, dbname: warehouse, schema: analytics, threads: 4}
"""
SOURCES = """
version: 2
sources:
  - name: raw
    schema: "{{ env_var('RAW', 'landing') }}"
    tables: [{name: orders, columns: [{name: id}, {name: total}]}]
models:
  - name: sums
    description: Sums by day.
"""
FILES = {
    "dw/dbt_project.yml": PROJECT,
    "dw/profiles.yml": PROFILE,
    "dw/models/sources.yml": SOURCES,
    "dw/models/orders.sql": "select id, total as amount from {{ source('raw', 'orders') }}\n",
}


def tables(reading: RepositoryReading) -> dict[str, CatalogTable]:
    return {table.name: table for table in reading.of(CatalogTable)}


def model(read_repository, sql: str, **more: str) -> RepositoryReading:
    return read_repository({**FILES, "dw/models/marts/sums.sql": sql, **more})


def test_models_and_sources_are_tables_of_the_warehouse_that_the_profile_names(read_repository) -> None:
    found = tables(model(read_repository, "select sum(amount) as total from {{ ref('orders') }}"))

    assert {table.namespace for table in found.values()} == {"postgres://dw:5432"}
    assert {name: table.kind for name, table in found.items()} == {
        "warehouse.landing.orders": "TABLE",
        "warehouse.analytics.orders": "VIEW",
        "warehouse.analytics_marts.sums": "TABLE",
    }
    assert found["warehouse.analytics_marts.sums"].description == "Sums by day."


@pytest.mark.parametrize(
    ("sql", "compiled"),
    [
        ("select * from {{ ref('orders') }};\n", "select * from warehouse.analytics.orders"),
        ("{{ config(alias='s', meta={'a': {'b': 1}}) }}\nselect 1 as a", "select 1 as a"),
        ("{# {{ ref('x') }} #}select '{{ var('currency') }}' as a", "select 'EUR' as a"),
        ("select {{ var('none', 7) }} as a", "select 7 as a"),
        (
            "select id from {{ ref('orders') }}{% if is_incremental() %} where id > (select max(id) from {{ this }})"
            "{% endif %}",
            "select id from warehouse.analytics.orders",
        ),
        (
            "select {{ dbt_utils.generate_surrogate_key(['id', 'total']) }} as k from {{ ref('shop', 'orders') }}",
            "select MD5(CONCAT(id, total)) as k from warehouse.analytics.orders",
        ),
    ],
)
def test_sql_is_what_dbt_compiles(read_repository, sql: str, compiled: str) -> None:
    (found,) = (table for table in tables(model(read_repository, sql)).values() if "_marts" in table.name)

    assert found.definition == compiled


@pytest.mark.parametrize(
    "sql",
    [
        "{% for c in ['a', 'b'] %}select {{ c }} from {{ ref('orders') }}{% endfor %}",
        "select {{ our_macro('id') }} from {{ ref('orders') }}",
        "select {{ var('unset') }} as a from {{ ref('orders') }}",
        "select {{ 'a' ~ }} from {{ ref('orders') }}",
    ],
)
def test_a_model_that_takes_a_macro_keeps_what_it_depends_on_and_is_reported(read_repository, sql: str) -> None:
    reading = model(read_repository, sql)

    assert tables(reading)["warehouse.analytics_marts.sums"].definition == ""
    assert {(link.origin_name, link.target_name) for link in reading.of(CatalogLink)} == {
        ("warehouse.analytics.orders", "warehouse.analytics_marts.sums")
    }
    assert [file.name for file in reading.of(UnreadFile)] == ["dw/models/marts/sums.sql"]


@pytest.mark.parametrize("name", ["dbt_project.yml", "profiles.yml", "models/sources.yml"])
def test_a_file_of_a_project_that_is_no_yaml_is_listed(read_repository, name: str) -> None:
    reading = read_repository({**FILES, f"dw/{name}": "a: [1\n"})

    assert f"dw/{name}" in {file.name for file in reading.of(UnreadFile)}


def test_a_password_in_a_model_is_not_stored(read_repository) -> None:
    sql = "select a from dblink('host=dw password=hunter2secret', 'select 1') as t(a int)"
    found = tables(model(read_repository, sql))["warehouse.analytics_marts.sums"]

    assert "dblink" in found.definition
    assert "hunter2secret" not in found.definition


def test_a_model_whose_reference_is_missing_is_reported(read_repository) -> None:
    reading = model(read_repository, "select id from {{ ref('gone') }}")

    assert [file.reason for file in reading.of(UnreadFile)] == ["its columns are not known: no model is called gone"]


def test_an_ephemeral_model_is_a_part_of_those_that_read_it(read_repository) -> None:
    more = {"dw/models/part.sql": "{{ config(materialized='ephemeral') }}select id from {{ ref('orders') }}"}
    sql = "-- sums\nwith a as (select id from {{ ref('part') }}) select id from a"
    found = tables(model(read_repository, sql, **more))

    assert found["warehouse.analytics_marts.sums"].definition == (
        "-- sums\nwith __dbt__cte__part as (select id from warehouse.analytics.orders), "
        "a as (select id from __dbt__cte__part) select id from a"
    )
    assert not [name for name in found if name.endswith("part")]


def test_a_seed_has_the_columns_of_its_file(read_repository) -> None:
    found = tables(model(read_repository, "select 1 as a", **{"dw/seeds/states.csv": "code,name\nCZ,Czechia\n"}))
    columns = found["warehouse.analytics.states"].columns

    assert [column.path for column in columns] == [("code",), ("name",)]


def test_without_a_profile_the_tables_are_those_of_the_project(read_repository) -> None:
    files = {path: text for path, text in FILES.items() if "profiles" not in path}

    assert {table.namespace for table in read_repository(files).of(CatalogTable)} == {"dbt://shop"}


def test_models_for_a_stream_processor_are_left_to_the_manifest(read_repository) -> None:
    reading = read_repository({**FILES, "dw/profiles.yml": PROFILE.replace("postgres", "risingwave")})

    assert reading.of(CatalogTable) == ()
    assert [file.name for file in reading.of(UnreadFile)] == ["dw/dbt_project.yml"]


STREAMS = {
    "dbt_project.yml": "name: flows\n",
    "models/orders.sql": (
        "{{ config(materialized='source') }}\n-- of the shop\nCREATE SOURCE {{ this }} (id VARCHAR, total DOUBLE)"
        " WITH (connector = 'kafka', topic = 'orders', properties.bootstrap.server = 'k:9092')"
        " FORMAT PLAIN ENCODE JSON\n"
    ),
    "models/sums.sql": "select id, sum(total) as total from {{ ref('orders') }} group by id\n",
}


def test_models_that_are_statements_of_a_stream_processor_are_read_as_such(read_repository):
    reading = read_repository(STREAMS)

    assert {(table.namespace, table.name) for table in reading.of(CatalogTable)} == {
        ("kafka://k:9092", "orders"),
        ("risingwave://shop", "dev.public.sums"),
    }
    assert reading.of(UnreadFile) == ()


def test_a_model_that_is_a_table_of_kafka_of_another_engine_is_left(read_repository):
    config = "config: {engine: Kafka, settings: {kafka_topic_list: \"'orders'\"}}"
    files = {
        "dbt_project.yml": "name: flows\n",
        "models/a.sql": "select 1 as id\n",
        "models/a.yml": f"models:\n- name: a\n  {config}\n",
    }

    assert [file.name for file in read_repository(files).of(UnreadFile)] == ["models/a.yml"]


def test_a_model_that_is_a_statement_of_an_unknown_engine_is_left(read_repository):
    files = {"dbt_project.yml": "name: flows\n", "models/a.sql": "create {{ 'pump' }} a from topic orders\n"}
    unread = read_repository(files).of(UnreadFile)

    assert [file.name for file in unread] == ["models/a.sql"]
