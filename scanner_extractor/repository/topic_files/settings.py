"""The setting `topic_files` of cluster.json, which `.scanner.yaml` has as `topic-files`: forms of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.globs import glob_pattern
from scanner_extractor.repository.settings import TopicFiles
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load

if TYPE_CHECKING:
    from scanner_extractor.repository.context import Context

Json = Any

_MAPPING = "scanner_extractor.repository.topic_files.mapping"
_HAS_WORDS = "scanner_extractor.repository.topic_files.forms:has_words"
_CHECK = "scanner_extractor.repository.topic_files.expressions:check_expression"
_PARSE_YAML = "scanner_extractor.repository.yaml_documents:parse_yaml"
"""What reads such files is imported if there are some."""

FILE, MEMBER = ".scanner.yaml", "topic-files"
"""The settings file at the top of a repository, and its member."""
_ENDINGS = (".yaml", ".yml", ".json", ".toml")
KIND = "topic file"
"""What these files are counted as."""
_MEMBERS = {
    "topic": "Name of the topic, such as `@.name` or `{$.team}.{@.name}`.",
    "partitions": "Number of its partitions.",
    "replication": "Its replication factor.",
    "config": "Object with its settings.",
    "readers": "Programs that read the topic.",
    "writers": "Programs that write the topic.",
    "program": "Name of a program, in files that describe programs instead of topics.",
    "reads": "Topics that the program reads.",
    "writes": "Topics that the program writes.",
    "owner": "Owner of the topic.",
    "description": "Description of the topic.",
    "tags": "Tags of the topic.",
    "schemas": "Files of the schemas of its values, relative to the file.",
    "key_schemas": "Files of the schemas of its keys.",
    "subject": "Subject that a schema is registered under.",
    "schema": "The schema: a text or an object.",
    "schema_file": "File of the schema of the subject, relative to the file.",
    "format": "Format of the schema: AVRO, JSON or PROTOBUF. Default: recognized.",
    "version": "Version of the subject that the schema is.",
    "references": "Objects with the `name` that the schema uses and the `subject` of what it refers to.",
    "compatibility": "Compatibility level of the subject; without `subject`, of the registry.",
    "connector": "Name of a connector.",
    "connector_class": "Its class, if that is not among its settings.",
    "settings": "Object with its settings.",
    "job": "Name of a job.",
    "sql": "Its Flink statements.",
    "principal": "Principal that may use the topic, such as `User:billing`.",
    "operations": "What it may do: read, write, all.",
    "pattern": "`prefixed` if `topic` is the prefix of names.",
    "permission": "`deny` if the rule forbids.",
    "host": "The only address that the rule is about. Default: every one.",
    "absent": "`true` or `absent` if the entry is to be removed.",
}
_EXPRESSION: Json = {"type": "string", "minLength": 1, "maxLength": 500}
_EXPRESSIONS: Json = {"anyOf": [_EXPRESSION, {"type": "array", "minItems": 1, "maxItems": 10, "items": _EXPRESSION}]}
TOPIC_FILES_SCHEMA: Json = {
    "title": "Topic files",
    "description": (
        "Files that describe topics, schemas, connectors, jobs or rights in a form of your own. "
        "Each member is a JSONPath from the document "
        "($.name) or the entry (@.name), a text with such paths in braces, or a list of these: the first with a result "
        "counts. {file}, {directory} and {key} are the name of the file, of its directory, and of the entry."
    ),
    "type": "array",
    "maxItems": 100,
    "items": {
        "type": "object",
        "allOf": [
            {"anyOf": [{"required": [name]} for name in ("files", "when")]},
            {"anyOf": [{"required": [name]} for name in ("topic", "program", "schema", "subject", "connector", "job")]},
        ],
        "additionalProperties": False,
        "properties": {
            "files": {**_EXPRESSION, "description": "Pattern of the paths, as in .gitignore."},
            "when": {
                "type": "object",
                "description": (
                    "Values that files of the form have, by JSONPath from the document or the entry; "
                    "`*` stands for any characters."
                ),
                "minProperties": 1,
                "maxProperties": 10,
                "additionalProperties": _EXPRESSIONS,
            },
            "each": {**_EXPRESSION, "description": "JSONPath of the entries. Default: $, the document."},
            **{name: {**_EXPRESSIONS, "description": text} for name, text in _MEMBERS.items()},
        },
    },
    "examples": [
        [
            {
                "files": "streams/*.yaml",
                "each": "$.topics[*]",
                "topic": "@.name",
                "writers": "@.producer",
                "readers": "@.consumers[*].service",
            },
            {
                "when": {"$.apiVersion": "data.acme.io/*", "$.kind": "Event"},
                "subject": "{$.metadata.name}-value",
                "schema": "$.spec.avro",
                "compatibility": "$.spec.compatibility",
            },
        ]
    ],
}
"""The JSON Schema of the setting."""


def parse_topic_files(items: Sequence[Mapping[str, Json]]) -> tuple[TopicFiles, ...]:
    """Return the setting; raises InputInvalid if it does not fit its schema, or if an expression is invalid."""
    for error in load("jsonschema:Draft202012Validator")(TOPIC_FILES_SCHEMA).iter_errors(items):
        raise InputInvalid(error.message, where=error.json_path)
    return tuple(_parsed(item, at) for at, item in enumerate(items))


def _parsed(item: Mapping[str, Json], at: int) -> TopicFiles:
    members = {name: _listed(item[name]) for name in _MEMBERS if name in item}
    when = {path: _listed(value) for path, value in item.get("when", {}).items()}
    for name, expressions in (("each", (item.get("each", "$"),)), ("when", tuple(when)), *members.items()):
        for expression in expressions:
            try:
                load(_CHECK)(expression)
            except InputInvalid as error:
                raise InputInvalid(error.what, where=f"$[{at}].{name}", hint=error.hint) from error
    return TopicFiles(files=item.get("files", ""), each=item.get("each", "$"), when=when, **members)


def settings_of(text: str) -> tuple[TopicFiles, ...]:
    """Return the topic files that the text of `.scanner.yaml` lists; raises InputInvalid if they are not valid."""
    document = next(load(_PARSE_YAML)(text), None)
    if document is not None and document.error:
        raise InputInvalid(f"line {document.line}: {document.error}")
    value = document.value if document is not None else None
    listed = value.get(MEMBER) if isinstance(value, dict) else None
    return parse_topic_files(listed) if listed is not None else ()


def is_listed(form: TopicFiles, path: str) -> bool:
    """Check whether a path fits the pattern of a form, or the endings of all forms without one."""
    pattern = glob_pattern(form.files) if form.files else None
    return pattern.fits(path) if pattern is not None else not form.files and path.endswith(_ENDINGS)


def read_topic_files(forms: Sequence[TopicFiles], files: Sequence[RepositoryFile], context: Context) -> None:
    """Read each file as the settings describe it; one in which nothing is found is left."""
    for file in files:
        chosen = [form for form in forms if is_listed(form, file.path) and load(_HAS_WORDS)(form, file.text)]
        parsed = list(load(f"{_MAPPING}:documents")(file, context, KIND)) if chosen else []
        for form in chosen:
            fitting = [document for document in parsed if load(f"{_MAPPING}:fits")(form.when, "$", document.value)]
            add = load(f"{_MAPPING}:add_entries")
            if fitting and not sum(add(file, document, form, context, KIND) for document in fitting):
                context.leave(file, KIND, f"nothing at {form.each!r} as `topic_files` describes it")


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
