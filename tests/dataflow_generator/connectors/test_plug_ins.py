"""Readers of other people's packages, found by their entry points."""

import sys
from pathlib import Path

import pytest

from dataflow_generator.connectors import Config, Connector, read_connector

MODULE = "acme_connectors"


@pytest.fixture
def package(tmp_path: Path):
    """Install a package that offers two readers, one of which is not there."""
    (tmp_path / f"{MODULE}.py").write_text(
        "from dataclasses import replace\n"
        "from dataflow_generator.connectors import generic\n"
        "def read(connector):\n    return replace(generic(connector), name='acme')\n"
    )
    info = tmp_path / f"{MODULE}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {MODULE}\nVersion: 1\n")
    entries = f"com.acme.plugged.Own = {MODULE}:read\ncom.acme.plugged.Gone = {MODULE}:gone\n"
    (info / "entry_points.txt").write_text(f"[scanner.connectors]\n{entries}")
    sys.path.insert(0, str(tmp_path))
    yield
    sys.path.remove(str(tmp_path))
    sys.modules.pop(MODULE, None)


@pytest.mark.usefixtures("package")
def test_a_plug_in_reads_its_class() -> None:
    """Adding one touches nothing of ours."""
    config = Config.of({"connector.class": "com.acme.plugged.Own", "topics": "a"})

    assert read_connector(Connector(name="c", config=config)).name == "acme"


@pytest.mark.usefixtures("package")
def test_a_plug_in_that_cannot_be_loaded_is_a_problem_of_its_connector() -> None:
    """One broken package hides no topic."""
    config = Config.of({"connector.class": "com.acme.plugged.Gone", "topics": "a"})
    flows = read_connector(Connector(name="c", config=config))

    assert "cannot be loaded" in flows.problems[0].what
    assert [item.name for item in flows.inputs] == ["a"]
