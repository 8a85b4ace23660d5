"""Pushes that end half-way, and catalogs that others write into: nothing is lost, nothing of others is touched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from datahub_server import DataHubServer
from push_world import Catalog, installation, settings
from sqlalchemy import create_engine, text

from scanner_extractor.settings.cluster import BearerAuth
from scanner_extractor.settings.push import Schemas
from scanner_model.errors import NotFound, SourceUnreachable

pytestmark = pytest.mark.slow

Json = Any

PAID = "urn:li:dataset:(urn:li:dataPlatform:kafka,paid,PROD)"
LOAD = "urn:li:dataJob:(urn:li:dataFlow:(scanner,kafka://b:9092,PROD),load)"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Return an empty DataHub."""
    writes = lambda request: not request.url.endswith("batchGet")  # noqa: E731
    return Catalog(DataHubServer(), settings("datahub"), installation(tmp_path), writes)


def fields(catalog: Catalog) -> list[str]:
    """Return the field paths of the topic `paid` in the catalog."""
    return [entry["fieldPath"] for entry in catalog.server.entities[PAID]["schemaMetadata"]["fields"]]


def grow(catalog: Catalog) -> None:
    """Add a column to the topic `paid`."""
    catalog.world.topics["paid"] += ("currency",)
    catalog.world.scan()


def test_change_that_did_not_reach_the_catalog_is_sent_again(catalog: Catalog) -> None:
    """The state before is ours still, though the journal has recorded the one that was to replace it."""
    catalog.push()
    grow(catalog)
    catalog.away_after = 0
    with pytest.raises(SourceUnreachable):
        catalog.push()
    catalog.away_after = None

    catalog.push()

    assert fields(catalog) == ["id", "sum", "currency"]


def test_removal_that_did_not_reach_the_catalog_is_sent_again(catalog: Catalog) -> None:
    catalog.push()
    catalog.world.flows.pop()
    catalog.world.scan()
    catalog.away_after = 0
    with pytest.raises(SourceUnreachable):
        catalog.push()
    catalog.away_after = None

    catalog.push()

    assert LOAD not in catalog.server.entities


def test_unreadable_answer_to_a_write_does_not_make_it_somebody_elses(catalog: Catalog) -> None:
    """The catalog may have taken what it answered with a page of a proxy, or what a retry finds there (409)."""
    answer = catalog.server.answer

    def broken(method: str, url: str, body: str) -> tuple[int, Json]:
        status, value = answer(method, url, body)
        return (status, value) if url.endswith("batchGet") else (409, {"message": "exists"})

    catalog.server = _Server(catalog.server, broken)
    assert catalog.push().refused
    catalog.server = catalog.server.inner
    grow(catalog)

    catalog.push()

    assert fields(catalog) == ["id", "sum", "currency"]


class _Server:
    """A server whose answers are others."""

    def __init__(self, inner: Any, answer: Any) -> None:
        self.inner, self.answer = inner, answer


def test_address_that_answers_404_without_json_is_no_empty_catalog(catalog: Catalog) -> None:
    catalog.push()
    before = catalog.server.state()
    catalog.world.flows.pop()
    catalog.world.scan()
    catalog.server = _Server(catalog.server, lambda *_: (404, None))

    with pytest.raises(NotFound):
        catalog.push()

    catalog.server = catalog.server.inner
    assert catalog.server.state() == before
    assert catalog.push().counts["remove"]


def test_nothing_is_removed_while_a_source_could_not_be_read(catalog: Catalog) -> None:
    catalog.push()
    catalog.world.flows.pop()
    catalog.world.scan()
    url = f"sqlite:///{catalog.world.directory / 'd.db'}"
    with create_engine(url).begin() as conn:
        conn.execute(text("UPDATE source SET stale_since = 1, stale_reason = 'away'"))

    held = catalog.push()

    assert LOAD in catalog.server.entities
    assert any("not removed" in skipped.reason for skipped in held.skipped)
    catalog.world.scan()
    assert catalog.push().counts["remove"]


def test_entity_that_others_deleted_is_not_created_by_an_undo(catalog: Catalog) -> None:
    catalog.server.entities[PAID] = {"globalTags": {"tags": [{"tag": "urn:li:tag:theirs"}]}}
    run = catalog.push().run
    del catalog.server.entities[PAID]

    catalog.undo(run)

    assert catalog.server.entities == {}


def test_schema_that_others_wrote_since_is_not_written_over_by_an_undo(catalog: Catalog) -> None:
    kind = {"type": {"com.linkedin.schema.StringType": {}}}
    named = {"schemaName": "paid", "platform": "urn:li:dataPlatform:kafka", "version": 0, "hash": "x"}
    theirs = {"schemaMetadata": {**named, "platformSchema": {}, "fields": []}}
    catalog.server.entities[PAID] = theirs
    catalog.settings = settings("datahub", schemas=Schemas.ALL)
    run = catalog.push().run
    field = {"fieldPath": "new", "type": kind, "nativeDataType": "string"}
    newer = theirs["schemaMetadata"] | {"fields": [field]}
    catalog.server.entities[PAID]["schemaMetadata"] = newer

    catalog.undo(run)

    assert catalog.server.entities[PAID] == {"schemaMetadata": newer}


def test_token_is_in_no_plan_journal_or_error(catalog: Catalog) -> None:
    """A catalog that echoes the header of a request gets no secret into what is shown or stored."""
    token = "s3cr3t-t0ken-of-the-catalog"
    http = catalog.settings.http
    catalog.settings = replace(catalog.settings, http=replace(http, auth=BearerAuth(token=token)))
    catalog.server = _Server(catalog.server, _echo(catalog.server.answer, token))

    result = catalog.push()

    assert result.refused
    journal = (catalog.world.directory / "d.db.push").read_bytes()
    assert token not in repr(result)
    assert token.encode() not in journal


def _echo(answer: Any, token: str) -> Any:
    """Return the answers of a server that refuses jobs with the header that it got."""

    def echoed(method: str, url: str, body: str) -> tuple[int, Json]:
        if url.endswith("batchGet") or "dataJob" not in url:
            return answer(method, url, body)
        return 400, {"message": f"Authorization: Bearer {token}"}

    return echoed
