"""What is published of cluster.json: its JSON Schema, and the page that describes each member."""

from __future__ import annotations

import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator

from scanner_extractor.config.loader import cluster_schema


def test_published_schema_is_valid_and_describes_every_member():
    """Editors show titles and descriptions."""
    schema = cluster_schema()
    Draft202012Validator.check_schema(schema)
    parts = [schema, *schema["$defs"].values()]

    for part in parts:
        for name, member in part.get("properties", {}).items():
            assert "$ref" in member or {"title", "description"} <= set(member), name
    for example in schema["examples"]:
        Draft202012Validator(schema).validate(example)


def test_documentation_names_every_member():
    """A member that nobody can read about does not exist."""
    schema = cluster_schema()
    text = (Path(__file__).parents[3] / "docs" / "cluster-json.md").read_text("utf-8")

    for part in [schema, *schema["$defs"].values()]:
        for name in part.get("properties", {}):
            assert re.search(rf"`[^`]*{re.escape(name)}[^`]*`", text), name


def test_example_in_the_documentation_is_valid():
    """People copy it."""
    text = (Path(__file__).parents[3] / "docs" / "cluster-json.md").read_text("utf-8")
    example = json.loads(text.split("```json\n")[1].split("```")[0])

    assert list(Draft202012Validator(cluster_schema()).iter_errors(example)) == []
