"""How a subject is explained: candidates, choice, and what is said where several readings are left."""

from __future__ import annotations

import pytest

from scanner_extractor.naming import as_json, explain_subject


def explain(subject: str, *topics: str, **given):
    return as_json(explain_subject([subject], topics, **given))[0]


def bound(row) -> list[tuple[str, str]]:
    return [(item["topic"], item["role"]) for item in row["bound"]]


def test_known_topic_wins_over_the_order() -> None:
    """Topic `orders-value` exists and `orders` does not: then the subject is its simple name."""
    row = explain("orders-value", "orders-value")

    assert row["chosen"] == {
        "topic": "orders-value",
        "role": "value",
        "record": None,
        "strategy": "simple-topic-id",
    }
    assert (row["ambiguous"], row["topic_known"]) == (False, True)


def test_two_known_topics_are_ambiguous_and_the_order_decides() -> None:
    """A choice that could be wrong must be visible as one."""
    row = explain("orders-value", "orders-value", "orders")

    assert (row["chosen"]["topic"], row["ambiguous"]) == ("orders", True)


def test_unknown_topic_keeps_the_best_flagged() -> None:
    """No candidate may be lost because the brokers were not asked for it; but it must not look confirmed."""
    row = explain("orders.RETRY-value", "orders")

    assert (row["chosen"]["topic"], row["topic_known"], row["ambiguous"]) == ("orders.RETRY", False, False)


def test_without_topics_nothing_is_ruled_out() -> None:
    """Where no topics are known, two readings that disagree stay two readings."""
    row = explain("orders-key")

    assert (row["chosen"]["topic"], row["chosen"]["role"], row["ambiguous"]) == ("orders", "key", True)


def test_record_called_value_is_reported() -> None:
    """`t-value` is the value of `t`, or record `value` on either side of `t`."""
    row = explain("t-value", "t", record="value")

    assert (row["chosen"]["strategy"], row["ambiguous"]) == ("topic", True)


def test_topic_may_be_called_like_the_record_in_it() -> None:
    """Many call a topic like its class: with TopicNameStrategy's suffix the name is a topic's, known or not."""
    row = explain("com.acme.Payment-value", record="com.acme.Payment")

    assert (row["chosen"]["topic"], row["chosen"]["strategy"]) == ("com.acme.Payment", "topic")


def test_group_and_artifact_that_make_the_record_are_no_topic() -> None:
    """RecordIdStrategy writes the namespace as the group: artifact `Payment` is no topic."""
    row = explain("com.acme:Payment", record="com.acme.Payment", registry_kind="apicurio")

    assert row["chosen"] is None


def test_record_name_is_no_topic_of_its_own() -> None:
    """Subject and record alike is RecordNameStrategy; a topic of that name would have to be known."""
    assert explain("shop.Paid", record="shop.Paid")["chosen"] is None
    assert explain("shop.Paid", "shop.Paid", record="shop.Paid")["chosen"]["topic"] == "shop.Paid"


def test_map_binds_one_subject_to_several_topics() -> None:
    """One schema may be used by many topics; a declared link is no ambiguity."""
    row = explain("shop.Paid", "shop.Paid", mapping={"shop.Paid": ["paid", "paid.eu"]}, strategies=["record"])

    assert bound(row) == [("paid", "value"), ("paid.eu", "value")]
    assert (row["chosen"]["strategy"], row["chosen"]["record"], row["ambiguous"]) == ("record", "shop.Paid", False)


def test_map_wins_over_every_strategy() -> None:
    """Whoever writes a map knows better than a name; its side is still the suffix's."""
    row = explain("orders-key", "orders", mapping={"orders-key": ["purchases"]}, strategies=["topic"])

    assert bound(row) == [("purchases", "key")]
    assert row["chosen"]["strategy"] == "map"


@pytest.mark.parametrize(
    ("subject", "kind", "context", "name"),
    [
        (":.eu:orders-value", "confluent", ".eu", "orders-value"),
        (":.:orders-value", "confluent", ".", "orders-value"),
        (":.eu:", "confluent", ".eu", ""),
        (":.eu", "confluent", ".eu", ""),
        (":*:orders", "confluent", "*", "orders"),
        (":eu:orders", "confluent", ".", ":eu:orders"),
        (":.eu:orders-value", "karapace", ".", ":.eu:orders-value"),
    ],
)
def test_only_confluent_knows_contexts(subject, kind, context, name) -> None:
    """The same text is an ordinary name in every other registry."""
    row = explain(subject, registry_kind=kind)

    assert (row["context"], row["subject"]) == (context, name)


def test_context_alone_has_no_topic() -> None:
    """The empty subject of a context carries its configuration, no schema."""
    assert explain(":.eu:")["candidates"] == []


def test_map_may_name_a_context() -> None:
    """Two contexts may have the same subject for different topics."""
    mapping = {":.eu:shop.Paid": ["paid.eu"], "shop.Paid": ["paid"]}

    assert bound(explain(":.eu:shop.Paid", mapping=mapping)) == [("paid.eu", "value")]
    assert bound(explain("shop.Paid", mapping=mapping)) == [("paid", "value")]


@pytest.mark.parametrize("subject", ["shop:Paid", "default:shop.Paid", "shop.Paid"])
def test_apicurio_group_and_artifact_make_a_record(subject) -> None:
    """The map may name the record, whichever way the artifact is stored."""
    row = explain(subject, registry_kind="apicurio", mapping={"shop.Paid": ["paid"]})

    assert bound(row) == [("paid", "value")]
    assert row["chosen"]["record"] == "shop.Paid"


def test_glue_names_its_schemas_like_topics() -> None:
    """Glue's default strategy is the topic itself for both sides."""
    row = explain("orders", registry_kind="glue")

    assert (bound(row), row["ambiguous"]) == ([("orders", "value")], False)
