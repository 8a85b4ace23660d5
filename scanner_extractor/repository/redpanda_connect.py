"""Pipelines of Redpanda Connect (Benthos): the topics of their Kafka inputs and outputs, wherever these are nested.

Source: Redpanda Connect's reference of inputs and outputs, and "Interpolation".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, plain_text, text
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.mapping import documents
from scanner_model.declarations import UNRESOLVED_USE
from scanner_model.payload import Json

PIPELINE = "Redpanda Connect pipeline"
"""The kind of these files, as they are counted."""
_KAFKA = frozenset(
    ("kafka", "kafka_franz", "kafka_balanced", "redpanda", "redpanda_common", "redpanda_migrator", "ockam_kafka")
)
_ENDS = re.compile(r"^(?:input|output)(?:_resources)?:", re.MULTILINE)
_COMPONENT = re.compile(rf"^[ \t]+(?:- )?['\"]?(?:{'|'.join(sorted(_KAFKA))})['\"]?:", re.MULTILINE)
_PLAIN_NAMES = frozenset(("config", "connect", "benthos", "pipeline", "main", "redpanda-connect", "rpcn"))
"""Names of files that say nothing of a pipeline: its name is that of the directory."""
_DEFAULT = re.compile(r"\$\{(\w+):([^{}]*)\}")
_DYNAMIC = re.compile(r"\$\{!")
_PARTITION = re.compile(r":\d+(?:-\d+)?$")
_DEEPEST = 40


class _Topic(NamedTuple):
    name: str
    line: int


def is_pipeline(file: RepositoryFile) -> bool:
    """Check whether a file configures a pipeline with Kafka at one of its ends."""
    signs = (_ENDS, _COMPONENT) if file.ending in (".yaml", ".yml") else ()
    return bool(signs) and all(sign.search(file.text) for sign in signs)


def read_pipelines(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add what each pipeline reads and writes; a topic that each message decides is an unresolved use."""
    for file in files:
        for parsed in documents(file, context, PIPELINE):
            for key, writes in (("input", False), ("output", True)):
                roots = [mapping(parsed.value, key), *_resources(parsed.value, key)]
                for topic in (topic for root in roots for topic in _topics(root, parsed.line, writes=writes)):
                    _add(file, topic, context, writes=writes)


def _resources(document: Json, key: str) -> Iterator[Json]:
    """Yield the components that a file declares for use by their labels."""
    yield from mappings(document, f"{key}_resources")


def _topics(component: Json, line: int, *, writes: bool, depth: int = 0) -> Iterator[_Topic]:
    """Yield the topics of a component and of those in it; the processors of an input write nothing."""
    if depth > _DEEPEST:
        return
    if isinstance(component, list):
        for inside in component:
            yield from _topics(inside, line, writes=writes, depth=depth + 1)
        return
    if not isinstance(component, dict):
        return
    lines = getattr(component, "lines", {})
    for key, inside in component.items():
        at = lines.get(key, line)
        if key in _KAFKA and isinstance(inside, dict):
            yield from _named(inside, at, writes=writes)
        elif key != "processors":
            yield from _topics(inside, at, writes=writes, depth=depth + 1)


def _named(component: Json, line: int, *, writes: bool) -> Iterator[_Topic]:
    key = "topic" if writes else "topics"
    listed = component.get(key)
    at = getattr(component, "lines", {}).get(key, line)
    is_pattern = text(component, "regexp_topics") == "true" or bool(text(component, "topics_regex"))
    for value in listed if isinstance(listed, list) else [listed]:
        for name in (plain_text(value) or "").split(","):
            yield _Topic(f"pattern {name.strip()}" if is_pattern else name.strip(), at)


def _add(file: RepositoryFile, topic: _Topic, context: Context, *, writes: bool) -> None:
    resolved = _DEFAULT.sub(r"\2", context.variables.resolved(topic.name, file.directory))
    name = resolved if writes else _PARTITION.sub("", resolved)
    if is_topic_name(name):
        place = f"{file.path}:{topic.line}"
        context.use(_job(file), name, writes=writes, description=PIPELINE, place=place)
        return
    what = "each message decides" if _DYNAMIC.search(name) else f"is {name!r}" if name else "is not set"
    reason = f"line {topic.line}: the topic that it {'writes' if writes else 'reads'} {what}"
    context.leave(file, UNRESOLVED_USE, reason)


def _job(file: RepositoryFile) -> str:
    """Return the name of a pipeline: that of its file, or of its directory if the file's says nothing."""
    directory = file.directory.rpartition("/")[2]
    return directory if file.stem in _PLAIN_NAMES and directory else file.stem
