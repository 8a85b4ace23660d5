"""What a node is in a sentence, whose things are, and which tags there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.node_summary import node_of_link, node_summary
from scanner_api.questions.owners import owned, owners
from scanner_api.questions.tags import tags
from scanner_api.questions.topics import describe_topic
from scanner_model.errors import NameUnknown

EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return the bundled example."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("retail") / "d.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def by_hand(directory: Path, **manual: object) -> Dictionary:
    """Scan a cluster that is only described by hand."""
    (directory / "cluster.json").write_text(
        json.dumps({"cluster": "shop", "brokers": ["k:9092"], "manual_input": ["manual.json"]})
    )
    (directory / "manual.json").write_text(json.dumps({"version": 1, **manual}))
    dictionary = scanner_api.open_dictionary(directory / "d.db", create=True)
    scanner_api.scan([directory / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)
    return dictionary


@pytest.mark.parametrize(
    ("node", "sentence"),
    [
        (
            "warehouse.public.order_facts.amount",
            "orders-enriched.total = CAST(o.payload.total AS DOUBLE), from shop.public.orders.total in 3 steps"
            " (copied, computed, renamed) · no known reader"
            " · owner team-warehouse · no tag",
        ),
        (
            "order-mails.recipient",
            "recipient = UPPER(c.payload.email), from shop.public.customers.email in 2 steps (copied, computed)"
            " · no known reader"
            " · owner team-streaming · PII",
        ),
        (
            "orders",
            "no known writer · read by orders-to-dr, orders-as-json, analytics and 2 more (1 failed) · owner team-shop",
        ),
        ("orders-enriched", "written by flink/retail.sql:2 · read by warehouse-orders, analytics"),
        ("flink/retail.sql:2", "reads cdc.customers, cdc.orders, writes orders-enriched · feeds warehouse-orders"),
        ("billing", "reads payments · owner team-finance"),
    ],
)
def test_a_node_is_summarized_in_a_sentence(retail, node, sentence) -> None:
    assert node_summary(retail, node).sentence.startswith(sentence)


def test_the_steps_lead_from_the_origin_to_the_node_without_a_gap(retail) -> None:
    steps = node_summary(retail, "warehouse.public.order_facts.amount").steps

    assert [step.source for step in steps[1:]] == [step.target for step in steps[:-1]]
    assert (steps[0].source, steps[-1].target) == ("shop.public.orders.total", "warehouse.public.order_facts.amount")
    assert all(step.evidence for step in steps)


def test_a_suggested_tag_is_no_known_one(retail) -> None:
    """Neither "PII" nor "no tag": a name alone says neither."""
    summary = node_summary(retail, "customers.address.street")

    assert (summary.tags, summary.suggested) == ((), ("PII",))
    assert summary.sentence.endswith("looks like PII, not tagged")


@pytest.mark.parametrize("node", ["orders", "warehouse.public.order_facts.amount", "billing"])
def test_a_short_link_is_the_same_after_the_next_scan(retail, tmp_path, node) -> None:
    summary = node_summary(retail, node)

    assert len(summary.short) == 10
    assert node_of_link(retail, short=summary.short).node == summary.node.id


def test_a_short_link_of_nothing_is_an_error(retail) -> None:
    with pytest.raises(NameUnknown, match="no node has the link ID"):
        node_of_link(retail, short="0" * 10)


def test_an_owner_has_topics_jobs_and_what_is_wrong_with_them(retail) -> None:
    mine = owned(retail, owner="TEAM-shop")

    assert mine.sentence == (
        "team-shop: 5 topics, 4 jobs, 1 consumer group, 2 tables, 3 findings, changes unknown (one scan)."
    )
    assert {finding.rule for finding in mine.findings} == {"failed-connector", "topic-without-schema"}
    assert "connector orders-as-json" in {finding.where for finding in mine.findings}
    assert [item.failed for item in mine.items if item.name == "orders-as-json"] == ["1 of 1 tasks FAILED"]


def test_the_numbers_of_owners_are_those_of_their_pages(retail) -> None:
    for row in owners(retail):
        kinds = [item.kind for item in owned(retail, owner=row.owner).items]
        assert (kinds.count("topic"), kinds.count("job") + kinds.count("consumer-group")) == (row.topics, row.jobs)


def test_an_unknown_owner_has_the_nearest_name(retail) -> None:
    with pytest.raises(NameUnknown) as caught:
        owned(retail, owner="team-shp")

    assert "team-shop" in str(caught.value.hint)


def test_a_thing_of_two_owners_is_listed_at_both(tmp_path) -> None:
    dictionary = by_hand(
        tmp_path,
        topics=[{"name": "orders"}, {"name": "payments"}],
        owners={"team-a, team-b": ["orders"], "team-b": ["payments"]},
    )

    assert [(row.owner, row.topics) for row in owners(dictionary)] == [("team-a", 1), ("team-b", 2)]


def test_what_changed_of_an_owner_is_counted_once_two_scans_are_known(tmp_path) -> None:
    dictionary = by_hand(tmp_path, topics=[{"name": "orders"}], owners={"team-a": ["orders"]})
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    assert owned(dictionary, owner="team-a").sentence.endswith("0 changes in the last week.")


def test_without_owners_there_are_none(tmp_path) -> None:
    assert owners(by_hand(tmp_path, topics=[{"name": "orders"}])).items == ()


def test_tags_are_counted_by_how_they_are_known(retail) -> None:
    counted = {row.tag: row[1:] for row in tags(retail)}

    assert counted == {"PII": (0, 8, 13, 12), "finance": (1, 0, 0, 0)}


@pytest.mark.parametrize("way", ["declared", "inherited", "suggested"])
def test_each_count_of_a_tag_is_the_length_of_its_list(retail, way) -> None:
    for row in tags(retail):
        assert len(scanner_api.columns(retail, tag=row.tag, tags=way)) == getattr(row, way)


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        (
            "orders",
            [
                "owner team-shop",
                "3 columns with PII",
                "1 column looks like PII, not tagged",
                "5 readers, 1 failed",
                "no known writer",
                "kept 7 days",
            ],
        ),
        ("order-mails", ["owner team-streaming", "1 column with PII", "no known reader", "1 writer"]),
        ("clicks", ["owner team-web", "kept 1 h"]),
    ],
)
def test_the_header_of_a_topic_says_what_it_has(retail, topic, words) -> None:
    sentence = describe_topic(retail, topic=topic).sentence

    assert [word for word in words if word not in sentence] == []
