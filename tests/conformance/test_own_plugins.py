"""Systems that few use are plug-ins of this distribution: shared code neither names nor imports them."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scanner_model.plugins import GROUPS, installed_plugins, plugins

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DECLARED: dict[str, dict[str, str]] = PROJECT["entry-points"]
FOLDERS = {value.split(".")[2] for names in DECLARED.values() for value in names.values()}
WORDS = FOLDERS.union(*DECLARED.values())
SHARED = (
    "manual_input",
    "scanner_api",
    "scanner_check",
    "scanner_cli",
    "scanner_dictionary",
    "scanner_extractor",
    "scanner_model",
    "scanner_server",
)
FILE = {
    "cluster": "retail",
    "brokers": ["b:9092"],
    "schema_registries": [{"type": "confluent", "url": "http://r:8081"}],
    "catalogs": [{"type": "iceberg", "url": "http://c:8181"}],
    "databases": [{"name": "shop", "url": "postgresql://scanner@d:5432/shop"}],
    "push": [{"target": "datahub", "url": "http://h:8080"}],
}
LOADED = """
import sys
from pathlib import Path
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.naming.strategies import strategies_in_force
from scanner_extractor.scan.source_kinds import all_kinds
all_kinds()
read_cluster_file(Path(sys.argv[1]), {}, ())
strategies_in_force((), "confluent")
print([name for name in sys.modules if name.startswith(tuple(sys.argv[2:]))])
"""


def test_declared_plugins_are_those_installed() -> None:
    """An environment that was made before has others: install the project again."""
    assert DECLARED.keys() <= set(GROUPS)
    for group, names in DECLARED.items():
        assert {name: plugins(group)[name].value for name in names} == names


def test_shared_code_does_not_name_them() -> None:
    files = [file for package in SHARED for file in (ROOT / package).rglob("*.py")]
    forms = ROOT / "scanner_extractor" / "repository" / "topic_files" / "table.py"  # names files of others, no plug-in
    shared = [file for file in files if FOLDERS.isdisjoint({file.parent.name, file.stem}) and file != forms]
    texts = {str(file): file.read_text("utf-8").lower() for file in shared}

    assert texts
    assert [(file, word) for file, text in texts.items() for word in WORDS if word in text] == []


def test_doctor_does_not_load_them() -> None:
    """It tries the packages that the user installed."""
    assert "kafka-lineage-scanner" not in {plugin.package for plugin in installed_plugins()}


@pytest.mark.process
def test_cluster_file_with_other_systems_is_read_without_them(tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(FILE))
    packages = [f"scanner_extractor.systems.{folder}" for folder in FOLDERS]
    command = [sys.executable, "-c", LOADED, str(file), *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
