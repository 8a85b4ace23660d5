"""Asks Confluent Cloud's control plane what an organisation has: one key, a few lists, and what a key may not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import Listed
from scanner_extractor.http.urls import read_address
from scanner_extractor.scan.results import CloudResult, Progress
from scanner_extractor.settings.confluent_cloud import (
    CloudCluster,
    CloudKsql,
    CloudRegistry,
    CloudSettings,
    ComputePool,
    Environment,
    FlinkRegion,
    Organization,
)
from scanner_extractor.sources.confluent_cloud.pagination import cloud_list, member, objects, text
from scanner_model.broker_address import broker_addresses
from scanner_model.errors import InputInvalid, NotFound, ScannerError, SourceRefused
from scanner_model.problems import Problem
from scanner_model.scan import SourceResult, SourceStatus

_T = TypeVar("_T")


def read_organization_id(listed: Iterable[Json], environments: Iterable[Environment]) -> str:
    """Read `GET /org/v2/organizations`; where it tells nothing, the CRN of an environment names the organisation."""
    told = [text(each, "id") for each in objects(list(listed))]
    named = (part for each in environments for part in each.crn.split("/") if part.startswith("organization="))
    return next(filter(None, told), "") or next(named, "").removeprefix("organization=")


def read_environments(listed: Iterable[Json]) -> tuple[Environment, ...]:
    """Read `GET /org/v2/environments`."""
    return _sorted(
        listed,
        lambda each: Environment(
            id=text(each, "id"),
            name=text(each, "display_name"),
            package=text(member(each, "stream_governance_config"), "package"),
            crn=_crn(each),
        ),
    )


def read_clusters(listed: Iterable[Json], environment: str) -> tuple[CloudCluster, ...]:
    """Read `GET /cmk/v2/clusters`; the bootstrap address comes with and without a protocol before it."""

    def read(each: Json) -> CloudCluster:
        spec = member(each, "spec")
        public = _public(spec)
        return CloudCluster(
            id=text(each, "id"),
            name=text(spec, "display_name"),
            environment=text(member(spec, "environment"), "id") or environment,
            cloud=text(spec, "cloud"),
            region=text(spec, "region"),
            kind=text(member(spec, "config"), "kind"),
            brokers=_brokers(text(spec, "kafka_bootstrap_endpoint") or text(public, "kafka_bootstrap_endpoint")),
            url=_url(spec, "http_endpoint") or _url(public, "http_endpoint"),
            crn=_crn(each),
            phase=text(member(each, "status"), "phase"),
        )

    return _sorted(listed, read)


def read_registries(listed: Iterable[Json], environment: str) -> tuple[CloudRegistry, ...]:
    """Read `GET /srcm/v3/clusters`, or v2, which tells neither the catalog's address nor a private one."""

    def read(each: Json) -> CloudRegistry:
        spec = member(each, "spec")
        url = _url(spec, "http_endpoint") or _url(spec, "private_http_endpoint")
        return CloudRegistry(
            id=text(each, "id"),
            environment=text(member(spec, "environment"), "id") or environment,
            url=url,
            catalog_url=_url(spec, "catalog_http_endpoint") or url,
            package=text(spec, "package"),
        )

    return tuple(each for each in _sorted(listed, read) if each.url)


def read_ksqldb(listed: Iterable[Json]) -> tuple[CloudKsql, ...]:
    """Read `GET /ksqldbcm/v2/clusters`; one without an address is being made or taken away."""

    def read(each: Json) -> CloudKsql:
        return CloudKsql(
            id=text(each, "id"),
            name=text(member(each, "spec"), "display_name"),
            kafka=text(member(each, "spec", "kafka_cluster"), "id"),
            url=_url(member(each, "status"), "http_endpoint"),
            phase=text(member(each, "status"), "phase"),
        )

    return tuple(each for each in _sorted(listed, read) if each.url)


def read_pools(listed: Iterable[Json], environment: str) -> tuple[ComputePool, ...]:
    """Read `GET /fcpm/v2/compute-pools`."""
    return _sorted(
        listed,
        lambda each: ComputePool(
            id=text(each, "id"),
            environment=environment,
            cloud=text(member(each, "spec"), "cloud"),
            region=text(member(each, "spec"), "region"),
        ),
    )


def read_regions(listed: Iterable[Json]) -> tuple[FlinkRegion, ...]:
    """Read `GET /fcpm/v2/regions`, sorted by cloud and region."""
    found = {
        (text(each, "cloud"), text(each, "region_name")): _url(each, "http_endpoint")
        or _url(each, "private_http_endpoint")
        for each in objects(list(listed))
    }
    return tuple(FlinkRegion(cloud=key[0], region=key[1], url=found[key]) for key in sorted(found) if found[key])


def _sorted(listed: Iterable[Json], read: Callable[[Json], _T]) -> tuple[_T, ...]:
    """Read what has an id, each id once."""
    found = {text(each, "id"): each for each in objects(list(listed))}
    return tuple(read(found[identity]) for identity in sorted(found) if identity)


def _crn(each: Json) -> str:
    return text(member(each, "metadata"), "resource_name")


def _public(spec: Json) -> Json:
    """Return the endpoint to use where a cluster has several: a public one first, then by access point."""
    points = member(spec, "endpoints")
    order = sorted(points, key=lambda name: (text(member(points, name), "connection_type") != "PUBLIC", name))
    return member(points, order[0]) if order else {}


def _brokers(address: str) -> tuple[str, ...]:
    try:
        return broker_addresses(address)
    except InputInvalid:
        return ()


def _url(value: Json, name: str) -> str:
    """Return a web address, empty where there is none or it is none."""
    try:
        return read_address(text(value, name)).url
    except ValueError:
        return ""


_RIGHTS = "the key's account wants OrganizationAdmin, EnvironmentAdmin or MetricsViewer and readers' roles there"


def read_cloud(settings: CloudSettings, http: Http, progress: Progress) -> CloudResult:
    """Find the cluster of *settings* and what stands around it; without a cluster, all that the key shows.

    Environments, Kafka clusters of each until the cluster is found, then registries (v3, else v2), ksqlDB clusters,
    compute pools of its environment, and Flink's regions: seven lists. Raises ScannerError where the environments or
    no cluster is listed, SourceRefused where the cluster is not among those shown; everything less is a problem.
    """
    scan = _Scan(settings, http, progress)
    environments = scan.environments()
    clusters = scan.clusters(environments)
    environments = tuple(each for each in environments if each.id in {one.environment for one in clusters})
    found = scan.around(environments, clusters)
    count = sum(map(len, (found.environments, found.clusters, found.registries, found.ksqldb, found.pools)))
    progress(settings.source, count, count)
    return CloudResult(
        outcome=SourceResult(
            source=settings.source,
            kind="confluent_cloud",
            answer=SourceStatus.PARTIAL if scan.problems else SourceStatus.READ,
            got=count,
            asked=count,
            reason="; ".join(problem.what for problem in scan.problems[:2]),
            hint=scan.problems[0].hint if scan.problems else "",
            requests=http.requests,
        ),
        organization=found,
        problems=tuple(scan.problems),
    )


def list_environments(http: Http) -> Listed[Json]:
    """List the environments that a key shows; raises ScannerError."""
    return cloud_list(http, "org", "v2", "environments")


@dataclass(slots=True)
class _Scan:
    settings: CloudSettings
    http: Http
    progress: Progress
    problems: list[Problem] = field(default_factory=list)

    def environments(self) -> tuple[Environment, ...]:
        """List the environments that may have the cluster; raises ScannerError.

        Where one is named in the settings, a key that may not list them is enough.
        """
        wanted = self.settings.environment
        try:
            listed = read_environments(self._kept("environments", list_environments(self.http)))
        except SourceRefused:
            if not wanted:
                raise
            return (Environment(id=wanted, name=""),)
        found = tuple(each for each in listed if wanted in ("", each.id))
        return found or ((Environment(id=wanted, name=""),) if wanted else ())

    def clusters(self, environments: Sequence[Environment]) -> tuple[CloudCluster, ...]:
        """List the Kafka clusters of all environments, or find the one of the settings; raises ScannerError."""
        names = [each.id for each in environments]
        told = self._each(names, lambda name: self._of("cmk", "v2", "clusters", environment=name))
        for name, answer in zip(names, told, strict=True):
            self._note(f"the Kafka clusters of {name}", answer)
        found = tuple(
            cluster
            for name, answer in zip(names, told, strict=True)
            if isinstance(answer, Listed)
            for cluster in read_clusters(answer.items, name)
        )
        wanted = tuple(each for each in found if self.settings.cluster in ("", each.id))
        if self.settings.cluster and not wanted:
            self._give_up(told, found)
        return wanted

    def around(self, environments: Sequence[Environment], clusters: tuple[CloudCluster, ...]) -> Organization:
        """Add registries, ksqlDB clusters, pools and regions; a list that is refused is a problem."""
        names = [each.id for each in environments]
        registries = self._all(names, "schema registries", self._registries)
        ksqldb = self._all(names, "ksqlDB clusters", self._ksqldb)
        pools = self._all(names, "compute pools", self._pools)
        regions = self._all([""], "Flink's regions", self._regions) if pools else ()
        known = {each.id for each in clusters}
        told = self._all([""], "organizations", lambda _: self._organizations(environments))
        return Organization(
            id=next(iter(told), "") or read_organization_id((), environments),
            environments=tuple(environments),
            clusters=clusters,
            registries=registries,
            ksqldb=tuple(each for each in ksqldb if each.kafka in known),
            pools=pools,
            regions=regions,
        )

    def _registries(self, environment: str) -> tuple[CloudRegistry, ...]:
        try:
            listed = self._of("srcm", "v3", "clusters", environment=environment)
        except NotFound:
            listed = self._of("srcm", "v2", "clusters", environment=environment)
        return read_registries(self._kept("schema registries", listed), environment)

    def _ksqldb(self, environment: str) -> tuple[CloudKsql, ...]:
        listed = self._of("ksqldbcm", "v2", "clusters", environment=environment)
        return read_ksqldb(self._kept("ksqlDB clusters", listed))

    def _pools(self, environment: str) -> tuple[ComputePool, ...]:
        listed = self._of("fcpm", "v2", "compute-pools", environment=environment)
        return read_pools(self._kept("compute pools", listed), environment)

    def _regions(self, _: str) -> tuple[FlinkRegion, ...]:
        return read_regions(self._kept("Flink's regions", cloud_list(self.http, "fcpm", "v2", "regions")))

    def _organizations(self, environments: Sequence[Environment]) -> tuple[str, ...]:
        return (read_organization_id(cloud_list(self.http, "org", "v2", "organizations").items, environments),)

    def _of(self, *path: str, environment: str) -> Listed[Json]:
        return cloud_list(
            self.http,
            *path,
            params=[("environment", environment)],
            told=lambda: self.progress(self.settings.source, 0, None),
        )

    def _all(self, names: Sequence[str], what: str, ask: Callable[[str], tuple[_T, ...]]) -> tuple[_T, ...]:
        told = self._each(names, ask)
        for name, answer in zip(names, told, strict=True):
            self._note(f"{what} of {name}" if name else what, answer)
        return tuple(each for answer in told if not isinstance(answer, ScannerError) for each in answer)

    def _each(self, names: Sequence[str], ask: Callable[[str], _T]) -> list[_T | ScannerError]:
        crew = WorkerPool(threads=self.settings.http.concurrency)
        self.progress(self.settings.source, 0, None)
        return map_concurrently(names, ask, crew=crew)

    def _kept(self, what: str, listed: Listed[Json]) -> Sequence[Json]:
        if listed.error:
            self._note(what, listed.error)
        return listed.items

    def _note(self, what: str, answer: object) -> None:
        if isinstance(answer, ScannerError) and not isinstance(answer, NotFound):
            reason = f"{what} could not be listed: {answer.what}"
            self.problems.append(Problem(str(self.settings.source), reason, _RIGHTS))

    def _give_up(self, told: Iterable[Listed[Json] | ScannerError], found: Sequence[CloudCluster]) -> None:
        failed = next((each for each in told if isinstance(each, ScannerError)), None)
        if failed and not found:
            raise failed
        shown = ", ".join(f"{each.id} ({each.name})" for each in found[:5]) or "none"
        raise SourceRefused(
            f"the key shows no Kafka cluster {self.settings.cluster!r}",
            where=str(self.settings.source),
            hint=f"it shows {shown}; does it belong to this organisation, and may it see the environment?",
        )
