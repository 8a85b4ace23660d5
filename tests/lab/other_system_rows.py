"""Registries and catalogs of other makers: Karapace, AxonOps, Unity Catalog OSS, Iceberg's REST server, moto's Glue."""

from __future__ import annotations

import json
from typing import Any

import boto3
import places
import requests
from confluent_rows import BROKER, seeded
from kafka_rows import java
from places import CACHE, HOST, TREE
from rows import Server, Step, answers
from seed_registry import INSTALLATION

REGION = "eu-west-1"
"""Not that of `test_lab_glue.py`, which empties its own."""
REJECTED = {"axonops": ("customers-value",), "karapace": ("customers-value",)}
"""A JSON Schema with a reference: Karapace has none, and AxonOps looks for that of an `$id` on the internet."""
_UNITY = f"{places.UNITY_URL}/api/2.1/unity-catalog"
_KARAPACE = {
    "BOOTSTRAP_URI": places.SYSTEMS_BROKER,
    "HOST": HOST,
    "ADVERTISED_HOSTNAME": HOST,
    "PORT": places.KARAPACE,
    "TOPIC_NAME": "_karapace_schemas",
    "GROUP_ID": "karapace",
    "CLIENT_ID": "karapace-lab",
    "KARAPACE_REGISTRY": "true",
    "KARAPACE_REST": "false",
    "REPLICATION_FACTOR": 1,
    "LOG_LEVEL": "WARNING",
    "PROTOBUF_RUNTIME_DIRECTORY": places.STATE / "data" / "karapace",
}


def _karapace_is_ready() -> bool:
    """Return whether Karapace takes schemas: it answers before it has read its topic and become the primary."""
    try:
        status = requests.get(f"{places.KARAPACE_URL}/_health", timeout=5).json()["status"]
    except (requests.RequestException, KeyError):
        return False
    return bool(status["schema_registry_ready"] and status["schema_registry_is_primary"])


def _prepare_axonops() -> None:
    settings = {
        "server": {"host": HOST, "port": places.AXONOPS},
        "storage": {"type": "memory"},
        "compatibility": {"default_level": "BACKWARD"},
        "logging": {"level": "warn"},
    }
    (places.data("axonops") / "config.yaml").write_text(json.dumps(settings), "utf-8")


def _prepare_unity() -> None:
    configuration = places.data("unity") / "etc" / "conf"
    configuration.mkdir(parents=True, exist_ok=True)
    for name in ("server.properties", "server.log4j2.properties"):
        (configuration / name).write_bytes((CACHE / "unity" / "etc" / "conf" / name).read_bytes())
    settings = (
        "hibernate.connection.driver_class=org.h2.Driver\n"
        "hibernate.connection.url=jdbc:h2:mem:unity;DB_CLOSE_DELAY=-1\n"
        "hibernate.hbm2ddl.auto=update\n"
        "hibernate.archive.autodetection=class\n"
    )
    (configuration / "hibernate.properties").write_text(settings, "utf-8")


def _unity() -> list[str]:
    classpath = f"{CACHE}/unity/*:{CACHE}/unity/lib/*"
    program = java("512m", "-cp", classpath, "io.unitycatalog.server.UnityCatalogServer", "-p", str(places.UNITY))
    # It reads its configuration from the working directory.
    return ["env", f"--chdir={places.data('unity')}", *program]


def _iceberg() -> list[str]:
    program = str(TREE / "programs" / "IcebergServer.java")
    return java("256m", "-cp", f"{CACHE}/iceberg/*", program, str(places.ICEBERG), str(places.data("iceberg")))


def _post(url: str, body: Any) -> Any:
    request = requests.Request("POST", url, json=body).prepare()
    request.url = url  # requests would write `%2E` as a dot, and Iceberg's server tells them apart
    with requests.Session() as session:
        answer = session.send(request, timeout=60)
    if not answer.ok:
        raise RuntimeError(f"{url}: {answer.status_code} {answer.text[:300]}")
    return answer.json()


def _tables() -> Any:
    """Return the columns of the installation's tables, as each catalog writes them."""
    return json.loads((INSTALLATION / "tables.json").read_text("utf-8"))


def _seed_unity() -> str:
    if "lab" in {item["name"] for item in requests.get(f"{_UNITY}/catalogs", timeout=30).json()["catalogs"]}:
        return "already there"
    _post(f"{_UNITY}/catalogs", {"name": "lab", "comment": "the lab's tables"})
    for schema in ("sales", "empty"):
        _post(f"{_UNITY}/schemas", {"name": schema, "catalog_name": "lab"})
    columns = [column | {"nullable": True} for column in _tables()["unity"]]
    for table, kind in (("orders", "DELTA"), ("returns", "PARQUET"), ("a-b", "CSV")):
        place = {"catalog_name": "lab", "schema_name": "sales", "name": table}
        storage = {"data_source_format": kind, "storage_location": f"{places.data('unity').as_uri()}/{table}"}
        more = {"table_type": "EXTERNAL", "comment": f"the shop's {table}", "properties": {"topic": table}}
        _post(f"{_UNITY}/tables", place | storage | more | {"columns": columns})
    return "3 tables"


def _seed_iceberg() -> str:
    url = f"{places.ICEBERG_URL}/v1/namespaces"
    if requests.get(f"{url}/shop", timeout=30).ok:
        return "already there"
    for namespace in (["shop"], ["shop", "eu"], ["empty"]):
        _post(url, {"namespace": namespace, "properties": {"owner": "lab"}})
    schema = _tables()["iceberg"]
    for namespace in ("shop", "shop%2Eeu"):
        for table in ("orders", "returns"):
            _post(f"{url}/{namespace}/tables", {"name": table, "schema": schema, "properties": {"source": "kafka"}})
    select = {"type": "sql", "sql": "SELECT id, total FROM shop.orders", "dialect": "spark"}
    version = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {"engine": "lab"},
               "default-namespace": ["shop"], "representations": [select]}  # fmt: skip
    narrow = {"type": "struct", "schema-id": 0, "fields": schema["fields"][:2]}
    _post(f"{url}/shop/views", {"name": "totals", "schema": narrow, "view-version": version, "properties": {}})
    return "4 tables, 1 view"


def glue() -> Any:
    """Return a client of moto's Glue."""
    keys = {"aws_access_key_id": "lab", "aws_secret_access_key": "lab"}
    return boto3.client("glue", region_name=REGION, endpoint_url=places.MOTO_URL, **keys)


def _seed_glue() -> str:
    client = glue()
    if "lake" in {item["Name"] for item in client.get_databases()["DatabaseList"]}:
        return "already there"
    for name in ("lake", "empty"):
        client.create_database(DatabaseInput={"Name": name})
    for table in ("orders", "returns"):
        client.create_table(
            DatabaseName="lake", TableInput={"Name": table, "Description": f"the shop's {table}"} | _tables()["glue"]
        )
    return "2 tables"


ROWS: tuple[Server | Step, ...] = (
    Server(
        name="karapace",
        port=places.KARAPACE,
        needs=("karapace",),
        after=(BROKER,),
        prepare=lambda: places.data("karapace").mkdir(exist_ok=True),
        command=lambda: [str(CACHE / "karapace/venv/bin/python"), "-m", "karapace"],
        environment={
            **{f"KARAPACE_{name}": str(value) for name, value in _KARAPACE.items()},
            "PYTHONPATH": str(CACHE / "karapace/program/src"),
            "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python",
        },
        ready=_karapace_is_ready,
    ),
    Step(name="karapace-schemas", after=("karapace",), run=lambda: seeded(places.KARAPACE_URL, *REJECTED["karapace"])),
    Server(
        name="axonops",
        port=places.AXONOPS,
        needs=("axonops",),
        prepare=_prepare_axonops,
        command=lambda: [
            str(CACHE / "axonops/schema-registry"),
            "--config",
            str(places.data("axonops") / "config.yaml"),
        ],
        ready=lambda: answers(f"{places.AXONOPS_URL}/subjects"),
    ),
    Step(name="axonops-schemas", after=("axonops",), run=lambda: seeded(places.AXONOPS_URL, *REJECTED["axonops"])),
    Server(
        name="unity",
        port=places.UNITY,
        needs=("unity",),
        prepare=_prepare_unity,
        command=_unity,
        ready=lambda: answers(f"{_UNITY}/catalogs"),
    ),
    Step(name="unity-tables", after=("unity",), run=_seed_unity),
    Server(
        name="iceberg",
        port=places.ICEBERG,
        needs=("iceberg",),
        command=_iceberg,
        ready=lambda: answers(f"{places.ICEBERG_URL}/v1/config"),
    ),
    Step(name="iceberg-tables", after=("iceberg",), run=_seed_iceberg),
    Server(
        name="moto",
        port=places.MOTO,
        needs=("moto",),
        command=lambda: [str(CACHE / "moto/bin/moto_server"), "-H", HOST, "-p", str(places.MOTO)],
        ready=lambda: answers(f"{places.MOTO_URL}/moto-api/"),
    ),
    Step(name="glue-tables", after=("moto",), run=_seed_glue),
)
