"""Which settings of a connector may change its data."""

from __future__ import annotations

import pytest

from scanner_check.knowledge.connectors import changed_settings

POSTGRES = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": "shop"}


INSERT = {"transforms.h.type": "org.apache.kafka.connect.transforms.InsertHeader", "transforms.h.header": "a"}
UNWRAP = {"transforms": "u", "transforms.u.type": "io.debezium.transforms.ExtractNewRecordState"}


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ({}, {"transforms": "h", **INSERT}, []),
        (UNWRAP, {**UNWRAP, **INSERT, "transforms": "u, h"}, []),
        (UNWRAP, {**INSERT, "transforms": "h"}, ["transforms", "transforms.u.type"]),
        ({"transforms": "h", **INSERT}, {}, ["transforms", "transforms.h.header", "transforms.h.type"]),
        (
            {"transforms": "h", **INSERT},
            {"transforms": "h", **INSERT, "transforms.h.header": "b"},
            ["transforms.h.header"],
        ),
    ],
)
def test_a_new_transform_that_only_adds_headers_changes_no_data(before, after, counts):
    assert changed_settings({**POSTGRES, **before}, {**POSTGRES, **after}, is_read=True) == counts


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
