"""What refines an Avro type: the specification's logical types, else the name that Kafka Connect gave it."""

from __future__ import annotations

from scanner_extractor.formats.avro_names import Attributes, worded

_LOGICAL = {
    "big-decimal": ("bytes",),
    "date": ("int",),
    "duration": ("fixed",),
    "local-timestamp-micros": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-nanos": ("long",),
    "time-micros": ("long",),
    "time-millis": ("int",),
    "timestamp-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-nanos": ("long",),
    "uuid": ("string", "fixed"),
}
"""Logical types and what they may annotate (Avro specification 1.12, section Logical Types); decimal stands apart."""


def refinement(attributes: Attributes, word: str, name: str) -> str | None:
    """Read what refines the type *word* called *name*; None: nothing, or what the specification says to ignore.

    A logical type that is unknown, or impossible for the type, is ignored. Without one, `connect.name` is taken
    (`io.debezium.time.Timestamp`), but not where it only repeats the type's own name, as on records.
    """
    logical = worded(attributes, "logicalType")
    if logical == "decimal" and word in ("bytes", "fixed"):
        decimal = _decimal(attributes)
        if decimal:
            return decimal
    elif word in _LOGICAL.get(logical, ()):
        return logical
    connect = worded(attributes, "connect.name")
    return connect if connect and word != "record" and connect != name else None


def _decimal(attributes: Attributes) -> str | None:
    precision, scale = attributes.get("precision"), attributes.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision or precision == 0:
        return None
    return f"decimal({precision},{scale})"
