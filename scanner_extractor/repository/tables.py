"""Statements that create tables and views in databases, RisingWave and Materialize, as the tables of a catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from scanner_extractor.catalogs.column_types import Part, columns_of
from scanner_extractor.repository.context import STATEMENT, Context
from scanner_extractor.repository.statements import MATERIALIZE, RISINGWAVE, SqlStatement
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.systems.databases.engines.definitions import Definition, Token, engine_type, plain_query
from scanner_extractor.systems.databases.engines.messages import Dialect, Messages, ingested_parameters
from scanner_extractor.systems.databases.engines.risingwave import is_kafka
from scanner_model.catalogs import (
    DATABASE,
    DECLARED_TABLES,
    KAFKA_TOPICS,
    PRIMARY_KEY,
    QUOTED,
    CatalogLink,
    CatalogTable,
    TableKey,
)
from scanner_model.columns import Column, field_segment
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement
from scanner_model.text import has_placeholder

_CREATE = re.compile(
    r"^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:GLOBAL|LOCAL)\s+)?(?:TEMP(?:ORARY)?\s+|UNLOGGED\s+|EXTERNAL\s+)?"
    r"(?P<kind>TABLE|VIEW|MATERIALIZED\s+VIEW|SOURCE|SINK|CONNECTION)\s+(?:IF\s+NOT\s+EXISTS\s+)?",
    re.IGNORECASE,
)
_USE = re.compile(r"^\s*(?:USE|\\c|\\connect)\s+[\"`\[]?(?P<name>[\w$-]+)", re.IGNORECASE)
_ALTER = re.compile(r"^\s*ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_CONSTRAINTS = words(
    "PRIMARY NOT NULL DEFAULT UNIQUE REFERENCES CHECK COMMENT AUTO_INCREMENT GENERATED COLLATE CHARACTER"
    " CHARSET ON KEY CONSTRAINT IDENTITY AUTOINCREMENT AS ENCODE SORTKEY INVISIBLE VISIBLE UNSIGNED"
    " ZEROFILL FIRST AFTER"
)
_NO_COLUMN = words(
    "CONSTRAINT PRIMARY UNIQUE FOREIGN INDEX KEY CHECK EXCLUDE LIKE FULLTEXT SPATIAL WATERMARK PERIOD * INCLUDE"
)
_RW_DIALECT = Dialect(prefixes=("_rw_kafka_", "_rw_"), whole=frozenset({"BYTES", "TEXT"}))
_MZ_DIALECT = Dialect(prefixes=("",), keyed=frozenset({"UPSERT"}), whole=frozenset({"BYTES", "JSON", "TEXT"}))
_DEFAULTS = {RISINGWAVE: ("dev", "public"), MATERIALIZE: ("materialize", "public")}
_LINE = re.compile(r":\d+$")
_JDBC = re.compile(r"jdbc:(?P<scheme>\w+)://(?P<host>[^/?;:]+)(?::(?P<port>\d+))?/(?P<database>[\w$-]+)")
_PORTS = {"mysql": "3306", "mariadb": "3306", "postgresql": "5432"}


class _Found(NamedTuple):
    """A created object: its name's parts, and the statement."""

    kind: str
    parts: tuple[str, ...]
    definition: Definition


@dataclass(slots=True)
class _Table:
    """A table as the statements so far describe it; *quoted* are columns whose names are written in quotes."""

    parts: tuple[str, ...]
    columns: dict[str, str] = field(default_factory=dict)
    quoted: set[str] = field(default_factory=set)
    key: tuple[str, ...] = ()


def add_database_tables(files: Iterable[tuple[str, Sequence[SqlStatement]]], context: Context) -> None:
    """Add the tables and views that files of DDL and migrations declare, applied in the order of *files*.

    On which server they are is not written there: they are found by the names that connectors have for them.
    """
    tables: dict[tuple[str, ...], _Table] = {}
    early: list[tuple[str, tuple[str, ...]]] = []
    for path, statements in files:
        context.table_files[path] = None
        database: tuple[str, ...] = ()
        for statement in statements:
            code = (
                statement.code.replace("`", '"').replace("[", '"').replace("]", '"')
                if _has_brackets(statement.code)
                else statement.code.replace("`", '"')
            )
            if match := _USE.match(code):
                database = (match["name"],)
            elif found := _created(code):
                parts = found.parts if len(found.parts) > 1 else (*database, *found.parts)
                if found.kind == "TABLE" and not found.definition.query:
                    tables[_folded(parts)] = _table(parts, found.definition)
                elif found.kind in ("VIEW", "MATERIALIZED VIEW"):
                    reason = f"the view {'.'.join(parts)} is not read from a file: name its database in `databases`"
                    context.leave(path, "view of a database", reason)
            elif (match := _ALTER.match(code)) and not _alter(match["rest"], database, tables):
                early.append((match["rest"], database))
    for rest, database in early:  # names of files need not have the order in which they are applied
        _alter(rest, database, tables)
    namespace = f"{DECLARED_TABLES}{context.source.partition(':')[2]}"
    for key in sorted(tables):
        context.tables.append(_fact(tables[key], namespace, context.source))


def add_engine_objects(
    statements: Sequence[SqlStatement], engine: str, place: str, context: Context, namespace: str = ""
) -> None:
    """Add the sources, tables, views and sinks that a file of RisingWave or Materialize creates.

    *namespace* is that of the server; empty where it is not known.
    """
    context.table_files[place] = None
    database, schema = _DEFAULTS[engine]
    namespace = namespace or f"{engine}://{context.source.partition(':')[2]}"
    for statement in statements:
        found = _created(statement.code)
        if found is None or found.kind == "CONNECTION" or not found.parts:
            continue
        parts = (database, schema, *found.parts) if len(found.parts) == 1 else (database, *found.parts)[-3:]
        definition = found.definition
        messages = _messages(definition, engine)
        if found.kind == "SINK" and messages is None:
            _add_outside_sink(definition, namespace, parts, place, context)
            continue
        table = _table(parts, definition)
        names = list(table.columns)
        parameters: Mapping[str, str] = {}
        if messages is not None and has_placeholder(messages.topic):
            context.leave(place, "topic", f"the topic of {parts[-1]} is a placeholder: {messages.topic}")
        elif messages is not None and not messages.brokers:
            context.topic(messages.topic, f"{_LINE.sub('', place)}:{statement.line}", tool=STATEMENT)
        if messages is not None and messages.topic and not has_placeholder(messages.topic):
            dialect = _RW_DIALECT if engine == RISINGWAVE else _MZ_DIALECT
            is_sink = found.kind == "SINK"
            parameters = messages.parameters if is_sink else ingested_parameters(messages, definition, names, dialect)
        if found.kind == "SOURCE" and parameters and engine == RISINGWAVE and not definition.computed:
            # A source of RisingWave stores nothing: what reads it reads the topic.
            topic = _fact(table, f"kafka://{messages.brokers or 'localhost'}" if messages else "", context.source)
            alias = ((namespace, ".".join(parts)),)
            context.tables.append(
                replace(topic, provider=engine, name=parameters[KAFKA_TOPICS], kind="TOPIC", symlinks=alias)
            )
            continue
        query = definition.query if found.kind in ("VIEW", "MATERIALIZED VIEW", "SINK") else ""
        text = plain_query(query) if engine == MATERIALIZE else query
        fact = _fact(table, namespace, context.source)
        words = {"database": parts[0], "schema": parts[1], **parameters}
        context.tables.append(
            replace(
                fact,
                kind=found.kind,
                parameters=tuple(sorted((key, value) for key, value in words.items() if value)),
                definition=mask_statement(text),
            )
        )


def _add_outside_sink(
    definition: Definition, namespace: str, parts: tuple[str, ...], place: str, context: Context
) -> None:
    """Add a link from what a sink reads to the table of another database that it writes."""
    settings, origin = definition.settings, definition.name(definition.index("FROM")).parts
    url = _JDBC.match(settings.get("jdbc.url", ""))
    target = settings.get("table.name", "")
    if not (url and target and origin):
        context.leave(place, "sink", f"what the sink {parts[-1]} writes is not known")
        return
    scheme = {"postgresql": "postgres", "mariadb": "mysql"}.get(url["scheme"], url["scheme"])
    port = url["port"] or _PORTS.get(url["scheme"], "")
    name = ".".join((url["database"], *(() if scheme == "mysql" else (settings.get("schema.name", "public"),)), target))
    context.links.append(
        CatalogLink(
            source=context.source,
            origin_namespace=namespace,
            origin_name=".".join((*parts[: 3 - len(origin)], *origin)),
            target_namespace=f"{scheme}://{url['host']}:{port}",
            target_name=name,
            process=parts[-1],
        )
    )


def _messages(definition: Definition, engine: str) -> Messages | None:
    """Return the messages of the topic that an object reads or writes; None where it is not connected with Kafka."""
    encoding = definition.format
    if engine == RISINGWAVE:
        options = definition.settings
        if not is_kafka(options):
            return None
        topic = options.get("topic") or options.get("kafka.topic", "")
        brokers = options.get("properties.bootstrap.server") or options.get("kafka.brokers", "")
        envelope = encoding[0] or options.get("type", "").replace("append-only", "")
        return Messages(topic=topic, brokers=brokers, encoding=encoding[1], envelope=envelope)
    envelope = definition.word(definition.index("ENVELOPE"))
    if reference := _reference(definition):
        return Messages(topic=reference, encoding=encoding[0], envelope=envelope)
    at = definition.index("KAFKA", "CONNECTION")
    at = at if at > 0 else definition.index("KAFKA", "BROKER")
    if at < 0:
        return None
    options = definition.options(definition.behind_name(at))
    topic = options.get("topic", "")
    if not topic and (named := definition.index("TOPIC")) > 0:
        topic = (definition.name(named).parts or ("",))[0]
    return Messages(topic=topic, encoding=encoding[0], envelope=envelope)


def _reference(definition: Definition) -> str:
    """Return the topic of Materialize's `CREATE TABLE … FROM SOURCE s (REFERENCE "topic")`; empty for other tables."""
    at = definition.index("FROM", "SOURCE")
    if at < 0:
        return ""
    behind = definition.behind_name(at)
    if definition.word(behind + 1) != "REFERENCE":
        return ""
    parts = definition.name(behind + 2).parts or (definition.options(behind).get("reference", ""),)
    return parts[-1]


def _has_brackets(code: str) -> bool:
    """Check whether names are in brackets, as SQL Server writes them: `[dbo].[orders]`."""
    return re.search(r"\bTABLE\s+(?:\[\w+\]\.)?\[\w", code, re.IGNORECASE) is not None


def _created(code: str) -> _Found | None:
    match = _CREATE.match(code)
    if match is None:
        return None
    definition = Definition(code[match.end() :])
    parts = definition.name(0).parts
    return _Found(" ".join(match["kind"].upper().split()), parts, definition) if parts else None


def _table(parts: tuple[str, ...], definition: Definition) -> _Table:
    table = _Table(parts)
    for item in () if definition.index("FROM", "SOURCE") > 0 else definition.items:
        word = item[0].word
        if word in _NO_COLUMN or len(item) < 2:
            words = [token.word for token in item]
            if "PRIMARY" in words:
                behind = item[words.index("PRIMARY") + 1 :]
                table.key = tuple(token.value for token in behind if token.text[0] in '"' or token.text[0].isalnum())[
                    1:
                ]
            continue
        _add_column(table, item)
    return table


def _add_column(table: _Table, item: Sequence[Token]) -> None:
    name = item[0].value
    end = next((at for at, token in enumerate(item[1:], 1) if token.word in _CONSTRAINTS and at > 1), len(item))
    text = ""
    for token in item[1:end]:
        text += token.text if not text or token.text in ",()<>[]" or text[-1] in "(<[" else f" {token.text}"
    table.columns[name] = text.replace(" (", "(")
    if item[0].text[0] == '"':
        table.quoted.add(name)
    words = [token.word for token in item]
    if "PRIMARY" in words and not table.key:
        table.key = (name,)


def _alter(rest: str, database: tuple[str, ...], tables: Mapping[tuple[str, ...], _Table]) -> bool:
    """Apply the columns that ALTER TABLE adds, drops and renames; return False if the table is not known."""
    definition = Definition(rest)
    parts = definition.name(0).parts
    table = tables.get(_folded(parts)) or tables.get(_folded((*database, *parts))) or _of_end(_folded(parts), tables)
    if table is None:
        return False
    for change in definition.changes:
        words = [token.word for token in change]
        at = 2 if words[1:2] == ["COLUMN"] else 1
        while words[at : at + 1] and words[at] in ("IF", "NOT", "EXISTS"):
            at += 1
        name = change[at].value if at < len(change) else ""
        if words[0] == "ADD" and name and words[at] not in _NO_COLUMN and len(change) > at + 1:
            _add_column(table, change[at:])
        elif words[0] == "DROP" and name in table.columns:
            del table.columns[name]
        elif words[0] == "RENAME" and name in table.columns and "TO" in words[at:] and words[-2] == "TO":
            table.columns = {
                change[-1].value if column == name else column: text for column, text in table.columns.items()
            }
    return True


def _of_end(parts: tuple[str, ...], tables: Mapping[tuple[str, ...], _Table]) -> _Table | None:
    """Return the only table with the same last parts, as far as both names have any; None without one."""
    shared = [table for name, table in tables.items() if name[-len(parts) :] == parts[-len(name) :]] if parts else []
    return shared[0] if len(shared) == 1 else None


def _fact(table: _Table, namespace: str, source: SourceId) -> CatalogTable:
    parameters = {QUOTED: json.dumps(sorted(table.quoted))} if table.quoted else {}
    return CatalogTable(
        source=source,
        provider=DATABASE,
        namespace=namespace,
        name=".".join(table.parts),
        kind="TABLE",
        parameters=tuple(sorted(parameters.items())),
        keys=(TableKey(PRIMARY_KEY, table.key),) if table.key else (),
        columns=tuple(_columns(table)),
    )


def _columns(table: _Table) -> Iterator[Column]:
    parts = (Part(segment=field_segment(name), shape=engine_type(text)) for name, text in table.columns.items())
    return columns_of(parts)


def _folded(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts)
