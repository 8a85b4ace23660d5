"""What is told of one job: datasets read and written, flows between columns, and why each is believed."""

from __future__ import annotations

from dataclasses import dataclass

from dataflow_generator.graph import Certainty, Node, NodeKind
from scanner_model.paths import ColumnPath, path_name


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A topic, or a dataset outside Kafka (*kind* DATASET), named as OpenLineage does."""

    kind: NodeKind
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """Give the key of its node."""
        return f"{self.kind}:{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a dataset, or the whole dataset where *path* is None."""

    dataset: Dataset
    path: ColumnPath | None = None

    @property
    def key(self) -> str:
        """Give the key of its node; a name's own `#` must not look like the one before the path."""
        if self.path is None:
            return self.dataset.key
        name = self.dataset.name.replace("#", "%23")
        return f"{NodeKind.COLUMN}:{self.dataset.namespace}/{name}#{path_name(self.path)}"


@dataclass(frozen=True, slots=True)
class Use:
    """A dataset that a job reads or writes.

    *way* tells apart what goes where in a job of several ways: what is read on one is written on that one only. Empty:
    the job has one way, or this is on all of them. *certainty* None is that of the job.
    """

    dataset: Dataset
    evidence: str
    way: str = ""
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """One place bears on another; *type* and *subtype* are OpenLineage's, the subtype empty where nobody tells.

    *certainty* None is that of the job.
    """

    source: Place
    target: Place
    type: str
    subtype: str
    evidence: str
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFlows:
    """A job and its flows; *certainty* is that of all that do not tell their own.

    A consumer group is told alike: it reads, or is a *member_of* the jobs (by their nodes' keys) that read through it.
    """

    job: Node
    certainty: Certainty
    reads: tuple[Use, ...] = ()
    writes: tuple[Use, ...] = ()
    columns: tuple[ColumnFlow, ...] = ()
    member_of: tuple[str, ...] = ()


def job_node(namespace: str, name: str, attributes: tuple[tuple[str, str | int | bool | tuple[str, ...]], ...]) -> Node:
    """Make the node of a job."""
    return Node(f"{NodeKind.JOB}:{namespace}/{name}", NodeKind.JOB, namespace, name, None, attributes)
