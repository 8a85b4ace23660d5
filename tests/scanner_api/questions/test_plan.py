"""Tests for plans: on the bundled example each step is checked, taken and scanned, until the last one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from changed_shop import ChangedShop
from confluent_registry import Registry, Stored, serving

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.planning.model import MigrationPlan, PlanStep
from scanner_check.model import Verdict
from scanner_model.errors import DictionaryUnusable, InputInvalid, NameUnknown


@pytest.fixture
def shop(tmp_path: Path) -> ChangedShop:
    return ChangedShop(tmp_path)


def open_registration(plan: MigrationPlan) -> PlanStep | None:
    return next((step for step in plan.steps if step.schema and step.status == "open"), None)


def carry_out(shop: ChangedShop, change: str) -> MigrationPlan:
    """Take one step after the other: create topics, check and register schemas; return the plan after the last."""
    for _ in range(20):
        plan = scanner_api.plan(shop.dictionary, change=change)
        first = plan.steps[0]
        if first.kind == "create" and first.status == "open":
            for topic in first.why.removeprefix("missing: ").split(", "):
                shop.create(topic, like="orders")
        elif (step := open_registration(plan)) is not None:
            report = shop.check(step.subject, step.schema, step.level, step.format)
            assert report.verdict is not Verdict.BREAKS, [finding.message for finding in report.findings]
            shop.register(step.subject, step.schema, step.format)
        else:
            return plan
        shop.scan()
    raise AssertionError("the plan does not end")


IN_PLACE = {
    "rename orders.placed_at → ordered_at": ("orders", {"placed_at": None, "ordered_at": "long"}),
    "remove shipments.carrier": ("shipments", {"carrier": None}),
    "retype parcels.weight → string as weight_text": ("parcels", {"weight": None, "weight_text": "string"}),
    "retype reviews.stars → number": ("reviews", {"stars": "number"}),
    "rename customers.name → full_name": ("customers", {"name": None, "full_name": "string"}),
    "rename payments.order_id → order_ref": ("payments", {"order_id": None, "order_ref": "string"}),
    "remove payments.iban": ("payments", {"iban": None}),
    "rename orders.lines.[].price → amount": ("orders", {"lines.[].price": None, "lines.[].amount": "bytes"}),
    "rename orders.customer → buyer": (
        "orders",
        {
            **{f"customer{rest}": None for rest in ("", ".id", ".email", ".address")},
            **{f"customer.address.{rest}": None for rest in ("street", "city", "country")},
            "buyer": "record",
            "buyer.id": "long",
            "buyer.email": "string",
            "buyer.address": "record",
            "buyer.address.street": "string",
            "buyer.address.city": "string",
            "buyer.address.country": "enum",
        },
    ),
    "remove payments.refunds": (
        "payments",
        {f"refunds{rest}": None for rest in ("", ".[]", ".[].amount", ".[].corrects", ".[].amount.currency")}
        | {f"refunds.[].amount.{rest}": None for rest in ("units", "nanos")},
    ),
}


@pytest.mark.parametrize("change", IN_PLACE)
def test_no_step_breaks_and_the_last_state_is_the_target(shop, change) -> None:
    topic, differences = IN_PLACE[change]
    target = {**shop.columns(topic), **differences}

    plan = carry_out(shop, change)

    assert shop.columns(topic) == {name: type for name, type in target.items() if type}
    assert {step.status for step in plan.steps if step.kind == "register"} == {"done"}


@pytest.mark.parametrize(
    ("change", "topics"),
    [
        ("split orders → orders.eu, orders.us", ["orders.eu", "orders.us"]),
        ("key orders → id as orders-by-id", ["orders-by-id"]),
    ],
)
def test_new_topics_have_the_columns_of_the_old_one(shop, change, topics) -> None:
    before = shop.columns("orders")

    plan = carry_out(shop, change)

    assert [shop.columns(topic) for topic in topics] == [before] * len(topics)
    assert {step.status for step in plan.steps if step.kind in ("create", "register")} == {"done"}
    assert {use.status for step in plan.steps for use in step.uses} == {"open"}


def test_a_new_key_has_the_type_of_its_column(shop) -> None:
    carry_out(shop, "key orders → customer.id as orders-by-customer")

    assert list(shop.columns("orders-by-customer", "key").values()) == ["long"]


SCHEMA = """{"type": "record", "name": "Order", "fields": [
  {"name": "id", "type": "string"}, {"name": "total", "type": "double"}%s]}"""
SHOP = """
from kafka import KafkaProducer
def place(order_id):
    KafkaProducer().send("orders", {"id": order_id, "total": 3%s})
"""
BILLING = """
import json
from kafka import KafkaConsumer
for message in KafkaConsumer("orders", group_id="billing", value_deserializer=json.loads):
    print(message.value["%s"])
"""


def repository_plan(directory: Path, *, field: str, written: str, read: str) -> MigrationPlan:
    files = {
        "schemas/orders-value.avsc": SCHEMA % field,
        "shop/shop.py": SHOP % written,
        "shop/requirements.txt": "kafka-python\n",
        "billing/billing.py": BILLING % read,
        "billing/requirements.txt": "kafka-python\n",
    }
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text, encoding="utf-8")
    dictionary = Dictionary(str(directory.parent / "dictionary.db"))
    scanner_api.scan([], dictionary, directories=[directory])
    scanner_api.generate(dictionary)
    return scanner_api.plan(dictionary, change="rename orders.total → gross")


def test_each_user_has_its_line_and_whether_it_has_moved(tmp_path) -> None:
    """What the newest scan sees decides: the schema, then the writer, then the reader."""
    added = ', {"name": "gross", "type": ["null", "double"], "default": null}'
    first = repository_plan(tmp_path / "r", field="", written="", read="total")
    second = repository_plan(tmp_path / "r", field=added, written=', "gross": 3', read="total")
    third = repository_plan(tmp_path / "r", field=added, written=', "gross": 3', read="gross")

    assert [step.status for step in first.steps] == ["open", "open", "open", "unknown", "open"]
    assert [step.status for step in second.steps] == ["done", "done", "open", "unknown", "open"]
    assert [step.status for step in third.steps] == ["done", "done", "done", "unknown", "open"]
    assert {(use.name, use.places) for step in first.steps for use in step.uses} == {
        ("shop", ("shop/shop.py:4",)),
        ("billing", ("billing/billing.py:5",)),
    }
    assert not third.complete  # no source lists consumer groups


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    return ChangedShop(tmp_path_factory.mktemp("shop")).dictionary


def test_a_level_that_rejects_a_step_is_answered_with_one_that_accepts_it(example) -> None:
    """Confluent's rules let nobody add a property to an open content model at BACKWARD."""
    step = scanner_api.plan(example, change="rename customers.name → full_name").steps[0]

    assert step.rejected
    assert step.level == "FORWARD_TRANSITIVE"
    assert "BACKWARD" not in step.passes


def test_a_topic_says_how_long_both_fields_live(example) -> None:
    def wait(change: str) -> str:
        return next(step.why for step in scanner_api.plan(example, change=change).steps if step.kind == "wait")

    assert "up to 14 days" in wait("rename orders.placed_at → ordered_at")
    assert "compacted" in wait("rename customers.name → full_name")
    assert "were not read" in wait("rename payments.order_id → order_ref")


@pytest.mark.parametrize("change", ["rename orders.total → gross", "remove orders.total", "retype orders.total → int"])
def test_fields_that_a_connector_fills_from_a_table_change_with_it(example, change) -> None:
    """Readers of a captured table read topics: without them the plan of a table ends at its connector."""
    plan = scanner_api.plan(example, change=change)
    copies = [step for step in plan.steps if "which changes with the table" in step.title]

    assert [step.title.split()[4].rstrip(",") for step in copies] == [
        "cdc.orders.payload.total",
        "raw.public.orders.after.total",
        "raw.public.orders.before.total",
    ]
    for step in copies:
        assert scanner_api.plan(example, change=step.why.split("'")[1]).steps
    assert not any("brokers" in step.why for step in plan.steps)


def test_a_column_without_schema_is_declared_by_its_writers(example) -> None:
    plan = scanner_api.plan(example, change="rename cdc.orders.payload.total → gross")

    assert [step.kind for step in plan.steps] == ["register", "write", "read", "wait", "delete"]
    assert [use.name for use in plan.steps[2].uses] == ["flink/retail.sql:2"]
    assert not any(step.schema for step in plan.steps)


@pytest.mark.parametrize(
    ("change", "error", "what"),
    [
        ("rename orders → other", InputInvalid, "orders is not a column"),
        ("split orders.id → a, b", InputInvalid, "not a topic"),
        ("rename orders.customer.address.street → road", InputInvalid, "does not declare"),
        ("rename orders.id → placed_at", InputInvalid, "has a field placed_at already"),
        ("retype returns.refund.cents → int", InputInvalid, "rejects it at BACKWARD: long is not read as int"),
        ("retype parcels.weight → nonsense", InputInvalid, "no valid AVRO schema"),
        ("key orders → nowhere as by-it", InputInvalid, "no value schema of orders has nowhere"),
        ("remove nowhere.id", NameUnknown, "knows no node"),
        ("split nowhere → a, b", NameUnknown, "knows no node"),
    ],
)
def test_what_cannot_be_planned_is_an_error_with_a_next_step(example, change, error, what) -> None:
    with pytest.raises(error, match=what) as raised:
        scanner_api.plan(example, change=change)

    assert raised.value.hint


ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "total", "type": "double"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "buyer", "type": {"type": "record", "name": "Buyer", "fields": [{"name": "id", "type": "long"}]}},
    ],
}


@pytest.mark.parametrize(
    ("level", "change", "expected"),
    [
        ("BACKWARD", "remove orders.total", ["BACKWARD"]),
        ("FORWARD", "remove orders.total", ["FORWARD", "FORWARD"]),
        ("FULL", "remove orders.total", ["FULL", "FULL"]),
        ("FULL", "remove orders.note", ["FULL"]),
        ("FULL", "remove orders.buyer", ["BACKWARD_TRANSITIVE"]),
        ("FULL", "rename orders.total → gross", ["FULL", "FULL"]),
        ("FULL", "rename orders.buyer.id → number", ["FULL", "FULL"]),
        ("FULL_TRANSITIVE", "remove orders.total", ["FULL_TRANSITIVE", "FULL"]),
        ("FULL", "retype orders.total → string as total_text", ["FULL", "FULL"]),
        ("NONE", "remove orders.total", ["NONE"]),
    ],
)
def test_a_field_gets_a_default_first_where_old_readers_have_to_do_without_it(
    tmp_path, level, change, expected
) -> None:
    """A record has no empty value, and the first version stays without a default: the plan names the level then."""
    stored = Stored(subject="orders-value", version=1, id=1, schema=json.dumps(ORDER))
    with serving(Registry(installation=(stored,), levels={"orders-value": level})) as registry:
        registries = [{"type": "confluent", "url": registry.url, "compatibility": True}]
        config = {"cluster": "shop", "brokers": ["k:9092"], "schema_registries": registries, "manual_input": ["m.json"]}
        (tmp_path / "cluster.json").write_text(json.dumps(config))
        (tmp_path / "m.json").write_text(json.dumps({"version": 1, "topics": [{"name": "orders"}]}))
        dictionary = Dictionary(str(tmp_path / "dictionary.db"))
        scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    steps = [step for step in scanner_api.plan(dictionary, change=change).steps if step.kind == "register"]
    assert [step.level for step in steps] == expected
    assert [step.level == level for step in steps] == [not step.rejected for step in steps]


@pytest.mark.parametrize(("day", "status"), [(3, "open"), (5, "done")])
def test_the_wait_counts_from_the_scan_that_saw_the_last_writer_move(tmp_path, day, status) -> None:
    """The schema came on the first day, the writer moved on the second, and the topic keeps records for two days."""
    added = ', {"name": "gross", "type": ["null", "double"], "default": null}'
    first = {"field": added, "read": "gross"}
    repository_plan(tmp_path / "r", written="", **first)
    repository_plan(tmp_path / "r", written=', "gross": 3', **first)
    kept = {"cleanup.policy": "delete", "retention.ms": "86400000", "segment.ms": "86400000"}
    with closing(sqlite3.connect(tmp_path / "dictionary.db")) as conn, conn:
        conn.execute("update topic set config = ?", [json.dumps(kept)])
        conn.execute("update scan set finished = '2026-01-0' || id || 'T00:00:00+00:00'")
        conn.execute(
            "insert into scan select 3, cluster_id, started, ?, mode, status, 0, 0, 0, 0, 0, 0 from scan where id = 2",
            [f"2026-01-0{day}T00:00:00+00:00"],
        )
    plan = scanner_api.plan(Dictionary(str(tmp_path / "dictionary.db")), change="rename orders.total → gross")

    assert [(step.kind, step.status) for step in plan.steps[:4]] == [
        ("register", "done"),
        ("write", "done"),
        ("read", "done"),
        ("wait", status),
    ]
    assert "not before 2026-01-04" in plan.steps[3].why


def test_a_schema_without_its_subject_is_said_with_the_dictionary(tmp_path: Path) -> None:
    """A dictionary of others may have lost the row that the schema's row refers to."""
    dictionary = ChangedShop(tmp_path).dictionary
    with dictionary.writing().begin() as conn:
        conn.exec_driver_sql("UPDATE subject SET name = 'lost' WHERE name = 'orders-value'")

    with pytest.raises(DictionaryUnusable, match="not the subject"):
        scanner_api.plan(dictionary, change="rename orders.placed_at → ordered_at")
