"""A broker that a test fills with groups and restarts; it is no part of the installation."""

from __future__ import annotations

import places
from single_broker import single_broker

ROWS = (
    single_broker(
        "kafka-restarted",
        (places.RESTARTED_KAFKA, places.RESTARTED_CONTROLLER),
        more={"offsets.topic.num.partitions": 50},
    ),
)
