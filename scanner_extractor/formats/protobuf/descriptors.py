"""Compiled .proto files as text: the well-known types, and what clients register as a descriptor in base64.

Confluent's clients for Python and .NET register `FileDescriptorProto`, serialized and in base64; Confluent's registry
turns it into text, Apicurio and Karapace store it as it came.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)
from google.protobuf.message import DecodeError

_LABELS = {FieldDescriptorProto.LABEL_REQUIRED: "required ", FieldDescriptorProto.LABEL_REPEATED: "repeated "}
_QUOTED = (FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES)


def decoded_text(encoded: str) -> str | None:
    """Return the .proto text of a descriptor in base64; None if *encoded* is not one.

    Comments and custom options are not in a descriptor, or not readable without their declarations.
    """
    try:
        raw = base64.b64decode("".join(encoded.split()), altchars=b"-_" if set(encoded) & set("-_") else None)
        file = FileDescriptorProto.FromString(raw)
    except (ValueError, DecodeError):
        return None
    names = [*(message.name for message in file.message_type), *(enum.name for enum in file.enum_type)]
    is_named = all(name.isidentifier() for name in names) if names else file.name.endswith(".proto")
    return descriptor_text(file) if is_named else None


def descriptor_text(file: FileDescriptorProto) -> str:
    """Return the .proto text of a compiled file, without comments and custom options."""
    return "\n".join(_file(file))


def _file(file: FileDescriptorProto) -> Iterator[str]:
    syntax = file.syntax or "proto2"
    yield 'edition = "2023";' if syntax == "editions" else f'syntax = "{syntax}";'
    if file.package:
        yield f"package {file.package};"
    for number, name in enumerate(file.dependency):
        yield f'import {"public " if number in file.public_dependency else ""}"{name}";'
    for message in file.message_type:
        yield from _message(message, file.syntax)
    yield from map(_enum, file.enum_type)
    yield from (_service(service, f".{file.package}." if file.package else ".") for service in file.service)


def _message(message: DescriptorProto, syntax: str) -> Iterator[str]:
    yield f"message {message.name} {{"
    entries = {entry.name: entry for entry in message.nested_type if entry.options.map_entry}
    for oneof, fields in groupby(message.field, _oneof):
        inside = oneof is not None
        texts = " ".join(_field(field, entries, "" if inside else _label(field, syntax)) for field in fields)
        yield f"oneof {message.oneof_decl[oneof].name} {{ {texts} }}" if oneof is not None else texts
    for nested in message.nested_type:
        if nested.name not in entries:
            yield from _message(nested, syntax)
    yield from map(_enum, message.enum_type)
    yield from _spans("extensions", ((span.start, span.end - 1) for span in message.extension_range))
    yield from _spans("reserved", ((span.start, span.end - 1) for span in message.reserved_range))
    yield from _reserved_names(message.reserved_name)
    yield "}"


def _oneof(field: FieldDescriptorProto) -> int | None:
    return field.oneof_index if field.HasField("oneof_index") and not field.proto3_optional else None


def _label(field: FieldDescriptorProto, syntax: str) -> str:
    is_optional = field.proto3_optional or syntax not in ("proto3", "editions")
    return _LABELS.get(field.label, "optional " if is_optional else "")


def _field(field: FieldDescriptorProto, entries: dict[str, DescriptorProto], label: str) -> str:
    entry = entries.get(field.type_name.rpartition(".")[2])
    if entry:
        key, value = entry.field
        return f"map<{_type(key)}, {_type(value)}> {field.name} = {field.number};"
    options = ", ".join(_options(field))
    return f"{label}{_type(field)} {field.name} = {field.number}{f' [{options}]' if options else ''};"


def _options(field: FieldDescriptorProto) -> Iterator[str]:
    if field.HasField("default_value"):
        yield f"default = {json.dumps(field.default_value) if field.type in _QUOTED else field.default_value}"
    if field.json_name not in ("", _json_name(field.name)):
        yield f"json_name = {json.dumps(field.json_name)}"


def _json_name(name: str) -> str:
    """Return the JSON name that compilers derive: a letter after an underscore in upper case, no underscores."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _type(field: FieldDescriptorProto) -> str:
    return field.type_name or FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()


def _enum(enum: EnumDescriptorProto) -> str:
    values = " ".join(f"{value.name} = {value.number};" for value in enum.value)
    spans = _spans("reserved", ((span.start, span.end) for span in enum.reserved_range))
    kept = " ".join((*spans, *_reserved_names(enum.reserved_name)))
    return f"enum {enum.name} {{ {values} {kept}}}"


def _service(service: ServiceDescriptorProto, package: str) -> str:
    """Return a service as most files write it: types of their own package by the name inside it."""
    calls = " ".join(
        f"rpc {call.name} ({'stream ' * call.client_streaming}{call.input_type.removeprefix(package)})"
        f" returns ({'stream ' * call.server_streaming}{call.output_type.removeprefix(package)});"
        for call in service.method
    )
    return f"service {service.name} {{ {calls} }}"


def _spans(word: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    if shown := ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans):
        yield f"{word} {shown};"


def _reserved_names(names: Iterable[str]) -> Iterator[str]:
    if shown := ", ".join(map(json.dumps, names)):
        yield f"reserved {shown};"
