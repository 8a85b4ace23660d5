"""Every rule that `validate` and `check-change` print stands in the pages with its meaning."""

from __future__ import annotations

import re
from pathlib import Path

from scanner_api.rule_pages import PAGES, rule_page
from scanner_check.rows.table import RULES
from scanner_cli.commands.validate import validate
from scanner_dictionary.validation import RULES as FINDINGS

ROOT = Path(__file__).parents[2]


def rows(page: str) -> set[str]:
    """Return the rules that the tables of a page name in their first column."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    cells = (line.split("|")[1] for line in lines if line.startswith("| `"))
    return {name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)}


def test_rules_of_validate() -> None:
    """The help lists them in a line each, the page says what to do."""
    assert set(FINDINGS) <= rows("operations/troubleshooting.md")
    assert set(FINDINGS) == set(re.findall(r"^  ([a-z-]+)  ", validate.epilog or "", re.MULTILINE))


def test_rules_of_check_change() -> None:
    """The page lists what the table has."""
    assert set(RULES) <= rows("check-change.md")


def test_each_rule_has_a_page_with_examples_and_the_next_step() -> None:
    """Findings link to it; `tools/pages/generate_rules.py` writes what `scanner explain rule` prints."""
    pages = ROOT / "docs" / "rules"

    assert set(PAGES) == {*RULES, *FINDINGS}
    assert {file.stem for file in pages.glob("*.md")} == {*PAGES, "index"}
    for name, rule in PAGES.items():
        assert all((rule.meaning, rule.help, rule.example_bad, rule.example_good)), name
        assert rule.example_bad != rule.example_good, name
        assert (rule.meaning[-1], rule.help[-1] == ".") == (".", False), name
        assert (pages / f"{name}.md").read_text(encoding="utf-8") == rule_page(name)
