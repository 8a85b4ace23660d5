"""AWS DataZone: assets with the columns of their forms, and flows through jobs, as boto3's model has them."""

from __future__ import annotations

import pytest

from scanner_extractor.http.recording import Recorder
from scanner_extractor.settings.sources import Lineage, Wanted
from scanner_extractor.systems.datazone.catalog import dataset_of
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.errors import SourceRefused
from scanner_model.scan import SourceStatus

DOMAIN = {"domain": "dzd_1"}
GLUE = "arn:aws:glue:eu-central-1:123456789012"
ORDERS = f"{GLUE}:table/lake/orders"
DAILY = f"{GLUE}:table/lake/daily"
FORM = {
    "tableName": "orders",
    "s3Path": "s3://lake/orders/",
    "columns": [
        {"columnName": "id", "dataType": "bigint", "description": "the shop's number"},
        {"columnName": "items", "dataType": "array<struct<sku:string>>"},
    ],
}


def test_asset_is_read_with_the_columns_of_its_forms(aws, read_aws) -> None:
    """An asset of Glue goes by the name that Glue's catalog gives it: they are one table."""
    asset = aws.asset(
        "a1", "Orders", FORM, externalIdentifier=ORDERS, description="what was bought", glossaryTerms=["g1"]
    )
    reading = read_aws("datazone", aws.DataZone(assets=(asset,)), options=DOMAIN, lineage=Lineage.NONE)
    table = reading.of(CatalogTable)[0]

    assert (table.namespace, table.name) == (GLUE, "table/lake/orders")
    assert (table.kind, table.owner) == ("amazon.datazone.GlueTableAssetType", "prj1")
    assert (table.description, table.created) == ("what was bought", "2026-01-01T00:00:00Z")
    assert (table.location, table.symlinks) == ("s3://lake/orders/", (("s3://lake", "orders"),))
    assert [(c.name, c.type, c.doc) for c in table.columns] == [
        ("id", "bigint", "the shop's number"),
        ("items", "array", None),
        ("items.[]", "struct", None),
        ("items.[].sku", "string", None),
    ]
    assert dict(table.parameters) | {"assetId": "a1", "glossaryTerms": '["g1"]'} == dict(table.parameters)


def test_asset_without_an_outer_name_goes_by_its_own(aws, read_aws) -> None:
    """And one whose form is no JSON object is a table without columns."""
    asset = aws.asset("a1", "Orders", ["x"])
    table = read_aws("datazone", aws.DataZone(assets=(asset,)), options=DOMAIN, lineage=Lineage.NONE).of(CatalogTable)[
        0
    ]

    assert (table.namespace, table.name, table.columns) == ("datazone://dzd_1", "amazon.datazone.asset/a1", ())


def test_secrets_in_forms_reach_no_capture(aws, read_aws, tmp_path) -> None:
    """People write into forms what they like; a field of a table may be called password."""
    content = {"jdbcPassword": "zqSECRETzq", "columns": [{"columnName": "password", "dataType": "string"}]}
    asset = aws.asset("a2", "Odd", None, formsOutput=[{"formName": "F", "content": "token=zqTOKENzq1"}])
    server = aws.DataZone(assets=(aws.asset("a1", "Orders", content), asset))
    wrap = Recorder(tmp_path).recording
    reading = read_aws("datazone", server, options=DOMAIN, lineage=Lineage.NONE, wrap=wrap)

    assert [column.name for column in reading.of(CatalogTable)[0].columns] == ["password"]
    assert "zq" not in "".join(file.read_text() for file in tmp_path.rglob("*.json"))


def test_flows_go_through_jobs_whatever_run_they_were(aws, read_aws) -> None:
    """A run is another node each time; the job is one. What is behind the next dataset is not asked for."""
    kafka = "kafka://broker:9092/shop.orders"
    nodes = (
        aws.node("n1", "GlueTableLineageNodeType", ORDERS, up=("j1",), down=("j2",)),
        aws.node("n2", "GlueTableLineageNodeType", DAILY, up=("j2",), down=("j3",)),
        aws.node("n3", "DatasetLineageNodeType", kafka, down=("j1",)),
        aws.node("j1", "JobRunLineageNodeType", "etl.load/0190-run", up=("n3",), down=("n1",)),
        aws.node("j2", "JobLineageNodeType", "etl.sum", up=("n1",), down=("n2",)),
        aws.node("j3", "JobLineageNodeType", "etl.far", up=("n2",), down=()),
    )
    server = aws.DataZone(assets=(aws.asset("a1", "Orders", externalIdentifier=ORDERS),), nodes=nodes)
    reading = read_aws("datazone", server, options=DOMAIN)

    assert [
        (link.origin_namespace, link.origin_name, link.target_name, link.process) for link in reading.of(CatalogLink)
    ] == [
        (GLUE, "table/lake/orders", "table/lake/daily", "etl.sum"),
        ("kafka://broker:9092", "shop.orders", "table/lake/orders", "etl.load"),
    ]
    assert not any(given.get("identifier") == "j3" for _, given in server.log)


def test_datasets_next_to_each_other_are_linked_without_a_job(aws, read_aws) -> None:
    """It is unknown which job is between them."""
    nodes = (
        aws.node("n1", "GlueTableLineageNodeType", ORDERS, down=("n2",)),
        aws.node("n2", "AssetLineageNodeType", "amazon.datazone.listing/l1", up=("n1",)),
    )
    server = aws.DataZone(assets=(aws.asset("a1", "Orders", externalIdentifier=ORDERS),), nodes=nodes)
    links = read_aws("datazone", server, options=DOMAIN).of(CatalogLink)

    assert [(link.target_namespace, link.target_name, link.process) for link in links] == [
        ("datazone://dzd_1", "amazon.datazone.listing/l1", "")
    ]


def test_lists_are_read_page_by_page_and_only_what_matters(aws, read_aws) -> None:
    """A domain holds assets of every kind."""
    server = aws.DataZone(assets=tuple(aws.asset(f"a{n}", f"t{n}") for n in range(5)), page=2)
    reading = read_aws("datazone", server, options=DOMAIN, wanted=Wanted(tables=("t[0-3]",)))

    assert [table.name[-2:] for table in reading.of(CatalogTable)] == ["a0", "a1", "a2", "a3"]
    assert (reading.outcome.status, reading.of(CatalogLink)) == (SourceStatus.READ, ())
    assert [operation for operation, _ in server.log].count("Search") == 3


def test_asset_that_is_denied_is_named_and_kept(aws, read_aws) -> None:
    """Its name is the one that its table has in the dictionary."""
    assets = (aws.asset("a1", "x", externalIdentifier=ORDERS), aws.asset("a2", "y", externalIdentifier=DAILY))
    server = aws.DataZone(assets=assets, denied=frozenset({"a2"}))
    reading = read_aws("datazone", server, options=DOMAIN, lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == ["table/lake/orders"]
    assert reading.outcome.unread == frozenset({"table/lake/daily"})


def test_lineage_that_is_denied_costs_itself(aws, read_aws) -> None:
    """The tables stand."""
    server = aws.DataZone(assets=(aws.asset("a1", "x"),), denied=frozenset({"GetLineageNode"}))
    reading = read_aws("datazone", server, options=DOMAIN)

    assert (len(reading.of(CatalogTable)), reading.outcome.status) == (1, SourceStatus.PARTIAL)


def test_neighbour_that_is_denied_is_reported(aws, read_aws) -> None:
    """Half a way would look like its end."""
    nodes = (aws.node("n1", "GlueTableLineageNodeType", ORDERS, down=("n2",)),)
    assets = (aws.asset("a1", "x", externalIdentifier=ORDERS),)
    reading = read_aws("datazone", aws.DataZone(assets=assets, nodes=nodes, denied=frozenset({"n2"})), options=DOMAIN)

    assert [problem.where.rpartition(" ")[2] for problem in reading.problems] == ["n2"]


def test_domain_that_may_not_be_searched_is_refused(aws, read_aws) -> None:
    """An empty answer would mark everything gone."""
    with pytest.raises(SourceRefused):
        read_aws("datazone", aws.DataZone(denied=frozenset({"Search"})), options=DOMAIN)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        (ORDERS, (GLUE, "table/lake/orders")),
        (
            "arn:aws:redshift:eu-west-1:1:table/dwh/sales/public/orders",
            ("redshift://dwh.eu-west-1:5439", "sales.public.orders"),
        ),
        ("s3://lake/in/", ("s3://lake", "in")),
        ("postgres://db:5432/shop.public.orders", ("postgres://db:5432", "shop.public.orders")),
        ("bigquery/p.d.t", ("bigquery", "p.d.t")),
        ("amazon.datazone.asset/a1", ("datazone://dzd_1", "amazon.datazone.asset/a1")),
        ("plain", ("datazone://dzd_1", "plain")),
    ],
)
def test_source_identifiers_become_names_of_openlineage(identifier, expected) -> None:
    """So that they meet what other sources call the same data."""
    assert dataset_of(identifier, "dzd_1") == expected
