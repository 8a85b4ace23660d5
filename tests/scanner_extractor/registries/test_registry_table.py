"""The table of types of registries, and plug-ins beside it."""

from __future__ import annotations

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.naming.strategies import default_names
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.systems import NAMING
from scanner_model.errors import InputInvalid

SETTINGS = RegistrySettings(type="homemade", http=HttpSettings(url="http://registry.example"))
CODE = """
from scanner_extractor.probes import Probe
from scanner_extractor.registries import RegistryType
from scanner_extractor.results import Reading, answered

def read(settings, http, progress):
    return Reading(outcome=answered(settings.source, settings.type, 0))

def check(settings, http):
    yield Probe("list schemas", lambda: "7 schemas")
    raise LookupError("no more")

homemade = RegistryType(read=read, check=check, naming=("record",))

NUMBER = 7

def wrong(settings, http, progress):
    return NUMBER

def failing(settings, http, progress):
    return {}["subjects"]
"""


@pytest.fixture
def plug_in(install_package):
    """Install a distribution that offers a type of registry, and would replace one of ours."""

    def install(target: str) -> None:
        entries = {"homemade": target, "karapace": target, "cloudera": target}
        install_package("homemade-kit", {"scanner.registries": entries}, {"homemade_registry": CODE})

    return install


def read() -> Reading:
    with Http(SETTINGS.http, SETTINGS.source) as http:
        return REGISTRIES["homemade"].read(SETTINGS, http, no_progress)


def test_our_types_are_there() -> None:
    """The table is where a type begins to exist."""
    assert {"confluent", "karapace", "apicurio", "cloudera", "glue"} <= set(REGISTRIES)


@pytest.mark.parametrize("target", ["homemade_registry:read", "homemade_registry:homemade"])
def test_plug_in_reads(plug_in, target) -> None:
    """Other people's packages register a reader, or a whole type, under a name."""
    plug_in(target)

    assert "homemade" in REGISTRIES
    assert read().outcome.kind == "homemade"


@pytest.mark.parametrize("kind", ["karapace", "cloudera"])
def test_plug_in_does_not_replace_ours(plug_in, kind) -> None:
    """An installed package must not change what `karapace` means; `cloudera` is a plug-in of scanner itself."""
    plug_in("homemade_registry:read")

    assert REGISTRIES[kind].read.__module__.startswith("scanner_extractor.systems")


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("homemade_registry:homemade", ("record",)),
        ("homemade_registry:read", NAMING["karapace"]),
        ("homemade_registry:nobody", NAMING["karapace"]),
    ],
)
def test_plug_in_may_list_its_naming_strategies(plug_in, target, names) -> None:
    plug_in(target)

    assert default_names("homemade") == names


@pytest.mark.parametrize("target", ["no_such_module_here:read", "homemade_registry:nobody", "homemade_registry:NUMBER"])
def test_plug_in_that_cannot_be_loaded_names_package_and_entry_point(plug_in, target) -> None:
    """And only when somebody uses it."""
    plug_in(target)

    with pytest.raises(InputInvalid, match="cannot be loaded") as caught:
        read()
    assert caught.value.where == "homemade-kit scanner.registries:homemade"


def test_plug_in_that_fails_is_no_defect_of_scanner(plug_in) -> None:
    """The reader of the report has to know whose package it is."""
    plug_in("homemade_registry:failing")

    with pytest.raises(InputInvalid, match="failed: KeyError: 'subjects'") as caught:
        read()
    assert "homemade-kit" in caught.value.hint


def test_plug_in_that_returns_another_type_is_named(plug_in) -> None:
    plug_in("homemade_registry:wrong")

    with pytest.raises(InputInvalid, match="returned int, and no RegistryResult, CatalogResult or Reading") as caught:
        read()
    assert caught.value.where == "homemade-kit scanner.registries:homemade"


def test_probes_of_a_plug_in_are_tried_and_their_failure_is_one(plug_in) -> None:
    """The first probe says which package it is."""
    plug_in("homemade_registry:homemade")
    with Http(SETTINGS.http, SETTINGS.source) as http:
        first, second, third = REGISTRIES["homemade"].check(SETTINGS, http)

    assert (first.run(), second.run()) == ("homemade-kit 1.0", "7 schemas")
    with pytest.raises(InputInvalid, match="no more"):
        third.run()
