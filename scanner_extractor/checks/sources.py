"""Whether each source can be reached and may be read, for `scanner check`; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from scanner_extractor.catalogs.datazone import list_assets
from scanner_extractor.catalogs.glue import list_databases
from scanner_extractor.catalogs.google import list_datasets
from scanner_extractor.catalogs.unity import list_schemas
from scanner_extractor.checks.confluent_cloud import Found, cloud_probes, own_sources, source_probes
from scanner_extractor.checks.registries import RegistryProbe, registry_probes
from scanner_extractor.discovery.expansion import expanded
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.registries import own_transport
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_extractor.settings.cluster import ConnectSettings, KafkaSettings, KsqlSettings, RegistrySettings, Settings
from scanner_extractor.settings.confluent_cloud import Lacking
from scanner_extractor.settings.flink import FileSettings, FlinkSettings
from scanner_model.errors import InputInvalid, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.redaction import mask_text


def _google(settings: CatalogSettings, http: Http) -> int:
    return sum(len(list_datasets(settings, http, project)) for project in settings.wanted.catalogs)


_LISTS: Mapping[str, tuple[str, Callable[[CatalogSettings, Http], int]]] = {
    "unity": ("schemas", lambda settings, http: len(list_schemas(settings, http))),
    "glue": ("databases", lambda settings, http: len(list_databases(settings, http))),
    "google": ("datasets", _google),
    "datazone": ("assets", lambda settings, http: len(list_assets(settings, http))),
}


def tried(settings: CatalogSettings) -> str:
    """Report what is tried."""
    return f"list {_LISTS[settings.type][0]}" if settings.type in _LISTS else "nothing"


def listed(settings: CatalogSettings, http: Http) -> str:
    """List what holds tables and say how much there is; raises ScannerError."""
    if settings.type not in _LISTS:
        raise InputInvalid("a plug-in's catalog cannot be tried", hint="scan it: `scanner extract --only catalog`")
    what, count = _LISTS[settings.type]
    return f"{count(settings, http)} {what}"


_KSQL = "application/vnd.ksql.v1+json"
_HINT = "check the `url` and `type` of this source"


class State(StrEnum):
    """How an attempt went, named after what an operator does next."""

    OK = "ok"
    REFUSED = "refused"
    """Credentials or rights are missing."""
    UNREACHABLE = "unreachable"
    """Nobody answered, or the server failed."""
    UNEXPECTED = "unexpected"
    """Somebody answered, but not what this kind of source answers."""


_STATES = ((SourceRefused, State.REFUSED), (SourceUnreachable, State.UNREACHABLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One attempt: what was *tried* on which *source*; *detail* is what was found, or why nothing was."""

    source: SourceId
    tried: str
    state: State
    detail: str
    hint: str = ""


Probe = Callable[[KafkaSettings], str]
"""Ask the brokers for their metadata and say in a few words what was found; raises ScannerError."""


def check(settings: Settings, *, probe: Probe, exchange: Transport | None = None) -> Iterator[CheckResult]:
    """Try every source in the order of cluster.json, two attempts each; where the first fails, it stays with one.

    *exchange* stands in for the network. Raises no ScannerError, each is a result. A cluster of Confluent Cloud is
    found first, and then what was found is tried.
    """
    found = Found()
    if cloud := settings.cloud:
        with Http(cloud.http, cloud.source, exchange=exchange) as http:
            yield from _all(cloud.source, cloud_probes(cloud, http, found))
        settings = expanded(settings, cloud, found.organization) if found.organization else settings
    yield from (_lacking(each) for each in settings.lacking)
    kafka = settings.kafka
    if kafka and kafka.brokers:
        yield _attempt(kafka.source, "read metadata of the brokers", lambda: probe(kafka))
    for ksqldb in settings.ksqldb:
        with Http(ksqldb.http, ksqldb.source, exchange=exchange) as http:
            yield from _ksqldb(ksqldb, http)
    for connect in settings.connect:
        with Http(connect.http, connect.source, exchange=exchange) as http:
            yield from _connect(connect, http)
    for flink in settings.flink:
        with Http(flink.http, flink.source, exchange=exchange) as http:
            yield from _flink(flink, http)
    told = [(each.source, each.files) for each in settings.sql_files]
    for source, files in (*told, *((each.source, each.files) for each in settings.streams)):
        yield _attempt(source, "read its files", partial(_files, files, source))
    for registry in settings.registries:
        with Http(registry.http, registry.source, exchange=exchange or own_transport(registry)) as http:
            yield from _registry(registry, http)
    for own, http_settings, source in own_sources(settings):
        with Http(http_settings, source, exchange=exchange) as http:
            yield from _one_by_one(source, source_probes(own, http))
    yield from _catalogs(settings, exchange)


def _lacking(lacking: Lacking) -> CheckResult:
    return CheckResult(
        source=lacking.source, tried="look for a key", state=State.REFUSED, detail=lacking.what, hint=lacking.hint
    )


def _ksqldb(settings: KsqlSettings, http: Http) -> Iterator[CheckResult]:
    reached = _attempt(settings.source, "reach the server", lambda: _ksql_version(http.get("info")))
    yield reached
    if reached.state is State.OK:
        body = {"ksql": "SHOW STREAMS;", "streamsProperties": {}}
        yield _attempt(
            settings.source, "list streams", lambda: _ksql_streams(http.post("ksql", body=body, accept=_KSQL))
        )


def _connect(settings: ConnectSettings, http: Http) -> Iterator[CheckResult]:
    """Try what a scan cannot do without; a managed Connect has no worker that could be asked for itself."""
    from scanner_extractor.sources.connect.client import listed_connectors, worker_facts

    if not settings.is_managed:
        yield _attempt(settings.source, "reach a worker", lambda: f"Kafka Connect {worker_facts(http)[0]}")
    yield _attempt(settings.source, "list connectors", lambda: f"{len(listed_connectors(settings, http))} connectors")


def _flink(settings: FlinkSettings, http: Http) -> Iterator[CheckResult]:
    from scanner_extractor.sources.flink.servers import FLINK_SOURCES

    yield from _one_by_one(settings.source, FLINK_SOURCES[settings.type].tries(settings, http))


def _files(settings: FileSettings, source: SourceId) -> str:
    """Report how many files can be read; raises SourceUnreachable where one cannot."""
    from scanner_extractor.sources.files import read_texts, separate_failed

    found, failed = separate_failed(read_texts(settings, mask_text), settings.pattern, source)
    if failed:
        raise SourceUnreachable(f"{failed[0].name}: {failed[0].failure}", hint="check the file and its rights")
    return f"{len(found)} files"


def _catalogs(settings: Settings, exchange: Transport | None) -> Iterator[CheckResult]:
    from scanner_extractor.catalogs import catalog_transport

    for catalog in settings.catalogs:
        with Http(catalog.http, catalog.source, exchange=exchange or catalog_transport(catalog)) as http:
            yield _attempt(catalog.source, tried(catalog), lambda catalog=catalog, http=http: listed(catalog, http))  # type: ignore[misc]


def _registry(settings: RegistrySettings, http: Http) -> Iterator[CheckResult]:
    yield from _one_by_one(settings.source, registry_probes(settings, http))


def _all(source: SourceId, tries: Iterator[RegistryProbe]) -> Iterator[CheckResult]:
    return (_attempt(source, tried, ask) for tried, ask in tries)


def _one_by_one(source: SourceId, tries: Iterator[RegistryProbe]) -> Iterator[CheckResult]:
    """Try one thing after the other until one fails."""
    for tried, ask in tries:
        result = _attempt(source, tried, ask)
        yield result
        if result.state is not State.OK:
            return


def _attempt(source: SourceId, tried: str, ask: Callable[[], str]) -> CheckResult:
    try:
        return CheckResult(source=source, tried=tried, state=State.OK, detail=ask())
    except ScannerError as error:
        state = next((state for kind, state in _STATES if isinstance(error, kind)), State.UNEXPECTED)
        detail = f"{error.where}: {error.what}" if error.where else error.what
        return CheckResult(source=source, tried=tried, state=state, detail=detail, hint=error.hint or _HINT)


def _ksql_version(payload: Json) -> str:
    match payload:
        case {"KsqlServerInfo": {"version": str(version)}}:
            return f"ksqlDB {version}"
        case _:
            raise PayloadUnexpected("the answer is not that of a ksqlDB server", hint=_HINT)


def _ksql_streams(payload: Json) -> str:
    match payload:
        case [{"streams": list(streams)}, *_]:
            return f"{len(streams)} streams"
        case _:
            raise PayloadUnexpected("the answer is not a list of streams", hint=_HINT)
