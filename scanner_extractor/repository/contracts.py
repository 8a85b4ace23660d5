"""Data contracts and AsyncAPI documents of Kafka: topics, columns, owners, uses.

Contracts are of the Open Data Contract Standard, or of the Data Contract Specification before it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import Collector
from scanner_extractor.repository.document_references import (
    Document,
    DocumentForm,
    DocumentReferences,
    documents_of,
    references_of,
)
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.variables import Variables
from scanner_model.catalogs import Annotation
from scanner_model.contracts import KIND, columns_of, custom_values
from scanner_model.manual import ManualSchema
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.payload import Json
from scanner_model.redaction import mask_text

CONTRACT, ASYNCAPI = "data contract", "AsyncAPI document"
"""The kinds of documents, as they are counted and named in problems."""
_ENDINGS = frozenset((".yaml", ".yml", ".json"))
_IS_CONTRACT = re.compile(rf"(?:^|[{{,])[ \t]*\"?kind\"?\s*:\s*[\"']?{KIND}\b", re.MULTILINE)
_SPECIFICATION = "dataContractSpecification"
_IS_SPECIFICATION = re.compile(rf"(?:^|[{{,])[ \t]*\"?{_SPECIFICATION}\"?\s*:", re.MULTILINE)
_IS_ASYNCAPI = re.compile(r"(?:^|[{,])[ \t]*\"?asyncapi\"?\s*:", re.MULTILINE)
_OF_CONTRACT = DocumentForm(CONTRACT, {"schema": (list,), "models": (dict,), "servers": (list, dict)})
_OF_ASYNCAPI = DocumentForm(
    ASYNCAPI, dict.fromkeys(("channels", "components", "operations", "servers"), (dict,)), has_numbers=True
)
_DEEPEST = 30
_FORMATS = {"avro": "AVRO", "protobuf": "PROTOBUF", "schema+json": "JSON", "vnd.aai.asyncapi": "JSON"}
"""A word of a payload's `schemaFormat` → the format of its schema."""


def is_contract(file: RepositoryFile) -> bool:
    """Check whether a file is a data contract."""
    return file.ending in _ENDINGS and any(sign.search(file.text) for sign in (_IS_CONTRACT, _IS_SPECIFICATION))


def is_asyncapi(file: RepositoryFile) -> bool:
    """Check whether a file is an AsyncAPI document."""
    return file.ending in _ENDINGS and _IS_ASYNCAPI.search(file.text) is not None


def read_contracts(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the topics of contracts, with columns, owner, tags and description; one of other systems is left out."""
    for file in files:
        for document in documents_of(file, _OF_CONTRACT, context):
            if document.get("kind") == KIND:
                _read_contract(file, document, context)
            elif _SPECIFICATION in document:
                _read_contract(file, _standardized(file, document, context), context)


def read_asyncapi(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add channels of Kafka as topics, with the schemas of messages, and operations as their readers and writers."""
    for file in files:
        for document in documents_of(file, _OF_ASYNCAPI, context):
            if "asyncapi" not in document:
                continue  # the word is a key of something else
            version = str(document["asyncapi"]).partition(".")[0]
            if version not in ("2", "3"):
                context.leave(file, ASYNCAPI, f"it is of version {document['asyncapi']}; 2 and 3 are read")
            elif (is_of_kafka := _is_of_kafka(document, references_of(file, document, context))) is None:
                _leave_without_protocol(file, document, context)
            elif is_of_kafka:
                _read_channels(file, _as_version_3(document) if version == "2" else document, context)


def _as_version_3(document: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a document of version 2 with the members of version 3: what clients publish, the application receives."""
    channels: dict[str, Json] = {}
    operations: dict[str, Json] = {}
    for name, channel in _mapping(document.get("channels")).items():
        messages: dict[str, Json] = {}
        for verb, action in (("publish", "receive"), ("subscribe", "send")):
            operation = _mapping(_mapping(channel).get(verb))
            message = _mapping(operation.get("message"))
            listed = _listed(message.get("oneOf")) or [message] if message else []
            messages |= {f"{verb}-{number}": one for number, one in enumerate(listed)}
            if operation:
                reference = {"$ref": f"#/channels/{name}"}
                operations[f"{name} {verb}"] = {**operation, "action": action, "channel": reference}
        channels[name] = {**_mapping(channel), "address": name, "messages": messages}
    return {**document, "channels": channels, "operations": operations}


def schemas_in(file: RepositoryFile) -> tuple[ManualSchema, ...] | None:
    """Return the schemas of topics in one file; None where it is neither a contract nor an AsyncAPI document."""
    source = SourceId("files:contract")
    context = Context(source=source, variables=Variables(), collector=Collector(source=source), entries={})
    for is_kind, read in ((is_contract, read_contracts), (is_asyncapi, read_asyncapi)):
        if is_kind(file):
            read((file,), context)
            return tuple(context.schemas)
    return None


def _read_contract(file: RepositoryFile, contract: Mapping[str, Json], context: Context) -> None:
    servers = [server for server in _listed(contract.get("servers")) if isinstance(server, dict)]
    is_of_kafka = any(server.get("type") == "kafka" for server in servers)
    topics: dict[str, None] = {}
    for schema in _listed(contract.get("schema")):
        if not isinstance(schema, dict) or not (is_of_kafka or schema.get("physicalType") == "topic"):
            continue
        topic = str(schema.get("physicalName") or schema.get("name") or "")
        if not is_topic_name(topic):
            context.leave(file, CONTRACT, f"{topic!r} cannot be the name of a topic")
            continue
        topics[topic] = None
        written = next((str(server["format"]) for server in servers if server.get("format")), "json")
        _add_schema(file, schema, TopicName(topic), written.upper(), context)
        _add_readers(file, schema, topic, context)
    for topic in topics:
        context.topic(topic, file.path, _number(custom_values(contract).get("partitions")), tool=CONTRACT)
        context.annotations.append(_annotation(file, contract, TopicName(topic), context))


def _standardized(file: RepositoryFile, contract: Mapping[str, Json], context: Context) -> Mapping[str, Json]:
    """Return a contract of the Data Contract Specification with the members of the standard: its models as schemas."""
    references = references_of(file, contract, context)
    servers = [_mapping(server) for server in _mapping(contract.get("servers")).values()]
    topics = [str(server["topic"]) for server in servers if server.get("type") == "kafka" and server.get("topic")]
    schemas = []
    for name, model in _mapping(contract.get("models")).items():
        properties = _properties(_mapping(model).get("fields"), references, 0)
        schemas.append({"name": name, "physicalName": topics[0] if topics else name, "properties": properties})
    for reference in references.unresolved:
        context.leave(file, CONTRACT, f"the reference {reference} leads to nothing that is read")
    info = _mapping(contract.get("info"))
    team = {"name": info.get("owner") or ""}
    return {**contract, "servers": servers, "schema": schemas, "team": team, "description": info.get("description")}


def _properties(fields: Json, references: DocumentReferences, depth: int) -> list[Json]:
    return [
        {"name": name, **_property(field, references, depth)}
        for name, field in (_mapping(fields).items() if depth < _DEEPEST else ())
    ]


def _property(field: Json, references: DocumentReferences, depth: int) -> dict[str, Json]:
    """Return a field of the Data Contract Specification as a property of the standard; a definition completes it."""
    known = _mapping(field)
    if "$ref" in known:
        known = {**_mapping(references.follow(known)[0]), **known}
    element: dict[str, Json] = {
        "physicalType": known.get("type"),
        "required": known.get("required", False),
        "description": known.get("description"),
        "tags": [*_listed(known.get("tags")), *(["PII"] if known.get("pii") is True else ())],
        "properties": _properties(known.get("fields"), references, depth + 1),
    }
    if depth < _DEEPEST and isinstance(known.get("items"), dict):
        element["items"] = _property(known["items"], references, depth + 1)
    if depth < _DEEPEST and isinstance(known.get("values"), dict):
        element["map"] = {"value": _property(known["values"], references, depth + 1)}
    return element


def _add_readers(file: RepositoryFile, schema: Mapping[str, Json], topic: str, context: Context) -> None:
    """Add the programs and fields of the custom property `readers`: `{billing: [id, total]}`."""
    for each in _listed(schema.get("customProperties")):
        readers = each.get("value") if isinstance(each, dict) and each.get("property") == "readers" else {}
        for program, fields in _mapping(readers).items():
            place = f"{file.path}:{getattr(readers, 'lines', {}).get(program, 1)}"
            context.use(program, topic, writes=False, description="", place=place)
            context.fields(program, topic, [name for name in _listed(fields) if isinstance(name, str)], place)


def _add_schema(
    file: RepositoryFile, schema: Mapping[str, Json], topic: TopicName, written: str, context: Context
) -> None:
    known = custom_values(schema)
    columns = tuple(
        replace(column, doc=mask_text(column.doc) if column.doc else None)
        for column in columns_of(schema.get("properties"))
    )
    if not columns or known.get("origin") in ("derived", "unknown"):
        return  # the columns that flows have are no declaration
    subject = str(known.get("subject") or "")
    context.schemas.append(
        ManualSchema(
            source=context.source,
            topic=topic,
            role=Role.KEY if known.get("role") == Role.KEY else Role.VALUE,
            format=str(known.get("format") or written),
            location=f"{file.path} {schema.get('name')}",
            columns=columns,
            subject=SubjectName(subject),
            version=_number(known.get("version")) if subject else None,
            schema_id=str(known["schemaId"]) if "schemaId" in known else None,
            record=RecordName(str(known.get("record") or "")),
        )
    )


def _annotation(file: RepositoryFile, contract: Mapping[str, Json], topic: TopicName, context: Context) -> Annotation:
    description = contract.get("description")
    purpose = description.get("purpose") if isinstance(description, dict) else description
    return Annotation(
        source=context.source,
        name=f"{contract.get('id') or file.path}#{topic}",
        kind=CONTRACT.replace(" ", "_"),
        topic=topic,
        tags=tuple(str(tag) for tag in _listed(contract.get("tags"))),
        owner=_owner(contract.get("team")),
        description=mask_text(str(purpose or "")),
    )


def _owner(team: Json) -> str:
    """Return the name of the team, or of its member whose role is owner; before version 3.1 a team is its members."""
    members = team.get("members") if isinstance(team, dict) else team
    named = [member for member in _listed(members) if isinstance(member, dict)]
    owners = [str(member.get("username")) for member in named if str(member.get("role")).lower() == "owner"]
    name = team.get("name") if isinstance(team, dict) else ""
    return str(name or next(iter(owners), ""))


def _is_of_kafka(document: Mapping[str, Json], references: DocumentReferences) -> bool | None:
    """Return whether a server or a binding names Kafka, also of channels in other files; None without a protocol."""
    channels = [references.follow(channel)[0] for channel in _mapping(document.get("channels")).values()]
    named = chain.from_iterable(_protocols(value, 0) for value in (document, channels))
    protocols = {name.removesuffix("-secure") for name in named}
    if protocols or not _mapping(document.get("channels")):
        return "kafka" in protocols
    return None


def _protocols(value: Json, depth: int) -> Iterator[str]:
    """Yield the protocols of servers, and those that channels, operations and messages have bindings of."""
    if isinstance(value, dict) and depth < _DEEPEST_BINDING:
        if isinstance(value.get("protocol"), str):
            yield value["protocol"].lower()
        yield from (str(name) for name in _mapping(value.get("bindings")))
        for key, inside in value.items():
            if key not in ("payload", "schemas", "headers"):
                yield from _protocols(inside, depth + 1)
    elif isinstance(value, list):
        for inside in value:
            yield from _protocols(inside, depth + 1)


_DEEPEST_BINDING = 8


def _leave_without_protocol(file: RepositoryFile, document: Mapping[str, Json], context: Context) -> None:
    """Leave a document that may be of Kafka, with the files that it refers to."""
    paths = {file.path}
    for name in _FILE_REFERENCE.findall(file.text):
        paths.add(posixpath.normpath(posixpath.join(file.directory, name)))
    channels = _mapping(document.get("channels")).items()
    addresses = sorted(str(_mapping(channel).get("address") or name) for name, channel in channels)
    names = ", ".join(addresses[:_MOST_NAMES])
    for path in sorted(paths & context.entries.keys()):
        context.leave(path, ASYNCAPI, f"no server and no binding names the protocol of the channels {names}")


_FILE_REFERENCE = re.compile(r"\$ref[\"']?\s*:\s*[\"']?([^\s\"'#}]+)")
_MOST_NAMES = 5


def _read_channels(file: RepositoryFile, document: Mapping[str, Json], context: Context) -> None:
    topics: dict[str, str] = {}
    references = references_of(file, document, context)
    application = str(_mapping(document.get("info")).get("title") or "")
    for name, listed in _mapping(document.get("channels")).items():
        value, at = references.follow(listed)
        channel = _mapping(value)
        binding = _mapping(_mapping(channel.get("bindings")).get("kafka"))
        topic = str(binding.get("topic") or channel.get("address") or name)
        if not is_topic_name(topic):
            context.leave(file, ASYNCAPI, f"channel {name!r}: {topic!r} is not the name of one topic")
            continue
        topics[f"#/channels/{name}"] = topic
        context.topic(topic, file.path, _number(binding.get("partitions")), tool=ASYNCAPI)
        context.annotations.append(_channel_annotation(file, channel, TopicName(topic), context))
        for each in _mapping(channel.get("messages")).values():
            _add_message(file, references.follow(each, at), TopicName(topic), references, context)
    for name, operation in _mapping(document.get("operations")).items():
        _add_use(file, application or str(name), _mapping(operation), topics, context)
    context.collector.files |= references.paths()
    for reference in references.unresolved:
        context.leave(file, ASYNCAPI, f"the reference {reference} leads to nothing that is read")


def _channel_annotation(
    file: RepositoryFile, channel: Mapping[str, Json], topic: TopicName, context: Context
) -> Annotation:
    tags = (str(tag.get("name")) for tag in _listed(channel.get("tags")) if isinstance(tag, dict))
    return Annotation(
        source=context.source,
        name=f"{file.path}#{topic}",
        kind="asyncapi_channel",
        topic=topic,
        tags=tuple(tags),
        owner=str(channel.get("x-owner") or ""),
        description=mask_text(str(channel.get("description") or "")),
    )


def _add_message(
    file: RepositoryFile,
    found: tuple[Json, Document],
    topic: TopicName,
    references: DocumentReferences,
    context: Context,
) -> None:
    """Add the schema of a message's values: that of its payload, or the text that an export kept beside it."""
    message, kept = _mapping(found[0]), _mapping(found[0]).get("x-schema-text")
    payload = message.get("payload")
    if "schemaFormat" in message:  # of version 2
        payload = {"schemaFormat": message["schemaFormat"], "schema": payload}
    written, text = _payload(payload, found[1], references)
    if isinstance(kept, str):
        written, text = str(message.get("x-format") or written), kept
    if not written or not text:
        return
    subject = str(message.get("x-subject") or "")
    context.schemas.append(
        ManualSchema(
            source=context.source,
            topic=topic,
            role=Role.VALUE,
            format=written,
            location=f"{file.path} {message.get('name') or topic}",
            text=text,
            subject=SubjectName(subject),
            version=_number(message.get("x-version")) if subject else None,
        )
    )


def _add_use(
    file: RepositoryFile, application: str, operation: Mapping[str, Json], topics: Mapping[str, str], context: Context
) -> None:
    """Add a use by the application that the document is of; an export of a cluster names it in each operation."""
    topic = topics.get(str(_mapping(operation.get("channel")).get("$ref")))
    action = operation.get("action")
    if topic and action in ("send", "receive"):
        job = str((operation.get("title") if _EXPORTED in operation else "") or application)
        described = mask_text(str(operation.get("summary") or operation.get("description") or ""))
        context.use(job, topic, writes=action == "send", description=described, place=file.path)
        place = f"{file.path}:{getattr(operation, 'lines', {}).get('x-fields', 1)}"
        fields = [name for name in _listed(operation.get("x-fields")) if isinstance(name, str)]
        context.fields(job, topic, fields, place, writes=action == "send")


_EXPORTED = "x-kind"
"""A member of operations in documents that `scanner export` writes."""


def _payload(payload: Json, document: Document, references: DocumentReferences) -> tuple[str, str]:
    """Return the format and the text of a payload, with all that it refers to; empty without one, or of others."""
    value, at = references.follow(payload, document)
    words = "application/schema+json"
    while isinstance(value, dict) and "schemaFormat" in value:
        words = str(value["schemaFormat"])
        value, at = references.follow(value.get("schema"), at)
    written = next((name for word, name in _FORMATS.items() if word in words), "")
    if isinstance(value, str) or not value:
        return written, value or ""
    return written, json.dumps(references.bundled(value, at) if written == "JSON" else value)


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _number(value: Json) -> int | None:
    return int(value) if str(value).isdecimal() else None
