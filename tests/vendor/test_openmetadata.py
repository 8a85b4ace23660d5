"""What a push sends to OpenMetadata, judged by the models of openmetadata-ingestion."""

from __future__ import annotations

from collections import Counter

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.xdist_group("vendor-openmetadata")]


def test_every_request_is_accepted(sent, judged) -> None:
    requests = [each for each in sent("openmetadata") if each["method"] != "GET"]

    assert judged("openmetadata", "openmetadata", requests) == []
    assert Counter(each["method"] for each in requests).keys() == {"PUT", "PATCH", "DELETE"}
    assert len(requests) > 60


def test_judge_finds_errors(judged) -> None:
    """A judge that accepts everything would prove nothing."""
    topic = {"name": "orders", "service": "k", "partitions": "many", "colour": "red"}
    edge = {"columnsLineage": [{"fromColumns": "a"}]}
    requests = [
        {"method": "PUT", "url": "http://c/api/v1/topics", "body": topic},
        {"method": "PUT", "url": "http://c/api/v1/lineage/topic/name/a/topic/name/b", "body": edge},
        {
            "method": "PATCH",
            "url": "http://c/api/v1/topics/name/a",
            "body": [{"op": "add", "path": "/tint", "value": 1}],
        },
    ]
    problems = " ".join(judged("openmetadata", "openmetadata", requests))

    assert all(word in problems for word in ("partitions", "colour", "fromColumns", "tint"))
