"""What deploys the programs of a repository: services of compose files, workloads of Kubernetes, functions of AWS."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.repository.declared import mapping, mappings, member, plain_text, text
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.variables import template_parts
from scanner_extractor.repository.yaml_documents import parse_yaml

_WORKLOADS = words(
    "Deployment StatefulSet DaemonSet Job CronJob Pod ReplicaSet Service DeploymentConfig DeploymentList ClowdApp"
)
_DECLARED = re.compile(
    r"^services:|^kind:\s*['\"]?(?:Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|ConfigMap|ReplicaSet"
    r"|DeploymentConfig|ClowdApp|Template|List)\b|^configMapGenerator:|\bAWS::(?:Serverless|Lambda)::Function\b",
    re.MULTILINE,
)
_IMAGE = re.compile(r"^[ \t]{1,8}image:", re.MULTILINE)
_ENVIRONMENT = re.compile(r"^[ \t]{1,8}env:[ \t]*$", re.MULTILINE)
_FILLED_IN = re.compile(r"(?<=: )\{\{[ \t]*+([\w.-]{1,80})[ \t]*+\}\}(?=[ \t]*$)", re.MULTILINE)
"""A value that what applies a file fills in: a file that is a template in no other way is YAML without it."""
_LISTS = {"Template": "objects", "List": "items"}
_PARAMETER = re.compile(r"\$\{\{?(\w+)\}?\}")
_OF_KIND = re.compile(r"(?<=.)-(?:depl|deploy|deployment)$")
_PREPARING = re.compile(r"(?i)(?:^|[._-])(?:init|migrate|migrations?|liquibase|flyway|seed)(?:$|[._-])")
_MOST_OBJECTS = 500


class Deployment(NamedTuple):
    """A service of a compose file, or a workload of Kubernetes, with the environment of its container.

    *build* is the directory that its image is built from, None where the file does not say. *is_own*: it is of a kind
    that is declared in the repository of its program, whatever its image is called. *sources* are the files of the
    ConfigMaps that its environment is from.
    """

    name: str
    image: str
    build: str | None
    environment: Mapping[str, str]
    command: str
    place: str
    is_own: bool = False
    sources: tuple[str, ...] = ()


class _ConfigMap(NamedTuple):
    """What a ConfigMap has, and the file that it is from."""

    values: Mapping[str, str]
    path: str


class _Object(NamedTuple):
    """An object of a document, with the parameters of the template around it."""

    path: str
    value: Any
    line: int
    parameters: Mapping[str, str]


def declares_deployment(content: str) -> bool:
    """Return whether a YAML file may declare what is deployed."""
    is_of_house = "\nspec:" in content and _IMAGE.search(content) and _ENVIRONMENT.search(content)
    return _DECLARED.search(content) is not None or bool(is_of_house)


def read_deployments(contents: Mapping[str, str], files: Mapping[str, str]) -> list[Deployment]:
    """Read the deployments of YAML files; *files* are those of the repository, for the environment files they name."""
    filled = {path: _with_values(path, content, files) for path, content in contents.items()}
    objects = [found for path, content in filled.items() for found in _objects(path, content)]
    config_maps: dict[str, _ConfigMap] = {}
    for found in objects:
        if text(found.value, "kind") == "ConfigMap":
            name, values = text(found.value, "metadata", "name"), mapping(found.value, "data")
            earlier = config_maps.get(name, _ConfigMap({}, ""))  # a patch has some of the entries only
            merged = {**earlier.values, **_plain(values, found.parameters)}
            config_maps[name] = _ConfigMap(merged, found.path)
    for found in objects:
        for name, one in _generated(found, files):
            known = config_maps.get(name, one)  # an overlay is another environment
            config_maps[name] = known._replace(values={**one.values, **known.values})
    deployments: list[Deployment] = []
    for found in objects:
        deployments += _compose(found.path, found.value, files)
        deployments += _functions(found)
        deployments += _clowd_app(found) if text(found.value, "kind") == "ClowdApp" else _workload(found, config_maps)
        deployments += _resource_of_house(found, config_maps)
    return deployments


class NamedBeside(NamedTuple):
    """A topic that code names beside a component of Kafka, as an argument of a call or a note; *line* is its own."""

    topic: str
    writes: bool
    line: int


def kafka_components(files: Mapping[str, str]) -> frozenset[str]:
    """Return the names of components that connect programs to Kafka, which only their names lead to.

    Source: Dapr, component schema: `spec.type` is `pubsub.kafka` or `bindings.kafka`.
    """
    found = set()
    for path in (path for path in files if path.endswith((".yaml", ".yml"))):
        content = files[path]
        if "Component" not in content or ".kafka" not in content:
            continue
        for parsed in parse_yaml(content):
            value = parsed.value
            is_component = not parsed.error and text(value, "kind") == "Component"
            if is_component and text(value, "spec", "type").endswith(".kafka"):
                found.add(text(value, "metadata", "name"))
    return frozenset(found - {""})


_QUOTED = re.compile(r"[\"'`]([\w.-]{1,80})[\"'`]")


def files_naming(paths: Iterable[str], files: Mapping[str, str], is_meant: Callable[[str], bool]) -> dict[str, str]:
    """Return those of *paths* with a name between quotation marks that *is_meant* holds for, each with the name."""
    quoted = {path: _QUOTED.findall(files[path]) for path in paths}
    return {path: min(named) for path, names in quoted.items() if (named := list(filter(is_meant, names)))}


_GIVEN = r"[\"'`][\w.-]{1,249}[\"'`]|[A-Za-z_][\w.]{0,80}"
_PAIR = re.compile(
    rf"(?<![\w.\"'`])(?P<first>{_GIVEN})(?=\s{{0,40}},\s{{0,40}}(?:(?P<key>[\w\"']{{1,40}})\s{{0,3}}[:=]\s{{0,3}})?"
    rf"(?P<second>{_GIVEN})(?![\w.(\"'`]))"
)
_CONSTANT = re.compile(r"\b(?P<name>[A-Za-z_]\w{0,80})\s{0,9}:?=\s{0,9}[\"'`](?P<value>[\w.-]{1,249})[\"'`]")
_CALLED = re.compile(r"\w{1,80}(?=\s?[({][^(){}]{0,300}\Z)")


def named_beside(component: str, code: str) -> Iterator[NamedBeside]:
    """Yield the topics that are named beside a component: it is sent to by what is called so, and otherwise read.

    In every language, the topic follows the component, or both are members with names, in any order. Names of the
    file's constants stand for their values.
    """
    constants = {match["name"]: match["value"] for match in _CONSTANT.finditer(code)}
    for match in _PAIR.finditer(code):
        first, second = (
            given.strip("\"'`") if given[0] in "\"'`" else constants.get(given.rpartition(".")[2], "")
            for given in (match["first"], match["second"])
        )
        if component not in (first, second) or not (first and second) or (component == second and not match["key"]):
            continue
        topic = second if component == first else first
        called = _CALLED.search(code[max(0, match.start() - 400) : match.start()])
        writes = called is not None and "publish" in called[0].lower()
        yield NamedBeside(topic, writes, code.count("\n", 0, match.start()) + 1)


_TEMPLATES = "templates/"
_VALUE = re.compile(r"\.Values\.(?P<path>[\w.]+)(?:\s*+\|\s*+(?:quote|squote|toString|trim))*+")

_NAMES = re.compile(r"\.(?:Release|Chart)\.Name\b|include\s+\"[\w.-]*name\"\s")
"""What names a resource after the release, or after the chart."""


def _with_values(path: str, content: str, files: Mapping[str, str]) -> str:
    """Return a template of a chart with the values of the chart, as far as the names of values say it.

    A chart that Helm did not render says which value a variable of a program has all the same. Lines with nothing but
    a block are left out, so both branches of a condition count. What else a template computes stays a placeholder.
    """
    chart, mark, _ = path.rpartition(_TEMPLATES)
    if not mark or "{{" not in content or f"{chart}Chart.yaml" not in files:
        return content
    values, about = (
        next((parsed.value for parsed in parse_yaml(files.get(f"{chart}{name}.yaml", ""))), None)
        for name in ("values", "Chart")
    )
    parts, at = list[str](), 0
    for part in template_parts(content):
        parts.append(content[at : part.start])
        at = part.end
        code = part.text.strip("{}- ")
        named = _VALUE.fullmatch(code)
        value = values if named else text(about, "name") if _NAMES.match(code) else None
        for key in named["path"].split(".") if named else ():
            value = member(value, key)
        start, end = content.rfind("\n", 0, part.start) + 1, content.find("\n", part.end)
        is_alone = not content[start : part.start].strip() and not content[part.end : max(end, part.end)].strip()
        plain = plain_text(value)
        plain = json.dumps(plain) if plain is not None and "quote" in code else plain
        parts.append(plain if plain is not None else "" if is_alone else "$template")
    return "".join((*parts, content[at:]))


def _objects(path: str, content: str) -> Iterator[_Object]:
    """Yield the objects of a file; those of a template or list one by one."""
    for parsed in parse_yaml(_FILLED_IN.sub(r"${\1}", content)):
        if not isinstance(parsed.value, dict):
            continue
        listed = _LISTS.get(text(parsed.value, "kind"))
        if listed is None:
            yield _Object(path, parsed.value, parsed.line, {})
            continue
        parameters = {text(one, "name"): plain_text(one.get("value")) for one in mappings(parsed.value, "parameters")}
        known = {name: value for name, value in parameters.items() if value is not None}
        for inside in list(mappings(parsed.value, listed))[:_MOST_OBJECTS]:
            yield _Object(path, inside, getattr(inside, "line", parsed.line), known)


def _filled(value: str, parameters: Mapping[str, str]) -> str:
    """Return a text with the parameters of a template; one without a value stays."""
    return _PARAMETER.sub(lambda match: parameters.get(match[1], match[0]), value) if parameters else value


def _plain(values: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, str]:
    plain = {key: plain_text(value) for key, value in values.items()}
    return {key: _filled(value, parameters) for key, value in plain.items() if value is not None}


def _generated(found: _Object, files: Mapping[str, str]) -> Iterator[tuple[str, _ConfigMap]]:
    """Yield the ConfigMaps that a kustomization generates, of literals and of files with an environment."""
    folder = PurePosixPath(found.path).parent
    for generator in mappings(found.value, "configMapGenerator"):
        values = _environment(generator.get("literals"))
        listed = generator.get("envs")
        for name in [*(listed if isinstance(listed, list) else []), generator.get("env")]:
            if (path := plain_text(name)) is not None:
                values |= _environment_file(files.get(normal_path(folder / path), ""))
        yield text(generator, "name"), _ConfigMap(values, found.path)


def _compose(path: str, document: Any, files: Mapping[str, str]) -> Iterator[Deployment]:  # noqa: ANN401 - YAML
    folder = PurePosixPath(path).parent
    for name, service in mapping(document, "services").items():
        if not isinstance(service, dict):
            continue
        build = service.get("build")
        context = (
            build if isinstance(build, str) else text(build, "context") or ("." if isinstance(build, dict) else "")
        )
        place = normal_path(folder / context) if context else None
        dockerfile = text(build, "dockerfile")
        if place is not None and "/" in dockerfile:
            place = normal_path(folder / context / PurePosixPath(dockerfile).parent)
        environment: dict[str, str] = {}
        listed = service.get("env_file")
        for entry in listed if isinstance(listed, list) else [listed]:
            named = text(entry, "path") if isinstance(entry, dict) else plain_text(entry)
            environment |= _environment_file(files.get(normal_path(folder / named) if named else "", ""))
        environment |= _environment(service.get("environment"))
        command = " ".join(_words(service.get(key)) for key in ("entrypoint", "command")).strip()
        line = getattr(document["services"], "lines", {}).get(name, 1)
        yield Deployment(str(name), text(service, "image"), place, environment, command, f"{path}:{line}")


_SERVERLESS, _LAMBDA = "AWS::Serverless::Function", "AWS::Lambda::Function"


def _functions(found: _Object) -> Iterator[Deployment]:
    """Yield the functions of a stack of AWS, with the variables that `Globals` gives each of SAM.

    Source: AWS SAM, "Globals section" and `AWS::Serverless::Function`: `CodeUri` is relative to the template.
    """
    parameters = {name: text(one, "Default") for name, one in mapping(found.value, "Parameters").items()}
    common = mapping(mapping(found.value, "Globals"), "Function")
    for name, resource in mapping(found.value, "Resources").items():
        kind, own = text(resource, "Type"), mapping(resource, "Properties")
        if kind not in (_SERVERLESS, _LAMBDA):
            continue
        parts = (common, own) if kind == _SERVERLESS else (own,)
        variables = [mapping(mapping(part, "Environment"), "Variables") for part in parts]
        environment = {key: value for part in variables for key, value in _plain(part, parameters).items()}
        code = next((place for part in reversed(parts) if (place := text(part, "CodeUri") or text(part, "Code"))), "")
        build = normal_path(PurePosixPath(found.path).parent / code) if code and "://" not in code else None
        line = getattr(found.value["Resources"], "lines", {}).get(name, 1)
        title = name if kind == _SERVERLESS else text(own, "FunctionName") or name
        yield Deployment(str(title), "", build, environment, "", f"{found.path}:{line}")


def _workload(found: _Object, config_maps: Mapping[str, _ConfigMap]) -> Iterator[Deployment]:
    document = found.value
    if text(document, "kind") not in _WORKLOADS or not isinstance(member(document, "spec"), dict):
        return
    spec = document["spec"]
    pod = member(spec, "jobTemplate", "spec", "template", "spec") or member(spec, "template", "spec") or spec
    name = _OF_KIND.sub("", text(document, "metadata", "name"))
    if text(document, "kind") == "Job" and _PREPARING.search(name):
        return  # it runs the image of a program for another purpose
    for container in mappings(pod, "containers"):
        yield _container(name or text(container, "name"), container, found, found.line, config_maps)


def _resource_of_house(found: _Object, config_maps: Mapping[str, _ConfigMap]) -> Iterator[Deployment]:
    """Yield what a resource of any other kind deploys whose specification has an image and variables, as a container.

    Platforms of houses have such resources for the programs of a repository, whatever the images are called.
    """
    spec = mapping(found.value, "spec")
    is_known = text(found.value, "kind") in (*_WORKLOADS, "ClowdApp") or not text(found.value, "apiVersion")
    if not is_known and text(spec, "image") and any(True for _ in mappings(spec, "env")):
        name = text(found.value, "metadata", "name")
        yield _container(name, spec, found, found.line, config_maps)._replace(is_own=True)


def _clowd_app(found: _Object) -> Iterator[Deployment]:
    """Yield the deployments and jobs of a ClowdApp; the operator calls them like the application, then like each."""
    for kind in ("deployments", "jobs"):
        for one in mappings(member(found.value, "spec"), kind):
            name = f"{text(found.value, 'metadata', 'name')}-{text(one, 'name')}"
            yield _container(name, mapping(one, "podSpec"), found, getattr(one, "line", found.line), {})._replace(
                is_own=True
            )


def _container(
    name: str, container: Mapping[str, Any], found: _Object, line: int, config_maps: Mapping[str, _ConfigMap]
) -> Deployment:
    environment: dict[str, str] = {}
    sources: dict[str, None] = {}
    for source in mappings(container, "envFrom"):
        known = config_maps.get(text(source, "configMapRef", "name"))
        if known is not None:
            environment |= known.values
            sources[known.path] = None
    for variable in mappings(container, "env"):
        referred = member(variable, "valueFrom", "configMapKeyRef")
        value = plain_text(variable.get("value"))
        known = config_maps.get(text(referred, "name")) if value is None and referred else None
        if known is not None:
            value = known.values.get(text(referred, "key"))
            sources[known.path] = None
        if value is not None:
            environment[text(variable, "name")] = _filled(value, found.parameters)
    command = " ".join(_words(container.get(key)) for key in ("command", "args")).strip()
    filled = (_filled(part, found.parameters) for part in (name, text(container, "image"), command))
    shown, image, command = filled
    return Deployment(shown, image, None, environment, command, f"{found.path}:{line}", sources=tuple(sources))


def _environment(value: Any) -> dict[str, str]:  # noqa: ANN401 - YAML
    if isinstance(value, dict):
        return _plain(value, {})
    pairs = (plain_text(item) or "" for item in value) if isinstance(value, list) else ()
    return {key: setting for key, sign, setting in (pair.partition("=") for pair in pairs) if sign}


def _environment_file(content: str) -> dict[str, str]:
    lines = (line.strip().removeprefix("export ") for line in content.splitlines() if not line.lstrip().startswith("#"))
    return {
        key.strip(): value.strip().strip("\"'") for key, sign, value in (line.partition("=") for line in lines) if sign
    }


def _words(value: Any) -> str:  # noqa: ANN401 - YAML
    return " ".join(plain_text(item) or "" for item in value) if isinstance(value, list) else plain_text(value) or ""


def normal_path(path: PurePosixPath) -> str:
    """Return a path without `.` and `..`, relative to the repository."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", "..", "/"):
            parts.append(part)
    return "/".join(parts)


def command_of(deployments: Iterable[Deployment], path: str) -> list[Deployment]:
    """Return the deployments whose command names a file, or its class or module; for Go, its package.

    A command of Django is the argument of `manage.py`.
    """
    with_command = [found for found in deployments if found.command]
    if not with_command:
        return []
    file = PurePosixPath(path)
    name = file.parent.name or file.stem if file.suffix == ".go" else file.stem
    before = r"(?:manage\.py|django-admin)[\s'\",]+" if "management/commands/" in path else r"(?<![\w-])"
    pattern = re.compile(rf"{before}{re.escape(name)}(?:{re.escape(file.suffix)})?(?![\w-])")
    return [found for found in with_command if pattern.search(found.command)]
