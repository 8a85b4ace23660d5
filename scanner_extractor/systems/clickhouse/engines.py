"""Parse ClickHouse's declarations: engines with their topics and tables, from `engine_full`, and types of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape
from scanner_model.catalogs import KAFKA_BROKERS, KAFKA_FORMAT, KAFKA_GROUP, KAFKA_TOPICS
from scanner_model.columns import ELEMENT, MAP_VALUE, element, field_segment

_LONGEST = 100_000
_WRAPPERS = frozenset({"LowCardinality", "Nullable"})
_ENUMS = frozenset({"Enum", "Enum8", "Enum16", "JSON", "Object", "Dynamic"})
"""Types whose arguments are values or limits, not a size."""
_SIGN = re.compile(r"'(?:[^'\\]|\\.?)*+(?:'|\Z)|`(?:[^`\\]|\\.?)*+(?:`|\Z)|[(),]", re.DOTALL)
_MEMBER = re.compile(r"\s*(?:`(?P<quoted>(?:[^`\\]|\\.)*)`|(?P<plain>[A-Za-z_]\w*))\s+(?P<type>[A-Za-z].*)", re.DOTALL)
_TYPE = re.compile(r"\s*+(?P<word>[A-Za-z]\w*+)\s*+(?:\((?P<arguments>.*)\)\s*+)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ClickHouseType:
    """A type without `Nullable` and `LowCardinality`, and whether a value may be NULL."""

    shape: Shape
    nullable: bool = False


@lru_cache(maxsize=4_096)
def clickhouse_type(text: str) -> ClickHouseType:
    """Parse a type; one that cannot be parsed keeps its text as its word. Source: ClickHouse, Data types."""
    if len(text) > _LONGEST:
        return ClickHouseType(Shape(word=text[:_LONGEST]))
    return _parsed(text, 1)


def _parsed(text: str, depth: int) -> ClickHouseType:
    match = _TYPE.fullmatch(text)
    if not match or depth > DEEPEST:
        return ClickHouseType(Shape(word=text.strip()))
    word, written = match["word"], match["arguments"]
    if written is None:
        return ClickHouseType(Shape(word=word))
    arguments = tuple(_arguments(written))
    if word in _WRAPPERS and len(arguments) == 1:
        inner = _parsed(arguments[0], depth + 1)
        return ClickHouseType(inner.shape, nullable=inner.nullable or word == "Nullable")
    if word == "SimpleAggregateFunction" and len(arguments) == 2:
        return _parsed(arguments[1], depth + 1)
    return ClickHouseType(_shape(word, arguments, depth + 1))


def _shape(word: str, arguments: tuple[str, ...], depth: int) -> Shape:
    match word, len(arguments):
        case "Array", 1:
            return Shape(word=word, parts=(_part(ELEMENT, arguments[0], depth),))
        case "Map", 2:
            return Shape(word=word, parts=(_part(MAP_VALUE, arguments[1], depth),))
        case "Tuple", _:
            return Shape(word=word, parts=tuple(_members(arguments, depth)))
        case "Nested", _:
            inside = Shape(word="Tuple", parts=tuple(_members(arguments, depth)))
            return Shape(word=word, parts=(Part(segment=ELEMENT, shape=inside, nullable=False),))
        case "Variant", _:
            types = (_parsed(argument, depth).shape for argument in arguments)
            return Shape(word=word, branches=tuple(shape.logical or shape.word for shape in types))
        case _:
            return Shape(word=word, logical=None if word in _ENUMS else f"{word}({','.join(arguments)})")


def _members(arguments: tuple[str, ...], depth: int) -> Iterator[Part]:
    """Yield the members of a tuple: by name, or by position where they have none."""
    for index, argument in enumerate(arguments):
        if match := _MEMBER.fullmatch(argument):
            name = match["plain"] or re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL)
            yield _part(field_segment(name), match["type"], depth)
        else:
            yield _part(element(index), argument, depth)


def _part(segment: str, text: str, depth: int) -> Part:
    inner = _parsed(text, depth)
    return Part(segment=segment, shape=inner.shape, nullable=inner.nullable)


def _arguments(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and quotes."""
    start = depth = 0
    for sign in _SIGN.finditer(text):
        depth += (sign[0] == "(") - (sign[0] == ")")
        if sign[0] == "," and depth == 0:
            yield text[start : sign.start()].strip()
            start = sign.end()
    if last := text[start:].strip():
        yield last


_TOKEN = re.compile(
    r"'(?P<text>(?:[^'\\]|\\.?|'')*+)(?:'|\Z)|`(?P<quoted>(?:[^`\\]|\\.?)*+)(?:`|\Z)"
    r"|(?P<word>[\w.-]+)|(?P<sign>[(),=])",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_IDENTIFIER = r"(?:`(?:[^`\\]|\\.)*+`|[A-Za-z_]\w*+)"
_TARGET = re.compile(
    rf"CREATE MATERIALIZED VIEW\s++{_IDENTIFIER}(?:\.{_IDENTIFIER})?+(?:`(?:[^`\\]|\\.)*+`|'(?:[^'\\]|\\.)*+'|[^`'(])*?"
    rf"\sTO\s++(?P<first>{_IDENTIFIER})(?:\.(?P<second>{_IDENTIFIER}))?(?=\s|\(|$)",
    re.DOTALL,
)
_POSITIONS = ("kafka_broker_list", "kafka_topic_list", "kafka_group_name", "kafka_format")
_HIDDEN = "[HIDDEN]"
_MACRO = re.compile(r"\{(\w+)\}")
_FORWARDING = {"Distributed": 1, "Buffer": 0}
"""Engines without rows of their own, and the position of the database whose table they pass rows to."""


@dataclass(frozen=True, slots=True)
class EngineClause:
    """The words of an engine: *arguments* by position, *settings* by name; of both those that are texts or numbers."""

    arguments: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def collection(self) -> str:
        """Return the named collection that a Kafka table is declared with; empty if absent."""
        is_named = len(self.arguments) == 1 and _POSITIONS[0] not in self.settings
        return self.arguments[0] if is_named else ""


def parse_engine(text: str) -> EngineClause:
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
    return EngineClause(tuple(arguments), settings)


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


def kafka_parameters(engine: EngineClause, collection: Mapping[str, str], macros: Mapping[str, str]) -> dict[str, str]:
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


def has_macros(engine: EngineClause) -> bool:
    """Return whether a text of the engine has a name in braces, which the server replaces."""
    return any(_MACRO.search(text) for text in (*engine.arguments, *engine.settings.values()))


def _expanded(text: str, macros: Mapping[str, str]) -> str:
    return _MACRO.sub(lambda match: macros.get(match[1], match[0]), text)


def forwarded_table(engine: str, declared: EngineClause) -> tuple[str, str] | None:
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
