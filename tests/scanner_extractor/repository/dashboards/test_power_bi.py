"""Models and reports of Power BI projects: tables that M selects, and the columns behind fields of visuals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner_extractor.repository.dashboards.charts import UNRESOLVED
from scanner_extractor.repository.dashboards.power_query import InvalidM, parse_m
from scanner_extractor.repository.dashboards.syntax.tmdl import parse_tmdl
from scanner_model.catalogs import DIALECT, CatalogTable
from tests.scanner_extractor.repository.dashboards.reading import queries, read_files, reasons

MODEL = "shop/Shop.SemanticModel/definition"
REPORT = "shop/Daily.Report/definition"
SQL = 'Source = Sql.Database("db", "shop")'


def table(source: str, *members: str, name: str = "Orders", kind: str = "m") -> str:
    lines = [f"table {name}", "\tlineageTag: x", ""]
    lines += [f"\t{line}" for member in members for line in member.split("\n")]
    lines += ["", f"\tpartition {name} = {kind}", "\t\tmode: import", "\t\tsource ="]
    return "\n".join([*lines, *(f"\t\t\t\t{line}" for line in source.split("\n"))])


def steps(*lines: str) -> str:
    listed = ",\n    ".join(lines)
    return f"let\n    {listed}\nin\n    {lines[-1].partition(' = ')[0]}"


def column(name: str, of: str = "") -> str:
    return f"column {name}\n\tdataType: int64\n\tsourceColumn: {of or name}"


def read(folder, source: str, *members: str, **others: str) -> dict[str, str]:
    files = {f"{MODEL}/tables/Orders.tmdl": table(source, *members)}
    return queries(read_files(folder, files | {f"{MODEL}/{name}.tmdl": text for name, text in others.items()}))


DBO = 'T = Source{[Schema="dbo",Item="orders"]}[Data]'


def test_table_of_a_model_reads_the_table_that_its_query_selects(tmp_path) -> None:
    file = table(steps(SQL, DBO), column("Total", "total"), column("'Order Date'", "created"))
    reading = read_files(tmp_path, {f"{MODEL}/tables/Orders.tmdl": file})

    assert queries(reading) == {
        "Shop/Orders (table)": 'SELECT s1."total" AS "Total", s1."created" AS "Order Date" FROM "dbo"."orders" AS s1'
    }
    (chart,) = reading.of(CatalogTable)
    assert (chart.namespace, dict(chart.parameters)[DIALECT]) == ("powerbi://.", "sqlserver")


@pytest.mark.parametrize(
    ("source", "read_from"),
    [
        (steps('S = Snowflake.Databases("a", "w"){[Name="DB",Kind="Database"]}[Data]',
               'P = S{[Name="RAW",Kind="Schema"]}[Data]', 'T = P{[Name="ORDERS",Kind="Table"]}[Data]'),
         '"DB"."RAW"."ORDERS"'),
        (steps('S = GoogleBigQuery.Database()', 'P = S{[Name="prj"]}[Data]{[Name="ds",Kind="Schema"]}[Data]',
               'T = P{[Name="orders",Kind="View"]}[Data]'), "`ds`.`orders`"),
        ('Sql.Database("db", "shop", [Query="SELECT total#(lf)FROM orders"])', "(SELECT total\nFROM orders)"),
        (steps('S = PostgreSQL.Database("db", "shop")', 'T = Value.NativeQuery(S, "select total from ""o""")'),
         '(select total from "o")'),
        (steps('S = Lakehouse.Contents(null){[workspaceId="x"]}[Data]{[lakehouseId="y"]}[Data]',
               'T = S{[Id="orders",ItemKind="Table"]}[Data]'), '"orders"'),
    ],
)  # fmt: skip
def test_tables_and_queries_of_servers(tmp_path, source, read_from) -> None:
    (text,) = read(tmp_path, source, column("total")).values()

    assert text.endswith(f" FROM {read_from} AS s1")


@pytest.mark.parametrize(
    "source",
    [
        steps('S = Excel.Workbook(File.Contents("o.xlsx"))', 'T = S{[Item="Orders",Kind="Table"]}[Data]'),
        steps('S = Csv.Document(Web.Contents("http://x/orders.csv"))', "T = Table.PromoteHeaders(S)"),
        steps('S = Access.Database(File.Contents("a.accdb"))', 'T = S{[Schema="",Item="orders"]}[Data]'),
        steps('S = SharePoint.Tables("http://x"){[Id="1"]}[Items]', 'T = Table.RenameColumns(S, {{"a", "b"}})'),
        "Table.FromRows({})",
    ],
)  # fmt: skip
def test_files_and_services_are_no_tables_of_databases(tmp_path, source) -> None:
    assert read(tmp_path, source, column("total")) == {}


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ('N = Table.RenameColumns(T, {{"total", "amount"}})', 's1."total"'),
        ('N = Table.AddColumn(T, "amount", each [net] + [tax])', 'COALESCE(s1."net", s1."tax")'),
        ('N = Table.DuplicateColumn(T, "total", "amount")', 's1."total"'),
        ('N = Table.TransformColumnTypes(T, {{"amount", type number}})', 's1."amount"'),
        ('N = Table.Group(T, {"id"}, {{"amount", each List.Sum([total])}})', UNRESOLVED),
    ],
)
def test_column_is_followed_through_the_steps(tmp_path, step, expected) -> None:
    (text,) = read(tmp_path, steps(SQL, DBO, step), column("amount")).values()

    assert text == f'SELECT {expected} AS "amount" FROM "dbo"."orders" AS s1'


def test_rows_are_chosen_by_columns_and_joined_with_other_tables(tmp_path) -> None:
    other = 'U = Source{[Schema="dbo",Item="people"]}[Data]'
    join = 'J = Table.NestedJoin(T, {"who"}, U, {"id"}, "U", JoinKind.LeftOuter)'
    chosen = "N = Table.SelectRows(J, each [state] >= #date(2022, 1, 1) and not [gone])"
    (text,) = read(tmp_path, steps(SQL, DBO, other, join, chosen), column("who")).values()

    assert text == (
        'SELECT s1."state" AS "Orders where state", s1."gone" AS "Orders where gone", s1."who" AS "who" '
        'FROM "dbo"."orders" AS s1 LEFT JOIN "dbo"."people" AS s2 ON 1 = 1'
    )


def test_parameters_functions_and_other_queries_of_the_model_are_followed(tmp_path) -> None:
    shared = (
        'expression Schema = "dbo" meta [IsParameterQuery=true, Type="Text"]\n\n'
        "expression Load =\n\t\tlet\n\t\t    f = (item as text, optional n as number) => let\n"
        '\t\t        S = Sql.Database("db", "shop"),\n'
        "\t\t        T = S{[Schema=Schema,Item=item]}[Data] in T\n\t\tin\n\t\t    f\n\tlineageTag: y\n"
        'expression Base =\n\t\tLoad("orders" & "_v2")\n'
    )
    (text,) = read(tmp_path, "Base", column("total"), expressions=shared).values()

    assert text == 'SELECT s1."total" AS "total" FROM "dbo"."orders_v2" AS s1'


@pytest.mark.parametrize(
    "source",
    [
        'AzureDataExplorer.Contents(Url, "logs", "orders#(lf)| where id == \'" & Id & "\'", [MaxRows=null])',
        'AzureDataExplorer.Contents(Url, "logs", null, null){[Name="orders"]}[Data]',
    ],
)
def test_table_of_kusto_is_known_and_its_columns_are_not(tmp_path, source) -> None:
    (text,) = read(tmp_path, source, column("total")).values()

    assert "orders" in text.rpartition(" FROM ")[2]


def test_query_of_a_cube_and_operators_for_null(tmp_path) -> None:
    cube = 'AnalysisServices.Database("s", "c", [Query="SELECT * FROM $SYSTEM.TMSCHEMA_TABLES"])'
    added = 'N = Table.AddColumn(T, "amount", each Record.FieldOrDefault([r], "k") ?? [total])'

    assert read(tmp_path / "cube", cube, column("total")) == {}
    (text,) = read(tmp_path / "null", steps(SQL, DBO, added), column("amount")).values()
    assert text.startswith('SELECT COALESCE(s1."r", s1."total") AS "amount"')


def test_table_with_a_computed_name_is_left(tmp_path) -> None:
    source = steps(SQL, 'T = Source{[Schema="dbo",Item=Text.From(Date.Year(Now))]}[Data]')
    reading = read_files(tmp_path, {f"{MODEL}/tables/Orders.tmdl": table(source)})

    assert queries(reading) == {}
    assert reasons(reading) == ["Orders: the name of its table is computed"]


def test_table_of_a_lakehouse_is_its_entity(tmp_path) -> None:
    file = "table Orders\n\n\tcolumn total\n\n\tpartition Orders = entity\n\t\tmode: directLake\n\t\tsource\n"
    file += "\t\t\tentityName: orders\n\t\t\tschemaName: dbo\n\t\t\texpressionSource: DatabaseQuery\n"

    assert queries(read_files(tmp_path, {f"{MODEL}/tables/Orders.tmdl": file})) == {
        "Shop/Orders (table)": 'SELECT s1."total" AS "total" FROM "dbo"."orders" AS s1'
    }


def visual(*fields: tuple[str, str, str], title: str = "Revenue") -> str:
    shown = [
        {"field": {kind: {"Expression": {"SourceRef": {"Entity": of}}, "Property": name}}} for kind, of, name in fields
    ]
    text = {"properties": {"text": {"expr": {"Literal": {"Value": f"'{title}'"}}}}}
    own = {"visualType": "card", "query": {"queryState": {"Values": {"projections": shown}}}}
    return json.dumps({"visual": {**own, "visualContainerObjects": {"title": [text]}}})


def test_visual_uses_the_columns_behind_its_fields_and_measures(tmp_path) -> None:
    measures = (
        "measure Revenue = SUM(Orders[Total]) + [Base]\n\tformatString: 0",
        "measure Base =\n\t\tCOUNTROWS('Orders')",
    )
    files = {
        f"{MODEL}/tables/Orders.tmdl": table(steps(SQL, DBO), column("Total", "total"), column("Note"), *measures),
        "shop/Daily.Report/definition.pbir": '{"datasetReference": {"byPath": {"path": "../Shop.SemanticModel"}}}',
        f"{REPORT}/pages/p/page.json": json.dumps({"displayName": "Main"}),
        f"{REPORT}/pages/p/visuals/v/visual.json": visual(("Measure", "Orders", "Revenue")),
    }  # fmt: skip

    assert queries(read_files(tmp_path, files))["Daily: Main/Revenue"] == (
        'SELECT s1."total" AS "Total" FROM "dbo"."orders" AS s1'
    )


def test_model_and_report_in_one_json_file_each(tmp_path) -> None:
    partition = {"name": "p", "source": {"type": "m", "expression": steps(SQL, DBO).split("\n")}}
    own = {"name": "Orders", "columns": [{"name": "Total", "sourceColumn": "total"}], "partitions": [partition]}
    select = [{"Column": {"Expression": {"SourceRef": {"Source": "o"}}, "Property": "Total"}, "Name": "x"}]
    query = {"From": [{"Name": "o", "Entity": "Orders", "Type": 0}], "Select": select}
    config = json.dumps({"singleVisual": {"visualType": "card", "prototypeQuery": query}})
    report = {"sections": [{"displayName": "Main", "visualContainers": [{"config": config}]}]}
    files = {
        "Shop.SemanticModel/model.bim": json.dumps({"model": {"tables": [own]}}),
        "Daily.Report/report.json": json.dumps(report),
    }

    assert queries(read_files(tmp_path, files)) == {
        "Shop/Orders (table)": 'SELECT s1."total" AS "Total" FROM "dbo"."orders" AS s1',
        "Daily: Main/card": 'SELECT s1."total" AS "Total" FROM "dbo"."orders" AS s1',
    }


def test_expressions_in_fences_and_descriptions_are_parsed() -> None:
    text = "/// about: it\ntable 'My Table'\n\tmeasure 'A ''b''' = ```\n\t\t\tSUM(x)\n\n\t\t\t```\n"
    text += "\t\tformatString: 0\n\tisHidden\n"
    (own,) = parse_tmdl(text).children

    assert (own.name, own.children[0].name, own.children[0].text.strip()) == ("My Table", "A 'b'", "SUM(x)")
    assert own.children[0].values == {"formatString": "0"}


@given(st.text(alphabet='let in=,(){}[]"#a&.\n each=>', max_size=80))
@settings(max_examples=30, deadline=None)
def test_any_text_is_an_expression_or_is_not(text) -> None:
    try:
        parse_m(text)
    except InvalidM:
        return


def test_deep_expressions_end() -> None:
    with pytest.raises(InvalidM):
        parse_m("(" * 5_000)
