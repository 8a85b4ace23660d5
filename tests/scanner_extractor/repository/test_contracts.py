"""Data contracts and AsyncAPI documents in a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_extractor.formats import read_columns
from scanner_extractor.repository.reader import read_directory
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Reading, no_progress
from scanner_model.catalogs import Annotation
from scanner_model.declarations import UnreadFile
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow, ManualSchema
from scanner_model.names import Role

CONTRACT = """
kind: DataContract
apiVersion: v3.0.2
id: 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.0.0
status: active
description: {purpose: Orders of the shop.}
tags: [finance]
team:
- {username: ann, role: Developer}
- {username: shop-team, role: Owner}
servers:
- {server: production, type: kafka, host: kafka-1:9092, format: avro}
schema:
- name: Orders
  physicalName: orders
  logicalType: object
  properties:
  - {name: id, logicalType: string, physicalType: string, required: true, description: The number.}
  - {name: email, logicalType: string, tags: [PII]}
  - name: lines
    logicalType: array
    items: {logicalType: object, properties: [{name: sku, logicalType: string, required: true}]}
"""
ASYNCAPI = """
asyncapi: 3.0.0
info: {title: Orders, version: 1.0.0}
servers: {production: {host: 'kafka-1:9092', protocol: kafka-secure}}
channels:
  placed:
    address: orders
    description: Orders of the shop.
    tags: [{name: finance}]
    messages: {order: {$ref: '#/components/messages/order'}}
  noise: {address: 'noise.{city}'}
operations:
  place: {action: send, title: shop, channel: {$ref: '#/channels/placed'}}
  bill: {action: receive, summary: Bills them., channel: {$ref: '#/channels/placed'}}
components:
  messages:
    order:
      payload:
        schemaFormat: application/vnd.apache.avro;version=1.9.0
        schema:
          type: record
          name: Order
          fields: [{name: mark, type: {type: fixed, name: Mark, size: 16}}, {name: count, type: int, default: 0}]
"""


def read(directory: Path, **files: str) -> Reading:
    """Read a directory with *files*, whose names have `__` for a dot."""
    for name, text in files.items():
        (directory / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return read_directory(RepositorySettings(pattern=".", directory=directory), no_progress)


def test_contract_declares_a_topic_with_owner_tags_documentation_and_columns(tmp_path: Path) -> None:
    """One that people wrote by hand: nothing in it is the scanner's."""
    result = read(tmp_path, orders__yaml=CONTRACT)
    (note,), (schema,) = result.of(Annotation), result.of(ManualSchema)

    assert [topic.name for topic in result.of(Topic)] == ["orders"]
    assert (note.topic, note.owner, note.tags) == ("orders", "shop-team", ("finance",))
    assert note.description == "Orders of the shop."
    assert (schema.topic, schema.role, schema.format) == ("orders", Role.VALUE, "AVRO")
    assert [(column.name, column.type, column.nullable) for column in schema.columns] == [
        ("id", "string", False),
        ("email", "string", True),
        ("lines", "array", True),
        ("lines.[]", "object", True),
        ("lines.[].sku", "string", False),
    ]
    assert schema.columns[1].tags == ("PII",)
    assert result.of(UnreadFile) == ()


def test_contract_of_another_system_declares_no_topic(tmp_path: Path) -> None:
    """Most contracts are of tables."""
    table = CONTRACT.replace("type: kafka", "type: postgres")

    assert read(tmp_path, table__yaml=table).of(Topic) == ()


def test_asyncapi_document_declares_topics_schemas_and_who_uses_them(tmp_path: Path) -> None:
    """An address with a parameter is not the name of one topic: that is said."""
    result = read(tmp_path, asyncapi__yaml=ASYNCAPI)
    (schema,) = result.of(ManualSchema)

    assert [topic.name for topic in result.of(Topic)] == ["orders"]
    assert (schema.format, '"size": 16' in schema.text, '"default": 0' in schema.text) == ("AVRO", True, True)
    assert [(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)] == [
        ("Orders", "orders", ""),
        ("Orders", "", "orders"),
    ]
    assert [note.tags for note in result.of(Annotation)] == [("finance",)]
    unread = result.of(UnreadFile)
    assert [(file.kind, "noise.{city}" in file.reason) for file in unread] == [("AsyncAPI document", True)]


VERSION_2 = """\
asyncapi: 2.6.0
info: {title: billing, version: '1'}
servers: {p: {url: 'k:9092', protocol: kafka}}
channels:
  orders:
    publish:
      message:
        oneOf:
        - {$ref: '#/components/messages/Order'}
  bills:
    subscribe:
      message: {schemaFormat: 'application/vnd.apache.avro;version=1.9.0', payload: {type: record, name: B, fields: []}}
components:
  messages: {Order: {payload: {type: object, properties: {id: {type: string}}}}}
"""


def test_an_application_of_version_2_receives_what_clients_publish(tmp_path: Path) -> None:
    result = read(tmp_path, asyncapi__yaml=VERSION_2)

    assert {(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)} == {
        ("billing", "orders", ""),
        ("billing", "", "bills"),
    }
    assert {(schema.topic, schema.format) for schema in result.of(ManualSchema)} == {
        ("orders", "JSON"),
        ("bills", "AVRO"),
    }
    assert result.of(UnreadFile) == ()


def test_a_file_with_the_word_as_another_key_is_no_document(tmp_path: Path) -> None:
    assert not read(tmp_path, tool__yaml="services:\n  asyncapi:\n    image: shop\n").of(UnreadFile)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("asyncapi: 1.2.0\ntopics: {}\n", "of version 1.2.0"),
        ("asyncapi: 3.0.0\nchannels: [\n", "not YAML"),
        ("kind: DataContract\nschema: [*a]\n", "refers to nothing before it"),
        ("asyncapi: 3.0.0\nchannels: [orders]\n", "`channels` has another type"),
        ("asyncapi: 2.6.0\nservers: kafka\nchannels: {}\n", "`servers` has another type"),
        ("kind: DataContract\nservers: [{type: kafka}]\nschema: {name: orders}\n", "`schema` has another type"),
        ("dataContractSpecification: 1.1.0\nmodels: [orders]\n", "`models` has another type"),
    ],
)
def test_document_that_cannot_be_read_is_left_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    """What it declares is unknown, not nothing."""
    (file,) = read(tmp_path, document__yaml=text).of(UnreadFile)

    assert reason in file.reason


@pytest.mark.parametrize(
    "text",
    [
        "asyncapi: 3.0.0\nchannels: {a: {$ref: '#/channels/a'}, b: 3}\nservers: {x: {protocol: kafka}}\n",
        "kind: DataContract\nservers: [7, {type: kafka}]\nschema: [x, {name: 3, properties: [{}]}]\nteam: x\n",
        "kind: DataContract\nschema: {physicalType: topic}\ndescription: 3\n",
    ],
)
def test_damaged_parts_do_not_stop_the_rest(tmp_path: Path, text: str) -> None:
    """People edit these files; a reference to itself ends."""
    assert read(tmp_path, document__yaml=text).outcome.received >= 0


def test_json_and_yaml_are_read_alike(tmp_path: Path) -> None:
    """A contract may be written in either."""
    text = '{"kind": "DataContract", "servers": [{"type": "kafka"}], "schema": [{"name": "orders"}]}'

    assert [topic.name for topic in read(tmp_path, orders__json=text).of(Topic)] == ["orders"]


def test_a_secret_in_the_description_of_a_property_is_redacted(tmp_path: Path) -> None:
    """As in the descriptions of contract and topic."""
    text = CONTRACT.replace("description: The number.", "description: 'Call it with api_key=Zebra77pond.'")
    (tmp_path / "c.yaml").write_text(text)
    settings = RepositorySettings(pattern=".", directory=tmp_path)

    (schema,) = read_directory(settings, no_progress).of(ManualSchema)

    doc = next(column.doc for column in schema.columns if column.path[-1] == "id")
    assert doc is not None
    assert doc.startswith("Call it with api_key=")
    assert "Zebra77pond" not in doc


def test_contracts_and_operations_declare_the_fields_that_programs_use(tmp_path: Path) -> None:
    """The readers of a contract's topic are a custom property; an operation of AsyncAPI has `x-fields`."""
    readers = "- name: Orders\n  customProperties: [{property: readers, value: {billing: [id, lines.sku]}}]\n"
    contract = CONTRACT.replace("- name: Orders\n", readers)
    operation = ASYNCAPI.replace("title: shop, ", "title: shop, x-fields: [id], ")
    uses = read(tmp_path, orders__yaml=contract, asyncapi__yaml=operation).of(FieldUse)

    assert sorted((use.program, use.direction.value, use.path) for use in uses) == [
        ("Orders", "writes", ("id",)),
        ("billing", "reads", ("id",)),
        ("billing", "reads", ("lines", "sku")),
    ]


def asyncapi(payload: str, more: str = "") -> str:
    return (
        "asyncapi: 3.0.0\ninfo: {title: t, version: '1'}\nservers: {k: {host: 'b:9092', protocol: kafka}}\n"
        f"channels: {{orders: {{address: orders, messages: {{o: {{payload: {payload}}}}}}}}}\n{more}"
    )


LINE = '{"type": "object", "properties": {"sku": {"type": "string"}}}'
AVRO = '{"type": "record", "name": "Order", "fields": [{"name": "sku", "type": "string"}]}'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "a.yaml": asyncapi(
                    "{items: {$ref: '#/components/schemas/A~1B'}}", f"components: {{schemas: {{A/B: {LINE}}}}}"
                )
            },
            {(), ("[]",), ("[]", "sku")},
        ),
        ({"d/a.yaml": asyncapi("{$ref: ../common/line.json}"), "common/line.json": LINE}, {("sku",)}),
        (
            {
                "a.yaml": asyncapi("{properties: {line: {$ref: 'b.yaml#/parts/Line'}}}"),
                "b.yaml": "parts: {Line: {$ref: '#/other'}}\nother: {properties: {next: {$ref: '#/parts/Line'}}}\n",
            },
            {("line",), ("line", "next")},
        ),
        (
            {
                "a.yaml": asyncapi(
                    "{schemaFormat: application/vnd.apache.avro;version=1.9.0, schema: {$ref: ./o.avsc}}"
                ),
                "o.avsc": AVRO,
            },
            {("sku",)},
        ),
        (
            {
                "a.yaml": asyncapi("{$ref: '#/components/messages/P'}", f"components: {{messages: {{P: {LINE}}}}}"),
            },
            {("sku",)},
        ),
    ],
)
def test_a_payload_has_the_columns_of_all_that_it_refers_to(read_repository, files, expected) -> None:
    (schema,) = (one for one in read_repository(files).of(ManualSchema) if one.topic == "orders")

    assert {column.path for column in read_columns(schema.format, schema.text, lambda _: None).columns} == expected


@pytest.mark.parametrize("reference", ["#/components/schemas/Missing", "./missing.json", "https://a.example/line.json"])
def test_a_reference_that_leads_to_nothing_is_told(read_repository, reference) -> None:
    reading = read_repository({"a.yaml": asyncapi(f"{{properties: {{line: {{$ref: '{reference}'}}}}}}")})

    assert [reference in file.reason for file in reading.of(UnreadFile)] == [True]


def test_a_contract_of_the_former_specification_is_read(read_repository) -> None:
    text = """
dataContractSpecification: 1.1.0
id: o
info: {title: o, owner: shop-team}
servers: {prod: {type: kafka, host: 'b:9092', topic: shop.orders, format: avro}}
models:
  order:
    fields:
      id: {type: long, required: true}
      email: {$ref: '#/definitions/email'}
      lines: {type: array, items: {type: record, fields: {sku: {type: string}}}}
      counts: {type: map, values: {type: int}}
definitions: {email: {type: string, pii: true}}
"""
    reading = read_repository({"c.yaml": text})
    (schema,) = reading.of(ManualSchema)

    assert (schema.topic, schema.format) == ("shop.orders", "AVRO")
    assert [(column.path, column.type, column.nullable) for column in schema.columns] == [
        (("id",), "long", False),
        (("email",), "string", True),
        (("lines",), "array", True),
        (("lines", "[]"), "record", True),
        (("lines", "[]", "sku"), "string", True),
        (("counts",), "map", True),
        (("counts", "{}"), "int", True),
    ]
    assert schema.columns[1].tags == ("PII",)
    assert [note.owner for note in reading.of(Annotation)] == ["shop-team"]


def test_channels_without_any_protocol_are_unread_with_the_files_they_refer_to(read_repository) -> None:
    """The protocol is that of a server or a binding; without both the channels may be topics."""
    text = "asyncapi: 3.0.0\nchannels: {o: {address: orders, messages: {m: {$ref: './m.yaml'}}}}\n"
    unread = read_repository({"asyncapi.yaml": text, "m.yaml": "payload: {type: object}\n"}).of(UnreadFile)

    assert {file.name for file in unread} == {"asyncapi.yaml", "m.yaml"}
    assert all("orders" in file.reason for file in unread)


@pytest.mark.parametrize(
    ("binding", "topics"),
    [
        ("messages: {m: {bindings: {kafka: {key: {type: string}}}}}", {"orders"}),
        ("bindings: {amqp: {is: queue}}", set()),
    ],
)
def test_a_binding_at_any_place_names_the_protocol(read_repository, binding, topics) -> None:
    reading = read_repository({"a.yaml": f"asyncapi: 3.0.0\nchannels: {{o: {{address: orders, {binding}}}}}\n"})

    assert {topic.name for topic in reading.of(Topic)} == topics
    assert not reading.of(UnreadFile)


CHANNELS = """
asyncapi: 3.0.0
info: {title: topics, version: '1'}
components:
  channels:
    orders:
      address: shop.orders
      bindings: {kafka: {partitions: 3}}
      messages: {m: {payload: {type: object, properties: {id: {type: string}}}}}
"""
APPLICATION = """
asyncapi: 3.0.0
info: {title: NAME, version: '1'}
channels: {orders: {$ref: './topics.yaml#/components/channels/orders'}}
operations: {use: {title: New order, action: ACTION, channel: {$ref: '#/channels/orders'}}}
"""


def test_channels_in_another_file_have_its_binding_and_the_uses_of_each_application(tmp_path: Path) -> None:
    """Two applications may give an operation the same title; the file with the channels is read with them."""
    files = {f"{name}__yaml": APPLICATION.replace("NAME", name).replace("ACTION", "send") for name in ("shop",)}
    files["billing__yaml"] = APPLICATION.replace("NAME", "billing").replace("ACTION", "receive")
    reading = read(tmp_path, topics__yaml=CHANNELS, **files)

    assert {(topic.name, topic.partitions) for topic in reading.of(Topic)} == {("shop.orders", 3)}
    assert {(flow.job, flow.origin.name, flow.target.name) for flow in reading.of(DeclaredFlow)} == {
        ("shop", "", "shop.orders"),
        ("billing", "shop.orders", ""),
    }
    assert reading.of(UnreadFile) == ()
