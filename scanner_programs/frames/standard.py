"""Python's standard library for the machine: functions of modules without effects run as they are, on known values."""

from __future__ import annotations

import ast
import configparser
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanner_model.linear_patterns import InvalidPattern, LinearPattern
from scanner_programs.frames.machine import (
    MOST_ITEMS,
    Arguments,
    Class,
    Evaluated,
    Function,
    Instance,
    Library,
    Machine,
    Method,
    Scope,
    Unknown,
    one_of,
)

_ENDLESS = frozenset({"count", "cycle", "repeat", "tee"})
_OPERATORS: Mapping[str, ast.operator] = {
    "add": ast.Add(),
    "concat": ast.Add(),
    "sub": ast.Sub(),
    "mul": ast.Mult(),
    "truediv": ast.Div(),
    "mod": ast.Mod(),
    "and_": ast.BitAnd(),
    "or_": ast.BitOr(),
}
_PLACES: Mapping[str, re.Pattern[str]] = {
    "string": re.compile(r"\$(?:\{(\w+)\}|(\w+))"),
    "jinja2": re.compile(r"\{\{-?\s*([\w.]+)\s*(?:\|\s*\w+\s*)?-?\}\}"),
}


class Sections(dict[str, Evaluated]):
    """The sections of files of settings that a program reads with `configparser`; *find* returns a file's text."""

    def __init__(self, find: Callable[[Evaluated], str | None]) -> None:
        super().__init__()
        self.find = find

    def read(self, names: Evaluated, encoding: str | None = None) -> None:
        """Add the sections of files; one that the repository has not is skipped, as Python does."""
        for name in names if isinstance(names, list | tuple) else [names]:
            parser = configparser.ConfigParser(interpolation=None, strict=False)
            try:
                parser.read_string(self.find(name) or "")
            except configparser.Error:
                continue
            for section in parser.sections():
                self.setdefault(section, {}).update(parser[section])

    def get(self, section: str, option: Evaluated = None, fallback: Evaluated = None, **_: Evaluated) -> Evaluated:
        """Return a section, or one of its settings."""
        known = super().get(section)
        if not isinstance(option, str) or not isinstance(known, dict):
            return known
        return known.get(option.lower(), fallback)

    def items(self, section: str | None = None) -> Evaluated:
        """Return the settings of a section with their names, or the sections with theirs."""
        return list(super().get(section, {}).items()) if section is not None else super().items()

    def sections(self) -> list[str]:
        """Return the names of the sections."""
        return list(self)


@dataclass(slots=True, eq=False)
class TextTemplate(Library):
    """A text with places for values, as *kind* writes them."""

    text: str
    kind: str

    def do_substitute(self, machine: Machine, arguments: Arguments) -> Evaluated:
        first = arguments.get(0)
        given = {**(first if isinstance(first, dict) else {}), **arguments.named}
        missing: list[str] = []

        def filled(match: re.Match[str]) -> str:
            name = next(each for each in match.groups() if each)
            value = given.get(name)
            if not isinstance(value, str | int | float):
                missing.append(name)
            return str(value)

        result = _PLACES[self.kind].sub(filled, self.text)
        return Unknown(why=f"{missing[0]} of a template is not known") if missing or "{%" in result else result

    do_safe_substitute = do_render = do_substitute


@dataclass(slots=True, eq=False)
class TextBuilder(Library):
    """A text that a program builds in steps; once a part of it is not known, it is not known."""

    text: Evaluated = ""

    def do_append(self, machine: Machine, arguments: Arguments) -> TextBuilder:
        part = arguments.get(0)
        known = isinstance(self.text, str) and isinstance(part, str | int)
        self.text = f"{self.text}{part}" if known and not isinstance(part, bool) else Unknown()
        return self

    do_write = do_append

    def do_toString(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return self.text

    do_getvalue = do_toString


@dataclass(slots=True, eq=False)
class Wrapped(Library):
    """A value in a `Try` or `Either` of Scala."""

    wrapped: Evaluated

    def do_map(self, machine: Machine, arguments: Arguments) -> Wrapped:
        made = machine.call(arguments.get(0), Arguments((self.wrapped,), {}, arguments.place))
        return made if isinstance(made, Wrapped) else Wrapped(made)

    do_flatMap = do_transform = do_fold = do_foreach = do_map

    def do_get(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return self.wrapped

    do_result = do_get

    def do_getOrElse(self, machine: Machine, arguments: Arguments) -> Evaluated:
        is_known = not isinstance(self.wrapped, Unknown) or bool(self.wrapped.inputs)
        return self.wrapped if is_known else arguments.get(0, default=self.wrapped)

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return self.wrapped if name in ("get", "value") else Method(self, lambda _, __: self)


@dataclass(slots=True, eq=False)
class CommandOption(Library):
    """A decorator of a command that sets a parameter: the option's default, or its name as a setting."""

    name: str
    value: Evaluated

    def decorate(self, function: Function) -> None:
        """Add the default to those of the function."""
        function.given.setdefault(self.name, self.value)


def option(arguments: Arguments, given: Mapping[str, Evaluated]) -> CommandOption:
    """Return the decorator of an option or argument of a command line; *given* are those that a task passes."""
    flags = [each for each in arguments.values if isinstance(each, str)]
    plain = [each for each in flags if not each.startswith("-")]
    name = (plain or [max(flags, key=len, default="")])[-1].partition("/")[0].lstrip("-").replace("-", "_").lower()
    default = arguments.named.get("default")
    setting = arguments.named.get("envvar")
    if isinstance(setting, str):
        default = f"${{{setting}:{default}}}" if isinstance(default, str) else f"${{{setting}}}"
    return CommandOption(name, given.get(name, Unknown() if default is None else default))


def standard_call(machine: Machine, name: str, arguments: Arguments) -> Evaluated:
    """Return what a function of the standard library returns; None for one that is not known."""
    module, _, last = name.partition(".")
    if name.rpartition(".")[2] in _POOLS:
        return FunctionPool()
    if (run := _EXECUTED.get(name.rpartition(".")[2])) is not None and any(map(_is_function, arguments.every)):
        return run(machine, arguments)
    if module == "itertools" and last not in _ENDLESS:
        return _iterated(machine, last, arguments)
    if module == "operator" and last in _OPERATORS and len(arguments.values) == 2:
        return machine.binary(_OPERATORS[last], *arguments.values)
    if module == "re" and last == "sub":
        return _replaced(arguments)
    if name.rpartition(".")[2] in ("StringBuilder", "StringBuffer") or name == "io.StringIO":
        first = arguments.get(0)
        return TextBuilder() if isinstance(first, int | None) else TextBuilder().do_append(machine, arguments)
    if last == "Template" and module in _PLACES and isinstance(text := arguments.get(0), str):
        return TextTemplate(text, module)
    if module == "collections" and last == "namedtuple":
        return _record(arguments)
    if module == "collections" and last in ("OrderedDict", "defaultdict"):
        rest = arguments.values[1:] if last == "defaultdict" else arguments.values
        return {key: value for each in rest if isinstance(each, dict) for key, value in each.items()}
    return None


def _submitted(machine: Machine, arguments: Arguments) -> Evaluated:
    """Return what `pool.submit(function, value)` makes later; what is before the function is an option."""
    at = next((at for at, each in enumerate(arguments.values) if _is_function(each)), None)
    if at is None:
        return None
    given = Arguments(arguments.values[at + 1 :], arguments.named, arguments.place)
    return Wrapped(machine.call(arguments.values[at], given))


def _thread(machine: Machine, arguments: Arguments) -> Evaluated:
    """Run the target of a thread with its arguments."""
    listed, named = arguments.named.get("args", ()), arguments.named.get("kwargs", {})
    is_known = isinstance(listed, list | tuple) and isinstance(named, dict)
    given = Arguments(tuple(listed), named, arguments.place) if is_known else Arguments((), {}, arguments.place)
    machine.call(arguments.named.get("target"), given)
    return Unknown()


_EXECUTED: Mapping[str, Callable[[Machine, Arguments], Evaluated]] = {
    **dict.fromkeys(("run_in_executor", "to_thread"), _submitted),
    "delayed": lambda _, arguments: arguments.get(0),
    **dict.fromkeys(("Thread", "Process", "Timer"), _thread),
}
"""Functions of libraries that run a function of the program elsewhere."""
_POOLS = frozenset({"ThreadPoolExecutor", "ProcessPoolExecutor", "ThreadPool", "Pool"})


@dataclass(slots=True, eq=False)
class Dispatch(Library):
    """A function with others for the classes of its first argument: `functools.singledispatch`."""

    base: Function
    cases: list[tuple[Evaluated, Function]] = field(default_factory=list)

    def do_register(self, machine: Machine, arguments: Arguments) -> Evaluated:
        given = [*arguments.values]
        function = given.pop() if given and isinstance(given[-1], Function) else None
        if function is None:
            kind = given[0] if given else None
            return Method(self, lambda machine, later: self._add(kind, later.get(0)))
        annotation = function.node.args.args[0].annotation if function.node.args.args else None
        kind = given[0] if given else machine.value(annotation, function.scope) if annotation is not None else None
        return self._add(kind, function)

    def _add(self, kind: Evaluated, function: Evaluated) -> Evaluated:
        if isinstance(function, Function):
            self.cases.append((kind, function))
        return function

    def called(self, machine: Machine, arguments: Arguments) -> Evaluated:
        """Call the function of the class that is nearest to the argument's; of an unknown argument, any."""
        first = arguments.get(0)
        if not isinstance(first, Instance) or first.of is None:
            return one_of([machine.call(each, arguments) for each in (*(case for _, case in self.cases), self.base)])
        for of in first.of.lineage():
            for kind, function in self.cases:
                if kind is of:
                    return machine.call(function, arguments)
        return machine.call(self.base, arguments)


class FunctionPool(Library):
    """Threads or processes that run functions of the program."""

    def do_map(self, machine: Machine, arguments: Arguments) -> list[Evaluated]:
        function, *lists = arguments.values
        rows = zip(*map(machine.items, lists), strict=False)
        return [machine.call(function, Arguments(row, {}, arguments.place)) for row in rows]

    do_imap = do_imap_unordered = do_map

    def do_starmap(self, machine: Machine, arguments: Arguments) -> list[Evaluated]:
        rows = [tuple(machine.items(each)) for each in machine.items(arguments.get(1))]
        return [machine.call(arguments.get(0), Arguments(row, {}, arguments.place)) for row in rows]

    def do_submit(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return _submitted(machine, arguments)

    do_apply_async = do_submit

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: Unknown())


def _iterated(machine: Machine, name: str, arguments: Arguments) -> Evaluated:
    """Return the items of an iterator over known values: a function of the program is called by the machine."""
    run = getattr(itertools, name.partition(".")[0], None)
    if name == "chain.from_iterable":
        return [item for each in machine.items(arguments.get(0)) for item in machine.items(each)][:MOST_ITEMS]
    if run is None or any(isinstance(each, int) and each > MOST_ITEMS for each in arguments.every):
        return None

    def passed(value: Evaluated) -> Evaluated:
        if isinstance(value, int | None):
            return value
        return _callable(machine, value, arguments.place) if _is_function(value) else machine.items(value)

    try:
        made = run(*map(passed, arguments.values), **{key: passed(each) for key, each in arguments.named.items()})
        return [_listed(each) for each in itertools.islice(made, MOST_ITEMS)]
    except (TypeError, ValueError):
        return Unknown()


def _is_function(value: Evaluated) -> bool:
    return isinstance(value, Function | Method)


def _callable(machine: Machine, function: Evaluated, place: str) -> Callable[..., Evaluated]:
    return lambda *given: machine.call(function, Arguments(given, {}, place))


def _listed(value: Evaluated) -> Evaluated:
    """Return an item of an iterator: a group is a key and the list of its items."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Iterator):
        return value[0], list(itertools.islice(value[1], MOST_ITEMS))
    return value


def _replaced(arguments: Arguments) -> Evaluated:
    pattern, new, text = (arguments.get(at, name) for at, name in enumerate(("pattern", "repl", "string")))
    if not all(isinstance(each, str) for each in (pattern, new, text)):
        return Unknown()
    try:
        return LinearPattern(pattern).replaced(text, new)
    except InvalidPattern:
        return Unknown(why=f"the pattern {pattern!r} is not evaluated")


def _record(arguments: Arguments) -> Evaluated:
    fields = arguments.get(1)
    names: Sequence[Evaluated] = fields.replace(",", " ").split() if isinstance(fields, str) else fields or ()
    listed = tuple(each for each in names if isinstance(each, str))
    return Class(str(arguments.get(0)), (), {}, Scope(""), listed)
