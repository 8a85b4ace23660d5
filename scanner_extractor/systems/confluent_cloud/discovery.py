"""Discover the resources of a Confluent Cloud organisation through its control-plane API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import read_address
from scanner_extractor.http.pagination import PartialList
from scanner_extractor.results import Progress, Reading, answered_with
from scanner_extractor.systems.confluent_cloud.pagination import cloud_list
from scanner_extractor.systems.confluent_cloud.settings import (
    CloudCluster,
    CloudKsql,
    CloudRegistry,
    CloudSettings,
    ComputePool,
    Environment,
    FlinkRegion,
    Organization,
)
from scanner_model.errors import InputInvalid, NotFound, Problem, ScannerError, SourceRefused
from scanner_model.names import broker_addresses
from scanner_model.payload import Payload, Unread

_T = TypeVar("_T")


def read_organization_id(listed: Iterable[Payload], environments: Iterable[Environment]) -> str:
    """Read `GET /org/v2/organizations`; where it lists none, take the organisation from the CRN of an environment."""
    ids = [entry.text("id") for entry in listed]
    named = (part for entry in environments for part in entry.crn.split("/") if part.startswith("organization="))
    return next(filter(None, ids), "") or next(named, "").removeprefix("organization=")


def read_environments(listed: Iterable[Payload], unread: Unread) -> tuple[Environment, ...]:
    """Read `GET /org/v2/environments`."""
    return _sorted(
        listed,
        lambda entry: Environment(
            id=entry.need("id").text(),
            name=entry.text("display_name"),
            package=entry.object("stream_governance_config").text("package"),
            crn=_crn(entry),
        ),
        unread,
    )


def read_clusters(listed: Iterable[Payload], environment: str, unread: Unread) -> tuple[CloudCluster, ...]:
    """Read `GET /cmk/v2/clusters`; the bootstrap address comes with or without a protocol."""

    def read(entry: Payload) -> CloudCluster:
        spec = entry.need("spec")
        public = _public(spec.object("endpoints"))
        return CloudCluster(
            id=entry.need("id").text(),
            name=spec.text("display_name"),
            environment=spec.object("environment").text("id") or environment,
            cloud=spec.text("cloud"),
            region=spec.text("region"),
            kind=spec.object("config").text("kind"),
            brokers=_brokers(spec.text("kafka_bootstrap_endpoint") or public.text("kafka_bootstrap_endpoint")),
            url=_url(spec, "http_endpoint") or _url(public, "http_endpoint"),
            crn=_crn(entry),
            phase=entry.object("status").text("phase"),
        )

    return _sorted(listed, read, unread)


def read_registries(listed: Iterable[Payload], environment: str, unread: Unread) -> tuple[CloudRegistry, ...]:
    """Read `GET /srcm/v3/clusters`, or v2, which has neither the catalog's address nor a private one."""

    def read(entry: Payload) -> CloudRegistry:
        spec = entry.need("spec")
        url = _url(spec, "http_endpoint") or _url(spec, "private_http_endpoint")
        return CloudRegistry(
            id=entry.need("id").text(),
            environment=spec.object("environment").text("id") or environment,
            url=url,
            catalog_url=_url(spec, "catalog_http_endpoint") or url,
            package=spec.text("package"),
        )

    return tuple(registry for registry in _sorted(listed, read, unread) if registry.url)


def read_ksqldb(listed: Iterable[Payload], unread: Unread) -> tuple[CloudKsql, ...]:
    """Read `GET /ksqldbcm/v2/clusters`; one without an address is being created or deleted."""

    def read(entry: Payload) -> CloudKsql:
        spec, status = entry.need("spec"), entry.object("status")
        return CloudKsql(
            id=entry.need("id").text(),
            name=spec.text("display_name"),
            kafka=spec.object("kafka_cluster").text("id"),
            url=_url(status, "http_endpoint"),
            phase=status.text("phase"),
        )

    return tuple(cluster for cluster in _sorted(listed, read, unread) if cluster.url)


def read_pools(listed: Iterable[Payload], environment: str, unread: Unread) -> tuple[ComputePool, ...]:
    """Read `GET /fcpm/v2/compute-pools`."""

    def read(entry: Payload) -> ComputePool:
        spec, identity = entry.need("spec"), entry.need("id").text()
        return ComputePool(id=identity, environment=environment, cloud=spec.text("cloud"), region=spec.text("region"))

    return _sorted(listed, read, unread)


def read_regions(listed: Iterable[Payload]) -> tuple[FlinkRegion, ...]:
    """Read `GET /fcpm/v2/regions`, sorted by cloud and region."""
    urls = {
        (entry.need("cloud").text(), entry.need("region_name").text()): _url(entry, "http_endpoint")
        or _url(entry, "private_http_endpoint")
        for entry in listed
    }
    return tuple(FlinkRegion(cloud=key[0], region=key[1], url=urls[key]) for key in sorted(urls) if urls[key])


def _sorted(listed: Iterable[Payload], read: Callable[[Payload], _T], unread: Unread) -> tuple[_T, ...]:
    """Read what has an id, each id once."""
    by_id = {entry.shown("id"): entry for entry in listed}
    entries = [by_id[identity] for identity in sorted(by_id)]
    return tuple(unread.read(entries, read, lambda entry: entry.shown("id")))


def _crn(entry: Payload) -> str:
    return entry.object("metadata").text("resource_name")


def _public(endpoints: Payload) -> Payload:
    """Return the endpoint to use where a cluster has several: a public one first, then by access point."""
    points = sorted(endpoints.items(), key=lambda point: (point[1].text("connection_type") != "PUBLIC", point[0]))
    return points[0][1] if points else endpoints


def _brokers(address: str) -> tuple[str, ...]:
    try:
        return broker_addresses(address)
    except InputInvalid:
        return ()


def _url(value: Payload, name: str) -> str:
    """Return a web address, empty if absent or invalid."""
    try:
        return read_address(value.text(name)).url
    except ValueError:
        return ""


_RIGHTS = "the key's account needs OrganizationAdmin, EnvironmentAdmin or MetricsViewer and readers' roles there"


def read_cloud(settings: CloudSettings, http: Http, progress: Progress) -> Reading:
    """Find the cluster of *settings* and its surrounding resources; without a cluster, everything visible to the key.

    Environments, Kafka clusters of each until the cluster is found, then registries (v3, else v2), ksqlDB clusters,
    compute pools of its environment, and Flink's regions: seven lists. Raises ScannerError where the environments or
    no cluster is listed, SourceRefused where the cluster is not among those shown; any other failure is a problem.
    """
    scan = _Scan(settings, http, progress)
    environments = scan.environments()
    clusters = scan.clusters(environments)
    environments = tuple(
        environment for environment in environments if environment.id in {cluster.environment for cluster in clusters}
    )
    organization = scan.organization(environments, clusters)
    count = sum(
        map(
            len,
            (
                organization.environments,
                organization.clusters,
                organization.registries,
                organization.ksqldb,
                organization.pools,
            ),
        )
    )
    progress(settings.source, count, count)
    return Reading(
        outcome=answered_with(scan.problems, settings.source, "confluent_cloud", count, requests=http.requests),
        facts=(organization,),
        problems=tuple(scan.problems),
    )


def list_environments(http: Http) -> PartialList[Payload]:
    """List the environments that a key shows; raises ScannerError."""
    return cloud_list(http, "org", "v2", "environments")


@dataclass(slots=True)
class _Scan:
    settings: CloudSettings
    http: Http
    progress: Progress
    problems: list[Problem] = field(default_factory=list)
    unread: Unread = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing unread, which is a problem each."""
        self.unread = Unread(self.settings.source, problems=self.problems)

    def environments(self) -> tuple[Environment, ...]:
        """List the environments that may have the cluster; raises ScannerError.

        Where one is named in the settings, a key that may not list them is enough.
        """
        wanted = self.settings.environment
        try:
            listed = read_environments(self._items_of("environments", list_environments(self.http)), self.unread)
        except SourceRefused:
            if not wanted:
                raise
            return (Environment(id=wanted, name=""),)
        matching = tuple(environment for environment in listed if wanted in ("", environment.id))
        return matching or ((Environment(id=wanted, name=""),) if wanted else ())

    def clusters(self, environments: Sequence[Environment]) -> tuple[CloudCluster, ...]:
        """List the Kafka clusters of all environments, or find the one of the settings; raises ScannerError."""
        names = [item.id for item in environments]
        answers = self._fetch_each(names, lambda name: self._list("cmk", "v2", "clusters", environment=name))
        for name, answer in zip(names, answers, strict=True):
            self._note(f"the Kafka clusters of {name}", answer)
        listed_clusters = tuple(
            cluster
            for name, answer in zip(names, answers, strict=True)
            if isinstance(answer, PartialList)
            for cluster in read_clusters(answer.items, name, self.unread)
        )
        selected = tuple(item for item in listed_clusters if self.settings.cluster in ("", item.id))
        if self.settings.cluster and not selected:
            self._give_up(answers, listed_clusters)
        return selected

    def organization(self, environments: Sequence[Environment], clusters: tuple[CloudCluster, ...]) -> Organization:
        """Add registries, ksqlDB clusters, pools and regions; a list that is refused is a problem."""
        names = [item.id for item in environments]
        registries = self._fetch_all(names, "schema registries", self._registries)
        ksqldb = self._fetch_all(names, "ksqlDB clusters", self._ksqldb)
        pools = self._fetch_all(names, "compute pools", self._pools)
        regions = self._fetch_all([""], "Flink's regions", self._regions) if pools else ()
        known = {item.id for item in clusters}
        ids = self._fetch_all([""], "organizations", lambda _: self._organizations(environments))
        return Organization(
            id=next(iter(ids), "") or read_organization_id((), environments),
            environments=tuple(environments),
            clusters=clusters,
            registries=registries,
            ksqldb=tuple(item for item in ksqldb if item.kafka in known),
            pools=pools,
            regions=regions,
        )

    def _registries(self, environment: str) -> tuple[CloudRegistry, ...]:
        try:
            listed = self._list("srcm", "v3", "clusters", environment=environment)
        except NotFound:
            listed = self._list("srcm", "v2", "clusters", environment=environment)
        return read_registries(self._items_of("schema registries", listed), environment, self.unread)

    def _ksqldb(self, environment: str) -> tuple[CloudKsql, ...]:
        listed = self._list("ksqldbcm", "v2", "clusters", environment=environment)
        return read_ksqldb(self._items_of("ksqlDB clusters", listed), self.unread)

    def _pools(self, environment: str) -> tuple[ComputePool, ...]:
        listed = self._list("fcpm", "v2", "compute-pools", environment=environment)
        return read_pools(self._items_of("compute pools", listed), environment, self.unread)

    def _regions(self, _: str) -> tuple[FlinkRegion, ...]:
        return read_regions(self._items_of("Flink's regions", cloud_list(self.http, "fcpm", "v2", "regions")))

    def _organizations(self, environments: Sequence[Environment]) -> tuple[str, ...]:
        return (read_organization_id(cloud_list(self.http, "org", "v2", "organizations").items, environments),)

    def _list(self, *path: str, environment: str) -> PartialList[Payload]:
        return cloud_list(
            self.http,
            *path,
            params=[("environment", environment)],
            on_page=lambda: self.progress(self.settings.source, 0, None),
        )

    def _fetch_all(self, names: Sequence[str], what: str, fetch: Callable[[str], tuple[_T, ...]]) -> tuple[_T, ...]:
        answers = self._fetch_each(names, fetch)
        for name, answer in zip(names, answers, strict=True):
            self._note(f"{what} of {name}" if name else what, answer)
        return tuple(item for answer in answers if not isinstance(answer, ScannerError) for item in answer)

    def _fetch_each(self, names: Sequence[str], fetch: Callable[[str], _T]) -> list[_T | ScannerError]:
        pool = WorkerPool(threads=self.settings.http.concurrency)
        self.progress(self.settings.source, 0, None)
        return map_concurrently(names, fetch, pool=pool)

    def _items_of(self, what: str, listed: PartialList[Payload]) -> Sequence[Payload]:
        if listed.error:
            self._note(what, listed.error)
        return listed.items

    def _note(self, what: str, answer: object) -> None:
        if isinstance(answer, ScannerError) and not isinstance(answer, NotFound):
            reason = f"{what} could not be listed: {answer.what}"
            self.problems.append(Problem(str(self.settings.source), reason, _RIGHTS))

    def _give_up(
        self, answers: Iterable[PartialList[Payload] | ScannerError], clusters: Sequence[CloudCluster]
    ) -> None:
        failed = next((item for item in answers if isinstance(item, ScannerError)), None)
        if failed and not clusters:
            raise failed
        shown = ", ".join(f"{item.id} ({item.name})" for item in clusters[:5]) or "none"
        raise SourceRefused(
            f"no Kafka cluster visible to the key is {self.settings.cluster!r}",
            where=str(self.settings.source),
            hint=f"visible: {shown}; does the key belong to this organisation, and has it access to the environment?",
        )
