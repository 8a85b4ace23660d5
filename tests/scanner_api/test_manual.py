"""Manual input, checked with what is installed."""

from __future__ import annotations

import json

from scanner_api import check_manual_input, manual_input_example, manual_input_schema
from scanner_model.plugins import SCHEMA_FORMATS


def test_a_format_of_a_plug_in_is_accepted(install_package, tmp_path) -> None:
    """A scan reads schemas of every installed format, so a check must accept them."""
    (tmp_path / "order.thrift").write_text("struct Order {}")
    topic = {"name": "orders", "schemas": [{"file": "order.thrift", "format": "THRIFT"}]}
    (tmp_path / "manual.json").write_text(json.dumps({"cluster": "shop", "topics": [topic]}))
    (before,) = check_manual_input(["manual.json"], base=tmp_path).rows
    install_package("thrift-columns", {SCHEMA_FORMATS: {"THRIFT": "thrift_columns:read"}})

    assert before.what == "'THRIFT' is not a format of schema files"
    assert check_manual_input(["manual.json"], base=tmp_path).valid


def test_the_example_has_the_members_of_the_schema() -> None:
    """Both describe one format."""
    example = json.loads(manual_input_example())

    assert example.keys() <= manual_input_schema()["properties"].keys()
