"""Persistent queries of ksqlDB as their runs are told: state, lineage and error, from what one poll says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.ksqldb import ksql_jobs
from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.monitor.jobs import described_job, first_line
from dataflow_generator.openlineage.monitor.state_machine import ObservedJob, RunError
from dataflow_generator.openlineage.monitor.state_mapping import KSQLDB, Phase, phase_of
from scanner_model.ksqldb import KsqlSource, Query, QueryError

_SERVERS = 16
"""Servers whose statements are kept read: they change seldom, and are polled often."""


_OVER = timedelta(minutes=20)
"""An error this old is over: ksqlDB tries a query again after 15 minutes at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """What went wrong last in each query of a server, by its name; *now* says which of it is over."""

    by_query: Mapping[str, QueryError]
    now: datetime


def observed_queries(
    queries: Iterable[Query], collections: tuple[KsqlSource, ...], errors: Errors, at: tuple[str, Naming]
) -> list[ObservedJob]:
    """Return the queries of one server as their runs are reported; *at* is the cluster and how its topics are named."""
    listed = tuple(queries)
    jobs = _jobs(tuple(replace(each, state="") for each in listed), collections, *at)
    return [_seen(each, jobs[each.name], errors) for each in listed if each.name in jobs]


def _seen(query: Query, job: JobEntry, errors: Errors) -> ObservedJob:
    phase = phase_of(query.state, KSQLDB)
    error = errors.by_query.get(query.name)
    trouble = None
    if phase is Phase.FAILED:
        trace = error.message if error else ""
        trouble = RunError(message=first_line(trace) or f"the query is {query.state}", trace=trace)
    elif phase is Phase.RUNNING and error and error.at and errors.now - error.at < _OVER:
        # ksqlDB tries again and again what fails, and calls it running all the time.
        trouble = RunError(message=first_line(error.message), trace=error.message)
    return ObservedJob(name=query.name, phase=phase, job=job, trouble=trouble)


@lru_cache(maxsize=_SERVERS)
def _jobs(
    queries: tuple[Query, ...], collections: tuple[KsqlSource, ...], cluster: str, naming: Naming
) -> Mapping[str, JobEntry]:
    found = ksql_jobs(((cluster, each) for each in collections), ((cluster, each) for each in queries), {}, naming)
    return {each.flows.job.name: described_job(each.flows) for each in found}
