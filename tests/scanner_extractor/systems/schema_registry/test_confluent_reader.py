"""JSON to facts: what may be absent, what is kept as it is, and what costs a row."""

from __future__ import annotations

import json

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.registries.result import BadRow, Row
from scanner_extractor.systems.schema_registry.confluent_reader import (
    Origin,
    read_associations,
    read_names,
    read_numbers,
    read_row,
    read_rows,
)
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import Role, SourceId
from scanner_model.payload import Payload
from scanner_model.redaction import MASK
from scanner_model.schemas import Reference, SchemaVersion, qualified_subject

CONFLUENT = Origin(source=SourceId("schema_registry:x"), kind="confluent")
KARAPACE = Origin(source=SourceId("schema_registry:x"), kind="karapace")
PLAIN = {"subject": "s", "version": 1, "id": 5, "schema": '"string"'}

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = ("subject", "version", "id", "schema", "schemaType", "references", "metadata", "ruleSet", "schemaTags")


def version_of(**members: object) -> SchemaVersion:
    row = read_row(Payload({**PLAIN, **members}), CONFLUENT)
    assert isinstance(row, Row), row
    return row.version


def test_format_that_is_not_reported_is_avro() -> None:
    """Servers before 8.0 leave it out, since Avro was the only one once."""
    assert [version_of().format, version_of(schemaType=None).format] == ["AVRO", "AVRO"]


def test_unknown_format_is_kept() -> None:
    """A registry may have plug-ins of its own."""
    assert version_of(schemaType="thrift").format == "THRIFT"


def test_a_row_that_is_known_is_not_read_again() -> None:
    """The list with deleted versions repeats all others, of which a large registry has a million."""
    known = {(":.eu:s", 1): read_row(Payload({**PLAIN, "subject": ":.eu:s"}), CONFLUENT)}
    reported = [{**PLAIN, "subject": ":.eu:s"}, PLAIN, {**PLAIN, "subject": ":.eu:s", "version": True}, {"subject": []}]

    same, other, *bad = read_rows(reported, CONFLUENT, known)

    assert same is known[":.eu:s", 1]
    assert other == read_row(Payload(PLAIN), CONFLUENT)
    assert [type(row) for row in bad] == [BadRow, BadRow]


@pytest.mark.parametrize("members", [{}, {"references": None}, {"references": []}])
def test_absent_null_and_empty_references_are_one(members) -> None:
    """Three ways to say none, depending on server and endpoint."""
    assert version_of(**members).references == ()


def test_references_are_kept_as_registered() -> None:
    """Where a qualified subject leads is for whoever resolves it."""
    entry = {"name": "money.proto", "subject": ":.shared:money.proto", "version": -1, "extra": 1}

    assert version_of(references=[entry]).references == (
        Reference(name="money.proto", subject=":.shared:money.proto", version=-1),
    )


@pytest.mark.parametrize(
    ("member", "value", "what"),
    [
        ("subject", None, "$ has no 'subject'"),
        ("version", "1", "$.version is text"),
        ("version", True, "$.version is true or false"),
        ("id", None, "$.id is null"),
        ("schema", {"type": "string"}, "$.schema is an object"),
        ("schemaType", 7, "$.schemaType is a number"),
        ("references", {"a": 1}, "$.references is an object, not a list"),
        ("references", [{"name": "a"}], "$.references[0].subject is null"),
    ],
)
def test_misshapen_row_states_what_is_wrong(member, value, what) -> None:
    """People ask the registry's makers with it."""
    row = read_row(Payload({**PLAIN, member: value}), CONFLUENT)

    assert isinstance(row, BadRow)
    assert what in row.problem.what


def test_context_is_taken_off_where_there_are_contexts() -> None:
    """A subject has its name in a context."""
    version = version_of(subject=":.eu:orders-value")

    assert (version.context, version.subject) == (".eu", "orders-value")


def test_same_text_is_a_plain_name_elsewhere() -> None:
    """Karapace has no contexts: `:.eu:orders-value` is what the subject is called."""
    row = read_row(Payload({**PLAIN, "subject": ":.eu:orders-value"}), KARAPACE)

    assert isinstance(row, Row)
    assert (row.version.context, row.version.subject) == (".", ":.eu:orders-value")


@pytest.mark.parametrize(("context", "subject"), [(".", "a"), (".eu", "a"), (".eu", "")])
def test_qualified_name_is_read_back(context, subject) -> None:
    """What was written for a request is what an answer names."""
    version = version_of(subject=qualified_subject(context, subject))

    assert (version.context, version.subject) == (context, subject)


def test_metadata_and_rules_are_kept_as_canonical_json() -> None:
    """The order that a server happens to write in is no change."""
    version = version_of(metadata={"tags": {"**.iban": ["PII"]}, "properties": {}}, ruleSet={"domainRules": []})

    assert version.metadata == '{"properties":{},"tags":{"**.iban":["PII"]}}'
    assert version.rule_set == '{"domainRules":[]}'


def test_properties_that_the_registry_calls_sensitive_are_masked() -> None:
    """It answers in clear what it encrypts in its own store."""
    version = version_of(metadata={"properties": {"owner": "x", "token": "hush"}, "sensitive": ["token"]})

    assert version.metadata == f'{{"properties":{{"owner":"x","token":"{MASK}"}},"sensitive":["token"]}}'


def test_tags_beside_the_schema_are_gathered_once() -> None:
    """Each entity has its own list."""
    tags = [{"schemaEntity": {"entityPath": "R.a", "entityType": "sr_field"}, "tags": ["PII", "A"]}, {"tags": ["PII"]}]

    assert version_of(schemaTags=tags).tags == ("A", "PII")


def test_unknown_members_are_ignored() -> None:
    """Newer servers tell more."""
    assert version_of(aliases=["x"], future={"a": 1}) == version_of()


@pytest.mark.parametrize(
    ("ts", "expected"),
    [(1795321234569, "2026-11-22T04:20:34.569+00:00"), (None, ""), (10**30, "")],
)
def test_time_of_registration_is_kept(ts, expected) -> None:
    """It reports how old a schema is; servers before 8.0 do not say it."""
    assert version_of(ts=ts).registered_at == expected


def test_answer_may_leave_out_what_was_requested() -> None:
    """Some servers answer a version's request with little more than its text."""
    row = read_row(Payload({"id": 5, "schema": "{}"}), CONFLUENT, requested=(":.eu:a", 3))

    assert isinstance(row, Row)
    assert (row.version.context, row.version.subject, row.version.version) == (".eu", "a", 3)


def test_subject_requested_is_the_one_meant() -> None:
    """An alias is answered with the subject behind it, and references use the alias."""
    row = read_row(Payload({**PLAIN, "subject": "real"}), CONFLUENT, requested=("alias", 1))

    assert isinstance(row, Row)
    assert (row.version.subject, row.behind) == ("alias", "real")


def test_newest_version_must_state_its_number() -> None:
    """It was queried for as `latest`, so nothing else reports which it is."""
    assert isinstance(read_row(Payload({"id": 5, "schema": "{}"}), CONFLUENT, requested=("a", -1)), BadRow)


def test_associations_with_topics_are_read() -> None:
    """Those with tables are somebody else's."""
    entry = {"resourceName": "orders", "resourceType": "topic", "associationType": "value"}
    other = {"resourceName": "x", "resourceType": "table", "associationType": "value"}
    (link,) = read_associations(Payload([entry, other, {"resourceName": "y"}]).list(), CONFLUENT, ":.eu:s")

    assert (link.context, link.subject, link.topic, link.role) == (".eu", "s", "orders", Role.VALUE)


@pytest.mark.parametrize("reader", [read_names, read_numbers, lambda payload: read_rows(payload, CONFLUENT)])
@pytest.mark.parametrize("payload", [None, {}, "x", 1, {"error_code": 1}])
def test_answer_that_is_no_list_is_unexpected(reader, payload) -> None:
    """It must not be taken for an empty one."""
    with pytest.raises(PayloadUnexpected):
        reader(payload)


@pytest.mark.parametrize(
    ("reader", "payload"), [(read_names, ["a", 1]), (read_numbers, [1, True]), (read_numbers, ["1"])]
)
def test_list_of_something_else_is_unexpected(reader, payload) -> None:
    """It must not be taken for subjects."""
    with pytest.raises(PayloadUnexpected):
        reader(payload)


def test_row_nested_too_deeply_to_be_written_costs_that_row() -> None:
    """Python reads deeper than it writes."""
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    row = read_row(Payload({**PLAIN, "id": deep}), CONFLUENT)
    while isinstance(deep, list):  # taken apart by hand, since not every Python frees such a thing by itself
        deep = deep.pop()

    assert isinstance(row, BadRow)


@examples(150)
@given(st.dictionaries(st.sampled_from(MEMBERS), ANY_JSON))
def test_no_row_raises(members) -> None:
    """Servers send what they like."""
    row = read_row(Payload({**PLAIN, **members}), CONFLUENT)

    assert isinstance(row, BadRow) or json.loads(row.version.metadata or "{}") is not None
