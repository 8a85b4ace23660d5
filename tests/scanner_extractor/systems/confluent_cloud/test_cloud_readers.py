"""Whatever a service of Confluent answers, no reader breaks: what cannot be read is left out, or is our error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.confluent_cloud import discovery, kafka_rest
from scanner_extractor.systems.confluent_cloud.pagination import next_query
from scanner_extractor.systems.confluent_cloud.settings import TableflowSettings
from scanner_extractor.systems.confluent_cloud.stream_catalog import read_graphql, read_search
from scanner_extractor.systems.confluent_cloud.tableflow import Integration, read_integrations, read_tables
from scanner_extractor.systems.connect.reader import read_consumed_topics
from scanner_model.catalogs import Materialization
from scanner_model.errors import ScannerError
from scanner_model.names import SourceId
from scanner_model.payload import Payload, Unread

SOURCE = SourceId("x:y")
TABLEFLOW = TableflowSettings(http=HttpSettings(url="http://t"), environment="env-1", cluster="lkc-1")
MEMBERS = (
    ["id", "spec", "status", "metadata", "display_name", "resource_name", "config", "kind", "endpoints", "topic_name"],
    ["environment", "http_endpoint", "kafka_bootstrap_endpoint", "kafka_cluster", "storage", "table_path", "port"],
    ["catalog_sync_statuses", "table_formats", "workspace_endpoint", "endpoint", "name", "value", "is_default", "host"],
    ["catalog_integration_id", "cloud", "region_name", "link_name", "mirror_topic_name", "consumer_group_id"],
    ["current_offset", "partitions_count", "is_sensitive", "failing_table_formats", "partition", "offsets", "entities"],
)
WORDS = st.sampled_from(
    ["", "a", "Unity", "AwsGlue", "Snowflake", "https://[", "s3://b/p", "[::1", "h:99999", "é\n", "DELTA"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([name for group in MEMBERS for name in group]), inner, max_size=6)
    ),
    max_leaves=15,
)


def tables_of(listed: list[Payload], integrations: dict[str, Integration]) -> tuple[Materialization, ...]:
    return read_tables(listed, integrations, TABLEFLOW, Unread(SOURCE))


def payloads(reported: Any) -> list[Payload]:
    return Payload(reported).list()


READERS: tuple[Callable[[Any], object], ...] = (
    lambda reported: kafka_rest.read_topics(payloads(reported), Unread(SOURCE)),
    lambda reported: kafka_rest.read_configs(payloads(reported)),
    lambda reported: kafka_rest.read_groups(payloads(reported), Unread(SOURCE)),
    lambda reported: kafka_rest.read_lags(payloads(reported)),
    lambda reported: kafka_rest.read_mirrors(payloads(reported), payloads(reported), Unread(SOURCE)),
    lambda reported: kafka_rest.read_brokers(payloads(reported)),
    lambda reported: discovery.read_environments(payloads(reported), Unread(SOURCE)),
    lambda reported: discovery.read_organization_id(payloads(reported), ()),
    lambda reported: discovery.read_clusters(payloads(reported), "env-1", Unread(SOURCE)),
    lambda reported: discovery.read_registries(payloads(reported), "env-1", Unread(SOURCE)),
    lambda reported: discovery.read_ksqldb(payloads(reported), Unread(SOURCE)),
    lambda reported: discovery.read_pools(payloads(reported), "env-1", Unread(SOURCE)),
    lambda reported: discovery.read_regions(payloads(reported)),
    lambda reported: tables_of(payloads(reported), read_integrations(payloads(reported))),
    lambda reported: tables_of(
        payloads([{"spec": {"display_name": "t", "table_formats": ["DELTA"]}, "status": item} for item in reported]), {}
    ),
    lambda reported: [next_query(item) for item in reported if isinstance(item, str)],
    lambda reported: [read_consumed_topics(item) for item in payloads(reported)],
    lambda reported: [len(read_search(item)) for item in reported],
    lambda reported: [len(read_graphql(item, "name")) for item in reported],
)


@pytest.mark.parametrize("read", READERS, ids=range(len(READERS)))
@examples(60)
@given(reported=st.lists(JSON, max_size=4))
def test_no_list_breaks_a_reader(read: Callable[[Any], object], reported: Any) -> None:
    """And the same list gives the same facts."""
    with suppress(ScannerError):
        first = read(reported)

        assert repr(read(reported)) == repr(first)


@pytest.mark.parametrize("location", ["https://[", "s3://[a/b", "https://h:99999/x"])
def test_place_that_is_no_url_is_a_place(location: str) -> None:
    """A table is named by it as it stands; a page's address is taken for the last one."""
    table = {"spec": {"display_name": "t", "table_formats": ["DELTA"], "storage": {"table_path": location}}}

    (result,) = tables_of(payloads([table]), {})
    assert result.location == location
    assert next_query(location) == ""
