"""The library as others use it: the exported names, and the page that shows how."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import scanner_api

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "library.md"


def test_every_exported_name_exists() -> None:
    """Names are imported when they are used: a wrong row of the table would otherwise be noticed by users."""
    assert scanner_api.__all__
    assert all(getattr(scanner_api, name).__doc__ for name in scanner_api.__all__)


@pytest.mark.process
def test_an_exported_name_is_the_function_after_its_module_was_imported() -> None:
    """A sub-package that has the name of a function would replace it."""
    program = "import scanner_cli.commands.server.monitor, scanner_cli.commands.scan, scanner_api\n"
    program += "assert all(type(getattr(scanner_api, name)).__name__ != 'module' for name in scanner_api.__all__)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_page_lists_every_function() -> None:
    """Who reads the page must not miss one."""
    page = PAGE.read_text(encoding="utf-8")
    functions = [name for name in scanner_api.__all__ if name.islower()]

    assert [name for name in functions if not re.search(rf"`{name}\b", page)] == []


def test_the_example_runs(tmp_path, monkeypatch) -> None:
    """An example that does not run is worse than none."""
    (tmp_path / "retail").symlink_to(ROOT / "examples" / "retail")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})

    assert (tmp_path / "flow.html").stat().st_size > 0
    assert {file.name for file in (tmp_path / "flow").iterdir()} == {"graph.json", "graph.dot"}
