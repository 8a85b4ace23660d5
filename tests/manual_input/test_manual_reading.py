"""What a valid document says."""

import pytest

from manual_input.schema_sources import FILE_FORMATS
from scanner_model.kafka import Cluster, Topic
from scanner_model.manual import FlowEnd
from scanner_model.names import ClusterName, Role, SourceId, TopicName

SOURCE = SourceId("manual:in.json")


def test_empty_document_states_nothing(read) -> None:
    """Someone who starts a file must not be blamed."""
    reading = read({})

    assert reading.input.cluster == Cluster(name=ClusterName("retail"), brokers=("kafka-1:9092",))
    assert (reading.input.topics, reading.input.flows, reading.warnings) == ((), (), ())


def test_brokers_are_added_in_normal_form(read) -> None:
    """However an address is written, it is the same broker."""
    reading = read({"brokers": ["SASL_SSL://Kafka-1:9092", "kafka-2"]})

    assert reading.input.cluster.brokers == ("kafka-1:9092", "kafka-2:9092")


def test_topic_carries_all_that_is_reported_for_it(read) -> None:
    """Description, tags and partitions go through as they are."""
    members = {"name": "orders", "description": "d", "tags": ["a", "b", "a"], "partitions": 3.0}

    (topic,) = read({"topics": [members]}).input.topics

    assert topic == Topic(source=SOURCE, name=TopicName("orders"), partitions=3, description="d", tags=("a", "b"))


def test_topics_of_a_group_share_its_schema(read) -> None:
    """Hundreds of topics of one kind are one entry."""
    group = {"names": ["b", "a"], "schemas": [{"columns": ["id"]}]}

    result = read({"topics": [group, "c"]}).input

    assert [topic.name for topic in result.topics] == ["a", "b", "c"]
    assert [(schema.topic, schema.location) for schema in result.schemas] == [
        ("b", "in.json $.topics[0].schemas[0]"),
        ("a", "in.json $.topics[0].schemas[0]"),
    ]


def test_schema_file_is_read_with_what_it_refers_to(read, write) -> None:
    """Reference texts are sorted by name, so that the order in the file changes nothing."""
    write("protos/order.proto", "message Order {}")
    write("a.proto", "A")
    write("b.proto", "B")
    entry = {
        "file": "protos/order.proto",
        "references": {"x/b.proto": "b.proto", "a.proto": "a.proto"},
        "record": "R",
    }

    (schema,) = read({"topics": [{"name": "t", "schemas": [entry]}]}).input.schemas

    assert (schema.format, schema.text, schema.record) == ("PROTOBUF", "message Order {}", "R")
    assert schema.references == (("a.proto", "A"), ("x/b.proto", "B"))


@pytest.mark.parametrize(
    ("file", "reported", "format_name"),
    [
        ("a.avsc", {}, "AVRO"),
        ("a.AVRO", {}, "AVRO"),
        ("a.proto", {}, "PROTOBUF"),
        ("a.schema.json", {}, "JSON"),
        ("a.json", {"format": "avro"}, "AVRO"),
        ("a.thrift", {"format": "THRIFT"}, "THRIFT"),
    ],
)
def test_format_is_as_reported_else_by_the_extension(read, write, file, reported, format_name) -> None:
    """An Avro schema often lies in a `.json` file; a plug-in's format has no extension that we know."""
    write(file, "{}")

    reading = read(
        {"topics": [{"name": "t", "schemas": [{"file": file, **reported}]}]}, formats=(*FILE_FORMATS, "THRIFT")
    )

    assert [schema.format for schema in reading.input.schemas] == [format_name]


def test_entry_that_is_only_a_file_is_written_as_its_name(read, write) -> None:
    """The commonest entry is the shortest."""
    write("a.avsc", '\ufeff"string"')

    (schema,) = read({"topics": [{"name": "t", "schemas": ["a.avsc"]}]}).input.schemas

    assert (schema.format, schema.text, schema.role) == ("AVRO", '"string"', Role.VALUE)


def test_samples_are_handed_over_one_a_line(read, write) -> None:
    """Files in the order of their names, messages in their order, numbers as they were written."""
    write("s/2.json", '{\n "n": 1.10,\r\n"big": 1e999}\n')
    write("s/1.ndjson", '{"a": "x y"}\n\n[1]\n')
    entry = {"samples": ["s/*"]}

    (schema,) = read({"topics": [{"name": "t", "schemas": [entry]}]}).input.schemas

    assert schema.format == "JSON_PAYLOAD"
    assert schema.text == '{"a": "x y"}\n[1]\n{  "n": 1.10, "big": 1e999}\n'


def test_topic_states_more_than_the_schema_it_uses(read) -> None:
    """What stands nearer wins: environment of the entry, of the shared schema, of the file."""
    document = {
        "environment": "file",
        "schemas": {"s": {"columns": ["id"], "subject": "com.acme.S", "version": 1, "id": 7, "environment": "shared"}},
        "topics": [{"name": "t", "schemas": [{"use": "s", "version": 2, "role": "key"}, {"columns": ["x"]}]}],
    }

    used, own = read(document).input.schemas

    assert (used.subject, used.version, used.schema_id) == ("com.acme.S", 2, "7")
    assert (used.role, used.environment) == (Role.KEY, "shared")
    assert (own.environment, own.schema_id) == ("file", None)


def test_subject_is_assigned_to_topics(read) -> None:
    """A name, an object, or a list of both; the role is absent where it is not given."""
    subjects = {"S": ["a", {"topic": "b", "role": "key", "context": ".c"}], "T": "a", "U": {"topic": "b"}}

    assignments = read({"subjects": subjects}).input.assignments

    assert [(a.subject, a.topic, a.role, a.context) for a in assignments] == [
        ("S", "a", None, None),
        ("S", "b", Role.KEY, ".c"),
        ("T", "a", None, None),
        ("U", "b", None, None),
    ]
    assert assignments[0].location == "in.json $.subjects.S[0]"


def test_flow_joins_topics_datasets_and_columns(read) -> None:
    """A topic has no namespace of its own here: the cluster's is known only when it is stored."""
    flow = {
        "from": {"namespace": "postgres://db:5432", "name": "s.t", "column": "id"},
        "to": {"topic": "a", "column": "`x.y`.[]"},
        "job": "j",
        "description": "d",
    }

    (result,) = read({"topics": ["a"], "flows": [flow]}).input.flows

    assert result.origin == FlowEnd(namespace="postgres://db:5432", name="s.t", path=("id",))
    assert result.target == FlowEnd(name="a", path=("x.y", "[]"))
    assert (result.job, result.description, result.evidence) == ("j", "d", "in.json $.flows[0]")


def test_many_columns_of_one_flow_are_one_entry(read) -> None:
    """Each pair is a flow with its own evidence."""
    flow = {"from": "a", "to": "b", "columns": [{"from": "x", "to": "y"}, {"from": "z", "to": "z"}]}

    flows = read({"topics": ["a", "b"], "flows": [flow]}).input.flows

    assert [(f.origin.path, f.target.path) for f in flows] == [(("x",), ("y",)), (("z",), ("z",))]
    assert flows[1].evidence == "in.json $.flows[0].columns[1]"


def test_comments_and_own_members_are_not_read(read) -> None:
    """People leave notes; other programs keep their members beside ours."""
    document = {"comment": ["a", 1], "x-team": {}, "topics": [{"name": "t", "comment": 1, "x-owner": None}]}

    assert len(read(document).input.topics) == 1


def test_file_of_another_cluster_is_skipped_and_counted(read, write) -> None:
    """One directory may hold the input of every cluster; a slip of the pen must show."""
    other = write("other.json", {"cluster": "retial", "topics": ["x", 1], "subjects": {"S": 5}, "brokers": [5]})

    reading = read({"topics": ["a"]}, other)

    (warning,) = reading.warnings
    assert warning.where == "other.json:1:13 $.cluster"
    assert "2 topics, 0 flows, 1 subjects" in warning.what
    assert warning.hint == "did you mean 'retail'?"
    assert [topic.name for topic in reading.input.topics] == ["a"]


def test_flow_of_a_topic_that_is_unknown_is_doubtful(read) -> None:
    """The topic may exist where no scan looks; so it is no error."""
    flows = [{"from": "ordesr", "to": "known"}, {"from": "assigned", "to": "orders"}]

    reading = read({"topics": ["orders"], "subjects": {"S": "assigned"}, "flows": flows}, topics=["known"])

    assert [(w.where, w.hint) for w in reading.warnings] == [("in.json:1:74 $.flows[0].from", "did you mean 'orders'?")]
    assert len(reading.input.flows) == 2


def test_shared_schema_that_no_topic_uses_is_doubtful(read) -> None:
    """It says nothing of any topic, which is hardly what was meant."""
    (warning,) = read({"schemas": {"s": {"columns": ["a"]}}}).warnings

    assert warning.where == "in.json:1:19 $.schemas.s"


def test_same_files_elsewhere_give_the_same_facts(read, write, tmp_path) -> None:
    """Identity is relative to the cluster file, so another machine's checkout stores the same rows."""
    write("sub/more.json", {"topics": ["b"]})
    write("x/y", "")

    result = read({"topics": ["a"]}, tmp_path / "x" / ".." / "sub" / "more.json").input

    assert [topic.source for topic in result.topics] == ["manual:in.json", "manual:sub/more.json"]


def test_owners_are_annotations_by_pattern(read) -> None:
    """A team owns names of any kind, so a pattern says nothing of what it matches."""
    owners = read({"owners": {"team-a": ["orders", "orders-*"], "team-b": ["nightly"]}}).input.owners

    assert [(note.name, note.owner, note.topic) for note in owners] == [
        ("orders", "team-a", None),
        ("orders-*", "team-a", None),
        ("nightly", "team-b", None),
    ]


def test_fields_of_a_flow_are_uses_of_its_job(read) -> None:
    """A reader that writes nothing has no `to`."""
    flow = {"from": "orders", "job": "billing", "fields": ["total", "customer.id"]}
    result = read({"topics": ["orders"], "flows": [flow]}).input

    assert [(use.program, use.topic, use.path) for use in result.field_uses] == [
        ("billing", "orders", ("total",)),
        ("billing", "orders", ("customer", "id")),
    ]
    assert [(each.job, each.origin.name, each.target.name) for each in result.flows] == [("billing", "orders", "")]
