"""The documents of `scanner init`: what serves an address, probed with GETs that change nothing."""

from __future__ import annotations

import re
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Json
from scanner_extractor.http.recording import slug
from scanner_extractor.results import Progress
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings
from scanner_extractor.systems.confluent_cloud.settings import CLOUD_URL, CloudCluster, Organization, Plane
from scanner_extractor.systems.flink.settings import JOB_MANAGER, SQL_GATEWAY
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId, broker_address

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
"""Returns the id of the brokers' cluster and their number; raises ScannerError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prober:
    """Probes addresses; *brokers* uses the Kafka protocol, *reachable* returns whether a port accepts connections."""

    brokers: Brokers
    reachable: Callable[[str, int], bool]

    def probe(self, address: str, progress: Progress) -> Iterator[Probed]:
        """Return what is at `HOST:PORT`, or at the usual ports of `HOST`; raises InputInvalid for an invalid address.

        Of the usual ports, closed ones are left out, unless it is all of them.
        """
        host, ports = _host_and_ports(address)
        silent = 0
        for port in ports:
            progress(SourceId(f"probing {host}:{port}"), 0, None)
            if self.reachable(host.strip("[]"), port):
                yield self._probe_port(host, port)
            else:
                silent += 1
        if silent == len(ports):
            one = len(ports) == 1
            tried = "" if one else f"; tried the ports {', '.join(map(str, ports))}"
            yield Probed(url=f"{host}:{ports[0]}" if one else host, detail=SILENT + tried)

    def _probe_port(self, host: str, port: int) -> Probed:
        address = f"{host}:{port}"
        detail = ""
        for scheme in ("http", "https"):
            server = _over_http(f"{scheme}://{address}")
            if server.kind:
                return server
            detail = detail or server.detail
        try:
            identity, count = self.brokers(KafkaSettings(brokers=(address,), timeout=2 * _SECONDS))
        except ScannerError:
            return Probed(url=address, detail=detail or "answers neither HTTP nor Kafka without TLS and login")
        return Probed(url=address, kind=Kind.KAFKA, detail=f"{count} brokers", cluster_id=identity)


def listens(host: str, port: int) -> bool:
    """Return whether a connection is accepted within a few seconds."""
    try:
        with socket.create_connection((host, port), timeout=_SECONDS):
            return True
    except OSError:
        return False


def probe_brokers(settings: KafkaSettings) -> tuple[str, int]:
    """Return the cluster's id and the number of its brokers; raises SourceUnreachable and SourceRefused."""
    metadata = KafkaClient(settings).metadata()
    return metadata.cluster_id or "", len(metadata.brokers)


def _host_and_ports(address: str) -> tuple[str, tuple[int, ...]]:
    broker = broker_address(address)
    host, _, port = broker.rpartition(":")
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
                probed = sign.read(http.get(*sign.path), url)
            except SourceUnreachable:
                break
            except SourceRefused as error:
                refused = refused or f"wants credentials: {error.what}"
                continue
            except ScannerError:
                continue
            if probed:
                return probed
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
    if isinstance(payload, list) and all(isinstance(subject, str) for subject in payload):
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


KEY_VARIABLE = "CONFLUENT_CLOUD_API_KEY"
SECRET_VARIABLE = "CONFLUENT_CLOUD_API_SECRET"  # noqa: S105  the name of a variable
"""The variables that Confluent's own tools read the Cloud API key from."""

_MEMBERS = {
    Kind.REGISTRY: "schema_registries",
    Kind.KSQLDB: "ksqldb",
    Kind.CONNECT: "connect",
    Kind.FLINK: "flink",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Initial:
    """A file to be written: *variables* are those that *document* names, in its order; *optional* may stay unset."""

    file: str
    document: Json
    variables: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """Name the members that hold sources."""
        return tuple(name for name in self.document if name not in ("cluster", "brokers"))


def cloud_files(organization: Organization, *, url: str = CLOUD_URL) -> tuple[Initial, ...]:
    """Build a file for each Kafka cluster; one whose display name another has, too, is called by its id."""
    names = Counter(slug(cluster.name) for cluster in organization.clusters)
    return tuple(
        _cloud_file(cluster, organization, url, named=names[slug(cluster.name)] == 1 and cluster.name != "")
        for cluster in organization.clusters
    )


def probed_file(probed: Iterable[Probed], name: str) -> Initial:
    """Build the file of one cluster of what answered; raises InputInvalid without a broker and for two clusters."""
    answered = sorted((probed for probed in probed if probed.kind), key=lambda probed: (str(probed.kind), probed.url))
    brokers = [probed for probed in answered if probed.kind is Kind.KAFKA]
    clusters = sorted({broker.cluster_id for broker in brokers if broker.cluster_id})
    if not brokers:
        listed = ", ".join(f"{probed.kind} at {probed.url}" for probed in answered) or "nothing"
        hint = "probe a broker too, as in --probe kafka-1:9092; one with TLS or a login has to be written by hand"
        raise InputInvalid(f"no Kafka broker answered; found: {listed}", where="--probe", hint=hint)
    if len(clusters) > 1:
        what = f"these are brokers of {len(clusters)} Kafka clusters: {', '.join(clusters)}"
        raise InputInvalid(what, where="--probe", hint="one file is one cluster: probe them apart")
    document: Json = {"cluster": name, "brokers": [broker.url for broker in brokers], "kafka": {}}
    for kind, member in _MEMBERS.items():
        if items := [_item(probed) for probed in answered if probed.kind is kind]:
            document[member] = items
    rest = next((probed for probed in answered if probed.kind is Kind.KAFKA_REST), None)
    if rest:
        document["kafka_rest"] = {"url": rest.url, **({"cluster": rest.cluster_id} if rest.cluster_id else {})}
    return Initial(file=f"{slug(name)}.json", document=document)


def _item(probed: Probed) -> Json:
    return {**({"type": probed.type} if probed.type else {}), "url": probed.url}


def _cloud_file(cluster: CloudCluster, organization: Organization, url: str, *, named: bool) -> Initial:
    name = cluster.name if named else cluster.id
    cloud: Json = {} if url == CLOUD_URL else {"url": url}
    cloud |= {"auth": _basic(KEY_VARIABLE, SECRET_VARIABLE), "environment": cluster.environment, "cluster": cluster.id}
    planes = dict(_planes(cluster, organization))
    optional = [f"{prefix}_{what}" for prefix in planes.values() for what in ("API_KEY", "API_SECRET")]
    cloud |= {
        plane: {"auth": _basic(f"{prefix}_API_KEY:-", f"{prefix}_API_SECRET:-")} for plane, prefix in planes.items()
    }
    return Initial(
        file=f"{slug(name)}.json",
        document={"cluster": name, "confluent_cloud": cloud},
        variables=(KEY_VARIABLE, SECRET_VARIABLE, *optional),
        optional=tuple(optional),
    )


def _planes(cluster: CloudCluster, organization: Organization) -> Iterator[tuple[str, str]]:
    """Return the planes that want a key of their own and are there, each with the start of its variables' names."""
    yield str(Plane.KAFKA), _variable("KAFKA", cluster.id)
    environment = cluster.environment
    parts: Sequence[tuple[Plane, str, list[str]]] = (
        (
            Plane.SCHEMA_REGISTRY,
            "SCHEMA_REGISTRY",
            [registry.id for registry in organization.registries if registry.environment == environment],
        ),
        (Plane.KSQLDB, "KSQLDB", [ksqldb.id for ksqldb in organization.ksqldb if ksqldb.kafka == cluster.id]),
        (Plane.FLINK, "FLINK", [environment for pool in organization.pools if pool.environment == environment]),
    )
    for plane, word, ids in parts:
        if ids:
            yield str(plane), _variable(word, ids[0])


def _variable(word: str, identity: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", f"{word}_{identity}".upper())


def _basic(user: str, password: str) -> Json:
    return {"basic": {"user": f"${{{user}}}", "password": f"${{{password}}}"}}
