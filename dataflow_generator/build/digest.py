"""Hashes of values, to tell later whether they are still the same."""

from __future__ import annotations

import hashlib

_BYTES = 12


def digest(found: object) -> str:
    """Hash what `repr` writes of *found*, which is the same for the same tuples, lists, texts and numbers."""
    return hashlib.blake2b(repr(found).encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()
