"""The values of members: of objects and their classes, of structs, settings, and what an import names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanner_extractor.repository.applications.code import CodeScope, ScopeKind
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.names import DEEPEST, Names, ResolvedText, argument_of, own_names
from scanner_extractor.repository.applications.objects import MOST_VALUES
from scanner_extractor.repository.applications.wrappers import is_topic_name
from scanner_extractor.repository.languages.language import Values
from scanner_extractor.repository.syntax_trees import words

RECEIVING = words(
    """poll consume Consume Poll ReadMessage FetchMessage getone getmany PollFetches PollRecords ReadEvent Events
    Messages receive run on each getBatch consumeWith"""
)
"""Calls that return the records of a consumer."""
_GETTER = re.compile(r"(?:get|is)([A-Z]\w*)")
_CONFIGURATION = re.compile(r"(?i)_?(?:app_?)?(?:cfg|conf|config|configuration|settings)")


@dataclass(slots=True)
class Members(Names):
    """Resolves members."""

    def _member(self, receiver: Expr, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        values: list[ResolvedText] = []
        if is_environment(receiver, scope.language.values):
            return [ResolvedText(f"${{{name}}}")]
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

    def _object_member(self, receiver: Expr, new: Expr, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return a member of an object of a class, of a file that is imported, or of an option of the command."""
        class_name = new.text if new.kind is Kind.NEW else self.class_name(receiver, scope)
        self.missing |= {class_name} - self.index.classes.keys()
        for owner in self.index.near(self.index.classes.get(class_name, ()), scope.unit)[:2]:
            found = self._class_member(owner, name, new if new.kind is Kind.NEW else NOTHING, scope, depth)
            if found:
                return found
        if class_name == "NewTopic" and new.kind is not Kind.NEW:
            return self._bean(receiver.text, scope, depth)
        if not class_name and _is_received(receiver, scope):
            return []
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
        if not found and is_topic_name(name) and receiver.kind in (Kind.NAME, Kind.MEMBER):
            found = self._only_literal(name, scope, depth)
        return found or _configured(receiver, name)

    def _given(self, receiver: Expr, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return a member of the objects that callers give for a parameter: `publish({topic: "orders"})`."""
        values: list[ResolvedText] = []
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
                        values += [one if one.unit else ResolvedText(one.text, site.unit, call.line) for one in found]
                return values[:MOST_VALUES]
        return values

    def _of_subclasses(self, owner: CodeScope, name: str, depth: int) -> list[ResolvedText]:
        """Return what the classes below one have for a member that it leaves to them, each with its file."""
        if owner.kind is not ScopeKind.CLASS or not owner.name:
            return []
        self.extended.add(owner.name)
        return [
            value if value.unit else ResolvedText(value.text, below.unit, _line_of(below, name))
            for below in self.index.subclasses.get(owner.name, ())
            if below.language is owner.language
            for value in self._class_member(below, name, NOTHING, below, depth + 1)
        ][:MOST_VALUES]

    def _bean(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _struct_member(self, class_name: str, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return a member of a struct of Go: a variable of the environment by its tag, or what literals have for it."""
        values = self._literals(class_name, name, scope, depth) or self._only_literal(name, scope, depth)
        means, module = scope.language.values, self.index.module(scope.unit)
        tags = {tag for tag, unit in self.index.tags.get(name, ()) if self.index.module(unit) == module}
        variables = {_tag_part(means.tag_variable, tag) for tag in tags} - {""}
        defaults = {_tag_part(means.tag_default, tag) for tag in tags} - {""} or {value.text for value in values}
        if len(variables) != 1:
            return values or [ResolvedText(default) for default in defaults if len(defaults) == 1]
        default = f":{defaults.pop()}" if len(defaults) == 1 else ""
        return [ResolvedText(f"${{{variables.pop()}{default}}}")]

    def _only_literal(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _literals(self, name: str, member: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return what literals of a struct of Go have for a member; one in another module is of a caller."""
        values: list[ResolvedText] = []
        module = self.index.module(scope.unit)
        for made, site in self.index.calls.get(name, ())[:20] if name else ():
            given = made.named(member) if made.kind is Kind.NEW else None
            found = self._of(given, site, depth + 1) if given is not None else []
            is_near = self.index.module(site.unit) == module
            values += [
                each if each.unit or is_near else ResolvedText(each.text, site.unit, made.line) for each in found
            ]
        return values[:MOST_VALUES]

    def _member_of_argument(self, receiver: Expr, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return a member of the objects that callers give for a parameter, by the classes of these."""
        values: list[ResolvedText] = []
        for outer in scope.outward() if receiver.kind is Kind.NAME else ():
            for position, parameter in enumerate(outer.parameters if outer.kind is ScopeKind.FUNCTION else ()):
                if parameter.name == receiver.text:
                    for call, site in self.index.calls.get(outer.name, ())[:10]:
                        if site.unit is not scope.unit:
                            continue
                        given = self.class_name(argument_of(call, parameter.name, position), site)
                        self.missing |= {given} - self.index.classes.keys()
                        owners = self.index.near(self.index.classes.get(given, ()), site.unit)
                        for owner in owners[:1] if given != parameter.type_name else ():
                            values += self._class_member(owner, name, NOTHING, site, depth + 1)
                    return values
        return values

    def _class_member(self, owner: CodeScope, name: str, new: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return the value of a field, getter or constant of a class; *new* is how the object was made."""
        if depth > DEEPEST:
            return []
        getter = _GETTER.fullmatch(name)
        names = (name, getter[1][0].lower() + getter[1][1:]) if getter else (name,)
        prefix = self._prefix(owner)
        if prefix and any(names[-1] in _members(part) for part in self._ancestors(owner)):
            bound = self._field(owner, names[-1], NOTHING, scope, depth + 1) if names[-1] in owner.bindings else []
            default = f":{bound[0].text}" if bound else ""
            return [ResolvedText(f"${{{prefix}.{names[-1]}{default}}}")]
        for label in names:
            found = self._member_value(owner, label, new, scope, depth + 1)
            if found:
                return found
        return self._method_value(owner, name, new, scope, depth)

    def _member_value(
        self, owner: CodeScope, label: str, new: Expr, scope: CodeScope, depth: int
    ) -> list[ResolvedText]:
        for position, parameter in enumerate(owner.parameters):
            if parameter.name == label:
                argument = argument_of(new, label, position)
                if argument is not NOTHING:
                    return self._of(argument, scope, depth)
                return self._parameter(owner, position, parameter, depth)
        if label in owner.bindings:
            found = self._field(owner, label, new, scope, depth)
            if found:
                return self._of_settings(owner, label, found)
        return self._inherited(owner, label, depth)

    def _method_value(self, owner: CodeScope, name: str, new: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _of_settings(self, owner: CodeScope, label: str, found: list[ResolvedText]) -> list[ResolvedText]:
        """Return values as defaults of variables where the class reads the environment, as pydantic's does."""
        if owner.language.values.settings_classes.isdisjoint(owner.supertypes):
            return found
        return [
            ResolvedText(f"${{{label.upper()}:{value.text}}}", value.unit) for value in found if "${" not in value.text
        ]

    def _prefix(self, owner: CodeScope) -> str:
        for note in owner.annotations:
            if note.text in owner.language.values.settings_notes:
                named = note.named("prefix", "value") or next(iter(note.positional()), NOTHING)
                return named.text if named.kind is Kind.TEXT else ""
        return ""

    def _field(self, owner: CodeScope, name: str, new: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return the value of a field; one that a constructor sets is the argument of *new*."""
        for bound in owner.bindings[name] if new.kind is Kind.NEW else ():
            if bound.kind is not Kind.NAME:
                continue
            for constructor in self._constructors(owner):
                names = own_names(constructor)
                if bound.text in names:
                    position = names.index(bound.text)
                    argument = argument_of(new, bound.text, position)
                    if argument is not NOTHING:
                        return self._of(argument, scope, depth)
        return self._bound(owner, name, depth)

    def _only_one(self, name: str, scope: CodeScope, depth: int) -> list[ResolvedText]:
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


def _is_received(receiver: Expr, scope: CodeScope) -> bool:
    """Return whether an object is an element of a list, or of what a call receives: such a record has its own topic."""
    for outer in scope.outward() if receiver.kind is Kind.NAME else ():
        if receiver.text in outer.bindings:
            return all(
                bound.kind is Kind.CALL and (bound.text in RECEIVING or bound.parts[1:] == (NOTHING,))
                for bound in outer.bindings[receiver.text]
            )
    return False


def is_environment(expr: Expr, means: Values) -> bool:
    """Return whether an expression is the environment: `os.environ`, `process.env`, `System.getenv()`, `sys.env`."""
    if expr.kind not in (Kind.NAME, Kind.MEMBER, Kind.CALL) or (expr.kind is Kind.CALL and expr.positional()):
        return False
    name = f"{expr.receiver.text}.{expr.text}" if expr.receiver.text else expr.text
    return name in means.environment_objects


def _is_topic(expr: Expr, means: Values) -> bool:
    return expr.text == "NewTopic" or is_topic_builder(expr, means)


def is_topic_builder(expr: Expr, means: Values) -> bool:
    """Return whether an expression builds a topic: `TopicBuilder.name("orders").partitions(3)`."""
    for _ in range(20):
        if expr.text in means.topics:
            return True
        if expr.kind is Kind.CALL and expr.text == "name" and expr.receiver.text == "TopicBuilder":
            return True
        expr = expr.receiver
    return False


def _line_of(owner: CodeScope, name: str) -> int:
    return next((bound.line for bound in owner.bindings.get(name, ())), 1)


def _configured(receiver: Expr, name: str) -> list[ResolvedText]:
    """Return a setting that is a member of the program's configuration: `cfg.Kafka.Topic` is `Kafka.Topic`."""
    names = [name]
    for _ in range(8):
        if receiver.kind not in (Kind.MEMBER, Kind.NAME):
            break
        if _CONFIGURATION.fullmatch(receiver.text):
            return [ResolvedText(f"${{{'.'.join(reversed(names))}}}")] if len(names) > 1 else []
        names.append(receiver.text)
        receiver = receiver.receiver
    return []


def _members(owner: CodeScope) -> set[str]:
    """Return the names of the fields of a class, and of the parameters of a record."""
    return {*owner.types, *owner.bindings, *(part.name for part in owner.parameters)}


def _tag_part(pattern: re.Pattern[str] | None, tag: str) -> str:
    match = pattern.search(tag) if pattern is not None else None
    return next(filter(None, match.groups()), "") if match else ""
