"""The `ksqldb` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.http import address_identity, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    name_or_path,
    nonempty,
    object_of,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.repository.section import parse_files, repository_kind
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import Progress, Reading
from scanner_extractor.source_kind import (
    STREAMING,
    BrokerUse,
    Connections,
    SourceKind,
    http_check,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import live

_KSQLDB: Json = object_of(
    "ksqlDB cluster",
    "One ksqlDB cluster, or files of its statements.",
    {
        "path": nonempty(
            "Files",
            "Pattern of statement files, relative to cluster.json. All files form one catalog.",
            "**/*.ksql",
        ),
        "name": nonempty("Name", "Name of the source.", "pipelines"),
        "url": address("Address of the ksqlDB server.", "https://sr.example.org:8081"),
        **HTTP_MEMBERS,
    },
)


def parse_ksqldb(item: Json, context: ParseContext) -> KsqlSettings | RepositorySettings:
    """Return the settings of a ksqlDB cluster, or of files of its statements."""
    if "path" in item:
        return parse_files(item, context, kind="SQL", engine="ksqldb")
    return KsqlSettings(http=parse_http(item, context))


def validate_ksqldb(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield servers and files that are declared twice, or with members of the other."""
    for path, item in items:
        if "path" not in item and "url" not in item:
            yield path, "'url' is missing", "name a server by `url`, or files of statements by `path`"
        of_server = sorted(item.keys() - {"path", "name"}) if "path" in item else [*({"name"} & item.keys())]
        for name in of_server:
            what = "files of statements" if "path" in item else "a server"
            yield (*path, name), f"{name!r} is not for {what}", "leave it out"
    yield from repeated_sources(items, lambda item: name_or_path(item) if "path" in item else address_identity(item))


KSQLDB_SECTION = Section(
    member="ksqldb",
    listing={"title": "ksqlDB", "description": "ksqlDB servers, or files of ksqlDB statements."},
    schema=_KSQLDB,
    parse=parse_ksqldb,
    validate=validate_ksqldb,
)


def _read_ksqldb(settings: KsqlSettings, connections: Connections, progress: Progress) -> Reading:
    with connections.http(settings.http, settings.source) as http:
        result: Reading = load(_READ)(settings, http, progress, connections.earlier(settings.source))
        return result


_READ = "scanner_extractor.systems.ksqldb.client:read_ksqldb"

SERVER = SourceKind(
    name="ksqldb",
    phase=STREAMING,
    section=KSQLDB_SECTION,
    settings=KsqlSettings,
    proofs=tested(live("ksqlDB", "6.1.15, 8.3.1", "tests/conformance/test_ksqldb_recorded.py")),
    brokers=BrokerUse.NEEDED,
    read=_read_ksqldb,
    check=http_check(
        SourceType(read=deferred(_READ), check=deferred("scanner_extractor.systems.ksqldb.probes:ksqldb_probes"))
    ),
)

FILES = repository_kind(KSQLDB_SECTION)
