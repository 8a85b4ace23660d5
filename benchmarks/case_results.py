"""How a suite of cases ended: right of all for each file, every deviation, and the reasons that explain one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Reason(StrEnum):
    """Why a deviation is right as it is; a case is never excused by its name."""

    ABSENT = "the folder does not hold the schema that is referred to"
    REFUSED = "fastavro refuses the schema; its columns are read all the same"
    SPECIFICATION = "OpenLineage's specification names it otherwise than the program that the case comes from"
    MASKED_CLASS = "the case masks a transform's class: what it does to columns is unknown"
    MACHINE = "the name is a property of the machine that opens it, and not in the configuration"
    OVER_KEYS = "the case counts what affects a column as its source; ours is INDIRECT"
    COMPUTED_COLUMN = "the case names a computed column without a source column; no topic holds it"
    OWN_NULL = "the case lets an element or map value be null because its array or map may be absent"
    COMBINED_KEY = "older ksqlDB (Platform 6.1) combines the keys of GROUP BY into one column; newer keeps each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """One difference from what a case expects; without a *reason* it is a defect."""

    case: str
    what: str
    reason: Reason | None = None

    def __str__(self) -> str:
        """Return one line."""
        return f"  {self.case}: {self.what}" + (f" [known: {self.reason}]" if self.reason else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """One file's cases: how many are *right* of *total*, what deviates, and a remark that counts for nothing."""

    file: str
    right: int
    total: int
    deviations: tuple[Deviation, ...] = ()
    remark: str = ""

    def __str__(self) -> str:
        """Return the file's line and one for each deviation."""
        remark = f"  ({self.remark})" if self.remark else ""
        return "\n".join([f"{self.file}  {self.right} / {self.total}{remark}", *map(str, self.deviations)])


Suite = Callable[[Path], Iterator[FileResult]]
"""Run every file of one kind in the folder; a file that is not there has no result."""
