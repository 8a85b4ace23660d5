"""Where the lab keeps things and which ports it takes: nothing inside the tree, everything on loopback."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent
CACHE = Path(
    os.environ.get("SCANNER_LAB_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scanner-lab"
)
# Not under the cache: PostgreSQL runs as its own user, who may not enter another's home.
STATE = Path(os.environ.get("SCANNER_LAB_STATE") or Path(tempfile.gettempdir()) / f"scanner-lab-{os.getuid()}")
FLINK_SQL = TREE.parents[1] / "examples" / "retail" / "flink" / "retail.sql"
LAB_FILE = STATE / "lab.json"
EVENTS = STATE / "openlineage.ndjson"
FLINK_EVENTS = STATE / "flink-openlineage.ndjson"
SPANS = STATE / "spans.ndjson"

HOST = "127.0.0.1"
KAFKA_1, KAFKA_2 = 29092, 29192
KAFKA_1_EXTERNAL, KAFKA_2_EXTERNAL = 29094, 29194
KAFKA_1_SASL, KAFKA_2_SASL = 29095, 29195
KAFKA_CONTROLLER = 29093
APICURIO = 29081
CONNECT = 29083
POSTGRES = 29432
FLINK, FLINK_RPC, FLINK_GATEWAY = 29088, 29087, 29089
KSQLDB = 29188
LINEAGE_KAFKA, LINEAGE_CONTROLLER = 29292, 29293
RENTGEN, RENTGEN_CONSUMER = 29290, 29291
CLIENTS_KAFKA, CLIENTS_CONTROLLER, CLIENTS_SASL = 29392, 29393, 29394
BARE_KAFKA, BARE_CONTROLLER = 29492, 29493
OPEN_KAFKA, OPEN_CONTROLLER = 29592, 29593
RESTARTED_KAFKA, RESTARTED_CONTROLLER = 29692, 29693
PROMETHEUS = 29390
SYSTEMS_KAFKA, SYSTEMS_CONTROLLER, SYSTEMS_PROXIED, SYSTEMS_PROXY = 29792, 29793, 29794, 29795
CONFLUENT_REGISTRY, KARAPACE, AXONOPS = 29781, 29782, 29783
SYSTEMS_CONNECT, REAL_KSQLDB = 29784, 29788
ICEBERG, MOTO = 29786, 29787
UNITY = 29796  # and the port after it, for a part of its own
JMX_EXPORTER, MICROMETER, OPENTELEMETRY_JAVA, OPENTELEMETRY_PYTHON = 29395, 29396, 29397, 29398

PLAINTEXT = f"{HOST}:{KAFKA_1},{HOST}:{KAFKA_2}"
EXTERNAL = f"localhost:{KAFKA_1_EXTERNAL},localhost:{KAFKA_2_EXTERNAL}"
SASL = f"localhost:{KAFKA_1_SASL},localhost:{KAFKA_2_SASL}"
REGISTRY_URL = f"http://{HOST}:{APICURIO}/apis/ccompat/v7"
CONNECT_URL = f"http://{HOST}:{CONNECT}"
FLINK_URL = f"http://{HOST}:{FLINK}"
GATEWAY_URL = f"http://{HOST}:{FLINK_GATEWAY}"
LINEAGE_BROKER = f"{HOST}:{LINEAGE_KAFKA}"
CLIENTS_BROKER, CLIENTS_SASL_BROKER = f"{HOST}:{CLIENTS_KAFKA}", f"{HOST}:{CLIENTS_SASL}"
BARE_BROKER, OPEN_BROKER = f"{HOST}:{BARE_KAFKA}", f"{HOST}:{OPEN_KAFKA}"
SYSTEMS_BROKER = f"{HOST}:{SYSTEMS_KAFKA}"
CONFLUENT_URL, KARAPACE_URL, AXONOPS_URL = (f"http://{HOST}:{port}" for port in (CONFLUENT_REGISTRY, KARAPACE, AXONOPS))
SYSTEMS_CONNECT_URL, REAL_KSQLDB_URL = f"http://{HOST}:{SYSTEMS_CONNECT}", f"http://{HOST}:{REAL_KSQLDB}"
UNITY_URL, ICEBERG_URL, MOTO_URL = (f"http://{HOST}:{port}" for port in (UNITY, ICEBERG, MOTO))
PROMETHEUS_URL = f"http://{HOST}:{PROMETHEUS}"
RENTGEN_URL = f"http://{HOST}:{RENTGEN}"


def data(name: str) -> Path:
    """Return the directory of a server's own files, made where it is not there."""
    directory = STATE / "data" / name
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def log(name: str) -> Path:
    """Return the file that takes what a row writes."""
    directory = STATE / "logs"
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"{name}.log"
