"""What files of a repository declare that this version cannot read."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFile:
    """A file, or a part of one, that may declare flows and is not read: *name* is its path, *kind* what it is.

    *reason* says why. What it declares is unknown, which is not the same as nothing.
    """

    source: SourceId
    name: str
    kind: str
    reason: str
