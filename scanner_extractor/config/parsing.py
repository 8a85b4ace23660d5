"""From a valid cluster.json to frozen settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import regex

from scanner_extractor.config.catalogs import catalog_settings
from scanner_extractor.config.confluent_cloud import CloudMembers
from scanner_extractor.config.flink import flink_settings
from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import ParseContext
from scanner_extractor.http.messages import Json, read_address
from scanner_extractor.scan.source_kinds import SECTIONS
from scanner_extractor.settings.cluster import (
    Auth,
    BasicAuth,
    BearerAuth,
    ConnectSettings,
    GlueSettings,
    HttpSettings,
    KafkaSettings,
    KsqlSettings,
    NamingSettings,
    OAuthAuth,
    OpenLineageSettings,
    RegistrySettings,
    Settings,
    Tls,
)
from scanner_extractor.settings.confluent_cloud import CloudSettings
from scanner_extractor.settings.flink import FileSettings, SqlFilesSettings, StreamsSettings
from scanner_model.documents.pattern_limits import is_too_large
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import ClusterName, broker_addresses

_PATHS = frozenset({"caCertPath", "ca_cert_path", "clientCertPath", "client_cert_path", "clientKeyPath"})
_WRITTEN = "log_file_path"
_OVER_HTTP = frozenset({"http", "async_http"})


def openlineage_settings(item: Json, base: Path) -> OpenLineageSettings:
    """Build the settings; files beside the cluster.json, in the directory *base*, get their whole paths."""
    return OpenLineageSettings(transport=_placed(item["transport"], base))


def openlineage_errors(document: Json, shown: Callable[[JsonPath], str]) -> Iterator[ErrorMessage]:
    """Report which addresses of a document of any form are none; *shown* gives values without secrets."""
    item = document.get("openlineage") if isinstance(document, dict) else None
    transport = item.get("transport") if isinstance(item, dict) else None
    for path, transport_item in _transports(transport, ("openlineage", "transport")):
        url = transport_item.get("url")
        if transport_item.get("type") in _OVER_HTTP and isinstance(url, str) and not _is_address(url):
            where = (*path, "url")
            yield where, f"{shown(where)} is not a web address", "write http://host:port or https://host:port"


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


def _is_address(url: str) -> bool:
    try:
        read_address(url)
    except ValueError:
        return False
    return True


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


CLOUD = ".confluent.cloud"
CLOUD_REQUESTS_PER_SECOND = 70.0
"""A little below the 75 reads a second that Confluent documents for a registry."""

REBALANCING = 409
"""The status of a Connect worker while its cluster rebalances the connectors: it is worth a retry."""

_CLOUD_HEADERS = {"logical_cluster": "target-sr-cluster", "identity_pool": "Confluent-Identity-Pool-Id"}
_LIMITS = ("connect_timeout", "read_timeout", "requests_per_second", "max_bytes", "concurrency")


def settings_of(document: Json, file: Path, warnings: tuple[Problem, ...]) -> Settings:
    """Build the settings of one cluster; relative paths are relative to *file*."""
    brokers = broker_list(document["brokers"]) if "brokers" in document else ()
    base = file.parent
    kafka = _kafka(document["kafka"], brokers, base) if "kafka" in document else None
    cloud = CloudMembers(document, lambda member: _http(member, base))
    context = ParseContext(base=base, http=lambda item: _http(item, base))
    flink, sql_files = flink_settings(document.get("flink", []), base, lambda item: _http(item, base))
    settings = Settings(
        cluster=ClusterName(document["cluster"]),
        brokers=brokers,
        aliases=tuple(("address", _alias(alias)) for alias in document.get("aliases", [])),
        file=file,
        kafka=kafka,
        registries=tuple(_registry(item, base) for item in document.get("schema_registries", [])),
        ksqldb=tuple(KsqlSettings(http=_http(item, base)) for item in document.get("ksqldb", [])),
        connect=tuple(_connect(item, base) for item in document.get("connect", [])),
        catalogs=tuple(
            catalog_settings(item, lambda member: _http(member, base)) for item in document.get("catalogs", [])
        ),
        kafka_rest=cloud.kafka_rest(),
        stream_catalogs=cloud.stream_catalogs(),
        tableflow=cloud.tableflow(),
        metrics=cloud.metrics(kafka),
        cloud=cloud.cloud(),
        flink=flink,
        sql_files=sql_files,
        others={section.member: section.settings(document, context) for section in SECTIONS},
        openlineage=openlineage_settings(document["openlineage"], base) if "openlineage" in document else None,
        manual_input=_files(document.get("manual_input", []), base),
        secret_names=frozenset(name.lower() for name in document.get("secret_names", [])),
        warnings=warnings,
    )
    return _with_secret_names(settings) if settings.secret_names else settings


def _with_secret_names(settings: Settings) -> Settings:
    """Return *settings* with its secret names in those of every source."""
    names = settings.secret_names

    def named(value: Any) -> Any:  # noqa: ANN401 - a field of any type
        if isinstance(value, tuple):
            return tuple(map(named, value))
        if isinstance(value, dict):
            return {member: named(sources) for member, sources in value.items()}
        if isinstance(value, ConnectSettings | HttpSettings | FileSettings):
            return replace(value, secret_names=names)  # not in Connect's `http`: its plug-ins declare secrets too
        if isinstance(value, SqlFilesSettings | StreamsSettings):
            return replace(value, files=named(value.files))
        if isinstance(value, CloudSettings):
            planes = {plane: named(http) for plane, http in value.planes.items()}
            return replace(value, http=named(value.http), planes=planes)
        return (
            replace(value, http=named(value.http)) if isinstance(getattr(value, "http", None), HttpSettings) else value
        )

    return replace(settings, **{field.name: named(getattr(settings, field.name)) for field in fields(settings)})


def _alias(text: str) -> str:
    """Return an alias back; raises InputInvalid where it begins with `regex:` and what follows is no expression."""
    if text.startswith("regex:") and is_too_large(text):
        raise InputInvalid(f"{text!r} repeats too much to be evaluated", where="aliases")
    try:
        regex.compile(text.removeprefix("regex:") if text.startswith("regex:") else "")
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"{text!r} is no regular expression: {error}", where="aliases") from error
    return text


def broker_list(written: Json) -> tuple[str, ...]:
    """Return the brokers of a list or of a text with commas, each once; raises InputInvalid."""
    parts = [written] if isinstance(written, str) else written
    return tuple(dict.fromkeys(address for part in parts for address in broker_addresses(part)))


def manual_files(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file, every *.json of a directory, or what a pattern matches."""
    return named_files(pattern, base, "*.json")


def _files(patterns: list[str], base: Path) -> tuple[Path, ...]:
    return tuple(sorted({path for pattern in patterns for path in manual_files(pattern, base)}))


def _registry(item: Json, base: Path) -> RegistrySettings:
    naming = item.get("naming", {})
    glue = _glue(item["glue"]) if "glue" in item else None
    address = {"url": glue.endpoint_url or f"https://glue.{glue.region}.amazonaws.com"} if glue else {}
    return RegistrySettings(
        type=item["type"],
        http=_http(item | address, base),
        naming=NamingSettings(
            strategies=tuple(naming.get("strategies", ())),
            subjects={subject: tuple(topics) for subject, topics in naming.get("subjects", {}).items()},
        ),
        environment=item.get("environment", ""),
        deleted=item.get("deleted", True),
        glue=glue,
        context=item.get("context", ""),
        options=item.get("options", {}),
    )


def _connect(item: Json, base: Path) -> ConnectSettings:
    http = replace(_http(item, base), retry_also=frozenset({REBALANCING}))
    return ConnectSettings(http=http, name=item.get("name", ""), active_topics=item.get("active_topics", True))


def _glue(item: Json) -> GlueSettings:
    return GlueSettings(**item | {"registries": tuple(sorted(set(item.get("registries", ()))))})


def _http(item: Json, base: Path) -> HttpSettings:
    address = read_address(item["url"])
    limits = {name: item[name] for name in _LIMITS if name in item}
    if address.host.endswith(CLOUD):
        limits = {"requests_per_second": CLOUD_REQUESTS_PER_SECOND} | limits
    return HttpSettings(
        url=address.url,
        auth=_auth(item.get("auth")) or address.auth,
        headers=_cloud_headers(item.get("auth")) | item.get("headers", {}),
        tls=_tls(item.get("tls", {}), base),
        **limits,
    )


def _auth(item: Json) -> Auth | None:
    match item:
        case {"basic": basic}:
            return BasicAuth(**basic)
        case {"bearer": bearer}:
            return BearerAuth(**bearer)
        case {"oauth": oauth}:
            return OAuthAuth(**{name: value for name, value in oauth.items() if name not in _CLOUD_HEADERS})
        case _:
            return None


def _cloud_headers(auth: Json) -> dict[str, str]:
    """Return the headers by which Confluent Cloud knows which registry and which identities a token is for."""
    oauth = (auth or {}).get("oauth", {})
    return {header: oauth[name] for name, header in _CLOUD_HEADERS.items() if name in oauth}


def _tls(item: Json, base: Path) -> Tls:
    paths = {name: base / item[name] for name in ("ca", "certificate", "key") if name in item}
    return Tls(**paths, verify=item.get("verify", True))


def _kafka(item: Mapping[str, Json], brokers: tuple[str, ...], base: Path) -> KafkaSettings:
    properties = {name: _property(name, value, base) for name, value in item.items()}
    return KafkaSettings(brokers=brokers, properties=properties)


def _property(name: str, value: Json, base: Path) -> str:
    """Return a property as librdkafka takes it; a file beside cluster.json gets its whole path."""
    if isinstance(value, bool):
        return str(value).lower()
    names_file = name.endswith(".location") or name == "sasl.kerberos.keytab"
    if names_file and value and (base / str(value)).exists():  # `ssl.ca.location` may also be the word `probe`
        return str(base / str(value))
    return str(value)
