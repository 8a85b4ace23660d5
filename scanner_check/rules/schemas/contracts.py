"""Documents of a change that describe topics: the columns that they lose, retype or tag, and whom that hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from dataflow_generator.jobs.model import GraphDataset
from scanner_check.edits.columns import changes
from scanner_check.inputs.contracts import ProposedContract
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.rows.files import NOT_READ
from scanner_check.rows.schemas import NO_READERS_KNOWN, NOT_COMPARED
from scanner_check.rows.table import row_of
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
        yield NOT_READ.unknown(place, contract.file, f"{problem}")
    after = {_identity(schema): schema for schema in contract.after}
    if contract.before is None and after:
        schema = next(iter(after.values()))
        yield NOT_COMPARED.unknown(Place(file=contract.file), _target(schema), form="no former version")
    for schema in contract.before or ():
        now = after.get(_identity(schema))
        if now is None:
            place = Place(file=contract.file)
            yield NOT_COMPARED.unknown(place, _target(schema), form="not described")
        elif _columns(schema) != _columns(now):
            yield from _column_findings(contract.file, (schema, now), hits, topics)


def without_readers(findings: Sequence[ChangeFinding]) -> Iterator[ChangeFinding]:
    """Yield *findings*, and that readers are elsewhere if one is only fine because none is in the repository."""
    yield from findings
    lonely = {one.target: one for one in findings if one.verdict is Verdict.FINE and row_of(one).needs_reader}
    for target, finding in lonely.items():
        yield without_reader(finding, target.partition(" ")[2])


def without_reader(finding: ChangeFinding, name: str) -> ChangeFinding:
    """Return that what *name* describes has readers elsewhere, at the place of a finding that is only fine so."""
    message = NO_READERS_KNOWN.message(name, form="elsewhere")
    return replace(finding, rule=NO_READERS_KNOWN.name, verdict=Verdict.UNKNOWN, message=message, item="", affected=())


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
        yield change.rule.found(
            verdict,
            Place(file=file),
            _target(before),
            *change.values,
            form=change.form,
            item=path_name(change.path),
            reasons=(change.why,) if change.why else (),
            affected=tuple(dict.fromkeys(found)),
        )


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


def _target(schema: ManualSchema) -> str:
    return f"topic {schema.topic} ({schema.role})"
