"""Catalogs of Backstage: the components that provide and consume APIs with topics."""

from __future__ import annotations

from scanner_model.catalogs import Annotation
from scanner_model.declarations import UnreadFile
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow

API = """\
apiVersion: backstage.io/v1alpha1
kind: API
metadata: {name: order-events, description: Orders}
spec:
  type: asyncapi
  owner: group:default/shop
  definition:
    $text: ./asyncapi.yaml
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: checkout}
spec:
  type: service
  providesApis: [order-events]
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: billing}
spec:
  type: service
  consumesApis:
    - api:default/order-events
"""
ASYNCAPI = """\
asyncapi: 2.6.0
channels:
  orders.created:
    subscribe: {message: {}}
  orders.commands:
    publish: {message: {}}
"""
RESOURCE = """\
apiVersion: backstage.io/v1alpha1
kind: Resource
metadata: {name: payments}
spec: {type: kafka-topic, owner: billing}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: mailer}
spec: {type: service, dependsOn: ["resource:payments"]}
"""


def test_the_provider_sends_what_its_document_sends(read_repository):
    result = read_repository({"catalog-info.yaml": API, "asyncapi.yaml": ASYNCAPI})

    uses = {(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)}
    assert uses == {
        ("checkout", "", "orders.created"),
        ("checkout", "orders.commands", ""),
        ("billing", "orders.created", ""),
        ("billing", "", "orders.commands"),
    }
    assert {note.owner for note in result.of(Annotation)} == {"shop"}


def test_a_dependency_on_a_topic_has_no_direction(read_repository):
    """A use of unknown direction must not look like no use."""
    result = read_repository({"catalog-info.yaml": RESOURCE})

    assert [topic.name for topic in result.of(Topic)] == ["payments"]
    assert not result.of(DeclaredFlow)
    (unread,) = result.of(UnreadFile)
    assert "mailer depends on payments" in unread.reason


def test_an_api_without_its_document_is_listed(read_repository):
    result = read_repository({"catalog-info.yaml": API})

    assert ["order-events" in file.reason for file in result.of(UnreadFile)] == [True]


def test_apis_of_other_types_are_left_out(read_repository):
    result = read_repository({"catalog-info.yaml": API.replace("asyncapi\n", "openapi\n", 1)})

    assert not result.of(DeclaredFlow)
    assert not result.of(UnreadFile)
