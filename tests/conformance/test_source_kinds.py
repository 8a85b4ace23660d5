"""Each kind of source is one row: its section of cluster.json, its settings and its row must agree."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scanner_extractor.config.loader import cluster_schema, read_cluster_file
from scanner_extractor.config.sections import HTTP_MEMBERS
from scanner_extractor.push_targets import target_names, target_row
from scanner_extractor.repository.languages import BY_NAME
from scanner_extractor.repository.syntax_trees import suffix
from scanner_extractor.scan.source_kinds import all_kinds, experimental_sources, sections
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.source_kind import SourceKind
from scanner_extractor.systems.databases.products import PRODUCTS, product_of
from scanner_model import plugins
from scanner_model.errors import InputInvalid
from scanner_model.maturity import Maturity, Proof

PROJECT = Path(__file__).parents[2]
URL = "https://server.example.org"
LEAST: dict[str, Any] = {"cluster": "retail", "brokers": ["kafka-1:9092"]}
OVER_KAFKA = ("acls", "kafka_clients", "observe_schema_ids")

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "confluent_cloud": [{"auth": {"bearer": {"token": "t"}}, "cluster": "lkc-1"}],
    "kafka": [{"security.protocol": "PLAINTEXT"}],
    "kafka_rest": [{"url": URL}],
    "ksqldb": [{"url": URL}, {"path": "**/*.ksql"}],
    "connect": [{"url": URL}],
    "flink": [{"type": "jobmanager", "url": URL}, {"type": "sql-files", "path": "*.sql"}],
    "streams": [{"path": "*.txt"}],
    "files": [{"path": "*.yaml"}],
    "repositories": [{"path": "."}],
    "schemas": [{"path": "**/{subject}.avsc"}],
    "schema_registries": [{"type": "confluent", "url": URL}],
    "stream_catalogs": [{"url": URL, "cluster": "lkc-1"}],
    "tableflow": [{"environment": "env-1", "cluster": "lkc-1"}],
    "catalogs": [{"type": "unity", "url": URL}],
    "databases": [{"name": "shop", "url": "sqlite:///shop.db"}],
    "dbt": [{"path": "manifest.json", "namespace": "postgres://dw:5432"}],
    "acls": [{}],
    "kafka_clients": [{}],
    "observe_schema_ids": [{"topics": ["orders", "shop.*"], "records": 5}],
    "prometheus": [{"url": URL, "cluster_selector": ""}],
    "personal_data": [
        {
            "decisions": [
                {"dataset": "a", "column": "b", "tag": "PII", "decision": "rejected", "by": "ann", "on": "2026-11-23"}
            ]
        }
    ],
    "applications": [{"orders": {"owner": "team-orders", "client.id": ["orders-*"]}}],
    "metrics": [{"type": "confluent", "cluster": "lkc-1"}, {"type": "offsets"}],
}
"""One source of each class of settings, by member."""

CASES = [(section, item) for section in sections() for item in EXAMPLES[section.member]]
over_http = pytest.mark.parametrize(
    "section", [section for section in sections() if section.over_http], ids=lambda section: section.member
)
every_kind = pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: f"{kind.name}-{kind.settings.__name__}")
every_case = pytest.mark.parametrize(("section", "item"), CASES, ids=lambda case: getattr(case, "member", None))


def document(section: Any, item: dict[str, Any], **more: Any) -> dict[str, Any]:
    kafka = {"kafka": {}} if item == {"type": "offsets"} or section.member in OVER_KAFKA else {}
    return LEAST | kafka | {section.member: item if section.listing is None else [item]} | more


@pytest.fixture
def read(tmp_path):
    """Read a document as a cluster.json beside a SQL file, a topology and a deployment file."""

    def reading(content: dict[str, Any]) -> Settings:
        (tmp_path / "a.sql").write_text("SELECT 1")
        (tmp_path / "manifest.json").write_text("{}")
        (tmp_path / "app.txt").write_text("Topologies:")
        (tmp_path / "app.yaml").write_text("")
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps(content))
        return read_cluster_file(file, {}, ("confluent",))

    return reading


def errors(content: dict[str, Any]) -> list[str]:
    return [error.message for error in Draft202012Validator(cluster_schema()).iter_errors(content)]


def test_every_section_has_an_example() -> None:
    """A new kind is tested the moment it enters the table."""
    assert set(EXAMPLES) == {section.member for section in sections()}


@every_kind
def test_kind_is_declared_by_its_section(kind, read) -> None:
    """What cluster.json declares must be what the row reads."""
    items = EXAMPLES[kind.section.member]
    sources = [source for item in items for source in kind.sources(read(document(kind.section, item)))]

    assert [type(source) for source in sources] == [kind.settings]


@every_kind
def test_kind_keeps_its_sources_in_a_field_that_exists(kind) -> None:
    """The name of a field is text that no type checker sees."""
    assert not kind.field or kind.field in {field.name for field in fields(Settings)}


@every_case
def test_source_belongs_to_one_kind(section, item, read) -> None:
    """Two rows would read it twice, none would lose it."""
    settings = read(document(section, item))
    kinds = [kind for kind in all_kinds() if kind.section is section and list(kind.sources(settings))]

    assert len(kinds) == 1


@every_case
def test_member_that_the_section_does_not_know_is_rejected_at_its_position(section, item, read) -> None:
    """A typing error must not be ignored; the properties of librdkafka and applications have names of their own."""
    if section.member in ("kafka", "applications"):
        return
    with pytest.raises(InputInvalid) as caught:
        read(document(section, item | {"zzz": 1}))

    assert "unknown member 'zzz'" in {problem.what for problem in caught.value.problems}
    assert all(section.member in problem.where for problem in caught.value.problems)


@over_http
@pytest.mark.parametrize("member", HTTP_MEMBERS)
def test_how_requests_are_sent_is_described_alike_everywhere(section, member) -> None:
    """One definition, so that a change of it reaches every kind."""
    described = cluster_schema()["$defs"][section.member]["properties"][member]

    assert described == {"$ref": f"#/$defs/http/properties/{member}"} or member == "requests_per_second"


@over_http
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("auth", {"basic": {"user": ""}}),
        ("headers", {"a b": "c"}),
        ("tls", {"key": "k.pem"}),
        ("connect_timeout", 0),
        ("read_timeout", "1"),
        ("requests_per_second", 0),
        ("max_bytes", 0),
        ("concurrency", 257),
    ],
)
def test_wrong_value_of_how_requests_are_sent_is_rejected_everywhere(section, member, value) -> None:
    """The definition is referred to, not repeated."""
    item = EXAMPLES[section.member][0]

    assert errors(document(section, item)) == []
    assert errors(document(section, item | {member: value})) != []


def test_shared_definition_has_the_members_that_are_parsed() -> None:
    """One that only the schema knows would be ignored."""
    assert list(cluster_schema()["$defs"]["http"]["properties"]) == list(HTTP_MEMBERS)


@every_case
def test_secret_names_reach_every_source(section, item, read) -> None:
    """A source without them would store what the user wants hidden."""
    settings = read(document(section, item, secret_names=["Cipher.Seed"]))
    (source,) = (source for kind in all_kinds() if kind.section is section for source in kind.sources(settings))

    assert set(_secret_names(source)) <= {frozenset({"cipher.seed"}), frozenset()}
    assert frozenset({"cipher.seed"}) in _secret_names(source) or not _secret_names(source)


def _secret_names(value: object) -> list[frozenset[str]]:
    """List the `secret_names` of settings and of what is in them."""
    if not is_dataclass(value):
        return []
    members = {field.name: getattr(value, field.name) for field in fields(value)}
    own = [members["secret_names"]] if "secret_names" in members else []
    return [*own, *(names for member in members.values() for names in _secret_names(member))]


TARGETS = {name: row for name in target_names() if (row := target_row(name))}
DATABASES = PRODUCTS | {name: product_of(name) for name in plugins.plugins(plugins.DATABASES)}


def assert_is_proof(proof: Proof) -> None:
    """Check that what was tested states with what, and by which file."""
    tested = proof.maturity is not Maturity.DOCUMENTED
    assert bool(proof.tested_with) is bool(proof.evidence) is tested
    assert not tested or (PROJECT / proof.evidence).is_file()


@every_kind
def test_kind_that_speaks_to_a_system_states_how_it_was_tested(kind: SourceKind[Any]) -> None:
    """What was never run against the system is called experimental, so a row without a proof would claim too much."""
    proofs = kind.proofs(None)

    assert proofs or kind.name in ("applications", "personal_data")
    for proof in proofs:
        assert_is_proof(proof)


@pytest.mark.parametrize(
    ("name", "proof"), [(name, row.proof) for rows in (TARGETS, DATABASES, BY_NAME) for name, row in rows.items()]
)
def test_target_product_and_language_states_how_it_was_tested(name: str, proof: Proof) -> None:
    """A push target, a database or engine, a language of programs."""
    assert proof.system
    assert_is_proof(proof)


PINNED = (PROJECT / "tests/lab", PROJECT / "tests/vendor")
"""Tests with installations of their own."""
PINNING = (".md", ".py", ".txt", ".xml")
"""Their files that name versions."""


def test_version_whose_evidence_is_an_installation_is_installed_there() -> None:
    """A version that was seen by hand has other evidence. docs/testing.md names what comes from Debian."""
    proofs = {proof for kind in all_kinds() for proof in kind.proofs(None)} | {row.proof for row in TARGETS.values()}

    for proof in proofs:
        directory = (PROJECT / proof.evidence).parent
        if directory in PINNED:
            files = (PROJECT / "docs/testing.md", *directory.rglob("*"))
            text = "".join(file.read_text("utf-8") for file in files if file.suffix in PINNING)
            for version in re.findall(r"\d+(?:\.\d+)+", proof.tested_with):
                assert re.search(rf"(?<![\d.]){re.escape(version)}(?!\d)", text), proof


def test_language_states_how_many_uses_its_programs_have() -> None:
    """The figure is that of the file which the benchmark compares with."""
    with (PROJECT / "tests/data/field_uses/truth.csv").open(encoding="utf-8") as file:
        places = [(row["repository"], row["place"]) for row in csv.DictReader(file)]

    for language in BY_NAME.values():
        read = [where for where, place in places if suffix(place.partition(":")[0]) in language.grammars]
        counted = f"{len(read)} field uses of {_several(len(set(read)))}" if read else ""
        assert language.proof.tested_with == counted, language.name


def _several(count: int) -> str:
    return "a public repository" if count == 1 else f"{count} public repositories"


def test_source_that_was_never_read_live_is_experimental(tmp_path: Path) -> None:
    sources = {"catalogs": [{"type": "pinot", "url": URL}], "databases": [{"name": "shop", "url": "sqlite:///s.db"}]}
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({**LEAST, **sources}))

    notes = dict(experimental_sources(read_cluster_file(file, {}, ())))

    assert list(notes.values()) == ["experimental: built from documentation, never run against Apache Pinot"]
