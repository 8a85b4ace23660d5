"""The letter case in which databases store names that are not quoted."""

from __future__ import annotations

from collections.abc import Callable

_FOLDS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("materialize", "postgres", "redshift", "risingwave"), str.lower),
    "oracle": str.upper,
    "db2": str.upper,
    "snowflake": str.upper,
}
"""Identifier case by the scheme of OpenLineage's namespace; others preserve case, or compare without it."""


def folded(name: str, scheme: str, *, quoted: bool = False) -> str:
    """Return *name* in the case in which a database of *scheme* stores it."""
    return name if quoted else _FOLDS.get(scheme, str)(name)
