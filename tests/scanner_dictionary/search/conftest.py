"""A scan whose names are searched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_model.columns import Column
from scanner_model.names import Role

FIELDS = ("customer_id", "customerId", "email", "id", "orderTotal")
TAGGED = Column(path=("contact", "email"), type="string", tags=("PII",))


@pytest.fixture
def sample_scan(sample):
    """Build three topics of which two have a schema."""
    orders, keys = sample.version("orders-value", 1, FIELDS), sample.version("orders-key", 1, ("id",))
    definition = sample.definition(*FIELDS)
    definition = replace(definition, columns=(*definition.columns, Column(path=("contact",), type="record"), TAGGED))
    return sample.scan(
        topics=tuple(map(sample.topic, ("orders", "orders-enriched", "customer.orders", "my_ORDER"))),
        versions=(orders, keys),
        definitions=(definition, sample.definition("id")),
        topic_schemas=(sample.link("orders", orders), sample.link("orders", keys, Role.KEY)),
    )
