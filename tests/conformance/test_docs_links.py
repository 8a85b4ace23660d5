"""Pages lead to what is there: links between pages, and the files that ARCHITECTURE and CONTRIBUTING name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*/README.md")])
LINK = re.compile(r"\]\(([^)\s:]+)\)")
FILE = re.compile(r"`((?:[\w-]+/)+[\w.-]*)`")
PACKAGES = ("scanner_", "dataflow_generator/", "manual_input/", "tests/", "tools/", "docs/", "examples/", "benchmarks/")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> Iterator[str]:
    for link in LINK.findall(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            yield link


def test_links_between_pages_lead_somewhere() -> None:
    """A page that was renamed leaves its links behind."""
    assert [(str(page.relative_to(ROOT)), link) for page in PAGES for link in dead_links(page)] == []


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/testing.md"])
def test_files_that_guides_name_exist(name: str) -> None:
    """Whoever reads a walk through the code opens the files that it names."""
    named = {path for path in FILE.findall((ROOT / name).read_text("utf-8")) if path.startswith(PACKAGES)}

    assert sorted(path for path in named if not (ROOT / path).exists()) == []
    assert named
