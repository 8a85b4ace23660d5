"""One suite for every server that speaks Confluent's API: the same installation gives the same facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.schemas.references import finder, resolve
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_model.names import SourceId
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Registry, SchemaVersion

SERVERS = (
    ("confluent", "confluent"),
    ("confluent", "confluent-7.4"),
    ("confluent", "confluent-6.1"),
    ("confluent", "confluent-old"),
    ("karapace", "karapace"),
    ("apicurio", "apicurio"),
)
MONEY = (("money.proto", "money.proto", 1),)
METADATA = {"metadata": {"properties": {"owner": "finance"}}}

Reader = Callable[..., Reading]


@pytest.fixture(scope="module")
def fake() -> Any:
    """Load the fake, which is a program and no part of a package."""
    return import_module("confluent_registry")


@pytest.fixture
def installation(fake) -> tuple[Any, ...]:
    """Return an installation that every kind can hold."""
    stored = fake.Stored
    return (
        stored(subject="orders-value", version=1, id=1, schema='"string"', deleted=True),
        stored(subject="orders-value", version=2, id=2, schema='"bytes"', more=METADATA),
        stored(subject="orders.RETRY-value", version=1, id=2, schema='"bytes"'),
        stored(subject="a/b c-key", version=3, id=3, schema='{"type":"object"}', type="JSON"),
        stored(subject="money.proto", version=1, id=4, schema="message Money {}", type="PROTOBUF"),
        stored(subject="payments-value", version=1, id=5, schema="message P {}", type="PROTOBUF", references=MONEY),
    )


@pytest.fixture
def read(fake) -> Iterator[Reader]:
    """Serve an installation as one flavour and read it as one kind."""
    with ExitStack() as stack:

        def reading(kind: str, flavour: str, installation: tuple[Any, ...]) -> Reading:
            registry = stack.enter_context(
                fake.serving(fake.Registry(flavour=flavour, installation=installation, page=2))
            )
            settings = RegistrySettings(type=kind, http=HttpSettings(url=registry.url))
            with Http(settings.http, settings.source) as http:
                return REGISTRIES[kind].read(settings, http, no_progress)

        yield reading


def test_every_kind_of_this_family_is_served_here() -> None:
    """A kind that is read as these are, and has no fake, is not tested."""
    family = {kind for kind, type_ in REGISTRIES.own.items() if type_.read is REGISTRIES.own["confluent"].read}

    assert {kind for kind, _ in SERVERS} == {*family, "apicurio"}  # whose own API this server does not know


@pytest.mark.parametrize(("kind", "flavour"), SERVERS)
def test_same_installation_gives_the_same_facts(kind, flavour, installation, read) -> None:
    """Ids, texts, types, references and deletions do not depend on whose server holds them."""
    reading = read(kind, flavour, installation)
    reported = [
        (v.context, v.subject, v.version, v.schema_id, v.format, v.text, len(v.references), v.deleted)
        for v in reading.of(SchemaVersion)
    ]

    assert reported == sorted(
        (".", s.subject, s.version, str(s.id), s.type, s.schema, len(s.references), s.deleted) for s in installation
    )
    assert (reading.outcome.status, reading.problems) == (SourceStatus.READ, ())


@pytest.mark.parametrize(("kind", "flavour"), SERVERS)
def test_every_reference_resolves(kind, flavour, installation, read) -> None:
    """Columns of an imported type stand in another text."""
    versions = read(kind, flavour, installation).of(SchemaVersion)
    payments = next(version for version in versions if version.subject == "payments-value")

    assert resolve(payments, finder(versions)).texts == {"money.proto": "message Money {}"}


@pytest.mark.parametrize(("kind", "flavour"), SERVERS)
def test_outcome_counts_and_names_the_source(kind, flavour, installation, read) -> None:
    """The report of a scan is made of nothing else."""
    reading = read(kind, flavour, installation)

    assert (reading.outcome.received, reading.outcome.requested, reading.outcome.kind) == (6, 6, "schema_registry")
    assert reading.outcome.source == reading.of(Registry)[0].source == f"schema_registry:{reading.of(Registry)[0].url}"
    assert reading.outcome.requests > 0


@pytest.mark.parametrize(("kind", "flavour"), SERVERS)
def test_metadata_is_kept_where_the_kind_has_it(kind, flavour, installation, read) -> None:
    """Karapace drops it, Apicurio and old servers have no place for it."""
    retained = {version.metadata for version in read(kind, flavour, installation).of(SchemaVersion)} - {""}

    assert retained == ({'{"properties":{"owner":"finance"}}'} if flavour in ("confluent", "confluent-7.4") else set())


@pytest.mark.parametrize(("kind", "flavour"), [server for server in SERVERS if server[1] != "confluent-6.1"])
def test_prefix_of_a_context_is_one_for_confluent_only(kind, flavour, installation, read) -> None:
    """Elsewhere a colon is a character like any other."""
    subject = replace(installation[0], subject=":.eu:orders-value", deleted=False)
    (version,) = read(kind, flavour, (subject,)).of(SchemaVersion)
    expected = (".eu", "orders-value") if kind == "confluent" else (".", ":.eu:orders-value")

    assert (version.context, version.subject) == expected


@pytest.mark.parametrize(("kind", "flavour"), SERVERS)
def test_reading_twice_gives_the_same(kind, flavour, installation, read) -> None:
    """In whatever order the server lists: the same answers give the same bytes."""
    first, second = read(kind, flavour, installation), read(kind, flavour, tuple(reversed(installation)))
    nowhere = SourceId("schema_registry:x")

    assert [replace(version, source=nowhere) for version in first.of(SchemaVersion)] == [
        replace(version, source=nowhere) for version in second.of(SchemaVersion)
    ]
