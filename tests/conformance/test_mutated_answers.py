"""Every source with mutated answers: no reader fails, no other source is lost, and every loss is said."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import get_args, get_type_hints

import faulty
import pytest
from fault_rows import ROWS
from faulty import Asked, Fault, Good, Reply
from mutating import TIMES, Mutation, mutated, retyped
from scanned_source import BESIDE, Scanned, scanned_source

from scanner_model.facts import Key
from scanner_model.scan import ClusterScan, SourceStatus

SEEDS = [
    pytest.param(row, range(*seeds), id=f"{row}-{seeds[0]}", marks=[pytest.mark.slow] if seeds[0] else [])
    for row in ROWS
    for seeds in ((0, 2), (2, 2 + 8 * TIMES))
]


@pytest.fixture(scope="module")
def scanned(request: pytest.FixtureRequest, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scanned]:
    with scanned_source(ROWS[request.param], empty, tmp_path_factory.mktemp("faults")) as scanned:
        yield scanned


def _mutating(seed: int, mutation: Mutation) -> Fault:
    """Return a fault that mutates about a third of the answers, the same ones in whatever order they are asked."""

    def answer(request: Asked, good: Good) -> Reply:
        reply = faulty.healthy(request, good)
        number = zlib.crc32(repr((seed, request.target, request.body)).encode())
        return replace(reply, body=mutation(reply.body, Random(number))) if number % 3 == 0 else reply

    return answer


@pytest.mark.no_cover
@pytest.mark.parametrize(("scanned", "seeds"), SEEDS, indirect=["scanned"])
def test_mutated_answers_end_no_scan(scanned: Scanned, seeds: range) -> None:
    """Whatever a server, a proxy or a stranger sends: the other sources are whole, and no reader fails."""
    for seed in seeds:
        _, scan, _ = scanned.scan(_mutating(seed, mutated))

        assert "reader failed" not in scanned.outcome(scan).reason, seed
        assert [outcome.status for outcome in scan.outcomes if outcome.source in BESIDE] == [SourceStatus.READ] * 2


@pytest.mark.no_cover
@pytest.mark.parametrize(("scanned", "seeds"), SEEDS, indirect=["scanned"])
def test_a_value_of_another_type_is_said_if_it_costs_anything(scanned: Scanned, seeds: range) -> None:
    """A source that counts as read, without a problem, has all that the healthy server reports."""
    _, first, _ = scanned.scan(faulty.healthy)
    for seed in seeds:
        _, scan, _ = scanned.scan(_mutating(seed, retyped))

        if scanned.outcome(scan).status is SourceStatus.READ and set(scan.problems) <= set(first.problems):
            assert _told(first) - _told(scan) == set(), seed


def _told(scan: ClusterScan) -> set[tuple[str, ...]]:
    """Return the members with a value of all facts: the type and the keys of a fact, and the name of the member."""
    return {
        (type(fact).__name__, *(str(getattr(fact, key)) for key in _keys(type(fact))), member.name)
        for fact in scan.facts
        for member in fields(fact)
        if getattr(fact, member.name) not in (None, "", (), frozenset())
    }


@cache
def _keys(fact_type: type) -> tuple[str, ...]:
    hints = get_type_hints(fact_type, include_extras=True)
    return tuple(name for name, hint in hints.items() if any(isinstance(part, Key) for part in get_args(hint)[1:]))
