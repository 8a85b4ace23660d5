"""Files of SQL: whose SQL it is, its statements, and the connectors that ksqlDB creates from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

KSQLDB, FLINK, CONFLUENT, RISINGWAVE, MATERIALIZE, DATABASE = (
    "ksqldb",
    "flink",
    "confluent",
    "risingwave",
    "materialize",
    "database",
)
"""The engines whose statements are read; *database* is any other."""

_SPLIT = re.compile(
    r"(?P<comment>--[^\n]*|/\*(?!\+).*?(?:\*/|\Z)|^[ \t]*#[^\n]*)"
    r"|(?P<quoted>'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z))"
    r"|(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))|(?P<end>;)",
    re.DOTALL | re.MULTILINE,
)
_OBJECT = r"(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:TEMP(?:ORARY)?\s+)?"
_MOVING = re.compile(
    rf"^\s*(?:CREATE\s+{_OBJECT}(?:SOURCE\s+|SINK\s+)?(?:STREAM|TABLE|VIEW|MATERIALIZED\s+VIEW|CONNECTOR|SOURCE|SINK)\b"
    r"|INSERT\s+(?:INTO|OVERWRITE)\s[^;()]*?(?:\([^()]*\)\s*)?(?:SELECT|WITH)\b|EXECUTE\s+STATEMENT\s+SET\b"
    r"|(?:BEGIN\s+)?STATEMENT\s+SET\b|EXECUTE\s+(?:INSERT|PLAN)\b|ALTER\s+TABLE\b)",
    re.IGNORECASE,
)
_BARE_CONNECTOR = r"(?<![\w.'\"])connector(?=\s*=\s*')"
"""The option `connector` without quotes, as RisingWave and Arroyo write it; Flink quotes it."""
_ENGINES: tuple[tuple[str, int, str], ...] = (
    (KSQLDB, 6, r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:SOURCE\s+)?STREAM\b|\bCREATE\s+(?:SOURCE|SINK)\s+CONNECTOR\b"),
    (KSQLDB, 3, r"\b(?:KAFKA_TOPIC|VALUE_FORMAT|KEY_FORMAT)\s*=|\bEMIT\s+(?:CHANGES|FINAL)\b"),
    (KSQLDB, 2, r"\bWINDOW\s+(?:TUMBLING|HOPPING|SESSION)\s*\(|'auto\.offset\.reset'|\bCREATE\s+SOURCE\s+TABLE\b"),
    (FLINK, 4, r"['\"]connector['\"]\s*=\s*['\"]|\bCREATE\s+CATALOG\b|\bWITH\s*\(\s*'type'\s*=\s*'"),
    (FLINK, 3, r"\bWATERMARK\s+FOR\b|\bDESCRIPTOR\s*\(|\bSTATEMENT\s+SET\b|\bNOT\s+ENFORCED\b|\bMATCH_RECOGNIZE\b"),
    (FLINK, 2, r"\bSET\s+'[\w.-]+'\s*=|\bTABLE\s*\(\s*(?:TUMBLE|HOP|CUMULATE|SESSION)\s*\(|\bFOR\s+SYSTEM_TIME\b"),
    (
        CONFLUENT,
        5,
        r"'(?!kafka\.bootstrap)(?:kafka|changelog|value|key|scan)\.[\w.-]+'\s*=|\bDISTRIBUTED\s+(?:BY|INTO)\b|\bAI_\w+\s*\(",
    ),
    (CONFLUENT, 5, r"\bML_PREDICT\s*\(|\bCREATE\s+(?:MODEL|CONNECTION|AGENT|TOOL)\b"),
    (RISINGWAVE, 5, r"\bFORMAT\s+\w+\s+ENCODE\s+\w+|(?<![\w.'\"])properties\.bootstrap\.server\s*="),
    (
        RISINGWAVE,
        5,
        rf"\bCREATE\s+(?:SOURCE|SINK)\s+(?!CONNECTOR\b)[^;]*?{_BARE_CONNECTOR}|\bCREATE\s+SINK\s+\S+\s+INTO\b",
    ),
    (RISINGWAVE, 5, rf"{_BARE_CONNECTOR}\s*=\s*'[\w-]+-cdc'"),
    (MATERIALIZE, 6, r"\bKAFKA\s+(?:CONNECTION|BROKER)\b|\bTO\s+KAFKA\s*\(|\bCONFLUENT\s+SCHEMA\s+REGISTRY\b"),
    (MATERIALIZE, 6, r"\bFROM\s+(?:(?:POSTGRES|MYSQL|SQL\s+SERVER)\s+CONNECTION|LOAD\s+GENERATOR)\b"),
)
"""Forms that only one engine has, or one family of engines; a form that many share, such as a view, proves nothing."""
_UNREAD_ENGINES: tuple[tuple[str, str], ...] = (
    ("ClickHouse", r"\bENGINE\s*=?\s*Kafka\b"),
    ("Timeplus", r"\bCREATE\s+(?:OR\s+REPLACE\s+)?EXTERNAL\s+STREAM\b"),
    ("Amazon Redshift", r"\bCREATE\s+EXTERNAL\s+SCHEMA\b[^;]*?\bFROM\s+(?:KAFKA|MSK)\b"),
    ("an engine with routine loads", r"\bCREATE\s+ROUTINE\s+LOAD\b"),
    ("Realtime Compute", r"\bAS\s+DATABASE\s+[\w.`]+|\bCREATE\s+TABLE\b[^;]*?\bAS\s+TABLE\b[^;]*?/\*\+\s*OPTIONS"),
    ("SingleStore", r"\bLOAD\s+DATA\s+KAFKA\b"),
    ("Arroyo", rf"{_BARE_CONNECTOR}[^;]*?(?<![\w.'\"])bootstrap_servers\s*="),
    ("an unknown engine", rf"{_BARE_CONNECTOR}\s*=\s*'kafka'"),
)
"""Engines whose Kafka tables are not read, each by a form that only it has."""
_UNREAD_PATTERNS = tuple((engine, re.compile(text, re.IGNORECASE)) for engine, text in _UNREAD_ENGINES)
_PATTERNS = tuple((engine, weight, re.compile(text, re.IGNORECASE)) for engine, weight, text in _ENGINES)
_OPTION = re.compile(r"['\"]connector['\"]\s*=", re.IGNORECASE)
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_LONGEST_OPTION = 300
"""Characters of a literal that may be an option of a table; a longer one is a value, such as a document."""
_FOREIGN = re.compile(
    r"\b(?:FOREIGN\s+KEY|REFERENCES\s+[\w.\"`]+\s*\(|AUTO_INCREMENT|AS\s+IDENTITY|ENGINE\s*=|STORED\s+AS|TBLPROPERTIES"
    r"|USING\s+(?:iceberg|delta|parquet|orc|hudi)\b|STREAMING\s+TABLE\b)|\w::\w|[\w\"`]\s+(?:(?:BIG|SMALL)?SERIAL|INT64|FLOAT64)\b",
    re.IGNORECASE,
)
"""What no streaming engine has: a type of Flink beside it is one of another product, too."""
_FLINK_TYPE = re.compile(r"\bSTRING\b|\bTIMESTAMP_LTZ\b|\bROW\s*<|\bMAP\s*<", re.IGNORECASE)
_CONNECTOR = re.compile(
    r"^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?P<kind>SOURCE|SINK)\s+CONNECTOR\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"(?P<name>`[^`]+`|\"[^\"]+\"|[\w$-]+)\s+WITH\s*\((?P<options>.*)\)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(r"'(?:[^']|'')*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)|[\w.+-]++|\S")
_DEFINE = re.compile(r"^\s*DEFINE\s+(?P<name>\w+)\s*=\s*'(?P<value>(?:[^']|'')*)'\s*$", re.IGNORECASE)
_DESCRIBING = re.compile(r"^\s*(?:DROP|TERMINATE)\b", re.IGNORECASE)


class SqlStatement(NamedTuple):
    """A statement without the semicolon; *code* is its text without comments, *line* where it begins."""

    text: str
    code: str
    line: int


def statements_of(text: str) -> list[SqlStatement]:
    """Split a text at the semicolons that are not in quotes or comments."""
    found: list[SqlStatement] = []
    start, pieces, at = 0, list[str](), 0
    line, counted = 1, 0

    def close(end: int) -> None:
        nonlocal line, counted
        code = "".join((*pieces, text[at:end]))
        if code.strip():
            raw = text[start:end]
            begin = start + len(raw) - len(raw.lstrip())
            line += text.count("\n", counted, begin)
            counted = begin
            found.append(SqlStatement(raw.strip(), code, line))

    for match in _SPLIT.finditer(text):
        if match["comment"]:
            pieces += [text[at : match.start()], " "]
            at = match.end()
        elif match["end"]:
            close(match.start())
            start = at = match.end()
            pieces = []
    close(len(text))
    return found


def moves_data(statements: list[SqlStatement]) -> bool:
    """Check whether a file has a statement that declares or moves data."""
    return any(_MOVING.match(statement.code) for statement in statements)


def engine_of(statements: list[SqlStatement], scores: dict[str, int] | None = None) -> str:
    """Return the engine whose SQL the statements are; `database` without a sign of another."""
    code = _LITERAL.sub(_option, ";\n".join(statement.code for statement in statements))
    scores = dict.fromkeys((KSQLDB, FLINK, CONFLUENT, RISINGWAVE, MATERIALIZE), 0) if scores is None else scores
    for engine, weight, pattern in _PATTERNS:
        scores[engine] = scores.get(engine, 0) + (weight if pattern.search(code) else 0)
    if scores[MATERIALIZE] >= 6:
        return MATERIALIZE
    # Confluent's dialect is Flink's: its own signs, or Flink's without a connector.
    plain = _LITERAL.sub("''", code)
    flink = scores[FLINK] + (2 if _FLINK_TYPE.search(plain) and not _FOREIGN.search(plain) else 0)
    best = max(scores[KSQLDB], flink, scores[CONFLUENT], scores[RISINGWAVE])
    if best < 2:
        return DATABASE
    if scores[RISINGWAVE] == best:
        return RISINGWAVE
    if scores[KSQLDB] == best:
        return KSQLDB
    return FLINK if _OPTION.search(code) else CONFLUENT if re.search(r"\bTABLE\b", code, re.IGNORECASE) else FLINK


def unread_engine_of(statements: list[SqlStatement]) -> str:
    """Return the engine whose Kafka tables these statements have and scanner does not read; empty for any other SQL."""
    code = _LITERAL.sub(_option, ";\n".join(statement.code for statement in statements))
    found = next((engine for engine, pattern in _UNREAD_PATTERNS if pattern.search(code)), "")
    return found or ("an unknown engine" if names_topic(statements) else "")


def names_topic(statements: list[SqlStatement]) -> bool:
    """Return whether a statement creates something of Kafka with a topic as an option, as some engine writes it."""
    created = (_QUERY.split(one.code, maxsplit=1)[0] for one in statements if _CREATING.match(one.code))
    return any(_KAFKA.search(code) and _TOPIC_OPTION.search(code) for code in created)


class SqlTopic(NamedTuple):
    """A topic that a statement of another engine names, and whether the object of the statement is written to it."""

    topic: str
    is_written: bool
    line: int


def named_topics(statements: list[SqlStatement]) -> list[SqlTopic]:
    """Return the topics that tables, loads and functions of engines whose SQL is not parsed read and write.

    All engines name topics as options of what is created, or as arguments of a function with Kafka in its name. Such an
    object is read, unless it says that it is a sink, or statements insert into it.
    """
    inserted = _names(_INSERTS, statements)
    found = []
    for one in statements:
        created = _CREATING.match(one.code)
        head = _QUERY.split(one.code, maxsplit=1)[0]
        sources = [head] if created and _KAFKA.search(head) else []
        name = _CREATED.match(one.code)
        own = name["name"].rpartition(".")[2].strip().strip('"`').casefold() if name else ""
        is_sink = bool(_SINK.search(head)) or own in inserted
        for code, is_written in [(head, is_sink) for head in sources] + [
            (part, False) for part in _CALL.findall(one.code)
        ]:
            topics = [topic for match in _TOPICS_OF_OPTION.finditer(code) for topic in match["topics"].split(",")]
            found += [SqlTopic(topic.strip(), is_written, one.line) for topic in topics if topic.strip()]
        found += [SqlTopic(match["topic"], False, one.line) for match in _AT_BROKER.finditer(one.code)]
    return list(dict.fromkeys(found))


_CREATING = re.compile(r"\s*CREATE\b", re.IGNORECASE)
_QUERY = re.compile(r"\bAS\s++(?:SELECT|WITH)\b", re.IGNORECASE)
_KAFKA = re.compile(r"(?<![A-Za-z])kafka", re.IGNORECASE)
_TOPIC_OPTION = re.compile(r"(?<![a-z])(?:topic|subscribe)\w{0,40}+[\"'`]?\s*+(?:=>?\s*+)?['\"]\w", re.IGNORECASE)


_CALL = re.compile(r"\b\w{0,40}kafka\w{0,40}\s*\(([^()]*)\)", re.IGNORECASE)
_TOPICS_OF_OPTION = re.compile(
    r"(?<![a-z])(?:topics?|kafka_topics?(?:_list|_name)?|subscribe)[\"'`]?\s*+(?:=>?|:)?\s*+['\"](?P<topics>[\w][\w.,\s-]*+)['\"]",
    re.IGNORECASE,
)
_AT_BROKER = re.compile(r"\bLOAD\s+DATA\s+KAFKA\s+'[^'/]*/(?P<topic>[\w.-]+)'", re.IGNORECASE)
"""The topic behind the addresses of brokers, as SingleStore has it."""
_SINK = re.compile(
    r"^\s*CREATE\s+(?:OR\s+REPLACE\s+)?SINK\b|(?<![a-z])type[\"'`]?\s*=\s*'sink'|\bkafka_output\b", re.IGNORECASE
)
_NAME = r"(?P<name>(?:[\w$]+|\"[^\"]+\"|`[^`]+`)(?:\s*\.\s*(?:[\w$]+|\"[^\"]+\"|`[^`]+`))*)"
_CREATES = re.compile(
    rf"\bCREATE\s+{_OBJECT}(?:MATERIALIZED\s+VIEW|TABLE|VIEW|SOURCE|SINK)\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}",
    re.IGNORECASE,
)
_CREATED = re.compile(
    rf"\s*CREATE\s+(?:\w+\s+){{0,5}}?(?:TABLE|STREAM|SOURCE|SINK|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}",
    re.IGNORECASE,
)
_INSERTS = re.compile(rf"\bINSERT\s+INTO\s+{_NAME}", re.IGNORECASE)
_USES = re.compile(rf"\b(?:FROM|JOIN|INTO)\s+{_NAME}", re.IGNORECASE)


def created_names(statements: list[SqlStatement]) -> frozenset[str]:
    """Return the last parts, in lower case, of the names of tables, views, sources and sinks that are created."""
    return _names(_CREATES, statements)


def used_names(statements: list[SqlStatement]) -> frozenset[str]:
    """Return the last parts, in lower case, of the names that statements read or insert into."""
    return _names(_USES, statements)


def _names(pattern: re.Pattern[str], statements: list[SqlStatement]) -> frozenset[str]:
    found = (match["name"] for statement in statements for match in pattern.finditer(statement.code))
    return frozenset(name.rpartition(".")[2].strip().strip('"`').casefold() for name in found)


def _option(literal: re.Match[str]) -> str:
    return literal[0] if len(literal[0]) <= _LONGEST_OPTION else "''"


def connector_of(statement: SqlStatement) -> tuple[str, dict[str, str]] | None:
    """Return name and settings of the connector that a statement of ksqlDB creates; None for any other statement."""
    match = _CONNECTOR.match(statement.code.rstrip())
    if match is None:
        return None
    name = match["name"]
    plain = name[1:-1] if name[0] in '`"' else name.upper()  # ksqlDB folds names without quotes
    return plain, dict(_pairs(match["options"]))


def _pairs(options: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of `'name' = 'value', name = value`; anything else is left out."""
    parts = _PART.findall(options)
    for key, sign, value in zip(parts, parts[1:], parts[2:], strict=False):
        if sign == "=" and _is_text(key) and _is_text(value):
            yield _plain(key), _plain(value)


def _is_text(part: str) -> bool:
    """Return whether a part is a word or a whole text in quotation marks."""
    return part[-1] == part[0] and len(part) > 1 if part[0] in "'\"`" else part[0] not in _SIGNS


_SIGNS = frozenset("=,;:()[]{}<>!?&|/\\*%^~@#$")


def with_definitions(statements: list[SqlStatement], variables: Mapping[str, str]) -> Iterator[SqlStatement]:
    """Yield statements of ksqlDB with `${name}` replaced by what DEFINE sets; *variables* are those set elsewhere."""
    known = {name.lower(): value for name, value in variables.items()}
    for statement in statements:
        if match := _DEFINE.match(statement.code):
            known[match["name"].lower()] = match["value"].replace("''", "'")
        elif known and "${" in statement.text:
            text, code = (
                re.sub(r"\$\{(\w+)\}", lambda found: known.get(found[1].lower(), found[0]), part)
                for part in (statement.text, statement.code)
            )
            yield SqlStatement(text, code, statement.line)
        elif not _DESCRIBING.match(statement.code):
            yield statement


def _plain(text: str) -> str:
    return text[1:-1].replace(text[0] * 2, text[0]) if text[:1] in ("'", '"', "`") else text
