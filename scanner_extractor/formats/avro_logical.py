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

_UNIT = 10**20
_LOG_2 = 30_102_999_566_398_119_521
"""The decimal logarithm of 2 in units of 10^-20: a schema may give sizes that no float holds."""

_SIZES = {"duration": 12, "uuid": 16}
"""Bytes that a fixed must have to be of a logical type."""


def refinement(attributes: Attributes, word: str, name: str, size: object = None) -> str | None:
    """Read what refines the type *word* called *name*; None: nothing, or what the specification says to ignore.

    *size* is what a fixed says of its size.

    A logical type that is unknown, or impossible for the type, is ignored. Without one, `connect.name` is taken
    (`io.debezium.time.Timestamp`), but not where it only repeats the type's own name, as on records.
    """
    logical = worded(attributes, "logicalType")
    if logical == "decimal" and word in ("bytes", "fixed"):
        decimal = _decimal(attributes)
        if decimal and (word == "bytes" or _holds(size, attributes["precision"])):
            return decimal
    elif word in _LOGICAL.get(logical, ()) and (word != "fixed" or size == _SIZES[logical]):
        return logical
    connect = worded(attributes, "connect.name")
    return connect if connect and word != "record" and connect != name else None


def _decimal(attributes: Attributes) -> str | None:
    precision, scale = attributes.get("precision"), attributes.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision or precision == 0:
        return None
    return f"decimal({precision},{scale})"


def _holds(size: object, precision: object) -> bool:
    """Return whether a number of *precision* digits fits a two's complement of *size* bytes."""
    return type(size) is int and type(precision) is int and precision * _UNIT <= (8 * size - 1) * _LOG_2
