"""Which settings of a connector may change its data."""

from __future__ import annotations

import pytest

from scanner_check.knowledge.connectors import changed_settings

POSTGRES = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": "shop"}


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ({}, {"heartbeat.interval.ms": "1000", "heartbeat.topics.prefix": "beat"}, []),
        ({"heartbeat.interval.ms": "0"}, {"topic.heartbeat.prefix": "beat"}, []),
        (
            {"heartbeat.interval.ms": "1000", "topic.heartbeat.prefix": "beat"},
            {"heartbeat.interval.ms": "1000", "topic.heartbeat.prefix": "hb"},
            ["topic.heartbeat.prefix"],
        ),
    ],
)
def test_only_heartbeats_that_are_written_can_be_read(before, after, counts):
    assert changed_settings({**POSTGRES, **before}, {**POSTGRES, **after}, is_read=True) == counts
