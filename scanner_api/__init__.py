"""The library behind the command `scanner`: scan, query, generate and export from Python.

`docs/library.md` is the guide; it has an example that runs. Nothing here prints, reads an environment variable other
than those that a cluster.json names, or ends the process: messages and progress go to callbacks, and every error is a
`ScannerError`. A name is imported when it is first used, so that `import scanner_api` stays fast; `__init__.pyi` lists
the names.
"""

from __future__ import annotations

from scanner_model.lazy_names import load, names_of_stub

_NAMES = names_of_stub(__file__)
"""Exported name → `module:attribute` that defines it."""

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> object:
    """Import the exported *name* when it is first used."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load(_NAMES[name])
    return value


def __dir__() -> list[str]:
    """List the exported names."""
    return sorted(__all__)
