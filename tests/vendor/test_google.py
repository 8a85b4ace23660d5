"""What is sent to Google, and what its fakes answer, judged by Google's discovery documents."""

from __future__ import annotations

import pytest
from catalog_reading import read as read
from google_services import Google, table

from scanner_extractor.settings.sources import Lineage, Wanted
from scanner_model.catalogs import CatalogLink

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.xdist_group("vendor-google")]


def test_every_request_of_a_push_is_one_of_the_lineage_api(sent, judged) -> None:
    exchanges = sent("google")

    assert judged("google", "google", {"document": "datalineage.v1", "exchanges": exchanges}) == []
    assert {each["method"] for each in exchanges} == {"GET", "PATCH", "POST", "DELETE"}
    assert any(link.get("dependencyInfo") for each in exchanges for link in (each["body"] or {}).get("links", ()))


TABLE = "acme.sales.orders"
PLACE = "projects/acme/locations/eu"
COLUMN = {
    "source": {"fullyQualifiedName": "bigquery:acme.raw.t", "field": ["amount"]},
    "target": {"fullyQualifiedName": f"bigquery:{TABLE}", "field": ["line", "price"]},
    "dependencyInfo": [{"dependencyType": "EXACT_COPY"}],
    "processes": [{"process": {"name": f"{PLACE}/processes/p"}}],
}


@pytest.mark.parametrize(("document", "service"), [("bigquery.v2", "/bigquery/"), ("datalineage.v1", "/datalineage/")])
def test_every_request_and_answer_of_the_catalog_is_google_s(document, service, read, recording, judged) -> None:
    fields = ({"name": "id", "type": "INTEGER", "mode": "REQUIRED", "description": "x"}, {"name": "n", "type": "JSON"})
    link = (f"{PLACE}/links/1", "bigquery:acme.raw.t", f"bigquery:{TABLE}")
    server = Google(
        tables=(table(TABLE, *fields),),
        links=(link,),
        made={link[0]: (f"{PLACE}/processes/p",)},
        titles={f"{PLACE}/processes/p": "nightly"},
        columns=(COLUMN,),
    )
    recorder = recording(server)
    assert read("google", recorder, lineage=Lineage.COLUMNS, wanted=Wanted(catalogs=("acme",))).of(CatalogLink)
    listed = [each for each in recorder.exchanges if each["url"].startswith(service)]
    exchanges = [{**each, "url": each["url"].removeprefix("/datalineage")} for each in listed]

    assert exchanges
    assert judged("google", "google", {"document": document, "exchanges": exchanges}) == []


def test_judge_finds_errors(judged) -> None:
    """A judge that accepts everything would prove nothing."""
    place = "http://c/v1/projects/p/locations/l/processes"
    wrong = {"displayName": 3, "colour": "red", "origin": {"sourceType": "NOBODY"}}
    unanswered = {"status": 404, "answer": None}
    exchanges = [
        {"method": "POST", "url": f"{place}?page=x", "body": wrong, **unanswered},
        {"method": "PUT", "url": f"{place}/x", "body": {}, **unanswered},
        {"method": "POST", "url": f"{place}/x/runs", "body": {"startTime": "today"}, **unanswered},
    ]
    problems = " ".join(judged("google", "google", {"document": "datalineage.v1", "exchanges": exchanges}))

    assert all(word in problems for word in ("colour", "3 is not", "NOBODY", "page", "0 methods", "today"))
