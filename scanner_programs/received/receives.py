"""Where a program receives records: which topics an object that they come from stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from scanner_programs import ir
from scanner_programs.libraries.rows import Client, begins, plain
from scanner_programs.libraries.standard import HOLDERS, SEQUENCES
from scanner_programs.libraries.streams import is_streams
from scanner_programs.machine import Machine, Made
from scanner_programs.program import Place, Scope, base_type, parameters_of
from scanner_programs.values import Apply, Cond, Const, Get, Input, Items, Shown, Thing, Value

_FURTHEST = 40
_NAMED = frozenset(("topic", "topics", "topicname", "pattern", "topicpattern"))
"""The names of arguments that name topics, without letter case and underscores."""
UNNAMED = "\0"
"""What the place of a subscription begins with that stands for topics whose names are not known."""
_NOT_RECORDS = frozenset(("Header", "Headers", "Ctx", "KafkaKey", "Inject", "Context"))
"""Notes of parameters of a listener that are given something else than the value of a record."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """The topics that an object reads: its canonical text, the file that says so, and the line.

    *own* is a text that no other object has, even if it is made alike. *kinds* are the classes of the program whose
    objects come from there, as far as the call names them. *files* are those of the functions on the way to the call,
    from it outwards. *handlers* are the classes of the objects that the call is given, by identity.
    """

    of: str
    place: tuple[str, int]
    topics: tuple[str, ...]
    own: str = ""
    kinds: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    handlers: frozenset[int] = frozenset()


@dataclass(slots=True)
class Receives:
    """The subscriptions of a program; *texts* returns the names that a topic may have.

    *given* are the topics whose records a framework gives to functions by its settings, each with the function's place.
    *unnamed* are subscriptions of topics whose names are not known: each has its place in their stead.
    """

    machine: Machine
    rows: Sequence[Client]
    texts: Callable[[Value], Iterator[str]]
    noted: list[Subscription] = field(default_factory=list)
    given: dict[str, tuple[str, int]] = field(default_factory=dict)
    unnamed: list[Subscription] = field(default_factory=list)
    _listened: dict[int, tuple[str, ...] | None] = field(default_factory=dict)
    _kept: list[Value | None] = field(default_factory=list)

    def note(self, made: Made, name: str, files: tuple[str, ...]) -> bool:
        """Note a call that functions in *files* lead to if it names topics that are read; return whether it does."""
        listed = [row for row in self.rows if name in row.subscribes]
        if not listed or not made.given:
            return False
        imported = made.file.wildcards
        if not self.kinds_of(made) and not any(self._is_of(made.of, made.name, row, imported) for row in listed):
            return False
        named = [value for key, value in made.given if _is_named(key)]
        given = named or [value for key, value in made.given if not key]
        topics = tuple(dict.fromkeys(self._topics_of(listed[0], name, given)))
        texts = (_identity(made.of), _identity(made.of, numbered=True)) if made.of is not None else ("", "")
        place = f"{UNNAMED}{made.place[0]}:{made.place[1]}"
        classes = (self.machine.known_type(value) for value in given)
        handlers = frozenset(id(one.cls) for one in classes if one is not None)
        found = Subscription(texts[0], made.place, topics or (place,), texts[1], self.kinds_of(made), files, handlers)
        known = self.noted if topics else self.unnamed
        if found not in known:
            known.append(found)
            self._kept.append(made.of)  # no later object may have its number
        return bool(topics)

    def _topics_of(self, row: Client, name: str, given: Sequence[Value]) -> Iterator[str]:
        signatures = row.subscribes[name]
        signature = signatures.get(len(given), signatures.get(0, "topic")).split()
        place = signature.index("topic") if "topic" in signature else 0
        if signature[0] == "name":  # the first text is the name of what reads, whatever stands before it
            named = [value for value in given if any(True for _ in self._named(value))]
            given = [value for value in given if not named or value is not named[0]]
        for value in given[place : place + 1] if "-" in signature else given:
            yield from self._named(value)

    def _named(self, value: Value, depth: int = 0) -> Iterator[str]:
        """Yield the topics in what a call is given: a name, a list of them, or an object with one."""
        if depth > 4:
            return
        if isinstance(value, Thing):
            inside = {key.lower().replace("_", ""): one for key, one in value.fields.items()}
            for key in ("topic", "topics", "grouptopics", "topicname"):
                if key in inside:
                    yield from self._named(inside[key], depth + 1)
            for one in value.arguments:
                yield from self._named(one, depth + 1)
        elif isinstance(value, Items):
            for one in value.values:
                yield from self._named(one, depth + 1)
        elif (
            isinstance(value, Apply)
            and value.name not in ("setting", "text", "+")
            and not any(True for _ in self.texts(value))
        ):
            listed = (value.of,) if isinstance(value.of, Items) and not value.arguments else ()  # in another form
            for one in (*listed, *_unnamed(value)):
                yield from self._named(one, depth + 1)
        else:
            yield from self.texts(value)

    def kinds_of(self, made: Made) -> frozenset[str]:
        """Return the classes of the program that a call, or one before it in its chain, has in angle brackets."""
        names = [made.name]
        value = made.of
        while isinstance(value, Apply):
            names.append(value.name)
            value = value.of
        kinds = (base_type(kind).rpartition(".")[2] for name in names if "<" in name for kind in parameters_of(name))
        return frozenset(kind for kind in kinds if kind in self.machine.program.classes)

    # --- where records come from

    def root(self, value: Value, view: Place) -> bool | None:
        """Return whether records come from a value, and whether it is their value itself; None if none do."""
        if isinstance(value, Apply) and value.of is None and value.name == "received":
            return value.via != "record"
        if isinstance(value, Apply) and value.arguments:
            name = plain(_last(value.name))
            named = [row for row in self.rows if name in row.subscribes and self._is_of(value.of, value.name, row)]
            if named:
                return is_streams(named[0].packages)
            if any(self._source_in(one) for one in value.arguments):
                return True
        if not isinstance(value, Input | Apply | Thing):
            return None
        kind = self.machine.full_type(value) or (value.name if isinstance(value, Apply) and value.of is None else "")
        if kind and any(self._reads(kind, row) for row in self.rows):
            return is_streams((kind,))
        if isinstance(value, Apply) and (self._makes_reader(value) if value.of is not None else self._is_made(value)):
            return False
        if isinstance(value, Input) and value.place.partition(" ")[0].isdigit():
            at = int(value.place.partition(" ")[0])
            handled = [row.handles[view.function.name] for row in self.rows if view.function.name in row.handles]
            if handled:
                return False if at == handled[0] else None
            if self.listened(view) is not None and not self._is_other(view, at):
                name = _imported_whole(kind, view) or kind
                is_of_client = any(begins(name, row.packages) for row in self.rows)
                return not (is_of_client or self._holds_value(value))
        return None

    def _holds_value(self, value: Input) -> bool:
        """Return whether an object is declared as one of a library's generic class, which has the value beside others.

        That is so for one of its own and for each of several, but not for a map.
        """
        kind = value.type.partition("\0")[0]
        while inside := parameters_of(kind):
            simple = base_type(kind).rpartition(".")[2]
            if simple not in HOLDERS and not simple.lower().endswith(SEQUENCES):
                is_map = simple == "Record" or simple.lower().endswith(("map", "dict"))
                return not is_map and self.machine.known_type(value) is None
            kind = inside[-1]
        return False

    def _source_in(self, value: Value) -> bool:
        """Return whether a value is what a stream is read from: an object of a library of streams that names topics."""
        kind = value.type if isinstance(value, Thing) and value.known is None else ""
        simple = kind.partition("<")[0].rpartition(".")[2]
        return any(
            is_streams(row.packages) and simple in row.receives and begins(kind, row.packages) for row in self.rows
        )

    def _is_made(self, value: Apply) -> bool:
        """Return whether a function of a consumer's class makes a consumer, as `KafkaConsumer.resource(…)` does."""
        owner = value.name.partition("<")[0].rpartition(".")[0]
        return owner.endswith("Consumer") and any(self._reads(owner, row) for row in self.rows)

    def _makes_reader(self, value: Apply) -> bool:
        return any(value.name in row.receives and self._is_of(value.of, value.name, row) for row in self.rows)

    @staticmethod
    def _is_other(view: Place, at: int) -> bool:
        notes = view.function.parameters[at].notes if at < len(view.function.parameters) else ()
        return any(note.name in _NOT_RECORDS for note in notes)

    def _reads(self, kind: str, row: Client) -> bool:
        """Return whether a class of a library is one that records come from."""
        dotted = kind.replace("::", ".").partition("<")[0]
        simple = dotted.rpartition(".")[2].rpartition("/")[2]
        is_own = begins(kind, row.packages) or begins(dotted, row.packages)
        is_stream = is_own and is_streams(row.packages) and simple in row.types
        return is_stream or (simple in row.receives and (is_own or "." not in dotted))

    def _is_of(self, of: Value | None, name: str, row: Client, imported: Sequence[str] = ()) -> bool:
        names = [name] if of is None else []
        value: Value | None = of
        for _ in range(_FURTHEST):
            if value is None:
                break
            kind = self.machine.full_type(value)
            names.append(kind or (value.name if isinstance(value, Apply) and value.of is None else ""))
            value = _before(value)
        # A name without a package may be of one that is imported as a whole.
        names += [f"{package}.{one}" for package in imported for one in names if one and "." not in one]
        return any(
            begins(one, row.packages)
            or begins(one.replace("::", "."), row.packages)
            or bool((row.types | row.receives) & {*one.replace("::", ".").partition("<")[0].split(".")})
            for one in names
            if one
        )

    # --- the topics of it

    def topics(self, root: Value, view: Place, files: Sequence[str]) -> tuple[str, ...]:
        """Return the topics whose records come from a value; empty if that is not known.

        *files* are those of the functions on the way: a subscription in one of them goes before others.
        """
        if isinstance(root, Apply) and root.of is None and root.name == "received":
            return tuple(one.text for one in root.arguments if isinstance(one, Const))
        return self._of(root, view, files, self.noted)

    def places(self, root: Value, view: Place, files: Sequence[str]) -> tuple[str, ...]:
        """Return where topics are named whose records come from a value, if they are not known: file and line."""
        if isinstance(root, Input) and self.listened(view) == ():
            return (f"{UNNAMED}{view.file.path}:{view.function.line}",)
        return self._of(root, view, files, self.unnamed)

    def _of(self, root: Value, view: Place, files: Sequence[str], listed: Sequence[Subscription]) -> tuple[str, ...]:
        value: Value | None = root
        while value is not None:
            found = tuple(self._made_for(value)) if isinstance(value, Apply | Thing) else ()
            if found:
                return self._repeated(value, found) if isinstance(value, Apply) else found
            text, own = _identity(value), _identity(value, numbered=True)
            noted = [one for one in listed if one.own == own] or [one for one in listed if one.of == text]
            if noted:
                return tuple(dict.fromkeys(topic for one in noted for topic in one.topics))
            inside = {base_type(one) for one in parameters_of(_type_of(value))}
            typed = [one for one in listed if one.kinds & inside]
            if typed:
                return tuple(dict.fromkeys(topic for one in typed for topic in one.topics))
            before = _before(value)
            if before is None and isinstance(value, Input) and value.place.partition(" ")[0].isdigit():
                listened = self.listened(view)
                if listened:
                    return listened
                handler = id(view.known.cls) if view.known is not None else 0
                kinds = {view.known.cls.name if view.known is not None else "", base_type(_type_of(value))} - {""}
                handled = [one for one in listed if handler in one.handlers]
                handled = handled or [one for one in listed if kinds <= one.kinds]
                handled = handled or [one for one in listed if kinds & one.kinds]
                if handled:
                    return tuple(dict.fromkeys(topic for one in handled for topic in one.topics))
            value = before
        near = {one.topics for one in listed if one.place[0] in files} or {one.topics for one in listed}
        found = next(iter(near)) if len(near) == 1 else ()
        return found if len(found) == 1 else ()  # of several, the object itself says which

    def _repeated(self, value: Apply, found: tuple[str, ...]) -> tuple[str, ...]:
        """Return topics with those that calls of the same name before one in its chain name."""
        before = value.of
        while isinstance(before, Apply):
            if before.name == value.name:
                found = (*self._made_for(before), *found)
            before = before.of
        return tuple(dict.fromkeys(found))

    def _made_for(self, value: Apply | Thing) -> Iterator[str]:
        """Yield the topics that the call or constructor of an object names."""
        for one in value.arguments:
            if self._source_in(one):
                yield from self._named(one)
        name = plain(_last(value.name if isinstance(value, Apply) else value.type))
        row = next((row for row in self.rows if name in row.subscribes), None)
        if row is not None:
            yield from self._topics_of(row, name, _unnamed(value))

    def listened(self, view: Place) -> tuple[str, ...] | None:
        """Return the topics whose records a library gives a function; None if it gives it none."""
        key = id(view.function)
        if key not in self._listened:
            self._listened[key] = self._listens(view)
        return self._listened[key]

    def _listens(self, view: Place) -> tuple[str, ...] | None:
        owner = view.known.cls.notes if view.known is not None else ()
        found: list[str] | None = None
        for note in (*view.function.notes, *owner):
            for row in self.rows:
                if plain(_last(note.name)) in row.declared and any(one.name in row.types for one in owner):
                    continue  # the library implements the method, which sends
                if plain(_last(note.name)) in row.listens:
                    wanted = row.listens[plain(_last(note.name))]
                    is_class = note not in view.function.notes
                    if is_class and not any(one.name == "KafkaHandler" for one in view.function.notes):
                        continue
                    found = found or []
                    for one in note.arguments:
                        if one.name in wanted:
                            found += self._of_note(one.value, view)
        return None if found is None else tuple(dict.fromkeys(found))

    def _of_note(self, code: ir.Expression, view: Place) -> Iterator[str]:
        value = self.machine.apart(code, Scope(view.file, None, None, view.known))
        yield from self._named(value)


def _imported_whole(kind: str, view: Place) -> str:
    """Return the full name of a class that only one import of a package can mean; empty if several can, or none."""
    packages = [one for one in view.file.wildcards if not one.startswith("java")]
    packages = [one for one in packages if not one.rpartition(".")[2][:1].isupper()]  # else of a class's members
    return f"{packages[0]}.{kind}" if len(packages) == 1 and kind and "." not in kind else ""


def _is_named(key: str) -> bool:
    return key.lower().replace("_", "") in _NAMED


def _unnamed(value: Apply | Thing) -> list[Value]:
    """Return the arguments that may name topics: those without a name, or with one that says so."""
    names = value.names if isinstance(value, Apply) and value.names else ("",) * len(value.arguments)
    named = [one for key, one in zip(names, value.arguments, strict=True) if _is_named(key)]
    return named or [one for key, one in zip(names, value.arguments, strict=True) if not key]


def _identity(value: Value, *, numbered: bool = False) -> str:
    """Return the text of an object that is the same whatever was done to it."""
    return Shown(identity=True, numbered=numbered).text(value)


def _type_of(value: Value) -> str:
    """Return the declared type of a value; empty without one."""
    return value.type.partition("\0")[0] if isinstance(value, Input | Get | Apply) else ""


def _last(name: str) -> str:
    return name.partition("<")[0].rpartition(".")[2].rpartition("::")[2].rpartition("/")[2]


def _before(value: Value) -> Value | None:
    """Return what a value comes from: the object of a call or member, or the first of its arguments."""
    match value:
        case Apply(of=of, arguments=arguments):
            if of is not None:
                return of
            return next((one for one in arguments if not isinstance(one, Cond)), None)
        case Get(of=of):
            return of
        case Cond(then=then):
            return then
        case Thing(base=base):
            return base
    return None
