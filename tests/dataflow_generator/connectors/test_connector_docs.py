"""`docs/connectors.md` lists every class and every managed connector, so that readers can look theirs up."""

import re
from pathlib import Path

from dataflow_generator.connectors import CONNECTORS, MANAGED

PAGE = (Path(__file__).parents[3] / "docs" / "connectors.md").read_text(encoding="utf-8")


def test_the_page_lists_every_class_and_no_other() -> None:
    """A family that the generator does not know would be left out silently."""
    lines = re.findall(r"^- (.*)$", PAGE.partition("## Supported classes")[2].partition("\n## ")[0], re.MULTILINE)
    managed = [line for line in lines if line.startswith("Confluent Cloud: ")]
    classes = [line for line in lines if line not in managed]

    assert {name for line in classes for name in re.findall("`([^`]+)`", line)} == set(CONNECTORS)
    assert {name for line in managed for name in re.findall("`([^`]+)`", line)} == set(MANAGED)
