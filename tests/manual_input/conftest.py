"""Manual-input files in a directory of their own, and what reading them gives."""

import json
from pathlib import Path

import pytest

from manual_input.loader import Reach, read_manual_input
from scanner_model.names import ClusterName


@pytest.fixture
def write(tmp_path):
    """Write text, or a value as JSON, to a file below the test's directory."""

    def write(name: str, content: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def read(tmp_path, write):
    """Read one document as manual input of the cluster `retail`; names are relative to the test's directory."""

    def read(content: object, *others: Path, **reach: object):
        files = [write("in.json", content), *others]
        return read_manual_input(files, ClusterName("retail"), ("kafka-1:9092",), Reach(base=tmp_path, **reach))

    return read


@pytest.fixture
def columns(read):
    """List the columns of one schema entry as (dotted name, type)."""

    def columns(entry: object):
        (schema,) = read({"topics": [{"name": "t", "schemas": [entry]}]}).input.schemas
        return [(column.name, column.type) for column in schema.columns]

    return columns
