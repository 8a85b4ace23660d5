"""A proposed schema against the subjects and topics that it changes: the registry's answer, and who is hit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_api.change_check.column_changes import Change, changes
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Affected, Finding, Place, Verdict
from scanner_api.change_check.positions import Positions
from scanner_api.change_check.proposals import Proposal
from scanner_api.input_files import format_of
from scanner_api.parsing import parse_schema
from scanner_dictionary.compatibility import compare
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.subjects import (
    SubjectKey,
    TopicLink,
    VersionKey,
    definition_of,
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
from scanner_extractor.evolution import Difference, Level, SchemaText, differences
from scanner_extractor.schemas.references import resolve
from scanner_model.columns import KEY, ColumnPath, ParsedSchema, path_name
from scanner_model.errors import InputInvalid
from scanner_model.names import Fingerprint, RecordName, Role
from scanner_model.schemas import Definition, SchemaVersion

_DEFAULT = Level.BACKWARD
"""The level of a registry that nobody configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaContext:
    """What every proposed schema is compared with; *level* replaces the stored one of every subject."""

    conn: Connection
    hits: Hits
    cluster: str | None = None
    level: Level | None = None


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
        if self.subject is not None:
            return f"subject {self.subject.full_name}"
        return f"topic {self.links[0].topic} ({self.links[0].role})"


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
    own = _proposed(proposal, format, dict(proposal.references), positions)
    currents = tuple(_currents(proposal, context, own.parsed))
    findings: list[Finding] = []
    for current in currents:
        findings += _check(proposal, current, context, (format, positions))
    return tuple(current.shown for current in currents), tuple(findings)


def _currents(proposal: Proposal, context: SchemaContext, parsed: ParsedSchema) -> Iterator[_Current]:
    """Yield the current schemas that the file would replace; raises NameUnknown where there is none."""
    target = proposal.target
    if not target.topic:
        subjects = subjects_named(context.conn, target.subject, context.cluster)
        if not subjects:
            known = subject_names(context.conn, context.cluster)
            raise unknown_name("subject", target.subject, known, "`scanner schemas` lists the subjects")
        yield from (_of_subject(context.conn, subject) for subject in subjects)
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
    newest = version_fact(context.conn, current.versions[-1].id) if current.versions else None
    stored = _references(context.conn, current, newest)
    before = None if current.definition is None else definition_of(context.conn, current.definition)
    proposed = _proposed(
        proposal, format, {**stored, **proposal.references}, positions, before.name if before else None
    )
    yield from _unread(proposed, current)
    if newest is not None and _is_same(newest, proposed, stored):
        return
    if newest is not None and current.subject is not None:
        yield from _registry_findings(current, proposed, context)
    if before is None:
        yield _finding("not-compared", Verdict.UNKNOWN, current, positions.start, "no schema that was read is stored")
        return
    if before.format != proposed.definition.format:
        what = f"the format was {before.format} and is {proposed.definition.format}"
        yield _finding("format-changed", Verdict.BREAKS, current, positions.start, what)
        return
    tags = _column_tags(current, before, context)
    for change in changes(compare(before, proposed.definition).columns, proposed.aliases):
        yield _column_finding(change, current, proposed, (context, tags))


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
        aliases=_aliases(proposal.text) if format == "AVRO" else {},
    )


def _references(conn: Connection, current: _Current, version: SchemaVersion | None) -> Mapping[str, str]:
    """Return the texts that a stored version refers to, which the proposed text is read with, too."""
    if version is None or current.subject is None or not version.references:
        return {}
    return resolve(version, version_finder(conn, current.subject.registry_id)).texts


def _is_same(newest: SchemaVersion, proposed: _Proposed, references: Mapping[str, str]) -> bool:
    """Return whether the newest version is the proposed schema: to register it again changes nothing."""
    if newest.format.upper() != proposed.definition.format or proposed.text.references != references:
        return False
    try:
        return bool(json.loads(newest.text) == json.loads(proposed.text.text))
    except (ValueError, RecursionError):
        return newest.text.strip() == proposed.text.text.strip()


def _unread(proposed: _Proposed, current: _Current) -> Iterator[Finding]:
    for problem in proposed.parsed.problems:
        what = f"{problem.where}: {problem.what}"
        yield _finding("not-compared", Verdict.UNKNOWN, current, proposed.positions.start, what)


# --- the registry's answer


def _registry_findings(current: _Current, proposed: _Proposed, context: SchemaContext) -> Iterator[Finding]:
    assert current.subject is not None
    stored = Level.parse(current.subject.level)
    level = context.level or stored or _DEFAULT
    why = f"{current.subject.full_name} is {level}"
    if context.level is None and stored is None:
        why = f"the level of {current.subject.full_name} is not stored: {_DEFAULT} is assumed, the registry's default"
        yield from _beyond_default(current, proposed, context)
    versions_by_difference: dict[tuple[str, Difference], list[int]] = {}
    for version in current.versions if level.transitive else current.versions[-1:]:
        for direction, difference in _differences(context.conn, current, version, proposed):
            if level.backward if direction == _BACKWARD else level.forward:
                versions_by_difference.setdefault((direction, difference), []).append(version.version)
    for (direction, difference), versions in versions_by_difference.items():
        yield _incompatible(current, proposed, difference, (f"{direction}, {_shown_versions(versions)}", why))


_BACKWARD, _FORWARD = "new readers of old data", "old readers of new data"


def _differences(
    conn: Connection, current: _Current, version: VersionKey, proposed: _Proposed
) -> Iterator[tuple[str, Difference]]:
    fact = version_fact(conn, version.id)
    old = SchemaText(fact.text, _references(conn, current, fact))
    if fact.format.upper() != proposed.definition.format:
        return  # another format is a finding of its own
    for direction, reader, writer in ((_BACKWARD, proposed.text, old), (_FORWARD, old, proposed.text)):
        for difference in differences(proposed.definition.format, reader, writer):
            yield direction, difference


def _beyond_default(current: _Current, proposed: _Proposed, context: SchemaContext) -> Iterator[Finding]:
    """Report that the answer depends on the level, which is not stored: other levels reject what the default takes."""
    rejected = [
        version.version
        for version in current.versions
        if any(
            direction == _FORWARD or version is not current.versions[-1]
            for direction, _ in _differences(context.conn, current, version, proposed)
        )
    ]
    if rejected:
        what = (
            f"a level above {_DEFAULT} rejects it ({_shown_versions(rejected)}), and the subject's level is not stored"
        )
        why = 'state it with --compatibility, or scan with "compatibility": true in cluster.json'
        yield _finding("level-unknown", Verdict.UNKNOWN, current, proposed.positions.start, what, why=(why,))


def _incompatible(current: _Current, proposed: _Proposed, difference: Difference, why: tuple[str, str]) -> Finding:
    place = proposed.positions.column(difference.path)
    item = path_name(difference.path)
    if not difference.certain:
        what = f"{item}: {difference.why}" if item else difference.why
        return replace(_finding("not-compared", Verdict.UNKNOWN, current, place, what, why=why), item=item)
    what = f"{difference.rule}{f' at {item}' if item else ''}: {difference.why}"
    finding = _finding("incompatible", Verdict.BREAKS, current, place, what, why=why)
    return replace(finding, item=f"{item} {difference.rule}".strip())


def _shown_versions(versions: Sequence[int]) -> str:
    word = "version" if len(versions) == 1 else "versions"
    return f"{word} {', '.join(map(str, versions))}"


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


def _aliases(text: str) -> Mapping[ColumnPath, frozenset[str]]:
    """Return the former names that an Avro text declares for fields at the top, by path."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    listed = body.get("fields") if isinstance(body, dict) else None
    fields = [field for field in listed if isinstance(field, dict)] if isinstance(listed, list) else []
    return {
        (str(field.get("name")),): frozenset(map(str, field["aliases"]))
        for field in fields
        if isinstance(field.get("aliases"), list)
    }
