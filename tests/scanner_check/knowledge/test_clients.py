"""The longest row of a setting's last words says what it decides, however the name is written."""

from __future__ import annotations

import pytest

from scanner_check.knowledge.clients import Meaning, is_of_framework, meaning_of, names_concept
from scanner_check.knowledge.names import all_words, words_of


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("spring.kafka.consumer.isolation-level", Meaning.READERS),
        ("ISOLATION_LEVEL", Meaning.READERS),
        ("Kafka:EnableIdempotence", Meaning.RECORDS),
        ("kafka.acks", Meaning.RECORDS),
        ("producer.lingerMs", Meaning.NOTHING),
        ("KAFKA_AUTO_CREATE_TOPICS_ENABLE", Meaning.NOTHING),
        ("CONNECT_CONFIG_STORAGE_TOPIC", Meaning.NOTHING),
        ("errors.deadletterqueue.topic.name", None),
        ("log.level", None),
        ("topics.users", None),
    ],
)
def test_a_setting_means_what_its_row_says(name: str, meaning: Meaning | None) -> None:
    assert meaning_of(words_of(name)) is meaning


@pytest.mark.parametrize(
    "name", ["EmailQueueTopicName", "topics.users", "KAFKA_TOPIC_USERS", "schema.subject", "group-id"]
)
def test_a_name_with_a_concept_of_kafka_is_one(name: str) -> None:
    assert names_concept(all_words([name]))


@pytest.mark.parametrize("name", ["isotopic", "server.port", "topical", "log.level"])
def test_a_word_that_only_contains_a_concept_is_not_one(name: str) -> None:
    assert not names_concept(all_words([name]))


def test_a_setting_of_a_framework_is_known_below_any_prefix() -> None:
    assert is_of_framework(words_of("SPRING_CLOUD_STREAM_BINDINGS_IN_DESTINATION"))
    assert is_of_framework(words_of("data.spring.kafka.template.observation"))
    assert not is_of_framework(words_of("spring.datasource.url"))
