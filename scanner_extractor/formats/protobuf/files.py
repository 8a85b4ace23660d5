"""The .proto files of one schema, and those bundled with registries and compilers: Google's well-known types."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

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
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from scanner_extractor.formats.protobuf.declarations import ProtoFile
from scanner_extractor.formats.protobuf.descriptors import descriptor_text
from scanner_extractor.formats.protobuf.parser import parse_proto, proto_text
from scanner_model.columns import Lookup
from scanner_model.errors import Problem

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
_FEATURES = 'syntax = "proto2"; package pb; import "google/protobuf/descriptor.proto";'
_OPTION_FILES = {f"google/protobuf/{language}_features.proto": _FEATURES for language in ("cpp", "go", "java")}
"""Files that declare options alone, so no column can have a type of theirs."""


def well_known_text(name: str) -> str | None:
    """Return the text of a file below `google/protobuf/`, without comments; None where there is no such file."""
    if name not in _FILES:
        return _OPTION_FILES.get(name)
    file = FileDescriptorProto()
    _FILES[name].CopyToProto(file)
    return descriptor_text(file)


STANDARD = "google/protobuf/"
"""Where the files of the well-known types are."""

_GOOGLE_TYPES = """
calendar_period: enum CalendarPeriod { CALENDAR_PERIOD_UNSPECIFIED = 0; DAY = 1; WEEK = 2; FORTNIGHT = 3; MONTH = 4;
    QUARTER = 5; HALF = 6; YEAR = 7; }
color: import "google/protobuf/wrappers.proto";
    message Color { float red = 1; float green = 2; float blue = 3; google.protobuf.FloatValue alpha = 4; }
date: message Date { int32 year = 1; int32 month = 2; int32 day = 3; }
datetime: import "google/protobuf/duration.proto";
    message DateTime { int32 year = 1; int32 month = 2; int32 day = 3; int32 hours = 4; int32 minutes = 5;
    int32 seconds = 6; int32 nanos = 7;
    oneof time_offset { google.protobuf.Duration utc_offset = 8; TimeZone time_zone = 9; } }
    message TimeZone { string id = 1; string version = 2; }
dayofweek: enum DayOfWeek { DAY_OF_WEEK_UNSPECIFIED = 0; MONDAY = 1; TUESDAY = 2; WEDNESDAY = 3; THURSDAY = 4;
    FRIDAY = 5; SATURDAY = 6; SUNDAY = 7; }
decimal: message Decimal { string value = 1; }
expr: message Expr { string expression = 1; string title = 2; string description = 3; string location = 4; }
fraction: message Fraction { int64 numerator = 1; int64 denominator = 2; }
interval: import "google/protobuf/timestamp.proto";
    message Interval { google.protobuf.Timestamp start_time = 1; google.protobuf.Timestamp end_time = 2; }
latlng: message LatLng { double latitude = 1; double longitude = 2; }
localized_text: message LocalizedText { string text = 1; string language_code = 2; }
money: message Money { string currency_code = 1; int64 units = 2; int32 nanos = 3; }
month: enum Month { MONTH_UNSPECIFIED = 0; JANUARY = 1; FEBRUARY = 2; MARCH = 3; APRIL = 4; MAY = 5; JUNE = 6;
    JULY = 7; AUGUST = 8; SEPTEMBER = 9; OCTOBER = 10; NOVEMBER = 11; DECEMBER = 12; }
phone_number: message PhoneNumber { message ShortCode { string region_code = 1; string number = 2; }
    oneof kind { string e164_number = 1; ShortCode short_code = 2; } string extension = 3; }
postal_address: message PostalAddress { int32 revision = 1; string region_code = 2; string language_code = 3;
    string postal_code = 4; string sorting_code = 5; string administrative_area = 6; string locality = 7;
    string sublocality = 8; repeated string address_lines = 9; repeated string recipients = 10;
    string organization = 11; }
quaternion: message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }
timeofday: message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }
"""
"""Fields of googleapis' google/type, a file an entry; a line that is indented continues the entry."""

_CONFLUENT = {
    "confluent/meta.proto": (
        'syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";'
        " message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3;"
        " repeated Rule rules = 4; }"
        " message Rule { string name = 1; string doc = 2; string expr = 3; string sql = 4; }"
        + "".join(
            f" extend google.protobuf.{option}Options {{ Meta {name}_meta = 1088; }}"
            for option, name in (
                ("File", "file"),
                ("Message", "message"),
                ("Field", "field"),
                ("Enum", "enum"),
                ("EnumValue", "enum_value"),
            )
        )
    ),
    "confluent/type/decimal.proto": (
        'syntax = "proto3"; package confluent.type;'
        " message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }"
    ),
    "confluent/type/variant.proto": (
        'syntax = "proto3"; package confluent.type; message Variant { bytes metadata = 1; bytes value = 2; }'
    ),
}


def _google_types() -> dict[str, str]:
    entries = _GOOGLE_TYPES.strip().replace("\n    ", " ").splitlines()
    named = (entry.partition(": ") for entry in entries)
    return {f"google/type/{name}.proto": f'syntax = "proto3"; package google.type; {text}' for name, _, text in named}


DECLARED = MappingProxyType(_google_types() | _CONFLUENT)
"""Our own declarations, by import name: only messages, enums, field names, types and numbers."""


@lru_cache(maxsize=64)
def shipped(name: str) -> str | None:
    """Return the text of the file imported as *name*, None where it is not bundled."""
    return well_known_text(name) if name.startswith(STANDARD) else DECLARED.get(name)


def is_plain(name: str) -> bool:
    """Return whether *name* is a relative path that stays below where it starts, on any system."""
    parts = name.split("/")
    return all(part not in ("", ".", "..") and len(part.encode()) < 256 for part in parts) and not set(name) & set(
        "\\:\0"
    )


MAIN = ""
"""The schema's own name among its files: no import can have it."""

LONGEST = 10_000_000
"""Characters of all files of a schema: a megabyte takes about a second."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


_TOO_LONG = Problem(
    "$",
    f"the schema and its imports are longer than {LONGEST} characters",
    "the text is stored; nothing is read from here on",
)


UNAVAILABLE = "the schema imports a file that is not available"


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one schema by import name, its own under MAIN, in the order in which they were met."""

    texts: Mapping[str, str]
    parsed: Mapping[str, ProtoFile]
    problems: tuple[Problem, ...]


def gather(text: str, lookup: Lookup) -> Files:
    """Read *text* and, once each, all that it imports; a looked-up text wins over one that everybody has."""
    texts, parsed = {MAIN: proto_text(_storable(text))}, {}
    problems: list[Problem] = []
    waiting = deque([MAIN])
    seen = {MAIN}
    remaining = LONGEST
    while waiting:
        name = waiting.popleft()
        remaining -= len(texts[name])
        if remaining < 0:
            problems.append(_TOO_LONG if name == MAIN else replace(_TOO_LONG, where=f"import {name!r}"))
            texts[name] = ""
        parsed[name] = parse_proto(texts[name])
        for imported in parsed[name].imports:
            if imported.name in seen:
                continue
            seen.add(imported.name)
            loaded = _load(imported.name, lookup)
            if isinstance(loaded, Problem):
                problems.append(loaded)
            else:
                texts[imported.name] = proto_text(_storable(loaded))
                waiting.append(imported.name)
    return Files(texts, parsed, tuple(problems))


def _load(name: str, lookup: Lookup) -> str | Problem:
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or not name:
        return Problem(f"import {name!r}", "an import may only name a file below the schema's own", "it is not read")
    text = lookup(name)
    text = shipped(name) if text is None else text
    if text is None:
        hint = "register it as a reference under this name; fields of its types have no columns below them"
        return Problem(f"import {name!r}", UNAVAILABLE, hint)
    return text


def _storable(text: str) -> str:
    """Replace what no UTF-8 file or dictionary could hold."""
    return _UNSTORABLE.sub("\ufffd", text.removeprefix("\ufeff"))
