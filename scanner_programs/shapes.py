"""What a value that is written consists of: its fields, each with its canonical expression and its declared type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from scanner_programs import ir
from scanner_programs.calls import all_parts
from scanner_programs.guards import compares_topic
from scanner_programs.ir import Literal
from scanner_programs.libraries.others import (
    FLATTENED,
    HOOK_NOTES,
    HOOKS,
    NAMING_STYLES,
    NEVER_WRITTEN,
    SILENT_NOTES,
    WIRE_NAMES,
)
from scanner_programs.machine import Machine
from scanner_programs.program import Known, Place, Program, Scope
from scanner_programs.residue import code_text
from scanner_programs.sequences import is_mapping
from scanner_programs.values import (
    MOST_PARTS,
    NULL,
    REMOVED,
    Apply,
    Cond,
    Const,
    Get,
    Input,
    Items,
    Ref,
    Shown,
    Thing,
    Value,
    show,
)

_OR = " or "
_WORD = re.compile(r"\w+")
_DEEPEST = 5
_MOST_FIELDS = 500
_MOST_BELOW = 16
_MOST_IN_FIELD = 300
_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Part:
    """A field of what is written: its canonical expression, its declared type, and what notes say of it."""

    text: str
    kind: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of what is written by path, and the steps that make the record of them, outermost first.

    A value without fields has its expression under the empty path. *settings* are what these steps are given beside the
    value. *constants* are those of the enumerations that fields are of: how each is written, by the field and its name.
    *name* is its class, for people; *generated* says that it is one of a library, whose members may be called otherwise
    in the record.
    """

    fields: tuple[tuple[str, Part], ...] = ()
    format: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    constants: tuple[tuple[tuple[str, str], str], ...] = ()
    opaque: bool = field(default=False, compare=False)
    name: str = field(default="", compare=False)
    generated: bool = field(default=False, compare=False)


def shape_of(machine: Machine, value: Value) -> tuple[Shape, Mapping[str, Sequence[Value]]]:
    """Return the fields of a value that is written, and the values that each consists of, by path."""
    reader = _Shapes(machine)
    reader.read(value, "", 0)
    for name, one in reader.written.items():
        reader.replace(name, one)
    machine.charge(MOST_PARTS - reader.shown.left)
    fields = tuple(sorted(reader.fields.items()))
    opaque, generated = reader.shown.opaque, reader.generated
    constants = tuple(sorted(reader.constants.items()))
    shape = Shape(fields, tuple(reader.format), tuple(reader.settings), constants, opaque, reader.name, generated)
    return shape, reader.values


class _Shapes:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.fields: dict[str, Part] = {}
        self.values: dict[str, list[Value]] = {}
        self.format: list[str] = []
        self.settings: list[str] = []
        self.constants: dict[tuple[str, str], str] = {}
        self.shown = Shown(records=machine.record_text)
        self.name = ""
        self.generated = False
        self.written: dict[str, Value] = {}
        self._within: list[int] = []
        self._within_codec: list[str] = []
        self._within_type: list[int] = []

    def read(self, value: Value, path: str, depth: int, kind: str = "", notes: str = "") -> None:
        """Add the fields of a value below a path."""
        if depth > _DEEPEST or len(self.fields) > _MOST_FIELDS:
            self._put(path, value, kind, notes)
            return
        if path == "" or path.endswith("[]"):
            value = self._unwrapped(value)
        value = _collected(value)
        if (by_name := _made_by_name(value)) is not None:
            value = by_name
        known = self._machine.known_type(value)
        hook = self._hook(known)
        if hook is not None and known is not None and id(value) not in self._within:
            self._within.append(id(value))
            self.name = self.name or known.cls.name
            self.read(self._machine.call_own(hook, value), path, depth + 1)
            self._within.pop()
            return
        if known is not None and self.format and (codec := self._codec(known, value)) is not None:
            self._within.append(id(value))
            self._within_codec.append(known.cls.name)
            self.read(codec, path, depth + 1)
            self._within_codec.pop()
            self._within.pop()
            return
        match value:
            case Thing() if id(value) not in self._within and (value.known is not None or value.fields or value.base):
                self._within.append(id(value))
                self._thing(value, path, depth)
                self._within.pop()
                return
            case Items(values=values) if any(self._is_structured(one) for one in values):
                for one in values:
                    self.read(one, f"{path}[]", depth + 1)
                return
            case Apply(name="mapped", of=of, arguments=arguments) if is_mapping(value) and self._is_structured(
                arguments[0]
            ):
                is_one = of is not None and self._machine.is_single(_source(of))
                self.read(arguments[0], path if is_one else f"{path}[]", depth + 1)
                return
            case Apply(name="each" | "one of", of=None, arguments=ways) if len(ways) > 1 and all(
                map(self._is_structured, ways)
            ):
                for way in ways:
                    self.read(way, path, depth + 1)
                return
            case Input() | Get() | Apply() if (element := self._machine.elements(value)) is not None:
                known = self._machine.known_type(element)
                if known is not None and self._is_data(known) and self._within_type.count(id(known.cls)) < 2:
                    self._typed(element, known, f"{path}[]", depth + 1)
                    return
            case Cond(then=then, otherwise=otherwise) if (
                (self._is_structured(then) or _is_empty(then))
                and (self._is_structured(otherwise) or _is_empty(otherwise))
                and not (_is_empty(then) and _is_empty(otherwise))
            ):
                self._either(value, path, depth)
                return
        known = self._machine.known_type(value)
        if known is not None:
            self._enumerated(path, known)
        if known is not None and self._is_data(known) and isinstance(value, Input | Get | Apply):
            self._typed(value, known, path, depth)
            return
        if not path and known is None and isinstance(value, Input | Get | Apply):
            kind = kind or self._machine.full_type(value)
        self._put(path, value, kind, notes)
        if path and known is None and isinstance(value, Input | Get | Apply):  # what code gave it since
            for name, one in self._machine.written(value).items():
                self.read(one, f"{path}.{name}", depth + 1)

    def _put(self, path: str, value: Value, kind: str = "", notes: str = "") -> None:
        part = Part(self.shown.text(value), kind, notes)
        other = self.fields.get(path)
        if other is not None and other != part:  # each way in which the field is set
            texts = sorted({*other.text.split(_OR), part.text})
            part = Part(_OR.join(texts), kind if kind == other.kind else "", notes if notes == other.notes else "")
        self.fields[path] = part
        self.values.setdefault(path, []).append(value)
        for one in islice(all_parts((value,)), _MOST_IN_FIELD):  # a member of a constant that is not known
            known = self._machine.known_type(one.of) if isinstance(one, Get) else None
            if known is not None:
                self._enumerated(path, known)

    def _hook(self, known: Known | None) -> Place | None:
        """Return the method of a class that says how its objects are written; None without one."""
        program = self._machine.program
        for owner in (known, *program.supers(known)) if known is not None else ():
            for function in program.members(owner):
                is_hook = function.name in HOOKS or any(note.name in HOOK_NOTES for note in function.notes)
                if is_hook and function.body is not None:
                    return Place(function, owner.file, owner)
        return None

    def _codec(self, known: Known, value: Value) -> Value | None:
        """Return what the program's own code for a class makes of a value that is written; None without such code."""
        program = self._machine.program
        for owner in (known, *program.supers(known)):
            listed = program.codecs.get(owner.cls.name, []) if owner.cls.name not in program.placed else []
            if listed and owner.cls.name not in self._within_codec:
                near, file, code = listed[0]
                function = self._machine.apart(code, Scope(file, None, None, near))
                return self._machine.call(function, [("", value)], ir.Call(code, ()), Scope(file, None, None, near))
        return None

    def _is_data(self, known: Known) -> bool:
        program = self._machine.program
        return known.cls.kind != "enum" and any(map(program.fields, (known, *program.subclasses(known))))

    def _is_structured(self, value: Value, depth: int = 0) -> bool:
        if depth > 5:
            return False
        match value:
            case Thing(known=known, fields=fields, base=base):
                return known is not None or bool(fields) or base is not None
            case Items(values=values):
                return any(self._is_structured(one, depth + 1) for one in values)
            case Cond(then=then, otherwise=otherwise):
                return self._is_structured(then, depth + 1) or self._is_structured(otherwise, depth + 1)
            case Get(of=of, type="") if self._is_structured(of, depth + 1):
                return True
            case Apply() if _made_by_name(value) is not None:
                return True
            case Apply(of=of, arguments=arguments):
                inside = [one for one in (of, *arguments) if one is not None]
                if any(self._is_structured(one, depth + 1) for one in inside):
                    return True
        known = self._machine.known_type(value)
        return known is not None and self._is_data(known)

    def _unwrapped(self, value: Value) -> Value:
        """Return what is made into a record by calls with one structured argument, which are steps of the format."""
        for _ in range(10):
            self._note_written(value)
            if isinstance(value, Cond):
                ways = [value.then, value.otherwise]
                if NULL in ways and len({id(one) for one in ways}) == 2:
                    value = ways[0] if ways[1] == NULL else ways[1]
                    continue
                return value
            if isinstance(value, Get) and not value.type and self._is_structured(value.of):
                self.format.append(value.name)
                value = value.of
                continue
            if not isinstance(value, Apply) or value.name in ("mapped", "each", "filtered"):
                return value
            if _made_by_name(value) is not None:
                return value
            if self._machine.is_received(value):  # what it was asked from does not belong to a record
                return value
            inside = [one for one in (value.of, *value.arguments) if one is not None and self._is_structured(one)]
            known = self._machine.known_type(value)
            if known is not None and self._is_data(known) and not any(isinstance(one, Thing) for one in inside):
                return value
            if len(inside) > 1:  # a span or a timer beside what is written only watches
                inside = [one for one in inside if not self._watches(one)] or inside
            if len(inside) > 1:
                # What a library made, as a schema or an encoder is, only says how the rest is written.
                inside = [one for one in inside if not _is_of_library(one)] or inside
            if len(inside) > 1:  # a map beside an object of a class of the program has options
                inside = [one for one in inside if self._machine.known_type(one) is not None] or inside
            others_given: list[Value] = [one for one in value.arguments if isinstance(one, Input | Get)]
            if len(inside) == 1 and _is_of_library(inside[0]) and others_given and value.of is not inside[0]:
                inside = others_given[:1]  # what it is written with is not what is written
            if len(inside) > 1 and value.of is inside[0] and _is_tool(value.of):
                inside = inside[1:]
            if len(inside) != 1:
                return value
            listed = [one for one in (value.of, *value.arguments) if one is not None and one is not inside[0]]
            others = [show(one) for one in listed if not self._is_structured(one)]
            self.settings += [show(one) for one in listed if self._is_structured(one)]
            step = value.name + (f"({', '.join(others)})" if others else "")
            self.format.append(step)
            value = inside[0]
        return value

    def _watches(self, value: Value) -> bool:
        return isinstance(value, Apply) and self._machine.is_watcher(value.of, value.name)

    def _note_written(self, value: Value) -> None:
        """Note the members that code gave to an object about which nothing else is known."""
        if not isinstance(value, Thing | Const | Items) and self._machine.known_type(value) is None:
            self.written = self._machine.written(value) | self.written

    def replace(self, path: str, value: Value) -> None:
        """Set a field that the record has instead of what it had there."""
        self._drop(path)
        self.read(value, path, 1)

    def _thing(self, thing: Thing, path: str, depth: int) -> None:
        if not path:
            self.name = thing.type
        self.generated |= thing.known is None and bool(thing.type)
        if thing.known is not None:
            self._machine.shaped.add(id(thing.known.cls))
            for owner, one in self._machine.program.fields(thing.known):
                name = wire_name(one, owner, self._machine.program, thing.known)
                if name is not None:
                    value = self._machine.member(thing, one.name)
                    self._member(value, _below(path, name), one, owner, depth)
            extra = [key for key in thing.fields if self._machine.program.field(thing.known, key) is None]
            notes = self._class_notes(thing.known)
            if notes:
                self.format.append(notes)
        else:
            extra = list(thing.fields)
            if thing.base is not None:
                self.read(thing.base, path, depth + 1)
            if thing.type and thing.arguments:
                self.format.append(f"{thing.type}({', '.join(self.shown.text(one) for one in thing.arguments)})")
        for key in extra:
            whole = f"{path}.{key}" if path else key
            if thing.base is not None:  # what the copy has instead
                self._drop(whole)
            if thing.fields[key] != REMOVED:
                self.read(thing.fields[key], whole, depth + 1)
        if thing.touched and not path:
            self.format += [f"after {call}" for call in thing.touched]
        elif thing.touched:
            self._put(path, thing)

    def _drop(self, path: str) -> None:
        below = [one for one in self.fields if one == path or one.startswith((f"{path}.", f"{path}[]"))]
        for one in below:
            del self.fields[one]
            self.values.pop(one, None)

    def _member(self, value: Value, path: str, one: ir.Field, owner: Known, depth: int) -> None:
        known = self._machine.program.class_of(one.type, owner.file, owner) if one.type else None
        kind = "" if known is not None and known.cls.kind != "enum" else "".join(one.type.split())
        self._constants_of(path, one, owner)
        if isinstance(value, Apply) and value.name == "unset" and one.value is None:
            self.fields[path] = Part("unset", kind, self._notes(one))
            return
        self.read(value, path, depth + 1, kind, self._notes(one))

    def _typed(self, value: Value, known: Known, path: str, depth: int) -> None:
        self._within_type.append(id(known.cls))
        self._members(value, known, path, depth)
        for below in self._machine.program.concrete(known)[:_MOST_BELOW]:  # it may be an object of one of these
            if below is not known:
                self._members(value, below, path, depth)
        self._within_type.pop()

    def _members(self, value: Value, known: Known, path: str, depth: int) -> None:
        if not path:
            self.name = known.cls.name
            notes = self._class_notes(known)
            if notes:
                self.format.append(notes)
        self._machine.shaped.add(id(known.cls))
        for further, more in self._machine.written(value).items():
            if self._machine.program.field(known, further) is None:  # of a language whose objects take more members
                self.read(more, _below(path, further), depth + 1)
        for owner, one in self._machine.program.fields(known):
            name = wire_name(one, owner, self._machine.program, known)
            if name is None:
                continue
            inner = self._machine.member(value, one.name)
            whole = _below(path, name)
            kind = "".join(one.type.split())
            below = self._machine.known_type(inner)
            self._constants_of(whole, one, owner)
            if below is not None and (below is known or depth + 1 > 3):
                self._put(whole, inner, "", self._notes(one))
            else:
                self.read(
                    inner,
                    whole,
                    depth + 1,
                    "" if below is not None and below.cls.kind != "enum" else kind,
                    self._notes(one),
                )

    def _constants_of(self, path: str, one: ir.Field, owner: Known) -> None:
        """Note how the constants are written of the enumerations in the type of a member."""
        for word in _WORD.findall(one.type):
            known = self._machine.program.class_of(word, owner.file, owner)
            if known is not None:
                self._enumerated(path, known)
            for kind, function in owner.file.methods if known is None else ():
                if kind == word and function.name in HOOKS:  # a type of Go that has a list of constants
                    self.constants[path, f"{word}.{function.name}"] = code_text(function)

    def _enumerated(self, path: str, known: Known) -> None:
        """Note how the constants of an enumeration are written: by their names or values, and by notes.

        Where they are numbers, the place of a constant is what it is written as.
        """
        if known.cls.kind != "enum":
            return
        self.constants[path, known.cls.name] = self._class_notes(known)
        for at, one in enumerate(one for one in known.cls.fields if one.static):
            given = one.value.arguments[1:] if isinstance(one.value, ir.Call) else one.value
            is_number = known.file.language == "csharp" or (one.value is None)
            self.constants[path, f"{known.cls.name}.{one.name}"] = " ".join(
                (str(at) if is_number and not given else "", code_text(given), code_text(notes_of(one)))
            ).strip()

    def _either(self, value: Cond, path: str, depth: int) -> None:
        sides: list[dict[str, Part]] = []
        found: dict[str, list[Value]] = {}
        for way in (value.then, value.otherwise):
            inner = _Shapes(self._machine)
            if not _is_empty(way):
                inner.read(way, path, depth)
            sides.append(inner.fields)
            is_of_topics = compares_topic(value.test)
            for key, values in inner.values.items():
                of_topic = [Cond(value.test, *((one, NULL) if way is value.then else (NULL, one))) for one in values]
                found.setdefault(key, []).extend(of_topic if is_of_topics else values)
            self.name = self.name or inner.name
            self.generated |= inner.generated
            self.shown.opaque |= inner.shown.opaque
            self.format += [one for one in inner.format if one not in self.format]
            self.constants |= inner.constants
        test = self.shown.text(value.test)
        for key in sorted(sides[0].keys() | sides[1].keys()):
            first, second = (side.get(key, Part(_ABSENT)) for side in sides)
            kind = first.kind or second.kind
            text = first.text if first == second else f"if({test}, {first.text}, {second.text})"
            # The test decides what a field is only if there is another way, in which the field is something else.
            ways = found.get(key, [])
            is_chosen = first != second and len({show(one) for one in ways}) > 1
            self.values.setdefault(key, []).extend((*ways, *((Cond(value.test, NULL, NULL),) if is_chosen else ())))
            self.fields[key] = Part(text, kind, first.notes or second.notes)

    @staticmethod
    def _notes(one: ir.Field) -> str:
        """Return what notes say of a member beyond its name in the record, but for those that change no record."""
        found = []
        for note in notes_of(one):
            known = WIRE_NAMES.get(note.name)
            given = tuple(each for each in note.arguments if known is None or each.name not in known)
            if known is None or given or not note.arguments:  # without a name, it says that the member is written
                found.append(f"{note.name}({code_text(given)})")
        return " ".join(found)

    @staticmethod
    def _class_notes(known: Known) -> str:
        kept = [
            note for note in known.cls.notes if note.name in WIRE_NAMES or note.name.startswith(("Json", "Xml", "Avro"))
        ]
        return " ".join(code_text(note) for note in kept)


def _made_by_name(value: Value) -> Thing | None:
    """Return an object of a library's class whose members its constructor is given by their names; None for others."""
    if not isinstance(value, Apply) or value.of is not None or not value.names or not all(value.names):
        return None
    simple = value.name.partition("<")[0].replace("::", ".").rpartition(".")[2]
    if not simple[:1].isupper() or simple.isupper():
        return None
    return Thing(value.name, None, dict(zip(value.names, value.arguments, strict=True)))


def notes_of(one: ir.Field) -> tuple[ir.Note, ...]:
    """Return the notes of a member that a serializer may read."""
    return tuple(note for note in one.notes if note.name not in SILENT_NOTES)


def _hides(note: ir.Note) -> bool:
    """Return whether a note keeps a member out of the record, and does so for every value."""
    if note.name not in NEVER_WRITTEN and _flags(note).isdisjoint(NEVER_WRITTEN):
        return False
    given = [one.value for one in note.arguments if one.name == "Condition"]
    return not any(isinstance(one, ir.Member) and one.name != "Always" for one in given)


def wire_name(one: ir.Field, owner: Known, program: Program, known: Known) -> str | None:
    """Return the name that a member of an object of a class has in the record; None if it is not part of it.

    It is empty if the members of the member are written instead of it.

    *owner* is the class that has the member, *known* the object's. Members that nothing names are written as a note of
    the object's class or of a class above it says, or as the program writes all.
    """
    if one.static or any(map(_hides, one.notes)):
        return None
    if owner.file.language == "go" and not one.name[:1].isupper():
        return None  # other packages, as those of serializers are, cannot see it
    if any(note.name in FLATTENED or _flags(note) & FLATTENED for note in one.notes):
        return ""
    for note in one.notes:
        for wanted in WIRE_NAMES.get(note.name, ()):
            for given in _given_to(note):
                if given.name == wanted and isinstance(given.value, Literal) and given.value.text:
                    return None if given.value.text == "-" else given.value.text
    placed = program.placed.get(known.cls.name, ())
    at = next((place for place, (_, each) in enumerate(program.fields(known)) if each is one), len(placed))
    if at < len(placed):
        return placed[at]
    notes = (note for each in (owner, known, *program.supers(known)) for note in each.cls.notes)
    style = next((found for note in notes if (found := _renaming(note))), program.style)
    name = one.name.strip("`")
    return _styled(name, style) if style else name


def _below(path: str, name: str) -> str:
    """Return the path of a member; of one whose own members are written in its place, the path of its object."""
    return f"{path}.{name}" if path and name else path or name


def _is_of_library(value: Value) -> bool:
    """Return whether a library made a value, from nothing that the program was given."""
    while isinstance(value, Apply) and value.of is not None:
        value = value.of
    if isinstance(value, Thing):
        return value.known is None and bool(value.type)
    return isinstance(value, Ref) or (isinstance(value, Apply) and value.of is None and "." in value.name)


def _is_empty(value: Value) -> bool:
    """Return whether a value is there and has nothing in it, or is not there."""
    is_list = isinstance(value, Items) and not value.values
    return is_list or value == NULL or (isinstance(value, Apply) and value.name == "unset")


def _collected(value: Value) -> Value:
    """Return a sequence that calls put into a list, a set or an array, which has the same elements."""
    inner = value
    while (
        isinstance(inner, Apply) and isinstance(inner.of, Apply | Items) and inner.name not in ("toString", "ToString")
    ):
        is_form = inner.name[:2].lower() in ("to", "as") and not inner.arguments
        if not (is_form or inner.name.startswith("collect")):
            break
        inner = inner.of
    return inner if isinstance(inner, Items) or (isinstance(inner, Apply) and inner.name == "mapped") else value


def _source(value: Value) -> Value:
    """Return what a chain of steps that only keep or change elements begins with."""
    while isinstance(value, Apply) and value.of is not None and value.name in ("mapped", "filtered"):
        value = value.of
    return value


def _is_tool(value: Value) -> bool:
    """Return whether a value is an object of a library that a program made of settings, as a mapper is."""
    while isinstance(value, Apply) and value.of is not None:
        value = value.of
    return isinstance(value, Thing) and value.known is None and "." in value.type


def _styled(name: str, style: str) -> str:
    """Return a name as a style of serde or of pydantic writes it."""
    words = [word for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name) if word]
    lower = [word.lower() for word in words]
    titled = [word.capitalize() for word in lower]
    styles = {
        "camelCase": "".join([*lower[:1], *titled[1:]]),
        "to_camel": "".join([*lower[:1], *titled[1:]]),
        "PascalCase": "".join(titled),
        "snake_case": "_".join(lower),
        "kebab-case": "-".join(lower),
        "SCREAMING_SNAKE_CASE": "_".join(lower).upper(),
        "SCREAMING-KEBAB-CASE": "-".join(lower).upper(),
        "lowercase": name.lower(),
        "UPPERCASE": name.upper(),
    }
    return styles.get(style, f"{name} ({style})")


def _name_of(code: ir.Expression) -> str:
    if isinstance(code, ir.Member) and code.name == "class":
        return _name_of(code.of)
    return code.name if isinstance(code, ir.Name | ir.Member) else ""


def _given_to(note: ir.Note) -> Iterator[ir.Argument]:
    """Yield the arguments of a note, also those of an object or a call in them."""
    for one in note.arguments:
        yield one
        if isinstance(one.value, ir.Call):
            yield from one.value.arguments
        elif isinstance(one.value, ir.Record):
            yield from (ir.Argument(value, key.text) for key, value in one.value.entries if isinstance(key, Literal))


def _flags(note: ir.Note) -> set[str]:
    """Return the arguments of a note that are names alone, as those of serde are."""
    return {one.value.name for one in note.arguments if not one.name and isinstance(one.value, ir.Name)}


def _renaming(note: ir.Note) -> str:
    """Return the style in which a note of a class renames all members; empty for other notes.

    It is one of its arguments, whichever name that has.
    """
    for given in note.arguments:
        name = given.value.text if isinstance(given.value, Literal) else _name_of(given.value)
        if given.name in ("rename_all", "alias_generator") or name in NAMING_STYLES:
            return NAMING_STYLES.get(name, name)
    return ""
