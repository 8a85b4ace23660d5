"""The `flink` and `streams` of cluster.json: settings, and what a JSON Schema cannot check of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import Items, ParseContext, Section, ValidationContext
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.flink import (
    CMF,
    CONFLUENT,
    JOB_MANAGER,
    SQL_FILES,
    SQL_GATEWAY,
    FileSettings,
    FlinkSettings,
    SqlFilesSettings,
    StreamsSettings,
)
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, closest_match

SQL_ENDING, TOPOLOGY_ENDING = "*.sql", "*.txt"
"""Which files of a directory are meant."""

_REGIONAL = re.compile(r"https?://flink[^./]*\.(?P<region>[^./]+)\.(?P<cloud>aws|azure|gcp)\.")
_WORDS = ("name", "organization", "environment")


def flink_settings(
    items: list[Json], base: Path, http: Callable[[Json], HttpSettings]
) -> tuple[tuple[FlinkSettings, ...], tuple[SqlFilesSettings, ...]]:
    """Build the settings of Flink's servers and of its files; *http* makes those of an item with `url`."""
    servers = (_server(item, http(item)) for item in items if item["type"] != SQL_FILES)
    return tuple(servers), tuple(_sql_files(item, base) for item in items if item["type"] == SQL_FILES)


def parse_streams(item: Json, context: ParseContext) -> StreamsSettings:
    """Return the settings of Kafka Streams topologies."""
    return StreamsSettings(files=_files(item["path"], context.base, TOPOLOGY_ENDING), name=item.get("name", ""))


def _server(item: Json, http: HttpSettings) -> FlinkSettings:
    words = {name: item.get(name, "") for name in _WORDS}
    region = item.get("region") or (_region(http.url) if item["type"] == CONFLUENT else "")
    return FlinkSettings(type=item["type"], http=http, region=region, **words)


def _region(url: str) -> str:
    """Return cloud and region from the host that Confluent Cloud has in each; empty for another host."""
    named = _REGIONAL.match(url)
    return f"{named['cloud']}.{named['region']}" if named else ""


def _sql_files(item: Json, base: Path) -> SqlFilesSettings:
    words = {name: item.get(name, "") for name in ("name", "catalog", "database")}
    return SqlFilesSettings(files=_files(item["path"], base, SQL_ENDING), **words)


def _files(pattern: str, base: Path, ending: str) -> FileSettings:
    return FileSettings(pattern=pattern, base=base, files=named_files(pattern, base, ending))


_FILES = frozenset({"path", "catalog", "database"})
_SERVER = frozenset({"url", "auth", "headers", "tls", "connect_timeout", "read_timeout"})
_LIMITS = frozenset({"requests_per_second", "max_bytes", "concurrency"})
_ALWAYS = frozenset({"type", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The members that a kind of Flink source needs, and those that it may have besides."""

    needs: tuple[str, ...]
    knows: frozenset[str]


_FORMS: Mapping[str, _Form] = {
    CONFLUENT: _Form(needs=("url", "organization", "environment"), knows=_SERVER | _LIMITS | {"region"}),
    CMF: _Form(needs=("url", "environment"), knows=_SERVER | _LIMITS),
    JOB_MANAGER: _Form(needs=("url",), knows=_SERVER | _LIMITS),
    SQL_GATEWAY: _Form(needs=("url",), knows=_SERVER | _LIMITS),
    SQL_FILES: _Form(needs=("path",), knows=_FILES),
}

KINDS: Collection[str] = _FORMS.keys()
"""What `type` may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileValidator:
    """Validates patterns of files; *shown* returns a text as the file has it, *present*: files must exist."""

    shown: Callable[[JsonPath], str]
    directory: Path
    present: bool = True

    def flink(self, items: Items) -> Iterator[ErrorMessage]:
        """Yield what is wrong with Flink's sources: their kind, members that lack or do not belong, their files."""
        for path, item in items:
            yield from self._form(path, item)
            if item.get("type") == SQL_FILES:
                yield from self._files(path, item, SQL_ENDING)
        yield from self._namesakes(items)

    def topologies(self, items: Items) -> Iterator[ErrorMessage]:
        """Yield what is wrong with topologies: no file, several under one application id, two ids that are the same."""
        for path, item in items:
            yield from self._files(path, item, TOPOLOGY_ENDING)
            yield from self._applications(path, item)
        yield from self._namesakes(items)

    def _form(self, path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
        kind = item.get("type")
        if not isinstance(kind, str):
            return
        form = _FORMS.get(kind)
        if form is None:
            hint = closest_match(kind, sorted(KINDS)) or f"known: {', '.join(sorted(KINDS))}"
            yield (*path, "type"), f"{self.shown((*path, 'type'))} is no kind of Flink source", hint
            return
        for name in form.needs:
            if name not in item:
                yield path, f"{name!r} is missing", f"a Flink source of type {kind} needs it"
        known = form.knows | _ALWAYS | set(form.needs)
        for name in sorted(item.keys() - known):
            if any(name in form.knows or name in form.needs for form in _FORMS.values()):
                what = f"{name!r} is not for Flink sources of type {kind}"
                yield (*path, name), what, "leave it out, or change `type`"

    def _files(self, path: JsonPath, item: Json, ending: str) -> Iterator[ErrorMessage]:
        pattern = item.get("path")
        if self.present and isinstance(pattern, str) and not named_files(pattern, self.directory, ending):
            where = (*path, "path")
            yield where, f"{self.shown(where)} matches no file", "the pattern is relative to this file"

    def _applications(self, path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
        pattern = item.get("path")
        files = named_files(pattern, self.directory, TOPOLOGY_ENDING) if isinstance(pattern, str) else ()
        if "name" in item and len(files) > 1:
            what = f"{self.shown((*path, 'path'))} matches {len(files)} files, and an application has one topology"
            yield (*path, "name"), what, "leave `name` out: then each file is named after its application id"
        elif "name" not in item:
            twice = sorted(stem for stem, times in Counter(file.stem for file in files).items() if times > 1)
            for stem in twice:
                what = f"several files are called {stem!r}, and the name is the application id"
                yield (*path, "path"), what, "give each a `name` of its own"

    def _namesakes(self, items: Items) -> Iterator[ErrorMessage]:
        """Find sources that would be one: by name, and without one by address or path."""
        identities: set[str] = set()
        for path, item in items:
            member = next((name for name in ("name", "path", "url") if name in item), "")
            parts = (item.get(member), item.get("environment") if member == "url" else None)
            identity = "/".join(part for part in parts if isinstance(part, str))
            if identity and identity in identities:
                what = f"two sources are called {self.shown((*path, member))}"
                yield (*path, member), what, "this is their identity: give one another `name`"
            identities.add(identity)


def validate_streams(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `streams` of cluster.json, items of any form."""
    files = FileValidator(shown=context.shown, directory=context.directory, present=context.present)
    return files.topologies(items)


STREAMS = Section(member="streams", schema="streams.schema.json", parse=parse_streams, validate=validate_streams)
"""The member `streams`."""
