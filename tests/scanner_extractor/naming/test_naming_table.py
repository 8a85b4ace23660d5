"""Which strategies apply: by name, by default, and from other people's packages."""

from __future__ import annotations

import pytest

from scanner_extractor import naming
from scanner_extractor.naming import STRATEGIES, Subject, propose, strategies_in_force
from scanner_extractor.systems import NAMING
from scanner_model.errors import InputInvalid


def test_names_keep_their_order() -> None:
    """The order is the user's preference."""
    assert strategies_in_force(["record", "topic"], "confluent") == (STRATEGIES["record"], STRATEGIES["topic"])


@pytest.mark.parametrize("kind", [*NAMING, "somebody's own"])
def test_every_kind_of_registry_has_defaults(kind) -> None:
    """A registry without naming settings must still find the topics of its own serialisers."""
    assert strategies_in_force((), kind)


def test_misspelt_strategy_gets_a_hint() -> None:
    """The nearest name is nearly always what was meant."""
    with pytest.raises(InputInvalid) as caught:
        strategies_in_force(["topic-recrod"], "confluent")

    assert "topic-record" in caught.value.hint


ORDERS = Subject(name="acme:orders")
CODE = """
from scanner_extractor.naming import Candidate
from scanner_model.names import Role, TopicName

def by_acme(subject):
    topic = TopicName(subject.name.removeprefix("acme:"))
    return (Candidate(topic=topic, role=Role.VALUE, strategy="acme"),)

def failing(subject):
    return {}[subject.name]

def listing(subject):
    return ["orders"]
"""


@pytest.fixture
def plug_in(install_package):
    """Return a function that installs a package with one strategy, for this test only."""
    return lambda target: install_package(
        "acme-kit", {"scanner.naming_strategies": {"acme": target}}, {"acme_naming": CODE}
    )


def test_plug_in_is_found_by_its_entry_point(plug_in) -> None:
    """Other people's strategies need no change of ours."""
    plug_in("acme_naming:by_acme")

    (strategy,) = strategies_in_force(["acme"], "confluent")

    assert [candidate.topic for candidate in strategy(ORDERS)] == ["orders"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("acme_naming:by_nobody", "cannot be loaded"),
        ("no_such_module_here:by_acme", "cannot be loaded"),
        ("acme_naming:CODE", "cannot be loaded"),
        ("acme_naming:failing", "failed: KeyError"),
        ("acme_naming:listing", "returned list"),
    ],
)
def test_broken_plug_in_is_a_problem_and_other_strategies_still_read(plug_in, target, reason) -> None:
    """Somebody else's broken package must not look like a defect of ours, nor hide a topic."""
    plug_in(target)

    proposed = propose(Subject(name="orders-value"), strategies_in_force(["acme", "topic"], "confluent"))

    assert [candidate.topic for candidate in proposed.read] == ["orders"]
    assert [(error.where, reason in error.what) for error in proposed.failed] == [
        ("acme-kit scanner.naming_strategies:acme", True)
    ]


def test_hint_names_plug_ins_too(plug_in) -> None:
    """They are strategies like ours."""
    plug_in("acme_naming:by_acme")
    with pytest.raises(InputInvalid) as caught:
        strategies_in_force(["acne"], "confluent")

    assert "acme" in caught.value.hint


def test_everything_listed_is_there() -> None:
    """What the package promises is what it has."""
    assert all(hasattr(naming, name) for name in naming.__all__)
