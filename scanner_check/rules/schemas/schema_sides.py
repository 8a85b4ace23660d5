"""The two sides of a schema's change: what registry and topics have now, and the proposed text as it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import NamedTuple

from scanner_check.edits.columns import declared_aliases
from scanner_check.inputs.positions import Positions
from scanner_check.inputs.proposals import Proposal
from scanner_check.users.hits import Hits
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
from scanner_extractor.evolution.configured import SubjectConfig
from scanner_extractor.formats import read_columns
from scanner_extractor.formats.avro.names import defined_names
from scanner_extractor.schemas.references import lookup_in, resolve
from scanner_model.columns import ColumnPath, ParsedSchema
from scanner_model.errors import InputInvalid
from scanner_model.names import Fingerprint, RecordName, SubjectName
from scanner_model.schemas import Definition, SchemaVersion

_QUOTED = re.compile(r'"([^"\n#]+)')

DEFAULT_LEVEL = Level.BACKWARD
"""The default level of a registry."""


_NEW_ONEOFS = (8, 4)
"""The first version of Confluent's registry that compares oneofs as those after it."""


class ProposedReferences:
    """The schemas of one change, by what references may call them."""

    def __init__(self, proposed: Iterable[Proposal] = ()) -> None:
        self._texts: dict[str, str] = {}
        self._by_name: dict[str, dict[str, Proposal]] = {}
        for proposal in proposed:
            if proposal.text is not None:
                if proposal.target.subject:
                    self._texts[proposal.target.subject] = proposal.text
                for name in _names_of(proposal):
                    self._by_name.setdefault(name, {})[proposal.file] = proposal

    def of(
        self,
        proposal: Proposal,
        conn: Connection,
        subject: SubjectKey | None = None,
        newest: VersionKey | None = None,
    ) -> Mapping[str, str]:
        """Return the texts that *proposal* is read with, by the names of its references.

        They are those that the user named, those of the *newest* version of its *subject*, with the proposed text where
        the change has one, then those of the change that it names.
        """
        stored = self._of_version(conn, subject, newest) if subject and newest else {}
        return {**dict(self._named_by(proposal)), **stored, **proposal.references}

    def _of_version(self, conn: Connection, subject: SubjectKey, newest: VersionKey) -> Mapping[str, str]:
        find = version_finder(conn, subject.registry_id)

        def find_proposed(at: str, name: SubjectName, number: int) -> SchemaVersion | None:
            version = find(at, name, number)
            return version and replace(version, text=self._texts.get(name, version.text))

        return resolve(version_fact(conn, newest.id), find_proposed).texts

    def _named_by(self, proposal: Proposal) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each other schema of the change that is named in the text, or in one that is.

        A name that several schemas have is of none.
        """
        own, seen, waiting = set(defined_names(proposal.text or "")), {proposal.file}, [proposal.text or ""]
        while waiting:
            for name in dict.fromkeys(_QUOTED.findall(waiting.pop())):
                found = [other for other in self._by_name.get(name, {}).values() if other.file not in seen]
                if len(found) == 1 and (text := found[0].text) and own.isdisjoint(defined_names(text)):
                    seen.add(found[0].file)
                    waiting.append(text)
                    yield name, text


def _names_of(proposal: Proposal) -> Iterator[str]:
    """Yield what a reference may call a proposed schema: its subject, the ends of its path, its types in Avro."""
    parts = PurePath(proposal.file).parts
    yield from ("/".join(parts[start:]) for start in range(len(parts)))
    yield proposal.target.subject
    for name in defined_names(proposal.text or ""):
        yield from (name, name.rpartition(".")[2])


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
    if policy is None:
        stored = SubjectConfig.parse(subject.level).policy if subject is not None else ""
        policy = Policy(stored) if stored in set(Policy) else Policy.STRICT
    version = subject.registry_version if subject is not None else ""
    return Rules(
        lenient=policy is Policy.LENIENT,
        logical=policy is Policy.LOGICAL,
        before_8_4=_is_before(_NEW_ONEOFS, version),
    )


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
