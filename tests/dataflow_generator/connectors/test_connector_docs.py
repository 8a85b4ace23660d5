"""`docs/connectors.md` lists what the tables hold: a class that is not listed is one that nobody finds."""

import re
from pathlib import Path

from dataflow_generator.connectors import CONNECTORS, MANAGED

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "connectors.md").read_text(encoding="utf-8")


def test_the_page_lists_every_class_and_no_other() -> None:
    """A row has a class, a managed name, or both."""
    rows = re.findall(r"^\| (?:`([^`]+)`)? ?\| (?:`([^`]+)`)? ?\|$", PAGE.partition("## Transforms")[0], re.M)

    assert {name for name, _ in rows if name} == set(CONNECTORS)
    assert {name for _, name in rows if name} == set(MANAGED)
