"""What CODEOWNERS of a repository owns: programs, connectors, topics and schemas in its files."""

from scanner_extractor.repository.code_owners import code_owners
from scanner_extractor.scan.manual import owned_by_subject
from scanner_model.catalogs import Annotation
from scanner_model.names import Fingerprint, Role, SourceId, SubjectName, TopicName
from scanner_model.owners import CODE_OWNED_PROGRAM, CODE_OWNED_SUBJECT, CODE_OWNED_TOPIC
from scanner_model.schemas import Confidence, TopicSchema

SINK = '{"name": "%s", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "orders"}}'
TOPIC = "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n  name: %s\nspec:\n  partitions: 3\n"
SCHEMA = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}'


def test_the_last_pattern_that_fits_decides() -> None:
    owners = code_owners("* @all\n/deploy/ @platform @ops # both\n*.avsc @data\n[Section]\n/docs/\n")

    assert owners("readme.md") == ("@all",)
    assert owners("deploy/kafka/topics.yaml") == ("@platform", "@ops")
    assert owners("schemas/order.avsc") == ("@data",)
    assert owners("docs/index.md") == ()


def test_what_files_declare_has_the_owners_of_the_files(read_repository) -> None:
    reading = read_repository(
        {
            ".github/CODEOWNERS": "/topics/ @platform\n/sinks/ @data @ops\n*.avsc @shop\n",
            "topics/orders.yaml": TOPIC % "orders",
            "other/payments.yaml": TOPIC % "payments",
            "sinks/s3.json": SINK % "orders-to-s3",
            "schemas/orders-value.avsc": SCHEMA,
            "sinks/load.sql": "CREATE STREAM a (x INT) WITH (KAFKA_TOPIC='a', VALUE_FORMAT='JSON');\n",
        }
    )

    owners = {(note.kind, note.name): note.owner for note in reading.of(Annotation)}
    assert owners[CODE_OWNED_TOPIC, "orders"] == "@platform"
    assert owners[CODE_OWNED_PROGRAM, "orders-to-s3"] == "@data, @ops"
    assert owners[CODE_OWNED_PROGRAM, "sinks/load.sql"] == "@data, @ops"
    assert [owner for (kind, _), owner in owners.items() if kind == CODE_OWNED_SUBJECT] == ["@shop"]
    assert (CODE_OWNED_TOPIC, "payments") not in owners


def test_without_the_file_nothing_is_owned(read_repository) -> None:
    assert read_repository({"topics/orders.yaml": TOPIC % "orders"}).of(Annotation) == ()


def test_a_topic_has_the_owner_of_its_schemas_file_unless_its_own_file_has_one() -> None:
    source = SourceId("files")
    notes = [
        Annotation(source=source, name="Order", kind=CODE_OWNED_SUBJECT, subject="Order", owner="@shop"),
        Annotation(source=source, name="a", kind=CODE_OWNED_TOPIC, topic=TopicName("a"), owner="@platform"),
    ]
    links = [link("a", "Order"), link("b", "Order"), link("c", "Order", current=False), link("d", "Other")]

    assert {note.topic: note.owner for note in owned_by_subject(notes, links)} == {"b": "@shop"}


def link(topic: str, subject: str, *, current: bool = True) -> TopicSchema:
    return TopicSchema(
        source=SourceId("files"),
        topic=TopicName(topic),
        role=Role.VALUE,
        fingerprint=Fingerprint("f"),
        strategy="topic",
        evidence="",
        confidence=Confidence.DECLARED,
        subject=SubjectName(subject),
        current=current,
    )
