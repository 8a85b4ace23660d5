"""The canonical text of code that no evaluation follows: what remains equal if locals are renamed and lines move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from scanner_programs.ir import (
    Assign,
    Block,
    Call,
    Case,
    Class,
    Declare,
    Exit,
    Field,
    File,
    Function,
    If,
    Index,
    Kind,
    Lambda,
    Literal,
    Loop,
    Match,
    Member,
    Name,
    Operation,
    Parameter,
    Text,
    Try,
    Unknown,
    parts_of,
    walk,
)
from scanner_programs.libraries.others import LOGGED, LOGGER_NOTES, checks

ORDER = " order of fields"
"""What the order of a class's fields is called behind its name."""
WAY = " on the way"
"""What the part of a function that leads to others is called behind its name."""
_PLACES = frozenset(("line", "end"))
_DIGITS = 16


class Digested:
    """A value made of others, compared by a digest that it keeps: values share parts, on exponentially many paths."""

    __slots__ = ("_digest",)
    _digest: bytes

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and digest_of(self) == digest_of(other))

    def __hash__(self) -> int:
        return hash(digest_of(self))


def digest_of(part: object) -> bytes:
    """Return what a part of a value, or a value made of others, is compared by."""
    if isinstance(part, Digested) and hasattr(part, "_digest"):
        return part._digest
    if isinstance(part, Digested | tuple):
        parts = part if isinstance(part, tuple) else [getattr(part, one) for one in part.__match_args__]  # type: ignore
        content = type(part).__name__.encode() + b"".join(map(digest_of, parts))
    else:
        is_text = type(part).__eq__ is not object.__eq__  # others are equal to nothing else
        content = (repr(part) if is_text else f"{type(part)} {id(part)}").encode("utf-8", "surrogatepass")
    digest = blake2b(content, digest_size=_DIGITS).digest()
    if isinstance(part, Digested):
        object.__setattr__(part, "_digest", digest)
    return digest


def code_text(code: object, is_silent: Callable[[object], bool] = lambda _code: False) -> str:
    """Return the canonical text of code; statements that *is_silent* holds for are left out."""
    return CodeWriter(is_silent).text(code)


class CodeWriter:
    """Writes code; *is_silent* says which statements are left out."""

    def __init__(self, is_silent: Callable[[object], bool] = lambda _code: False) -> None:
        self._is_silent = is_silent
        self._names: dict[str, str] = {}

    def text(self, code: object) -> str:
        """Return the text of code."""
        match code:
            case Name(name=name):
                return self._names.get(name, name)
            case Literal(kind=Kind.TEXT, text=text):
                return repr(text)
            case Literal(text=text):
                return text or "null"
            case Text(parts=parts) if all(isinstance(one, Literal) and one.kind is Kind.TEXT for one in parts):
                return repr("".join(one.text for one in parts if isinstance(one, Literal)))
            case Parameter():
                self._names.setdefault(code.name, f"${len(self._names)}")
                return (
                    f"{self.text(code.notes)} {self._names[code.name]}:{_packed(code.type)}={self.text(code.default)}"
                )
            case Declare(target=target):
                value = self.text(code.value)
                self._bind(target)
                return f"let {self.text(target)} {value}"
            case Loop(target=target) if target is not None:
                source = self.text(code.source)
                self._bind(target)
                return f"for {source} {self.text(target)} {self.text(code.body)}"
            case Member(of=of, name=name):
                return f"{self.text(of)}.{name}"
            case Function(parameters=parameters, body=body, type=kind, notes=notes):
                noted = self.text(notes)
                listed = ", ".join(self.text(one) for one in parameters)
                return f"{noted} ({listed}) {_packed(kind)} {self.text(body)}"
        return self._others(code)

    def _bind(self, target: object) -> None:
        if isinstance(target, Name):
            self._names.setdefault(target.name, f"${len(self._names)}")
        elif not isinstance(target, Member | Index | Call):
            for name in parts_of(type(target)) or ():
                for one in _listed(getattr(target, name)):
                    self._bind(one)

    def _others(self, code: object) -> str:
        if code is None:
            return ""
        if isinstance(code, tuple):
            return "; ".join(self.text(one) for one in code if not self._is_silent(one))
        names = parts_of(type(code))
        if names is not None:
            parts = [self.text(getattr(code, name)) for name in names if name not in _PLACES]
            kind = "" if isinstance(code, Exit) else type(code).__name__
            return f"{kind}({', '.join(parts)})"
        return _packed(str(code))


def _packed(text: str) -> str:
    """Return the text of a type or name without the gaps in it: they are what a formatter leaves."""
    return text if text.isidentifier() else "".join(text.split())


def _listed(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - members of any node
    return value if isinstance(value, tuple) else (value,)


def leading_to(function: Function, code: Collection[int]) -> Function:
    """Return a function with only the statements that decide whether and with what it comes to some of its *code*.

    *code* are the identities of what is kept. Further statements set the variables that these use, decide whether they
    are reached, or leave before.
    """
    body = _Part(code).of(function.body, leaves=False)
    return replace(function, body=body or Block(()))


class _Part:
    """Keeps the statements that lead to some code; *needed* are the variables that are used behind a statement."""

    def __init__(self, code: Collection[int]) -> None:
        self._code = code
        self.needed: set[str] = set()

    def of(self, block: Block | None, *, leaves: bool) -> Block | None:
        """Return what is left of a block; with *leaves* what leaves it matters, as something else comes later."""
        statements: list[Any] = []
        for one in reversed(block.statements if block is not None else ()):
            kept = self._kept(one, leaves=leaves or bool(statements))
            if kept is not None:
                statements += reversed(kept.statements) if isinstance(kept, Block) else (kept,)
        return Block(tuple(reversed(statements))) if statements else None

    def _one_of(self, blocks: Iterable[Block | None], *, leaves: bool) -> list[Block | None]:
        """Return what is left of each of several blocks, if only one of them runs."""
        behind, needed, kept = set(self.needed), set(self.needed), list[Block | None]()
        for one in blocks:
            self.needed = set(behind)
            kept.append(self.of(one, leaves=leaves))
            needed |= self.needed
        self.needed = needed
        return kept

    def _again(self, block: Block, *, leaves: bool) -> Block | None:
        """Return what is left of a block that may run many times: what it sets may be used further up in it."""
        known: set[str] = set()
        body: Block | None = None
        while known != self.needed:
            known = set(self.needed)
            body = self.of(block, leaves=leaves)
            self.needed |= known
        return body

    def _kept(self, code: Any, *, leaves: bool) -> Any:  # noqa: ANN401 - any statement
        match code:
            case Block():
                return self.of(code, leaves=leaves)
            case If():
                then, otherwise = self._one_of((code.then, code.otherwise), leaves=leaves)
                if then or otherwise or self._has(code.test):
                    return self._using(replace(code, then=then or Block(()), otherwise=otherwise), code.test)
            case Loop():
                return self._loop(code, leaves=leaves)
            case Try():
                last = self.of(code.last, leaves=leaves)
                handlers = self._one_of(code.handlers, leaves=leaves or self._has(code.body))
                body = self.of(code.body, leaves=leaves)
                if body or last or any(handlers):
                    return replace(
                        code, body=body or Block(()), last=last, handlers=tuple(one or Block(()) for one in handlers)
                    )
            case Match():
                return self._match(code, leaves=leaves)
            case Exit() if not self._has(code.value):
                return replace(code, value=None) if leaves else None
            case Declare() | Assign() if self._sets(code):
                return self._setting(code)
            case _ if self._has(code):
                return self._alone(code)
            case _ if self._sets(code):
                return self._using(code, code)
        return None

    def _loop(self, code: Loop, *, leaves: bool) -> Any:  # noqa: ANN401 - any statement
        behind = set(self.needed)
        body = self._again(code.body, leaves=leaves)
        if body:
            self.needed = behind
            body = self._again(code.body, leaves=True)
        if body or self._has((code.source, code.test)):
            return self._using(replace(code, body=body or Block(())), code.target, code.source, code.test)
        return None

    def _match(self, code: Match, *, leaves: bool) -> Any:  # noqa: ANN401 - any statement
        cases = self._one_of([one.body for one in code.cases], leaves=leaves)
        if self._has(code.of) and not any(cases):
            return self._alone(code.of)
        if not any(cases):
            return None
        kept = tuple(
            Case(one.values, body or Block(()), one.guard) for one, body in zip(code.cases, cases, strict=True)
        )
        self._using(None, *(one.values for one in kept), *(one.guard for one in kept))
        return self._using(replace(code, cases=kept), code.of)

    def _setting(self, code: Any) -> Any:  # noqa: ANN401 - any statement
        """Return a statement that sets what is needed: a variable that it gives a new value needs none before."""
        if isinstance(code, Declare) or (not code.operator and isinstance(code.target, Name)):
            targets = [one.name for one in walk(code.target) if isinstance(one, Name)]
            self.needed.difference_update(targets)
            return self._using(code, code.value)
        return self._using(code, code)

    def _alone(self, code: Any) -> Any:  # noqa: ANN401 - any statement
        """Return what is kept of an expression without what is done with its value."""
        while id(code) not in self._code:
            match code:
                case Call():
                    parts: list[Any] = [code.function, *(one.value for one in code.arguments)]
                case Member(of=of):
                    parts = [of]
                case Declare(value=value) | Exit(value=value):
                    parts = [value]
                case _:
                    break
            inside = [one for one in parts if self._has(one)]
            if len(inside) != 1:
                break
            code = inside[0]
        return self._using(code, code)

    def _has(self, code: object) -> bool:
        return any(id(one) in self._code for one in walk(code))

    def _sets(self, code: object) -> bool:
        """Return whether a statement sets or fills a variable that is needed."""
        if isinstance(code, Declare | Assign | Unknown):
            used = code.parts if isinstance(code, Unknown) else code.target
            return any(isinstance(one, Name) and one.name in self.needed for one in walk(used))
        if not isinstance(code, Call):
            return False
        given = [one.value for one in code.arguments]
        inside = (one for each in given if isinstance(each, Lambda) for one in walk(each) if isinstance(one, Assign))
        return any(_root(one) in self.needed for one in (code, *given, *(one.target for one in inside)))

    def _using(self, kept: Any, *used: object) -> Any:  # noqa: ANN401 - any statement
        self.needed.update(one.name for each in used for one in walk(each) if isinstance(one, Name))
        return kept


def watchers_in(file: File, known: Class | None, watches: Callable[[str], bool]) -> set[str]:
    """Return the names in a file or class that stand for a logger, a meter or a tracer.

    *watches* says whether a full name is one of a library for that.
    """
    names = {name for name, full in file.imports.items() if watches(full)}
    kinds = {one.type.partition("<")[0].strip("?") for one in (known.fields if known is not None else ())} - {""}
    names |= {kind for kind in kinds if kind not in file.imports and watches(kind)}
    noted = known.notes if known is not None else ()
    return typed_in(file, known, names) | {LOGGER_NOTES[note.name] for note in noted if note.name in LOGGER_NOTES}


def is_logged(function: Function) -> bool:
    """Return whether a library implements a method by a log line, as its notes say."""
    return function.body is None and any(one.name in LOGGED for one in function.notes)


def typed_in(file: File, known: Class | None, types: Collection[str]) -> set[str]:
    """Return *types*, and the names in a file or class of what is declared as one of them or made of one."""
    names = {*types}
    for one in (*file.statements, *(known.fields if known is not None else ())):
        if (isinstance(one, Declare) and isinstance(one.target, Name) and _root(one.value) in names) or (
            isinstance(one, Assign) and isinstance(one.target, Name) and _root(one.value) in names
        ):
            names.add(one.target.name)
        elif isinstance(one, Field) and ({one.type.partition("<")[0].strip("?"), _root(one.value)} & names):
            names.add(one.name)
    return names


def silent_in(
    file: File,
    known: Class | None,
    watches: Callable[[str], bool],
    others: Mapping[str, Collection[str]] | None = None,
    beside: Collection[str] = (),
) -> Callable[[object], bool]:
    """Return what says whether a statement of a file or class only logs, counts or traces, or declares what does.

    *others* are the members of other classes that do, by the name of the class: a logger that several share. *beside*
    are names that other files of the package declare for such objects.
    """
    names = watchers_in(file, known, watches) | {*beside}
    checking = {name for name, full in file.imports.items() if checks(full)}

    def is_silent(code: object) -> bool:
        if isinstance(code, Declare | Assign) and isinstance(code.target, Name) and code.target.name in names:
            return _root(code.value) in names
        root = _root(code) if isinstance(code, Call) else ""
        shared = others is not None and root in others and _second(code) in others[root]
        if bool(root) and (root in checking or checks(_dotted(code))):
            return not any(isinstance(one, Operation) for one in walk(code))  # that something is there decides nothing
        return bool(root) and (root in names or watches(root) or shared or watches(_dotted(code)))

    return is_silent


def _dotted(code: object) -> str:
    """Return the names of what a call is of, with dots between them; empty for calls of what other calls return."""
    names: list[str] = []
    code = code.function if isinstance(code, Call) else code
    while isinstance(code, Member):
        names.insert(0, code.name)
        code = code.of
    return ".".join([code.name, *names]) if isinstance(code, Name) else ""


def _second(code: object) -> str:
    """Return the member of the name that a chain of calls and members begins with."""
    name = ""
    while isinstance(code, Call | Member):
        name = code.name if isinstance(code, Member) else name
        code = code.function if isinstance(code, Call) else code.of
    return name


def _root(code: object) -> str:
    """Return the name that a chain of calls and members begins with; of a member of *this*, that member."""
    while isinstance(code, Call | Member):
        if isinstance(code, Member) and code.of == Name("this"):
            return code.name
        code = code.function if isinstance(code, Call) else code.of
    return code.name.rstrip("!") if isinstance(code, Name) else ""


def class_texts(known: Class) -> Iterator[tuple[str, str, int]]:
    """Yield the canonical text of a class without its functions, and that of each field, by name and with the line."""
    yield "", f"{known.kind} {known.supers} {code_text(known.notes)} {code_text(known.statements)}", known.line
    yield ORDER, " ".join(one.name for one in known.fields), known.line
    for one in known.fields:
        yield f".{one.name}", code_text(one), one.line or known.line
