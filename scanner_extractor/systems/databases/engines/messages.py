"""The parameters of a table that an engine reads from topics, or writes to them, from its definition and columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from scanner_extractor.systems.databases.engines.definitions import Definition
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_PARTS,
    KAFKA_TOPICS,
    KEY_PART,
    VALUE_PART,
)

_PARTS = {"KEY": KEY_PART, "PAYLOAD": VALUE_PART}
_PLAIN = frozenset({"", "NATIVE", "NONE", "PLAIN", "UPSERT"})
"""Envelopes that add no level to a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The messages of a topic: *encoding* as JSON, *envelope* as DEBEZIUM; unknown words are empty.

    *topic* is empty where it is not shown, *brokers* too.
    """

    topic: str
    brokers: str = ""
    encoding: str = ""
    envelope: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """Return the parameters of a table that is written to the topic."""
        envelope = "" if self.envelope.upper() in _PLAIN else self.envelope.upper()
        return {
            KAFKA_TOPICS: self.topic,
            KAFKA_BROKERS: self.brokers,
            KAFKA_FORMAT: " ".join(filter(None, (envelope, self.encoding.upper()))),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How an engine names what INCLUDE adds without a name: *prefixes* and the part's word.

    *whole* are the encodings in which one column has the whole value, *keyed* the envelopes that add the key by
    themselves.
    """

    prefixes: tuple[str, ...]
    keyed: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()


def ingested_parameters(
    messages: Messages, definition: Definition, columns: Collection[str], dialect: Dialect
) -> dict[str, str]:
    """Return the parameters of a table that is read from the topic; *columns* are the names of its columns."""
    parts = dict(_included(definition, columns, dialect))
    computed = {name: words for name, words in definition.computed.items() if name in columns}
    plain = {name.casefold(): name for name in columns if name not in parts and name not in computed}
    fields = {
        name: [plain[word.casefold()] for word in words if word.casefold() in plain] for name, words in computed.items()
    }
    fields |= {name: [] for name, part in parts.items() if not part}
    has_key = messages.envelope.upper() in dialect.keyed or any(part.part == "KEY" for part in definition.included)
    if has_key and KEY_PART not in parts.values():
        parts[f"{dialect.prefixes[0]}key"] = KEY_PART  # without such a column, each field of the key is one
    rest = [name for name in columns if name not in parts and name not in fields]
    if messages.encoding.upper() in dialect.whole and len(rest) == 1:
        parts[rest[0]] = VALUE_PART
    return {
        **messages.parameters,
        KAFKA_COLUMNS: _document({name: list(dict.fromkeys(fields[name])) for name in sorted(fields)}),
        KAFKA_PARTS: _document({name: parts[name] for name in sorted(parts) if parts[name]}),
    }


def _included(definition: Definition, columns: Collection[str], dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the columns that INCLUDE adds, with the part of the message; empty if it is not part of it."""
    for included in definition.included:
        defaults = [prefix + included.part.lower() for prefix in dialect.prefixes]
        for name in [included.name] if included.name else defaults:
            yield from ((column, _PARTS.get(included.part, "")) for column in columns if column == name)
    internal = (prefix for prefix in dialect.prefixes if prefix)
    if marked := tuple(internal):
        listed = [prefix + part.lower() for prefix in marked for part in _PARTS]
        yield from ((column, "") for column in columns if column.startswith(marked) and column not in listed)


def _document(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""
