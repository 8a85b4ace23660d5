"""Rules about files: where what they declare and what runs disagree, and which are not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import partial

from sqlalchemy import ColumnElement, Connection, select

from scanner_dictionary.queries.drift import Difference, Drift, DriftRow, drift
from scanner_dictionary.queries.facts import reported_facts
from scanner_dictionary.queries.field_uses import stored_unwritten_fields
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.columns_in_graph import names_in, places_called
from scanner_dictionary.validation.findings import Rule, Severity
from scanner_model.columns import KEY, parse_path, path_name
from scanner_model.declarations import UNRESOLVED_USE
from scanner_model.tag_decisions import TagDecision

Occurrences = Iterator[tuple[str, str]]

_SHOW = "`scanner validate --drift` shows every key"


def drifting(kind: Drift, conn: Connection, cluster: int) -> Occurrences:
    """Find topics and connectors of one kind of drift."""
    name = conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster)).scalar_one()
    for row in drift(conn, cluster=name).rows:
        if row.drift is kind:
            yield f"{row.kind} {row.name}", _what(row)


def _what(row: DriftRow) -> str:
    match row.drift:
        case Drift.NOT_RUNNING:
            return f"{row.place} declares it, and {row.source} does not have it"
        case Drift.NOT_DECLARED:
            return f"{row.source} runs it, and no deployment file declares it"
        case _:
            return f"it runs otherwise than {row.place} declares: {', '.join(map(_shown, row.differences))}"


def _shown(difference: Difference) -> str:
    key, declared, running = difference
    if declared is None:
        return f"{key} is set"
    return f"{key} is not set" if running is None else key


def unread_files(conn: Connection, cluster: int) -> Occurrences:
    """Find files of repositories that may declare flows and are not read."""
    return _unread(conn, cluster, t.unread_file.c.kind != UNRESOLVED_USE)


def unresolved_uses(conn: Connection, cluster: int) -> Occurrences:
    """Find files of repositories that use Kafka with topics that are not resolved."""
    return _unread(conn, cluster, t.unread_file.c.kind == UNRESOLVED_USE)


def fields_not_written(conn: Connection, cluster: int) -> Occurrences:
    """Find fields that programs read, and that no schema of the topic and no known writer has."""
    name = conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster)).scalar_one()
    for found in stored_unwritten_fields(conn, name):
        use = found.use
        place = f" ({use.places[0]})" if use.places else ""
        hint = f"; did you mean {' or '.join(found.similar)}?" if found.similar else ""
        what = f"reads {path_name(use.path)} of {use.topic}{place}, which no schema and no known writer has{hint}"
        yield f"job {use.program}", what


def decisions_without_column(conn: Connection, cluster: int) -> Occurrences:
    """Find decisions on tags of columns that the dictionary does not know: they have no effect."""
    name = conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster)).scalar_one()
    decisions = [fact for of, fact in reported_facts(conn, TagDecision) if of == name]
    names = {end for fact in decisions for end in names_in(fact.dataset)}
    known: dict[str, dict[str, None]] = {}
    for place in places_called(conn, names) if decisions else ():
        for dataset in (place.name, f"{place.namespace}/{place.name}"):
            known.setdefault(dataset, {})[path_name(place.path)] = None
    for fact in sorted(decisions, key=lambda fact: (fact.dataset, fact.column_name, fact.tag)):
        columns = known.get(fact.dataset, {})
        if path_name(parse_path(fact.column_name)) not in columns:
            what = f"the tag {fact.tag} is {fact.decision}, and no such column is known"
            similar = _similar(fact.column_name, columns)
            hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
            yield f"column {fact.dataset}.{fact.column_name}", what + hint


def _similar(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that *name* may mean, in another case or of the key; else those with a similar name."""
    alike: dict[str, list[str]] = {}
    for column in columns:
        alike.setdefault(column.removeprefix(f"{KEY}.").casefold(), []).append(column)
    close = [name.casefold()] if name.casefold() in alike else get_close_matches(name.casefold(), alike, n=2)
    return [column for folded in close for column in alike[folded]]


def _unread(conn: Connection, cluster: int, condition: ColumnElement[bool]) -> Occurrences:
    table = t.unread_file
    query = select(table.c.name, table.c.kind, table.c.reason).where(
        table.c.cluster_id == cluster, table.c.gone.is_(None), condition
    )
    for name, kind, reason in conn.execute(query.order_by(table.c.name, table.c.kind)):
        yield f"file {name}", f"{kind}: {reason}"


RULES = (
    Rule(
        name="unread-file",
        meaning="A file of a repository may declare flows, and scanner cannot read it.",
        example_bad="topics: {{ topics | join }}",
        example_good="topics: orders",
        severity=Severity.WARNING,
        hint="what it declares is unknown: describe its form in `.scanner.yaml`, bring it into one that is read, or "
        "leave it out",
        find=unread_files,
    ),
    Rule(
        name="unresolved-use",
        meaning="A source file uses a Kafka client, and scanner cannot resolve the topic.",
        example_bad="consumer.subscribe(topics_of(customer))",
        example_good='consumer.subscribe(["orders"])',
        severity=Severity.WARNING,
        hint="the file may read or write any topic: declare its flows in a manual lineage file",
        find=unresolved_uses,
    ),
    Rule(
        name="field-not-written",
        meaning="A program reads a field that no schema of the topic and no known writer has.",
        example_bad='order["customer_mail"], and the schema has customer_email',
        example_good='order["customer_email"]',
        severity=Severity.WARNING,
        hint="correct the name, or add the field to the schema and to what writes the topic",
        find=fields_not_written,
    ),
    Rule(
        name="decision-without-column",
        meaning="`personal_data.decisions` accepts or rejects a tag of a column that the dictionary does not have.",
        example_bad='{"dataset": "orders", "column": "custmer_email", "tag": "PII", "decision": "accepted"}',
        example_good='{"dataset": "orders", "column": "customer_email", "tag": "PII", "decision": "accepted"}',
        severity=Severity.WARNING,
        hint="correct the name in cluster.json, or remove the decision",
        find=decisions_without_column,
    ),
    Rule(
        name="declared-not-running",
        meaning="A deployment file declares a job that does not run.",
        example_bad="connectors/lake.json, not deployed",
        example_good="connectors/lake.json, deployed",
        severity=Severity.WARNING,
        hint="was it deployed? deploy it, or remove it from the file",
        find=partial(drifting, Drift.NOT_RUNNING),
    ),
    Rule(
        name="running-not-declared",
        meaning="A job runs that no deployment file declares.",
        example_bad="lake runs, without a file",
        example_good="lake runs, declared in connectors/lake.json",
        severity=Severity.WARNING,
        hint="declare it, or delete it; a file outside of the pattern may declare it",
        find=partial(drifting, Drift.NOT_DECLARED),
    ),
    Rule(
        name="running-otherwise",
        meaning="A job runs with other settings than its deployment file declares.",
        example_bad="file: topics=orders; running: topics=orders,payments",
        example_good="file and server agree",
        severity=Severity.WARNING,
        hint=f"deploy the file again, or change it; {_SHOW}",
        find=partial(drifting, Drift.DIFFERS),
    ),
)
