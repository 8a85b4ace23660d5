"""The `flink` and `streams` of cluster.json."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scanner_extractor.config.http import parse_http
from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    nonempty,
    object_of,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.sources import (
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


_FLINK: Json = object_of(
    "Flink source",
    "A source of Flink statements or jobs.",
    {
        "type": nonempty("Kind", "Source type: confluent, cmf, jobmanager, sql-gateway, sql-files.", "confluent"),
        "name": nonempty(
            "Name",
            "Name of the source. Keep it when the address or path changes.",
            "main",
        ),
        "url": address(
            "Address of Flink in a region of Confluent Cloud, of CMF, a job manager or a SQL gateway.",
            "https://flink.eu-central-1.aws.confluent.cloud",
            "http://jobmanager:8081",
        ),
        **HTTP_MEMBERS,
        "organization": nonempty(
            "Organization", "`confluent`: ID of the organization; required.", "0a1b2c3d-0000-4000-8000-000000000001"
        ),
        "environment": nonempty(
            "Environment",
            "`confluent`: ID of the environment, `cmf`: its name; required.",
            "env-1",
        ),
        "region": nonempty(
            "Region", "`confluent`: cloud and region, if the address does not contain them.", "aws.eu-central-1"
        ),
        "path": nonempty(
            "Files", "`sql-files`: a file, a pattern, or a directory (all its *.sql); required.", "flink/*.sql"
        ),
        "catalog": nonempty("Catalog", "`sql-files`: catalog for unqualified names.", "default_catalog"),
        "database": nonempty("Database", "`sql-files`: database for unqualified names.", "default_database"),
    },
    required=["type"],
)

_STREAMS: Json = object_of(
    "Kafka Streams",
    "Topologies printed by Kafka Streams applications.",
    {
        "name": nonempty(
            "Application",
            ("The `application.id`, if `path` is one file. By default each file is named after its application."),
            "order-enricher",
        ),
        "path": nonempty(
            "Files",
            "Output of Topology.describe(): a file, a pattern, or a directory (all its *.txt).",
            "topologies/*.txt",
        ),
    },
    required=["path"],
) | {"examples": [{"path": "topologies/*.txt"}]}


def parse_flink(item: Json, context: ParseContext) -> FlinkSettings | SqlFilesSettings:
    """Return the settings of a Flink server, or of files of SQL."""
    if item["type"] == SQL_FILES:
        words = {name: item.get(name, "") for name in ("name", "catalog", "database")}
        return SqlFilesSettings(files=_files(item["path"], context, SQL_ENDING), **words)
    http = parse_http(item, context)
    words = {name: item.get(name, "") for name in _WORDS}
    region = item.get("region") or (_region(http.url) if item["type"] == CONFLUENT else "")
    return FlinkSettings(type=item["type"], http=http, region=region, **words)


def parse_streams(item: Json, context: ParseContext) -> StreamsSettings:
    """Return the settings of Kafka Streams topologies."""
    return StreamsSettings(files=_files(item["path"], context, TOPOLOGY_ENDING), name=item.get("name", ""))


def _region(url: str) -> str:
    """Return cloud and region from the host that Confluent Cloud has in each; empty for another host."""
    named = _REGIONAL.match(url)
    return f"{named['cloud']}.{named['region']}" if named else ""


def _files(pattern: str, context: ParseContext, ending: str) -> FileSettings:
    files = named_files(pattern, context.base, ending)
    return FileSettings(pattern=pattern, base=context.base, files=files, secret_names=context.secret_names)


_FILES = frozenset({"path", "catalog", "database"})
_SERVER = frozenset({"url", "auth", "headers", "tls", "connect_timeout", "read_timeout"})
_LIMITS = frozenset({"requests_per_second", "max_bytes", "concurrency"})
_ALWAYS = frozenset({"type", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The required and optional members of a type of Flink source."""

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
            yield (*path, "type"), f"{self.shown((*path, 'type'))}: unknown Flink source type", hint
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


def validate_flink(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `flink` of cluster.json, items of any form."""
    return _validator(context).flink(items)


def validate_streams(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the `streams` of cluster.json, items of any form."""
    return _validator(context).topologies(items)


def _validator(context: ValidationContext) -> FileValidator:
    return FileValidator(shown=context.shown, directory=context.directory, present=context.present)


def warn_of_gateways(items: Items) -> Iterator[ErrorMessage]:
    """Yield the SQL Gateways, which are not read."""
    for path, item in items:
        if item["type"] == SQL_GATEWAY:
            what = "a SQL Gateway exposes only its own sessions; scanner only checks that it is reachable"
            yield (*path, "type"), what, "name the job manager, and the files of SQL as `sql-files`"


FLINK_SECTION = Section(
    member="flink",
    listing={
        "title": "Flink",
        "description": "Flink SQL statements and jobs: servers, or files of SQL.",
        "examples": [[{"type": "sql-files", "path": "flink/*.sql"}]],
    },
    schema=_FLINK,
    parse=parse_flink,
    validate=validate_flink,
    warn=warn_of_gateways,
)

STREAMS_SECTION = Section(
    member="streams",
    listing={
        "title": "Kafka Streams",
        "description": "Topologies printed by Kafka Streams applications.",
        "examples": [[{"path": "topologies/*.txt"}]],
    },
    schema=_STREAMS,
    parse=parse_streams,
    validate=validate_streams,
    over_http=False,
)
