"""Follow the values of messages through the functions of a repository, and note which of their fields are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_extractor.repository.applications.fields import calls
from scanner_extractor.repository.applications.fields.called import call
from scanner_extractor.repository.applications.fields.declared import COLLECTIONS, Declared, is_message, plain
from scanner_extractor.repository.applications.fields.parts import (
    Class,
    Function,
    Kind,
    Parameter,
    Part,
    SourceFile,
    Type,
)
from scanner_extractor.repository.applications.fields.values import (
    DEEPEST_PATH,
    UNKNOWN,
    FunctionScope,
    KnownValue,
    Made,
    Path,
    TopicUse,
    inside,
    joined,
    text_of_part,
)

ROUNDS = 3
"""How often all functions are evaluated: values pass one call further in each round."""
MOST_STEPS = 2_000_000
"""Maximum parts that are evaluated for one repository."""
_STEP = re.compile(r"[A-Za-z_][\w-]*")
_ME = frozenset({"this", "self", "cls"})
_LOOSE = frozenset({"", "var", "Object", "any", "Any", "object", "dynamic", "unknown", "T", "K", "V", "interface"})


@dataclass(slots=True)
class Seeds:
    """Sources and targets of messages, by file and line; numbers are those of topic uses."""

    reads: Mapping[tuple[str, int], set[int]]
    writes: Mapping[tuple[str, int], set[int]]
    beans: Mapping[tuple[str, str], tuple[tuple[int, ...], tuple[int, ...]]]
    files: Mapping[str, set[int]]
    """The uses of the programs that a file belongs to."""
    names: Mapping[int, set[str]]
    """The names of topics and bindings as code has them, by the number of the use."""
    settings: Mapping[str, set[int]]
    """The uses that only settings name, by the path of each file of their module."""
    modules: Mapping[str, str]
    """The module of each file."""


@dataclass(slots=True)
class Follower:
    """Evaluates the functions of *files*; what it finds is in *found*, *whole* and *bound*."""

    declared: Declared
    uses: list[TopicUse]
    seeds: Seeds
    files: list[SourceFile]
    found: dict[tuple[int, Path], set[str]] = field(default_factory=dict)
    whole: dict[int, set[str]] = field(default_factory=dict)
    bound: dict[int, dict[int, Class]] = field(default_factory=dict)
    typed: list[tuple[SourceFile, Class, str, str, bool]] = field(default_factory=list)
    sent: dict[int, KnownValue] = field(default_factory=dict)
    made: dict[int, Made] = field(default_factory=dict)
    members: dict[tuple[str, str], KnownValue] = field(default_factory=dict)
    given: dict[int, dict[int, KnownValue]] = field(default_factory=dict)
    returned: dict[int, KnownValue] = field(default_factory=dict)
    holders: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    file_of: dict[str, SourceFile] = field(default_factory=dict)
    evaluated: set[int] = field(default_factory=set)
    constants: dict[str, set[str]] = field(default_factory=dict)
    pending: set[int] = field(default_factory=set)
    steps: int = 0

    def follow(self) -> bool:
        """Evaluate all functions; return whether the limit of steps was kept."""
        self.file_of = {file.path: file for file in self.files}
        for file in self.files:
            for function in file.functions:
                if function.name:
                    self.functions.setdefault(function.name, []).append(function)
        for _ in range(ROUNDS):
            for noted in (self.typed, self.evaluated, self.found, self.whole, self.sent):
                noted.clear()
            for file in self.files:
                for function in file.functions:
                    self.run(function, FunctionScope(function, file))
        return self.steps < MOST_STEPS

    # --- functions

    def run(
        self, function: Function, scope: FunctionScope, given: Mapping[int, KnownValue] | None = None
    ) -> KnownValue:
        """Evaluate a function with what its parameters are known to be; return what it returns."""
        values = given if given is not None else self.given.get(id(function), {})
        for position, parameter in enumerate(function.parameters):
            value = self._seeded(function, position, parameter, values.get(position, UNKNOWN))
            self._set_parameter(parameter, value, scope)
        if function.owner is not None:
            for me in _ME:
                scope.names.setdefault(me, self.typed_value(Type(function.owner.name)))
        for part in function.body:
            self.value(part, scope)
        return self.returned.get(id(function), UNKNOWN)

    def run_lambda(
        self, function: Function, given: Sequence[KnownValue], scope: FunctionScope, receiver: str = ""
    ) -> KnownValue:
        """Evaluate a lambda inside the scope that it is written in; return what it returns."""
        self.evaluated.add(id(function))
        inner = FunctionScope(function, scope.file, outer=scope, receiver=receiver)
        known = self.given.setdefault(id(function), {})
        for position, value in enumerate(given):
            known[position] = joined([known.get(position, UNKNOWN), value])
        return self.run(function, inner, known)

    def unattached(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Evaluate a lambda that no call is given."""
        if part.function is not None and id(part.function) not in self.evaluated:
            self.run_lambda(part.function, (), scope)
        return UNKNOWN

    def _set_parameter(self, parameter: Parameter, value: KnownValue, scope: FunctionScope) -> None:
        known = self.merge(parameter.type, value, scope.file)
        if parameter.pattern is not None:
            self.take_apart(parameter.pattern, known, scope)
        scope.names[parameter.name] = known

    def _seeded(self, function: Function, position: int, parameter: Parameter, value: KnownValue) -> KnownValue:
        """Return the value of a parameter with the topics that annotations name: its own, else the function's."""
        lines = [(function.path, note.line) for note in parameter.notes]
        numbers = {number for line in lines for number in self.seeds.reads.get(line, ())}
        texts = {text for note in parameter.notes for text in note.texts}
        numbers = {number for number in numbers if texts & self.seeds.names.get(number, set())} or numbers
        if not numbers and position == _payload(function):
            numbers = {n for note in function.notes for n in self.seeds.reads.get((function.path, note.line), ())}
        return self.message(numbers, parameter.type, value) if numbers else value

    def message(self, numbers: Iterable[int], declared: Type, value: KnownValue = UNKNOWN) -> KnownValue:
        """Return a parameter that is a message of topics, or a record, stream or list of them."""
        sources = frozenset((number, ()) for number in numbers)
        if declared.name in calls.RECORDS | COLLECTIONS | calls.STREAMS and declared.args:
            inner = self.typed_value(declared.args[-1])
            inner = replace(inner, sources=inner.sources | sources)
            return KnownValue(declared.name, (*map(self.typed_value, declared.args[:-1]), inner))
        if declared.name in calls.RECORDS:
            return KnownValue("@record", (UNKNOWN, KnownValue(sources=sources)))
        return replace(value, sources=value.sources | sources)

    def typed_value(self, declared: Type) -> KnownValue:
        """Return a value whose type alone is known."""
        if declared.name in _LOOSE:
            return UNKNOWN
        return KnownValue(declared.name, tuple(self.typed_value(arg) for arg in declared.args))

    def merge(self, declared: Type, value: KnownValue, file: SourceFile) -> KnownValue:
        """Return a value with a declared type; a message whose type is a class binds the class to its topics."""
        if declared.name in _LOOSE or (declared.name in calls.MAPPINGS and value.made and not value.args):
            return value
        expected = self.typed_value(declared)
        args = expected.args
        if value.args and (value.type in calls.OF_CLIENTS | calls.STREAMS | COLLECTIONS or not value.type):
            given = value.args[-len(args) :] if args else value.args
            kept = [self._contained(known, each, file) for known, each in zip(args, given, strict=False)]
            args = tuple(kept) if args else value.args
        elif args and (value.sources or value.made) and declared.name in COLLECTIONS | calls.RECORDS:
            args = (*args[:-1], self._contained(args[-1], replace(value, type="", args=()), file))
            return KnownValue(declared.name, args)
        merged = KnownValue(declared.name, args, self._fitting(declared.name, value, file), value.made)
        self.bind(merged, file)
        return merged

    def _fitting(self, name: str, value: KnownValue, file: SourceFile) -> frozenset[tuple[int, Path]]:
        """Return the messages that a value may be of if its class is *name*: not those that are of another class."""
        declared = self.declared.find(name, file) if value.sources else None
        if declared is None or not declared.fields:
            return value.sources
        if not is_message(declared):
            return frozenset()
        related = {id(each) for each in self.declared.above(declared, file)}
        return frozenset(
            (number, path)
            for number, path in value.sources
            if (value.type in ("", name) if path else self._may_be(number, related, file))
        )

    def _may_be(self, number: int, related: set[int], file: SourceFile) -> bool:
        known = self.bound.get(number, {}).values()
        above = (id(each) for other in known for each in self.declared.above(other, file))
        return not known or not related.isdisjoint(above)

    def _contained(self, expected: KnownValue, value: KnownValue, file: SourceFile) -> KnownValue:
        declared = Type(expected.type, tuple(Type(arg.type) for arg in expected.args))
        return self.merge(declared, value, file)

    def bind(self, value: KnownValue, file: SourceFile) -> None:
        """Note the class of the messages of topics."""
        declared = self.declared.find(value.type, file) if value.sources or value.made else None
        if declared is None or not is_message(declared):
            return
        for number, path in value.sources:
            if not path:
                self.bound.setdefault(number, {})[id(declared)] = declared
        for number in value.made:
            if number in self.made and self.made[number].of is None:
                self._retype(self.made[number], declared)

    def _retype(self, made: Made, declared: Class) -> None:
        made.of = declared
        for member in list(made.members):
            known = self.declared.field(declared, member, made.file)
            if known is not None and known.wire != member:
                made.members[known.wire] = made.members.pop(member)

    def class_of(self, value: KnownValue, file: SourceFile) -> Class | None:
        """Return the class of a value: of its type, else the only one that the messages of its topic are of."""
        if value.type and value.type not in calls.OF_CLIENTS:
            found = self.declared.find(value.type, file)
            if found is not None:
                return found
        if value.type not in ("", "GenericRecord"):
            return None
        classes = [each for number, path in value.sources if not path for each in self.bound.get(number, {}).values()]
        return classes[0] if len({id(each) for each in classes}) == 1 else None

    # --- expressions

    def value(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return what is known of the value of a part, and note the uses inside."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            return UNKNOWN
        return _EVALUATE[part.kind](self, part, scope)

    def name(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return the value of a name: bound in the function, a member of its class, a consumer, or a class."""
        held = self.holders.get((scope.file.path, part.text))
        known = scope.find(part.text)
        if known is None:
            known = self.member(scope, part.text)
        if held and (known is None or not any(inner.sources for inner in known.held())):
            inner = known.content if known is not None and known.args else UNKNOWN
            sources = frozenset((number, ()) for number in held)
            return KnownValue("@record", (UNKNOWN, replace(inner, sources=sources)))
        if known is not None:
            return known
        if self.declared.find(part.text, scope.file) is not None:
            return KnownValue("@class", (KnownValue(part.text),))
        imported = scope.file.imports.get(part.text, "").rpartition(".")[0].rpartition(".")[2]
        return self.members.get((imported, part.text)) or self._constant(part.text, scope)

    def _constant(self, name: str, scope: FunctionScope) -> KnownValue:
        """Return what a name means at the top of another file of the same folder."""
        folder = scope.file.path.rpartition("/")[0]
        paths = [path for path in sorted(self.constants.get(name, ())) if path.rpartition("/")[0] == folder]
        return self.members.get((paths[0], name), UNKNOWN) if len(paths) == 1 else UNKNOWN

    def member(self, scope: FunctionScope, name: str) -> KnownValue | None:
        """Return what a name means in the class or at the top of the file; None if it is neither."""
        owner = scope.function.owner
        outer = scope.outer
        while owner is None and outer is not None:
            owner, outer = outer.function.owner, outer.outer
        declared = owner.fields.get(name) if owner is not None else None
        known = self.members.get((owner.name if owner is not None else "", name))
        if known is None:
            known = self.members.get((scope.file.path, name))
        if declared is not None:
            return self.merge(declared.type, known or UNKNOWN, scope.file)
        return known

    def text(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Evaluate what a text interpolates: a message in it is used as a whole."""
        for inner in part.parts:
            self.use_whole(self.value(inner, scope), self.place(part, scope), scope)
        return UNKNOWN

    def access(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return a member."""
        if part.of is None:
            return UNKNOWN
        if part.of.kind is Kind.NAME and part.of.text in _ME:
            return self.name(Part(Kind.NAME, part.text, part.line), scope)
        base = self.value(part.of, scope)
        return self.get(base, part.text, part, scope)

    def get(
        self, base: KnownValue, label: str, part: Part, scope: FunctionScope, *, is_call: bool = False
    ) -> KnownValue:
        """Return the member *label* of a value, and note that it is read."""
        if base.type == "@class":
            return self.members.get((base.args[0].type, label), base if label in ("Parser", "Builder") else UNKNOWN)
        if base.type in calls.RECORDS and (base.args or base.type == "@record" or not base.sources):
            return self._of_record(base, label, scope)
        declared = self.class_of(base, scope.file)
        if declared is not None:
            known = self.declared.field(declared, label, scope.file)
            if known is None or label in calls.NOT_FIELDS:
                return UNKNOWN
            return self._read(base, declared, known.wire, known.type, part, scope)
        if base.type in COLLECTIONS | calls.PAIRS | calls.STREAMS:
            is_key = base.type in calls.PAIRS and plain(label) in ("key", "first", "item1", "getkey")
            return base.args[0] if is_key and len(base.args) > 1 else base.content if base.args else base
        return self._get_dynamic(base, label, part, scope, is_call=is_call)

    def _get_dynamic(
        self, base: KnownValue, label: str, part: Part, scope: FunctionScope, *, is_call: bool
    ) -> KnownValue:
        """Return a member of a value without a known class."""
        if base.type == "GenericRecord" or base.type.lower() in calls.SCALARS:
            return UNKNOWN  # the members of a generic record are behind `get("name")`
        if base.sources and not is_call and label[:1].isalpha():
            return self._read_dynamic(base, label, part, scope)
        if base.made:
            return joined(self.made[n].members.get(label, (UNKNOWN,))[0] for n in base.made if n in self.made)
        if base.sources and is_call and base.type not in _LOOSE and calls_getter(label):
            return self._read_dynamic(base, label[3:4].lower() + label[4:], part, scope)
        return UNKNOWN

    def _of_record(self, base: KnownValue, label: str, scope: FunctionScope) -> KnownValue:
        word = label.lower()
        inner = base.content
        if not any(each.sources for each in base.held()):
            numbers = [n for n in self.seeds.files.get(scope.file.path, ()) if not self.uses[n].writes]
            if base.type in calls.OF_CLIENTS | {"Message"} and numbers:
                numbers = self._of_class(numbers, self.class_of(inner, scope.file)) if inner.type else numbers
                inner = replace(inner, sources=frozenset((number, ()) for number in numbers))
        if word in calls.VALUE:
            return inner
        return UNKNOWN if word in calls.BESIDE_VALUE else KnownValue(base.type, (*base.args[:-1], inner))

    def _of_class(self, numbers: Iterable[int], declared: Class | None) -> list[int]:
        """Return the uses that may have messages of a class: those bound to it, else those bound to none."""
        listed = list(numbers)
        if declared is None:
            return listed
        exact = [number for number in listed if id(declared) in self.bound.get(number, {})]
        return exact or [number for number in listed if number not in self.bound]

    def _read(
        self, base: KnownValue, owner: Class, wire: str, declared: Type, part: Part, scope: FunctionScope
    ) -> KnownValue:
        place = self.place(part, scope)
        self.note(base.sources, wire, place)
        if not base.sources and not base.made:
            self.typed.append((scope.file, owner, wire, place, False))
        inner = self.typed_value(declared)
        return inside(inner, base.sources, wire)

    def _read_dynamic(self, base: KnownValue, label: str, part: Part, scope: FunctionScope) -> KnownValue:
        self.note(base.sources, label, self.place(part, scope))
        return inside(UNKNOWN, base.sources, label)

    def note(self, sources: Iterable[tuple[int, Path]], wire: str, place: str) -> None:
        """Note that a member of messages is read."""
        for number, path in sources:
            if len(path) < DEEPEST_PATH:
                self.found.setdefault((number, (*path, wire)), set()).add(place)

    def use_whole(self, value: KnownValue, place: str, scope: FunctionScope) -> None:
        """Note that a message is passed on as a whole."""
        for inner in value.held() if value.type not in calls.OF_CLIENTS else ():
            declared = self.declared.find(inner.type, scope.file) if inner.type else None
            if declared is not None and is_message(declared) and not inner.sources and not inner.made:
                self.typed.append((scope.file, declared, "", place, False))
            for number, path in inner.sources:
                if not path:
                    self.whole.setdefault(number, set()).add(place)
                elif self.class_of(inner, scope.file) is not None:
                    self.found.setdefault((number, path), set()).add(place)

    def place(self, part: Part, scope: FunctionScope) -> str:
        """Return the file and line of a part."""
        return f"{scope.file.path}:{part.line or part.start}"

    def index(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return an element or a member that a text names."""
        if part.of is None:
            return UNKNOWN
        base = self.value(part.of, scope)
        for each in part.parts:
            self.value(each, scope)
        key = text_of_part(part.parts[0]) if part.parts else None
        if key is None:
            return base.content if base.args else replace(base, type="")
        if base.type in calls.RECORDS:
            return self._of_record(base, key, scope)
        if base.made and not base.sources:
            return joined(self.made[n].members.get(key, (UNKNOWN,))[0] for n in base.made if n in self.made)
        return self.read_path(base, key, part, scope) if base.sources else UNKNOWN

    def read_path(self, base: KnownValue, text: str, part: Part, scope: FunctionScope) -> KnownValue:
        """Return the member that a name, a JSONPath (`$.a.b`) or a JSON Pointer (`/a/b`) leads to."""
        for step in _STEP.findall(text) if text[:1] in ("$", "/") else [text]:
            base = self._read_dynamic(base, step, part, scope)
        return base

    # --- statements

    def assign(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Bind a name, or set a member."""
        value = self.value(part.parts[0], scope) if part.parts else UNKNOWN
        value = self.merge(part.types[0] if part.types else Type(), value, scope.file)
        if part.of is not None:
            self.set(part.of, value, scope)
        return value

    def set(self, target: Part, value: KnownValue, scope: FunctionScope) -> None:
        """Set a target to a value."""
        if target.kind is Kind.CHOICE and len(target.parts) == 1:
            target = target.parts[0]
        if target.kind is Kind.NAME:
            self._set_name(target.text, value, scope)
        elif target.kind in (Kind.OBJECT, Kind.LIST):
            self.take_apart(target, value, scope)
        elif target.kind is Kind.MEMBER and target.of is not None:
            if target.of.kind is Kind.NAME and target.of.text in _ME:
                self._set_member(target.text, value, scope)
            else:
                self.put(self.value(target.of, scope), target.text, value, target, scope)
        elif target.kind is Kind.INDEX and target.of is not None:
            key = text_of_part(target.parts[0]) if target.parts else None
            base = self.value(target.of, scope)
            if key is not None:
                self.put(base, key, value, target, scope)
            elif target.of.kind is Kind.NAME and (value.made or value.sources):
                self._set_name(target.of.text, joined([base, KnownValue("[]", (value,))]), scope)

    def _set_name(self, name: str, value: KnownValue, scope: FunctionScope) -> None:
        owner = scope.function.owner
        if scope.find(name) is None and owner is not None and name in owner.fields:
            self._set_member(name, value, scope)
        elif scope.function is scope.file.body and scope.outer is None:
            self.constants.setdefault(name, set()).add(scope.file.path)
            self.members[scope.file.path, name] = joined([value, self.members.get((scope.file.path, name), UNKNOWN)])
            scope.names[name] = value
            for declared in scope.file.classes:
                if name in declared.fields or declared.name[:1].isupper():
                    self.members.setdefault((declared.name, name), value)
        elif value != UNKNOWN or scope.find(name) is None:  # `text = "{}"` in a handler of errors changes nothing
            scope.names[name] = value

    def _set_member(self, name: str, value: KnownValue, scope: FunctionScope) -> None:
        owner = scope.function.owner.name if scope.function.owner is not None else scope.file.path
        self.members[owner, name] = joined([self.members.get((owner, name), UNKNOWN), value])

    def take_apart(self, pattern: Part, value: KnownValue, scope: FunctionScope) -> None:
        """Bind the names of a pattern: `{a, b: c}` reads members, `(a, b)` the parts of a pair."""
        for key, target, line in pattern.named:
            at = Part(Kind.MEMBER, key, line, line)
            self.set(target, self.get(value, key, at, scope) if key else UNKNOWN, scope)
        for position, target in enumerate(pattern.parts):
            inner = target.parts[0] if target.kind is Kind.SPREAD and target.parts else target
            is_pair = len(value.args) == len(pattern.parts) and value.type in calls.PAIRS
            self.set(inner, value.args[position] if is_pair else value.content, scope)

    def loop(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Bind the variable of a loop to an element."""
        value = self.value(part.parts[0], scope) if part.parts else UNKNOWN
        element = value if value.type == "@record" or value.type in calls.OF_CLIENTS else value.content
        if part.of is not None:
            self.set(part.of, self.merge(part.types[0] if part.types else Type(), element, scope.file), scope)
        return UNKNOWN

    def give_back(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Note what a function returns."""
        function = scope.function
        bean = self.seeds.beans.get((function.path, function.name))
        if bean is not None and part.parts and part.parts[0].kind is Kind.LAMBDA and part.parts[0].function is not None:
            self._run_bean(part.parts[0].function, bean, scope)
            return UNKNOWN
        value = joined([self.value(each, scope) for each in part.parts])
        value = self.merge(function.returns, value, scope.file)
        self.returned[id(function)] = joined([self.returned.get(id(function), UNKNOWN), value])
        for note in function.notes:
            for number in self.seeds.writes.get((function.path, note.line), ()):
                self.send(number, value)
        return value

    def _run_bean(self, inner: Function, bean: tuple[tuple[int, ...], tuple[int, ...]], scope: FunctionScope) -> None:
        """Evaluate the function that settings bind to topics: `Function<KStream<String, A>, KStream<String, B>>`."""
        ins, outs = bean
        kind, types = scope.function.returns.name, list(scope.function.returns.args)
        output = types.pop() if types and kind.endswith(("Function", "Supplier")) else Type()
        types += [Type()] * (len(inner.parameters) - len(types))
        given = []
        for position, declared in enumerate(types[: len(inner.parameters)]):
            numbers = ins[position : position + 1] if len(types) > 1 else ins
            inside_types = self.message(numbers, declared)
            given.append(self.merge(declared, inside_types, scope.file))
        returned = self.merge(output, self.run_lambda(inner, given, scope), scope.file)
        for number in outs:
            self.send(number, returned)

    def group(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Evaluate what is inside, in order; return the last value."""
        value = UNKNOWN
        for each in part.children():
            value = self.value(each, scope)
        return value if part.kind is Kind.GROUP else UNKNOWN

    def choice(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return one of several values."""
        if part.of is not None:
            self.value(part.of, scope)
        return joined([self.value(each, scope) for each in part.parts])

    def cast(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return a value with another type."""
        value = self.value(part.of, scope) if part.of is not None else UNKNOWN
        return self.merge(part.types[0], value, scope.file)

    def items(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return a list of what is inside."""
        values = [self.value(each, scope) for each in part.parts]
        pairs = [(each, value) for each, value in zip(part.parts, values, strict=True) if each.kind is not Kind.EACH]
        inner = [value.content if each.kind is Kind.SPREAD else value for each, value in pairs]
        return KnownValue("[]", (joined(inner),))

    # --- records

    def object(self, part: Part, scope: FunctionScope) -> KnownValue:
        """Return a record that is written as a literal."""
        record = self._new_record(part, None, scope)
        for key, each, line in part.named:
            value = self.value(each, scope)
            if key:
                record.members[key] = (value, {f"{scope.file.path}:{line}"})
        spread = [self.value(each, scope) for each in part.parts]
        for value in spread:
            record.copies |= value.made - {id(part)}
        lowered = {key.lower(): record.members[key][0] for key in record.members}
        return self._wrapped(part, lowered, joined(spread))

    def _wrapped(self, part: Part, lowered: Mapping[str, KnownValue], spread: KnownValue) -> KnownValue:
        """Return an object; one with a `value` that is itself a record is the wrapper of a message."""
        inner = next((lowered[name] for name in ("value", "payload", "messages", "body") if name in lowered), UNKNOWN)
        is_wrapper = "value" in lowered and calls.BESIDE_VALUE | {"value"} >= set(lowered)
        if is_wrapper or any(each.made or each.sources for each in inner.held()):
            return KnownValue("@record", (UNKNOWN, inner.content if inner.type == "[]" else inner))
        return KnownValue("", (), spread.sources, frozenset({id(part)}) | spread.made)

    def _new_record(self, part: Part, of: Class | None, scope: FunctionScope) -> Made:
        record = self.made.get(id(part))
        if record is None:
            record = self.made[id(part)] = Made(of, scope.file, place=self.place(part, scope))
        return record

    def put(self, base: KnownValue, label: str, value: KnownValue, part: Part, scope: FunctionScope) -> bool:
        """Note that a member is set; return whether the base is a record that has it."""
        declared = self.class_of(base, scope.file)
        known = self.declared.field(declared, label, scope.file) if declared is not None else None
        if declared is not None and known is None:
            return False
        wire = known.wire if known is not None else label
        place = self.place(part, scope)
        for number in base.made:
            if number in self.made:
                before, places = self.made[number].members.get(wire, (UNKNOWN, set()))
                self.made[number].members[wire] = (joined([before, value]), places | {place})
        if declared is not None and not base.made:
            self.typed.append((scope.file, declared, wire, place, True))
            return True
        return bool(base.made)

    def send(self, number: int, value: KnownValue) -> None:
        """Note that a program writes a value to a topic."""
        self.sent[number] = joined([self.sent.get(number, UNKNOWN), value])


def calls_getter(label: str) -> bool:
    """Return whether a method is a getter by its name."""
    return label[:3] in ("get", "Get") and label[3:4].isupper() and label not in calls.NOT_FIELDS


def _payload(function: Function) -> int:
    """Return the position of the parameter of a listener that is the message: `@Payload`, else the first plain one."""
    for position, parameter in enumerate(function.parameters):
        if any(note.name in ("Payload", "MessageBody", "Body") for note in parameter.notes):
            return position
    skipped = {"Acknowledgment", "MessageHeaders", "Consumer", "ConsumerRecordMetadata", "Context"}
    plain_ones = (
        position
        for position, parameter in enumerate(function.parameters)
        if not parameter.notes and parameter.type.name not in skipped
    )
    return next(plain_ones, 0)


_EVALUATE: Mapping[Kind, Callable[[Follower, Part, FunctionScope], KnownValue]] = {
    Kind.NAME: Follower.name,
    Kind.TEXT: Follower.text,
    Kind.MEMBER: Follower.access,
    Kind.INDEX: Follower.index,
    Kind.CALL: call,
    Kind.NEW: call,
    Kind.OBJECT: Follower.object,
    Kind.LIST: Follower.items,
    Kind.LAMBDA: Follower.unattached,
    Kind.CHOICE: Follower.choice,
    Kind.CAST: Follower.cast,
    Kind.SPREAD: Follower.choice,
    Kind.BIND: Follower.assign,
    Kind.EACH: Follower.loop,
    Kind.RETURN: Follower.give_back,
    Kind.GROUP: Follower.group,
}
