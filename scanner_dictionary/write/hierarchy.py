"""Checks the facts of a scan before they are stored: their parents exist, their names are unique and not empty.

Every fact belongs to the cluster or to another fact; definitions are shared by clusters. A fact that breaks a rule is
refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from scanner_dictionary.write.fact_kind import Name, Rule
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.columns import Column, ColumnPath, path_name
from scanner_model.errors import Problem
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Definition

LARGEST = 2**63 - 1
"""The largest number that a database holds."""

_DEFINITION = Rule(name=lambda fact: (fact.fingerprint,), required=attrgetter("format"))

_RULES: tuple[tuple[str, str, Rule], ...] = (
    ("schema_definition", "definitions", _DEFINITION),
    *((kind.name, kind.member, kind.rule) for kind in FACT_KINDS if kind.rule),
)
"""Name of the kind, the scan's member that lists its facts, and the rule; parents before their children."""


def check(scan: ClusterScan) -> tuple[ClusterScan, tuple[Problem, ...]]:
    """Return *scan* without the facts that break a rule, and a problem for each of those, by kind."""
    known: dict[str, set[Name]] = {}
    problems: list[Problem] = []
    accepted: dict[str, Any] = {}
    for kind, member, rule in _RULES:
        accepted[member] = tuple(_accepted(kind, rule, scan.facts(member), known, problems))
    for member in sorted(scan.others.keys() - accepted.keys()):
        problems.append(Problem(member, f"no kind of fact is called {member!r}", "the facts were not stored"))
    accepted["definitions"] = tuple(_with_valid_columns(definition, problems) for definition in accepted["definitions"])
    return scan.with_facts(accepted), tuple(problems)


def _accepted(
    kind: str, rule: Rule, facts: tuple[Any, ...], known: dict[str, set[Name]], problems: list[Problem]
) -> Iterator[Any]:
    names = known.setdefault(kind, set())
    for fact in facts:
        name = rule.name(fact)
        error = _error(kind, rule, fact, name, known)
        if error:
            problems.append(Problem(_shown(name), error, "the fact was not stored"))
        else:
            names.add(name)
            yield fact


def _error(kind: str, rule: Rule, fact: Any, name: Name, known: Mapping[str, set[Name]]) -> str:  # noqa: ANN401 - any kind
    """Return what is wrong with *fact*, and with which; empty where nothing is."""
    shown = f"the {kind} {_shown(name)!r}"
    if not rule.required(fact):
        return f"{shown} has no type or name"
    if not -LARGEST <= (getattr(fact, "version", None) or 0) <= LARGEST:
        return f"{shown} has a version that no database holds"
    for parent_kind, parent in rule.parents(fact):
        if parent not in known.get(parent_kind, ()):
            return f"{shown} belongs to the {parent_kind} {_shown(parent)!r}, which the scan does not have"
    return f"{shown} is listed twice" if name in known[kind] else ""


def _with_valid_columns(definition: Definition, problems: list[Problem]) -> Definition:
    """Return *definition* without columns that are listed twice or whose parent is missing, each a problem."""
    if _are_valid(definition.columns):
        return definition
    known: set[ColumnPath] = set()
    valid: list[Column] = []
    for column in definition.columns:
        error = _column_error(column, known)
        if error:
            where = f"{definition.format} {definition.name or definition.fingerprint}"
            problems.append(Problem(where, error, "the column was not stored"))
        else:
            known.add(column.path)
            valid.append(column)
    return replace(definition, columns=tuple(valid))


def _are_valid(columns: Iterable[Column]) -> bool:
    """Return whether nothing is wrong with any column, as nearly always: columns are what a scan has most of."""
    known: set[ColumnPath] = set()
    for column in columns:
        path = column.path
        if path in known or not column.type or (len(path) > 1 and path[:-1] not in known):
            return False
        known.add(path)
    return True


def _column_error(column: Column, known: set[ColumnPath]) -> str:
    path = column.path
    if path in known:
        return f"the column {column.name!r} is listed twice"
    if len(path) > 1 and path[:-1] not in known:
        return f"the column {column.name!r} is inside the column {path_name(path[:-1])!r}, which is missing"
    return "" if column.type else f"the column {column.name!r} has no type"


def _shown(name: Name) -> str:
    return " ".join(part for part in name if part)
