"""Observe persistent ksqlDB queries: state, lineage and error of each, from one poll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.ksqldb import ksql_jobs
from dataflow_generator.openlineage.emit.jobs import described_job
from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.monitor.state_machine import ObservedJob, run_error
from dataflow_generator.openlineage.monitor.state_mapping import KSQLDB, Phase, phase_of
from scanner_model.ksqldb import KsqlSource, Query, QueryError

_SERVERS = 16
"""Servers whose parsed statements are cached: they change seldom, and are polled often."""


_OVER = timedelta(minutes=20)
"""The age at which an error no longer applies: ksqlDB retries a query after 15 minutes at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """The latest error of each query of a server, by name; *now* decides which ones still apply."""

    by_query: Mapping[str, QueryError]
    now: datetime


def observed_queries(
    queries: Iterable[Query], collections: tuple[KsqlSource, ...], errors: Errors, at: tuple[str, Naming]
) -> list[ObservedJob]:
    """Return the queries of one server as observed jobs; *at* is the cluster and its dataset naming."""
    listed = tuple(queries)
    jobs = _jobs(tuple(replace(each, state="") for each in listed), collections, *at)
    return [_observed(query, jobs[query.name], errors) for query in listed if query.name in jobs]


def _observed(query: Query, job: JobEntry, errors: Errors) -> ObservedJob:
    phase = phase_of(query.state, KSQLDB)
    latest = errors.by_query.get(query.name)
    error = None
    if phase is Phase.FAILED:
        error = run_error(latest.message if latest else "", f"the query is {query.state}")
    elif phase is Phase.RUNNING and latest and latest.at and errors.now - latest.at < _OVER:
        # ksqlDB keeps retrying a failing query, and reports it as running meanwhile.
        error = run_error(latest.message)
    return ObservedJob(name=query.name, phase=phase, job=job, error=error)


@lru_cache(maxsize=_SERVERS)
def _jobs(
    queries: tuple[Query, ...], collections: tuple[KsqlSource, ...], cluster: str, naming: Naming
) -> Mapping[str, JobEntry]:
    readings = ksql_jobs(
        ((cluster, collection) for collection in collections), ((cluster, query) for query in queries), {}, naming
    )
    return {reading.flows.job.name: described_job(reading.flows) for reading in readings}
