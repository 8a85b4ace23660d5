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
_PARSE_YAML = "scanner_extractor.repository.yaml_documents:parse_yaml"
"""What reads such files is imported if there are some."""

FILE, MEMBER = ".scanner.yaml", "topic-files"
"""The settings file at the top of a repository, and its member."""
KIND = "topic file"
"""What these files are counted as."""
_MEMBERS = {
    "topic": "Name of the topic, such as `@.name` or `{$.team}.{@.name}`.",
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
}
_EXPRESSION: Json = {"type": "string", "minLength": 1, "maxLength": 500}
_EXPRESSIONS: Json = {"anyOf": [_EXPRESSION, {"type": "array", "minItems": 1, "maxItems": 10, "items": _EXPRESSION}]}
TOPIC_FILES_SCHEMA: Json = {
    "title": "Topic files",
    "description": (
        "Files that describe topics and their users in a form of your own. Each member is a JSONPath from the document "
        "($.name) or the entry (@.name), a text with such paths in braces, or a list of these: the first with a result "
        "counts. {file}, {directory} and {key} are the name of the file, of its directory, and of the entry."
    ),
    "type": "array",
    "maxItems": 100,
    "items": {
        "type": "object",
        "required": ["files"],
        "anyOf": [{"required": ["topic"]}, {"required": ["program"]}],
        "additionalProperties": False,
        "properties": {
            "files": {**_EXPRESSION, "description": "Pattern of the paths, as in .gitignore."},
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
            }
        ]
    ],
}
"""The JSON Schema of the setting."""


def parse_topic_files(items: Sequence[Mapping[str, Json]]) -> tuple[TopicFiles, ...]:
    """Return the setting; raises InputInvalid if it does not fit its schema, or if an expression is invalid."""
    for error in load("jsonschema:Draft202012Validator")(TOPIC_FILES_SCHEMA).iter_errors(items):
        raise InputInvalid(error.message, where=error.json_path)
    parsed = []
    for at, item in enumerate(items):
        members = {name: _listed(item[name]) for name in _MEMBERS if name in item}
        for name, expressions in (("each", (item.get("each", "$"),)), *members.items()):
            for expression in expressions:
                try:
                    load(f"{_MAPPING}:check_expression")(expression)
                except InputInvalid as error:
                    raise InputInvalid(error.what, where=f"$[{at}].{name}", hint=error.hint) from error
        parsed.append(TopicFiles(files=item["files"], each=item.get("each", "$"), **members))
    return tuple(parsed)


def settings_of(text: str) -> tuple[TopicFiles, ...]:
    """Return the topic files that the text of `.scanner.yaml` lists; raises InputInvalid if they are not valid."""
    document = next(load(_PARSE_YAML)(text), None)
    if document is not None and document.error:
        raise InputInvalid(f"line {document.line}: {document.error}")
    value = document.value if document is not None else None
    listed = value.get(MEMBER) if isinstance(value, dict) else None
    return parse_topic_files(listed) if listed is not None else ()


def is_listed(mapping: TopicFiles, path: str) -> bool:
    """Check whether a path fits the pattern of topic files."""
    pattern = glob_pattern(mapping.files)
    return pattern is not None and pattern.fits(path)


def read_topic_files(mappings: Sequence[TopicFiles], files: Sequence[RepositoryFile], context: Context) -> None:
    """Read each file as the settings describe it; one in which nothing is found is left."""
    for file in files:
        parsed = list(load(f"{_MAPPING}:documents")(file, context, KIND))
        for mapping in mappings:
            if is_listed(mapping, file.path):
                count = sum(
                    load(f"{_MAPPING}:add_entries")(file, document, mapping, context, KIND) for document in parsed
                )
                if parsed and not count:
                    context.leave(file, KIND, f"no topic at {mapping.each!r} as `topic_files` describes it")


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
