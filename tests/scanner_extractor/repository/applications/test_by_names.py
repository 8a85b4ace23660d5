"""Uses that are found by names stay where the evaluation of a program names them as another way."""

from __future__ import annotations

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
