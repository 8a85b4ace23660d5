"""Two commits of users and their rights: who may no longer do what."""

from __future__ import annotations

import pytest
from committed_repository import rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow


def right(name: str, operations: str = "[Read]", kind: str = "topic", **members: str) -> str:
    more = "".join(f"\n      {key}: {value}" for key, value in members.items() if key in ("type", "host"))
    pattern = f", patternType: {members['pattern']}" if "pattern" in members else ""
    resource = f"{{type: {kind}, name: {name}{pattern}}}"
    return f"    - resource: {resource}\n      operations: {operations}{more}\n"


def user(*rights: str, name: str = "audit") -> str:
    head = f"apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaUser\nmetadata: {{name: {name}}}\nspec:\n"
    return f"{head}  authorization:\n    acls:\n{''.join(rights)}"


READER = (
    "from kafka import KafkaConsumer\nfor one in KafkaConsumer('orders', group_id='audit'):\n    print(one.value)\n"
)
GROUP = right("audit", kind="group")
FILES = {"users.yaml": user(right("orders"), GROUP)}
LOST = {
    "operation": user(right("orders", "[Describe]"), GROUP),
    "rule": user(GROUP),
    "other topic": user(right("payments"), GROUP),
    "all hosts but one": user(right("orders", host="10.0.0.1"), GROUP),
    "denied": user(right("orders"), right("orders", type="deny"), GROUP),
    "denied to everybody": user(right("orders"), GROUP)
    + "---\n"
    + user(right("ord", type="deny", pattern="prefix"), name="'*'"),
}
KEPT = {
    "prefix": user(right("ord", pattern="prefix"), GROUP),
    "every topic": user(right("'*'"), GROUP),
    "more operations": user(right("orders", "[Describe, Read, Write]"), GROUP),
    "all operations": user(right("orders", "[All]"), GROUP),
    "another order": user(GROUP, right("orders")),
    "one more right": user(right("orders"), GROUP, right("other", kind="group")),
    "denied to another": user(right("orders"), GROUP) + "---\n" + user(right("orders", type="deny"), name="guest"),
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_right_that_is_lost_is_named_with_the_principal_and_the_topic(check, text) -> None:
    report = check({"users.yaml": text}, FILES)

    found = [(one.rule, one.item, one.message.values[2]) for one in report.findings if one.verdict is not Verdict.FINE]
    assert found == [("right-lost", "User:audit", "orders")], rules(report)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_right_that_other_rules_still_give_is_kept(check, text) -> None:
    report = check({"users.yaml": text}, FILES)

    assert report.verdict is Verdict.FINE, rules(report)


def test_right_of_a_program_that_reads_the_topic_is_an_impact(check) -> None:
    report = check(
        {"users.yaml": user(GROUP)}, {**FILES, "audit/app.py": READER, "audit/setup.py": "setup(name='audit')"}
    )

    assert report.verdict is Verdict.IMPACT
    assert {hit.name for one in report.findings for hit in one.affected} == {"audit"}


def test_right_to_all_topics_of_a_prefix_is_told_once(check) -> None:
    before = {"users.yaml": user(right("shop.", pattern="prefix"), GROUP, right("shop.a"), right("shop.b"))}

    report = check({"users.yaml": user(GROUP)}, before)

    assert [one.message.values[2:4] for one in report.findings if one.rule == "right-lost"] == [("shop.", True)]


def test_right_of_a_group_is_no_right_of_a_topic(check) -> None:
    report = check({"users.yaml": user(right("orders"), right("billing", kind="group"))}, FILES)

    assert {rule for rule, _ in rules(report)} == {"not-judged"}


def test_user_that_moves_to_another_file_keeps_its_rights(check) -> None:
    report = check({"users.yaml": None, "users/audit.yaml": FILES["users.yaml"]}, {**FILES, "users/a.yaml": "a: 1\n"})

    assert report.verdict is Verdict.FINE, rules(report)


SERVICES = "topics:\n  orders: {partitions: 6}\nservices:\n  audit: {type: application, consumes: [orders, payments]}\n"


def test_a_use_that_a_tool_turns_into_a_right_is_one(check) -> None:
    """kafka-gitops and JulieOps make the rules of access of who reads and writes."""
    report = check({"state.yaml": SERVICES.replace("orders, ", "")}, {"state.yaml": SERVICES})

    assert [one.item for one in report.findings if one.rule == "right-lost"] == ["User:audit"], rules(report)


def test_right_that_some_hosts_keep_is_said_to_be_limited(check) -> None:
    report = check({"users.yaml": user(right("orders", host="10.0.0.1"), GROUP)}, FILES)

    (found,) = (one for one in report.findings if one.rule == "right-lost")
    assert found.what == "User:audit keeps Read on topic orders from some hosts only"
