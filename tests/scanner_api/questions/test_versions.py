"""Two stored versions of a subject, judged as its registry judges a proposed schema."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checked_installation import AT, RECORDED, installation, links_of, text_of, versions_of
from named_scan import NamedScan

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.changes import check_change
from scanner_api.questions.listings import schemas
from scanner_api.questions.versions import compare_versions, enum_symbols, version_uses
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Cluster, Topic
from scanner_model.names import ClusterName, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Reference

LEVELS = ("", "NONE", "BACKWARD", "FORWARD", "FULL")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a function that stores scans in a new dictionary."""

    def store(*scans: ClusterScan) -> Dictionary:
        dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("versions") / "d.db", create=True)
        engine = dictionary.writing()
        for scan in scans:
            write_scan(engine, scan, started=AT, finished=AT)
        engine.dispose()
        return dictionary

    return store


@pytest.mark.parametrize("level", LEVELS)
def test_verdict_is_that_of_check_change(stored, level) -> None:
    """What a registry would answer is answered once: an older version, proposed again, has the same reasons."""
    dictionary = stored(installation(level))
    for format, texts in RECORDED["versions"].items():
        subject, newest = f"orders.{format.lower()}-value", len(texts)
        for number, text in enumerate(texts[:-1], 1):
            found = compare_versions(dictionary, subject=subject, first=newest, second=number)
            report = check_change(dictionary, text=text_of(text), subject=subject, format=format)
            rejected = {item["item"] for item in report.findings if item["rule"] == "incompatible"}
            counting = {
                "BACKWARD": {"backward"},
                "FORWARD": {"forward"},
                "FULL": {"backward", "forward"},
                "NONE": set(),
            }
            reasons = [each for each in found.differences if each.direction in counting[level or "BACKWARD"]]

            assert found.assumed is not bool(level)
            assert {f"{each.column} {each.rule}".strip() for each in reasons if each.certain} == rejected
            assert (found.verdict == "breaks") is bool(rejected)


def of_two(stored, before: object, after: object, format: str = "AVRO", **more) -> Dictionary:
    """Return a dictionary whose subject `t-value` has two versions."""
    scan = installation()
    versions, definitions = versions_of("t-value", format, [text_of(before), text_of(after)], **more)
    topic = Topic(source=SourceId("kafka:kafka-1:9092"), name=TopicName("t"))
    links = links_of("t", versions)
    facts = {"topics": (topic,), "versions": (*more.get("others", ()), *versions), "definitions": definitions}
    return stored(
        NamedScan(
            cluster=scan.cluster, outcomes=scan.outcomes, registries=scan.registries, topic_schemas=links, **facts
        )
    )


def record(*fields: object) -> dict[str, object]:
    return {"type": "record", "name": "R", "fields": list(fields)}


def test_an_enum_that_loses_a_symbol_says_so_whatever_the_level(stored) -> None:
    """Protobuf's registry takes it; a program that compares with the symbol finds it no more."""
    text = 'syntax = "proto3"; enum S {{ A = 0; {} }} message R {{ S state = 1; }}'
    dictionary = of_two(stored, text.format("B = 1;"), text.format(""), "PROTOBUF", level="NONE")
    found = compare_versions(dictionary, subject="t-value", first=1, second=2)

    assert (found.verdict, found.level) == ("compatible", "NONE")
    assert [(each.direction, each.column) for each in found.differences if each.direction == "symbols"] == [
        ("symbols", "state")
    ]


def test_versions_of_two_formats_cannot_be_read_with_each_other(stored) -> None:
    """The registry compares no further, either."""
    versions, definitions = versions_of("u-value", "AVRO", [text_of(record())])
    others, read = versions_of("u-value", "JSON", ["{}", '{"type": "object"}'])
    both = installation()
    facts = {"versions": (*versions, others[1]), "definitions": (*definitions, read[1])}
    scan = stored(NamedScan(cluster=both.cluster, outcomes=both.outcomes, registries=both.registries, **facts))
    found = compare_versions(scan, subject="u-value", first=1, second=2)

    assert (found.verdict, found.backward, found.forward) == ("breaks", "breaks", "breaks")
    assert {each.why for each in found.differences} == {"the format was AVRO and is JSON"}


def test_types_of_other_subjects_are_compared_too(stored) -> None:
    """A field of a referenced record that changes its type breaks the readers of what refers to it."""
    texts = [
        text_of({"type": "record", "name": "P", "fields": [{"name": "n", "type": type_}]})
        for type_ in ("int", "string")
    ]
    others, _ = versions_of("p-value", "AVRO", texts)
    outer = text_of(record({"name": "p", "type": "P"}))
    versions, definitions = versions_of("t-value", "AVRO", [outer, outer], referenced={"P": texts[0]})
    refers = [Reference(name="P", subject=SubjectName("p-value"), version=number) for number in (1, 2)]
    versions = [replace(version, references=(refers[at],)) for at, version in enumerate(versions)]
    scan = installation()
    facts = {"versions": (*others, *versions), "definitions": definitions}
    dictionary = stored(NamedScan(cluster=scan.cluster, outcomes=scan.outcomes, registries=scan.registries, **facts))
    found = compare_versions(dictionary, subject="t-value", first=1, second=2)

    assert [(each.column, each.rule) for each in found.differences if each.direction == "backward"] == [
        ("p.n", "TYPE_MISMATCH")
    ]


def test_unknown_subjects_and_versions_are_answered_with_what_there_is(stored) -> None:
    """A link may be older than the registry's last clean-up."""
    dictionary = stored(installation())
    with pytest.raises(NameUnknown) as version:
        compare_versions(dictionary, subject="orders.avro-value", first=1, second=77)
    with pytest.raises(NameUnknown) as subject:
        compare_versions(dictionary, subject="orders.arvo-value", first=1, second=1)

    assert "1" in version.value.hint
    assert "orders.avro-value" in subject.value.hint


def test_a_subject_of_two_registries_needs_the_name_of_one(stored) -> None:
    """Versions of two registries have nothing to do with each other."""
    other = replace(installation(), cluster=Cluster(name=ClusterName("other"), brokers=("other:1",)))
    dictionary = stored(installation(), other)
    with pytest.raises(InputInvalid, match="2 registries"):
        compare_versions(dictionary, subject="orders.avro-value", first=1, second=1)

    assert (
        compare_versions(dictionary, subject="orders.avro-value", first=1, second=1, cluster="other").differences == ()
    )


def test_subjects_of_a_topic_are_found_whatever_they_are_called(stored) -> None:
    """The strategy by record names no topic."""
    scan = installation()
    versions, definitions = versions_of("shop.Order", "AVRO", [text_of(record())])
    facts = {"versions": (*scan.versions, *versions), "definitions": (*scan.definitions, *definitions)}
    links = (*scan.topic_schemas, *links_of("orders.avro", versions))
    dictionary = stored(replace(scan, topic_schemas=links, **facts))

    assert [row.name for row in schemas(dictionary, topic="orders.avro")] == ["orders.avro-value", "shop.Order"]
    assert schemas(dictionary, topic="orders").items == ()


ENUMS = {
    "AVRO": (
        record({"name": "s", "type": {"type": "array", "items": "P"}}),
        {"type": "enum", "name": "P", "symbols": ["A", "B"]},
        "s.[]",
    ),
    "PROTOBUF": (
        'syntax = "proto3"; import "P"; message R { P s = 1; }',
        'syntax = "proto3"; enum P { A = 0; B = 1; }',
        "s",
    ),
    "JSON": (
        {"type": "object", "properties": {"s": {"$ref": "P"}}},
        {"type": "string", "enum": ["A", "B", None]},
        "s",
    ),
}


@pytest.mark.parametrize("format", ENUMS)
def test_symbols_of_an_enum_are_those_of_the_reference(stored, format) -> None:
    """In every format: the text of the version itself does not say them."""
    outer, inner, column = ENUMS[format]
    others, _ = versions_of("p-value", format, [text_of(inner)])
    versions, definitions = versions_of("t-value", format, [text_of(outer)], referenced={"P": text_of(inner)})
    refers = Reference(name="P", subject=SubjectName("p-value"), version=1)
    scan = installation()
    facts = {"versions": (*others, replace(versions[0], references=(refers,))), "definitions": definitions}
    dictionary = stored(NamedScan(cluster=scan.cluster, outcomes=scan.outcomes, registries=scan.registries, **facts))

    assert [(row.name, row.symbols) for row in enum_symbols(dictionary, subject="t-value", version=1)] == [
        (column, ("A", "B"))
    ]


def test_versions_are_those_of_the_scan_that_is_asked(tmp_path) -> None:
    dictionary = Dictionary(str(tmp_path / "d.db"))
    folder = tmp_path / "shop"
    folder.mkdir()
    record = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
    for subject in ("bills-value", "orders-value"):
        (folder / f"{subject}.avsc").write_text(record, encoding="utf-8")
        scanner_api.scan([], dictionary, directories=[folder])

    version_uses(dictionary, subject="orders-value")
    with pytest.raises(NameUnknown, match="orders-value"):
        version_uses(dictionary, subject="orders-value", as_of="1")
