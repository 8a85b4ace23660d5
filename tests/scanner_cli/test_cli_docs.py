"""The page of the commands agrees with their help."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_cli_page_is_as_the_commands_are_now() -> None:
    """`python docs/generate_cli.py` writes it."""
    page = (DOCS / "cli.md").read_text(encoding="utf-8")

    assert runpy.run_path(str(DOCS / "generate_cli.py"))["page"](page) == page
