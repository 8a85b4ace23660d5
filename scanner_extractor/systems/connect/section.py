"""The `connect` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from scanner_extractor.config.http import address_identity, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    flag,
    nonempty,
    object_of,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.results import Progress, Reading
from scanner_extractor.source_kind import (
    STREAMING,
    BrokerUse,
    Connections,
    SourceKind,
    http_check,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import live

REBALANCING = 409
"""The status of a Connect worker while its cluster rebalances the connectors: it is worth a retry."""

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


def parse_connect(item: Json, context: ParseContext) -> ConnectSettings:
    """Return the settings of a Connect cluster; secret names are its own, as its plug-ins declare secrets too."""
    http = replace(parse_http(item, context), retry_also=frozenset({REBALANCING}), secret_names=frozenset())
    return ConnectSettings(
        http=http,
        name=item.get("name", ""),
        active_topics=item.get("active_topics", True),
        secret_names=context.secret_names,
    )


def validate_connect(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield Connect clusters that are declared twice, or have one name."""
    yield from repeated_sources(items, address_identity)
    known: set[str] = set()
    for path, item in items:
        where, name = (*path, "name"), item.get("name")
        if isinstance(name, str) and name in known:
            what = f"two sources are called {context.shown(where)}"
            yield where, what, "the name is their identity: change one"
        known.update([name] if isinstance(name, str) else [])


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


_PACKAGE = "scanner_extractor.systems.connect"


def _read_connect(settings: ConnectSettings, connections: Connections, progress: Progress) -> Reading:
    mask = partial(load(f"{_PACKAGE}.reader:with_masked_passwords"), settings)
    with connections.http(settings.http, settings.source, mask=mask) as http:
        result: Reading = load(f"{_PACKAGE}.client:read_connect")(settings, http, progress)
        return result


CONNECT = SourceKind(
    name="connect",
    phase=STREAMING,
    section=CONNECT_SECTION,
    settings=ConnectSettings,
    proofs=tested(live("Kafka Connect", "4.3.1", "tests/lab/test_lab_connect.py")),
    brokers=BrokerUse.NEEDED,
    read=_read_connect,
    check=http_check(
        SourceType(
            read=deferred(f"{_PACKAGE}.client:read_connect"), check=deferred(f"{_PACKAGE}.probes:connect_probes")
        )
    ),
)
