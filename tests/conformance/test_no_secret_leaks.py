"""Fifty secrets where real ones would stand, and two hundred forms in every place: none is in any output."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from secret_forms import MEMBERS, PROGRAMS, SETTINGS, TEXT_FORMS

from scanner_cli.main import run

JDBC = "jdbc:db2://h:50000/d"


def s(number: int) -> str:
    """Return a secret that only its place shows to be one."""
    return f"zqS{number:02d}ecretzq"


def planted(location: str, number: int) -> str:
    """Return the secret of a form in one kind of place."""
    return f"zq{location}{number:03d}ecretzq"


def formed(location: str) -> list[str]:
    """Return every form of text, each with its own secret."""
    return [form.format(planted(location, number)) for number, form in enumerate(TEXT_FORMS)]


def jwt(number: int) -> str:
    return f"eyJhbGciOiJIUzI1NiJ9.{s(number)}AAAA.sig"


def cluster_file(url: str) -> dict[str, Any]:
    """Write a cluster.json with every form of credentials."""
    basic = {"basic": {"user": "me", "password": s(1)}}
    oauth = {"oauth": {"token_url": f"{url}/token", "client_id": "me", "client_secret": s(2)}}
    properties = {
        "sasl.password": s(3),
        "sasl.jaas.config": f'org.apache.Plain required username="u" password="{s(4)}";',
        "ssl.key.password": s(5),
        "ssl.keystore.password": s(6),
        "sasl.oauthbearer.client.secret": s(7),
    }
    flink = import_module("flink_server")
    cloud = {"organization": flink.ORGANIZATION, "environment": flink.ENVIRONMENT}
    return {
        "cluster": "shop",
        "brokers": ["127.0.0.1:1"],
        "kafka": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", **properties},
        "schema_registries": [
            {"type": "confluent", "url": f"{url}/sr", "auth": basic},
            {"type": "confluent", "url": f"{url.replace('://', f'://me:{s(8)}@')}/echo"},
            {"type": "confluent", "url": f"{url}/moved", "headers": {"X-Api-Key": s(9)}},
            {"type": "confluent", "url": f"{url}/oauth", "auth": oauth},
        ],
        "connect": [{"name": "main", "url": f"{url}/connect", "auth": {"bearer": {"token": s(10)}}}],
        "ksqldb": [{"url": f"{url}/ksql", "headers": {"Authorization": f"Bearer {s(11)}"}}],
        "flink": [
            {"type": "confluent", "url": f"{url}/flink", **cloud, "auth": basic},
            {"type": "sql-files", "path": "*.sql"},
        ],
        "streams": [{"path": "*.txt"}],
        "files": [{"path": "deploy.yaml"}],
        "stream_catalogs": [{"url": f"{url}/tags", "cluster": "lkc-1", "auth": basic}],
        "tableflow": {
            "url": f"{url}/tables", "environment": "e", "cluster": "lkc-1",
            "auth": {"basic": {"user": "k", "password": s(12)}},
        },
        "metrics": {
            "type": "confluent", "url": f"{url}/echo", "cluster": "lkc-1",
            "auth": {"basic": {"user": "k", "password": s(13)}},
        },
        "catalogs": [{"type": "unity", "url": f"{url}/unity", "auth": {"bearer": {"token": s(14)}}, "lineage": "none"}],
        "manual_input": ["manual.json"],
    }  # fmt: skip


CONNECTOR = {
    "connector.class": "com.acme.Sink",
    "topics": "orders",
    "connection.password": s(15),
    "connection.url": f"{JDBC}:user=u;password={s(16)};",
    "database.url": f"postgresql://u:{s(17)}@db/shop",
    "consumer.override.sasl.jaas.config": f'a.B required username="u" password="{s(18)}";',
    "confluent.topic.api.key": s(19),
    "auth.token": s(20),
    "transforms.enc.cipher.secret": s(21),
    "value.converter.basic.auth.user.info": f"u:{s(22)}",
    "aws.secret.access.key": s(23),
    "gcp.credentials.json": json.dumps({"type": "service_account", "private_key": f"-----BEGIN-{s(24)}", "u": s(24)}),
    "ssl.pem": f"-----BEGIN RSA PRIVATE KEY-----\n{s(25)}\n-----END RSA PRIVATE KEY-----",
    "producer.override.ssl.truststore.password": s(26),
    "http.headers": f"Authorization: Bearer {s(27)}, Accept: any",
    "session": jwt(28),
    "cipher.seed": s(29),
    "from.file": "${file:/run/secrets/db:password}",
}
TRACE = f"X: cannot reach {JDBC}:user=u;password={s(30)};\n\tat y\nCaused by: http://u:{s(31)}@h refused"
KSQL_SOURCE = f"CREATE SOURCE CONNECTOR c WITH ('connector.class'='x.Y', 'db.password'='{s(32)}');"
KSQL_STREAM = (
    f"CREATE STREAM CLICKS (A INT) WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON', SOURCE_PASSWORD='{s(33)}');"
)
KSQL_QUERY = (
    f"SET 'ssl.key.password'='{s(34)}'; CREATE TABLE CLICKS_PER_CITY AS SELECT COUNT(*) N FROM CLICKS EMIT CHANGES;"
)
FLINK_TABLE = (
    f"CREATE TABLE t (a INT) WITH ('connector'='jdbc', 'url'='{JDBC}:password={s(35)};', 'password'='{s(36)}')"
)
FLINK_SET = f"SET 'sql.secrets.openai' = '{s(37)}'; INSERT INTO t SELECT 1"
SQL_FILE = (
    f"-- login: http://u:{s(38)}@h\nSET client.api.token = {s(39)};\n"
    f"CREATE TABLE f (a INT) WITH ('connector'='kafka', 'topic'='orders', 'properties.sasl.jaas.config'="
    f"'a.B required password=\"{s(40)}\";');\nINSERT INTO f SELECT 2;\n"
)
# Only the plug-in itself declares that this setting is a password, and no file can ask it: `secret_names` names such.
_KNOWN_BY_NAME = {key: value for key, value in CONNECTOR.items() if key != "cipher.seed"}
DEPLOYMENT = (
    json.dumps({"name": "declared", "config": _KNOWN_BY_NAME}),
    json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a.sql": SQL_FILE}}),
    f"connector.class: a.B\nname: unquoted\npassword: *{s(15)}",
    f"connector.class: a.B\nname: broken\npassword: [{s(16)}",
    f"connector.class: a.B\nname: default\npassword: ${{PASSWORD:-{s(18)}}}",
)
SQL_COMMENTS = "\n".join(f"/* {text.replace('*/', '')} */" for text in formed("Comment"))
SQL_OPTIONS = ", ".join(f"'{name}' = '{planted('Option', number)}'" for number, name in enumerate(SETTINGS))
SQL_PLANTED = f"{SQL_COMMENTS}\nCREATE TABLE g (a INT) WITH ('connector'='kafka', 'topic'='orders', {SQL_OPTIONS});\n"
TOPOLOGY = (
    "Topologies:\n   Sub-topology: 0\n    Source: S-0 (topics: [orders])\n      --> none\n"
    f"# started with -Dssl.key.password={s(41)}\n"
)
RULES = {
    "ruleSet": {"domainRules": [{"name": "enc", "kind": "TRANSFORM", "type": "ENCRYPT", "mode": "WRITEREAD",
                                 "params": {"encrypt.kms.type": "aws-kms", "secret.access.key": s(42)}}]},
    "metadata": {"properties": {"owner": "sales", "vault.token": s(43), "note": s(51)}, "sensitive": ["note"]},
}  # fmt: skip
UNITY = {"properties": {"fs.azure.account.key.x": s(44), "u": f"jdbc:mysql://u:{s(45)}@h/d"}}
MANUAL = {
    "version": 1,
    "cluster": "shop",
    "topics": [
        *({"name": f"m{n}", "description": text} for n, text in enumerate(formed("Manual"))),
        {"name": "orders", "description": f"ask with http://u:{s(46)}@h and password={s(47)}"},
    ],
}
SAID = [{"name": "Access", "value": json.dumps({"api_token": s(48)})}]
EVENT_PROPERTIES = {"spark.db.password": s(49), "spark.url": f"{JDBC}:password={s(50)};"}
SETTINGS_PLANTED = {name: planted("Setting", number) for number, name in enumerate(SETTINGS)} | {
    name: form.format(planted("Program", number)) for number, (name, form) in enumerate(PROGRAMS.items())
}
PLANTED = re.compile(rb"zq[A-Z][a-z]+\d{3}ecretzq")
SECRETS = [s(number) for number in range(1, 52)]


@dataclass(slots=True)
class Installation:
    """What the server knows, by the first step of a path."""

    connect: Any
    registry: Any
    flink: Any
    unity: Any
    ksql: Any

    def __call__(self, request: Any) -> tuple[int, Any]:
        _, first, rest = (
            request.target.split("/", 2) if request.target.count("/") > 1 else (*request.target.split("/"), "")
        )
        target = f"/{rest}"
        match first.partition("?")[0]:
            case "connect":
                return self.connect.answer(target)
            case "sr":
                return self.registry.answer(target)
            case "flink":
                return self.flink.answer(target)
            case "unity":
                return self.unity.answer(request.method, target, request.body)
            case "ksql":
                return (200, self.ksql.info()) if target == "/info" else self.ksql.answer(request.document["ksql"])
            case "tags":
                return self._tags(request)
            case "tables":
                members = {"display_name": "orders", "table_formats": ["DELTA"], "config": {"sas_token": s(12)}}
                return 200, {"metadata": {"next": ""}, "data": [{"spec": members, "status": {"phase": "RUNNING"}}]}
            case "token":
                return 400, {"error": "invalid_client", "error_description": f"no client with client_secret={s(2)}"}
            case _:
                login = request.headers.get("authorization", "")
                plain = base64.b64decode(login.partition(" ")[2]).decode() if login.startswith("Basic") else login
                members = f"{login} is refused: {plain}, key {request.headers.get('x-api-key', '')}"
                return 403, {"error_code": 40301, "message": members}

    def _tags(self, request: Any) -> tuple[int, Any]:
        name = {"qualifiedName": "lsrc-7:lkc-1:orders", "name": "orders"}
        if "graphql" in request.target:
            topics = (
                [{**name, "tags": ["PII"], "business_metadata": SAID}]
                if "offset: 0" in request.document["query"]
                else []
            )
            return 200, {
                "data": {"kafka_topic" if "kafka_topic" in request.document["query"] else "cn_connector": topics}
            }
        about = {"typeName": "kafka_topic", "guid": "g", "status": "ACTIVE", "classificationNames": ["PII"]}
        described = {**about, "attributes": {**name, "description": f"http://u:{s(46)}@h"}}
        return 200, {
            "entities": [described] if "type=kafka_topic" in request.target and "offset=0" in request.target else []
        }


def installation() -> Installation:
    connect, registry, flink, unity = map(
        import_module, ("connect_server", "confluent_registry", "flink_server", "unity_server")
    )
    ksql = import_module("ksqldb_server")
    failed = connect.Kept(name="sink", config=CONNECTOR, tasks=("FAILED",), trace=TRACE, topics=("orders",))
    settings = {"connector.class": "com.acme.Plain", "topics": "orders", **SETTINGS_PLANTED}
    plain = connect.Kept(name="plain", config=settings, tasks=("RUNNING",), trace="", topics=("orders",))
    traced = [
        connect.Kept(
            name=f"trace-{number}",
            config=settings,
            tasks=("FAILED",),
            trace=f"X: no\n\tat y\n{text}\n\tat z",
            topics=(),
        )
        for number, text in enumerate([*formed("Trace"), *(f"refused {value}" for value in SETTINGS_PLANTED.values())])
    ]
    schema = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "password", "type": "string"}]})
    stored = registry.Stored(subject="orders-value", version=1, id=1, schema=schema, more=RULES)
    stream = ksql.source("CLICKS", "clicks", KSQL_STREAM, [ksql.field("A", "INTEGER")])
    described = ksql.DESCRIPTION | {
        "statementText": KSQL_QUERY + KSQL_SOURCE,
        "overriddenProperties": {"a.password": s(34)},
    }
    statements = ((flink.statement("a", FLINK_TABLE), flink.statement("b", FLINK_SET)),)
    more = {"columns": [unity.column("id", "long")], **UNITY}
    table = {**unity.table("lake.shop.orders"), **more}
    return Installation(
        connect=connect.Connect(installation=(failed, plain, *traced), passwords={"com.acme.Sink": ("cipher.seed",)}),
        registry=registry.Registry(installation=(stored,)),
        flink=flink.Flink(statements=statements),
        unity=unity.Unity(tables=(table,)),
        ksql=ksql.Ksql(sources=(stream,), queries=(described,)),
    )


def event() -> dict[str, Any]:
    producer = import_module("lineage_producer")
    facets = {
        "spark_properties": producer.facet("Spark", properties=EVENT_PROPERTIES),
        "errorMessage": producer.facet("ErrorMessageRunFacet", message=TRACE, programmingLanguage="java"),
    }
    for number, text in enumerate(formed("Facet")):
        facets[f"note_{number}"] = producer.facet(note=text, deep=[{"text": text}])
    for number, member in enumerate(MEMBERS):
        facets[f"member_{number}"] = producer.facet(own=json.loads(member.format(planted("Member", number))))
    sql = {"sourceCode": producer.facet("SourceCodeJobFacet", language="python", sourceCode="\n".join(formed("Code")))}
    sql |= {"sql": producer.facet("SQLJobFacet", query=FLINK_TABLE)}
    sink = producer.dataset("kafka://127.0.0.1:1", "orders", uri=producer.facet(uri=f"http://u:{s(45)}@h/d"))
    return producer.run_event("FAIL", run_facets=facets, job_facets=sql, outputs=[sink])


@pytest.fixture
def left(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[tuple[Path, Callable[..., int]]]:
    """Return the directory that everything is written into, and one way to run a command line; it must not fail."""
    faulty, work = import_module("faulty"), tmp_path / "left"
    given = tmp_path / "given"
    for directory in (work, given):
        directory.mkdir()

    def redirected(request: Any, good: Any) -> Any:
        if request.target.startswith("/moved"):
            away = {"Location": f"ftp://u:{s(8)}@files.example/x?access_token={s(9)}"}
            return faulty.Reply(status=302, headers=away)
        return faulty.healthy(request, good)

    with faulty.serving(faulty.Faulty(good=installation(), fault=redirected)) as server:
        (given / "cluster.json").write_text(json.dumps(cluster_file(server.url)), encoding="utf-8")
        (given / "jobs.sql").write_text(SQL_FILE + SQL_PLANTED, encoding="utf-8")
        (given / "app.txt").write_text("\n\n".join([TOPOLOGY, *formed("Topology")]), encoding="utf-8")
        (given / "deploy.yaml").write_text("\n---\n".join(DEPLOYMENT), encoding="utf-8")
        (given / "manual.json").write_text(json.dumps(MANUAL), encoding="utf-8")
        (given / "events.json").write_text(json.dumps(event()), encoding="utf-8")
        counted = iter(range(100))

        def command(*arguments: object) -> int:
            number = next(counted)
            status = run(["--verbose", *map(str, arguments)])
            captured = capfd.readouterr()
            (work / f"said-{number}.txt").write_text(f"{arguments}\n{captured.out}{captured.err}", encoding="utf-8")
            return status

        yield tmp_path, command


def traces(directory: Path) -> dict[str, list[str]]:
    """Return by secret the files that hold it, as it is or in the base64 of a login."""
    result: dict[str, list[str]] = {}
    for file in sorted(path for path in directory.rglob("*") if path.is_file()):
        content = file.read_bytes()
        for match in PLANTED.findall(content):
            result.setdefault(match.decode(), []).append(str(file.relative_to(directory)))
        for secret in SECRETS:
            if any(form in content for form in forms(secret)):
                result.setdefault(secret, []).append(str(file.relative_to(directory)))
    return result


def forms(secret: str) -> Iterator[bytes]:
    yield secret.encode()
    for before in range(3):  # what stands before it shifts its base64
        encoded = base64.b64encode(b"x" * before + secret.encode())
        yield encoded[4 if before else 0 : -4]


@pytest.mark.slow
def test_no_secret_is_left_anywhere(left: tuple[Path, Callable[..., int]]) -> None:
    """Dictionary, capture, report, log, what was said on the terminal, and every file made of them."""
    home, command = left
    work, dictionary = home / "left", ("--dictionary", home / "left" / "dictionary.db")
    config = ("--config", home / "given" / "cluster.json")

    statuses = [
        command("extract", *config, *dictionary, "--capture", work / "capture", "--report", work / "report.json"),
        command("check", *config),
        command("openlineage", "import", home / "given" / "events.json", *dictionary),
        command("dataflow", *dictionary, "--output", work / "flow"),
        *(
            command("export", "--format", kind, "-o", work / f"graph.{kind}", *dictionary)
            for kind in ("html", "csv", "h2", "graphml")
        ),
        command("explain", "sql", home / "given" / "jobs.sql", "--format", "json"),
        command("lineage", "orders", "--evidence", "--format", "json", *dictionary),
        *(
            command(kind, "--format", "json", *dictionary)
            for kind in ("connectors", "statements", "tables", "topics", "validate")
        ),
        command("query", "--topic", "orders", "--format", "json", *dictionary),
        command("scans", *dictionary),
        command("extract", *config, "--replay", work / "capture", "--dictionary", work / "again.db"),
    ]

    assert statuses[:2] == [3, 3]
    assert {path.name for path in work.iterdir()} >= {
        "dictionary.db",
        "capture",
        "report.json",
        "graph.html",
        "again.db",
    }
    result = traces(work)
    assert result == {}, "\n".join(f"{k} {v}" for k, v in result.items())


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("command", ["extract", "dataflow"])
def test_no_secret_is_in_the_log_of_spark(left: tuple[Path, Callable[..., int]], command: str) -> None:
    """The log is removed when Spark succeeds, so it is linked into another directory while Spark runs."""
    home, here = left
    config = ("--config", home / "given" / "cluster.json")
    dictionary = ("--dictionary", home / "left" / "dictionary.db")
    lines = {
        "extract": ("extract", *config, *dictionary, "--engine", "spark"),
        "dataflow": ("dataflow", *dictionary, "--engine", "spark", "--output", home / "left" / "flow"),
    }
    if command == "dataflow":
        here("extract", *config, *dictionary)
    temporary = home / "temporary"
    temporary.mkdir()

    scanner = [str(Path(sys.executable).parent / "scanner"), "--verbose", *map(str, lines[command])]
    with (home / "left" / "terminal.txt").open("wb") as terminal:
        environment = {**os.environ, "TMPDIR": str(temporary)}
        process = subprocess.Popen(scanner, stdout=terminal, stderr=terminal, env=environment)
        log = home / "left" / "spark.log"
        while process.poll() is None:
            for path in () if log.exists() else temporary.glob("scanner-spark-*/spark.log"):
                log.hardlink_to(path)
            time.sleep(0.05)

    assert process.returncode == {"extract": 3, "dataflow": 0}[command]
    assert log.stat().st_size
    assert traces(home / "left") == {}
