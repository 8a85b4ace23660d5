"""The Flink servers that a monitor polls: how their statements and jobs are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.model import JobFlows
from dataflow_generator.openlineage.monitor.connect import names_topics, observed_connector
from dataflow_generator.openlineage.monitor.flink import Statements, observed_jobs, script_jobs
from dataflow_generator.openlineage.monitor.ksqldb import Errors, observed_queries
from dataflow_generator.openlineage.monitor.state_machine import (
    ABORT,
    COMPLETE,
    Engine,
    ObservedJob,
    Runs,
    unreadable_job,
)
from dataflow_generator.openlineage.monitor.state_mapping import FLINK, Phase, phase_of
from scanner_cli.console import echo_err
from scanner_cli.monitor.loop import Server
from scanner_extractor.http.client import Http
from scanner_extractor.http.rate_limit import Clock
from scanner_extractor.scan.results import no_progress
from scanner_extractor.settings.cluster import ConnectSettings, KsqlSettings, Settings
from scanner_extractor.settings.flink import JOB_MANAGER, FlinkSettings
from scanner_extractor.sources.connect.client import read_connector_states, read_used_topics
from scanner_extractor.sources.connect.password_masking import with_masked_passwords
from scanner_extractor.sources.files import read_sql_files, read_texts
from scanner_extractor.sources.flink.states import STATES, job_causes
from scanner_extractor.sources.ksqldb.client import read_query_states
from scanner_extractor.sources.ksqldb_closing import Earlier
from scanner_model.connect import Connector
from scanner_model.errors import ScannerError
from scanner_model.flink import ClusterNames, FlinkJob
from scanner_model.names import TopicName
from scanner_model.redaction import mask_statement

_AGAIN = 60.0
"""Seconds after which a connector is asked again which topics it uses."""


def connect_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Return every Connect cluster; *clock* makes tests fast."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for connect in map(_one_at_a_time, one.connect):
            http = Http(connect.http, connect.source, wrap=partial(with_masked_passwords, connect), clock=clock)
            cluster = _Connect(connect, http, (one.cluster, naming), clock or Clock())
            yield Server(name=f"{one.cluster} {connect.source}", engine=Engine(name="Kafka Connect"), look=cluster.look)


def _one_at_a_time(connect: ConnectSettings) -> ConnectSettings:
    """Have what is asked beside a poll asked one after the other: each thread would keep memory of its own."""
    return replace(connect, http=replace(connect.http, concurrency=1))


@dataclass(slots=True)
class _Connect:
    """One Connect cluster; *used* are topics that its connectors were seen to use, and since when that is known."""

    settings: ConnectSettings
    http: Http
    at: tuple[str, Naming]
    clock: Clock
    used: dict[str, tuple[float, tuple[TopicName, ...]]] = field(default_factory=dict)

    def look(self, _: Runs) -> Sequence[ObservedJob]:
        """List the connectors as their runs are told; raises ScannerError."""
        connectors, lost = read_connector_states(self.settings, self.http)
        for name in self.used.keys() - {each.name for each in connectors}:
            del self.used[name]
        return [*map(self._seen, connectors), *map(unreadable_job, lost)]

    def _seen(self, connector: Connector) -> ObservedJob:
        """Return a connector by its configuration; by the topics that it uses where that names none, or a pattern."""
        seen = observed_connector(connector, *self.at)
        if seen.phase is not Phase.RUNNING or names_topics(seen.job) or not self._is_asked:
            return seen
        topics = self._topics(connector.name)
        return observed_connector(replace(connector, topics=topics), *self.at) if topics else seen

    @property
    def _is_asked(self) -> bool:
        return self.settings.active_topics and not self.settings.is_managed

    def _topics(self, name: str) -> tuple[TopicName, ...]:
        """Return the topics that a connector was seen to use; none where it has used none, or nobody tells."""
        asked, known = self.used.get(name, (float("-inf"), ()))
        now = self.clock.now()
        if now - asked >= _AGAIN:
            with suppress(ScannerError):  # not tracked, or not now: what was known stays
                known = read_used_topics(self.http, name)
            self.used[name] = now, known
        return known


_CAUSES = 20
"""Failed jobs, the last started first, that are asked in one poll why they failed."""
_DISPLAYED, _ENVIRONMENT = "display_name", "environment"
"""Kinds of a cluster's aliases."""


def flink_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Return every server of Flink's that lists what it runs; *clock* makes tests fast.

    Raises SourceUnreachable where the files of SQL beside a JobManager cannot be read.
    """
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    names = {str(one.cluster): _names(one) for one in clusters}
    world = FlinkContext(naming=naming, names=names, topics=dict, columns=lambda _: {})
    for one in clusters:
        for flink in (each for each in one.flink if each.type in STATES):
            http = Http(flink.http, flink.source, clock=clock)
            is_job_manager = flink.type == JOB_MANAGER
            look = _jobs(flink, http, one, world) if is_job_manager else _statements(flink, http, one.cluster, world)
            # A job that ends stays listed for an hour: one that is not, is lost with its JobManager.
            gone = ABORT if is_job_manager else COMPLETE
            name = f"{one.cluster} {flink.source}"
            yield Server(name=name, engine=Engine(name="Apache Flink"), look=look, gone=gone)


def _statements(
    flink: FlinkSettings, http: Http, cluster: str, world: FlinkContext
) -> Callable[[Runs], Sequence[ObservedJob]]:
    statements = Statements(cluster, world)

    def look(_: Runs) -> Sequence[ObservedJob]:
        told = STATES[flink.type](flink, http)
        return [*statements.observe(told.statements), *map(unreadable_job, sorted(told.unread))]

    return look


def _jobs(
    flink: FlinkSettings, http: Http, one: Settings, world: FlinkContext
) -> Callable[[Runs], Sequence[ObservedJob]]:
    scripts = tuple(_scripts(one, world))
    causes: dict[str, str] = {}

    def look(_: Runs) -> Sequence[ObservedJob]:
        jobs = STATES[flink.type](flink, http).jobs
        failed = _failed(jobs)
        causes.update(job_causes(http, [name for name in failed if name not in causes]))
        for name in causes.keys() - set(failed):
            del causes[name]
        return observed_jobs(jobs, causes, scripts, one.cluster)

    return look


def _failed(jobs: Iterable[FlinkJob]) -> tuple[str, ...]:
    failed = [each for each in jobs if phase_of(each.state, FLINK) is Phase.FAILED]
    return tuple(each.name for each in sorted(failed, key=lambda each: each.started)[-_CAUSES:])


def _scripts(one: Settings, world: FlinkContext) -> Iterator[JobFlows]:
    for source in one.sql_files:
        texts = read_texts(source.files, partial(mask_statement, extra=one.secret_names))
        yield from script_jobs(one.cluster, read_sql_files(source, texts, no_progress).statements, world)


def _names(one: Settings) -> ClusterNames:
    """Return what Flink may call the cluster, as a scan would store it."""
    displayed = {name for kind, name in one.aliases if kind == _DISPLAYED}
    catalogs = frozenset(name for kind, name in one.aliases if kind.startswith(_ENVIRONMENT))
    own = {str(one.cluster), one.identity} - {""}
    return ClusterNames(frozenset(own | displayed), catalogs, whole=bool(displayed))


def ksqldb_servers(
    clusters: Sequence[Settings],
    *,
    clock: Clock | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[Server]:
    """Return every ksqlDB server; *clock* is how waits are spent, *now* the time by which errors are over."""
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    for one in clusters:
        for ksqldb in one.ksqldb:
            server = _Ksqldb(
                settings=ksqldb,
                http=Http(ksqldb.http, ksqldb.source, clock=clock),
                at=(one.cluster, naming),
                pause=(clock or Clock()).pause,
                now=now,
            )
            name = f"{one.cluster} {ksqldb.source}"
            yield Server(name=name, engine=Engine(name="ksqlDB"), look=server.look)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ksqldb:
    """One server; *at* is its cluster and how topics are named."""

    settings: KsqlSettings
    http: Http
    at: tuple[str, Naming]
    pause: Callable[[float], None]
    now: Callable[[], datetime]

    def look(self, runs: Runs) -> Sequence[ObservedJob]:
        """List the queries as their runs are reported; raises ScannerError."""
        known = {name: frozenset(each.name for each in run.job.outputs) for name, run in runs.items()}
        read = read_query_states(self.settings, self.http, Earlier(queries=known, pause=self.pause))
        errors = Errors(by_query=read.errors, now=self.now())
        found = observed_queries(read.queries, read.collections, errors, self.at)
        return [*found, *map(unreadable_job, sorted(read.unread))]


def servers_of(kinds: Sequence[str], named: Sequence[Settings]) -> Iterator[Server]:
    """Return the servers of each of *kinds*: `connect`, `ksqldb`, `flink`; raises ScannerError.

    A cluster of Confluent Cloud is asked for now, what is made there later is not known; what lacks a key is said.
    """
    clusters = [_found(one) for one in named]
    for lacking in (each for one in clusters for each in one.lacking if each.kind in kinds):
        echo_err(f"warning: {lacking.source}: {lacking.what} ({lacking.hint})")
    if "connect" in kinds:
        yield from connect_servers(clusters)
    if "ksqldb" in kinds:
        yield from ksqldb_servers(clusters)
    if "flink" in kinds:
        yield from flink_servers(clusters)


def _found(one: Settings) -> Settings:
    """Return a cluster with the sources that Confluent Cloud's control plane tells; another one as it is."""
    if one.cloud is None:
        return one
    from scanner_extractor.discovery.expansion import expanded
    from scanner_extractor.sources.confluent_cloud.discovery import read_cloud

    with Http(one.cloud.http, one.cloud.source) as http:
        return expanded(one, one.cloud, read_cloud(one.cloud, http, no_progress).organization)
