"""The Connect, ksqlDB and Flink servers that a monitor polls, and how each lists its jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.model import JobFlows, Naming
from dataflow_generator.openlineage.observed_jobs import (
    Errors,
    Statements,
    names_topics,
    observed_connector,
    observed_jobs,
    observed_queries,
    script_jobs,
)
from dataflow_generator.openlineage.state_machine import (
    ABORT,
    COMPLETE,
    FLINK,
    ObservedJob,
    Phase,
    Runs,
    ServerEngine,
    phase_of,
    unreadable_job,
)
from scanner_api.files import Notify, ignore
from scanner_api.monitoring.loop import Server
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.job_files import read_texts
from scanner_extractor.results import no_progress
from scanner_extractor.scan.expansion import expanded
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.systems.confluent_cloud.discovery import read_cloud
from scanner_extractor.systems.confluent_cloud.settings import Organization
from scanner_extractor.systems.connect.client import read_connector_states, read_used_topics
from scanner_extractor.systems.connect.reader import with_masked_passwords
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_extractor.systems.flink.client import STATES, job_causes
from scanner_extractor.systems.flink.settings import JOB_MANAGER, FlinkSettings
from scanner_extractor.systems.flink.sql_files import read_sql_files
from scanner_extractor.systems.ksqldb.client import read_query_states
from scanner_extractor.systems.ksqldb.queries import Earlier
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.errors import ScannerError
from scanner_model.kafka import Connector
from scanner_model.names import TopicName
from scanner_model.redaction import mask_statement
from scanner_model.streaming_sql import ClusterNames, FlinkJob, StreamingStatement

_AGAIN = 60.0
"""Seconds after which the topics that a connector uses are requested again."""


def connect_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Return every Connect cluster; *clock* makes tests fast."""
    naming = Naming((cluster.cluster, cluster.brokers) for cluster in clusters)
    for settings in clusters:
        for connect in map(_sequential, settings.connect):
            http = Http(connect.http, connect.source, wrap=partial(with_masked_passwords, connect), clock=clock)
            cluster = _Connect(connect, http, (settings.cluster, naming), clock or Clock())
            yield Server(
                name=f"{settings.cluster} {connect.source}",
                engine=ServerEngine(name="Kafka Connect"),
                look=cluster.look,
            )


def _sequential(connect: ConnectSettings) -> ConnectSettings:
    """Return *connect* without concurrent requests: each thread would keep memory of its own."""
    return replace(connect, http=replace(connect.http, concurrency=1))


@dataclass(slots=True)
class _Connect:
    """One Connect cluster; *used* are the topics that its connectors use, with the time of the request."""

    settings: ConnectSettings
    http: Http
    at: tuple[str, Naming]
    clock: Clock
    used: dict[str, tuple[float, tuple[TopicName, ...]]] = field(default_factory=dict)

    def look(self, _: Runs) -> Sequence[ObservedJob]:
        """List the connectors as observed jobs; raises ScannerError."""
        connectors, lost = read_connector_states(self.settings, self.http)
        for name in self.used.keys() - {connector.name for connector in connectors}:
            del self.used[name]
        return [*map(self._observed, connectors), *map(unreadable_job, lost)]

    def _observed(self, connector: Connector) -> ObservedJob:
        """Return a connector by its configuration, or by the topics that it uses if that names none or a pattern."""
        observed = observed_connector(connector, *self.at)
        if observed.phase is not Phase.RUNNING or names_topics(observed.job) or not self._has_used_topics:
            return observed
        topics = self._topics(connector.name)
        return observed_connector(replace(connector, topics=topics), *self.at) if topics else observed

    @property
    def _has_used_topics(self) -> bool:
        return self.settings.active_topics and not self.settings.is_managed

    def _topics(self, name: str) -> tuple[TopicName, ...]:
        """Return the topics that a connector uses; empty where it has used none, or where that is unknown."""
        requested, known = self.used.get(name, (float("-inf"), ()))
        now = self.clock.now()
        if now - requested >= _AGAIN:
            with suppress(ScannerError):  # not tracked, or not now: the earlier answer stays
                known = read_used_topics(self.http, name)
            self.used[name] = now, known
        return known


_CAUSES = 20
"""Failed jobs, the last started first, whose cause is requested in one poll."""
_DISPLAYED, _ENVIRONMENT = "display_name", "environment"
"""Kinds of a cluster's aliases."""


def flink_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Return every Flink server that lists its jobs; *clock* makes tests fast.

    Raises SourceUnreachable where the files of SQL beside a JobManager cannot be read.
    """
    naming = Naming((cluster.cluster, cluster.brokers) for cluster in clusters)
    names = {str(settings.cluster): _names(settings) for settings in clusters}
    context = FlinkContext(naming=naming, names=names, topics=dict, columns=lambda _: {})
    for settings in clusters:
        for flink in (server for server in settings.flink if server.type in STATES):
            http = Http(flink.http, flink.source, clock=clock)
            is_job_manager = flink.type == JOB_MANAGER
            look = (
                _jobs(flink, http, settings, context)
                if is_job_manager
                else _statements(flink, http, settings.cluster, context)
            )
            # A job that ended stays listed for an hour: one that is missing was lost with its JobManager.
            ended_as = ABORT if is_job_manager else COMPLETE
            name = f"{settings.cluster} {flink.source}"
            yield Server(name=name, engine=ServerEngine(name="Apache Flink"), look=look, gone=ended_as)


def _statements(
    flink: FlinkSettings, http: Http, cluster: str, context: FlinkContext
) -> Callable[[Runs], Sequence[ObservedJob]]:
    statements = Statements(cluster, context)

    def look(_: Runs) -> Sequence[ObservedJob]:
        states = STATES[flink.type](flink, http)
        return [*statements.observe(states.statements), *map(unreadable_job, sorted(states.unread))]

    return look


def _jobs(
    flink: FlinkSettings, http: Http, settings: Settings, context: FlinkContext
) -> Callable[[Runs], Sequence[ObservedJob]]:
    scripts = tuple(_scripts(settings, context))
    causes: dict[str, str] = {}

    def look(_: Runs) -> Sequence[ObservedJob]:
        jobs = STATES[flink.type](flink, http).jobs
        failed = _failed(jobs)
        causes.update(job_causes(http, [name for name in failed if name not in causes]))
        for name in causes.keys() - set(failed):
            del causes[name]
        return observed_jobs(jobs, causes, scripts, settings.cluster)

    return look


def _failed(jobs: Iterable[FlinkJob]) -> tuple[str, ...]:
    failed = [job for job in jobs if phase_of(job.state, FLINK) is Phase.FAILED]
    return tuple(job.name for job in sorted(failed, key=lambda job: job.started)[-_CAUSES:])


def _scripts(settings: Settings, context: FlinkContext) -> Iterator[JobFlows]:
    for source in settings.sql_files:
        texts = read_texts(source.files, partial(mask_statement, extra=settings.secret_names))
        statements = read_sql_files(source, texts, no_progress).of(StreamingStatement)
        yield from script_jobs(settings.cluster, statements, context)


def _names(settings: Settings) -> ClusterNames:
    """Return the names that Flink may use for the cluster, as a scan would store them."""
    displayed = {name for kind, name in settings.aliases if kind == _DISPLAYED}
    catalogs = frozenset(name for kind, name in settings.aliases if kind.startswith(_ENVIRONMENT))
    own = {str(settings.cluster), settings.identity} - {""}
    return ClusterNames(frozenset(own | displayed), catalogs, complete=bool(displayed))


def ksqldb_servers(
    clusters: Sequence[Settings],
    *,
    clock: Clock | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[Server]:
    """Return every ksqlDB server; *clock* implements waits, *now* is the time that ages errors."""
    naming = Naming((cluster.cluster, cluster.brokers) for cluster in clusters)
    for settings in clusters:
        for ksqldb in settings.ksqldb:
            server = _Ksqldb(
                settings=ksqldb,
                http=Http(ksqldb.http, ksqldb.source, clock=clock),
                at=(settings.cluster, naming),
                pause=(clock or Clock()).pause,
                now=now,
            )
            name = f"{settings.cluster} {ksqldb.source}"
            yield Server(name=name, engine=ServerEngine(name="ksqlDB"), look=server.look)


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
        known = {name: frozenset(output.name for output in run.job.outputs) for name, run in runs.items()}
        # A run ends where two polls miss its query, so that each one is taken for the second.
        earlier = Earlier(queries=known, missing=frozenset(known), pause=self.pause)
        read = read_query_states(self.settings, self.http, earlier)
        errors = Errors(by_query=read.errors, now=self.now())
        queries = observed_queries(read.queries, read.collections, errors, self.at)
        return [*queries, *map(unreadable_job, sorted(read.unread))]


def servers_of(kinds: Sequence[str], configured: Sequence[Settings], notify: Notify = ignore) -> Iterator[Server]:
    """Return the servers of each of *kinds*: `connect`, `ksqldb`, `flink`; raises ScannerError.

    Confluent Cloud is queried once, now; *notify* gets a warning for each source there that has no key.
    """
    clusters = [_expanded(settings) for settings in configured]
    for lacking in (source for settings in clusters for source in settings.lacking if source.kind in kinds):
        notify(f"warning: {lacking.source}: {lacking.what} ({lacking.hint})")
    if "connect" in kinds:
        yield from connect_servers(clusters)
    if "ksqldb" in kinds:
        yield from ksqldb_servers(clusters)
    if "flink" in kinds:
        yield from flink_servers(clusters)


def _expanded(settings: Settings) -> Settings:
    """Return *settings* with the sources that Confluent Cloud's control plane lists."""
    if settings.cloud is None:
        return settings
    with Http(settings.cloud.http, settings.cloud.source) as http:
        reading = read_cloud(settings.cloud, http, no_progress)
    return expanded(settings, settings.cloud, *reading.of(Organization))
