"""What a push sends to DataHub, judged by the classes of acryl-datahub."""

from __future__ import annotations

from collections import Counter

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.xdist_group("vendor-datahub")]


@pytest.fixture(scope="module")
def exchanges(sent):
    return sent("datahub")


def aspects(exchanges) -> Counter[str]:
    """Count the aspects that are written."""
    bodies = [each["body"] for each in exchanges if each["method"] == "POST" and "async=false" in each["url"]]
    return Counter(name for body in bodies for entity in body for name in entity if name != "urn")


def test_every_aspect_and_urn_is_accepted(exchanges, judged) -> None:
    assert judged("datahub", "datahub", exchanges) == []
    assert aspects(exchanges).total() > 150
    assert len(aspects(exchanges)) == 9


def test_judge_finds_errors(judged) -> None:
    """A judge that accepts everything would prove nothing."""
    urn = "urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)"
    wrong = {
        "datasetProperties": {"value": {"name": 3}},
        "subTypes": {"value": {"typeNames": ["Topic"], "colour": "red"}},
        "dataJobInfo": {"value": {}},
        "ownership": {"value": {"owners": [{"owner": "urn:li:corpuser:", "type": "BOSS"}]}},
    }
    url = "http://c/openapi/v3/entity/dataset?async=false"
    problems = " ".join(judged("datahub", "datahub", [{"method": "POST", "url": url, "body": [{"urn": urn, **wrong}]}]))

    assert all(word in problems for word in ("datasetProperties", "colour", "no aspect dataJobInfo", "BOSS"))
