"""Questions about changes: between two scans, of one thing over time, and those that are only proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, islice
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.history import HistoryRow
from scanner_api.graph.history import history as find_history
from scanner_api.questions.question import (
    LARGEST_NUMBER,
    Cluster,
    Cursor,
    Limit,
    Moment,
    Node,
    Page,
    Parameter,
    Since,
    page_of,
)
from scanner_api.questions.removal import dated, may_remove, usage_of
from scanner_check.check import Level
from scanner_check.check import check_change as run_check
from scanner_check.inputs.files import proposed_job, proposed_schema
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import Target
from scanner_check.report import report_document
from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse
from scanner_check.users.deletion import may_delete as find_uses
from scanner_dictionary.diff.causes import Cause as Cause
from scanner_dictionary.diff.changes import ScanDiff
from scanner_dictionary.diff.documents import DiffRow, as_json, flows_as_json, rows
from scanner_dictionary.diff.flows import FlowChange as FlowChange
from scanner_dictionary.diff.flows import FlowDiff as FlowDiff
from scanner_dictionary.diff.flows import NodeChange as NodeChange
from scanner_dictionary.diff.flows import Relation as Relation
from scanner_dictionary.diff.flows import diff_flows as compare_flows
from scanner_dictionary.diff.scans import diff as compare_scans
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.queries import history
from scanner_dictionary.queries.graph_at import check_moment, check_scan, scan_at, scan_before
from scanner_model.errors import InputInvalid
from scanner_model.text import visible
from scanner_model.usage import COUNT_ALL

Document = Mapping[str, Any]


def diff(dictionary: Dictionary, first: str | int, second: str | int, *, cluster: str | None = None) -> ScanDiff:
    """Return what changed from scan *first* to scan *second* of one cluster, with the compatibility of each schema.

    A date or time means the newest scan that was finished then, of *cluster* where several were scanned. Raises
    NameUnknown where a scan is not stored, or where the two are of different clusters.

    >>> diff(dictionary, 1, 2).facts
    """
    numbers = scan_numbers(dictionary, first, second, cluster=cluster)
    with dictionary.reading() as conn:
        return compare_scans(conn, *numbers)


def scan_numbers(
    dictionary: Dictionary, first: str | int, second: str | int, *, cluster: str | None = None
) -> tuple[int, int]:
    """Return the numbers of two scans, each named by its number, or a date or time, as in `diff`."""
    check_moment(first, "from")
    check_moment(second, "to")
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        return scan_at(conn, first, "from", known), scan_at(conn, second, "to", known)


def diff_document(changes: ScanDiff) -> dict[str, Any]:
    """Return *changes* as JSON, with the members of `scanner changes --format json`."""
    return as_json(changes)


def diff_rows(changes: ScanDiff) -> tuple[DiffRow, ...]:
    """Return *changes* as the lines of a table in the order topic, side, column; what is of no topic comes last."""
    return rows(changes)


def diff_flows(dictionary: Dictionary, first: int, second: int) -> FlowDiff:
    """Return the nodes and flows that differ between the graphs of two scans, each with the fact that caused it.

    Raises NameUnknown where the graph of one of the scans is not known: it was not generated before the next scan.

    >>> [(change.node.id, change.action) for change in diff_flows(dictionary, 1, 2).nodes]
    """
    with dictionary.reading() as conn:
        consistent_read(conn)
        return compare_flows(conn, first, second)


def flows_document(changes: FlowDiff) -> dict[str, Any]:
    """Return *changes* as JSON, with the members of `flows` of `scanner changes --flows --format json`."""
    return flows_as_json(changes)


class FlowChanges(NamedTuple):
    """What differs between the graphs of two scans, as in `flows` of `scanner changes --flows --format json`."""

    first: int
    second: int
    nodes: Sequence[Document]
    edges: Sequence[Document]


class ScanComparison(NamedTuple):
    """How two scans of a cluster differ; the members up to *flows* are those of `scanner changes --format json`.

    *flows* is None unless asked for. *left_out* counts what each list does not have; *complete* is False where it is
    not empty.
    """

    cluster: str
    first: int
    second: int
    backwards: bool
    topics: Sequence[Document]
    subjects: Sequence[Document]
    versions: Sequence[Document]
    schemas: Sequence[Document]
    others: Sequence[Document]
    flows: FlowChanges | None
    complete: bool
    left_out: Mapping[str, int]


def comparison(changes: Document, flows: Document | None, limit: int) -> ScanComparison:
    """Return the first *limit* items of each list of a comparison, given as the documents of the command line."""
    left_out: dict[str, int] = {}

    def bounded(document: Document, prefix: str = "") -> dict[str, Any]:
        lists = {name: value for name, value in document.items() if isinstance(value, list)}
        left_out.update({prefix + name: len(value) - limit for name, value in lists.items() if len(value) > limit})
        return {**document, **{name: value[:limit] for name, value in lists.items()}}

    members = bounded(changes)
    of_graphs = FlowChanges(**bounded(flows, "flows.")) if flows is not None else None
    return ScanComparison(**members, flows=of_graphs, complete=not left_out, left_out=left_out)


def compare(
    dictionary: Dictionary,
    *,
    first: Annotated[
        str | int, Parameter("The scan to compare from: its number, or a date or time.", longest=64, request="from")
    ],
    second: Annotated[
        str | int,
        Parameter(
            "The scan to compare to, of the same cluster: its number, or a date or time.", longest=64, request="to"
        ),
    ],
    cluster: Annotated[
        str | None, Parameter("Whose scans the dates mean, where several clusters were scanned.")
    ] = None,
    flows: Annotated[
        bool, Parameter("Also the nodes and flows that differ between the graphs of both scans, with causes.")
    ] = False,
    limit: Annotated[int, Parameter("How many items a list has at most.", least=1, most=20_000)] = 2_000,
) -> ScanComparison:
    """Compare two scans, with the compatibility of each schema; the members are those of `scanner changes`."""
    compared = diff(dictionary, first, second, cluster=cluster)
    changes = diff_document(compared)
    graphs = flows_document(diff_flows(dictionary, compared.first, compared.second)) if flows else None
    return comparison(changes, graphs, limit)


def history_lines(
    dictionary: Dictionary,
    *,
    node: Node,
    target: Annotated[
        str | None, Parameter("Another node: only when flows between the two began and ended.", longest=2000)
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[HistoryRow]:
    """List what each scan changed of a node, subject, connector or other fact, the oldest first."""
    return page_of(find_history(dictionary, node, target), cursor, limit)


class Deletion(NamedTuple):
    """Whether one thing of a cluster may be deleted; *left_out* counts uses that are not listed.

    *safe_on* is the first day on which no reader counts any more if none is seen again; None if that is not known.
    """

    cluster: str
    what: str
    answer: Answer
    unused_since: str | None
    safe_on: str | None
    uses: Sequence[DeletionUse]
    complete: bool
    left_out: int


def may_delete(
    dictionary: Dictionary,
    *,
    topic: Annotated[str, Parameter("A topic.")] = "",
    subject: Annotated[str, Parameter("A subject; `:.ctx:NAME` in a context.")] = "",
    version: Annotated[
        int | None, Parameter("Of the subject: only this version.", least=1, most=LARGEST_NUMBER, metavar="N")
    ] = None,
    schema_id: Annotated[str, Parameter("A schema id: every version that has it.", metavar="ID")] = "",
    name: Annotated[str, Parameter("Or a column (`orders.total`), table or job.", longest=2000)] = "",
    unseen_for: Annotated[
        str | None, Parameter("A reader not seen for this long does not count: 45d, 6w.", longest=16, metavar="AGE")
    ] = None,
    cluster: Cluster = None,
    as_of: Moment = None,
    limit: Annotated[int, Parameter("How many uses of one thing at most.", least=1, most=10_000)] = 1_000,
) -> Page[Deletion]:
    """Answer whether a topic, subject, version, schema id or column may be deleted, and when; nothing is deleted."""
    usage = usage_of(unseen_for) if unseen_for else COUNT_ALL
    with dictionary.as_of(as_of) as then:
        if name and not (topic or subject or schema_id):
            answers = may_remove(then, name, cluster=cluster, usage=usage)
        else:
            found = find_uses(
                then, topic=topic or name, subject=subject, version=version, schema_id=schema_id, cluster=cluster
            )
            answers = dated(then, found, usage, topic=topic or name)
    listed = tuple(_deletion(answer, limit) for answer in answers)
    return Page(items=listed, next_cursor=None, complete=all(item.complete for item in listed))


def _deletion(answer: DeletionAnswer, limit: int) -> Deletion:
    left_out = max(0, len(answer.uses) - limit)
    return Deletion(
        answer.cluster,
        answer.what,
        answer.answer,
        answer.unused_since or None,
        answer.safe_on or None,
        answer.uses[:limit],
        complete=not left_out,
        left_out=left_out,
    )


class ChangeCheck(NamedTuple):
    """What a proposed schema breaks and whom it hits; the members but the last two as `scanner check` has them.

    *complete* is False where something is not known (a finding is `unknown`) or does not fit; *left_out* counts the
    findings, and things that are affected, beyond the limit.
    """

    verdict: Literal["fine", "unknown", "impact", "breaks"]
    scans: Sequence[Document]
    files: Sequence[Document]
    skipped: Sequence[Document]
    not_examined: Sequence[Document]
    concerns_kafka: bool
    scope: str
    notes: Sequence[str]
    findings: Sequence[Document]
    complete: bool
    left_out: Mapping[str, int]


LevelName = Literal[
    "NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"
]


def check_change(
    dictionary: Dictionary,
    *,
    text: Annotated[
        str, Parameter("The proposed schema (Avro, JSON Schema or Protobuf), SQL statement, or connector as JSON.")
    ],
    subject: Annotated[str, Parameter("The subject that it would be registered for.")] = "",
    topic: Annotated[str, Parameter("Instead of a subject: each current schema of one side of a topic.")] = "",
    role: Annotated[Literal["key", "value"], Parameter("The side of the topic.")] = "value",
    statement: Annotated[str, Parameter("Instead: the Flink statement or ksqlDB query that it would replace.")] = "",
    connector: Annotated[str, Parameter("Instead: the connector that would have this configuration.")] = "",
    format: Annotated[  # the word that registries have for it
        Literal["AVRO", "JSON", "PROTOBUF"] | None, Parameter("Guessed from the text without it.")
    ] = None,
    references: Annotated[
        dict[str, str] | None, Parameter("Texts behind the names that it refers to; else the stored ones.")
    ] = None,
    compatibility: Annotated[LevelName | None, Parameter("In place of the subject's stored level.")] = None,
    cluster: Cluster = None,
    limit: Annotated[int, Parameter("How many findings, and affected of each.", least=1, most=5_000)] = 500,
) -> ChangeCheck:
    """Check a proposed schema, statement or connector: does the registry accept it, and whom does it hit."""
    if sum(map(bool, (subject, topic, statement, connector))) != 1:
        raise InputInvalid(
            "exactly one of subject, topic, statement and connector is needed",
            where="subject",
            hint='"subject": "orders-value"',
        )
    target = Target(subject=subject, topic=topic, role=role, statement=statement, connector=connector)
    options = CheckOptions(cluster=cluster, level=Level(compatibility) if compatibility else None)
    if statement or connector:
        proposed = proposed_job(text, target)
    else:
        proposed = proposed_schema(text, target, format=format, references=references)
    return checked(report_document(run_check(dictionary, proposed, options)), limit)


def checked(report: Document, limit: int) -> ChangeCheck:
    """Return a report, given as a document, with the first *limit* findings, and as many affected of each."""
    findings = report["findings"]
    left_out = {
        "findings": len(findings) - limit,
        "affected": sum(max(0, len(finding["affected"]) - limit) for finding in findings[:limit]),
    }
    left_out = {name: count for name, count in left_out.items() if count > 0}
    known = all(finding["verdict"] != "unknown" or finding["accepted"] for finding in findings)
    shown = [{**finding, "affected": finding["affected"][:limit]} for finding in findings[:limit]]
    return ChangeCheck(**{**report, "findings": shown}, complete=known and not left_out, left_out=left_out)


_MOST_ENTRIES = 100
_LONGEST = 400


def changes(
    dictionary: Dictionary,
    *,
    since: Since = "last week",
    cluster: Cluster = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[DiffRow]:
    """Return what changed in each cluster from the newest scan before *since* to its newest scan.

    A cluster that was not scanned before is compared from its first scan on: the answer is not `complete` then. The
    lines are by cluster, topic, side and column; what is of no topic comes last.

    >>> [(change.kind, change.name, change.action) for change in changes(dictionary, since="7d")]
    """
    check_moment(since, "since")
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        check_scan(conn, since, "since")
        known = tuple(row for row in history.clusters(conn) if name in (None, row.name) and row.last_scan)
        firsts = {row.name: scan_before(conn, since, "since", row.name) for row in known}
        pairs = ((firsts[row.name][0], row.last_scan or 0) for row in known)
        lines = (line for first, last in pairs if first < last for line in rows(compare_scans(conn, first, last)))
        page = page_of(lines, cursor, limit)
        return Page(page.items, page.next_cursor, all(earlier for _, earlier in firsts.values()))


def history_feed(dictionary: Dictionary, node: Node) -> str:
    """Return what the newest scans changed of a node, as an Atom feed (RFC 4287), an entry a scan, the newest first.

    >>> history_feed(dictionary, "orders").splitlines()[0]
    """
    by_scan = groupby(reversed(find_history(dictionary, node)), key=lambda row: row.scan)
    entries = [(scan, list(group)[::-1]) for scan, group in islice(by_scan, _MOST_ENTRIES)]
    name = quote(node, safe="")
    updated = next((row.finished for _, listed in entries for row in listed if row.finished), _UNKNOWN_TIME)
    head = f"<id>urn:scanner:{name}</id><title>{_text(node)}</title><updated>{updated}</updated>"
    author = "<author><name>scanner</name></author>"
    body = "".join(_entry(name, scan, listed) for scan, listed in entries)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">{head}{author}{body}</feed>\n'


_UNKNOWN_TIME = "1970-01-01T00:00:00Z"


def _entry(name: str, scan: int, listed: Sequence[HistoryRow]) -> str:
    first, more = listed[0], len(listed) - 1
    title = f"scan {scan} of {first.cluster}: {_change(first)}" + (f", and {more} more" if more else "")
    content = "\n".join(map(_change, listed))
    return (
        f"<entry><id>urn:scanner:{name}:{scan}</id><title>{_text(title)}</title>"
        f"<updated>{first.finished or _UNKNOWN_TIME}</updated>"
        f'<link rel="alternate" href={quoteattr(f"/api/v1/history?node={name}")}/>'
        f"<content>{_text(content)}</content></entry>\n"
    )


def _change(row: HistoryRow) -> str:
    what = " ".join(filter(None, (row.kind, row.name, row.member, row.action)))
    values = [_cut(value) for value in (row.before, row.after) if value is not None]
    return f"{what}: {' → '.join(values)}" if values else what


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _text(text: str) -> str:
    """Return *text* for XML, which cannot have control characters."""
    return escape(visible(text, lines=True))
