"""The texts that an expression may have, by what its calls and names mean in the language of its file.

A value that is known only where the program runs is a placeholder `${name}` or `${name:default}`, as Spring writes it:
`settings.py` looks it up in the configuration of the module and in its deployment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from scanner_extractor.repository.applications.code import CodeScope
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.members import Members, is_environment, is_topic_builder
from scanner_extractor.repository.applications.names import DEEPEST, ResolvedText, is_open
from scanner_extractor.repository.applications.objects import MOST_VALUES
from scanner_model.redaction import is_secret_variable

MOST_STEPS = 1_000
"""Maximum steps for one expression."""
_ENCODING = re.compile(r"(?i)utf-?\d+(?:[-_]?[bl]e)?|(?:us-)?ascii|latin-?1|iso-8859-\d+")
"""What says how the bytes of a text are."""


@dataclass(slots=True)
class Resolver(Members):
    """Resolves expressions to texts."""

    def texts(self, expr: Expr | None, scope: CodeScope) -> list[ResolvedText]:
        """Return the texts that *expr* may have, without repetitions; none where it is not known."""
        if expr is None:
            return []
        self.steps = 0
        values = self._of(expr, scope, 0)
        defaulted = {value.text.partition(":")[0] for value in values if value.text.startswith("${")}
        return [
            value
            for value in dict.fromkeys(values)
            if value.text.strip() and not (is_open(value.text) and value.text[:-1] in defaulted)
        ][:MOST_VALUES]

    def _of(self, expr: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        self.steps += 1
        if depth > DEEPEST or self.steps > MOST_STEPS or _is_secret(expr):
            return []
        match expr.kind:
            case Kind.TEXT:
                return [ResolvedText(expr.text)]
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

    def _join(self, parts: tuple[Expr, ...], scope: CodeScope, depth: int) -> list[ResolvedText]:
        values = [self._of(part, scope, depth) for part in parts]
        joined = []
        for combination in product(*values):
            unit = next((value.unit for value in combination if value.unit is not None), None)
            joined.append(ResolvedText("".join(value.text for value in combination), unit))
            if len(joined) == MOST_VALUES:
                break
        return joined

    def _choice(self, parts: tuple[Expr, ...], scope: CodeScope, depth: int) -> list[ResolvedText]:
        first, *others = (self._of(part, scope, depth) for part in parts)
        others_values = [value for values in others for value in values]
        return self._with_default(first, others_values) if first else others_values

    def _call(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        for read in (self._variable, self._text_method, self._made, self._getter, self._setting, self._passed):
            values = read(call, scope, depth)
            if values is not None:
                return values
        return []

    def _variable(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return the variable of the environment, or the option of Go's flags, that a call reads; None for others."""
        arguments, receiver, means = call.positional(), call.receiver, scope.language.values
        first = arguments[0] if arguments else NOTHING
        is_lookup = call.text in means.lookups and is_environment(receiver, means)
        if is_lookup or call.text in means.environment:
            return self._placeholder(self._of(first, scope, depth), arguments[1:], scope, depth)
        if call.text in means.flags and receiver.text in means.flag_owners and len(arguments) > 1:
            return self._of(arguments[-2], scope, depth)  # the default stands before the description
        return None

    def _text_method(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return what a method of a text or an optional value returns; None for another method."""
        arguments, receiver, means = call.positional(), call.receiver, scope.language.values
        first = arguments[0] if arguments else NOTHING
        if call.text in means.defaults and receiver.kind is not Kind.OTHER and len(arguments) == 1:
            return self._choice((receiver, first), scope, depth)
        if call.text in means.formats:
            return self._format(call, scope, depth)
        if call.text in means.lower:
            return [ResolvedText(value.text.lower(), value.unit) for value in self._of(receiver, scope, depth)]
        if call.text in means.parts:
            parts = self._of(first if receiver.kind is Kind.OTHER else receiver, scope, depth)
            by = _separator(call)
            return [ResolvedText(part.strip(), value.unit) for value in parts for part in _divided(value.text, by)]
        is_indexed = call.text == "[]" and call.node != receiver.node  # else the element of a loop
        if is_indexed and receiver.text in means.parts and _separator(receiver) != ",":
            return []  # one part of a name, not one of several names
        return self._item(receiver, first, scope, depth) if call.text == "[]" else None

    def _made(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return the texts of a list or topic that a call makes; None for another call."""
        arguments, means = call.positional(), scope.language.values
        first = arguments[0] if arguments else NOTHING
        if call.text in means.keys:
            table = first if call.receiver.text == "Object" else call.receiver
            return self._keys(table, scope, depth)
        if call.text in means.lists and arguments and not self._is_own(call.text, scope):
            return [value for part in arguments for value in self._of(part, scope, depth)][:MOST_VALUES]
        if call.text in means.topics or (call.text in ("topic", "name") and first.kind is not Kind.OTHER):
            return self._of(call.named("topic", "name", "Topic", "Name", "topic_name") or first, scope, depth)
        return None

    def _keys(self, table: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return the keys of an object or dictionary: topics with their handlers."""
        found = self._object(table, scope, 0)
        pairs = [part for part in found.parts if part.kind is Kind.PAIR and len(part.parts) > 1]
        return [value for pair in pairs for value in self._of(pair.parts[1], scope, depth)][:MOST_VALUES]

    def _getter(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return what a function of the repository returns; None where it is none, or nothing is known of it."""
        if not call.positional() and call.receiver.kind is not Kind.OTHER:
            found = self._member(call.receiver, call.text, scope, depth)
            if not found and scope.language.has_packages:
                found = self._function_value(call, scope, depth)  # a method stands outside its type
            return found or (self._of(call.receiver, scope, depth) if call.text in scope.language.values.same else [])
        return self._function_value(call, scope, depth) or None

    def _setting(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return the setting that a call looks up; None where it looks up none."""
        arguments = call.positional()
        if call.text not in scope.language.values.properties or not arguments or arguments[0].kind is Kind.OTHER:
            return None
        section = self._section(call.receiver, scope, depth)
        keys = [ResolvedText(section + key.text, key.unit) for key in self._of(arguments[0], scope, depth)]
        return self._placeholder(keys, [part for part in arguments[1:2] if part.kind is Kind.TEXT], scope, depth)

    def _passed(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText] | None:
        """Return the value that a call passes on: `trim`, `valueOf`, the end of a builder of topics."""
        arguments, receiver = call.positional(), call.receiver
        means = scope.language.values
        arguments = [part for part in arguments if part.kind is not Kind.TEXT or not _ENCODING.fullmatch(part.text)]
        if call.text in means.same:
            is_method = receiver.kind is not Kind.OTHER and not arguments
            return self._of(receiver if is_method else (arguments or [NOTHING])[0], scope, depth)
        return self._of(receiver, scope, depth) if is_topic_builder(receiver, means) else None

    def _new(self, new: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        means = scope.language.values
        if new.text in means.topics or new.text in means.lists:
            named = new.named("topic", "name", "Topic", "Name")
            parts = [named] if named else new.positional()[:1] if new.text in means.topics else new.positional()
            return [value for part in parts for value in self._of(part, scope, depth)]
        return []

    def _format(self, call: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
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

    def _section(self, receiver: Expr, scope: CodeScope, depth: int) -> str:
        """Return the prefix of a section of settings: `config.GetSection("Kafka")`, `config.getConfig("kafka")`."""
        if receiver.kind is Kind.NAME:
            for outer in scope.outward():
                for bound in outer.bindings.get(receiver.text, ())[:1]:
                    return self._section(bound, scope, depth + 1) if depth < DEEPEST else ""
        if receiver.kind is Kind.CALL and receiver.text in scope.language.values.sections and depth < DEEPEST:
            for value in self._of((receiver.positional() or [NOTHING])[0], scope, depth + 1):
                return f"{self._section(receiver.receiver, scope, depth)}{value.text}."
        return ""

    def _item(self, receiver: Expr, key: Expr, scope: CodeScope, depth: int) -> list[ResolvedText]:
        """Return an item of a list, a member of a map, or a setting by its name."""
        for value in self._of(key, scope, depth) if key.kind is not Kind.OTHER else ():
            found = self._member(receiver, value.text, scope, depth)
            if found:
                return found
            # A colon is between sections, as .NET has it; in a placeholder it would begin a default.
            name = f"{self._section(receiver, scope, depth)}{value.text}".replace(":", ".")
            return [ResolvedText(f"${{{name}}}")]
        return self._of(receiver, scope, depth)


def _separator(call: Expr) -> str:
    """Return what a call divides a text at: a comma if it does not tell."""
    return next((part.text for part in call.positional() if part.kind is Kind.TEXT and part.text), ",")


def _divided(text: str, separator: str) -> list[str]:
    return text.split(separator) if "${" not in text else [text]


def _is_secret(expr: Expr) -> bool:
    """Return whether the value of a variable is a secret by its name, which no topic's name may show."""
    return expr.kind in (Kind.NAME, Kind.MEMBER) and is_secret_variable(expr.text)
