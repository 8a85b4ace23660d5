"""Which application a client belongs to, by its names."""

from __future__ import annotations

import pytest

from scanner_model.client_names import EQUAL, MAPPING, OWN, RULE, SERIES, Applications, is_default_id
from scanner_model.clients import ApplicationIdentity, IdentityKind
from scanner_model.names import SourceId

UUID = "1f0c8a4e-9f55-4d6b-8f0e-0123456789ab"
KNOWN = {"orders-to-s3", "payments", "billing", "tx-billing"}


def mapped(application: str, kind: str, pattern: str, owner: str = "") -> ApplicationIdentity:
    source = SourceId("applications:cluster.json")
    return ApplicationIdentity(
        source=source, application=application, kind=IdentityKind(kind), pattern=pattern, owner=owner
    )


def match(mapping: tuple[ApplicationIdentity, ...] = (), **identities: str) -> tuple[str, str] | None:
    named = {kind.replace("_", "."): name for kind, name in identities.items()}
    found = Applications(mapping, KNOWN).match(named)
    return found and (found.application, found.by)


def test_mapping_wins_over_everything() -> None:
    """The operator knows; also by principal, which nothing else joins by."""
    mapping = (mapped("orders", "client.id", "ord-*"), mapped("audit", "principal", "User:CN=audit"))

    assert match(mapping, application="other", client_id="ord-7") == ("orders", MAPPING)
    assert match(mapping, client_id="billing", principal="User:CN=audit") == ("audit", MAPPING)


def test_name_in_the_same_series_wins_over_rules() -> None:
    """One series that has both is evidence of one process."""
    assert match(application="shop", client_id="billing") == ("shop", SERIES)
    assert match(service_name="shop", client_id="x") == ("shop", SERIES)


@pytest.mark.parametrize(
    ("kind", "name", "application"),
    [
        ("client_id", f"enricher-{UUID}-StreamThread-1-producer", "enricher"),
        ("transactional_id", f"enricher-{UUID}-1", "enricher"),
        ("client_id", "connector-producer-orders-to-s3-0", "orders-to-s3"),
        ("client_id", "consumer-payments-3", "payments"),
        ("client_id", "producer-tx-billing", "tx-billing"),
        ("transactional_id", "billing-0-17", "billing"),
        ("transactional_id", "tx-billing3", "tx-billing"),
    ],
)
def test_names_that_streams_connect_flink_and_spring_write_are_read(kind, name, application) -> None:
    """Each writes the name of the job into the ids of its clients."""
    assert match(**{kind: name}) == (application, RULE)


def test_number_behind_an_unknown_name_proves_nothing() -> None:
    """`kafka-2` is no instance of `kafka`."""
    assert match(client_id="kafka-2") == ("kafka-2", OWN)


def test_equal_name_is_only_a_suggestion() -> None:
    """Two teams may call two things `billing`."""
    assert match(client_id="billing") == ("billing", EQUAL)


@pytest.mark.parametrize("name", ["producer-1", "consumer-12", "rdkafka", "sarama", "kafkajs", "console-producer"])
def test_default_client_id_is_scoped_or_dropped(name) -> None:
    """Every program that sets none has it."""
    assert is_default_id(name)
    assert match(client_id=name, workload="shop/orders") == ("shop/orders", OWN)
    assert match(client_id=name) is None


def test_principal_alone_names_no_application() -> None:
    """Many applications share one."""
    assert match(principal="User:shared") is None


def test_owner_is_that_of_the_application_however_it_was_found() -> None:
    """Whom to call does not depend on how a client was recognised."""
    applications = Applications((mapped("orders", "group", "o", "team-orders"),), KNOWN)
    found = applications.match({"application": "orders"})

    assert found is not None
    assert (found.by, found.owner) == (SERIES, "team-orders")
