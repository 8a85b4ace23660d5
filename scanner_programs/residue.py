"""The canonical text of code that no evaluation follows: what remains equal if locals are renamed and lines move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from scanner_programs.ir import (
    Assign,
    Call,
    Class,
    Declare,
    Exit,
    Field,
    File,
    Function,
    Index,
    Kind,
    Literal,
    Loop,
    Member,
    Name,
    Parameter,
    parts_of,
)
from scanner_programs.libraries.others import LOGGER_NOTES

ORDER = " order of fields"
"""What the order of a class's fields is called behind its name."""
_PLACES = frozenset(("line", "end"))


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


def watchers_in(file: File, known: Class | None, watches: Callable[[str], bool]) -> set[str]:
    """Return the names in a file or class that stand for a logger, a meter or a tracer.

    *watches* says whether a full name is one of a library for that.
    """
    names = {name for name, full in file.imports.items() if watches(full)}
    kinds = {one.type.partition("<")[0].strip("?") for one in (known.fields if known is not None else ())} - {""}
    names |= {kind for kind in kinds if kind not in file.imports and watches(kind)}
    noted = known.notes if known is not None else ()
    return typed_in(file, known, names) | {LOGGER_NOTES[note.name] for note in noted if note.name in LOGGER_NOTES}


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

    def is_silent(code: object) -> bool:
        if isinstance(code, Declare | Assign) and isinstance(code.target, Name) and code.target.name in names:
            return _root(code.value) in names
        root = _root(code) if isinstance(code, Call) else ""
        shared = others is not None and root in others and _second(code) in others[root]
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
