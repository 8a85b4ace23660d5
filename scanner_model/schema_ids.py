"""Schema ids that the newest records of topics hold: all that is ever kept of a record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.facts import Key, Value
from scanner_model.names import SourceId, TopicName


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
    detail: Annotated[str, Value("why it is not known, empty where it is", long=True)] = ""
