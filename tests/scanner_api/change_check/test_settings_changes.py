"""Changed settings and libraries: which of them may change a topic, a record or who reads it."""

from __future__ import annotations

import pytest

from scanner_api.change_check.settings_changes import (
    edits_of,
    is_relevant,
    library_edits,
    settings_of,
    stopped_services,
)

COMPOSE = """services:
  shop:
    image: shop:1
    environment:
      - KAFKA_TOPIC=orders
    healthcheck:
      test: ["CMD", "true"]
"""


def changes(path: str, before: str, after: str) -> set[str]:
    return {edit.key for edit in edits_of(path, before, after) if is_relevant(edit)}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("compose.yaml", "image: shop:1", "image: shop:2"),
        ("compose.yaml", 'test: ["CMD", "true"]', 'test: ["CMD", "curl"]'),
        ("compose.yaml", "    image", "    # the shop\n    image"),
    ],
)
def test_an_image_a_health_check_and_a_comment_hit_nobody(path: str, before: str, after: str) -> None:
    assert not changes(path, COMPOSE, COMPOSE.replace(before, after))


@pytest.mark.parametrize(
    ("path", "before", "after", "key"),
    [
        ("compose.yaml", COMPOSE, COMPOSE.replace("=orders", "=bills"), "KAFKA_TOPIC"),
        ("a.properties", "kafka.group-id=a\n", "kafka.group-id=b\n", "kafka.group-id"),
        ("application.yaml", "kafka:\n  value-serializer: A\n", "kafka:\n  value-serializer: B\n", "value-serializer"),
        ("d.yaml", "env:\n- name: INPUT_TOPIC\n  value: a\n", "env:\n- name: INPUT_TOPIC\n  value: b\n", "INPUT_TOPIC"),
        ("a.conf", "kafka {\n  topic = a\n}\n", "kafka {\n  topic = b\n}\n", "topic"),
        ("main.tf", 'locals {\n  topic_name = "a"\n}\n', 'locals {\n  topic_name = "b"\n}\n', "topic_name"),
    ],
)
def test_a_topic_a_group_and_a_serializer_are_relevant(path: str, before: str, after: str, key: str) -> None:
    assert changes(path, before, after) == {key}


@pytest.mark.parametrize(
    ("path", "line", "lines"),
    [
        ("main.tf", 'topics = ["a", "b"]\n', 'topics = [\n  "a",\n  "b",\n]\n'),
        ("main.tf", "topics = [kafka_topic.a.name]\n", "topics = [\n  kafka_topic.a.name,\n]\n"),
        ("a.yaml", "topics: [a, b]\n", "topics:\n  - a\n  - b\n"),
    ],
)
def test_a_list_is_the_same_on_one_line_and_on_several(path: str, line: str, lines: str) -> None:
    assert not edits_of(path, line, lines)
    assert not edits_of(path, lines, line)


def test_settings_that_move_are_the_same() -> None:
    assert not edits_of("a.yaml", "a: 1\nkafka:\n  topic: b\n", "kafka:\n  topic: b\na: 1\n")


def test_a_setting_is_at_its_line() -> None:
    (edit,) = edits_of("a.properties", "a=1\ntopic=b\n", "a=1\n\ntopic=c\n")

    assert (edit.setting.line, edit.shown) == (3, "topic: b → c")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("require github.com/acme/kafka/v2 v2.1.0", "require github.com/acme/kafka/v2 v2.3.0", []),
        ("require github.com/acme/kafka/v2 v2.1.0", "require github.com/acme/kafka/v3 v3.0.0", ["2.1.0 → 3.0.0"]),
        ("kafka-clients:3.9.0", "kafka-clients:4.0.0", ["3.9.0 → 4.0.0"]),
        ("spring-web:3.9.0", "spring-web:4.0.0", []),
        ("a", "kafka-clients:4.0.0", ["added"]),
        ("a\n", "github.com/segmentio/kafka-go v0.4 // indirect\n", []),
    ],
)
def test_only_another_major_version_of_a_kafka_library_is_relevant(before: str, after: str, found: list[str]) -> None:
    assert [did for _, _, did in library_edits(before, after)] == found


@pytest.mark.parametrize(
    ("after", "did"),
    [
        (COMPOSE.replace("    image: shop:1", "    image: shop:1\n    command: sleep infinity"), "only runs"),
        ("services:\n  other:\n    image: x\n", "is removed"),
    ],
)
def test_a_service_that_is_gone_or_sleeps_is_stopped(after: str, did: str) -> None:
    before, now = (settings_of("compose.yaml", text) for text in (COMPOSE, after))

    assert [(name, what.startswith(did)) for name, _, what in stopped_services(before, now)] == [("shop", True)]
