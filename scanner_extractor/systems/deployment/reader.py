"""Read deployment files: each document by its form, one that cannot be read as a problem, and everything else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from scanner_extractor.http.messages import Json
from scanner_extractor.job_files import file_name
from scanner_extractor.repository.declared import Collector, DeclaredSql, DeclaredUse, Document
from scanner_extractor.repository.yaml_documents import Parsed, parse_yaml
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.deployment.descriptors import read_descriptor
from scanner_extractor.systems.deployment.kubernetes import (
    is_resource,
    read_resource,
    shared_settings,
    wrapped_resources,
)
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_model.declarations import DECLARED, Declaration, DeclaredKind
from scanner_model.documents.json_input import load_json
from scanner_model.errors import InputInvalid, Problem, SourceUnreachable
from scanner_model.facts import Facts
from scanner_model.kafka import Connector, ConnectorKind, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import SourceId, TopicName
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

_Key = TypeVar("_Key", str, tuple[Any, ...])
_Value = TypeVar("_Value")

DOCUMENT = "deployment"
"""The name under which a capture holds what the files declare."""

LARGEST = 16 * 1024 * 1024
"""Maximum bytes of one file; 10,000 topics take 3 MiB."""
_MOST_VALUES = 500_000
_DECLARING = re.compile(r"connector\.class|\bapiVersion\b|\b(?:projects|topics|services)\b")
"""A member of every form that is read."""
_TOTALS = ("files", "documents", "failed")
_RENDER = "render it first, for example with `helm template`, and name the result"


def read_deployment(settings: DeploymentSettings, progress: Progress) -> Collector:
    """Read every file, sorted by name; raises SourceUnreachable where none can be read."""
    collector = Collector(source=settings.source, secret_names=settings.files.secret_names)
    totals = collector.totals
    names = sorted((file_name(path, settings.files.base), path) for path in settings.files.files)
    for done, (name, path) in enumerate(names, start=1):
        _read_file(path, name, collector)
        progress(settings.source, done, len(names))
    if totals["files"] == totals["unread files"]:
        what = f"none of its {len(names)} files can be read" if names else f"{settings.files.pattern!r} matches no file"
        hint = collector.problems[0].what if names else "the pattern is relative to cluster.json"
        raise SourceUnreachable(what, where=str(settings.source), hint=hint)
    return collector


def read_text(name: str, text: str, collector: Collector) -> None:
    """Read the documents of one file into *collector*."""
    totals, documents = collector.totals, []
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
        wrapped = wrapped_resources(document)
        if is_resource(document.value):
            read_resource(document, collector)
        elif not wrapped and not read_descriptor(document, collector):
            collector.other("no form that is known")
        for inside in wrapped:
            read_resource(inside, collector)
    totals["documents"] += len(documents)


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


def _read_file(path: Path, name: str, collector: Collector) -> None:
    collector.totals["files"] += 1
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
        collector.totals.update(("failed", "unread files"))
    else:
        read_text(name, text, collector)


def deployment_reading(collector: Collector) -> Reading:
    """Return what files declare.

    The source is partly read where a file or document failed: then nothing of it is deleted, since what a document
    that cannot be read declares is not known.
    """
    failed = collector.totals["failed"]
    reasons = [f"{failed} of its files or documents could not be read"] if failed else []
    total = len(collector.declarations) + len(collector.statements)
    return Reading(
        outcome=answered(collector.source, "files", total, reasons=reasons, missing=failed),
        facts=declared_facts(collector).facts,
        problems=tuple(collector.problems),
    )


def declared_facts(collector: Collector) -> Facts:
    """Return what each tool declares, and as which topics, connectors, statements and flows, where nothing of it runs.

    Flows have one end: a program, which is their job, reads or writes a topic.
    """
    source, declarations = collector.source, _ordered(collector.declarations)
    return Facts(
        facts=(
            *declarations,
            *(_topic(declared) for declared in declarations if declared.kind is DeclaredKind.TOPIC),
            *(Topic(source=source, name=TopicName(name), internal=True) for name in sorted(collector.internal)),
            *(_connector(declared) for declared in declarations if declared.kind is DeclaredKind.CONNECTOR),
            *(_statement(statement, source) for statement in _ordered(collector.statements)),
            *(_flow(use, source) for use in _ordered(collector.uses)),
        )
    )


def _ordered(declared: Mapping[_Key, _Value]) -> list[_Value]:
    return [declared[key] for key in sorted(declared)]


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


def deployment_document(collector: Collector) -> Json:
    """Return what files declare as JSON; its members are described in `docs/capture.md`."""
    mappings = {name: getattr(collector, name) for name in ("declarations", "statements", "uses")}
    return {
        **{name: collector.totals[name] for name in _TOTALS},
        "others": dict(sorted(collector.others.items())),
        **{name: [_members(item) for item in _ordered(declared)] for name, declared in mappings.items()},
        "problems": [_members(problem) for problem in collector.problems],
        "internal": sorted(collector.internal),
    }


def read_deployment_document(document: Json, source: SourceId) -> Collector:
    """Read what `deployment_document` gave; raises InputInvalid for anything else."""
    try:
        declarations = [_declaration(item, source) for item in document["declarations"]]
        statements = [DeclaredSql(**item) for item in document["statements"]]
        uses = [DeclaredUse(**item) for item in document["uses"]]
        return Collector(
            source=source,
            declarations={(declared.kind, declared.name): declared for declared in declarations},
            statements={statement.name: statement for statement in statements},
            uses={(use.job, use.topic, use.writes): use for use in uses},
            internal=dict.fromkeys(document["internal"], ""),
            problems=[Problem(**item) for item in document["problems"]],
            others=Counter(document["others"]),
            totals=Counter({name: document[name] for name in _TOTALS}),
        )
    except (KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("the document in the capture is damaged", where=str(source), hint=hint) from error


def _members(item: Declaration | DeclaredSql | DeclaredUse | Problem) -> dict[str, Json]:
    return {name: value for name, value in asdict(item).items() if name != "source"}


def _declaration(item: dict[str, Any], source: SourceId) -> Declaration:
    config = tuple((str(key), str(value)) for key, value in item["config"])
    return Declaration(**{**item, "source": source, "kind": DeclaredKind(item["kind"]), "config": config})
