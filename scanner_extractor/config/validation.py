"""What a JSON Schema cannot check in a cluster.json: brokers and files here, each kind of source in its own section."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.http import http_errors, http_warnings
from scanner_extractor.config.kafka import broker_list
from scanner_extractor.config.parsing import manual_files, openlineage_errors
from scanner_extractor.config.sections import ValidationContext, member_of
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.source_kinds import SECTIONS
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.errors import InputInvalid


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
