"""What files of a repository declare that this version cannot read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from scanner_model.facts import Key, Value
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFile:
    """A file, or a part of one, that may declare flows and is not read: what it declares is unknown, not nothing."""

    source: SourceId
    name: Annotated[str, Key("its path in the repository", long=True)]
    kind: Annotated[str, Key("what kind of file it is")]
    reason: Annotated[str, Value("why it is not read", long=True)]
