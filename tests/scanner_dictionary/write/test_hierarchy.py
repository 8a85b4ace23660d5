"""Facts without their parent, or listed twice, are refused, each with a problem that names both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.write.hierarchy import check
from scanner_model.columns import Column
from scanner_model.manual import FlowEnd, ManualFlow
from scanner_model.names import Fingerprint, TopicName


def test_valid_scan_is_unchanged(estate) -> None:
    """The check must cost nobody a fact."""
    scan = estate.orders()

    assert check(scan) == (scan, ())


def test_link_to_a_topic_that_the_scan_lacks_is_refused(estate) -> None:
    """It would hang in the air."""
    accepted, [problem] = check(estate.orders(topics=(), topic_schemas=estate.orders().topic_schemas[:1]))

    assert accepted.topic_schemas == ()
    assert "topic_schema" in problem.what
    assert "topic 'orders'" in problem.what


def test_link_to_a_definition_that_the_scan_lacks_is_refused(estate) -> None:
    """A topic would have a schema without meaning."""
    link = replace(estate.orders().topic_schemas[0], fingerprint=Fingerprint("none"))
    accepted, [problem] = check(estate.orders(topic_schemas=(link,)))

    assert accepted.topic_schemas == ()
    assert "schema_definition 'none'" in problem.what


def test_version_of_a_registry_that_is_not_listed_is_refused(estate) -> None:
    """Its subject would have no parent."""
    accepted, problems = check(estate.orders(registries=()))

    assert accepted.versions == ()
    assert len(problems) == 3
    assert f"registry '{estate.registry}'" in problems[0].what


@pytest.mark.parametrize(
    "member",
    ["topics", "registries", "versions", "definitions", "topic_schemas", "consumer_groups", "ksql_sources", "queries"],
)
def test_fact_that_is_listed_twice_is_stored_once(member, estate) -> None:
    """The first counts."""
    scan = estate.orders()
    facts = getattr(scan, member)
    accepted, problems = check(replace(scan, **{member: facts + facts[:1]}))

    assert getattr(accepted, member) == facts
    assert "listed twice" in problems[0].what


def test_flow_that_is_listed_twice_is_stored_once(estate) -> None:
    """Two files may declare one flow; one file twice is a mistake."""
    ends = {"origin": FlowEnd(namespace="", name="a"), "target": FlowEnd(namespace="", name="b")}
    flow = ManualFlow(source=estate.kafka, **ends, job="", description="", evidence="f.json")
    accepted, [problem] = check(estate.scan(manual_flows=(flow, replace(flow, description="again"))))

    assert accepted.manual_flows == (flow,)
    assert "manual_flow" in problem.what


@pytest.mark.parametrize(
    ("paths", "accepted", "word"),
    [
        ((("a",), ("b", "c")), (("a",),), "'b'"),
        ((("a",), ("a",)), (("a",),), "twice"),
        (((), ("[]",), ("[]", "a")), ((), ("[]",), ("[]", "a")), None),
        ((("a", "b"), ("a",), ("a", "b", "c")), (("a",),), "'a'"),
    ],
)
def test_column_needs_its_parent_before_it(paths, accepted, word, estate) -> None:
    """The definition stays with the columns that make sense."""
    columns = tuple(Column(path=path, type="record") for path in paths)
    definition = replace(estate.definition(), columns=columns)
    scan, problems = check(estate.scan(definitions=(definition,)))

    assert tuple(column.path for column in scan.definitions[0].columns) == accepted
    assert not problems if word is None else word in problems[0].what


def test_fact_without_its_type_is_refused(estate) -> None:
    """Every fact has a type or name."""
    definition = replace(estate.definition(), columns=(Column(path=("a",), type=""),))
    accepted, problems = check(estate.scan(topics=(estate.topic(""),), definitions=(definition,)))

    assert (accepted.topics, accepted.definitions[0].columns) == ((), ())
    assert [("type" in problem.what) for problem in problems] == [True, True]


def test_version_beyond_every_database_is_refused(estate) -> None:
    """A registry that answers nonsense must not cost the scan."""
    version = estate.version("a", 10**30)
    link = replace(estate.link("t", version), topic=TopicName("t"))
    scan = estate.scan(topics=(estate.topic("t"),), definitions=(estate.definition("id"),), versions=(version,))
    accepted, problems = check(replace(scan, topic_schemas=(link,)))

    assert (accepted.versions, accepted.topic_schemas) == ((), ())
    assert len(problems) == 2


def test_facts_of_a_kind_that_no_row_describes_are_reported(estate) -> None:
    """They have no table: losing them silently would look like a source without facts."""
    accepted, problems = check(replace(estate.orders(), others={"quotas": ("fact",)}))

    assert (accepted.topics, [problem.what for problem in problems]) == (
        estate.orders().topics,
        ["no kind of fact is called 'quotas'"],
    )
