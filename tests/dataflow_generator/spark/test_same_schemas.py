"""Conformance of the engines: the schemas of a registry through this process and through Spark, equal dictionaries."""

from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from dataflow_generator.spark.session import map_bytes
from scanner_api.scanning.run import schema_engine
from scanner_api.spark import SparkChoice
from scanner_api.spark_session import SparkEngine
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.schema.facts import metadata
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.results import Reading, SourceReadings
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.schemas.parsing import parse_bundle, parse_in_process, request_bundles, unpack_bundle
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings, Settings
from scanner_model.names import ClusterName, SubjectName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Reference, Registry, SchemaVersion

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SR = RegistrySettings(type="confluent", http=HttpSettings(url="http://sr:8081"))
TEXTS = (
    (
        "AVRO",
        '{"type": "record", "name": "R%d", "fields": [{"name": "in", "type": "r%d"}, {"name": "a.b", "type": "int"}]}',
    ),
    ("AVRO", '{"type": "record", "name": "r%d", "fields": [{"name": "self", "type": ["null", "R%d"]}]}'),
    (
        "AVRO",
        '["string", {"type": "record", "name": "One%d", "fields": []}, {"type": "enum", "name": "Two%d"}]',
    ),
    ("AVRO", '{"type": "record", "name": "Broken%d%d"'),
    ("JSON", '{"title": "T%d", "properties": {"žluť %d": {"type": "string"}, "x": {"$ref": "r1"}}}'),
    ("PROTOBUF", 'syntax = "proto3"; message A%d { int32 id = 1; } message B%d { A9 a = 1; }'),
    ("XSD", "<schema%d%d/>"),
)


def versions(chance: Random) -> list[SchemaVersion]:
    """Build versions that refer to each other: on, back, in circles, to themselves and to nothing."""
    found = []
    for at in range(60):
        format_, text = chance.choice(TEXTS)
        names = [f"s{chance.randrange(25)}-value" for _ in range(chance.randrange(4))]
        to = [(f"r{chance.randrange(3)}", name, chance.choice((-1, 1, 2))) for name in names]
        found.append(
            SchemaVersion(
                source=SR.source,
                subject=SubjectName(f"s{at // 3}-value"),
                version=at % 3 + 1,
                schema_id=str(at),
                format=format_,
                text=text % (chance.randrange(3), chance.randrange(3)),
                references=tuple(Reference(name=n, subject=SubjectName(s), version=v) for n, s, v in to),
                metadata=chance.choice(("", '{"tags": {"**.in": ["PII"]}}')),
                deleted=chance.random() < 0.2,
            )
        )
    return found


def rows(file: Path, found: list[SchemaVersion], read) -> dict[str, list[tuple]]:
    """Store a scan of *found*, read by *read*; give every row of the dictionary, problems too."""
    outcome = SourceResult(
        source=SR.source, kind="schema_registry", status=SourceStatus.READ, received=60, requested=60
    )
    registry = Registry(source=SR.source, kind="confluent", url="http://sr:8081")
    reading = Reading(outcome=outcome, facts=(registry, *found))
    cluster = Settings(cluster=ClusterName("bank"), brokers=("k:9092",), file=Path("cluster.json"), registries=(SR,))
    scan = merge_results(cluster, SourceReadings(outcomes=(outcome,), readings=(reading,)), read=read)
    engine = open_dictionary(str(file))
    write_scan(engine, scan, started=AT, finished=AT)
    with engine.connect() as conn:
        tables = {table.name: [tuple(row) for row in conn.execute(select(table))] for table in metadata.sorted_tables}
    engine.dispose()
    return tables


@pytest.mark.parametrize("seed", range(5))
def test_spark_stores_what_one_process_stores(spark, tmp_path, seed) -> None:
    """Which engine read a schema does not matter to queries of the dictionary."""
    found = versions(Random(seed))

    def on_spark(unread):
        return [
            one
            for bundle in map_bytes(spark, parse_bundle, request_bundles(unread, 1500))
            for one in unpack_bundle(bundle)
        ]

    here, there = rows(tmp_path / "here.db", found, parse_in_process), rows(tmp_path / "there.db", found, on_spark)

    assert len(here["schema_column"]) > 50
    assert here["scan_problem"]
    assert there == here


def test_the_command_reads_by_the_session_that_it_is_given(spark, tmp_path) -> None:
    """`scanner scan --engine spark` hands texts to Spark, and stores what comes back."""

    class Choice(SparkChoice):
        def session(self, *, light=False):
            return nullcontext(SparkEngine(spark))

    found = versions(Random(7))
    with schema_engine(Choice("spark")) as read:
        there = rows(tmp_path / "there.db", found, read)

    assert there == rows(tmp_path / "here.db", found, parse_in_process)
