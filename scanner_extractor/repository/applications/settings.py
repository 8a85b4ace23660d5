"""Settings of applications: what configuration files of a module and its deployment say.

A file of a profile counts only for settings that the main file lacks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.repository.applications.hocon import read_hocon
from scanner_extractor.repository.syntax_trees import words
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_input import load_text

LARGEST = 1024 * 1024
"""Maximum characters of a settings file."""
_MOST_REPLACED = 500
"""Maximum placeholders that are replaced in one text."""
_LONGEST = 4_000
"""Maximum characters of a text whose placeholders are replaced."""
MOST_SETTINGS = 20_000
"""Maximum settings of one module."""

SETTINGS_ENDINGS = words(""".yml .yaml .properties .json .conf .toml .ini .cfg .env""")
_NAMES = re.compile(
    r"(?i)^(?:application|bootstrap|microprofile-config|app|appsettings|settings|config|kafka|consumer|"
    r"producer|default|dev|local|docker|prod|production|base|main|service|streams)\b[\w.-]*$"
)
_PROPERTY = re.compile(r"^[ \t]*(?P<key>(?:\\.|[^\s=:#!\\])(?:\\.|[^=:\s\\])*)[ \t]*[=:][ \t]*+(?P<value>.*)$")
_REFERENCE = re.compile(
    r"[$#]\{\s*+(?:@?\w*\.?getProperty\(\s*+)?'?(?P<name>[^{}:']*+)'?\)?(?::(?P<default>[^{}]*+))?\s*\}"
)
_SPEL = re.compile(r"#\{\s*'?(?P<inside>[^{}]*(?:\$\{[^{}]*\})?[^{}]*?)'?\s*(?:\.split\([^)]*\))?\s*\}")
_OF_BEAN = re.compile(r"#\{\s*@?\w+(?P<path>(?:\??\.\w+|\[\s*'[^'{}]+'\s*\])+)\s*\}")
"""An expression of Spring that takes a member of an object, which is one of settings if settings have its path."""
_STEP = re.compile(r"\.(\w+)|'([^']+)'")
_NO_DEFAULT = re.compile(r":\s*+#\{\s*+null\s*+\}(?=\s*+\})")
"""What Spring takes for null where a setting has no value."""
_PROFILE = re.compile(r"^\"?%[\w,-]+\"?\.")
BINDINGS = "spring.cloud.stream.bindings."
"""What the keys of settings begin with that bind functions of a program to topics."""
_FILE_NAME = re.compile(r"""["'`/]([\w.-]{1,80}\.(?:ya?ml|properties|json|conf|toml|ini|cfg))["'`]""")
_MANIFESTS = frozenset(("package.json", "tsconfig.json", "pyproject.toml", "Cargo.toml"))
"""Files that say how a program is built."""
_INDEX = re.compile(r"\[(\d+)\]")


class Setting(NamedTuple):
    """A setting with the file and line that has it; *profile*: the file is one of a profile."""

    key: str
    value: str
    place: str
    profile: bool = False


@dataclass(slots=True)
class Settings:
    """The settings of one module, by key in a form that ignores letter case, dashes and underscores."""

    known: dict[str, list[Setting]] = field(default_factory=dict)

    def add(self, setting: Setting) -> None:
        """Add a setting."""
        if len(self.known) < MOST_SETTINGS:
            self.known.setdefault(relaxed(setting.key), []).append(setting)

    def over(self, other: Settings) -> Settings:
        """Return these settings, and those of *other* that they do not have."""
        return Settings({**other.known, **self.known})

    def find(self, name: str) -> Setting | None:
        """Return the setting of a name: of the main file, else of a profile; None where there is none."""
        listed = self.known.get(relaxed(name), ())
        return next((setting for setting in listed if not setting.profile), next(iter(listed), None))

    def ending(self, name: str) -> Setting | None:
        """Return the setting whose name ends in *name*; None without exactly one."""
        wanted = relaxed(name)
        listed = [one for one in self.known if one == wanted or one.endswith(f".{wanted}")]
        return self.find(listed[0]) if len(listed) == 1 else None

    def below(self, prefix: str) -> Iterator[tuple[str, Setting]]:
        """Yield the settings whose keys begin with *prefix*, each with the rest of its key, profiles last."""
        for listed in list(self.known.values()):
            best = next((setting for setting in listed if not setting.profile), listed[0])
            if best.key.lower().startswith(prefix):
                yield best.key[len(prefix) :], best


def relaxed(name: str) -> str:
    """Return a key as Spring compares it: without letter case, dashes and underscores."""
    plain = _INDEX.sub(r".\1", name).replace("__", ".").replace(":", ".")
    return plain.replace("-", "").replace("_", "").replace('"', "").lower()


def files_named_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of files in the form of settings that code has in its texts: it reads them."""
    found = (match for text in texts for match in _FILE_NAME.findall(text))
    return frozenset(name.rpartition("/")[2] for name in found) - _MANIFESTS


_LAUNCH = "launchSettings.json"


def is_settings_file(path: str, named: Container[str] = ()) -> bool:
    """Return whether a file may hold an application's settings, by its name; *named* are those that its code reads."""
    file = PurePosixPath(path)
    if file.name.startswith(".env"):
        return not file.name.endswith((".example", ".sample", ".template"))
    if file.suffix.lower() not in SETTINGS_ENDINGS:
        return False
    if file.name in named:
        return True
    is_named = file.name == _LAUNCH or _NAMES.match(file.name) is not None
    return file.suffix.lower() in (".properties", ".conf", ".ini") or is_named


def read_settings(path: str, text: str) -> Iterator[Setting]:
    """Yield the settings of one file; one that cannot be parsed has none."""
    file = PurePosixPath(path)
    profile = re.match(r"(?i)(?:application|bootstrap|appsettings|config)[-.][\w-]+\.\w+$", file.name) is not None
    profile = profile and "microprofile" not in file.name
    if len(text) > LARGEST:
        return
    match ".env" if file.name.startswith(".env") else file.suffix.lower():
        case ".properties" | ".env" | ".ini" | ".cfg":
            found = properties(text)
        case ".conf":
            found = ((key, value, line, False) for key, value, line in read_hocon(text))
        case ".json":
            found = _json(text)
        case ".toml":
            found = _toml(text)
        case _:
            found = _yaml(text)
    for key, value, line, is_profile in found:
        if file.name == _LAUNCH:  # of .NET: the environment of a program that a developer starts
            _, is_variable, name = key.partition(".environmentVariables.")
            if is_variable:
                yield Setting(name, value, f"{path}:{line}", True)
            continue
        without = _PROFILE.sub("", key)
        yield Setting(without, value, f"{path}:{line}", profile or is_profile or without != key)


_Line = tuple[str, str, int, bool]


def properties(text: str) -> Iterator[_Line]:
    """Yield the keys of properties or an INI file, each with its value and line; the last member is False."""
    lines = text.splitlines()
    number, section = 0, ""
    while number < len(lines):
        first, line = number + 1, lines[number]
        while line.endswith("\\") and number + 1 < len(lines):
            number += 1
            line = line[:-1] + lines[number].strip()
        number += 1
        header = re.fullmatch(r"\s*\[([\w.-]+)\]\s*", line)
        if header:
            section = f"{header[1]}."
        match = _PROPERTY.match(line)
        if match and not line.lstrip().startswith(("#", "!", ";")):
            yield section + match["key"].replace("\\", ""), match["value"].strip().strip("\"'"), first, False


def _json(text: str) -> Iterator[_Line]:
    try:
        value = load_text(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return
    yield from ((key, plain, 1, False) for key, plain, _ in _flat(value, "", 0))


def _toml(text: str) -> Iterator[_Line]:
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    yield from ((key, plain, 1, False) for key, plain, _ in _flat(value, "", 0))


def _yaml(text: str) -> Iterator[_Line]:
    for position, parsed in enumerate(parse_yaml(re.sub(r"(:\s*)(@[\w.-]+@)", r'\1"\2"', text))):
        listed = list(_flat(parsed.value, "", parsed.line))
        profiled = position > 0 and any(
            key.startswith(("spring.profiles", "spring.config.activate")) for key, _, _ in listed
        )
        yield from ((key, value, line, profiled) for key, value, line in listed)


def _flat(value: Any, prefix: str, line: int) -> Iterator[tuple[str, str, int]]:  # noqa: ANN401 - a value of JSON
    stack: list[tuple[str, Any, int]] = [(prefix, value, line)]
    for _ in range(MOST_SETTINGS):
        if not stack:
            return
        path, current, at = stack.pop()
        match current:
            case dict():
                lines = getattr(current, "lines", {})
                stack += [
                    (f"{path}.{key}" if path else str(key), inside, lines.get(key, at))
                    for key, inside in reversed(current.items())
                ]
            case list():
                stack += [(f"{path}[{index}]", inside, at) for index, inside in reversed(list(enumerate(current)))]
                if current and all(isinstance(item, str) for item in current):
                    yield path, ",".join(current), at
            case bool():
                yield path, str(current).lower(), at
            case str() | int() | float():
                yield path, str(current), at


# --- placeholders


def expand(
    text: str,
    environment: Mapping[str, str],
    settings: Settings,
    variables: Mapping[str, str],
    depth: int = 0,
    steps: Iterator[int] | None = None,
) -> str | None:
    """Return *text* with every placeholder replaced; None if one has no value, or they multiply beyond a limit.

    The deployment's environment precedes settings, since it does so in every framework; then come the variables of the
    repository, and the default.
    """
    if "{" not in text:
        return text
    if depth > 8:
        return None
    steps = iter(range(_MOST_REPLACED)) if steps is None else steps
    text = _NO_DEFAULT.sub("", text)
    if member := _OF_BEAN.fullmatch(text.strip()):
        known = settings.ending(".".join(one or other for one, other in _STEP.findall(member["path"])))
        return None if known is None else expand(known.value, environment, settings, variables, depth + 1, steps)
    spel = _SPEL.fullmatch(text.strip())
    if spel:
        return expand(spel["inside"].strip("'"), environment, settings, variables, depth + 1, steps)

    failed = False

    def replaced(match: re.Match[str]) -> str:
        nonlocal failed
        failed = failed or next(steps, None) is None
        if failed:
            return ""
        name = match["name"].strip()
        value = _value(name, environment, settings, variables)
        value = match["default"] if value is None else value
        inner = (
            None
            if value is None
            else expand(value.strip().strip("'\""), environment, settings, variables, depth + 1, steps)
        )
        failed = failed or inner is None or len(inner) > _LONGEST
        return inner or ""

    for _ in range(6):  # a default may have a placeholder of its own: the innermost goes first
        found = _REFERENCE.search(text)
        if not found:
            break
        text = _REFERENCE.sub(replaced, text)
        if failed or len(text) > _LONGEST:
            return None
    return None if "{" in text else text


def _value(name: str, environment: Mapping[str, str], settings: Settings, variables: Mapping[str, str]) -> str | None:
    upper = re.sub(r"[^A-Za-z0-9]", "_", name).upper()
    for key in (name, upper, upper.replace("_", "__"), name.replace(".", "__").replace(":", "__")):
        if key in environment:
            return environment[key]
    setting = settings.find(name)
    if setting is not None:
        return setting.value
    return variables.get(name)
