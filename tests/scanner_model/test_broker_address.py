"""Broker addresses: every way to write one means the same."""

import pytest

from scanner_model.errors import InputInvalid
from scanner_model.names import broker_address, broker_addresses


@pytest.mark.parametrize(
    "written",
    [
        "kafka-1:9092",
        "KAFKA-1:9092",
        "kafka-1",
        "SASL_SSL://kafka-1:9092",
        " kafka-1:9092 ",
        "kafka-1.:9092",
        "PLAINTEXT://kafka-1/",
    ],
)
def test_every_way_to_write_a_broker_is_the_same_broker(written: str) -> None:
    """Case, default port and listener prefix do not matter."""
    assert broker_address(written) == "kafka-1:9092"


def test_an_ipv6_address_keeps_its_brackets() -> None:
    """Without them the port could not be derived from the address."""
    assert broker_address("[::1]:19092") == "[::1]:19092"


def test_a_list_gives_each_broker_once_in_its_order() -> None:
    """The first broker names the cluster, so order matters."""
    assert broker_addresses("b:9092, A:9092,,b") == ("b:9092", "a:9092")


@pytest.mark.parametrize("written", ["", "a b", "host:99999", "host:port", "a:1:2", "http://"])
def test_what_is_no_address_is_refused(written: str) -> None:
    """A wrong address would silently be an unknown broker."""
    with pytest.raises(InputInvalid):
        broker_address(written)


def test_an_empty_list_is_refused() -> None:
    """No broker finds no cluster."""
    with pytest.raises(InputInvalid):
        broker_addresses(" , ")
