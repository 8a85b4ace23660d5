"""Descriptions of topics in well-known forms: which programs read and write which topic, and where that is written."""

from __future__ import annotations

from scanner_extractor.repository.reading import RepositoryReading
from scanner_model.catalogs import Annotation
from scanner_model.declarations import UnreadFile
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow


def used(reading: RepositoryReading) -> set[tuple[str, str, str]]:
    """Return (program, reads or writes, topic) of each declared use."""
    declared = reading
    return {
        (flow.job, "reads" if flow.origin.name else "writes", flow.origin.name or flow.target.name)
        for flow in declared.of(DeclaredFlow)
    }


def topics(reading: RepositoryReading) -> set[str]:
    return {str(topic.name) for topic in reading.of(Topic)}


SCHEMA = '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {}}}'
DESCRIPTION = """\
pipeline: errors
description: Errors of services
services:
  producers:
    - acme/web
  consumers:
    - acme/store
    - acme/web
schemas:
  - version: 1
    type: json
    resource: events.v1.schema.json
"""


def test_a_topic_description_names_producers_consumers_and_schemas(read_repository):
    reading = read_repository({"topics/events.yaml": DESCRIPTION, "schemas/events.v1.schema.json": SCHEMA})

    assert used(reading) == {
        ("acme/web", "writes", "events"),
        ("acme/store", "reads", "events"),
        ("acme/web", "reads", "events"),
    }
    assert reading.schema_files == {"schemas/events.v1.schema.json": ("events-value",)}


def test_evidence_is_the_line_of_each_program(read_repository):
    flows = read_repository({"topics/events.yaml": DESCRIPTION}).of(DeclaredFlow)

    lines = {(flow.job, bool(flow.origin.name)): flow.evidence for flow in flows}
    assert lines["acme/web", False] == "topics/events.yaml:5"
    assert lines["acme/store", True] == "topics/events.yaml:7"


def test_a_list_of_users_declares_no_flow_between_topics(read_repository):
    flows = read_repository({"topics/events.yaml": DESCRIPTION}).of(DeclaredFlow)

    assert all(flow.separate and not flow.suggested for flow in flows)


def test_compose_files_and_schemas_of_an_api_are_no_descriptions(read_repository):
    compose = "services:\n  web:\n    image: web\n"
    api = "components:\n  schemas:\n    Order: {type: object}\nproducers:\n  a: 1\n"

    assert topics(read_repository({"compose.yaml": compose, "api.yaml": api})) == set()


NAIS = """\
apiVersion: kafka.nais.io/v1
kind: Topic
metadata:
  name: orders-v1
  namespace: shop
  labels:
    team: shop
spec:
  pool: {{{ pool }}}
  acl:
    - team: shop
      application: orders
      access: readwrite
    - team: billing
      application: invoices
      access: read
    - team: web
      application: checkout
      access: write
    - team: web
      application: "*"
      access: read
"""


def test_nais_topics_are_named_with_their_namespace(read_repository):
    reading = read_repository({"nais/topic.yaml": NAIS})

    assert topics(reading) == {"shop.orders-v1"}
    assert used(reading) == {
        ("orders", "reads", "shop.orders-v1"),
        ("orders", "writes", "shop.orders-v1"),
        ("invoices", "reads", "shop.orders-v1"),
        ("checkout", "writes", "shop.orders-v1"),
    }
    (owner,) = {note.owner for note in reading.of(Annotation)}
    assert owner == "shop"


def test_access_of_any_program_is_a_problem_and_no_reader(read_repository):
    reading = read_repository({"nais/topic.yaml": NAIS})

    assert any("'*'" in problem.what for problem in reading.problems)


CLOWDAPP = """\
apiVersion: v1
kind: Template
objects:
- apiVersion: cloud.redhat.com/v1alpha1
  kind: ClowdApp
  metadata:
    name: inventory
  spec:
    deployments:
    - name: ingest
      podSpec:
        env:
        - name: KAFKA_CONSUMER_TOPIC
          value: ${INGRESS_TOPIC}
        - name: KAFKA_PRODUCER_RETRIES
          value: "3"
    - name: web
      podSpec: {}
    kafkaTopics:
    - topicName: ${INGRESS_TOPIC}
      partitions: 3
    - topicName: platform.events
parameters:
- name: INGRESS_TOPIC
  value: platform.ingress
"""


def test_a_clowdapp_requests_topics_with_the_values_of_its_template(read_repository):
    reading = read_repository({"deploy/clowdapp.yml": CLOWDAPP})

    assert topics(reading) == {"platform.ingress", "platform.events"}
    assert used(reading) == {("inventory-ingest", "reads", "platform.ingress")}
    (flow,) = reading.of(DeclaredFlow)
    assert flow.evidence == "deploy/clowdapp.yml:14"


def test_a_file_that_is_not_yaml_is_listed_as_unread(read_repository):
    reading = read_repository({"nais/topic.yaml": NAIS.replace('"*"', "*")})

    assert [file.name for file in reading.of(UnreadFile)] == ["nais/topic.yaml"]


def test_a_resource_is_no_form_that_does_not_name_its_kind(read_repository):
    """Members of the same names mean something else there: subjects of a binding are accounts."""
    binding = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: view}\n"
        "subjects:\n- {kind: ServiceAccount, name: default}\n"
    )

    assert read_repository({"deploy/view.yaml": binding}).of(UnreadFile) == ()
