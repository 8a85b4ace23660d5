"""Follow the values of a topology of Kafka Streams, Flink or Spark from what is read to what is written."""

from __future__ import annotations

from collections.abc import Mapping

from scanner_extractor.repository.applications.code import CodeScope, ScopeKind, Unit
from scanner_extractor.repository.applications.expressions import Expr, Kind
from scanner_extractor.repository.applications.index import Index
from scanner_extractor.repository.languages.language import BINDING

_SINKS = frozenset({"sinkTo", "addSink", "sink_to", "add_sink", "toStream"})


class TopologyWalk:
    """Follows the values of a topology from what is read to what is written."""

    def __init__(self, index: Index, known: Mapping[int, list[str]]) -> None:
        self.index = index
        self.known = known
        self.steps = 0

    def origins(self, expr: Expr, scope: CodeScope, depth: int = 0) -> list[str]:
        """Return the topics that the value of *expr* comes from."""
        self.steps += 1
        if depth > 60 or self.steps > 4_000:
            return []
        if expr.node in self.known and expr.kind in (Kind.CALL, Kind.NEW):
            return self.known[expr.node]
        match expr.kind:
            case Kind.CALL | Kind.NEW:
                return self._passed(expr, scope, depth)
            case Kind.MEMBER:
                return self._name(expr.text, scope, depth) or self.origins(expr.receiver, scope, depth + 1)
            case Kind.NAME:
                return self._name(expr.text, scope, depth)
            case Kind.LIST | Kind.PAIR | Kind.CHOICE:
                return [text for part in expr.parts for text in self.origins(part, scope, depth + 1)]
        return []

    def _passed(self, call: Expr, scope: CodeScope, depth: int) -> list[str]:
        """Return the origins of what a call passes on: of its object, its arguments, or what it returns."""
        found = self.origins(call.receiver, scope, depth + 1)
        for argument in call.arguments:
            if argument.kind in (Kind.NAME, Kind.CALL, Kind.LIST, Kind.PAIR, Kind.NEW):
                found = found + self.origins(argument, scope, depth + 1)
        if not found and call.receiver.kind in (Kind.OTHER, Kind.NAME):
            for function in self.index.near(self.index.functions.get(call.text, ()), scope.unit)[:1]:
                for returned in function.returns[:3]:
                    found = found + self.origins(returned, function, depth + 2)
        return list(dict.fromkeys(found))

    def _name(self, name: str, scope: CodeScope, depth: int) -> list[str]:
        for outer in scope.outward():
            for position, parameter in enumerate(outer.parameters):
                if parameter.name != name:
                    continue
                if outer.kind is ScopeKind.LAMBDA:
                    for call in reversed(outer.calls):
                        found = self.origins(call.receiver, outer.parent or scope, depth + 2)
                        if found:
                            return found
                    return []
                found = [
                    text
                    for call, site in self.index.calls.get(outer.name, ())[:10]
                    for argument in call.positional()[position : position + 1]
                    if argument.kind is not Kind.NAME or site is not scope
                    for text in self.origins(argument, site, depth + 6)
                ]
                bound = [note for note in parameter.annotations if note.text == "Input"]
                inputs = [BINDING + part.text for note in bound for part in note.positional()[:1]]
                return found + inputs
            if name in outer.bindings:
                return [
                    text
                    for bound in outer.bindings[name][:6]
                    if bound.kind is not Kind.NAME or bound.text != name
                    for text in self.origins(bound, outer, depth + 1)
                ]
        return []

    def sinks(self, call: Expr, unit: Unit) -> list[str]:
        """Return the origins of what is written to a sink: a value that `sinkTo` or `addSink` is called with."""
        names = {
            name
            for scope in (unit.scope, *unit.classes, *unit.functions)
            for name, values in scope.bindings.items()
            if any(_contains(value, call.node, 0) for value in values)
        }
        found: list[str] = []
        for other, scope in unit.calls:
            if other.text in _SINKS:
                for argument in other.positional()[:1]:
                    if argument.text in names or _contains(argument, call.node, 0):
                        found += self.origins(other.receiver, scope)
        return found


def _contains(expr: Expr, node: int, depth: int) -> bool:
    return expr.node == node or (depth < 12 and any(_contains(part, node, depth + 1) for part in expr.parts))
