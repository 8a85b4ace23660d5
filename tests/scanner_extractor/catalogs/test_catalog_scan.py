"""Catalogs from cluster.json to outcome: what may stand there, what is tried, which kinds there are, captures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import Choice, Mode, kind_tasks, read_sources
from scanner_extractor.settings.cluster import BearerAuth, HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import InputInvalid
from scanner_model.scan import SourceStatus

LEAST = {"cluster": "retail", "brokers": ["kafka-1:9092"]}
UNITY = {"type": "unity", "url": "https://adb.example", "auth": {"bearer": {"token": "zqTOKENzq"}}}


@pytest.fixture
def settings(tmp_path):
    """Read a cluster.json with catalogs."""

    def built(*catalogs: dict[str, object]):
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps(LEAST | {"catalogs": catalogs}))
        return read_cluster_file(file, {}, ["confluent"])

    return built


def problems(settings, *catalogs: dict[str, object]) -> list[tuple[str, str]]:
    with pytest.raises(InputInvalid) as caught:
        settings(*catalogs)
    return [(problem.where.rpartition(" ")[2], problem.what) for problem in caught.value.problems]


def test_every_kind_is_read_with_its_words(settings) -> None:
    """Patterns stand where each kind's own names stand."""
    catalogs = settings(
        UNITY | {"catalogs": ["main"], "schemas": ["s*"], "lineage": "columns", "warehouse": "w", "name": "lake"},
        {"type": "glue", "region": "eu-central-1", "databases": ["lake"], "account": "123456789012", "profile": "prod"},
        {
            "type": "google",
            "projects": ["acme"],
            "datasets": ["sales"],
            "endpoints": {"bigquery": "https://bq.example"},
        },
        {"type": "datazone", "region": "eu-west-1", "domain": "dzd_1", "tables": ["o*"], "lineage": "none"},
    ).catalogs

    assert [str(item.source) for item in catalogs] == [
        "catalog:lake",
        "catalog:glue:eu-central-1:prod:123456789012",
        "catalog:google:acme",
        "catalog:datazone:eu-west-1:dzd_1",
    ]
    assert [item.wanted for item in catalogs] == [
        Wanted(catalogs=("main",), schemas=("s*",)),
        Wanted(schemas=("lake",)),
        Wanted(catalogs=("acme",), schemas=("sales",)),
        Wanted(tables=("o*",)),
    ]
    assert [item.lineage for item in catalogs] == [Lineage.COLUMNS, Lineage.TABLES, Lineage.TABLES, Lineage.NONE]
    assert (catalogs[0].http.auth, catalogs[0].http.requests_per_second) == (BearerAuth(token="zqTOKENzq"), 10.0)
    assert catalogs[2].options["endpoints"] == {"bigquery": "https://bq.example"}


def test_what_a_kind_needs_or_does_not_know_is_reported(settings) -> None:
    """At once, each with its place."""
    assert problems(
        settings,
        {"type": "unty"},
        {"type": "unity", "region": "eu"},
        {"type": "glue"},
        {"type": "google", "projects": ["a"], "endpoints": {"bigquery": "ftp://x"}},
        {"type": "datazone", "region": "eu", "domain": "nope", "url": "https://x"},
    ) == [
        ("$.catalogs[0].type", '"unty": unknown type of catalog'),
        ("$.catalogs[1]", "'url' is missing"),
        ("$.catalogs[1].region", "'region' is not for type unity"),
        ("$.catalogs[2]", "'region' is missing"),
        ("$.catalogs[3].endpoints.bigquery", '"ftp://x" is not a web address'),
        ("$.catalogs[4].domain", '"nope" has an invalid format'),
        ("$.catalogs[4].url", "'url' is not for type datazone"),
    ]


def test_catalog_that_is_named_twice_is_reported(settings) -> None:
    """Two sources with one identity would take each other's tables away; a name of their own reports them apart."""
    glue = {"type": "glue", "region": "eu"}

    assert problems(settings, glue, glue | {"databases": ["a"]}) == [("$.catalogs[1]", "this catalog is named twice")]
    assert problems(settings, glue | {"name": "a"}, UNITY | {"name": "a"}) == [
        ("$.catalogs[1].name", "this catalog is named twice")
    ]
    assert len(settings(glue, glue | {"name": "b"}).catalogs) == 2


def test_catalog_of_a_plug_in_states_where_it_is(settings, install_package) -> None:
    """Its type is known, what it needs is not; it may have what catalogs have in common."""
    install_package("mine", {"scanner.catalogs": {"mine": "scanner_extractor.systems.unity.catalog:read_unity"}})
    placed = {"type": "mine", "url": "https://x.example", "tables": ["a"], "schemas": ["b"]}

    assert problems(settings, {"type": "mine"}, placed) == [("$.catalogs[0]", "'url' is missing")]
    assert settings(placed).catalogs[0].wanted == Wanted(schemas=("b",), tables=("a",))


def test_no_secret_of_a_catalog_is_shown(settings) -> None:
    """Settings stand in logs and tracebacks."""
    assert "zqTOKENzq" not in repr(settings(UNITY))


@pytest.fixture
def lake(unity):
    """Build a metastore with one table."""
    return unity.Unity(tables=(unity.table("main.sales.orders", unity.column("id", "long")),))


def test_catalogs_are_enrichment_and_are_chosen_by_their_kind(settings, unity, lake) -> None:
    """They are queried beside a stored scan, too."""
    with unity.serving(lake) as url:
        sources = read_sources(
            settings(UNITY | {"url": url}), Connections(), choice=Choice(mode=Mode.ENRICH, only=frozenset({"catalog"}))
        )

    assert [
        (outcome.kind, outcome.status, outcome.received) for outcome in sources.outcomes if outcome.kind == "catalog"
    ] == [("catalog", SourceStatus.READ, 1)]


def test_engines_and_iceberg_are_read_with_their_words(settings) -> None:
    """Addresses, warehouses and other addresses are the identity of what they name."""
    iceberg = {"type": "iceberg", "url": "https://lake/api", "warehouse": "a", "aliases": ["http://lake:8181/x"]}
    clickhouse = {"type": "clickhouse", "url": "http://ch:8123", "databases": ["shop"], "aliases": ["ch-1:9000"]}
    catalogs = settings(iceberg | {"namespaces": ["s.*"]}, iceberg | {"warehouse": "b"}, clickhouse).catalogs

    assert [str(item.source) for item in catalogs] == [
        "catalog:iceberg:https://lake/api:a",
        "catalog:iceberg:https://lake/api:b",
        "catalog:clickhouse:http://ch:8123",
    ]
    assert [item.wanted.schemas for item in catalogs] == [("s.*",), (), ("shop",)]
    assert [item.aliases for item in catalogs] == [("http://lake:8181/x",)] * 2 + [("ch-1:9000",)]


def test_wrong_members_of_engines_and_iceberg_are_problems(settings) -> None:
    """Each with its place; an alias of ClickHouse is no URI, one of Iceberg holds no password."""
    assert problems(
        settings,
        {"type": "clickhouse", "url": "http://ch", "aliases": ["http://ch:1/x"], "namespaces": ["a"]},
        {"type": "iceberg", "url": "http://l", "aliases": ["http://u:p@l"]},
        {"type": "iceberg"},
    ) == [
        ("$.catalogs[0].aliases[0]", '"http://ch:1/x" has an invalid format'),
        ("$.catalogs[0].namespaces", "'namespaces' is not for type clickhouse"),
        ("$.catalogs[1].aliases[0]", '"http://l" has an invalid format'),
        ("$.catalogs[2]", "'url' is missing"),
    ]


def test_capture_is_replayed_without_a_network(settings, unity, lake, tmp_path) -> None:
    """A support case is read on another machine."""
    with unity.serving(lake) as url:
        chosen = settings(UNITY | {"url": url})
        (live,) = kind_tasks("catalogs", chosen, Connections(recorder=Recorder(tmp_path / "capture")))
        first = live.run(no_progress)
    (replayed,) = kind_tasks("catalogs", chosen, Connections(replay=Replay(tmp_path / "capture")))

    assert replayed.run(no_progress) == first
    assert "zqTOKENzq" not in "".join(file.read_text() for file in Path(tmp_path / "capture").rglob("*.json"))


@pytest.mark.parametrize("status", [0, 403])
def test_check_tries_to_list_what_holds_tables(settings, unity, lake, status) -> None:
    """One line each, and why not."""
    lake.refused = {"schemas": status} if status else {}
    with unity.serving(lake) as url:
        (result,) = probe_sources(settings(UNITY | {"url": url}), probe=lambda _: "")

    expected = (State.REFUSED, "no right for schemas") if status else (State.OK, "1 schemas")
    assert result.tried == "list schemas"
    assert (result.state, result.detail[-len(expected[1]) :]) == expected


@pytest.mark.parametrize("kind", sorted(CATALOGS.own))
def test_every_kind_is_tried_over_what_it_speaks(
    kind, unity, google, clickhouse, iceberg, olap, aws, exchange, settings
) -> None:
    """A fake stands in for each."""
    from scanner_extractor.config.aws import transport_to_aws
    from scanner_extractor.http.client import Http

    members = {
        "unity": UNITY,
        "clickhouse": {"url": "http://clickhouse:8123", "databases": ["mart"]},
        "iceberg": {"url": "http://iceberg:8181", "namespaces": ["shop"]},
        "druid": {"url": "http://druid:8888"},
        "pinot": {"url": "http://pinot:9000"},
        "glue": {"region": "eu-central-1"},
        "google": {"projects": ["acme"]},
        "datazone": {"region": "eu-central-1", "domain": "dzd_1"},
    }
    (catalog,) = settings({"type": kind} | members[kind]).catalogs
    clients = {"glue": aws.Catalog(tables={"a": ()}), "datazone": aws.DataZone(assets=(aws.asset("a", "a"),))}
    fakes = {
        "unity": unity.Unity(tables=(unity.table("main.s.t"),)),
        "clickhouse": clickhouse.ClickHouse(),
        "iceberg": iceberg.Iceberg(),
        "druid": olap.Druid(),
        "pinot": olap.Pinot(),
        "google": google.Google(tables=(google.table("acme.d.t"),)),
    }
    live = (
        exchange(fakes[kind])
        if kind in fakes
        else transport_to_aws(
            kind, catalog.options, catalog.http, member="x", page="x", connect=lambda: aws.Stubbed(kind, clients[kind])
        )
    )
    with Http(catalog.http, catalog.source, exchange=live) as http:
        (probe,) = CATALOGS[kind].check(catalog, http)
        assert probe.run() == f"1 {probe.tried.removeprefix('list ')}"
    assert (CATALOGS[kind].transport(catalog) is None) is (kind not in ("glue", "google", "datazone"))


def test_plug_in_that_cannot_be_loaded_fails_where_it_reads(install_package) -> None:
    """Nothing else is in its way; the error names package and entry point."""
    install_package("mine", {"scanner.catalogs": {"mine": "nowhere.at:all"}})
    settings = CatalogSettings(type="mine", http=HttpSettings(url="https://x.example"))

    with pytest.raises(InputInvalid) as caught:
        CATALOGS["mine"].read(settings, None, no_progress)  # type: ignore[arg-type]

    assert caught.value.where == "mine scanner.catalogs:mine"
    assert {*CATALOGS.own, "mine"} == set(CATALOGS)


def test_plug_in_that_is_a_reader_reads_as_ours_do_and_check_loads_it(install_package, unity, lake, exchange) -> None:
    """Only its author knows which request would be cheap."""
    from scanner_extractor.http.client import Http

    install_package("mine", {"scanner.catalogs": {"mine": "scanner_extractor.systems.unity.catalog:read_unity"}})
    settings = CatalogSettings(type="mine", http=HttpSettings(url="https://x.example"))

    with Http(settings.http, settings.source, exchange=exchange(lake)) as http:
        assert len(CATALOGS["mine"].read(settings, http, no_progress).of(CatalogTable)) == 1
        assert [(probe.tried, probe.run()) for probe in CATALOGS["mine"].check(settings, http)] == [
            ("load the plug-in", "mine 1.0")
        ]
