"""Servers of other makers, each optional: what a source or push target of scanner is tested with, and how it is had."""

from __future__ import annotations

from typing import Any

import confluent_rows
import other_system_rows
import places
import seed_registry
from rows import Server, Step

ROWS: tuple[Server | Step, ...] = (*confluent_rows.ROWS, *other_system_rows.ROWS)


_SERVICE = "a service in the cloud, with no server to install"
_IMAGE = "its server is published as an image only"
NOT_TO_BE_HAD = {
    "confluent-cloud": _SERVICE,
    "databricks": _SERVICE,
    "google": _SERVICE,
    "datazone": _SERVICE,
    "datahub": _IMAGE,
    "openmetadata": _IMAGE,
    "pinot": "Maven Central has its Kafka plug-in up to 0.11 only",
    "druid": "Maven Central has no distribution, and no Kafka extension of a current version",
}
"""Systems that scanner supports and that this lab cannot start, with the reason."""


def environment() -> dict[str, str]:
    """Return the credentials that moto takes, which are any."""
    return {"AWS_ACCESS_KEY_ID": "lab", "AWS_SECRET_ACCESS_KEY": "lab", "AWS_EC2_METADATA_DISABLED": "true"}


def addresses() -> dict[str, Any]:
    """Return where the tests find the servers, and what was registered in the registries."""
    return {
        "broker": places.SYSTEMS_BROKER,
        "proxied": f"{places.HOST}:{places.SYSTEMS_PROXIED}",
        "proxy": f"{places.HOST}:{places.SYSTEMS_PROXY}",
        "confluent": places.CONFLUENT_URL,
        "karapace": places.KARAPACE_URL,
        "axonops": places.AXONOPS_URL,
        "connect": places.SYSTEMS_CONNECT_URL,
        "ksqldb": places.REAL_KSQLDB_URL,
        "unity": places.UNITY_URL,
        "iceberg": places.ICEBERG_URL,
        "glue": places.MOTO_URL,
        "versions": seed_registry.versions(),
        "deleted": seed_registry.DELETED,
        "without": other_system_rows.REJECTED,
    }
