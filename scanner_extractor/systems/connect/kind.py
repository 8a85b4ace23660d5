"""The kind of source of Kafka Connect."""

from __future__ import annotations

from functools import partial

from scanner_extractor.results import (
    ConnectResult,
    Progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    BrokerUse,
    Connections,
    SourceKind,
    http_check,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.connect.section import CONNECT_SECTION
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import live

_CONNECT = "scanner_extractor.systems.connect"


def _read_connect(settings: ConnectSettings, connections: Connections, progress: Progress) -> ConnectResult:
    mask = partial(load(f"{_CONNECT}.reader:with_masked_passwords"), settings)
    with connections.http(settings.http, settings.source, mask=mask) as http:
        result: ConnectResult = load(f"{_CONNECT}.client:read_connect")(settings, http, progress)
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
            read=deferred(f"{_CONNECT}.client:read_connect"), check=deferred(f"{_CONNECT}.probes:connect_probes")
        )
    ),
)
