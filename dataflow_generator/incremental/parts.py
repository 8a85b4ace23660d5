"""What a stored graph has of each topic and of each row that tells of jobs, and what that was made of, as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.digest import digest
from dataflow_generator.connectors.topics import beginning
from dataflow_generator.graph import NodeKind
from dataflow_generator.incremental.inputs import Estate, JobRow
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.jobs.kinds import InputsUsed, JobReading
from dataflow_generator.jobs.model import Dataset
from scanner_dictionary.graph.update import PartName, PartRow
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_model.problems import Problem

TOPICS = "topics"
"""The kind of the parts that remember the topics of a cluster, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What came of a row that tells of jobs, or of a job whose kind is read whole.

    *digest* hashes what it was made of, but for the names of topics: those that were looked at are hashed by *names*,
    and *told* hashes what a connector made of them. *flows* hashes what came of it; *jobs* are the keys of nodes.
    """

    digest: str
    names: str
    told: str
    flows: str
    jobs: tuple[str, ...]
    made_of: InputsUsed
    coverage: Coverage


class JobTold(NamedTuple):
    """What is remembered of a job: its node's key, a hash of its flows, what it adds to counts, what it is made of."""

    key: str
    flows: str
    coverage: Coverage
    made_of: InputsUsed


def job_told(reading: JobReading) -> JobTold:
    """Return what is remembered of a job."""
    return JobTold(reading.flows.job.key, digest(reading.flows), reading.coverage, reading.made_of)


def topic_parts(estate: Estate) -> dict[PartName, PartRow]:
    """Return what is remembered of every topic: one part for each cluster, because they are many."""
    found: dict[str, dict[str, str]] = {}
    for (cluster, name), state in estate.topics.items():
        found.setdefault(cluster, {})[name] = state.digest
    return {(TOPICS, name): PartRow("", json.dumps(told, ensure_ascii=False)) for name, told in found.items()}


def read_topic_parts(rows: Mapping[PartName, PartRow]) -> dict[ClusterTopic, str]:
    """Return the hash of each topic; raises Unrenewable for what this program did not write."""
    try:
        told = ((cluster, json.loads(row.told)) for (kind, cluster), row in rows.items() if kind == TOPICS)
        return {(cluster, name): digest for cluster, topics in told for name, digest in topics.items()}
    except (ValueError, AttributeError) as error:
        raise Unrenewable from error


def row_part(estate: Estate, kind: str, row: JobRow, readings: Iterable[JobTold]) -> Part:
    """Return what is remembered of a row that *readings* came of."""
    listed = list(readings)
    made_of = InputsUsed(
        topics=frozenset[tuple[str, str]]().union(*(each.made_of.topics for each in listed)),
        dark=frozenset[Dataset]().union(*(each.made_of.dark for each in listed)),
        starts=frozenset([""] if row.matched else ()).union(*(each.made_of.starts for each in listed)),
    )
    names = names_digest(estate, next((each.made_of.row[0] for each in listed), ""), made_of)
    return _part(
        (made_digest(estate, kind, row, made_of), names, told_digest(each.made_of.told for each in listed)),
        made_of,
        listed,
    )


def whole_part(reading: JobTold) -> Part:
    """Return what is remembered of a job whose kind is read whole: it is made of nothing else than it tells."""
    return _part((reading.flows, "", ""), InputsUsed(), [reading])


def made_digest(estate: Estate, kind: str, row: JobRow, made_of: InputsUsed) -> str:
    """Hash all that a row's jobs are made of but names of topics, as the dictionary has it now."""
    topics = ((topic, estate.topics.get(topic)) for topic in sorted(made_of.topics))
    columns = [(topic, state and state.columns) for topic, state in topics]
    tables = estate.tables if kind == "connect" and made_of.dark else ""
    return digest((row.digest, columns, tables))


def names_digest(estate: Estate, cluster: str, made_of: InputsUsed) -> str:
    """Hash those names of topics that a row of *cluster* was read with, as they are now; empty where there are none."""
    if "" in made_of.starts:
        return estate.names
    named = estate.named.get(cluster, ())
    return digest([beginning(named, start) for start in sorted(made_of.starts)]) if made_of.starts else ""


def part_row(part: Part) -> PartRow:
    """Write a part."""
    told = {
        "jobs": part.jobs,
        "names": part.names,
        "told": part.told,
        "flows": part.flows,
        "topics": sorted(part.made_of.topics),
        "dark": sorted((str(each.kind), each.namespace, each.name) for each in part.made_of.dark),
        "starts": sorted(part.made_of.starts),
        "coverage": asdict(part.coverage),
    }
    return PartRow(part.digest, json.dumps(told, ensure_ascii=False))


def read_part_row(row: PartRow) -> Part:
    """Read a part; raises Unrenewable for what this program did not write."""
    try:
        told = json.loads(row.told)
        made_of = InputsUsed(
            topics=frozenset((cluster, name) for cluster, name in told["topics"]),
            dark=frozenset(Dataset(NodeKind(kind), namespace, name) for kind, namespace, name in told["dark"]),
            starts=frozenset(told["starts"]),
        )
        coverage = _coverage(told["coverage"])
        words = {name: told[name] for name in ("names", "told", "flows")}
        return Part(digest=row.digest, **words, jobs=tuple(told["jobs"]), made_of=made_of, coverage=coverage)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unrenewable from error


def told_digest(told: Iterable[str]) -> str:
    """Hash what connectors made of names of topics; empty where it cannot be compared."""
    listed = list(told)
    return digest(listed) if all(listed) else ""


def job_keys(parts: Mapping[PartName, Part]) -> list[str]:
    """List the keys of all jobs; raises Unrenewable where two parts tell of one."""
    keys = [key for part in parts.values() for key in part.jobs]
    if len(set(keys)) < len(keys):
        raise Unrenewable
    return keys


def _part(made: tuple[str, str, str], made_of: InputsUsed, readings: list[JobTold]) -> Part:
    return Part(
        digest=made[0],
        names=made[1],
        told=made[2],
        flows=digest([each.flows for each in readings]),
        jobs=tuple(each.key for each in readings),
        made_of=made_of,
        coverage=Coverage.total(each.coverage for each in readings),
    )


def _coverage(told: dict[str, Any]) -> Coverage:
    problems = tuple(Problem(**each) for each in told.pop("problems"))
    return Coverage(**told, problems=problems)
