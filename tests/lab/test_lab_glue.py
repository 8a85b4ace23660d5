"""AWS Glue as moto implements it: the readers over it, and its answers beside those of our fakes.

Each test empties its region in the moto of `make lab-systems`. moto 5.2 has no ListSchemas and ListSchemaVersions, and
cuts no pages: there only the fakes can be read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import aws_catalogs
import boto3
import glue_registry
import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.systems.glue.catalog import glue_catalog_transport, read_glue_catalog
from scanner_extractor.systems.glue.registry import glue_registry_transport, read_glue
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import NotFound
from scanner_model.schemas import SchemaVersion

pytestmark = pytest.mark.lab

REGION = "eu-central-1"
WEB = HttpSettings(url=f"https://glue.{REGION}.amazonaws.com", concurrency=1)
AVRO = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}'
WIDER = AVRO.replace("}]}", '},{"name":"n","type":["null","int"],"default":null}]}')
TABLE = {
    "Name": "orders",
    "Owner": "lake",
    "Description": "what was bought",
    "TableType": "EXTERNAL_TABLE",
    "Parameters": {"EXTERNAL": "TRUE", "classification": "parquet"},
    "PartitionKeys": [{"Name": "day", "Type": "date", "Comment": "of the order"}],
    "StorageDescriptor": {
        "Columns": [{"Name": "id", "Type": "bigint"}, {"Name": "items", "Type": "array<struct<sku:string>>"}],
        "Location": "s3://lake/orders/",
        "SerdeInfo": {"SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"},
        "NumberOfBuckets": -1,
    },
}
TIMES = ("CreateTime", "UpdateTime", "CreatedTime")


@pytest.fixture
def client(lab) -> Any:
    """Return boto3's client of moto's Glue, in a region that no other test uses, and that is empty."""
    lab.needs("moto")
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    result = boto3.client("glue", region_name=REGION, endpoint_url=lab.told["systems"]["glue"], **keys)
    for database in result.get_databases()["DatabaseList"]:
        result.delete_database(Name=database["Name"])
    for known in result.list_registries()["Registries"]:
        result.delete_registry(RegistryId={"RegistryName": known["RegistryName"]})
    return result


def catalog(over: Any) -> Reading:
    settings = CatalogSettings(type="glue", http=WEB, options={"region": REGION})
    with Http(WEB, settings.source, exchange=glue_catalog_transport(settings, lambda: over)) as http:
        return read_glue_catalog(settings, http, no_progress)


def registry(over: Any, *names: str) -> Reading:
    settings = RegistrySettings(type="glue", http=WEB, options={"glue": {"region": REGION, "registries": names}})
    with Http(WEB, settings.source, exchange=glue_registry_transport(settings, lambda: over)) as http:
        return read_glue(settings, http, no_progress)


def shape(answer: Any) -> Any:
    """Return what an answer has but its values: names and types, without how the request went."""
    if isinstance(answer, dict):
        return {name: shape(value) for name, value in answer.items() if name not in ("ResponseMetadata", "NextToken")}
    return [shape(answer[0])] if isinstance(answer, list) and answer else type(answer).__name__


def test_catalog_is_read_alike(client) -> None:
    """Tables with their columns, place and format; only times differ."""
    for name in ("lake", "empty"):
        client.create_database(DatabaseInput={"Name": name})
    client.create_table(DatabaseName="lake", TableInput=TABLE)
    ours = catalog(aws_catalogs.Stubbed("glue", aws_catalogs.Catalog(tables={"lake": (TABLE,), "empty": ()})))
    theirs = catalog(client)

    assert [replace(table, created="") for table in theirs.of(CatalogTable)] == [
        replace(table, created="") for table in ours.of(CatalogTable)
    ]
    assert theirs.of(CatalogTable)[0].created
    assert (theirs.outcome.status, theirs.problems) == (ours.outcome.status, ours.problems)


def test_answers_of_the_catalog_have_the_same_members(client) -> None:
    """A member that only the real one has might change with every request."""
    client.create_database(DatabaseInput={"Name": "lake"})
    client.create_table(DatabaseName="lake", TableInput=TABLE)
    ours = aws_catalogs.Stubbed("glue", aws_catalogs.Catalog(tables={"lake": (TABLE,)}))

    assert shape(client.get_databases(MaxResults=5)) == shape(ours.get_databases(MaxResults=5))
    assert shape(client.get_tables(DatabaseName="lake", MaxResults=5)) == shape(
        ours.get_tables(DatabaseName="lake", MaxResults=5)
    )


@pytest.mark.parametrize("of", ["moto", "fake"])
def test_database_that_is_gone_is_the_same_error(client, of) -> None:
    """The reader tells it from a refusal by its code."""
    asked = client if of == "moto" else aws_catalogs.Stubbed("glue", aws_catalogs.Catalog())

    with pytest.raises(asked.exceptions.EntityNotFoundException if of == "moto" else Exception) as caught:
        asked.get_tables(DatabaseName="none", MaxResults=5)
    assert caught.value.response["Error"]["Code"] == "EntityNotFoundException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


class Mixed:
    """Lists that moto does not have are our fake's; every other call is moto's."""

    def __init__(self, client: Any, stubbed: Any) -> None:
        self._client, self._stubbed = client, stubbed

    def __getattr__(self, method: str) -> Any:
        lists = ("list_schemas", "list_schema_versions")
        return getattr(self._stubbed if method in lists else self._client, method)


@pytest.fixture
def filed(client) -> tuple[Any, ...]:
    """File two versions in moto, and return them as the fake files them, by moto's ids."""
    client.create_registry(RegistryName="shop")
    named = {"RegistryId": {"RegistryName": "shop"}, "SchemaName": "orders", "Description": "bought"}
    first = client.create_schema(
        **named, DataFormat="AVRO", Compatibility="BACKWARD", SchemaDefinition=AVRO, Tags={"team": "x"}
    )
    second = client.register_schema_version(SchemaId={"SchemaArn": first["SchemaArn"]}, SchemaDefinition=WIDER)
    about = {"name": "orders", "registry": "shop", "description": "bought"}
    return (
        glue_registry.Filed(text=AVRO, id=first["SchemaVersionId"], **about),
        glue_registry.Filed(text=WIDER, id=second["SchemaVersionId"], version=2, **about),
    )


def test_schemas_are_read_alike(client, filed) -> None:
    """Text, number, compatibility, tags and description of each version."""
    ours = glue_registry.Stubbed(glue_registry.Glue(filed=filed, tags={"team": "x"}))

    assert registry(Mixed(client, ours)).of(SchemaVersion) == registry(ours).of(SchemaVersion)
    assert len(registry(ours).of(SchemaVersion)) == 2


def test_answers_of_the_registry_have_the_same_members(client, filed) -> None:
    """Those of a schema, of a version and of its tags."""
    ours = glue_registry.Stubbed(glue_registry.Glue(filed=filed, tags={"team": "x"}))
    schema = {"SchemaId": {"SchemaArn": filed[0].arn}}

    assert shape(client.get_schema(**schema)) == shape(ours.get_schema(**schema))
    assert shape(client.get_schema_version(SchemaVersionId=filed[1].id)) == shape(
        ours.get_schema_version(SchemaVersionId=filed[1].id)
    )
    assert shape(client.get_tags(ResourceArn=filed[0].arn)) == shape(ours.get_tags(ResourceArn=filed[0].arn))


def test_registry_that_is_not_there_is_not_found_in_the_fake() -> None:
    """As Glue's documentation says; moto cannot be asked."""

    with pytest.raises(NotFound):
        registry(glue_registry.Stubbed(glue_registry.Glue()), "none")
