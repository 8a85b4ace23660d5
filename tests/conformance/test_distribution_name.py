"""`scanner` is another project's distribution on PyPI: what we recommend to install is ours."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DIRECTORIES = ("docs", "examples", *(file.parent.name for file in ROOT.glob("*/__init__.py")))
INSTALLED = re.compile(r"pip install (?:(?:-U|-q|--quiet|--upgrade)\s+)*['\"`]?([A-Za-z.][\w.-]*)(?:\[([\w,-]+)\])?")
OTHERS = {"apache-flink", "datacontract-cli", "moto", "openlineage-python", "pre-commit", "pyspark", "."}
"""What pages say to install besides: other programs of an example, and the project from its directory."""


def texts() -> dict[str, str]:
    """Return every text that a user may read: pages, and the code with its messages."""
    files = [*ROOT.glob("*.md"), *(file for name in DIRECTORIES for file in (ROOT / name).rglob("*.*"))]
    wanted = [file for file in files if file.suffix in {".py", ".md", ".sh"} and "capture" not in file.parts]
    return {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in wanted}


def recommended(text: str) -> set[tuple[str, str]]:
    """Return the distributions that *text* says to install, each with its extras; line breaks do not matter."""
    return {(name, extras) for name, extras in INSTALLED.findall(re.sub(r"\s+", " ", text))}


def test_no_text_recommends_another_distribution() -> None:
    """A hint that names `scanner` would install a stranger's code."""
    names = {path: {name for name, _ in recommended(text)} for path, text in texts().items()}

    assert {path: result for path, result in names.items() if result - {PROJECT["name"]} - OTHERS} == {}
    assert sum(PROJECT["name"] in name for name in names.values()) > 10


def test_every_recommended_extra_exists() -> None:
    """pip only warns of an extra that it does not know."""
    known = set(PROJECT["optional-dependencies"])
    named = {
        extra
        for text in texts().values()
        for name, extras in recommended(text)
        if name == PROJECT["name"]
        for extra in extras.split(",")
        if extra
    }

    assert named - known == set()
    assert {"postgres", "parquet", "aws"} <= named


def test_the_installed_distribution_is_this_version() -> None:
    """`scanner --version` and the producer of our events come from the installed metadata."""
    assert version(PROJECT["name"]) == PROJECT["version"]
