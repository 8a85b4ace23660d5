"""What is hidden, and above all what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.redaction import MASK, is_secret_name, mask_json, mask_sensitive, mask_statement, mask_text, mask_url

SECRET = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=20).map("zq".__add__)
SECRET_NAMES = [
    "password",
    "sasl.password",
    "ssl.key.password",
    "connection.password",
    "dbPassword",
    "keystorepassword",
    "client_secret",
    "clientSecret",
    "aws.secret.access.key",
    "api.key",
    "apiKey",
    "API_KEY",
    "sasl.jaas.config",
    "basic.auth.user.info",
    "privateKey",
    "ssl.private.key",
    "access_token",
    "token",
    "credentials",
    "azure.account.key",
    "passphrase",
    "Authorization",
]
HARMLESS_NAMES = [
    "key",
    "primary.key",
    "key.converter",
    "name",
    "next_page_token",
    "nextToken",
    "token_url",
    "sasl.oauthbearer.token.endpoint.url",
    "ssl.keystore.location",
    "basic.auth.credentials.source",
    "compass",
    "bypass",
    "monkey",
    "secretary",
    "partitions",
    "",
    "42",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "name", "schema"]), inner),
    max_leaves=12,
)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_name_of_a_secret_is_known(name):
    """Kafka, Connect, cloud and OAuth each have their own words."""
    assert is_secret_name(name)


@pytest.mark.parametrize("name", HARMLESS_NAMES)
def test_name_that_only_looks_like_one_is_left_alone(name):
    """A masked page token or location would break a replay or hide a cause."""
    assert not is_secret_name(name)


@given(SECRET, st.sampled_from(SECRET_NAMES))
def test_secret_never_survives_in_json(secret, name):
    """Under its key, in a pair, in a list, in a text, as JSON in a text, in a URL."""
    value = {
        name: secret,
        "configs": [{"name": name, "value": secret, "source": "X"}],
        "nested": [[{"deep": {name: secret}}]],
        "text": f"{name}={secret}",
        "quoted": f'{name} = "{secret}"',
        "json": json.dumps({name: secret}),
        "url": f"https://user:{secret}@host/path?{name}={secret}&x=1",
        "statement": f"CREATE SINK CONNECTOR c WITH ('{name}' = '{secret}', 'topics' = 't')",
    }

    assert secret not in json.dumps(mask_json(value))


@given(JSON)
def test_json_without_secrets_stays_as_it_is(value):
    """A capture is evidence, so nothing else may change."""
    assert mask_json(value) == value


@given(JSON, SECRET)
def test_masking_twice_changes_nothing_more(value, secret):
    """A capture of a replay is the same capture."""
    once = mask_json({"password": secret, "v": value, "t": f"token={secret}"})

    assert mask_json(once) == once


@given(st.text(max_size=80))
def test_masking_any_text_ends_and_is_stable(text):
    """Server messages hold anything."""
    once = mask_text(text)

    assert mask_text(once) == once


def test_property_that_a_registry_calls_sensitive_is_hidden_whatever_it_is_called():
    """Confluent encrypts it at rest and answers in clear."""
    metadata = {"properties": {"owner": "x", "note": "hush"}, "sensitive": ["note", "absent"], "tags": {"a": ["b"]}}
    hidden = {**metadata, "properties": {"owner": "x", "note": MASK}}

    assert mask_sensitive(metadata) == hidden
    assert mask_json([{"metadata": metadata}]) == [{"metadata": hidden}]


@pytest.mark.parametrize(
    "unusual", [{"sensitive": "a"}, {"properties": ["a"], "sensitive": ["a"]}, {"sensitive": [[]]}]
)
def test_metadata_of_another_shape_stays_as_it_is(unusual):
    """Registries keep what they are given."""
    assert mask_sensitive(unusual) == unusual


@pytest.mark.parametrize("member", ["schema", "schemaText", "SchemaDefinition"])
def test_schema_text_survives_byte_for_byte(member):
    """A field called password is no secret, and a changed schema has another fingerprint."""
    text = '{"type":"record","name":"U","fields":[{"name":"password","type":"string","default":"password=x"}]}'

    assert mask_json({member: text}) == {member: text}


def test_schema_that_is_the_whole_answer_survives():
    """`GET /schemas/ids/1/schema` answers the schema itself, not text in a member."""
    schema = {
        "properties": {"password": {"type": "string"}, "token": True},
        "required": ["password"],
        "dependentRequired": {"password": ["token"]},
    }

    assert mask_json(schema) == schema


def test_numbers_under_a_secret_name_are_hidden_and_switches_are_not():
    """A PIN is a secret, `"secret": false` is not."""
    assert mask_json({"passcode": 1234, "secret": False, "token": None}) == {
        "passcode": MASK,
        "secret": False,
        "token": None,
    }


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM a JOIN b ON a.token=b.token EMIT CHANGES;",
        "SELECT token AS password, 'x' AS y FROM s WHERE secret_level = 3;",
        "CREATE STREAM s (password VARCHAR) WITH (kafka_topic='t');",
    ],
)
def test_sql_that_only_names_columns_so_stays(sql):
    """Column lineage is read from it."""
    assert mask_statement(sql) == sql


def test_quoted_property_of_a_statement_is_hidden_with_its_quotes_kept():
    """The statement must still parse; `''` is a quote inside."""
    sql = "CREATE SOURCE CONNECTOR c WITH ('connection.password' = 'a''b', 'topics'='t');"

    assert mask_statement(sql) == f"CREATE SOURCE CONNECTOR c WITH ('connection.password' = '{MASK}', 'topics'='t');"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@h:1/a?b=c", "https://h:1/a?b=c"),
        ("https://u:p/w@h:1/a", "https://h:1/a"),
        ("http://h:8081/a?mail=x@y", "http://h:8081/a?mail=x@y"),
        ("http://h/a?access_token=abc&x=1", f"http://h/a?access_token={MASK}&x=1"),
        ("jdbc:postgresql://h/db?user=u&password=p", f"jdbc:postgresql://h/db?user=u&password={MASK}"),
        ("jdbc:sqlserver://h;databaseName=d;password=p", f"jdbc:sqlserver://h;databaseName=d;password={MASK}"),
        ("not a url", "not a url"),
    ],
)
def test_url_is_shown_without_its_credentials(url, shown):
    """Errors name URLs."""
    assert mask_url(url) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Basic dTpodW50ZXIyMg==",
        "sent Bearer eyJhbGciOi.J9abc123",
        'token = "hunter22"',
        "pwd='hunter22'",
    ],
)
def test_credentials_in_a_message_are_hidden(text):
    """Servers quote headers and properties."""
    masked = mask_text(text)

    assert MASK in masked
    assert not any(secret in masked for secret in ("dTpodW50ZXIyMg", "eyJhbGciOi", "hunter22"))


def test_plain_words_of_a_message_stay():
    """`unexpected token` is a message, not a credential."""
    text = "Unexpected token: x at line 3; Basic authentication required, bearer of news"

    assert mask_text(text) == text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("'ssl.keystore.key'='aB3dEfGhIjKlMnOpQrStUv'", f"'ssl.keystore.key'='{MASK}'"),
        ("'x' = '-----BEGIN RSA PRIVATE KEY-----a'", f"'x' = '{MASK}'"),
        ("'password' = 'it''s'", f"'password' = '{MASK}'"),
        ("SET sasl.password=abc;\nSET 'a.token' = 'b';", f"SET sasl.password={MASK};\nSET 'a.token' = '{MASK}';"),
        ("SELECT 1 -- password=abc isn't\n", f"SELECT 1 -- password={MASK}\n"),
        ("/* token=abc */ SELECT 1", f"/* token={MASK} */ SELECT 1"),
        ("'url' = 'jdbc:x://u:p@h/d'", "'url' = 'jdbc:x://h/d'"),
        ("'url' = 'jdbc:x://h/d:user=u;password=p;'", f"'url' = 'jdbc:x://h/d:user=u;password={MASK};'"),
    ],
)
def test_secret_of_a_script_is_hidden_wherever_it_stands(written, shown):
    """Options, settings and comments of a file of SQL hold secrets that no server has taken out."""
    assert mask_statement(written) == shown
    assert mask_statement(shown) == shown


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'a -- tokens of b' FROM t",
        "SELECT `a--b` FROM a JOIN b ON a.token=b.token",
        "'ssl.key' = '${file:/run/secrets/x:key}'",
        "'key.fields' = 'order_id;line'",
        "'scan.query' = 'SELECT a FROM t WHERE token=1'",
        "SET parallelism.default=4;",
        "'" * 5,
        "/*",
    ],
)
def test_script_without_secrets_stays_byte_for_byte(sql):
    """Lineage is read from it."""
    assert mask_statement(sql) == sql


@pytest.mark.no_cover
@pytest.mark.parametrize("part", ["'", "/*", "'a'='", "SET ", "'a' ", "--", "`", "'a'= "])
def test_script_that_is_broken_all_over_takes_no_time(part):
    """A file of a megabyte is read in one go."""
    assert len(mask_statement(part * (200_000 // len(part)))) > 0


@pytest.mark.parametrize("member", ["statement", "creation_statement", "query", "ksql", "sql"])
def test_join_on_a_token_is_no_secret_in_an_answer(member):
    """A capture must give the same statement again."""
    reported = {member: "SELECT 1 FROM a JOIN b ON a.token=b.token WHERE 'password' = 'x'"}

    assert mask_json(reported) == {member: reported[member].replace("'x'", f"'{MASK}'")}


def test_container_of_azures_storage_is_no_user():
    """It names the place, and a place without it is another."""
    assert mask_url("abfss://lake@acct.dfs.core.windows.net/in") == "abfss://lake@acct.dfs.core.windows.net/in"
    assert mask_url("wasbs://u:p@acct.example/in") == "wasbs://acct.example/in"


def test_tags_of_a_data_contract_stay_whatever_the_field_is_called() -> None:
    """They are written under the full names of fields; a masked tag would hide that a field is personal data."""
    metadata = {"tags": {"com.acme.Inner.secret": ["PII"], "**.password": ["CREDENTIAL", "PII"]}}

    assert mask_json({"metadata": metadata}) == {"metadata": metadata}


@pytest.mark.parametrize(
    "answer",
    [
        {"user-token-sink": {"info": {"name": "user-token-sink", "tasks": [{"task": 0}]}, "status": {"name": "a"}}},
        {"user-token-sink": {"topics": ["orders"]}},
        {"offsets": {"shop.secret": 5.0, "orders": 3.0}, "unread": []},
        {"nodes": {"model.shop.tokens": {"name": "tokens", "columns": {"id": {"name": "id"}}}}},
        {"catalog": {"source.shop.raw.password_resets": [["id", "integer"]]}},
    ],
)
def test_names_of_connectors_topics_and_models_are_no_names_of_secrets(answer: dict[str, object]) -> None:
    assert mask_json(answer) == answer


def test_what_is_secret_below_the_name_of_a_connector_or_model_is_hidden() -> None:
    config = {"connector.class": "a.B", "db.password": "hunter2"}
    hidden = {"a-token": {"info": {"config": {**config, "db.password": MASK}}}}
    assert mask_json({"a-token": {"info": {"config": config}}}) == hidden
    assert mask_json({"my-token": {"info": "hunter2"}}) == {"my-token": {"info": MASK}}
    assert mask_json({"model.a.tokens": {"meta": {"password": "hunter2"}}})["model.a.tokens"]["meta"] == {
        "password": MASK
    }
    assert mask_json({"password": 1234567})["password"] == MASK
