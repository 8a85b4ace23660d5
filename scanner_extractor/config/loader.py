"""cluster.json → settings: read, filled in from the environment, validated whole; all problems are reported at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path

import regex
from jsonschema import Draft202012Validator, FormatChecker

from scanner_extractor.config.brokers import broker_list
from scanner_extractor.config.http import WEB_ADDRESS, http_errors, http_warnings, valid_address
from scanner_extractor.config.interpolation import Filled, filled, named_files
from scanner_extractor.config.policy import policy_errors
from scanner_extractor.config.push import push_errors, push_schema, push_settings
from scanner_extractor.config.sections import ParseContext, ValidationContext, member_of
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.source_kinds import MEMBERS, sections, source_settings
from scanner_extractor.settings.cluster import OpenLineageSettings, Settings
from scanner_model.documents.json_positions import (
    PositionedJson,
    parse_with_positions,
    positioned_problems,
    schema_error_messages,
)
from scanner_model.documents.pattern_limits import is_too_large
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.errors import InputInvalid, Problem
from scanner_model.lazy_names import load
from scanner_model.names import ClusterName
from scanner_model.redaction import mask_json
from scanner_model.usage import USAGE, USAGE_SCHEMA

_PATHS = frozenset({"caCertPath", "ca_cert_path", "clientCertPath", "client_cert_path", "clientKeyPath"})
_WRITTEN = "log_file_path"
_TRIGGERS = "triggers"
_TRIGGERS_MODULE = "scanner_model.triggers"
"""Imported if a file has some."""
_FORMATS = FormatChecker(formats=())
_FORMATS.checks("web address")(lambda value: not isinstance(value, str) or valid_address(value) is not None)
_OVER_HTTP = frozenset({"http", "async_http"})


def openlineage_settings(item: Json, base: Path) -> OpenLineageSettings:
    """Build the settings; files beside the cluster.json, in the directory *base*, get their whole paths."""
    return OpenLineageSettings(transport=_placed(item["transport"], base))


def openlineage_errors(document: Json, shown: Callable[[JsonPath], str]) -> Iterator[ErrorMessage]:
    """Report invalid addresses of a document of any form; *shown* gives values without secrets."""
    item = document.get("openlineage") if isinstance(document, dict) else None
    transport = item.get("transport") if isinstance(item, dict) else None
    for path, entry in _transports(transport, ("openlineage", "transport")):
        kind, url = entry.get("type"), entry.get("url")
        if isinstance(kind, str) and kind in _OVER_HTTP and isinstance(url, str) and not valid_address(url):
            where = (*path, "url")
            yield where, f"{shown(where)} is not a web address", WEB_ADDRESS


def _transports(value: Json, path: JsonPath) -> Iterator[tuple[JsonPath, dict[str, Json]]]:
    """Return a transport and those inside it."""
    if not isinstance(value, dict):
        return
    yield path, value
    inside = value.get("transports")
    listed = inside.items() if isinstance(inside, dict) else enumerate(inside if isinstance(inside, list) else ())
    for name, transport in listed:
        yield from _transports(transport, (*path, "transports", name))
    yield from _transports(value.get("transport"), (*path, "transport"))


def _placed(value: Json, base: Path) -> Json:
    match value:
        case dict():
            return {name: _member(name, member, base) for name, member in value.items()}
        case list():
            return [_placed(item, base) for item in value]
        case _:
            return value


def _member(name: str, value: Json, base: Path) -> Json:
    """Return a member; what is written need not be there yet, what is read has to be, else it may be no path."""
    if not isinstance(value, str) or "://" in value:
        return _placed(value, base)
    is_read = name in _PATHS or name.endswith(".location")
    return str(base / value) if name == _WRITTEN or (is_read and value and (base / value).exists()) else value


def settings_of(document: Json, file: Path, warnings: tuple[Problem, ...]) -> Settings:
    """Build the settings of one cluster; relative paths are relative to *file*."""
    base, secret_names = file.parent, frozenset(name.lower() for name in document.get("secret_names", []))
    context = ParseContext(document=document, base=base, secret_names=secret_names)
    return Settings(
        cluster=ClusterName(document["cluster"]),
        brokers=broker_list(document.get("brokers", [])),
        aliases=tuple(("address", _alias(alias)) for alias in document.get("aliases", [])),
        servers=tuple(sorted((_namespace(name), alias) for name, alias in document.get("servers", {}).items())),
        file=file,
        openlineage=openlineage_settings(document["openlineage"], base) if "openlineage" in document else None,
        manual_input=_files(document.get("manual_input", []), base),
        secret_names=secret_names,
        warnings=warnings,
        push=tuple(push_settings(item, context) for item in document.get("push", ())),
        triggers=load(f"{_TRIGGERS_MODULE}:Triggers").of(document[_TRIGGERS]) if _TRIGGERS in document else None,
        **source_settings(context),
    )


def _alias(text: str) -> str:
    """Return an alias back; raises InputInvalid if it begins with `regex:` without a valid expression."""
    if text.startswith("regex:") and is_too_large(text):
        raise InputInvalid(f"{text!r} repeats too much to be evaluated", where="aliases")
    try:
        regex.compile(text.removeprefix("regex:") if text.startswith("regex:") else "")
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"{text!r} is not a regular expression: {error}", where="aliases") from error
    return text


def _namespace(text: str) -> str:
    """Return a namespace back; raises InputInvalid, without showing it, if it is invalid or may contain a password."""
    if "@" in text or ":" not in text:
        hint = 'write it as lineage shows it, without a user: "postgres://10.0.0.7:5432"'
        raise InputInvalid("a namespace has no scheme, or names a user", where="servers", hint=hint)
    return text


def manual_files(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file, every *.json of a directory, or what a pattern matches."""
    return named_files(pattern, base, "*.json")


def _files(patterns: list[str], base: Path) -> tuple[Path, ...]:
    return tuple(sorted({path for pattern in patterns for path in manual_files(pattern, base)}))


def validation_errors(context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield everything that is wrong in the document, skipping what does not have the right form."""
    yield from _brokers(context)
    yield from _manual_input(context)
    for section in sections(context.document):
        items = section.items(context.document)
        if section.over_http:
            yield from http_errors(items, context)
        yield from section.validate(items, context)
    yield from openlineage_errors(context.document, context.shown)
    yield from push_errors(context)
    yield from policy_errors(context.document)


def validation_warnings(document: Json) -> Iterator[ErrorMessage]:
    """Report what a valid *document* holds that is not acted on, or that is unwise."""
    for section in sections(document):
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


def cluster_schema(document: Json = None) -> Json:
    """Return the JSON Schema of cluster.json, for editors and validators: its own members, and those of each kind.

    With a *document*, only what it names is imported, and its other members may have any form.
    """
    schema = json.loads(files("scanner_extractor.config").joinpath("cluster.schema.json").read_text("utf-8"))
    schema["properties"] |= dict.fromkeys(MEMBERS, True)
    for section in sections(document):
        schema["properties"][section.member] = section.json_schema()
        schema["$defs"] |= {section.member: section.definition(document), **section.definitions}
    schema["properties"]["push"] = {
        "title": "Push",
        "description": "Catalogs that `scanner push` writes lineage into.",
        "type": "array",
        "items": {"$ref": "#/$defs/push"},
    }
    schema["$defs"]["push"] = push_schema(document)
    schema["properties"][USAGE] = USAGE_SCHEMA
    is_named = document is None or (isinstance(document, dict) and _TRIGGERS in document)
    schema["properties"][_TRIGGERS] = load(f"{_TRIGGERS_MODULE}:TRIGGERS_SCHEMA") if is_named else True
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
    validator = Draft202012Validator(cluster_schema(filling.value), format_checker=_FORMATS)
    form = schema_error_messages(validator.iter_errors(filling.value), shown)
    return (error for error in chain(form, validation_errors(context)) if error[0] not in blank)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=str(path), hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "no file can have this name"
        raise InputInvalid(f"cannot be read: {reason}", where=str(path), hint="name a cluster.json") from error
