"""Commands import what they run, and nothing else: a bound for each, so that start-up does not grow unnoticed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from scanner_api.graph.export import FORMATS as EXPORT_FORMATS
from scanner_api.graph.export import TABLE_FORMATS
from scanner_api.graph.generate import FORMATS as GRAPH_FORMATS
from scanner_api.parsing import DATABASE_DIALECTS, registry_kinds, schema_formats
from scanner_api.questions.listings import TagKind
from scanner_cli import choices, library
from scanner_cli.main import COMMANDS
from scanner_model.lazy_names import load, names_of_stub

RETAIL = Path(__file__).parents[2] / "examples" / "retail"
OWN = ("scanner_", "dataflow_generator", "manual_input")
COUNT = f"""
import sys
from scanner_cli.main import run
status = run(sys.argv[1:])
print(sum(name.startswith({OWN}) for name in sys.modules), status, file=sys.stderr)
"""
OPERATIONS = ("dataflow_generator", "scanner_extractor", "scanner_dictionary", "sqlalchemy")
LISTING = {"push"}
"""Its help lists the targets, which are imported."""


def count_of_modules(arguments: Sequence[str], directory: Path) -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments], cwd=directory, capture_output=True, text=True, check=True
    )
    number, status = done.stderr.split()[-2:]
    assert status == "0", done.stderr
    return int(number)


@pytest.mark.process
def test_commands_import_few_modules(tmp_path: Path) -> None:
    """The bounds are goals for the time until a command answers: lower them, do not raise them."""
    config = ["--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture")]

    assert count_of_modules(["--help"], tmp_path) <= 25
    assert count_of_modules(["check", "--help"], tmp_path) <= 60
    assert count_of_modules(["scan", "--no-graph", *config], tmp_path) <= 264
    assert count_of_modules(["query", "orders"], tmp_path) <= 130


@pytest.mark.process
def test_help_imports_no_operation(tmp_path: Path) -> None:
    """Help is what people ask for most while they learn; an operation takes a second to import."""
    names = sorted(COMMANDS.keys() - LISTING)
    text = f"""
import sys
from scanner_cli.main import run
for name in {names!r}:
    assert run([name, "--help"]) == 0, name
    loaded = sorted(module for module in sys.modules if module.startswith({OPERATIONS!r}))
    assert not loaded, (name, loaded)
"""
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_words_of_options_are_those_of_the_library() -> None:
    """They are written twice so that help imports nothing."""
    assert choices.GRAPH_FORMATS == GRAPH_FORMATS
    assert choices.EXPORT_FORMATS == EXPORT_FORMATS
    assert choices.TABLE_FORMATS == TABLE_FORMATS
    assert ("ksqldb", "flink", *DATABASE_DIALECTS) == choices.SQL_DIALECTS
    assert tuple(level.lower() for level in library.Level) == choices.LEVELS
    assert tuple(policy.lower() for policy in library.Policy) == choices.POLICIES
    assert choices.ENGINES == library.ENGINES
    assert get_args(TagKind) == choices.TAG_KINDS
    assert choices.registry_kinds() == registry_kinds()
    assert choices.schema_formats() == tuple(map(str.lower, schema_formats()))


def test_every_name_of_the_stub_exists() -> None:
    """A command meets a wrong name only when it runs."""
    for name, target in names_of_stub(library.__file__).items():
        assert getattr(library, name) is load(target), name
