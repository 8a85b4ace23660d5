"""Kafka Connect: connector class → flows, by the reader of its class or generically by topics and direction.

A name is imported when it is first used: the readers of all classes take a tenth of a second. `__init__.pyi` lists the
names.
"""

from __future__ import annotations

from scanner_model.lazy_names import load, names_of_stub

_NAMES = names_of_stub(__file__)

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> object:
    """Import the exported *name* when it is first used."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load(_NAMES[name])
    return value
