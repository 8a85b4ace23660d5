"""Every target of a push: pushed twice, changed, undone, refused half-way, interrupted and repeated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from datahub_server import DataHubServer
from google_lineage import GoogleLineage
from openmetadata_server import OpenMetadataServer
from push_world import Catalog, installation, settings
from unity_lineage import UnityLineage

from scanner_api.push.targets import TARGETS
from scanner_extractor.http.messages import Request
from scanner_extractor.settings.push import IdentityRow
from scanner_model.errors import InputInvalid, SourceUnreachable

Json = Any


class Case(NamedTuple):
    """A fake of a target: its server, options of the settings, and which of its requests write."""

    server: Callable[[], Any]
    options: dict[str, Any]
    is_write: Callable[[Request], bool]


SHOP = IdentityRow(namespace="postgres", service="pg")


def openmetadata() -> OpenMetadataServer:
    """Return an OpenMetadata that has ingested the table."""
    column = {"name": "total", "dataType": "INT", "fullyQualifiedName": "pg.shop.public.orders.total"}
    table = {"id": "id-0", "name": "orders", "columns": [column]}
    return OpenMetadataServer(entities={"tables": {"pg.shop.public.orders": table}})


CASES = {
    "datahub": Case(DataHubServer, {}, lambda request: not request.url.endswith("batchGet")),
    "unity": Case(UnityLineage, {}, lambda request: request.method != "GET"),
    "google": Case(GoogleLineage, {"parent": "projects/acme/locations/eu"}, lambda request: request.method != "GET"),
    "openmetadata": Case(openmetadata, {"identity": (SHOP,)}, lambda request: request.method != "GET"),
}


@pytest.fixture(params=TARGETS)
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """Return an empty catalog of each kind, and a graph to push."""
    case = CASES[request.param]
    return Catalog(case.server(), settings(request.param, **case.options), installation(tmp_path), case.is_write)


def grown(catalog: Catalog) -> None:
    """Add a column and a job to the installation, and remove a job."""
    world = catalog.world
    world.topics["paid"] += ("currency",)
    world.flows = [world.flows[0], {"job": "copy", "from": "orders", "to": "paid", "columns": []}]
    world.flows[1]["columns"] = [{"from": "email", "to": "currency"}]
    world.scan()


def test_every_target_has_a_fake() -> None:
    assert CASES.keys() == TARGETS.keys()


def test_second_push_sends_nothing_that_writes(catalog: Catalog) -> None:
    first = catalog.push()
    assert first.written
    assert not first.refused

    second = catalog.push()

    assert catalog.writes == []
    assert (second.run, second.written, second.unchanged) == (None, 0, first.written + first.unchanged)


def test_plan_writes_nothing_and_lists_what_a_push_does(catalog: Catalog) -> None:
    before = catalog.server.state()
    plan = catalog.push(dry_run=True)
    assert (catalog.writes, catalog.server.state()) == ([], before)

    done = catalog.push()

    assert done.counts == plan.counts
    assert [call.method for call in plan.requests] == [request.method for request in catalog.writes]


def test_only_the_difference_is_pushed_after_a_change(catalog: Catalog) -> None:
    """What is pushed after a change is what a push of the changed installation alone leaves."""
    catalog.push()
    grown(catalog)

    result = catalog.push()

    assert result.written
    assert result.unchanged
    assert catalog.push().written == 0


def test_undone_push_leaves_the_catalog_as_it_was(catalog: Catalog) -> None:
    states = [catalog.server.state()]
    runs = [catalog.push().run]
    states.append(catalog.server.state())
    grown(catalog)
    runs.append(catalog.push().run)
    with pytest.raises(InputInvalid):
        catalog.undo(runs[0])

    catalog.undo(runs[1])
    assert catalog.server.state() == states[1]
    catalog.undo(runs[0])
    assert catalog.server.state() == states[0]
    assert catalog.push().written


def test_refused_objects_do_not_keep_others_back(catalog: Catalog) -> None:
    catalog.server.refused = frozenset({"bill"})
    first = catalog.push()

    assert first.refused
    assert first.written
    assert any("refused" in refusal.reason for refusal in first.refused)
    catalog.server.refused = frozenset()
    second = catalog.push()
    assert second.written >= len(first.refused)
    assert not second.refused
    assert catalog.push().written == 0


def test_interrupted_push_is_repeated_and_undone(catalog: Catalog) -> None:
    empty = catalog.server.state()
    catalog.away_after = 1
    first = catalog.push()
    assert isinstance(first.stopped, SourceUnreachable)
    catalog.away_after = None

    second = catalog.push()

    assert not second.is_partial
    assert catalog.push().written == 0
    for run in (second.run, first.run):
        catalog.undo(run)
    assert catalog.server.state() == empty


def test_catalog_that_is_away_is_an_error(catalog: Catalog) -> None:
    catalog.away_after = 0

    with pytest.raises(SourceUnreachable):
        catalog.push()
