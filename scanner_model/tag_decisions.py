"""What cluster.json says of suggested tags of columns: what people decided, and their own rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.facts import Key, Value
from scanner_model.names import SourceId


class Decision(StrEnum):
    """What was decided: the column has the tag, or it is not suggested again."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagDecision:
    """A decision on a tag of a column."""

    source: SourceId
    dataset: Annotated[str, Key("the topic, or the namespace and name of another dataset, with a slash", long=True)]
    column_name: Annotated[str, Key("the column with dots; of a message's key behind `@key.`", long=True)]
    tag: Annotated[str, Key("the tag")]
    decision: Annotated[Decision, Value("accepted or rejected")]
    decided_by: Annotated[str, Value("who decided")]
    decided_on: Annotated[str, Value("when, as in 2026-11-23")]
    reason: Annotated[str, Value("why, may be empty", long=True)] = ""

    @property
    def text(self) -> str:
        """Return who decided what, when and why, as people read it."""
        return f"{self.decision} by {self.decided_by} on {self.decided_on}" + (
            f": {self.reason}" if self.reason else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRuleFile:
    """A file of rules that suggest tags."""

    source: SourceId
    name: Annotated[str, Key("the file, relative to cluster.json", long=True)]
    rules: Annotated[str, Value("JSON: its rules, without comments", long=True)]
