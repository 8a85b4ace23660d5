"""Which settings of a connector only say how it runs: by rows of its class's family, and by conventions."""

from __future__ import annotations

import pytest

from dataflow_generator.connectors.run_settings import RUN_SETTINGS, families_of, only_runs
from dataflow_generator.connectors.settings import UNINTERPRETED

BIGQUERY = "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector"
DEBEZIUM = "io.debezium.connector.postgresql.PostgresConnector"


@pytest.mark.parametrize(
    ("class_name", "families"),
    [
        (DEBEZIUM, ("debezium",)),
        (BIGQUERY, ("bigquery",)),
        ("com.snowflake.kafka.connector.SnowflakeSinkConnector", ("snowflake",)),
        ("io.confluent.connect.jdbc.JdbcSourceConnector", ("jdbc sink", "jdbc source")),
        ("io.confluent.connect.http.HttpSinkConnector", ("http",)),
        ("com.datastax.oss.kafka.sink.CassandraSinkConnector", ("cassandra",)),
        ("com.splunk.kafka.connect.SplunkSinkConnector", ("splunk",)),
        ("com.acme.OwnConnector", ()),
        ("", ()),
    ],
)
def test_a_class_has_the_families_of_its_reader(class_name: str, families: tuple[str, ...]) -> None:
    assert set(families_of(class_name)) - {"debezium sink"} == set(families)


@pytest.mark.parametrize(
    ("class_name", "key"),
    [
        (BIGQUERY, "threadPoolSize"),
        (BIGQUERY, "mergeIntervalMs"),
        (DEBEZIUM, "schema.history.internal.kafka.bootstrap.servers"),
        (DEBEZIUM, "database.password"),
        ("com.acme.OwnConnector", "request.timeout.ms"),
        ("com.acme.OwnConnector", "consumer.override.ssl.keystore.location"),
        ("com.acme.OwnConnector", "tasks.max"),
    ],
)
def test_a_setting_of_its_run_changes_no_data(class_name: str, key: str) -> None:
    assert only_runs(key, families_of(class_name))


@pytest.mark.parametrize(
    ("class_name", "key"),
    [
        (DEBEZIUM, "threadPoolSize"),
        (DEBEZIUM, "heartbeat.topics.prefix"),
        (DEBEZIUM, "column.exclude.list"),
        (BIGQUERY, "topic2TableMap"),
        (BIGQUERY, "sanitizeFieldNames"),
        ("com.acme.OwnConnector", "maxage"),
        ("com.acme.OwnConnector", "schema.history.internal.kafka.topic"),
        ("io.confluent.connect.jdbc.JdbcSourceConnector", "db.timezone"),
        ("io.confluent.connect.jdbc.JdbcSourceConnector", "transforms.mask.password"),
        ("com.acme.OwnConnector", "predicates.a.timeout.ms"),
    ],
)
def test_any_other_setting_may_change_data(class_name: str, key: str) -> None:
    """Also one that is harmless for another class, and any of a transform."""
    assert not only_runs(key, families_of(class_name))


def test_no_setting_without_a_rule_counts_as_one_of_the_run() -> None:
    uninterpreted = [(setting.key, family) for family, settings in UNINTERPRETED.items() for setting in settings]

    assert [key for key, family in uninterpreted if only_runs(key, [family])] == []


def test_rows_are_in_lower_case() -> None:
    assert [row for rows in RUN_SETTINGS.values() for row in rows if row != row.lower()] == []
