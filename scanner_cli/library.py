"""The functions of the library that commands call, imported when they are first used; `library.pyi` lists them.

So the help of a command, and an error in its options, import nothing of what the command does.
"""

from __future__ import annotations

from scanner_model.lazy_names import load, names_of_stub

_NAMES = names_of_stub(__file__)


def __getattr__(name: str) -> object:
    """Import the function *name* when it is first used."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load(_NAMES[name])
    return value
