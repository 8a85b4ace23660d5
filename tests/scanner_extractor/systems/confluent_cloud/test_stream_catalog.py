"""Stream catalogs: what lands where, what GraphQL adds, and what a catalog refuses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.confluent_cloud.settings import StreamCatalogSettings
from scanner_extractor.systems.confluent_cloud.stream_catalog import (
    NO_GRAPHQL,
    read_entity,
    read_graphql_entity,
    read_stream_catalog,
)
from scanner_model.catalogs import Annotation
from scanner_model.errors import PayloadUnexpected, SourceRefused
from scanner_model.names import SourceId
from scanner_model.payload import Payload
from scanner_model.scan import SourceStatus

NO_PAUSE = Clock(pause=lambda _: None)
SOURCE = SourceId("stream_catalog:x")

Read = Callable[..., Reading]


@pytest.fixture
def read(cloud) -> Read:
    """Read a fake catalog over loopback, as the cluster `lkc-1`; `asked` fills up with the requests."""

    def query(*entities: Any, fields: bool = True, **members: Any) -> Reading:
        with cloud.serving(cloud.Cloud(entities=entities, **members)) as url:
            settings = StreamCatalogSettings(http=HttpSettings(url=url), cluster="lkc-1", fields=fields)
            with Http(settings.http, settings.source, clock=NO_PAUSE) as http:
                return read_stream_catalog(settings, http, no_progress)

    return query


def entity(kind: str, name: str, own: str = "", tags: Any = ("PII",), **attributes: Any) -> dict[str, Any]:
    members = {"qualifiedName": name, "name": own or name.rpartition(":")[2], **attributes}
    return {
        "typeName": kind,
        "guid": name,
        "status": "ACTIVE",
        "classificationNames": list(tags),
        "attributes": members,
    }


def about(kind: str, name: str, own: str = "") -> Annotation | None:
    return read_entity(Payload(entity(kind, name, own)), kind, NO_GRAPHQL, SOURCE, "lkc-1")


def test_tag_lands_on_the_right_clusters_topic_only(read: Read) -> None:
    """Two clusters of an environment may each have a topic `orders`."""
    local = entity("kafka_topic", "lsrc-7:lkc-1:orders", owner="sales", ownerEmail="s@x", description="All orders.")

    annotations = read(local, entity("kafka_topic", "lsrc-7:lkc-2:orders", tags=["PUBLIC"])).of(Annotation)
    assert [(annotation.topic, annotation.tags, annotation.owner) for annotation in annotations] == [
        ("orders", ("PII",), "sales")
    ]
    assert (annotations[0].owner_email, annotations[0].description) == ("s@x", "All orders.")


def test_what_nobody_wrote_about_is_left_out(read: Read) -> None:
    """A catalog lists everything; only what people wrote is worth a row. Deleted things are not there."""
    deleted = entity("kafka_topic", "lsrc-7:lkc-1:gone") | {"status": "DELETED"}

    result = read(entity("kafka_topic", "lsrc-7:lkc-1:plain", tags=[]), deleted)
    assert result.of(Annotation) == ()
    assert result.outcome.status is SourceStatus.READ


def test_search_goes_on_to_the_last_page(read: Read) -> None:
    """500 entities a page: requests grow with pages."""
    topics = [entity("kafka_topic", f"lsrc-7:lkc-1:t{number:04}") for number in range(1203)]

    result = read(*topics)
    assert len(result.of(Annotation)) == 1203
    assert result.outcome.requests < 15


def test_graphql_adds_business_metadata_and_connectors_topics(read: Read) -> None:
    """A search does not tell them; collections that nobody set are null."""
    metadata = [{"name": "Team.cost_center", "value": 42}, {"name": "Team.lead", "value": "Ann"}]
    topic = {"qualifiedName": "lsrc-7:lkc-1:orders", "tags": None, "business_metadata": metadata}
    connector = {"qualifiedName": "lcc-9:s3", "name": "s3", "tags": None, "business_metadata": None}
    sinks = connector | {"topics": [{"name": "orders"}, {"name": "archive"}]}

    annotations = read(graphql={"kafka_topic": (topic,), "cn_connector": (sinks,)}).of(Annotation)
    assert [(annotation.kind, annotation.connector_topics) for annotation in annotations] == [
        ("cn_connector", ("archive", "orders")),
        ("kafka_topic", None),
    ]
    assert annotations[1].business_metadata == (("Team.cost_center", "42"), ("Team.lead", '"Ann"'))
    assert annotations[0].connector == "s3"


def test_essentials_package_has_no_graphql_and_is_read_all_the_same(read: Read) -> None:
    """That is no failure: the answer is whole, and the report says what is missing and why."""
    result = read(entity("kafka_topic", "lsrc-7:lkc-1:orders"), graphql=None)

    assert (result.outcome.status, len(result.of(Annotation))) == (SourceStatus.READ, 1)
    assert {problem.hint for problem in result.problems} == {
        "business metadata and connectors' topics require the Advanced package of Stream Governance"
    }


def test_errors_of_graphql_have_status_200(read: Read) -> None:
    """One unknown field fails the whole query."""
    result = read(entity("kafka_topic", "lsrc-7:lkc-1:orders"), graphql={"kafka_topic": ()})

    assert [problem.what for problem in result.problems] == [
        "GraphQL is not available: GraphQL refused: Unknown field cn_connector"
    ]


def test_refused_search_leaves_what_graphql_reports(read: Read) -> None:
    """Either way alone is better than nothing, and the answer says so."""
    topic = {"qualifiedName": "lsrc-7:lkc-1:orders", "tags": ["PII"], "business_metadata": None}

    result = read(graphql={"kafka_topic": (topic,), "cn_connector": ()}, refused={"/catalog/v1": 403})
    assert [(annotation.topic, annotation.tags) for annotation in result.of(Annotation)] == [("orders", ("PII",))]
    assert result.outcome.status is SourceStatus.PARTIAL


def test_wrong_key_is_no_empty_catalog(read: Read) -> None:
    """Where nothing at all is reported, the source is refused."""
    with pytest.raises(SourceRefused):
        read(refused={"/catalog": 401})


def test_fields_are_not_queried_unless_wanted(cloud, read: Read) -> None:
    """There may be a hundred thousand of them."""
    field = entity("sr_field", "lsrc-7:.:1:shop.Order.amount", "amount")

    assert len(read(field).of(Annotation)) == 1
    assert read(field, fields=False).of(Annotation) == ()


@pytest.mark.parametrize(
    ("kind", "name", "own", "reported"),
    [
        ("kafka_topic", "lsrc-7:lkc-1:shop.orders.v1", "", {"topic": "shop.orders.v1"}),
        ("sr_schema", "lsrc-7:.:100001", "", {"context": ".", "schema_id": "100001", "record": None}),
        ("sr_schema", "lsrc-7:.eu:7", "", {"context": ".eu", "schema_id": "7"}),
        ("sr_record", "lsrc-7:.:1:shop.Order", "Order", {"record": "shop.Order", "path": None}),
        ("sr_field", "lsrc-7:.:1:shop.Order.amount", "amount", {"record": "shop.Order", "path": ("amount",)}),
        ("sr_field", "lsrc-7:.:1:shop.Order.a.b", "a.b", {"record": "shop.Order", "path": ("a.b",)}),
        ("sr_field", "lsrc-7:.:1:shop.Order.amount", "Amount!", {"record": "shop.Order", "path": ("amount",)}),
        ("sr_field", "lsrc-7:.:1:amount", "amount", {"record": "", "path": ("amount",)}),
        ("sr_subject_version", "lsrc-7:.:orders-value:12", "", {"subject": "orders-value", "version": 12}),
        ("sr_subject_version", "lsrc-7:.eu:a:b:2", "", {"context": ".eu", "subject": "a:b", "version": 2}),
        ("cn_connector", "lcc-1:s3 sink", "s3 sink", {"connector": "s3 sink", "topic": None}),
    ],
)
def test_qualified_name_reports_what_it_is_about(kind: str, name: str, own: str, reported: dict[str, Any]) -> None:
    """Dots and colons in names of topics, fields and subjects belong to them."""
    result = about(kind, name, own)

    assert result
    assert {member: getattr(result, member) for member in reported} == reported


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("kafka_topic", "orders"),
        ("kafka_topic", "lsrc-7:orders"),
        ("kafka_topic", "lsrc-7:lkc-10:orders"),
        ("sr_record", "lsrc-7:.:1"),
        ("sr_field", "lsrc-7"),
        ("sr_subject_version", "lsrc-7:.:orders-value"),
        ("cf_environment", "env-1"),
    ],
)
def test_name_of_another_shape_is_nothing_of_this_cluster(kind: str, name: str) -> None:
    """Better no tag than one on the wrong topic."""
    assert about(kind, name) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["attributes", "tags", "topics", "name", "business_metadata", "businessMetadata", "x"]),
            inner,
        )
    ),
    max_leaves=8,
)


@given(JSON.filter(lambda value: isinstance(value, dict)), st.sampled_from(["kafka_topic", "sr_field", "cn_connector"]))
def test_no_entity_breaks_the_reader(reported: Any, kind: str) -> None:
    """What a catalog says of a thing may have any shape."""
    with suppress(PayloadUnexpected):
        annotation = read_entity(Payload(reported), kind, read_graphql_entity(Payload(reported)), SOURCE, "lkc-1")

        assert annotation is None or annotation.kind == kind
