"""The programs of two commits as the model of their code: which files are parsed, once each, and what they send."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanner_check.inputs.git import ObjectReader
from scanner_extractor.repository.applications.endpoints import lowered
from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.syntax_trees import LARGEST, grammar_missing, suffix, words
from scanner_extractor.repository.undeclared import words_in
from scanner_programs.calls import deep_recursion, names_in
from scanner_programs.ir import (
    Assign,
    Call,
    Class,
    Declare,
    Field,
    File,
    Function,
    Literal,
    New,
    Parameter,
    Record,
    walk,
)
from scanner_programs.languages import BY_ENDING
from scanner_programs.libraries.others import watches
from scanner_programs.libraries.selection import MOST_FILES, files_near_clients
from scanner_programs.program import Place, Program
from scanner_programs.residue import code_text, is_logged, silent_in, watchers_in


def is_readable(path: str) -> bool:
    """Return whether a file is source code of a language that is read, whose grammar is installed."""
    return suffix(path) in BY_ENDING and not grammar_missing(path)


@dataclass(slots=True)
class Sources:
    """Parses source files of both commits, each text once, within the limits of one repository.

    *known* are files that were parsed before, by path and text.
    """

    objects: ObjectReader
    known: dict[tuple[str, str], File | None] = field(default_factory=dict)
    trials: Trials = field(default_factory=Trials)
    refused: dict[str, str] = field(default_factory=dict)
    _files: dict[tuple[str, str], File | None] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return the text of an object; empty for one that is too large to be written by hand."""
        if name not in self._texts:
            content = self.objects.read(name)
            self._texts[name] = content.decode("utf-8", "replace") if len(content) <= LARGEST else ""
        return self._texts[name]

    def file(self, path: str, name: str) -> File | None:
        """Return a source file; None if it cannot be read within the limits."""
        if (path, name) not in self._files:
            self.expect([(path, name)])
        return self._files[path, name]

    def expect(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Parse files, by path and object, that are not known yet."""
        new = [key for key in dict.fromkeys(wanted) if key not in self._files]
        self.objects.expect(name for _, name in new if name not in self._texts)
        for path, name in new:
            if (parsed := self.known.get((path, self.text(name)))) is not None:
                self._files[path, name] = parsed
        texts = {f"{name}/{path}": self.text(name) for path, name in new if (path, name) not in self._files}
        refused = self.trials.refused({key: text for key, text in texts.items() if text})
        for path, name in new:
            if (path, name) not in self._files:
                text, key = self.text(name), f"{name}/{path}"
                if key in refused:
                    self.refused[path] = refused[key]
                is_empty = not text and bool(self.objects.read(name))
                self._files[path, name] = None if key in refused or is_empty else lowered(path, text)


def file_text(file: File) -> str:
    """Return the canonical text of a file: what remains equal if lines move and locals are renamed."""
    parts = (file.package, file.imports, file.wildcards, file.classes, file.functions, file.statements, file.methods)
    names = " ".join(one.name for one in walk((file.classes, file.functions)) if isinstance(one, Function))
    with deep_recursion():
        return f"{names}\n{file.unread}\n" + "\n".join(
            code_text(part) if isinstance(part, tuple) else str(part) for part in parts
        )


def times_named(file: File, name: str) -> int:
    """Return how often code of a file has a name as a word, without what only logs, counts or traces."""
    with deep_recursion():
        texts = [_part(place)[0] for place in Program((file,)).places if place.function.name]
        silent = silent_in(file, None, watches)
        texts += [code_text(one) for one in file.statements if not silent(one)]
        for cls in (one for one in walk((file.classes, file.functions)) if isinstance(one, Class)):
            watching = watchers_in(file, cls, watches)
            texts += [code_text(one) for one in cls.fields if one.name not in watching]
            texts.append(code_text((cls.notes, cls.statements), silent_in(file, cls, watches)))
    return sum(word == name for text in texts for word in words_in(text))


Part = tuple[str, str]
"""A function or statement: the file that it is in, and its name."""


def parts_near(files: Sequence[File], using: Mapping[str, Collection[str]]) -> dict[Part, tuple[str, int]]:
    """Return the canonical text and the line of the code that may have a part in what unknown clients send.

    *using* are the files that use such a client, each with the words that name one. Theirs are the functions that name
    the client, those of the file that call them, and everything that these call, as far as a name says what is meant:
    in the file itself, and elsewhere if the file imports the client.
    """
    own = [file for file in files if file.path in using]
    classes = Program(tuple(files)).classes
    clients = {file.path: _clients_in(file, using[file.path], classes) for file in own}
    found = {
        (file.path, name): part
        for file in own
        for name, part in _naming(file, using[file.path], clients[file.path]).items()
    }
    if not found:
        return found
    places = [place for file in files for place in Program((file,)).places if place.function.name]
    named: dict[Part, list[Place]] = {}
    for place in places:
        named.setdefault((place.file.path, place.name), []).append(place)
    found |= {part: _parts(named[part])[part] for part in found if part in named}
    waiting = [place for place in places if (place.file.path, place.name) in found]
    for file in own:
        waiting += _callers(waiting, [place for place in places if place.file is file])
    called: dict[str, list[Place]] = {}
    for place in places:
        called.setdefault(place.function.name, []).append(place)
    known: set[int] = set()
    while waiting:
        place = waiting.pop()
        if id(place) in known:
            continue
        known.add(id(place))
        part = (place.file.path, place.name)
        if part not in found:
            found |= _parts(named[part])
        is_near = not clients.get(place.file.path, True)
        for name in names_in(place.function):
            for made in classes.get(name, ()) if len(classes.get(name, ())) <= _MOST_MEANT else ():
                found.setdefault((made.file.path, name), (code_text(made.cls.fields), made.cls.line))
            meant = called.get(name, [])
            beside = [other for other in meant if other.file is place.file]
            waiting += beside or (meant if len(meant) <= _MOST_MEANT and not is_near else [])
    return found


def functions_in(files: Iterable[File]) -> dict[Part, tuple[str, int]]:
    """Return the canonical text and the line of the functions in files."""
    places = (place for file in files for place in Program((file,)).places if place.function.body is not None)
    return _parts(place for place in places if place.function.name)


def _parts(places: Iterable[Place]) -> dict[Part, tuple[str, int]]:
    """Return the texts and lines of functions; those of one name in a file, such as overloads, are one part."""
    found: dict[Part, tuple[str, int]] = {}
    for place in places:
        part, (text, line) = (place.file.path, place.name), _part(place)
        known = found.get(part)
        found[part] = (f"{known[0]}\n{text}", known[1]) if known is not None else (text, line)
    return found


_MOST_MEANT = 2
_PORTS = frozenset(("9092", "9096", "9098"))
_BROKERS = ("kafka", "broker", "redpanda")
_STANDARD: Mapping[str, frozenset[str]] = {
    "python": frozenset(sys.stdlib_module_names),
    "typescript": words("net tls dns http https url process"),
}
"""Packages that a language itself has, by their names."""
_PLATFORMS = words("java javax jakarta kotlin scala System std")


def _is_broker(text: str) -> bool:
    """Return whether a text has an address of brokers: a port of theirs, or one of the usual range at such a host."""
    for part in re.split(r"[/@, ]", text):
        host, _, port = part.rpartition(":")
        is_host = bool(host) and all(one.isalnum() or one in "._-" for one in host)
        is_named = len(port) == len("9092") and port.startswith("90") and port.isdecimal()
        if is_host and (port in _PORTS or (is_named and any(word in host.lower() for word in _BROKERS))):
            return True
    return False


def _is_standard(package: str, language: str) -> bool:
    """Return whether a package is one of a language itself; in Go, those have no dot in their first name."""
    if language == "go":
        return "." not in package.partition("/")[0]
    first = package.replace("::", ".").partition(".")[0]
    return package.startswith("node:") or first in _STANDARD.get(language, _PLATFORMS)


def given_brokers(
    sources: Sources, trees: Iterable[Mapping[str, str]], paths: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Return the files that use a package whose calls are given an address of brokers, each with these packages.

    Whatever its name, it is a client of Kafka.
    """
    listed = [(path, tree[path]) for tree in trees for path in paths if path in tree]
    named = [key for key in dict.fromkeys(listed) if re.search(r":90\d\d", sources.text(key[1]))]
    files = [file for path, name in named if (file := sources.file(path, name)) is not None]
    packages = frozenset(package.lower() for file in files for package in _given_brokers(file))
    if not packages:
        return {}
    return {path: packages for path, name in listed if any(one in sources.text(name).lower() for one in packages)}


def _given_brokers(file: File) -> Iterator[str]:
    """Yield the packages of a file whose calls have an address of brokers, or what holds one, as an argument."""
    with deep_recursion():
        nodes = list(walk((file.classes, file.functions, file.methods, file.statements)))
        held, known = set[str](), -1

        def is_given(code: object) -> bool:
            texts = (one.text for one in walk(code) if isinstance(one, Literal))
            return any(map(_is_broker, texts)) or not held.isdisjoint(names_in(code))

        while len(held) > known:
            known = len(held)
            held |= {
                one.name if isinstance(one, Field) else code_text(one.target).rpartition(".")[2]
                for one in nodes
                if isinstance(one, Declare | Assign | Field) and one.value is not None and is_given(one.value)
            }
        for call in nodes:
            if isinstance(call, Call | New) and is_given(call.arguments):
                names = names_in(call.function) if isinstance(call, Call) else (call.type,)
                full = next((file.imports[name] for name in names if name in file.imports), "")
                package = full if "/" in full else full.rpartition(".")[0] or full
                if package and full[:1] != "." and not _is_standard(package, file.language):
                    yield package


def _callers(meant: Iterable[Place], places: Sequence[Place]) -> list[Place]:
    """Return those of *places* that call one of the others, themselves or by another one of them."""
    names, found = {place.function.name for place in meant}, dict[int, Place]()
    while new := [one for one in places if id(one) not in found and not names.isdisjoint(names_in(one.function))]:
        found |= {id(place): place for place in new}
        names |= {place.function.name for place in new}
    return list(found.values())


def _part(place: Place) -> tuple[str, int]:
    known = place.known.cls if place.known is not None else None
    return code_text(place.function, silent_in(place.file, known, watches)), place.function.line


def _naming(file: File, words: Collection[str], clients: Collection[str]) -> dict[str, tuple[str, int]]:
    """Return the functions and statements of a file that name a client, by name.

    They do if one of *words* is in their text or in what their class extends, or if they use one of *clients*. What
    only logs is left out.
    """

    def uses(code: object, text: str, types: Iterable[str] = ()) -> bool:
        named = any(word in part.lower() for word in words for part in (text, *types))
        return named or not {*names_in(code), *_words_of(types)}.isdisjoint(clients)

    found: dict[str, tuple[str, int]] = {}
    with deep_recursion():
        for place in Program((file,)).places:
            part = _part(place)
            types = [*place.known.cls.supers] if place.known is not None else []
            types += [one.type for one in place.function.parameters]
            if place.function.name and not is_logged(place.function) and uses(place.function, part[0], types):
                found[place.name] = part
        for cls in (one for one in walk(file.classes) if isinstance(one, Class) and one.statements):
            text = code_text(cls.statements, silent_in(file, cls, watches))
            if uses(cls.statements, text, cls.supers):  # what runs when an object is made
                found[cls.name] = text, cls.line
        for name, one, beside in _statements(file):
            if uses((one, beside), f"{name} {code_text(beside)}"):
                found[name] = code_text(one), 1
    return found


def _clients_in(file: File, words: Collection[str], defined: Collection[str]) -> set[str]:
    """Return the names in a file of clients: what it imports of them, and the members and variables that hold one.

    Of a package that is imported as a whole, it may be any type that is not *defined* in the program.
    """
    own = ".".join(file.package.split(".")[:2]) if file.language not in ("go", "typescript") else ""

    def is_client(full: str) -> bool:
        return any(word in full.lower() for word in words) and not (own and f"{full}.".startswith(f"{own}."))

    found = {name for name, full in file.imports.items() if full[:1] != "." and is_client(full)}
    fields = [one for one in walk((file.classes, file.methods)) if isinstance(one, Field | Parameter)]
    if any(map(is_client, file.wildcards)):
        found |= {word for one in fields for word in _words_of([one.type])} - {*defined, *file.imports}
    held = {
        one.name
        for one in fields
        if not found.isdisjoint(_words_of([one.type])) and (isinstance(one, Field) or one.keeps)
    }
    held |= {
        code_text(one.target)
        for one in file.statements
        if isinstance(one, Declare | Assign) and not found.isdisjoint(names_in(one))
    }
    return found | held


def _words_of(types: Iterable[str]) -> list[str]:
    return [word for kind in types for word in _WORD.findall(kind)]


_WORD = re.compile(r"\w+")


def _statements(file: File) -> Iterator[tuple[str, object, object]]:
    """Yield the statements of a file by the variable that they set, and what says that they are about a client.

    Of a map, each entry is one by itself; the texts beside it may name the class of a client that is made of it. What
    only declares a logger or a counter is left out.
    """
    is_silent = silent_in(file, None, watches)
    for at, one in enumerate(file.statements):
        if is_silent(one):
            continue
        if not isinstance(one, Declare | Assign):
            yield f"statement {at}", one, one
            continue
        target = code_text(one.target)
        waiting: list[tuple[str, object, object]] = [(target, one.value, one)]
        while waiting:
            name, value, beside = waiting.pop()
            inside = value[1] if isinstance(value, tuple) else value
            if isinstance(inside, Record):
                classes = tuple(each for _, each in inside.entries if isinstance(each, Literal))
                waiting += [(f"{name}.{code_text(key)}", (key, each), (each, classes)) for key, each in inside.entries]
            else:
                yield name, (one.target, value), beside


def files_of(
    sources: Sources, trees: tuple[Mapping[str, str], ...], paths: Iterable[str], changed: Collection[str]
) -> list[str]:
    """Return the files of a program to read: all, or of many those beside its clients and the changed ones."""
    listed = [path for path in dict.fromkeys(paths) if is_readable(path)]
    if len(listed) <= MOST_FILES:
        return listed
    return files_near_clients(dict(_texts(sources, trees, listed)), changed)


def _texts(sources: Sources, trees: tuple[Mapping[str, str], ...], paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        name = next((tree[path] for tree in reversed(trees) if path in tree), "")
        if name:
            yield path, sources.text(name)
