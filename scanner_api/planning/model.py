"""A plan: its steps, each with owner, users, the schema to register, and whether it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Status = Literal["done", "open", "unknown"]
StepKind = Literal["create", "register", "write", "read", "wait", "delete"]


class PlanUse(NamedTuple):
    """A writer or reader that a step is about, and whether it did its part.

    *use* is what it does: writes, copies, computes, depends, or unknown (its fields are not known). *places* are files
    and lines, else the setting or statement. *last_seen* is when monitoring last saw it, empty if never; *lag* how many
    records a group was behind, None if not measured.
    """

    kind: str
    name: str
    use: str
    owner: str
    places: tuple[str, ...]
    last_seen: str
    lag: float | None
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """A step; *why* is the reason of its status, or what has to be true before it.

    A step that registers a schema has its *subject* and *format*, the *schema* with the part that is *added*, the
    *level* to register it at, and every level that it *passes*. *rejected* is why the subject's own level rejects it;
    empty if it does not. *schema* is empty if it is registered already.
    """

    number: int = 0
    kind: StepKind
    title: str
    owner: str = ""
    status: Status = "open"
    why: str = ""
    subject: str = ""
    format: str = ""
    schema: str = ""
    added: str = ""
    level: str = ""
    passes: tuple[str, ...] = ()
    rejected: str = ""
    uses: tuple[PlanUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationPlan:
    """The steps of *change* in a cluster, as of *scan*, *finished* then; *unknown* is what may be missing.

    *complete* is False if users may be missing: the graph is old, or a source was not read.
    """

    change: str
    cluster: str
    owner: str
    scan: int
    finished: str
    complete: bool
    steps: tuple[PlanStep, ...]
    unknown: tuple[str, ...]
