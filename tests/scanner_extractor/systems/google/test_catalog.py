"""BigQuery and Google's Data Lineage API: repeated records, numbers as text, links page by page, named processes."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.settings.cluster import BearerAuth, HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Lineage, Wanted
from scanner_extractor.systems.google.catalog import dataset_of
from scanner_extractor.systems.google.transport import default_token, google_api_transport
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.scan import SourceStatus

ONE = Wanted(catalogs=("acme",))
LINE = {"name": "price", "type": "NUMERIC", "mode": "REQUIRED", "precision": "8", "scale": "2"}
FIELDS = (
    {"name": "id", "type": "INTEGER", "mode": "REQUIRED", "description": "the shop's number"},
    {"name": "lines", "type": "RECORD", "mode": "REPEATED", "fields": [LINE]},
    {"name": "email", "type": "STRING", "policyTags": {"names": ["projects/acme/…/pii"]}},
)


def test_table_is_read_with_repeated_records_and_times(google, read) -> None:
    """A list reports no columns: each table is queried for, and its numbers come as text."""
    external = {"sourceUris": ["gs://lake/orders/*"], "sourceFormat": "PARQUET", "options": {"password": "zqSECRETzq"}}
    partitions = {"timePartitioning": {"type": "DAY", "field": "day"}}
    reported = google.table("acme.sales.orders", *FIELDS, externalDataConfiguration=external, **partitions)
    table = read("google", google.Google(tables=(reported,)), wanted=ONE, lineage=Lineage.NONE).of(CatalogTable)[0]

    assert (table.namespace, table.name, table.kind, table.table_format) == (
        "bigquery",
        "acme.sales.orders",
        "TABLE",
        "parquet",
    )
    assert (table.created, table.partition_keys, table.symlinks) == (
        "2026-01-01T00:00:00Z",
        ("day",),
        (("gs://lake", "orders"),),
    )
    assert [(c.name, c.logical_type or c.type, c.nullable, c.doc, len(c.tags)) for c in table.columns] == [
        ("id", "INTEGER", False, "the shop's number", 0),
        ("lines", "ARRAY", False, None, 0),
        ("lines.[]", "RECORD", False, None, 0),
        ("lines.[].price", "NUMERIC(8,2)", False, None, 0),
        ("email", "STRING", True, None, 1),
    ]
    assert dict(table.parameters)["numRows"] == "12"
    assert "zqSECRETzq" not in str(table)


def test_lists_are_read_page_by_page_and_only_what_matters(google, read) -> None:
    """Projects are named; datasets and tables may be patterns."""
    names = ("acme.a.t1", "acme.a.t2", "acme.b.t1", "acme.tmp.t1", "other.a.t1")
    server = google.Google(tables=tuple(map(google.table, names)))
    wanted = Wanted(catalogs=("acme",), schemas=("a", "b"), tables=("t*",))
    reading = read("google", server, wanted=wanted, lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == ["acme.a.t1", "acme.a.t2", "acme.b.t1"]
    assert not any("tmp" in requests for requests in server.asked)


LINK = "projects/acme/locations/eu/links/"


def test_links_are_followed_both_ways_and_named_by_their_processes(google, read) -> None:
    """Ten links a page are the default: a hundred are queried for, and every page."""
    text = "bigquery:acme.sales.orders"
    links = tuple((f"{LINK}{n}", f"bigquery:acme.raw.t{n}", text) for n in range(3))
    out = (f"{LINK}9", text, "kafka:broker.example.`shop.orders`")
    texts = {
        f"{LINK}0": ("projects/acme/locations/eu/processes/p1",),
        f"{LINK}1": ("projects/acme/locations/eu/processes/p2",),
    }
    server = google.Google(
        tables=(google.table("acme.sales.orders"),),
        links=(*links, out),
        made=texts,
        titles={"projects/acme/locations/eu/processes/p1": "nightly load"},
    )
    result = read("google", server, wanted=ONE).of(CatalogLink)

    assert [(link.origin_name, link.target_namespace, link.target_name, link.process) for link in result] == [
        ("acme.raw.t0", "bigquery", "acme.sales.orders", "nightly load"),
        ("acme.raw.t1", "bigquery", "acme.sales.orders", "p2"),
        ("acme.raw.t2", "bigquery", "acme.sales.orders", ""),
        ("acme.sales.orders", "kafka://broker.example", "shop.orders", ""),
    ]
    assert {body["pageSize"] for body in server.bodies if "pageSize" in body} == {100}


def test_links_between_columns_are_requested_where_they_are_wanted(google, read) -> None:
    """The answer is a stream: a list of parts."""
    column = {
        "source": {"fullyQualifiedName": "bigquery:acme.raw.t", "field": ["amount"]},
        "target": {"fullyQualifiedName": "bigquery:acme.sales.orders", "field": ["line.price"]},
        "dependencyInfo": [{"dependencyType": "EXACT_COPY"}],
        "processes": [{"process": {"name": "projects/acme/locations/eu/processes/p1"}}],
    }
    whole = {**column, "source": {"fullyQualifiedName": "bigquery:acme.raw.t"}}
    tables = (google.table("acme.sales.orders"),)
    server = google.Google(tables=tables, columns=(column, whole), titles={})
    links = read("google", server, wanted=ONE, lineage=Lineage.COLUMNS).of(CatalogLink)

    assert [(link.origin_path, link.target_path, link.dependency, link.process) for link in links] == [
        (("amount",), ("line", "price"), "EXACT_COPY", "p1")
    ]


@pytest.mark.parametrize("status", [401, 403])
def test_table_that_may_not_be_read_is_named_and_kept(google, read, status) -> None:
    """What was known of it stays."""
    tables = tuple(map(google.table, ("acme.a.open", "acme.a.shut")))
    server = google.Google(tables=tables, refused={"tables/shut": status})
    reading = read("google", server, wanted=ONE, lineage=Lineage.NONE)

    assert [table.name for table in reading.of(CatalogTable)] == ["acme.a.open"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset({"acme.a.shut"}))
    assert reading.outcome.requested == 2


def test_table_that_is_gone_since_it_was_listed_is_left_out(google, read) -> None:
    """It is no problem of anybody's."""
    server = google.Google(tables=tuple(map(google.table, ("acme.a.x", "acme.a.y"))), refused={"tables/y": 404})
    reading = read("google", server, wanted=ONE, lineage=Lineage.NONE)

    assert (reading.outcome.status, [table.name for table in reading.of(CatalogTable)]) == (
        SourceStatus.READ,
        ["acme.a.x"],
    )


def test_answer_of_another_shape_costs_that_table(google, read) -> None:
    """JSON's null is an answer, too."""
    server = google.Google(tables=tuple(map(google.table, ("acme.a.x", "acme.a.y"))))
    whole = server.answer

    def answer(method, target, body=b""):
        return (200, None) if target.endswith("tables/y") else whole(method, target, body)

    reading = read("google", SimpleNamespace(answer=answer), wanted=ONE, lineage=Lineage.NONE)

    assert ([table.name for table in reading.of(CatalogTable)], reading.outcome.unread) == (
        ["acme.a.x"],
        frozenset({"acme.a.y"}),
    )


def test_lineage_without_rights_costs_the_lineage_alone(google, read) -> None:
    """BigQuery and Data Lineage are two services with two roles."""
    reading = read(
        "google", google.Google(tables=(google.table("acme.a.x"),), refused={"searchLinks": 403}), wanted=ONE
    )

    assert (len(reading.of(CatalogTable)), reading.outcome.status) == (1, SourceStatus.PARTIAL)
    assert reading.outcome.reason == "1 of its tables did not report their lineage"


def test_projects_that_are_all_closed_are_refused(google, read) -> None:
    """No project that may be seen is not the same as no table."""
    with pytest.raises(SourceRefused):
        read("google", google.Google(refused={"datasets": 403}), wanted=ONE)


@pytest.mark.parametrize(
    ("qualified", "expected"),
    [
        ("bigquery:p.d.t", ("bigquery", "p.d.t")),
        ("bigquery:`example.com:p`.d.t", ("bigquery", "example.com:p.d.t")),
        ("kafka:broker.example.orders", ("kafka://broker.example", "orders")),
        ("kafka:`b:9092`.`shop.orders`", ("kafka://b:9092", "shop.orders")),
        ("pubsub:topic:p.t", ("pubsub", "topic:p:t")),
        ("path:gs://lake/in/", ("gs://lake", "in")),
        ("gcs:lake.in", ("gs://lake", "in")),
        ("custom:a.b", ("custom", "a.b")),
        ("", None),
        ("x", None),
    ],
)
def test_qualified_names_become_names_of_openlineage(qualified, expected) -> None:
    """So that a topic that Google names meets the topic that Kafka names."""
    assert dataset_of(qualified) == expected


BIGQUERY, LINEAGE = "http://bigquery.example", "http://lineage.example"


def test_each_service_is_requested_at_its_own_address_with_the_token(canned) -> None:
    """A method's colon is not encoded, and a fresh token is taken for each request."""
    tokens = iter(["t1", "t2", "t2"])
    canned.get(re.compile(f"{BIGQUERY}/.*"), json={})
    canned.post(re.compile(f"{LINEAGE}/.*"), json={})
    addresses = {"endpoints": {"bigquery": BIGQUERY, "datalineage": f"{LINEAGE}/"}}
    settings = CatalogSettings(type="google", http=HttpSettings(url="https://googleapis.com"), options=addresses)
    with Http(settings.http, SourceId("x"), exchange=google_api_transport(settings, lambda: next(tokens))) as http:
        http.get("bigquery", "v2", "projects", "a:b", "datasets", params=[("maxResults", 5)])
        http.post("datalineage", "v1", "projects", "p", "locations", "eu:searchLinks", body={})

    assert [(call.request.url, call.request.headers["Authorization"]) for call in canned.calls] == [
        (f"{BIGQUERY}/bigquery/v2/projects/a%3Ab/datasets?maxResults=5", "Bearer t1"),
        (f"{LINEAGE}/v1/projects/p/locations/eu:searchLinks", "Bearer t2"),
    ]


def test_token_of_the_settings_needs_no_chain(canned) -> None:
    """A machine outside Google has no default credentials."""
    canned.get(f"{BIGQUERY}/bigquery/v2", json={})
    http_settings = HttpSettings(url="https://googleapis.com", auth=BearerAuth(token="mine"))
    settings = CatalogSettings(type="google", http=http_settings, options={"endpoints": {"bigquery": BIGQUERY}})
    with Http(settings.http, SourceId("x"), exchange=google_api_transport(settings)) as http:
        http.get("bigquery", "v2")

    assert [call.request.headers["Authorization"] for call in canned.calls] == ["Bearer mine"]


def credentials(url: str = "http://token.example") -> object:
    from google.oauth2.credentials import Credentials

    names = {"refresh_token": "zqREFRESHzq", "client_id": "id", "client_secret": "zqCLIENTzq"}
    return Credentials(None, token_uri=f"{url}/token", **names)  # type: ignore[no-untyped-call]


def test_credentials_that_google_finds_are_renewed_and_kept(canned) -> None:
    """One request for a token, whatever number of requests go by it."""
    canned.post("http://token.example/token", json={"access_token": "fresh", "expires_in": 3600})
    token = default_token(credentials)

    assert [token(), token(), len(canned.calls)] == ["fresh", "fresh", 1]


def test_credentials_that_are_refused_are_reported_without_secrets(canned) -> None:
    """As when somebody logged in a year ago."""
    refused = {"error": "invalid_grant", "error_description": "Token has been revoked."}
    canned.post("http://token.example/token", status=400, json=refused)

    with pytest.raises(SourceRefused) as caught:
        default_token(credentials)()

    assert "revoked" in caught.value.what
    assert "zq" not in f"{caught.value} {caught.value.hint}"


def test_token_server_that_is_not_there_is_no_refusal() -> None:
    """It passes; wrong credentials do not."""
    with pytest.raises(SourceUnreachable):
        default_token(lambda: credentials("http://127.0.0.1:1"))()
