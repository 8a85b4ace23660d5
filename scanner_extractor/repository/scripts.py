"""Shell scripts, Makefiles and the commands in YAML files: connectors, topics, SQL and clients of topics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.connectors import file_connector_name, name_in_url, posted_file
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import CLASS, count
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.registrations import register_by_commands, requests_in
from scanner_extractor.repository.shell import Command, expand_script
from scanner_extractor.repository.sql_files import add_sql
from scanner_extractor.repository.statements import moves_data, statements_of
from scanner_model.documents.json_input import load_text
from scanner_model.text import has_placeholder

_TELLING = re.compile(
    r"connector\.class|/connectors\b|\bkafka-topics\b|\b(?:kafkacat|kcat)\b|\bkafka-(?:avro-|protobuf-|json-schema-)?"
    r"console-|\brpk\s+topic|\bkafka\s+topic\s+create|\bksql\b|\btopic_name\b|/ksql\b|\bsql-client\b|\bpsql\b|\.sh\b"
    r"|/subjects/|/config\b|\bschema-registry\b|\bregistry\s+schema\b|\bglue\s+create-schema\b|X-Registry-ArtifactId"
)
_MAKE_VARIABLE = re.compile(r"\$\((\w+)\)")
_JUST_VARIABLE = re.compile(r"\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}")
_MAKE, _JUST = ("makefile", "gnumakefile"), ("justfile", ".justfile")
_TOPIC_NAME = re.compile(r"[\"']topic_name[\"']\s*:\s*[\"'](?P<name>[^\"']+)[\"']")
_GROUP = re.compile(r"group\.id=(?P<group>\S+)")
_CONSOLE = re.compile(r"kafka-(?:avro-|protobuf-|json-schema-)?console-(?P<role>producer|consumer)(?:\.sh)?$")
_LOOKS = frozenset(("--max-messages", "--timeout-ms", "-L", "-Q", "-o", "-e"))
"""Options of a consumer that shows what a topic holds, and ends."""
SCRIPT_ENDINGS = frozenset((".sh", ".bash", ".zsh", ".mk"))


_TOOLS = ("curl", "kafka", "kcat", "ksql", "rpk", ".sh", "schema", "http ")
REQUESTS = (".http", ".rest")
"""Endings of files of HTTP requests, as editors send them."""


def is_script(file: RepositoryFile) -> bool:
    """Check whether a file is a script with commands that are read."""
    is_one = file.ending in (*SCRIPT_ENDINGS, *REQUESTS, ".just") or has_recipes(file) or _is_shell(file.text)
    return is_one and _TELLING.search(file.text) is not None


def has_recipes(file: RepositoryFile) -> bool:
    """Check whether a file has recipes of make or just, by its name."""
    return file.name.lower() in (*_MAKE, *_JUST) or file.ending in (".mk", ".just")


def has_commands(text: str) -> bool:
    """Check whether a text inside another file has commands that are read."""
    return any(word in text for word in _TOOLS) and _TELLING.search(text) is not None


def read_scripts(files: Sequence[RepositoryFile], context: Context) -> None:
    """Read scripts, in the order of their paths."""
    for file in files:
        text = file.text
        if file.ending in REQUESTS:
            _register(list(requests_in(text)), file.path, 0, context)
            continue
        if has_recipes(file):
            text = _commands_of(file)
        read_commands(text, file.path, 0, context)


def _commands_of(file: RepositoryFile) -> str:
    """Return the commands of recipes as a script with the lines of the file."""
    is_just = file.name.lower() in _JUST or file.ending == ".just"
    lines = []
    for line in file.text.splitlines():
        name, sign, value = line.partition(":=") if is_just else ("", "", "")
        if line.startswith(("\t", " ") if is_just else "\t"):
            lines.append(line.lstrip(" \t").lstrip("@+-"))
        else:
            lines.append(f"{name.strip()}={value.strip()}" if sign and name.strip().isidentifier() else "")
    text = "\n".join(lines)
    return _JUST_VARIABLE.sub(r"${\1}", text) if is_just else _MAKE_VARIABLE.sub(r"${\1}", text).replace("$$", "$")


def read_commands(text: str, path: str, before: int, context: Context) -> None:
    """Read the commands of a script that begins *before* lines below the top of the file at *path*."""
    directory = path.rpartition("/")[0]
    scope = context.variables.of(path)
    commands = list(
        expand_script(text, dict(scope), context.find_file(directory), list_files=context.files_like(directory))
    )
    _register(commands, path, before, context)
    clients: list[tuple[Command, str, str, bool]] = []
    for command in commands:
        place = f"{path}:{command.line + before}"
        for body in (*command.words, *command.documents):
            _read_body(body, command, place, context)
        _name_file(command, directory, context)
        listed = list(_clients(command.words))
        for topic, partitions in _created(command.words):
            context.topic(topic, place, partitions)
        for topic in [created for created, _ in _created(command.words)] + [used for used, *_ in listed]:
            if not is_topic_name(topic):
                context.collector.problem(place, f"the topic {topic!r} has no value", "set it with --var")
        clients += [(command, *client) for client in listed]
    stem = PurePosixPath(path).name.rpartition(".")[0] or PurePosixPath(path).name
    pipelines = {command.pipeline for command, *_ in clients}
    for command, topic, group, writes in clients:
        job = group or (stem if len(pipelines) == 1 else f"{stem}:{command.line + before}")
        piped = [other for other in clients if other[0].pipeline == command.pipeline]
        job = job if len(piped) == 1 else stem if len(pipelines) == 1 else f"{stem}:{piped[0][0].line + before}"
        what = "writes" if writes else "reads"
        place = f"{path}:{command.line + before}"
        context.use(job, topic, writes=writes, description=f"the script {path} {what} it", place=place)


def _register(commands: Sequence[Command], path: str, before: int, context: Context) -> None:
    """Add the schemas that the commands of each pipeline register."""
    pipelines: dict[int, list[Command]] = {}
    for command in commands:
        pipelines.setdefault(command.pipeline, []).append(command)
    for listed in pipelines.values():
        register_by_commands(listed, path, f"{path}:{listed[0].line + before}", context)


def _read_body(body: str, command: Command, place: str, context: Context) -> None:
    if CLASS in body:
        for connector in context.connectors_in(body, place.rpartition(":")[0]):
            name = connector.name or name_in_url(command.words)
            context.connector(name or file_connector_name(place.rpartition(":")[0]), connector.config, place)
    if ";" in body and len(body) > 20 and (sql := _sql_in(body)):
        statements = statements_of(sql)
        if moves_data(statements):
            add_sql(statements, place, context)
    if match := _TOPIC_NAME.search(body):
        context.topic(match["name"], place)


def _sql_in(body: str) -> str:
    """Return the statements in a text: those of a request to ksqlDB, else the text itself."""
    if body.lstrip().startswith("{"):
        try:
            value = load_text(body, strict=False)
        except (ValueError, RecursionError):
            return ""
        sql = value.get("ksql") if isinstance(value, dict) else None
        return sql if isinstance(sql, str) else ""
    return body


def _name_file(command: Command, directory: str, context: Context) -> None:
    """Keep the name under which a request registers the configuration that a file holds."""
    file, name = posted_file(command.words, command.reads), name_in_url(command.words)
    if file and name and not has_placeholder(name) and (path := context.path_of(file, directory)):
        context.connector_names.setdefault(path, name)


def _created(words: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """Yield the topics that a command creates, with their partitions where it names them."""
    names = [PurePosixPath(word).name.removesuffix(".sh") for word in words]
    if "kafka-topics" in names and "--create" in words and (topic := _option(words, "--topic")):
        yield topic, count(_option(words, "--partitions"))
    for start in range(len(words) - 2):
        tail = words[start : start + 3]
        if tail == ("kafka", "topic", "create") or (names[start] == "rpk" and tail[1:] == ("topic", "create")):
            partitions = count(_option(words, "--partitions") or _option(words, "-p"))
            yield from ((word, partitions) for word in _plain_words(words[start + 3 :]))


def _plain_words(words: Sequence[str]) -> Iterator[str]:
    """Yield the words before the first option."""
    for word in words:
        if word.startswith("-"):
            return
        yield word


def _clients(words: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, consumer group and whether it is written, for each client that a command runs.

    A consumer that only shows what a topic holds is none.
    """
    for at, word in enumerate(words):
        name = PurePosixPath(word).name
        if match := _CONSOLE.match(name):
            rest = words[at + 1 :]
            topic = _option(rest, "--topic")
            group = _option(rest, "--group") or next((m["group"] for w in rest if (m := _GROUP.match(w))), "")
            writes = match["role"] == "producer"
            if topic and (writes or (group and not _LOOKS & set(rest))):
                yield topic, "" if writes else group, writes
            return
        if name in ("kafkacat", "kcat"):
            rest = words[at + 1 :]
            if "-P" in rest and (topic := _option(rest, "-t")):
                yield topic, "", True
            elif "-G" in rest:
                behind = rest[rest.index("-G") + 1 :]
                yield from ((topic, behind[0], False) for topic in behind[1:] if not topic.startswith("-"))
            return


def _option(words: Sequence[str], name: str) -> str:
    for at, word in enumerate(words):
        if word == name and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


def _is_shell(text: str) -> bool:
    return text.startswith("#!") and re.match(r"#!\s*/(?:\S*env\s+)?\S*sh\b", text) is not None
