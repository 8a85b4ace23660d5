"""The library behind the command `scanner`: scan, query, generate and export from Python.

`docs/library.md` is the guide; it has an example that runs. Nothing here prints, reads an environment variable other
than those that a cluster.json names, or ends the process: messages and progress go to callbacks, and every error is a
`ScannerError`. A name is imported when it is first used, so that `import scanner_api` stays fast; `__init__.pyi` lists
the names.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

_MODULES = {
    name.name: statement.module
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(statement, ast.ImportFrom) and statement.module
    for name in statement.names
}
"""Exported name → the module that defines it."""

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    """Import the exported *name* when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the exported names."""
    return sorted(__all__)
