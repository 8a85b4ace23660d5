"""What `scanner check` tries on Kafka, ksqlDB, Connect, and files of SQL or topologies."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.checks.probes import Probe, unexpected
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import ConnectSettings, KsqlSettings
from scanner_extractor.settings.confluent_cloud import KafkaRestSettings
from scanner_extractor.settings.flink import FileSettings
from scanner_extractor.sources.confluent_cloud.pagination import rest_list
from scanner_extractor.sources.connect.client import listed_connectors, worker_facts
from scanner_extractor.sources.files import read_texts, separate_failed
from scanner_extractor.sources.kafka_rest import find_cluster
from scanner_model.errors import SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.redaction import mask_text

_KSQL = "application/vnd.ksql.v1+json"


def kafka_rest_probes(settings: KafkaRestSettings, http: Http) -> Iterator[Probe]:
    """Try to list the topics over REST."""
    yield Probe("list topics", lambda: f"{len(rest_list(http, *find_cluster(settings, http), 'topics').items)} topics")


def ksqldb_probes(_: KsqlSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a ksqlDB server and to run a statement, which are two rights."""
    body = {"ksql": "SHOW STREAMS;", "streamsProperties": {}}
    yield Probe("reach the server", lambda: _ksql_version(http.get("info")))
    yield Probe("list streams", lambda: _ksql_streams(http.post("ksql", body=body, accept=_KSQL)))


def connect_probes(settings: ConnectSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a worker, which a managed Connect does not have, and to list the connectors."""
    if not settings.is_managed:
        yield Probe("reach a worker", lambda: f"Kafka Connect {worker_facts(http)[0]}", required=False)
    yield Probe("list connectors", lambda: f"{len(listed_connectors(settings, http))} connectors")


def file_probes(settings: FileSettings, source: SourceId) -> Iterator[Probe]:
    """Try to read every file."""

    def read() -> str:
        texts, failed = separate_failed(read_texts(settings, mask_text), settings.pattern, source)
        if failed:
            raise SourceUnreachable(f"{failed[0].name}: {failed[0].failure}", hint="check the file and its rights")
        return f"{len(texts)} files"

    yield Probe("read its files", read)


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
