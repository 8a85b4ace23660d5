"""What a class says of its settings counts before the form of their names and values."""

from __future__ import annotations

import pytest

from scanner_model.redaction import MASK, mask_config, mask_statement
from scanner_model.redaction.places import _OTHER, _SECRET, Place, place_of


@pytest.mark.parametrize("prefix", ["", "consumer.override.", "source.cluster.", "properties.", "value.converter."])
@pytest.mark.parametrize("name", sorted(_SECRET))
def test_a_password_of_a_class_is_hidden_whatever_its_value(name: str, prefix: str) -> None:
    values = ("orders", "true", "/etc/key", "SELECT a FROM b", "a b", "7")

    assert [mask_config({prefix + name: value}) for value in values] == [{prefix + name: MASK}] * len(values)


@pytest.mark.parametrize("name", sorted(_OTHER))
def test_a_setting_that_a_class_does_not_hide_is_shown(name: str) -> None:
    for value in ("orders_42x", "app-7", "3600"):
        assert mask_config({name: value}) == {name: value}


def test_a_reference_to_a_secret_is_shown() -> None:
    assert mask_config({"query.masked": "${file:/s:q}"}) == {"query.masked": "${file:/s:q}"}


def test_a_secret_value_at_another_place_is_hidden() -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"

    assert mask_config({"aad.auth.appid": key}) != {"aad.auth.appid": key}


def test_an_option_of_a_table_is_a_place_too() -> None:
    statement = "CREATE TABLE t (a INT) WITH ('properties.ssl.truststore.certificates' = 'orders')"

    assert "'orders'" not in mask_statement(statement)


@pytest.mark.parametrize(
    ("name", "expected"), [("a.b", None), ("", None), ("SASL.JAAS.CONFIG", Place.SECRET), ("x" * 9999, None)]
)
def test_a_name_that_no_class_has_has_no_place(name: str, expected: Place | None) -> None:
    assert place_of(name) is expected


def test_a_long_name_takes_no_long_time() -> None:
    assert place_of("a." * 200_000) is None
