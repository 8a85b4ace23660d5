"""Readings: what a plug-in returns by member is a reading."""

from __future__ import annotations

from dataclasses import fields

import pytest

from scanner_extractor.results import CatalogResult, Reading, RegistryResult, answered, as_reading
from scanner_model.errors import Problem
from scanner_model.names import SourceId

OUTCOME = answered(SourceId("acme:x"), "acme", 1)
PROBLEMS = (Problem("a", "b"),)


@pytest.mark.parametrize("result", [RegistryResult, CatalogResult])
def test_no_member_of_a_plug_ins_result_is_lost(result) -> None:
    """A member that the conversion leaves out would look like a source without such facts."""
    names = [member.name for member in fields(result) if member.name not in ("outcome", "problems")]
    members = {name: name if name == "registry" else (name,) for name in names}
    reading = as_reading(result(outcome=OUTCOME, problems=PROBLEMS, **members))

    assert (reading.outcome, reading.problems, sorted(reading.facts)) == (OUTCOME, PROBLEMS, sorted(names))


def test_a_reading_stays_as_it_is() -> None:
    """A plug-in may return one itself."""
    reading = Reading(outcome=OUTCOME, facts=("fact",))

    assert as_reading(reading) is reading
