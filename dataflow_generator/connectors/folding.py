"""What databases make of names that are not quoted."""

from __future__ import annotations

from collections.abc import Callable

_FOLDS: dict[str, Callable[[str], str]] = {
    "postgres": str.lower,
    "redshift": str.lower,
    "oracle": str.upper,
    "db2": str.upper,
    "snowflake": str.upper,
}
"""By the scheme of OpenLineage's namespace; the others keep a name's case, or compare without it."""


def folded(name: str, scheme: str, *, quoted: bool = False) -> str:
    """Give *name* as a database of *scheme* stores it."""
    return name if quoted else _FOLDS.get(scheme, str)(name)
