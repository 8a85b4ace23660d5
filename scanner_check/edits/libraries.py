"""Which libraries of Kafka, Avro and Flink a build file adds, drops or changes in another major version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner_check.edits.documents import is_document
from scanner_check.edits.settings import Setting, setting_edits
from scanner_extractor.repository.syntax_trees import words

_BUILD = re.compile(
    r"(?:.*/)?(?:pom\.xml|[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml|go\.(?:mod|sum)|package\.json|[\w.-]*requirements[\w.-]*\.(?:txt|in)"
    r"|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|build\.sbt|Cargo\.toml|paket\.(?:dependencies|references|lock)|[\w.-]+\.(?:csproj|fsproj|props)"
    r"|packages\.config|constraints[\w.-]*\.txt|[\w.-]*-lock\.(?:json|yaml)|poetry\.lock|yarn\.lock|composer\.json|Gemfile(?:\.lock)?|mix\.exs|buildSrc/.+\.(?:kt|kts|groovy|java))"
)
"""Files of builds by their names; `buildSrc` has the code of one. Source: Gradle, sharing build logic."""
_LIBRARY = re.compile(
    r"(?i)\b(?:sarama|franz-go|kgo|librdkafka|node-rdkafka|confluent[._-][\w.-]*|aiokafka|faust[\w-]*"
    r"|spring-cloud-(?:stream|starter-stream)[\w-]*|smallrye-reactive-messaging[\w-]*|avro[\w.-]*|apache\.avro|masstransit[\w.]*|karafka"
    r"|apache-flink[\w-]*|flink-[\w-]+|debezium[\w-]*|ksql[\w-]*|karapace|fastavro)\b"
)
"""Libraries that decide how records are written and read."""
_RUN = re.compile(r"[\w./-]++")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_REFERENCE = re.compile(r"\bversion\.ref\s*=\s*\"([\w.-]+)\"|<version>\s*\$\{([\w.-]+)\}")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|<!--|\*\s)")
_TRAILING = re.compile(r"\s(?:#|//).*$")
_TEST_LIBRARY = re.compile(r"(?i)(?:^|[._-])test(?:[._-]|s\b|$)|-it$")
_OF_TESTS = re.compile(
    r"(?i)^\W*(?:test|androidtest|integrationtest|testfixtures)\w*\b|<scope>\s*test|%\s*(?:\"test\"|Test\b)"
)
"""A line of a build file that adds a library to tests only: by its configuration, or its scope."""

_STARTS = words("main module exports imports bin start mainclass startclass startupobject scripts entrypoints")
"""Members of build files that say which file or class of a program is loaded first, in small letters.

Source: npm's package.json, pyproject.toml, Cargo.toml, Maven's and MSBuild's properties.
"""


def is_build_file(path: str) -> bool:
    """Return whether a file names the libraries of a program."""
    return _BUILD.fullmatch(path) is not None


def is_catalog(path: str) -> bool:
    """Return whether a build file only says what libraries are called: what uses one is another build file."""
    return path.endswith("libs.versions.toml") or "buildSrc" in path.split("/")[:-1]


def library_edits(before: str, after: str) -> list[tuple[str, int, str]]:
    """Return the libraries of Kafka, Avro or Flink that a build file adds, drops or changes in another major version.

    Each with the line and what happens.
    """
    old, new = _libraries(before), _libraries(after)
    found: list[tuple[str, int, str]] = []
    if not before or not after:
        return found  # the program is new, or gone
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        if was is None or now is None:
            line, did = (now or was or ("", 1))[1], "added" if was is None else "removed"
            found.append((name, line, did))
        elif was[0].split(".")[0] != now[0].split(".")[0]:
            found.append((name, now[1], f"{was[0] or 'no version'} → {now[0] or 'no version'}"))
    return found


def start_edits(path: str, before: str, after: str) -> list[Setting]:
    """Return what a build file says of where its program starts; none of a file that is new, gone or not parsed."""
    edits = setting_edits(path, before, after) if before and after and is_document(path) else None
    return [edit for edit in edits or () if _is_start(path, edit)]


def _is_start(path: str, edit: Setting) -> bool:
    """Return whether an edit is of a member that names a start; scripts of npm have names of their own."""
    keys = [key.lower().replace("-", "").replace("_", "") for key in edit.keys]
    return not _STARTS.isdisjoint(keys[-1:] if keys[0] == "scripts" and path.endswith(".json") else keys)


def _names(line: str) -> Iterator[tuple[str, int]]:
    """Yield the libraries that a line names, each with its end: a whole name with `kafka`, or a known word in one."""
    for run in _RUN.finditer(line):
        name = run[0].rstrip("./-")
        if "kafka" in name.lower():
            yield name.lstrip("./-"), run.start() + len(name)
        else:
            matches = _LIBRARY.finditer(line, run.start(), run.end())
            yield from ((match[0].rstrip("./-"), match.end()) for match in matches)


def _libraries(text: str) -> dict[str, tuple[str, int]]:
    """Return the libraries that matter, each with its version and line."""
    found: dict[str, tuple[str, int]] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        block = line + " ".join(lines[number : number + 3]) if "<artifactId>" in line else line
        if _COMMENT.match(line) or "// indirect" in line or _OF_TESTS.search(block.partition("</dependency>")[0]):
            continue
        for written, end in _names(_TRAILING.sub("", line)):
            if _TEST_LIBRARY.search(written):
                continue
            name = re.sub(r"/v\d+$", "", written)
            rest = line[end:] + ("" if "<" not in line else " ".join(lines[number : number + 2]))
            if reference := _REFERENCE.search(rest):
                rest = _version_named(reference[1] or reference[2], text)
            version = _NUMBER.search(rest)
            major = re.search(r"/v(\d+)$", written)
            shown = version[0] if version else ""
            found.setdefault(name, (shown if not major else f"{major[1]}.{shown.partition('.')[2]}", number))
    return found


def _version_named(name: str, text: str) -> str:
    """Return a version by its name, in a catalog of Gradle or a file of Maven; empty without it."""
    for line in text.splitlines():
        key, is_set, value = line.partition("=")
        if is_set and key.strip() == name:
            return value.strip().removeprefix('"').partition('"')[0]
        _, is_tag, value = line.partition(f"<{name}>")
        if is_tag:
            return value.partition("<")[0]
    return ""
