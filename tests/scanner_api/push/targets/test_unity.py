"""Unity Catalog: tags on tables that topics are kept in, names in lower case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from push_world import Catalog, installation, settings
from unity_lineage import UnityLineage

from scanner_api.push.contents import DatasetEdge, PushDataset, PushJob
from scanner_api.push.journal import Journal
from scanner_api.push.plan import Planner
from scanner_api.push.targets.unity import UnityCatalog
from scanner_api.push.wire import Answer, Wire
from scanner_extractor.http.messages import Request, Response

Json = Any


class Kept:
    """A topic that is kept as a table of Unity Catalog."""

    at = "2026-03-01T12:00:00+00:00"
    names: ClassVar = {"topic": ("kafka://b:9092", "orders"), "table": ("unitycatalog://ws", "Main.Bronze.Orders")}

    def datasets(self) -> list[PushDataset]:
        namespace, name = self.names["topic"]
        return [PushDataset(key="topic", namespace=namespace, name=name, kind="TOPIC", columns=(), is_part=False)]

    def jobs(self) -> list[PushJob]:
        edges = (DatasetEdge("topic", "table", ()),)
        texts = {"namespace": "kafka://b:9092", "name": "keep orders", "description": "", "statement": ""}
        ends: Json = {"owners": (), "tags": (), "reads": ("topic",), "writes": ("table",), "edges": edges}
        return [PushJob(type="materialization", **texts, **ends)]


@pytest.fixture
def server() -> UnityLineage:
    """Return a Unity Catalog with the table."""
    return UnityLineage(metadata={"main.bronze.orders": {}})


def push(server: UnityLineage, directory: Path) -> Planner:
    """Push the table, and return what planned it."""

    def exchange(request: Request) -> Response:
        status, body = server.answer(request.method, request.url, request.body)
        return Response(status=status, body=json.dumps(body).encode())

    target, wire = UnityCatalog(settings("unity")), Wire(settings("unity"), exchange=exchange)
    with Journal(directory / "push", "unity") as journal:
        planner = Planner(target, wire, journal)
        for chunk in planner.push(Kept()):  # type: ignore[arg-type] - what a push asks of contents
            changes = [planned.change for planned in chunk if planned.is_needed]
            answers = wire.send(list(target.batches(changes, 1)))
            assert [type(answer) for answer in answers] == [Answer] * len(changes)
    return planner


def test_table_that_a_topic_is_kept_in_names_it_in_tags(server: UnityLineage, tmp_path: Path) -> None:
    planner = push(server, tmp_path)

    assert server.tags == {
        "tables/main.bronze.orders/tags/kafka_cluster": "kafka://b:9092",
        "tables/main.bronze.orders/tags/kafka_topic": "orders",
    }
    assert planner.skipped == []


def test_tag_of_others_stays(server: UnityLineage, tmp_path: Path) -> None:
    server.tags["tables/main.bronze.orders/tags/kafka_topic"] = "theirs"

    push(server, tmp_path)

    assert server.tags["tables/main.bronze.orders/tags/kafka_topic"] == "theirs"


def test_metadata_that_others_drew_a_relationship_to_is_not_removed(tmp_path: Path) -> None:
    server = UnityLineage()
    catalog = Catalog(server, settings("unity"), installation(tmp_path), lambda request: request.method != "GET")
    run = catalog.push().run
    (paid,) = (name for name in server.metadata if "paid" in name)
    ends = {side: {"external_metadata": {"name": name}} for side, name in (("source", "theirs"), ("target", paid))}
    server.edges["theirs"] = ends

    undone = catalog.undo(run)

    assert server.metadata.keys() == {paid}
    assert list(server.edges.values()) == [ends]
    assert [skipped.name for skipped in undone.skipped] == [paid]


def test_relationship_without_pairs_of_columns_has_no_columns(server: UnityLineage, tmp_path: Path) -> None:
    """Databricks' SDK leaves an empty list out."""
    push(server, tmp_path)

    assert ["columns" in edge for edge in server.edges.values()] == [False]
