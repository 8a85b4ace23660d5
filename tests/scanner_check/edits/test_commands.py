"""A changed command counts if it runs a tool of Kafka that changes something, wherever the tool is called."""

from __future__ import annotations

import pytest

from scanner_check.edits.commands import changed_commands, does_nothing


@pytest.mark.parametrize(
    "line",
    [
        "kafka-topics --delete --topic price-list",
        "/opt/kafka/bin/kafka-topics.sh --bootstrap-server b:9092 --alter --topic users --partitions 9",
        "docker exec broker kafka-configs --alter --entity-name list --add-config retention.ms=1",
        "kubectl exec k-0 -- /bin/sh -c 'kafka-acls --remove --topic describe'",
        "curl -X DELETE http://connect:8083/connectors/status",
        "curl -d @a.json http://registry/subjects/orders-value/versions",
        "rpk topic delete orders",
        "rpk topic delete list",
        "confluent kafka topic delete status --force",
        "confluent kafka topic update orders --config retention.ms=1",
        "flink run -c shop.Job job.jar",
    ],
)
def test_a_command_that_changes_something_counts(line: str) -> None:
    assert [command.line for command in changed_commands("", f"#!/bin/sh\n{line}\n", ())] == [2]
    assert [command.is_gone for command in changed_commands(f"{line}\n", "", ())] == [True]


@pytest.mark.parametrize(
    "line",
    [
        "microdnf install -y tar kcat jq",
        "kafka-topics --list --bootstrap-server b:9092",
        "kafka-consumer-groups --describe --group billing",
        "kafka-topics --create --topic orders",
        "curl http://connect:8083/connectors",
        "curl -X GET http://registry/subjects/orders-value/versions",
        "echo kafka-topics --delete --topic orders",
        "confluent kafka topic list",
        "# kafka-topics --delete --topic orders",
    ],
)
def test_a_command_that_looks_installs_or_declares_does_not_count(line: str) -> None:
    """What a command creates is declared, and compared as such."""
    assert changed_commands("", f"{line}\n", ()) == []


def test_the_new_directory_of_a_moved_file_changes_no_command() -> None:
    before, after = (f"curl -d @{path} http://c/connectors\n" for path in ("cdc.json", "connect/cdc.json"))

    assert changed_commands(before, after, {"cdc.json"}) == []
    assert changed_commands(before, after, ()) != []


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("curl -vvv -i -s -X POST", "curl -X POST", True),
        ("curl -sSf --retry 5 -o /dev/null -w '%{http_code}' -X POST", "curl -X POST", True),
        ("curl -s -X POST", "curl -s -X PUT", False),
        ("curl -X POST -H 'Content-Type: application/json'", "curl -X POST", False),
    ],
)
def test_what_a_call_prints_is_no_part_of_its_request(before: str, after: str, is_same: bool) -> None:
    texts = (f"{call} -d @sink.json http://connect:8083/connectors\n" for call in (before, after))

    assert (changed_commands(*texts, ()) == []) is is_same


def test_lines_of_a_script_of_another_shell_are_commands() -> None:
    (command,) = changed_commands("", "stage {\n  sh 'kafka-topics --delete --topic a'\n}\n", (), is_shell=False)

    assert command.line == 2


@pytest.mark.parametrize(
    "command", ["sleep infinity", '["tail", "-f", "/dev/null"]', "cat", "/bin/true", "sh -c 'sleep 9'"]
)
def test_a_command_that_only_waits_does_nothing(command: str) -> None:
    assert does_nothing(command)


@pytest.mark.parametrize("command", ["python main.py", "java -jar shop.jar", "sleeper --run", ""])
def test_a_program_does_something(command: str) -> None:
    assert not does_nothing(command)


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("jq '{id: .id, total: .total}' a.json | kcat -P -t orders", "jq '{id: .id}' a.json | kcat -P -t orders", True),
        ("echo '{\"total\": 1}' | kcat -P -t orders", "echo '{}' | kcat -P -t orders", True),
        ("make_record > a.json", "make_record --short > a.json", True),
        ("echo sending", "echo sent", False),
        ("sleep 3", "sleep 4", False),
        ("# sends orders", "# sends them", False),
    ],
)
def test_any_command_of_a_script_that_sends_records_may_make_them(old: str, new: str, counts: bool) -> None:
    before, after = (f"#!/bin/sh\n{line}\nkcat -P -t orders < a.json\n" for line in (old, new))
    assert bool(changed_commands(before, after, (), sends=True)) is counts
