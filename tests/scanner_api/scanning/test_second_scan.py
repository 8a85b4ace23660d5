"""A second scan reuses what the first one read and generated; the dictionary is the same as if it had not."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from dataflow_generator.build.store import generate
from scanner_dictionary.engine.open import Engine, open_dictionary
from scanner_dictionary.queries.history import known_texts
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.prune import Retention, prune
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.results import KafkaCluster, Reading, SourceReadings
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.schemas.parsing import parse_in_process
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings, Settings
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import ClusterName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Association, KnownTexts, Reference, Registry, SchemaVersion, no_known_texts

NOW = datetime(2026, 5, 2, tzinfo=UTC)
REGISTRY = RegistrySettings(type="confluent", http=HttpSettings(url="https://sr"))
SETTINGS = Settings(cluster=ClusterName("shop"), brokers=("k:9092",), file=Path("c.json"), registries=(REGISTRY,))
KAFKA, FILES = SourceId("kafka:k:9092"), SourceId("manual:flows.json")
ADDRESS = '{"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "%s", "type": "string"}]}'
TEXTS = (
    '{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"string"}]}',
    '{"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": {"type": "string"}}]}',
    '{"type": "record", "name": "User", "namespace": "shop", "fields": [{"name": "home", "type": "shop.Address"}]}',
    ADDRESS % "street",
    ADDRESS % "town",
    '{"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}, {"name": "id", "type": "int"}]}',
    "{",
    'syntax = "proto3"; package shop; message Order { string id = 1; } message Payment { int64 sum = 1; }',
    '{"type": "object", "title": "O", "properties": {"a.b": {"type": "string"}, "a": {"$ref": "#/definitions/no"}}}',
)
SUBJECTS = ("address", "orders-value", "paid-key", "paid-value", "shop.Order", "shop.Payment", "users-value")
TOPICS = ("orders", "paid", "users")
TAGS = '{"tags": {"shop.Order.id": ["PII"]}}'

versions = st.lists(
    st.tuples(st.sampled_from(range(len(TEXTS))), st.booleans(), st.sampled_from(("", TAGS))), min_size=1, max_size=2
)
flows = st.tuples(st.sampled_from(TOPICS), st.sampled_from(TOPICS), st.sampled_from((None, ("id",))))
ASPECTS: dict[str, st.SearchStrategy[Any]] = {
    "subjects": st.dictionaries(st.sampled_from(SUBJECTS), versions, max_size=5),
    "associations": st.dictionaries(st.sampled_from(SUBJECTS), st.sampled_from(TOPICS), max_size=2),
    "topics": st.lists(st.sampled_from(TOPICS), unique=True).map(sorted),
    "flows": st.lists(flows, max_size=2),
}


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return an installation, and what becomes of it: one subject, or another aspect, changes each time."""
    state = {name: draw(aspect) for name, aspect in ASPECTS.items()}
    states = [state]
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from([*ASPECTS, "subjects", "subjects", "nothing"]))
        if name == "subjects":
            subjects = dict(state["subjects"])
            subject = draw(st.sampled_from(SUBJECTS))
            subjects.pop(subject, None)
            state = state | {"subjects": subjects | draw(st.just({}) | versions.map(lambda v, s=subject: {s: v}))}
        elif name != "nothing":
            state = state | {name: draw(ASPECTS[name])}
        states.append(state)
    return states


def versions_of(state: dict[str, Any]) -> list[SchemaVersion]:
    return [
        SchemaVersion(
            source=REGISTRY.source,
            subject=SubjectName(subject),
            version=number,
            schema_id=f"{subject}-{number}",
            format="PROTOBUF" if text.startswith("syntax") else "JSON" if '"object"' in text else "AVRO",
            text=text,
            metadata=metadata,
            deleted=deleted,
            references=(Reference(name="shop.Address", subject=SubjectName("address"), version=-1),)
            * ("shop.Address" in text),
        )
        for subject, listed in sorted(state["subjects"].items())
        for number, (at, deleted, metadata) in enumerate(listed, 1)
        for text in (TEXTS[at],)
    ]


def readings(state: dict[str, Any]) -> SourceReadings:
    kinds = {REGISTRY.source: "schema_registry", KAFKA: "kafka", FILES: "manual"}
    read = {
        name: SourceResult(source=name, kind=kind, status=SourceStatus.READ, received=1) for name, kind in kinds.items()
    }
    registry = Registry(source=REGISTRY.source, kind="confluent", url="https://sr")
    links = (
        Association(
            source=REGISTRY.source, context=".", subject=SubjectName(name), topic=TopicName(topic), role=Role.VALUE
        )
        for name, topic in sorted(state["associations"].items())
    )
    topics = (Topic(source=KAFKA, name=TopicName(name), partitions=1) for name in state["topics"])
    declared = (
        DeclaredFlow(
            source=FILES,
            origin=FlowEnd(name=origin, path=path),
            target=FlowEnd(name=target, path=path),
            job="",
            description="",
            evidence=f"flows.json {at}",
        )
        for at, (origin, target, path) in enumerate(state["flows"])
    )
    return SourceReadings(
        outcomes=tuple(read.values()),
        readings=(
            Reading(outcome=read[REGISTRY.source], facts=(registry, *links, *versions_of(state))),
            Reading(outcome=read[KAFKA], facts=(KafkaCluster(cluster_id="abc", addresses=()), *topics)),
            Reading(outcome=read[FILES], facts=tuple(declared)),
        ),
    )


@dataclass
class Installation:
    """A dictionary, and how many texts its scans parsed."""

    engine: Engine
    parsed: int = 0

    def scan(self, state: dict[str, Any], known: KnownTexts) -> None:
        def parse(requests: Any) -> Any:
            self.parsed += len(requests)
            return parse_in_process(requests)

        scan = merge_results(SETTINGS, readings(state), read=parse, known=known)
        write_scan(self.engine, scan, started=NOW, finished=NOW)
        generate(self.engine)

    def scan_again(self, state: dict[str, Any]) -> None:
        def known(digests: Any) -> Any:
            with self.engine.connect() as conn:
                return known_texts(conn, digests)

        self.scan(state, known)

    def scan_all(self, state: dict[str, Any]) -> None:
        with self.engine.begin() as conn:  # as if another version had stored the graph: none of its rows stays
            conn.execute(update(t.flow_graph).values(schema_layout=None))
        self.scan(state, no_known_texts)

    @property
    def rows(self) -> dict[str, list[Any]]:
        """Return the rows of all tables but the memory of texts."""
        with self.engine.connect() as conn:
            tables = (table for table in t.metadata.sorted_tables if table is not t.schema_text)
            return {table.name: conn.execute(select(table).order_by(*table.primary_key)).all() for table in tables}


def installation(directory: str, name: str = "d.db") -> Installation:
    return Installation(open_dictionary(str(Path(directory, name))))


@given(histories())
@examples(15)
def test_scans_that_reuse_texts_and_graph_store_what_full_scans_store(states: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        reusing, full = installation(directory, "a.db"), installation(directory, "b.db")
        for state in states:
            reusing.scan_again(state)
            full.scan_all(state)

            assert reusing.rows == full.rows
        assert reusing.parsed <= full.parsed


STATE = {
    "subjects": {"orders-value": [(0, False, "")], "users-value": [(2, False, "")], "address": [(3, False, "")]},
    "associations": {},
    "topics": ["orders", "users"],
    "flows": [("orders", "users", None)],
}


def test_a_scan_parses_only_texts_that_changed(tmp_path: Path) -> None:
    """A schema is parsed again if what it refers to changed."""
    reusing = installation(str(tmp_path))
    reusing.scan_again(STATE)
    reusing.scan_again(STATE)
    first = reusing.parsed
    reusing.scan_again(STATE | {"subjects": STATE["subjects"] | {"address": [(4, False, "")]}})

    assert (first, reusing.parsed) == (3, 5)


def test_texts_that_another_version_of_scanner_read_are_parsed_again(tmp_path: Path) -> None:
    reusing = installation(str(tmp_path))
    reusing.scan_again(STATE)
    with reusing.engine.begin() as conn:
        conn.execute(update(t.schema_text).values(reader="0.1"))
    reusing.scan_again(STATE)
    parsed = reusing.parsed
    reusing.scan_again(STATE)

    assert (parsed, reusing.parsed) == (6, 6)


def test_problems_of_columns_are_reported_by_every_scan(tmp_path: Path) -> None:
    reusing = installation(str(tmp_path))
    reusing.scan_again(STATE | {"subjects": {"orders-value": [(5, False, "")]}})
    reusing.scan_again(STATE | {"subjects": {"orders-value": [(5, False, "")]}})

    problems = [row.what for row in reusing.rows["scan_problem"]]
    assert problems[: len(problems) // 2] == problems[len(problems) // 2 :]
    assert problems


def test_a_pruned_definition_goes_with_its_texts(tmp_path: Path) -> None:
    reusing = installation(str(tmp_path))
    reusing.scan_again(STATE)
    for _ in range(2):
        reusing.scan_again(STATE | {"subjects": {"orders-value": [(0, False, "")]}})
    prune(reusing.engine, Retention(scans=1), dry_run=False)

    with reusing.engine.connect() as conn:
        read, stored = (
            set(conn.scalars(select(column))) for column in (t.schema_text.c.definition_id, t.schema_definition.c.id)
        )
    assert read == stored
    assert len(read) == 1
