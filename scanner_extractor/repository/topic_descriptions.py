"""Descriptions of topics in YAML: one for each file, with its producers, its consumers and the files of its schemas.

Repositories that only hold schemas keep them: members `topic`, `services.producers`, `services.consumers` and `schemas`
with a `resource`, `file` or `path` each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scanner_extractor.repository.context import Context, is_topic_name
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.sources.deployment.yaml_documents import parse_yaml

Value = Any

DESCRIPTION = "description of a topic"
"""The kind of these files, as they are counted."""
_FITS = re.compile(r"^(?:topic|services|producers|consumers):", re.MULTILINE)
_SCHEMAS = re.compile(r"^schemas?:", re.MULTILINE)
_FILES = ("resource", "file", "path", "schema")
_USES = {"producers": True, "consumers": False}
_TOOL = "topic description"


def is_description(file: RepositoryFile) -> bool:
    """Check whether a YAML file describes one topic with its schemas."""
    is_yaml = file.ending in (".yaml", ".yml")
    return is_yaml and _FITS.search(file.text) is not None and _SCHEMAS.search(file.text) is not None


def read_descriptions(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the topic of each file, the services that write and read it, and the subject of its schema files."""
    for file in files:
        for parsed in parse_yaml(file.text):
            document = parsed.value
            topic = str(document.get("topic") or file.stem) if isinstance(document, Mapping) else ""
            schemas = list(_schema_files(document)) if topic else []
            if not is_topic_name(topic) or not schemas:
                continue
            place = f"{file.path}:{parsed.line}"
            context.topic(topic, place, tool=_TOOL)
            context.add_subjects([(f"{topic}-value", name) for name in schemas], file.directory)
            for job, writes in _services(document):
                context.use(job, topic, writes=writes, description=DESCRIPTION, place=place)


def _schema_files(document: Mapping[str, Value]) -> Iterator[str]:
    listed = document.get("schemas") or document.get("schema")
    entries: list[Value] = listed if isinstance(listed, list) else [listed]
    for entry in entries:
        named = [entry.get(key) for key in _FILES] if isinstance(entry, Mapping) else [entry]
        yield from (name for name in named if isinstance(name, str) and "." in name)


def _services(document: Mapping[str, Value]) -> Iterator[tuple[str, bool]]:
    services = document.get("services")
    sources: list[Mapping[str, Value]] = [document, *([services] if isinstance(services, Mapping) else ())]
    for source in sources:
        for key, writes in _USES.items():
            listed = source.get(key)
            yield from ((name, writes) for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()
