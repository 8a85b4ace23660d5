"""What the programs of a repository send and receive, by the model of all languages, and which fields they pass on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from posixpath import dirname, normpath
from types import MappingProxyType
from typing import NamedTuple

from scanner_extractor.repository.applications.aliases import aliases_of, beginnings
from scanner_extractor.repository.applications.clients import (
    imports_client_of_rust,
    is_evaluated_only,
    is_of_kafka,
    is_variable_of_kafka,
    mentions_client,
)
from scanner_extractor.repository.applications.deployments import files_naming, kafka_components
from scanner_extractor.repository.applications.modules import OUTSIDE, Modules
from scanner_extractor.repository.applications.settings import BINDINGS, Settings, is_settings_file
from scanner_extractor.repository.bounded_parsing import Trials
from scanner_extractor.repository.syntax_trees import LARGEST, grammar_missing, helps_tests, is_test, parse_tree, suffix
from scanner_programs.calls import deep_recursion
from scanner_programs.endpoints import Endpoints, endpoints_of
from scanner_programs.ir import File
from scanner_programs.languages import BY_ENDING
from scanner_programs.languages.lowering import Lowering
from scanner_programs.libraries.selection import MOST_FILES, files_near_clients, mentions_package
from scanner_programs.program import Program, brief

MOST_STEPS = 600_000
"""Expressions that are evaluated of all programs of a repository: of what is beyond, only the topics are read."""
_OF_PACKAGE = 3
"""Directories that tell a package of the JVM from others."""
_JVM = (".java", ".kt", ".scala")
_OF_SCRIPT = re.compile(r"(?:from|import|require\()\s*+[\"']([@~#]?[\w.@/-]{1,200}+)[\"']")
_OF_GO = re.compile(r"\"([\w.-]{1,80}+/[\w./-]{1,200}+)\"")
_OF_PYTHON = re.compile(r"^[ \t]*+(?:from|import)[ \t]++([A-Za-z_][\w.]{0,200}+)", re.MULTILINE)
_OF_JVM = re.compile(r"^[ \t]*+import[ \t]++(?:static[ \t]++)?+([A-Za-z_][\w.]{2,200}+\*?+)", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{([^{}:]+)(?::[^{}]*)?\}")


class Made(NamedTuple):
    """The classes that schemas generate, and the tables that something writes to topics, each with these."""

    records: frozenset[str] = frozenset()
    tables: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(slots=True)
class KnownEndpoints:
    """What earlier readings know: files as the model by path and text, and endpoints by all that they follow from.

    *changed* are the files that differ between two readings: programs with one of these are read so that both can be
    compared.
    """

    files: dict[tuple[str, str], File | None] = field(default_factory=dict)
    found: dict[Hashable, Endpoints] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()
    imports: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def imported_by(self, path: str, text: str) -> tuple[str, ...]:
        """Return what a source file imports, each name once."""
        pattern, _ = _IMPORTS.get(suffix(path), (None, None))
        if pattern is not None and (path, text) not in self.imports:
            self.imports[path, text] = tuple(dict.fromkeys(pattern.findall(text)))
        return self.imports.get((path, text), ())


@dataclass
class ProgramEndpoints:
    """Evaluates the programs of a repository, each with the libraries that it links.

    *users* returns the modules whose programs a library is part of, none for a program of its own; *settings* those of
    a module, *expand* the value of a setting there, None without one.
    """

    files: Mapping[str, str]
    modules: Modules
    users: Callable[[str], list[str]]
    settings: Callable[[str], Settings]
    expand: Callable[[str, Settings, str], str | None]
    trials: Trials
    known: KnownEndpoints
    left: int = MOST_STEPS
    _meant: dict[Hashable, list[str]] = field(default_factory=dict, init=False)

    @cached_property
    def _paths(self) -> dict[str, list[str]]:
        """Return the source files by their module."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            is_source = suffix(path) in BY_ENDING and len(self.files[path]) <= LARGEST
            is_left = is_test(path) or grammar_missing(path)
            if is_source and not is_left and not helps_tests(path, self.files[path]):
                found.setdefault(self.modules.of(path), []).append(path)
        return found

    def programs(self) -> list[str]:
        """Return the modules that are programs which use Kafka, themselves or by a library."""
        found: dict[str, None] = {}
        for module in self._paths:
            own = self._own(module)
            if any(self._uses(path) for path in own) or self._is_bound(module, own):
                found |= dict.fromkeys(self.users(module) or [module])
        return [module for module in found if not module.startswith(OUTSIDE)]

    def _uses(self, path: str) -> bool:
        text = self.files[path]
        return imports_client_of_rust(text) if is_evaluated_only(path) else mentions_client(path, text)

    def _is_bound(self, module: str, paths: Iterable[str]) -> bool:
        """Return whether settings bind functions of a module to topics, whose code then needs to import no client."""
        if not any(path.endswith(_JVM) and "@Bean" in self.files[path] for path in paths):
            return False
        return any(True for _ in self.settings(module).below(BINDINGS))

    def _own(self, module: str) -> list[str]:
        """Return the source files of a module without those of packages in it that other modules import by name."""
        shared = tuple(
            folder
            for alias, folder in self._aliases.items()
            if folder not in ("", f"{module}/") and self._importing[alias] - {module}
        )
        return [path for path in self._paths.get(module, ()) if not (shared and path.startswith(shared))]

    @cached_property
    def _importing(self) -> dict[str, set[str]]:
        """Return the modules that import by each of the names for directories of the repository."""
        found: dict[str, set[str]] = {alias: set() for alias in self._aliases}
        for module, paths in self._paths.items() if found else ():
            for path in paths:
                for name in self.known.imported_by(path, self.files[path]):
                    for alias in beginnings(name):
                        if alias in found:
                            found[alias].add(module)
        return found

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """Return what imports call directories of the repository: packages of JavaScript and Go, and their paths."""
        return aliases_of(self.files)

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        """Return the source files by their directory."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._every):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def _imported(self, paths: Iterable[str]) -> list[str]:
        """Return the files elsewhere that files import by names of the repository, and what these import."""
        waiting, known = list(paths), dict.fromkeys(paths)
        count, used = len(known), set()
        while waiting:
            path = waiting.pop()
            _, named = _IMPORTS.get(suffix(path), (None, None))
            is_full = path.endswith(_JVM) and len(known) >= MOST_FILES  # beyond, those near a client are chosen
            for name in self.known.imported_by(path, self.files[path]) if not is_full else ():
                name = normpath(f"{dirname(path)}/{name}") if name.startswith(".") else name
                if named is not None and (named, name) not in used:
                    used.add((named, name))
                    if (named, name) not in self._meant:
                        self._meant[named, name] = named(self, name)
                    new = [one for one in self._meant[named, name] if one not in known]
                    known |= dict.fromkeys(new)
                    waiting += new
        return list(known)[count:]

    def _by_alias(self, name: str) -> list[str]:
        """Return the files of the package of JavaScript that an import names, or the file at a path without ending."""
        if (known := self._without_endings.get(name)) or name in self._paths:
            return [known] if known else self._paths[name]
        alias = next((one for one in self._aliases if name == one or name.startswith(f"{one}/")), "")
        folder = self._aliases.get(alias, "")
        return [path for path in self._every if folder and path.startswith(folder)]

    def _by_module(self, name: str) -> list[str]:
        """Return the files of the package of Go that an import names."""
        alias = next((one for one in self._aliases if name == one or name.startswith(f"{one}/")), None)
        folder = f"{self._aliases[alias]}{name.removeprefix(alias).lstrip('/')}" if alias is not None else None
        return self._folders.get(folder.rstrip("/"), []) if folder is not None else []

    def _by_path(self, name: str) -> list[str]:
        """Return the files of Python that an import names, if its first name is that of one directory or file."""
        parts = name.split(".")
        return self._modules.get("/".join(parts), []) or self._modules.get("/".join(parts[:-1]), [])

    def _by_class(self, name: str) -> list[str]:
        """Return the file of a class of Java, Kotlin or Scala that an import names; those of a package that it names.

        What a library of the repository is built with does not always say that it is one.
        """
        parts, is_all = name.rstrip("*._").split("."), name[-1] in "*._"
        for count in (len(parts), len(parts) - 1):  # a member of a class follows its name
            inside = "/".join(parts[:count])
            found = [path for path in self._stems.get(parts[count - 1], ()) if f"/{inside}." in f"/{path}"]
            if found:
                return found if len(found) == 1 else []
            if is_all:
                return self._packages.get("/".join(parts[-_OF_PACKAGE:]), [])
        declared = [f"{kind} {parts[-1]}" for kind in ("class", "object", "interface", "fun", "val", "typealias")]
        near = self._packages.get("/".join(parts[:-1][-_OF_PACKAGE:]), [])
        near = [path for path in near if not path.endswith(".java")]
        return [path for path in near if any(one in self.files[path] for one in declared)][:1]

    @cached_property
    def _without_endings(self) -> dict[str, str]:
        """Return the files by their path without the ending; those that stand for their directory by that, too."""
        known = {path.removesuffix(suffix(path)): path for path in self._every}
        return {path.removesuffix("/index"): known[path] for path in sorted(known, reverse=True)} | known

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        """Return the files of the JVM by their names without the ending."""
        found: dict[str, list[str]] = {}
        for path in (one for one in self._every if one.endswith(_JVM)):
            found.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
        return found

    @cached_property
    def _packages(self) -> dict[str, list[str]]:
        """Return the files of the JVM by the last directories that they are in."""
        found: dict[str, list[str]] = {}
        for path in (one for one in self._every if one.endswith(_JVM)):
            found.setdefault("/".join(path.split("/")[:-1][-_OF_PACKAGE:]), []).append(path)
        return found

    @cached_property
    def _every(self) -> list[str]:
        return [path for listed in self._paths.values() for path in listed]

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """Return the files of Python by each end of their paths, without the ending; where several have it, none."""
        found: dict[str, list[str]] = {}
        for path in self._every:
            if path.endswith(".py"):
                parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
                for at in range(max(0, len(parts) - 4), len(parts)):
                    found.setdefault("/".join(parts[at:]), []).append(path)
        return {name: listed for name, listed in found.items() if len(listed) == 1 and "/" in name}

    def read(self, module: str) -> Endpoints:
        """Return what the program of a module sends and receives; nothing beyond what is evaluated of a repository."""
        if self.left <= 0:
            return Endpoints()
        paths = self._paths_of(module)
        own = self._own(module)
        if not any(mentions_package(self.files[path]) for path in paths) and not self._is_bound(module, own):
            return Endpoints()
        is_compared = any(path in self.known.changed for path in paths) or any(
            is_settings_file(path) and self.modules.of(path) == module for path in self.known.changed
        )
        found = self._evaluated(module, paths, Made(), texts=is_compared)
        self.left -= found.steps
        return found

    def compared(self, module: str, made: Made, folders: Collection[str], also: Iterable[str]) -> Endpoints:
        """Return what the program of a module sends, with what comparing two versions of it needs.

        *made* are what others may send, *folders* the modules of both versions, *also* the paths of further files.
        """
        names = {folder: self.modules.names.get(folder, "") for folder in ("", *folders)}
        modules = replace(self.modules, names=names, _known={}, _deployed={})
        if any(modules.of(path) != self.modules.of(path) for path in self._every):
            return replace(self, modules=modules).compared(module, made, folders, also)
        paths = self._paths_of(module)
        paths += [path for path in dict.fromkeys(also) if path in self.files and path not in paths]
        records = frozenset(name for name in made.records if any(name in self.files[path] for path in paths))
        return self._evaluated(module, paths, Made(records, made.tables), texts=True)

    def _paths_of(self, module: str) -> list[str]:
        """Return the files of a program: its own, those of libraries that it links, and what these import by name."""
        paths = [*self._own(module), *(path for one in self._libraries(module) for path in self._paths.get(one, ()))]
        return [*paths, *self._imported(paths)]

    def _evaluated(self, module: str, paths: list[str], made: Made, *, texts: bool) -> Endpoints:
        """Return what a program sends whose files are at *paths*, those near its clients of many."""
        if is_cut := len(paths) > MOST_FILES:
            paths = files_near_clients({path: self.files[path] for path in paths}, self.known.changed)
            is_cut = len(paths) >= MOST_FILES
        settings = self.settings_of(module)
        values = tuple(sorted((name, listed[0].value) for name, listed in settings.known.items() if listed))
        own = frozenset(self._own(module))
        key = (
            tuple((path, self.files[path]) for path in paths),
            *(self._environments, values, own, made.records, tuple(sorted(made.tables.items()))),
        )
        known = self.known.found.get((key, True)) or self.known.found.get((key, texts))
        if known is not None:
            return known
        read = self._parsed(paths)  # all code, if texts are compared
        files = tuple(one if texts or self._uses(one.path) else brief(one, self.files[one.path]) for one in read)
        program = Program(files, *self._lookups(module, settings), *made, aliases=self._aliases)
        try:
            found = endpoints_of(program, texts=texts, own=own)
        except RecursionError:  # of what nests deeper than any stack, the rest of the reading knows the topics
            found = Endpoints(unresolved=[("", 0)])
        if len(files) < len(paths):
            found.unresolved.append(("", 0))
        found.is_partial |= is_cut or len(files) < len(paths)
        self.known.found[key, texts] = found
        return found

    @cached_property
    def _environments(self) -> tuple[tuple[str, str], ...]:
        """Return the environments of all deployments, which decide what programs get for their variables."""
        return tuple(sorted({pair for found in self.modules.deployments for pair in found.environment.items()}))

    def _libraries(self, module: str) -> list[str]:
        return [other for other in self._paths if other != module and module in self.users(other)]

    def settings_of(self, module: str) -> Settings:
        """Return the settings of a program: its own, and below them those of the libraries that it links."""
        settings = self.settings(module)
        for other in self._libraries(module):
            settings = settings.over(self.settings(other))
        return settings

    def _parsed(self, paths: Iterable[str]) -> Iterator[File]:
        new = {path: self.files[path] for path in paths if (path, self.files[path]) not in self.known.files}
        refused: Collection[str] = self.trials.refused(new)
        for path, text in new.items():
            self.known.files[path, text] = None if path in refused else lowered(path, text)
        yield from (file for path in paths if (file := self.known.files[path, self.files[path]]) is not None)

    def connection(self, module: str) -> str:
        """Return the variable, setting of its own or component that connects a program to Kafka; empty without one."""
        environments = (found.environment for found in self.modules.deployed(module))
        listed = self.settings(module).known.items()
        own = (name for name, found in listed if any(self.modules.of(one.place) == module for one in found))
        known = chain(*environments, own, self.variables_named(module).values())
        return next(filter(is_of_kafka, known), next(iter(self.components_named(module).values()), ""))

    def components_named(self, module: str) -> dict[str, str]:
        """Return the source files of a module that name a component of Kafka, each with its name."""
        return files_naming(self._paths.get(module, ()), self.files, self.components.__contains__)

    def variables_named(self, module: str) -> dict[str, str]:
        """Return the source files of a module that name a variable of Kafka, each with its name."""
        return files_naming(self._paths.get(module, ()), self.files, is_variable_of_kafka)

    @cached_property
    def components(self) -> frozenset[str]:
        """Return the names of the components of Kafka in the repository."""
        return kafka_components(self.files)

    def names_of(self, module: str, topic: str) -> list[str]:
        """Return what a topic with variables in its name is called in the deployments of a program, as far as known."""
        settings = self.settings_of(module)
        environments = [found.environment for found in self.modules.deployed(module)] or [{}]
        names = (_VARIABLE.sub(partial(_in_environment, one), topic) for one in environments)
        found = dict.fromkeys(self.expand(name, settings, module) or name for name in names)
        return [name for name in found if "${" not in name]

    def _lookups(
        self, module: str, settings: Settings
    ) -> tuple[Callable[[str], str | None], Callable[[str], str | None]]:
        """Return what looks up a setting by its name, and the only one whose name ends in what is given."""
        deployed = [found.environment for found in self.modules.deployed(module)]

        def find(name: str) -> str | None:
            values = {environment[name] for environment in deployed if name in environment}
            if values:
                return values.pop() if len(values) == len(deployed) == 1 else f"${{{name}}}"
            known = settings.find(name)
            return None if known is None else (self.expand(known.value, settings, module) or known.value)

        def ending(name: str) -> str | None:
            return find(known.key) if (known := settings.ending(name)) is not None else None

        return find, ending


def _in_environment(environment: Mapping[str, str], variable: re.Match[str]) -> str:
    return environment.get(variable[1], variable[0])


def lowered(path: str, text: str) -> File:
    """Return a source file as the model of all languages has it."""
    syntax = BY_ENDING[suffix(path)]
    with deep_recursion():
        return Lowering(syntax, partial(parse_tree, path)).file(parse_tree(path, text), path)


_IMPORTS: Mapping[str, tuple[re.Pattern[str], Callable[[ProgramEndpoints, str], list[str]]]] = {
    **dict.fromkeys((".ts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"), (_OF_SCRIPT, ProgramEndpoints._by_alias)),
    ".go": (_OF_GO, ProgramEndpoints._by_module),
    ".py": (_OF_PYTHON, ProgramEndpoints._by_path),
    **dict.fromkeys(_JVM, (_OF_JVM, ProgramEndpoints._by_class)),
}
"""How imports of a language are found, and which files of the repository they name."""
