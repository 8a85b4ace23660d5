"""The result of comparing two scans."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_dictionary.compatibility.changes import Action, ColumnChange, Judgement, SchemaChange
from scanner_model.schemas import qualified_subject

NamePart = str | int | None


class FactAction(StrEnum):
    """What happened to a fact between the two scans."""

    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"
    """A subject or version was soft-deleted: its registry still has it."""
    RESTORED = "restored"
    """It was soft-deleted, and is not any more."""
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeChange:
    """One attribute from what to what, as JSON text (None: nothing). A topic's setting is `config.<name>`."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """One fact that differs; *kind* and *name* are those of the change log. *attributes* only where it is in both."""

    kind: str
    name: tuple[NamePart, ...]
    action: FactAction
    attributes: tuple[AttributeChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRef:
    """A schema of a topic: where it was registered (empty, None: nowhere), and the definition behind it."""

    context: str
    subject: str
    version: int | None
    schema_id: str | None
    format: str
    record: str
    fingerprint: str

    @property
    def shown(self) -> str:
        """Return the subject and version for people; format and record where there is no subject."""
        where = qualified_subject(self.context, self.subject) + ("" if self.version is None else f" {self.version}")
        return where.strip() or f"{self.format} {self.record}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class SideChange:
    """One current schema of a topic's side that was added, removed or replaced.

    *before* is None where it was added, *after* where it was removed; *change* compares the two where it was
    replaced, else None.
    """

    topic: str
    role: str
    before: SchemaRef | None
    after: SchemaRef | None
    change: SchemaChange | None = None

    @property
    def action(self) -> Action:
        """Return what happened to the schema."""
        if self.before is None:
            return Action.ADDED
        return Action.REMOVED if self.after is None else Action.CHANGED

    @property
    def columns(self) -> tuple[ColumnChange, ...]:
        """List the columns that differ; none where the schema came or went as a whole."""
        return self.change.columns if self.change else ()

    @property
    def backward(self) -> Judgement | None:
        """Return whether readers with the second scan's schema read the first one's data; None: nothing to compare."""
        return self.change.backward if self.change else None

    @property
    def forward(self) -> Judgement | None:
        """Return whether readers with the first scan's schema read the second one's data; None: nothing to compare."""
        return self.change.forward if self.change else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanDiff:
    """What changed from scan *first* to scan *second*; *backwards* where the first is the newer one.

    *facts* are in the order of kind and name; *sides* in the order of topic, role, and what the schemas are called.
    """

    cluster: str
    first: int
    second: int
    facts: tuple[FactChange, ...]
    sides: tuple[SideChange, ...]

    @property
    def backwards(self) -> bool:
        """Return whether the first scan is the newer one."""
        return self.first > self.second

    def of(self, *kinds: str) -> tuple[FactChange, ...]:
        """List the facts of *kinds*."""
        return tuple(fact for fact in self.facts if fact.kind in kinds)
