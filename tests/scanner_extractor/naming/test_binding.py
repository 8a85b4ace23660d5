"""From subjects to topics: what is bound, how sure that is, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_extractor.naming.binding import Bound, RegistryNaming, bind
from scanner_extractor.settings.cluster import NamingSettings
from scanner_model.errors import InputInvalid
from scanner_model.kafka import Topic
from scanner_model.manual import Assignment
from scanner_model.names import Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.schemas import Association, Confidence, Reference, Registry, SchemaVersion

SR = SourceId("schema_registry:http://sr:8081")


def version(subject: str, number: int = 1, **given) -> SchemaVersion:
    return SchemaVersion(
        source=given.pop("source", SR),
        subject=SubjectName(subject),
        version=number,
        schema_id=str(number),
        format="AVRO",
        text="",
        fingerprint=Fingerprint(given.pop("record", "")),
        **given,
    )


def topics(*names: str) -> list[Topic]:
    return [Topic(source=SourceId("kafka:k:9092"), name=TopicName(name)) for name in names]


def reported(
    *strategies: str, kind: str = "confluent", source: SourceId = SR, associations=(), **subjects
) -> RegistryNaming:
    return RegistryNaming(
        registry=Registry(source=source, kind=kind, url="http://sr:8081"),
        naming=NamingSettings(strategies=strategies, subjects=subjects.get("subjects", {})),
        associations=associations,
    )


def bound(*versions: SchemaVersion, known: list[Topic] | None = None, by: RegistryNaming | None = None, assigned=()):
    """Bind *versions*; a version's fingerprint is the name of its record."""
    records = {version.fingerprint: (RecordName(version.fingerprint),) for version in versions if version.fingerprint}
    return bind(versions, records, known or [], [by or reported()], assigned)


def links(result: Bound) -> list[tuple[str, str, str, str]]:
    return [
        (topic_schema.topic, topic_schema.role.value, topic_schema.subject, topic_schema.confidence.value)
        for topic_schema in result.topic_schemas
    ]


def messages(result: Bound) -> list[str]:
    return [problem.what for problem in result.problems]


def assignment(subject: str, topic: str, role: Role | None = None, context: str | None = None) -> Assignment:
    return Assignment(
        source=SourceId("manual:m.json"),
        subject=SubjectName(subject),
        topic=TopicName(topic),
        role=role,
        location="m.json $.assignments[0]",
        context=context,
    )


def test_key_and_value_of_a_known_topic_are_confirmed() -> None:
    """Name and brokers agree: that is as sure as it gets without a declaration."""
    result = bound(version("orders-value"), version("orders-key"), known=topics("orders"))

    assert links(result) == [
        ("orders", "key", "orders-key", "confirmed"),
        ("orders", "value", "orders-value", "confirmed"),
    ]
    assert result.topic_schemas[0].evidence == "subject 'orders-key' by strategy topic; topic known from kafka"
    assert (result.topics, result.problems) == ((), ())


def test_topic_never_gets_the_schema_of_one_that_begins_alike() -> None:
    """Exact names only: `orders` and `orders.RETRY` are different topics."""
    result = bound(version("orders.RETRY-value"), version("orders_eu-value"), known=topics("orders"))

    assert {link.topic for link in result.topic_schemas} == {"orders.RETRY", "orders_eu"}


def test_topic_known_from_nowhere_is_invented_and_assumed() -> None:
    """Brokers may be out of reach; the registry then is the one that knows."""
    result = bound(version("orders-value"))

    assert links(result) == [("orders", "value", "orders-value", "assumed")]
    assert result.topics == (Topic(source=SR, name=TopicName("orders")),)


def test_several_records_of_one_topic_are_all_current() -> None:
    """TopicRecordNameStrategy is made for topics with several kinds of events."""
    result = bound(
        version("orders-shop.Created", record="shop.Created"),
        version("orders-shop.Cancelled", record="shop.Cancelled"),
        known=topics("orders"),
    )

    assert [(link.topic, link.current) for link in result.topic_schemas] == [("orders", True), ("orders", True)]


def test_only_the_newest_live_version_is_current() -> None:
    """Older versions describe old messages; deleted ones and ones in review describe none of today's."""
    result = bound(
        version("orders-value", 1),
        version("orders-value", 2),
        version("orders-value", 3, state="in review"),
        version("orders-value", 4, deleted=True),
        known=topics("orders"),
    )

    assert [
        (topic_schema.version, topic_schema.current, topic_schema.deleted) for topic_schema in result.topic_schemas
    ] == [
        (1, False, False),
        (2, True, False),
        (3, False, False),
        (4, False, True),
    ]


def test_deleted_subject_stays_as_history_of_a_known_topic_only() -> None:
    """It has no current version, and it must not bring a topic to life that nobody else knows."""
    schema_versions = (version("orders-value", deleted=True), version("old-value", deleted=True))

    result = bound(*schema_versions, known=topics("orders"))

    assert [(topic_schema.topic, topic_schema.current) for topic_schema in result.topic_schemas] == [("orders", False)]
    assert (result.topics, result.problems) == ((), ())


def test_two_known_topics_make_an_ambiguity_that_names_both() -> None:
    """The first in order is taken, and somebody must look."""
    result = bound(version("orders-value"), known=topics("orders", "orders-value"))

    assert links(result) == [("orders", "value", "orders-value", "ambiguous")]
    assert "topic 'orders' " in messages(result)[0]
    assert "topic 'orders-value' " in messages(result)[0]


def test_configured_strategies_are_the_only_ones_and_in_their_order() -> None:
    """Whoever names strategies knows the installation."""
    by = reported("simple-topic-id", "topic")

    result = bound(version("orders-value"), known=topics("orders", "orders-value"), by=by)

    assert links(result)[0][0] == "orders-value"


def test_name_that_fits_everything_needs_a_known_topic() -> None:
    """By default a subject of an unknown naming is reported, not turned into a topic."""
    result = bound(version("payments"), version("orders"), known=topics("orders"))

    assert links(result) == [("orders", "value", "orders", "confirmed")]
    assert messages(result) == ["no topic is found for 1 subject: 'payments'"]


def test_glue_schema_is_its_topic_even_where_no_source_knows_it() -> None:
    """There the name alone is the serialisers' own default."""
    result = bound(version("payments"), by=reported(kind="glue"))

    assert links(result) == [("payments", "value", "payments", "assumed")]


def test_unbound_subjects_are_one_line_with_a_count() -> None:
    """A thousand lines hide the one that matters."""
    names = [f"shop.R{number}" for number in range(7)]

    result = bound(*(version(name, record=name) for name in names), by=reported("record"))

    assert messages(result) == [
        "no topic is found for 7 subjects: 'shop.R0', 'shop.R1', 'shop.R2', 'shop.R3', 'shop.R4' and 2 more"
    ]


def test_strategy_that_would_help_is_named() -> None:
    """The brokers know the topic, so the missing setting is known too."""
    result = bound(version("orders-shop.Paid", record="shop.Paid"), known=topics("orders"), by=reported("topic"))

    assert links(result) == []
    assert result.problems[0].hint == "add 'topic-record' to naming.strategies"


def test_map_binds_one_subject_to_several_topics_as_declared() -> None:
    """Ten topics may carry the same record."""
    by = reported("topic", subjects={"shop.Paid": ("paid", "paid.eu")})

    result = bound(version("shop.Paid", record="shop.Paid"), known=topics("paid"), by=by)

    assert links(result) == [
        ("paid", "value", "shop.Paid", "declared"),
        ("paid.eu", "value", "shop.Paid", "declared"),
    ]
    assert [topic.name for topic in result.topics] == ["paid.eu"]


def test_misspelt_member_of_the_map_is_reported_with_the_nearest_subject() -> None:
    """Otherwise the typing error shows as a topic without a schema, far from its cause."""
    result = bound(version("shop.Paid"), by=reported("record", subjects={"shop.Piad": ("paid",)}))

    assert any(problem.hint == "did you mean 'shop.Paid'?" for problem in result.problems)


def test_association_wins_over_the_name() -> None:
    """The registry says it explicitly, so nothing is guessed."""
    link = Association(
        source=SR, context=".", subject=SubjectName("orders-value"), topic=TopicName("sales"), role=Role.KEY
    )

    result = bound(version("orders-value"), known=topics("orders"), by=reported(associations=(link,)))

    assert links(result) == [("sales", "key", "orders-value", "declared")]
    assert result.topic_schemas[0].strategy == "associated"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (assignment("Paid-key", "paid"), [("paid", "key", "Paid-key", "declared")]),
        (assignment("Paid-key", "paid", Role.VALUE), [("paid", "value", "Paid-key", "declared")]),
        (assignment("Paid-key", "paid", context=".eu"), [("Paid", "key", "Paid-key", "assumed")]),
    ],
)
def test_manual_assignment_reports_topic_and_perhaps_side(given, expected) -> None:
    """Without a side the suffix reports; another context's subject is another subject."""
    assert links(bound(version("Paid-key"), assigned=[given])) == expected


def test_assignment_of_a_subject_that_nobody_has_is_reported() -> None:
    """The place in the file is what its author needs."""
    result = bound(version("orders-value"), assigned=[assignment("ordres-value", "orders")])

    assert [(problem.where, problem.hint) for problem in result.problems] == [
        ("m.json $.assignments[0]", "did you mean 'orders-value'?")
    ]


def refers(subject: str, to: str, context: str = ".") -> SchemaVersion:
    return version(subject, context=context, references=(Reference(name="m", subject=SubjectName(to), version=1),))


def test_subject_that_is_only_referred_to_gets_no_topic_and_no_problem() -> None:
    """`money.proto` is a part of other schemas, no message of its own."""
    result = bound(
        refers("orders-value", "money.proto"), version("money.proto"), by=reported("topic", "simple-topic-id")
    )

    assert links(result) == [("orders", "value", "orders-value", "assumed")]
    assert result.problems == ()


def test_subject_that_is_referred_to_and_has_a_topic_keeps_it() -> None:
    """Being used by others does not stop it from being used by itself."""
    result = bound(refers("orders-value", "items-value"), version("items-value"), known=topics("items", "orders"))

    assert [link.topic for link in result.topic_schemas] == ["items", "orders"]


@pytest.mark.parametrize(("known", "expected"), [([], ["items", "orders"]), (topics("orders"), ["orders"])])
def test_plain_suffix_counts_for_a_reference_target_only_where_no_topics_are_reported(known, expected) -> None:
    """Without brokers the suffix is all there is; with them, a topic that they do not have is none."""
    result = bound(refers("orders-value", "items-value"), version("items-value"), known=known)

    assert [link.topic for link in result.topic_schemas] == expected


def test_reference_stays_in_its_context_unless_it_names_another() -> None:
    """An unqualified reference means the subject beside it."""
    by = reported("simple-topic-id")

    result = bound(
        refers("a", "x", context=".eu"), refers("b", ":.us:x"), version("x"), version("x", context=".us"), by=by
    )

    assert ("x", ".") in {(link.topic, link.context) for link in result.topic_schemas}
    assert ("x", ".us") not in {(link.topic, link.context) for link in result.topic_schemas}


def test_registries_are_bound_apart_and_the_first_owns_what_both_report() -> None:
    """The same subject in two registries is two subjects of one topic."""
    other = SourceId("schema_registry:http://b")
    versions = [version("orders-value"), version("orders-value", source=other)]

    result = bind(versions, {}, [], [reported(), reported(source=other, kind="karapace")])

    assert [link.source for link in result.topic_schemas] == [other, SR]
    assert [topic.source for topic in result.topics] == [SR]


def test_strategy_that_is_unknown_is_the_users_to_mend() -> None:
    """A misspelt strategy must not look like a registry without topics."""
    with pytest.raises(InputInvalid):
        bound(version("orders-value"), by=reported("tpoic"))


def test_confidence_of_an_unknown_topic_is_never_ambiguous() -> None:
    """Where no source knows any topic there is nothing to choose between."""
    result = bound(version("t-value", record="value"), by=reported("topic", "topic-record"))

    assert result.topic_schemas[0].confidence == Confidence.ASSUMED


@pytest.mark.no_cover
def test_work_of_binding_grows_with_the_subjects(calls) -> None:
    """Not with subjects times topics: a registry has ten thousand of each."""

    def work(count: int) -> int:
        names = [f"topic.{number}" for number in range(count)]
        versions, known = [version(f"{name}-value") for name in names], topics(*names)
        results: list[Bound] = []
        counted = calls(lambda: results.append(bound(*versions, known=known)))
        assert [len(result.topic_schemas) for result in results] == [count]
        return counted.total()

    assert work(2000) < 2.5 * work(1000)


def test_group_of_apicurio_may_stand_in_the_context() -> None:
    """Read through its own API, the artifact's name is whole, colons and all."""
    schema_version = version("orders-Created", context="shop", record="shop.Created")
    other = version("x:orders-value", context="shop")
    result = bound(schema_version, other, known=topics("orders"), by=reported(kind="apicurio"))

    assert links(result) == [("orders", "value", "orders-Created", "confirmed")]


def test_artifact_that_another_group_refers_to_needs_no_topic() -> None:
    """It is a part of others, whatever its name looks like."""
    reference = Reference(name="m", subject=SubjectName("shop:money-value"), version=1)
    user = version("pay-value", context="bank", references=(reference,))
    result = bound(version("money-value", context="shop"), user, known=topics("pay"), by=reported(kind="apicurio"))

    assert links(result) == [("pay", "value", "pay-value", "confirmed")]


def test_a_pattern_that_takes_too_long_on_names_is_one_problem_and_binds_the_others() -> None:
    """One name that does not fit kept a scan from ever ending, as `re` cannot be interrupted."""
    slow = reported("regex:(?P<topic>([a-z]|[a-z][a-z])+)(-value)?")
    result = bound(version("a" * 60 + "!"), version("a" * 60 + "?"), version("orders-value"), by=slow)

    assert [topic_schema.topic for topic_schema in result.topic_schemas] == ["orders"]
    (problem, _) = messages(result)
    assert "takes too long and is not evaluated on 2 subjects" in problem
    assert "([a-z]|[a-z][a-z])+" in problem


KAFKA_ID, OTHER_ID = "MRTo0wgwT06RYdbJNAz1iQ", "AAAAAAAAAAAAAAAAAAAAAA"


@pytest.mark.parametrize(
    ("context", "own", "is_bound"),
    [
        (f".{KAFKA_ID}", KAFKA_ID, True),
        (f".{OTHER_ID}", KAFKA_ID, False),
        (f".{OTHER_ID}", "", False),
        (".lkc-xyz12", "lkc-abc34", False),
        (".lkc-xyz12", "lkc-xyz12", True),
        (".customers-and-orders-eu", KAFKA_ID, True),
        (".eu", KAFKA_ID, True),
        (".", KAFKA_ID, True),
    ],
)
def test_a_context_that_is_another_clusters_id_describes_no_topic_of_this_one(
    context: str, own: str, is_bound: bool
) -> None:
    """A context named by a cluster's id holds the subjects of that cluster's topics."""
    naming = replace(reported(), cluster_id=own)
    result = bound(version("orders-value", context=context), known=topics("orders"), by=naming)

    assert bool(links(result)) is is_bound


def test_a_subject_that_is_associated_with_another_cluster_only_is_not_bound_by_its_name() -> None:
    naming = replace(reported(), foreign=frozenset({(".", SubjectName("orders-value"))}))
    result = bound(version("orders-value"), version("bills-value"), known=topics("orders", "bills"), by=naming)

    assert [link[0] for link in links(result)] == ["bills"]
