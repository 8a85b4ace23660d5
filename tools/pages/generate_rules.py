"""Writes `rules/`, a page for each rule of check-change and validate; `make docs` runs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scanner_api.rule_pages import PAGES, index_page, rule_page

DIRECTORY = Path(__file__).parents[2] / "docs" / "rules"
PAGE = DIRECTORY / "index.md"


def page(_: str) -> str:
    """Return the list of rules."""
    return index_page()


def files() -> Mapping[str, str]:
    """Return the text of each page by its name."""
    return {"index.md": index_page(), **{f"{name}.md": rule_page(name) for name in PAGES}}


if __name__ == "__main__":
    DIRECTORY.mkdir(exist_ok=True)
    for old in DIRECTORY.glob("*.md"):
        if old.name not in files():
            old.unlink()
    for name, text in files().items():
        (DIRECTORY / name).write_text(text, encoding="utf-8")
