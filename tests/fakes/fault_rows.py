"""Every kind of source that a scan can ask, each with a good fake behind it: the rows of the suite of faults."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from scanner_extractor.catalogs.datazone import datazone_transport
from scanner_extractor.catalogs.glue import glue_catalog_transport
from scanner_extractor.http.aws import watched
from scanner_extractor.http.messages import Transport
from scanner_extractor.registries.glue import glue_registry_transport
from scanner_extractor.settings.catalogs import AwsSettings, CatalogSettings, Lineage, Wanted
from scanner_extractor.settings.cluster import (
    ConnectSettings,
    GlueSettings,
    HttpSettings,
    KsqlSettings,
    RegistrySettings,
)
from scanner_extractor.settings.confluent_cloud import (
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_extractor.settings.flink import FlinkSettings
from scanner_model.scan import SourceStatus

FAKES = Path(__file__).parent
AVRO = '{"type":"record","name":"Order","fields":[{"name":"id","type":"string"}]}'
LOGIN = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
AWS = AwsSettings(region="eu-central-1")


@cache
def fake(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_for_faults", FAKES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A kind of source: its *good* fake, the member of the settings that asks it, what speaks to it if not HTTP.

    *plain*: it is asked over HTTP here, though it has an exchange of its own. *tokens*: its pages have tokens.
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
    made = fake("cloud_server").Cloud(**members)
    return lambda asked: made.answer(asked.method, asked.target, "", asked.body)


def kafka_cloud() -> Any:
    here = fake("cloud_server")
    one = here.Cluster(
        id="lkc-1",
        kind="Dedicated",
        topics=(here.Topic(name="orders"), here.Topic(name="refunds", config={"retention.ms": "5"})),
        groups=("billing", "audit"),
        lags={"billing": ("orders",)},
        mirrors={"orders": ("to-far", "orders")},
        ksqldb=("k1",),
    )
    return cloud(environments=(here.Environment(clusters=(one,), pools=(("AWS", "eu-central-1"),)),))


def tables() -> Any:
    here = fake("cloud_server")
    told = {
        "display_name": "orders",
        "table_formats": ["ICEBERG"],
        "storage": {"kind": "Managed", "table_path": "s3://a"},
    }
    table = {"spec": told, "status": {"phase": "RUNNING", "catalog_sync_statuses": None}}
    one = here.Cluster(id="lkc-1", tables=(table, {**table, "spec": {**told, "display_name": "refunds"}}))
    return cloud(environments=(here.Environment(clusters=(one,)),))


def figures() -> Any:
    row = {"timestamp": "2026-05-02T07:00:00Z", "metric.topic": "orders", "value": 5.0}
    return cloud(figures={"sent_bytes": (row, {**row, "metric.topic": "refunds"}), "received_bytes": (row,)})


def entity(name: str) -> dict[str, Any]:
    told = {"qualifiedName": f"lsrc-7:lkc-1:{name}", "name": name, "owner": "sales"}
    members = {"typeName": "kafka_topic", "guid": name, "status": "ACTIVE", "classificationNames": ["PII"]}
    return members | {"attributes": told}


def said(name: str) -> dict[str, Any]:
    return {
        "qualifiedName": f"lsrc-7:lkc-1:{name}",
        "tags": ["PII"],
        "business_metadata": [{"name": "A", "value": "b"}],
    }


def connect(generation: str) -> Any:
    here = fake("connect_server")
    config = {"connector.class": "com.acme.Sink", "topics": "orders"}
    installation = tuple(here.Kept(name=name, config=config, topics=("orders",)) for name in ("s1", "s2"))
    made = here.Connect(installation=installation, generation=generation)
    return lambda asked: made.answer(asked.target)


def ksqldb() -> Any:
    here = fake("ksqldb_server")
    return lambda asked: (200, here.INFO) if asked.target == "/info" else here.answer(asked.document["ksql"])


def flink() -> Any:
    here = fake("flink_server")
    jobs = (here.job("a" * 32, "one"), here.job("b" * 32, "two"))
    made = here.Flink(
        statements=((here.statement("s1"),), (here.statement("s2"),)),
        tables=((here.table("t1"),),),
        managed=((here.managed("m1"), here.managed("m2")),),
        jobs=jobs,
        plans={job["jid"]: {"nodes": []} for job in jobs},
    )
    return lambda asked: made.answer(asked.target)


def confluent(flavour: str) -> Any:
    here = fake("confluent_registry")
    names = ("orders-value", "refunds-value")
    installation = tuple(here.Stored(subject=name, version=1, id=at, schema=AVRO) for at, name in enumerate(names, 1))
    made = here.Registry(flavour=flavour, installation=installation)
    return lambda asked: made.answer(asked.target)


def apicurio() -> Any:
    here = fake("apicurio_registry")
    held = [
        here.Held(artifact=name, text=AVRO, global_id=at, content_id=at)
        for at, name in enumerate(("orders-value", "refunds-value"), 1)
    ]
    made = here.Apicurio(held=tuple(held), exports=False)
    return lambda asked: made(asked.method, f"http://x{asked.target}")


def cloudera() -> Any:
    here = fake("cloudera_registry")
    made = here.Cloudera(kept=tuple(here.Kept(name=name, text=AVRO, id=at) for at, name in ((1, "orders"), (2, "pay"))))
    return lambda asked: made(asked.method, f"http://x{asked.target}")


def unity() -> Any:
    here = fake("unity_server")
    made = here.Unity(tables=tuple(here.table(f"lake.shop.{name}", here.column("id", "long")) for name in ("a", "b")))
    return lambda asked: made.answer(asked.method, asked.target, asked.body)


def google() -> Any:
    here = fake("google_services")
    made = here.Google(
        tables=tuple(here.table(f"acme.shop.{name}", {"name": "id", "type": "INTEGER"}) for name in "ab")
    )
    return lambda asked: made.answer(asked.method, asked.target, asked.body)


def aws_json(told: Any) -> tuple[int, bytes]:
    if told is None:
        return 400, b'{"__type": "EntityNotFoundException", "message": "none"}'
    return 200, json.dumps(told, default=lambda at: at.timestamp()).encode()


def aws_target(made: Any) -> Any:
    return lambda asked: aws_json(made(asked.headers["x-amz-target"].partition(".")[2], asked.document))


def glue_registry() -> Any:
    here = fake("glue_registry")
    return aws_target(
        here.Glue(
            filed=tuple(here.Filed(name=n, text=AVRO, id=f"00000000-0000-0000-0000-00000000000{n}") for n in "12")
        )
    )


def glue_catalog() -> Any:
    here = fake("aws_catalogs")
    columns = {"StorageDescriptor": {"Columns": [{"Name": "id", "Type": "bigint"}], "Location": "s3://lake/x"}}
    return aws_target(here.Catalog(tables={"shop": ({"Name": "a", **columns}, {"Name": "b", **columns})}))


def datazone() -> Any:
    here = fake("aws_catalogs")
    made = here.DataZone(assets=(here.asset("a1", "A", {"columns": []}), here.asset("a2", "B", {"columns": []})))

    def answer(asked: Any) -> tuple[int, bytes]:
        path = asked.target.partition("?")[0]
        found = re.search(r"/(assets|nodes)/([^/]+)$", path)
        operation = {"assets": "GetAsset", "nodes": "GetLineageNode"}[found[1]] if found else "Search"
        return aws_json(
            made(operation, {"maxResults": 50, **asked.document, **({"identifier": found[2]} if found else {})})
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
    here = fake("flink_server")
    environment = "shop" if kind == "cmf" else here.ENVIRONMENT
    return lambda http: {
        "flink": (FlinkSettings(type=kind, http=http, organization=here.ORGANIZATION, environment=environment),)
    }


def stream_catalog(http: HttpSettings) -> dict[str, Any]:
    return {"stream_catalogs": (StreamCatalogSettings(http=http, cluster="lkc-1", fields=False),)}


def catalog(kind: str, **more: Any) -> Callable[[HttpSettings], dict[str, Any]]:
    told = {"wanted": Wanted(catalogs=("acme",))} if kind == "google" else {}
    return lambda http: {"catalogs": (CatalogSettings(type=kind, http=http, lineage=Lineage.TABLES, **told, **more),)}


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
            refused={"/catalog/v1": 403}, graphql={"kafka_topic": (said("a"), said("b")), "cn_connector": ()}
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
        member=lambda http: {"registries": (RegistrySettings(type="glue", http=http, glue=GlueSettings(region="eu")),)},
        exchange=lambda each, url: glue_registry_transport(each.glue, each.http, lambda: aws_client("glue", url)),
    ),
    "unity": Row(tokens=True, good=unity, member=catalog("unity")),
    "google": Row(tokens=True, good=google, member=catalog("google"), plain=True),
    "glue-catalog": Row(
        tokens=True,
        good=glue_catalog,
        member=catalog("glue", aws=AWS),
        exchange=through(glue_catalog_transport, "glue"),
    ),
    "datazone": Row(
        tokens=True,
        good=datazone,
        member=catalog("datazone", aws=AWS, domain="dzd_1"),
        exchange=through(datazone_transport, "datazone"),
    ),
}
