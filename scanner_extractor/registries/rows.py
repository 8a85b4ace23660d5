"""One schema row as every registry's reader gives it, and how the members of its JSON are read."""

from __future__ import annotations

import json
from dataclasses import dataclass

from scanner_extractor.exchange import Json
from scanner_model.names import SubjectName
from scanner_model.problems import Problem
from scanner_model.schemas import Association, SchemaVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One schema row: a version, and the topics that the registry associates its subject with.

    *flagged*: the row says itself whether the version is deleted, as Confluent's do since 8.0. *behind* is the subject
    that the registry answered with in place of the one asked for, which is an alias; else empty.
    """

    version: SchemaVersion
    flagged: bool = False
    behind: str = ""
    associations: tuple[Association, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be read: its subject where that is legible (else empty), why, and what identifies it."""

    subject: SubjectName
    problem: Problem
    text: str


class RowError(ValueError):
    """Say which member of a row is not as documented."""


def bad_row(source: str, subject: str, wrong: RowError, payload: Json) -> BadRow:
    """Report a row that cannot be read."""
    name = repr(str(subject)) if subject else "a row without subject"
    problem = Problem(f"{source} {name}", f"the registry's row cannot be read: {wrong}")
    return BadRow(subject=SubjectName(subject), problem=problem, text=canonical(payload))


def member(payload: Json, name: str) -> Json:
    """Give a member; None where there is none, or no object."""
    return payload.get(name) if isinstance(payload, dict) else None


def text(payload: Json, name: str) -> str:
    """Give a member that is text; empty where it is none."""
    value = member(payload, name)
    return value if isinstance(value, str) else ""


def items(payload: Json, name: str) -> list[Json]:
    """Give a member that is a list; empty where it is none."""
    value = member(payload, name)
    return value if isinstance(value, list) else []


def needed_text(payload: Json, name: str, what: str) -> str:
    """Give a member that must be text, perhaps empty; raises RowError that names it as *what*."""
    value = member(payload, name)
    if not isinstance(value, str):
        raise RowError(f"it has no {what}")
    return value


def needed_number(payload: Json, name: str, what: str) -> int:
    """Give a member that must be a whole number; raises RowError that names it as *what*."""
    value = member(payload, name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise RowError(f"it has no {what}")
    return value


def details(**members: Json) -> str:
    """Give what a registry says beside a schema as JSON text, without what is empty; empty where all of it is."""
    kept = {name: value for name, value in members.items() if value not in (None, "", [], {})}
    return canonical(kept) if kept else ""


def canonical(payload: Json) -> str:
    """Write JSON in one way, whatever order it came in; empty where it is nested too deeply to be written."""
    try:
        return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return ""
