"""Documents of the bundled example: valid, deterministic, and complete."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft201909Validator

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.documents.asyncapi import document
from scanner_api.documents.backstage import entity_name
from scanner_api.documents.estate import described_clusters
from scanner_api.documents.write import DOCUMENTS, file_stem
from scanner_model.contracts import columns_of, custom_values
from scanner_model.errors import InputInvalid

pytestmark = pytest.mark.slow

ODCS = Draft201909Validator(json.loads((Path(__file__).parent / "data/odcs-3.2.0.schema.json").read_text("utf-8")))


def documents(dictionary: Dictionary, format: str, **options: Any) -> list[Any]:
    """Return the documents of a format, parsed as another tool does."""
    stream = io.StringIO()
    scanner_api.export(dictionary, stream, format=format, **options)
    return list(yaml.safe_load_all(stream.getvalue()))


def contract_of(dictionary: Dictionary, topic: str) -> Any:
    return next(each for each in documents(dictionary, "odcs") if each["name"] == topic)


@pytest.mark.slow
def test_every_contract_is_valid_by_the_official_schema(retail: Dictionary) -> None:
    """Unknown members are refused by it, so what has no place is a custom property."""
    problems = [(each["name"], error.message) for each in documents(retail, "odcs") for error in ODCS.iter_errors(each)]

    assert problems == []


def test_contract_has_keys_columns_tags_and_compatible_ids(retail: Dictionary) -> None:
    """One contract a topic, whose id does not change with its content."""
    contract = contract_of(retail, "orders")
    key, retry, value = contract["schema"]
    customer = next(each for each in value["properties"] if each["name"] == "customer")
    email = next(each for each in customer["properties"] if each["name"] == "email")
    known = custom_values(value)

    assert (contract["id"], contract["version"]) == ("urn:kafka:retail:orders", "2.0.0")
    assert [each["name"] for each in (key, retry, value)] == ["orders-key", "orders-com.acme.retail.Retry", "orders"]
    assert (known["subject"], known["version"], known["schemaId"]) == ("orders-value", 2, "4")
    assert email["tags"] == ["PII"]


def test_contract_of_a_topic_without_schema_has_the_columns_of_flows_with_their_sources(retail: Dictionary) -> None:
    """Their types are not known, and nothing says that they are required."""
    contract = contract_of(retail, "cdc.orders")
    (schema,) = contract["schema"]
    (payload,) = schema["properties"]
    number = next(each for each in payload["properties"] if each["name"] == "id")

    assert custom_values(schema) == {"origin": "derived"}
    assert "required" not in number
    assert any("shop.public.orders.id" in source for source in number["transformSourceObjects"])
    assert custom_values(number)["lineage"][0]["evidence"]


def test_logic_of_a_computed_column_is_its_expression(retail: Dictionary) -> None:
    """A consumer of the contract reads how a value comes about; a copy stays a copy."""
    (schema,) = contract_of(retail, "orders-enriched")["schema"]
    logic = {each["name"]: each.get("transformLogic") for each in schema["properties"]}

    assert (logic["total"], logic["customer_name"]) == ("CAST(o.payload.total AS DOUBLE)", "IDENTITY")


def test_documents_have_inherited_tags_apart_from_declared_ones(retail: Dictionary) -> None:
    """Each with its origin; a contract that is read again declares none of them."""
    (schema,) = contract_of(retail, "orders-enriched")["schema"]
    email = next(each for each in schema["properties"] if each["name"] == "customer_email")
    (tag,) = custom_values(email)["tagsByLineage"]
    (whole,) = documents(retail, "asyncapi")
    entity = next(
        each for each in documents(retail, "backstage") if each["metadata"]["name"] == "retail.orders-enriched"
    )

    assert (tag["tag"], tag["origin"], tag["flow"], tag["steps"]) == (
        "PII",
        "cdc.customers.payload.email",
        "computed",
        1,
    )
    assert "tags" not in email
    assert [column.tags for column in columns_of(schema["properties"]) if column.name == "customer_email"] == [()]
    assert whole["channels"]["orders-enriched"]["x-tags-by-lineage"]["customer_email"] == [tag]
    assert "customer_email: PII" in entity["metadata"]["annotations"]["kafka-lineage-scanner/tags-by-lineage"]


def test_without_a_graph_lineage_is_not_known_instead_of_empty(tmp_path: Path) -> None:
    """Readers `[]` would say that nobody reads it."""
    notes: list[str] = []
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True, notify=notes.append)
    example = Path(__file__).parents[3] / "examples/retail"
    scanner_api.scan([example / "cluster.json"], dictionary, replay=example / "capture")
    contract = contract_of(dictionary, "orders")

    assert not {"readers", "writers"} & custom_values(contract).keys()
    assert any("the documents have no lineage" in note for note in notes)


def test_asyncapi_refers_only_to_what_it_holds(retail: Dictionary) -> None:
    """Every `$ref` is resolved from the document's own root; one of a JSON Schema to a registry is nobody's."""
    (whole,) = documents(retail, "asyncapi")

    for pointer in re.findall(r'"\$ref": "([^"]*)"', json.dumps(whole)):
        at: Any = whole
        for part in pointer.removeprefix("#/").split("/"):
            at = at[part]
    assert (whole["asyncapi"], whole["info"]["title"]) == ("3.1.0", "retail")


def test_asyncapi_has_topics_messages_jobs_and_groups(retail: Dictionary) -> None:
    """A consumer group is an operation that receives, with its group id."""
    (whole,) = documents(retail, "asyncapi", cluster="retail")
    message = whole["components"]["messages"]["orders.orders-value"]
    operations = whole["operations"]

    assert whole["channels"]["orders"]["bindings"]["kafka"]["partitions"] == 2
    assert message["payload"]["schemaFormat"] == "application/vnd.apache.avro;version=1.9.0"
    assert message["payload"]["schema"]["name"] == "Order"
    assert (message["tags"], message["x-schema-id"]) == ([{"name": "PII"}], "4")
    assert operations["analytics-receive-orders"]["bindings"]["kafka"]["groupId"]["enum"] == ["analytics"]
    assert {each["action"] for each in operations.values()} == {"send", "receive"}


def test_asyncapi_keeps_the_text_of_a_schema_that_it_cannot_hold(retail: Dictionary) -> None:
    """A JSON Schema with references becomes one of its columns; its own text stands beside it."""
    (whole,) = documents(retail, "asyncapi")
    message = whole["components"]["messages"]["customers.customers-value"]

    assert message["payload"]["type"] == "object"
    assert '"$ref"' in message["x-schema-text"]


def test_backstage_entities_have_owners_and_names_that_its_catalog_takes(retail: Dictionary) -> None:
    """An owner is required there: of what no source has one for, the one that is given."""
    entities = documents(retail, "backstage", owner="team-data")
    names = [(each["kind"], each["metadata"]["name"]) for each in entities]

    assert {"team-data", "team-shop"} <= {each["spec"]["owner"] for each in entities}
    assert all(re.fullmatch(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", name) and len(name) <= 63 for _, name in names)
    assert len(set(names)) == len(names)
    assert {kind for kind, _ in names} == {"System", "Resource", "API"}


@pytest.mark.parametrize("name", ["orders", "a" * 200, "-._-", "__consumer", "a..b", "größe"])
def test_name_of_an_entity_is_one_for_any_text(name: str) -> None:
    """Two long names that begin alike stay two."""
    taken = entity_name(name)

    assert re.fullmatch(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", taken)
    assert len(taken) <= 63
    assert entity_name(name + "b") != taken


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "CON", "aux.orders", "..", ".", "a" * 249, "größe", "a\nb"])
def test_file_of_a_contract_stays_in_its_directory_and_any_system_takes_its_name(name: str) -> None:
    """Kafka's longest name is 249 characters; a file's is 255 bytes, with its extension."""
    stem = file_stem(name)

    assert re.fullmatch(r"[0-9a-f]{8}-[A-Za-z0-9._-]{1,200}", stem)
    assert file_stem(name + "b") != stem
    assert file_stem("orders.v1_2-x") == "orders.v1_2-x"


def test_topics_that_differ_in_letter_case_only_have_files_and_entities_of_their_own(tmp_path: Path) -> None:
    """Some file systems, and Backstage, take `Orders` and `orders` as one."""
    names = ["orders", "Orders", "ORDERS", "payments"]
    (tmp_path / "topics.json").write_text(json.dumps({"version": 1, "topics": [{"name": name} for name in names]}))
    (tmp_path / "cluster.json").write_text(
        '{"cluster": "retail", "brokers": "a:9092", "manual_input": ["topics.json"]}'
    )
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.export(dictionary, tmp_path / "out", format="odcs")
    files = [file.name for file in (tmp_path / "out").rglob("*.yaml")]
    entities = [each["metadata"]["name"] for each in documents(dictionary, "backstage")]

    assert {"orders.odcs.yaml", "payments.odcs.yaml"} < set(files)
    assert len({name.lower() for name in files}) == len(names)
    assert len({name.lower() for name in entities}) == len(names) + 1


@pytest.mark.parametrize("format", DOCUMENTS)
def test_directory_has_the_same_documents_as_the_stream_and_the_same_bytes_again(
    retail: Dictionary, tmp_path: Path, format: str
) -> None:
    """A second export changes nothing, so that a diff shows what changed in Kafka."""
    once, again = tmp_path / "once", tmp_path / "again"
    for directory in (once, again, again):
        scanner_api.export(retail, directory, format=format)
    texts = {file.relative_to(once): file.read_bytes() for file in sorted(once.rglob("*.yaml"))}
    written = [each for text in texts.values() for each in yaml.safe_load_all(text)]

    assert texts == {file.relative_to(again): file.read_bytes() for file in sorted(again.rglob("*.yaml"))}
    assert sorted(map(str, written)) == sorted(map(str, documents(retail, format)))


@pytest.mark.parametrize("options", [{"node": "orders"}, {"history": True}], ids=str)
def test_documents_refuse_what_selects_a_part_of_the_graph(retail: Dictionary, options: dict[str, Any]) -> None:
    """They describe whole clusters, as the newest scan found them."""
    with pytest.raises(InputInvalid):
        scanner_api.export(retail, io.StringIO(), format="odcs", **options)


def test_asyncapi_of_a_cluster_without_brokers_has_no_server(retail: Dictionary) -> None:
    """A server needs a host, and nobody knows one."""
    with described_clusters(retail) as described:
        (cluster,) = described
        row = cluster.row._replace(brokers=())
        whole = document(type(cluster)(row=row, topics=cluster.topics))

    assert "servers" not in whole
    assert "servers" not in whole["channels"]["orders"]
