"""The texts that an expression may have: constants, parameters, settings and variables of the environment.

A value that is known only where the program runs is a placeholder `${name}` or `${name:default}`, as Spring writes it:
`settings.py` looks it up in the configuration of the module and in its deployment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import PurePosixPath
from typing import NamedTuple

from scanner_extractor.sources.applications.code import Parameter, Scope, ScopeKind, Unit
from scanner_extractor.sources.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.sources.applications.index import Index
from scanner_extractor.sources.applications.wrappers import is_topic_name
from scanner_extractor.sources.languages.language import Values
from scanner_extractor.sources.syntax_trees import words

DEEPEST = 14
"""Maximum steps from an expression to its value."""
_SHALLOW = 6
"""Steps within which a value that is not found is not sought again."""
MOST_STEPS = 1_000
"""Maximum steps for one expression."""
MOST_VALUES = 32
"""Maximum values of one expression; further ones are left out."""


class Value(NamedTuple):
    """A text; where it is the argument of a call, *unit* is the file of the caller and *line* its line, else None."""

    text: str
    unit: Unit | None = None
    line: int = 0


_GENERIC = words(
    """send produce publish subscribe start run get apply add write consume accept emit main process handle init
    execute create build read call listen"""
)
_GETTER = re.compile(r"(?:get|is)([A-Z]\w*)")
_CONFIGURATION = re.compile(r"(?i)_?(?:app_?)?(?:cfg|conf|config|configuration|settings)")


@dataclass(slots=True)
class Resolver:
    """Resolves expressions to texts. *missing* collects the names that no unit defines, nor calls.

    *extended* collects the classes whose members those below them have, *called* the functions whose callers give a
    value.
    """

    index: Index
    missing: set[str] = field(default_factory=set)
    extended: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    steps: int = 0
    known: dict[tuple[int, str], list[Value]] = field(default_factory=dict)

    def texts(self, expr: Expr | None, scope: Scope) -> list[Value]:
        """Return the texts that *expr* may have, without repetitions; none where it is not known."""
        if expr is None:
            return []
        self.steps = 0
        values = self._of(expr, scope, 0)
        defaulted = {value.text.partition(":")[0] for value in values if value.text.startswith("${")}
        return [
            value
            for value in dict.fromkeys(values)
            if value.text.strip() and not (_is_open(value.text) and value.text[:-1] in defaulted)
        ][:MOST_VALUES]

    def _of(self, expr: Expr, scope: Scope, depth: int) -> list[Value]:
        self.steps += 1
        if depth > DEEPEST or self.steps > MOST_STEPS:
            return []
        match expr.kind:
            case Kind.TEXT:
                return [Value(expr.text)]
            case Kind.NAME:
                return self._named(expr.text, scope, depth + 1)
            case Kind.MEMBER:
                return self._member(expr.receiver, expr.text, scope, depth + 1)
            case Kind.CALL:
                return self._call(expr, scope, depth + 1)
            case Kind.NEW:
                return self._new(expr, scope, depth + 1)
            case Kind.JOIN:
                return self._join(expr.parts, scope, depth + 1)
            case Kind.CHOICE:
                return self._choice(expr.parts, scope, depth + 1)
            case Kind.LIST:
                parts = (part for part in expr.parts if part.kind is not Kind.PAIR)
                return [value for part in parts for value in self._of(part, scope, depth + 1)][:MOST_VALUES]
        return []

    # --- composed texts

    def _join(self, parts: tuple[Expr, ...], scope: Scope, depth: int) -> list[Value]:
        values = [self._of(part, scope, depth) for part in parts]
        joined = []
        for combination in product(*values):
            unit = next((value.unit for value in combination if value.unit is not None), None)
            joined.append(Value("".join(value.text for value in combination), unit))
            if len(joined) == MOST_VALUES:
                break
        return joined

    def _choice(self, parts: tuple[Expr, ...], scope: Scope, depth: int) -> list[Value]:
        first, *others = (self._of(part, scope, depth) for part in parts)
        others_values = [value for values in others for value in values]
        return self._with_default(first, others_values) if first else others_values

    def _with_default(self, values: list[Value], defaults: list[Value]) -> list[Value]:
        """Return *values*, where a variable without a default has the one of *defaults*; else both."""
        if len(values) == 1 and _is_open(values[0].text):
            default = f":{defaults[0].text}" if defaults else ""
            return [Value(f"{values[0].text[:-1]}{default}}}", values[0].unit)]
        return [*values, *defaults]

    def _call(self, call: Expr, scope: Scope, depth: int) -> list[Value]:
        for read in (self._variable, self._text_method, self._made, self._getter, self._setting, self._passed):
            values = read(call, scope, depth)
            if values is not None:
                return values
        return []

    def _variable(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return the variable of the environment, or the option of Go's flags, that a call reads; None for others."""
        arguments, receiver, means = call.positional(), call.receiver, scope.language.values
        first = arguments[0] if arguments else NOTHING
        is_lookup = call.text in means.lookups and _is_environment(receiver, means)
        if is_lookup or call.text in means.environment:
            return self._placeholder(self._of(first, scope, depth), arguments[1:], scope, depth)
        if call.text in means.flags and receiver.text in means.flag_owners and len(arguments) > 1:
            return self._of(arguments[-2], scope, depth)  # the default stands before the description
        return None

    def _text_method(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return what a method of a text or an optional value returns; None for another method."""
        arguments, receiver, means = call.positional(), call.receiver, scope.language.values
        first = arguments[0] if arguments else NOTHING
        if call.text in means.defaults and receiver.kind is not Kind.OTHER and len(arguments) == 1:
            return self._choice((receiver, first), scope, depth)
        if call.text in means.formats:
            return self._format(call, scope, depth)
        if call.text in means.lower:
            return [Value(value.text.lower(), value.unit) for value in self._of(receiver, scope, depth)]
        if call.text in means.parts:
            parts = self._of(first if receiver.kind is Kind.OTHER else receiver, scope, depth)
            return [Value(part.strip(), value.unit) for value in parts for part in _divided(value.text)]
        return self._item(receiver, first, scope, depth) if call.text == "[]" else None

    def _made(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return the texts of a list or topic that a call makes; None for another call."""
        arguments, means = call.positional(), scope.language.values
        first = arguments[0] if arguments else NOTHING
        if call.text in means.lists and arguments and not self._is_own(call.text, scope):
            return [value for part in arguments for value in self._of(part, scope, depth)][:MOST_VALUES]
        if call.text in means.topics or (call.text in ("topic", "name") and first.kind is not Kind.OTHER):
            return self._of(call.named("topic", "name", "Topic", "Name", "topic_name") or first, scope, depth)
        return None

    def _getter(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return what a function of the repository returns; None where it is none, or nothing is known of it."""
        if not call.positional() and call.receiver.kind is not Kind.OTHER:
            found = self._member(call.receiver, call.text, scope, depth)
            if not found and scope.language.has_packages:
                found = self._function_value(call, scope, depth)  # a method stands outside its type
            return found or (self._of(call.receiver, scope, depth) if call.text in scope.language.values.same else [])
        return self._function_value(call, scope, depth) or None

    def _setting(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return the setting that a call looks up; None where it looks up none."""
        arguments = call.positional()
        if call.text not in scope.language.values.properties or not arguments or arguments[0].kind is Kind.OTHER:
            return None
        section = self._section(call.receiver, scope, depth)
        keys = [Value(section + key.text, key.unit) for key in self._of(arguments[0], scope, depth)]
        return self._placeholder(keys, [part for part in arguments[1:2] if part.kind is Kind.TEXT], scope, depth)

    def _passed(self, call: Expr, scope: Scope, depth: int) -> list[Value] | None:
        """Return the value that a call passes on: `trim`, `valueOf`, the end of a builder of topics."""
        arguments, receiver = call.positional(), call.receiver
        means = scope.language.values
        if call.text in means.same:
            is_method = receiver.kind is not Kind.OTHER and not arguments
            return self._of(receiver if is_method else (arguments or [NOTHING])[0], scope, depth)
        return self._of(receiver, scope, depth) if _is_topic_builder(receiver, means) else None

    def _new(self, new: Expr, scope: Scope, depth: int) -> list[Value]:
        means = scope.language.values
        if new.text in means.topics or new.text in means.lists:
            named = new.named("topic", "name", "Topic", "Name")
            parts = [named] if named else new.positional()[:1] if new.text in means.topics else new.positional()
            return [value for part in parts for value in self._of(part, scope, depth)]
        return []

    def _format(self, call: Expr, scope: Scope, depth: int) -> list[Value]:
        arguments = list(call.positional())
        template = call.receiver
        if template.kind in (Kind.OTHER, Kind.NAME) and arguments:  # String.format("…", …)
            resolved = self._of(template, scope, depth) if template.kind is Kind.NAME else []
            if not resolved:
                template = arguments.pop(0)
        inside = [
            part for argument in arguments for part in (argument.parts if argument.kind is Kind.LIST else [argument])
        ]
        result = []
        for value in self._of(template, scope, depth):
            pieces = scope.language.values.placeholder.split(value.text)
            parts = [Expr(Kind.TEXT, pieces[0])]
            for position, piece in enumerate(pieces[1:]):
                parts += [inside[position] if position < len(inside) else NOTHING, Expr(Kind.TEXT, piece)]
            result += self._join(tuple(part for part in parts if part.kind is not Kind.TEXT or part.text), scope, depth)
        return result

    def _placeholder(self, names: list[Value], defaults: list[Expr], scope: Scope, depth: int) -> list[Value]:
        texts = [value.text for part in defaults[:1] for value in self._of(part, scope, depth)]
        default = f":{texts[0]}" if texts else ""
        return [Value(f"${{{value.text}{default}}}", value.unit) for value in names if "${" not in value.text]

    def _section(self, receiver: Expr, scope: Scope, depth: int) -> str:
        """Return the prefix of a section of settings: `config.GetSection("Kafka")`, `config.getConfig("kafka")`."""
        if receiver.kind is Kind.NAME:
            for outer in scope.outward():
                for bound in outer.bindings.get(receiver.text, ())[:1]:
                    return self._section(bound, scope, depth + 1) if depth < DEEPEST else ""
        if receiver.kind is Kind.CALL and receiver.text in scope.language.values.sections and depth < DEEPEST:
            for value in self._of((receiver.positional() or [NOTHING])[0], scope, depth + 1):
                return f"{self._section(receiver.receiver, scope, depth)}{value.text}."
        return ""

    def _item(self, receiver: Expr, key: Expr, scope: Scope, depth: int) -> list[Value]:
        """Return an item of a list, a member of a map, or a setting by its name."""
        for value in self._of(key, scope, depth) if key.kind is not Kind.OTHER else ():
            found = self._member(receiver, value.text, scope, depth)
            if found:
                return found
            return [Value(f"${{{self._section(receiver, scope, depth)}{value.text}}}")]
        return self._of(receiver, scope, depth)

    # --- names

    def _named(self, name: str, scope: Scope, depth: int) -> list[Value]:
        for outer in scope.outward():
            for position, parameter in enumerate(outer.parameters):
                if parameter.name == name:
                    found = self._parameter(outer, position, parameter, depth)
                    if found or outer.kind is not ScopeKind.CLASS:
                        return found
            if name in outer.bindings:
                return self._bound(outer, name, depth)
            if outer.kind is ScopeKind.CLASS:
                found = self._inherited(outer, name, depth)
                if found:
                    return found
        return self._elsewhere(name, scope, depth)

    def _bound(self, scope: Scope, name: str, depth: int) -> list[Value]:
        """Return the values that a name is assigned; those of a name that depends on itself are left out."""
        key = (id(scope), name)
        if key not in self.known:
            self.known[key] = []
            values = self._assigned(scope, name, depth)
            if not values and depth > _SHALLOW:
                del self.known[key]  # perhaps it is only too far away
                return []
            self.known[key] = values
        return self.known[key]

    def _assigned(self, scope: Scope, name: str, depth: int) -> list[Value]:
        values: list[Value] = []
        annotated = [note for note, owner, label in scope.unit.annotated if owner is scope and label == name]
        values += self._injected(annotated, scope, depth)
        for expr in scope.bindings[name][:8]:
            if expr.kind is Kind.NAME and expr.text == name:
                values += self._constructor_argument(scope, name, depth)
            elif (
                expr.kind is Kind.NAME
                and scope.kind is ScopeKind.CLASS
                and self._is_constructor_parameter(scope, expr.text)
            ):
                values += self._constructor_argument(scope, expr.text, depth)
            else:
                values += self._of(expr, scope, depth)
        return values

    def _injected(self, annotations: Iterable[Expr], scope: Scope, depth: int) -> list[Value]:
        values = []
        for note in annotations:
            member = scope.language.values.injected.get(note.text)
            default = note.named("default", "defaultValue")
            if member:
                names = self._of(note.named(member) or NOTHING, scope, depth)
                values += self._placeholder(names, [default] if default else [], scope, depth)
            elif member is not None:
                first = note.named("value") or default or next(iter(note.positional()), None)
                values += self._of(first, scope, depth) if first else []
        return values

    def _inherited(self, scope: Scope, name: str, depth: int) -> list[Value]:
        """Return the value of a member that a supertype defines, or an annotation sets."""
        annotated = [note for note, owner, label in scope.unit.annotated if owner is scope and label == name]
        found = self._injected(annotated, scope, depth)
        for supertype in scope.supertypes if not found else ():
            for parent in self.index.near(self.index.classes.get(supertype, ()), scope.unit)[:2]:
                if parent is not scope and name in parent.bindings:
                    return self._bound(parent, name, depth)
        return found

    def _elsewhere(self, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return the value of a constant that is imported: of a class or file that this one names."""
        candidates = self.index.near(self.index.constants.get(name, ()), scope.unit)
        named = [
            candidate
            for candidate in candidates
            if candidate.unit is not scope.unit
            and (candidate.kind is ScopeKind.FILE or scope.unit.mentions(re.escape(candidate.name)))
            and (scope.unit.mentions(re.escape(_package(candidate.unit))) or _same_folder(candidate.unit, scope.unit))
        ]
        if not named:
            self.missing.add(name)
        values = [value for candidate in named[:4] for value in self._bound(candidate, name, depth)]
        return values if len({value.text for value in values}) == 1 else []

    def _parameter(self, scope: Scope, position: int, parameter: Parameter, depth: int) -> list[Value]:
        """Return what a parameter may be: injected, its default, and what callers give."""
        key = (id(scope), f"{parameter.name} {position}")
        if key not in self.known:
            self.known[key] = []
            values = self._passed_in(scope, position, parameter, depth)
            if not values and depth > _SHALLOW:
                del self.known[key]
                return []
            self.known[key] = values
        return self.known[key]

    def _passed_in(self, scope: Scope, position: int, parameter: Parameter, depth: int) -> list[Value]:
        injected = self._injected(parameter.annotations, scope, depth) or self._option(scope, parameter.name, depth)
        if injected:
            return injected
        if scope.kind is ScopeKind.LAMBDA:
            last = scope.calls[-1] if scope.calls else NOTHING
            return (
                self._of(last.receiver, scope.parent or scope, depth)
                if last.text in scope.language.values.elements
                else []
            )
        values = self._arguments(scope, position, parameter.name, depth)
        if parameter.default.kind is not Kind.OTHER and not values:
            values = self._of(parameter.default, scope, depth)
        return values

    def _option(self, scope: Scope, name: str, depth: int) -> list[Value]:
        """Return the default of an option of a command: of click's decorators, where *scope* is a function."""
        options = (note for note in scope.annotations if note.text in scope.language.values.option_notes)
        return [
            value
            for note in options
            if any(_option_name(part.text) == name for part in note.positional())
            for value in self._of(note.named("default") or NOTHING, scope, depth)
        ]

    def _parsed_option(self, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return the default of an option that argparse parses: `add_argument("--topic", default="orders")`."""
        options = scope.language.values.options
        for call, outer in (site for option in sorted(options) for site in self.index.calls.get(option, ())):
            if outer.unit is scope.unit and any(_option_name(part.text) == name for part in call.positional()):
                return self._of(call.named("default") or NOTHING, outer, depth)
        return []

    def _arguments(self, scope: Scope, position: int, name: str, depth: int) -> list[Value]:
        """Return the values that the callers of a function or constructor give for a parameter."""
        owner = scope if scope.kind is ScopeKind.CLASS else scope.nearest(ScopeKind.CLASS)
        is_constructor = (
            scope.kind is ScopeKind.CLASS
            or scope.name in scope.language.values.constructors
            or scope.name == owner.name
        )
        called = owner.name if is_constructor else scope.name
        if scope.parameters and scope.parameters[0].name in scope.language.own_parameters:
            position -= 1
        sites = self.index.calls.get(called, ())
        if called not in _GENERIC:
            self.called.add(called)
        if not sites:
            self.missing.add(called)
        values: list[Value] = []
        near = [site for site in sites if site[1].unit is scope.unit] if called == "main" else sites
        for call, outer in near[:40]:
            argument = call.named(name) or (call.positional()[position : position + 1] or [NOTHING])[0]
            if argument.kind is Kind.OTHER or argument.kind is Kind.LAMBDA:
                continue
            if is_constructor or self._may_call(call, outer, scope, owner):
                found = self._of(argument, outer, depth)
                values += [value if value.unit else Value(value.text, outer.unit, call.line) for value in found]
        return values[:MOST_VALUES]

    def _may_call(self, call: Expr, outer: Scope, function: Scope, owner: Scope) -> bool:
        """Return whether *call* may be one of *function*: its object is of the class, or no other has that name."""
        if outer.language is not function.language:
            return False
        if call.receiver.kind is Kind.OTHER:
            return self.index.module(outer.unit) == self.index.module(function.unit)
        only = self._is_only(function, outer)
        if owner.kind is not ScopeKind.CLASS:
            return only or (function.language.has_packages and self._may_implement(call, outer, function))
        if call.receiver.kind is Kind.NAME and call.receiver.text in ("this", "super"):
            return outer.nearest(ScopeKind.CLASS) is owner
        declared = self.class_name(call.receiver, outer)
        if declared in self.index.classes:
            return owner.name in self.lineage(declared)
        return function.name not in _GENERIC and only

    def _may_implement(self, call: Expr, outer: Scope, function: Scope) -> bool:
        """Return whether a call through an interface of Go may be one of a method: one of as many parameters."""
        is_alike = len(call.positional()) == len(function.parameters) and function.name not in _GENERIC
        return is_alike and self.index.module(outer.unit) == self.index.module(function.unit)

    def _is_only(self, function: Scope, caller: Scope) -> bool:
        """Return whether no other function has the name, or none in the module that it shares with the caller."""
        named = self.index.functions.get(function.name, ())
        module = self.index.module(function.unit)
        same = [other for other in named if self.index.module(other.unit) == module]
        return len(named) == 1 or (len(same) == 1 and self.index.module(caller.unit) == module)

    def targets(self, call: Expr, scope: Scope) -> list[Scope]:
        """Return the functions of the repository that a call runs, by the class of its object."""
        found = self.index.functions.get(call.text, ()) if call.kind is Kind.CALL else ()
        return [
            function
            for function in self.index.near(found, scope.unit)[:20]
            if self._may_call(call, scope, function, function.nearest(ScopeKind.CLASS))
        ]

    def lineage(self, name: str) -> set[str]:
        """Return a class with its supertypes that are known."""
        found: set[str] = set()
        queue = [name]
        while queue and len(found) < 50:
            current = queue.pop()
            self.missing |= {current} - self.index.classes.keys()
            if current not in found:
                found.add(current)
                queue += [parent for scope in self.index.classes.get(current, ()) for parent in scope.supertypes]
        return found

    def _ancestors(self, owner: Scope) -> Iterator[Scope]:
        """Yield a class and its supertypes that are known, of each name the nearest."""
        yield owner
        for name in sorted(self.lineage(owner.name) - {owner.name}):
            yield from self.index.near(self.index.classes.get(name, ()), owner.unit)[:1]

    def class_name(self, expr: Expr, scope: Scope, depth: int = 0) -> str:
        """Return the class of an object by its declaration or what it is assigned; empty where unknown."""
        is_class = expr.text in self.index.classes or _is_class(expr.text, scope.unit)
        if expr.kind is Kind.NEW or (expr.kind is Kind.CALL and is_class):
            return expr.text
        name = expr.text if expr.kind in (Kind.NAME, Kind.MEMBER) else ""
        if name in self.index.classes:
            return name
        for outer in scope.outward() if name and depth < 4 else ():
            for parameter in outer.parameters:
                if parameter.name == name and parameter.type_name:
                    return parameter.type_name
            if outer.types.get(name) in self.index.classes:
                return outer.types[name]
            for bound in outer.bindings.get(name, ())[:2]:
                found = self.class_name(bound, outer, depth + 1)
                if found:
                    return found
            if outer.types.get(name):
                return outer.types[name]
        return ""

    # --- members

    def _member(self, receiver: Expr, name: str, scope: Scope, depth: int) -> list[Value]:
        values: list[Value] = []
        if _is_environment(receiver, scope.language.values):
            return [Value(f"${{{name}}}")]
        if receiver.kind is Kind.NAME and receiver.text in ("this", "super"):
            owner = scope.nearest(ScopeKind.CLASS)
            return self._class_member(owner, name, NOTHING, scope, depth) or self._of_subclasses(owner, name, depth)
        for outer in scope.outward() if receiver.kind is Kind.NAME else ():
            if f"{receiver.text}.{name}" in outer.bindings:
                return self._bound(outer, f"{receiver.text}.{name}", depth)
        for item in self._items(receiver, scope):
            pairs = [part for part in item.parts if part.kind is Kind.PAIR and part.text == name]
            values += [value for pair in pairs[:1] for value in self._of(pair.parts[0], scope, depth)]
        values = values or self._given(receiver, name, scope, depth)
        if values:
            return values
        if (
            name in ("name", "Name")
            and receiver.text in scope.language.values.lookups
            and is_topic_name(receiver.receiver.text)
        ):
            return self._of((receiver.positional() or [NOTHING])[0], scope, depth)  # the platform's name of a topic
        new = self._object(receiver, scope, 0)
        if new.kind is Kind.LIST:
            pairs = [part for part in new.parts if part.kind is Kind.PAIR and part.text == name]
            return [value for pair in pairs[:1] for value in self._of(pair.parts[0], scope, depth)]
        return self._object_member(receiver, new, name, scope, depth)

    def _object_member(self, receiver: Expr, new: Expr, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return a member of an object of a class, of a file that is imported, or of an option of the command."""
        class_name = new.text if new.kind is Kind.NEW else self.class_name(receiver, scope)
        self.missing |= {class_name} - self.index.classes.keys()
        for owner in self.index.near(self.index.classes.get(class_name, ()), scope.unit)[:2]:
            found = self._class_member(owner, name, new if new.kind is Kind.NEW else NOTHING, scope, depth)
            if found:
                return found
        if class_name == "NewTopic" and new.kind is not Kind.NEW:
            return self._bean(receiver.text, scope, depth)
        made = self._struct_member(class_name, name, scope, depth) if scope.language.has_packages else []
        if made:
            return made
        if new.kind is Kind.NEW and name in scope.language.values.same | {"getName", "getTopic", "topicName"}:
            return [value for part in new.positional()[:1] for value in self._of(part, scope, depth)]
        for unit in self._units(receiver, scope):
            if name in unit.scope.bindings:
                return self._bound(unit.scope, name, depth)
        parsed = self._parsed_option(name, scope, depth) or self._member_of_argument(receiver, name, scope, depth)
        is_known = class_name in self.index.classes or receiver.kind is Kind.OTHER
        found = parsed or ([] if is_known else self._only_one(name, scope, depth))
        return found or _configured(receiver, name)

    def _items(self, variable: Expr, scope: Scope) -> list[Expr]:
        """Return the objects of the list that a loop's variable goes through; none for another name."""
        for outer in scope.outward() if variable.kind is Kind.NAME else ():
            for bound in outer.bindings.get(variable.text, ())[:1]:
                is_element = bound.kind is Kind.CALL and bound.text == "[]" and not bound.positional()[0].parts
                over = self._object(bound.receiver, outer, 0) if is_element else NOTHING
                listed = over.parts if is_element else outer.bindings[variable.text]
                return [item for item in listed if item.kind in (Kind.LIST, Kind.NEW)][:MOST_VALUES]
        return []

    def _given(self, receiver: Expr, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return a member of the objects that callers give for a parameter: `publish({topic: "orders"})`."""
        values: list[Value] = []
        for outer in scope.outward() if receiver.kind is Kind.NAME else ():
            for position, parameter in enumerate(outer.parameters if outer.kind is ScopeKind.FUNCTION else ()):
                if parameter.name != receiver.text:
                    continue
                for call, site in self.index.calls.get(outer.name, ())[:20]:
                    given = (call.positional()[position : position + 1] or [NOTHING])[0]
                    member = Expr(Kind.NEW, "", (given,)).named(name) if given.kind is Kind.LIST else None
                    if given.kind is Kind.MEMBER:
                        member = Expr(Kind.MEMBER, name, (given,))
                    if member is not None and self._may_call(call, site, outer, outer.nearest(ScopeKind.CLASS)):
                        found = self._of(member, site, depth + 1)
                        values += [one if one.unit else Value(one.text, site.unit, call.line) for one in found]
                return values[:MOST_VALUES]
        return values

    def _of_subclasses(self, owner: Scope, name: str, depth: int) -> list[Value]:
        """Return what the classes below one have for a member that it leaves to them, each with its file."""
        if owner.kind is not ScopeKind.CLASS or not owner.name:
            return []
        self.extended.add(owner.name)
        return [
            value if value.unit else Value(value.text, below.unit, _line_of(below, name))
            for below in self.index.subclasses.get(owner.name, ())
            if below.language is owner.language
            for value in self._class_member(below, name, NOTHING, below, depth + 1)
        ][:MOST_VALUES]

    def _bean(self, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return the topic of an injected `NewTopic`: of the module's only bean of one, or of the bean of that name."""
        module = self.index.module(scope.unit)
        beans = [
            function
            for note, function, _ in self.index.annotated("Bean")
            if self.index.module(function.unit) == module
            and any(_is_topic(part, scope.language.values) for part in function.returns)
        ]
        chosen = [function for function in beans if function.name == name] or beans
        return (
            [value for part in chosen[0].returns for value in self._of(part, chosen[0], depth)]
            if len(chosen) == 1
            else []
        )

    def _struct_member(self, class_name: str, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return a member of a struct of Go: a variable of the environment by its tag, or what literals have for it."""
        values = self._literals(class_name, name, depth) or self._only_literal(name, scope, depth)
        means, module = scope.language.values, self.index.module(scope.unit)
        tags = {tag for tag, unit in self.index.tags.get(name, ()) if self.index.module(unit) == module}
        variables = {_tag_part(means.tag_variable, tag) for tag in tags} - {""}
        defaults = {_tag_part(means.tag_default, tag) for tag in tags} - {""} or {value.text for value in values}
        if len(variables) != 1:
            return values or [Value(default) for default in defaults if len(defaults) == 1]
        default = f":{defaults.pop()}" if len(defaults) == 1 else ""
        return [Value(f"${{{variables.pop()}{default}}}")]

    def _only_literal(self, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return the value that all literals and assignments of the module have for a member; of several, none."""
        module = self.index.module(scope.unit)
        assigned = [scope for scope in self.index.constants.get(name, ()) if scope.kind is ScopeKind.FILE]
        sites = [
            (expr, site) for expr, site in self.index.members.get(name, ()) if self.index.module(site.unit) == module
        ]
        sites += [
            (expr, site) for site in assigned if self.index.module(site.unit) == module for expr in site.bindings[name]
        ]
        if not sites:
            self.missing.add(name)
        values = [value for expr, site in sites[:20] for value in self._of(expr, site, depth + 1)]
        return values[:1] if len({value.text for value in values}) == 1 else []

    def _literals(self, name: str, member: str, depth: int) -> list[Value]:
        """Return what literals of a struct of Go have for a member."""
        values: list[Value] = []
        for made, site in self.index.calls.get(name, ())[:20] if name else ():
            given = made.named(member) if made.kind is Kind.NEW else None
            values += self._of(given, site, depth + 1) if given is not None else []
        return values[:MOST_VALUES]

    def _member_of_argument(self, receiver: Expr, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return a member of the objects that callers give for a parameter, by the classes of these."""
        values: list[Value] = []
        for outer in scope.outward() if receiver.kind is Kind.NAME else ():
            for position, parameter in enumerate(outer.parameters if outer.kind is ScopeKind.FUNCTION else ()):
                if parameter.name == receiver.text:
                    for call, site in self.index.calls.get(outer.name, ())[:10]:
                        if site.unit is not scope.unit:
                            continue
                        given = self.class_name(_argument_of(call, parameter.name, position), site)
                        self.missing |= {given} - self.index.classes.keys()
                        owners = self.index.near(self.index.classes.get(given, ()), site.unit)
                        for owner in owners[:1] if given != parameter.type_name else ():
                            values += self._class_member(owner, name, NOTHING, site, depth + 1)
                    return values
        return values

    def _units(self, receiver: Expr, scope: Scope) -> list[Unit]:
        """Return the files that a name stands for: a module of Python, a package of Go, an import of JavaScript."""
        if receiver.kind not in (Kind.NAME, Kind.MEMBER):
            return []
        if scope.language.has_packages:
            receiver = replace(receiver, text=_package_of(receiver.text, scope.unit))
        imported = self.index.stems.get(receiver.text, [])
        same = [unit for unit in imported if self.index.module(unit) == self.index.module(scope.unit)]
        folder = (
            [
                unit
                for unit in self.index.units.values()
                if PurePosixPath(unit.path).parent.name == receiver.text and unit.language.has_packages
            ]
            if scope.language.has_packages
            else []
        )
        return (same or imported)[:3] + folder[:20]

    def object_of(self, expr: Expr, scope: Scope) -> Expr:
        """Return the call or map that a name stands for; else the expression."""
        return self._object(expr, scope, 0)

    def _object(self, expr: Expr, scope: Scope, depth: int) -> Expr:
        """Return the constructor call or the map that an expression stands for; else the expression."""
        if expr.kind in (Kind.NEW, Kind.LIST) or depth > 6:
            return expr
        if expr.kind is Kind.CALL and expr.text in self.index.classes:
            return Expr(Kind.NEW, expr.text, expr.arguments, expr.line, expr.node)
        if expr.kind is Kind.MEMBER:
            return self._member_object(expr, scope, depth)
        return self._named_object(expr, scope, depth) if expr.kind is Kind.NAME else expr

    def _member_object(self, expr: Expr, scope: Scope, depth: int) -> Expr:
        owner = self._object(expr.receiver, scope, depth + 1)
        for part in owner.parts if owner.kind is Kind.LIST else ():
            if part.kind is Kind.PAIR and part.text == expr.text:
                return self._object(part.parts[0], scope, depth + 1)
        for holder in self.index.near(self.index.classes.get(expr.receiver.text, ()), scope.unit)[:1]:
            for bound in holder.bindings.get(expr.text, ())[:1]:
                return self._object(bound, holder, depth + 1)
        return expr

    def _named_object(self, expr: Expr, scope: Scope, depth: int) -> Expr:
        for outer in scope.outward():
            for position, parameter in enumerate(outer.parameters):
                if parameter.name == expr.text and outer.kind is ScopeKind.FUNCTION:
                    return self._argument_object(outer, position, parameter, depth)
            for bound in outer.bindings.get(expr.text, ())[:1]:
                if bound.kind is not Kind.NAME or bound.text != expr.text:
                    return self._object(bound, outer, depth + 1)
        for outer in self.index.near(self.index.constants.get(expr.text, ()), scope.unit)[:1]:
            if not outer.name or scope.unit.mentions(re.escape(outer.name)):
                return self._object(outer.bindings[expr.text][0], outer, depth + 1)
        self.missing.add(expr.text)
        return expr

    def _argument_object(self, function: Scope, position: int, parameter: Parameter, depth: int) -> Expr:
        """Return the object that the only caller of a function gives for a parameter."""
        found = [
            self._object((call.named(parameter.name) or argument), outer, depth + 2)
            for call, outer in self.index.calls.get(function.name, ())[:10]
            for argument in call.positional()[position : position + 1]
        ]
        kinds = {(expr.kind, expr.node) for expr in found if expr.kind in (Kind.NEW, Kind.LIST)}
        return found[0] if len(kinds) == 1 and len(found) == 1 else NOTHING

    def _class_member(self, owner: Scope, name: str, new: Expr, scope: Scope, depth: int) -> list[Value]:
        """Return the value of a field, getter or constant of a class; *new* is how the object was made."""
        if depth > DEEPEST:
            return []
        getter = _GETTER.fullmatch(name)
        names = (name, getter[1][0].lower() + getter[1][1:]) if getter else (name,)
        prefix = self._prefix(owner)
        if prefix and any(names[-1] in _members(part) for part in self._ancestors(owner)):
            bound = self._field(owner, names[-1], NOTHING, scope, depth + 1) if names[-1] in owner.bindings else []
            default = f":{bound[0].text}" if bound else ""
            return [Value(f"${{{prefix}.{names[-1]}{default}}}")]
        for label in names:
            found = self._member_value(owner, label, new, scope, depth + 1)
            if found:
                return found
        return self._method_value(owner, name, new, scope, depth)

    def _member_value(self, owner: Scope, label: str, new: Expr, scope: Scope, depth: int) -> list[Value]:
        for position, parameter in enumerate(owner.parameters):
            if parameter.name == label:
                argument = _argument_of(new, label, position)
                if argument is not NOTHING:
                    return self._of(argument, scope, depth)
                return self._parameter(owner, position, parameter, depth)
        if label in owner.bindings:
            found = self._field(owner, label, new, scope, depth)
            if found:
                return self._of_settings(owner, label, found)
        return self._inherited(owner, label, depth)

    def _method_value(self, owner: Scope, name: str, new: Expr, scope: Scope, depth: int) -> list[Value]:
        """Return what a method without arguments returns: a field of the object, or a value of its own."""
        for function in owner.functions.get(name, ())[:2]:
            for returned in function.returns[:3]:
                field_name = returned.text if returned.kind in (Kind.NAME, Kind.MEMBER) else ""
                is_field = returned.kind is Kind.NAME or returned.receiver.text == "this"
                if field_name and is_field and (field_name != name or returned.kind is Kind.MEMBER):
                    found = self._member_value(owner, field_name, new, scope, depth + 2)
                    if found:
                        return found
                found = self._of(returned, function, depth + 2)
                if found:
                    return found
        return []

    def _of_settings(self, owner: Scope, label: str, found: list[Value]) -> list[Value]:
        """Return values as defaults of variables where the class reads the environment, as pydantic's does."""
        if owner.language.values.settings_classes.isdisjoint(owner.supertypes):
            return found
        return [Value(f"${{{label.upper()}:{value.text}}}", value.unit) for value in found if "${" not in value.text]

    def _prefix(self, owner: Scope) -> str:
        for note in owner.annotations:
            if note.text in owner.language.values.settings_notes:
                named = note.named("prefix", "value") or next(iter(note.positional()), NOTHING)
                return named.text if named.kind is Kind.TEXT else ""
        return ""

    def _field(self, owner: Scope, name: str, new: Expr, scope: Scope, depth: int) -> list[Value]:
        """Return the value of a field; one that a constructor sets is the argument of *new*."""
        for bound in owner.bindings[name] if new.kind is Kind.NEW else ():
            if bound.kind is not Kind.NAME:
                continue
            for constructor in self._constructors(owner):
                names = _names(constructor)
                if bound.text in names:
                    position = names.index(bound.text)
                    argument = _argument_of(new, bound.text, position)
                    if argument is not NOTHING:
                        return self._of(argument, scope, depth)
        return self._bound(owner, name, depth)

    def _constructors(self, owner: Scope) -> Iterator[Scope]:
        for name in (owner.name, *sorted(owner.language.values.constructors)):
            yield from owner.functions.get(name, ())

    def _is_constructor_parameter(self, scope: Scope, name: str) -> bool:
        return any(name == part.name for constructor in self._constructors(scope) for part in constructor.parameters)

    def _constructor_argument(self, scope: Scope, name: str, depth: int) -> list[Value]:
        for constructor in self._constructors(scope):
            for position, parameter in enumerate(constructor.parameters):
                if parameter.name == name:
                    return self._parameter(constructor, position, parameter, depth)
        return []

    def _only_one(self, name: str, scope: Scope, depth: int) -> list[Value]:
        """Return the value of a member that a single class of the module has, whatever the object is."""
        getter = _GETTER.fullmatch(name)
        label = getter[1][0].lower() + getter[1][1:] if getter else name
        owners = [
            found
            for found in self.index.constants.get(label, ())
            if found.kind is ScopeKind.CLASS and self.index.module(found.unit) == self.index.module(scope.unit)
        ]
        if not owners:
            self.missing.update({name, label})
        return self._class_member(owners[0], name, NOTHING, scope, depth + 1) if len(owners) == 1 else []

    # --- functions

    def _is_own(self, name: str, scope: Scope) -> bool:
        return any(found.unit is scope.unit for found in self.index.functions.get(name, ()))

    def _function_value(self, call: Expr, scope: Scope, depth: int) -> list[Value]:
        """Return what a function of the same module returns: one that reads an environment variable, for example."""
        functions = [
            found
            for found in self.index.near(self.index.functions.get(call.text, ()), scope.unit)
            if self.index.module(found.unit) == self.index.module(scope.unit) and found.returns
        ]
        receiver = call.receiver
        if len(functions) != 1 or (receiver.kind is not Kind.OTHER and call.text in _GENERIC):
            if not functions and (receiver.kind is Kind.OTHER or scope.language.has_packages):
                self.missing.add(call.text)
            return []
        function = functions[0]
        names = _names(function)
        arguments = {name: _argument_of(call, name, position) for position, name in enumerate(names)}
        groups: list[list[Value]] = []
        for returned in function.returns[:4]:
            for value in _local(returned, function):
                substituted = _substitute(value, arguments, 0)
                groups.append(self._of(substituted, function if substituted is value else scope, depth))
        known = [group for group in groups if any(value.text for value in group)]
        read = [group for group in known if len(group) == 1 and _is_open(group[0].text)]
        if read and len(known) > 1:  # `if value := os.Getenv(key); value != "" {…}; return fallback`
            return self._with_default(read[0], next((group[:1] for group in known if group is not read[0]), []))
        return [value for group in groups for value in group]


def _local(expr: Expr, function: Scope) -> list[Expr]:
    """Return what a name is assigned in a function; other expressions, and names that depend on it, as they are."""
    bound = function.bindings.get(expr.text, [])[:3] if expr.kind is Kind.NAME else []
    return [part for part in bound if part.kind is Kind.CALL] or [expr]


def _substitute(expr: Expr, arguments: Mapping[str, Expr], depth: int) -> Expr:
    """Return *expr* with parameters replaced by arguments; the same object where it names none."""
    if expr.kind is Kind.NAME and arguments.get(expr.text, NOTHING).kind is not Kind.OTHER:
        return arguments[expr.text]
    if depth > 8 or not expr.parts:
        return expr
    parts = tuple(_substitute(part, arguments, depth + 1) for part in expr.parts)
    if all(new is old for new, old in zip(parts, expr.parts, strict=True)):
        return expr
    return Expr(expr.kind, expr.text, parts, expr.line, expr.node)


def _argument_of(call: Expr, name: str, position: int) -> Expr:
    """Return the argument of a parameter; NOTHING where a call has none."""
    return call.named(name) or (call.positional()[position : position + 1] or [NOTHING])[0]


def _is_open(text: str) -> bool:
    """Return whether a text is one placeholder without a default."""
    return text.startswith("${") and text.endswith("}") and ":" not in text and text.count("${") == 1


def _names(function: Scope) -> list[str]:
    """Return the names of the parameters of a function, without the object of a method."""
    return [part.name for part in function.parameters if part.name not in function.language.own_parameters]


def _is_environment(expr: Expr, means: Values) -> bool:
    """Return whether an expression is the environment: `os.environ`, `process.env`, `System.getenv()`, `sys.env`."""
    if expr.kind not in (Kind.NAME, Kind.MEMBER, Kind.CALL) or (expr.kind is Kind.CALL and expr.positional()):
        return False
    name = f"{expr.receiver.text}.{expr.text}" if expr.receiver.text else expr.text
    return name in means.environment_objects


def _is_class(name: str, unit: Unit) -> bool:
    return name[:1].isupper() and unit.language.constructor_is_call


def _is_topic(expr: Expr, means: Values) -> bool:
    return expr.text == "NewTopic" or _is_topic_builder(expr, means)


def _line_of(owner: Scope, name: str) -> int:
    return next((bound.line for bound in owner.bindings.get(name, ())), 1)


def _configured(receiver: Expr, name: str) -> list[Value]:
    """Return a setting that is a member of the program's configuration: `cfg.Kafka.Topic` is `Kafka.Topic`."""
    names = [name]
    for _ in range(8):
        if receiver.kind not in (Kind.MEMBER, Kind.NAME):
            break
        if _CONFIGURATION.fullmatch(receiver.text):
            return [Value(f"${{{'.'.join(reversed(names))}}}")] if len(names) > 1 else []
        names.append(receiver.text)
        receiver = receiver.receiver
    return []


def _members(owner: Scope) -> set[str]:
    """Return the names of the fields of a class, and of the parameters of a record."""
    return {*owner.types, *owner.bindings, *(part.name for part in owner.parameters)}


def _tag_part(pattern: re.Pattern[str] | None, tag: str) -> str:
    match = pattern.search(tag) if pattern is not None else None
    return next(filter(None, match.groups()), "") if match else ""


def _option_name(text: str) -> str:
    return text.lstrip("-").replace("-", "_")


def _is_topic_builder(expr: Expr, means: Values) -> bool:
    for _ in range(20):
        if expr.text in means.topics:
            return True
        if expr.kind is Kind.CALL and expr.text == "name" and expr.receiver.text == "TopicBuilder":
            return True
        expr = expr.receiver
    return False


def _divided(text: str) -> list[str]:
    return text.split(",") if "${" not in text else [text]


def _package_of(name: str, unit: Unit) -> str:
    """Return the directory of the package that a name of Go stands for: `orders "example.org/shop/internal/topics"`."""
    match = re.search(rf"^\s*(?:import\s+)?{re.escape(name)}\s+\"(?:[^\"\n]*/)?([^\"/\n]+)\"", unit.text, re.MULTILINE)
    return match[1] if match else name


def _package(unit: Unit) -> str:
    """Return what an import of a unit has to name: its stem."""
    path = PurePosixPath(unit.path)
    return path.parent.name if path.stem in ("__init__", "index") else path.stem


def _same_folder(first: Unit, second: Unit) -> bool:
    return PurePosixPath(first.path).parent == PurePosixPath(second.path).parent
