"""The table of kinds of registries, and plug-ins beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.registries import REGISTRIES, registries
from scanner_extractor.scan.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_model.errors import InputInvalid

SETTINGS = RegistrySettings(type="homemade", http=HttpSettings(url="http://registry.example"))


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a distribution that offers a kind of registry."""

    def install(target: str) -> None:
        info = tmp_path / "homemade-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: homemade\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[scanner.registries]\nhomemade = {target}\nkarapace = {target}\n")
        (tmp_path / "homemade_registry.py").write_text(
            "def read(settings, http, progress):\n    return settings.type\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        registries.cache_clear()

    yield install
    registries.cache_clear()


def test_our_kinds_are_there() -> None:
    """The table is where a kind begins to exist."""
    assert {"confluent", "karapace", "apicurio", "cloudera", "glue"} <= set(registries())


def test_plug_in_reads(plug_in) -> None:
    """Other people's packages register under a name."""
    plug_in("homemade_registry:read")
    with Http(SETTINGS.http, SETTINGS.source) as http:
        assert registries()["homemade"](SETTINGS, http, no_progress) == "homemade"


def test_plug_in_does_not_replace_ours(plug_in) -> None:
    """An installed package must not change what `karapace` means."""
    plug_in("homemade_registry:read")

    assert registries()["karapace"] is REGISTRIES["karapace"]


def test_plug_in_that_cannot_be_loaded_says_which(plug_in) -> None:
    """And only when somebody uses it."""
    plug_in("no_such_module_here:read")
    with Http(SETTINGS.http, SETTINGS.source) as http, pytest.raises(InputInvalid, match="homemade"):
        registries()["homemade"](SETTINGS, http, no_progress)
