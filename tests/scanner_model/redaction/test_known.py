"""Values that are known to be secret are found in any text, however many there are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.redaction import MASK, KnownSecrets, hide_values, is_distinctive

VALUES = st.lists(st.text("abc'\"é/", min_size=4, max_size=8), max_size=5)


@given(VALUES, st.text("abc", max_size=5))
def test_no_known_value_is_left(values, text) -> None:
    """As it is, in JSON with and without escaped letters, and in a URL."""
    written = f"{json.dumps(values)} {json.dumps(values, ensure_ascii=False)}"
    hidden = KnownSecrets(values).hide(f"{text} {' '.join(values)} {written}")

    assert not [value for value in values if value in hidden.replace(MASK, " ")]


def test_value_with_a_letter_and_a_quote_is_found_in_json() -> None:
    """JSON may escape the quote alone."""
    document = json.dumps({"password": 'é"secret'}, ensure_ascii=False)

    assert KnownSecrets(['é"secret']).hide(document) == json.dumps({"password": MASK})


def test_longest_value_wins_and_the_rest_stays() -> None:
    """One password may begin like another."""
    secrets = KnownSecrets(["abcd", "abcdef"])
    secrets.add(["x-y-z"])

    assert secrets.hide("(abcdefg abcd x-y-z abc)") == f"({MASK}g {MASK} {MASK} abc)"


def test_short_values_are_not_looked_for() -> None:
    """They stand in any text."""
    assert KnownSecrets(["abc", MASK]).hide("abc of ********") == "abc of ********"


def test_many_values_with_one_beginning_cost_one_look_a_length() -> None:
    """Ten thousand connectors have as many passwords; each trace is gone through once."""
    secrets = KnownSecrets(f"pw-{number:05d}" for number in range(20_000))

    assert secrets.hide("pw-00001 " * 5_000) == f"{MASK} " * 5_000
    assert secrets.hide("pw-x0001 " * 5_000) == "pw-x0001 " * 5_000


@pytest.mark.parametrize(("secret", "shown"), [("orders", False), ("Connector", False), ("s3cret-word", True)])
def test_password_that_could_be_a_name_is_distinguished_from_others(secret, shown) -> None:
    """A topic may be called `orders`."""
    assert is_distinctive(secret) is shown


def test_bytes_lose_every_form_of_a_secret() -> None:
    """A body is JSON more often than not."""
    secret = 'pä"ss/wörd'
    body = f"{secret} {json.dumps(secret)} p%C3%A4%22ss%2Fw%C3%B6rd".encode()

    assert hide_values(body, [secret, "abc"]) == f'{MASK} "{MASK}" {MASK}'.encode()
