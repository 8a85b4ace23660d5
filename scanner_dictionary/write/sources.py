"""The sources of a cluster: which exist, how each answered in a scan, and what follows for the facts of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from scanner_dictionary.engine.rows import insert_rows, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import next_id
from scanner_dictionary.write.fact_kind import Name, Rule, member_cells
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.columns import Column, ColumnPath, StoredColumns, path_name
from scanner_model.errors import Problem
from scanner_model.names import SourceId
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Definition

LARGEST = 2**63 - 1
"""The largest number that a database holds."""

_DEFINITION = Rule(name=lambda fact: (fact.fingerprint,), required=attrgetter("format"))

_RULES: tuple[tuple[str, type, Rule], ...] = (
    ("schema_definition", Definition, _DEFINITION),
    *((kind.name, kind.type, kind.rule) for kind in FACT_KINDS if kind.rule),
)
"""Name of the kind, the type of its facts, and the rule; parents before their children."""


def check(scan: ClusterScan) -> tuple[ClusterScan, tuple[Problem, ...]]:
    """Return *scan* without the facts that break a rule, and a problem for each of those, by kind."""
    known: dict[str, set[Name]] = {}
    problems: list[Problem] = []
    accepted = {
        fact_type: tuple(_accepted(kind, rule, scan.of(fact_type), known, problems)) for kind, fact_type, rule in _RULES
    }
    unknown = scan.by_type.keys() - accepted.keys()
    for name in sorted(fact_type.__name__ for fact_type in unknown):
        problems.append(Problem(name, f"no kind of fact is called {name!r}", "the facts were not stored"))
    definitions = {d.fingerprint: _with_valid_columns(d, problems) for d in accepted[Definition]}
    # What is wrong with columns is reported by every scan, so these are parsed by every scan.
    right = {d.fingerprint for d in accepted[Definition] if definitions[d.fingerprint] is d}
    texts = tuple(text for text in scan.texts if text.fingerprint in right)
    accepted[Definition] = tuple(definitions.values())
    checked = scan.with_facts({**dict.fromkeys(unknown, ()), **accepted})
    return replace(checked, texts=texts), tuple(problems)


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
    what = ""
    if not rule.required(fact):
        what = "has no type or name"
    elif not -LARGEST <= (getattr(fact, "version", None) or 0) <= LARGEST:
        what = "has a version that no database holds"
    elif missing := [parent for parent in rule.parents(fact) if parent[1] not in known.get(parent[0], ())]:
        parent_kind, parent = missing[0]
        what = f"belongs to the {parent_kind} {_shown(parent)!r}, which the scan does not have"
    elif name in known[kind]:
        what = "is listed twice"
    return what and f"the {kind} {_shown(name)!r} {what}"


def _with_valid_columns(definition: Definition, problems: list[Problem]) -> Definition:
    """Return *definition* without columns that are listed twice or whose parent is missing, each a problem."""
    if isinstance(definition.columns, StoredColumns) or _are_valid(definition.columns):
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


_ONE_PER_CLUSTER = "kafka"
_CELLS = member_cells(SourceResult)
_NOT_CONFIGURED = SourceResult(
    source=SourceId(""),
    kind="",
    status=SourceStatus.SKIPPED,
    reason="cluster.json does not configure it any more (`scanner dictionary forget` removes it)",
)
_FORGOTTEN = "forgotten"
_ANSWERED = (SourceStatus.READ, SourceStatus.PARTIAL, SourceStatus.FORGOTTEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The ids of a cluster's sources by name, their kinds by id, and how each answered in this scan.

    *reporting* are those that answered or are the source of a fact: only their facts can change.
    """

    ids: Mapping[SourceId, int]
    kinds: Mapping[int, str]
    outcomes: Mapping[int, SourceResult]
    reporting: frozenset[int]

    def is_complete(self, source: int) -> bool:
        """Return whether *source* listed all that exists: what it does not list is deleted or among the unread.

        A partial answer that lists nothing unread does not say what is missing, so it proves nothing.
        """
        outcome = self.outcomes.get(source, _NOT_CONFIGURED)
        complete = outcome.status in (SourceStatus.READ, SourceStatus.FORGOTTEN)
        return complete or (outcome.status is SourceStatus.PARTIAL and bool(outcome.unread))

    def was_not_read(self, source: int) -> bool:
        """Return whether *source* did not answer: facts of its own in the scan are then those of an earlier one."""
        outcome = self.outcomes.get(source)
        return outcome is not None and outcome.status in (
            SourceStatus.UNAVAILABLE,
            SourceStatus.SKIPPED,
            SourceStatus.KEPT,
        )

    def unread(self, source: int) -> frozenset[str]:
        """Return the names that exist in *source* and could not be read."""
        return self.outcomes.get(source, _NOT_CONFIGURED).unread


def write_sources(conn: Connection, cluster: int, scan: ClusterScan, number: int) -> Sources:
    """Add the sources that are new, and store for each how fresh its facts are."""
    outcomes = {outcome.source: outcome for outcome in scan.outcomes}
    stored = list(conn.execute(select(t.source).where(t.source.c.cluster_id == cluster).order_by(t.source.c.id)))
    ids = _named(conn, stored, outcomes)
    facts = set(_of_facts(scan))
    new = [name for name in {*outcomes, *facts} if storable(name) not in ids]
    first = next_id(conn, t.source)
    for id_, name in enumerate(sorted(new), first):
        ids[storable(name)] = id_
        row = {"id": id_, "cluster_id": cluster, "name": storable(name), "kind": _kind(name, outcomes)}
        conn.execute(insert(t.source).values(**row, stale_reason=""))
    by_id = {ids[storable(name)]: outcome for name, outcome in outcomes.items()}
    _update_freshness(conn, ids.values(), by_id, number)
    kinds = dict(conn.execute(select(t.source.c.id, t.source.c.kind).where(t.source.c.cluster_id == cluster)).all())
    by_name = {SourceId(name): ids[storable(name)] for name in chain(ids, outcomes, facts)}
    answered = {name for name, outcome in outcomes.items() if outcome.status in _ANSWERED}
    reporting = frozenset(by_name[name] for name in answered | facts)
    return Sources(ids=by_name, kinds=kinds, outcomes=by_id, reporting=reporting)


def write_outcomes(conn: Connection, scan: ClusterScan, sources: Sources, number: int) -> None:
    """Store how each source answered in scan *number*."""
    rows = ((number, i, sources.ids[outcome.source], *_CELLS(outcome)) for i, outcome in enumerate(scan.outcomes))
    insert_rows(conn, t.scan_outcome, rows)


def _of_facts(scan: ClusterScan) -> Iterator[SourceId]:
    """Yield the source of every fact; it may have no outcome."""
    return (fact.source for fact_type in {kind.type for kind in FACT_KINDS} for fact in scan.by_type.get(fact_type, ()))


def _kind(name: SourceId, outcomes: Mapping[SourceId, SourceResult]) -> str:
    return outcomes[name].kind if name in outcomes else name.partition(":")[0]


def _named(conn: Connection, stored: Collection[Row[Any]], outcomes: Mapping[SourceId, SourceResult]) -> dict[str, int]:
    """Return the stored ids by name; brokers reached through other addresses than before are the same source."""
    ids = {row.name: row.id for row in stored}
    current = [outcome.source for outcome in outcomes.values() if outcome.kind == _ONE_PER_CLUSTER]
    before = [row.name for row in stored if row.kind == _ONE_PER_CLUSTER]
    if len(current) == len(before) == 1 and current != before:
        id_ = ids.pop(before[0])
        conn.execute(update(t.source).where(t.source.c.id == id_).values(name=storable(current[0])))
        ids[storable(current[0])] = id_
    return ids


def _update_freshness(
    conn: Connection, ids: Collection[int], outcomes: Mapping[int, SourceResult], number: int
) -> None:
    query = select(t.source.c.id, t.source.c.stale_since, t.source.c.stale_reason)
    before = {id_: (since, reason) for id_, since, reason in conn.execute(query)}
    for id_ in sorted(ids):
        outcome = outcomes.get(id_, _NOT_CONFIGURED)
        since, reason = before[id_]
        if outcome.status is SourceStatus.KEPT or (id_ not in outcomes and reason == _FORGOTTEN):
            continue
        row = freshness(outcome, since, number)
        conn.execute(update(t.source).where(t.source.c.id == id_).values(**row))


def freshness(outcome: SourceResult, since: int | None, number: int) -> dict[str, Any]:
    """Return the cells that *outcome* changes of a source that was stale *since* a scan, or fresh."""
    match outcome.status:
        case SourceStatus.READ:
            return {"last_queried": number, "last_read": number, "stale_since": None, "stale_reason": ""}
        case SourceStatus.FORGOTTEN:
            return {"stale_since": None, "stale_reason": _FORGOTTEN}
        case answer:
            queried = {} if answer is SourceStatus.SKIPPED else {"last_queried": number}
            reason = storable(outcome.reason) or f"answered {answer}"
            return queried | {"stale_since": since or number, "stale_reason": reason}
