"""Documents that are no Kubernetes resources: kafka-gitops, JulieOps, and connectors as Connect's REST API takes them.

Services of kafka-gitops and projects of JulieOps also contain the programs that read and write topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from scanner_extractor.repository.declared import (
    CLASS,
    Collector,
    DeclaredUse,
    Document,
    count,
    mapping,
    mappings,
    member,
    plain_text,
    text,
    texts,
)
from scanner_model.clients import AclRule
from scanner_model.declarations import Declaration, DeclaredKind
from scanner_model.payload import Json

GITOPS, JULIE, CONNECT = "kafka-gitops", "julieops", "connect"

_SERVICES = frozenset({"application", "kafka-connect", "kafka-streams"})
_TOPIC_MEMBERS = frozenset({"partitions", "replication", "configs"})
_NOT_IN_NAMES = frozenset({"projects", "context", "platform", "special_topics"})
_PARTITIONS, _REPLICATION = "num.partitions", "replication.factor"
_SEPARATOR = "."
_MOST_USES = 20_000
"""Uses of one project of JulieOps, where everybody uses every topic: a small file would make millions."""


def read_descriptor(document: Document, collector: Collector) -> bool:
    """Read a document of one of the forms of this module; return False where it has none of them."""
    value = document.value
    if isinstance(value, list):
        known = [_read_connector(Document(document.file, document.line, item), collector) for item in value]
        return any(known)
    if _read_connector(document, collector):
        return True
    if isinstance(member(value, "projects"), list) and plain_text(member(value, "context")):
        _read_julie(document, collector)
        return True
    return _read_gitops(document, collector)


def _read_connector(document: Document, collector: Collector) -> bool:
    """Read `{"name", "config"}` or a flat configuration; without a name in it, the connector is named as its file."""
    value = document.value
    config = mapping(value, "config") if CLASS in mapping(value, "config") else mapping(value)
    if CLASS not in config:
        return False
    name = text(value, "name") or text(config, "name") or PurePosixPath(document.file).stem
    declaration = Declaration(
        source=collector.source, kind=DeclaredKind.CONNECTOR, name=name, tool=CONNECT, place=document.place()
    )
    collector.declare(declaration, config)
    return True


# --- kafka-gitops


def _read_gitops(document: Document, collector: Collector) -> bool:
    """Read the topics and services of kafka-gitops, which may be in one file or in several."""
    topics, services = mapping(document.value, "topics"), mapping(document.value, "services")
    described = [topic for topic in topics.values() if isinstance(topic, dict) and topic.keys() <= _TOPIC_MEMBERS]
    is_topics = len(described) == len(topics) and any("partitions" in topic for topic in described)
    is_services = bool(services) and all(text(service, "type") in _SERVICES for service in services.values())
    if is_topics:
        default = count(member(document.value, "settings", "topics", "defaults", "replication"))
        for name, topic in topics.items():
            declaration = Declaration(
                source=collector.source,
                kind=DeclaredKind.TOPIC,
                name=name,
                tool=GITOPS,
                place=document.place(name, topics),
                partitions=count(topic.get("partitions")),
                replication=count(topic.get("replication")) or default,
            )
            collector.declare(declaration, mapping(topic, "configs"))
    for name, service in services.items() if is_services else ():
        _read_service(document, name, service, collector)
        for store in ("config", "offset", "status"):
            collector.add_internal(member(service, "storage-topics", store), document.place(name, services))
    custom = [
        _custom_rights(document, f"custom{kind}Acls", f"{kind.lower()}s", collector) for kind in ("Service", "User")
    ]
    return is_topics or is_services or any(custom)


def _read_service(document: Document, name: str, service: Json, collector: Collector) -> None:
    place = document.place(name, mapping(document.value, "services"))
    description = f"{text(service, 'type')} service of kafka-gitops"
    user = text(service, "principal") or f"User:{name}"
    uses = texts(service, "consumes"), texts(service, "produces")
    _add_uses(collector, (name, description, place), *uses, principal=user)
    for connector, listed in mapping(service, "connectors").items():
        about = (connector, f"connector of the service {name} of kafka-gitops", place)
        _add_uses(collector, about, texts(listed, "consumes"), texts(listed, "produces"), principal=user)


def _add_uses(
    collector: Collector,
    about: tuple[str, str, str],
    reads: tuple[str, ...],
    writes: tuple[str, ...],
    *,
    separate: bool = False,
    principal: str = "",
) -> None:
    """Add the topics that a job reads and writes; *about* is its name, its description and its place.

    Both tools give the right to a use, and take it with the line: that of *principal*, by default a user with the
    name of the job.
    """
    job, description, place = about
    for topics, is_writing in ((reads, False), (writes, True)):
        for topic in topics:
            use = DeclaredUse(
                job=job, topic=topic, writes=is_writing, description=description, place=place, separate=separate
            )
            collector.add_use(use)
            _add_right(collector, topic, principal or f"User:{job}", "WRITE" if is_writing else "READ", place)


def _add_right(collector: Collector, topic: str, principal: str, operation: str, place: str, **others: str) -> None:
    """Add a right to a topic; *others* are the type of its pattern, its host and its permission."""
    rule = AclRule(
        source=collector.source,
        pattern_type=others.get("pattern") or "LITERAL",
        name=topic,
        principal=principal,
        host=others.get("host") or "*",
        operation=operation,
        permission=others.get("permission") or "ALLOW",
    )
    collector.rights.setdefault(rule, place)


def _custom_rights(document: Document, part: str, owners: str, collector: Collector) -> bool:
    """Add the rules that a state file has beside those of its services; return whether it has some."""
    listed = mapping(document.value, part)
    for owner, rules in listed.items():
        user = text(mapping(document.value, owners).get(owner), "principal") or f"User:{owner}"
        for name, rule in mapping(rules).items():
            if text(rule, "type").upper() == "TOPIC" and text(rule, "name"):
                words = {key: text(rule, key).upper() for key in ("operation", "pattern", "permission")}
                operation = words.pop("operation")
                others = {**words, "host": text(rule, "host")}
                place = document.place(name, mapping(rules))
                _add_right(collector, text(rule, "name"), text(rule, "principal") or user, operation, place, **others)
    return bool(listed)


# --- JulieOps


def _read_julie(document: Document, collector: Collector) -> None:
    """Read a topology: the name of a topic is made of the context, further members of the root, project and topic.

    Source: JulieOps' TopologyCustomDeserializer, ProjectImpl.buildNamePrefix and Topic, with their default formats.
    """
    value = document.value
    others = [plain_text(member(value, name)) or "" for name in value if name not in _NOT_IN_NAMES]
    prefix = _SEPARATOR.join([text(value, "context"), *others])
    for topic in mappings(value, "special_topics"):
        _julie_topic(document, topic, text(topic, "name"), collector)
    for project in mappings(value, "projects"):
        names = []
        for topic in mappings(project, "topics"):
            parts = (prefix, text(project, "name"), text(topic, "name"), text(topic, "dataType"))
            names.append(_SEPARATOR.join(filter(None, parts)))
            _julie_topic(document, topic, names[-1] if text(topic, "name") else "", collector)
        _julie_project(document, project, tuple(names), collector)


def _julie_topic(document: Document, topic: Mapping[str, Json], name: str, collector: Collector) -> None:
    config = dict(mapping(topic, "config"))
    place = document.place("name", topic)
    declaration = Declaration(
        source=collector.source,
        kind=DeclaredKind.TOPIC,
        name=name,
        tool=JULIE,
        place=place,
        partitions=count(config.pop(_PARTITIONS, None)),
        replication=count(config.pop(_REPLICATION, None)),
    )
    collector.declare(declaration, config)
    for schemas in (*mappings(topic, "schemas"), mapping(topic, "schemas")):
        files = ((side, text(schemas, f"{side}.schema.file")) for side in ("key", "value"))
        collector.schema_files += [(f"{name}-{side}", file) for side, file in files if file]
    for job in _principals(topic, "consumers"):
        _add_uses(collector, (job, f"consumer of {name} in JulieOps", place), (name,), (), separate=True)
    for job in _principals(topic, "producers"):
        _add_uses(collector, (job, f"producer of {name} in JulieOps", place), (), (name,), separate=True)


def _julie_project(
    document: Document, project: Mapping[str, Json], topics: tuple[str, ...], collector: Collector
) -> None:
    """Add who reads and writes: consumers and producers of a project use every topic of it."""
    where = f"of the project {text(project, 'name')} in JulieOps"
    for part, is_writing in (("consumers", False), ("producers", True)):
        jobs, place = list(_principals(project, part)), document.place(part, project)
        if len(jobs) * len(topics) > _MOST_USES:
            collector.problem(
                place, f"{len(jobs)} {part} of {len(topics)} topics are too many", "their uses are not read"
            )
            continue
        for job in jobs:
            uses = ((), topics) if is_writing else (topics, ())
            _add_uses(collector, (job, f"{part[:-1]} {where}", place), *uses, separate=True)
    connectors = mapping(project, "connectors")
    listed = mappings(connectors, "access_control") if connectors else mappings(project, "connectors")
    for part, users in (("streams", mappings(project, "streams")), ("connectors", listed)):
        for user in users:
            job = text(user, "applicationId") or _user(text(user, "principal"))
            about = (job, f"{part} {where}", document.place(part, project))
            read, written = texts(user, "topics", "read"), texts(user, "topics", "write")
            _add_uses(collector, about, read, written, principal=text(user, "principal"))
            for store in ("status_topic", "offset_topic", "configs_topic"):
                collector.add_internal(user.get(store), about[2])


def _principals(value: Json, part: str) -> Iterator[str]:
    return (_user(text(user, "principal")) for user in mappings(value, part))


def _user(principal: str) -> str:
    """Return the name of a principal such as `User:App0`."""
    return principal.partition(":")[2] or principal
