"""Read files of SQL: statements of ksqlDB and Flink as they are, and the connectors and topics of ksqlDB's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import STATEMENT, Context
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.statements import (
    CONFLUENT,
    DATABASE,
    FLINK,
    KSQLDB,
    MATERIALIZE,
    RISINGWAVE,
    SqlStatement,
    connector_of,
    created_names,
    engine_of,
    moves_data,
    named_topics,
    statements_of,
    unread_engine_of,
    used_names,
    with_definitions,
)
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.tables import add_database_tables, add_engine_objects

_LIKELY = re.compile(
    r"(?:^|;|\*/)[^\S\n]*(?:CREATE|INSERT|EXECUTE|BEGIN|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?[A-Z]",
    re.IGNORECASE | re.MULTILINE,
)
_PROGRAMS = words(
    ".adoc .bat .c .cc .cfg .clj .conf .cpp .cs .csv .dockerfile .go .gradle .groovy .h .hcl .html .ipynb"
    " .java .js .json .jsonl .jsx .kt .kts .log .lua .md .mdx .ndjson .php .pl .properties .proto .ps1 .py"
    " .rb .rs .rst .scala .sh .swift .tf .tfvars .toml .ts .tsx .tsv .vue .xml .yaml .yml .zsh .bash .env"
)
"""Endings of files whose SQL is a part of something else."""
_TOPIC = re.compile(r"\bKAFKA_TOPIC\s*=\s*'(?P<topic>[^']+)'", re.IGNORECASE)
_DOWN = re.compile(r"^--[ \t]*(?:\+goose|\+migrate|migrate:|@)[ \t]?[Dd](?:own|OWN)\b", re.MULTILINE)
"""The part of a migration that takes it back: of goose, sql-migrate and dbmate."""
_VIEWING = (RISINGWAVE, MATERIALIZE)
_INSERTING = re.compile(r"^\s*(?:INSERT|EXECUTE)\b", re.IGNORECASE)


def is_sql(file: RepositoryFile) -> bool:
    """Check whether a file holds statements of SQL that declare or move data."""
    if file.ending in _PROGRAMS or file.text.startswith("#!") or not _LIKELY.search(file.text):
        return False
    statements = statements_of(file.text)
    return moves_data(statements) or ("kafka" in file.text.lower() and bool(named_topics(statements)))


def read_sql_files(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read files of SQL; one whose engine it does not show has that of the files that declare its tables."""
    files = [file for file in files if file.path not in context.stated]
    split = {file.path: statements_of(without_down(file.text)) for file in files}
    engines = {path: context.engine or engine_of(statements) for path, statements in split.items()}
    for file in files:
        if engines[file.path] == DATABASE and _only_inserts(split[file.path]):
            engines[file.path] = _engine_beside(file, engines) or DATABASE
    _claim_by_names(split, engines)
    for file in files:
        if engines[file.path] != DATABASE:
            add_sql(split[file.path], file.path, context, engines[file.path])
    migrations = sorted((path for path in split if engines[path] == DATABASE), key=_in_order)
    declared = {name for statements in split.values() for name in created_names(statements)}
    for path in migrations:
        topics = [one for one in named_topics(split[path]) if is_topic_name(one.topic)]
        for topic in topics:
            what = f"the SQL in {path} {'writes' if topic.is_written else 'reads'} it"
            place = f"{path}:{topic.line}"
            job = path.rpartition(".")[0] or path  # the path itself is the job of a file that is not read
            context.use(job, topic.topic, writes=topic.is_written, description=what, place=place)
        if engine := unread_engine_of(split[path]):
            what = "only their topics are read" if topics else "they are not read"
            context.leave(path, "SQL", f"Kafka tables of {engine}: {what}")
        elif topics:
            context.leave(path, "SQL", "functions that read Kafka: only their topics are read")
        elif _only_inserts(split[path]) and declared.isdisjoint(used_names(split[path])):
            context.leave(path, "SQL", "the engine of these statements is not known: no file declares their tables")
    listed = [(path, split[path]) for path in migrations if not takes_back(path)]
    add_database_tables([*listed, *context.migrations], context)


def without_down(text: str) -> str:
    """Return a file of SQL without the part that takes a migration back."""
    return _DOWN.split(text)[0]


def takes_back(path: str) -> bool:
    """Return whether a file takes a migration back, by its name: those of golang-migrate, Flyway and Sqitch."""
    *folders, name = path.split("/")
    is_undo = name[:1] == "U" and name[1:2].isdigit() and "__" in name
    return name == "down.sql" or name.endswith(".down.sql") or is_undo or folders[-1:] == ["revert"]


def _only_inserts(statements: Sequence[SqlStatement]) -> bool:
    return all(_INSERTING.match(statement.code) for statement in statements if moves_data([statement]))


def _claim_by_names(split: Mapping[str, list[SqlStatement]], engines: dict[str, str]) -> None:
    """Assign a file of views to the engine whose files create what the views read: RisingWave or Materialize."""
    created = {path: created_names(statements) for path, statements in split.items()}
    owners = {name: engines[path] for path, names in created.items() for name in names if engines[path] in _VIEWING}
    open_files = [path for path, engine in engines.items() if engine == DATABASE and not unread_engine_of(split[path])]
    while claimed := [path for path in open_files if owners.keys() & used_names(split[path])]:
        for path in claimed:
            engines[path] = next(owners[name] for name in sorted(used_names(split[path])) if name in owners)
            owners |= dict.fromkeys(created[path], engines[path])
            open_files.remove(path)


def add_sql(statements: Sequence[SqlStatement], place: str, context: Context, engine: str = "") -> None:
    """Add statements that stand at *place*: a file, or a line of one."""
    engine = engine or context.engine or engine_of(list(statements))
    directory = place.rpartition("/")[0]
    listed = [
        statement._replace(
            text=context.variables.resolved(statement.text, directory),
            code=context.variables.resolved(statement.code, directory),
        )
        for statement in statements
    ]
    match engine:
        case "ksqldb":
            _add_ksqldb(listed, place, context)
        case "flink" | "confluent":
            text = ";\n".join(statement.text for statement in listed)
            context.collector.add_statement(place, text, place, CONFLUENT if engine == CONFLUENT else "")
        case "risingwave" | "materialize":
            add_engine_objects(listed, engine, place, context)
        case _:
            add_database_tables([(place, listed)], context)


def _add_ksqldb(statements: Sequence[SqlStatement], place: str, context: Context) -> None:
    kept: list[str] = []
    file = place if not re.search(r":\d+$", place) else place.rpartition(":")[0]
    for statement in with_definitions(list(statements), {}):
        if connector := connector_of(statement):
            context.connector(*connector, f"{file}:{statement.line}")
            continue
        if (match := _TOPIC.search(statement.code)) and is_topic_name(match["topic"]):
            context.topic(match["topic"], f"{file}:{statement.line}", tool=STATEMENT)
        kept.append(statement.text)
    if kept:
        context.collector.add_statement(place, ";\n".join(kept) + ";", place, KSQLDB)


def _in_order(path: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """Return the key by which migrations follow each other: `V2__a.sql` before `V10__b.sql`."""
    directory, _, name = path.rpartition("/")
    return directory, tuple((int(digits or 0), word) for digits, word in re.findall(r"(\d+)|(\D+)", name))


def _engine_beside(file: RepositoryFile, engines: Mapping[str, str]) -> str:
    """Return the engine of the other files in a file's directory; empty where they have several, or none."""
    listed = {
        engine
        for path, engine in engines.items()
        if path != file.path and path.rpartition("/")[0] == file.directory and engine != DATABASE
    }
    return listed.pop() if len(listed) == 1 else FLINK if FLINK in listed else ""
