"""Systems that few use are plug-ins of this distribution: shared code neither names nor imports them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scanner_model.plugins import GROUPS, installed_plugins, plugins

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DECLARED: dict[str, dict[str, str]] = PROJECT["entry-points"]
FOLDERS = {value.split(".")[2]: [*names] for names in DECLARED.values() for value in names.values()}
SHARED = tuple(f"scanner_extractor/{name}" for name in ("config", "scan", "settings", "systems"))
LOADED = """
import sys
from scanner_extractor.scan.source_kinds import all_kinds
all_kinds()
print([name for name in sys.modules if name.startswith(tuple(sys.argv[1:]))])
"""


def test_declared_plugins_are_those_installed() -> None:
    """An environment that was made before has others: install the project again."""
    assert DECLARED.keys() <= set(GROUPS)
    for group, names in DECLARED.items():
        assert {name: plugins(group)[name].value for name in names} == names


def test_shared_code_does_not_name_them() -> None:
    words = [word for folder, names in FOLDERS.items() for word in (folder, *names)]
    files = [file for place in SHARED for file in (ROOT / place).rglob("*.py") if file.parent.name not in FOLDERS]
    texts = {str(file): file.read_text("utf-8").lower() for file in files}

    assert texts
    assert [(file, word) for file, text in texts.items() for word in words if word in text] == []


def test_doctor_does_not_load_them() -> None:
    """It tries the packages that the user installed."""
    assert "kafka-lineage-scanner" not in {plugin.package for plugin in installed_plugins()}


@pytest.mark.process
def test_all_kinds_are_known_without_them() -> None:
    packages = [f"scanner_extractor.systems.{folder}" for folder in FOLDERS]
    done = subprocess.run([sys.executable, "-c", LOADED, *packages], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
