"""A hundred thousand objects in a source cost time in proportion, and none of them is lost."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

import pytest

from scanner_extractor.http.pagination import by_number, by_token, paged
from scanner_extractor.systems.confluent_cloud.kafka_rest import read_groups, read_topics
from scanner_extractor.systems.confluent_cloud.stream_catalog import read_graphql, read_search
from scanner_extractor.systems.flink.client import read_jobs
from scanner_model.names import SourceId
from scanner_model.payload import Payload, Unread

MANY, PAGE = 100_000, 500
SOURCE = SourceId("x:1")


def rows(**members: Any) -> list[dict[str, Any]]:
    """Return as many objects; `{}` in a text is the object's number."""
    return [
        {name: value.format(at) if isinstance(value, str) else value for name, value in members.items()}
        for at in range(MANY)
    ]


def window(start: int) -> list[int]:
    return list(range(start, min(start + PAGE, MANY)))


def tokens() -> list[int]:
    def page(token: str) -> tuple[list[int], str]:
        start = int(token or 0)
        return window(start), str(start + PAGE) if start + PAGE < MANY else ""

    return list(by_token(page, key=lambda number: number))


def payloads(**members: Any) -> list[Payload]:
    return Payload(rows(**members)).list()


READERS: dict[str, Callable[[], Sized]] = {
    "topics": lambda: read_topics(payloads(topic_name="t{}", is_internal=False, partitions_count=1), Unread(SOURCE)),
    "groups": lambda: read_groups(payloads(consumer_group_id="g{}", state="STABLE"), Unread(SOURCE)),
    "jobs": lambda: read_jobs({"jobs": rows(jid="{:032x}", name="n{}", state="RUNNING")}, Unread(SOURCE)),
    "entities": lambda: read_search({"entities": rows(typeName="kafka_topic", guid="{}", attributes={})}),
    "entities of GraphQL": lambda: read_graphql({"data": {"kafka_topic": rows(qualifiedName="{}")}}, "kafka_topic"),
    "pages by token": tokens,
    "pages by offset": lambda: list(paged(lambda start, _: window(start), key=lambda number: number)),
    "pages by number": lambda: list(by_number(lambda number: window(number * PAGE), key=lambda number: number)),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("reader", READERS)
def test_a_hundred_thousand_objects_are_read(reader: str) -> None:
    """Whatever grows with their square would take hours."""
    assert len(READERS[reader]()) == MANY
