"""The bundled example as a dictionary with its graph."""

from __future__ import annotations

from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary

EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@pytest.fixture(scope="session")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the example once; tests must not write into it."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("documents") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary
