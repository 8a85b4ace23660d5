"""Flink: statements and jobs, as reported by Confluent Cloud, a SQL Gateway, a JobManager or a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from scanner_model.names import SourceId, TopicName

SCRIPT = "SCRIPT"
"""The kind of a file of SQL: its text may hold many statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkStatement:
    """A statement, or a file of statements, as received; a value that is not reported is empty.

    *kind* and *state* are the server's words, *kind* SCRIPT for a file. *catalog_name* and *database_name* are what
    unqualified names resolve through. *topics_read* are the topics that the engine reports to have read, None where
    not reported. *hidden*: the service issued it for itself. *created* is ISO 8601.
    """

    source: SourceId
    name: str
    statement: str
    kind: str = ""
    state: str = ""
    detail: str = ""
    catalog_name: str = ""
    database_name: str = ""
    compute_pool: str = ""
    region: str = ""
    principal: str = ""
    uid: str = ""
    created: str = ""
    hidden: bool = False
    topics_read: tuple[TopicName, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkJob:
    """A job of a JobManager: *name* is its id, *title* its display name, *plan* its plan as JSON text or empty.

    *started* is ISO 8601, empty where not reported.
    """

    source: SourceId
    name: str
    title: str
    state: str
    started: str = ""
    plan: str = ""


class ClusterNames(NamedTuple):
    """What Flink may call a cluster (as a database), and the environment that it is of (as a catalog).

    *whole*: the list is complete, because a source reported the display name.
    """

    databases: frozenset[str]
    catalogs: frozenset[str]
    whole: bool = False
