"""What changed between two scans of a cluster, as people and programs are reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine

from scanner_dictionary.compatibility.changes import Verdict
from scanner_dictionary.diff.changes import ScanDiff
from scanner_dictionary.diff.documents import as_json, rows
from scanner_dictionary.diff.scans import diff
from scanner_model.columns import Column
from scanner_model.errors import NameUnknown
from scanner_model.kafka import Cluster, ConsumerGroup
from scanner_model.names import ClusterName, Fingerprint, RecordName, Role, SourceId
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Definition, TopicSchema

Comparison = Callable[[int, int], ScanDiff]


@pytest.fixture
def compared(dictionary: Engine) -> Comparison:
    """Return what compares two scans."""

    def compare(first: int, second: int) -> ScanDiff:
        with dictionary.connect() as conn:
            return diff(conn, first, second)

    return compare


def actions(changes: ScanDiff, *kinds: str) -> list[tuple[str, str]]:
    return [(" ".join(map(str, fact.name)), str(fact.action)) for fact in changes.of(*kinds)]


def sides(changes: ScanDiff) -> list[tuple[str, str, str]]:
    return [(side.topic, side.role, str(side.action)) for side in changes.sides]


def one_schema(sample: Any, number: int, *fields: str, subject: str = "orders-value", **more: Any) -> ClusterScan:
    """Build a scan in which the topic `orders` has one value schema."""
    version = sample.version(subject, number, fields)
    return sample.scan(
        topics=(sample.topic("orders"),),
        versions=(version,),
        definitions=(sample.definition(*fields),),
        topic_schemas=(sample.link("orders", version, **more),),
    )


def test_scan_compared_with_itself_has_no_changes(sample: Any, store: Any, compared: Comparison) -> None:
    """Whoever asks for it may rely on an empty answer."""
    store(sample.orders())

    assert compared(1, 1) == ScanDiff(cluster="retail", first=1, second=1, facts=(), sides=())


def test_same_scan_again_has_no_changes(sample: Any, store: Any, compared: Comparison) -> None:
    """Only `last_seen` moves."""
    store(sample.orders())
    store(sample.orders())

    assert compared(1, 2).facts == compared(1, 2).sides == ()


def test_topic_that_came_and_one_that_went(sample: Any, store: Any, compared: Comparison) -> None:
    """Each is reported with what it is called, not with keys of rows."""
    store(sample.scan(topics=(sample.topic("old"), sample.topic("kept"))))
    store(sample.scan(topics=(sample.topic("kept"), sample.topic("new"))))

    assert actions(compared(1, 2), "topic") == [("new", "added"), ("old", "gone")]


def test_settings_of_a_topic_are_reported_one_by_one(sample: Any, store: Any, compared: Comparison) -> None:
    """A person looks for `retention.ms`, not for a difference between two JSON texts."""
    before = sample.topic("orders", partitions=3, config=(("a", "1"), ("retention.ms", "5")), tags=("x",))
    after = sample.topic("orders", partitions=6, config=(("a", "1"), ("retention.ms", "9")))
    store(sample.scan(topics=(before,)))
    store(sample.scan(topics=(after,)))

    (fact,) = compared(1, 2).of("topic")

    assert [(attribute.name, attribute.before, attribute.after) for attribute in fact.attributes] == [
        ("config.retention.ms", '"5"', '"9"'),
        ("partitions", "3", "6"),
        ("tags", '["x"]', None),
    ]


def test_what_came_and_went_in_between_is_not_reported(sample: Any, store: Any, compared: Comparison) -> None:
    """The question is what differs between two points in time."""
    store(sample.scan())
    store(sample.scan(topics=(sample.topic("brief"),)))
    store(sample.scan())

    assert compared(1, 3).facts == ()
    assert actions(compared(1, 2), "topic") == [("brief", "added")]


def test_what_went_and_came_back_otherwise_is_changed(sample: Any, store: Any, compared: Comparison) -> None:
    """A topic that was made again with more partitions is still that topic."""
    store(sample.scan(topics=(sample.topic("orders", partitions=1),)))
    store(sample.scan())
    store(sample.scan(topics=(sample.topic("orders", partitions=2),)))

    assert actions(compared(1, 3), "topic") == [("orders", "changed")]
    assert actions(compared(2, 3), "topic") == [("orders", "added")]


def test_change_that_was_taken_back_is_not_reported(sample: Any, store: Any, compared: Comparison) -> None:
    """One member there and back is no change."""
    for partitions in (1, 2, 1):
        store(sample.scan(topics=(sample.topic("orders", partitions=partitions),)))

    assert compared(1, 3).facts == ()


def test_other_clusters_in_between_do_not_matter(sample: Any, store: Any, compared: Comparison) -> None:
    """Scan numbers are of the whole dictionary."""
    other = Cluster(name=ClusterName("bank"), brokers=("bank:9092",))
    store(sample.scan())
    store(replace(sample.scan(topics=(sample.topic("accounts"),)), cluster=other))
    store(sample.scan(topics=(sample.topic("orders"),)))

    assert actions(compared(1, 3)) == []
    assert actions(compared(1, 3), "topic") == [("orders", "added")]


def test_scans_of_two_clusters_are_not_compared(sample: Any, store: Any, compared: Comparison) -> None:
    """The hint names scans that can be."""
    other = Cluster(name=ClusterName("bank"), brokers=("bank:9092",))
    store(sample.scan())
    store(replace(sample.scan(), cluster=other))
    store(sample.scan())

    with pytest.raises(NameUnknown) as caught:
        compared(1, 2)

    assert caught.value.hint == "this cluster has the scans 1, 3"


@pytest.mark.parametrize(
    ("scans", "hint"),
    [
        (0, "nothing was scanned yet: run `scanner scan` first"),
        (2, "the dictionary has the scans 1, 2"),
        (12, "the dictionary has the scans …, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
    ],
)
def test_unknown_scan_is_answered_with_known_ones(
    sample: Any, store: Any, compared: Comparison, scans: int, hint: str
) -> None:
    """Exit status 4 comes with what could have been meant."""
    for _ in range(scans):
        store(sample.scan())

    with pytest.raises(NameUnknown) as caught:
        compared(1, 77)

    assert caught.value.hint == hint


def test_backwards_is_reported_as_queried(sample: Any, store: Any, compared: Comparison) -> None:
    """From newer to older, what came is reported as gone; the answer says that it goes back."""
    store(one_schema(sample, 1, "id"))
    store(one_schema(sample, 2, "id", "amount"))

    scan_diff, back = compared(1, 2), compared(2, 1)

    assert back.backwards
    assert not scan_diff.backwards
    assert [action for _, action in actions(scan_diff, "subject_version")] == ["gone", "added"]
    assert [action for _, action in actions(back, "subject_version")] == ["added", "gone"]
    assert [column.action for column in scan_diff.sides[0].columns] == ["added"]
    assert [column.action for column in back.sides[0].columns] == ["removed"]


def test_newer_version_replaces_the_schema_of_a_side(sample: Any, store: Any, compared: Comparison) -> None:
    """Its columns are compared, and a field without default breaks new readers of old data."""
    store(one_schema(sample, 1, "id"))
    store(one_schema(sample, 2, "id", "amount"))

    (side,) = compared(1, 2).sides

    assert (side.topic, side.role, side.action) == ("orders", "value", "changed")
    assert side.before
    assert side.after
    assert (side.before.shown, side.after.shown) == ("orders-value 1", "orders-value 2")
    assert [column.column.name for column in side.columns] == ["amount"]
    assert side.backward
    assert side.forward
    assert (side.backward.verdict, side.forward.verdict) == (Verdict.BREAKS, Verdict.COMPATIBLE)


def test_older_versions_that_stay_linked_are_no_schemas_of_the_side(
    sample: Any, store: Any, compared: Comparison
) -> None:
    """Only what describes the topic now counts."""
    first, second = sample.version("orders-value", 1, ("id",)), sample.version("orders-value", 2, ("id", "amount"))
    facts = {
        "topics": (sample.topic("orders"),),
        "definitions": (sample.definition("id"), sample.definition("id", "amount")),
    }
    store(sample.scan(**facts, versions=(first,), topic_schemas=(sample.link("orders", first),)))
    links = (sample.link("orders", first, current=False), sample.link("orders", second))
    store(sample.scan(**facts, versions=(first, second), topic_schemas=links))

    assert sides(compared(1, 2)) == [("orders", "value", "changed")]
    assert actions(compared(1, 2), "subject_version") == [("schema_registry:https://sr:8081 . orders-value 2", "added")]


def test_same_definition_under_another_subject_is_no_change_of_the_side(
    sample: Any, store: Any, compared: Comparison
) -> None:
    """The columns of the topic are what they were; subjects are distinguished."""
    store(one_schema(sample, 1, "id"))
    store(one_schema(sample, 1, "id", subject="shop.R"))

    changes = compared(1, 2)

    assert changes.sides == ()
    assert [action for _, action in actions(changes, "subject")] == ["gone", "added"]


def test_same_record_under_another_subject_takes_its_place(sample: Any, store: Any, compared: Comparison) -> None:
    """A team that changes the naming strategy and a field at once still sees the field."""
    store(one_schema(sample, 1, "id"))
    store(one_schema(sample, 1, "id", "amount", subject="shop.R"))

    assert sides(compared(1, 2)) == [("orders", "value", "changed")]


def test_side_that_got_its_first_schema_and_one_that_lost_its_last(
    sample: Any, store: Any, compared: Comparison
) -> None:
    """There is nothing to compare, so there are no columns and no verdict."""
    store(one_schema(sample, 1, "id"))
    key = sample.version("orders-key", 1, ("id",))
    links = (sample.link("orders", key, Role.KEY),)
    store(
        sample.scan(
            topics=(sample.topic("orders"),),
            versions=(key,),
            definitions=(sample.definition("id"),),
            topic_schemas=links,
        )
    )

    sides = compared(1, 2).sides

    assert [(side_change.role, side_change.action) for side_change in sides] == [("key", "added"), ("value", "removed")]
    assert [(side_change.columns, side_change.backward, side_change.forward) for side_change in sides] == [
        ((), None, None)
    ] * 2


def test_second_record_of_a_side_is_added(sample: Any, store: Any, compared: Comparison) -> None:
    """With record naming one side has several schemas; a new one replaces none of them."""
    item, two = sample.version("shop.A", 1, ("id",)), sample.version("shop.B", 1, ("id", "b"))
    named = (
        replace(sample.definition("id"), name=RecordName("shop.A")),
        replace(sample.definition("id", "b"), name=RecordName("shop.B")),
    )
    facts = {"topics": (sample.topic("orders"),), "definitions": named, "versions": (item, two)}
    store(sample.scan(**facts, topic_schemas=(sample.link("orders", item),)))
    store(sample.scan(**facts, topic_schemas=(sample.link("orders", item), sample.link("orders", two))))

    assert sides(compared(1, 2)) == [("orders", "value", "added")]


def test_declared_schema_replaces_the_one_of_the_same_source(sample: Any, store: Any, compared: Comparison) -> None:
    """Manual input has no subject; its file is what stays the same. A CSV's readers nobody knows."""
    manual = SourceId("manual:topics.json")

    def declared(*columns: Column) -> ClusterScan:
        print_ = Fingerprint("csv " + ",".join(column.name for column in columns))
        link = TopicSchema(
            source=manual,
            topic="billing",  # type: ignore[arg-type]
            role=Role.VALUE,
            fingerprint=print_,
            strategy="manual",
            evidence="topics.json $.topics[0]",
            confidence="declared",  # type: ignore[arg-type]
        )
        definitions = (Definition(fingerprint=print_, format="CSV", text="", columns=columns),)
        outcomes = (sample.outcome(manual),)
        topics = (sample.topic("billing", manual),)
        return sample.scan(
            outcomes=outcomes, registries=(), topics=topics, definitions=definitions, topic_schemas=(link,)
        )

    store(declared(Column(path=("id",), type="int")))
    store(declared(Column(path=("id",), type="int"), Column(path=("sum",), type="int")))

    (side,) = compared(1, 2).sides

    assert side.before
    assert (side.action, side.before.shown) == ("changed", "CSV")
    assert side.backward == side.columns[0].backward
    assert side.backward
    assert side.backward.verdict is Verdict.UNKNOWN


def test_soft_deleted_version_is_deleted_and_not_gone(sample: Any, store: Any, compared: Comparison) -> None:
    """The registry still has it, and whoever needs it can get it back."""
    alive = sample.version("orders-value")
    store(sample.scan(versions=(alive,), definitions=(sample.definition("id"),)))
    store(sample.scan(versions=(replace(alive, deleted=True),), definitions=(sample.definition("id"),)))
    store(sample.scan(definitions=(sample.definition("id"),)))

    assert [action for _, action in actions(compared(1, 2), "subject", "subject_version")] == ["deleted", "deleted"]
    assert [action for _, action in actions(compared(2, 1), "subject", "subject_version")] == ["restored", "restored"]
    assert [action for _, action in actions(compared(1, 3), "subject", "subject_version")] == ["gone", "gone"]


def test_version_that_means_something_else_names_its_definitions(sample: Any, store: Any, compared: Comparison) -> None:
    """A subject that was made again has its old numbers; keys of rows would tell nobody."""
    both = (sample.definition("id"), sample.definition("id", "b"))
    store(sample.scan(versions=(sample.version("orders-value", 1, ("id",)),), definitions=both))
    store(sample.scan(versions=(sample.version("orders-value", 1, ("id", "b")),), definitions=both))

    (fact,) = compared(1, 2).of("subject_version")

    assert [(attribute.name, attribute.before, attribute.after) for attribute in fact.attributes] == [
        ("definition", '"avro id"', '"avro id,b"')
    ]


def test_json_document_reports_everything(sample: Any, store: Any, compared: Comparison) -> None:
    """Programs read all of it, in a stable order, as JSON."""
    store(one_schema(sample, 1, "id"))
    later = one_schema(sample, 2, "id", "amount")
    group = ConsumerGroup(source=sample.kafka, name="billing")
    store(replace(later, consumer_groups=(group,), topics=(sample.topic("orders", partitions=2), sample.topic("new"))))

    document = json.loads(json.dumps(as_json(compared(1, 2))))

    assert [item["name"] for item in document["topics"]] == [["new"], ["orders"]]
    assert document["topics"][1]["attributes"] == [{"name": "partitions", "before": None, "after": 2}]
    assert [item["action"] for item in document["versions"]] == ["gone", "added"]
    assert document["subjects"] == []
    assert [item["kind"] for item in document["others"]] == ["consumer_group"]
    (schema,) = document["schemas"]
    assert schema["before"]["version"] == 1
    assert schema["after"]["version"] == 2
    assert schema["columns"][0]["after"]["type"] == "string"
    assert schema["columns"][0]["before"] is None
    assert schema["columns"][0]["backward"] == {"verdict": "breaks", "why": "no default for data without it"}


def test_rows_are_in_the_order_of_topic_side_and_column(sample: Any, store: Any, compared: Comparison) -> None:
    """A person reads down one topic; what is of no topic comes last."""
    store(one_schema(sample, 1, "b", "kept"))
    later = one_schema(sample, 2, "a", "kept")
    store(replace(later, topics=(sample.topic("orders", partitions=2), sample.topic("alpha"))))

    diff_row = rows(compared(1, 2))

    assert [(row.topic, row.side, row.column, row.action) for row in diff_row] == [
        ("alpha", "", "", "added"),
        ("orders", "", "", "changed"),
        ("orders", "value", "", "changed"),
        ("orders", "value", "a", "added"),
        ("orders", "value", "b", "removed"),
        ("", "", "", "gone"),
        ("", "", "", "added"),
    ]
    assert (diff_row[3].before, diff_row[3].after, diff_row[3].backward) == ("", "type string", "breaks")


def test_row_of_a_changed_column_shows_what_differs(sample: Any, store: Any, compared: Comparison) -> None:
    """Type, nullability and tags from what to what; nothing else of the column."""

    def typed(number: int, column: Column) -> ClusterScan:
        scan = one_schema(sample, number, "x" * number)
        return replace(scan, definitions=(replace(scan.definitions[0], columns=(column,)),))

    store(typed(1, Column(path=("x",), type="int", tags=("PII", "EU"))))
    store(typed(2, Column(path=("x",), type="long", nullable=True)))

    row = next(row for row in rows(compared(1, 2)) if row.kind == "column")

    assert (row.before, row.after) == ("type int, nullable no, tags PII | EU", "type long, nullable yes, tags -")


def test_default_that_came_shows_nothing_before(sample: Any, store: Any, compared: Comparison) -> None:
    """A dash is no value."""
    scans = [one_schema(sample, number, "x" * number) for number in (1, 2)]
    columns = (Column(path=("x",), type="int"), Column(path=("x",), type="int", default="0"))
    for scan, column in zip(scans, columns, strict=True):
        store(replace(scan, definitions=(replace(scan.definitions[0], columns=(column,)),)))

    row = next(row for row in rows(compared(1, 2)) if row.kind == "column")

    assert (row.before, row.after, row.backward, row.forward) == ("default -", "default 0", "compatible", "compatible")
