"""Every kind of source that a scan can ask, each with a good fake behind it: the rows of the suite of faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from scanner_extractor.http.aws import watched
from scanner_extractor.http.messages import Transport
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_extractor.systems.confluent_cloud.settings import (
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_extractor.systems.datazone.catalog import datazone_transport
from scanner_extractor.systems.flink.settings import FlinkSettings
from scanner_extractor.systems.glue.catalog import glue_catalog_transport
from scanner_extractor.systems.glue.registry import glue_registry_transport
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_extractor.systems.prometheus.settings import PrometheusSettings
from scanner_model.scan import SourceStatus

AVRO = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}'
LOGIN = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
AWS = {"region": "eu-central-1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A kind of source: its *good* fake, the member of the settings that asks it, what speaks to it if not HTTP.

    *plain*: it is queried over HTTP here, though it has an exchange of its own. *tokens*: its pages have tokens.
    *status*: how it answers while it is healthy.
    """

    good: Callable[[], Any]
    member: Callable[[HttpSettings], dict[str, Any]]
    path: str = ""
    exchange: Callable[[Any, str], Transport] | None = None
    plain: bool = False
    tokens: bool = False
    status: SourceStatus = SourceStatus.READ


def cloud(**members: Any) -> Any:
    """Return a fake of Confluent Cloud, made with its own module at hand."""
    cloud = import_module("cloud_server").Cloud(**members)
    return lambda request: cloud.answer(request.method, request.target, "", request.body)


def kafka_cloud() -> Any:
    server = import_module("cloud_server")
    cluster = server.Cluster(
        id="lkc-1",
        kind="Dedicated",
        topics=(server.Topic(name="orders"), server.Topic(name="refunds", config={"retention.ms": "5"})),
        groups=("billing", "audit"),
        lags={"billing": ("orders",)},
        mirrors={"orders": ("to-far", "orders")},
        ksqldb=("k1",),
    )
    return cloud(environments=(server.Environment(clusters=(cluster,), pools=(("AWS", "eu-central-1"),)),))


def tables() -> Any:
    server = import_module("cloud_server")
    members = {
        "display_name": "orders",
        "table_formats": ["ICEBERG"],
        "storage": {"kind": "Managed", "table_path": "s3://a"},
    }
    table = {"spec": members, "status": {"phase": "RUNNING", "catalog_sync_statuses": None}}
    cluster = server.Cluster(id="lkc-1", tables=(table, {**table, "spec": {**members, "display_name": "refunds"}}))
    return cloud(environments=(server.Environment(clusters=(cluster,)),))


def figures() -> Any:
    row = {"timestamp": "2026-05-02T07:00:00Z", "metric.topic": "orders", "value": 5.0}
    return cloud(figures={"sent_bytes": (row, {**row, "metric.topic": "refunds"}), "received_bytes": (row,)})


def prometheus() -> Any:
    """Return a server that has one metric, of two clients; it answers every other query with nothing."""

    def series(topic: str) -> dict[str, Any]:
        return {"metric": {"topic": topic, "client_id": "shop-1"}, "value": [1_777_705_200.5, "12"]}

    def answer(request: Any) -> Any:
        found = [series("orders"), series("refunds")] if "producer_topic_metrics" in request.target else []
        return 200, {"status": "success", "data": {"resultType": "vector", "result": found}}

    return answer


def entity(name: str) -> dict[str, Any]:
    reported = {"qualifiedName": f"lsrc-7:lkc-1:{name}", "name": name, "owner": "sales"}
    members = {"typeName": "kafka_topic", "guid": name, "status": "ACTIVE", "classificationNames": ["PII"]}
    return members | {"attributes": reported}


def messages(name: str) -> dict[str, Any]:
    return {
        "qualifiedName": f"lsrc-7:lkc-1:{name}",
        "tags": ["PII"],
        "business_metadata": [{"name": "A", "value": "b"}],
    }


def connect(generation: str) -> Any:
    server = import_module("connect_server")
    config = {"connector.class": "com.acme.Sink", "topics": "orders"}
    installation = tuple(server.Kept(name=name, config=config, topics=("orders",)) for name in ("s1", "s2"))
    connect = server.Connect(installation=installation, generation=generation)
    return lambda request: connect.answer(request.target)


def ksqldb() -> Any:
    server = import_module("ksqldb_server")
    return lambda request: (200, server.INFO) if request.target == "/info" else server.answer(request.document["ksql"])


def flink() -> Any:
    server = import_module("flink_server")
    jobs = (server.job("a" * 32, "one"), server.job("b" * 32, "two"))
    flink = server.Flink(
        statements=((server.statement("s1"),), (server.statement("s2"),)),
        tables=((server.table("t1"),),),
        managed=((server.managed("m1"), server.managed("m2")),),
        jobs=jobs,
        plans={job["jid"]: {"nodes": []} for job in jobs},
    )
    return lambda request: flink.answer(request.target)


def confluent(flavour: str) -> Any:
    server = import_module("confluent_registry")
    names = ("orders-value", "refunds-value")
    installation = tuple(server.Stored(subject=name, version=1, id=at, schema=AVRO) for at, name in enumerate(names, 1))
    registry = server.Registry(flavour=flavour, installation=installation)
    return lambda request: registry.answer(request.target)


def apicurio() -> Any:
    server = import_module("apicurio_registry")
    held = [
        server.Held(artifact=name, text=AVRO, global_id=at, content_id=at)
        for at, name in enumerate(("orders-value", "refunds-value"), 1)
    ]
    apicurio = server.Apicurio(held=tuple(held), exports=False)
    return lambda request: apicurio(request.method, f"http://x{request.target}")


def cloudera() -> Any:
    server = import_module("cloudera_registry")
    cloudera = server.Cloudera(
        kept=tuple(server.Kept(name=name, text=AVRO, id=at) for at, name in ((1, "orders"), (2, "pay")))
    )
    return lambda request: cloudera(request.method, f"http://x{request.target}")


def unity() -> Any:
    server = import_module("unity_server")
    unity = server.Unity(
        tables=tuple(server.table(f"lake.shop.{name}", server.column("id", "long")) for name in ("a", "b"))
    )
    return lambda request: unity.answer(request.method, request.target, request.body)


def clickhouse() -> Any:
    clickhouse = import_module("clickhouse_server").ClickHouse()
    return lambda request: clickhouse.answer(request.method, request.target, request.body)


def iceberg() -> Any:
    iceberg = import_module("iceberg_server").Iceberg(page=2)
    return lambda request: iceberg.answer(request.method, request.target, request.body)


def olap(engine: str) -> Any:
    server = getattr(import_module("olap_engines"), engine)()
    return lambda request: server.answer(request.method, request.target, request.body)


def google() -> Any:
    server = import_module("google_services")
    google = server.Google(
        tables=tuple(server.table(f"acme.shop.{name}", {"name": "id", "type": "INTEGER"}) for name in "ab")
    )
    return lambda request: google.answer(request.method, request.target, request.body)


def aws_json(reported: Any) -> tuple[int, bytes]:
    if reported is None:
        return 400, b'{"__type": "EntityNotFoundException", "message": "none"}'
    return 200, json.dumps(reported, default=lambda at: at.timestamp()).encode()


def aws_target(built: Any) -> Any:
    return lambda request: aws_json(built(request.headers["x-amz-target"].partition(".")[2], request.document))


def glue_registry() -> Any:
    server = import_module("glue_registry")
    return aws_target(
        server.Glue(
            filed=tuple(server.Filed(name=n, text=AVRO, id=f"00000000-0000-0000-0000-00000000000{n}") for n in "12")
        )
    )


def glue_catalog() -> Any:
    server = import_module("aws_catalogs")
    columns = {"StorageDescriptor": {"Columns": [{"Name": "id", "Type": "bigint"}], "Location": "s3://lake/x"}}
    return aws_target(server.Catalog(tables={"shop": ({"Name": "a", **columns}, {"Name": "b", **columns})}))


def datazone() -> Any:
    server = import_module("aws_catalogs")
    data_zone = server.DataZone(
        assets=(server.asset("a1", "A", {"columns": []}), server.asset("a2", "B", {"columns": []}))
    )

    def answer(request: Any) -> tuple[int, bytes]:
        path = request.target.partition("?")[0]
        result = re.search(r"/(assets|nodes)/([^/]+)$", path)
        operation = {"assets": "GetAsset", "nodes": "GetLineageNode"}[result[1]] if result else "Search"
        return aws_json(
            data_zone(
                operation, {"maxResults": 50, **request.document, **({"identifier": result[2]} if result else {})}
            )
        )

    return answer


@cache
def aws_client(service: str, url: str) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(retries={"total_max_attempts": 1}, read_timeout=60, inject_host_prefix=False)
    return watched(boto3.Session(region_name="eu-central-1").client(service, endpoint_url=url, config=config, **LOGIN))


def through(make: Any, service: str) -> Callable[[Any, str], Transport]:
    return lambda settings, url: make(settings, connect=lambda: aws_client(service, url))


def registry(kind: str) -> Callable[[HttpSettings], dict[str, Any]]:
    return lambda http: {"registries": (RegistrySettings(type=kind, http=http),)}


def flinks(kind: str) -> Callable[[HttpSettings], dict[str, Any]]:
    server = import_module("flink_server")
    environment = "shop" if kind == "cmf" else server.ENVIRONMENT
    return lambda http: {
        "flink": (FlinkSettings(type=kind, http=http, organization=server.ORGANIZATION, environment=environment),)
    }


def stream_catalog(http: HttpSettings) -> dict[str, Any]:
    return {"stream_catalogs": (StreamCatalogSettings(http=http, cluster="lkc-1", fields=False),)}


def catalog(kind: str, **more: Any) -> Callable[[HttpSettings], dict[str, Any]]:
    members = {"wanted": Wanted(catalogs=("acme",))} if kind == "google" else {}
    return lambda http: {
        "catalogs": (CatalogSettings(type=kind, http=http, lineage=Lineage.TABLES, **members, **more),)
    }


def a_connect(http: HttpSettings) -> dict[str, Any]:
    return {"connect": (ConnectSettings(http=http),)}


ROWS = {
    "kafka-rest": Row(
        tokens=True, good=kafka_cloud, member=lambda http: {"kafka_rest": KafkaRestSettings(http=http, cluster="lkc-1")}
    ),
    "connect": Row(good=partial(connect, "current"), member=a_connect),
    "connect-old": Row(good=partial(connect, "old"), member=a_connect),
    "connect-managed": Row(
        good=partial(connect, "managed"), member=a_connect, path="/connect/v1/environments/env-1/clusters/lkc-1"
    ),
    "ksqldb": Row(good=ksqldb, member=lambda http: {"ksqldb": (KsqlSettings(http=http),)}),
    **{
        f"flink-{kind}": Row(tokens=kind == "confluent", good=flink, member=flinks(kind))
        for kind in ("confluent", "cmf", "jobmanager", "sql-gateway")
    },
    "stream-catalog": Row(good=lambda: cloud(entities=(entity("orders"), entity("refunds"))), member=stream_catalog),
    "stream-catalog-graphql": Row(
        good=lambda: cloud(
            refused={"/catalog/v1": 403}, graphql={"kafka_topic": (messages("a"), messages("b")), "cn_connector": ()}
        ),
        member=stream_catalog,
        status=SourceStatus.PARTIAL,
    ),
    "tableflow": Row(
        tokens=True,
        good=tables,
        member=lambda http: {"tableflow": TableflowSettings(http=http, environment="env-x1", cluster="lkc-1")},
    ),
    "metrics": Row(
        tokens=True, good=figures, member=lambda http: {"metrics": MetricsSettings(http=http, cluster="lkc-1")}
    ),
    "prometheus": Row(good=prometheus, member=lambda http: {"prometheus": (PrometheusSettings(http=http),)}),
    "discovery": Row(
        tokens=True, good=kafka_cloud, member=lambda http: {"cloud": CloudSettings(http=http, cluster="lkc-1")}
    ),
    "confluent": Row(good=partial(confluent, "confluent"), member=registry("confluent")),
    "confluent-old": Row(good=partial(confluent, "confluent-old"), member=registry("confluent")),
    "karapace": Row(good=partial(confluent, "karapace"), member=registry("karapace")),
    "apicurio": Row(good=apicurio, member=registry("apicurio"), path="/apis/registry/v3"),
    "cloudera": Row(good=cloudera, member=registry("cloudera")),
    "glue": Row(
        tokens=True,
        good=glue_registry,
        member=lambda http: {
            "registries": (RegistrySettings(type="glue", http=http, options={"glue": {"region": "eu"}}),)
        },
        exchange=lambda item, url: glue_registry_transport(item, lambda: aws_client("glue", url)),
    ),
    "unity": Row(tokens=True, good=unity, member=catalog("unity")),
    "clickhouse": Row(good=clickhouse, member=catalog("clickhouse")),
    "iceberg": Row(good=iceberg, member=catalog("iceberg")),
    "druid": Row(good=partial(olap, "Druid"), member=catalog("druid")),
    "pinot": Row(good=partial(olap, "Pinot"), member=catalog("pinot")),
    "google": Row(tokens=True, good=google, member=catalog("google"), plain=True),
    "glue-catalog": Row(
        tokens=True,
        good=glue_catalog,
        member=catalog("glue", options=AWS),
        exchange=through(glue_catalog_transport, "glue"),
    ),
    "datazone": Row(
        tokens=True,
        good=datazone,
        member=catalog("datazone", options=AWS | {"domain": "dzd_1"}),
        exchange=through(datazone_transport, "datazone"),
    ),
}
