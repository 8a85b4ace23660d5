"""A proposed schema against the subjects and topics that it changes: the registry's answer, and who is hit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from scanner_check.edits.columns import Change, changes
from scanner_check.inputs.input_files import format_of
from scanner_check.inputs.positions import Positions
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict, literal
from scanner_check.rows.schemas import (
    COLUMN_ADDED,
    FORMAT_CHANGED,
    KEY_CHANGED,
    NEW_DATA_REJECTED,
    NO_READERS_KNOWN,
    NOT_COMPARED,
    RECORD_RENAMED,
    SYMBOLS_REMOVED,
)
from scanner_check.rows.table import row_of
from scanner_check.rules.schemas.invalid_schemas import invalid_schema
from scanner_check.rules.schemas.registry_answer import BACKWARD, FORWARD, registry_findings
from scanner_check.rules.schemas.schema_sides import (
    DEFAULT_LEVEL,
    PAYLOAD,
    Current,
    ProposedSchema,
    SchemaContext,
    StoredSchema,
    currents_of,
    has_columns_only,
    proposed_schema,
    references_of,
    stored_schemas,
)
from scanner_check.sides.proposed_columns import ReplacedSide
from scanner_check.users.field_users import with_field_users
from scanner_check.users.unknowns import why_no_readers
from scanner_dictionary.compatibility.changes import ColumnChange, worst
from scanner_dictionary.compatibility.changes import Verdict as Compatibility
from scanner_dictionary.compatibility.compare import compare
from scanner_dictionary.queries.subjects import definition_of
from scanner_dictionary.queries.topics import field_tags
from scanner_extractor.evolution import Rules, SchemaText, default_record, differences, removed_symbols, uncompared
from scanner_model.columns import KEY, Column, ColumnPath, path_name
from scanner_model.documents.json_input import load_shared
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, Role
from scanner_model.schemas import Definition


def check_schema(proposal: Proposal, context: SchemaContext) -> tuple[tuple[str, ...], tuple[ChangeFinding, ...]]:
    """Return what the file changes, and the findings; raises InputInvalid if the file is not a schema.

    Raises NameUnknown where the dictionary does not have the subject or topic.
    """
    assert proposal.text is not None
    format = format_of(proposal.file, proposal.text)
    positions = Positions(proposal.file, proposal.text, format)
    own = proposed_schema(proposal, format, context.proposed.of(proposal, context.conn), positions)
    currents = tuple(currents_of(proposal, context, own.parsed))
    findings: list[ChangeFinding] = []
    for current in currents:
        invalid = tuple(_invalid(proposal, current, context, format))
        findings += invalid or _check(proposal, current, context, (format, positions))
    return tuple(current.shown for current in currents), tuple(findings)


def replaced_sides(proposal: Proposal, context: SchemaContext) -> Iterator[ReplacedSide]:
    """Yield the sides of topics whose columns the proposed schema replaces; raises what `check_schema` does."""
    assert proposal.text is not None
    format = format_of(proposal.file, proposal.text)
    positions = Positions(proposal.file, "")
    own = proposed_schema(proposal, format, context.proposed.of(proposal, context.conn), positions)
    for current in currents_of(proposal, context, own.parsed):
        before = None if current.definition is None else definition_of(context.conn, current.definition)
        references = references_of(context, proposal, current)
        proposed = proposed_schema(proposal, format, references, positions, _record_of(before, current))
        of_columns = changes(compare(before, proposed.definition).columns, proposed.aliases) if before else ()
        renames = {change.path: change.now for change in of_columns if change.is_proved}
        for cluster, topic, role in dict.fromkeys((link.cluster, link.topic, link.role) for link in current.links):
            start = (KEY,) if role == Role.KEY else ()
            yield ReplacedSide(
                topic=(cluster, topic),
                place=positions.start,
                before=_behind(start, before.columns if before else ()),
                after=_behind(start, proposed.definition.columns),
                renames={(*start, *old): (*start, *new) for old, new in renames.items()},
            )


def _record_of(before: Definition | None, current: Current) -> RecordName | None:
    """Return the record to read of a proposed text that has several; None for the first one.

    Engines read the first message of a Protobuf schema: if another one is the first, they have other columns. A subject
    without a topic is called after its record, wherever that is in the file.
    """
    if before is None or not before.name:
        return None
    if not current.links:
        return before.name
    return None if default_record(before.format, before.text) == before.name else before.name


def _behind(start: ColumnPath, columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(replace(column, path=(*start, *column.path)) for column in columns)


def _check(
    proposal: Proposal, current: Current, context: SchemaContext, read: tuple[str, Positions]
) -> Iterator[ChangeFinding]:
    format, positions = read
    before = None if current.definition is None else definition_of(context.conn, current.definition)
    olds = tuple(stored_schemas(context.conn, current, before))
    references = references_of(context, proposal, current)
    columns_only = before is not None and not olds and has_columns_only(before)
    if before is not None and columns_only and (before.format, format) == (PAYLOAD, "JSON"):
        before = replace(before, format=format)  # messages with inferred columns
    proposed = proposed_schema(proposal, format, references, positions, _record_of(before, current))
    yield from _unread(proposed, before, current)
    at_base = _at_base(proposal, format, references, positions) if context.with_base else None
    if olds and _is_same(olds[-1], proposed) and (at_base is None or at_base.columns == proposed.definition.columns):
        return
    before = _completed(_if_read(before), at_base)
    compared = () if before is None else compare(before, proposed.definition).columns
    of_columns = list(changes(compared, proposed.aliases))
    rejected: dict[ColumnPath, tuple[ChangeFinding, ...]] = {}
    answered = {change.path for change in of_columns}
    for finding, path in _registry(of_columns, registry_findings(current, olds, proposed, context), rejected):
        answered |= {path} if row_of(finding).answers_column else set()
        yield replace(finding, affected=_affected(path, current, context) if path else ())
    of_columns += [change for change in _symbol_changes(olds[-1:], proposed) if change.path not in answered]
    of_columns += _rejected(olds[-1:], proposed, answered | {change.path for change in of_columns})
    yield from _uncompared(olds[-1:], current, proposed, answered)
    if before is None or not (olds or columns_only):
        yield NOT_COMPARED.unknown(positions.start, current.shown, form="nothing stored")
    if before is None:
        return
    if before.format != proposed.definition.format:
        formats = before.format, proposed.definition.format
        yield FORMAT_CHANGED.found(Verdict.BREAKS, positions.start, current.shown, *formats)
        return
    yield from _identity(before, proposed, current, context)
    if columns_only:
        yield from _by_columns(compared, current, context, positions)
    tags = _column_tags(current, before, context)
    findings = [_column_finding(change, current, proposed, (context, tags)) for change in of_columns]
    findings = [_with_rejections(*pair, rejected) for pair in zip(findings, of_columns, strict=True)]
    topics = [(link.cluster, link.topic) for link in current.links if link.role == Role.VALUE]
    findings = [
        finding if change.is_harmless or not topics else with_field_users(finding, change.path, topics, context.hits)
        for finding, change in zip(findings, of_columns, strict=True)
    ]
    yield from findings
    if any(finding.verdict is Verdict.FINE and row_of(finding) is not COLUMN_ADDED for finding in findings):
        reasons = (Message("what to scan", ()),)
        for message in why_no_readers(context.conn, current.links, current.subject):
            yield NO_READERS_KNOWN.unknown(positions.start, current.shown, message=message, reasons=reasons)


def _invalid(proposal: Proposal, current: Current, context: SchemaContext, format: str) -> Iterator[ChangeFinding]:
    """Yield that the text is invalid in its format; it may have replaced another invalid one."""

    def before() -> str:
        newest = replace(current, versions=current.versions[-1:])
        stored = (old for old in stored_schemas(context.conn, newest, None) if old.format == format)
        return proposal.base or next((old.text.text for old in stored), "")

    place, references = Place(file=proposal.file), references_of(context, proposal, current)
    return invalid_schema(place, current.shown, format, SchemaText(proposal.text or "", references), before)


def _at_base(proposal: Proposal, format: str, references: Mapping[str, str], positions: Positions) -> Definition | None:
    """Return the schema as the base of the change has it; None if that has none, or an invalid one."""
    if not proposal.base:
        return None
    with suppress(InputInvalid):
        return proposed_schema(replace(proposal, text=proposal.base), format, references, positions).definition
    return None


def _completed(before: Definition | None, base: Definition | None) -> Definition | None:
    """Return *before* with the columns that only *base* has: programs of the base commit may use them."""
    if before is None or base is None:
        return before
    known = {column.path for column in before.columns}
    more = () if base.format != before.format else base.columns
    return replace(before, columns=(*before.columns, *(column for column in more if column.path not in known)))


def _registry(
    of_columns: Sequence[Change],
    listed: Iterator[tuple[ChangeFinding, ColumnPath]],
    rejected: dict[ColumnPath, tuple[ChangeFinding, ...]],
) -> Iterator[tuple[ChangeFinding, ColumnPath]]:
    """Yield what a registry or readers reject, with the path that no changed column covers.

    What readers reject of a changed column is added to *rejected*, by its path.
    """
    for finding, path in listed:
        covering = next((change.path for change in of_columns if path[: len(change.path)] == change.path), None)
        if covering is not None and row_of(finding).is_of_readers:
            rejected[covering] = (*rejected.get(covering, ()), finding)
        else:
            yield finding, path if covering is None else ()


def _with_rejections(
    finding: ChangeFinding, change: Change, rejected: Mapping[ColumnPath, tuple[ChangeFinding, ...]]
) -> ChangeFinding:
    """Return the finding of a column with what readers reject because of it: the worst of it is the verdict.

    A column that is added is harmless by itself: then the rule is that of the readers.
    """
    found = rejected.get(change.path, ())
    if not found:
        return finding
    worst = next((each for each in found if each.verdict is Verdict.BREAKS), found[0])
    rule = worst.rule if row_of(finding) is COLUMN_ADDED else finding.rule
    reasons = (*finding.reasons, *(each.message for each in found))
    return replace(finding, rule=rule, verdict=worst.verdict, reasons=reasons)


def _identity(
    before: Definition, proposed: ProposedSchema, current: Current, context: SchemaContext
) -> Iterator[ChangeFinding]:
    """Yield what else a record is known by than its columns: its full name, and the bytes of a key."""
    now = proposed.definition.name
    is_renamed = before.format == "AVRO" and before.name and now and before.name != now
    is_key = any(link.role == Role.KEY for link in current.links)
    is_behind = before.format == "PROTOBUF" and before.name != now and before.name in proposed.parsed.records
    listed = [
        (RECORD_RENAMED, RECORD_RENAMED.message(now, before.name, form="first"), is_behind),
        (RECORD_RENAMED, RECORD_RENAMED.message(before.name, now), is_renamed),
        (KEY_CHANGED, KEY_CHANGED.message(), is_key and before.columns != proposed.definition.columns),
    ]
    for rule, message, is_so in listed:
        if is_so:
            affected = _affected((), current, context)
            yield rule.unknown(proposed.positions.start, current.shown, message=message, affected=affected)


def _is_same(newest: StoredSchema, proposed: ProposedSchema) -> bool:
    """Return whether the newest schema is the proposed one: to register it again changes nothing."""
    if newest.format != proposed.definition.format or proposed.text.references != newest.text.references:
        return False
    try:
        return bool(load_shared(newest.text.text) == load_shared(proposed.text.text))
    except ValueError:
        return newest.text.text.strip() == proposed.text.text.strip()


def _unread(proposed: ProposedSchema, before: Definition | None, current: Current) -> Iterator[ChangeFinding]:
    """Yield what of the proposed text, and of the stored one alone, was not read."""
    start, shown = proposed.positions.start, current.shown
    for problem in proposed.parsed.problems:
        yield NOT_COMPARED.unknown(start, shown, problem.where, problem.what, form="problem")
    for problem in before.problems if before is not None else ():
        if problem not in proposed.parsed.problems:
            yield NOT_COMPARED.unknown(start, shown, problem.where, problem.what, form="stored problem")


def _if_read(before: Definition | None) -> Definition | None:
    """Return *before*; None if nothing of its text was read: that is not a schema without columns."""
    return None if before is not None and before.problems and not before.columns else before


def _symbol_changes(newest: Sequence[StoredSchema], proposed: ProposedSchema) -> Iterator[Change]:
    """Yield the columns that lose symbols of their enum, at any level: who compares with one finds it no more."""
    for old in newest if newest and newest[0].format == proposed.definition.format else ():
        for found in removed_symbols(old.format, proposed.text, old.text):
            values = path_name(found.path), found.why
            yield Change(rule=SYMBOLS_REMOVED, path=found.path, now=found.path, values=values)


def _rejected(newest: Sequence[StoredSchema], proposed: ProposedSchema, answered: Set[ColumnPath]) -> Iterator[Change]:
    """Yield why readers with the stored schema reject new data, at any level; not what columns or the registry show."""
    for old in newest if newest and newest[0].format == proposed.definition.format else ():
        for found in differences(old.format, old.text, proposed.text, Rules(lenient=True)):
            is_known = any(found.path[: len(path)] == path for path in answered)
            if found.certain and found.path and not is_known:
                why = literal(found.rule)
                yield Change(rule=NEW_DATA_REJECTED, path=found.path, now=found.path, values=(found.why, ""), why=why)


def _uncompared(
    newest: Sequence[StoredSchema], current: Current, proposed: ProposedSchema, answered: Set[ColumnPath]
) -> Iterator[ChangeFinding]:
    """Yield changes that no registry compares, but those of columns that have an answer."""
    for old in newest if newest and newest[0].format == proposed.definition.format else ():
        for found in uncompared(old.format, proposed.text, old.text):
            if not found.path or found.path not in answered:
                place, item = proposed.positions.column(found.path), path_name(found.path)
                yield NOT_COMPARED.unknown(place, current.shown, item, found.why, item=item)


def _by_columns(
    compared: Sequence[ColumnChange], current: Current, context: SchemaContext, positions: Positions
) -> Iterator[ChangeFinding]:
    """Yield that readers may not read data, as far as columns show it: a registry compares texts."""
    level = context.level or DEFAULT_LEVEL
    directions = (
        (BACKWARD, level.backward, worst(change.backward for change in compared)),
        (FORWARD, level.forward, worst(change.forward for change in compared)),
    )
    for direction, counts, found in directions:
        if counts and found.verdict is not Compatibility.COMPATIBLE:
            yield NOT_COMPARED.unknown(positions.start, current.shown, direction, found.why, form="columns only")


# --- who is hit


def _column_finding(
    change: Change,
    current: Current,
    proposed: ProposedSchema,
    known: tuple[SchemaContext, Mapping[ColumnPath, set[str]]],
) -> ChangeFinding:
    context, tags = known
    affected = () if change.is_harmless else _affected(change.path, current, context)
    sure = [reader for reader in affected if reader.use != "unknown"]
    verdict = Verdict.IMPACT if sure else Verdict.UNKNOWN if affected else Verdict.FINE
    topics = sorted({link.topic for link in current.links})
    notes = [context.hits.topic_notes(link.cluster, link.topic) for link in current.links]
    reasons = [change.why, Message("topics", (tuple(topics),)) if len(topics) > 1 else None]
    return change.rule.found(
        verdict,
        proposed.positions.column(change.now),
        current.shown,
        *change.values,
        form=change.form,
        item=path_name(change.path),
        reasons=tuple(filter(None, reasons)),
        affected=affected,
        owner=", ".join(dict.fromkeys(note.owner for note in notes if note.owner)),
        tags=tuple(sorted({*tags.get(change.path, ()), *(tag for note in notes for tag in note.tags)})),
    )


def _affected(path: ColumnPath, current: Current, context: SchemaContext) -> tuple[Affected, ...]:
    """Return who uses a column of any topic that the schema describes; each once, as of the first topic."""
    affected: dict[tuple[str, ...], Affected] = {}
    for cluster, topic, role in dict.fromkeys((link.cluster, link.topic, link.role) for link in current.links):
        dataset = context.hits.naming.topic(cluster, topic)
        for hit in context.hits.of(dataset, (KEY, *path) if role == Role.KEY else path):
            affected.setdefault((hit.kind, hit.namespace, hit.name, hit.path), hit)
    return tuple(affected.values())


def _column_tags(current: Current, before: Definition, context: SchemaContext) -> Mapping[ColumnPath, set[str]]:
    tags = {column.path: set(column.tags) for column in before.columns if column.tags}
    if current.subject is not None and current.versions:
        schema = current.versions[-1].schema_id
        known = field_tags(context.conn, current.subject.cluster_id, {schema})
        for path, more in known.get((schema, before.name), {}).items():
            tags.setdefault(path, set()).update(more)
    return tags
