"""Schema versions of registries, their shared definitions, links to topics, and the schema ids of records."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Annotated, NamedTuple

from scanner_model.columns import Column
from scanner_model.documents.json_input import load_text
from scanner_model.errors import Problem
from scanner_model.facts import Key, Value
from scanner_model.names import Fingerprint, RecordName, Role, SourceId, SubjectName, TopicName

DEFAULT_CONTEXT = "."
"""The context of a subject without a `:.ctx:` prefix, as `GET /contexts` names it."""


def qualified_subject(context: str, subject: str) -> str:
    """Return the name of *subject* with its context before it, as in `:.eu:orders-value`, unless it is the default."""
    return subject if context in ("", DEFAULT_CONTEXT) else f":{context}:{subject}"


class Confidence(StrEnum):
    """How sure a link from a schema to a topic is."""

    DECLARED = "declared"
    """Declared by a registry association, the configuration or manual input."""
    CONFIRMED = "confirmed"
    """By a naming strategy; the topic is known from another source."""
    OBSERVED = "observed"
    """Records of the topic have an id of the schema's subject."""
    ASSUMED = "assumed"
    """By a naming strategy; no source knows the topic."""
    AMBIGUOUS = "ambiguous"
    """Several links are possible; the first in the configured order was chosen, and the rest reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A version's reference to another subject's version."""

    name: Annotated[str, Value("the name its text uses", long=True)]
    subject: Annotated[SubjectName, Value("the subject referred to")]
    version: Annotated[int, Value("its version; -1 is the newest")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """A schema registry, as one cluster uses it."""

    source: SourceId
    kind: Annotated[str, Value("its entry in the table of registries")]
    url: Annotated[str, Value("its address")]
    environment: Annotated[str, Value("its own id or name, may be empty")] = ""
    server_version: Annotated[str, Value("version of the program that serves it, as 8.3.1; empty if not read")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersion:
    """One version of a subject, exactly as registered.

    *context* is `.` for the default one, and *subject* has no context prefix. *schema_id* is text, because ids are
    numbers in some registries and UUIDs in others; unique in one context of one registry only. *format* is upper case
    as the registry names it. *metadata* and *rule_set* are JSON text, empty if absent. *fingerprint* names
    the definition, empty until the text was read. *state* is the registry's own word, empty for an ordinary version.
    *registered_at* is ISO 8601 in UTC, empty if not reported. *compatibility* is the level that holds for the
    subject, in the registry's own word, and behind it policy, group and alias where it has any; empty if not read.
    """

    source: SourceId
    subject: SubjectName
    version: int
    schema_id: str
    format: str
    text: str
    context: str = DEFAULT_CONTEXT
    guid: str = ""
    references: tuple[Reference, ...] = ()
    metadata: str = ""
    rule_set: str = ""
    tags: tuple[str, ...] = ()
    deleted: bool = False
    state: str = ""
    registered_at: str = ""
    compatibility: str = ""
    fingerprint: Fingerprint = Fingerprint("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """An explicit link of a topic to a subject, as stored by a registry (`/associations`, since 8.2).

    *namespace* is the id of the Kafka cluster that the topic is of; empty or `-` where not reported.
    """

    source: SourceId
    context: str
    subject: SubjectName
    topic: TopicName
    role: Role
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A schema's meaning, stored once however many subjects, versions and topics share it; it owns its columns.

    *text* is the schema's, or `columns_text` where only columns were declared. *tags* are those of the record that it
    is of, which its columns inherit.
    """

    fingerprint: Fingerprint
    format: str
    text: str
    name: RecordName = RecordName("")
    columns: Sequence[Column] = ()
    problems: tuple[Problem, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_list_of_columns(self) -> bool:
        """Return whether the text is a list of columns instead of a schema of the format."""
        return is_list_of_columns(self.text)


class KnownText(NamedTuple):
    """A schema text that was read, with all that its columns depend on, as *digest*.

    *reader* is the version of the program that read it: another one reads it again. *reading* is JSON: what was read,
    without the columns; empty if the definition was read from another spelling of the text.
    """

    digest: str
    reader: str
    fingerprint: Fingerprint
    reading: str = ""


KnownTexts = Callable[[Collection[str]], Mapping[str, KnownText]]
"""Return what is known of texts by their digests; one that was never read is absent."""


def no_known_texts(_digests: Collection[str]) -> Mapping[str, KnownText]:
    """Return that no text was read before."""
    return {}


def is_list_of_columns(text: str) -> bool:
    """Return whether *text* was written by `columns_text`."""
    try:
        first = load_text(text.partition("\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and first.keys() == {member.name for member in fields(Column)}


def columns_text(columns: Iterable[Column]) -> str:
    """Return the text for a schema with known columns only: each as JSON in a line."""
    return "\n".join(json.dumps(asdict(column), ensure_ascii=False, sort_keys=True) for column in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSchema:
    """A link from a topic to a definition, with the rule and the evidence that made it.

    *subject*, *version* and *schema_id* are empty (None) where no registry is behind it. *current*: it describes the
    topic now (the newest version of its subject that is not deleted); older versions stay linked, not current.
    *strategy* names the rule; *evidence* is what it was read from, for people.
    """

    source: SourceId
    topic: TopicName
    role: Role
    fingerprint: Fingerprint
    strategy: str
    evidence: str
    confidence: Confidence
    context: str = DEFAULT_CONTEXT
    subject: SubjectName = SubjectName("")
    version: int | None = None
    schema_id: str | None = None
    current: bool = True
    deleted: bool = False


class IdAnswer(StrEnum):
    """What the newest records of a topic show; the last three are about the topic as a whole."""

    ID = "id"
    """A schema id: in the prefix of a key or value, or in a header."""
    GUID = "guid"
    """The GUID of a schema, in a header."""
    NONE = "none"
    """Keys or values without a schema id."""
    NULL = "null"
    """Records without a key, or without a value (tombstones)."""
    EMPTY = "empty"
    """The topic has no record that a consumer would be given."""
    REFUSED = "refused"
    """The user may not READ the topic."""
    UNREAD = "unread"
    """Some partitions could not be read, or not in time."""


OF_SCHEMAS = frozenset({IdAnswer.ID, IdAnswer.GUID})
"""The answers that name a schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaIdUse:
    """What the newest records of a topic show about schemas; nothing else of a record is kept."""

    source: SourceId
    topic: Annotated[TopicName, Key("the topic")]
    role: Annotated[str, Key("key or value; empty for what is said of the whole topic", column="schema_role")]
    answer: Annotated[IdAnswer, Key("id, guid, none, null, empty, refused or unread")]
    identifier: Annotated[str, Key("the schema id or GUID; empty for other answers")] = ""
    records: Annotated[int, Value("how many of the newest records show it; 0: it was seen earlier only")] = 0
    partition: Annotated[int | None, Value("of the newest record that shows it", column="record_partition")] = None
    offset: Annotated[int | None, Value("of the newest record that shows it", column="record_offset")] = None
    time: Annotated[str, Value("of the newest record that shows it, ISO 8601, UTC; empty without", column="at")] = ""
    since: Annotated[str, Value("the record in which it was seen first: partition, offset and time")] = ""
    detail: Annotated[str, Value("why it is not known, empty if it is", long=True)] = ""
