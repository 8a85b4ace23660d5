"""The table of all validation rules; runs them and stores their findings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, true

from scanner_dictionary.engine.open import Engine, writing
from scanner_dictionary.engine.rows import insert_rows, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation import clients, declared, flows, processing, topics
from scanner_dictionary.validation.findings import Finding as Finding
from scanner_dictionary.validation.findings import Rule
from scanner_dictionary.validation.findings import Severity as Severity

RULES: Mapping[str, Rule] = {
    rule.name: rule for rule in (*processing.RULES, *topics.RULES, *declared.RULES, *clients.RULES, *flows.RULES)
}
"""Every rule, in the order of its findings."""


def validate(
    conn: Connection, *, cluster: str | None = None, rules: Collection[str] | None = None
) -> Iterator[Finding]:
    """Yield the findings in *cluster*, or in every one, by cluster, rule and name; *rules* None: all of RULES."""
    query = select(t.cluster.c.id, t.cluster.c.name).order_by(t.cluster.c.name)
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    for key, name in conn.execute(query).all():
        for rule in RULES.values():
            if rules is None or rule.name in rules:
                yield from _findings(conn, rule, key, name)


def replace_findings(
    conn: Connection, cluster: int, number: int, rules: Collection[str] | None = None
) -> tuple[Finding, ...]:
    """Run *rules* (None: every one) after scan *number*, and replace their stored findings; the new ones come last."""
    cells = t.finding.c
    name = conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster)).scalar_one()
    findings = tuple(validate(conn, cluster=name, rules=rules))
    of_cluster = cells.cluster_id == cluster
    conn.execute(t.finding.delete().where(of_cluster, true() if rules is None else cells.rule.in_(rules)))
    last = conn.scalar(select(func.max(cells.ordinal)).where(of_cluster))
    texts = ((finding.rule, finding.severity, finding.where, finding.what, finding.hint) for finding in findings)
    placed = enumerate(texts, 0 if last is None else last + 1)
    insert_rows(conn, t.finding, ((cluster, place, number, *map(storable, row)) for place, row in placed))
    return findings


def replace_flow_findings(engine: Engine) -> None:
    """Run the rules about the graph, which was stored after the scans, and replace their stored findings."""
    with writing(engine) as conn:
        newest = select(t.scan.c.cluster_id, func.max(t.scan.c.id)).group_by(t.scan.c.cluster_id)
        for cluster, number in conn.execute(newest).all():
            replace_findings(conn, cluster, number, [rule.name for rule in flows.RULES])


def stored_findings(conn: Connection, cluster: str | None = None) -> Iterator[Finding]:
    """Yield the findings after the newest scan of *cluster*, or of each one, in the order of `validate`."""
    cells = t.finding.c
    query = select(t.cluster.c.name, cells.rule, cells.severity, cells.location, cells.what, cells.hint)
    query = query.join(t.cluster, t.cluster.c.id == cells.cluster_id)
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    for name, rule, severity, where, what, hint in conn.execute(query.order_by(t.cluster.c.name, cells.ordinal)):
        yield Finding(cluster=name, rule=rule, severity=Severity(severity), where=where, what=what, hint=hint)


def _findings(conn: Connection, rule: Rule, cluster: int, name: str) -> Iterator[Finding]:
    for where, what in rule.find(conn, cluster):
        yield Finding(cluster=name, rule=rule.name, severity=rule.severity, where=where, what=what, hint=rule.hint)


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many findings of a rule there are after the newest scans."""

    rule: str
    severity: Severity
    count: int


def count_findings(conn: Connection) -> tuple[FindingCount, ...]:
    """Count the stored findings of each rule, errors first."""
    cells = t.finding.c
    query = select(cells.rule, cells.severity, func.count()).group_by(cells.rule, cells.severity)
    rows = conn.execute(query.order_by(cells.severity, cells.rule))
    return tuple(FindingCount(rule, Severity(severity), count) for rule, severity, count in rows)
