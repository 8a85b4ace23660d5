"""Retention: deletes what only earlier scans tell, in one transaction; what is current stays, whatever its age."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Table, and_, delete, or_, select

from scanner_dictionary.diff.scans import State, next_state
from scanner_dictionary.engine.open import writing
from scanner_dictionary.engine.rows import in_chunks, insert_rows, json_cell
from scanner_dictionary.graph.versions import graph_versions, prune_versions
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.fact_kind import FactKind
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_model.errors import InputInvalid

_AT_ONCE = 500
_OF_DEFINITIONS = (t.schema_column, t.schema_text)
"""Tables whose rows go with their definition."""
_KNOWN = "known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What to keep: the newest *scans* of each cluster, or every scan from number *before* on; one of both is set.

    The newest scan of a cluster is kept in any case, and so is the newest graph.
    """

    scans: int | None = None
    before: int | None = None


class ClusterPlan(NamedTuple):
    """The scans of a cluster that go, and the oldest one that is kept, whose state later scans are compared with."""

    key: int
    name: str
    removed: tuple[int, ...]
    oldest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneResult:
    """The scans of each cluster that went, the scans whose graphs went, and the rows that were deleted, by table."""

    clusters: tuple[ClusterPlan, ...]
    graphs: tuple[int, ...]
    rows: tuple[tuple[str, int], ...]


def prune(engine: Engine, retention: Retention, *, dry_run: bool) -> PruneResult:
    """Delete the history before what *retention* keeps; with *dry_run* count what would go, and delete nothing.

    Comparisons and graphs of the scans that are kept stay as they are. Raises InputInvalid for a retention that keeps
    nothing or names nothing.
    """
    if (retention.scans is None) == (retention.before is None) or (retention.scans is not None and retention.scans < 1):
        raise InputInvalid("what to keep is not clear", where="prune", hint="a number of scans (at least 1), or a scan")
    with writing(engine) as conn, conn.begin_nested() as savepoint:
        result = _prune(conn, retention)
        if dry_run:
            savepoint.rollback()
        return result


def _prune(conn: Connection, retention: Retention) -> PruneResult:
    plans = tuple(_plans(conn, retention))
    oldest = min((plan.oldest for plan in plans), default=0) if retention.before is None else retention.before
    before = [version.scan for version in graph_versions(conn)]
    rows: Counter[str] = Counter(prune_versions(conn, oldest))
    after = {version.scan for version in graph_versions(conn)}
    for plan in plans:
        if plan.removed:
            rows[t.change_log.name] += _fold_log(conn, plan)
            _delete_scans(conn, plan, rows)
    _delete_facts(conn, {plan.key: plan.oldest for plan in plans}, rows)
    _delete_definitions(conn, rows)
    counts = tuple((name, count) for name, count in sorted(rows.items()) if count)
    return PruneResult(clusters=plans, graphs=tuple(scan for scan in before if scan not in after), rows=counts)


def _plans(conn: Connection, retention: Retention) -> Iterator[ClusterPlan]:
    scan, cluster = t.scan.c, t.cluster.c
    query = select(cluster.id, cluster.name, scan.id).join(t.scan, scan.cluster_id == cluster.id)
    rows = conn.execute(query.order_by(cluster.name, scan.id)).all()
    for (key, name), of_cluster in groupby(rows, key=lambda row: (row[0], row[1])):
        numbers = [row[2] for row in of_cluster]
        if retention.scans is not None:
            kept_scans = numbers[-retention.scans :]
        else:
            kept_scans = [number for number in numbers if number >= (retention.before or 0)] or numbers[-1:]
        yield ClusterPlan(key, name, tuple(number for number in numbers if number < kept_scans[0]), kept_scans[0])


def _fold_log(conn: Connection, plan: ClusterPlan) -> int:
    """Put the state at the oldest scan that is kept in place of all entries until then; return how many less it are."""
    log, scan = t.change_log, t.scan.c
    scans = select(scan.id).where(scan.cluster_id == plan.key, scan.id <= plan.oldest)
    query = select(log).where(log.c.scan_id.in_(scans))
    query = query.order_by(log.c.entity_kind, log.c.entity, log.c.scan_id, log.c.ordinal)
    folded = list(_folded(conn.execute(query), plan.oldest))
    deleted = conn.execute(delete(log).where(log.c.scan_id.in_(scans))).rowcount
    order = {kind.name: at for at, kind in enumerate(FACT_KINDS, 1)}
    folded.sort(key=lambda row: (order.get(row[0], 0), row[1]))
    insert_rows(conn, log, ((plan.oldest, at, *cells) for at, cells in enumerate(folded)))
    return int(deleted) - len(folded)


def _folded(entries: Iterable[Any], oldest: int) -> Iterator[tuple[str, str, str, None, str]]:
    """Yield an entry for each fact that existed: `known`, or what the oldest scan itself recorded of a new one."""
    for (kind, entity), of_fact in groupby(entries, key=lambda entry: (entry.entity_kind, entry.entity)):
        state: State | None = None
        action = _KNOWN
        for entry in of_fact:
            if state is None and entry.scan_id == oldest:
                action = entry.action
            state = next_state(state, entry)
        if state is not None:
            yield kind, entity, action, None, json_cell(dict(state))


def _delete_scans(conn: Connection, plan: ClusterPlan, rows: Counter[str]) -> None:
    for chunk in in_chunks(plan.removed, _AT_ONCE):
        for table, column in ((t.scan_problem, "scan_id"), (t.scan_outcome, "scan_id"), (t.scan, "id")):
            rows[table.name] += conn.execute(delete(table).where(table.c[column].in_(chunk))).rowcount


def _delete_facts(conn: Connection, oldest: Mapping[int, int], rows: Counter[str]) -> None:
    """Delete the facts that were gone at the oldest scan that is kept, unless another row refers to them."""
    source = t.source.c
    for kind in reversed(FACT_KINDS):
        table = kind.table
        for cluster, scan in oldest.items():
            sources = select(source.id).where(source.cluster_id == cluster)
            deleted = and_(table.c.gone <= scan, table.c.source_id.in_(sources), *_not_referred_to(kind))
            if kind.children:
                owner = kind.children.table.c[kind.children.parent]
                parents = select(table.c.id).where(deleted)
                rows[kind.children.table.name] += conn.execute(
                    delete(kind.children.table).where(owner.in_(parents))
                ).rowcount
            rows[table.name] += conn.execute(delete(table).where(deleted)).rowcount


def _not_referred_to(kind: FactKind) -> Iterator[ColumnElement[bool]]:
    owned = kind.children.table if kind.children else None
    for table, name in _references(kind.table):
        if table is not owned:
            column = table.c[name]
            yield kind.table.c.id.not_in(select(column).where(column.is_not(None)))


def _references(target: Table) -> Iterator[tuple[Table, str]]:
    """Yield the columns of all tables that refer to *target*."""
    for table in t.metadata.sorted_tables:
        for column in table.columns:
            if any(key.column.table is target for key in column.foreign_keys):
                yield table, column.name


def _delete_definitions(conn: Connection, rows: Counter[str]) -> None:
    """Delete the schemas that no version, no topic, no entry of the log and no graph refers to any more."""
    definition = t.schema_definition
    unused = select(definition.c.id, definition.c.fingerprint)
    for table, name in _references(definition):
        if table not in _OF_DEFINITIONS:
            column = table.c[name]
            unused = unused.where(definition.c.id.not_in(select(column).where(column.is_not(None))))
    logged, in_graphs = _logged_definitions(conn), _graph_schemas(conn)
    unused_keys = [
        key for key, fingerprint in conn.execute(unused) if key not in logged and fingerprint[:20] not in in_graphs
    ]
    for chunk in in_chunks(sorted(unused_keys), _AT_ONCE):
        for table in _OF_DEFINITIONS:
            rows[table.name] += conn.execute(delete(table).where(table.c.definition_id.in_(chunk))).rowcount
        rows[definition.name] += conn.execute(delete(definition).where(definition.c.id.in_(chunk))).rowcount


def _logged_definitions(conn: Connection) -> set[int]:
    log = t.change_log.c
    named = or_(*(column.contains("definition_id") for column in (log.after_json, log.before_json)))
    definitions = set()
    for row in conn.execute(select(log.before_json, log.after_json).where(named)):
        definitions |= {json.loads(text).get("definition_id") for text in row if text}
    return definitions


def _graph_schemas(conn: Connection) -> set[str]:
    """Return the first 20 digits of the fingerprints of the schemas in graphs."""
    fingerprints = set()
    for table in (t.flow_node, t.flow_node_version):
        keys = conn.scalars(select(table.c.node_key).where(table.c.kind == "schema"))
        fingerprints |= {key.removeprefix("schema:") for key in keys}
    return fingerprints
