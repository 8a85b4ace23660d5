"""What a JSON Schema cannot check in a cluster.json: addresses, files, patterns, types, sources named twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from scanner_extractor.config.catalogs import catalog_errors
from scanner_extractor.config.confluent_cloud import cloud_errors, cloud_sources
from scanner_extractor.config.flink import FileValidator
from scanner_extractor.config.parsing import broker_list, manual_files, openlineage_errors
from scanner_extractor.config.sections import ValidationContext
from scanner_extractor.http.messages import Address, Json, read_address
from scanner_extractor.naming import strategies_in_force
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.scan.source_kinds import SECTIONS
from scanner_extractor.scan.source_types import SourceTypes
from scanner_extractor.settings.cluster import url_context
from scanner_extractor.settings.flink import SQL_GATEWAY
from scanner_model.documents.json_positions import PositionedJson
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, closest_match, error_messages
from scanner_model.errors import InputInvalid
from scanner_model.plugins import PluginError

_SOURCES = ("schema_registries", "ksqldb", "connect")
_CATALOGS = ("catalogs",)
_FLINK = ("flink",)
_BOOTSTRAP = ("bootstrap.servers", "metadata.broker.list")
_TLS_FILES = ("ca", "certificate", "key")


@dataclass(frozen=True, slots=True)
class Validator:
    """Validates a filled-in *document* of any form; *shown* is the same without secrets and as it is written.

    *present*: files that define jobs must exist; a replay needs none.
    """

    document: Json
    shown: PositionedJson
    directory: Path
    registry_types: Collection[str]
    present: bool = True

    def errors(self) -> Iterator[ErrorMessage]:
        """Yield everything that is wrong, skipping what does not have the right form."""
        yield from self._brokers()
        yield from self._kafka()
        yield from self._manual_input()
        for path, item in _items(self.document, _SOURCES):
            yield from self._http(path, item)
        for path, item in _items(self.document, _SOURCES[:1]):
            yield from self._registry(path, item)
        yield from self._repeated()
        yield from self._namesakes()
        yield from self._jobs()
        catalogs = tuple(_items(self.document, _CATALOGS))
        for path, item in catalogs:
            yield from self._http(path, item)
        if catalogs:
            from scanner_extractor.catalogs import CATALOGS  # each with its reader: most files name no catalog

            yield from catalog_errors(catalogs, self.shown.shown, tuple(CATALOGS))
            for path, item in catalogs:
                yield from self._options(path, item, CATALOGS)
        for path, item in cloud_sources(self.document):
            yield from self._http(path, item)
        yield from cloud_errors(self.document)
        yield from openlineage_errors(self.document, self.shown.shown)

    def _jobs(self) -> Iterator[ErrorMessage]:
        flink = tuple(_items(self.document, _FLINK))
        for path, item in flink:
            yield from self._http(path, item)
        files = FileValidator(shown=self.shown.shown, directory=self.directory, present=self.present)
        yield from files.flink(flink)
        context = ValidationContext(
            shown=self.shown.shown, directory=self.directory, present=self.present, http=self._http
        )
        for section in SECTIONS:
            yield from section.validate(tuple(_items(self.document, (section.member,))), context)

    def _brokers(self) -> Iterator[ErrorMessage]:
        brokers = _member(self.document, "brokers")
        parts = {("brokers",): brokers} | dict(_entries(self.document, ("brokers",)))
        for path, text in parts.items():
            if isinstance(text, str) and not _passes(broker_list, text):
                what = f"{self.shown.shown(path)} is not a broker address"
                yield path, what, "write host:port, as in kafka-1:9092"

    def _kafka(self) -> Iterator[ErrorMessage]:
        for name in _BOOTSTRAP:
            if _member(_member(self.document, "kafka"), name) is not None:
                yield ("kafka", name), f"{name!r} stands in `kafka`", "name the brokers in `brokers` only"

    def _manual_input(self) -> Iterator[ErrorMessage]:
        for path, pattern in _entries(self.document, ("manual_input",)):
            if isinstance(pattern, str) and not manual_files(pattern, self.directory):
                yield path, f"{self.shown.shown(path)} matches no file", "the pattern is relative to this file"

    def _http(self, path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
        address = _address(item.get("url"))
        if address and address.auth and "auth" in item:
            yield (*path, "auth"), "there are credentials in `url` and in `auth`", "keep one of them"
        endpoints = (
            ("glue", "endpoint_url"),
            ("endpoint_url",),
            ("endpoints", "bigquery"),
            ("endpoints", "datalineage"),
        )
        others = (("url",), ("auth", "oauth", "token_url"), *endpoints)
        for steps in others:
            where, url = (*path, *steps), reduce(_member, steps, item)
            if isinstance(url, str) and not _address(url):
                what = f"{self.shown.shown(where)} is not a web address"
                yield where, what, "write http://host:port or https://host:port"
        for name in _TLS_FILES:
            file = _member(item.get("tls"), name)
            if isinstance(file, str) and not (self.directory / file).is_file():
                where = (*path, "tls", name)
                yield where, f"there is no file {self.shown.shown(where)}", "the path is relative to this file"
        for where, value in _members(item.get("headers"), (*path, "headers")):
            if isinstance(value, str) and not (value.isprintable() and value.isascii()):
                yield where, "the value cannot be sent in a header", "printable ASCII only"

    def _registry(self, path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
        kind = item.get("type")
        if isinstance(kind, str) and kind not in self.registry_types:
            known = sorted(self.registry_types)
            hint = closest_match(kind, known) or f"known: {', '.join(known)}"
            yield (*path, "type"), f"{self.shown.shown((*path, 'type'))} is no kind of schema registry", hint
        for where, name in _entries(item, ("naming", "strategies")):
            if isinstance(name, str):
                yield from self._strategy((*path, *where), name)
        yield from _context(path, item)
        yield from self._options(path, item, REGISTRIES)
        if kind == "glue":
            for name in sorted({"url", "auth", "headers"} & item.keys()):
                yield (*path, name), f"{name!r} is not for AWS Glue", "leave it out; `glue` says where it is"
        elif "glue" in item:
            yield (*path, "glue"), "'glue' is for registries of type glue only", "leave it out, or change `type`"

    def _options(self, path: JsonPath, item: Json, types: SourceTypes[Any, Any]) -> Iterator[ErrorMessage]:
        """Validate `options` by the JSON Schema that a plug-in brings; a broken one fails when it reads."""
        kind, where = item.get("type"), (*path, "options")
        if not isinstance(kind, str) or kind not in types:
            return
        if types[kind].schema is None:
            if "options" in item:
                yield (
                    where,
                    f"'options' is not for type {kind}",
                    "leave it out; only some plug-ins take options",
                )
            return
        try:
            for error in types.option_errors(kind, item.get("options", {})):
                for steps, what, hint in error_messages(error, lambda steps: self.shown.shown((*where, *steps))):
                    yield (*where, *steps) if "options" in item else path, what, hint
        except PluginError as error:
            yield (*path, "type"), error.what, error.hint

    def _strategy(self, path: JsonPath, name: str) -> Iterator[ErrorMessage]:
        try:
            strategies_in_force([name], "")
        except InputInvalid as error:
            literal = self.shown.at(path) == name
            what = error.what if literal else f"{self.shown.shown(path)} is no naming strategy"
            yield path, what, error.hint if literal else ""

    def _repeated(self) -> Iterator[ErrorMessage]:
        known_names: set[tuple[object, str]] = set()
        for path, item in _items(self.document, _SOURCES):
            address = _address(item.get("url"))
            context = f"/contexts/{item['context']}" if "context" in item else ""
            identity = (
                json.dumps(item["glue"], sort_keys=True) if "glue" in item else address.url + context if address else ""
            )
            if identity and (path[0], identity) in known_names:
                yield (*path, "glue" if "glue" in item else "url"), "this source is named twice", "keep one of them"
            known_names.add((path[0], identity))

    def _namesakes(self) -> Iterator[ErrorMessage]:
        known_names: set[str] = set()
        for path, item in _items(self.document, ("connect",)):
            where, name = (*path, "name"), item.get("name")
            if isinstance(name, str) and name in known_names:
                what = f"two sources are called {self.shown.shown(where)}"
                yield where, what, "the name is their identity: change one"
            known_names.update([name] if isinstance(name, str) else [])


def _context(path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
    """Report a context where the registry has none, or where the address names one already."""
    if "context" not in item:
        return
    address = _address(item.get("url"))
    if item.get("type") != "confluent":
        yield (*path, "context"), "'context' is for registries of type confluent only", "leave it out, or change `type`"
    elif address and url_context(address.url):
        yield (*path, "context"), "there is a context in `url` and in `context`", "keep one of them"


def warnings_of(document: Json) -> Iterator[ErrorMessage]:
    """Report what a valid *document* holds that is not acted on, or that is unwise."""
    for path, item in _items(document, _FLINK):
        if item["type"] == SQL_GATEWAY:
            what = "a SQL Gateway exposes only its own sessions; scanner only checks that it is reachable"
            yield (*path, "type"), what, "name the job manager, and the files of SQL as `sql-files`"
    sources = _items(document, (*_SOURCES, *_CATALOGS, *_FLINK, *(section.member for section in SECTIONS)))
    for path, item in (*sources, *cloud_sources(document)):
        if item.get("tls", {}).get("verify") is False:
            yield (*path, "tls", "verify"), "the server's certificate is not checked", "give its CA as `ca`"


def _address(url: Json) -> Address | None:
    try:
        return read_address(url) if isinstance(url, str) else None
    except ValueError:
        return None


def _passes(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except InputInvalid:
        return False
    return True


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _items(document: Json, members: tuple[str, ...]) -> Iterator[tuple[JsonPath, Json]]:
    for member in members:
        for path, item in _entries(document, (member,)):
            if isinstance(item, dict):
                yield path, item


def _entries(value: Json, path: tuple[str, ...]) -> Iterator[tuple[JsonPath, Json]]:
    for name in path:
        value = _member(value, name)
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield (*path, index), item


def _members(value: Json, path: JsonPath) -> Iterator[tuple[JsonPath, Json]]:
    for name, item in (value if isinstance(value, dict) else {}).items():
        yield (*path, name), item
