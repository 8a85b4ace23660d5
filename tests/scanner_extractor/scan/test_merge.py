"""From what the sources said to one scan."""

from dataclasses import replace
from pathlib import Path

import pytest

from scanner_extractor.results import ConnectCluster, KafkaCluster, Reading, SourceReadings
from scanner_extractor.scan.merge import NOTHING, merge_results
from scanner_extractor.settings.cluster import HttpSettings, NamingSettings, RegistrySettings, Settings
from scanner_model.catalogs import Annotation
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, Topic
from scanner_model.manual import Assignment, DeclaredFlow, FlowEnd, ManualInput, ManualSchema
from scanner_model.names import ClusterName, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.owners import OWNED_TOPIC, OWNER_PATTERN
from scanner_model.scan import ClusterScan, PreviousState, SourceResult, SourceStatus
from scanner_model.schemas import Association, Confidence, Definition, Registry, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import CollectionColumn, KsqlSource

REGISTRY = RegistrySettings(type="confluent", http=HttpSettings(url="https://sr"))
SETTINGS = Settings(
    cluster=ClusterName("retail"), brokers=("Kafka-1",), file=Path("cluster.json"), registries=(REGISTRY,)
)
KSQL = SourceId("ksqldb:http://ksql")
KAFKA = SourceId("kafka:kafka-1:9092")
CONNECT = SourceId("connect:shop")
MANUAL = SourceId("manual:legacy.json")


def outcome(source: SourceId, kind: str) -> SourceResult:
    return SourceResult(source=source, kind=kind, status=SourceStatus.READ)


def version(subject: str, number: int = 1, text: str = '"string"') -> SchemaVersion:
    return SchemaVersion(
        source=REGISTRY.source, subject=SubjectName(subject), version=number, schema_id="7", format="AVRO", text=text
    )


def registry(*versions: SchemaVersion) -> Reading:
    registry = Registry(source=REGISTRY.source, kind="confluent", url="https://sr")
    return Reading(outcome=outcome(REGISTRY.source, "schema_registry"), facts=(registry, *versions))


def kafka(*topics: str, brokers: tuple[str, ...] = ()) -> Reading:
    listed = (Topic(source=KAFKA, name=TopicName(name), partitions=1) for name in topics)
    own = KafkaCluster(cluster_id="abc", addresses=brokers)
    return Reading(outcome=outcome(KAFKA, "kafka"), facts=(own, *listed))


def ksqldb(topic: str) -> Reading:
    column = CollectionColumn(column=Column(path=("URL",), type="STRING"), role=Role.VALUE)
    stream = KsqlSource(
        source=KSQL,
        name="CLICKS",
        kind="STREAM",
        topic=TopicName(topic),
        key_format="KAFKA",
        value_format="JSON",
        statement="CREATE STREAM CLICKS",
        columns=(column,),
    )
    return Reading(outcome=outcome(KSQL, "ksqldb"), facts=(stream,))


def scan(*readings: Reading, manual: ManualInput | None = None, remembered: PreviousState = NOTHING) -> ClusterScan:
    requests = SourceReadings(outcomes=tuple(reading.outcome for reading in readings), readings=readings)
    return merge_results(SETTINGS, requests, manual, remembered=remembered)


def manual(**facts: object) -> ManualInput:
    return ManualInput(cluster=Cluster(name=SETTINGS.cluster, brokers=()), sources=(MANUAL,), **facts)


def links(scan: ClusterScan) -> list[tuple[str, str, str, Confidence]]:
    return [(link.topic, link.role, link.strategy, link.confidence) for link in scan.of(TopicSchema)]


def test_every_address_of_the_cluster_is_known_once_in_normal_form() -> None:
    """Any broker of the cluster finds it."""
    result = scan(kafka(brokers=("KAFKA-1:9092", "kafka-2:9092")))

    assert result.cluster.brokers == ("kafka-1:9092", "kafka-2:9092")
    assert result.cluster.cluster_id == "abc"


def test_a_topic_that_the_brokers_list_confirms_a_subject() -> None:
    """Known topics decide what a subject's name means."""
    assert links(scan(kafka("orders"), registry(version("orders-value")))) == [
        ("orders", "value", "topic", Confidence.CONFIRMED)
    ]


def test_a_topic_never_takes_the_schema_of_its_retry_topic() -> None:
    """A prefix is no match."""
    result = scan(kafka("orders", "orders.RETRY"), registry(version("orders.RETRY-value")))

    assert [link.topic for link in result.of(TopicSchema)] == ["orders.RETRY"]


def test_an_outage_of_the_brokers_does_not_make_topics_of_orphans() -> None:
    """A subject that is new may have a new topic; one whose topic the brokers did not have is an orphan still."""
    orphan = (REGISTRY.source, ".", SubjectName("gone-value"))
    remembered = PreviousState(topics=(Topic(source=KAFKA, name=TopicName("orders")),), orphans=frozenset({orphan}))
    found = registry(version("gone-value"), version("new-value"))

    assert [topic.name for topic in scan(found, remembered=remembered).of(Topic)] == ["new"]
    assert links(scan(kafka("gone"), found, remembered=remembered)) == [
        ("gone", "value", "topic", Confidence.CONFIRMED)
    ]


def test_a_declared_topic_that_the_brokers_lack_is_reported() -> None:
    """It was deleted, or the declaration is wrong."""
    naming = replace(REGISTRY, naming=NamingSettings(subjects={SubjectName("shop.Paid"): ("paid",)}))
    result = merge_results(
        replace(SETTINGS, registries=(naming,)),
        SourceReadings(outcomes=(), readings=(kafka("orders"), registry(version("shop.Paid")))),
    )

    assert "the brokers have no topic 'paid'" in [problem.what for problem in result.problems]


def test_an_outage_of_the_brokers_does_not_doubt_known_topics() -> None:
    """Nothing in the installation changed, so nothing in the dictionary may."""
    remembered = PreviousState(topics=(Topic(source=KAFKA, name=TopicName("orders")),))
    result = scan(registry(version("orders-value")), remembered=remembered)

    assert links(result) == [("orders", "value", "topic", Confidence.CONFIRMED)]
    assert [topic.name for topic in result.of(Topic)] == ["orders"]


def test_an_outage_of_the_brokers_leaves_the_evidence() -> None:
    """That ksqlDB names the topic, too, is no change."""
    remembered = PreviousState(topics=(Topic(source=KAFKA, name=TopicName("orders")),))
    result = scan(registry(version("orders-value")), ksqldb("orders"), remembered=remembered)

    assert {link.evidence for link in result.of(TopicSchema) if link.source == REGISTRY.source} == {
        "subject 'orders-value' by strategy topic; topic known from kafka"
    }


def test_a_topic_that_only_an_earlier_subject_named_does_not_confirm_the_subject() -> None:
    """A registry that is read in part is no second source."""
    remembered = PreviousState(topics=(Topic(source=REGISTRY.source, name=TopicName("orders")),))
    result = scan(registry(version("orders-value")), remembered=remembered)

    assert links(result) == [("orders", "value", "topic", Confidence.ASSUMED)]


@pytest.mark.parametrize("subject", ["orders-value", "shop.orders-key", "orders-value-value"])
def test_a_topic_that_the_brokers_do_not_list_is_not_assumed_for_its_subject(subject: str) -> None:
    """Whoever deletes a topic often leaves its subject: that is an orphan, and no topic."""
    result = scan(kafka("payments"), registry(version(subject), version("payments-value")))

    assert [topic for topic, *_ in links(result)] == ["payments"]
    assert [topic.name for topic in result.of(Topic)] == ["payments"]


def test_a_connector_whose_topics_could_not_be_read_keeps_them() -> None:
    """Of a worker that ends in the middle of a scan, or of one whose topics it does not know."""
    names = ("new", "audit", "told")
    reported = {"told": (TopicName("b"),)}
    connectors = tuple(
        Connector(source=CONNECT, name=name, kind=ConnectorKind.SOURCE, connector_class="x", topics=reported.get(name))
        for name in names
    )
    earlier = {(CONNECT, name): (TopicName("a"),) for name in ("audit", "told")}
    reading = Reading(outcome=outcome(CONNECT, "connect"), facts=connectors)
    result = scan(reading, remembered=PreviousState(connector_topics=earlier))

    assert [(connector.name, connector.topics) for connector in result.of(Connector)] == [
        ("new", None),
        ("audit", ("a",)),
        ("told", ("b",)),
    ]


def test_a_topic_whose_settings_are_refused_keeps_those_of_an_earlier_scan() -> None:
    """Unknown is not empty; what was reported this time stays as it was reported."""
    brokers = KafkaCluster(unconfigured=frozenset({TopicName("new"), TopicName("orders")}))
    reading = kafka("new", "orders", "told").with_facts({KafkaCluster: (brokers,)})
    config = (("cleanup.policy", "compact"),)
    earlier = (
        Topic(source=KAFKA, name=TopicName("orders"), partitions=9, internal=True, config=config),
        Topic(source=KAFKA, name=TopicName("told"), internal=True, config=config),
    )
    result = scan(reading, remembered=PreviousState(topics=earlier))

    assert [(topic.name, topic.partitions, topic.internal, topic.config) for topic in result.of(Topic)] == [
        ("new", 1, False, ()),
        ("orders", 1, True, config),
        ("told", 1, False, ()),
    ]


def test_ksqldb_describes_a_topic_that_no_registry_describes() -> None:
    """Its columns become the topic's schema."""
    result = scan(ksqldb("clicks"))
    (link,) = result.of(TopicSchema)

    assert (link.strategy, link.subject) == ("ksqldb", "")
    assert [column.name for definition in result.of(Definition) for column in definition.columns] == ["URL"]


def test_a_registrys_schema_goes_before_ksqldbs_view() -> None:
    """A collection is somebody's view of a topic."""
    assert links(scan(ksqldb("clicks"), registry(version("clicks-value")))) == [
        ("clicks", "value", "topic", Confidence.CONFIRMED)
    ]


def test_ksqldb_names_the_message_of_a_schema_with_several() -> None:
    """It reads and writes the topic as that message, which need not be the first of the file."""
    text = 'syntax = "proto3"; package shop; message Order { string id = 1; } message Payment { int64 sum = 1; }'
    registered = registry(replace(version("clicks-value", text=text), format="PROTOBUF"))
    server = ksqldb("clicks")
    statement = "CREATE STREAM P WITH (KAFKA_TOPIC='clicks', VALUE_SCHEMA_FULL_NAME='shop.Payment');"
    stream = replace(server.of(KsqlSource)[0], value_format="PROTOBUF", statement=statement)
    other = replace(stream, name="O", statement=statement.replace("Payment", "Order"))

    def names(*readings: Reading, remembered: PreviousState = NOTHING) -> list[str]:
        found = scan(registered, *readings, remembered=remembered)
        definitions = {definition.fingerprint: definition.name for definition in found.of(Definition)}
        return [definitions[link.fingerprint] for link in found.of(TopicSchema) if link.subject]

    known = PreviousState(messages={SubjectName("clicks-value"): RecordName("shop.Payment")})
    assert names(server.with_facts({KsqlSource: (stream,)})) == ["shop.Payment"]
    assert names(remembered=known) == ["shop.Payment"]
    assert names() == names(server.with_facts({KsqlSource: (stream, other)})) == ["shop.Order"]


def test_ksqldb_does_not_step_in_while_the_registry_is_silent() -> None:
    """Its view would vanish again with the next scan."""
    sides = frozenset({(TopicName("clicks"), Role.VALUE)})

    assert scan(ksqldb("clicks"), remembered=PreviousState(sides=sides)).of(TopicSchema) == ()


def test_manual_input_adds_a_side_and_is_reported_as_a_source() -> None:
    """Also a file that says nothing any more is a source that was read."""
    schema = ManualSchema(
        source=MANUAL,
        topic=TopicName("orders"),
        role=Role.KEY,
        format="CSV",
        location="legacy.json $.x",
        columns=(Column(path=("id",), type="text"),),
    )
    topic = Topic(source=MANUAL, name=TopicName("orders"))
    result = scan(registry(version("orders-value")), manual=manual(topics=(topic,), schemas=(schema,)))

    links = [(link.role, link.source) for link in result.of(TopicSchema)]
    assert links == [("key", MANUAL), ("value", REGISTRY.source)]
    assert [(outcome.source, outcome.received) for outcome in result.outcomes][-1] == (MANUAL, 2)
    assert scan(manual=manual()).outcomes[-1].status == SourceStatus.READ


def test_a_subject_finds_its_topic_through_manual_input() -> None:
    """RecordNameStrategy has no topic in the name."""
    record = '{"type": "record", "name": "Payment", "namespace": "shop", "fields": []}'
    assignment = Assignment(
        source=MANUAL, subject=SubjectName("shop.Payment"), topic=TopicName("payments"), role=None, location="x"
    )
    result = scan(
        kafka("payments"), registry(version("shop.Payment", text=record)), manual=manual(assignments=(assignment,))
    )

    assert [(link.topic, link.confidence) for link in result.of(TopicSchema)] == [("payments", Confidence.DECLARED)]


def test_a_topic_that_the_brokers_lack_is_a_problem_and_stays() -> None:
    """Somebody declared it; somebody must look."""
    result = scan(kafka("orders"), manual=manual(topics=(Topic(source=MANUAL, name=TopicName("order")),)))

    assert [topic.name for topic in result.of(Topic)] == ["order", "orders"]
    assert any("'order'" in problem.what for problem in result.problems)


def test_versions_that_share_a_text_share_a_definition() -> None:
    """Definitions are stored once."""
    result = scan(registry(version("a-value"), version("b-value")))

    assert len(result.of(Definition)) == 1
    assert {version.fingerprint for version in result.of(SchemaVersion)} == {result.of(Definition)[0].fingerprint}


def test_the_order_of_what_is_found_does_not_depend_on_the_order_of_the_answers() -> None:
    """Same input, same bytes."""
    versions = (version("b-value"), version("a-value", text='"long"'))
    item = scan(kafka("b", "a"), registry(*versions))
    other = scan(kafka("a", "b"), registry(*reversed(versions)))

    assert item.of(Topic) == other.of(Topic)
    assert item.of(TopicSchema) == other.of(TopicSchema)
    assert item.of(Definition) == other.of(Definition)


def test_problems_of_every_step_are_listed() -> None:
    """None of them loses a fact."""
    result = scan(registry(version("orders-value", text="{")))

    assert result.of(TopicSchema)
    assert any(problem.where.startswith("'orders-value'") for problem in result.problems)
    assert replace(result.of(SchemaVersion)[0], fingerprint="") == version("orders-value", text="{")


def connect(cluster_id: str) -> Reading:
    source = SourceId("connect:main")
    connector = Connector(source=source, name="sink", kind=ConnectorKind.SINK, connector_class="com.acme.Sink")
    cluster = ConnectCluster(source=source, kafka_cluster_id=cluster_id)
    return Reading(outcome=outcome(source, "connect"), facts=(cluster, connector))


def test_connectors_are_part_of_the_scan() -> None:
    """And their workers tell the cluster's own id where no broker was queried."""
    result = scan(connect("abc"))

    assert [connector.name for connector in result.of(Connector)] == ["sink"]
    assert (result.cluster.cluster_id, result.problems) == ("abc", ())


def test_connect_cluster_of_another_kafka_cluster_is_a_problem() -> None:
    """Its connectors move data of topics that only have the same names."""
    result = scan(kafka("orders"), connect("xyz"))

    assert [problem.where for problem in result.problems] == ["connect:main"]
    assert result.cluster.cluster_id == "abc"
    assert result.of(Connector)


def associated(*namespaces: str) -> Reading:
    """Return a registry whose subject is associated with a topic of the cluster's, in each of *namespaces*."""
    links = tuple(
        Association(
            source=REGISTRY.source,
            context=".",
            subject=SubjectName("shared"),
            topic=TopicName(f"refunds{at}"),
            role=Role.VALUE,
            namespace=namespace,
        )
        for at, namespace in enumerate(namespaces)
    )
    return registry(version("shared")).with_facts({Association: links})


def test_associations_of_other_clusters_are_no_links_and_make_no_topics() -> None:
    """One registry serves many clusters, and their topics bear the same names."""
    result = scan(kafka("refunds1"), associated("", "-", "abc", "lkc-OTHER"))

    assert [(topic, confidence) for topic, _, _, confidence in links(result)] == [
        (f"refunds{at}", Confidence.DECLARED) for at in range(3)
    ]
    assert [topic.name for topic in result.of(Topic)] == ["refunds0", "refunds1", "refunds2"]
    assert result.problems == ()


def test_cluster_id_of_an_earlier_scan_chooses_associations_while_the_brokers_are_down() -> None:
    """An outage of the brokers must not unbind what the registry declares."""
    result = scan(associated("abc", "lkc-OTHER"), remembered=PreviousState(cluster_id="abc"))

    assert [link.topic for link in result.of(TopicSchema)] == ["refunds0"]


def test_associations_that_name_clusters_are_reported_where_the_own_id_is_not_known() -> None:
    """Without the brokers nobody can tell whose topics they are."""
    result = scan(associated("-", "abc"))

    assert [link.topic for link in result.of(TopicSchema)] == ["refunds0"]
    assert [problem.what for problem in result.problems] == [
        "the id of this Kafka cluster is not known: 1 of 2 associations name a cluster and are left out"
    ]


def test_facts_of_a_kind_without_a_member_of_its_own_are_listed_in_the_order_of_the_sources() -> None:
    """A new kind of source needs no line in the merge."""
    first, second = (outcome(SourceId(f"quotas:{name}"), "quotas") for name in "ab")
    merged = scan(
        Reading(outcome=first, facts=("user-1",)),
        Reading(outcome=second, facts=("user-2",)),
    )

    assert merged.of(str) == ("user-1", "user-2")


def test_owners_of_manual_input_are_those_of_the_topics_that_they_match() -> None:
    """Lists of topics find owners by topic; patterns stay for jobs and groups, which the scan does not know yet."""
    patterns = (
        Annotation(source=MANUAL, name="orders*", kind=OWNER_PATTERN, owner="sales"),
        Annotation(source=MANUAL, name="orders", kind=OWNER_PATTERN, owner="europe"),
    )
    result = scan(kafka("orders", "orders-raw", "clicks"), manual=manual(owners=patterns))

    owners = {(note.kind, note.topic): note.owner for note in result.of(Annotation) if note.topic}
    assert owners == {(OWNED_TOPIC, "orders"): "europe", (OWNED_TOPIC, "orders-raw"): "sales"}
    assert set(patterns) < set(result.of(Annotation))


def test_a_flow_to_a_topic_that_only_the_brokers_report_is_no_problem() -> None:
    """Manual input is read before the brokers: what it names is compared afterwards."""
    end = FlowEnd(name="orders")
    flow = DeclaredFlow(
        source=SourceId("manual:a"), origin=end, target=FlowEnd(name="ordres"), job="j", description="", evidence="a:1"
    )
    problems = scan(kafka("orders"), manual=manual(flows=(flow,))).problems

    assert [problem.what for problem in problems if "is known" in problem.what] == ["no topic 'ordres' is known"]
    assert "orders" in next(problem.hint for problem in problems if "is known" in problem.what)


def test_a_flow_is_not_doubted_while_brokers_do_not_answer() -> None:
    """They may have its topics; that they do not answer is said once."""
    flow = DeclaredFlow(
        source=MANUAL, origin=FlowEnd(name="a"), target=FlowEnd(name="b"), job="j", description="", evidence="a:1"
    )
    silent = SourceResult(source=KAFKA, kind="kafka", status=SourceStatus.UNAVAILABLE, reason="no answer")
    requests = SourceReadings(outcomes=(silent,), readings=())

    assert merge_results(SETTINGS, requests, manual(flows=(flow,))).problems == ()
    assert len(merge_results(SETTINGS, replace(requests, outcomes=()), manual(flows=(flow,))).problems) == 2
