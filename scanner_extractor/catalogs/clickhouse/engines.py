"""What ClickHouse's table engines are declared with, from `engine_full`: the topics of Kafka, the tables of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scanner_model.catalogs import KAFKA_BROKERS, KAFKA_FORMAT, KAFKA_GROUP, KAFKA_TOPICS

_TOKEN = re.compile(
    r"'(?P<text>(?:[^'\\]|\\.|'')*)'|`(?P<quoted>(?:[^`\\]|\\.)*)`|(?P<word>[\w.-]+)|(?P<sign>[(),=])", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_IDENTIFIER = r"(?:`(?:[^`\\]|\\.)*`|[A-Za-z_]\w*)"
_TARGET = re.compile(
    rf"CREATE MATERIALIZED VIEW\s+{_IDENTIFIER}(?:\.{_IDENTIFIER})?(?:`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'|[^`'(])*?"
    rf"\sTO\s+(?P<first>{_IDENTIFIER})(?:\.(?P<second>{_IDENTIFIER}))?(?=\s|\(|$)",
    re.DOTALL,
)
_POSITIONS = ("kafka_broker_list", "kafka_topic_list", "kafka_group_name", "kafka_format")
_HIDDEN = "[HIDDEN]"
_MACRO = re.compile(r"\{(\w+)\}")
_FORWARDING = {"Distributed": 1, "Buffer": 0}
"""Engines without rows of their own, and the position of the database whose table they pass rows to."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The words of an engine: *arguments* by position, *settings* by name; of both those that are texts or numbers."""

    arguments: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def collection(self) -> str:
        """Return the named collection that a Kafka table is declared with; empty where there is none."""
        is_named = len(self.arguments) == 1 and _POSITIONS[0] not in self.settings
        return self.arguments[0] if is_named else ""


def parse_engine(text: str) -> Engine:
    """Parse `engine_full`, as `Kafka('broker:9092', 'topic', 'group', 'Avro') SETTINGS name = 'value'`."""
    arguments: list[str] = []
    settings: dict[str, str] = {}
    depth, name, value = 0, "", ""
    for sign, word in _tokens(text):
        if sign == "=":
            name, value = value, ""
        elif sign in (",", "("):
            _add_argument(arguments, settings, name, value if depth == 1 or name else "")
            name = value = ""
        elif sign == ")":
            _add_argument(arguments, settings, name, value if depth == 1 else "")
            name = value = ""
        else:
            value = word
        depth += (sign == "(") - (sign == ")")
    _add_argument([], settings, name, value)
    return Engine(tuple(arguments), settings)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        if match["sign"]:
            yield match["sign"], ""
        elif match["word"] is not None:
            yield "", match["word"]
        else:
            written = match["quoted"] if match["text"] is None else match["text"]
            yield "", _ESCAPED.sub(lambda escaped: escaped[1] or "'", written)


def _add_argument(arguments: list[str], settings: dict[str, str], name: str, value: str) -> None:
    if name:
        settings[name] = value
    elif value:
        arguments.append(value)


def kafka_parameters(engine: Engine, collection: Mapping[str, str], macros: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a table that is read from topics; one that the server does not show is left out.

    *collection* are the values of its named collection, which its own settings override. *macros* replace their names
    in braces. Source: ClickHouse, Kafka table engine.
    """
    positional = {} if engine.collection else dict(zip(_POSITIONS, engine.arguments, strict=False))
    values = {**collection, **positional, **engine.settings}
    shown = {name: value for name, value in values.items() if value and value != _HIDDEN}
    topics = [topic for part in shown.get("kafka_topic_list", "").split(",") if (topic := part.strip())]
    parameters = {
        KAFKA_BROKERS: shown.get("kafka_broker_list", ""),
        KAFKA_TOPICS: ",".join(topics),
        KAFKA_GROUP: shown.get("kafka_group_name", ""),
        KAFKA_FORMAT: shown.get("kafka_format", ""),
    }
    expanded = {name: _expanded(value, macros) for name, value in parameters.items()}
    return {name: value for name, value in expanded.items() if value and not _MACRO.search(value)}


def has_macros(engine: Engine) -> bool:
    """Return whether a text of the engine has a name in braces, which the server replaces."""
    return any(_MACRO.search(text) for text in (*engine.arguments, *engine.settings.values()))


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    return _MACRO.sub(lambda match: macros.get(match[1], match[0]), text)


def forwarded_table(engine: str, declared: Engine) -> tuple[str, str] | None:
    """Return database and table that a table without rows of its own passes them to; None for any other engine."""
    at = _FORWARDING.get(engine)
    return (
        None if at is None or len(declared.arguments) < at + 2 else (declared.arguments[at], declared.arguments[at + 1])
    )


def target_table(create_query: str, database: str) -> tuple[str, str] | None:
    """Return database and table that a materialized view writes `TO`; None for one that has a table of its own."""
    match = _TARGET.match(create_query)
    if not match:
        return None
    first, second = _unquoted(match["first"]), match["second"]
    return (first, _unquoted(second)) if second else (database, first)


def _unquoted(identifier: str) -> str:
    return _ESCAPED.sub(r"\1", identifier[1:-1]) if identifier.startswith("`") else identifier
