"""What is sent to Databricks, and what its fakes answer, judged by Databricks' SDK."""

from __future__ import annotations

from importlib import import_module

import pytest
from catalog_reading import read as read

from scanner_extractor.settings.sources import Lineage, Wanted
from scanner_model.catalogs import CatalogTable

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.xdist_group("vendor-unity")]


def test_every_request_of_a_push_is_one_of_the_sdk(sent, judged) -> None:
    exchanges = sent("unity")

    assert judged("unity", "unity", exchanges) == []
    assert {each["method"] for each in exchanges} == {"GET", "PATCH", "POST", "DELETE"}


def test_every_request_and_answer_of_the_catalog_is_one_of_the_sdk(read, recording, judged) -> None:
    """Lineage of tables and columns is an API that the SDK does not have."""
    unity = import_module("unity_server")
    columns = (unity.column("id", "long", 0, comment="x"), unity.column("at", unity.ADDRESS, 1))
    recorder = recording(unity.Unity(tables=(unity.table("main.shop.orders", *columns, comment="all orders"),), page=9))
    assert read("unity", recorder, lineage=Lineage.TABLES, wanted=Wanted(catalogs=("main",))).of(CatalogTable)

    assert judged("unity", "unity", recorder.exchanges) == []
    assert sum("/unity-catalog/" in each["url"] for each in recorder.exchanges) > 1


def test_judge_finds_errors(judged) -> None:
    """A judge that accepts everything would prove nothing."""
    place = "http://c/api/2.0/lineage-tracking"
    metadata = {"name": "a", "system_type": "NOBODY", "entity_type": "Topic", "colour": "red"}
    answer = {"name": "a", "system_type": "KAFKA", "entity_type": "Topic", "shade": "red"}
    exchanges = [
        {"method": "POST", "url": f"{place}/external-metadata", "body": metadata, "status": 200, "answer": answer},
        {"method": "GET", "url": f"{place}/nothing", "body": None, "status": 404, "answer": None},
    ]
    problems = " ".join(judged("unity", "unity", exchanges))

    assert all(word in problems for word in ("NOBODY", "colour", "shade", "no such request"))
