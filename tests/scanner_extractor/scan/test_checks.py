"""Connection checks: one row an attempt, and never an exception."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, RegistrySettings, Settings
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.names import ClusterName

OK, REFUSED, UNREACHABLE, UNEXPECTED = State
SUBJECT = "/subjects/a%2Fb/versions/latest"


def settings(**sources) -> Settings:
    return Settings(cluster=ClusterName("c"), brokers=("k:1",), file=Path("cluster.json"), **sources)


def registry(kind: str = "confluent") -> Settings:
    return settings(registries=(RegistrySettings(type=kind, http=HttpSettings(url="http://sr")),))


def glue() -> Settings:
    chosen = RegistrySettings(type="glue", http=HttpSettings(url="http://g"), options={"glue": {"region": "r"}})
    return settings(registries=(chosen,))


def ksqldb() -> Settings:
    return settings(ksqldb=(KsqlSettings(http=HttpSettings(url="http://k")),))


def server(**answers):
    """Answer paths (given as `GET /path`) with JSON or a status; everything else is a 404."""

    def exchange(request: Request) -> Response:
        output = answers.get(f"{request.method} /{request.url.split('/', 3)[3]}", 404)
        return (
            Response(status=output)
            if isinstance(output, int)
            else Response(status=200, body=json.dumps(output).encode())
        )

    return exchange


def rows(chosen: Settings, exchange=None, probe=lambda kafka: "3 brokers"):
    return [(row.tried, row.state, row.detail) for row in probe_sources(chosen, probe=probe, exchange=exchange)]


def test_registry_that_answers_is_requested_its_subjects_and_one_schema():
    """Listing and reading are two rights."""
    exchange = server(**{"GET /subjects": ["a/b", "c"], f"GET {SUBJECT}": {"version": 3, "id": 7, "schema": "{}"}})

    assert rows(registry(), exchange) == [("list subjects", OK, "2 subjects"), ("read a schema", OK, "version 3")]


def test_registry_without_subjects_has_no_schema_to_read():
    """Empty is an answer."""
    assert rows(registry(), server(**{"GET /subjects": []})) == [("list subjects", OK, "0 subjects")]


def test_context_that_the_registry_does_not_have_is_no_empty_one():
    """Otherwise a name that is misspelt would pass."""
    chosen = RegistrySettings(type="confluent", http=HttpSettings(url="http://sr"), options={"context": ".nope"})
    answers = {"GET /subjects": [":.eu:a"], "GET /contexts": [".", ".eu"]}
    (row,) = rows(settings(registries=(chosen,)), server(**answers))

    assert (row[:2], "no context '.nope'" in row[2]) == (("list subjects", UNEXPECTED), True)


@pytest.mark.parametrize(
    ("output", "state"), [(401, REFUSED), (403, REFUSED), (503, UNREACHABLE), (404, UNEXPECTED), ({}, UNEXPECTED)]
)
def test_first_attempt_that_fails_is_the_last_of_its_source(output, state):
    """The second could only fail the same way."""
    (row,) = probe_sources(registry(), probe=lambda kafka: "", exchange=server(**{"GET /subjects": output}))

    assert (row.state, bool(row.detail), bool(row.hint)) == (state, True, True)


@pytest.mark.parametrize(("output", "state"), [(403, REFUSED), ({"version": "3"}, UNEXPECTED)])
def test_right_to_list_is_not_the_right_to_read(output, state):
    """Registries with access lists do so."""
    result = rows(registry(), server(**{"GET /subjects": ["a/b"], f"GET {SUBJECT}": output}))

    assert [row[1] for row in result] == [OK, state]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"GET /apis/registry/v3/search/versions?limit=1": {"count": 5}}, (OK, "5 found")),
        ({"GET /apis/registry/v2/search/artifacts?limit=1": {"count": 0}}, (OK, "0 found")),
        ({"GET /apis/ccompat/v7/subjects": ["a"]}, (OK, "1 subjects")),
        (
            {"GET /apis/registry/v3/search/versions?limit=1": []},
            (UNEXPECTED, "$ is a list, not an object"),
        ),
    ],
)
def test_apicurio_is_queried_in_the_words_that_it_knows(answers, expected):
    """Its API changed with every major version."""
    ((_, state, detail),) = rows(registry("apicurio"), server(**answers))

    assert (state, detail[: len(expected[1])]) == expected


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://sr/apis/registry/v3", "GET /apis/registry/v3/search/versions?limit=1"),
        ("http://sr/apis/registry/v2", "GET /apis/registry/v2/search/artifacts?limit=1"),
        ("http://sr/apis/ccompat/v7", "GET /apis/ccompat/v7/subjects"),
    ],
)
def test_apicurio_is_queried_at_the_api_that_its_url_names(url, path):
    """No other one is tried then."""
    chosen = settings(registries=(RegistrySettings(type="apicurio", http=HttpSettings(url=url)),))

    assert rows(chosen, server(**{path: {"count": 1} if "registry" in path else ["a"]}))[0][1] is OK
    assert rows(chosen, server())[0][1] is UNEXPECTED


def test_cloudera_is_requested_its_schemas_and_one_schemas_versions():
    """The two rights that a scan needs."""
    base = "GET /api/v1/schemaregistry/schemas"
    entities = {"entities": [{"schemaMetadata": {"name": "o"}}]}
    answers = {base: entities, f"{base}/o/versions?branch=MASTER": {"entities": [{}, {}]}}

    assert rows(registry("cloudera"), server(**answers)) == [
        ("list schemas", OK, "1 schemas"),
        ("read a schema", OK, "2 versions"),
    ]


def test_glue_is_requested_its_schemas_and_one_version():
    """Listing and reading are two rights."""
    schemas = {"Schemas": [{"SchemaName": "o", "SchemaArn": "arn", "RegistryName": "r"}]}
    answers = {"POST /ListSchemas": schemas, "POST /ListSchemaVersions": {"Schemas": [{"SchemaVersionId": "u"}]}}

    assert [row[1] for row in rows(glue(), server(**answers))] == [OK, UNEXPECTED]
    members = {"POST /GetSchemaVersion": {"VersionNumber": 3, "SchemaDefinition": "t"}}
    assert rows(glue(), server(**answers, **members))[1][2] == "version 3"
    assert rows(glue(), server(**answers, **{"POST /GetSchemaVersion": []}))[1][1] is UNEXPECTED
    assert rows(glue(), server(**{"POST /ListSchemas": {"Schemas": []}}))[0][2] == "0 schemas"


def test_ksqldb_reports_its_version_and_its_streams():
    """Reaching it and running a statement are two rights."""
    exchange = server(**{"GET /info": {"KsqlServerInfo": {"version": "0.29"}}, "POST /ksql": [{"streams": [{}]}]})

    assert rows(ksqldb(), exchange) == [("reach the server", OK, "ksqlDB 0.29"), ("list streams", OK, "1 streams")]


@pytest.mark.parametrize(
    ("info", "streams", "states"),
    [
        ({}, [], [UNEXPECTED]),
        ({"KsqlServerInfo": {"version": "1"}}, 403, [OK, REFUSED]),
        ({"KsqlServerInfo": {"version": "1"}}, {}, [OK, UNEXPECTED]),
    ],
)
def test_ksqldb_that_answers_otherwise_is_distinguished(info, streams, states):
    """A Connect worker at that address answers too."""
    result = rows(ksqldb(), server(**{"GET /info": info, "POST /ksql": streams}))

    assert [row[1] for row in result] == states


@pytest.mark.parametrize(("error", "state"), [(SourceUnreachable, UNREACHABLE), (SourceRefused, REFUSED)])
def test_brokers_that_cannot_be_queried_are_a_row(error, state):
    """The other sources are still checked."""

    def probe(kafka: KafkaSettings) -> str:
        raise error("no answer", where="kafka:k:1", hint="is it running?")

    (row,) = probe_sources(settings(kafka=KafkaSettings(brokers=("k:1",))), probe=probe)

    assert (row.source, row.state, row.detail) == ("kafka:k:1", state, "kafka:k:1: no answer")


def test_sources_are_checked_over_the_network_without_an_exchange(canned):
    """As `scanner check` does."""
    url = "http://registry.example"
    canned.get(re.compile(f"{url}/.*"), json=[])
    chosen = settings(
        kafka=KafkaSettings(brokers=("k:1",)),
        registries=(RegistrySettings(type="karapace", http=HttpSettings(url=url)),),
    )

    assert [row[2] for row in rows(chosen)] == ["3 brokers", "0 subjects"]


def connect(url: str = "http://c") -> Settings:
    return settings(connect=(ConnectSettings(http=HttpSettings(url=url)),))


LISTED = "GET /connectors?expand=info&expand=status"


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ({"version": "4.3.1", "commit": "c", "kafka_cluster_id": "k"}, ("reach a worker", OK, "Kafka Connect 4.3.1")),
        (403, ("reach a worker", REFUSED, "GET http://c: access denied (status 403)")),
    ],
)
def test_connect_is_requested_a_worker_and_its_connectors(root, expected):
    """A proxy may refuse one of them and let the other through: a scan needs the second."""
    result = rows(connect(), lambda request: server(**{"GET /": root, LISTED: ["a", "b"]})(slashed(request)))

    assert result == [expected, ("list connectors", OK, "2 connectors")]


def test_managed_connect_has_no_worker_to_reach():
    """Confluent Cloud offers the list only."""
    url = "http://c/connect/v1/environments/e/clusters/l"
    path = f"GET {url.removeprefix('http://c')}/connectors?expand=info%2Cstatus%2Cid"

    assert rows(connect(url), server(**{path: {"a": {}}})) == [("list connectors", OK, "1 connectors")]


@pytest.mark.parametrize(
    ("output", "state"), [(403, REFUSED), (503, UNREACHABLE), ("x", UNEXPECTED), (404, UNEXPECTED)]
)
def test_connectors_that_are_not_listed_are_reported(output, state):
    """With the class of mistake that an operator mends."""
    result = rows(connect(), lambda request: server(**{LISTED: output})(slashed(request)))

    assert result[1][1] is state


def slashed(request: Request) -> Request:
    """Return the root of a server its slash."""
    return replace(request, url="http://c/") if request.url == "http://c" else request
