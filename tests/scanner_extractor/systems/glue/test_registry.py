"""AWS Glue: every call as boto3's model has it, errors that say what to do, captures like those of any source."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import kind_tasks
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings, Settings, Tls
from scanner_extractor.systems.glue.registry import glue_registry_transport
from scanner_model.errors import (
    InputInvalid,
    NotFound,
    PayloadUnexpected,
    ScannerError,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import SourceStatus
from scanner_model.schemas import SchemaVersion

OPTIONS = {"glue": {"region": "r"}}
WEB = HttpSettings(url="https://glue.eu-central-1.amazonaws.com", concurrency=2)


def settings(*names: str) -> RegistrySettings:
    return placed(region="eu-central-1", registries=names)


def placed(*, http: HttpSettings = WEB, **members: object) -> RegistrySettings:
    return RegistrySettings(type="glue", http=http, options={"glue": members})


@pytest.fixture
def read(glue):
    """Read a fake through a stubbed client of boto3."""

    def reading(server, *names: str, wrap=None):
        chosen, client = settings(*names), glue.Stubbed(server)
        exchange = glue_registry_transport(chosen, connect=lambda: client)
        with Http(chosen.http, chosen.source, exchange=exchange, wrap=wrap) as http:
            return REGISTRIES["glue"].read(chosen, http, no_progress)

    return reading


def uuid(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"


@pytest.fixture
def filed(glue):
    """Build one version; its text reports its id."""
    return lambda number, name="orders", **members: glue.Filed(
        name=name, id=uuid(number), text=f'"{number}"', **members
    )


def test_versions_are_read_page_by_page(glue, filed, read) -> None:
    """Every list of Glue is cut; the token leads on."""
    versions = tuple(filed(number, version=number) for number in range(1, 6))
    server = glue.Glue(filed=(*versions, filed(6, "payments")), page=2)
    reading = read(server)

    assert [(v.subject, v.version, v.schema_id) for v in reading.of(SchemaVersion)] == [
        *(("orders", number, uuid(number)) for number in range(1, 6)),
        ("payments", 1, uuid(6)),
    ]
    assert reading.outcome.requests == len(server.log) == 1 + 3 + 1 + 6 + 2 * 2


def test_only_named_registries_are_read_and_are_contexts(glue, filed, read) -> None:
    """Two registries may have schemas of one name."""
    server = glue.Glue(filed=(filed(1), filed(2, registry="shop"), filed(3, registry="bank")))

    assert [(v.context, v.schema_id) for v in read(server, "default-registry", "shop").of(SchemaVersion)] == [
        (".", uuid(1)),
        ("shop", uuid(2)),
    ]


@pytest.mark.parametrize(
    ("status", "state", "deleted"),
    [
        ("AVAILABLE", "", False),
        ("PENDING", "PENDING", False),
        ("FAILURE", "FAILURE", False),
        ("DELETING", "DELETING", True),
    ],
)
def test_status_is_the_state(status, state, deleted, glue, filed, read) -> None:
    """A version that is being deleted is deleted."""
    (version,) = read(glue.Glue(filed=(filed(1, status=status),))).of(SchemaVersion)

    assert (version.state, version.deleted) == (state, deleted)


def test_what_is_reported_beside_a_schema_is_kept(glue, filed, read) -> None:
    """Tags are how accounts say whose it is."""
    server = glue.Glue(filed=(filed(1, description="what was ordered"),), tags={"team": "sales"})
    (version,) = read(server).of(SchemaVersion)

    assert json.loads(version.metadata) == {
        "description": "what was ordered",
        "compatibility": "BACKWARD",
        "awsTags": {"team": "sales"},
    }


@pytest.mark.parametrize("denied", ["GetSchema", "GetTags"])
def test_schema_is_read_without_the_right_to_what_is_beside_it(denied, glue, filed, read) -> None:
    """A narrow policy is no reason to read nothing."""
    reading = read(glue.Glue(filed=(filed(1), filed(2, "payments")), denied=frozenset({denied})))

    assert (len(reading.of(SchemaVersion)), reading.outcome.status, len(reading.problems)) == (2, SourceStatus.READ, 1)


@pytest.mark.parametrize("denied", ["ListSchemas", "ListSchemaVersions", "GetSchemaVersion"])
def test_denied_operation_is_a_refusal(denied, glue, filed, read) -> None:
    """Nothing can be read without it."""
    with pytest.raises(SourceRefused, match="AccessDenied"):
        read(glue.Glue(filed=(filed(1),), denied=frozenset({denied})))


def test_registry_that_is_not_there_is_not_found(glue, read) -> None:
    """A misspelt name is no empty registry."""
    with pytest.raises(NotFound, match="EntityNotFound"):
        read(glue.Glue(), "shop")


def test_capture_gives_the_same_reading(glue, filed, read, tmp_path: Path) -> None:
    """A replay needs neither boto3 nor credentials."""
    server = glue.Glue(filed=(filed(1, description="d"), filed(2, version=2)), page=1)
    live = read(server, wrap=Recorder(tmp_path / "c").recording)
    cluster = Settings(cluster=ClusterName("c"), brokers=("k:1",), file=Path("c.json"), registries=(settings(),))
    (task,) = kind_tasks("schemas", cluster, Connections(replay=Replay(tmp_path / "c")))

    assert task.run(no_progress) == live


class Raising:
    """A client whose every method raises."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def list_schemas(self, **given: object) -> None:
        raise self._error


def requested(connect) -> ScannerError | int:
    request = Request(source=SourceId("s"), method="POST", url="https://g/ListSchemas", body="{}")
    try:
        return glue_registry_transport(placed(region="r"), connect=connect)(request).status
    except ScannerError as error:
        return error


def test_failures_state_what_to_do_next() -> None:
    """Missing credentials are mended by people, a network by time."""
    from botocore import exceptions as boto

    failures = [
        (boto.NoCredentialsError(), SourceRefused),
        (boto.PartialCredentialsError(provider="env", cred_var="secret"), SourceRefused),
        (boto.TokenRetrievalError(provider="sso", error_msg="expired"), SourceRefused),
        (boto.EndpointConnectionError(endpoint_url="https://g"), SourceUnreachable),
        (boto.ReadTimeoutError(endpoint_url="https://g"), SourceUnreachable),
        (boto.ProfileNotFound(profile="p"), InputInvalid),
        (boto.NoRegionError(), InputInvalid),
    ]

    assert [type(requested(lambda error=error: Raising(error))) for error, _ in failures] == [
        kind for _, kind in failures
    ]


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("ExpiredTokenException", 400, SourceRefused),
        ("UnrecognizedClientException", 400, SourceRefused),
        ("ThrottlingException", 400, SourceUnreachable),
        ("EntityNotFoundException", 400, 404),
        ("InvalidInputException", 400, 400),
        ("InternalServiceException", 500, 500),
        ("Odd", 200, 400),
    ],
)
def test_errors_of_aws_are_distinguished_by_their_code(code, status, expected) -> None:
    """Almost all of them have status 400."""
    from botocore.exceptions import ClientError

    reported = {"Error": {"Code": code, "Message": "m"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    answer = requested(lambda: Raising(ClientError(reported, "ListSchemas")))

    assert answer == expected if isinstance(expected, int) else type(answer) is expected


def test_client_is_made_with_the_first_request_and_once(glue) -> None:
    """To import boto3 takes longer than a replay."""
    numbers: list[int] = []

    def connect():
        numbers.append(1)
        return glue.Stubbed(glue.Glue())

    exchange = glue_registry_transport(placed(region="r"), connect=connect)
    before = len(numbers)
    for _ in range(2):
        exchange(Request(source=SourceId("s"), method="POST", url="https://g/ListSchemas", body='{"MaxResults": 100}'))

    assert (before, len(numbers)) == (0, 1)


def test_profile_that_is_not_there_is_an_error_in_the_settings(tmp_path: Path, monkeypatch) -> None:
    """AWS's own configuration files name the profiles."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    chosen = placed(region="eu-central-1", profile="nobody")
    exchange = REGISTRIES["glue"].transport(chosen)
    assert exchange

    with pytest.raises(InputInvalid, match="nobody"):
        exchange(Request(source=chosen.source, method="POST", url="https://g/ListSchemas"))


def test_endpoint_that_nobody_answers_at_is_unreachable(monkeypatch) -> None:
    """The real client, to a port where nothing listens."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    http = HttpSettings(url="http://127.0.0.1:1", tls=Tls(verify=False))
    exchange = glue_registry_transport(placed(http=http, region="eu-central-1", endpoint_url="http://127.0.0.1:1"))

    with pytest.raises(SourceUnreachable, match=r"127\.0\.0\.1:1"):
        exchange(Request(source=SourceId("s"), method="POST", url="https://g/ListSchemas", body="{}"))


def test_other_registries_are_queried_over_http() -> None:
    """Only AWS signs requests its own way."""
    assert REGISTRIES["confluent"].transport(RegistrySettings(type="confluent", http=WEB)) is None


@pytest.mark.parametrize("output", [{}, {"Schemas": [{"SchemaName": "x"}]}, []])
def test_answer_of_another_form_reports_it(output, read_through) -> None:
    """An empty list would mark everything gone."""
    with pytest.raises(PayloadUnexpected):
        read_through(lambda method, url: (200, json.dumps(output).encode()), "glue", options=OPTIONS)


def test_version_of_another_form_costs_its_schema(read_through) -> None:
    """The other schemas are read."""
    answers = {
        "ListSchemas": {"Schemas": [{"SchemaName": "x", "SchemaArn": "a", "RegistryName": "r"}]},
        "ListSchemaVersions": {"Schemas": [{"SchemaVersionId": "i"}]},
    }
    reading = read_through(
        lambda method, url: (200, json.dumps(answers.get(url.rpartition("/")[2], {})).encode()), "glue", options=OPTIONS
    )

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, {":r:x"})


@pytest.mark.parametrize("tokens", [itertools.repeat("again"), map(str, itertools.count())], ids=["same", "new"])
def test_pages_that_never_end_are_refused(read_through, tokens) -> None:
    """Nobody is queried for ever, and a list that is not whole proves nothing gone."""
    answer = lambda method, url: (200, json.dumps({"Schemas": [], "NextToken": next(tokens)}).encode())  # noqa: E731

    with pytest.raises(PayloadUnexpected, match="does not end"):
        read_through(answer, "glue", options=OPTIONS)


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        ({"region": "r"}, "glue:r"),
        ({"region": "r", "profile": "p"}, "glue:r:p"),
        ({"region": "r", "registries": ["b", "a", "a"]}, "glue:r::a,b"),
        ({"region": "r", "endpoint_url": "https://e"}, "glue:https://e"),
    ],
)
def test_source_reports_regions_accounts_and_registries_apart(chosen, name) -> None:
    """What one scan finds in one must not replace what another found elsewhere."""
    assert REGISTRIES["glue"].place({"glue": chosen}, WEB.url) == name
