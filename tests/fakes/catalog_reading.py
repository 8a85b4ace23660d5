"""The fakes of catalogs, which are programs and no part of a package, and how each is read: fixtures of tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.systems.datazone.catalog import datazone_transport
from scanner_extractor.systems.glue.catalog import glue_catalog_transport

Read = Callable[..., Reading]


@pytest.fixture(scope="session")
def unity() -> ModuleType:
    """Load the fake Databricks."""
    return import_module("unity_server")


@pytest.fixture(scope="session")
def clickhouse() -> ModuleType:
    """Load the fake ClickHouse."""
    return import_module("clickhouse_server")


@pytest.fixture(scope="session")
def iceberg() -> ModuleType:
    """Load the fake Iceberg REST catalog."""
    return import_module("iceberg_server")


@pytest.fixture(scope="session")
def olap() -> ModuleType:
    """Load the fakes of Druid and Pinot."""
    return import_module("olap_engines")


@pytest.fixture(scope="session")
def google() -> ModuleType:
    """Load the fake Google."""
    return import_module("google_services")


@pytest.fixture(scope="session")
def aws() -> ModuleType:
    """Load the fake AWS."""
    return import_module("aws_catalogs")


@pytest.fixture
def exchange() -> Callable[[Any], Transport]:
    """Return a fake as an exchange."""
    return _exchange


@pytest.fixture
def read() -> Read:
    """Read a fake of Databricks or Google with settings."""

    def reading(kind: str, server: Any, *, wrap: Any = None, **more: Any) -> Reading:
        settings = {"http": _http(kind), **more}
        return _read(CatalogSettings(type=kind, **settings), _exchange(server), wrap)

    return reading


@pytest.fixture
def read_aws(aws: ModuleType) -> Read:
    """Read a fake of AWS with settings, through a stubbed client of boto3."""

    def reading(
        kind: str, server: Any, *, wrap: Any = None, options: Mapping[str, str] = MappingProxyType({}), **more: Any
    ) -> Reading:
        place = {"region": "eu-central-1", **options}
        identity = CATALOGS[kind].place(place, "")
        settings = CatalogSettings(type=kind, http=_http(kind), options=place, place=identity, **more)
        client = aws.Stubbed(kind, server)
        make = {"glue": glue_catalog_transport, "datazone": datazone_transport}[kind]
        return _read(settings, make(settings, lambda: client), wrap)

    return reading


def _read(settings: CatalogSettings, exchange: Transport, wrap: Any) -> Reading:
    with Http(settings.http, settings.source, exchange=exchange, wrap=wrap) as http:
        return CATALOGS[settings.type].read(settings, http, no_progress)


def _http(kind: str) -> HttpSettings:
    return HttpSettings(url=f"https://{kind}.example", concurrency=3)


def _exchange(server: Any) -> Transport:
    def query(request: Request) -> Response:
        target = "/" + request.url.partition("://")[2].partition("/")[2]
        status, reported = server.answer(request.method, target, request.body.encode())
        return Response(status=status, body=json.dumps(reported).encode())

    return query
