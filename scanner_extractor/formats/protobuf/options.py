"""Option values of a .proto text, and what columns take from them: defaults, presence, Confluent's field options."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanner_extractor.formats.protobuf.declarations import Presence
from scanner_extractor.formats.protobuf.tokens import END, Cursor, integer

OptionValue = str | bytes | tuple["Option", ...]
"""A word or number as written (with its sign), the bytes of a string, or the members of an aggregate."""

_DEEPEST_VALUE = 64
_FLOATS = ("float", "double")
_INTEGERS = frozenset(
    {"int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"}
)
_FIELD_META = "(confluent.field_meta)"
_MESSAGE_META = "(confluent.message_meta)"
_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|[xX](?P<hex>[0-9a-fA-F]{1,2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<char>.))",
    re.DOTALL,
)
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option; *name* is as written without spaces, and without the leading dot of a name in parentheses."""

    name: str
    value: OptionValue


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldMeta:
    """The content of `(confluent.field_meta)` of a field."""

    doc: str | None = None
    tags: tuple[str, ...] = ()
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def decimal(self) -> tuple[int, int] | None:
        """Return precision and scale; None without them."""
        try:
            return int(self.params["precision"]), int(self.params.get("scale", "0"))
        except (KeyError, ValueError):
            return None


def read_option(cursor: Cursor) -> Option:
    """Read `name = value`; raises UnreadableError."""
    parts = [_option_name(cursor)]
    while cursor.take(".") or cursor.token.startswith("."):
        parts.append(_option_name(cursor).removeprefix("."))
    cursor.expect("=")
    return Option(".".join(parts), _value(cursor, 0))


def json_name(options: Iterable[Option]) -> str:
    """Return the name of a field in JSON that an option states; empty where none does."""
    values = [option.value for option in options if option.name == "json_name"]
    return values[-1].decode("utf-8", "replace") if values and isinstance(values[-1], bytes) else ""


def read_bracketed(cursor: Cursor) -> tuple[Option, ...]:
    """Read `[name = value, …]`; raises UnreadableError."""
    cursor.expect("[")
    options = [read_option(cursor)]
    while cursor.take(","):
        options.append(read_option(cursor))
    cursor.expect("]")
    return tuple(options)


def read_string(cursor: Cursor) -> str:
    """Read one string literal, or several that stand side by side, as text; raises UnreadableError."""
    if cursor.token[:1] not in ("'", '"'):
        raise cursor.unreadable("a string")
    return _text(_bytes(cursor))


def presence(options: Iterable[Option]) -> Presence | None:
    """Return the feature `field_presence` that *options* set, None where they do not."""
    feature = None
    for option in options:
        if option.name == "features.field_presence":
            feature = option.value
        elif option.name == "features" and isinstance(option.value, tuple):
            feature = next((inner.value for inner in option.value if inner.name == "field_presence"), feature)
    return Presence(feature) if isinstance(feature, str) and feature in set(Presence) else None


def default(options: Iterable[Option], type: str) -> str | None:
    """Return the explicit default of a field of *type* as JSON text, as Protobuf's JSON mapping writes values."""
    value = next((option.value for option in options if option.name == "default"), None)
    if value is None or isinstance(value, tuple):
        return None
    if isinstance(value, bytes):
        return _json(base64.b64encode(value).decode() if type == "bytes" else _text(value))
    if type == "bool" and value in ("true", "false"):
        return value
    try:
        return _number(value, type)
    except ValueError:
        return _json(value)


def field_meta(options: Sequence[Option]) -> FieldMeta:
    """Return the content of Confluent's field option: its last doc, all its tags, its parameters."""
    members = list(_meta_members(options, _FIELD_META))
    docs = [_text(member.value) for member in members if member.name == "doc" and isinstance(member.value, bytes)]
    return FieldMeta(doc=docs[-1] if docs else None, tags=_tags(members), params=_params(members))


def message_tags(options: Iterable[Option]) -> tuple[str, ...]:
    """Return the tags in Confluent's message option, each once."""
    return _tags(_meta_members(options, _MESSAGE_META))


def _tags(members: Iterable[Option]) -> tuple[str, ...]:
    tags = (_text(member.value) for member in members if member.name == "tags" and isinstance(member.value, bytes))
    return tuple(dict.fromkeys(tags))


def _option_name(cursor: Cursor) -> str:
    if not cursor.take("("):
        return cursor.name()
    name = cursor.name().removeprefix(".")
    cursor.expect(")")
    return f"({name})"


def _value(cursor: Cursor, depth: int) -> OptionValue:
    if depth > _DEEPEST_VALUE:
        raise cursor.unreadable(f"a value inside at most {_DEEPEST_VALUE} others")
    if cursor.token[:1] in ("'", '"'):
        return _bytes(cursor)
    for opener, closer in (("{", "}"), ("<", ">")):
        if cursor.take(opener):
            return tuple(_members(cursor, closer, depth + 1))
    sign = "-" if cursor.take("-") else ""
    if not re.match(r"[\w.]", cursor.token):
        raise cursor.unreadable("a value")
    return sign + cursor.advance()


def _members(cursor: Cursor, closer: str, depth: int) -> Iterator[Option]:
    """Read an aggregate (Protobuf text format); a list is its name several times."""
    while not cursor.take(closer):
        if cursor.token == END:
            raise cursor.unreadable(f"`{closer}`")
        name = _member_name(cursor)
        cursor.take(":")
        if cursor.take("["):
            while not cursor.take("]"):
                yield Option(name, _value(cursor, depth))
                cursor.take(",")
        else:
            yield Option(name, _value(cursor, depth))
        cursor.take(",", ";")


def _member_name(cursor: Cursor) -> str:
    if not cursor.take("["):
        return cursor.name()
    parts = []
    while cursor.token not in ("]", "{", "}", END):
        parts.append(cursor.advance())
    cursor.expect("]")
    return f"[{''.join(parts)}]"


def _bytes(cursor: Cursor) -> bytes:
    parts: list[bytes] = []
    while cursor.token[:1] in ("'", '"'):
        token = cursor.advance()
        terminated = len(token) > 1 and token[-1] == token[0]
        parts.extend(_unescaped(token[1:-1] if terminated else token[1:]))
    return b"".join(parts)


def _unescaped(text: str) -> Iterator[bytes]:
    at = 0
    for match in _ESCAPE.finditer(text):
        yield text[at : match.start()].encode("utf-8", "replace")
        yield _escaped(match)
        at = match.end()
    yield text[at:].encode("utf-8", "replace")


def _escaped(match: re.Match[str]) -> bytes:
    if match["octal"] or match["hex"]:
        code = int(match["octal"], 8) if match["octal"] else int(match["hex"], 16)
        return bytes((code & 0xFF,))
    if match["char"]:
        return _CHARACTERS.get(match["char"], match["char"]).encode("utf-8", "replace")
    code = int(match["short"] or match["long"], 16)
    return chr(code).encode("utf-8", "replace") if code <= 0x10FFFF else b"?"


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").replace("\0", "\ufffd")


def _json(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(word: str, type: str) -> str:
    """Write a number as JSON; raises ValueError if *type* takes no number, or *word* is not one."""
    sign = "-" if word.startswith("-") else ""
    if type in _INTEGERS:
        return f"{sign}{integer(word.removeprefix('-'))}"
    if type not in _FLOATS:
        raise ValueError(word)
    number = float(word.removeprefix("-").rstrip("fF") if word.lstrip("-")[:1] in "0123456789." else word)
    if math.isnan(number):
        return '"NaN"'
    if math.isinf(number):
        return f'"{sign}Infinity"'
    return json.dumps(-number if sign and number > 0 else number)


def _meta_members(options: Iterable[Option], name: str) -> Iterator[Option]:
    for option in options:
        if option.name == name and isinstance(option.value, tuple):
            yield from option.value
        elif option.name.startswith(f"{name}."):
            yield Option(option.name.removeprefix(f"{name}."), option.value)


def _params(members: Iterable[Option]) -> dict[str, str]:
    params: dict[str, str] = {}
    for member in members:
        if member.name == "params" and isinstance(member.value, tuple):
            entry = {inner.name: _text(inner.value) for inner in member.value if isinstance(inner.value, bytes)}
            params[entry.get("key", "")] = entry.get("value", "")
    return params
