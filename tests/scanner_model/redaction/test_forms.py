"""Every form of a secret is hidden wherever it stands, and every setting that lineage needs stays."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_forms import HARMLESS, MEMBERS, PROGRAMS, SETTINGS, TEXT_FORMS

import dataflow_generator.connectors
from scanner_model.redaction import MASK, mask_config, mask_json, mask_statement, mask_text, mask_url

SECRET = "Zebra01pond"
KEYS_OF_READERS = re.compile(r"\"([a-z][\w-]*(?:\.[\w-]+)+)\"")
NO_SETTINGS = re.compile(r"scanner\.|io\.|com\.|org\.|.*\.$")


def test_secret_in_a_text_is_hidden_once_and_for_all() -> None:
    """A trace, a file, a command line: hiding again changes nothing."""
    texts = [form.format(SECRET) for form in TEXT_FORMS]
    hidden = {text: mask_text(text) for text in texts}
    members = {text: json.dumps(mask_json({"message": f"refused:\n{text}\n\tat x"})) for text in texts}

    assert [text for text in texts if SECRET in hidden[text]] == []
    assert [text for text in texts if SECRET in members[text]] == []
    assert [text for text in texts if mask_text(hidden[text]) != hidden[text]] == []


def test_secret_in_a_comment_of_sql_is_hidden() -> None:
    """People try a login out and leave it there; the statement after it stays."""
    statement = "SELECT a.token FROM a JOIN b ON a.token=b.token"
    forms = [form for form in TEXT_FORMS if "*/" not in form]
    hidden = {form: mask_statement(f"/* {form.format(SECRET)} */ {statement}") for form in forms}

    assert [form for form in forms if SECRET in hidden[form]] == []
    assert [form for form in forms if not hidden[form].endswith(f" */ {statement}")] == []


def test_setting_whose_name_reports_it_is_hidden() -> None:
    """Not every plug-in declares its passwords, and no worker before 3.2 reports them."""
    statement = "CREATE TABLE t (a INT) WITH ('{}' = '{}')"

    assert [name for name in SETTINGS if mask_config({name: SECRET}) != {name: MASK}] == []
    assert [name for name in SETTINGS if SECRET in mask_statement(statement.format(name, SECRET))] == []


@pytest.mark.parametrize(("name", "form"), PROGRAMS.items())
def test_secret_among_other_things_in_a_setting_is_hidden_and_reported(name, form) -> None:
    """An error message may quote it alone."""
    result: list[str] = []
    masked = mask_config({name: form.format(SECRET)}, on_secret=result.append)

    assert SECRET not in masked[name]
    assert mask_config(masked) == masked
    assert name == "query" or any(SECRET in item for item in result)


@pytest.mark.parametrize("form", MEMBERS)
def test_secret_under_a_key_is_hidden_however_deep(form) -> None:
    """Lists and objects too."""
    assert SECRET not in json.dumps(mask_json(json.loads(form.format(SECRET))))


def test_setting_that_lineage_needs_stays() -> None:
    """Its value may be called like a secret."""
    values = ({name: "password,auth_token"} for name in HARMLESS)

    assert [value for value in values if mask_config(value) != value] == []


def test_no_setting_that_a_reader_of_connectors_names_is_hidden() -> None:
    """A setting that is read next year is judged by this test, too."""
    folder = Path(dataflow_generator.connectors.__file__).parent
    files = (file for file in folder.rglob("*.py") if file.name != "run_settings.py")  # it lists secrets, too
    names = {name for file in files for name in KEYS_OF_READERS.findall(file.read_text("utf-8"))}
    settings = {name: "password" for name in names - {"query.masked"} if not NO_SETTINGS.fullmatch(name)}

    assert len(settings) > 200
    assert mask_config(settings) == settings


@pytest.mark.parametrize(
    "text",
    [
        "Access denied for user 'u'@'h' (using password: YES)",
        'password authentication failed for user "u"',
        'Missing required configuration "db.password" which has no default value.',
        "Unexpected token '}' at 3",
        "com.acme.InvalidTokenException: The token expired",
        "\tat com.acme.TokenProvider.get(TokenProvider.java:12)",
        "cannot reach kafka-token:9092 and http://secret-broker:8080/x",
        "Authentication failed: Invalid username or password",
        "Processor: token (stores: [auth.key])\n      --> none",
        "https://registry/subjects/hooks/versions/1",
        "https://host/@scope/pkg",
        "author: Jane, authority: x; passenger: Bob",
    ],
)
def test_message_that_only_speaks_of_a_secret_stays(text) -> None:
    """Whoever mends the source must read why it fails."""
    assert mask_text(text) == text


@pytest.mark.parametrize("value", ["true", "BASIC", "none", "5"])
def test_switch_under_a_doubtful_name_stays(value) -> None:
    """`auth = BASIC` says how people log in, not with what."""
    assert mask_config({"http.auth": value, "broker.key": value}) == {"http.auth": value, "broker.key": value}


def test_names_of_the_user_are_hidden_everywhere_and_at_the_end_of_longer_ones() -> None:
    """Only they know that `seed` is a secret."""
    extra = frozenset({"cipher.seed"})

    assert mask_config({"transforms.x.Cipher.Seed": "a b"}, extra=extra) == {"transforms.x.Cipher.Seed": MASK}
    assert mask_json({"cipher.seed": ["a"], "own.seed": "b"}, extra) == {"cipher.seed": [MASK], "own.seed": "b"}
    assert mask_text("cipher.seed=ab", extra) == f"cipher.seed={MASK}"
    assert mask_statement("'cipher.seed' = 'ab'", extra) == f"'cipher.seed' = '{MASK}'"


@pytest.mark.parametrize("container", ["properties", "fields", "$defs", "columnMetrics"])
def test_description_of_a_column_called_password_stays(container) -> None:
    """It is what a governance team looks for."""
    described = {container: {"password": {"type": "string"}, "token": {"nullCount": 3}}}

    assert mask_json(described) == described
    assert mask_json({container: {"password": {"value": "x"}}}) == {container: {"password": {"value": MASK}}}


@given(st.lists(st.sampled_from([*"pw:='\" \n@/{}[]<>,;&\\-.1aZ", "password", "token", "://", "u:"]), max_size=30))
def test_hiding_any_text_twice_changes_nothing_more(parts) -> None:
    """A replay reads what a scan has masked."""
    once = mask_text("".join(parts))

    assert mask_text(once) == once


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "part",
    [
        "password=[", "password={", "password '", 'password \\"', "token:", "<a name='x' ", "<password ", "('token', '",
        "-----BEGIN PRIVATE KEY-----", "/hooks/", "Basic ", "Invalid value ", "Authorization: a, ", "secret:\n  ",
        "eyJaaaaaaaa.", "IDENTIFIED BY '", "password=,a", "jdbc:oracle:thin:a/", "api key: ", ".-a", "mysql -p",
        "http://a:b@c:d?@",
    ],
)  # fmt: skip
def test_text_that_is_all_one_form_takes_no_time(part) -> None:
    """A trace of a megabyte is read in one go; each of these would take minutes where time grows with the square."""
    text = part * (300_000 // len(part))

    assert all(isinstance(mask(text), str) for mask in (mask_text, mask_statement, mask_url))
