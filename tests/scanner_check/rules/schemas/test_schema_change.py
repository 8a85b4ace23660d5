"""Proposed schemas in three formats: the real registry's answers, and the impact that a person would write down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from checked_installation import (
    ENDINGS,
    FORMATS,
    RECORDED,
    REGISTRY,
    Stored,
    installation,
    links_of,
    read_result,
    text_of,
    versions_of,
)

from scanner_api import CheckOptions, ProposedFiles, Target, check_change, parse_schema
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_extractor.evolution import Level, Policy
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import Fingerprint, SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Definition, Reference, columns_text

Proposed = Callable[..., Path]
CHANGES = RECORDED["changes"]

TARGETS = {"id": ("id",), "amount": ("total",), "status": ()}
"""The columns that the script makes of a column of orders, in the topic and in the warehouse."""


def file_of(change: dict[str, Any], proposed: Proposed) -> Path:
    format = change["format"]
    return proposed(f"orders.{format.lower()}-value.{ENDINGS[format]}", change["schema"])


def of_rule(report: ChangeReport, rule: str) -> list[ChangeFinding]:
    return [finding for finding in report.findings if finding.rule == rule]


@pytest.fixture(scope="module")
def every_change() -> ProposedFiles:
    """Return every change as a proposed file of its subject: one check of all takes the time of a few."""
    return ProposedFiles(
        proposals=tuple(
            Proposal(
                file=f"{change['format']} {change['name']}.{ENDINGS[change['format']]}",
                text=text_of(change["schema"]),
                kind="schema",
                target=Target(subject=f"orders.{change['format'].lower()}-value"),
            )
            for change in CHANGES
        )
    )


def by_file(findings: Iterable[ChangeFinding]) -> dict[str, list[ChangeFinding]]:
    found: dict[str, list[ChangeFinding]] = {}
    for finding in findings:
        found.setdefault(finding.place.file.rpartition(".")[0], []).append(finding)
    return found


@pytest.mark.parametrize("level", Level)
def test_verdicts_are_the_registrys_answers_at_every_level(
    level: Level, shop: Stored, every_change: ProposedFiles
) -> None:
    """Recorded of Schema Registry 8.3.1 with two versions of the subject, so that transitive levels differ."""
    report = check_change(shop.dictionary, every_change, CheckOptions(level=level))
    broken = {finding.place.file.rpartition(".")[0] for finding in report.findings if finding.rule == "incompatible"}

    rejected = {f"{change['format']} {change['name']}" for change in CHANGES if not change["compatible"][level]}
    assert broken == rejected


def test_impact_is_what_a_person_would_list(shop: Stored, every_change: ProposedFiles) -> None:
    """Through the statement and the sink to the warehouse, each with its use; nothing else."""
    report = check_change(shop.dictionary, every_change, CheckOptions(level=Level.NONE))
    found = {
        name: {
            finding.item: {(one.kind, one.shown, one.use) for one in finding.affected}
            for finding in findings
            if finding.affected
        }
        for name, findings in by_file(report.findings).items()
    }

    for change in CHANGES:
        assert found.get(f"{change['format']} {change['name']}", {}) == expected_impact(change), change["name"]


def expected_impact(change: dict[str, Any]) -> dict[str, set[tuple[str, str, str]]]:
    """Return who is hit by each column of a change, by hand: the statement, the sink, and what they write."""
    number, topic = FORMATS.index(change["format"]) + 1, f"paid.{change['format'].lower()}"
    expected: dict[str, set[tuple[str, str, str]]] = {}
    for column, use in change["impact"].items():
        table = f"public.{topic}"
        # A filter affects the topic as a whole, and so every column that is made of one of it.
        names = TARGETS[column] or ("id", "total")
        expected[column] = {("job", f"shop.sql:{number}", use), ("job", "paid-to-warehouse", use)}
        expected[column] |= {("topic", topic, use), ("dataset", table, use)}
        expected[column] |= {("column", f"{of}.{name}", use) for of in (topic, table) for name in names}
    return expected


def test_each_hit_has_its_evidence_its_route_and_its_owner(shop: Stored, proposed: Proposed) -> None:
    """Who is told that a column goes asks why, and whom to talk to."""
    change = next(change for change in CHANGES if change["name"] == "remove a used field")
    (finding,) = of_rule(shop.check(file_of(change, proposed), level=Level.NONE), "column-removed")
    by_name = {one.shown: one for one in finding.affected}

    table = by_name["public.paid.avro"]
    assert table.through == ("shop.sql:1", "paid-to-warehouse")
    assert [word in " ".join(table.evidence) for word in ("shop.sql:1", "paid-to-warehouse")] == [True, True]
    assert (by_name["paid.avro"].owner, by_name["paid.avro"].tags) == ("billing team", ("finance",))


def test_finding_has_the_line_of_the_proposed_text(shop: Stored, proposed: Proposed) -> None:
    """A comment stands at the line that it is about."""
    avro = json.loads(text_of(RECORDED["versions"]["AVRO"][1]))
    avro["fields"][2]["type"] = "float"
    text = text_of(avro)
    (finding,) = of_rule(shop.check(proposed("orders.avro-value.avsc", text), level=Level.NONE), "column-retyped")

    line = text.splitlines()[finding.place.line : finding.place.line + 1]
    assert '"name": "amount"' in line[0]


def test_line_of_a_protobuf_field(shop: Stored, proposed: Proposed) -> None:
    """A field is found by its declaration, not by a comment that names it."""
    text = RECORDED["versions"]["PROTOBUF"][1].replace("double amount", "// amount\n  float amount")
    report = shop.check(proposed("orders.protobuf-value.proto", text), level=Level.NONE)
    (finding,) = of_rule(report, "column-retyped")

    assert text.splitlines()[finding.place.line - 1].strip() == "float amount = 3;"
    assert finding.place.column == 9


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("message ", "message First { string x = 1; }\nmessage ", 1),
        lambda text: text.replace("message ", "message First { message In { int32 y = 1; } In x = 1; }\nmessage ", 1),
        lambda text: text.replace("message ", "enum E { A = 0; }\nmessage First {}\nmessage ", 1),
    ],
)
def test_another_first_message_is_another_set_of_columns(shop: Stored, proposed: Proposed, change) -> None:
    """Engines read the first message, and so does the dictionary."""
    text = change(RECORDED["versions"]["PROTOBUF"][1])
    report = shop.check(proposed("orders.protobuf-value.proto", text), level=Level.NONE)

    assert report.verdict is Verdict.IMPACT
    assert "amount" in {finding.item for finding in of_rule(report, "column-removed")}


def test_a_message_behind_the_first_changes_no_columns(shop: Stored, proposed: Proposed) -> None:
    text = RECORDED["versions"]["PROTOBUF"][1] + "\nmessage Last { string x = 1; }\n"

    assert shop.check(proposed("orders.protobuf-value.proto", text), level=Level.NONE).verdict is Verdict.FINE


def test_message_that_the_subject_has_is_compared(store, proposed: Proposed) -> None:
    """It need not be the first of the file: a subject or ksqlDB may name another."""
    scan = installation()
    text = scan.versions[-1].text.replace("message ", "message First { string x = 1; }\nmessage ", 1)
    columns = parse_schema(text, "PROTOBUF", record=scan.definitions[-1].name).columns
    definitions = (*scan.definitions[:-1], replace(scan.definitions[-1], text=text, columns=columns))
    versions = (*scan.versions[:-1], replace(scan.versions[-1], text=text))
    shop = store(replace(scan, definitions=definitions, versions=versions))
    report = shop.check(proposed("orders.protobuf-value.proto", text + "// as before"), level=Level.NONE)

    assert report.findings == ()


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("alias", {"name": "total", "type": "double", "aliases": ["amount"]}, "an alias says so"),
        ("similar name", {"name": "amounts", "type": "double"}, "same type, similar name"),
        (
            "the only one",
            {"name": "total", "type": "double"},
            "the only one removed and the only one added, of the same type",
        ),
    ],
)
def test_rename_is_a_guess_with_its_reason(
    name: str, new: dict[str, Any], why: str, shop: Stored, proposed: Proposed
) -> None:
    """Nothing in a schema proves a rename, so the reader may judge."""
    avro = json.loads(text_of(RECORDED["versions"]["AVRO"][1]))
    avro["fields"][2] = new
    (finding,) = of_rule(shop.check(proposed("orders.avro-value.avsc", avro), level=Level.NONE), "column-renamed")

    assert (finding.item, finding.why) == ("amount", (why,))


def test_another_type_is_no_rename(shop: Stored, proposed: Proposed) -> None:
    """A removed number and an added text are two changes."""
    avro = json.loads(text_of(RECORDED["versions"]["AVRO"][1]))
    avro["fields"][2] = {"name": "amounts", "type": "string", "default": ""}
    report = shop.check(proposed("orders.avro-value.avsc", avro), level=Level.NONE)

    assert {finding.rule for finding in report.findings} == {"column-removed", "column-added"}


def test_structure_that_goes_is_one_finding(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Its fields go with it; ten lines about one change hide the others."""
    customer = {"type": "record", "name": "C", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]}
    before = {"type": "record", "name": "O", "fields": [{"name": "c", "type": customer}, {"name": "x", "type": "int"}]}
    versions, definitions = versions_of("o-value", "AVRO", [text_of(before)])
    scan = replace(
        installation(),
        versions=tuple(versions),
        definitions=tuple(definitions),
        topic_schemas=tuple(links_of("orders.avro", versions)),
    )
    after = {**before, "fields": before["fields"][1:]}

    report = store(scan).check(proposed("o-value.avsc", after), level=Level.NONE)

    assert [(finding.rule, finding.item) for finding in report.findings] == [("column-removed", "c")]


def test_same_schema_changes_nothing(shop: Stored, proposed: Proposed) -> None:
    """A registry answers with the existing version; formatting is no change."""
    text = json.dumps(json.loads(text_of(RECORDED["versions"]["AVRO"][1])), separators=(",", ":"))

    assert shop.check(proposed("orders.avro-value.avsc", text)).findings == ()


def test_stored_level_decides(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Without an option, the subject's own level counts, transitive ones over all versions."""
    change = next(one for one in CHANGES if one["name"] == "a former field returns with another type")
    file = file_of(change, proposed)

    assert store(installation(level="BACKWARD")).check(file).verdict is Verdict.FINE
    broken = store(installation(level="BACKWARD_TRANSITIVE")).check(file)
    assert broken.verdict is Verdict.BREAKS
    assert "version 1" in of_rule(broken, "incompatible")[0].why[0]


@pytest.mark.parametrize(
    ("level", "policy", "rejected"),
    [
        ("BACKWARD", None, True),
        ("BACKWARD LENIENT", None, False),
        ("BACKWARD LENIENT", Policy.STRICT, True),
        ("BACKWARD", Policy.LENIENT, False),
    ],
)
def test_policy_is_the_stored_one_or_the_options(
    level: str, policy: Policy | None, rejected: bool, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """LENIENT takes a property that is added to an open model."""
    order = json.loads(text_of(RECORDED["versions"]["JSON"][1]))
    order.pop("additionalProperties", None)
    old, read = versions_of("o-value", "JSON", [text_of(order)], level=level)
    scan = replace(
        installation(), versions=tuple(old), definitions=tuple(read), topic_schemas=tuple(links_of("orders.avro", old))
    )
    file = proposed("o-value.json", order | {"properties": {**order["properties"], "more": {"type": "string"}}})

    report = store(scan).check(file, policy=policy)

    assert bool(of_rule(report, "incompatible")) is rejected


MAJOR = {"properties": {"major": "1"}}


def of_orders(level: str, *texts: Any, metadata: tuple[Any, ...] = (), more: tuple[Any, ...] = ()) -> ClusterScan:
    """Return a scan in which `o-value` has versions of *texts* with their *metadata*, beside *more* subjects."""
    old, read = versions_of("o-value", "AVRO", [*map(text_of, texts)], level=level)
    old = [replace(row, metadata=json.dumps(own)) for row, own in zip_longest(old, metadata, fillvalue={})]
    for name, others in more:
        versions, definitions = versions_of(name, "AVRO", [*map(text_of, others)], level="BACKWARD")
        old, read = [*old, *versions], [*read, *definitions]
    return replace(
        installation(),
        versions=tuple(old),
        definitions=tuple(read),
        topic_schemas=tuple(links_of("orders.avro", old[:1])),
    )


def order(*fields: str) -> dict[str, Any]:
    listed = [{"name": name.rstrip("!"), "type": "long"} | ({} if "!" in name else {"default": 0}) for name in fields]
    return {"type": "record", "name": "Order", "fields": listed}


def test_policy_logical_adds_the_rules_of_flink_and_iceberg(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Iceberg stores no default, so that a column is added only if it may be null; Avro asks for a default alone."""
    stored = store(of_orders("BACKWARD LOGICAL", order("a!")))
    added = stored.check(proposed("o-value.avsc", order("a!", "b")))
    nullable = order("a!")
    nullable["fields"].append({"name": "b", "type": ["null", "long"], "default": None})

    (finding,) = of_rule(added, "incompatible")
    assert (added.verdict, finding.item) == (Verdict.BREAKS, "b REQUIRED_FIELD_ADDED")
    assert "LOGICAL" in finding.why[1]
    assert of_rule(stored.check(proposed("o-value.avsc", nullable)), "incompatible") == []
    assert of_rule(stored.check(proposed("o-value.avsc", nullable)), "not-compared") == []
    by_strict = stored.check(proposed("o-value.avsc", order("a!", "b")), policy=Policy.STRICT)
    assert of_rule(by_strict, "incompatible") == []


def test_policy_logical_rejects_what_no_table_has_at_any_level(
    store: Callable[..., Stored], proposed: Proposed
) -> None:
    """The level NONE compares nothing, and the registry asks all the same whether there can be a table."""
    stored = store(of_orders("NONE LOGICAL", order("a!")))

    (finding,) = of_rule(stored.check(proposed("o-value.avsc", order("a!", "A!"))), "incompatible")

    assert finding.item == "FIELD_NAME_CASE_COLLISION"


@pytest.mark.parametrize("level", ["BACKWARD LOGICAL", "NONE LOGICAL", "BACKWARD NEWEST"])
def test_a_policy_whose_rules_are_not_judged_is_never_fine(
    level: str, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """LOGICAL is not judged for new drafts; another policy for nothing. Documentation alone no policy rejects."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {}}
    old, read = versions_of("o-value", "JSON", [text_of(draft)], level=level)
    scan = replace(
        installation(), versions=tuple(old), definitions=tuple(read), topic_schemas=tuple(links_of("orders.avro", old))
    )
    stored = store(scan)
    changed = stored.check(proposed("o-value.json", draft | {"maxProperties": 9}))
    documented = stored.check(proposed("o-value.json", draft | {"description": "orders"}))

    assert any(level.split()[1] in finding.what for finding in changed.findings)
    assert changed.verdict is not Verdict.FINE
    assert of_rule(documented, "not-compared") == []


def test_policy_logical_is_not_judged_for_what_is_not_interpreted(
    store: Callable[..., Stored], proposed: Proposed
) -> None:
    """A property that changes the type which Flink reads."""
    stored = store(of_orders("BACKWARD LOGICAL", order("a!")))
    limited = order("a!")
    values = {"type": "map", "values": "long", "logical.key.length": 9}
    limited["fields"].append({"name": "b", "type": ["null", values], "default": None})

    unknown = of_rule(stored.check(proposed("o-value.avsc", limited)), "not-compared")

    assert any("logical.key.length" in finding.what for finding in unknown)


def test_versions_of_another_group_are_not_compared(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A file does not tell its group: what no group rejects is fine, what one rejects is unknown."""
    two = {"properties": {"major": "2"}}
    stored = store(of_orders("BACKWARD group=major", order("a!"), order("a!", "b!"), metadata=(MAJOR, two)))
    rejected_by_one = of_rule(stored.check(proposed("o-value.avsc", order("a!", "b!", "c"))), "not-compared")
    by_none = stored.check(proposed("o-value.avsc", order("a!", "b", "c")))

    assert ["major = 1" in finding.what for finding in rejected_by_one] == [True]
    assert (of_rule(by_none, "not-compared"), of_rule(by_none, "incompatible")) == ([], [])


def test_an_alias_is_judged_as_the_subject_behind_it(store: Callable[..., Stored], proposed: Proposed) -> None:
    """The registry replaces the alias in every request, so its own versions do not count."""
    behind = store(of_orders("BACKWARD alias=p-value", order("a!"), more=(("p-value", [order("x!")]),)))
    unknown = store(of_orders("BACKWARD alias=gone-value", order("a!")))
    change = proposed("o-value.avsc", order("a!", "b"))

    (finding,) = of_rule(behind.check(change), "incompatible")
    assert "a" in finding.item
    assert "alias of p-value" in finding.why[-1]
    assert "gone-value" in of_rule(unknown.check(change), "not-compared")[0].what


def test_reserved_fields_are_checked_by_metadata_that_no_file_has(
    store: Callable[..., Stored], proposed: Proposed
) -> None:
    """Only a subject that validates fields, and has reserved some."""
    reserved = {"properties": {"confluent:reserved": "x,y"}}
    change = proposed("o-value.avsc", order("a!", "b"))
    stored = store(of_orders("BACKWARD validateFields", order("a!"), metadata=(reserved,)))

    assert "x,y" in of_rule(stored.check(change), "not-compared")[0].what
    assert of_rule(store(of_orders("BACKWARD validateFields", order("a!"))).check(change), "not-compared") == []


def test_finding_says_of_which_registry_the_rules_are(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Karapace and Apicurio differ in corners, and Confluent's releases in oneofs."""
    text = RECORDED["versions"]["PROTOBUF"][1].replace("double amount", "string amount")
    scan = installation(level="BACKWARD")
    karapace = replace(scan, registries=tuple(replace(one, kind="karapace") for one in scan.registries))

    for stored, words in ((scan, "8.4"), (karapace, "karapace")):
        report = store(stored).check(proposed("orders.protobuf-value.proto", text))

        assert words in of_rule(report, "incompatible")[0].why[-1]


def test_level_that_is_not_stored_is_not_taken_for_fine(shop: Stored, proposed: Proposed) -> None:
    """The default level accepts it; whether the subject has the default is not known."""
    change = next(one for one in CHANGES if one["name"] == "optional added")
    report = shop.check(file_of(change, proposed))

    assert report.verdict is Verdict.UNKNOWN
    assert [finding.verdict for finding in of_rule(report, "level-unknown")] == [Verdict.UNKNOWN]


def test_consumer_group_whose_columns_are_unknown_is_unknown(store: Callable[..., Stored], proposed: Proposed) -> None:
    """It reads the topic; whether it reads the column nobody knows, so it may not look fine."""
    group = ConsumerGroup(source=SourceId("kafka:kafka-1:9092"), name="mailing", topics=(TopicName("orders.avro"),))
    change = next(one for one in CHANGES if one["name"] == "remove nullable that nobody uses")
    report = store(installation(groups=(group,))).check(file_of(change, proposed), level=Level.NONE)

    assert report.verdict is Verdict.UNKNOWN
    assert [(one.name, one.use) for one in of_rule(report, "column-removed")[0].affected] == [("mailing", "unknown")]


def test_topic_names_every_current_schema_of_its_side(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A topic may have several subjects; one with the record's name is the one that is meant."""
    one, other = (
        {"type": "record", "name": name, "fields": [{"name": "a", "type": "int"}]} for name in ("One", "Other")
    )
    facts = [versions_of(f"events-{body['name']}", "AVRO", [text_of(body)]) for body in (one, other)]
    versions = [version for listed, _ in facts for version in listed]
    scan = replace(
        installation(),
        topics=(Topic(source=SourceId("kafka:kafka-1:9092"), name=TopicName("events")),),
        versions=tuple(versions),
        definitions=tuple(one for _, listed in facts for one in listed),
        topic_schemas=tuple(link for version in versions for link in links_of("events", [version])),
        statements=(),
    )
    stored = store(scan)
    more = {"name": "b", "type": "int", "default": 0}
    changed = {**one, "fields": [*one["fields"], more]}

    target = Target(topic="events")
    same_name = stored.check(proposed("one.avsc", changed), target=target)
    third = stored.check(proposed("third.avsc", {**changed, "name": "Third"}), target=target)

    assert same_name.files[0].targets == ("subject events-One",)
    assert third.files[0].targets == ("subject events-One", "subject events-Other")


def test_stored_references_are_read_with_the_proposed_text(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A file in a repository refers to types of other subjects by name only."""
    money = text_of({"type": "record", "name": "Money", "namespace": "lib", "fields": [{"name": "n", "type": "long"}]})
    order = {"type": "record", "name": "Order", "fields": [{"name": "price", "type": "lib.Money"}]}
    lib, lib_read = versions_of("lib.Money", "AVRO", [money])
    reference = Reference(name="lib.Money", subject=SubjectName("lib.Money"), version=1)
    versions, read = versions_of(
        "priced-value", "AVRO", [text_of(order)], references=(reference,), referenced={"lib.Money": money}
    )
    scan = replace(
        installation(),
        versions=(*lib, *versions),
        definitions=(*lib_read, *read),
        topic_schemas=tuple(links_of("orders.avro", versions)),
    )
    changed = {**order, "fields": [*order["fields"], {"name": "fee", "type": "lib.Money"}]}

    report = store(scan).check(proposed("priced-value.avsc", changed), level=Level.BACKWARD)

    assert [finding.item for finding in of_rule(report, "incompatible")] == ["fee READER_FIELD_MISSING_DEFAULT_VALUE"]
    assert not of_rule(report, "not-compared")


def test_another_format_breaks(shop: Stored, proposed: Proposed) -> None:
    """Readers of Avro read no Protobuf, whatever the columns are called."""
    report = shop.check(proposed("orders.avro-value.proto", RECORDED["versions"]["PROTOBUF"][1]))

    assert [finding.rule for finding in report.findings if finding.verdict is Verdict.BREAKS] == ["format-changed"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders.avro-value.avsc", "{"),
        ("orders.avro-value.avsc", '{"type": "record"}'),
        ("orders.protobuf-value.proto", "this is no schema"),
        ("orders.avro-value.avsc", ""),
    ],
)
def test_file_that_is_no_schema_is_an_error_with_its_place(
    name: str, text: str, shop: Stored, proposed: Proposed
) -> None:
    """Nothing that could not be read may look fine."""
    with pytest.raises(InputInvalid) as error:
        shop.check(proposed(name, text))

    assert name in error.value.where


@pytest.mark.parametrize(("name", "text"), [("orders.avro-value.avsc", "[]"), ("orders.json-value.json", '"text"')])
def test_schema_that_is_hardly_one_is_not_fine(name: str, text: str, shop: Stored, proposed: Proposed) -> None:
    """It is a schema by the letter; what it would do to readers is told, or unknown."""
    assert shop.check(proposed(name, text), level=Level.NONE).verdict is not Verdict.FINE


@pytest.mark.parametrize("target", [Target(subject="ordres-value"), Target(topic="ordres"), None])
def test_unknown_subject_is_an_error_with_suggestions(target: Target | None, shop: Stored, proposed: Proposed) -> None:
    """A misspelt name must not pass for a new subject."""
    with pytest.raises(NameUnknown):
        shop.check(proposed("orders.avro-valu.avsc", RECORDED["versions"]["AVRO"][1]), target=target)


def test_new_subject_may_be_allowed(shop: Stored, proposed: Proposed) -> None:
    """A pull request may add a topic; it breaks nobody."""
    report = shop.check(proposed("refunds-value.avsc", RECORDED["versions"]["AVRO"][1]), allow_new=True)

    assert [(finding.rule, finding.verdict) for finding in report.findings] == [("unknown-name", Verdict.FINE)]


def enum_of(symbols: list[str]) -> dict[str, Any]:
    state = {"type": "enum", "name": "State", "symbols": symbols}
    fields = [{"name": "id", "type": "long"}, {"name": "status", "type": state}, {"name": "idle", "type": "int"}]
    return {"type": "record", "name": "Order", "fields": fields}


def test_removed_enum_symbol_names_its_readers(store: Callable[..., Stored], proposed: Proposed) -> None:
    """The registry's answer alone does not say whom to talk to."""
    versions, definitions = versions_of("orders.avro-value", "AVRO", [text_of(enum_of(["PAID", "OPEN"]))])
    scan = replace(
        installation(),
        versions=tuple(versions),
        definitions=tuple(definitions),
        topic_schemas=tuple(links_of("orders.avro", versions)),
    )
    report = store(scan).check(proposed("orders.avro-value.avsc", enum_of(["PAID"])), level=Level.BACKWARD)

    (finding,) = report.findings
    assert (finding.rule, finding.item) == ("incompatible", "status MISSING_ENUM_SYMBOLS")
    assert {"shop.sql:1", "paid-to-warehouse"} <= {hit.name for hit in finding.affected}


SYMBOLS = {
    "AVRO": lambda symbols: enum_of(symbols),
    "JSON": lambda symbols: {"type": "object", "properties": {"status": {"type": "string", "enum": symbols}}},
    "PROTOBUF": lambda symbols: (
        f'syntax = "proto3"; enum S {{ {"".join(f"{name} = {at};" for at, name in enumerate(symbols))} }} '
        "message Order { S status = 1; }"
    ),
}


@pytest.mark.parametrize("format", SYMBOLS)
def test_removed_enum_symbol_names_its_readers_whatever_the_level(
    format: str, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """Who compares with the symbol finds it no more, whether the registry minds or not."""
    topic, schema_of = f"orders.{format.lower()}", SYMBOLS[format]
    versions, definitions = versions_of(f"{topic}-value", format, [text_of(schema_of(["OPEN", "PAID"]))])
    scan = replace(
        installation(),
        versions=tuple(versions),
        definitions=tuple(definitions),
        topic_schemas=tuple(links_of(topic, versions)),
    )
    report = store(scan).check(proposed(f"{topic}-value.{ENDINGS[format]}", schema_of(["OPEN"])), level=Level.NONE)

    (finding,) = report.findings
    assert (finding.rule, finding.item, finding.verdict) == ("symbols-removed", "status", Verdict.IMPACT)
    assert "PAID" in finding.what
    assert {"shop.sql", "paid-to-warehouse"} <= {hit.name.partition(":")[0] for hit in finding.affected}


ONEOF = 'syntax = "proto3"; message O { oneof a { string x = 1; string y = 2; } %s }'
LEFT = (ONEOF % "").replace("string y = 2; }", "} string y = 2;")


@pytest.mark.parametrize(
    ("version", "rule", "words"),
    [
        ("8.3.1", "incompatible", "the rules are those of Confluent's registry 8.3.1"),
        ("8.5.0-0", None, ""),
        ("", "older-registry", "the registry's version is not known"),
    ],
)
def test_rules_of_protobuf_are_those_of_the_registrys_version(
    version: str, rule: str | None, words: str, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """Until 8.3 a field that leaves a oneof was a removal; which rules count is said where they differ."""
    versions, definitions = versions_of("orders.protobuf-value", "PROTOBUF", [ONEOF % ""])
    scan = installation()
    stored = store(
        replace(
            scan,
            registries=(replace(scan.registries[0], server_version=version),),
            versions=tuple(versions),
            definitions=tuple(definitions),
            topic_schemas=tuple(links_of("orders.protobuf", versions)),
        )
    )
    report = stored.check(proposed("orders.protobuf-value.proto", LEFT), level=Level.BACKWARD)
    found = {finding.rule: " ".join(finding.why) for finding in report.findings}

    assert set(found) & {"incompatible", "older-registry"} == ({rule} if rule else set())
    assert words in found.get(rule or "", "")


def without_jobs(*kinds: SourceId) -> ClusterScan:
    """Return the installation's topics and schemas, with sources of *kinds* that have no job or group."""
    scan = installation()
    outcomes = tuple(read_result(source) for source in (REGISTRY, *kinds))
    topics = tuple(replace(topic, source=REGISTRY) for topic in scan.topics)
    return replace(scan, outcomes=outcomes, topics=topics, connectors=(), statements=())


@pytest.mark.parametrize("kinds", [(), (SourceId("manual:m.json"),), (SourceId("database:shop"),)])
def test_nobody_is_known_where_nothing_names_readers(
    kinds: tuple[SourceId, ...], store: Callable[..., Stored], proposed: Proposed
) -> None:
    """A registry alone knows of no reader."""
    file = file_of(next(change for change in CHANGES if change["name"] == "remove a used field"), proposed)
    report = store(without_jobs(*kinds)).check(file, level=Level.NONE)

    (finding,) = of_rule(report, "no-readers-known")
    assert (report.verdict, finding.verdict) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert "Connect" in finding.why[0]


@pytest.mark.parametrize("kind", ["kafka:kafka-1:9092", "connect:main", "ksqldb:http://k:8088", "flink:shop"])
def test_source_without_a_job_is_an_answer(kind: str, store: Callable[..., Stored], proposed: Proposed) -> None:
    """It was asked, and nobody reads."""
    file = file_of(next(change for change in CHANGES if change["name"] == "remove a used field"), proposed)

    assert store(without_jobs(SourceId(kind))).check(file, level=Level.NONE).verdict is Verdict.FINE


def test_flow_that_somebody_declared_is_an_answer(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Then manual input does name readers."""
    manual = SourceId("manual:m.json")
    origin, target = FlowEnd(name="other"), FlowEnd(namespace="x://y", name="t")
    flow = DeclaredFlow(source=manual, origin=origin, target=target, job="j", description="", evidence="m.json")
    scan = replace(without_jobs(manual), declared_flows=(flow,))
    file = file_of(next(change for change in CHANGES if change["name"] == "remove a used field"), proposed)

    assert not of_rule(store(scan).check(file, level=Level.NONE), "no-readers-known")


@pytest.mark.parametrize(
    ("level", "expected"), [(Level.FULL, "incompatible"), (Level.NONE, "column-added"), (None, "old-data-rejected")]
)
def test_schema_without_a_subject_is_compared_with_its_text(
    level: Level | None, expected: str, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """Manual input and files have schemas that no registry knows: without a level, what readers reject is said."""
    record = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
    versions, definitions = versions_of("x", "AVRO", [text_of(record)])
    links = tuple(replace(link, subject="", version=None) for link in links_of("orders.avro", versions))
    scan = replace(installation(), versions=(), definitions=tuple(definitions), topic_schemas=links)
    record["fields"].append({"name": "b", "type": "int"})
    report = store(scan).check(proposed("r.avsc", record), target=Target(topic="orders.avro"), level=level)

    assert any("rejects data" in why for finding in report.findings for why in finding.why) is (level is None)
    assert expected in {finding.rule for finding in report.findings}


def test_schema_without_a_text_is_not_compared(store: Callable[..., Stored], proposed: Proposed) -> None:
    """Manual input may list columns only."""
    record = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
    versions, (definition,) = versions_of("x", "AVRO", [text_of(record)])
    links = tuple(replace(link, subject="", version=None) for link in links_of("orders.avro", versions))
    scan = replace(installation(), versions=(), definitions=(replace(definition, text=""),), topic_schemas=links)
    report = store(scan).check(proposed("r.avsc", record), target=Target(topic="orders.avro"), level=Level.FULL)

    assert [(finding.rule, finding.verdict) for finding in report.findings] == [("not-compared", Verdict.UNKNOWN)]


LISTED = [Column(path=("id",), type="long"), Column(path=("status",), type="string")]


@pytest.mark.parametrize(
    ("format", "text", "listed", "expected"),
    [
        ("AVRO", {"fields": ["id", "status"]}, LISTED, []),
        ("AVRO", {"fields": ["id"]}, LISTED, [("column-removed", "impact")]),
        ("AVRO", {"fields": ["id", "status", "b"]}, LISTED, [("not-compared", "unknown"), ("column-added", "fine")]),
        ("AVRO", {"fields": ["id", "b?"]}, LISTED[:1], [("column-added", "fine")]),
        ("AVRO", {"fields": ["id"]}, LISTED[:1], []),
        ("PROTOBUF", 'syntax = "proto3"; message M { int64 id = 1; }', [Column(path=("id",), type="int64")], []),
    ],
)
def test_schema_of_which_columns_are_listed_is_compared_by_them(
    format: str,
    text: Any,
    listed: list[Column],
    expected: list[tuple[str, str]],
    store: Callable[..., Stored],
    proposed: Proposed,
) -> None:
    """Manual input lists columns of a topic whose schema nobody has; the list is no text of the format."""
    known = {"id": "long", "status": "string", "b": "int"}
    if format == "AVRO":
        fields = [
            {"name": name.rstrip("?"), "type": known[name.rstrip("?")]} | ({"default": 0} if "?" in name else {})
            for name in text["fields"]
        ]
        text = {"type": "record", "name": "R", "fields": fields}
    mark = Fingerprint("listed")
    definition = Definition(fingerprint=mark, format=format, text=columns_text(listed), columns=tuple(listed))
    (link,) = links_of("orders.avro", versions_of("x", "AVRO", ['"int"'])[0])
    link = replace(link, subject="", version=None, fingerprint=mark)
    scan = replace(installation(), versions=(), definitions=(definition,), topic_schemas=(link,))
    file = proposed(f"r.{ENDINGS[format]}", text)
    report = store(scan).check(file, target=Target(topic="orders.avro"))

    assert [(finding.rule, str(finding.verdict)) for finding in report.findings] == expected


@pytest.mark.parametrize(
    ("version", "head", "is_noted"),
    [("", "draft-07", True), ("", "draft-04", False), ("8.3.1", "draft-07", False)],
)
def test_another_dialect_of_json_schema_is_noted_if_the_registrys_product_is_not_known(
    version: str, head: str, is_noted: bool, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """Redpanda's registry has Confluent's API and rejects it; `fine` without a remark would be wrong."""
    text = '{"$schema": "http://json-schema.org/%s/schema#", "type": "object", "properties": {"a": {"type": "%s"}}}'
    versions, definitions = versions_of("orders.json-value", "JSON", [text % ("draft-04", "string")])
    scan = installation()
    stored = store(
        replace(
            scan,
            registries=(replace(scan.registries[0], server_version=version),),
            versions=tuple(versions),
            definitions=tuple(definitions),
            topic_schemas=tuple(links_of("orders.json", versions)),
        )
    )
    report = stored.check(proposed("orders.json-value.json", text % (head, "string")), level=Level.BACKWARD)

    assert ("older-registry" in {finding.rule for finding in report.findings}) is is_noted


@pytest.mark.parametrize(
    "text", ["{", "nothing", 'syntax = "proto3"; message O { string ticker = 1; double price == 2; }'], ids=str
)
def test_a_stored_text_that_was_not_read_is_not_a_schema_without_columns(store, proposed, text):
    """Its columns, and so what the new text lacks of them, are not known, whatever the level."""
    scan = installation()
    parsed = parse_schema(text, "PROTOBUF")
    last = replace(scan.definitions[-1], text=text, columns=parsed.columns, problems=parsed.problems)
    version = replace(scan.versions[-1], text=text)
    stored = store(replace(scan, definitions=(*scan.definitions[:-1], last), versions=(*scan.versions[:-1], version)))
    new = proposed("orders.protobuf-value.proto", 'syntax = "proto3"; message O { string ticker = 1; }')

    report = stored.check(new, level=Level.NONE)
    assert of_rule(report, "not-compared")
    assert report.verdict is not Verdict.FINE
    assert not of_rule(report, "column-added")
