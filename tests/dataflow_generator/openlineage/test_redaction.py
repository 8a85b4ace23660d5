"""Secrets are removed before anything of an event is stored, and nothing else is."""

import json

import pytest

from dataflow_generator.openlineage.events import event_text
from dataflow_generator.openlineage.redaction import LARGEST_FACET, clean_facet
from dataflow_generator.openlineage.spool import RejectedFile, rejection
from scanner_model.errors import InputInvalid, Problem

SECRET = "hidden-word-1A"


@pytest.mark.parametrize(
    ("name", "facet"),
    [
        ("spark_properties", {"properties": {"spark.jdbc.password": SECRET, "spark.master": "yarn"}}),
        ("environmentVariables", {"environmentVariables": [{"name": "DB_PASSWORD", "value": SECRET}]}),
        ("debezium_config", {"configs": [{"name": "database.password", "value": SECRET}]}),
        ("debezium_config", {"configs": {"connector.class": "x.Y", "database.password": SECRET}}),
        ("dataSource", {"name": "db", "uri": f"jdbc:postgresql://app:{SECRET}@db/shop?password={SECRET}"}),
        ("sql", {"query": f"CREATE TABLE a (b INT) WITH ('sasl.password' = '{SECRET}')"}),
        ("errorMessage", {"message": f"login failed: password={SECRET}", "programmingLanguage": "JAVA"}),
        ("acme", {"nested": {"deep": [{"apiKey": SECRET}]}}),
        ("acme", {"header": f"Authorization: Bearer {SECRET * 2}"}),
        ("tags", {"tags": [{"key": "access_token", "value": SECRET}]}),
        ("sql", {"query": f"CREATE USER app WITH PASSWORD '{SECRET}'"}),
        ("sql", {"query": f"ALTER USER app IDENTIFIED  BY '{SECRET}'"}),
        ("airflow", {"task": {"bash_command": f"curl -u app:{SECRET} http://x; load --db-password {SECRET}"}}),
        ("airflow", {"task": {"bash_command": f"mysqldump -h db -p{SECRET} shop | gzip --secret '{SECRET}'"}}),
        ("acme", {"pem": f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----"}),
        ("acme", {"pem": f"-----BEGIN PRIVATE KEY-----\n{SECRET}"}),
        ("acme", {"credentials": {"user": "u", "word": SECRET}}),
        ("acme", {"secrets": [SECRET]}),
        ("credentials", {"_producer": "p", "word": SECRET}),
        ("acme", {"args": ["load", "--password", SECRET]}),
        ("acme", {"auth": {"name": "db.password", "value": SECRET}}),
        ("sourceCode", {"language": "python", "sourceCode": f"pw = '{SECRET}'\nrun()"}),
        ("sql", {"query": f"SELECT 1 -- password: {SECRET}\n"}),
        ("sql", {"query": f"# password: {SECRET}\nSELECT 1"}),
        ("sql", {"query": f"SELECT dblink('host=h password={SECRET}', 'x')"}),
    ],
)
def test_secrets_of_facets_are_hidden(name, facet) -> None:
    """Producers send their configuration along."""
    cleaned = json.dumps(clean_facet(name, facet))

    assert SECRET not in cleaned
    assert "****" in cleaned or "@" not in cleaned


@pytest.mark.parametrize(
    ("name", "facet"),
    [
        ("schema", {"fields": [{"name": "password", "type": "string"}, {"name": "token", "type": "string"}]}),
        (
            "columnLineage",
            {"fields": {"password": {"inputFields": [{"namespace": "a", "name": "b", "field": "token"}]}}},
        ),
        ("sql", {"query": "SELECT * FROM a JOIN b ON a.token=b.token"}),
        ("acme", {"list": [1, None, True, 2.5], "text": "ordinary"}),
        ("acme", {"columns": ["password", "token"], "mysql": "mysql -h db; the --key of -u users", "n": [1, None]}),
    ],
)
def test_columns_and_joins_stay_whatever_they_are_called(name, facet) -> None:
    """A column called password is what a governance team looks for."""
    assert clean_facet(name, facet) == facet


@pytest.mark.parametrize(
    "piece", ["-", ".-a", "-a", "a-", "--a ", "-u ", "mysql ", "mysql -p", "password '", "identified ", "' ", "--a '"]
)
def test_no_text_takes_long(piece) -> None:
    """Whoever sends it must not stop a listener: each of these would take minutes where time grows with the square."""
    cleaned = clean_facet("acme", {"text": piece * (150_000 // len(piece)), "more": "--password x -----BEGIN"})

    assert cleaned["more"].startswith("--password ****")


def test_lineage_of_any_length_is_read(producer, read) -> None:
    """A table of ten thousand columns is one; what an engine says beside it may be cut."""
    names = [f"column-{'x' * 400}-{number}" for number in range(1_300)]
    flows = producer.lineage("a", "b", **{name: name for name in names})
    event = read(
        producer.run_event(outputs=[producer.dataset("x", "y", schema=producer.schema(*names), columnLineage=flows)])
    )

    assert len(event.datasets[0].facets[0].columns) == len(event.datasets[0].use_facets[0].flows) == 1_300
    assert len(event.datasets[0].use_facets[0].body) > LARGEST_FACET
    assert read(json.loads(event_text(event))) == event


def test_users_in_namespaces_are_left_out(producer, read) -> None:
    """A connection URL as a namespace names its user."""
    event = read(producer.run_event(inputs=[producer.dataset(f"postgres://app:{SECRET}@db:5432", "shop.public.o")]))

    assert event.datasets[0].ref.namespace == "postgres://db:5432"
    assert SECRET not in event_text(event)


def test_a_container_of_azure_is_no_user(producer, read) -> None:
    """Its name stands before the `@`."""
    namespace = "abfss://box@acct.dfs.core.windows.net"

    assert read(producer.run_event(inputs=[producer.dataset(namespace, "x")])).datasets[0].ref.namespace == namespace


def test_a_facet_too_large_to_keep_states_how_large_it_was() -> None:
    """A plan of Spark may take many megabytes."""
    facet = clean_facet("spark.logicalPlan", {"_producer": "p", "plan": "x" * LARGEST_FACET})

    assert facet["_producer"] == "p"
    assert facet["_omitted"] > LARGEST_FACET


@pytest.mark.parametrize(
    "text",
    [
        f'{{"facets": {{"a": {{"password": "{SECRET}"}}}}}}',
        f"password={SECRET} is no JSON",
        f'{{"run": {{"password": "{SECRET}"}}}}',
        f'{{"job": {{"credentials": {{"a": ["{SECRET}"]}}}}}}',
        f'{{"inputs": [{{"options": [{{"name": "api_key", "value": "{SECRET}"}}]}}]}}',
    ],
)
def test_what_is_refused_is_kept_without_secrets(text) -> None:
    """People read a file of broken events."""
    line = rejection("a.json:1", text, (Problem("$", "is broken"),))

    assert SECRET not in line
    assert json.loads(line)["problems"] == [{"where": "$", "what": "is broken", "hint": ""}]


def test_a_file_of_the_refused_that_cannot_be_written_is_reported(tmp_path) -> None:
    """The events would be lost."""
    with pytest.raises(InputInvalid) as error, RejectedFile(tmp_path / "no" / "file") as aside:
        aside.add("{}")

    assert error.value.where == str(tmp_path / "no" / "file")


def test_what_is_no_facet_is_cleaned_too() -> None:
    """It is refused, and kept aside."""
    assert clean_facet("acme", f"password={SECRET}") == "password=********"
    assert clean_facet("acme", {"configs": ["x", {"other": 1}]}) == {"configs": ["x", {"other": 1}]}
