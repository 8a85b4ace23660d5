"""Content of manual-input files, before schema texts are parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

from scanner_model.catalogs import Annotation
from scanner_model.columns import Column, ColumnPath
from scanner_model.facts import Key, Value
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Cluster, Topic
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualSchema:
    """A schema declared by hand: either *text* in a format that a reader knows, or *columns* listed (*text* is empty).

    *subject*, *version* and *schema_id* are absent (empty, None) where the file does not state them. *references* are
    (name, text) pairs. *location* is file and JSON path. *record* names which record of the text it is, empty if the
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
    """One end of a declared flow: a dataset and perhaps a column; without a name only the job at this end is known."""

    namespace: Annotated[str, Key("empty for a topic of the cluster", long=True)] = ""
    name: Annotated[str, Key("the dataset; empty if only the job at this end is known", long=True)] = ""
    path: Annotated[ColumnPath | None, Key("JSON array: the column; empty for the whole dataset")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredFlow:
    """A flow that a file declares, or a program's use of a topic, or its right to use one.

    A use has one end: the program, its job, reads or writes a topic. What a job reads reaches what it writes, unless
    the flow is *suggested* or *separate*: then only in a flow with both ends.
    """

    source: SourceId
    origin: FlowEnd
    target: FlowEnd
    job: Annotated[str, Key("the job, may be empty", long=True)]
    description: Annotated[str, Value("may be empty", long=True)]
    evidence: Annotated[str, Value("file and position in it", long=True)]
    suggested: Annotated[bool, Value("whether it is read from source code by rules")] = False
    separate: Annotated[bool, Value("whether only a use of the topic is declared, not a flow")] = False
    effect: Annotated[str, Value("OpenLineage's subtype of a flow between columns, may be empty")] = ""

    @classmethod
    def use(cls, topic: str, *, writes: bool, **members: Any) -> Self:  # noqa: ANN401 - of several types
        """Build the use of a topic by a program, its `job`, which reads or writes it."""
        end, program = FlowEnd(name=topic), FlowEnd()
        return cls(origin=program if writes else end, target=end if writes else program, **members)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualInput:
    """Content of one or more manual-input files for one cluster; *sources* are the files, empty ones too.

    The name of an annotation among *owners* is a pattern of the names that its owner has.
    """

    cluster: Cluster
    sources: tuple[SourceId, ...] = ()
    topics: tuple[Topic, ...] = ()
    schemas: tuple[ManualSchema, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    flows: tuple[DeclaredFlow, ...] = ()
    owners: tuple[Annotation, ...] = ()
    field_uses: tuple[FieldUse, ...] = ()
