"""Facts without their parent, or listed twice, are refused, each with a problem that names both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.write.sources import check
from scanner_model.columns import Column
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import Fingerprint, TopicName


def test_valid_scan_is_unchanged(sample) -> None:
    """The check must cost nobody a fact."""
    scan = sample.orders()

    assert check(scan) == (scan, ())


def test_link_to_a_topic_that_the_scan_lacks_is_refused(sample) -> None:
    """It would hang in the air."""
    accepted, [problem] = check(sample.orders(topics=(), topic_schemas=sample.orders().topic_schemas[:1]))

    assert accepted.topic_schemas == ()
    assert "topic_schema" in problem.what
    assert "topic 'orders'" in problem.what


def test_link_to_a_definition_that_the_scan_lacks_is_refused(sample) -> None:
    """A topic would have a schema without meaning."""
    link = replace(sample.orders().topic_schemas[0], fingerprint=Fingerprint("none"))
    accepted, [problem] = check(sample.orders(topic_schemas=(link,)))

    assert accepted.topic_schemas == ()
    assert "schema_definition 'none'" in problem.what


def test_version_of_a_registry_that_is_not_listed_is_refused(sample) -> None:
    """Its subject would have no parent."""
    accepted, problems = check(sample.orders(registries=()))

    assert accepted.versions == ()
    assert len(problems) == 3
    assert f"registry '{sample.registry}'" in problems[0].what


@pytest.mark.parametrize(
    "member",
    ["topics", "registries", "versions", "definitions", "topic_schemas", "consumer_groups", "ksql_sources", "queries"],
)
def test_fact_that_is_listed_twice_is_stored_once(member, sample) -> None:
    """The first counts."""
    scan = sample.orders()
    facts = getattr(scan, member)
    accepted, problems = check(replace(scan, **{member: facts + facts[:1]}))

    assert getattr(accepted, member) == facts
    assert "listed twice" in problems[0].what


def test_flow_that_is_listed_twice_is_stored_once(sample) -> None:
    """Two files may declare one flow; one file twice is a mistake."""
    ends = {"origin": FlowEnd(name="a"), "target": FlowEnd(name="b")}
    flow = DeclaredFlow(source=sample.kafka, **ends, job="", description="", evidence="f.json")
    accepted, [problem] = check(sample.scan(declared_flows=(flow, replace(flow, description="again"))))

    assert accepted.declared_flows == (flow,)
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
def test_column_needs_its_parent_before_it(paths, accepted, word, sample) -> None:
    """The definition stays with the columns that make sense."""
    columns = tuple(Column(path=path, type="record") for path in paths)
    definition = replace(sample.definition(), columns=columns)
    scan, problems = check(sample.scan(definitions=(definition,)))

    assert tuple(column.path for column in scan.definitions[0].columns) == accepted
    assert not problems if word is None else word in problems[0].what


def test_fact_without_its_type_is_refused(sample) -> None:
    """Every fact has a type or name."""
    definition = replace(sample.definition(), columns=(Column(path=("a",), type=""),))
    accepted, problems = check(sample.scan(topics=(sample.topic(""),), definitions=(definition,)))

    assert (accepted.topics, accepted.definitions[0].columns) == ((), ())
    assert [("type" in problem.what) for problem in problems] == [True, True]


def test_version_beyond_every_database_is_refused(sample) -> None:
    """A registry that answers nonsense must not cost the scan."""
    version = sample.version("a", 10**30)
    link = replace(sample.link("t", version), topic=TopicName("t"))
    scan = sample.scan(topics=(sample.topic("t"),), definitions=(sample.definition("id"),), versions=(version,))
    accepted, problems = check(replace(scan, topic_schemas=(link,)))

    assert (accepted.versions, accepted.topic_schemas) == ((), ())
    assert len(problems) == 2


def test_facts_of_a_kind_that_no_row_describes_are_reported(sample) -> None:
    """They have no table: losing them silently would look like a source without facts."""
    accepted, problems = check(sample.orders().with_facts({str: ("fact",)}))

    assert (accepted.topics, [problem.what for problem in problems]) == (
        sample.orders().topics,
        ["no kind of fact is called 'str'"],
    )
