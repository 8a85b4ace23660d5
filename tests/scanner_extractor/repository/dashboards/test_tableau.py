"""Sheets and data sources of Tableau: tables and SQL of databases, and the fields that sheets depend on."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.dashboards.charts import UNRESOLVED
from scanner_model.catalogs import DIALECT, CatalogTable
from tests.scanner_extractor.repository.dashboards.reading import queries, read_files, reasons

POSTGRES = "class='postgres' dbname='shop' server='db' port='5432'"
ORDERS = "<relation connection='pg.1' name='orders' table='[public].[orders]' type='table'/>"
PEOPLE = "<relation connection='pg.1' name='people' table='[crm].[people]' type='table'/>"
JOINED = f"<relation join='inner' type='join'><clause type='join'/>{ORDERS}{PEOPLE}</relation>"


def record(field: str, column: str, table: str) -> str:
    return (
        f"<metadata-record class='column'><remote-name>{column}</remote-name><local-name>[{field}]</local-name>"
        f"<parent-name>[{table}]</parent-name></metadata-record>"
    )


RECORDS = record("total", "total", "orders") + record("name (people)", "name", "people")


def source(relation: str, records: str = "", inside: str = "", connection: str = POSTGRES) -> str:
    named = f"<named-connection name='pg.1'><connection {connection}/></named-connection>"
    listed = f"<named-connections>{named}</named-connections>"
    body = (
        f"<connection class='federated'>{listed}{relation}<metadata-records>{records}</metadata-records></connection>"
    )
    return f"<datasource name='federated.1' caption='Orders'>{body}{inside}</datasource>"


def workbook(datasource: str, *fields: str) -> str:
    columns = "".join(f"<column name='[{field}]'/>" for field in fields)
    used = f"<datasource-dependencies datasource='federated.1'>{columns}</datasource-dependencies>"
    sheet = f"<worksheet name='Revenue'><table><view>{used}</view></table></worksheet>"
    board = "<dashboard name='Daily'><zones><zone name='Revenue'/></zones></dashboard>"
    return (
        f"<?xml version='1.0'?><workbook><datasources>{datasource}</datasources>"
        f"<worksheets>{sheet}</worksheets><dashboards>{board}</dashboards></workbook>"
    )


def test_sheet_uses_the_columns_behind_its_fields(tmp_path) -> None:
    reading = read_files(tmp_path, {"b.twb": workbook(source(JOINED, RECORDS), "total", ":Measure Names")})

    assert queries(reading) == {
        "Daily/Revenue": 'SELECT "orders"."total" AS "total" '
        'FROM "public"."orders" AS "orders" LEFT JOIN "crm"."people" AS "people" ON 1 = 1'
    }
    (chart,) = reading.of(CatalogTable)
    assert dict(chart.parameters)[DIALECT] == "postgres"


def test_calculations_and_groups_use_the_fields_in_them(tmp_path) -> None:
    calculation = (
        "<column name='[Net]'><calculation class='tableau' formula='[total] * [Parameters].[Rate]'/></column>"
        "<column name='[Twice]'><calculation class='tableau' formula='[Net] + [Net]'/></column>"
        "<group name='[Who]'><groupfilter function='union'><groupfilter level='[name (people)]'/></groupfilter></group>"
    )
    file = workbook(source(JOINED, RECORDS, calculation), "Twice", "Who")
    (text,) = queries(read_files(tmp_path, {"b.twb": file})).values()

    assert text.startswith('SELECT CONCAT(CONCAT("orders"."total")) AS "Twice", CONCAT("people"."name") AS "Who" FROM')


def test_field_that_is_not_described_is_unresolved(tmp_path) -> None:
    (text,) = queries(read_files(tmp_path, {"b.twb": workbook(source(JOINED, RECORDS), "other")})).values()

    assert f'{UNRESOLVED} AS "other"' in text


def test_sql_text_is_a_query_with_plain_signs(tmp_path) -> None:
    text = "SELECT a FROM t WHERE b &lt;&lt; 3 AND c = &lt;[Parameters].[P]&gt;"
    sql = f"<relation connection='pg.1' name='Q' type='text'>{text}</relation>"
    listed = queries(read_files(tmp_path, {"o.tds": source(sql, record("a", "a", "Q"))}))

    assert listed == {
        "Orders (data source)": 'SELECT "Q"."a" AS "a" FROM (SELECT a FROM t WHERE b < 3 AND c = 1) AS "Q"'
    }


def test_relations_of_newer_versions_have_a_prefix(tmp_path) -> None:
    relation = ORDERS.replace("<relation", "<_.fcp.ObjectModelEncapsulateLegacy.false...relation")
    graph = f"<object-graph><objects><object><properties>{ORDERS}</properties></object></objects></object-graph>"
    listed = queries(read_files(tmp_path, {"o.tds": source(relation, RECORDS, graph)}))

    assert listed == {"Orders (data source)": 'SELECT "orders"."total" AS "total" FROM "public"."orders" AS "orders"'}


@pytest.mark.parametrize(
    "connection",
    [
        "class='textscan' directory='/data' filename='orders.csv' server=''",
        "class='excel-direct' filename='orders.xls'",
        "class='hyper' dbname='Data/Extracts/orders.hyper' server='' schema='public'",
        "class='salesforce' server='https://login.salesforce.com'",
    ],
)
def test_tables_of_files_and_services_are_no_tables_of_databases(tmp_path, connection) -> None:
    reading = read_files(tmp_path, {"b.twb": workbook(source(ORDERS, connection=connection), "total")})

    assert (queries(reading), reasons(reading)) == ({}, [])


def test_published_data_source_is_left_with_its_name(tmp_path) -> None:
    published = "<relation name='sqlproxy' table='[sqlproxy]' type='table'/>"
    file = source(published, connection="class='sqlproxy'").replace(
        "class='federated'", "class='sqlproxy' dbname='Sales' server='tableau' directory='/dataserver'"
    )

    assert reasons(read_files(tmp_path, {"o.tds": file})) == [
        "Orders: the data source is published as Sales, not in the files"
    ]


@pytest.mark.parametrize("text", ["<workbook><relation", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;<relation/></a>"])
def test_text_that_is_no_plain_xml_is_left(tmp_path, text) -> None:
    assert reasons(read_files(tmp_path, {"b.twb": text}))[0].startswith("invalid XML: ")
