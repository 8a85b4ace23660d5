"""The values of names: what they are assigned, what callers give for a parameter, what a function returns."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from scanner_extractor.repository.applications.code import CodeScope, Parameter, ScopeKind, Unit
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.objects import GENERIC, MOST_VALUES, Objects
from scanner_extractor.repository.applications.wrappers import is_topic_name

DEEPEST = 14
"""Maximum steps from an expression to its value."""
_SHALLOW = 6
"""Steps within which a value that is not found is not sought again."""


class ResolvedText(NamedTuple):
    """A text; where it is the argument of a call, *unit* is the file of the caller and *line* its line, else None."""

    text: str
    unit: Unit | None = None
    line: int = 0


@dataclass(slots=True)
class Names(Objects, ABC):
    """Resolves names. *known* are the values that were found, *steps* counts those of the expression at hand."""

    steps: int = 0
    known: dict[tuple[int, str], list[ResolvedText]] = field(default_factory=dict)

    @abstractmethod
    def _of(self, expr: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return the texts of an expression."""

    def _named(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _bound(self, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        """Return the values that a name is assigned; in one that depends on itself the name is its former value."""
        key = (id(scope), name)
        if key not in self.known:
            self.known[key] = []
            values = self._assigned(scope, name, depth)
            if not values and depth > _SHALLOW:
                del self.known[key]  # perhaps it is only too far away
                return []
            self.known[key] = values
        return self.known[key]

    def _assigned(self, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        annotated = [note for note, owner, label in scope.unit.annotated if owner is scope and label == name]
        injected, groups = self._injected(annotated, scope, depth), list[list[ResolvedText]]()
        for expr in scope.bindings[name][:MOST_VALUES]:
            count = scope.replaced.get(expr.node, 0)
            if expr.names(name):  # the name in it is the former value
                self.known[id(scope), name] = [*injected, *chain.from_iterable(groups[-count:])]
            values = self._assignment(expr, scope, name, depth)
            groups[len(groups) - count :] = [values]
        return [*injected, *chain.from_iterable(groups)]

    def _assignment(self, expr: Expr, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        """Return the values that an assignment gives a name."""
        if expr.kind is Kind.NAME and expr.text == name:
            return self._constructor_argument(scope, name, depth)
        is_field = expr.kind is Kind.NAME and scope.kind is ScopeKind.CLASS
        if is_field and self._is_constructor_parameter(scope, expr.text):
            return self._constructor_argument(scope, expr.text, depth)
        return self._of(expr, self._assigning(expr, scope), depth)

    def _assigning(self, expr: Expr, scope: CodeScope) -> CodeScope:
        """Return the constructor whose variable a field is assigned; else *scope*."""
        if expr.kind is not Kind.NAME or scope.kind is not ScopeKind.CLASS:
            return scope
        return next((maker for maker in self._constructors(scope) if expr.text in maker.bindings), scope)

    def _injected(self, annotations: Iterable[Expr], scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _placeholder(
        self, names: list[ResolvedText], defaults: list[Expr], scope: CodeScope, depth: int
    ) -> list[ResolvedText]:
        texts = [value.text for part in defaults[:1] for value in self._of(part, scope, depth)]
        default = f":{texts[0]}" if texts else ""
        return [ResolvedText(f"${{{value.text}{default}}}", value.unit) for value in names if "${" not in value.text]

    def _inherited(self, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        """Return the value of a member that a supertype defines, or an annotation sets."""
        annotated = [note for note, owner, label in scope.unit.annotated if owner is scope and label == name]
        found = self._injected(annotated, scope, depth)
        for supertype in scope.supertypes if not found else ():
            for parent in self.index.near(self.index.classes.get(supertype, ()), scope.unit)[:2]:
                if parent is not scope and name in parent.bindings:
                    return self._bound(parent, name, depth)
        return found

    def _elsewhere(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
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
        found = [values for candidate in named[:4] if (values := self._bound(candidate, name, depth))]
        # The branches of a condition may give one constant several values; which of several constants counts is open.
        return found[0] if found and all(_texts(each) == _texts(found[0]) for each in found) else []

    def _parameter(self, scope: CodeScope, position: int, parameter: Parameter, depth: int) -> list[ResolvedText]:
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

    def _passed_in(self, scope: CodeScope, position: int, parameter: Parameter, depth: int) -> list[ResolvedText]:
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

    def _option(self, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        """Return the default of an option of a command: of click's decorators, where *scope* is a function."""
        options = (note for note in scope.annotations if note.text in scope.language.values.option_notes)
        return [
            value
            for note in options
            if any(_option_name(part.text) == name for part in note.positional())
            for value in self._of(note.named("default") or NOTHING, scope, depth)
        ]

    def _parsed_option(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return the default of an option that argparse parses: `add_argument("--topic", default="orders")`."""
        options = scope.language.values.options
        for call, outer in (site for option in sorted(options) for site in self.index.calls.get(option, ())):
            if outer.unit is scope.unit and any(_option_name(part.text) == name for part in call.positional()):
                return self._of(call.named("default") or NOTHING, outer, depth)
        return []

    def _arguments(self, scope: CodeScope, position: int, name: str, depth: int) -> list[ResolvedText]:
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
        if called not in GENERIC:
            self.called.add(called)
        if not sites:
            self.missing.add(called)
        values: list[ResolvedText] = []
        near = [site for site in sites if site[1].unit is scope.unit] if called == "main" else sites
        for call, outer in near[:40]:
            argument = call.named(name) or (call.positional()[position : position + 1] or [NOTHING])[0]
            if argument.kind is Kind.OTHER or argument.kind is Kind.LAMBDA:
                continue
            if is_constructor or self._may_call(call, outer, scope, owner):
                found = self._of(argument, outer, depth)
                values += [value if value.unit else ResolvedText(value.text, outer.unit, call.line) for value in found]
        return values[:MOST_VALUES]

    def _constructor_argument(self, scope: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        for constructor in self._constructors(scope):
            for position, parameter in enumerate(constructor.parameters):
                if parameter.name == name:
                    return self._parameter(constructor, position, parameter, depth)
        return []

    def _with_default(self, values: list[ResolvedText], defaults: list[ResolvedText]) -> list[ResolvedText]:
        """Return *values*, where a variable without a default has the one of *defaults*; else both."""
        if len(values) == 1 and is_open(values[0].text):
            default = f":{defaults[0].text}" if defaults else ""
            return [ResolvedText(f"{values[0].text[:-1]}{default}}}", values[0].unit)]
        return [*values, *defaults]

    def _function_value(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return what a function of the same module returns: one that reads an environment variable, for example."""
        functions = [
            found
            for found in self.index.near(self.index.functions.get(call.text, ()), scope.unit)
            if self.index.module(found.unit) == self.index.module(scope.unit) and found.returns
        ]
        receiver = call.receiver
        is_vague = receiver.kind is not Kind.OTHER and call.text in GENERIC
        if not functions and (receiver.kind is Kind.OTHER or scope.language.has_packages or is_topic_name(call.text)):
            self.missing.add(call.text)
        answers = [self._returned(function, call, scope, depth) for function in functions[:4] if not is_vague]
        known = {tuple(value.text for value in values) for values in answers if values}
        return next(filter(None, answers)) if len(known) == 1 and len(functions) <= len(answers) else []

    def _returned(self, function: CodeScope, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return what a function returns to a call."""
        names = own_names(function)
        arguments = {name: argument_of(call, name, position) for position, name in enumerate(names)}
        groups: list[list[ResolvedText]] = []
        for returned in function.returns[:4]:
            for value in _local(returned, function):
                substituted = _substitute(value, arguments, 0)
                groups.append(self._of(substituted, function if substituted is value else scope, depth))
        known = [group for group in groups if any(value.text for value in group)]
        read = [group for group in known if len(group) == 1 and is_open(group[0].text)]
        if read and len(known) > 1:  # `if value := os.Getenv(key); value != "" {…}; return fallback`
            return self._with_default(read[0], next((group[:1] for group in known if group is not read[0]), []))
        return [value for group in groups for value in group]


def argument_of(call: Expr, name: str, position: int) -> Expr:
    """Return the argument of a parameter; NOTHING if the call omits it."""
    return call.named(name) or (call.positional()[position : position + 1] or [NOTHING])[0]


def is_open(text: str) -> bool:
    """Return whether a text is one placeholder without a default."""
    return text.startswith("${") and text.endswith("}") and ":" not in text and text.count("${") == 1


def own_names(function: CodeScope) -> list[str]:
    """Return the names of the parameters of a function, without the object of a method."""
    return [part.name for part in function.parameters if part.name not in function.language.own_parameters]


def _local(expr: Expr, function: CodeScope) -> list[Expr]:
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


def _option_name(text: str) -> str:
    return text.lstrip("-").replace("-", "_")


def _texts(values: Iterable[ResolvedText]) -> set[str]:
    return {value.text for value in values}


def _package(unit: Unit) -> str:
    """Return what an import of a unit has to name: its stem."""
    path = PurePosixPath(unit.path)
    return path.parent.name if path.stem in ("__init__", "index") else path.stem


def _same_folder(first: Unit, second: Unit) -> bool:
    return PurePosixPath(first.path).parent == PurePosixPath(second.path).parent
