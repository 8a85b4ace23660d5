"""Modules of a repository, their names, and what deploys them: build files, compose files, Kubernetes workloads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.sources.deployment.declared import mapping, mappings, member, plain_text, text
from scanner_extractor.sources.deployment.yaml_documents import parse_yaml
from scanner_extractor.sources.languages import LANGUAGES, language_of
from scanner_extractor.sources.syntax_trees import words

_BUILD_FILES = {name: pattern for language in LANGUAGES for name, pattern in language.build_files.items()}
_DEPLOYMENT = re.compile(
    r"^services:|^kind:\s*['\"]?(?:Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|ConfigMap|ReplicaSet)\b",
    re.MULTILINE,
)
_OTHER_BROKERS = re.compile(r"(?:stream|binder)-(?:rabbit|kinesis|solace|pulsar|pubsub|servicebus|eventhubs)")
_PARENT = re.compile(r"<parent>(?:[^<]|<(?!/parent>))*+(?:</parent>|\Z)|<!--(?:[^-]|-(?!->))*+(?:-->|\Z)")
_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet", "Service"})
_LONGEST_BUILD = 2 * 1024 * 1024
_ENGINES = re.compile(r"(?i)(?:flink-?)?(?:job-?manager|task-?manager)|spark(?:-?(?:master|worker))?(?:-\d+)?")
"""Services that run an engine, of which a program is a job."""
_OF_KIND = re.compile(r"(?<=.)-(?:depl|deploy|deployment)$")
_GO_PROGRAM = re.compile(r"[^/]/cmd/main\.go$")
"""The program of a directory beside others of one Go module."""
_TAG = re.compile(r"[:@][^/]*$")


class Deployment(NamedTuple):
    """A service of a compose file, or a workload of Kubernetes, with the environment of its container.

    *build* is the directory that its image is built from, None where the file does not say.
    """

    name: str
    image: str
    build: str | None
    environment: Mapping[str, str]
    command: str
    place: str


@dataclass(slots=True)
class Modules:
    """The modules of a repository by directory, and what deploys them."""

    names: dict[str, str] = field(default_factory=dict)
    deployments: list[Deployment] = field(default_factory=list)
    kafka: set[str] = field(default_factory=set)
    without_kafka: set[str] = field(default_factory=set)
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, path: str) -> str:
        """Return the directory of the module that a file is in: the nearest with a build file, else the root."""
        folder = str(PurePosixPath(path).parent)
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
        built = [found for found in self.deployments if found.build is not None and found.build == module]
        names = {self.name(module).lower(), PurePosixPath(module).name.lower()} - {""}
        alike = [
            found
            for found in self.deployments
            if found.build is None and {found.name.lower(), _image_name(found.image)} & names
        ]
        return _one_of_each([found for found in built + alike if not _ENGINES.fullmatch(found.name)])


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
    documents: list[tuple[str, Any]] = []
    for path in files:
        file = PurePosixPath(path)
        if _GO_PROGRAM.search(path):
            modules.names.setdefault(str(file.parent.parent), "")
        is_build = is_build_file(path)
        content = files[path] if is_build or file.suffix in (".yml", ".yaml") else ""
        if is_build:
            folder = "" if str(file.parent) == "." else str(file.parent)
            name, rank = build_name(file, content[:_LONGEST_BUILD])
            modules.names.setdefault(folder, "")
            if name and rank > ranks.get(folder, 0):
                modules.names[folder], ranks[folder] = name, rank
            if "kafka" in content.lower():
                modules.kafka.add(folder)
            elif _OTHER_BROKERS.search(content):
                modules.without_kafka.add(folder)
        elif _DEPLOYMENT.search(content):
            documents += [(path, parsed) for parsed in parse_yaml(content) if isinstance(parsed.value, dict)]
    _add_deployments(modules, documents, files)
    return modules


def _add_deployments(modules: Modules, documents: list[tuple[str, Any]], files: Mapping[str, str]) -> None:
    config_maps = {
        text(parsed.value, "metadata", "name"): _plain(mapping(parsed.value, "data"))
        for _, parsed in documents
        if text(parsed.value, "kind") == "ConfigMap"
    }
    for path, parsed in documents:
        modules.deployments += _compose(path, parsed.value, files)
        modules.deployments += _workload(path, parsed.value, parsed.line, config_maps)
    for found in modules.deployments:
        if found.build is not None:
            modules.names.setdefault(found.build, "")


def is_build_file(path: str) -> bool:
    """Return whether a file describes how a module is built, by its name or the ending of its name."""
    file = PurePosixPath(path)
    return file.name in _BUILD_FILES or file.name == "Dockerfile" or file.suffix in _BUILD_FILES


def build_name(file: PurePosixPath, content: str) -> tuple[str, int]:
    """Return the name that a build file has for its module, and how much it counts; empty where it has none."""
    if file.suffix in _BUILD_FILES:
        return file.stem, 3
    pattern = _BUILD_FILES.get(file.name)
    if pattern is None:
        return "", 0
    match = pattern.search(_PARENT.sub("", content) if file.name == "pom.xml" else content)
    return (match["name"], 2) if match and "$" not in match["name"] else ("", 0)


def _plain(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: plain for key, value in values.items() if (plain := plain_text(value)) is not None}


def _compose(path: str, document: Any, files: Mapping[str, str]) -> Iterator[Deployment]:  # noqa: ANN401 - YAML
    folder = PurePosixPath(path).parent
    for name, service in mapping(document, "services").items():
        if not isinstance(service, dict):
            continue
        build = service.get("build")
        context = (
            build if isinstance(build, str) else text(build, "context") or ("." if isinstance(build, dict) else "")
        )
        place = _normal(folder / context) if context else None
        dockerfile = text(build, "dockerfile")
        if place is not None and "/" in dockerfile:
            place = _normal(folder / context / PurePosixPath(dockerfile).parent)
        environment: dict[str, str] = {}
        listed = service.get("env_file")
        for entry in listed if isinstance(listed, list) else [listed]:
            named = text(entry, "path") if isinstance(entry, dict) else plain_text(entry)
            environment |= _environment_file(files.get(_normal(folder / named) if named else "", ""))
        environment |= _environment(service.get("environment"))
        command = " ".join(_words(service.get(key)) for key in ("entrypoint", "command"))
        line = getattr(document["services"], "lines", {}).get(name, 1)
        yield Deployment(str(name), text(service, "image"), place, environment, command, f"{path}:{line}")


def _workload(
    path: str,
    document: Any,  # noqa: ANN401 - YAML
    line: int,
    config_maps: Mapping[str, Mapping[str, str]],
) -> Iterator[Deployment]:
    if text(document, "kind") not in _WORKLOADS or not isinstance(member(document, "spec"), dict):
        return
    spec = document["spec"]
    pod = member(spec, "jobTemplate", "spec", "template", "spec") or member(spec, "template", "spec") or spec
    for container in mappings(pod, "containers"):
        environment: dict[str, str] = {}
        for source in mappings(container, "envFrom"):
            environment |= config_maps.get(text(source, "configMapRef", "name"), {})
        for variable in mappings(container, "env"):
            referred = member(variable, "valueFrom", "configMapKeyRef")
            value = plain_text(variable.get("value"))
            if value is None and referred:
                value = config_maps.get(text(referred, "name"), {}).get(text(referred, "key"))
            if value is not None:
                environment[text(variable, "name")] = value
        command = " ".join(_words(container.get(key)) for key in ("command", "args"))
        name = _OF_KIND.sub("", text(document, "metadata", "name")) or text(container, "name")
        yield Deployment(name, text(container, "image"), None, environment, command, f"{path}:{line}")


def _environment(value: Any) -> dict[str, str]:  # noqa: ANN401 - YAML
    if isinstance(value, dict):
        return _plain(value)
    pairs = (plain_text(item) or "" for item in value) if isinstance(value, list) else ()
    return {key: setting for key, sign, setting in (pair.partition("=") for pair in pairs) if sign}


def _environment_file(content: str) -> dict[str, str]:
    lines = (line.strip().removeprefix("export ") for line in content.splitlines() if not line.lstrip().startswith("#"))
    return {
        key.strip(): value.strip().strip("\"'") for key, sign, value in (line.partition("=") for line in lines) if sign
    }


def _words(value: Any) -> str:  # noqa: ANN401 - YAML
    return " ".join(plain_text(item) or "" for item in value) if isinstance(value, list) else plain_text(value) or ""


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", "..", "/"):
            parts.append(part)
    return "/".join(parts)


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
_MOST_USERS = 4
"""A file that more scripts import is a library of the whole module."""


@dataclass(slots=True)
class Programs:
    """The programs of each module: files with an entry point, and what other files import."""

    entries: dict[str, list[str]] = field(default_factory=dict)
    importers: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    runners: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    runnable: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)

    def add(self, path: str, content: str, module: str) -> None:
        """Add a source file."""
        file = PurePosixPath(path)
        language = language_of(path)
        pattern = language.entry if language is not None else None
        if pattern is not None and pattern.search(content):
            key = str(file.parent) if file.suffix == ".go" else path
            if key not in self.entries.setdefault(module, []):
                self.entries[module].append(key)
        elif pattern is None:
            for match in _IMPORTS.finditer(content):
                named = match["path"] or match["from"] or match["plain"] or ""
                stems = [part.strip().split(" ")[0] for part in named.split(",")]
                if match["names"]:
                    stems += [part.strip(" ()").split(" ")[0] for part in match["names"].split(",")]
                found = {re.split(r"[./]", stem)[-1] for stem in stems if not match["path"]}
                found |= {_SCRIPT_ENDING.sub("", stem.rpartition("/")[2]) for stem in stems if match["path"]}
                for stem in found - {file.stem, ""}:
                    self.importers.setdefault((module, stem), set()).add(path)
            if _MAIN_GUARD.search(content):
                self.runnable.add(path)
            if file.name == "__init__.py":
                self.packages.add(str(file.parent))
            for match in _COMMANDS.finditer(content):
                self.runners.setdefault((module, PurePosixPath(match["file"]).stem), set()).add(path)

    def is_library(self, path: str, module: str) -> bool:
        """Return whether another file of the module imports a file, or it is a part of a package that others load."""
        file = PurePosixPath(path)
        is_part = str(file.parent) in self.packages and file.stem != "__main__" and path not in self.runnable
        return is_part or (module, file.stem) in self.importers

    def users(self, path: str, module: str) -> list[str]:
        """Return the scripts that run a file: itself where it can be run, and those that import it or start it.

        Nothing where it is a library of too many.
        """
        if path in self.runnable:
            return sorted({path, *self.runners.get((module, PurePosixPath(path).stem), ())})
        found, queue = {path}, [path]
        while queue and len(found) < 60:
            for other in self.importers.get((module, PurePosixPath(queue.pop()).stem), ()):
                if other not in found:
                    found.add(other)
                    queue.append(other)
        ends = {end for end in found if not self.is_library(end, module)}
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


def command_of(deployments: Iterable[Deployment], path: str) -> list[Deployment]:
    """Return the deployments whose command names a file, or its class or module."""
    file = PurePosixPath(path)
    pattern = re.compile(rf"(?<![\w-]){re.escape(file.stem)}(?:{re.escape(file.suffix)})?(?![\w-])")
    return [found for found in deployments if found.command and pattern.search(found.command)]
