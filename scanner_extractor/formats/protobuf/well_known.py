"""The .proto files of Google's well-known types, written from the descriptors that the package protobuf has of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from google.protobuf import (
    any_pb2,
    api_pb2,
    descriptor_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    source_context_pb2,
    struct_pb2,
    timestamp_pb2,
    type_pb2,
    wrappers_pb2,
)
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

_FILES = {
    module.DESCRIPTOR.name: module.DESCRIPTOR
    for module in (
        any_pb2,
        api_pb2,
        descriptor_pb2,
        duration_pb2,
        empty_pb2,
        field_mask_pb2,
        plugin_pb2,
        source_context_pb2,
        struct_pb2,
        timestamp_pb2,
        type_pb2,
        wrappers_pb2,
    )
}
_LABELS = {FieldDescriptorProto.LABEL_REQUIRED: "required ", FieldDescriptorProto.LABEL_REPEATED: "repeated "}
_QUOTED = (FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES)
_FEATURES = 'syntax = "proto2"; package pb; import "google/protobuf/descriptor.proto";'
_OPTION_FILES = {f"google/protobuf/{language}_features.proto": _FEATURES for language in ("cpp", "go", "java")}
"""Files that declare options alone, so no column can have a type of theirs."""


def well_known_text(name: str) -> str | None:
    """Return the text of a file below `google/protobuf/`, without comments; None where there is no such file."""
    if name not in _FILES:
        return _OPTION_FILES.get(name)
    file = FileDescriptorProto()
    _FILES[name].CopyToProto(file)
    return "\n".join(_file(file))


def _file(file: FileDescriptorProto) -> Iterator[str]:
    yield f'syntax = "{file.syntax or "proto2"}"; package {file.package};'
    for number, name in enumerate(file.dependency):
        yield f'import {"public " if number in file.public_dependency else ""}"{name}";'
    for message in file.message_type:
        yield from _message(message, file.syntax)
    for enum in file.enum_type:
        yield _enum(enum)


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
    yield "}"


def _oneof(field: FieldDescriptorProto) -> int | None:
    return field.oneof_index if field.HasField("oneof_index") and not field.proto3_optional else None


def _label(field: FieldDescriptorProto, syntax: str) -> str:
    is_optional = field.proto3_optional or syntax != "proto3"
    return _LABELS.get(field.label, "optional " if is_optional else "")


def _field(field: FieldDescriptorProto, entries: dict[str, DescriptorProto], label: str) -> str:
    entry = entries.get(field.type_name.rpartition(".")[2])
    if entry:
        key, value = entry.field
        return f"map<{_type(key)}, {_type(value)}> {field.name} = {field.number};"
    default = json.dumps(field.default_value) if field.type in _QUOTED else field.default_value
    options = f" [default = {default}]" if field.HasField("default_value") else ""
    return f"{label}{_type(field)} {field.name} = {field.number}{options};"


def _type(field: FieldDescriptorProto) -> str:
    return field.type_name or FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()


def _enum(enum: EnumDescriptorProto) -> str:
    values = " ".join(f"{value.name} = {value.number};" for value in enum.value)
    return f"enum {enum.name} {{ {values} }}"
