"""cluster.json: read, filled in from the environment, and validated whole; every problem is reported at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path

from jsonschema import Draft202012Validator

from scanner_extractor.config.interpolation import Filled, filled
from scanner_extractor.config.parsing import settings_of
from scanner_extractor.config.sections import ValidationContext
from scanner_extractor.config.validation import validation_errors, validation_warnings
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


def cluster_schema() -> Json:
    """Return the JSON Schema of cluster.json, for editors and validators: its own members, and those of each kind."""
    schema = json.loads(files("scanner_extractor.config").joinpath("cluster.schema.json").read_text("utf-8"))
    for section in SECTIONS:
        schema["properties"][section.member] = section.json_schema()
        schema["$defs"] |= {section.member: section.schema, **section.definitions}
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
