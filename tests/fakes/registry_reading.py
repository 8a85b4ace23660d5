"""A fake registry on this machine, and one way to read it without waiting between retries: fixtures of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock, WorkerPool
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings, NamingSettings, RegistrySettings
from scanner_extractor.systems.schema_registry.confluent import read_registry


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    """Load the fake, which is a program and no part of a package."""
    return import_module("confluent_registry")


@pytest.fixture
def stored(fake: ModuleType) -> Callable[..., Any]:
    """Build one version, with an id and a text that nobody else has."""

    def make(subject: str, version: int = 1, **members: Any) -> Any:
        text = f'{{"type":"record","name":"R","fields":[],"doc":"{subject} {version}"}}'
        return fake.Stored(**{"subject": subject, "version": version, "id": 100 + version, "schema": text, **members})

    return make


@pytest.fixture
def serving(fake: ModuleType) -> Iterator[Callable[..., Any]]:
    """Start registries that stop with the test."""
    with ExitStack() as stack:
        yield lambda flavour, *installation, **options: stack.enter_context(
            fake.serving(fake.Registry(flavour=flavour, installation=installation, **options))
        )


@pytest.fixture
def read() -> Callable[..., Reading]:
    """Read a fake registry as one of a kind; retries cost no time."""

    def reading(registry: Any, kind: str = "", **options: Any) -> Reading:
        kind = kind or registry.flavour.partition("-")[0]
        pool = options.pop("pool", WorkerPool(threads=options.pop("threads", 4)))
        naming = NamingSettings(strategies=options.pop("strategies", ("topic",)))
        progress = options.pop("progress", no_progress)
        web = HttpSettings(url=registry.url, read_timeout=options.pop("read_timeout", 60.0))
        own = {"context": context} if (context := options.pop("context", "")) else {}
        place = REGISTRIES[kind].place(own, registry.url)
        settings = RegistrySettings(type=kind, http=web, naming=naming, options=own, place=place, **options)
        with Http(web, settings.source, clock=Clock(pause=lambda seconds: None)) as http:
            return read_registry(settings, http, progress, pool)

    return reading


@pytest.fixture(scope="session")
def apicurio() -> ModuleType:
    """Load the fake of Apicurio's core API."""
    return import_module("apicurio_registry")


@pytest.fixture(scope="session")
def cloudera() -> ModuleType:
    """Load the fake of Cloudera's registry."""
    return import_module("cloudera_registry")


@pytest.fixture(scope="session")
def glue() -> ModuleType:
    """Load the fake of AWS Glue."""
    return import_module("glue_registry")


@pytest.fixture
def read_through() -> Callable[..., Reading]:
    """Read a fake that answers a method and a URL with a status and a body."""

    def reading(server: Any, kind: str, url: str = "http://registry.example", **options: Any) -> Reading:
        def exchange(request: Request) -> Response:
            status, body = server(request.method, request.url)
            return Response(status=status, body=body)

        web = HttpSettings(url=url, max_bytes=options.pop("max_bytes", 1_000_000), concurrency=4)
        settings = RegistrySettings(type=kind, http=web, **options)
        with Http(web, settings.source, exchange=exchange) as http:
            return REGISTRIES[kind].read(settings, http, no_progress)

    return reading
