"""Clients whose use of topics something shows: programs with metrics, groups of each protocol, rules of access."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import credentials
import places
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from kafka_rows import java, properties_text
from places import CACHE, HOST, TREE
from rows import Server, Step, answers
from single_broker import single_broker

SCANNER, WITHOUT_RIGHTS = "scanner", "visitor"
"""The user who scans, whose right is to describe, and one who has none."""
USERS = (SCANNER, WITHOUT_RIGHTS, "orders", "shipping", "billing", "auditor", "counter", "clicks")
TOPICS = ("shop.orders", "shop.shipments", "shop.clicks", "shop.invoices", "shop.counts", "shop.idle")
_AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
# The plug-in that Kafka brings; it keeps in memory what Streams applications push (KIP-1331).
_TOPOLOGIES = {
    "group.streams.topology.description.plugin.class": (
        "org.apache.kafka.server.streams.InMemoryTopologyDescriptionPlugin"
    ),
}
_TOPIC, _GROUP, _TRANSACTION = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
_LITERAL, _PREFIXED = ResourcePatternType.LITERAL, ResourcePatternType.PREFIXED
_READ, _WRITE, _DESCRIBE, _ALL = AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE, AclOperation.ALL
_RIGHTS = (
    ("orders", _TOPIC, "shop.orders", _LITERAL, _WRITE),
    ("shipping", _TOPIC, "shop.ship", _PREFIXED, _WRITE),
    ("clicks", _TOPIC, "shop.clicks", _LITERAL, _WRITE),
    ("billing", _TOPIC, "shop.orders", _LITERAL, _READ),
    ("billing", _TOPIC, "shop.invoices", _LITERAL, _WRITE),
    ("billing", _GROUP, "billing", _LITERAL, _READ),
    ("billing", _TRANSACTION, "billing-", _PREFIXED, _ALL),
    ("auditor", _TOPIC, "shop.orders", _LITERAL, _READ),
    ("auditor", _GROUP, "auditors", _LITERAL, _READ),
    ("counter", _TOPIC, "shop.orders", _LITERAL, _READ),
    ("counter", _TOPIC, "shop.counts", _LITERAL, _WRITE),
    ("counter", _TOPIC, "counter-", _PREFIXED, _ALL),
    ("counter", _GROUP, "counter", _LITERAL, _ALL),
    (SCANNER, ResourceType.BROKER, "kafka-cluster", _LITERAL, _DESCRIBE),
    (SCANNER, ResourceType.BROKER, "kafka-cluster", _LITERAL, AclOperation.DESCRIBE_CONFIGS),
    (SCANNER, _TOPIC, "*", _LITERAL, _DESCRIBE),
    (SCANNER, _TOPIC, "*", _LITERAL, AclOperation.DESCRIBE_CONFIGS),
    (SCANNER, _GROUP, "*", _LITERAL, _DESCRIBE),
    (SCANNER, _TRANSACTION, "*", _LITERAL, _DESCRIBE),
)


def environment() -> dict[str, str]:
    """Return the variables that clients.json and the tests take."""
    return {"SCANNER_LAB_CLIENTS_USER": SCANNER, "SCANNER_LAB_CLIENTS_PASSWORD": credentials.password("clients")}


def addresses() -> dict[str, str]:
    """Return where the tests find the brokers, and what the clients leave behind."""
    return {
        "plaintext": places.CLIENTS_BROKER,
        "sasl": places.CLIENTS_SASL_BROKER,
        "bare": places.BARE_BROKER,
        "open": places.OPEN_BROKER,
        "spans": str(places.SPANS),
    }


def absent() -> dict[str, str]:
    """Return what is not installed, with the reason; Maven and PyPI do not have it."""
    return {} if shutil.which("prometheus") else {"prometheus": "not installed (Debian: prometheus)"}


def _topics(broker: str = places.CLIENTS_BROKER) -> str:
    admin = AdminClient({"bootstrap.servers": broker})
    missing = [NewTopic(name, 2, 1) for name in TOPICS if name not in admin.list_topics(timeout=20).topics]
    for future in admin.create_topics(missing).values() if missing else ():
        future.result(20)
    return f"{len(missing)} made"


def _rights() -> str:
    rights = [
        AclBinding(kind, name, pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW)
        for user, kind, name, pattern, operation in _RIGHTS
    ]
    admin = AdminClient({"bootstrap.servers": places.CLIENTS_BROKER})
    for future in admin.create_acls(rights).values():
        future.result(20)
    return f"{len(rights)} for {len(USERS)} users"


def _compiled() -> str:
    source = TREE / "programs" / "Clients.java"
    command = ["javac", "-cp", f"{CACHE}/programs/*", "-d", str(places.data("programs")), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return source.name


def _agent(name: str) -> str:
    (jar,) = (CACHE / "programs").glob(f"{name}-*.jar")
    return str(jar)


def _jmx_exporter() -> list[str]:
    # Its default format, of the metrics by topic only.
    rules = places.data("programs") / "jmx.yaml"
    topics = ["kafka.producer:type=producer-topic-metrics,*", "kafka.consumer:type=consumer-fetch-manager-metrics,*"]
    settings = {"lowercaseOutputName": True, "includeObjectNames": topics, "rules": [{"pattern": ".*"}]}
    rules.write_text(json.dumps(settings), "utf-8")
    return [f"-javaagent:{_agent('jmx_prometheus_javaagent')}={HOST}:{places.JMX_EXPORTER}:{rules}"]


def _opentelemetry() -> list[str]:
    settings = {
        "service.name": "shipping-service",
        "resource.attributes": "service.namespace=shop",
        "metrics.exporter": "prometheus",
        "exporter.prometheus.host": HOST,
        "exporter.prometheus.port": places.OPENTELEMETRY_JAVA,
        "traces.exporter": "none",
        "logs.exporter": "none",
    }
    options = [f"-Dotel.{name}={value}" for name, value in settings.items()]
    return [f"-javaagent:{_agent('opentelemetry-javaagent')}", *options]


def _java(user: str, role: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
    # Agents stay out: they contain classes of their own versions under the names of the libraries.
    jars = sorted(str(jar) for jar in (CACHE / "programs").glob("*.jar") if "javaagent" not in jar.name)
    classpath = ":".join((str(places.data("programs")), *jars))
    return java("192m", *options, "-cp", classpath, "Clients", role, str(_properties(user)), *arguments)


def _python() -> list[str]:
    program = [str(CACHE / "opentelemetry" / "bin" / "python"), str(TREE / "programs" / "clicks.py")]
    return [*program, str(_properties("clicks")), "shop.clicks", str(places.OPENTELEMETRY_PYTHON), str(places.SPANS)]


def _properties(name: str) -> Path:
    return places.data("programs") / f"{name}.properties"


def _properties_of_java(user: str, **more: str) -> Callable[[], None]:
    login = f'org.apache.kafka.common.security.scram.ScramLoginModule required username="{user}"'
    return lambda: _write(
        user,
        {"sasl.jaas.config": f'{login} password="{credentials.password("clients")}";'}
        | {name.replace("_", "."): value for name, value in more.items()},
    )


def _properties_of_librdkafka(user: str, **more: str) -> Callable[[], None]:
    return lambda: _write(
        user,
        {"sasl.username": user, "sasl.password": credentials.password("clients")}
        | {name.replace("_", "."): value for name, value in more.items()},
    )


def _write(user: str, more: Mapping[str, str]) -> None:
    settings = {
        "bootstrap.servers": places.CLIENTS_SASL_BROKER,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
    }
    file = _properties(user)
    file.touch(mode=0o600)
    file.write_text(properties_text(settings | dict(more)), "utf-8")


def _properties_of_tally() -> None:
    settings = {"bootstrap.servers": places.OPEN_BROKER, "application.id": "tally"}
    _properties("tally").write_text(properties_text(settings), "utf-8")


def _exports(port: int) -> bool:
    return answers(f"http://{HOST}:{port}/metrics")


def _known(group: str) -> bool:
    """Return whether the broker lists *group*; of share and streams groups librdkafka learns nothing."""
    admin = AdminClient({"bootstrap.servers": places.CLIENTS_BROKER})
    return group in {item.group_id for item in admin.list_consumer_groups(request_timeout=5).result().valid}


def _has(topic: str, broker: str = places.CLIENTS_BROKER) -> bool:
    return topic in AdminClient({"bootstrap.servers": broker}).list_topics(timeout=5).topics


def _prepare_prometheus() -> None:
    targets = {
        "orders": places.JMX_EXPORTER,
        "billing": places.MICROMETER,
        "shipping": places.OPENTELEMETRY_JAVA,
        "clicks": places.OPENTELEMETRY_PYTHON,
    }
    jobs = [
        {"job_name": job, "static_configs": [{"targets": [f"{HOST}:{port}"], "labels": {"kafka_cluster": "shop"}}]}
        for job, port in targets.items()
    ]
    settings = {"global": {"scrape_interval": "2s"}, "scrape_configs": jobs}
    (places.data("prometheus") / "prometheus.yml").write_text(json.dumps(settings), "utf-8")


def _prometheus() -> list[str]:
    data = places.data("prometheus")
    return [
        "prometheus",
        f"--config.file={data / 'prometheus.yml'}",
        f"--storage.tsdb.path={data / 'series'}",
        f"--web.listen-address={HOST}:{places.PROMETHEUS}",
    ]


_NEEDS, _AFTER = ("kafka", "programs"), ("client-topics", "client-rights", "programs-compiled")

ROWS: tuple[Server | Step, ...] = (
    single_broker(
        "kafka-clients",
        (places.CLIENTS_KAFKA, places.CLIENTS_CONTROLLER),
        more={
            **_AUTHORIZER,
            "listeners": ",".join(
                (
                    f"PLAINTEXT://{places.CLIENTS_BROKER}",
                    f"SASL://{places.CLIENTS_SASL_BROKER}",
                    f"CONTROLLER://{HOST}:{places.CLIENTS_CONTROLLER}",
                )
            ),
            "advertised.listeners": f"PLAINTEXT://{places.CLIENTS_BROKER},SASL://{places.CLIENTS_SASL_BROKER}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.sasl.scram-sha-512.sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            ),
        },
        users=USERS,
    ),
    single_broker("kafka-bare", (places.BARE_KAFKA, places.BARE_CONTROLLER), more=_AUTHORIZER),
    single_broker("kafka-open", (places.OPEN_KAFKA, places.OPEN_CONTROLLER), more=_TOPOLOGIES),
    Step(name="open-topics", after=("kafka-open",), run=lambda: _topics(places.OPEN_BROKER)),
    Step(name="client-topics", after=("kafka-clients",), run=_topics),
    Step(name="client-rights", after=("kafka-clients",), run=_rights),
    Step(name="programs-compiled", needs=_NEEDS, run=_compiled),
    Server(
        name="orders",
        port=places.JMX_EXPORTER,
        needs=_NEEDS,
        after=_AFTER,
        prepare=_properties_of_java("orders", client_id="orders-service"),
        command=lambda: _java("orders", "write", "shop.orders", options=_jmx_exporter()),
        ready=lambda: _exports(places.JMX_EXPORTER),
    ),
    Server(
        name="shipping",
        port=places.OPENTELEMETRY_JAVA,
        needs=_NEEDS,
        after=_AFTER,
        prepare=_properties_of_java("shipping", client_id="shipping-1"),
        command=lambda: _java("shipping", "write", "shop.shipments", options=_opentelemetry()),
        ready=lambda: _exports(places.OPENTELEMETRY_JAVA),
    ),
    Server(
        name="clicks",
        port=places.OPENTELEMETRY_PYTHON,
        needs=("opentelemetry",),
        after=("client-topics", "client-rights"),
        prepare=_properties_of_librdkafka("clicks", client_id="clicks-1"),
        command=_python,
        ready=lambda: _exports(places.OPENTELEMETRY_PYTHON),
    ),
    Server(
        name="billing",
        port=places.MICROMETER,
        needs=_NEEDS,
        after=_AFTER,
        prepare=_properties_of_java("billing", group_id="billing"),
        command=lambda: _java("billing", "bill", "shop.orders", "shop.invoices", str(places.MICROMETER)),
        ready=lambda: _exports(places.MICROMETER) and _known("billing"),
    ),
    Server(
        name="auditors",
        port=None,
        needs=_NEEDS,
        after=_AFTER,
        prepare=_properties_of_java("auditor", group_id="auditors", client_id="auditor-1"),
        command=lambda: _java("auditor", "audit", "shop.orders"),
        ready=lambda: _has("__share_group_state"),
    ),
    Server(
        name="counter",
        port=None,
        needs=_NEEDS,
        after=_AFTER,
        prepare=_properties_of_java("counter", application_id="counter"),
        command=lambda: _java("counter", "count", "shop.orders", "shop.counts"),
        ready=lambda: _has("counter-by-value-repartition"),
    ),
    Server(
        name="tally",
        port=None,
        needs=_NEEDS,
        after=("open-topics", "programs-compiled"),
        prepare=_properties_of_tally,
        command=lambda: _java("tally", "count", "shop.orders", "shop.counts"),
        ready=lambda: _has("tally-by-value-repartition", places.OPEN_BROKER),
    ),
    Server(
        name="prometheus",
        port=places.PROMETHEUS,
        needs=("prometheus",),
        prepare=_prepare_prometheus,
        command=_prometheus,
        ready=lambda: answers(f"{places.PROMETHEUS_URL}/-/ready"),
    ),
)
