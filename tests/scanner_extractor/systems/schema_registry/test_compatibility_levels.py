"""The compatibility level of subjects: read on request only, because each one costs a request."""

from __future__ import annotations

import pytest

from scanner_extractor.evolution.configured import SubjectConfig
from scanner_extractor.systems.schema_registry.confluent_reader import read_level
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Registry, SchemaVersion


def levels(reading) -> dict[str, str]:
    return {version.subject: version.compatibility for version in reading.of(SchemaVersion)}


def test_each_subject_has_the_level_that_holds_for_it(serving, stored, read) -> None:
    """A subject without a level of its own has the registry's."""
    registry = serving("confluent", stored("a"), stored("b"), stored("b", 2), levels={"b": "FULL_TRANSITIVE"})

    assert levels(read(registry, compatibility=True)) == {"a": "BACKWARD", "b": "FULL_TRANSITIVE"}
    assert registry.asked("/config/") == 2


def test_lenient_policy_stands_behind_the_level() -> None:
    """It decides as the level does, and belongs to it; STRICT is what every subject has that says nothing."""
    answers = [{"compatibilityLevel": "FULL", "compatibilityPolicy": policy} for policy in ("LENIENT", "STRICT", None)]

    assert [*map(read_level, answers)] == ["FULL LENIENT", "FULL", "FULL"]


def test_what_else_decides_stands_behind_the_level() -> None:
    """A policy that is not known here, a group, an alias and reserved fields change what the registry accepts."""
    answer = {
        "compatibilityLevel": "FULL",
        "compatibilityPolicy": "LOGICAL",
        "compatibilityGroup": "application.major version",
        "alias": "orders-value",
        "validateFields": True,
    }
    config = SubjectConfig.parse(read_level(answer))

    assert read_level(answer).startswith("FULL LOGICAL ")
    assert (config.policy, config.group, config.alias) == ("LOGICAL", "application.major version", "orders-value")
    assert config.validate_fields
    assert SubjectConfig.parse("") == SubjectConfig()


def test_levels_are_not_requested_by_default(serving, stored, read) -> None:
    """A registry of a thousand subjects is read with three requests."""
    registry = serving("confluent", *map(stored, "abc"))

    assert set(levels(read(registry)).values()) == {""}
    assert registry.asked("/config/") == 0


def test_level_that_cannot_be_read_costs_only_itself(serving, stored, read, fake) -> None:
    """A user may read schemas and not the configuration."""
    denied = fake.Fault(status=403)
    registry = serving("confluent", *map(stored, "abc"), levels={"b": "NONE"}, faults={"/config/a": denied})
    reading = read(registry, compatibility=True)

    assert levels(reading) == {"a": "", "b": "NONE", "c": "BACKWARD"}
    assert [problem.where.endswith("compatibility") for problem in reading.problems] == [True]
    assert reading.outcome.status is SourceStatus.READ


@pytest.mark.parametrize(
    ("flavour", "version"), [("confluent", "8.3.1"), ("confluent-6.1", ""), ("karapace", ""), ("apicurio", "")]
)
def test_version_of_the_registry_is_read_with_the_levels(flavour: str, version: str, serving, stored, read) -> None:
    """Its rules depend on it; only Confluent's, since 7.0, says it."""
    registry = serving(flavour, stored("a"))

    assert read(registry, compatibility=True).of(Registry)[0].server_version == version
    assert read(registry).of(Registry)[0].server_version == ""
    assert not read(registry, compatibility=True).problems
