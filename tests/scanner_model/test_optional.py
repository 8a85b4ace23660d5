"""Optional libraries: what is missing is named with the command that installs it."""

import json
import sys

import pytest

from scanner_model.errors import InputInvalid
from scanner_model.plugins import require


def test_a_module_that_is_there_is_imported() -> None:
    """Nothing else happens."""
    assert require("json", "JSON is missing", extra="json") is json


@pytest.mark.parametrize("where", ["", "out"])
def test_a_missing_library_is_an_error_with_the_extra_that_installs_it(monkeypatch, where) -> None:
    """Python marks a module that must not be found with None."""
    monkeypatch.setitem(sys.modules, "pyarrow.nowhere", None)

    with pytest.raises(InputInvalid) as caught:
        require("pyarrow.nowhere", "Parquet needs pyarrow", extra="parquet", where=where)

    hint = "pip install 'kafka-lineage-scanner[parquet]'"
    assert (caught.value.what, caught.value.where, caught.value.hint) == ("Parquet needs pyarrow", where, hint)
