"""Apicurio Registry, in memory, and the schemas that are registered through its Confluent-compatible API."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import places
import seed_registry
from kafka_rows import java
from places import CACHE, HOST
from rows import Server, Step, answers

_JAVA = 21
_RELEASE = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


def absent() -> dict[str, str]:
    """Return what is not installed, with the reason: Apicurio needs a newer Java than the rest of the lab."""
    reason = f"Java {_JAVA} or newer is not installed (SCANNER_LAB_JAVA names its directory)"
    return {} if _newer_java() else {"apicurio": reason}


def _newer_java() -> Path | None:
    """Return the program of the first Java that is new enough."""
    return next((home / "bin" / "java" for home in _homes() if _version(home) >= _JAVA), None)


def _homes() -> Iterator[Path]:
    yield from (Path(home) for name in ("SCANNER_LAB_JAVA", "JAVA_HOME") if (home := os.environ.get(name)))
    if program := shutil.which("java"):
        yield Path(program).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"))


def _version(home: Path) -> int:
    """Return the major version of the Java in *home*; 0 if there is none."""
    release = home / "release"
    match = _RELEASE.search(release.read_text("utf-8")) if release.is_file() else None
    return int(match[1]) if match else 0


def _command() -> list[str]:
    return [
        str(_newer_java()),
        *java(
            "700m",
            f"-Dquarkus.http.host={HOST}",
            f"-Dquarkus.http.port={places.APICURIO}",
            f"-Dquarkus.management.host={HOST}",  # of all addresses by default
            "-Dapicurio.rest.deletion.artifact-version.enabled=true",
            "-jar",
            str(CACHE / "apicurio" / "quarkus-run.jar"),
        )[1:],
    ]


ROWS = (
    Server(
        name="apicurio",
        port=places.APICURIO,
        needs=("apicurio",),
        command=_command,
        ready=lambda: answers(f"{places.REGISTRY_URL}/subjects"),
    ),
    Step(name="schemas", after=("apicurio",), run=lambda: seed_registry.seed(places.REGISTRY_URL)),
)
