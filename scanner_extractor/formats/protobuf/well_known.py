"""Well-known Protobuf messages that represent one value: one column each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class WellKnown(NamedTuple):
    """How the column of a well-known message is shown: its type and what refines it."""

    type: str
    logical_type: str


_WRAPPERS = {
    "BoolValue": "bool",
    "BytesValue": "bytes",
    "DoubleValue": "double",
    "FloatValue": "float",
    "Int32Value": "int32",
    "Int64Value": "int64",
    "StringValue": "string",
    "UInt32Value": "uint32",
    "UInt64Value": "uint64",
}
_OF_ANY_TYPE = ("Any", "ListValue", "Struct", "Value")
_REFINED = {
    "google.protobuf.Duration": "duration",
    "google.protobuf.Timestamp": "timestamp",
    "google.type.Date": "date",
    "google.type.DateTime": "datetime",
    "google.type.Decimal": "decimal",
    "google.type.TimeOfDay": "time",
}
_OTHERS = {
    "google.protobuf": "Api Empty Enum EnumValue Field FieldMask Method Mixin Option SourceContext Type",
    "google.type": "Color Expr Fraction Interval LatLng LocalizedText Money PhoneNumber PostalAddress Quaternion"
    " TimeZone",
}

WELL_KNOWN: Mapping[str, WellKnown] = {
    **{f"google.protobuf.{name}": WellKnown(word, f"google.protobuf.{name}") for name, word in _WRAPPERS.items()},
    **{f"google.protobuf.{name}": WellKnown("any", f"google.protobuf.{name}") for name in _OF_ANY_TYPE},
    **{name: WellKnown("message", word) for name, word in _REFINED.items()},
    **{
        f"{package}.{name}": WellKnown("message", f"{package}.{name}")
        for package, names in _OTHERS.items()
        for name in names.split()
    },
}
"""Messages by full name; what has no common word for its logical type keeps its own name."""
