"""Which strategies apply: by name, by default, and from other people's packages."""

from __future__ import annotations

import sys

import pytest

from scanner_extractor import naming
from scanner_extractor.naming import DEFAULTS, STRATEGIES, strategies_in_force
from scanner_model.errors import InputInvalid


def test_names_keep_their_order() -> None:
    """The order is the user's preference."""
    assert strategies_in_force(["record", "topic"], "confluent") == (STRATEGIES["record"], STRATEGIES["topic"])


@pytest.mark.parametrize("kind", [*DEFAULTS, "somebody's own"])
def test_every_kind_of_registry_has_defaults(kind) -> None:
    """A registry without naming settings must still find the topics of its own serialisers."""
    assert strategies_in_force((), kind)


def test_misspelt_strategy_gets_a_hint() -> None:
    """The nearest name is nearly always what was meant."""
    with pytest.raises(InputInvalid) as caught:
        strategies_in_force(["topic-recrod"], "confluent")

    assert "topic-record" in caught.value.hint


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that installs a package with one entry point, for this test only."""

    def install(name: str, target: str) -> None:
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[scanner.naming_strategies]\n{name} = {target}\n")
        (tmp_path / "acme_naming.py").write_text("def by_acme(subject):\n    return ()\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("acme_naming", None)


def test_plug_in_is_found_by_its_entry_point(package) -> None:
    """Other people's strategies need no change of ours."""
    package("acme", "acme_naming:by_acme")

    (strategy,) = strategies_in_force(["acme"], "confluent")

    assert strategy.__name__ == "by_acme"


def test_plug_in_that_cannot_be_loaded_is_reported(package) -> None:
    """Somebody else's broken package must not look like a defect of ours."""
    package("acme-broken", "acme_naming:by_nobody")

    with pytest.raises(InputInvalid) as caught:
        strategies_in_force(["acme-broken"], "confluent")

    assert caught.value.where == "acme_naming:by_nobody"


def test_everything_listed_is_there() -> None:
    """What the package promises is what it has."""
    assert all(hasattr(naming, name) for name in naming.__all__)
