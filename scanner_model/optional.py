"""Optional libraries: the one place that imports what an extra of the distribution installs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from scanner_model.errors import InputInvalid


def require(module: str, what: str, *, extra: str, where: str = "") -> Any:  # noqa: ANN401 - a module has no type
    """Import *module*, a library of *extra* or a module of ours that imports one.

    Raises InputInvalid with *what* and *where*, and the command that installs *extra*, where a library is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        hint = f"pip install 'kafka-lineage-scanner[{extra}]'"
        raise InputInvalid(what, where=where, hint=hint) from error
