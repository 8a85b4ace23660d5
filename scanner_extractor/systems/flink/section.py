"""The `flink` of cluster.json."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from scanner_extractor.config.http import parse_http
from scanner_extractor.config.job_files import file_errors, job_files, namesake_errors
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
from scanner_extractor.job_files import file_probes
from scanner_extractor.results import Progress, Reading
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
    typed_kind,
)
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.settings import (
    CMF,
    CONFLUENT,
    JOB_MANAGER,
    SQL_FILES,
    SQL_GATEWAY,
    FlinkSettings,
    SqlFilesSettings,
)
from scanner_extractor.systems.flink.sql_files import read_sql_files
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, closest_match
from scanner_model.maturity import live
from scanner_model.redaction import mask_statement

SQL_ENDING = "*.sql"
"""The files of a directory that are read."""

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


def parse_flink(item: Json, context: ParseContext) -> FlinkSettings | SqlFilesSettings:
    """Return the settings of a Flink server, or of files of SQL."""
    if item["type"] == SQL_FILES:
        words = {name: item.get(name, "") for name in ("name", "catalog", "database")}
        return SqlFilesSettings(files=job_files(item["path"], context, SQL_ENDING), **words)
    http = parse_http(item, context)
    words = {name: item.get(name, "") for name in _WORDS}
    region = item.get("region") or (_region(http.url) if item["type"] == CONFLUENT else "")
    return FlinkSettings(type=item["type"], http=http, region=region, **words)


def _region(url: str) -> str:
    """Return cloud and region from the host that Confluent Cloud has in each; empty for another host."""
    named = _REGIONAL.match(url)
    return f"{named['cloud']}.{named['region']}" if named else ""


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


def validate_flink(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with Flink's sources of any form: kind, members that lack or do not belong, files."""
    for path, item in items:
        yield from _form(path, item, context)
        if item.get("type") == SQL_FILES:
            yield from file_errors(path, item, SQL_ENDING, context)
    yield from namesake_errors(items, context)


def _form(path: JsonPath, item: Json, context: ValidationContext) -> Iterator[ErrorMessage]:
    kind = item.get("type")
    if not isinstance(kind, str):
        return
    form = _FORMS.get(kind)
    if form is None:
        hint = closest_match(kind, sorted(KINDS)) or f"known: {', '.join(sorted(KINDS))}"
        yield (*path, "type"), f"{context.shown((*path, 'type'))}: unknown Flink source type", hint
        return
    for name in form.needs:
        if name not in item:
            yield path, f"{name!r} is missing", f"a Flink source of type {kind} needs it"
    known = form.knows | _ALWAYS | set(form.needs)
    for name in sorted(item.keys() - known):
        if any(name in form.knows or name in form.needs for form in _FORMS.values()):
            what = f"{name!r} is not for Flink sources of type {kind}"
            yield (*path, name), what, "leave it out, or change `type`"


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


def _read_sql_files(settings: SqlFilesSettings, connections: Connections, progress: Progress) -> Reading:
    mask = partial(mask_statement, extra=settings.files.secret_names)
    return read_sql_files(settings, connections.texts(settings.files, settings.source, mask), progress)


SERVER = typed_kind("flink", STREAMING, FLINK_SECTION, FlinkSettings, FLINK_SOURCES)

STATEMENT_FILES = SourceKind(
    name="flink",
    phase=STREAMING,
    section=FLINK_SECTION,
    settings=SqlFilesSettings,
    proofs=tested(live("Flink SQL files", "of Flink 2.3.0", "tests/lab/test_lab_ways.py")),
    read=_read_sql_files,
    check=lambda settings, _: file_probes(settings.files, settings.source),
)
