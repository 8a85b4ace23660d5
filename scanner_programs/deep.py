"""Recursion over code, whose nesting lowering bounds, takes more frames than Python allows by default."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow more frames within a block; those of functions in Python take no memory of the stack since Python 3.11."""
    known = sys.getrecursionlimit()
    sys.setrecursionlimit(max(known, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(known)
