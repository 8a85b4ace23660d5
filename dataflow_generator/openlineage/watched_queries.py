"""Persistent queries of ksqlDB as their runs are told: state, lineage and error, from what one poll says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from dataflow_generator.flows.ksqldb import ksql_jobs
from dataflow_generator.flows.naming import Naming
from dataflow_generator.openlineage.lifecycle import Seen, Trouble
from dataflow_generator.openlineage.phases import KSQLDB, Phase, phase_of
from dataflow_generator.openlineage.run_events import ToldJob
from dataflow_generator.openlineage.watched_jobs import first_line, told_job
from scanner_model.estate import KsqlSource, Query

_SERVERS = 16
"""Servers whose statements are kept read: they change seldom, and are polled often."""


def queries_seen(
    queries: Iterable[Query], collections: tuple[KsqlSource, ...], errors: Mapping[str, str], at: tuple[str, Naming]
) -> list[Seen]:
    """Give the queries of one server as their runs are told; *at* is the cluster and how its topics are named.

    *errors* say by a query's name what the server says is wrong with it.
    """
    listed = tuple(queries)
    jobs = _jobs(tuple(replace(each, state="") for each in listed), collections, *at)
    return [_seen(each, jobs[each.name], errors.get(each.name, "")) for each in listed if each.name in jobs]


def _seen(query: Query, job: ToldJob, error: str) -> Seen:
    phase = phase_of(query.state, KSQLDB)
    trouble = None
    if phase is Phase.FAILED:
        trouble = Trouble(message=first_line(error) or f"the query is {query.state}", trace=error)
    return Seen(name=query.name, phase=phase, job=job, trouble=trouble)


@lru_cache(maxsize=_SERVERS)
def _jobs(
    queries: tuple[Query, ...], collections: tuple[KsqlSource, ...], cluster: str, naming: Naming
) -> Mapping[str, ToldJob]:
    found = ksql_jobs(((cluster, each) for each in collections), ((cluster, each) for each in queries), {}, naming)
    return {each.flows.job.name: told_job(each.flows) for each in found}
