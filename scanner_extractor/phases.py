"""The phases of a scan as rows: which sources are asked in which, and by which reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from scanner_extractor.access import Access
from scanner_extractor.readings import ConnectReading, KafkaReading, KsqlReading, Progress, RegistryReading
from scanner_extractor.settings import ConnectSettings, KsqlSettings, RegistrySettings, Settings
from scanner_model.names import SourceId

Reading = ConnectReading | KafkaReading | KsqlReading | RegistryReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One source to ask: *kind* is what `--only` and `--skip` name; *run* asks it and raises ScannerError."""

    source: SourceId
    kind: str
    run: Callable[[Progress], Reading]


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of a scan: its tasks run side by side, after all tasks of the phases before it."""

    name: str
    tasks: Callable[[Settings, Access], Iterator[Task]]


def kafka_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask the brokers, where cluster.json has a `kafka` member."""
    if settings.kafka:
        kafka = settings.kafka
        yield Task(source=kafka.source, kind="kafka", run=lambda progress: access.kafka(kafka, progress))


def ksqldb_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every ksqlDB cluster."""
    from scanner_extractor.sources.ksqldb import read_ksqldb

    for ksqldb in settings.ksqldb:

        def run(progress: Progress, ksqldb: KsqlSettings = ksqldb) -> KsqlReading:
            with access.http(ksqldb.http, ksqldb.source) as http:
                return read_ksqldb(ksqldb, http, progress)

        yield Task(source=ksqldb.source, kind="ksqldb", run=run)


def connect_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every Connect cluster."""
    from scanner_extractor.sources.connect import read_connect
    from scanner_extractor.sources.connect_veil import veiled

    for connect in settings.connect:

        def run(progress: Progress, connect: ConnectSettings = connect) -> ConnectReading:
            with access.http(connect.http, connect.source, veil=partial(veiled, connect)) as http:
                return read_connect(connect, http, progress)

        yield Task(source=connect.source, kind="connect", run=run)


def streaming_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask everything that reads and writes topics, side by side."""
    yield from ksqldb_tasks(settings, access)
    yield from connect_tasks(settings, access)


def registry_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every schema registry."""
    from scanner_extractor.registries import own_exchange, registries

    for registry in settings.registries:

        def run(progress: Progress, registry: RegistrySettings = registry) -> RegistryReading:
            with access.http(registry.http, registry.source, live=own_exchange(registry)) as http:
                return registries()[registry.type](registry, http, progress)

        yield Task(source=registry.source, kind="schema_registry", run=run)


PHASES = (
    Phase("topics and consumer groups", kafka_tasks),
    Phase("collections and connectors", streaming_tasks),
    Phase("schemas", registry_tasks),
)
