"""Secrets of connectors are planted wherever a real one would stand, and looked for wherever one could come out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.http.messages import Request, Response
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import kind_tasks
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.systems.connect.reader import with_masked_passwords
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.errors import SourceUnreachable
from scanner_model.kafka import Connector
from scanner_model.names import ClusterName
from scanner_model.redaction import MASK, mask_config, mask_json

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvzqPEMzq\n-----END PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ6cUpXVHpxIn0.zqSIGzq"
DRAWN = "zqDRAWNzq9xA7bQ2mK5nR8tW1"
PLANTED = {
    "connection.password": "zqPASSzq1",
    "connection.url": "jdbc:postgresql://db:5432/shop?user=app&password=zqURLzq&ssl=true",
    "connection.uri": "mongodb+srv://app:zqMONGOzq@m1.example.org/shop?retryWrites=true",
    "oracle.url": "jdbc:oracle:thin:scott/zqORACLEzq@//db:1521/ORCL",
    "sqlserver.url": "jdbc:sqlserver://db:1433;databaseName=shop;user=app;password=zqSQLSERVERzq",
    "mysql.url": "jdbc:mysql://address=(host=db)(user=app)(password=zqMYSQLzq)/shop",
    "events.connection.string": "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=zqAZUREzq=;EntityPath=e",
    "sas.url": "https://a.blob.core.windows.net/c?sv=1&sig=zqSASzq",
    "producer.override.sasl.jaas.config": 'org.x.PlainLoginModule required username="u" password="zqJAASzq";',
    "login": 'org.x.PlainLoginModule required username="u" password="zqJAASINzq";',
    "aws.secret.access.key": "zqAWSzq",
    "azblob.account.key": "zqBLOBzq==",
    "kafka.api.secret": "zqAPIzq",
    "value.converter.basic.auth.user.info": "key:zqUSERINFOzq",
    "value.converter.schema.registry.url": "https://u:zqSRzq@sr:8081",
    "transforms.enc.cipher_keys": "zqCIPHERzq",
    "transforms.enc.token": "zqTOKENzq",
    "header.converter.salt": DRAWN,
    "ssl.keystore.key": PEM,
    "keyfile": json.dumps({"type": "service_account", "private_key": "zqGCPzq"}),
    "http.headers": "Accept: json|Authorization: Bearer zqBEARERzq1|X-Api-Key: zqHEADERzq",
    "extra": f"prefix {JWT}",
    "odd.seed": "zqDECLAREDzq",
    "query": "SELECT * FROM t WHERE token = 'zqQUERYzq'",
}
KEPT = {
    "topics": "orders,password-resets",
    "tasks.max": "2",
    "transforms": "enc,hidePassword,route",
    "transforms.enc.type": "com.acme.Encrypt$Value",
    "transforms.hidePassword.type": "org.apache.kafka.connect.transforms.MaskField$Value",
    "transforms.hidePassword.fields": "password,secret_answer",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": "(?<token>.*)-secret",
    "transforms.route.replacement": "$1",
    "transforms.names.renames": "password:pwd,token=t",
    "topic2table.map": "auth-tokens=TOKENS,password-resets:RESETS",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "key.converter.basic.auth.credentials.source": "USER_INFO",
    "primary.key.fields": "CustomerId",
    "ssl.keystore.location": "/opt/Kafka2/secrets/KeyStoreForConnect01",
    "sftp.password": "${file:/run/secrets/db.properties:password}",
    "database.password": "${vault:kv/db}${env:SUFFIX}",
    "mode.query": "SELECT a.token, b.x FROM a JOIN b ON a.token=b.token",
}
LOST = ("zq", "MIIEvzq", "scott", "app:")
ENTRY = {
    "info": {
        "name": "x",
        "config": {"connector.class": "com.acme.Sink", **PLANTED, **KEPT},
        "tasks": [],
        "type": "sink",
    },
    "status": {
        "connector": {"state": "FAILED", "trace": "X: cannot login with zqDECLAREDzq\n\tat y"},
        "tasks": [
            {"id": 0, "state": "FAILED", "trace": f"X: bad {PLANTED['connection.url']} and zqPASSzq1"},
            {"id": 1, "state": "FAILED", "msg": "Invalid value zqDECLAREDzq for configuration odd.port"},
        ],
    },
}
DEFINITIONS = {
    "com.acme.Sink": [{"name": "odd.seed", "type": "PASSWORD"}, {"name": "topics", "type": "LIST"}],
    "com.acme.Encrypt$Value": [{"name": "cipher_keys", "type": "PASSWORD"}],
}
SETTINGS = ConnectSettings(http=HttpSettings(url="http://c:8083"), name="main")


def worker(request: Request) -> Response:
    """Answer as a worker that has the one connector."""
    path = request.url.removeprefix("http://c:8083")
    if path.startswith("/connectors?"):
        return reported({"x": ENTRY})
    for name, settings in DEFINITIONS.items():
        if path == f"/connector-plugins/{name.replace('$', '%24')}/config":
            return reported(settings)
    return Response(status=404, body=b'{"error_code": 404, "message": "no"}')


def reported(document: Any) -> Response:
    return Response(status=200, headers={"content-type": "application/json"}, body=json.dumps(document).encode())


class Live(Connections):
    """Sources that are queried of the worker above instead of the network."""

    def http(self, settings, source, *, live=None, mask=None):
        return super().http(settings, source, live=worker, mask=mask)


def scanned(access: Connections):
    settings = Settings(cluster=ClusterName("c"), brokers=("k:1",), file=Path("cluster.json"), connect=(SETTINGS,))
    (task,) = kind_tasks("collections and connectors", settings, access)
    return task.run(no_progress)


def files(directory: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(directory.rglob("*.json")))


def test_no_secret_comes_out_of_a_scan_in_fact_or_capture(tmp_path: Path) -> None:
    """A worker answers configurations in clear; nobody may find a password in what we keep."""
    reading = scanned(Live(recorder=Recorder(tmp_path / "c")))

    assert len(reading.of(Connector)) == 1
    for text in (repr(reading), files(tmp_path / "c")):
        assert not [word for word in LOST if word in text]


def test_what_is_no_secret_stays_as_it_was_written() -> None:
    """Lineage is read from it: topics, fields and tables may be called `password`."""
    (connector,) = scanned(Live()).of(Connector)

    assert KEPT.items() <= dict(connector.config).items()
    assert dict(connector.config).keys() >= PLANTED.keys()


def test_addresses_without_their_credentials_stay() -> None:
    """Which database a connector reads is what it is about."""
    config = dict(scanned(Live()).of(Connector)[0].config)

    assert config["connection.url"] == f"jdbc:postgresql://db:5432/shop?user=app&password={MASK}&ssl=true"
    assert config["connection.uri"] == "mongodb+srv://m1.example.org/shop?retryWrites=true"
    assert config["oracle.url"] == "jdbc:oracle:thin:@//db:1521/ORCL"


def test_replay_of_a_capture_gives_the_same_facts(tmp_path: Path) -> None:
    """What was hidden before it was kept is not hidden otherwise later."""
    live = scanned(Live(recorder=Recorder(tmp_path / "c")))

    replayed = scanned(Connections(replay=Replay(tmp_path / "c")))
    assert replayed.of(Connector) == live.of(Connector)


@pytest.mark.parametrize(
    "config",
    [
        {"connector.class": "com.acme.Sink", "odd.seed": "zqDECLAREDzq", "topics": ["a"]},
        {"connector.class": "com.acme.Sink", "odd.seed": "zqDECLAREDzq", "transforms.a.type": 7},
        [
            {"config": "connector.class", "value": "com.acme.Sink"},
            {"config": "odd.seed", "value": "zqDECLAREDzq"},
            {"config": "topics", "value": ["a"]},
            ["without a name"],
        ],
    ],
)
def test_a_setting_of_another_type_unmasks_no_other(config: Any) -> None:
    """It stays as it was written, so that the reader reports it."""
    send = with_masked_passwords(
        SETTINGS,
        lambda request: reported({"x": {"config": config}}) if "plugins" not in request.url else worker(request),
    )
    text = send(Request(method="GET", url="http://c:8083/connectors?expand=info", source=SETTINGS.source)).body.decode()

    assert "zqDECLAREDzq" not in text
    assert '["a"]' in text or ": 7" in text


def test_error_traces_lose_the_secrets_that_they_quote() -> None:
    """Kafka's own message is `Invalid value … for configuration …`."""
    (connector,) = scanned(Live()).of(Connector)

    assert connector.trace == f"X: cannot login with {MASK}\n\tat y"
    assert connector.tasks[1].trace == f"Invalid value {MASK} for configuration odd.port"


@pytest.mark.parametrize("answer", [Response(status=404), Response(status=200, body=b"<html>"), SourceUnreachable("x")])
def test_plugins_that_do_not_report_leave_names_and_values_to_judge(answer) -> None:
    """Before Kafka 3.2 no plug-in reports its settings."""

    def old(request: Request) -> Response:
        if "connector-plugins" not in request.url:
            return worker(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    body = with_masked_passwords(SETTINGS, old)(
        Request(source=SETTINGS.source, method="GET", url="http://c:8083/connectors?x")
    ).body
    assert b"zqPASSzq" not in body
    assert b"zqDECLAREDzq" in body


def test_each_plugin_is_queried_once() -> None:
    """Five hundred connectors share a dozen classes."""
    requests: list[str] = []

    def counted(request: Request) -> Response:
        requests.append(request.url)
        return reported({"x": ENTRY, "y": ENTRY}) if "/connectors" in request.url else worker(request)

    exchange = with_masked_passwords(SETTINGS, counted)
    for _ in range(2):
        exchange(Request(source=SETTINGS.source, method="GET", url="http://c:8083/connectors?expand=info"))

    definitions = [url for url in requests if "connector-plugins" in url]
    assert len(definitions) == len(set(definitions)) == 5


def test_managed_connect_is_not_requested_definitions() -> None:
    """Its API does not tell them; names and values do, in a list of pairs too."""
    url = "https://api.confluent.cloud/connect/v1/environments/env-1/clusters/lkc-1"
    managed = replace(SETTINGS, http=HttpSettings(url=url))
    pairs = [{"config": "connector.class", "value": "S3_SINK"}, {"config": "s3.api.secret", "value": "zqCLOUDzq"}]
    requests: list[str] = []

    def cloud(request: Request) -> Response:
        requests.append(request.url)
        return reported({"x": {"info": {"config": pairs}}})

    body = with_masked_passwords(managed, cloud)(
        Request(source=managed.source, method="GET", url=f"{url}/connectors?x")
    ).body
    assert b"zqCLOUDzq" not in body
    assert len(requests) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[" * 9999, b'["x", "y"]', b'{"x": 5, "y": {"info": 7}}', b"null"])
def test_answer_that_reports_no_configuration_passes(body) -> None:
    """What it is, is for the reader to say."""
    request = Request(source=SETTINGS.source, method="GET", url="http://c:8083/connectors")

    answer = with_masked_passwords(SETTINGS, lambda _: Response(status=200, body=body))(request)
    assert answer.body.replace(b" ", b"") == body.replace(b" ", b"")


def test_hiding_twice_changes_nothing_more() -> None:
    """A capture of a replay is the same capture."""
    once = mask_config({"connector.class": "c", **PLANTED, **KEPT})

    assert mask_config(once) == mask_json(once) == once
