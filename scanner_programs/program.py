"""A program: its files as one model, with the names, classes and functions in them, and who extends whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import takewhile
from posixpath import dirname, join, normpath
from typing import Any, TypeVar

from scanner_programs.ir import (
    Argument,
    Assign,
    Block,
    Call,
    Class,
    Declare,
    Exit,
    Expression,
    Field,
    File,
    Function,
    Kind,
    Lambda,
    Leave,
    Literal,
    Member,
    Name,
    New,
    Note,
    Sequence,
    walk,
)
from scanner_programs.libraries.others import (
    BY_PLACE,
    NAMES_OBJECT,
    NAMING_ENUMERATIONS,
    NAMING_METHODS,
    NAMING_SETTINGS,
    NAMING_STYLES,
    PROVIDES,
    TABLE_FIELDS,
    TABLES,
)
from scanner_programs.libraries.standard import ADDS, DEFAULTS, HOLDERS, HOLDERS_OF_LAST, IMPLICIT, SEQUENCES, TAKES
from scanner_programs.values import Apply, Const, Get, Thing, Value

Code = TypeVar("Code")

_WRAPPERS_OPEN = "<["
_GENERATED = re.compile(r"^// Code generated .* DO NOT EDIT\.$", re.MULTILINE)
_OF_HEADER = 4_000
"""Characters of a file that the mark of generated code may be in."""
_STRUCTURAL = ("go", "typescript", "javascript", "python")
"""Languages in which a class has an interface by its methods; in Python, one that is declared as a protocol."""
_WRAPPERS_CLOSE = ">]"
_OTHER_TYPE = re.compile(r"\*?\w+(?:\.\w+)?")
"""A type that is another one of a name: no function, list or struct."""
_MOST_NAMES = 4
"""Names that one type may have, each declared as the next."""


@dataclass(slots=True, eq=False)
class Known:
    """A class of the program, the file that it is in, and the class enclosing it."""

    cls: Class
    file: File
    outer: Known | None = None
    scope: Scope | None = None
    statics: dict[str, Value] = field(default_factory=dict)

    @property
    def qualified(self) -> str:
        """Return its name behind the package and the classes enclosing it."""
        before = self.outer.qualified if self.outer is not None else self.file.package
        return f"{before}.{self.cls.name}" if before else self.cls.name

    def field(self, name: str) -> Field | None:
        """Return its own field of a name; None without one."""
        return next((one for one in self.cls.fields if one.name == name), None)


@dataclass(slots=True, eq=False)
class Scope:
    """Variables that code sees: its own, those of enclosing code, members of *this*, and those of the file."""

    file: File
    parent: Scope | None = None
    this: Value | None = None
    known: Known | None = None
    variables: dict[str, Value] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Scope | None:
        """Return the scope that has a variable; None if none has."""
        scope: Scope | None = self
        while scope is not None and name not in scope.variables:
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A function, with the class and file that it is in; statements of a file are a function without a name."""

    function: Function
    file: File
    known: Known | None = None

    @property
    def name(self) -> str:
        """Return its name behind that of its class; it is the same in two versions of a program."""
        owner = f"{self.known.cls.name}." if self.known is not None else ""
        return f"{owner}{self.function.name}" if self.function.name else f"statements of {self.file.path}"


@dataclass
class Program:
    """The files of a program.

    *setting* returns the value of a setting by its name, *ending* that of the only setting whose name ends in what is
    given; both None without one. Names are compared without letter case, dashes and underscores. *records* are
    the classes that schemas generate, *tables* those that something writes to topics, each with these topics.
    *aliases* are directories by what imports call them. *usual* is how the clients that it uses write names of members.
    """

    files: tuple[File, ...]
    setting: Callable[[str], str | None] = lambda _name: None
    ending: Callable[[str], str | None] = lambda _name: None
    records: frozenset[str] = frozenset()
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    usual: str = ""
    _renamed_in: dict[tuple[str, str, str], File | None] = field(default_factory=dict, init=False, repr=False)
    _folders: dict[tuple[str, str], str] = field(default_factory=dict)
    _under: dict[int, list[Known]] = field(default_factory=dict)

    def alias_of(self, imported: str) -> str | None:
        """Return what an import calls a directory of the program; None if it does not begin with such a name."""
        path = imported.replace("::", "/")
        return next((one for one in self.aliases if path == one or path.startswith((f"{one}/", f"{one}."))), None)

    def folder_of(self, imported: str, name: str = "") -> str:
        """Return the directory that an import means by an alias, or the path of the file there up to its ending.

        It is empty without an alias. *name* may end the import: it is what it names in the file.
        """
        key = imported, name
        if key not in self._folders:
            alias = self.alias_of(imported) or ""
            folder = self.aliases.get(alias, "")
            imported = imported.replace("::", "/")
            path = folder + imported[len(alias) :].removesuffix(f".{name}").strip("/")
            file = next((f"{one}." for one in _stems_of(path) if path != folder and one in self._stems), "")
            self._folders[key] = file if folder and file else folder
        return self._folders[key]

    def at(self, file: File, imported: str) -> File | None:
        """Return the file that an import of JavaScript names by its path from a file; None for other imports."""
        if file.language != "typescript" or not imported.startswith("."):
            return None
        stems = _stems_of(normpath(join(dirname(file.path), imported)).removeprefix("."))
        return next((self._stems[one] for one in stems if one in self._stems), None)

    @cached_property
    def _stems(self) -> dict[str, File]:
        """Return the files by their paths without the endings."""
        return {file.path.rpartition(".")[0]: file for file in self.files}

    @cached_property
    def classes(self) -> dict[str, list[Known]]:
        """Return the classes by their simple names."""
        found: dict[str, list[Known]] = {}
        for file in self.files:
            for known in _classes(file, file.classes, None):
                found.setdefault(known.cls.name, []).append(known)
        return found

    @cached_property
    def rows(self) -> dict[str, tuple[str, ...]]:
        """Return the classes that are mapped to one of the tables, each with the topics of the table."""
        found: dict[str, tuple[str, ...]] = {}
        for name, listed in self.classes.items() if self.tables else ():
            for known in listed:
                table = _table_of(known.cls)
                if table in self.tables:
                    found[name] = self.tables[table]
        return found

    @cached_property
    def functions(self) -> dict[str, list[Place]]:
        """Return the functions outside of classes, by name."""
        found: dict[str, list[Place]] = {}
        for file in self.files:
            for function in file.functions:
                found.setdefault(function.name, []).append(Place(function, file))
        return found

    @cached_property
    def methods(self) -> dict[str, list[Place]]:
        """Return the functions of classes, by name."""
        found: dict[str, list[Place]] = {}
        for listed in self.classes.values():
            for known in listed:
                for function in self.members(known):
                    found.setdefault(function.name, []).append(Place(function, known.file, known))
        return found

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Return all functions, and the statements of files and of single objects outside of functions."""
        found = [place for listed in (*self.functions.values(), *self.methods.values()) for place in listed]
        known = {id(place.function) for place in found}
        found += [place for place in self._extensions.values() if id(place.function) not in known]
        for file in self.files:
            if file.statements:
                found.append(Place(Function("", (), Block(tuple(file.statements))), file))
        for one in (one for listed in self.classes.values() for one in listed):
            if one.cls.single and one.cls.statements:
                code = Function("", (), Block(one.cls.statements), line=one.cls.line)
                found.append(Place(code, one.file, one))
        return tuple(found)

    @cached_property
    def _outside(self) -> dict[tuple[str, str], list[Function]]:
        """Return the methods that stand outside of their class, by the package of the file and the class."""
        found: dict[tuple[str, str], list[Function]] = {}
        for file in self.files:
            for owner, function in file.methods:
                found.setdefault((file.package, owner), []).append(function)
                if (file.package, owner) != ("", owner):
                    found.setdefault(("", owner), []).append(function)
        for known in (one for listed in self.classes.values() for one in listed):
            for function in known.cls.functions:
                if function.receiver:  # it extends another class for code in this one
                    found.setdefault(("", base_type(function.receiver)), []).append(function)
        return found

    @cached_property
    def handling(self) -> dict[int, list[Place]]:
        """Return the methods that a library calls with an object of a class, by the identity of the class.

        What their class extends has the class as a type parameter, and the method takes such an object first.
        """
        found: dict[int, list[Place]] = {}
        for known in (one for listed in self.classes.values() for one in listed):
            kinds = {base_type(one) for above in known.cls.supers for one in parameters_of(above)}
            for function in known.cls.functions:
                kind = function.parameters[0].type if function.parameters and function.body is not None else ""
                handled = self.class_of(kind, known.file, known) if kind and base_type(kind) in kinds else None
                if handled is not None:
                    found.setdefault(id(handled.cls), []).append(Place(function, known.file, known))
        return found

    def members(self, known: Known) -> tuple[Function, ...]:
        """Return the functions of a class, also those that stand outside of it."""
        outside = self._outside.get((known.file.package, known.cls.name), [])
        if not outside and len(self.classes.get(known.cls.name, ())) == 1:
            outside = self._outside.get(("", known.cls.name), [])
        functions = (*known.cls.functions, *outside)
        patches = self._patches.get(known.cls.name)
        if not patches:
            return functions
        return tuple(patches[one.name](one) if one.name in patches else one for one in functions)

    @cached_property
    def _patches(self) -> dict[str, dict[str, Callable[[Function], Function]]]:
        """Return what statements put in place of methods, such as `Order.to_dict = other`, by class and method."""
        found: dict[str, dict[str, Callable[[Function], Function]]] = {}
        for file, target, name, value in self._set_members:
            if target in self.classes:
                found.setdefault(target, {})[name] = partial(_patched, value, is_bound=file.language == "python")
        return found

    @cached_property
    def replaced(self) -> dict[str, Expression]:
        """Return what statements put in place of the members of objects of libraries, by the member's name."""
        made = {
            (file.path, code.target.name)
            for file in self.files
            for code in file.statements
            if isinstance(code, Declare | Assign)
            and isinstance(code.target, Name)
            and isinstance(code.value, Call | New)
        }
        return {name: value for file, target, name, value in self._set_members if (file.path, target) in made}

    @cached_property
    def _set_members(self) -> list[tuple[File, str, str, Expression]]:
        """Return the members of classes and objects that statements of files set, with what holds them."""
        found: list[tuple[File, str, str, Expression]] = []
        for file in self.files:
            for code in file.statements:
                if isinstance(code, Assign) and isinstance(code.target, Member) and not code.operator:
                    of = code.target.of
                    of = of.of if isinstance(of, Member) and of.name == "prototype" else of
                    if isinstance(of, Name):
                        found.append((file, of.name, code.target.name, code.value))
        return found

    @cached_property
    def extending(self) -> dict[str, list[Place]]:
        """Return the functions that extend classes, by name."""
        found: dict[str, list[Place]] = {}
        own = ((known.file, one) for listed in self.classes.values() for known in listed for one in known.cls.functions)
        free = ((file, one) for file in self.files for one in file.functions)
        for file, function in (*own, *free):
            if function.receiver:
                found.setdefault(function.name, []).append(Place(function, file))
        for file in self.files:
            for owner, function in file.methods if file.language == "csharp" else ():
                if owner not in self.classes:
                    found.setdefault(function.name, []).append(Place(function, file))
        return found

    def extension(self, name: str, kind: str) -> Place | None:
        """Return a function that extends a library's class of a simple name; None without one."""
        return self._extensions.get((kind, name))

    @cached_property
    def _extensions(self) -> dict[tuple[str, str], Place]:
        found: dict[tuple[str, str], Place] = {}
        for file in self.files:
            for owner, function in file.methods:
                if owner not in self.classes:
                    found[owner, function.name] = Place(function, file)
                    meant = self.underlying(owner, file).rpartition(".")[2]
                    found.setdefault((meant, function.name), found[owner, function.name])
        return found

    def underlying(self, name: str, file: File) -> str:
        """Return the full name of a library's type that a file of Go calls by its name or by the program's own."""
        for _ in range(_MOST_NAMES):
            package, _, simple = name.rpartition(".")
            imported = file.imports.get(package, "")
            declaring = self._renaming(simple, file.package, imported) if imported or not package else None
            if declaring is None:
                return f"{imported or package}.{simple}" if package else simple
            file, name = declaring, declaring.aliases[simple].lstrip("*")
        return name

    def _renaming(self, name: str, package: str, imported: str) -> File | None:
        """Return the file of a package that declares a type as another one of a name; None for other types."""
        key = name, package, imported
        if key not in self._renamed_in:
            listed = [file for file in self._with_aliases if _OTHER_TYPE.fullmatch(file.aliases.get(name, ""))]
            if imported:
                meant = [file for file in listed if in_package(file, imported, "")]
            else:
                meant = [file for file in listed if file.package == package]
            self._renamed_in[key] = meant[0] if meant else None
        return self._renamed_in[key]

    @cached_property
    def _with_aliases(self) -> list[File]:
        return [file for file in self.files if file.language == "go" and file.aliases]

    @cached_property
    def _below(self) -> dict[str, list[Known]]:
        found: dict[str, list[Known]] = {}
        for listed in self.classes.values():
            for known in listed:
                for name in known.cls.supers:
                    found.setdefault(base_type(name), []).append(known)
        return found

    def subclasses(self, known: Known) -> list[Known]:
        """Return the classes that extend or implement a class, at any distance, also by having its methods."""
        if id(known) not in self._under:
            self._under[id(known)] = self._subclasses(known)
        return self._under[id(known)]

    def _subclasses(self, known: Known) -> list[Known]:
        found: list[Known] = []
        waiting = [known]
        while waiting:
            for one in self._below.get(waiting.pop().cls.name, ()):
                if one not in found:
                    found.append(one)
                    waiting.append(one)
        if not found and known.cls.kind == "interface" and known.file.language in _STRUCTURAL:
            wanted = {_signature(function) for function in known.cls.functions}
            for listed in self.classes.values() if wanted else ():
                found += [
                    one
                    for one in listed
                    if one is not known
                    and one.cls.kind != "interface"
                    and wanted <= {_signature(function) for function in self.members(one)}
                ]
        return found

    def is_abstract(self, known: Known) -> bool:
        """Return whether a class only promises some of its methods: its objects are those of classes below it."""
        return known.cls.kind == "interface" or any(one.body is None for one in self.members(known))

    @cached_property
    def _by_kind(self) -> dict[type, list[Any]]:
        found: dict[type, list[Any]] = {}
        for file in self.files:
            for one in walk(file):
                found.setdefault(type(one), []).append(one)
        return found

    def code(self, kind: type[Code]) -> list[Code]:
        """Return all code of one kind, in its order."""
        return self._by_kind.get(kind, [])

    @cached_property
    def style(self) -> str:
        """Return how the program writes the names of members that nothing else names; empty if it uses several ways."""
        found = {
            NAMING_STYLES[one.name]
            for one in self.code(Member)
            if one.name in NAMING_STYLES and (_last_name(one.of) in NAMING_ENUMERATIONS or one.name in NAMING_METHODS)
        }
        made = (base_type(one.type) for one in self.code(New))
        found |= {NAMING_STYLES[one] for one in made if one in NAMING_STYLES}
        if found:
            return found.pop() if len(found) == 1 else ""
        named = (self.setting(one) for one in NAMING_SETTINGS)
        return next((NAMING_STYLES[one] for one in named if one is not None and one in NAMING_STYLES), self.usual)

    def is_alias(self, kind: str) -> bool:
        """Return whether a type is declared in the program as another name of one."""
        return any(kind in file.aliases for file in self.files)

    @cached_property
    def placed(self) -> dict[str, tuple[str, ...]]:
        """Return the names that codecs give the members of classes in their order, by class."""
        found: dict[str, tuple[str, ...]] = {}
        for one in (one for file in self.files if file.language == "scala" for one in walk(file)):
            name = one.function.name if isinstance(one, Call) and isinstance(one.function, Member) else ""
            if isinstance(one, Call) and name.startswith(BY_PLACE):
                texts = tuple(each.value.text for each in one.arguments if isinstance(each.value, Literal))
                made = one.arguments[-1].value if one.arguments else None
                made = made.of if isinstance(made, Member) else made
                if isinstance(made, Name) and texts:
                    found[made.name] = texts
        return found

    @cached_property
    def ends(self) -> dict[str, str]:
        """Return the one name of both ends of channels: what is put in at one is taken out at the other.

        Both are what one call returns, and the program puts something in at one of them and takes it from the other.
        """
        used: dict[str, set[bool]] = {}
        pairs: list[tuple[str, str]] = []
        for one in self.code(Call):
            if isinstance(one.function, Member) and one.function.name in ADDS | TAKES:
                used.setdefault(container_name(one.function.of), set()).add(one.function.name in ADDS)
        for declared in self.code(Declare):
            if isinstance(declared.target, Sequence) and isinstance(declared.value, Call):
                names = [each.name for each in declared.target.items if isinstance(each, Name)]
                if len(names) == len(declared.target.items) == 2:
                    pairs.append((names[0], names[1]))
        return {
            name: " ".join(pair)
            for pair in pairs
            if sorted((used.get(one, set()) for one in pair), key=str) == [{False}, {True}]
            for name in pair
        }

    @cached_property
    def codecs(self) -> dict[str, list[tuple[Known | None, File, Expression]]]:
        """Return the functions and objects that say how objects of a class are written, by the class, as Scala has it.

        That is the value of a variable of a generic type of the class alone, unless it makes objects of the class.
        """
        found: dict[str, list[tuple[Known | None, File, Expression]]] = {}
        listed: list[tuple[Known | None, File, str, Expression | None]] = [
            (known, known.file, one.type, one.value)
            for each in self.classes.values()
            for known in each
            for one in known.cls.fields
            if known.file.language == "scala"
        ]
        listed += [
            (None, file, one.type, one.value)
            for file in self.files
            for one in (file.statements if file.language == "scala" else ())
            if isinstance(one, Declare)
        ]
        for owner, file, kind, value in listed:
            inside = parameters_of(kind) if value is not None else ()
            if value is None or len(inside) != 1 or base_type(inside[0]) not in self.classes:
                continue
            if self._is_declared_inside(base_type(kind), file):  # a name for functions of any meaning
                continue
            for one in walk(value):
                if isinstance(one, Lambda) and len(one.function.parameters) == 1 and not self._makes(one, inside[0]):
                    found.setdefault(base_type(inside[0]), []).append((owner, file, one))
        return found

    def _is_declared_inside(self, name: str, file: File) -> bool:
        """Return whether a type is one that a class or object of the program declares, and no class of its own."""
        owner, _, simple = file.imports.get(name, name).rpartition(".")
        return owner.rpartition(".")[2] in self.classes and simple not in self.classes

    def _makes(self, code: object, kind: str) -> bool:
        """Return whether code makes objects of a class, or of one below it."""
        made = {one.function.name for one in walk(code) if isinstance(one, Call) and isinstance(one.function, Name)}
        made |= {base_type(one.type) for one in walk(code) if isinstance(one, New)}
        below = [one for known in self.classes.get(base_type(kind), ()) for one in (known, *self.subclasses(known))]
        return any(one.cls.name in made or one.qualified in made for one in below)

    def concrete(self, known: Known) -> list[Known]:
        """Return the classes that an object of a class may have: itself, and those below it that promise nothing."""
        own = [] if self.is_abstract(known) else [known]
        return own + [one for one in self.subclasses(known) if not self.is_abstract(one)]

    def provider(self, known: Known, kind: str, name: str, notes: Iterable[Note]) -> Place | None:
        """Return the only function that a container calls for an object which something asks it for; None without one.

        What asks has a type, a name and notes, which may name the object. *known* is the class of the type.
        """
        found = [
            one
            for one, made in self._providers
            if made is known
            or (made.cls.name == known.cls.name and made.file is known.file)
            or known in self.supers(made)
        ]
        wanted = set(_object_names(notes))
        ways: tuple[Callable[[Place], bool], ...] = (
            lambda one: bool(wanted & _names_of_object(one)),
            lambda one: is_alike(kind, one.function.type),
            lambda one: name in _names_of_object(one),
        )
        for way in ways[:1] if wanted else ways[1:]:
            fitting = [one for one in found if way(one)]
            found = fitting if fitting or wanted else found
        return found[0] if len(found) == 1 else None

    @cached_property
    def _providers(self) -> list[tuple[Place, Known]]:
        """Return the functions that a container calls for objects of classes of the program, with these."""
        found: list[tuple[Place, Known]] = []
        for place in self.places:
            if any(note.name in PROVIDES for note in place.function.notes):
                made = self.class_of(place.function.type, place.file, place.known) if place.function.type else None
                found += [(place, made)] if made is not None else []
        return found

    def extends_library(self, known: Known) -> bool:
        """Return whether a class, or one above it, extends or implements something that is not part of the program."""
        return any(
            self.class_of(name, one.file, one) is None
            for one in (known, *self.supers(known))
            for name in one.cls.supers
        )

    def supers(self, known: Known) -> list[Known]:
        """Return the classes of the program that a class extends or implements, nearest first."""
        found: list[Known] = []
        waiting = [known]
        while waiting:
            current = waiting.pop(0)
            for name in current.cls.supers:
                above = self.class_of(name, current.file, current)
                if above is not None and above not in found and above is not known:
                    found.append(above)
                    waiting.append(above)
        return found

    def method(self, known: Known, name: str, count: int | None = None) -> Place | None:
        """Return the method that an instance of a class has; with a body before one without; None without any.

        One that takes *count* arguments goes before others; also if a class above has it, in a language where methods
        of one name do not hide each other.
        """
        named = [
            Place(one, owner.file, owner)
            for owner in (known, *self.supers(known))
            for one in self.members(owner)
            if one.name == name
        ]
        if known.file.language not in IMPLICIT:
            own = next((one.known for one in named if one.function.body is not None), None)
            named = [one for one in named if own is None or one.known is own]
        fitting = [one for one in named if count is None or accepts(one.function, count)]
        with_body = (one for one in (*fitting, *named) if one.function.body is not None)
        return next(with_body, next(iter((*fitting, *named)), None))

    def fields(self, known: Known) -> list[tuple[Known, Field]]:
        """Return the fields of an instance: those of the outermost class that it extends first."""
        found: dict[str, tuple[Known, Field]] = {}
        for owner in (*reversed(self.supers(known)), known):
            for one in owner.cls.fields:
                if not one.static:
                    found[one.name] = (owner, one)
        return list(found.values())

    def field(self, known: Known, name: str) -> tuple[Known, Field] | None:
        """Return a field of a class or of what it extends; None without one."""
        for owner in (known, *self.supers(known)):
            one = owner.field(name)
            if one is not None:
                return owner, one
        return None

    def class_of(self, kind: str, file: File, near: Known | None = None) -> Known | None:
        """Return the class that a type means in a file; None if it is not one of the program, or may be several.

        *near* is the class that the type is named in: classes in it and enclosing it come first.
        """
        name = base_type(kind)
        simple = name.rpartition(".")[2]
        listed = self.classes.get(simple, [])
        if not listed or name.lstrip("<-").startswith("chan "):  # a channel of Go has its objects
            return None
        enclosing: Known | None = near
        while enclosing is not None:
            inner = [one for one in listed if one.outer is enclosing]
            if inner:
                return inner[0]
            enclosing = enclosing.outer
        before = name.rpartition(".")[0]
        if file.language == "rust" and not before:  # only a path or an import names a variant
            listed = [one for one in listed if one.outer is None or _is_brought(one.outer, simple, file)]
        if (
            before
            and "." not in before
            and any(one.outer is not None and one.outer.cls.name == before for one in listed)
        ):
            listed = [one for one in listed if one.outer is not None and one.outer.cls.name == before]
        if file.language == "go" and before in file.imports:  # the name of a package is before each of its types
            listed = [one for one in listed if one.file is not file and _is_imported(one, file.imports[before], file)]
        own = [one for one in listed if one.file is file]
        if own:
            return min(own, key=_nesting) if not before else own[0]
        imported = file.imports.get(simple) or file.imports.get(before.partition(".")[0] if before else simple, "")
        if imported and len(listed) >= 1:
            fitting = [one for one in listed if _is_imported(one, imported, file)]
            if fitting:
                return min(fitting, key=_nesting)
            if simple in file.imports and self._is_of_library(imported, file):
                return None
        alike = [one for one in listed if one.file.package == file.package and one.file.language == file.language]
        if file.package and alike:
            return min(alike, key=_nesting)
        return listed[0] if len(listed) == 1 else None

    def _is_of_library(self, imported: str, file: File) -> bool:
        """Return whether what a file imports cannot be of the program."""
        if file.language == "python":
            return "." in imported and imported.partition(".")[0] not in self._path_parts
        return file.language in ("java", "kotlin", "scala")

    @cached_property
    def _path_parts(self) -> frozenset[str]:
        """Return the names of the directories and files of the program, without endings."""
        return frozenset(part for file in self.files for part in file.path.rpartition(".")[0].split("/"))


def _last_name(code: object) -> str:
    return code.name if isinstance(code, Name | Member) else ""


def _signature(function: Function) -> tuple[str, ...]:
    """Return the name of a method, and the classes of its parameters, in whichever package they are."""
    return function.name, *(base_type(one.type).rpartition(".")[2] for one in function.parameters)


def _classes(file: File, classes: Iterable[Class], outer: Known | None) -> Iterator[Known]:
    for cls in classes:
        known = Known(cls, file, outer)
        yield known
        yield from _classes(file, cls.classes, known)


def _table_of(cls: Class) -> str:
    """Return the table that the objects of a class are rows of, in lower case; empty if it is mapped to none."""
    for note in sorted(cls.notes, key=lambda note: note.name != "Table"):
        if note.name in TABLES:
            named = {one.name: one.value for one in note.arguments}
            for wanted in TABLES[note.name]:
                value = named.get(wanted)
                if isinstance(value, Literal):
                    return value.text.rpartition(".")[2].strip('"`').lower()
            if note.name == "Entity" and not any(other.name == "Table" for other in cls.notes):
                return _snake(cls.name)
    inner = [one for each in cls.classes if each.name == "Meta" for one in each.fields]
    for one in (*cls.fields, *inner):
        if one.name in TABLE_FIELDS and isinstance(one.value, Literal):
            return one.value.text.rpartition(".")[2].lower()
    return ""


def _snake(name: str) -> str:
    """Return a name in lower case, with a line before each word."""
    found = ""
    for at, letter in enumerate(name):
        found += "_" if at and letter.isupper() and not name[at - 1].isupper() else ""
        found += letter.lower()
    return found


def _is_brought(outer: Known, name: str, file: File) -> bool:
    """Return whether a file of Rust imports a variant of an enumeration, or all of them."""
    owners = (file.imports.get(name, "").rpartition("::")[0], *file.wildcards)
    return any(one.rpartition("::")[2] == outer.cls.name for one in owners)


def _nesting(known: Known) -> int:
    """Return how many classes a class is in: a name alone means the one that is in fewest."""
    return 0 if known.outer is None else 1 + _nesting(known.outer)


def _is_imported(known: Known, imported: str, file: File) -> bool:
    """Return whether an import names a class: its full name, its package, or the path of its file."""
    whole = known.qualified
    if imported in (whole, known.file.package) or imported.endswith(f".{whole}"):
        return True
    stem = known.file.path.rpartition(".")[0]
    words = imported.replace("::", "/").replace(".", "/").replace("//", "/").strip("/")
    words = words.lstrip(_SIGILS) if file.language in ("typescript", "javascript") else words
    parts = [part for part in words.split("/") if part not in ("", "crate", "super", "self", "@", "~", "src")]
    if file.language in ("python",) and parts:
        parts = parts[:-1] if parts[-1] == known.cls.name else parts
        return bool(parts) and (
            f"/{stem}".endswith("/" + "/".join(parts)) or f"/{stem}".endswith(f"/{parts[-1]}/__init__")
        )
    if parts and parts[-1] == known.cls.name:
        parts = parts[:-1]
    folder = known.file.path.rpartition("/")[0]
    joined = "/" + "/".join(parts)
    return bool(parts) and (
        f"/{stem}".endswith(joined) or f"/{folder}".endswith(f"/{parts[-1]}") or f"/{stem}".endswith(f"{joined}/index")
    )


def accepts(function: Function, count: int) -> bool:
    """Return whether a function can be called with a number of arguments."""
    least = sum(one.default is None and not one.rest for one in function.parameters)
    return least <= count and (count <= len(function.parameters) or any(one.rest for one in function.parameters))


def _object_names(notes: Iterable[Note]) -> Iterator[str]:
    """Yield the names that notes have for an object of a container."""
    for note in notes:
        for one in note.arguments if note.name in NAMES_OBJECT else ():
            if one.name in ("", "value", "name"):
                yield from (each.text for each in walk(one.value) if isinstance(each, Literal))


def _names_of_object(place: Place) -> set[str]:
    return {place.function.name, *_object_names(place.function.notes)}


def is_alike(kind: str, other: str) -> bool:
    """Return whether two types may mean the same: a type parameter and a wildcard stand for any."""
    names = [base_type(one).rpartition(".")[2] for one in (kind, other)]
    if any(one == "" or (len(one) == 1 and one.isupper()) for one in names):
        return True
    inside = parameters_of(kind), parameters_of(other)
    return names[0] == names[1] and (
        not all(inside) or (len(inside[0]) == len(inside[1]) and all(map(is_alike, *inside)))
    )


@lru_cache(maxsize=8192)
def base_type(kind: str) -> str:
    """Return the class that a type is about: without what points to it, wraps it, or may be missing."""
    kind = kind.strip().lstrip("&*:@ ").strip()
    for word in ("mut ", "dyn ", "impl ", "final ", "readonly ", "const ", "Readonly<", "'static "):
        kind = kind.removeprefix(word).strip()
    for ending in ("| None", "| null", "| undefined"):
        kind = kind.removesuffix(ending).strip()
    kind = kind.rstrip("?!")
    if kind.startswith("[]"):
        return "[]"
    at = next((place for place, sign in enumerate(kind) if sign in _WRAPPERS_OPEN), len(kind))
    return kind[:at].replace("::", ".").replace("\\", ".").strip().strip("'\"")


@lru_cache(maxsize=8192)
def parameters_of(kind: str) -> tuple[str, ...]:
    """Return the types in the angle or square brackets of a type."""
    at = next((place for place, sign in enumerate(kind) if sign in _WRAPPERS_OPEN), -1)
    if kind.strip().startswith("[]"):
        return (kind.strip()[2:],)
    if at < 0:
        return ()
    inside = kind[at + 1 :].rstrip().rstrip("?!").removesuffix(">").removesuffix("]")
    found, depth, start = [], 0, 0
    for place, sign in enumerate(inside):
        depth += (sign in "<[(") - (sign in ">])")
        if sign == "," and depth == 0:
            found.append(inside[start:place].strip())
            start = place + 1
    last = inside[start:].strip()
    return (*found, last) if last else tuple(found)


@lru_cache(maxsize=8192)
def held_in(kind: str) -> str:
    """Return the type of the one value that a type holds, as that of an optional value; empty for other types."""
    inside = parameters_of(kind)
    base = base_type(kind).rpartition(".")[2] if inside else ""
    if base in HOLDERS:
        return inside[0]
    return inside[-1] if base in HOLDERS_OF_LAST else ""


@lru_cache(maxsize=8192)
def elements_of(kind: str) -> str:
    """Return the type of the elements of a sequence; empty for the type of a single value."""
    kind = kind.strip().rstrip("?!").lstrip("&*").removeprefix("readonly ").strip()
    for ending in ("| None", "| null", "| undefined"):
        kind = kind.removesuffix(ending).strip()
    if kind.endswith("[]"):
        return kind[:-2].strip().removeprefix("(").removesuffix(")")
    if kind.startswith("["):
        return kind.partition("]")[2] or kind[1:-1].partition(";")[0]
    inside = parameters_of(kind)
    base = base_type(kind).rpartition(".")[2]
    if held := held_in(kind):
        return elements_of(held)
    return inside[0] if len(inside) == 1 and base.lower().endswith(SEQUENCES) else ""


def container_name(code: Expression) -> str:
    """Return the name that code has for a queue or channel; empty where it has none."""
    while isinstance(code, Member) and code.name in ("Writer", "Reader", "writer", "reader"):
        code = code.of
    if isinstance(code, Call) and isinstance(code.function, Member) and code.arguments:
        code = code.function.of  # one of the containers that a map has
    return code.name.lstrip("_") if isinstance(code, Member | Name) else ""


_SIGILS = "@~#$"
"""What projects of JavaScript begin the names of their own directories with, to tell them from packages."""


def brief(file: File, text: str) -> File:
    """Return a file without its functions if a tool generated it, as Go marks that; its types are part of records."""
    is_generated = file.language == "go" and _GENERATED.search(text, 0, _OF_HEADER) is not None
    return replace(file, functions=(), methods=()) if is_generated else file


def may_be_own(imported: str) -> bool:
    """Return whether an import of JavaScript may name a file of the program: by its path, or below such a name.

    A package has no directories before its name but for one of its owner.
    """
    is_path = imported.startswith((".", *_SIGILS)) or "/" in imported
    return is_path and not imported.startswith("node:")


def in_package(file: File, imported: str, name: str) -> bool:
    """Return whether an import means a file: its module, its directory, or something in it."""
    words = imported.replace("::", "/").strip()
    if "/" not in words or file.language not in ("go", "typescript", "javascript"):
        words = words.replace(".", "/") if file.language not in ("typescript", "javascript") else words
    parts = [part for part in words.split("/") if part not in ("", ".", "..", "crate", "super", "self", "@", "~")]
    if file.language in ("typescript", "javascript"):
        if not may_be_own(imported):
            return False
        parts = [part for part in imported.lstrip(_SIGILS).split("/") if part not in ("", ".", "..")]
        for known in ((name,), ("js", "ts", "mjs", "cjs")):
            stem, _, ending = parts[-1].rpartition(".") if parts else ("", "", "")
            if stem and ending in known:
                parts[-1] = stem
    elif name and parts and parts[-1] == name:
        parts = parts[:-1]
    if not parts:
        return file.language in ("typescript", "javascript") and file.path.rpartition("/")[2].startswith("index.")
    stem = "/" + file.path.rpartition(".")[0]
    folder = "/" + file.path.rpartition("/")[0]
    if file.language == "go":
        return folder.endswith(f"/{parts[-1]}") and (len(parts) < 3 or shares_folder(folder, parts))
    joined = "/" + "/".join(parts)
    if file.language in ("java", "kotlin", "scala", "csharp"):
        return bool(file.package) and file.package.replace(".", "/").endswith("/".join(parts))
    return stem.endswith((joined, f"{joined}/__init__", f"{joined}/index", f"{joined}/mod"))


def _stems_of(path: str) -> Iterator[str]:
    """Yield the paths without their endings of the files that a path of a module of JavaScript may mean."""
    yield from (path, f"{path}/index".lstrip("/"))
    yield from (path.removesuffix(ending) for ending in (".js", ".ts", ".mjs", ".cjs"))


def shares_folder(folder: str, parts: list[str]) -> bool:
    """Return whether a directory is what an import path of Go ends with: more than a common last word."""
    names = [part for part in folder.split("/") if part]
    return names[-1:] == parts[-1:] and (len(names) < 2 or names[-2] in parts or len(parts) < 3)


def common_folders(one: str, other: str) -> int:
    """Return how many directories the paths of two files begin with."""
    pairs = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def texts_of_chain(value: Value) -> list[list[str]]:
    """Return the names that a chain of calls and members is about, as where settings are looked up by section.

    They come with and without the members behind the last call, which may be how its value is read.
    """
    texts: list[str] = []
    is_looked_up, below = False, 0
    while isinstance(value, Get) or (isinstance(value, Apply) and value.of is not None):
        if isinstance(value, Apply) and value.arguments:
            first = value.arguments[0]
            if len(value.arguments) > 1 or not isinstance(first, Const) or first.kind is not Kind.TEXT:
                return []
            texts.insert(0, first.text)
            is_looked_up = True
        elif isinstance(value, Get):
            texts.insert(0, value.name)
            below += not is_looked_up
        assert value.of is not None
        value = value.of
    root = value.arguments[0] if isinstance(value, Apply) and len(value.arguments) == 1 and texts else None
    if isinstance(root, Const) and root.kind is Kind.TEXT:
        texts.insert(0, root.text)
    if not is_looked_up:
        return []
    return [texts, texts[: len(texts) - below]] if below else [texts]


def declared_below(settings: Value, path: str) -> Value | None:
    """Return the settings below a path of an object that is made of their declarations, each with its default.

    None for other objects. In the form of convict, a declaration has a `default` beside a format or a variable.
    """
    declared = settings.arguments[0] if isinstance(settings, Apply) and len(settings.arguments) == 1 else None
    for name in path.split("."):
        declared = declared.fields.get(name) if isinstance(declared, Thing) else None
    return declared_defaults(declared) if isinstance(declared, Thing) else None


def declaration_in(value: Value, name: str) -> Thing | None:
    """Return the object that a chain of a library's calls begins with, and that declares a member; None without one."""
    while isinstance(value, Apply) and value.of is not None:
        value = value.of
    declared = value.arguments[0] if isinstance(value, Apply) and "." in value.name and len(value.arguments) == 1 else 0
    return declared if isinstance(declared, Thing) and declared.known is None and name in declared.fields else None


def replaced(value: Apply, old: Thing, new: Thing) -> Apply:
    """Return a chain of calls that begins with another object."""
    if isinstance(value.of, Apply):
        return replace(value, of=replaced(value.of, old, new))
    return replace(value, arguments=tuple(new if one is old else one for one in value.arguments))


def declared_defaults(declared: Value) -> Value | None:
    """Return the defaults in a declaration of settings; None if it declares none."""
    while isinstance(declared, Apply) and declared.of is not None:
        if declared.name in DEFAULTS and len(declared.arguments) == 1:
            return declared.arguments[0]
        declared = declared.of
    if (
        isinstance(declared, Thing)
        and "default" in declared.fields
        and declared.fields.keys() & {"format", "env", "doc"}
    ):
        return declared.fields["default"]
    if not isinstance(declared, Thing) or declared.known is not None:
        return None
    found = {name: value for name, one in declared.fields.items() if (value := declared_defaults(one)) is not None}
    return Thing("", None, found) if found else None


def _patched(value: Expression, was: Function, *, is_bound: bool) -> Function:
    """Return a method with another function in its place; *is_bound* says that the object is its first argument."""
    if isinstance(value, Lambda):
        own = value.function.parameters
        own = own[1:] if is_bound and own and own[0].name == "self" else own
        return replace(was, parameters=own, body=value.function.body)
    given = [Argument(Name("this"))] if is_bound else []
    given += [Argument(Name(one.name)) for one in was.parameters]
    return replace(was, body=Block((Exit(Leave.RETURN, Call(value, tuple(given))),)))
