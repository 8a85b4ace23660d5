"""From a view over the warehouse's table back to the shop's column, where no registry has a schema of the topic.

The warehouse is PostgreSQL, and MariaDB where its server is installed; then Debezium captures a table of MariaDB, too.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import requests
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

pytestmark = pytest.mark.lab

VIEWS = (
    "create or replace view crm_domains as"
    " select c.id as customer, split_part(c.email, '@', 2) as domain from crm_customers c",
    "drop materialized view if exists crm_names",
    "create materialized view crm_names as select upper(full_name) as name from crm_customers",
)


@pytest.fixture(scope="module")
def scanned(lab) -> str:
    """Scan brokers, Connect and both databases, nothing else, and generate the graph; return the dictionary."""
    lab.needs("databases", "connectors")
    with psycopg.connect(lab.told["postgres"]["warehouse"]) as connection:
        for view in VIEWS:
            connection.execute(view)
    return _scan(lab, "databases.db", _postgres(lab, "shop"), _postgres(lab, "warehouse"))


def _scan(lab, file: str, *databases: dict[str, Any], **passwords: str) -> str:
    none = dict.fromkeys(("schema_registries", "ksqldb", "flink", "metrics"))
    address = f"sqlite:///{lab.directory}/{file}"
    config = lab.config(**none, databases=databases)
    shop = urlsplit(lab.told["postgres"]["shop"]).password or ""
    scan = ("scan", "--no-graph", "--config", str(config), "--dictionary", address, "--quiet")
    lab.scanner(*scan, LAB_POSTGRES_PASSWORD=shop, **passwords)
    lab.scanner("dataflow", "--dictionary", address)
    return address


def _postgres(lab, name: str) -> dict[str, Any]:
    """Describe a database of the lab; the connectors write the server's address, not its name."""
    server = urlsplit(lab.told["postgres"][name])
    return {
        "name": name,
        "url": f"postgresql://{server.username}@localhost:{server.port}/{name}",
        "password": "${LAB_POSTGRES_PASSWORD}",
        "schemas": ["public"],
        "aliases": [f"127.0.0.1:{server.port}"],
    }


@pytest.fixture(scope="module")
def mariadb(lab, mariadb_server, run_sql) -> Iterator[tuple[str, str]]:
    """Let a sink fill a table of MariaDB from the captured customers; return host and port, and the password.

    A view over the table is created when it is there.
    """
    lab.needs("databases", "connectors")
    server, password = urlsplit(mariadb_server).netloc.rpartition("@")[2], secrets.token_hex(8)
    run_sql(
        f"{mariadb_server}/mysql",
        "CREATE DATABASE warehouse",
        f"CREATE USER sink@'%' IDENTIFIED BY '{password}'",
        "GRANT ALL ON warehouse.* TO sink@'%'",
    )
    _forget_group(lab, "connect-mariadb-customers")
    connector = f"{lab.told['connect']}/connectors/mariadb-customers"
    answer = requests.put(f"{connector}/config", json=_sink(server, password), timeout=60)
    try:
        answer.raise_for_status()
        _wait_for_rows(f"{mariadb_server}/warehouse")
        domains = "CREATE VIEW domains AS SELECT id, substring_index(email, '@', -1) AS domain FROM crm_customers"
        run_sql(f"{mariadb_server}/warehouse", domains)
        yield server, password
    finally:
        requests.delete(connector, timeout=60)


def _forget_group(lab, group: str) -> None:
    """Delete what an earlier run of these tests has read, whose server is gone."""
    kafka = AdminClient({"bootstrap.servers": lab.told["brokers"]["plaintext"]})
    with suppress(KafkaException):  # there is none
        kafka.delete_consumer_groups([group])[group].result(timeout=30)


def _sink(server: str, password: str) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "tasks.max": "1",
        "topics": "cdc.customers",
        "connection.url": f"jdbc:mariadb://{server}/warehouse",
        "connection.username": "sink",
        "connection.password": password,
        "insert.mode": "upsert",
        "primary.key.mode": "record_key",
        "schema.evolution": "basic",
        "collection.name.format": "crm_customers",
    }


def _wait_for_rows(url: str, patience: float = 60.0) -> None:
    engine = create_engine(url)
    deadline = time.monotonic() + patience
    while True:
        try:
            with engine.connect() as connection:
                if connection.execute(text("SELECT count(*) FROM crm_customers")).scalar():
                    return engine.dispose()
        except SQLAlchemyError:  # the sink has not created the table yet
            pass
        assert time.monotonic() < deadline, "the sink wrote nothing"
        time.sleep(0.5)


@pytest.fixture(scope="module")
def captured(lab, mariadb_server, run_sql) -> Iterator[tuple[str, str]]:
    """Let Debezium capture a table of MariaDB as plain JSON; return host and port, and the password of its user."""
    lab.needs("databases", "connectors")
    server, password = urlsplit(mariadb_server).netloc.rpartition("@")[2], secrets.token_hex(8)
    run_sql(
        f"{mariadb_server}/mysql",
        "CREATE DATABASE crm",
        "CREATE TABLE crm.contacts (id int PRIMARY KEY, email varchar(80) NOT NULL, note text)",
        "INSERT INTO crm.contacts VALUES (1, 'eva@example.com', 'calls back')",
        f"CREATE USER cdc@'%' IDENTIFIED BY '{password}'",
        "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO cdc@'%'",
    )
    connector = f"{lab.told['connect']}/connectors/crm-cdc"
    kafka = AdminClient({"bootstrap.servers": lab.told["brokers"]["plaintext"]})
    config = _capture(server, password, lab.told["brokers"]["plaintext"])
    answer = requests.put(f"{connector}/config", json=config, timeout=60)
    try:
        answer.raise_for_status()
        _wait_for_topic(kafka, "cdc.contacts", f"{connector}/status")
        yield server, password
    finally:
        requests.delete(connector, timeout=60)
        own = {"cdc.contacts", config["schema.history.internal.kafka.topic"]}
        for deleted in kafka.delete_topics(sorted(own & set(kafka.list_topics(timeout=10).topics))).values():
            deleted.result(timeout=30)


def _capture(server: str, password: str, brokers: str) -> dict[str, str]:
    host, _, port = server.partition(":")
    # Connect keeps the positions of an earlier run, whose server is gone, under its prefix.
    prefix = f"crm-{secrets.token_hex(4)}"
    converter = "org.apache.kafka.connect.json.JsonConverter"
    return {
        "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
        "tasks.max": "1",
        "database.hostname": host,
        "database.port": port,
        "database.user": "cdc",
        "database.password": password,
        "database.server.id": "29401",
        "topic.prefix": prefix,
        "table.include.list": "crm.contacts",
        "column.exclude.list": "crm.contacts.note",
        "include.schema.changes": "false",
        "schema.history.internal.kafka.bootstrap.servers": brokers,
        "schema.history.internal.kafka.topic": f"{prefix}-history",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "key.converter": converter,
        "key.converter.schemas.enable": "false",
        "value.converter": converter,
        "value.converter.schemas.enable": "false",
        "transforms": "unwrap,route",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": r".*\.crm\.(.*)",
        "transforms.route.replacement": "cdc.$1",
    }


def _wait_for_topic(kafka: AdminClient, topic: str, status: str, patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while topic not in kafka.list_topics(timeout=10).topics:
        assert time.monotonic() < deadline, requests.get(status, timeout=10).text
        time.sleep(0.5)


@pytest.fixture(scope="module")
def hops(lab, scanned) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function that traces a column upstream, and gives the flows between columns."""
    return lambda node: _column_flows(lab, scanned, node)


def _column_flows(lab, dictionary: str, node: str) -> list[dict[str, Any]]:
    command = ("lineage", node, "--upstream", "--columns", "--format", "json", "--dictionary", dictionary)
    return [edge for edge in json.loads(lab.scanner(*command))["edges"] if edge["kind"] == "column-flow"]


def short(key: str) -> str:
    return key.rpartition("/")[2]


def test_view_leads_back_to_the_shops_column_with_evidence_of_each_hop(hops) -> None:
    """The shop's table, Debezium, a topic of JSON, Debezium's JDBC sink, the warehouse's table, a view."""
    flows = {
        (short(edge["source"]), short(edge["target"])): edge for edge in hops("warehouse.public.crm_domains.domain")
    }

    captured = flows["shop.public.customers#email", "cdc.customers#email"]
    written = flows["cdc.customers#email", "warehouse.public.crm_customers#email"]
    viewed = flows["warehouse.public.crm_customers#email", "warehouse.public.crm_domains#domain"]

    assert "columns of shop.public.customers from database:shop" in captured["evidence"]
    assert written["evidence"].startswith("connector warehouse-customers: ")
    assert viewed["evidence"] == "view warehouse.public.crm_domains of database:warehouse"


def test_materialised_view_leads_back_through_the_sinks_rename(hops) -> None:
    """The sink writes `name` as `full_name`."""
    flows = {(short(edge["source"]), short(edge["target"])) for edge in hops("warehouse.public.crm_names.name")}

    assert flows >= {
        ("shop.public.customers#name", "cdc.customers#name"),
        ("cdc.customers#name", "warehouse.public.crm_customers#full_name"),
        ("warehouse.public.crm_customers#full_name", "warehouse.public.crm_names#name"),
    }


def test_no_password_is_in_the_dictionary(lab, scanned) -> None:
    """It came from a variable, and went to the server only."""
    password = urlsplit(lab.told["postgres"]["shop"]).password or ""
    file = lab.directory / scanned.rpartition("/")[2]

    assert password
    assert password.encode() not in file.read_bytes()


@pytest.mark.mariadb
def test_view_of_mariadb_leads_back_to_the_shops_column_with_evidence_of_each_hop(lab, mariadb) -> None:
    """From PostgreSQL through a topic of JSON into another product, whose tables have no schemas."""
    server, password = mariadb
    warehouse = {"name": "mariadb", "url": f"mysql://sink@{server}/warehouse", "password": "${LAB_MARIADB_PASSWORD}"}
    address = _scan(lab, "mariadb.db", _postgres(lab, "shop"), warehouse, LAB_MARIADB_PASSWORD=password)

    flows = {
        (short(edge["source"]), short(edge["target"])): edge["evidence"]
        for edge in _column_flows(lab, address, "warehouse.domains.domain")
    }

    captured = flows["shop.public.customers#email", "cdc.customers#email"]
    written = flows["cdc.customers#email", "warehouse.crm_customers#email"]
    assert "columns of shop.public.customers from database:shop" in captured
    assert written.startswith("connector mariadb-customers: ")
    assert flows["warehouse.crm_customers#email", "warehouse.domains#domain"] == (
        "view warehouse.domains of database:mariadb"
    )


@pytest.mark.mariadb
def test_topic_that_is_captured_from_mariadb_leads_back_to_its_columns(lab, captured) -> None:
    """Its messages say nothing of their columns, and no registry does: the database knows them."""
    server, password = captured
    crm = {"name": "crm", "url": f"mysql://cdc@{server}/crm", "password": "${LAB_MARIADB_PASSWORD}"}
    address = _scan(lab, "captured.db", crm, LAB_MARIADB_PASSWORD=password)

    flows = {
        (short(edge["source"]), short(edge["target"])): edge
        for edge in _column_flows(lab, address, "topic:kafka://localhost:29095/cdc.contacts")
    }

    assert _first_message(lab.told["brokers"]["plaintext"], "cdc.contacts") == {"id": 1, "email": "eva@example.com"}
    assert set(flows) == {
        ("crm.contacts#id", "cdc.contacts#@key.id"),
        ("crm.contacts#id", "cdc.contacts#id"),
        ("crm.contacts#email", "cdc.contacts#email"),
    }
    for edge in flows.values():
        assert (edge["subtype"], edge["certainty"]) == ("IDENTITY", "derived")
        assert edge["evidence"].startswith("connector crm-cdc: table.include.list, topic.prefix, transforms")
        assert edge["evidence"].endswith("; columns of crm.contacts from database:crm")


def _first_message(brokers: str, topic: str) -> Any:
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    message = consumer.poll(30)
    consumer.close()
    assert message is not None
    return json.loads(message.value())
