"""Evaluate calls: of clients, streams, serializers, builders, getters, and functions of the repository."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from scanner_extractor.repository.applications.fields import calls
from scanner_extractor.repository.applications.fields.declared import COLLECTIONS, is_message, plain
from scanner_extractor.repository.applications.fields.parts import Class, Function, Kind, Part, Type
from scanner_extractor.repository.applications.fields.values import (
    UNKNOWN,
    FunctionScope,
    KnownValue,
    joined,
    text_of_part,
)

if TYPE_CHECKING:
    from scanner_extractor.repository.applications.fields.following import Follower

FORWARD = "@forward"
"""The member of a processor that is what it forwards."""
_MOST_TARGETS = 3
"""A name that more functions have is that of none of them."""


def call(follower: Follower, part: Part, scope: FunctionScope) -> KnownValue:
    """Return the value of a call or a constructor, and note the uses in it."""
    evaluated = _Call(follower, part, scope)
    return evaluated.value()


class _Call:
    """One call with the values of its receiver and arguments."""

    def __init__(self, follower: Follower, part: Part, scope: FunctionScope) -> None:
        self.follower, self.part, self.scope = follower, part, scope
        self.place = follower.place(part, scope)
        self.base = self._base()
        self.lambdas = _lambdas(part)
        self.plain = [each for each in part.parts if not _is_lambda(each)]
        self.args = [follower.value(each, scope) for each in self.plain]
        self.named: dict[str, KnownValue] = {}
        for key, each, _ in part.named:
            if each.kind is Kind.LAMBDA and each.function is not None:
                self.lambdas.append(each.function)
            else:
                self.named[key] = follower.value(each, scope)

    def _base(self) -> KnownValue:
        of = self.part.of
        return self.follower.value(of, self.scope) if of is not None else UNKNOWN

    def value(self) -> KnownValue:
        """Return the value of the call; the first way that applies decides."""
        seeded = self._seeded()
        value = seeded if seeded is not None else self._by_kind()
        self._run_rest()
        return value

    def _by_kind(self) -> KnownValue:
        if self.part.kind is Kind.NEW:
            return self._new()
        is_map_of = self.part.text in ("of", "Of") and self.part.of is not None and self.part.of.text in calls.MAPPINGS
        if self.part.text in calls.MAKES_MAPPING or is_map_of:
            return self._mapping(UNKNOWN)
        receivers = (
            self._on_block,
            self._on_stream,
            self._on_record,
            self._on_made,
            self._keyed,
            self._read,
        )
        for way in (self._decoded, self._filled, *receivers):
            value = way()
            if value is not None:
                return value
        target = self._targets()
        if target:
            return self._function(target)
        return self._passed()

    # --- clients

    def _seeded(self) -> KnownValue | None:
        """Return the messages of a call that reads topics; note what a call that writes topics is given."""
        place = (self.scope.file.path, self.part.start)
        numbers = self.follower.seeds.reads.get(place, set())
        if numbers and calls.READS.match(self.part.text):
            return self._source(numbers)
        numbers = self.follower.seeds.writes.get(place, set())
        if not numbers and self.part.text == "send" and len(self.args) == 1:
            numbers = self.follower.seeds.settings.get(self.scope.file.path, set())
            numbers = {number for number in numbers if self.follower.uses[number].writes}
            numbers = numbers if len(numbers) == 1 else set()
        if numbers and calls.WRITES.match(self.part.text):
            for number in numbers:
                self.follower.send(number, self._payload())
            return self.base if self.part.kind is Kind.CALL else KnownValue("@record", (UNKNOWN, self._payload()))
        return None

    def _source(self, numbers: set[int]) -> KnownValue:
        """Return the stream, or note the consumer, whose messages a call asks for."""
        sources = frozenset((number, ()) for number in numbers)
        holder = self.part.of
        if self.part.text in ("subscribe", "assign", "Subscribe", "SubscribeTopics", "subscribeTopics", "addTopics"):
            name = holder.text if holder is not None else ""
            if name:
                self.follower.holders.setdefault((self.scope.file.path, name), set()).update(numbers)
            else:
                self.follower.pending |= numbers  # the consumer is what the block is called on
            return KnownValue("@record", (UNKNOWN, KnownValue(sources=sources)))
        if self.part.text == "option":
            return UNKNOWN  # a reader of Spark, whose jobs are evaluated
        if re.match(r"(?i)stream|table|globalTable|source|from|add|read|topic|load|option", self.part.text):
            return KnownValue("KStream", (UNKNOWN, KnownValue(self._serde(), (), sources)))
        return KnownValue("@record", (UNKNOWN, KnownValue(sources=sources)))

    def _serde(self) -> str:
        """Return the type that the serializer of an argument has."""
        for value in (*self.args, *self.named.values()):
            for inner in value.held():
                if "erde" in inner.type or inner.type in ("Consumed", "Materialized"):
                    for each in inner.held():
                        if each.type and self.follower.declared.find(each.type, self.scope.file) is not None:
                            return each.type
        return ""

    def _payload(self) -> KnownValue:
        """Return the message that a call sends: named, the last argument, or the content of a stream."""
        for name in ("value", "Value", "messages", "Messages", "payload", "body", "message"):
            if name in self.named:
                return _content(self.named[name])
        for value in (*self.named.values(), *reversed(self.args)):
            if any(inner.made or inner.sources or self._is_class(inner) for inner in value.held()):
                return _content(value)
        return _content(self.base) if self.base.type in calls.STREAMS | COLLECTIONS else UNKNOWN

    def _is_class(self, value: KnownValue) -> bool:
        declared = self.follower.declared.find(value.type, self.scope.file) if value.type else None
        return is_message(declared)

    # --- classes

    def _new(self) -> KnownValue:
        """Return a new object; a record with the members that its constructor or initializer sets."""
        declared_type = self.part.types[0] if self.part.types else Type(self.part.text)
        kind = declared_type.name
        if kind in calls.MAPPINGS and len(self.args) <= 1 and not self._is_class(KnownValue(kind)):
            return self._mapping(UNKNOWN)
        if kind in calls.RECORDS | calls.PAIRS and not self._is_class(KnownValue(kind)):
            given = [*self.args, *(value for key, value in self.named.items() if plain(key) not in calls.BESIDE_VALUE)]
            named = next((value for key, value in self.named.items() if key.lower() in calls.VALUE), None)
            if kind in calls.PAIRS:
                return KnownValue(kind, tuple(given))
            return KnownValue(kind, (UNKNOWN, named if named is not None else given[-1] if given else UNKNOWN))
        declared = self.follower.declared.find(kind, self.scope.file)
        if self.lambdas and declared is None:
            owner = self.lambdas[0].owner
            return KnownValue(owner.name) if owner is not None else UNKNOWN
        if declared is None:
            expected = self.follower.typed_value(declared_type)
            content = joined([*self.args, *self.named.values()])
            if kind in COLLECTIONS and content != UNKNOWN:
                return KnownValue(kind, (_content(content),))
            if content.sources or content.made:
                return KnownValue(kind, (content,)) if kind else content
            return expected
        for constructor in declared.constructors:
            self._give(constructor)
        spread = [value for each, value in zip(self.plain, self.args, strict=True) if each.kind is Kind.SPREAD]
        sources = joined(_deep(value) for value in spread).sources
        if sources and is_message(declared):  # `Order(**json.loads(message.value))`
            value = KnownValue(kind, (), sources)
            self.follower.bind(value, self.scope.file)
            return value
        return self._record(declared) if is_message(declared) else KnownValue(kind)

    def _mapping(self, copied: KnownValue) -> KnownValue:
        """Return a record without a class: a map or a generic record, with the members that it is made of."""
        record = self.follower._new_record(self.part, None, self.scope)
        pairs = [(key, each, line) for key, each, line in self.part.named]
        keys = [text_of_part(each) for each in self.plain[::2]]
        if self.part.text in ("of", "Of") and len(self.plain) % 2 == 0 and all(keys):
            values = dict(zip(filter(None, keys), self.args[1::2], strict=True))
            record.members |= {key: (value, {self.place}) for key, value in values.items()}
        for key, _, line in pairs:
            record.members[key] = (self.named.get(key, UNKNOWN), {f"{self.scope.file.path}:{line}"})
        return KnownValue("", (), copied.sources, frozenset({id(self.part)}) | copied.made)

    def _record(self, declared: Class) -> KnownValue:
        """Return a record of a class with the members that the arguments set."""
        record = self.follower._new_record(self.part, declared, self.scope)
        for member, value, line in self._members(declared):
            known = self.follower.declared.field(declared, member, self.scope.file)
            if known is not None:
                before, places = record.members.get(known.wire, (UNKNOWN, set()))
                record.members[known.wire] = (joined([before, value]), places | {f"{self.scope.file.path}:{line}"})
        return KnownValue(declared.name, (), frozenset(), frozenset({id(self.part)}))

    def _members(self, declared: Class) -> list[tuple[str, KnownValue, int]]:
        lines = {key: line for key, _, line in self.part.named}
        found = [(key, value, lines.get(key, self.part.line)) for key, value in self.named.items()]
        names = list(declared.fields)
        fitting = [each for each in declared.constructors if len(each.parameters) == len(self.args)]
        if fitting and not declared.is_schema:
            names = [parameter.name for parameter in fitting[0].parameters]
        elif declared.is_schema and len(self.args) != len(names):
            names = []
        return [*found, *((name, value, self.part.line) for name, value in zip(names, self.args, strict=False))]

    def _decoded(self) -> KnownValue | None:
        """Return the message that a serializer reads as a class, or that a static method of the class makes."""
        kind = self._target_class()
        text = self.part.text
        if kind is None:
            return None
        declared = self.follower.declared.find(kind, self.scope.file)
        given = joined([_deep(value) for value in (*self.args, *self.named.values())])
        if calls.DECODES.search(text) and declared is not None:
            value = KnownValue(kind, (), given.sources, frozenset())
            self.follower.bind(value, self.scope.file)
            return value
        if self.base.type == "@class" and declared is not None and self.base.args[0].type == kind:
            if text in declared.functions and not calls.BUILDS.match(text):
                return None
            if calls.BUILDS.match(text) or text in ("newBuilder", "Builder"):
                record = self.follower._new_record(self.part, declared, self.scope)
                record.copies |= given.made - {id(self.part)}
                self.follower.use_whole(given, self.place, self.scope)
                return KnownValue(kind, (), frozenset(), frozenset({id(self.part)}))
        return None

    def _target_class(self) -> str | None:
        """Return the class that a call names: a type argument, a class literal, or the receiver."""
        names = [kind.name for kind in self.part.types]
        for each in (*self.plain, *(value for _, value, _ in self.part.named)):
            if each.kind is Kind.MEMBER and each.text in ("class", "java") and each.of is not None:
                names.append(each.of.text if each.of.kind is Kind.NAME else "")
            elif each.kind is Kind.NAME or each.text == "typeof":
                names.append(each.text)
            elif each.kind is Kind.GROUP and each.parts and each.parts[0].kind is Kind.NAME:
                names.append(each.parts[0].text)  # `Order.class` of Java
        if self.base.type == "@class":
            names.append(self.base.args[0].type)
        if self.part.text == "newBuilder" and self.part.of is None:
            names += [value.type for value in self.args]  # imported statically
        found = (name for name in names if name and self._names_class(name))
        return next(found, None)

    def _names_class(self, name: str) -> bool:
        declared = self.follower.declared.find(name, self.scope.file)
        return declared is not None and self.scope.find(name) is None

    def _filled(self) -> KnownValue | None:
        """Note the variable that a call fills: `json.Unmarshal(message.Value, &order)`."""
        if not calls.DECODES.search(self.part.text):
            return None
        given = joined([_deep(value) for value in (self.base, *self.args) if any(v.sources for v in value.held())])
        for each, value in zip(self.plain, self.args, strict=True):
            target = each.parts[0] if each.kind is Kind.CHOICE and each.parts else each
            if target.kind is Kind.NAME and not value.sources and self._is_class(value) and given.sources:
                filled = replace(value, sources=given.sources)
                self.follower.bind(filled, self.scope.file)
                self.follower.set(target, filled, self.scope)
                return UNKNOWN
        return None

    # --- receivers

    def _on_block(self) -> KnownValue | None:
        """Return what Kotlin's `apply` is called on; a consumer that is subscribed in the block reads its topics."""
        if self.part.text not in ("apply", "also") or not self.lambdas:
            return None
        before, self.follower.pending = self.follower.pending, set()
        for each in self.lambdas:
            self.follower.run_lambda(each, [self.base], self.scope)
        found, self.follower.pending = self.follower.pending, before
        if not found:
            return self.base
        return KnownValue("@record", (UNKNOWN, KnownValue(sources=frozenset((number, ()) for number in found))))

    def _on_stream(self) -> KnownValue | None:
        """Return what a method of a stream or collection returns; its lambdas are given the content."""
        base, text = self.base, self.part.text
        is_stream = base.type in COLLECTIONS | calls.STREAMS or (base.type in ("", "@record") and base.args)
        if text not in calls.SAME | calls.MAPS or not (is_stream or self.lambdas):
            return None
        if base.type in ("", "@record") and not self.lambdas:
            return None
        others = [_content(value) for value in self.args if value.args and value.type in calls.STREAMS]
        results: list[KnownValue] = []
        for each in self.lambdas:
            results.append(self._lambda(each, base, others, results))
        if text.startswith(("process", "transform", "flatTransform")):
            return KnownValue(base.type, (UNKNOWN, joined([self._processed(result.type, base) for result in results])))
        if text not in calls.MAPS or not results:
            if text in ("groupBy", "GroupBy") and results and results[0].type in calls.PAIRS:
                return KnownValue(base.type, results[0].args)
            return base
        result = results[-1]
        kind = base.type if is_stream and base.type != "@record" else "[]"
        if result.type in calls.PAIRS and text in ("map", "flatMap", "transform"):
            return KnownValue(kind, result.args)
        keys = base.args[:-1] if base.args and kind in calls.STREAMS else ()
        is_flat = text.startswith(("flatMap", "concatMap", "SelectMany"))
        return KnownValue(kind, (*keys, result.content if is_flat else result))

    def _lambda(
        self, function: Function, base: KnownValue, others: list[KnownValue], results: list[KnownValue]
    ) -> KnownValue:
        """Evaluate a lambda with what its parameters are: keys, values, and those of a joined stream."""
        content = base if base.type == "@record" else _content(base)
        key = base.args[0] if len(base.args) > 1 else UNKNOWN
        count = len(function.parameters)
        if function.name == "::":
            self._refer(function, key, content)
        is_join = self.part.text in calls.JOINS
        is_selector = is_join and len(self.lambdas) > 1 and function is self.lambdas[0]
        if is_join and not is_selector:
            given = [content, *(others or [UNKNOWN])][:count]
            given = [key, *given] if count > 2 else given
        elif self.part.text == "fold" and count == 2:
            given = [UNKNOWN, content]
        elif self.part.text == "reduce" and count == 2:
            given = [content, content]
        elif count == 1:
            given = [content if base.type not in calls.PAIRS else base]
        elif self.part.text == "aggregate" and len(results) > 1:
            given = [key, results[1], results[1]]  # the merger
        elif base.type in calls.STREAMS or len(base.args) > 1:
            given = [key, content, *(results[:1] if self.part.text == "aggregate" else [])]
        else:
            given = [content]
        return self.follower.run_lambda(function, given, self.scope)

    def _processed(self, name: str, base: KnownValue) -> KnownValue:
        """Return what a processor returns or forwards; its method is given keys and values, or records."""
        found = [self.follower.members.get((name, FORWARD), UNKNOWN)]
        methods = ("process", "transform", "apply")
        targets = (each for method in methods for each in self.follower.functions.get(method, ()))
        for target in targets:
            owner = self.follower.declared.find(name, self.scope.file)
            if target.owner is not None and target.owner is owner:
                content, key = _content(base), base.args[0] if len(base.args) > 1 else UNKNOWN
                given = [key, content] if len(target.parameters) > 1 else [KnownValue("@record", (key, content))]
                known = self.follower.given.setdefault(id(target), {})
                for position, value in enumerate(given[: len(target.parameters)]):
                    known[position] = joined([known.get(position, UNKNOWN), value])
                found.append(_content(self.follower.returned.get(id(target), UNKNOWN)))
        return joined(found)

    def _refer(self, function: Function, key: KnownValue, content: KnownValue) -> None:
        """Pass a key and a value to a method that is referred to, if it has two parameters."""
        called = function.body[0].parts[0]
        for target in self.follower.functions.get(called.text, [])[:_MOST_TARGETS]:
            if len(target.parameters) == 2 and target.path == self.scope.file.path:
                known = self.follower.given.setdefault(id(target), {})
                for position, value in enumerate((key, content)):
                    known[position] = joined([known.get(position, UNKNOWN), value])

    def _on_record(self) -> KnownValue | None:
        """Return the value of a consumed record, or what its methods return."""
        if self.base.type not in calls.RECORDS or self._is_class(self.base):
            return None
        if self.part.text in ("withValue", "WithValue") and self.args:
            return KnownValue(self.base.type, (UNKNOWN, self.args[-1]))
        value = self.follower.get(self.base, self.part.text, self.part, self.scope, is_call=True)
        for each in self.lambdas:
            self.follower.run_lambda(each, [value if value.args else self.base], self.scope)
        return value

    def _on_made(self) -> KnownValue | None:
        """Return the record that a setter, a builder's method or `put("x", value)` sets a member of."""
        base, text = self.base, self.part.text
        if text in calls.ENDS and (base.made or base.type):
            return base
        values = self.args or list(self.named.values())
        is_record = bool(base.made) or self.follower.class_of(base, self.scope.file) is not None
        if not is_record or base.type == "@class":
            return None
        key = text_of_part(self.plain[0]) if self.plain else None
        if key is not None and len(values) == 2 and calls.PUTS.match(text):
            return base if self.follower.put(base, key, values[1], self.part, self.scope) else None
        if len(values) == 1 and not calls.KEYED.match(text):
            is_setter = text[:3].lower() in ("set", "add", "put") or text[:4] == "with" or bool(base.made)
            if is_setter and self.follower.class_of(base, self.scope.file) is not None:
                return base if self.follower.put(base, text, values[0], self.part, self.scope) else None
        if text == "copy" and self.part.named:
            for key, value in self.named.items():
                self.follower.put(base, key, value, self.part, self.scope)
            return base
        return None

    def _keyed(self) -> KnownValue | None:
        """Return the member that `get("x")` or a path reads."""
        base, text = self.base, self.part.text
        declared = self.follower.class_of(base, self.scope.file)
        key = text_of_part(self.plain[0]) if self.plain else None
        if key is not None and calls.KEYED.match(text) and (base.sources or base.made):
            if declared is not None and self.follower.declared.field(declared, key, self.scope.file) is None:
                return UNKNOWN
            at = Part(Kind.INDEX, "", self.part.line, self.part.start, of=self.part.of, parts=self.plain[:1])
            return self.follower.index(at, self.scope)
        path = text_of_part(self.plain[1]) if len(self.plain) > 1 else None
        if path is not None and self.args[0].sources and (path.startswith("$") or text in ("get", "at")):
            return self.follower.read_path(self.args[0], path, self.part, self.scope)  # `JsonPath.read(text, "$.a")`
        return None

    def _is_method(self, declared: Class) -> bool:
        """Return whether a call is one of a message's own method, other than an accessor."""
        is_own = not declared.is_schema and self.part.text in declared.functions
        return is_own and (
            bool(self.args) or self.follower.declared.field(declared, self.part.text, self.scope.file) is None
        )

    def _read(self) -> KnownValue | None:
        """Return the member that a getter reads; other methods of a message may use all of it."""
        base, text = self.base, self.part.text
        declared = self.follower.class_of(base, self.scope.file)
        if declared is not None and self._is_method(declared):
            self.follower.use_whole(base, self.place, self.scope)
        if self.args or self.named or base.type == "@class":
            return None
        is_bytes = declared is None and base.type.lower() in {"", *calls.SCALARS}
        if text in calls.TEXTS and not is_bytes:
            self.follower.use_whole(base, self.place, self.scope)
        if declared is not None:
            own = declared.functions.get(text, [])
            if self.follower.declared.field(declared, text, self.scope.file) is None or text in calls.NOT_FIELDS:
                return None if own else UNKNOWN
            return self.follower.get(base, text, self.part, self.scope, is_call=True)
        return self._read_undeclared(base, text)

    def _read_undeclared(self, base: KnownValue, text: str) -> KnownValue | None:
        """Return the member of a value whose class is not known."""
        if (base.sources or base.made) and calls.PASSES.search(text):
            return base
        if base.type in COLLECTIONS | calls.PAIRS | calls.STREAMS:
            is_element = re.match(r"(?i)^(?:get|first|last|next|poll|take|orelse|single|value|pop|peek)", text)
            return base.content if is_element or base.type in calls.PAIRS else base
        if base.sources or base.made:
            return self.follower.get(base, text, self.part, self.scope, is_call=True)
        return None

    # --- functions

    def _targets(self) -> list[Function]:
        """Return the functions of the repository that a call may reach."""
        is_own = self.part.of is None or (self.part.of.kind is Kind.NAME and self.part.of.text in ("this", "self"))
        is_known = self.base.type in self.follower.declared.classes
        if self.part.text in calls.UNIVERSAL and not (is_own or is_known):
            return []
        named = self.follower.functions.get(self.part.text, [])
        count = len(self.args) + len(self.lambdas) + len(self.named)
        named = [each for each in named if len(each.parameters) >= count - 1]
        owner = self.scope.function.owner
        if self.base.type and self.base.type not in ("@class",):
            known = self.follower.declared.find(self.base.type, self.scope.file)
            own = [each for each in named if each.owner is not None and each.owner is known]
            if own:
                return own[:_MOST_TARGETS]
        if is_own:
            same = [each for each in named if each.path == self.scope.file.path]
            near = [each for each in same if each.owner is owner] or same
            if near:
                return near[:_MOST_TARGETS]
        modules = self.follower.seeds.modules
        near = [each for each in named if modules[each.path] == modules[self.scope.file.path]]
        return near if 0 < len(near) <= _MOST_TARGETS else []

    def _function(self, targets: list[Function]) -> KnownValue:
        """Pass the arguments on to functions; return what they return."""
        for target in targets:
            self._give(target)
        values = [self.follower.returned.get(id(target), UNKNOWN) for target in targets]
        declared = [self.follower.typed_value(target.returns) for target in targets]
        return joined([*values, *declared])

    def _give(self, target: Function) -> None:
        given = self.follower.given.setdefault(id(target), {})
        for position, parameter in enumerate(target.parameters):
            value = self.named.get(parameter.name)
            if value is None and position < len(self.args):
                value = self.args[position]
            if value is not None and any(inner.sources or inner.made for inner in value.held()):
                given[position] = joined([given.get(position, UNKNOWN), value])

    def _passed(self) -> KnownValue:
        """Return what a call passes on; what becomes of a message in any other call is a use of all of it."""
        values = [self.base, *self.args, *self.named.values()]
        of, text = self.part.of, self.part.text
        if text == "forward" and self.scope.function.owner is not None:
            key = (self.scope.function.owner.name, FORWARD)
            sent = joined([_content(value) for value in self.args])
            self.follower.members[key] = joined([self.follower.members.get(key, UNKNOWN), sent])
            return UNKNOWN
        if text in ("append", "push", "add", "offer", "Add") and of is not None and len(self.args) == 1:
            if any(inner.made or inner.sources for inner in self.args[0].held()):
                known = KnownValue("[]", (joined([self.base.content, self.args[0]]),))
                self.follower.set(of, known, self.scope)
            return UNKNOWN
        if calls.PASSES.search(self.part.text):
            return joined([value for value in values if value.type != "@class"])
        if self.base.made and re.match(r"^(?:set|with|add|copy|header)", text):
            return self.base  # a builder of what wraps the record
        for value in values[1:]:
            self.follower.use_whole(value, self.place, self.scope)
        if calls.LOGS.search(of.text if of is not None else "") and self.base.sources:
            self.follower.use_whole(self.base, self.place, self.scope)
        return UNKNOWN

    def _run_rest(self) -> None:
        """Evaluate the lambdas that nothing above has evaluated."""
        for each in self.lambdas:
            if id(each) not in self.follower.evaluated:
                content = self.base if self.base.type == "@record" else _content(self.base)
                self.follower.run_lambda(each, [content], self.scope, receiver=_receiver(self.part))


def _receiver(part: Part) -> str:
    """Return the name of what a block such as Kotlin's `apply` is called on; empty for anything else."""
    return part.of.text if part.of is not None and part.of.kind is Kind.NAME else ""


def _is_lambda(part: Part) -> bool:
    inner = part.of if part.kind is Kind.CAST and part.of is not None else part
    return inner.kind is Kind.LAMBDA


def _lambdas(part: Part) -> list[Function]:
    """Return the lambdas among the arguments: also those in an object, and the methods of an anonymous class."""
    plain_ones = [each.of if each.kind is Kind.CAST and each.of is not None else each for each in part.parts]
    inside = [inner for each in part.parts if each.kind is Kind.NEW for inner in each.parts]
    objects = [each for each in (*part.parts, *(value for _, value, _ in part.named)) if each.kind is Kind.OBJECT]
    inside += [inner for each in objects for _, inner, _ in each.named]
    return [each.function for each in (*plain_ones, *inside) if each.kind is Kind.LAMBDA and each.function is not None]


def _content(value: KnownValue) -> KnownValue:
    """Return the message in a list, stream or record."""
    while value.args and (value.type in COLLECTIONS | calls.RECORDS | calls.STREAMS or not value.type):
        value = value.args[-1]
    return value


def _deep(value: KnownValue) -> KnownValue:
    """Return the sources and records of a value and of what it holds."""
    return joined([replace(inner, type="", args=()) for inner in value.held()])
