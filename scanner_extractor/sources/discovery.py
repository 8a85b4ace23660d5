"""Asks Confluent Cloud's control plane what an organisation has: one key, a few lists, and what a key may not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.organization import (
    CloudCluster,
    CloudKsql,
    CloudRegistry,
    ComputePool,
    Environment,
    FlinkRegion,
    Organization,
)
from scanner_extractor.paging import Listed
from scanner_extractor.readings import CloudReading, Progress
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.settings_cloud import CloudSettings
from scanner_extractor.sources.cloud_lists import cloud_list
from scanner_extractor.sources.discovery_reader import (
    read_clusters,
    read_environments,
    read_ksqldb,
    read_organization_id,
    read_pools,
    read_regions,
    read_registries,
)
from scanner_model.errors import NotFound, ScannerError, SourceRefused
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

_RIGHTS = "the key's account wants OrganizationAdmin, EnvironmentAdmin or MetricsViewer and readers' roles there"

_T = TypeVar("_T")


def read_cloud(settings: CloudSettings, http: Http, progress: Progress) -> CloudReading:
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
    return CloudReading(
        outcome=Outcome(
            source=settings.source,
            kind="confluent_cloud",
            answer=Answer.PARTIAL if scan.problems else Answer.READ,
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
        crew = Crew(threads=self.settings.http.concurrency)
        self.progress(self.settings.source, 0, None)
        return ask_each(names, ask, crew=crew)

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
