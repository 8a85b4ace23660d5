"""What works without PySpark and pyarrow, which are extras."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

PROGRAM = """
import sys
from pathlib import Path
sys.modules["pyspark"] = sys.modules["pyarrow"] = None
import scanner_api
dictionary = scanner_api.open_dictionary("d.db", create=True)
print(scanner_api.generate(dictionary, output=Path("flow")).stored.engine)
calls = (
    lambda: scanner_api.generate(dictionary, spark=scanner_api.SparkChoice("spark")),
    lambda: scanner_api.generate(dictionary, output=Path("flow"), formats=["parquet"]),
    lambda: scanner_api.lineage(scanner_api.GraphSource(dictionary, Path("flow")), "orders"),
)
for call in calls:
    try:
        call()
    except scanner_api.ScannerError as error:
        print(error.hint)
"""


def test_a_missing_extra_is_named_where_it_is_needed_and_nowhere_else(tmp_path) -> None:
    """The graph in the dictionary and its files need neither of them."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=tmp_path, check=True)
    extras = ["pip install 'kafka-lineage-scanner[spark]'", *["pip install 'kafka-lineage-scanner[parquet]'"] * 2]

    assert done.stdout.splitlines() == ["local", *extras]
