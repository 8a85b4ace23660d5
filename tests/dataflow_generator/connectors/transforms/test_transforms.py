"""Transforms in order: what they make of topics, with Kafka's own semantics, and of columns."""

import pytest

from dataflow_generator.connectors import Config
from dataflow_generator.connectors.transforms.model import Record
from dataflow_generator.connectors.transforms.registry import Chain, find_transform
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.columns import parse_path, path_name
from scanner_model.names import Role

KAFKA = "org.apache.kafka.connect.transforms."
DEBEZIUM = "io.debezium.transforms."


def config(*steps: dict[str, str], **predicates: str) -> Config:
    """Build the configuration of *steps*, called t0, t1…"""
    pairs = {f"transforms.t{n}.{key}": value for n, step in enumerate(steps) for key, value in step.items()}
    names = ",".join(f"t{n}" for n in range(len(steps)))
    return Config.of(
        {"transforms": names, **pairs, **{key.replace("__", "."): text for key, text in predicates.items()}}
    )


def topics(chain: Chain, topic: str) -> list[str | None]:
    return [name and (name.pattern if name.name is None else name.name) for name in chain.names(topic)]


def router(regex: str, replacement: str, **more: str) -> dict[str, str]:
    return {"type": f"{KAFKA}RegexRouter", "regex": regex, "replacement": replacement, **more}


def value_of(columns: str, *steps: dict[str, str], topic: str = "t") -> dict[str, str]:
    """Follow columns of the value to their places at the end; `+` is made, `~` changed, `*` masked."""
    record = Record.of([parse_path(name) for name in columns.split()], [("k",)])
    value = Chain.of(config(*steps)).routes(Template.of(topic), record)[0].record.value
    assert value is not None
    mark = {(True, False): "~", (False, True): "*", (True, True): "*"}
    return {
        path_name(traced_column.path): (
            path_name(traced_column.origin[1]) + mark.get((traced_column.changed, traced_column.masked), "")
        )
        if traced_column.origin
        else "+"
        for traced_column in value
    }


def key_of(columns: str, *steps: dict[str, str]) -> dict[str, str]:
    record = Record.of([parse_path(name) for name in columns.split()], [("k",)])
    key = Chain.of(config(*steps)).routes(Template.of("t"), record)[0].record.key
    assert key is not None
    return {
        path_name(traced_column.path): path_name(traced_column.origin[1]) if traced_column.origin else "+"
        for traced_column in key
    }


def test_a_router_changes_only_names_that_match_whole() -> None:
    """`prod` is in `prod.orders`, and still routes nothing."""
    chain = Chain.of(config(router("prod", "x")))

    assert [topics(chain, name) for name in ("prod.orders", "prod")] == [["prod.orders"], ["x"]]


def test_routers_follow_each_other() -> None:
    """The second sees what the first made."""
    chain = Chain.of(config(router("a-(.*)", "b-$1"), router("b-(.*)", "c-$1")))

    assert topics(chain, "a-x") == ["c-x"]


def test_a_short_class_name_is_known_as_the_worker_knows_it() -> None:
    """Connect's plug-in loader takes `RegexRouter` alone; another package's class of that name is another class."""
    assert find_transform("RegexRouter") is find_transform(f"{KAFKA}RegexRouter")
    assert find_transform("com.acme.RegexRouter") is None


@pytest.mark.parametrize("step", [router("[open", "x"), {"type": f"{KAFKA}RegexRouter"}])
def test_what_cannot_be_evaluated_is_unknown_and_reported(step) -> None:
    """A topic that stays as it was would be a guess."""
    chain = Chain.of(config(step))

    assert topics(chain, "orders") == [None]
    assert [problem.where.startswith("transforms.t0") for problem in chain.problems()] == [True]


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ("yyyyMMdd", r"logs-\d{8}"),
        ("yyyy-MM", r"logs-\d{4}-\d{2}"),
        ("yyyy'T'MM", r"logs-\d{4}T\d{2}"),
        ("MMM", "logs-.+"),
    ],
)
def test_a_date_makes_a_family_of_topics(form, pattern) -> None:
    """Which day it will be is not in the configuration, its form is."""
    chain = Chain.of(config({"type": f"{KAFKA}TimestampRouter", "timestamp.format": form}))

    assert topics(chain, "logs") == [pattern]


@pytest.mark.parametrize(
    ("regex", "replacement", "names"),
    [
        (r"outbox\.event\.(.*)", "events.$1", [r"events\..*"]),
        (r"shop\.(.*)", "x.$1", [r"outbox\.event\..*"]),
        (r"outbox\.event\.order", "orders", [r"outbox\.event\..*", None]),
        (r"outbox\.event\.([^.]*)", "x.$1", [None]),
        ("(.*)", "all", ["all"]),
    ],
)
def test_a_router_behind_the_outbox_routes_the_family(regex, replacement, names) -> None:
    """Only a result that holds for every member of the family is reported."""
    outbox = {"type": f"{DEBEZIUM}outbox.EventRouter"}

    assert topics(Chain.of(config(outbox, router(regex, replacement))), "shop.public.outbox") == names


def test_a_router_behind_a_topic_from_data_that_takes_every_name_reports_again() -> None:
    """`.*` → `all` asks for no name."""
    extract = {"type": "io.confluent.connect.transforms.ExtractTopic$Value", "field": "kind"}

    assert topics(Chain.of(config(extract, router(".*", "all"))), "t") == ["all"]
    assert topics(Chain.of(config(extract)), "t") == [None]


@pytest.mark.parametrize(
    ("predicate", "negate", "names"),
    [
        ({"type": f"{KAFKA}predicates.TopicNameMatches", "pattern": r"raw\..*"}, "false", ["raw.a-x"]),
        ({"type": f"{KAFKA}predicates.TopicNameMatches", "pattern": r"raw\..*"}, "true", ["raw.a"]),
        ({"type": f"{KAFKA}predicates.RecordIsTombstone"}, "false", ["raw.a"]),
        ({"type": f"{KAFKA}predicates.HasHeaderKey", "name": "h"}, "false", ["raw.a", "raw.a-x"]),
        ({"type": f"{KAFKA}predicates.TopicNameMatches"}, "false", [None]),
        ({}, "false", [None]),
    ],
)
def test_a_predicate_decides_whether_a_transform_is_applied(predicate, negate, names) -> None:
    """What only the records tell leaves both ways open."""
    step = router("(.*)", "$1-x", predicate="p", negate=negate)
    settings = {f"predicates__p__{key}": text for key, text in predicate.items()}

    assert topics(Chain.of(config(step, **settings)), "raw.a") == names


def test_too_many_open_routes_are_unknown() -> None:
    """Ten predicates on headers are a thousand ways."""
    steps = [router("(.*)", f"$1{n}", predicate="p") for n in range(10)]
    chain = Chain.of(config(*steps, predicates__p__type=f"{KAFKA}predicates.HasHeaderKey"))

    assert topics(chain, "t") == [None]


def test_logical_tables_share_a_topic_and_distinguish_by_a_key_field() -> None:
    """Debezium writes what a name cannot hold as an underscore."""
    step = {"type": f"{DEBEZIUM}ByLogicalTableRouter", "topic.regex": r"(.*)shard\d+", "topic.replacement": "$1all:x"}

    assert topics(Chain.of(config(step)), "s.shard1") == ["s.all_x"]
    assert key_of("a", step) == {"k": "k", "__dbz__physicalTableIdentifier": "+"}
    assert key_of("a", {**step, "key.enforce.uniqueness": "false"}) == {"k": "k"}


@pytest.mark.parametrize(
    ("step", "columns", "value"),
    [
        ({"type": "ReplaceField$Value", "exclude": "a"}, "a b", {"b": "b"}),
        ({"type": "ReplaceField$Value", "include": "a", "renames": "a:x"}, "a b", {"x": "a"}),
        ({"type": "ReplaceField$Value", "exclude": "d.a"}, "d.a d.b", {"d.a": "d.a", "d.b": "d.b"}),
        ({"type": "ReplaceField$Value", "renames": " a : x "}, "a", {"a": "a"}),
        ({"type": "MaskField$Value", "fields": "a"}, "a b", {"a": "a*", "b": "b"}),
        ({"type": "HoistField$Value", "field": "all"}, "a", {"all.a": "a"}),
        ({"type": "ExtractField$Value", "field": "d"}, "d d.a b", {"a": "d.a"}),
        ({"type": "ExtractField$Value", "field": "a"}, "a b", {"": "a"}),
        ({"type": "ExtractField$Value", "field": "d.a"}, "d.a b", {}),
        ({"type": "ExtractField$Value", "field": "d.a", "field.syntax.version": "V2"}, "d.a b", {"": "d.a"}),
        ({"type": "ExtractField$Value", "field": "at.seconds", "field.syntax.version": "V2"}, "at b", {"": "at"}),
        ({"type": "Flatten$Value", "delimiter": "_"}, "d d.a l l.[].x", {"d_a": "d.a", "l.[].x": "l.[].x"}),
        ({"type": "Flatten$Value"}, "d.a", {"`d.a`": "d.a"}),
        (
            {"type": "InsertField$Value", "static.field": "env", "topic.field": "t!"},
            "a",
            {"a": "a", "t": "+", "env": "+"},
        ),
        ({"type": "Cast$Value", "spec": "a:int8"}, "a b", {"a": "a~", "b": "b"}),
        ({"type": "TimestampConverter$Value", "field": "a"}, "a b", {"a": "a~", "b": "b"}),
        ({"type": "HeaderFrom$Value", "fields": "a", "operation": "move"}, "a b", {"b": "b"}),
        ({"type": "HeaderFrom$Value", "fields": "a", "operation": "copy"}, "a", {"a": "a"}),
        ({"type": "ReplaceField$Key", "exclude": "a"}, "a", {"a": "a"}),
        ({"type": "Drop$Value"}, "a", {}),
        ({"type": "Hash$Value", "field.name": "a"}, "a b", {"a": "a*", "b": "b"}),
        ({"type": "KeyToValue", "key.fields": "k:id"}, "a", {"a": "a", "id": "k"}),
        ({"type": "HeaderToValue", "fields": "h"}, "a", {"a": "a", "h": "+"}),
        ({"type": "TopicNameToField$Value"}, "a", {"a": "a", "topic": "+"}),
    ],
)
def test_a_transform_changes_columns_as_its_documentation_states(step, columns, value) -> None:
    """Each transform works on top-level fields of its side, unless it says otherwise."""
    assert value_of(columns, step) == value


def test_flatten_makes_a_name_with_a_dot_of_a_nested_field() -> None:
    """The name holds the dot: it is one field, and no path."""
    record = Record.of([("d", "a")])
    chain = Chain.of(config({"type": f"{KAFKA}Flatten$Value"}))

    assert [traced_column.path for traced_column in chain.routes(Template.of("t"), record)[0].record.value or ()] == [
        ("d.a",)
    ]


def test_value_to_key_copies_columns() -> None:
    """The key is made of the value's columns, whatever it was."""
    assert key_of("id name", {"type": "ValueToKey", "fields": "id"}) == {"id": "id"}
    assert value_of("id name", {"type": "ValueToKey", "fields": "id"}) == {"id": "id", "name": "name"}


def test_unwrapping_takes_the_row_out_of_the_envelope() -> None:
    """What `add.fields` lists comes along; a record without envelope passes."""
    step = {"type": f"{DEBEZIUM}ExtractNewRecordState", "add.fields": "op,ts_ms,table:tab"}
    envelope = "before.id after.id op source.ts_ms"

    assert value_of(envelope, step) == {"id": "after.id", "__op": "op", "__ts_ms": "source.ts_ms", "__tab": "+"}
    assert value_of("id", step) == {"id": "id"}


def test_the_outbox_keeps_payload_and_key() -> None:
    """Other fields go to headers, or into an envelope where somebody wants them there."""
    row = "after.id after.aggregateid after.payload after.type"
    step = {"type": f"{DEBEZIUM}outbox.EventRouter"}
    more = {**step, "table.fields.additional.placement": "type:envelope:kind,id:header"}

    assert value_of(row, step) == {"": "after.payload"}
    assert key_of(row, step) == {"": "after.aggregateid"}
    assert value_of(row, more) == {"payload": "after.payload", "kind": "after.type"}


@pytest.mark.parametrize(
    "step",
    [
        {"type": "com.acme.Own$Value"},
        {"type": "ReplaceField$Value", "exclude": "********"},
        {"type": "HoistField$Value"},
    ],
)
def test_columns_behind_what_is_not_understood_are_unknown(step) -> None:
    """A masked list of fields to drop reports nothing either."""
    record = Chain.of(config(step)).routes(Template.of("t"), Record.of([("a",)]))[0].record

    assert record.side(Role.VALUE) is None


@pytest.mark.parametrize("key", ["delete.handling.mode", "delete.tombstone.handling.mode"])
@pytest.mark.parametrize("mode", ["rewrite", "rewrite-with-tombstone"])
def test_rewritten_deletes_are_reported_by_a_field(key: str, mode: str) -> None:
    """Sinks see `__deleted` as a column like any other; it comes from none."""
    step = {"type": f"{DEBEZIUM}ExtractNewRecordState", key: mode}

    assert value_of("before.id after.id op", step) == {"id": "after.id", "__deleted": "+"}


def test_dropped_deletes_need_no_field() -> None:
    """Only what is rewritten is marked."""
    step = {"type": f"{DEBEZIUM}ExtractNewRecordState", "delete.handling.mode": "drop"}

    assert value_of("after.id", step) == {"id": "after.id"}


def test_the_newer_router_of_shared_topics_adds_a_field_of_its_own_name() -> None:
    """ToLogicalTopicRouter supersedes ByLogicalTableRouter: same settings, another default name."""
    step = {"type": f"{DEBEZIUM}ToLogicalTopicRouter", "topic.regex": "(.*)_[0-9]", "topic.replacement": "$1"}

    assert topics(Chain.of(config(step)), "s.a_1") == ["s.a"]
    assert key_of("id", step) == {"k": "k", "__dbz__sourceIdentifier": "+"}


@pytest.mark.parametrize(
    ("before", "after", "topic", "expected"),
    [
        ("LOWER_UNDERSCORE", "UPPER_CAMEL", "shop_order_line", "ShopOrderLine"),
        ("UPPER_CAMEL", "LOWER_HYPHEN", "ShopOrder", "shop-order"),
        ("UPPER_UNDERSCORE", "LOWER_CAMEL", "SHOP_ORDER", "shopOrder"),
        ("KEBAB", "LOWER_CAMEL", "a-b", None),
    ],
)
def test_a_topic_may_be_written_in_another_case(before: str, after: str, topic: str, expected: str | None) -> None:
    """A case that nobody knows leaves the topic unknown."""
    step = {
        "type": "com.github.jcustenborder.kafka.connect.transform.common.ChangeTopicCase",
        "from": before,
        "to": after,
    }

    assert topics(Chain.of(config(step)), topic) == [expected]


def test_bytes_as_text_are_another_value() -> None:
    """Only the fields that are listed change."""
    step = {"type": "com.github.jcustenborder.kafka.connect.transform.common.BytesToString$Value", "fields": "a"}

    assert value_of("a b", step) == {"a": "a~", "b": "b"}
