"""OpenMetadata: tags beside those of others, topics that others describe, numbers that are not invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openmetadata_server import OpenMetadataServer
from push_world import Catalog, installation, settings

pytestmark = pytest.mark.slow

Json = Any

PAID = '"b:9092".paid'.replace('"', "")
THEIRS = {"tagFQN": "Tier.One", "source": "Classification", "labelType": "Manual", "state": "Confirmed", "style": {}}


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Return an OpenMetadata with one tag."""
    server = OpenMetadataServer(entities={"tags": {"Sales.Orders": {"id": "id-0", "name": "Orders"}}})
    return Catalog(server, settings("openmetadata"), installation(tmp_path), lambda request: request.method != "GET")


def tags(catalog: Catalog) -> list[str]:
    """Return the tags of the topic `paid`."""
    return [entry["tagFQN"] for entry in catalog.server.entities["topics"][PAID].get("tags", [])]


def test_tags_are_added_beside_those_of_others_and_taken_back(catalog: Catalog) -> None:
    catalog.push()
    catalog.server.entities["topics"][PAID]["tags"] = [THEIRS]
    catalog.world.tags["paid"] = ["Sales.Orders", "Sales.Unknown"]
    catalog.world.scan()

    result = catalog.push()

    assert tags(catalog) == ["Tier.One", "Sales.Orders"]
    assert [skipped.name for skipped in result.skipped if "tag" in skipped.reason] == ["Sales.Unknown"]
    catalog.undo(result.run)
    assert catalog.server.entities["topics"][PAID]["tags"] == [THEIRS]


def test_topic_that_others_tagged_is_not_removed(catalog: Catalog) -> None:
    run = catalog.push().run
    catalog.server.entities["topics"][PAID]["tags"] = [THEIRS]

    catalog.undo(run)

    assert catalog.server.entities["topics"].keys() == {PAID}


def test_number_of_partitions_is_that_of_the_topic(catalog: Catalog) -> None:
    catalog.push()

    assert catalog.server.entities["topics"][PAID]["partitions"] == 3


def test_topic_of_unknown_partitions_is_skipped_and_said(catalog: Catalog) -> None:
    """OpenMetadata requires a number of a topic that it does not have, and none is invented."""
    catalog.world.partitions = None
    catalog.world.scan()

    result = catalog.push()

    assert not catalog.server.entities.get("topics")
    assert {skipped.name for skipped in result.skipped} >= {"orders", "paid"}


def test_topic_that_others_drew_an_edge_from_is_not_removed(catalog: Catalog) -> None:
    """Removing a topic takes all of its edges away."""
    run = catalog.push().run
    edge = f"topic|name|{PAID}|topic|name|b:9092.theirs"
    catalog.server.entities["topics"]["b:9092.theirs"] = {"id": "id-theirs"}
    catalog.server.edges[edge] = {"source": "Manual"}

    undone = catalog.undo(run)

    assert catalog.server.entities["topics"].keys() == {PAID, "b:9092.theirs"}
    assert catalog.server.edges.keys() == {edge}
    assert [skipped.name for skipped in undone.skipped] == [PAID]
