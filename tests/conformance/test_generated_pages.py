"""Generated pages and schemas are as the code is now: `make docs` writes them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from scanner_cli import parameters

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ROOT / "tools/pages"
GENERATORS = sorted(PAGES.glob("generate_*.py"))


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda file: file.stem)
def test_a_generated_page_is_current(generator: Path) -> None:
    """A reference that is a release behind is believed all the same."""
    module = runpy.run_path(str(generator))
    text = module["PAGE"].read_text(encoding="utf-8")

    assert module["page"](text) == text


def test_the_options_of_questions_are_current() -> None:
    """Commands read them from a file, so that help imports no question."""
    assert parameters.FILE.read_text("utf-8") == parameters.derived()


def test_the_schemas_of_the_documents_are_current() -> None:
    """No file is missing, none is left over, and each is a schema."""
    module = runpy.run_path(str(PAGES / "generate_schemas.py"))
    expected = module["files"]((DOCS / "json.md").read_text(encoding="utf-8"))

    assert {file.name: file.read_text("utf-8") for file in (DOCS / "schemas").iterdir()} == expected
    for schema in module["schemas"]((DOCS / "json.md").read_text(encoding="utf-8")).values():
        Draft202012Validator.check_schema(schema)
    assert len(expected) == len(module["examples"]((DOCS / "json.md").read_text(encoding="utf-8")))


def test_the_support_matrix_has_every_row_of_the_code() -> None:
    """A new type of source without a row would look unsupported."""
    areas = runpy.run_path(str(PAGES / "generate_sources.py"))["AREAS"]
    listed = {item.row for area in areas for item in area.systems}
    by_type = {"catalogs", "databases", "flink", "schema_registries"}  # listed by the rows of their types
    settings_only = {"applications", "personal_data"}

    assert {row for area in areas for row in area.rows} - settings_only - by_type == listed
