"""cluster.json: read, filled in from the environment, and validated whole; every problem is reported at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path

from jsonschema import Draft202012Validator

from scanner_extractor.config.http import http_errors, http_warnings
from scanner_extractor.config.interpolation import Filled, filled
from scanner_extractor.config.kafka import broker_list
from scanner_extractor.config.parsing import manual_files, openlineage_errors, settings_of
from scanner_extractor.config.push import PUSH_SCHEMA, push_errors
from scanner_extractor.config.sections import ValidationContext, member_of
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.source_kinds import SECTIONS
from scanner_extractor.settings.cluster import Settings
from scanner_model.documents.json_positions import (
    PositionedJson,
    parse_with_positions,
    positioned_problems,
    schema_error_messages,
)
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import InputInvalid
from scanner_model.redaction import mask_json


def validation_errors(context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield everything that is wrong in the document, skipping what does not have the right form."""
    yield from _brokers(context)
    yield from _manual_input(context)
    for section in SECTIONS:
        items = section.items(context.document)
        if section.over_http:
            yield from http_errors(items, context)
        yield from section.validate(items, context)
    yield from openlineage_errors(context.document, context.shown)
    yield from push_errors(context)


def validation_warnings(document: Json) -> Iterator[ErrorMessage]:
    """Report what a valid *document* holds that is not acted on, or that is unwise."""
    for section in SECTIONS:
        items = section.items(document)
        yield from section.warn(items)
        if section.over_http:
            yield from http_warnings(items)


def _brokers(context: ValidationContext) -> Iterator[ErrorMessage]:
    brokers = member_of(context.document, "brokers")
    listed = enumerate(brokers if isinstance(brokers, list) else ())
    for path, text in [(("brokers",), brokers), *((("brokers", index), item) for index, item in listed)]:
        if isinstance(text, str) and not _is_broker_list(text):
            yield path, f"{context.shown(path)} is not a broker address", "write host:port, as in kafka-1:9092"


def _is_broker_list(text: str) -> bool:
    try:
        broker_list(text)
    except InputInvalid:
        return False
    return True


def _manual_input(context: ValidationContext) -> Iterator[ErrorMessage]:
    patterns = member_of(context.document, "manual_input")
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        if isinstance(pattern, str) and not manual_files(pattern, context.directory):
            path = ("manual_input", index)
            yield path, f"{context.shown(path)} matches no file", "the pattern is relative to this file"


def cluster_schema() -> Json:
    """Return the JSON Schema of cluster.json, for editors and validators: its own members, and those of each kind."""
    schema = json.loads(files("scanner_extractor.config").joinpath("cluster.schema.json").read_text("utf-8"))
    for section in SECTIONS:
        schema["properties"][section.member] = section.json_schema()
        schema["$defs"] |= {section.member: section.schema, **section.definitions}
    schema["properties"]["push"] = {
        "title": "Push",
        "description": "Catalogs that `scanner push` writes lineage into.",
        "type": "array",
        "items": {"$ref": "#/$defs/push"},
    }
    schema["$defs"]["push"] = PUSH_SCHEMA
    return schema


def read_cluster_file(
    path: Path, environment: Mapping[str, str], registry_types: Collection[str], *, replayed: bool = False
) -> Settings:
    """Read the settings of one cluster; *registry_types* are the kinds of schema registry that may be named.

    *replayed*: a capture holds the texts of job files, so these need not exist. Raises one InputInvalid that lists
    every problem with line, column and JSON path. It shows the names of variables, never what they hold.
    """
    document = parse_with_positions(_text(path), str(path))
    filling = filled(document.value, environment, path.parent)
    shown = replace(document, value=mask_json(document.value))
    context = ValidationContext(
        document=filling.value,
        shown=shown.shown,
        directory=path.parent,
        registry_types=registry_types,
        present=not replayed,
        written=document.value,
    )
    errors = [*filling.errors, *_errors(filling, shown, context)]
    if errors:
        raise InputInvalid.listing(tuple(positioned_problems(errors, shown)))
    return settings_of(filling.value, path, tuple(positioned_problems(validation_warnings(filling.value), shown)))


def _errors(filling: Filled, shown: PositionedJson, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Validate form and meaning, but nothing that could not be filled in."""
    blank = {path for path, _, _ in filling.errors}
    form = schema_error_messages(Draft202012Validator(cluster_schema()).iter_errors(filling.value), shown)
    return (error for error in chain(form, validation_errors(context)) if error[0] not in blank)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=str(path), hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "no file can have this name"
        raise InputInvalid(f"cannot be read: {reason}", where=str(path), hint="name a cluster.json") from error
