"""The Flink servers that a monitor polls: how their statements and jobs are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from dataflow_generator.flows.facts import JobFlows
from dataflow_generator.flows.flink_places import World
from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.life_events import Engine
from dataflow_generator.openlineage.lifecycle import ABORT, COMPLETE, Runs, Seen, unread
from dataflow_generator.openlineage.phases import FLINK, Phase, phase_of
from dataflow_generator.openlineage.watched_statements import Statements, jobs_seen, scripted
from scanner_cli.monitoring import Server
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.readings import no_progress
from scanner_extractor.settings import Settings
from scanner_extractor.settings_flink import JOB_MANAGER, FlinkSettings
from scanner_extractor.sources.file_texts import read_texts
from scanner_extractor.sources.flink_states import STATES, job_causes
from scanner_extractor.sources.sql_files import read_sql_files
from scanner_model.flink import ClusterNames, FlinkJob
from scanner_model.redaction import mask_statement

_CAUSES = 20
"""Failed jobs, the last started first, that are asked in one poll why they failed."""
_DISPLAYED, _ENVIRONMENT = "display_name", "environment"
"""Kinds of a cluster's aliases."""


def flink_servers(clusters: Sequence[Settings], *, clock: Clock | None = None) -> Iterator[Server]:
    """Give every server of Flink's that lists what it runs; *clock* makes tests fast.

    Raises SourceUnreachable where the files of SQL beside a JobManager cannot be read.
    """
    naming = Naming((one.cluster, one.brokers) for one in clusters)
    names = {str(one.cluster): _names(one) for one in clusters}
    world = World(naming=naming, names=names, topics=dict, columns=lambda _: {})
    for one in clusters:
        for flink in (each for each in one.flink if each.type in STATES):
            http = Http(flink.http, flink.source, clock=clock)
            is_job_manager = flink.type == JOB_MANAGER
            look = _jobs(flink, http, one, world) if is_job_manager else _statements(flink, http, one.cluster, world)
            # A job that ends stays listed for an hour: one that is not, is lost with its JobManager.
            gone = ABORT if is_job_manager else COMPLETE
            name = f"{one.cluster} {flink.source}"
            yield Server(name=name, engine=Engine(name="Apache Flink"), look=look, gone=gone)


def _statements(flink: FlinkSettings, http: Http, cluster: str, world: World) -> Callable[[Runs], Sequence[Seen]]:
    statements = Statements(cluster, world)

    def look(_: Runs) -> Sequence[Seen]:
        told = STATES[flink.type](flink, http)
        return [*statements.seen(told.statements), *map(unread, sorted(told.unread))]

    return look


def _jobs(flink: FlinkSettings, http: Http, one: Settings, world: World) -> Callable[[Runs], Sequence[Seen]]:
    scripts = tuple(_scripts(one, world))
    causes: dict[str, str] = {}

    def look(_: Runs) -> Sequence[Seen]:
        jobs = STATES[flink.type](flink, http).jobs
        failed = _failed(jobs)
        causes.update(job_causes(http, [name for name in failed if name not in causes]))
        for name in causes.keys() - set(failed):
            del causes[name]
        return jobs_seen(jobs, causes, scripts, one.cluster)

    return look


def _failed(jobs: Iterable[FlinkJob]) -> tuple[str, ...]:
    failed = [each for each in jobs if phase_of(each.state, FLINK) is Phase.FAILED]
    return tuple(each.name for each in sorted(failed, key=lambda each: each.started)[-_CAUSES:])


def _scripts(one: Settings, world: World) -> Iterator[JobFlows]:
    for source in one.sql_files:
        texts = read_texts(source.files, partial(mask_statement, extra=one.secret_names))
        yield from scripted(one.cluster, read_sql_files(source, texts, no_progress).statements, world)


def _names(one: Settings) -> ClusterNames:
    """Give what Flink may call the cluster, as a scan would store it."""
    displayed = {name for kind, name in one.aliases if kind == _DISPLAYED}
    catalogs = frozenset(name for kind, name in one.aliases if kind.startswith(_ENVIRONMENT))
    own = {str(one.cluster), one.identity} - {""}
    return ClusterNames(frozenset(own | displayed), catalogs, whole=bool(displayed))
