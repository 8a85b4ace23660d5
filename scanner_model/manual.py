"""Content of manual-input files, before schema texts are parsed."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.columns import Column, ColumnPath
from scanner_model.kafka import Cluster, Topic
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualSchema:
    """A schema declared by hand: either *text* in a format that a reader knows, or *columns* listed (*text* is empty).

    *subject*, *version* and *schema_id* are absent (empty, None) where the file does not state them. *references* are
    (name, text) pairs. *location* is file and JSON path. *record* names which record of the text it is, empty where the
    file leaves that to the format.
    """

    source: SourceId
    topic: TopicName
    role: Role
    format: str
    location: str
    text: str = ""
    columns: tuple[Column, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    subject: SubjectName = SubjectName("")
    version: int | None = None
    schema_id: str | None = None
    environment: str = ""
    record: RecordName = RecordName("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A declared assignment of a subject to a topic; *role* None: by the subject's suffix, else value."""

    source: SourceId
    subject: SubjectName
    topic: TopicName
    role: Role | None
    location: str
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEnd:
    """One end of a manual flow: a dataset (namespace empty for a topic of this cluster) and perhaps a column.

    Without a name only the job at this end is known.
    """

    namespace: str
    name: str
    path: ColumnPath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualFlow:
    """A flow declared in manual input or a deployment file; *job* may be empty, *evidence* is file and position.

    A deployment file declares that a program, its job, reads or writes a topic: then one end has no name. *suggested*:
    the flow is read from source code by rules, and what the job reads reaches what it writes only in a flow with both.
    """

    source: SourceId
    origin: FlowEnd
    target: FlowEnd
    job: str
    description: str
    evidence: str
    suggested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualInput:
    """Content of one or more manual-input files for one cluster; *sources* are the files, empty ones too."""

    cluster: Cluster
    sources: tuple[SourceId, ...] = ()
    topics: tuple[Topic, ...] = ()
    schemas: tuple[ManualSchema, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    flows: tuple[ManualFlow, ...] = ()
