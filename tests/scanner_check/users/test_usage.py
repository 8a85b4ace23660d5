"""Readers that do not count: silent and excluded ones turn an impact into a note."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scanner_check.model import Affected, ChangeFinding, Place, Verdict, literal
from scanner_check.users.usage import without_unused
from scanner_model.usage import Usage


def hit(name: str, use: str = "computes", **more: object) -> Affected:
    return Affected(kind=more.pop("kind", "job"), namespace="", name=name, path="", use=use, steps=1, **more)


def judged(usage: Usage, *hits: Affected) -> ChangeFinding:
    finding = ChangeFinding(
        rule="column-removed",
        verdict=Verdict.IMPACT,
        place=Place(file="a.avsc"),
        target="subject orders-value",
        message=literal("total is removed"),
        affected=hits,
    )
    ((found,), _) = without_unused([finding], (), usage)
    return found


REPLAYS = Usage(exclude=("replay-*",))


@pytest.mark.parametrize(
    ("hits", "verdict"),
    [
        ([hit("replay-1")], Verdict.FINE),
        ([hit("replay-1"), hit("shop", "writes")], Verdict.FINE),
        ([hit("replay-1"), hit("paid", kind="topic", through=("replay-1",))], Verdict.FINE),
        ([hit("replay-1"), hit("billing")], Verdict.IMPACT),
        ([hit("replay-1"), hit("billing", "unknown")], Verdict.UNKNOWN),
        ([hit("billing")], Verdict.IMPACT),
    ],
)
def test_an_excluded_reader_does_not_count(hits, verdict):
    assert judged(REPLAYS, *hits).verdict is verdict


def test_the_note_says_why():
    assert judged(REPLAYS, hit("replay-1")).why == ("replay-1 does not count: excluded by `usage.exclude`",)


def test_without_monitoring_every_reader_counts_and_that_is_said():
    """Nothing observed is not the same as nothing used."""
    usage = Usage(unseen_for=timedelta(days=30))
    (_, notes) = without_unused([], (), usage)

    assert judged(usage, hit("billing")).verdict is Verdict.IMPACT
    assert notes == ("usage: no monitoring covers the last 30 days, so every reader counts",)


def test_days_and_weeks():
    assert Usage.of({"ignore_unseen_for": "4w"}).unseen_for == timedelta(days=28)
    assert Usage.of({}) == Usage()
