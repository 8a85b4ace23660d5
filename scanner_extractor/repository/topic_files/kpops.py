"""KPOps pipelines: a component reads the topics of the component before it, unless it says otherwise.

Source: KPOps documentation, "Defaults" and "Variables", and kpops/pipeline of version 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import CLASS, count, mapping, member, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.mapping import documents
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.payload import Json

NAME = "KPOps pipeline"
_APPS = r"(?:producer|consumer|consumer-producer|streams)-app"
_CONNECTORS = r"kafka-(?:sink|source)-connector"
_SIGN = re.compile(rf"^-[ \t]+type:[ \t]*['\"]?(?:{_APPS}|{_CONNECTORS})(?:-v\d+)?['\"]?[ \t]*(?:#.*)?$", re.MULTILINE)
_READING = re.compile(r"(?:consumer|consumer-producer|streams)-app(?:-v\d+)?|kafka-sink-connector")
_VARIABLE = re.compile(r"\$\{([\w.]+)\}")
_OUTPUT = "${pipeline.name}-${component.name}"
_ERROR = "${pipeline.name}-${component.name}-error"
_ROUNDS = 5


def is_pipeline(file: RepositoryFile) -> bool:
    """Check whether a file is a pipeline of KPOps."""
    return file.ending in (".yaml", ".yml") and _SIGN.search(file.text) is not None


def read_pipeline(file: RepositoryFile, context: Context) -> None:
    """Add the topics, programs and connectors of a pipeline."""
    for parsed in documents(file, context, NAME):
        if isinstance(parsed.value, list):
            pipeline = _Pipeline(file, context)
            for item in parsed.value:
                if text(item, "type") and text(item, "name"):
                    pipeline.add(item)


@dataclass(slots=True)
class _Component:
    type: str
    value: Mapping[str, Json]
    name: str
    place: str
    outputs: dict[str, Mapping[str, Json]] = field(default_factory=dict)

    def passed_on(self) -> list[str]:
        """Return the topics that the next component reads: neither errors nor labelled."""
        return [
            name for name, topic in self.outputs.items() if text(topic, "type") != "error" and not topic.get("label")
        ]


class _Pipeline:
    def __init__(self, file: RepositoryFile, context: Context) -> None:
        self._file, self._context = file, context
        self._components: dict[str, _Component] = {}
        self._directories = _upwards(file.directory)
        configured = next((place for place in self._directories if self._document(place, "config")), "")
        self._config = self._document(configured, "config")
        relative = file.directory.removeprefix(configured).strip("/") or file.directory.rpartition("/")[2]
        self._pipeline = relative.replace("/", "-")

    def add(self, item: Mapping[str, Json]) -> None:
        """Add a component, and what it reads and writes."""
        if item.get("enabled") is False:
            return
        kind, short = text(item, "type"), text(item, "name")
        value = self._with_defaults(kind, item)
        prefix = self._replaced(text(value, "prefix") or "${pipeline.name}-", short, value)
        place = f"{self._file.path}:{getattr(item, 'line', 1)}"
        component = _Component(kind, value, prefix + short, place)
        for name, topic in mapping(value, "to", "topics").items():
            self._add_output(component, self._replaced(name, short, value), topic)
        inputs = list(dict.fromkeys((*self._inputs(component, short), *self._set_inputs(component, short))))
        self._components[short] = component
        if kind.startswith("kafka-") and CLASS in mapping(value, "config"):
            self._add_connector(component, inputs)
            return
        for topics, writes in ((inputs, False), (component.outputs, True)):
            for topic in topics:
                self._context.use(component.name, topic, writes=writes, description=f"{kind} of KPOps", place=place)

    def _add_output(self, component: _Component, name: str, topic: Json) -> None:
        if is_topic_name(name):
            component.outputs[name] = mapping(topic)
            self._context.topic(name, component.place, count(member(topic, "partitions_count")), tool=NAME)
        else:
            self._context.collector.problem(
                component.place, f"{name!r} is not the name of a topic", "set it with --var"
            )

    def _add_connector(self, component: _Component, inputs: list[str]) -> None:
        config = {key: value for key, value in mapping(component.value, "config").items() if key != "name"}
        if inputs and "topics" not in config and "topics.regex" not in config:
            config["topics"] = ",".join(inputs)
        self._context.connector(component.name, config, component.place)

    def _inputs(self, component: _Component, short: str) -> Iterator[str]:
        """Yield the topics of `from`; without it those of the component before, if this one can read."""
        value = component.value
        given = mapping(value, "from")
        if not given and _READING.fullmatch(component.type) and self._components:
            yield from list(self._components.values())[-1].passed_on()
        for name in mapping(given, "components"):
            if origin := self._components.get(name):
                yield from origin.passed_on()
            else:
                self._context.collector.problem(component.place, f"the component {name!r} is not in the pipeline")
        for name, topic in mapping(given, "topics").items():
            if text(topic, "type") == "pattern":
                what = f"{component.name} reads the topics that match {name!r}"
                self._context.collector.problem(component.place, what, "the pattern is not resolved")
            else:
                yield self._replaced(name, short, value)

    def _set_inputs(self, component: _Component, short: str) -> Iterator[str]:
        """Yield the topics that the values of an application list themselves; add its output."""
        for part in (("values", "kafka"), ("values", "streams"), ("app", "streams")):
            for name in texts(component.value, *part, "inputTopics"):
                yield self._replaced(name, short, component.value)
            if output := text(component.value, *part, "outputTopic"):
                self._add_output(component, self._replaced(output, short, component.value), {})

    def _with_defaults(self, kind: str, item: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return a component with the defaults of its type and the types above it, nearest file last."""
        value: dict[str, Json] = {}
        for name in reversed(list(_types(kind))):
            for place in reversed(self._directories):
                _merge(value, mapping(self._document(place, "defaults"), name))
        _merge(value, item)
        return value

    def _document(self, directory: str, name: str) -> Mapping[str, Json]:
        path = f"{directory}/{name}.yaml".lstrip("/")
        written = self._context.text(path) if path in self._context.entries else None
        parsed = next(parse_yaml(written), None) if written else None
        return mapping(parsed.value) if parsed and not parsed.error else {}

    def _replaced(self, name: str, component: str, value: Mapping[str, Json]) -> str:
        """Return a text with the variables of KPOps replaced, and then those of the repository."""
        topics = mapping(self._config, "topic_name_config")
        known = {
            "pipeline.name": self._pipeline,
            "component.name": component,
            "component.type": text(value, "type"),
            "output_topic_name": text(topics, "default_output_topic_name") or _OUTPUT,
            "error_topic_name": text(topics, "default_error_topic_name") or _ERROR,
        }
        for _ in range(_ROUNDS):
            name = _VARIABLE.sub(lambda found: known.get(_dotted(found[1])) or found[0], name)
        return self._context.variables.resolved(name, self._file.directory)


def _dotted(name: str) -> str:
    """Return the name of a variable as later versions have it: `component.name` for `component_name`."""
    return re.sub(r"^(pipeline|component)_(name|type)$", r"\1.\2", name)


def _types(kind: str) -> Iterator[str]:
    """Yield a type of component and the types above it."""
    yield kind
    version = found[0] if (found := re.search(r"-v\d+$", kind)) else ""
    if "connector" in kind:
        yield "kafka-connector"
    else:
        yield from (f"streams-bootstrap{version}", "kafka-app", "helm-app", "kubernetes-app")
    yield "pipeline-component"


def _merge(into: dict[str, Json], value: Mapping[str, Json]) -> None:
    for key, inside in value.items():
        if isinstance(inside, dict) and isinstance(into.get(key), dict):
            _merge(into[key], inside)
        else:
            into[key] = deepcopy(inside)


def _upwards(directory: str) -> list[str]:
    """Return a directory and those above it, to the topmost."""
    listed = [directory]
    while listed[-1]:
        listed.append(listed[-1].rpartition("/")[0])
    return listed
