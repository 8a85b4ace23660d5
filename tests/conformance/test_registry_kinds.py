"""One suite for every kind of registry: the same installation gives the same dictionary, but for what a kind lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import Reading, SourceReadings, no_progress
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings, Settings
from scanner_extractor.systems.glue.registry import glue_registry_transport
from scanner_model.names import ClusterName
from scanner_model.scan import ClusterScan
from scanner_model.scan import SourceStatus as Outcome
from scanner_model.schemas import Definition, SchemaVersion, TopicSchema

URL = "http://registry.example"

MONEY = '{"type":"record","name":"Money","namespace":"shared","fields":[{"name":"units","type":"long"}]}'
PAYMENT = (
    '{"type":"record","name":"Payment","includeSchemas":[{"name":"shared.Money"}],'
    '"fields":[{"name":"amount","type":"shared.Money"}]}'
)
ORDER = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}'
ORDER_2 = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"},{"name":"at","type":"long"}]}'
CUSTOMER = '{"title":"Customer","type":"object","properties":{"name":{"type":"string"}}}'
REFUND = 'syntax = "proto3"; message Refund { string reason = 1; }'

CANNOT = {"glue": {"keys", "references"}, "cloudera": set(), "apicurio": set(), "confluent": set(), "karapace": set()}
"""What a kind cannot say: Glue calls key and value the same, and its schemas refer to nothing."""


@dataclass(frozen=True, kw_only=True)
class One:
    """One version of a subject; without a *topic* it is there to be referred to. *needs* as in CANNOT."""

    name: str
    text: str
    role: str = "value"
    number: int = 1
    format: str = "AVRO"
    topic: bool = True
    deleted: bool = False
    refers: str = ""
    needs: str = ""


INSTALLATION = (
    One(name="orders", text=ORDER, deleted=True),
    One(name="orders", text=ORDER_2, number=2),
    One(name="orders", text='"string"', role="key", needs="keys"),
    One(name="shared.Money", text=MONEY, topic=False, needs="references"),
    One(name="payments", text=PAYMENT, refers="shared.Money", needs="references"),
    One(name="shop.customers-v1", text=CUSTOMER, format="JSON"),
    One(name="refunds", text=REFUND, format="PROTOBUF"),
)

Server = tuple[RegistrySettings, Transport | None]


@pytest.fixture(scope="module")
def fakes() -> dict[str, ModuleType]:
    """Load the fakes, which are no parts of a package."""
    return {name: import_module(f"{name}_registry") for name in ("confluent", "apicurio", "cloudera", "glue")}


def _over(server: Callable[[str, str], tuple[int, bytes]]) -> Transport:
    def query(request: Request) -> Response:
        status, body = server(request.method, request.url)
        return Response(status=status, body=body)

    return query


def _confluent(fakes, stack: ExitStack, kind: str, installation: tuple[One, ...]) -> Server:
    fake = fakes["confluent"]
    stored = tuple(
        fake.Stored(
            subject=f"{item.name}-{item.role}" if item.topic else item.name,
            version=item.number,
            id=number,
            schema=item.text,
            type=item.format,
            references=((item.refers, item.refers, 1),) if item.refers else (),
            deleted=item.deleted,
        )
        for number, item in enumerate(installation, 1)
    )
    served = stack.enter_context(fake.serving(fake.Registry(flavour=kind, installation=stored)))
    url = served.url + ("/apis/ccompat/v7" if kind == "apicurio" else "")
    return RegistrySettings(type=kind, http=HttpSettings(url=url)), None


def _apicurio(fakes, installation: tuple[One, ...], **options: Any) -> Server:
    held = tuple(
        fakes["apicurio"].Held(
            artifact=f"{item.name}-{item.role}" if item.topic else item.name,
            label=str(item.number),
            text=item.text,
            type=item.format,
            state="DISABLED" if item.deleted else "ENABLED",
            references=({"groupId": "default", "artifactId": item.refers, "version": "1", "name": item.refers},)
            if item.refers
            else (),
            global_id=number,
            content_id=number,
        )
        for number, item in enumerate(installation, 1)
    )
    server = fakes["apicurio"].Apicurio(held=held, page=2, **options)
    return RegistrySettings(type="apicurio", http=HttpSettings(url=URL)), _over(server)


def _cloudera(fakes, installation: tuple[One, ...], **options: Any) -> Server:
    retained = tuple(
        fakes["cloudera"].Kept(
            name=item.name + (":k" if item.role == "key" else ""),
            version=item.number,
            text=item.text,
            type=item.format.lower(),
            state=8 if item.deleted else 5,
            id=number,
        )
        for number, item in enumerate(installation, 1)
    )
    server = fakes["cloudera"].Cloudera(kept=retained, **options)
    return RegistrySettings(type="cloudera", http=HttpSettings(url=URL)), _over(server)


def _glue(fakes, installation: tuple[One, ...]) -> Server:
    filed = tuple(
        fakes["glue"].Filed(
            name=item.name,
            version=item.number,
            text=item.text,
            format=item.format,
            status="DELETING" if item.deleted else "AVAILABLE",
            id=f"00000000-0000-0000-0000-{number:012d}",
        )
        for number, item in enumerate(installation, 1)
    )
    region = {"glue": {"region": "eu-central-1"}}
    settings = RegistrySettings(type="glue", http=HttpSettings(url="https://glue.example"), options=region)
    client = fakes["glue"].Stubbed(fakes["glue"].Glue(filed=filed, page=1))
    return settings, glue_registry_transport(settings, connect=lambda: client)


SERVERS: dict[str, Callable[[Any, ExitStack, tuple[One, ...]], Server]] = {
    "confluent": lambda fakes, stack, installation: _confluent(fakes, stack, "confluent", installation),
    "karapace": lambda fakes, stack, installation: _confluent(fakes, stack, "karapace", installation),
    "apicurio ccompat": lambda fakes, stack, installation: _confluent(fakes, stack, "apicurio", installation),
    "apicurio export": lambda fakes, stack, installation: _apicurio(fakes, installation),
    "apicurio v3": lambda fakes, stack, installation: _apicurio(fakes, installation, exports=False),
    "apicurio v2": lambda fakes, stack, installation: _apicurio(fakes, installation, api="v2"),
    "cloudera": lambda fakes, stack, installation: _cloudera(fakes, installation),
    "cloudera singly": lambda fakes, stack, installation: _cloudera(fakes, installation, aggregates=False),
    "glue": lambda fakes, stack, installation: _glue(fakes, installation),
}


@pytest.fixture
def read(fakes) -> Iterator[Callable[..., tuple[RegistrySettings, Reading]]]:
    """Read an installation as a server holds it."""
    with ExitStack() as stack:

        def reading(server: str, installation: tuple[One, ...], **changes: Any) -> tuple[RegistrySettings, Reading]:
            settings, exchange = SERVERS[server](fakes, stack, installation)
            settings = replace(settings, **changes)
            with Http(settings.http, settings.source, exchange=exchange) as http:
                return settings, REGISTRIES[settings.type].read(settings, http, no_progress)

        yield reading


def _expressible(server: str) -> tuple[One, ...]:
    return tuple(item for item in INSTALLATION if item.needs not in CANNOT[server.partition(" ")[0]])


def _concluded(settings: RegistrySettings, reading: Reading) -> ClusterScan:
    cluster = Settings(cluster=ClusterName("c"), brokers=("k:1",), file=Path("cluster.json"), registries=(settings,))
    return merge_results(cluster, SourceReadings(outcomes=(reading.outcome,), readings=(reading,)))


def test_every_kind_is_served_here() -> None:
    """A kind that enters the table is held to the same facts."""
    assert {server.partition(" ")[0] for server in SERVERS} == set(REGISTRIES.own) == set(CANNOT)


@pytest.mark.parametrize("server", SERVERS)
def test_topics_get_the_same_columns_from_every_kind(server, read) -> None:
    """Each names its subjects in its own way, and the dictionary is the same."""
    installation = _expressible(server)
    scan = _concluded(*read(server, installation))
    columns = {d.fingerprint: [(c.name, c.type) for c in d.columns] for d in scan.of(Definition)}

    assert [
        (s.topic, s.role, s.version, s.current, s.deleted, columns[s.fingerprint]) for s in scan.of(TopicSchema)
    ] == [
        (item.name, item.role, item.number, not item.deleted, item.deleted, COLUMNS[item.text])
        for item in sorted(installation, key=lambda item: (item.name, item.role, item.number))
        if item.topic
    ]


COLUMNS = {
    ORDER: [("id", "string")],
    ORDER_2: [("id", "string"), ("at", "long")],
    '"string"': [("", "string")],
    PAYMENT: [("amount", "record"), ("amount.units", "long")],
    CUSTOMER: [("name", "string")],
    REFUND: [("reason", "string")],
}


@pytest.mark.parametrize("server", SERVERS)
def test_versions_are_kept_as_they_were_registered(server, read) -> None:
    """Text byte for byte, format in one spelling, one reference where one was made."""
    installation = _expressible(server)
    _, reading = read(server, installation)

    assert sorted(
        (v.text, v.format, v.version, v.deleted, len(v.references)) for v in reading.of(SchemaVersion)
    ) == sorted((item.text, item.format, item.number, item.deleted, bool(item.refers)) for item in installation)
    assert (reading.outcome.status, reading.outcome.received, reading.problems) == (Outcome.READ, len(installation), ())


@pytest.mark.parametrize("server", SERVERS)
def test_deleted_versions_are_left_out_where_they_are_not_wanted(server, read) -> None:
    """A setting says so, and counts for every kind."""
    _, reading = read(server, _expressible(server), deleted=False)

    assert ORDER not in {version.text for version in reading.of(SchemaVersion)}
    assert ORDER_2 in {version.text for version in reading.of(SchemaVersion)}


@pytest.mark.parametrize("server", SERVERS)
def test_empty_registry_is_an_answer(server, read) -> None:
    """Nobody registered anything, which is not a failure."""
    _, reading = read(server, ())

    assert (reading.outcome.status, reading.of(SchemaVersion), reading.problems) == (Outcome.READ, (), ())


@pytest.mark.parametrize("server", SERVERS)
def test_metadata_is_json_or_nothing(server, read) -> None:
    """Programs read it from the dictionary."""
    _, reading = read(server, _expressible(server))

    assert all(isinstance(json.loads(v.metadata), dict) for v in reading.of(SchemaVersion) if v.metadata)
