"""Whatever a server answers is an error of ours or a reading, for every kind of catalog, and never without an end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.scan import SourceStatus as Outcome

LISTS = {
    "unity": ("catalogs", "schemas", "tables", "next_page_token"),
    "glue": ("DatabaseList", "TableList", "NextToken"),
    "google": ("datasets", "tables", "links", "nextPageToken"),
    "datazone": ("items", "nextToken"),
    "iceberg": ("namespaces", "identifiers", "next-page-token"),
    "clickhouse": ("data", ""),
    "druid": ("supervisors", ""),
    "pinot": ("tables", ""),
}
PAGED = [kind for kind in CATALOGS.own if LISTS[kind][-1]]
ENTRY = {
    "name": "x",
    "Name": "x",
    "datasetReference": {"datasetId": "d"},
    "tableReference": {"projectId": "p", "datasetId": "d", "tableId": "t"},
    "assetItem": {"identifier": "a", "name": "a"},
}


def settings(kind: str) -> CatalogSettings:
    return CatalogSettings(
        type=kind,
        http=HttpSettings(url="https://x.example", concurrency=2),
        options={"region": "eu", "domain": "dzd_1"},
        wanted=Wanted(catalogs=("p",) if kind == "google" else ()),
        lineage=Lineage.COLUMNS,
    )


def read(kind: str, exchange: Transport) -> Reading:
    chosen = settings(kind)
    with Http(chosen.http, chosen.source, exchange=exchange) as http:
        return CATALOGS[kind].read(chosen, http, no_progress)


def always(status: int, body: bytes) -> Transport:
    return lambda _: Response(status=status, body=body)


@pytest.mark.parametrize("kind", CATALOGS.own)
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (401, b"{}", SourceRefused),
        (403, b'{"message": "no"}', SourceRefused),
        (404, b"", ScannerError),
        (429, b"<html>slow down</html>", SourceUnreachable),
        (500, b"oops", SourceUnreachable),
        (200, b"<html>log in</html>", PayloadUnexpected),
        (200, b'{"tables": [{"na', PayloadUnexpected),
        (200, b"null", PayloadUnexpected),
        (200, b"[]", PayloadUnexpected),
        (200, b"7", PayloadUnexpected),
    ],
)
def test_failure_of_the_first_list_is_one_clear_error(kind, status, body, error) -> None:
    """The runner makes one line of it, and what is known stays; a list of nothing is what Druid answers without any."""
    if (kind, body) == ("druid", b"[]"):
        return
    with pytest.raises(error):
        read(kind, always(status, body))


@pytest.mark.parametrize("kind", CATALOGS.own)
def test_answer_without_the_list_that_it_must_have_is_no_catalog_without_tables(kind) -> None:
    """A gateway or a maintenance page may answer so; what is known of the catalog stays."""
    with pytest.raises(PayloadUnexpected):
        read(kind, always(200, b"{}"))


def endless(kind: str, entries: Callable[[int], list[object]]) -> Transport:
    *lists, token = LISTS[kind]
    numbers = itertools.count()

    def query(_: Request) -> Response:
        number = next(numbers)
        members = {name: entries(number) for name in lists} | {token: f"page-{number}"}
        return Response(status=200, body=json.dumps(members).encode())

    return query


@pytest.mark.parametrize("kind", PAGED)
@pytest.mark.parametrize("entries", [lambda _: [], lambda _: [ENTRY]], ids=["empty", "the same"])
def test_pages_without_an_end_are_refused(kind, entries) -> None:
    """With a new token each time; where something was read before, it is kept as a part."""
    try:
        reading = read(kind, endless(kind, entries))
    except PayloadUnexpected:
        return

    assert (reading.outcome.status, reading.outcome.unread) == (Outcome.PARTIAL, frozenset())


@pytest.mark.parametrize("kind", CATALOGS.own)
@pytest.mark.parametrize("member", [5, "x", {"a": 1}, [1, None, [], {}, {"name": 3}, {"Name": {}}, {"assetItem": 1}]])
def test_lists_of_another_shape_are_refused_or_left_out(kind, member) -> None:
    """No form of answer ends in a defect of ours."""
    body = json.dumps(dict.fromkeys(LISTS[kind][:-1], member)).encode()
    try:
        reading = read(kind, always(200, body))
    except ScannerError:
        return

    assert reading.of(CatalogTable) == ()


@pytest.mark.parametrize("kind", [kind for kind in CATALOGS.own if kind not in ("druid", "pinot")])
def test_new_members_and_new_words_are_kept_or_ignored(kind) -> None:
    """Services grow: what nobody knows yet is in the parameters. Druid and Pinot list settings, even secret ones."""
    whole = ENTRY | {
        "catalog_name": "c",
        "schema_name": "s",
        "id": "a",
        "NewMember": {"deep": [1]},
        "table_type": "NEW",
        "TableType": "NEW",
        "table": "x",
        "type": "NEW",
    }
    lists = {name: [whole] for name in LISTS[kind][:-1]}
    levels = {"namespaces": [["s"]], "metadata": whole | {"schema": {"fields": []}}} if kind == "iceberg" else {}
    body = json.dumps(whole | lists | levels).encode()
    (table,) = read(kind, always(200, body)).of(CatalogTable)

    assert dict(table.parameters)["NewMember"] == '{"deep":[1]}'
