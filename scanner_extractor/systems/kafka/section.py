"""The `connect` and `ksqldb` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scanner_extractor.config.http import parse_http, valid_address
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    flag,
    name_or_path,
    nonempty,
    object_of,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.repository.section import parse_files
from scanner_extractor.settings.cluster import ConnectSettings, KafkaSettings, KsqlSettings
from scanner_extractor.settings.sources import RepositorySettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.names import broker_addresses

REBALANCING = 409
"""The status of a Connect worker while its cluster rebalances the connectors: it is worth a retry."""

_KSQLDB: Json = object_of(
    "ksqlDB cluster",
    "One ksqlDB cluster, or files of its statements.",
    {
        "path": nonempty(
            "Files",
            "Pattern of statement files, relative to cluster.json. All files form one catalog.",
            "**/*.ksql",
        ),
        "name": nonempty("Name", "Name of the source.", "pipelines"),
        "url": address("Address of the ksqlDB server.", "https://sr.example.org:8081"),
        **HTTP_MEMBERS,
    },
)

_CONNECT: Json = object_of(
    "Kafka Connect cluster",
    "One Kafka Connect cluster.",
    {
        "name": nonempty(
            "Name",
            "Name of the source, for example `connect:main`. Keep it when the address changes.",
            "main",
        ),
        "url": address(
            "Address of any worker, or of Confluent Cloud's managed connectors.",
            "http://connect:8083",
            "https://api.confluent.cloud/connect/v1/environments/env-1/clusters/lkc-1",
        ),
        **HTTP_MEMBERS,
        "active_topics": flag("Active topics", "Request the topics each connector uses, one request each."),
    },
    required=["url"],
)


def parse_ksqldb(item: Json, context: ParseContext) -> KsqlSettings | RepositorySettings:
    """Return the settings of a ksqlDB cluster, or of files of its statements."""
    if "path" in item:
        return parse_files(item, context, kind="SQL", engine="ksqldb")
    return KsqlSettings(http=parse_http(item, context))


def parse_connect(item: Json, context: ParseContext) -> ConnectSettings:
    """Return the settings of a Connect cluster; secret names are its own, as its plug-ins declare secrets too."""
    http = replace(parse_http(item, context), retry_also=frozenset({REBALANCING}), secret_names=frozenset())
    return ConnectSettings(
        http=http,
        name=item.get("name", ""),
        active_topics=item.get("active_topics", True),
        secret_names=context.secret_names,
    )


def validate_ksqldb(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield servers and files that are declared twice, or with members of the other."""
    for path, item in items:
        if "path" not in item and "url" not in item:
            yield path, "'url' is missing", "name a server by `url`, or files of statements by `path`"
        of_server = sorted(item.keys() - {"path", "name"}) if "path" in item else [*({"name"} & item.keys())]
        for name in of_server:
            what = "files of statements" if "path" in item else "a server"
            yield (*path, name), f"{name!r} is not for {what}", "leave it out"
    yield from repeated_sources(items, lambda item: name_or_path(item) if "path" in item else _identity(item))


def validate_connect(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield Connect clusters that are declared twice, or have one name."""
    yield from repeated_sources(items, _identity)
    known: set[str] = set()
    for path, item in items:
        where, name = (*path, "name"), item.get("name")
        if isinstance(name, str) and name in known:
            what = f"two sources are called {context.shown(where)}"
            yield where, what, "the name is their identity: change one"
        known.update([name] if isinstance(name, str) else [])


def _identity(item: Json) -> tuple[str, str]:
    url = valid_address(item.get("url"))
    return "url", url.url if url else ""


KSQLDB_SECTION = Section(
    member="ksqldb",
    listing={"title": "ksqlDB", "description": "ksqlDB servers, or files of ksqlDB statements."},
    schema=_KSQLDB,
    parse=parse_ksqldb,
    validate=validate_ksqldb,
)

CONNECT_SECTION = Section(
    member="connect",
    listing={
        "title": "Kafka Connect",
        "description": "Kafka Connect clusters, and managed connectors of Confluent Cloud.",
    },
    schema=_CONNECT,
    parse=parse_connect,
    validate=validate_connect,
)


_BOOTSTRAP = ("bootstrap.servers", "metadata.broker.list")

_KAFKA: Json = {
    "title": "Kafka protocol",
    "description": (
        "Properties of librdkafka. {} connects without encryption; without this member the brokers are not contacted."
    ),
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "examples": [
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "${KAFKA_USER}",
            "sasl.password": "${KAFKA_PASSWORD}",
        }
    ],
}


def parse_kafka(item: Json, context: ParseContext) -> KafkaSettings:
    """Return the settings of the Kafka protocol."""
    properties = {name: _property(name, value, context.base) for name, value in item.items()}
    return KafkaSettings(brokers=broker_list(context.document.get("brokers", [])), properties=properties)


def broker_list(written: Json) -> tuple[str, ...]:
    """Return the brokers of a list or of a text with commas, each once; raises InputInvalid."""
    parts = [written] if isinstance(written, str) else written
    return tuple(dict.fromkeys(address for part in parts for address in broker_addresses(part)))


def _property(name: str, value: Json, base: Path) -> str:
    """Return a property as librdkafka takes it; a file beside cluster.json gets its whole path."""
    if isinstance(value, bool):
        return str(value).lower()
    names_file = name.endswith(".location") or name == "sasl.kerberos.keytab"
    if names_file and value and (base / str(value)).exists():  # `ssl.ca.location` may also be the word `probe`
        return str(base / str(value))
    return str(value)


def validate_kafka(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield properties that name brokers."""
    for path, item in items:
        for name in _BOOTSTRAP:
            if item.get(name) is not None:
                yield (*path, name), f"{name!r} is in `kafka`", "name the brokers in `brokers` only"


KAFKA_SECTION = Section(member="kafka", schema=_KAFKA, parse=parse_kafka, validate=validate_kafka, over_http=False)
