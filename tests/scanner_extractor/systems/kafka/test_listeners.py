"""Every address that a broker has, from its settings."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import ConfigEntry
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.systems.kafka.reader import listener_addresses

NAMES = {"advertised": "advertised.listeners", "plain": "listeners", "controllers": "controller.listener.names"}


def addresses(reported: tuple[str, ...] = ("kafka-1:9092",), **settings: str | None) -> tuple[str, ...]:
    entries = {NAMES[name]: ConfigEntry(NAMES[name], value) for name, value in settings.items()}
    return listener_addresses([entries], reported)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("PLAINTEXT://Kafka-1:9092,SASL_SSL://kafka-1.example.com:9094", ("kafka-1.example.com:9094",)),
        ("IN://b:1, OUT://a:2", ("a:2", "b:1")),
        ("A://[fe80::1]:9093,B://10.0.0.7:9092", ("10.0.0.7:9092", "[fe80::1]:9093")),
        ("A://:9093,B://0.0.0.0:9094,C://[::]:9095,D://[::0]:9096", ()),
        ("A://host,B://host:0,C://host:99999,D://host:-1,host:9092,,://", ()),
        ("", ()),
    ],
)
def test_listener_gives_an_address_that_others_can_use(text, result) -> None:
    """Wildcards and random ports are what a broker binds to, not where anybody finds it."""
    assert addresses(advertised=text) == result


def test_listeners_are_advertised_where_nothing_else_is() -> None:
    """Kafka's own default."""
    assert addresses(advertised=None, plain="A://b:1") == ("b:1",)
    assert addresses(plain="A://b:1") == ("b:1",)
    assert addresses(advertised="A://c:1", plain="A://b:1") == ("c:1",)


def test_controllers_listener_is_nobodys_address() -> None:
    """No client reads topics from it; names are compared without case, as Kafka does."""
    settings = {"plain": "A://b:1,RAFT://b:2,Control://b:3", "controllers": "CONTROL, raft"}

    assert addresses(**settings) == ("b:1",)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.0.1", "[::1]"])
def test_loopback_of_another_machine_is_no_address(host) -> None:
    """Half of all clusters in containers advertise it; it belongs to whoever is queried, so no cluster may claim it."""
    assert addresses(advertised=f"A://{host}:9094") == ()
    assert addresses(("localhost:9092",), advertised=f"A://{host}:9094") == (f"{host}:9094",)


def test_brokers_that_reported_nothing_add_nothing() -> None:
    """They may have refused."""
    assert listener_addresses([], ("kafka-1:9092",)) == ()


@given(st.text(alphabet="AZ:/.,[]0129 \x00é-", max_size=60))
def test_any_setting_gives_addresses_or_nothing(text) -> None:
    """The setting is an operator's free text."""
    assert all(address.rpartition(":")[2].isdigit() for address in addresses(advertised=text))
