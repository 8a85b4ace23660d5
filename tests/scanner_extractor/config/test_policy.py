"""Tests for the member `policy` of cluster.json."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from scanner_extractor.config.policy import read_policy
from scanner_model.errors import InputInvalid
from scanner_model.policy import ClusterPolicy, ForbiddenFlow, Waiver

WAIVER = {"rule": "policy-topic-owner", "where": "topic a*", "reason": "soon", "expires": "2026-12-31"}


def policy_file(tmp_path: Path, **members: object) -> Path:
    """Write a cluster.json and return its path."""
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"cluster": "retail", "brokers": "${BROKERS}", **members}), "utf-8")
    return file


def test_a_policy_is_read_without_the_variables_of_other_members(tmp_path) -> None:
    policy = {"topic_owner": True, "forbidden": [{"tag": "PII", "systems": ["s3://*"]}], "waivers": [WAIVER]}

    assert read_policy(policy_file(tmp_path, policy=policy)) == ClusterPolicy(
        topic_owner=True,
        forbidden=(ForbiddenFlow("PII", ("s3://*",)),),
        waivers=(Waiver("policy-topic-owner", "topic a*", "soon", date(2026, 12, 31)),),
    )


def test_a_file_without_a_policy_asks_for_nothing(tmp_path) -> None:
    assert read_policy(policy_file(tmp_path)) == ClusterPolicy()


@pytest.mark.parametrize(
    ("policy", "where"),
    [
        ({"topic_owners": True}, "$.policy"),
        ({"topic_names": ["("]}, "$.policy.topic_names[0]"),
        ({"waivers": [{**WAIVER, "expires": "soon"}]}, "$.policy.waivers[0].expires"),
        ({"waivers": [{**WAIVER, "reason": ""}]}, "$.policy.waivers[0].reason"),
        ({"waivers": [{**WAIVER, "rule": "policy-topic-ownr"}]}, "$.policy.waivers[0].rule"),
        ({"compatibility": "NONE"}, "$.policy.compatibility"),
        ([], "$.policy"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, policy, where) -> None:
    with pytest.raises(InputInvalid) as raised:
        read_policy(policy_file(tmp_path, policy=policy))

    assert where in str(raised.value)


@pytest.mark.parametrize(("day", "holds"), [(date(2026, 12, 31), True), (date(2027, 1, 1), False)])
def test_a_waiver_holds_until_the_end_of_its_last_day(day, holds) -> None:
    policy = ClusterPolicy(waivers=(Waiver("policy-topic-owner", "topic a*", "soon", date(2026, 12, 31)),))

    assert (policy.waiver("policy-topic-owner", "topic abc", day) is not None) is holds
    assert policy.waiver("policy-topic-owner", "topic b", day) is None
    assert policy.waiver("policy-topic-name", "topic abc", day) is None


def test_a_forbidden_flow_is_of_one_tag_and_of_the_systems_that_fit() -> None:
    rule = ForbiddenFlow("PII", ("s3://*", "file/*"))

    assert rule.is_broken("pii", "s3://Lake/orders")
    assert not rule.is_broken("pii", "postgres://db/orders")
    assert not rule.is_broken("GDPR", "s3://lake/orders")
