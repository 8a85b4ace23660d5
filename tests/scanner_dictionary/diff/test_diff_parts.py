"""What changed in the parts of a fact: columns of a catalog's table, tasks of a connector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from scanner_dictionary.diff.documents import as_json
from scanner_dictionary.diff.scans import diff
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import Column
from scanner_model.kafka import Connector, ConnectorTask
from scanner_model.names import SourceId
from scanner_model.scan import ClusterScan


@pytest.fixture
def attributes(dictionary: Engine) -> Callable[[], Any]:
    """Return what compares the first two scans, which differ in one fact, and reports its attributes."""

    def compare() -> Any:
        with dictionary.connect() as conn:
            (fact,) = as_json(diff(conn, 1, 2))["others"]
        return fact["attributes"]

    return compare


def test_columns_of_a_catalogs_table_are_reported_one_by_one(
    sample: Any, store: Any, attributes: Callable[[], Any]
) -> None:
    """The rest of a hundred columns stayed as it was, and nobody reads cells without their names."""
    glue = SourceId("catalog:glue")

    def table(*columns: Column) -> ClusterScan:
        named = {"provider": "glue", "namespace": "arn:aws:glue", "name": "table/shop/orders"}
        catalog_table = CatalogTable(source=glue, columns=columns, **named)
        return sample.scan(outcomes=(sample.outcome(glue),), registries=(), catalog_tables=(catalog_table,))

    same = Column(path=("id",), type="bigint")
    store(table(same, Column(path=("sum",), type="int", nullable=True), Column(path=("a", "b"), type="int")))
    store(table(same, Column(path=("sum",), type="bigint", tags=("PII",))))

    assert attributes() == [
        {"name": "columns.a.b", "before": {"data_type": "int"}, "after": None},
        {
            "name": "columns.sum",
            "before": {"data_type": "int", "nullable": True},
            "after": {"data_type": "bigint", "tags": ["PII"]},
        },
    ]


def test_lists_of_a_table_are_lists(sample: Any, store: Any, attributes: Callable[[], Any]) -> None:
    """A text that holds JSON is one that every reader of the document has to parse again."""
    glue = SourceId("catalog:glue")

    def table(*keys: str) -> ClusterScan:
        named = {"provider": "glue", "namespace": "arn:aws:glue", "name": "table/shop/orders"}
        catalog_table = CatalogTable(source=glue, partition_keys=keys, **named)
        return sample.scan(outcomes=(sample.outcome(glue),), registries=(), catalog_tables=(catalog_table,))

    store(table("day"))
    store(table("day", "hour"))

    assert attributes() == [{"name": "partition_keys", "before": ["day"], "after": ["day", "hour"]}]


def test_tasks_of_a_connector_are_reported_by_number(sample: Any, store: Any, attributes: Callable[[], Any]) -> None:
    """Also the first, whose number is 0."""
    connect = SourceId("connect:main")

    def state(word: str) -> ClusterScan:
        tasks = (ConnectorTask(number=0, state=word), ConnectorTask(number=1, state="RUNNING"))
        connector = Connector(
            source=connect, name="c", connector_class="x.Y", kind="sink", state="RUNNING", tasks=tasks
        )
        return sample.scan(outcomes=(sample.outcome(connect),), registries=(), connectors=(connector,))

    store(state("RUNNING"))
    store(state("FAILED"))

    assert attributes() == [{"name": "tasks.0", "before": {"state": "RUNNING"}, "after": {"state": "FAILED"}}]
