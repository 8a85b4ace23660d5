"""The `repositories` and `schemas` of cluster.json, and the files of its `ksqldb`: files as teams keep them in git."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from scanner_extractor.config.sections import (
    Items,
    ParseContext,
    Section,
    ValidationContext,
    name_list,
    name_or_path,
    nonempty,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.repository.settings import SUBJECT, RepositorySettings
from scanner_extractor.repository.topic_files.settings import TOPIC_FILES_SCHEMA, parse_topic_files
from scanner_extractor.results import Progress, Reading, no_progress
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
)
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load
from scanner_model.maturity import live

_REPOSITORY: Json = {
    "title": "Repository",
    "description": "A directory. Files are recognized by content, not by name.",
    "type": "object",
    "required": ["path"],
    "properties": {
        "name": nonempty("Name", "Name of the source. Keep it when the directory moves.", "shop"),
        "path": nonempty("Directory", "Directory, relative to cluster.json.", ".", "../shop"),
        "files": name_list("Files", "Patterns of paths to read; all by default.", "deploy/**/*.json"),
        "variables": {
            "title": "Variables",
            "description": "Values for placeholders in the files, by name.",
            "type": "object",
            "additionalProperties": {"type": "string"},
            "examples": [{"TOPIC_PREFIX": "prod."}],
        },
        "topic_files": TOPIC_FILES_SCHEMA,
    },
    "additionalProperties": False,
    "examples": [{"path": "."}],
}


def parse_repository(item: Json, context: ParseContext) -> RepositorySettings:
    """Return the settings of a repository."""
    return RepositorySettings(
        pattern=item["path"],
        directory=context.base / item["path"],
        name=item.get("name", ""),
        files=tuple(item.get("files", ())),
        variables=item.get("variables", {}),
        topic_files=parse_topic_files(item.get("topic_files", [])),
        secret_names=context.secret_names,
        beside=tuple(
            context.base / other["path"] for other in context.document["repositories"] if other["path"] != item["path"]
        ),
    )


def parse_files(item: Json, context: ParseContext, *, kind: str, engine: str = "") -> RepositorySettings:
    """Return the settings of files of one *kind* by the pattern of their paths, relative to cluster.json."""
    return RepositorySettings(
        pattern=item["path"],
        directory=context.base,
        name=item.get("name", ""),
        kinds=frozenset((kind,)),
        files=(item["path"].replace(SUBJECT, "*"),),
        engine=engine,
        secret_names=context.secret_names,
    )


def validate_repositories(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `repositories` of cluster.json: a path that is not a directory, two of one name."""
    for path, item in items:
        directory, where = item.get("path"), (*path, "path")
        if context.present and isinstance(directory, str) and not (context.directory / directory).is_dir():
            yield where, f"{context.shown(where)} is not a directory", "the path is relative to this file"
        try:
            parse_topic_files(item.get("topic_files", []))
        except InputInvalid as error:
            yield (*path, "topic_files"), f"{error.where}: {error.what}", error.hint
    yield from repeated_sources(items, name_or_path)


def validate_schemas(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `schemas` of cluster.json: two of one name or pattern."""
    return repeated_sources(items, name_or_path)


SCHEMAS_SECTION = Section(
    member="schemas",
    listing={
        "title": "Schema files",
        "description": "Schema files, read like a registry.",
        "examples": [[{"path": "**/{subject}.avsc"}]],
    },
    schema={
        "title": "Schema files",
        "description": "Avro, Protobuf and JSON Schema files, each a version of a subject.",
        "type": "object",
        "required": ["path"],
        "properties": {
            "name": nonempty("Name", "Name of the source.", "schemas"),
            "path": nonempty(
                "Files",
                "Pattern of paths; `{subject}` is the subject, without a version such as _v2.",
                "schemas/**/{subject}.avsc",
            ),
        },
        "additionalProperties": False,
        "examples": [{"path": "**/{subject}.avsc"}],
    },
    parse=partial(parse_files, kind="schema"),
    validate=validate_schemas,
    over_http=False,
)


REPOSITORY_SECTION = Section(
    member="repositories",
    listing={
        "title": "Repositories",
        "description": "Directories with schemas, topics, connectors and statements, recognized by content.",
        "examples": [[{"path": "."}]],
    },
    schema=_REPOSITORY,
    parse=parse_repository,
    validate=validate_repositories,
    over_http=False,
)


_READER = "scanner_extractor.repository.reader"


def repository_probes(settings: RepositorySettings, _: Connections) -> Iterator[Probe]:
    """Try to read every file; what was found is counted by kind."""

    def read() -> str:
        reading = load(f"{_READER}:directory_reading")(settings, no_progress)
        kinds = ", ".join(f"{len(files)} {kind}" for kind, files in reading.files.items())
        return f"{reading.seen} files, of them {kinds or 'none that is read'}"

    yield Probe("read its files", read)


def _read_repository(settings: RepositorySettings, _: Connections, progress: Progress) -> Reading:
    result: Reading = load(f"{_READER}:read_directory")(settings, progress)
    return result


def repository_kind(section: Section[Any]) -> SourceKind[RepositorySettings]:
    """Return the kind of the repositories that *section* of cluster.json declares."""
    return SourceKind(
        name="repository",
        phase=STREAMING,
        section=section,
        settings=RepositorySettings,
        proofs=tested(live("repositories", "of 14 public examples", "benchmarks/estates.py")),
        read=_read_repository,
        check=repository_probes,
    )


REPOSITORY = repository_kind(REPOSITORY_SECTION)

SCHEMA_FILES = repository_kind(SCHEMAS_SECTION)
