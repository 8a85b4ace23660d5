"""A proposed schema against the subjects and topics that it changes: the registry's answer, and who is hit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from scanner_api.change_check.column_changes import Change, changes, declared_aliases
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Affected, Finding, Place, Verdict
from scanner_api.change_check.positions import Positions
from scanner_api.change_check.proposals import Proposal
from scanner_api.change_check.proposed_columns import ReplacedSide
from scanner_api.change_check.proposed_references import ProposedReferences
from scanner_api.change_check.readers import WHAT_TO_SCAN, why_no_readers
from scanner_api.input_files import format_of
from scanner_api.parsing import parse_schema
from scanner_dictionary.compatibility import ColumnChange, compare, worst
from scanner_dictionary.compatibility import Verdict as Compatibility
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.subjects import (
    SubjectKey,
    TopicLink,
    VersionKey,
    definition_of,
    links_of_manual_subject,
    schemas_of_topic,
    subject_names,
    subjects_named,
    topic_names,
    topics_named,
    topics_of_subject,
    version_fact,
    version_finder,
    versions_of,
)
from scanner_dictionary.queries.topics import field_tags
from scanner_extractor.evolution import Difference, Level, Policy, Rules, SchemaText, differences, removed_symbols
from scanner_extractor.schemas.references import resolve
from scanner_model.columns import KEY, Column, ColumnPath, ParsedSchema, path_name
from scanner_model.errors import InputInvalid
from scanner_model.names import Fingerprint, RecordName, Role
from scanner_model.schemas import Definition

_DEFAULT = Level.BACKWARD
"""The level of a registry that nobody configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaContext:
    """What every proposed schema is compared with; *level* and *policy* replace those that are stored of subjects.

    *proposed* are the schemas of the whole change, which others of it may refer to.
    """

    conn: Connection
    hits: Hits
    cluster: str | None = None
    level: Level | None = None
    policy: Policy | None = None
    proposed: ProposedReferences = field(default_factory=ProposedReferences)

    def rules(self, subject: SubjectKey | None) -> Rules:
        """Return the rules of the registry that count for a subject; the strict ones where there is none."""
        stored = subject is not None and Policy.LENIENT in subject.level.split()
        policy = self.policy or (Policy.LENIENT if stored else Policy.STRICT)
        version = subject.registry_version if subject is not None else ""
        return Rules(lenient=policy is Policy.LENIENT, before_8_4=_is_before(_NEW_ONEOFS, version))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Current:
    """A schema that a file would replace: a subject with its live versions, or a definition without a subject."""

    links: tuple[TopicLink, ...]
    subject: SubjectKey | None = None
    versions: tuple[VersionKey, ...] = ()
    definition: int | None = None

    @property
    def shown(self) -> str:
        """Return what the file changes, for people."""
        return f"subject {self.subject.full_name}" if self.subject is not None else self.name

    @property
    def name(self) -> str:
        """Return the subject's name, else the topic's side."""
        if self.subject is not None:
            return self.subject.full_name
        return f"topic {self.links[0].topic} ({self.links[0].role})"


class _Old(NamedTuple):
    """A schema that is stored: a live version of the subject, or the one that has none."""

    shown: str
    format: str
    text: SchemaText


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposed:
    """The proposed schema as it reads with the references of one subject."""

    definition: Definition
    text: SchemaText
    parsed: ParsedSchema
    positions: Positions
    aliases: Mapping[ColumnPath, frozenset[str]] = field(default_factory=dict)


def check_schema(proposal: Proposal, context: SchemaContext) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Return what the file changes, and the findings; raises InputInvalid where the file is no schema.

    Raises NameUnknown where the dictionary does not have the subject or topic.
    """
    assert proposal.text is not None
    format = format_of(proposal.file, proposal.text)
    positions = Positions(proposal.file, proposal.text, format)
    own = _proposed(proposal, format, context.proposed.of(proposal, context.conn), positions)
    currents = tuple(_currents(proposal, context, own.parsed))
    findings: list[Finding] = []
    for current in currents:
        findings += _check(proposal, current, context, (format, positions))
    return tuple(current.shown for current in currents), tuple(findings)


def replaced_sides(proposal: Proposal, context: SchemaContext) -> Iterator[ReplacedSide]:
    """Yield the sides of topics whose columns the proposed schema replaces; raises what `check_schema` does."""
    assert proposal.text is not None
    format = format_of(proposal.file, proposal.text)
    positions = Positions(proposal.file, "")
    own = _proposed(proposal, format, context.proposed.of(proposal, context.conn), positions)
    for current in _currents(proposal, context, own.parsed):
        before = None if current.definition is None else definition_of(context.conn, current.definition)
        references = _references(context, proposal, current)
        proposed = _proposed(proposal, format, references, positions, before.name if before else None)
        of_columns = changes(compare(before, proposed.definition).columns, proposed.aliases) if before else ()
        renames = {change.path: change.now for change in of_columns if change.is_proved}
        for cluster, topic, role in dict.fromkeys((link.cluster, link.topic, link.role) for link in current.links):
            start = (KEY,) if role == Role.KEY else ()
            yield ReplacedSide(
                topic=(cluster, topic),
                before=_behind(start, before.columns if before else ()),
                after=_behind(start, proposed.definition.columns),
                renames={(*start, *old): (*start, *new) for old, new in renames.items()},
            )


def _behind(start: ColumnPath, columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(replace(column, path=(*start, *column.path)) for column in columns)


def _currents(proposal: Proposal, context: SchemaContext, parsed: ParsedSchema) -> Iterator[_Current]:
    """Yield the current schemas that the file would replace; raises NameUnknown where there is none."""
    target = proposal.target
    if not target.topic:
        subjects = subjects_named(context.conn, target.subject, context.cluster)
        manual = links_of_manual_subject(context.conn, target.subject, context.cluster) if not subjects else ()
        if not subjects and not manual:
            known = subject_names(context.conn, context.cluster)
            raise unknown_name("subject", target.subject, known, "`scanner schemas` lists the subjects")
        yield from (_of_subject(context.conn, subject) for subject in subjects)
        yield from (_Current(links=(link,), definition=link.definition) for link in manual)
        return
    topics = topics_named(context.conn, target.topic, context.cluster)
    if not topics:
        known = topic_names(context.conn, context.cluster)
        raise unknown_name("topic", target.topic, known, "`scanner topics` lists the topics")
    for topic in topics:
        links = [link for link in schemas_of_topic(context.conn, topic.id) if link.current and link.gone is None]
        links = [link for link in links if link.role == target.role]
        if not links:
            hint = "a topic without a schema accepts any; name the subject with --subject"
            raise unknown_name(f"{target.role} schema of topic", target.topic, (), hint)
        named = [link for link in links if definition_of(context.conn, link.definition).name in parsed.records]
        yield from (_of_link(context.conn, link) for link in named or links)


def _of_subject(conn: Connection, subject: SubjectKey) -> _Current:
    live = tuple(version for version in versions_of(conn, subject) if version.live)
    links = tuple(link for link in topics_of_subject(conn, subject) if link.current and link.gone is None)
    return _Current(links=links, subject=subject, versions=live, definition=live[-1].definition if live else None)


def _of_link(conn: Connection, link: TopicLink) -> _Current:
    named = subjects_named(conn, link.subject, link.cluster) if link.subject else ()
    subject = next(
        (
            candidate
            for candidate in named
            if (candidate.registry_id, candidate.context) == (link.registry_id, link.context)
        ),
        None,
    )
    return _of_subject(conn, subject) if subject else _Current(links=(link,), definition=link.definition)


def _check(
    proposal: Proposal, current: _Current, context: SchemaContext, read: tuple[str, Positions]
) -> Iterator[Finding]:
    format, positions = read
    before = None if current.definition is None else definition_of(context.conn, current.definition)
    olds = tuple(_stored(context.conn, current, before))
    has_columns_only = before is not None and not olds and _has_columns_only(before)
    if before is not None and has_columns_only and (before.format, format) == (_PAYLOAD, "JSON"):
        before = replace(before, format=format)  # messages of which the columns were inferred
    references = _references(context, proposal, current)
    proposed = _proposed(proposal, format, references, positions, before.name if before else None)
    yield from _unread(proposed, current)
    if olds and _is_same(olds[-1], proposed):
        return
    compared = () if before is None else compare(before, proposed.definition).columns
    of_columns = list(changes(compared, proposed.aliases))
    answered = {change.path for change in of_columns}
    for finding, path in _registry_findings(current, olds, proposed, context):
        is_covered = any(path[: len(change.path)] == change.path for change in of_columns)
        answered |= {path} if finding.rule == "incompatible" else set()
        affected = () if is_covered or not path else _affected(path, current, context)
        yield replace(finding, affected=affected)
    of_columns += [change for change in _symbol_changes(olds[-1:], proposed) if change.path not in answered]
    if before is None or not (olds or has_columns_only):
        yield _finding("not-compared", Verdict.UNKNOWN, current, positions.start, "no schema that was read is stored")
    if before is None:
        return
    if before.format != proposed.definition.format:
        what = f"the format was {before.format} and is {proposed.definition.format}"
        yield _finding("format-changed", Verdict.BREAKS, current, positions.start, what)
        return
    if has_columns_only:
        yield from _by_columns(compared, current, context, positions)
    tags = _column_tags(current, before, context)
    findings = [_column_finding(change, current, proposed, (context, tags)) for change in of_columns]
    yield from findings
    if any(finding.verdict is Verdict.FINE and finding.rule != "column-added" for finding in findings):
        for what in why_no_readers(context.conn, current.links, current.subject):
            yield _finding("no-readers-known", Verdict.UNKNOWN, current, positions.start, what, why=(WHAT_TO_SCAN,))


def _stored(conn: Connection, current: _Current, definition: Definition | None) -> Iterator[_Old]:
    """Yield the texts that the proposed one is compared with, the oldest first; none where no text is stored."""
    for version in current.versions:
        fact = version_fact(conn, version.id)
        references = resolve(fact, version_finder(conn, current.subject.registry_id)).texts if current.subject else {}
        text = SchemaText(fact.text, references)
        yield _Old(f"version {version.version}", fact.format.upper(), text)
    if current.subject is None and definition is not None and definition.text and not _has_columns_only(definition):
        yield _Old("the schema that is stored", definition.format.upper(), SchemaText(definition.text))


def _proposed(
    proposal: Proposal,
    format: str,
    references: Mapping[str, str],
    positions: Positions,
    record: RecordName | None = None,
) -> _Proposed:
    """Read the proposed text: its *record* where it has that among several, else its root."""
    assert proposal.text is not None
    parsed = parse_schema(proposal.text, format, references=references)
    if record and record != parsed.name and record in parsed.records:
        parsed = parse_schema(proposal.text, format, references=references, record=record)
    if not parsed.columns and not parsed.empty and parsed.problems:
        first = parsed.problems[0]
        hint = first.hint or "`scanner explain schema FILE` shows what is read"
        raise InputInvalid(f"is no {format} schema: {first.what}", where=f"{proposal.file} {first.where}", hint=hint)
    definition = Definition(
        fingerprint=Fingerprint(""),
        format=format,
        text=proposal.text,
        name=parsed.name,
        columns=parsed.columns,
        problems=parsed.problems,
    )
    return _Proposed(
        definition=definition,
        text=SchemaText(proposal.text, references),
        parsed=parsed,
        positions=positions,
        aliases=declared_aliases(proposal.text) if format == "AVRO" else {},
    )


def _references(context: SchemaContext, proposal: Proposal, current: _Current) -> Mapping[str, str]:
    newest = current.versions[-1] if current.versions else None
    return context.proposed.of(proposal, context.conn, current.subject, newest)


def _is_same(newest: _Old, proposed: _Proposed) -> bool:
    """Return whether the newest schema is the proposed one: to register it again changes nothing."""
    if newest.format != proposed.definition.format or proposed.text.references != newest.text.references:
        return False
    try:
        return bool(json.loads(newest.text.text) == json.loads(proposed.text.text))
    except (ValueError, RecursionError):
        return newest.text.text.strip() == proposed.text.text.strip()


def _unread(proposed: _Proposed, current: _Current) -> Iterator[Finding]:
    for problem in proposed.parsed.problems:
        what = f"{problem.where}: {problem.what}"
        yield _finding("not-compared", Verdict.UNKNOWN, current, proposed.positions.start, what)


def _symbol_changes(newest: Sequence[_Old], proposed: _Proposed) -> Iterator[Change]:
    """Yield the columns that lose symbols of their enum, at any level: who compares with one finds it no more."""
    for old in newest if newest and newest[0].format == proposed.definition.format else ():
        for found in removed_symbols(old.format, proposed.text, old.text):
            what = f"{path_name(found.path)} loses symbols: {found.why}"
            yield Change(rule="symbols-removed", path=found.path, now=found.path, what=what)


_PAYLOAD = "JSON_PAYLOAD"
"""The format of columns that are inferred from messages."""


def _has_columns_only(definition: Definition) -> bool:
    """Return whether the columns of a schema are stored, and no text of a schema."""
    return definition.format == _PAYLOAD or definition.is_list_of_columns


def _by_columns(
    compared: Sequence[ColumnChange], current: _Current, context: SchemaContext, positions: Positions
) -> Iterator[Finding]:
    """Yield that readers may not read data, as far as columns show it: a registry compares texts."""
    level = context.level or _DEFAULT
    directions = (
        (_BACKWARD, level.backward, worst(change.backward for change in compared)),
        (_FORWARD, level.forward, worst(change.forward for change in compared)),
    )
    for direction, counts, found in directions:
        if counts and found.verdict is not Compatibility.COMPATIBLE:
            what = f"only its columns are stored, by which {direction} may fail: {found.why}"
            yield _finding("not-compared", Verdict.UNKNOWN, current, positions.start, what)


# --- the registry's answer


def _registry_findings(
    current: _Current, olds: Sequence[_Old], proposed: _Proposed, context: SchemaContext
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Yield what the registry rejects, each with the path of the column; a schema without a subject is judged alike."""
    stored = Level.parse(current.subject.level.partition(" ")[0]) if current.subject is not None else None
    level = context.level or stored or _DEFAULT
    rules = context.rules(current.subject)
    why = f"{current.name} is {level}{' LENIENT' if rules.lenient else ''}"
    if context.level is None and stored is None:
        lacking = "is not stored" if current.subject else "is not known, as no registry has it"
        why = f"the level of {current.name} {lacking}: {_DEFAULT} is assumed, a registry's default"
        yield from _beyond_default(current, olds, proposed, rules)
    olds_by_difference: dict[tuple[str, Difference], list[_Old]] = {}
    for old in olds if level.transitive else olds[-1:]:
        for direction, difference in _differences(old, proposed, rules):
            if level.backward if direction == _BACKWARD else level.forward:
                olds_by_difference.setdefault((direction, difference), []).append(old)
    yield from _of_older_registries(current, olds if level.transitive else olds[-1:], proposed, (level, rules))
    for (direction, difference), rejecting in olds_by_difference.items():
        reasons = (f"{direction}, {_shown(rejecting)}", why, *_whose_rules(current.subject, proposed))
        finding = _incompatible(current, proposed, difference, reasons)
        yield finding, difference.path


def _whose_rules(subject: SubjectKey | None, proposed: _Proposed) -> Iterator[str]:
    """Yield of which registry the rules are, where it matters."""
    if subject is None:
        return
    if subject.kind != "confluent":
        yield f"the rules are those of Confluent's registry, from which others ({subject.kind}) differ in details"
    elif proposed.definition.format == "PROTOBUF":
        version = subject.registry_version
        yield f"the rules are those of Confluent's registry {version}" if version else _NEWEST_RULES


_NEW_ONEOFS = (8, 4)
"""The first version of Confluent's registry that compares oneofs as those after it."""

_NEWEST_RULES = (
    "the registry's version is not known: the rules are those of Confluent's registry 8.4 and later, which differ from "
    "earlier ones in oneofs"
)


def _is_before(version: tuple[int, int], known: str) -> bool:
    """Return whether a *known* version, as `8.3.1`, is before *version*; False where it is no version."""
    match = re.match(r"(\d{1,4})\.(\d{1,4})", known)
    return match is not None and (int(match[1]), int(match[2])) < version


def _of_older_registries(
    current: _Current, olds: Sequence[_Old], proposed: _Proposed, judged: tuple[Level, Rules]
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Note what a registry before 8.4 rejects and later ones take, where the version is not known."""
    subject, (level, rules) = current.subject, judged
    if proposed.definition.format != "PROTOBUF" or subject is None or subject.kind != "confluent":
        return
    for old in olds if not subject.registry_version else ():
        taken = {(to, found.rule, found.path) for to, found in _differences(old, proposed, rules)}
        for direction, difference in _differences(old, proposed, replace(rules, before_8_4=True)):
            counts = level.backward if direction == _BACKWARD else level.forward
            if counts and difference.certain and (direction, difference.rule, difference.path) not in taken:
                what = f"a registry before 8.4 rejects it: {difference.rule} at {path_name(difference.path)}"
                place = proposed.positions.column(difference.path)
                finding = _finding("older-registry", Verdict.FINE, current, place, what, why=(_NEWEST_RULES,))
                yield replace(finding, item=path_name(difference.path)), ()
                return


_BACKWARD, _FORWARD = "new readers of old data", "old readers of new data"


def _differences(old: _Old, proposed: _Proposed, rules: Rules) -> Iterator[tuple[str, Difference]]:
    if old.format != proposed.definition.format:
        return  # another format is a finding of its own
    for direction, reader, writer in ((_BACKWARD, proposed.text, old.text), (_FORWARD, old.text, proposed.text)):
        for difference in differences(old.format, reader, writer, rules):
            yield direction, difference


def _beyond_default(
    current: _Current, olds: Sequence[_Old], proposed: _Proposed, rules: Rules
) -> Iterator[tuple[Finding, ColumnPath]]:
    """Report that the answer depends on the level, which is not stored: other levels reject what the default takes."""
    rejecting = [
        old
        for old in olds
        if any(direction == _FORWARD or old is not olds[-1] for direction, _ in _differences(old, proposed, rules))
    ]
    if rejecting:
        level = "the subject's level is not stored" if current.subject else "no registry has a level for it"
        what = f"a level above {_DEFAULT} rejects it ({_shown(rejecting)}), and {level}"
        scan = ', or scan with "compatibility": true in cluster.json' if current.subject else ""
        why = f"state it with --compatibility{scan}"
        yield _finding("level-unknown", Verdict.UNKNOWN, current, proposed.positions.start, what, why=(why,)), ()


def _incompatible(current: _Current, proposed: _Proposed, difference: Difference, why: tuple[str, ...]) -> Finding:
    place = proposed.positions.column(difference.path)
    item = path_name(difference.path)
    if not difference.certain:
        what = f"{item}: {difference.why}" if item else difference.why
        return replace(_finding("not-compared", Verdict.UNKNOWN, current, place, what, why=why), item=item)
    what = f"{difference.rule}{f' at {item}' if item else ''}: {difference.why}"
    finding = _finding("incompatible", Verdict.BREAKS, current, place, what, why=why)
    return replace(finding, item=f"{item} {difference.rule}".strip())


def _shown(olds: Sequence[_Old]) -> str:
    if len(olds) == 1:
        return olds[0].shown
    return f"versions {', '.join(old.shown.removeprefix('version ') for old in olds)}"


# --- who is hit


def _column_finding(
    change: Change, current: _Current, proposed: _Proposed, known: tuple[SchemaContext, Mapping[ColumnPath, set[str]]]
) -> Finding:
    context, tags = known
    affected = () if change.is_harmless else _affected(change.path, current, context)
    sure = [reader for reader in affected if reader.use != "unknown"]
    verdict = Verdict.IMPACT if sure else Verdict.UNKNOWN if affected else Verdict.FINE
    finding = _finding(change.rule, verdict, current, proposed.positions.column(change.now), change.what)
    topics = sorted({link.topic for link in current.links})
    notes = [context.hits.topic_notes(link.cluster, link.topic) for link in current.links]
    why = [change.why, f"topics {', '.join(topics)}" if len(topics) > 1 else ""]
    return replace(
        finding,
        item=path_name(change.path),
        why=tuple(filter(None, why)),
        affected=affected,
        owner=", ".join(dict.fromkeys(note.owner for note in notes if note.owner)),
        tags=tuple(sorted({*tags.get(change.path, ()), *(tag for note in notes for tag in note.tags)})),
    )


def _affected(path: ColumnPath, current: _Current, context: SchemaContext) -> tuple[Affected, ...]:
    """Return who uses a column of any topic that the schema describes; each once, as of the first topic."""
    affected: dict[tuple[str, ...], Affected] = {}
    for cluster, topic, role in dict.fromkeys((link.cluster, link.topic, link.role) for link in current.links):
        dataset = context.hits.naming.topic(cluster, topic)
        for hit in context.hits.of(dataset, (KEY, *path) if role == Role.KEY else path):
            affected.setdefault((hit.kind, hit.namespace, hit.name, hit.path), hit)
    return tuple(affected.values())


def _column_tags(current: _Current, before: Definition, context: SchemaContext) -> Mapping[ColumnPath, set[str]]:
    tags = {column.path: set(column.tags) for column in before.columns if column.tags}
    if current.subject is not None and current.versions:
        schema = current.versions[-1].schema_id
        known = field_tags(context.conn, current.subject.cluster_id, {schema})
        for path, more in known.get((schema, before.name), {}).items():
            tags.setdefault(path, set()).update(more)
    return tags


def _finding(
    rule: str, verdict: Verdict, current: _Current, place: Place, what: str, *, why: tuple[str, ...] = ()
) -> Finding:
    return Finding(rule=rule, verdict=verdict, place=place, target=current.shown, what=what, why=why)
