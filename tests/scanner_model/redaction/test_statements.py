"""Secrets in the strings of SQL: each is hidden where its place or its form names it, and no other string changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_forms import TEXT_FORMS

from scanner_model.redaction import MASK, mask_statement, mask_text

SECRET = "Zebra01pond"
PLACES = [
    "SELECT json_object('password', '{}')",
    "SELECT JSON_OBJECT('password' VALUE '{}', 'b' VALUE 'c')",
    "SELECT MAP['password', '{}']",
    "SELECT {{'token': '{}'}}",
    "INSERT INTO settings VALUES ('password', '{}')",
    "SELECT a FROM t WHERE password IN ('x', '{}')",
    "SELECT a FROM t WHERE lower(password) <> '{}'",
    "SELECT a FROM t WHERE (password)::character varying = '{}'::text",
    "SELECT a FROM t WHERE (password)::text = ANY (ARRAY['x'::text, '{}'::text])",
    "SELECT 'password=' || '{}'",
    "SELECT concat('Authorization: Bearer ', '{}')",
    "SELECT AES_DECRYPT(a, '{}')",
    "SELECT AES_DECRYPT(UNBASE64(a), UNHEX('{}'))",
    "SELECT encrypt('aes-256-ofb', a, '{}')",
    "SELECT pgp_sym_decrypt(a, '{}', 'cipher-algo=aes256')",
    "CREATE SECRET s AS '{}'",
    "CREATE SECRET s VALUE '{}'",
    "CREATE TABLE t (a Int32) ENGINE = MySQL('h:3306', 'shop', 'orders', 'reader', '{}')",
    "SELECT * FROM s3('https://bucket/x.csv', 'AKIA', '{}', 'CSV')",
    "CREATE SECRET s WITH (backend = 'meta') AS '{}'",
    "CREATE USER MAPPING FOR x OPTIONS (user 'u', password '{}')",
    "SELECT 'it\\'s', 'password={}\\'s'",
    "CREATE TABLE t (a INT) WITH ('scan.query' = 'SELECT f(''token={}'')')",
]
"""Where a string is a secret whatever it looks like."""
HARMLESS = [
    "SELECT a FROM t WHERE name IN ('customer', 'token', 'b') AND day = DATE '2024-01-01'",
    "SELECT a FROM t WHERE password IN (SELECT p FROM u WHERE name = 'joe')",
    "SELECT replace(a, 'token', 'customer'), coalesce(a, 'password', 'none')",
    "SELECT regexp_extract(u, 'token=([^&]+)', 1), 'Authorization: (.*)', '^Bearer\\s+(.+)$', 'token=\\w+'",
    "SELECT a FROM t WHERE u LIKE '%token=%' OR u LIKE 'password=%&%'",
    "SELECT 'password is required', 'Unexpected token: x', encrypt('aes-256-ofb', a, k)",
    "SELECT a -> 'password', json_value(a, '$.password'), value = 'x'",
    "SELECT CASE WHEN kind = 'token' THEN 'customer' ELSE 'secret' END, 'C:\\', a.token=b.token, 'D:\\'",
    'SELECT a FROM a JOIN b ON a."token" = b."token" AND b.password = ""',
    "CREATE TABLE t (password VARCHAR COMMENT 'the password', token STRING) WITH ('topic' = 'password')",
]


@pytest.mark.parametrize("place", PLACES)
def test_string_whose_place_names_it_is_hidden(place: str) -> None:
    """A view that decrypts, a header that is put together, a filter: what they say is not what they look like."""
    hidden = mask_statement(place.format(SECRET))

    assert SECRET not in hidden
    assert MASK in hidden
    assert mask_statement(hidden) == hidden


def test_string_is_hidden_as_the_same_text_elsewhere() -> None:
    """A comment and a string with the same words hold the same secret."""

    def statement(text: str) -> str:
        return "SELECT f('" + text.replace("'", "''") + "') FROM t"

    texts = [form.format(SECRET) for form in TEXT_FORMS if "\\" not in form]
    hidden = {text: mask_statement(statement(text)) for text in texts}

    assert [text for text in texts if SECRET in hidden[text]] == []
    assert [text for text in texts if hidden[text] != statement(mask_text(text))] == []


@pytest.mark.parametrize("sql", HARMLESS)
def test_ordinary_string_stays(sql: str) -> None:
    """Expressions that look for secrets are none, nor is a column or a value that is only called so."""
    assert mask_statement(sql) == sql


@given(
    st.lists(st.sampled_from([*"'\"`\\(),=:|[]\n ", "password", "IN", "--", "/*", "x", "::", "'token='"]), max_size=24)
)
def test_masking_any_statement_twice_changes_nothing_more(parts: list[str]) -> None:
    """A statement of a capture is masked again when it is replayed."""
    once = mask_statement("".join(parts))

    assert mask_statement(once) == once


@given(st.lists(st.sampled_from(["customer", "a''b", "2024-01-01", "%x%", "$.name", "[a-z]+", "it", ""]), max_size=8))
def test_list_of_ordinary_strings_stays(values: list[str]) -> None:
    """Most strings of most statements are values of business data."""
    sql = "SELECT f(" + ", ".join(f"'{value}'" for value in values) + ")"

    assert mask_statement(sql) == sql
