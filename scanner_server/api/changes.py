"""Operations about changes: between two scans, of one thing over time, and those that are only proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from scanner_api import queries
from scanner_api.change_check.check import CheckOptions, Level
from scanner_api.change_check.check import check_change as run_check
from scanner_api.change_check.deletion import may_delete as find_uses
from scanner_api.change_check.documents import deletion_document, report_document
from scanner_api.change_check.files import proposed_schema
from scanner_api.change_check.proposals import Target
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import diff_flows, flows_document, history_document
from scanner_api.graph.history import history as find_history
from scanner_model.errors import InputInvalid
from scanner_server.api.answers import Listed, page_of
from scanner_server.api.parameters import ClusterName, Cursor, Limit, NodeName

Document = Mapping[str, Any]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class FlowChanges(NamedTuple):
    """What differs between the graphs of two scans, as in `flows` of `scanner diff --flows --format json`."""

    first: int
    second: int
    nodes: Sequence[Document]
    edges: Sequence[Document]


class ScanComparison(NamedTuple):
    """How two scans of a cluster differ; the members up to *flows* are those of `scanner diff --format json`.

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


def get_diff(
    dictionary: Dictionary,
    *,
    first: Annotated[Number, Field(alias="from", description="The scan to compare from.")],
    second: Annotated[Number, Field(alias="to", description="The scan to compare to, of the same cluster.")],
    flows: Annotated[
        bool, Field(description="Also the nodes and flows that differ between the graphs of both scans, with causes.")
    ] = False,
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many items a list has at most.")] = 2_000,
) -> ScanComparison:
    """Compare two scans, with the compatibility of each schema; the members are those of `scanner diff`."""
    changes = queries.diff_document(queries.diff(dictionary, first, second))
    graphs = flows_document(diff_flows(dictionary, first, second)) if flows else None
    return comparison(changes, graphs, limit)


class HistoryLine(NamedTuple):
    """What one scan changed, as in `history` of `scanner history --format json`."""

    scan: int
    finished: str | None
    cluster: str
    kind: str
    name: str
    action: str
    member: str
    before: Any
    after: Any


def get_history(
    dictionary: Dictionary,
    *,
    node: NodeName,
    target: Annotated[
        str | None, Field(max_length=2000, description="Another node: only when flows between the two began and ended.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[HistoryLine]:
    """List what each scan changed of a node, subject, connector or other fact, the oldest first."""
    document = history_document(node, target, find_history(dictionary, node, target))
    return page_of((HistoryLine(**line) for line in document["history"]), cursor, limit)


class DeletionUse(NamedTuple):
    """Something that refers to what would be deleted, or is not known; *answer* is what it alone comes to."""

    kind: str
    name: str
    what: str
    answer: Literal["yes", "no", "unknown"]
    evidence: str


class Deletion(NamedTuple):
    """Whether one thing of a cluster may be deleted; *left_out* counts uses that are not listed."""

    cluster: str
    what: str
    answer: Literal["yes", "no", "unknown"]
    unused_since: str | None
    uses: Sequence[DeletionUse]
    complete: bool
    left_out: int


def may_delete(
    dictionary: Dictionary,
    *,
    topic: Annotated[str, Field(description="A topic.")] = "",
    subject: Annotated[str, Field(description="A subject; `:.ctx:NAME` in a context.")] = "",
    version: Annotated[Number | None, Field(description="With *subject*: only this version.")] = None,
    schema_id: Annotated[str, Field(description="A schema id: every version that has it.")] = "",
    cluster: ClusterName = None,
    limit: Annotated[int, Field(ge=1, le=10_000, description="How many uses of one thing at most.")] = 1_000,
) -> Listed[Deletion]:
    """Answer whether a topic, subject, version or schema id may be deleted, for each cluster; nothing is deleted."""
    answers = find_uses(dictionary, topic=topic, subject=subject, version=version, schema_id=schema_id, cluster=cluster)
    listed = [_deletion(deletion_document(answer), limit) for answer in answers]
    return Listed(items=listed, next_cursor=None, complete=all(item.complete for item in listed))


def _deletion(document: Document, limit: int) -> Deletion:
    uses = [DeletionUse(**use) for use in document["uses"]]
    left_out = max(0, len(uses) - limit)
    return Deletion(**{**document, "uses": uses[:limit]}, complete=not left_out, left_out=left_out)


class ChangeCheck(NamedTuple):
    """What a proposed schema breaks and whom it hits; the members but the last two as `scanner check-change` has them.

    *complete* is False where something is not known (a finding is `unknown`) or does not fit; *left_out* counts the
    findings, and things that are affected, beyond the limit.
    """

    verdict: Literal["fine", "unknown", "impact", "breaks"]
    scans: Sequence[Document]
    files: Sequence[Document]
    skipped: Sequence[Document]
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
    text: Annotated[str, Field(min_length=1, description="The proposed schema: Avro, JSON Schema or Protobuf.")],
    subject: Annotated[str, Field(description="The subject that it would be registered for.")] = "",
    topic: Annotated[str, Field(description="Instead of a subject: each current schema of one side of a topic.")] = "",
    role: Annotated[Literal["key", "value"], Field(description="The side of the topic.")] = "value",
    format: Annotated[  # the word that registries have for it
        Literal["AVRO", "JSON", "PROTOBUF"] | None, Field(description="Guessed from the text without it.")
    ] = None,
    references: Annotated[
        dict[str, str] | None, Field(description="Texts behind the names that it refers to; else the stored ones.")
    ] = None,
    compatibility: Annotated[LevelName | None, Field(description="In place of the subject's stored level.")] = None,
    cluster: ClusterName = None,
    limit: Annotated[int, Field(ge=1, le=5_000, description="How many findings, and affected of each.")] = 500,
) -> ChangeCheck:
    """Check a proposed schema: whether the registry would accept it, and which columns, jobs and groups it hits."""
    if bool(subject) == bool(topic):
        raise InputInvalid(
            "exactly one of subject and topic is needed", where="subject", hint='"subject": "orders-value"'
        )
    target = Target(subject=subject, topic=topic, role=role)
    options = CheckOptions(cluster=cluster, level=Level(compatibility) if compatibility else None)
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
