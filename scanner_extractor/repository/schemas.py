"""Schema files as a registry: subjects from build files and names, versions from names, references among the files."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin

from scanner_extractor.formats.avro.idl import named_types
from scanner_extractor.repository.context import Context, InlineSchema
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.names import SubjectName
from scanner_model.schemas import Reference, SchemaVersion

Json = Any

_RECORD = re.compile(r"\"type\"\s*:\s*\"(?:record|enum|fixed)\"")
_COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
_TYPE = re.compile(r"(?<![\w.])(message|enum)\s+(\w+)\s*\{")
_SERVICE = re.compile(r"(?<![\w.])service\s+\w+\s*\{")
_PACKAGE = re.compile(r"(?<![\w.])package\s+([\w.]+)\s*;")
_IMPORT = re.compile(r"(?<![\w.])import\s+(?:public\s+|weak\s+)?\"([^\"]+)\"\s*;")
_SUBJECT_OPTION = re.compile(r"\(buf\.confluent\.v1\.subject\)\s*=\s*\{[^{}]*?(?<!_)\bname:\s*\"([^\"]+)\"")
"""The subject of a message of a module of Buf."""
_JSON_SCHEMA = re.compile(
    r"\"\$schema\"\s*:\s*\"https?://(?:json-schema\.org/|[\w.-]{1,253}/schemas/com\.snowplowanalytics\.self-desc/schema/)"
)
"""A draft of JSON Schema, or the schema of self-describing ones. Source: Iglu, self-describing JSON schemas."""
_YAML_SCHEMA = re.compile(r"^[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/", re.MULTILINE)
_YAML = (".yaml", ".yml")
_KEYWORDS = ("properties", "allOf", "anyOf", "oneOf", "$ref", "patternProperties", "items")
"""Keywords of JSON Schema that give a message columns; one of them is at the root."""
_MAYBE_JSON_SCHEMA = re.compile(
    r"\"(?:properties|allOf|anyOf|oneOf|\$ref|patternProperties|items|definitions|\$defs)\"\s*:"
)
_MAYBE_YAML_SCHEMA = re.compile(
    r"^(?:properties|allOf|anyOf|oneOf|\$ref|patternProperties|items|definitions|\$defs)\s*:", re.MULTILINE
)
_OTHER_DOCUMENTS = ("openapi", "asyncapi", "swagger", "kind", "apiVersion")
"""Members at the root of documents of another form, whose schemas are inside."""
_URI = re.compile(r"https?://|urn:")
"""The identity of a schema: before draft 6 the member is `id`, which other documents have, too."""
_REF = re.compile(r"\"\$ref\"\s*:\s*\"(?P<name>[^\"#]*)")
_SIDE = re.compile(r"[-_.](?:key|value)$")
_CALLED_SCHEMA = re.compile(r"[-_.](?:json-?)?schema$", re.IGNORECASE)
"""How the name of a file without its ending says that it is a schema."""
_VERSION = re.compile(r"(?:^|[-_.])v(?:ersion)?[-_.]?(?P<number>\d{1,6})(?=$|[-_.])", re.IGNORECASE)
_MAVEN = re.compile(r"<subjects>(?P<subjects>(?:[^<]|<(?!/?subjects>))*+)</subjects>", re.DOTALL)
_MEMBER = re.compile(r"<(?P<name>[\w.:-]+)>(?P<value>[^<>]+)</(?P=name)>")
_ARTIFACT = re.compile(r"<artifact>((?:[^<]|<(?!/?artifact>)){1,4000})</artifact>")
_BASE = re.compile(r"\$\{(?:project\.)?basedir\}/")
_GRADLE = re.compile(
    r"\bsubject\s*\(\s*(?:inputSubject\s*=\s*)?[\"'](?P<subject>[^\"']+)[\"']\s*,\s*"
    r"(?:file\s*=\s*)?(?:file\s*\(\s*)?[\"'](?P<file>[^\"']+)[\"']"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|v\d+")
_KINDS_OF_NAME = words("avro json protobuf proto topic event message record schema")
"""What names of topics and schemas often end in, in the singular."""
_NAMED_TYPES = ("record", "enum", "fixed")
_PROTOCOLS = {
    ".avdl": re.compile(r"\b(?:record|error|enum|fixed)\s+`?\w+`?\s*[{(]"),
    ".avpr": re.compile(r"\"types\"\s*:"),
}
"""Endings of Avro IDL and of protocols in JSON, with the sign that one declares types."""
AVRO, PROTOBUF, JSON_SCHEMA = "AVRO", "PROTOBUF", "JSON"


class _Schema(NamedTuple):
    """A schema of a file: its *names* are the types that it declares, in full, the first one its own.

    *is_record* is false for a type that is no message. *shared*: the file has other schemas, too. *uri* is its `$id`.
    *is_sure* is false for a JSON Schema that does not name its draft: any such file may be of something else.
    A schema in a document may have its *subject*, *version* and references with their subjects.
    """

    file: RepositoryFile
    format: str
    names: tuple[str, ...]
    uses: frozenset[str]
    text: str
    is_record: bool = True
    shared: bool = False
    uri: str = ""
    is_sure: bool = True
    subject: str = ""
    version: int = 0
    references: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Named:
    schema: _Schema
    subject: str
    version: int


def is_schema(file: RepositoryFile) -> bool:
    """Check whether a file holds a schema."""
    return _format(file) != ""


def is_json_schema(file: RepositoryFile) -> bool:
    """Check whether a file is a JSON Schema, of whatever it may be."""
    return _format(file) == JSON_SCHEMA and _is_json_text(_as_json(file).text)


def is_build_file(file: RepositoryFile) -> bool:
    """Check whether a build file registers schemas under subjects."""
    if file.name == "pom.xml":
        return "<subjects>" in file.text or "apicurio-registry-maven-plugin" in file.text
    return file.name in ("build.gradle", "build.gradle.kts") and _GRADLE.search(file.text) is not None


def read_subjects(files: Iterable[RepositoryFile], context: Context) -> None:
    """Keep the subjects that build files register each schema file under, by the path of that file."""
    for file in files:
        pairs = _maven(file.text) if file.name == "pom.xml" else _gradle(file.text)
        context.add_subjects(pairs, file.directory)


def read_schemas(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add a version of a subject for each schema; one without a subject has that of its record's name.

    A file that ends in `-key` or `-value` is of the subject of that name. One that is called after a topic, or whose
    record is, has that topic's subject, unless another record is called after it too. A JSON Schema without a draft is
    one if a build file, its name, a topic or another schema says so.
    """
    schemas = [schema for file in _with_referenced(files, context) for schema in _schemas(file, context)]
    topics = topics_by_form(context.topic_names())
    schemas = _of_messages(schemas, topics, context)
    in_file = Counter(entry.file.path for entry in context.inline)
    named_texts = {
        (entry.file.path, entry.value) for entry in context.inline if entry.subject and isinstance(entry.value, str)
    }
    schemas += [
        schema
        for entry in context.inline
        if entry.subject or not isinstance(entry.value, str) or (entry.file.path, entry.value) not in named_texts
        for schema in _inline(entry, context, is_shared=in_file[entry.file.path] > 1)
    ]
    schemas += _embedded(schemas, context)
    called = {schema: _topic(schema, topics) for schema in schemas}
    records: dict[str, set[str]] = {}
    for schema, topic in called.items():
        records.setdefault(topic, set()).add(schema.names[0])
    listed: dict[str, list[_Schema]] = {}
    for schema, topic in called.items():
        own = _subject(schema, topic if len(records[topic]) == 1 else "")
        given = () if schema.shared else context.subjects.get(schema.file.path, ())
        given = (schema.subject,) if schema.subject else given
        given = given or tuple(_SUBJECT_OPTION.findall(schema.text) if schema.format == PROTOBUF else ())
        in_path = "" if schema.shared else _VERSION.sub("", context.subject_in(schema.file.path))
        for subject in given or (in_path or own,):
            listed.setdefault(subject, []).append(schema)
    named = [
        _Named(schema, subject, version)
        for subject, versions in sorted(listed.items())
        for version, schema in _numbered(_distinct(versions))
    ]
    for subject, versions in listed.items():
        for path in dict.fromkeys(schema.file.path for schema in versions):
            context.schema_files[path] = (*context.schema_files.get(path, ()), subject)
    newest = {entry.subject: entry.version for entry in named}
    by_type = {name: entry for entry in reversed(named) for name in entry.schema.names}
    by_path = {entry.schema.file.path: entry for entry in reversed(named)}
    by_uri = {entry.schema.uri: entry for entry in reversed(named) if entry.schema.uri}
    for number, entry in enumerate(named, start=1):
        context.versions.append(
            SchemaVersion(
                source=context.source,
                subject=SubjectName(entry.subject),
                version=entry.version,
                schema_id=str(number),
                format=entry.schema.format,
                text=entry.schema.text,
                references=(
                    *_references(entry, by_type, by_path, by_uri),
                    *(
                        Reference(name=name, subject=SubjectName(subject), version=newest[subject])
                        for name, subject in entry.schema.references
                        if subject in newest
                    ),
                ),
            )
        )


_OF_CHART = "values.schema.json"
"""The schema of the values of a Helm chart. Source: Helm, charts."""
_DATA = "Obj\1"
"""The first bytes of a file of Avro records."""


def _format(file: RepositoryFile) -> str:
    if file.name == _OF_CHART:
        return ""
    if file.ending in (".avsc", ".avro"):
        return "" if file.text.startswith(_DATA) else AVRO
    if file.ending in _PROTOCOLS:
        return AVRO if _PROTOCOLS[file.ending].search(file.text) else ""
    if file.ending == ".proto":
        return PROTOBUF
    if file.ending in (".json", ".jsonschema"):
        if _JSON_SCHEMA.search(file.text):
            return JSON_SCHEMA
        if _RECORD.search(file.text) and '"fields"' in file.text and '"name"' in file.text:
            return AVRO
        return JSON_SCHEMA if _MAYBE_JSON_SCHEMA.search(file.text) else ""
    if file.ending in _YAML and (_YAML_SCHEMA.search(file.text) or _MAYBE_YAML_SCHEMA.search(file.text)):
        return JSON_SCHEMA
    # A registry of files may name them by their versions.
    return JSON_SCHEMA if file.text[:1] == "{" and _JSON_SCHEMA.search(file.text) else ""


def _of_messages(schemas: Sequence[_Schema], topics: Mapping[str, set[str]], context: Context) -> list[_Schema]:
    """Return *schemas* without those that name no draft and have no subject, topic or user among the schemas."""
    kept = {schema: None for schema in schemas if schema.is_sure or _has_subject(schema, topics, context)}
    by_path = {schema.file.path: schema for schema in schemas}
    by_uri = {schema.uri: schema for schema in schemas if schema.uri}
    waiting = [schema for schema in kept if schema.format == JSON_SCHEMA]
    while waiting:
        schema = waiting.pop()
        for name in schema.uses:
            other = _json_target(schema, name, by_uri, by_path)
            if other is not None and other not in kept:
                kept[other] = None
                waiting.append(other)
    return [schema for schema in schemas if schema in kept]


def _has_subject(schema: _Schema, topics: Mapping[str, set[str]], context: Context) -> bool:
    named = context.subject_in(schema.file.path) or _SIDE.search(_stem(schema.file)) or _topic(schema, topics)
    is_called = schema.file.ending == ".jsonschema" or _CALLED_SCHEMA.search(schema.file.stem)
    return bool(named or is_called) and _is_json_schema(load_text(schema.text))


_Other = TypeVar("_Other")


def _json_target(
    schema: _Schema, name: str, by_uri: Mapping[str, _Other], by_path: Mapping[str, _Other]
) -> _Other | None:
    """Return what a `$ref` without its fragment leads to: by `$id` (JSON Schema core, 8.2), else by path."""
    try:
        uri = urljoin(schema.uri, name)
    except ValueError:
        uri = name
    return by_uri.get(uri) or by_path.get(_joined(schema.file.directory, name))


def _as_json(file: RepositoryFile) -> RepositoryFile:
    """Return a file with its YAML as JSON, if it is one document; any other file as it is."""
    documents = parse_yaml(file.text, numbers=True) if file.ending in _YAML else ()
    # Comments before the first `---` are a document without a value.
    values = [document.value for document in documents if document.error or document.value is not None]
    value = values[0] if len(values) == 1 else None
    return file._replace(text=json.dumps(value, default=str)) if isinstance(value, dict) else file


def _with_referenced(files: Sequence[RepositoryFile], context: Context) -> Iterator[RepositoryFile]:
    """Yield *files*, those that build files name, and those that a `$ref` of a JSON Schema leads to."""
    waiting, seen = list(files), {file.path for file in files} | {entry.file.path for entry in context.inline}
    for path in sorted(context.subjects.keys() - seen):
        if (text := context.text(path)) is not None:
            seen.add(path)
            waiting.append(RepositoryFile(path, text))
    while waiting:
        file = _as_json(waiting.pop(0))
        yield file
        for name in sorted(_referenced(file.text)) if file.ending in (".json", ".jsonschema", *_YAML) else ():
            path = _joined(file.directory, name)
            text = context.text(path) if path in context.entries and path not in seen else None
            if text is not None:
                seen.add(path)
                waiting.append(RepositoryFile(path, text))


def _referenced(text: str) -> set[str]:
    """Return what a JSON Schema refers to outside itself, without fragments."""
    return {name for match in _REF.finditer(text) if (name := match["name"])}


def _joined(directory: str, name: str) -> str:
    """Return the path of *name* in *directory*; one that leads out of the repository has no file."""
    return posixpath.normpath(posixpath.join(directory, name))


def _inline(entry: InlineSchema, context: Context, *, is_shared: bool) -> Iterator[_Schema]:
    """Yield the schema of a document; of several without subjects in one file each has that of its record."""
    text = entry.value if isinstance(entry.value, str) else json.dumps(entry.value)
    kind = _FORMATS.get(_WORDS_ONLY.sub("", entry.format.partition("/")[0]).upper()) or _format_of(text)
    file = entry.file._replace(text=text)
    if not entry.subject and kind == JSON_SCHEMA and not _is_json_text(text):
        return  # the member `schema` of something else
    for schema in _schemas(file, context, kind):
        yield schema._replace(
            subject=entry.subject,
            version=entry.version,
            references=entry.references,
            is_sure=True,
            shared=is_shared or bool(entry.subject),
        )


_WORDS_ONLY = re.compile(r"[^A-Za-z]")
_FORMATS = {"AVRO": AVRO, "JSON": JSON_SCHEMA, "JSONSCHEMA": JSON_SCHEMA, "PROTOBUF": PROTOBUF, "PROTO": PROTOBUF}


def _format_of(text: str) -> str:
    """Return the format of a schema by its text: Protobuf is not JSON, and a record of Avro has a type and fields."""
    try:
        value = load_text(text)
    except (ValueError, RecursionError):
        return PROTOBUF if _TYPE.search(text) else AVRO
    return JSON_SCHEMA if _is_json_schema(value) and not _is_avro(value) else AVRO


def _is_avro(value: Json) -> bool:
    return (
        isinstance(value, dict) and value.get("type") in (*_NAMED_TYPES, "array", "map") and "properties" not in value
    )


def _is_json_text(text: str) -> bool:
    try:
        return _is_json_schema(load_text(text))
    except (ValueError, RecursionError):
        return False


def _schemas(file: RepositoryFile, context: Context, kind: str = "") -> Iterator[_Schema]:
    """Yield the schema of a file; of a list of Avro types each is one, whose text refers to the others by name."""
    is_inline, kind = bool(kind), kind or _format(file) or JSON_SCHEMA
    if kind == PROTOBUF:
        yield from _protobuf(file, context)
        return
    try:
        value = named_types(file.text) if file.ending == ".avdl" else load_text(file.text)
    except InputInvalid as error:
        context.leave(file, f"{kind} schema", f"{error.where}: invalid Avro IDL: {error.what}")
        return
    except (ValueError, RecursionError) as error:
        is_one = _names_draft(file) or file.path in context.subjects or _SIDE.search(_stem(file)) or is_inline
        if is_one or kind != JSON_SCHEMA:
            context.leave(file, f"{kind} schema", f"invalid JSON: {error}")
        return
    if file.ending == ".avpr":
        value = _types_of_protocol(value)
    if kind == JSON_SCHEMA:
        yield from _json_schema(file, value, context)
        return
    listed = value if isinstance(value, list) else [value]
    is_list = len(listed) > 1 or file.ending in _PROTOCOLS
    if listed and all(isinstance(own, dict) and own.get("type") in _NAMED_TYPES and "name" in own for own in listed):
        yield from (_avro(file, own, shared=is_list) for own in listed)
    elif isinstance(value, str | list) or (isinstance(value, dict) and "type" in value):
        declared: dict[str, None] = {}
        uses_types: set[str] = set()
        _types(value, "", declared, uses_types, 0)
        names = (file.stem, *declared)
        yield _Schema(file, kind, names, frozenset(uses_types - declared.keys()), file.text)
    else:
        context.leave(file, f"{kind} schema", "unknown type")


def _json_schema(file: RepositoryFile, value: Json, context: Context) -> Iterator[_Schema]:
    members = value if isinstance(value, dict) else {}
    uri = str(members.get("$id") or members.get("id") or "").partition("#")[0]
    yield _Schema(
        file,
        JSON_SCHEMA,
        names=(_self_described(members.get("self")) or str(members.get("title") or file.stem),),
        uses=frozenset(_referenced(file.text)),
        text=file.text,
        uri=uri if {"/", ".", ":"} & set(uri) else "",
        is_sure=_names_draft(file)
        or file.path in context.subjects
        or (bool(_URI.match(uri)) and _is_json_schema(value)),
    )


def _self_described(own: Json) -> str:
    """Return the name of a self-describing schema with its model: those of one model accept each other's data."""
    match own:
        case {"vendor": str(vendor), "name": str(name), "version": str(version)}:
            return f"{vendor}.{name}-v{version.partition('-')[0]}"
    return ""


def _names_draft(file: RepositoryFile) -> bool:
    return any(expression.search(file.text) for expression in (_JSON_SCHEMA, _YAML_SCHEMA))


def _is_json_schema(value: Json) -> bool:
    """Return whether a document without a draft is a JSON Schema: keywords at its root that give columns."""
    if not isinstance(value, dict):
        return False
    kinds = value.get("type", "object")
    is_typed = isinstance(kinds, str | list)
    has_keywords = any(isinstance(value.get(key), dict | list | str) for key in _KEYWORDS)
    return is_typed and has_keywords and not any(key in value for key in _OTHER_DOCUMENTS)


def _embedded(schemas: Iterable[_Schema], context: Context) -> Iterator[_Schema]:
    """Yield the schemas in source code of types that no file declares: such a text is often a copy."""
    known = {name for schema in schemas for name in schema.names}
    for file, value in context.embedded:
        schema = _avro(file, value, shared=True)
        if schema.names[0] not in known:
            yield schema


def _types_of_protocol(value: Json) -> Json:
    """Return the types of an Avro protocol, each with its namespace."""
    if not isinstance(value, dict) or not isinstance(value.get("types"), list):
        return value
    namespace = value.get("namespace")
    own = {"namespace": namespace} if isinstance(namespace, str) else {}
    return [own | item if isinstance(item, dict) else item for item in value["types"]]


def _protobuf(file: RepositoryFile, context: Context) -> Iterator[_Schema]:
    text = _COMMENT.sub(" ", file.text)
    package = match[1] if (match := _PACKAGE.search(text)) else ""
    found = _TYPE.findall(text)
    messages = [name for word, name in found if word == "message"] or [name for _, name in found]
    names = tuple(".".join(filter(None, (package, name))) for name in messages)
    imports = frozenset(_IMPORT.findall(text))
    if names or (imports and not _SERVICE.search(text)):
        is_record = any(word == "message" for word, _ in found)
        yield _Schema(file, PROTOBUF, names or (file.stem,), imports, file.text, is_record)
    else:
        context.leave(file, "PROTOBUF schema", "it declares no message and no enum")


def _avro(file: RepositoryFile, own: Json, *, shared: bool) -> _Schema:
    declared: dict[str, None] = {}
    uses: set[str] = set()
    _types(own, "", declared, uses, 0)
    names = tuple(dict.fromkeys((_full_name(own, ""), *declared)))
    text = json.dumps(own, indent=2) if shared else file.text
    return _Schema(file, AVRO, names, frozenset(uses - declared.keys()), text, own["type"] == "record", shared)


def _types(value: Json, namespace: str, declared: dict[str, None], uses: set[str], depth: int) -> None:
    """Collect the full names of the types that an Avro schema declares, and those that it uses."""
    if depth > 60:
        return
    match value:
        case {"type": "record" | "enum" | "fixed", "name": str()}:
            name = _full_name(value, namespace)
            declared[name] = None
            fields = value.get("fields")
            for field in fields if isinstance(fields, list) else ():
                if isinstance(field, dict):
                    _types(field.get("type"), name.rpartition(".")[0], declared, uses, depth + 1)
        case {"type": inside, **rest}:
            for part in (inside, rest.get("items"), rest.get("values")):
                _types(part, namespace, declared, uses, depth + 1)
        case list():
            for part in value:
                _types(part, namespace, declared, uses, depth + 1)
        case str():
            uses.add(value if "." in value or not namespace else f"{namespace}.{value}")


def _full_name(value: Mapping[str, Json], namespace: str) -> str:
    name = str(value["name"])
    own = value.get("namespace", namespace)
    return name if "." in name or not own else f"{own}.{name}"


def _stem(file: RepositoryFile) -> str:
    """Return the name of a schema's file without its endings: `orders-value.schema.json` has two."""
    stem = file.stem
    while "." in stem and stem.rpartition(".")[2].lower() in _KINDS_OF_NAME:
        stem = stem.rpartition(".")[0]
    return stem


def _subject(schema: _Schema, topic: str) -> str:
    stem = _stem(schema.file)
    stem = stem if _SIDE.search(stem) else _VERSION.sub("", stem)  # a version before the side is one of the topic
    return stem if _SIDE.search(stem) else f"{topic}-value" if topic else schema.names[0]


def topics_by_form(topics: Iterable[str]) -> Mapping[str, set[str]]:
    """Return the topics by the forms of their names, of the last part of a name with dots, too."""
    by_form: dict[str, set[str]] = {}
    for topic in topics:
        for form in {form_of(topic), form_of(topic.rpartition(".")[2])} - {""}:
            by_form.setdefault(form, set()).add(topic)
    return by_form


def _topic(schema: _Schema, topics: Mapping[str, set[str]]) -> str:
    """Return the only topic that a schema's file or record is called after; empty without one."""
    own = schema.names[0].rpartition(".")[2]
    for name in () if not schema.is_record else (own,) if schema.shared else (_stem(schema.file), own):
        found = topics.get(form_of(name), set())
        if len(found) == 1:
            return next(iter(found))
    return ""


def form_of(name: str) -> str:
    """Return the words of a name, singular and without case, those left out that say what a name is of."""
    listed = (word.lower().removesuffix("s") for word in _WORD.findall(name))
    return "".join(word for word in listed if word not in _KINDS_OF_NAME and not re.fullmatch(r"v?\d+", word))


def _distinct(schemas: Sequence[_Schema]) -> list[_Schema]:
    """Return the schemas of a subject, one of each text: modules often have copies of one file."""
    return list({schema.text: schema for schema in reversed(schemas)}.values())[::-1]


def _numbered(schemas: Sequence[_Schema]) -> Iterator[tuple[int, _Schema]]:
    """Yield the versions of a subject: as files or directories number them, else in the order of their paths."""
    numbers = [schema.version or _number(schema.file.path) for schema in schemas]
    if len(set(numbers)) == len(numbers) and all(numbers):
        yield from sorted(zip(numbers, schemas, strict=True), key=lambda pair: pair[0])
    else:
        yield from enumerate(schemas, start=1)


def _number(path: str) -> int:
    parts = [part.rpartition(".")[0] or part for part in path.split("/")[-2:]]
    found = [int(match["number"]) for part in reversed(parts) if (match := _VERSION.search(part))]
    return found[0] if found else 0


def _references(
    entry: _Named, by_type: Mapping[str, _Named], by_path: Mapping[str, _Named], by_uri: Mapping[str, _Named]
) -> Iterator[Reference]:
    for name in sorted(entry.schema.uses):
        if entry.schema.format == PROTOBUF:
            paths = [path for path in by_path if path == name or path.endswith(f"/{name}")]
            other = by_path[paths[0]] if paths else None
        elif entry.schema.format == JSON_SCHEMA:
            other = _json_target(entry.schema, name, by_uri, by_path)
        else:
            other = by_type.get(name)
        if other is not None and other.schema is not entry.schema:
            yield Reference(name=name, subject=SubjectName(other.subject), version=other.version)


def _maven(text: str) -> Iterator[tuple[str, str]]:
    """Yield subjects and files of Confluent's and Apicurio's plug-ins for Maven.

    `_x2F` and the like are signs in names of elements.
    """
    for block in _MAVEN.finditer(text):
        for member in _MEMBER.finditer(block["subjects"]):
            subject = re.sub(r"_x([0-9A-Fa-f]{2})", lambda sign: chr(int(sign[1], 16)), member["name"])
            yield subject, _BASE.sub("", member["value"].strip())
    for block in _ARTIFACT.findall(text):
        own = {name: value.strip() for name, value in re.findall(r"<(artifactId|file)>([^<]*)<", block)}
        if len(own) == 2:
            yield own["artifactId"], _BASE.sub("", own["file"])


def _gradle(text: str) -> Iterator[tuple[str, str]]:
    for match in _GRADLE.finditer(text):
        yield match["subject"], match["file"].replace("$projectDir/", "").replace("${projectDir}/", "")
