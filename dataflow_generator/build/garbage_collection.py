"""Python's garbage collector, less often while many objects are made that hold no circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 500_000


@contextmanager
def infrequent_collection() -> Iterator[None]:
    """Let the collector look only after half a million new objects; by default it walks all of them every 700."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
