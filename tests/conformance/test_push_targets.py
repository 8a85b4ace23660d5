"""Every target of a push: pushed twice, changed, undone, refused half-way, interrupted and repeated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aws_catalogs import AT
from aws_push import DataZoneEvents, GlueTables
from datahub_server import DataHubServer
from google_lineage import GoogleLineage
from openmetadata_server import OpenMetadataServer
from push_world import TRUTH, Catalog, Json, installation, settings
from unity_lineage import UnityLineage

from scanner_extractor.http.messages import Request
from scanner_extractor.push_targets import target_names
from scanner_extractor.settings.push import IdentityRow
from scanner_model.errors import DictionaryUnusable, InputInvalid, ScannerError, SourceUnreachable

pytestmark = pytest.mark.slow


class Case(NamedTuple):
    """A fake of a target: its server, options of the settings, which of its requests write, and flows of its own."""

    server: Callable[[], Any]
    options: dict[str, Any]
    is_write: Callable[[Request], bool]
    flows: tuple[Json, ...] = ()


SHOP = IdentityRow(namespace="postgres", service="pg")


def openmetadata() -> OpenMetadataServer:
    """Return an OpenMetadata that has ingested the table."""
    column = {"name": "total", "dataType": "INT", "fullyQualifiedName": "pg.shop.public.orders.total"}
    table = {"id": "id-0", "name": "orders", "columns": [column]}
    return OpenMetadataServer(entities={"tables": {"pg.shop.public.orders": table}})


AWS = {"region": "eu-central-1"}
PARENT = "projects/acme/locations/eu"


def glue_table(name: str) -> Json:
    """Return a table of Glue as manual input names it."""
    return {"namespace": "arn:aws:glue:eu-central-1:123456789012", "name": f"table/lake/{name}"}


def glue() -> GlueTables:
    """Return a Glue with two tables, which have a parameter of somebody else."""
    about = {"DatabaseName": "lake", "CatalogId": "123456789012", "CreateTime": AT, "VersionId": "1"}
    more = {"Parameters": {"classification": "parquet"}, "StorageDescriptor": {"Location": "s3://lake/x"}}
    tables = {f"lake/{name}": {"Name": name, **about, **more} for name in ("billed", "loaded")}
    return GlueTables(settings=settings("glue", options=AWS), tables=tables)


def datazone() -> DataZoneEvents:
    """Return an empty DataZone."""
    return DataZoneEvents(settings=settings("datazone", options=AWS | {"domain": "dzd_4ab1"}))


ID = [{"from": "id", "to": "id"}]
GLUE_FLOWS = (
    {"job": "bill", "from": "orders", "to": glue_table("billed"), "columns": ID},
    {"job": "load", "from": "orders", "to": glue_table("loaded"), "columns": ID},
)
OTHER = {"job": "other", "from": "orders", "to": {"namespace": "postgres://h:5432", "name": "shop.public.other"}}

CASES = {
    "glue": Case(glue, {"options": AWS}, lambda request: "Get" not in request.url, GLUE_FLOWS),
    "datazone": Case(datazone, {"options": AWS | {"domain": "dzd_4ab1"}}, lambda _: True, (OTHER,)),
    "datahub": Case(DataHubServer, {}, lambda request: not request.url.endswith("batchGet")),
    "unity": Case(UnityLineage, {}, lambda request: request.method != "GET"),
    "google": Case(GoogleLineage, {"options": {"parent": PARENT}}, lambda request: request.method != "GET"),
    "openmetadata": Case(openmetadata, {"identity": (SHOP,)}, lambda request: request.method != "GET"),
}


@pytest.fixture(params=target_names())
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Catalog:
    """Return an empty catalog of each kind, and a graph to push."""
    case = CASES[request.param]
    world = installation(tmp_path)
    if case.flows:
        world.flows = [*(() if request.param == "glue" else world.flows), *case.flows]
        world.scan()
    return Catalog(case.server(), settings(request.param, **case.options), world, case.is_write)


def grown(catalog: Catalog) -> None:
    """Add a column and a job to the installation, and remove a job."""
    world = catalog.world
    world.topics["paid"] += ("currency",)
    copy = {"job": "copy", "from": "orders", "to": "paid", "columns": [{"from": "email", "to": "currency"}]}
    world.flows = [world.flows[0], copy, *world.flows[2:]]
    world.scan()


def test_every_target_has_a_fake() -> None:
    assert CASES.keys() == set(target_names())


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


@pytest.mark.parametrize("fails_reads", [True, False])
def test_objects_that_the_server_fails_for_do_not_keep_others_back(catalog: Catalog, *, fails_reads: bool) -> None:
    catalog.failing, catalog.fails_reads = frozenset({"bill"}), fails_reads
    first = catalog.push()

    assert first.stopped is None
    assert any("NullPointerException" in refusal.reason for refusal in first.refused)
    assert first.written
    catalog.failing = frozenset()
    assert not catalog.push().is_partial
    assert catalog.push().written == 0


def test_what_the_server_fails_for_is_not_removed(catalog: Catalog) -> None:
    """What could not be read is in the graph still, and so are its edges."""
    catalog.push()
    before = catalog.server.state()
    catalog.failing = frozenset({"bill"})

    failed = catalog.push()

    assert failed.counts["remove"] == 0
    assert catalog.server.state() == before


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


NOT_ITS_OWN = ({}, [], {"errors": [{"message": "quota"}], "status": "FAILED"}, None)
"""What a proxy or a wrong address may answer with status 200."""
BLIND = frozenset({"datazone"})
"""Targets that cannot read back what they were sent."""


@pytest.fixture
def readable(catalog: Catalog) -> Catalog:
    """Return a catalog of each kind that can be read."""
    if catalog.settings.target in BLIND:
        pytest.skip("events cannot be read back")
    return catalog


def push_in_vain(catalog: Catalog) -> None:
    """Push, and check that nothing is reported as written."""
    try:
        result = catalog.push()
    except ScannerError:
        return
    assert (result.written, result.run) == (0, None)
    assert result.refused


def test_write_that_another_server_answers_is_sent_again(catalog: Catalog) -> None:
    before = catalog.server.state()
    for answer in NOT_ITS_OWN:
        catalog.write_answer = answer
        push_in_vain(catalog)
        assert catalog.server.state() == before
    catalog.write_answer = TRUTH

    again = catalog.push()

    assert again.written
    assert not again.refused
    assert catalog.push().written == 0


def test_nothing_is_written_or_undone_while_another_server_answers_reads(readable: Catalog) -> None:
    """An answer that is not the catalog's is no empty catalog: what others wrote would be replaced, then removed."""
    run = readable.push().run
    before = readable.server.state()
    grown(readable)
    for answer in NOT_ITS_OWN:
        readable.read_answer = answer
        if readable.settings.target != "datahub" or answer != []:  # its answer for entities that it does not have
            push_in_vain(readable)
        with pytest.raises(ScannerError):
            readable.undo(run)
        assert readable.server.state() == before
    readable.read_answer = TRUTH

    assert readable.undo(run).written


def test_write_that_the_catalog_answers_and_forgets_is_sent_again(readable: Catalog) -> None:
    readable.forgets = True
    push_in_vain(readable)
    readable.forgets = False

    again = readable.push()

    assert not again.refused
    assert readable.push().written == 0


def test_undo_that_the_catalog_answers_and_forgets_can_be_repeated(readable: Catalog) -> None:
    empty = readable.server.state()
    run = readable.push().run
    pushed = readable.server.state()
    readable.forgets = True
    with suppress(ScannerError):
        assert readable.undo(run).is_partial
    assert readable.server.state() == pushed
    readable.forgets = False

    readable.undo(run)

    assert readable.server.state() == empty


DAMAGES = (
    "UPDATE write SET ours = '{', restore = '{'",
    "UPDATE write SET restore = '[1]'",
    "UPDATE write SET restore = NULL, created = 0",
    "DELETE FROM write",
    "DROP TABLE write",
    "UPDATE write SET ours = CAST(x'ff00ff' AS TEXT), restore = CAST(x'ff00ff' AS TEXT)",
)


def test_damaged_journal_is_an_error_that_says_what_to_do(catalog: Catalog) -> None:
    run = catalog.push().run
    before = catalog.server.state()
    journal = catalog.world.directory / "d.db.push"
    intact = journal.read_bytes()

    for damage in DAMAGES:
        with closing(sqlite3.connect(journal)) as conn:
            conn.executescript(damage)
        with pytest.raises(DictionaryUnusable, match="damaged") as raised:
            catalog.undo(run)
        assert "d.db.push" in raised.value.where
        assert "restore the file" in raised.value.hint
        assert catalog.server.state() == before
        journal.write_bytes(intact)
    assert catalog.undo(run).written


def test_catalog_that_was_emptied_is_no_undone_run(readable: Catalog) -> None:
    run = readable.push().run
    for name in ("entities", "metadata", "edges", "resources", "tables"):
        if hasattr(readable.server, name):
            setattr(readable.server, name, {})

    with pytest.raises(ScannerError, match="nothing of what run"):
        readable.undo(run)
