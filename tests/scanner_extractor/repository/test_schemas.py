"""Schema files are versions of subjects: of build files, of the topics that they are called after, of their records."""

from __future__ import annotations

import json

import pytest
from drawn import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner_model.declarations import UnreadFile
from scanner_model.manual import DeclaredFlow
from scanner_model.schemas import SchemaVersion


def record(name: str, *types: str) -> str:
    fields = [{"name": f"f{number}", "type": kind} for number, kind in enumerate(types or ("int",))]
    return json.dumps({"type": "record", "name": name, "namespace": "shop", "fields": fields})


def subjects(reading) -> set[tuple[str, int]]:
    return {(version.subject, version.version) for version in reading.of(SchemaVersion)}


def creating(*topics: str) -> str:
    return "".join(f"kafka-topics --create --topic {topic}\n" for topic in topics)


@pytest.mark.parametrize(
    ("topic", "path", "name"),
    [
        ("orders", "order.avsc", "Order"),
        ("order-validations", "ordervalidation.avsc", "Validated"),
        ("orders-avro", "order_v1.avsc", "Order"),
        ("shop.db.customers", "customer-message.avsc", "Customer"),
        ("OrderEvents", "a.avsc", "Order"),
    ],
)
def test_a_schema_is_of_the_topic_that_it_is_called_after(read_repository, topic, path, name) -> None:
    """Words in the plural, and those that say what a name is of, make no difference."""
    reading = read_repository({"topics.sh": creating(topic), path: record(name)})

    assert subjects(reading) == {(f"{topic}-value", 1)}


def test_two_versions_of_one_record_are_versions_of_the_topic(read_repository) -> None:
    """Files number them."""
    files = {"t.sh": creating("orders"), "order_v1.avsc": record("Order"), "order_v2.avsc": record("Order", "long")}

    assert subjects(read_repository(files)) == {("orders-value", 1), ("orders-value", 2)}


def test_a_version_before_the_side_is_one_of_the_topic(read_repository) -> None:
    """A file that ends in `-value` is called as its subject."""
    assert subjects(read_repository({"orders.paid.v1-value.avsc": record("Paid")})) == {("orders.paid.v1-value", 1)}


def test_nothing_is_guessed_where_several_are_called_alike(read_repository) -> None:
    """Two topics for one record, or two records for one topic."""
    files = {"t.sh": creating("a.orders", "b.orders", "refunds"), "order.avsc": record("Order")}
    files |= {"refund.avsc": record("Refund"), "x/refunds.avsc": record("Refunded")}

    assert subjects(read_repository(files)) == {("shop.Order", 1), ("shop.Refund", 1), ("shop.Refunded", 1)}


def test_a_list_of_types_is_a_schema_each(read_repository) -> None:
    """The topic has the record that is called after it; an enumeration is no message."""
    states = {"type": "enum", "name": "State", "namespace": "shop", "symbols": ["NEW"]}
    listed = f"[{json.dumps(states)}, {record('Order', 'shop.State')}, {record('OrderValue', 'shop.Order')}]"
    reading = read_repository({"t.sh": creating("orders", "states"), "order.avsc": listed})

    assert subjects(reading) == {("orders-value", 1), ("shop.State", 1), ("shop.OrderValue", 1)}
    order = next(version for version in reading.of(SchemaVersion) if version.subject == "orders-value")
    assert [reference.subject for reference in order.references] == ["shop.State"]
    assert json.loads(order.text)["name"] == "Order"


@pytest.mark.parametrize("mark", ["- ", "  "])
def test_julieops_names_the_files_of_the_schemas_of_a_topic(read_repository, mark) -> None:
    """The subject has the full name of the topic."""
    topology = (
        "context: shop\nprojects:\n  - name: web\n    topics:\n      - name: orders\n        schemas:\n"
        "          %skey.schema.file: schemas/id.avsc\n            value.schema.file: schemas/o.avsc\n"
    )
    topology %= mark
    files = {
        "julie/topology.yaml": topology,
        "julie/schemas/id.avsc": record("Id"),
        "julie/schemas/o.avsc": record("O"),
    }

    assert subjects(read_repository(files)) == {("shop.web.orders-key", 1), ("shop.web.orders-value", 1)}


def test_a_plug_in_of_apicurio_names_the_subject_of_a_file(read_repository) -> None:
    """Its artifacts have an identifier and a file, in any order."""
    pom = (
        "<plugin><artifactId>apicurio-registry-maven-plugin</artifactId><configuration><artifacts><artifact>"
        "<file>${project.basedir}/o.avsc</file><artifactId>orders-value</artifactId><type>AVRO</type>"
        "</artifact></artifacts></configuration></plugin>"
    )

    assert subjects(read_repository({"pom.xml": pom, "o.avsc": record("O")})) == {("orders-value", 1)}


def test_a_message_of_buf_names_its_subject(read_repository) -> None:
    """The option of the message does, whatever the module is called."""
    text = (
        'syntax = "proto3";\npackage shop;\nmessage Order {\n  option (buf.confluent.v1.subject) = {\n'
        '    instance_name: "registry"\n    name: "orders-value"\n  };\n  int64 id = 1;\n}\n'
    )

    assert subjects(read_repository({"buf.yaml": "version: v2\n", "shop/order.proto": text})) == {("orders-value", 1)}


DRAFT = "http://json-schema.org/draft-07/schema#"
FORMS = {
    "a.json": {"$schema": DRAFT, "type": "array", "items": [{"const": 1}, {"type": "string"}]},
    "b.json": {"$schema": DRAFT, "anyOf": [{"type": "string"}, {"type": "object"}]},
    "c.json": {"$schema": DRAFT, "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}},
    "d.json": {"$schema": DRAFT, "additionalProperties": {"type": "string"}},
    "e.json": {"$schema": DRAFT, "$defs": {"a": {"type": "object"}}},
    "f-key.avsc": "string",
    "g-value.avsc": {"type": "array", "items": "string"},
    "h-value.avsc": {"type": "map", "values": "long"},
    "i-value.avsc": ["null", "string"],
    "j.proto": 'syntax = "proto3"; package p; enum Kind { A = 0; }',
    "k.proto": 'syntax = "proto3"; package p; message Order { int64 id = 1; }',
}


@pytest.mark.parametrize("path", FORMS)
def test_a_schema_of_any_form_has_a_subject(read_repository, path) -> None:
    """A file that yields no schema would count as checked."""
    form = FORMS[path]
    reading = read_repository({path: form if path.endswith(".proto") else json.dumps(form)})

    assert len(subjects(reading)) == 1
    assert reading.schema_files.keys() == {path}


@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["string", "long", "Order", "record", "a.B"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "name", "fields", "items", "values", "symbols"]), inner, max_size=4
            )
        ),
        max_leaves=8,
    ),
    path=st.sampled_from(["orders-value.avsc", "orders.schema.json"]),
)
def test_a_schema_file_is_read_or_named_as_unread(read_repository, value, path) -> None:
    """Whatever it holds: a file that is neither would be taken for checked."""
    document = value if path.endswith(".avsc") else {"$schema": DRAFT, "items": value}
    reading = read_repository({path: json.dumps(document)})

    assert path in {*reading.schema_files, *(file.name for file in reading.of(UnreadFile))}


def test_a_file_that_a_schema_refers_to_is_a_schema(read_repository) -> None:
    """It often does not name its draft."""
    order = {"$schema": DRAFT, "title": "Order", "properties": {"sum": {"$ref": "common/money.json#/definitions/M"}}}
    files = {"s/order.json": json.dumps(order), "s/common/money.json": '{"definitions": {"M": {"type": "integer"}}}'}

    versions = read_repository(files).of(SchemaVersion)

    (reference,) = (reference for version in versions for reference in version.references)
    assert (reference.name, reference.subject) == ("common/money.json", "money")


def test_a_description_of_a_topic_names_its_services_and_schemas(read_repository) -> None:
    """Repositories of schemas keep them, one file for each topic."""
    text = (
        "topic: orders\nservices:\n  producers: [acme/shop]\n  consumers: [acme/billing]\n"
        "schemas:\n  - {version: 1, resource: orders.v1.schema.json}\n"
    )
    schema = json.dumps({"$schema": DRAFT, "title": "Whatever", "type": "array"})
    reading = read_repository({"topics/orders.yaml": text, "schemas/orders.v1.schema.json": schema})

    assert subjects(reading) == {("orders-value", 1)}
    flows = {(flow.job, flow.origin.name, flow.target.name) for flow in reading.of(DeclaredFlow)}
    assert flows == {("acme/shop", "", "orders"), ("acme/billing", "orders", "")}


def test_types_of_avro_idl_are_schemas_that_refer_to_each_other(read_repository):
    """One protocol often holds the records of several topics."""
    idl = "@namespace('shop') protocol P { record Order { Customer customer; } record Customer { string email; } }"
    script = "kafka-topics --create --topic orders --bootstrap-server k:1\n"
    reading = read_repository({"shop.avdl": idl, "t.sh": script})

    versions = {str(version.subject): version for version in reading.of(SchemaVersion)}
    assert set(versions) == {"orders-value", "shop.Customer"}
    assert [reference.name for reference in versions["orders-value"].references] == ["shop.Customer"]
    assert reading.schema_files == {"shop.avdl": ("orders-value", "shop.Customer")}


def test_types_of_an_avro_protocol_are_schemas(read_repository):
    protocol = {"protocol": "P", "namespace": "shop", "types": [{"type": "fixed", "name": "Hash", "size": 16}]}
    (version,) = read_repository({"shop.avpr": json.dumps(protocol)}).of(SchemaVersion)

    assert version.subject == "shop.Hash"
    assert json.loads(version.text)["namespace"] == "shop"


def test_idl_that_is_not_valid_is_unread_with_its_line(read_repository):
    (unread,) = read_repository({"shop.avdl": "protocol P {\n record Order { string id }\n}"}).of(UnreadFile)

    assert (unread.name, unread.kind) == ("shop.avdl", "AVRO schema")
    assert unread.reason.startswith("line 2: invalid Avro IDL")


def test_a_json_schema_in_yaml_may_begin_with_comments(read_repository) -> None:
    """A comment before `---` is a document of its own, without a value."""
    text = "# Events of a runner.\n---\n$schema: http://json-schema.org/draft-07/schema#\ntype: object\n"
    reading = read_repository({"schema/event.yaml": f"{text}properties:\n  id: {{type: string}}\n"})

    assert reading.of(UnreadFile) == ()
    assert [version.format for version in reading.of(SchemaVersion)] == ["JSON"]


PROPERTIES = '{"type": "object", "title": "Order", "properties": {"id": {"type": "integer"}}}'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"orders-key.json": PROPERTIES}, "orders-key"),
        ({"orders-value.schema.json": PROPERTIES}, "orders-value"),
        ({"shop.orders-value.event.json": PROPERTIES}, "shop.orders-value"),
        ({"t.sh": creating("orders"), "order.schema.json": PROPERTIES}, "orders-value"),
        (
            {"t.sh": creating("orders"), "Order.json": '{"$ref": "#/$defs/O", "$defs": {"O": {"type": "object"}}}'},
            "orders-value",
        ),
        ({"orders-value.json": '{"type": ["object", "null"], "allOf": [{"properties": {"id": {}}}]}'}, "orders-value"),
        ({"shop.orders-value.yml": "# an order\nproperties:\n  id: {type: integer}\n"}, "shop.orders-value"),
        ({"x.jsonschema": PROPERTIES}, "Order"),
        (
            {
                "pom.xml": "<configuration><subjects><a-value>any/x.txt</a-value></subjects></configuration>",
                "any/x.txt": PROPERTIES,
            },
            "a-value",
        ),
    ],
)
def test_a_json_schema_need_not_name_its_draft(read_repository, files, expected) -> None:
    """Registries read it as draft 7; its name, a topic or a build file says that it is one of messages."""
    assert {subject for subject, _ in subjects(read_repository(files))} == {expected}


@pytest.mark.parametrize(
    "files",
    [
        {"settings.json": PROPERTIES},
        {"orders-value.json": '{"id": 1, "properties": {"a": 1}, "kind": "x"}'},
        {"openapi-value.json": '{"openapi": "3.0.0", "allOf": [{}]}'},
        {"orders-value.yaml": "properties: 3\n---\nproperties: 4\n"},
        {"t.sh": creating("orders"), "order.json": '{"id": 1, "items": 3}'},
    ],
)
def test_other_documents_with_words_of_json_schema_are_none(read_repository, files) -> None:
    assert not subjects(read_repository(files))


@pytest.mark.parametrize(
    ("own", "reference", "other"),
    [
        ("https://a.example/s/order.json", "addr.json", "https://a.example/s/addr.json"),
        ("https://a.example/s/order.json", "/t/addr.json#/definitions/A", "https://a.example/t/addr.json"),
        ("urn:a.example:order", "urn:a.example:addr", "urn:a.example:addr"),
        ("", "https://a.example/s/addr.json", "https://a.example/s/addr.json"),
        ("https://a.example/s/order", "../addr", "https://a.example/addr"),
    ],
)
def test_a_reference_leads_to_the_file_with_that_id(read_repository, own, reference, other) -> None:
    user = {"$id": own, "type": "object", "properties": {"a": {"$ref": reference}}}
    used = {"$id": other, "type": "object", "definitions": {"A": {"type": "object"}}}
    if not own:
        del user["$id"]

    reading = read_repository({"x/orders-value.json": json.dumps(user), "y/z.json": json.dumps(used)})
    (version,) = (one for one in reading.of(SchemaVersion) if one.subject == "orders-value")
    assert [one.name for one in version.references] == [reference.partition("#")[0]]


@pytest.mark.parametrize(
    ("path", "identity", "is_one"),
    [
        ("a/order.schema.json", "", True),
        ("a/order-schema.json", "", True),
        ("a/order.json", '"$id": "urn:shop:order", ', True),
        ("a/order.json", '"id": "http://shop.example/order", ', True),
        ("a/order.json", '"id": "7", ', False),
        ("chart/values.schema.json", '"$id": "urn:shop:chart", ', False),
    ],
)
def test_a_json_schema_without_a_draft_is_one_by_its_name_or_identity(read_repository, path, identity, is_one) -> None:
    text = f'{{{identity}"type": "object", "properties": {{"total": {{"type": "string"}}}}}}'

    assert bool(read_repository({path: text}).of(SchemaVersion)) is is_one


SELF_DESCRIBING = (
    '{"$schema": "http://iglucentral.com/schemas/com.snowplowanalytics.self-desc/schema/jsonschema/1-0-0#",'
    ' "self": {"vendor": "com.shop", "name": "order", "format": "jsonschema", "version": "%s"},'
    ' "type": "object", "properties": {"id": {"type": "string"}%s}}'
)


def test_self_describing_schemas_of_one_model_are_versions_whatever_their_files_are_called(read_repository):
    files = {
        "schemas/com.shop/order/jsonschema/1-0-0": SELF_DESCRIBING % ("1-0-0", ""),
        "schemas/com.shop/order/jsonschema/1-0-1": SELF_DESCRIBING % ("1-0-1", ', "note": {"type": "string"}'),
        "schemas/com.shop/order/jsonschema/2-0-0.json": SELF_DESCRIBING % ("2-0-0", ""),
    }
    versions = read_repository(files).of(SchemaVersion)

    assert [(version.subject, version.version) for version in versions] == [
        ("com.shop.order-v1", 1),
        ("com.shop.order-v1", 2),
        ("com.shop.order-v2", 1),
    ]


def test_a_json_schema_is_known_by_its_draft_in_a_file_without_an_ending(read_repository):
    text = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Order", "properties": {"id": {}}}'
    (version,) = read_repository({"schemas/order/1.0.0": text}).of(SchemaVersion)

    assert (version.subject, version.format) == ("Order", "JSON")
