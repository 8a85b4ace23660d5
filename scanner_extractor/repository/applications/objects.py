"""What an expression evaluates to: an object of a class, a list, a file, or the function that a call runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from scanner_extractor.repository.applications.code import CodeScope, Parameter, ScopeKind, Unit
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.index import Index
from scanner_extractor.repository.syntax_trees import words

MOST_VALUES = 32
"""Maximum values of one expression; further ones are left out."""

GENERIC = words(
    """send produce publish subscribe start run get apply add write consume accept emit main process handle init
    execute create build read call listen"""
)
"""Function names that are too common to identify a function."""


@dataclass(slots=True)
class Objects:
    """Finds the objects and functions of a repository. *missing* collects the names that no unit defines, nor calls.

    *extended* collects the classes whose members those below them have, *called* the functions whose callers give a
    value.
    """

    index: Index
    missing: set[str] = field(default_factory=set)
    extended: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)

    def class_name(self, expr: Expr, scope: CodeScope, depth: int = 0) -> str:
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

    def targets(self, call: Expr, scope: CodeScope) -> list[CodeScope]:
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

    def _ancestors(self, owner: CodeScope) -> Iterator[CodeScope]:
        """Yield a class and its supertypes that are known, of each name the nearest."""
        yield owner
        for name in sorted(self.lineage(owner.name) - {owner.name}):
            yield from self.index.near(self.index.classes.get(name, ()), owner.unit)[:1]

    def _may_call(self, call: Expr, outer: CodeScope, function: CodeScope, owner: CodeScope) -> bool:
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
        return function.name not in GENERIC and only

    def _may_implement(self, call: Expr, outer: CodeScope, function: CodeScope) -> bool:
        """Return whether a call through an interface of Go may be one of a method: one of as many parameters."""
        is_alike = len(call.positional()) == len(function.parameters) and function.name not in GENERIC
        return is_alike and self.index.module(outer.unit) == self.index.module(function.unit)

    def _is_only(self, function: CodeScope, caller: CodeScope) -> bool:
        """Return whether no other function has the name, or none in the module that it shares with the caller."""
        named = self.index.functions.get(function.name, ())
        module = self.index.module(function.unit)
        same = [other for other in named if self.index.module(other.unit) == module]
        return len(named) == 1 or (len(same) == 1 and self.index.module(caller.unit) == module)

    def object_of(self, expr: Expr, scope: CodeScope) -> Expr:
        """Return the call or map assigned to a name; else the expression."""
        return self._object(expr, scope, 0)

    def _object(self, expr: Expr, scope: CodeScope, depth: int) -> Expr:
        """Return the constructor call or map that an expression evaluates to; else the expression."""
        if expr.kind in (Kind.NEW, Kind.LIST) or depth > 6:
            return expr
        if expr.kind is Kind.CALL and expr.text in self.index.classes:
            return Expr(Kind.NEW, expr.text, expr.arguments, expr.line, expr.node)
        if expr.kind is Kind.MEMBER:
            return self._member_object(expr, scope, depth)
        return self._named_object(expr, scope, depth) if expr.kind is Kind.NAME else expr

    def _member_object(self, expr: Expr, scope: CodeScope, depth: int) -> Expr:
        owner = self._object(expr.receiver, scope, depth + 1)
        for part in owner.parts if owner.kind is Kind.LIST else ():
            if part.kind is Kind.PAIR and part.text == expr.text:
                return self._object(part.parts[0], scope, depth + 1)
        for holder in self.index.near(self.index.classes.get(expr.receiver.text, ()), scope.unit)[:1]:
            for bound in holder.bindings.get(expr.text, ())[:1]:
                return self._object(bound, holder, depth + 1)
        return expr

    def _named_object(self, expr: Expr, scope: CodeScope, depth: int) -> Expr:
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

    def _argument_object(self, function: CodeScope, position: int, parameter: Parameter, depth: int) -> Expr:
        """Return the object that the only caller of a function gives for a parameter."""
        found = [
            self._object((call.named(parameter.name) or argument), outer, depth + 2)
            for call, outer in self.index.calls.get(function.name, ())[:10]
            for argument in call.positional()[position : position + 1]
        ]
        kinds = {(expr.kind, expr.node) for expr in found if expr.kind in (Kind.NEW, Kind.LIST)}
        return found[0] if len(kinds) == 1 and len(found) == 1 else NOTHING

    def _items(self, variable: Expr, scope: CodeScope) -> list[Expr]:
        """Return the objects of the list that a loop's variable goes through; none for another name."""
        for outer in scope.outward() if variable.kind is Kind.NAME else ():
            for bound in outer.bindings.get(variable.text, ())[:1]:
                is_element = bound.kind is Kind.CALL and bound.text == "[]" and not bound.positional()[0].parts
                over = self._object(bound.receiver, outer, 0) if is_element else NOTHING
                listed = over.parts if is_element else outer.bindings[variable.text]
                return [item for item in listed if item.kind in (Kind.LIST, Kind.NEW)][:MOST_VALUES]
        return []

    def _units(self, receiver: Expr, scope: CodeScope) -> list[Unit]:
        """Return the files that a name refers to: a module of Python, a package of Go, an import of JavaScript."""
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

    def _constructors(self, owner: CodeScope) -> Iterator[CodeScope]:
        for name in (owner.name, *sorted(owner.language.values.constructors)):
            yield from owner.functions.get(name, ())

    def _is_constructor_parameter(self, scope: CodeScope, name: str) -> bool:
        return any(name == part.name for constructor in self._constructors(scope) for part in constructor.parameters)

    def _is_own(self, name: str, scope: CodeScope) -> bool:
        return any(found.unit is scope.unit for found in self.index.functions.get(name, ()))


def _is_class(name: str, unit: Unit) -> bool:
    return name[:1].isupper() and unit.language.constructor_is_call


def _package_of(name: str, unit: Unit) -> str:
    """Return the directory of the Go package that a name refers to: `orders "example.org/shop/internal/topics"`."""
    match = re.search(rf"^\s*(?:import\s+)?{re.escape(name)}\s+\"(?:[^\"\n]*/)?([^\"/\n]+)\"", unit.text, re.MULTILINE)
    return match[1] if match else name
