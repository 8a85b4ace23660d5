"""A tolerant parser of .proto files (proto2, proto3, editions): errors are reported and skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from scanner_extractor.formats.protobuf.declarations import (
    Enum,
    Field,
    Import,
    Label,
    Message,
    Presence,
    ProtoFile,
    Ranges,
    Service,
)
from scanner_extractor.formats.protobuf.options import (
    Option,
    default,
    field_meta,
    json_name,
    message_tags,
    presence,
    read_bracketed,
    read_option,
    read_string,
)
from scanner_extractor.formats.protobuf.tokens import END, Cursor, UnreadableError, attached
from scanner_model.errors import Problem
from scanner_model.lazy_names import deferred

_decoded_text = deferred("scanner_extractor.formats.protobuf.descriptors:decoded_text")
_BASE64 = re.compile(r"\s*[A-Za-z0-9+/_-][A-Za-z0-9+/_\s-]{10,}+=?\s?=?\s*")

_DEEPEST_MESSAGE = 64
"""How many messages may stand inside each other; protoc takes 32."""

_LARGEST_NUMBER = 2**29 - 1
_MOST_PROBLEMS = 20
_RULE = re.compile(r"\([\w.]*\bvalidate\b[\w.]*\)")
"""An option of a library that validates messages: `(buf.validate.field)`, `(validate.rules)`."""
_LABELS = {label.value: label for label in (Label.OPTIONAL, Label.REQUIRED, Label.REPEATED)}


@lru_cache(maxsize=64)
def parse_proto(text: str) -> ProtoFile:
    """Read one .proto text, or a descriptor in base64; never raises. The last 64 texts are kept."""
    return _Parser(proto_text(text)).file()


def proto_text(text: str) -> str:
    """Return the .proto text of a descriptor in base64, any other text as it is."""
    return (_decoded_text(text) or text) if _BASE64.fullmatch(text) else text


@dataclass(slots=True)
class _Body:
    """What was read so far of the inside of a file or message."""

    fields: dict[str, Field] = field(default_factory=dict)
    types: list[Message | Enum] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    ranges: dict[str, Ranges] = field(default_factory=dict)


class _Parser:
    def __init__(self, text: str) -> None:
        self._at = Cursor(text)
        self._problems: list[Problem] = []
        self._body = _Body()
        self._depth = 0
        self._package = ""
        self._imports: dict[str, Import] = {}
        self._services: list[Service] = []
        self._presence = Presence.EXPLICIT
        self._edition = False

    def file(self) -> ProtoFile:
        """Read the whole text."""
        versioned = self._at.token in ("syntax", "edition")
        self._statements(self._file_statement, END)
        return ProtoFile(
            package=self._package,
            imports=tuple(self._imports.values()),
            types=tuple(self._body.types),
            services=tuple(self._services),
            presence=presence(self._body.options) or self._presence,
            deepest=self._at.deepest,
            versioned=versioned,
            edition=self._edition,
            problems=tuple(self._problems),
        )

    def _statements(self, statement: Callable[[], None], closer: str) -> None:
        """Read statements up to *closer* and past it; one that cannot be read is skipped."""
        while self._at.token not in (closer, END):
            start = self._at.index
            try:
                statement()
            except UnreadableError as error:
                self._report(error.index, f"expected {error.expected}, found {self._at.quote(error.index)}")
                self._at.back_to(start)
                self._at.skip_statement()
            if self._at.index == start:
                self._at.advance()
        if closer != END and not self._at.take(closer):
            self._report(self._at.index, f"expected `{closer}`, found the end")

    def _report(self, index: int, what: str) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(Problem(self._at.position(index), what, "this part is not read"))

    def _file_statement(self) -> None:
        start = self._at.index
        match self._at.token:
            case "syntax" | "edition":
                self._version()
            case "package":
                self._at.advance()
                self._package = self._at.name().removeprefix(".")
                self._at.expect(";")
            case "import":
                self._import()
            case "service":
                self._service()
            case _:
                if not self._declaration():
                    raise UnreadableError(start, "a declaration")

    def _version(self) -> None:
        self._edition = self._at.advance() == "edition"
        self._at.expect("=")
        if read_string(self._at) == "proto3":
            self._presence = Presence.IMPLICIT
        self._at.expect(";")

    def _import(self) -> None:
        self._at.advance()
        public = self._at.sees("public")
        self._at.take("public", "weak", "option")
        name = read_string(self._at)
        self._imports.setdefault(name, Import(name=name, public=public))
        self._at.expect(";")

    def _declaration(self) -> bool:
        """Read what may stand both in a file and in a message; False where it is something else."""
        if self._at.token in ("export", "local") and self._at.next_token in ("message", "enum"):
            self._at.advance()
        match self._at.token:
            case "message":
                self._message()
            case "enum":
                self._enum()
            case "extend":
                self._extend()
            case "option":
                self._at.advance()
                self._body.options.append(read_option(self._at))
                self._at.expect(";")
            case ";":
                self._at.advance()
            case _:
                return False
        return True

    def _message(self) -> None:
        self._at.advance()
        name = self._at.simple_name()
        self._body.types.append(self._message_body(name))

    def _message_body(self, name: str) -> Message:
        if self._depth >= _DEEPEST_MESSAGE:
            raise self._at.unreadable(f"a message inside at most {_DEEPEST_MESSAGE} others")
        body = self._block(self._message_statement)
        return Message(
            name=name,
            fields=tuple(body.fields.values()),
            types=tuple(body.types),
            presence=presence(body.options),
            tags=message_tags(body.options),
            reserved=body.ranges.get("reserved", Ranges()),
            extensions=body.ranges.get("extensions", Ranges()),
        )

    def _block(self, statement: Callable[[], None]) -> _Body:
        """Read `{ … }` into a body of its own."""
        self._at.expect("{")
        outer, self._body = self._body, _Body()
        self._depth += 1
        self._statements(statement, "}")
        self._depth -= 1
        inner, self._body = self._body, outer
        return inner

    def _enum(self) -> None:
        start = self._at.index
        self._at.advance()
        name = self._at.simple_name()
        if not self._at.sees("{"):
            raise self._at.unreadable("`{`")
        brace = self._at.index
        reserved: list[Ranges] = []
        values = tuple(self._values(reserved))
        doc = self._doc(start, brace)
        self._body.types.append(Enum(name=name, doc=doc, values=values, reserved=sum(reserved, Ranges())))

    def _values(self, reserved: list[Ranges]) -> Iterator[tuple[str, str]]:
        """Read the block of an enum; yield its symbols with their numbers, and add what it reserves to *reserved*."""
        depth = 0
        while self._at.token != END:
            name = self._at.advance()
            depth += (name in ("{", "[", "(")) - (name in ("}", "]", ")"))
            if not depth:
                return
            if depth == 1 and name == "option":
                self._at.skip_statement()
            elif depth == 1 and name == "reserved" and not self._at.sees("="):
                reserved.append(self._ranges())
            elif depth == 1 and self._at.sees("="):
                self._at.advance()
                sign = self._at.advance() if self._at.sees("-") else ""
                yield name, f"{sign}{self._at.token}"

    def _ranges(self) -> Ranges:
        """Read the list of a statement `reserved` or `extensions`, to its end; what is not a number is a name."""
        items: list[list[str]] = [[]]
        while self._at.token not in (";", "[", "}", END):
            word = self._at.advance()
            if word == ",":
                items.append([])
            else:
                items[-1].append(word)
        if self._at.sees("["):
            self._at.skip_to_semicolon()
        self._at.take(";")
        numbers = tuple(span for item in items if (span := _span(item)))
        names = tuple(item[0].strip("'\"") for item in items if len(item) == 1 and not _span(item))
        return Ranges(numbers=numbers, names=names)

    def _service(self) -> None:
        """Read a service; the bodies of its calls hold options only."""
        self._at.advance()
        name = self._at.simple_name()
        self._at.expect("{")
        calls: list[tuple[str, str]] = []
        depth = 1
        while depth and self._at.token != END:
            word = self._at.advance()
            depth += (word == "{") - (word == "}")
            if depth == 1 and word == "rpc":
                calls.append((self._at.advance(), self._signature()))
        self._services.append(Service(name=name, calls=tuple(calls)))

    def _signature(self) -> str:
        words: list[str] = []
        while self._at.token not in (";", "{", "}", END):
            words.append(self._at.advance())
        return " ".join(words)

    def _extend(self) -> None:
        """Add the groups that an extension declares, which are types of its scope; not its fields."""
        self._at.advance()
        self._at.name()
        self._body.types.extend(self._block(self._field).types)

    def _message_statement(self) -> None:
        match self._at.token:
            case "extensions" | "reserved":
                kind = self._at.advance()
                self._body.ranges[kind] = self._body.ranges.get(kind, Ranges()) + self._ranges()
            case "oneof":
                self._oneof()
            case _:
                if not self._declaration():
                    self._field()

    def _oneof(self) -> None:
        self._at.advance()
        name = self._at.simple_name()
        inner = self._block(self._oneof_statement)
        self._body.types.extend(inner.types)
        for member in inner.fields.values():
            self._keep(replace(member, oneof=name), self._at.index - 1)

    def _oneof_statement(self) -> None:
        if self._at.token in ("option", ";"):
            self._declaration()
        else:
            self._field(Label.ONEOF)

    def _field(self, label: Label = Label.NONE) -> None:
        start = self._at.index
        label = _LABELS.get(self._at.token, label)
        self._at.take(*_LABELS)
        group = self._at.take("group")
        if self._at.sees("map", "<"):
            label, (key, type_) = Label.MAP, self._map_types()
        else:
            key, type_ = "", self._at.simple_name() if group else self._at.name()
        name = type_.lower() if group else self._at.simple_name()
        named = self._at.index - 1
        self._at.expect("=")
        number = self._number()
        options = self._options()
        end = self._at.index
        if group:
            self._body.types.append(self._message_body(type_))
        else:
            self._at.expect(";")
        member = _field(name, number, type_, label, options, self._doc(start, end))
        self._keep(replace(member, key=key, offset=self._at.offset(named)), named)

    def _keep(self, member: Field, index: int) -> None:
        if member.name in self._body.fields:
            self._report(index, f"the field {member.name!r} is defined twice: the first is used")
        self._body.fields.setdefault(member.name, member)

    def _map_types(self) -> tuple[str, str]:
        self._at.advance()
        self._at.expect("<")
        key = self._at.name()
        self._at.expect(",")
        value = self._at.name()
        self._at.expect(">")
        return key, value

    def _number(self) -> int:
        index = self._at.index
        try:
            number = self._at.integer()
        except ValueError:
            number = 0
        if not 0 < number <= _LARGEST_NUMBER:
            raise UnreadableError(index, f"a field number from 1 to {_LARGEST_NUMBER}")
        return number

    def _options(self) -> tuple[Option, ...]:
        """Read a field's options; the field stays where they cannot be read."""
        start = self._at.index
        if not self._at.sees("["):
            return ()
        try:
            return read_bracketed(self._at)
        except UnreadableError as error:
            self._report(error.index, f"expected {error.expected}, found {self._at.quote(error.index)}")
            self._at.back_to(start)
            self._at.skip_to_semicolon()
            return ()

    def _doc(self, start: int, end: int) -> str | None:
        """Return the comment before a declaration's first token, else the one after the token that ends its head."""
        leading = attached(*self._at.gap(start))[1]
        return leading or attached(*self._at.gap(end + 1))[0]


def _field(name: str, number: int, type: str, label: Label, options: tuple[Option, ...], doc: str | None) -> Field:
    meta = field_meta(options)
    return Field(
        name=name,
        number=number,
        type=type,
        label=label,
        presence=presence(options),
        default=default(options, type),
        doc=meta.doc or doc,
        tags=meta.tags,
        decimal=meta.decimal,
        params=tuple(meta.params.items()),
        json_name=json_name(options),
        rules=tuple(f"{one.name} = {one.value!r}" for one in options if _RULE.match(one.name)),
    )


def _span(words: list[str]) -> tuple[int, int] | None:
    """Return the first and the last number that an item of a list writes; None where it is a name."""
    first, *rest = ["".join(words[:2]), *words[2:]] if words[:1] == ["-"] else words or [""]
    last = "".join(rest[1:]) if rest[:1] == ["to"] else first
    try:
        return int(first, 0), _LARGEST_NUMBER if last == "max" else int(last, 0)
    except ValueError:
        return None
