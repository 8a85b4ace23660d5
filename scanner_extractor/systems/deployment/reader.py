"""Read deployment files: each document by its form, one that cannot be read as a problem, and everything else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.job_files import file_name
from scanner_extractor.repository.declared import Collector, DeclaredSql, DeclaredUse, Document
from scanner_extractor.repository.yaml_documents import Parsed, parse_yaml
from scanner_extractor.results import DeclaredResult, Progress
from scanner_extractor.systems.deployment.descriptors import read_descriptor
from scanner_extractor.systems.deployment.kubernetes import is_resource, read_resource, shared_settings
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_model.declarations import DECLARED, Declaration, DeclaredKind
from scanner_model.documents.json_input import load_json
from scanner_model.errors import InputInvalid, Problem, SourceUnreachable
from scanner_model.kafka import Connector, ConnectorKind, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

DOCUMENT = "deployment"
"""The name under which a capture holds what the files declare."""

LARGEST = 16 * 1024 * 1024
"""Maximum bytes of one file; 10,000 topics take 3 MiB."""
_MOST_VALUES = 500_000
_DECLARING = re.compile(r"connector\.class|\bapiVersion\b|\b(?:projects|topics|services)\b")
"""A member of every form that is read."""
_RENDER = "render it first, for example with `helm template`, and name the result"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentReading:
    """What deployment files declare; *failed* counts files and documents that could not be read.

    *files* counts all files, *documents* those that were parsed, *others* the skipped ones, by reason.
    """

    files: int = 0
    documents: int = 0
    failed: int = 0
    declarations: tuple[Declaration, ...] = ()
    statements: tuple[DeclaredSql, ...] = ()
    uses: tuple[DeclaredUse, ...] = ()
    internal: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    others: dict[str, int] = field(default_factory=dict)

    def count(self, kind: DeclaredKind) -> int:
        """Count the declarations of a kind."""
        return sum(declaration.kind is kind for declaration in self.declarations)


def read_deployment(settings: DeploymentSettings, progress: Progress) -> DeploymentReading:
    """Read every file, sorted by name; raises SourceUnreachable where none can be read."""
    collector = Collector(source=settings.source, secret_names=settings.files.secret_names)
    totals: Counter[str] = Counter()
    names = sorted((file_name(path, settings.files.base), path) for path in settings.files.files)
    for done, (name, path) in enumerate(names, start=1):
        _read_file(path, name, collector, totals)
        progress(settings.source, done, len(names))
    if totals["files"] == totals["unread files"]:
        what = f"none of its {len(names)} files can be read" if names else f"{settings.files.pattern!r} matches no file"
        hint = collector.problems[0].what if names else "the pattern is relative to cluster.json"
        raise SourceUnreachable(what, where=str(settings.source), hint=hint)
    return DeploymentReading(
        files=totals["files"],
        documents=totals["documents"],
        failed=totals["failed"],
        declarations=tuple(collector.declarations[key] for key in sorted(collector.declarations)),
        statements=tuple(collector.statements[name] for name in sorted(collector.statements)),
        uses=tuple(collector.uses[key] for key in sorted(collector.uses)),
        internal=tuple(sorted(collector.internal)),
        problems=tuple(collector.problems),
        others=dict(sorted(collector.others.items())),
    )


def read_text(name: str, text: str, collector: Collector) -> Counter[str]:
    """Read the documents of one file into *collector*; return how many were parsed, and how many failed."""
    totals: Counter[str] = Counter()
    documents = []
    for parsed in _parsed(name, text):
        place = f"{name}:{parsed.line}"
        if parsed.template:
            collector.problem(place, f"it is a template: {parsed.error.removeprefix('it is not YAML: ')}", _RENDER)
            totals["templates"] += 1
        elif parsed.error:
            collector.problem(place, parsed.error, "the rest is read")
            totals["failed"] += not parsed.foreign
        elif parsed.value is not None:
            documents.append(Document(name, parsed.line, parsed.value))
    collector.config_maps = dict(filter(None, map(shared_settings, documents)))
    for document in documents:
        if is_resource(document.value):
            read_resource(document, collector)
        elif not read_descriptor(document, collector):
            collector.other("no form that is known")
    totals["documents"] += len(documents)
    return totals


def _parsed(name: str, text: str) -> Iterator[Parsed]:
    if not name.lower().endswith(".json"):
        yield from parse_yaml(text)
        return
    try:
        yield Parsed(1, load_json(text.encode("utf-8", "surrogatepass"), most=_MOST_VALUES).value)
    except json.JSONDecodeError as error:
        what = f"it is not JSON: {error.msg} in column {error.colno}"
        yield Parsed(error.lineno, error=what, foreign=not _DECLARING.search(text))
    except (ValueError, RecursionError) as error:
        yield Parsed(1, error=f"it is not JSON that can be read: {error}")


def _read_file(path: Path, name: str, collector: Collector, totals: Counter[str]) -> None:
    totals["files"] += 1
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        failure = f"it is larger than {LARGEST // 2**20} MiB" if len(content) > LARGEST else ""
        text = "" if failure else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        failure = f"it is not UTF-8 at byte {error.start}"
    except (OSError, ValueError) as error:
        failure = f"it cannot be read: {getattr(error, 'strerror', '') or 'no such file'}"
    if failure:
        collector.problem(name, failure, "the other files are read")
        totals.update(("failed", "unread files"))
    else:
        totals.update(read_text(name, text, collector))


def deployment_result(reading: DeploymentReading, source: SourceId) -> DeclaredResult:
    """Return the facts of *reading*: what each tool declares, as topics, connectors, statements and flows.

    The source is partly read where a file or document failed: then nothing of it is deleted, since what a document
    that cannot be read declares is not known.
    """
    total = len(reading.declarations) + len(reading.statements)
    topics = [declared for declared in reading.declarations if declared.kind is DeclaredKind.TOPIC]
    connectors = [declared for declared in reading.declarations if declared.kind is DeclaredKind.CONNECTOR]
    internal = (Topic(source=source, name=TopicName(name), internal=True) for name in reading.internal)
    return DeclaredResult(
        outcome=SourceResult(
            source=source,
            kind="files",
            status=SourceStatus.PARTIAL if reading.failed else SourceStatus.READ,
            received=total,
            requested=total + reading.failed,
            reason=f"{reading.failed} of its files or documents could not be read" if reading.failed else "",
        ),
        declarations=reading.declarations,
        topics=(*map(_topic, topics), *internal),
        connectors=tuple(map(_connector, connectors)),
        statements=tuple(_statement(statement, source) for statement in reading.statements),
        flows=tuple(_flow(use, source) for use in reading.uses),
        problems=reading.problems,
    )


def _topic(declared: Declaration) -> Topic:
    return Topic(
        source=declared.source,
        name=TopicName(declared.name),
        partitions=declared.partitions,
        replication=declared.replication,
        config=declared.config,
    )


def _connector(declared: Declaration) -> Connector:
    config = dict(declared.config)
    return Connector(
        source=declared.source,
        name=declared.name,
        kind=ConnectorKind.UNKNOWN,
        connector_class=config.get("connector.class", ""),
        config=declared.config,
        state=DECLARED,
    )


def _statement(declared: DeclaredSql, source: SourceId) -> StreamingStatement:
    return StreamingStatement(
        source=source,
        name=declared.name,
        statement=declared.statement,
        kind=SCRIPT,
        detail=declared.place,
        engine=declared.engine,
    )


def _flow(use: DeclaredUse, source: SourceId) -> DeclaredFlow:
    return DeclaredFlow.use(
        use.topic,
        writes=use.writes,
        source=source,
        job=use.job,
        description=use.description,
        evidence=use.place,
        separate=use.separate,
    )


def deployment_document(reading: DeploymentReading) -> Json:
    """Return *reading* as JSON; its members are described in `docs/capture.md`."""
    lists = ("declarations", "statements", "uses", "problems")
    return {
        **{name: getattr(reading, name) for name in ("files", "documents", "failed", "others")},
        **{name: [_members(item) for item in getattr(reading, name)] for name in lists},
        "internal": list(reading.internal),
    }


def read_deployment_document(document: Json, source: SourceId) -> DeploymentReading:
    """Read what `deployment_document` gave; raises InputInvalid for anything else."""
    try:
        return DeploymentReading(
            **{name: document[name] for name in ("files", "documents", "failed", "others")},
            declarations=tuple(_declaration(item, source) for item in document["declarations"]),
            statements=tuple(DeclaredSql(**item) for item in document["statements"]),
            uses=tuple(DeclaredUse(**item) for item in document["uses"]),
            internal=tuple(document["internal"]),
            problems=tuple(Problem(**item) for item in document["problems"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("the document in the capture is damaged", where=str(source), hint=hint) from error


def _members(item: Declaration | DeclaredSql | DeclaredUse | Problem) -> dict[str, Json]:
    return {name: value for name, value in asdict(item).items() if name != "source"}


def _declaration(item: dict[str, Any], source: SourceId) -> Declaration:
    config = tuple((str(key), str(value)) for key, value in item["config"])
    return Declaration(**{**item, "source": source, "kind": DeclaredKind(item["kind"]), "config": config})
