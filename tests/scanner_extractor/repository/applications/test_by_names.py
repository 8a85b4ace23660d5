"""Uses that are found by names stay where the evaluation of a program names them as another way."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.reader import read_applications
from scanner_model.names import SourceId

SETTINGS = """
import os
from platform_settings import Topics

if os.getenv("MANAGED"):
    PARCELS = os.getenv("PARCELS") or Topics["shop.parcels-v2"].name
else:
    PARCELS = os.getenv("PARCELS", "shop.parcels")
"""
WORKER = """
import json
import settings
from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "kafka:9092"})

def announce(parcel):
    producer.produce(settings.PARCELS, value=json.dumps({"id": parcel}))

announce("1")
"""


def test_a_topic_of_another_environment_is_not_dropped() -> None:
    files = {"settings.py": SETTINGS, "worker.py": WORKER, "requirements.txt": "confluent-kafka\n"}
    found = read_applications(files, SourceId("repository"))

    assert {one.target.name for one in found.flows if one.target.name} == {"shop.parcels", "shop.parcels-v2"}


OUTBOX = """
package shop
import org.springframework.kafka.core.KafkaTemplate
import platform.naming.Names

enum class Subject(val text: String) { PARCELS("parcels") }
class Parcel(val id: String)

@Service
class Outbox(private val kafka: KafkaTemplate<String, Any>, private val tenants: Tenants) {
    fun send(subject: Subject, value: Any) = kafka.send(NAME, value)
}

@RestController
class Desk(private val outbox: Outbox) {
    @PostMapping("/parcels")
    fun add(@RequestBody parcel: Parcel) = outbox.send(Subject.PARCELS, parcel)
}
"""


@pytest.mark.parametrize("name", ["Names.of(tenants.current(), subject.text)", "tenants.current() + subject.text"])
def test_a_part_of_a_name_is_no_topic(name: str) -> None:
    files = {"build.gradle.kts": "", "src/Outbox.kt": OUTBOX.replace("NAME", name)}
    found = read_applications(files, SourceId("repository"))

    assert [one.target.name for one in found.flows] == []
    assert [path for path, _ in found.unresolved] == ["src/Outbox.kt"]


@pytest.mark.parametrize("name", ["subject.text", 'if (tenants.isOne()) "parcels" else tenants.topic()'])
def test_a_name_that_is_a_topic_by_itself_is_one(name: str) -> None:
    files = {"build.gradle.kts": "", "src/Outbox.kt": OUTBOX.replace("NAME", name)}
    found = read_applications(files, SourceId("repository"))

    assert [one.target.name for one in found.flows] == ["parcels"]
