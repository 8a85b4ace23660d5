"""Apicurio Registry, in memory, and the schemas that are registered through its Confluent-compatible API."""

from __future__ import annotations

import places
import seed_registry
from kafka_rows import java
from places import CACHE, HOST
from rows import Server, Step, answers

_HOME = CACHE / "apicurio"


def _command() -> list[str]:
    (runner,) = _HOME.glob("apicurio-registry-app-*-runner.jar")
    return java(
        "700m",
        f"-Dquarkus.http.host={HOST}",
        f"-Dquarkus.http.port={places.APICURIO}",
        "-Dapicurio.rest.deletion.artifact-version.enabled=true",
        "-cp",
        f"{runner}:{_HOME}/lib/*",
        "io.quarkus.runner.GeneratedMain",
    )


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
