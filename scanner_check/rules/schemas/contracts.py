"""Documents of a change that describe topics: the columns that they lose, retype or tag, and whom that hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from dataflow_generator.jobs.model import GraphDataset
from scanner_check.edits.columns import changes
from scanner_check.inputs.contracts import ProposedContract
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.sides.proposed_columns import ReplacedSide
from scanner_check.users.hits import Hits
from scanner_dictionary.compatibility.compare import compare
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.columns import KEY, Column, path_name
from scanner_model.manual import ManualSchema
from scanner_model.names import Fingerprint, Role
from scanner_model.schemas import Definition

TopicsCalled = Callable[[str], Iterable[tuple[str, GraphDataset]]]
"""Returns the topics of a name, each with its cluster."""


def contract_findings(contract: ProposedContract, hits: Hits, topics: TopicsCalled) -> Iterator[ChangeFinding]:
    """Yield a finding for each column that differs, with who uses it, and for what cannot be read or compared."""
    for problem in contract.problems:
        place = Place(file=contract.file)
        yield ChangeFinding(
            rule="not-read", verdict=Verdict.UNKNOWN, place=place, target=contract.file, what=f"{problem}"
        )
    after = {_identity(schema): schema for schema in contract.after}
    if contract.before is None and after:
        what = "there is no former version of the document to compare its columns with"
        yield _finding("not-compared", Verdict.UNKNOWN, contract.file, next(iter(after.values())), what)
    for schema in contract.before or ():
        now = after.get(_identity(schema))
        if now is None:
            what = "the document describes it no more"
            yield _finding("not-compared", Verdict.UNKNOWN, contract.file, schema, what)
        elif _columns(schema) != _columns(now):
            yield from _column_findings(contract.file, (schema, now), hits, topics)


OF_COLUMNS = frozenset(f"column-{what}" for what in ("removed", "renamed", "renumbered", "retyped")) | {
    "made-nullable",
    "made-required",
    "symbols-removed",
}
"""Rules that are fine if the column is unused."""


def without_readers(findings: Sequence[ChangeFinding]) -> Iterator[ChangeFinding]:
    """Yield *findings*, and that readers are elsewhere if one is only fine because none is in the repository."""
    yield from findings
    lonely = {one.target: one for one in findings if one.verdict is Verdict.FINE and one.rule in OF_COLUMNS}
    for target, finding in lonely.items():
        what = f"nothing in the repository reads what {target.partition(' ')[2]} describes: its readers are elsewhere"
        yield replace(finding, rule="no-readers-known", verdict=Verdict.UNKNOWN, what=what, item="", affected=())


def _column_findings(
    file: str, sides: tuple[ManualSchema, ManualSchema], hits: Hits, topics: TopicsCalled
) -> Iterator[ChangeFinding]:
    before, after = sides
    datasets = [dataset for _, dataset in topics(before.topic)]
    for change in changes(compare(_definition(before), _definition(after)).columns, {}):
        path = (KEY, *change.path) if before.role is Role.KEY else change.path
        found = [] if change.is_harmless else [hit for dataset in datasets for hit in hits.of(dataset, path)]
        is_sure = any(hit.use != "unknown" for hit in found)
        verdict = Verdict.IMPACT if is_sure else Verdict.UNKNOWN if found else Verdict.FINE
        finding = _finding(change.rule, verdict, file, before, change.what)
        why = (change.why,) if change.why else ()
        yield replace(finding, item=path_name(change.path), affected=tuple(dict.fromkeys(found)), why=why)


def contract_sides(contract: ProposedContract, topics: TopicsCalled) -> Iterator[ReplacedSide]:
    """Yield the columns that a document gives to sides of topics, in place of those that it gave them before."""
    before = {_identity(schema): schema for schema in contract.before or ()}
    for schema in contract.after:
        for cluster, _ in topics(schema.topic):
            old = before.get(_identity(schema))
            columns = _in_topic(old) if old else ()
            yield ReplacedSide((cluster, schema.topic), Place(file=contract.file), columns, _in_topic(schema), {})


def _identity(schema: ManualSchema) -> tuple[str, ...]:
    """Return what a schema keeps when it changes; a document may hold several of one topic."""
    return schema.topic, schema.role, schema.record, schema.location.rpartition(" ")[2]


def _columns(schema: ManualSchema) -> tuple[Column, ...]:
    return schema.columns or tuple(read_columns(schema.format, schema.text, lookup_in(schema.format, {})).columns)


def _in_topic(schema: ManualSchema) -> tuple[Column, ...]:
    start = (KEY,) if schema.role is Role.KEY else ()
    return tuple(replace(column, path=(*start, *column.path)) for column in _columns(schema))


def _definition(schema: ManualSchema) -> Definition:
    return Definition(fingerprint=Fingerprint(""), format=schema.format, text=schema.text, columns=_columns(schema))


def _finding(rule: str, verdict: Verdict, file: str, schema: ManualSchema, what: str) -> ChangeFinding:
    target = f"topic {schema.topic} ({schema.role})"
    return ChangeFinding(rule=rule, verdict=verdict, place=Place(file=file), target=target, what=what)
