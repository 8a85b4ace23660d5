"""The two sides of a schema's change: what registry and topics have now, and the proposed text as it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_api.change_check.column_changes import declared_aliases
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_api.change_check.positions import Positions
from scanner_api.change_check.proposals import Proposal
from scanner_api.change_check.proposed_references import ProposedReferences
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
from scanner_extractor.evolution import Level, Policy, Rules, SchemaText
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in, resolve
from scanner_model.columns import ColumnPath, ParsedSchema
from scanner_model.errors import InputInvalid
from scanner_model.names import Fingerprint, RecordName
from scanner_model.schemas import Definition

DEFAULT_LEVEL = Level.BACKWARD
"""The default level of a registry."""


_NEW_ONEOFS = (8, 4)
"""The first version of Confluent's registry that compares oneofs as those after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaContext:
    """What every proposed schema is compared with; *level* and *policy* replace those that are stored of subjects.

    *proposed* are the schemas of the whole change, which others of it may refer to. *with_base*: columns that only the
    base of the change has count, too.
    """

    conn: Connection
    hits: Hits
    cluster: str | None = None
    level: Level | None = None
    policy: Policy | None = None
    proposed: ProposedReferences = field(default_factory=ProposedReferences)
    with_base: bool = False

    def rules(self, subject: SubjectKey | None) -> Rules:
        """Return the rules of the registry that count for a subject; the strict ones by default."""
        return rules_of(subject, self.policy)


def rules_of(subject: SubjectKey | None, policy: Policy | None = None) -> Rules:
    """Return the rules of the registry that count for a subject, with *policy* in place of the one that is stored."""
    stored = subject is not None and Policy.LENIENT in subject.level.split()
    policy = policy or (Policy.LENIENT if stored else Policy.STRICT)
    version = subject.registry_version if subject is not None else ""
    return Rules(lenient=policy is Policy.LENIENT, before_8_4=_is_before(_NEW_ONEOFS, version))


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
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


class StoredSchema(NamedTuple):
    """A schema that is stored: a live version of the subject, or the one that has none."""

    shown: str
    format: str
    text: SchemaText


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedSchema:
    """The proposed schema as it reads with the references of one subject."""

    definition: Definition
    text: SchemaText
    parsed: ParsedSchema
    positions: Positions
    aliases: Mapping[ColumnPath, frozenset[str]] = field(default_factory=dict)


def _is_before(version: tuple[int, int], known: str) -> bool:
    """Return whether a *known* version, as `8.3.1`, is before *version*; False if it is not a version."""
    match = re.match(r"(\d{1,4})\.(\d{1,4})", known)
    return match is not None and (int(match[1]), int(match[2])) < version


def currents_of(proposal: Proposal, context: SchemaContext, parsed: ParsedSchema) -> Iterator[Current]:
    """Yield the current schemas that the file would replace; raises NameUnknown without any."""
    target = proposal.target
    if not target.topic:
        subjects = subjects_named(context.conn, target.subject, context.cluster)
        manual = links_of_manual_subject(context.conn, target.subject, context.cluster) if not subjects else ()
        if not subjects and not manual:
            known = subject_names(context.conn, context.cluster)
            raise unknown_name("subject", target.subject, known, "`scanner schemas` lists the subjects")
        yield from (_of_subject(context.conn, subject) for subject in subjects)
        yield from (Current(links=(link,), definition=link.definition) for link in manual)
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


def _of_subject(conn: Connection, subject: SubjectKey) -> Current:
    live = tuple(version for version in versions_of(conn, subject) if version.live)
    links = tuple(link for link in topics_of_subject(conn, subject) if link.current and link.gone is None)
    return Current(links=links, subject=subject, versions=live, definition=live[-1].definition if live else None)


def _of_link(conn: Connection, link: TopicLink) -> Current:
    named = subjects_named(conn, link.subject, link.cluster) if link.subject else ()
    subject = next(
        (
            candidate
            for candidate in named
            if (candidate.registry_id, candidate.context) == (link.registry_id, link.context)
        ),
        None,
    )
    return _of_subject(conn, subject) if subject else Current(links=(link,), definition=link.definition)


def stored_schemas(conn: Connection, current: Current, definition: Definition | None) -> Iterator[StoredSchema]:
    """Yield the texts that the proposed one is compared with, the oldest first; none where no text is stored."""
    if current.subject is not None:
        yield from (stored_version(conn, current.subject, version) for version in current.versions)
    if current.subject is None and definition is not None and definition.text and not has_columns_only(definition):
        yield StoredSchema("the schema that is stored", definition.format.upper(), SchemaText(definition.text))


def stored_version(conn: Connection, subject: SubjectKey, version: VersionKey) -> StoredSchema:
    """Return the text of a version of *subject*, with the texts behind its references."""
    fact = version_fact(conn, version.id)
    references = resolve(fact, version_finder(conn, subject.registry_id)).texts
    return StoredSchema(f"version {version.version}", fact.format.upper(), SchemaText(fact.text, references))


def proposed_schema(
    proposal: Proposal,
    format: str,
    references: Mapping[str, str],
    positions: Positions,
    record: RecordName | None = None,
) -> ProposedSchema:
    """Read the proposed text: its *record* where it has that among several, else its root."""
    assert proposal.text is not None
    lookup = lookup_in(format, references)
    parsed = read_columns(format, proposal.text, lookup, None)
    if record and record != parsed.name and record in parsed.records:
        parsed = read_columns(format, proposal.text, lookup, record)
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
    return ProposedSchema(
        definition=definition,
        text=SchemaText(proposal.text, references),
        parsed=parsed,
        positions=positions,
        aliases=declared_aliases(proposal.text) if format == "AVRO" else {},
    )


def references_of(context: SchemaContext, proposal: Proposal, current: Current) -> Mapping[str, str]:
    """Return the texts that the proposed schema refers to, by the names of its references."""
    newest = current.versions[-1] if current.versions else None
    return context.proposed.of(proposal, context.conn, current.subject, newest)


PAYLOAD = "JSON_PAYLOAD"
"""The format of columns that are inferred from messages."""


def has_columns_only(definition: Definition) -> bool:
    """Return whether the columns of a schema are stored, and no text of a schema."""
    return definition.format == PAYLOAD or definition.is_list_of_columns


def finding_of(
    rule: str, verdict: Verdict, current: Current, place: Place, what: str, *, why: tuple[str, ...] = ()
) -> Finding:
    """Return a finding about what the file changes."""
    return Finding(rule=rule, verdict=verdict, place=place, target=current.shown, what=what, why=why)
