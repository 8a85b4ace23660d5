"""What serves an address: Kafka, a registry, Connect, ksqlDB, Flink; probed with GETs that change nothing."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.rate_limit import Clock
from scanner_extractor.scan.results import Progress
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings
from scanner_extractor.settings.flink import JOB_MANAGER, SQL_GATEWAY
from scanner_model.broker_address import broker_address
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId

PORTS = (9092, 8080, 8081, 8082, 8083, 8088)
"""Where Kafka, Apicurio, registries and Flink, REST proxies, Connect and ksqlDB listen by default."""

SILENT = "connection refused, or host not found"

_SECONDS = 3.0


class Kind(StrEnum):
    """What serves an address; the word is shown to users."""

    KAFKA = "Kafka"
    REGISTRY = "schema registry"
    CONNECT = "Kafka Connect"
    KSQLDB = "ksqlDB"
    FLINK = "Flink"
    KAFKA_REST = "Kafka REST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What an address is: *kind* None for an unknown service, *detail* describes it; *url* may be a broker."""

    url: str
    kind: Kind | None = None
    type: str = ""
    detail: str = ""
    cluster_id: str = ""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A request, and what its answer proves; *read* gives None for the answer of something else."""

    path: tuple[str, ...]
    read: Callable[[Json, str], Probed | None]


Brokers = Callable[[KafkaSettings], tuple[str, int]]
"""Ask brokers for the cluster's id and how many they are; raises ScannerError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prober:
    """Probes addresses; *brokers* uses the Kafka protocol, *reachable* returns whether a port accepts connections."""

    brokers: Brokers
    reachable: Callable[[str, int], bool]

    def probe(self, address: str, progress: Progress) -> Iterator[Probed]:
        """Return what is at `HOST:PORT`, or at the usual ports of `HOST`; raises InputInvalid for what is no address.

        Of the usual ports, closed ones are left out, unless it is all of them.
        """
        host, ports = _places(address)
        silent = 0
        for port in ports:
            progress(SourceId(f"probing {host}:{port}"), 0, None)
            if self.reachable(host.strip("[]"), port):
                yield self._what(host, port)
            else:
                silent += 1
        if silent == len(ports):
            url = f"{host}:{ports[0]}" if len(ports) == 1 else host
            yield Probed(url=url, detail=SILENT)

    def _what(self, host: str, port: int) -> Probed:
        place = f"{host}:{port}"
        detail = ""
        for scheme in ("http", "https"):
            found = _over_http(f"{scheme}://{place}")
            if found.kind:
                return found
            detail = detail or found.detail
        try:
            identity, count = self.brokers(KafkaSettings(brokers=(place,), timeout=2 * _SECONDS))
        except ScannerError:
            return Probed(url=place, detail=detail or "answers neither HTTP nor Kafka without TLS and login")
        return Probed(url=place, kind=Kind.KAFKA, detail=f"{count} brokers", cluster_id=identity)


def listens(host: str, port: int) -> bool:
    """Return whether a connection is accepted within a few seconds."""
    try:
        with socket.create_connection((host, port), timeout=_SECONDS):
            return True
    except OSError:
        return False


def ask_brokers(settings: KafkaSettings) -> tuple[str, int]:
    """Return the cluster's id and the number of its brokers; raises SourceUnreachable and SourceRefused."""
    from scanner_extractor.sources.kafka.client import KafkaClient

    metadata = KafkaClient(settings).metadata()
    return metadata.cluster_id or "", len(metadata.brokers)


def _places(address: str) -> tuple[str, tuple[int, ...]]:
    whole = broker_address(address)
    host, _, port = whole.rpartition(":")
    if not host:
        raise InputInvalid(f"{address!r} is not an address", where="--probe", hint="write host:port, or host")
    written = address.strip().rstrip("/").removesuffix(f":{port}") != address.strip().rstrip("/")
    return host, (int(port),) if written else PORTS


def _over_http(url: str) -> Probed:
    """Request each sign in turn; where there is no HTTP, one request is enough to know."""
    settings = HttpSettings(url=url, connect_timeout=_SECONDS, read_timeout=_SECONDS, max_bytes=1_000_000)
    refused = ""
    with Http(settings, SourceId(f"probe:{url}"), clock=Clock(pause=lambda _: None)) as http:
        for sign in _SIGNS:
            try:
                found = sign.read(http.get(*sign.path), url)
            except SourceUnreachable:
                break
            except SourceRefused as error:
                refused = refused or f"wants credentials: {error.what}"
                continue
            except ScannerError:
                continue
            if found:
                return found
    return Probed(url=url, detail=refused)


def _connect(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"version": str(version), "commit": str(), **more}:
            identity = str(more.get("kafka_cluster_id", ""))
            return Probed(url=url, kind=Kind.CONNECT, detail=f"version {version}", cluster_id=identity)
        case _:
            return None


def _ksqldb(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"KsqlServerInfo": {"version": str(version)}}:
            return Probed(url=url, kind=Kind.KSQLDB, detail=f"version {version}")
        case _:
            return None


def _job_manager(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"flink-version": str(version)}:
            return Probed(url=url, kind=Kind.FLINK, type=JOB_MANAGER, detail=f"version {version}")
        case _:
            return None


def _gateway(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"productName": "Apache Flink", "version": str(version)}:
            return Probed(url=url, kind=Kind.FLINK, type=SQL_GATEWAY, detail=f"version {version}")
        case _:
            return None


def _apicurio(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"name": str(name), "version": str(version)} if "Apicurio" in name:
            return Probed(url=url, kind=Kind.REGISTRY, type="apicurio", detail=f"{name} {version}")
        case _:
            return None


def _karapace(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"karapace_version": str(version)}:
            return Probed(url=url, kind=Kind.REGISTRY, type="karapace", detail=f"Karapace {version}")
        case _:
            return None


def _registry(payload: Json, url: str) -> Probed | None:
    if isinstance(payload, list) and all(isinstance(each, str) for each in payload):
        return Probed(url=url, kind=Kind.REGISTRY, type="confluent", detail=f"{len(payload)} subjects")
    return None


def _rest(payload: Json, url: str) -> Probed | None:
    match payload:
        case {"kind": "KafkaClusterList", "data": [{"cluster_id": str(identity)}, *_]}:
            return Probed(url=url, kind=Kind.KAFKA_REST, detail=f"cluster {identity}", cluster_id=identity)
        case _:
            return None


_SIGNS = (
    _Sign((), _connect),
    _Sign(("info",), _ksqldb),
    _Sign(("config",), _job_manager),
    _Sign(("v1", "info"), _gateway),
    _Sign(("apis", "registry", "v3", "system", "info"), _apicurio),
    _Sign(("apis", "registry", "v2", "system", "info"), _apicurio),
    _Sign(("_health",), _karapace),
    _Sign(("subjects",), _registry),
    _Sign(("kafka", "v3", "clusters"), _rest),
    _Sign(("v3", "clusters"), _rest),
)
