"""Kubernetes resources, and those of jikkou, which have their form: topics, connectors, mirrors, Flink jobs.

A kind is a row of KINDS. Shapes: Strimzi's and Confluent's custom resources, and jikkou's resource reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from scanner_extractor.repository.declared import (
    CLASS,
    TASKS,
    Collector,
    Document,
    count,
    mapping,
    mappings,
    member,
    text,
    texts,
)
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.payload import Json

Reader = Callable[[Document, Collector], None]

STRIMZI, JIKKOU, CONFLUENT, FLINK = "strimzi", "jikkou", "confluent", "flink"

_STATES = {"running": "running", "paused": "paused", "stopped": "stopped"}
_STORES = ("config", "offset", "status")
_MIRRORS = {
    "sourceConnector": "MirrorSourceConnector",
    "checkpointConnector": "MirrorCheckpointConnector",
    "heartbeatConnector": "MirrorHeartbeatConnector",
}
_MIRROR_SETTINGS = {
    "topicsPattern": "topics",
    "topicsExcludePattern": "topics.exclude",
    "topicsBlacklistPattern": "topics.exclude",
    "groupsPattern": "groups",
    "groupsExcludePattern": "groups.exclude",
    "groupsBlacklistPattern": "groups.exclude",
}
_SQL = re.compile(
    r"\b(?:INSERT\s+(?:INTO|OVERWRITE)|(?:CREATE|REPLACE)\s+(?:TEMPORARY\s+)?(?:TABLE|VIEW)|STATEMENT\s+SET)\b", re.I
)


def is_resource(value: Json) -> bool:
    """Return whether a document has the form of a Kubernetes resource."""
    return isinstance(member(value, "apiVersion"), str) and isinstance(member(value, "kind"), str)


def is_deployed(value: Json) -> bool:
    """Return whether a document is a resource that is read here."""
    return _reader_of(text(value, "apiVersion"), text(value, "kind")) is not None


def _reader_of(api: str, kind: str) -> Reader | None:
    """Return how a resource is read: by its group and kind, or by a kind that only Strimzi defines, in any group."""
    group, _, version = api.partition("/")
    return KINDS.get((group if version else "", kind)) or (KINDS[_STRIMZI, kind] if kind in _STRIMZI_ONLY else None)


def resources_inside(value: Json, line: int, depth: int = 0) -> Iterator[tuple[int, Json]]:
    """Yield the resources in a document of another kind, with their lines: those that tools apply or wrap."""
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return
    for inside in value.values() if isinstance(value, dict) else value:
        at = int(getattr(inside, "line", 0)) or line
        if is_resource(inside) and isinstance(member(inside, "metadata"), dict):
            yield at, inside
        yield from resources_inside(inside, at, depth + 1)


def wrapped_resources(document: Document) -> list[Document]:
    """Return the resources in a document of another kind; those of a `List` are its own items."""
    if text(document.value, "kind").endswith("List"):
        return []
    return [Document(document.file, line, value) for line, value in resources_inside(document.value, document.line)]


_DEEPEST = 12


def read_resource(document: Document, collector: Collector) -> None:
    """Read a resource, or each resource of a list; one of a kind that declares no data flow is counted."""
    for api, kind, item in _items(document):
        read = _reader_of(api, kind)
        if read is None:
            group, _, version = api.partition("/")
            collector.other(f"{kind} of {group}" if version else kind)
        else:
            read(item, collector)


def shared_settings(document: Document) -> tuple[str, dict[str, Json]] | None:
    """Return name and settings of jikkou's ConfigMap; None for anything else."""
    value = document.value
    if text(value, "apiVersion").startswith("core.jikkou.io/") and text(value, "kind") == "ConfigMap":
        return text(value, "metadata", "name"), dict(mapping(value, "data"))
    return None


def _items(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield `apiVersion` and kind of a resource with it, or of those of a `List`, or of jikkou's KafkaTopicList."""
    api, kind = text(document.value, "apiVersion"), text(document.value, "kind")
    if not kind.endswith("List") or not isinstance(member(document.value, "items"), list):
        yield api, kind, document
        return
    for item in mappings(document.value, "items"):
        own = text(item, "kind") or kind.removesuffix("List")
        yield text(item, "apiVersion") or api, own, Document(document.file, document.line, item)


def _strimzi_topic(document: Document, collector: Collector) -> None:
    value = document.value
    name = text(value, "spec", "topicName") or text(value, "metadata", "name")
    collector.declare(_topic(document, collector, (STRIMZI, name)), mapping(value, "spec", "config"))


def _confluent_topic(document: Document, collector: Collector) -> None:
    value = document.value
    name = text(value, "spec", "name") or text(value, "metadata", "name")
    declaration = _topic(document, collector, (CONFLUENT, name), "partitionCount")
    collector.declare(declaration, mapping(value, "spec", "configs"))


def _jikkou_topic(document: Document, collector: Collector) -> None:
    value = document.value
    if text(value, "metadata", "annotations", "jikkou.io/delete") == "true":
        return collector.other("KafkaTopic to be deleted")
    settings: dict[str, Json] = {}
    for name in texts(value, "spec", "configMapRefs"):
        if name not in collector.config_maps:
            collector.problem(
                document.place(), f"the ConfigMap {name!r} is not in this file", "its settings are not read"
            )
        settings |= collector.config_maps.get(name, {})
    settings |= mapping(value, "spec", "configs")
    return collector.declare(_topic(document, collector, (JIKKOU, text(value, "metadata", "name"))), settings)


def _topic(
    document: Document, collector: Collector, about: tuple[str, str], partitions: str = "partitions"
) -> Declaration:
    """Return the declaration of a topic without its settings; *about* is its tool and its name."""
    spec = mapping(document.value, "spec")
    tool, name = about
    return Declaration(
        source=collector.source,
        kind=DeclaredKind.TOPIC,
        name=name,
        tool=tool,
        place=document.place(),
        partitions=count(spec.get(partitions)),
        replication=count(spec.get("replicas")),
    )


def _strimzi_connector(document: Document, collector: Collector) -> None:
    value = document.value
    parent = text(value, "metadata", "labels", "strimzi.io/cluster")
    state = "paused" if member(value, "spec", "pause") is True else _state(value) or "running"
    _connector(document, collector, (STRIMZI, text(value, "metadata", "name"), parent, state), ("class", "config"))


def _jikkou_connector(document: Document, collector: Collector) -> None:
    value = document.value
    parent = text(value, "metadata", "labels", "kafka.jikkou.io/connect-cluster")
    about = (JIKKOU, text(value, "metadata", "name"), parent, _state(value) or "running")
    _connector(document, collector, about, ("connectorClass", "config"))


def _confluent_connector(document: Document, collector: Collector) -> None:
    value = document.value
    name = text(value, "spec", "name") or text(value, "metadata", "name")
    about = (CONFLUENT, name, text(value, "spec", "connectClusterRef", "name"), "")
    _connector(document, collector, about, ("class", "configs"), "taskMax")


def _connector(
    document: Document,
    collector: Collector,
    about: tuple[str, str, str, str],
    members: tuple[str, str],
    tasks: str = "tasksMax",
) -> None:
    """Declare a connector; *about*: its tool, name, Connect cluster, state; *members*: those of class and config."""
    tool, name, parent, state = about
    spec = mapping(document.value, "spec")
    settings = {CLASS: spec.get(members[0]), TASKS: spec.get(tasks), **mapping(spec, members[1])}
    declaration = Declaration(
        source=collector.source,
        kind=DeclaredKind.CONNECTOR,
        name=name,
        parent=parent,
        tool=tool,
        place=document.place(),
        state=state,
    )
    collector.declare(declaration, settings)


def _state(value: Json) -> str:
    return _STATES.get(text(value, "spec", "state").lower(), "")


def _connect(document: Document, collector: Collector) -> None:
    """Read a Connect cluster: its connectors are resources of their own, its topics are internal."""
    _stores(document, collector, mapping(document.value, "spec"))


def _stores(document: Document, collector: Collector, spec: Json) -> None:
    for store in _STORES:
        collector.add_internal(member(spec, f"{store}StorageTopic"), document.place())  # v1
        collector.add_internal(member(spec, "config", f"{store}.storage.topic"), document.place())  # v1beta2


def _mirror_maker(document: Document, collector: Collector) -> None:
    """Read MirrorMaker 2: up to three connectors for each mirror, named as Strimzi names them.

    Version v1 has a target and in each mirror its source, v1beta2 a list of clusters that mirrors name by alias.
    """
    spec = mapping(document.value, "spec")
    clusters = {text(cluster, "alias"): cluster for cluster in mappings(spec, "clusters")}
    own = clusters.get(text(spec, "connectCluster"), mapping(spec, "target"))
    _stores(document, collector, own)
    for mirror in mappings(spec, "mirrors"):
        source = mapping(mirror, "source") or clusters.get(text(mirror, "sourceCluster"), {})
        target = mapping(spec, "target") or clusters.get(text(mirror, "targetCluster"), {})
        for part, class_name in _MIRRORS.items():
            if isinstance(member(mirror, part), dict):
                _mirror(document, collector, (mirror, source, target), part, class_name)


def _mirror(
    document: Document, collector: Collector, ends: tuple[Json, Json, Json], part: str, class_name: str
) -> None:
    mirror, source, target = ends
    connector = mapping(mirror, part)
    settings: dict[str, Json] = {
        CLASS: f"org.apache.kafka.connect.mirror.{class_name}",
        TASKS: connector.get("tasksMax"),
        **mapping(connector, "config"),
    }
    for prefix, cluster in (("source.cluster.", source), ("target.cluster.", target)):
        settings[f"{prefix}alias"] = member(cluster, "alias")
        settings[f"{prefix}bootstrap.servers"] = member(cluster, "bootstrapServers")
    settings |= {name: mirror[key] for key, name in _MIRROR_SETTINGS.items() if mirror.get(key) is not None}
    declaration = Declaration(
        source=collector.source,
        kind=DeclaredKind.CONNECTOR,
        name=f"{text(source, 'alias')}->{text(target, 'alias')}.{class_name}",
        parent=text(document.value, "metadata", "name"),
        tool=STRIMZI,
        place=document.place(part, mirror),
        whole=False,  # the operator adds settings of security, tracing and racks
        state=_STATES.get(text(connector, "state").lower(), "paused" if connector.get("pause") is True else "running"),
    )
    collector.declare(declaration, settings)


def _flink_job(document: Document, collector: Collector) -> None:
    """Read the SQL of a Flink job: in its arguments, or in a variable of a container, where SQL runners look for it."""
    value = document.value
    templates = (mapping(value, "spec", *path) for path in (("podTemplate",), ("jobManager", "podTemplate")))
    containers = (container for template in templates for container in mappings(template, "spec", "containers"))
    variables = (text(variable, "value") for container in containers for variable in mappings(container, "env"))
    sql = [part for part in (*texts(value, "spec", "job", "args"), *variables) if _SQL.search(part)]
    if sql:
        statements = ";\n".join(part.strip().removesuffix(";") for part in sql)
        collector.add_statement(text(value, "metadata", "name"), statements, document.place())
    else:
        collector.other("Flink job whose SQL is not in the file")


def _config_map(document: Document, collector: Collector) -> None:
    """Read the SQL files of a ConfigMap, as `<name>/<file>`."""
    data = mapping(document.value, "data")
    names = [name for name, body in data.items() if name.lower().endswith(".sql") and isinstance(body, str)]
    for name in names:
        job = f"{text(document.value, 'metadata', 'name')}/{name}"
        collector.add_statement(job, data[name], document.place(name, data))
    if not names:
        collector.other("ConfigMap without a .sql file")


def _not_read(reason: str, _: Document, collector: Collector) -> None:
    collector.other(reason)


_STRIMZI, _JIKKOU, _CONFLUENT = "kafka.strimzi.io", "kafka.jikkou.io", "platform.confluent.io"

_STRIMZI_ONLY = frozenset(("KafkaConnect", "KafkaMirrorMaker2"))
"""Kinds of Strimzi that products with its operator have in a group of their own, such as `eventstreams.ibm.com`."""

KINDS: dict[tuple[str, str], Reader] = {
    (_STRIMZI, "KafkaTopic"): _strimzi_topic,
    (_STRIMZI, "KafkaConnector"): _strimzi_connector,
    (_STRIMZI, "KafkaConnect"): _connect,
    (_STRIMZI, "KafkaMirrorMaker2"): _mirror_maker,
    (_JIKKOU, "KafkaTopic"): _jikkou_topic,
    (_JIKKOU, "KafkaConnector"): _jikkou_connector,
    ("core.jikkou.io", "ConfigMap"): partial(_not_read, "ConfigMap of jikkou"),
    (_CONFLUENT, "KafkaTopic"): _confluent_topic,
    (_CONFLUENT, "Connector"): _confluent_connector,
    ("flink.apache.org", "FlinkDeployment"): _flink_job,
    ("flink.apache.org", "FlinkSessionJob"): _flink_job,
    ("cmf.confluent.io", "FlinkApplication"): _flink_job,
    ("", "ConfigMap"): _config_map,
}
"""How a resource is read, by the group of its `apiVersion` (empty for `v1`) and its kind."""
