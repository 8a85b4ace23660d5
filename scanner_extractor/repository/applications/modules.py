"""Modules of a repository, their names, and what deploys them: build files and deployments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scanner_extractor.repository.applications.deployments import (
    Deployment,
    command_of,
    declares_deployment,
    normal_path,
    read_deployments,
)
from scanner_extractor.repository.languages import LANGUAGES, language_of
from scanner_extractor.repository.syntax_trees import is_test, words
from scanner_model.enclosed import replace_enclosed

_BUILD_FILES = {name: pattern for language in LANGUAGES for name, pattern in language.build_files.items()}
_BUILD_FILES |= {"Cargo.toml": re.compile(r'^name\s*=\s*"(?P<name>[^"]+)"', re.MULTILINE)}
_OTHER_BROKERS = re.compile(r"(?:stream|binder)-(?:rabbit|kinesis|solace|pulsar|pubsub|servicebus|eventhubs)")
_PARENT = re.compile(r"<parent>(?:[^<]|<(?!/parent>))*+(?:</parent>|\Z)|<!--(?:[^-]|-(?!->))*+(?:-->|\Z)")
_DEPENDENCY = re.compile(r"<dependency>(?:[^<]|<(?!/?dependency>))*+</dependency>")
_PROJECT = re.compile(
    r"^[^\S\n]*(?:implementation|api|compile|compileOnly|runtimeOnly)\b[^\n'\"]*\bproject\s*\(?\s*(?:path\s*[:=]\s*)?"
    r"['\"](:[\w:.-]+)",
    re.MULTILINE,
)
_LONGEST_BUILD = 2 * 1024 * 1024
_ENGINES = re.compile(r"(?i)(?:flink-?)?(?:job-?manager|task-?manager)|spark(?:-?(?:master|worker))?(?:-\d+)?")
"""Services that run an engine, of which a program is a job."""
_GO_PROGRAM = re.compile(r"[^/]/cmd/main\.go$")
"""The program of a directory beside others of one Go module."""
_STARTS = re.compile(r"(?i)main-?class|^[^\S\n]*application\b|id\W{1,3}application\b|<goal>\s*repackage", re.MULTILINE)
"""What a build file says of a module that is a program, also if another has it."""
_NO_PROGRAM = re.compile(r"(?i)(?:^|[/._-])(?:report|reports|coverage|jacoco|bom|docs?)(?:$|[._-])")
"""Modules that have others for a report or their documentation."""
_TAG = re.compile(r"[:@][^/]*$")
OUTSIDE = "../"
"""What the paths of files in other repositories start with: libraries that are only followed."""


@dataclass(slots=True)
class Modules:
    """The modules of a repository by directory, and what deploys them; *with_code* have source files of their own."""

    names: dict[str, str] = field(default_factory=dict)
    deployments: list[Deployment] = field(default_factory=list)
    dependencies: dict[str, set[str]] = field(default_factory=dict)
    startable: set[str] = field(default_factory=set)
    with_code: set[str] = field(default_factory=set)
    kafka: set[str] = field(default_factory=set)
    without_kafka: set[str] = field(default_factory=set)
    _known: dict[str, str] = field(default_factory=dict)
    _deployed: dict[str, list[Deployment]] = field(default_factory=dict)

    def of(self, path: str) -> str:
        """Return the directory of the module that a file is in: the nearest with a build file, else the root."""
        folder = path.rpartition("/")[0]
        if folder not in self._known:
            current = PurePosixPath(folder)
            places = ["" if str(place) == "." else str(place) for place in (current, *current.parents)]
            self._known[folder] = next((place for place in places if place in self.names), "")
        return self._known[folder]

    def name(self, module: str) -> str:
        """Return the name of a module: that of its build file, else of its directory; empty for an unnamed root.

        One that the build files of several modules have is no name of a program.
        """
        own = self.names.get(module, "")
        is_own = sum(name == own for name in self.names.values()) == 1
        return own if own and is_own else PurePosixPath(module).name or own

    def deployed(self, module: str) -> list[Deployment]:
        """Return what deploys a module: built from its directory, or with its name in image or service."""
        if module not in self._deployed:
            self._deployed[module] = self._deploying(module)
        return self._deployed[module]

    def _deploying(self, module: str) -> list[Deployment]:
        built = [found for found in self.deployments if found.build is not None and found.build == module]
        names = {self.name(module).lower(), PurePosixPath(module).name.lower()} - {""}
        alike = [
            found
            for found in self.deployments
            if found.build is None and {found.name.lower(), _image_name(found.image)} & names
        ]
        if not any(found.is_own for found in alike) and self._is_whole(module):
            alike += self._own()
        return _one_of_each([found for found in built + alike if not _ENGINES.fullmatch(found.name)])

    def called_as(self, name: str) -> list[str]:
        """Return the directories of the modules whose program has a name: their own, or that of what deploys them."""
        return [one for one in self.names if name in (self.name(one), *(found.name for found in self.deployed(one)))]

    def _is_whole(self, module: str) -> bool:
        """Return whether a module is the program of the whole repository: the root, or the only one that is started."""
        started = {one for one in self.with_code if one in self.startable or not self.users(one)}
        return not module or started == {module}

    def called(self, name: str) -> list[Deployment]:
        """Return the deployments with a name, or with an image of it."""
        alike = [found for found in self.deployments if name.lower() in (found.name.lower(), _image_name(found.image))]
        return _one_of_each([found for found in alike if not _ENGINES.fullmatch(found.name)])

    def users(self, module: str) -> list[str]:
        """Return the modules that have a module in their build files, and those that have these: what is started.

        One without code, as one that only builds the others, is not started if others are.
        """
        found, queue, last = {module}, [module], set[str]()
        while queue:
            current = queue.pop()
            users = {
                user for user, known in self.dependencies.items() if current in known and not _NO_PROGRAM.search(user)
            }
            users = {user for user in users if not is_test(f"{user}/")}
            is_program = not users or current in self.startable
            last |= {current} if is_program and current != module else set()
            queue += users - found
            found |= users
        return sorted(last & self.with_code or last)

    def _own(self) -> list[Deployment]:
        """Return the deployments of the repository itself: those with the image that most of them have."""
        own = [found for found in self.deployments if found.is_own]
        images = Counter(found.image for found in own).most_common(1)
        return [found for found in own if found.image == images[0][0]]


def _one_of_each(deployments: list[Deployment]) -> list[Deployment]:
    """Return one deployment for each name: of variants in several files, one that names the topics that most name."""
    by_name: dict[str, list[Deployment]] = {}
    for found in deployments:
        by_name.setdefault(found.name, []).append(found)
    chosen = []
    for variants in by_name.values():
        topics = [tuple(sorted(item for item in found.environment.items() if "TOPIC" in item[0])) for found in variants]
        commonest = max(topics, key=topics.count)
        chosen.append(variants[topics.index(commonest)])
    return chosen


def _image_name(image: str) -> str:
    return _TAG.sub("", image).rpartition("/")[2].lower()


def read_modules(files: Mapping[str, str]) -> Modules:
    """Read the modules and deployments of a repository."""
    modules = Modules(names={"": ""})
    ranks: dict[str, int] = {}
    deploying: dict[str, str] = {}
    for path in files:
        file = PurePosixPath(path)
        if _GO_PROGRAM.search(path):
            modules.names.setdefault(str(file.parent.parent), "")
        is_build = is_build_file(path)
        content = files[path] if is_build or file.suffix in (".yml", ".yaml") else ""
        if is_build:
            _add_build_file(modules, file, content, ranks)
        elif declares_deployment(content) and not path.startswith(OUTSIDE):
            deploying[path] = content
    _add_dependencies(modules, files)
    modules.deployments = read_deployments(deploying, files)
    for found in modules.deployments:
        if found.build is not None:
            modules.names.setdefault(found.build, "")
    code = (path for path in files if language_of(path) and not is_test(path) and not path.startswith(OUTSIDE))
    modules.with_code = {modules.of(path) for path in code}
    return modules


def _add_build_file(modules: Modules, file: PurePosixPath, content: str, ranks: dict[str, int]) -> None:
    folder = "" if str(file.parent) == "." else str(file.parent)
    name, rank = build_name(file, content[:_LONGEST_BUILD])
    modules.names.setdefault(folder, "")
    if name and rank > ranks.get(folder, 0):
        modules.names[folder], ranks[folder] = name, rank
    if file.name == "Dockerfile" or _STARTS.search(content):
        modules.startable.add(folder)
    if "kafka" in content.lower():
        modules.kafka.add(folder)
    elif _OTHER_BROKERS.search(content):
        modules.without_kafka.add(folder)


def _add_dependencies(modules: Modules, files: Mapping[str, str]) -> None:
    """Add which modules have which in their build files."""
    named: dict[str, set[str]] = {}
    for folder, name in modules.names.items():
        named.setdefault(name, set()).add(folder)
    for path in files:
        file = PurePosixPath(path)
        read = _DEPENDENCIES.get(file.name) or _DEPENDENCIES.get(file.suffix)
        folder = "" if str(file.parent) == "." else str(file.parent)
        for name in read(files[path][:_LONGEST_BUILD]) if read is not None and folder in modules.names else ():
            if name.endswith((".csproj", ".fsproj")):
                places = {normal_path(file.parent / PurePosixPath(name.replace("\\", "/")).parent)}
            elif name.startswith(":"):
                places = {name.strip(":").replace(":", "/")} & modules.names.keys()
            else:
                places = named.get(name, set())
            if len(places) == 1:
                modules.dependencies.setdefault(folder, set()).update(places - {folder})


def _maven(content: str) -> Iterator[str]:
    for match in _DEPENDENCY.finditer(content):
        name = re.search(r"<artifactId>\s*([\w.-]+)\s*</artifactId>", match[0])
        if name and not re.search(r"<scope>\s*test|<type>\s*test-jar|<classifier>\s*tests", match[0]):
            yield name[1]


def _gradle(content: str) -> Iterator[str]:
    yield from (":" + match[1].strip(":") for match in _PROJECT.finditer(content))


def _projects(content: str) -> Iterator[str]:
    yield from re.findall(r"<ProjectReference\s+Include=\"([^\"]+)\"", content)


def is_build_file(path: str) -> bool:
    """Return whether a file describes how a module is built, by its name or the ending of its name."""
    file = PurePosixPath(path)
    return file.name in _BUILD_FILES or file.name == "Dockerfile" or file.suffix in _BUILD_FILES


_DEPENDED = re.compile("<dependencies>"), re.compile("</dependencies>")


def build_name(file: PurePosixPath, content: str) -> tuple[str, int]:
    """Return the name that a build file has for its module, and how much it counts; empty where it has none."""
    if file.suffix in _BUILD_FILES:
        return file.stem, 3
    pattern = _BUILD_FILES.get(file.name)
    if pattern is None:
        return "", 0
    if file.name == "pom.xml":  # the name of a parent or of a dependency is not its own
        content = replace_enclosed(_PARENT.sub("", content), lambda _: "", _DEPENDED)
    match = pattern.search(content)
    return (match["name"], 2) if match and "$" not in match["name"] else ("", 0)


_DEPENDENCIES = {
    "pom.xml": _maven,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    ".csproj": _projects,
    ".fsproj": _projects,
}
"""How the dependencies of a build file on other modules are read."""

# --- programs

_GENERIC = words(
    """main app index server run __main__ __init__ program application service worker start cli bootstrap src
    handler function_app manage wsgi asgi"""
)
_IMPORTS = re.compile(
    r"(?:^|\n)[^\S\n]*(?:from\s+(?P<from>[\w.]+)\s+import\s+(?P<names>[^\n]+)|import\s+(?P<plain>[\w., ]+))"
    r"|(?:require\(|from|import)\s*\(?['\"](?P<path>\.{1,2}/[^'\"]+|\.{1,2})['\"]"
)
_SCRIPT_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
_MAIN_GUARD = re.compile(r"__name__\s*==\s*['\"]__main__['\"]|require\.main\s*===\s*module")
_COMMANDS = re.compile(
    r"['\"](?:uv|python3?|node|poetry|npx|ts-node)['\"]\s*,\s*(?:['\"](?:run|python3?)['\"]\s*,\s*)*['\"](?P<file>\w[\w./-]*)"
)
_EXPORTS = re.compile(r"(?m)^(?:module\.exports\b|exports?[\s.](?!.{0,40}\bhandler\b))")
"""Exports of JavaScript, except those of a function that a platform runs."""
_TOOLS = words("scripts script tools tool hack examples benchmark benchmarks")
"""Directories of scripts beside a program, which load it for another purpose."""
_MOST_IMPORTERS = 2_000
_MOST_USERS = 4
"""A file that more scripts import is a library of the whole module."""


def _target(path: str) -> str:
    """Return what an import of a file names: its path without the ending; of a package, its directory."""
    file = PurePosixPath(path)
    return str(file.parent if file.stem in ("__init__", "index") else file.with_suffix(""))


def _imported(match: re.Match[str], file: PurePosixPath) -> Iterator[str]:
    """Yield what an import of Python or JavaScript in a file names, as the end of a path without the ending."""
    if match["path"]:
        yield _SCRIPT_ENDING.sub("", normal_path(file.parent / match["path"]))
        return
    for part in (match["from"] or match["plain"] or "").split(","):
        dotted = part.strip().split(" ")[0]
        name = dotted.lstrip(".")
        above = file.parents[min(len(dotted) - len(name), len(file.parents)) - 1] if dotted != name else None
        base = name.replace(".", "/")
        base = normal_path(above / base) if above is not None else base
        yield base
        for imported in (match["names"] or "").split(","):
            yield f"{base}/{imported.strip(' ()').split(' ')[0]}".lstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramParts:
    """What a source file says of programs.

    *has_entry*: it has the entry point of a program; *is_script*: its language has none, and any file can be run.
    *is_runnable*: it says that it is run; *is_exporting*: it is JavaScript that exports something. *stems* are the
    last words of what it imports, *targets* the ends of the paths of these, and *started* the stems of the scripts
    that it starts.
    """

    has_entry: bool = False
    is_script: bool = False
    is_runnable: bool = False
    is_exporting: bool = False
    stems: frozenset[str] = frozenset()
    targets: tuple[str, ...] = ()
    started: tuple[str, ...] = ()


def read_program_parts(path: str, content: str) -> ProgramParts:
    """Read what a source file says of programs, by its path and text alone."""
    language = language_of(path)
    if language is not None and language.entry is not None:
        return ProgramParts(has_entry=language.entry.search(content) is not None)
    stems, targets = _imports(PurePosixPath(path), content)
    return ProgramParts(
        is_script=True,
        is_runnable=_MAIN_GUARD.search(content) is not None,
        is_exporting=_SCRIPT_ENDING.search(path) is not None and _EXPORTS.search(content) is not None,
        stems=stems,
        targets=targets,
        started=tuple(PurePosixPath(match["file"]).stem for match in _COMMANDS.finditer(content)),
    )


def _imports(file: PurePosixPath, content: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the last words of what a file imports, and the ends of the paths of these."""
    found: set[str] = set()
    targets: dict[str, None] = {}
    for match in _IMPORTS.finditer(content):
        named = match["path"] or match["from"] or match["plain"] or ""
        stems = [part.strip().split(" ")[0] for part in named.split(",")]
        if match["names"]:
            stems += [part.strip(" ()").split(" ")[0] for part in match["names"].split(",")]
        found |= {re.split(r"[./]", stem)[-1] for stem in stems if not match["path"]}
        found |= {_SCRIPT_ENDING.sub("", stem.rpartition("/")[2]) for stem in stems if match["path"]}
        targets |= dict.fromkeys(_imported(match, file))
    return frozenset(found - {file.stem, ""}), tuple(targets)


@dataclass(slots=True)
class Programs:
    """The programs of each module: files with an entry point, and what other files import.

    *exporting* are files of JavaScript that export something, *started* the text of a module's `package.json`.
    """

    entries: dict[str, list[str]] = field(default_factory=dict)
    importers: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    imports: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=dict)
    runners: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    runnable: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    exporting: set[str] = field(default_factory=set)
    started: dict[str, str] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)

    def add(self, path: str, parts: ProgramParts, module: str) -> None:
        """Add a source file."""
        self.paths.add(path)
        if parts.has_entry:
            key = (path.rpartition("/")[0] or ".") if path.endswith(".go") else path
            if key not in self.entries.setdefault(module, []):
                self.entries[module].append(key)
        elif parts.is_script:
            for stem in parts.stems:
                self.importers.setdefault((module, stem), set()).add(path)
            for target in parts.targets:
                self.imports.setdefault((module, target.rpartition("/")[2]), set()).add((path, target))
            if parts.is_runnable:
                self.runnable.add(path)
            if parts.is_exporting:
                self.exporting.add(path)
            if path.rpartition("/")[2] == "__init__.py":
                self.packages.add(path.rpartition("/")[0] or ".")
            for stem in parts.started:
                self.runners.setdefault((module, stem), set()).add(path)

    def is_library(self, path: str, module: str) -> bool:
        """Return whether another file of the module imports a file, or it is a part of a package that others load.

        A file of JavaScript that exports something is loaded, whatever the imports call it, if no command starts it.
        """
        file = PurePosixPath(path)
        is_part = str(file.parent) in self.packages and file.stem != "__main__" and path not in self.runnable
        is_loaded = path in self.exporting and path not in self.runnable and not self._is_started(path, module)
        return is_part or is_loaded or (module, file.stem) in self.importers

    def _is_started(self, path: str, module: str) -> bool:
        """Return whether `package.json` names a file: as a script, as the main file or as a command."""
        name = _SCRIPT_ENDING.sub("", path.removeprefix(f"{module}/"))
        names = {name, name.removesuffix("/index")} - {"index"}
        text = self.started.get(module, "")
        return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?:\.[cm]?[jt]sx?)?(?![\w./-])", text) for one in names)

    def run_by(self, path: str, module: str, deployments: Iterable[Deployment]) -> list[Deployment]:
        """Return the deployments whose command starts a script that imports a file, however indirectly.

        Empty for an unknown command; else deployments without a command are included: what they start is unknown.
        """
        listed, scripts = list(deployments), {path, *self._importing(path, module)}
        started = {found.place for script in scripts for found in command_of(listed, script)}
        return [found for found in listed if found.place in started or not found.command.strip()] if started else []

    def _importing(self, path: str, module: str) -> set[str]:
        """Return the files that import a file, and those that import these."""
        found, queue = {path}, [path]
        while queue and len(found) < _MOST_IMPORTERS:
            target = _target(queue.pop())
            named = self.imports.get((module, target.rpartition("/")[2]), ())
            latest = {other for other, name in named if f"/{target}".endswith(f"/{name}")} - found
            found |= latest
            queue += latest
        return found

    def users(self, path: str, module: str) -> list[str]:
        """Return the scripts that run a file: itself where it can be run, and those that import it or start it.

        Nothing where it is a library of too many.
        """
        if path in self.runnable:
            return sorted({path, *self.runners.get((module, PurePosixPath(path).stem), ())})
        found, queue = {path}, [path]
        while queue and len(found) < 60:
            current = PurePosixPath(queue.pop())
            for other in self.importers.get((module, current.stem), ()):
                beside = str(PurePosixPath(other).parent / current.name)
                if other not in found and (
                    beside == str(current) or beside not in self.paths
                ):  # else that one is meant
                    found.add(other)
                    queue.append(other)
        ends = {end for end in found if not self.is_library(end, module)}
        ends = {end for end in ends if _TOOLS.isdisjoint(PurePosixPath(end).parts[:-1])} or ends
        return sorted(ends) if len(ends) <= _MOST_USERS else []

    def name(self, path: str, module: str, service: str) -> str:
        """Return the name of the program that a file is of: of the service, or its own where there are several."""
        file = PurePosixPath(path)
        entries = self.entries.get(module, [])
        if file.suffix == ".go":
            return self._go_name(file, entries, service)
        language = language_of(path)
        if language is not None and language.entry is not None:
            if len(entries) <= 1 or not file.stem:
                return service or file.stem
            return file.stem
        if file.stem.lower() in _GENERIC:
            folder = file.parent.name
            return service or folder or file.stem
        if self.is_library(path, module) and path not in self.runnable:
            return service or file.stem
        return file.stem

    def _go_name(self, file: PurePosixPath, entries: list[str], service: str) -> str:
        folder = str(file.parent)
        if len(entries) <= 1:
            return service or file.parent.name or file.stem
        return (file.parent.name or service) if folder in entries else service or file.parent.name
