"""Names as types; broker addresses in one normal form: all spellings of an address identify the same cluster."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NewType

from scanner_model.errors import InputInvalid

DEFAULT_PORT = 9092
"""The port that Kafka's own default listener uses (Kafka documentation, `listeners`)."""

_ADDRESS = re.compile(r"^(?:[A-Za-z0-9_+.-]+://)?(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\],]+)(?::(?P<port>\d{1,5}))?/?$")


def broker_address(text: str) -> str:
    """Return *text* as `host:port`: lower case, no `SASL_SSL://`, port 9092 where none is written.

    An IPv6 host keeps its brackets. Raises InputInvalid for anything that is not one address.
    """
    match = _ADDRESS.match(text.strip())
    if not match or int(match["port"] or 0) > 65535:
        raise InputInvalid(f"{text!r} is not a broker address", hint="write host:port, as in kafka-1:9092")
    return f"{match['host'].lower().rstrip('.')}:{int(match['port'] or DEFAULT_PORT)}"


def broker_addresses(text: str) -> tuple[str, ...]:
    """List the addresses of a comma-separated list such as `bootstrap.servers`, each once, in its order."""
    parts = [part for part in text.split(",") if part.strip()]
    if not parts:
        raise InputInvalid("a broker address is empty", hint="write host:port, as in kafka-1:9092")
    return tuple(dict.fromkeys(map(broker_address, parts)))


def dataset_address(dataset: str) -> str:
    """Return how a dataset is shown; *dataset* is its namespace and name with a slash between them.

    Names of files start with a slash, and the namespace of local files is `file`: `file//tmp/a.txt` becomes
    `file:///tmp/a.txt`, `hdfs://node:8020//tmp/a` becomes `hdfs://node:8020/tmp/a`
    (https://openlineage.io/docs/spec/naming).
    """
    return _ROOTED.sub("/", f"file:///{dataset[6:]}" if dataset.startswith("file//") else dataset, count=1)


_ROOTED = re.compile(r"(?<=[^:/])//")

ClusterName = NewType("ClusterName", str)
TopicName = NewType("TopicName", str)
SubjectName = NewType("SubjectName", str)
RecordName = NewType("RecordName", str)

SourceId = NewType("SourceId", str)
"""Source of a fact: `<kind>:<url or name>`, as in `schema_registry:https://sr:8081`; stable between scans."""

Fingerprint = NewType("Fingerprint", str)
"""Identity of a schema definition: format, text, what its references resolved to, and the record read from it."""


class Role(StrEnum):
    """The side of a Kafka message that a schema describes."""

    KEY = "key"
    VALUE = "value"
