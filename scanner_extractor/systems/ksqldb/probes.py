"""Probes of `scanner doctor` for ksqlDB."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe, unexpected
from scanner_extractor.systems.ksqldb.settings import KsqlSettings

_KSQL = "application/vnd.ksql.v1+json"


def ksqldb_probes(_: KsqlSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a ksqlDB server and to run a statement, which are two rights."""
    body = {"ksql": "SHOW STREAMS;", "streamsProperties": {}}
    yield Probe("reach the server", lambda: _ksql_version(http.get("info")))
    yield Probe("list streams", lambda: _ksql_streams(http.post("ksql", body=body, accept=_KSQL)))


def _ksql_version(payload: Json) -> str:
    match payload:
        case {"KsqlServerInfo": {"version": str(version)}}:
            return f"ksqlDB {version}"
        case _:
            raise unexpected("the response is not that of a ksqlDB server")


def _ksql_streams(payload: Json) -> str:
    match payload:
        case [{"streams": list(streams)}, *_]:
            return f"{len(streams)} streams"
        case _:
            raise unexpected("the response is not a list of streams")
