# ruff: noqa: E501 - texts of files
"""A file in a form that no reader knows is reported once: what the flows show, or a finding reports, is not said twice."""

from __future__ import annotations

import pytest
from committed_repository import rules

pytestmark = pytest.mark.slow

SHIP = {
    "ship/pom.xml": "<project><artifactId>ship</artifactId></project>",
    "ship/src/main/java/a/Ship.java": "package a;\nimport org.springframework.beans.factory.annotation.Value;\n"
    "import org.springframework.kafka.core.KafkaTemplate;\n"
    'class Ship {\n  @Value("${ship.topic}") String topic;\n  KafkaTemplate<String, String> kafka;\n'
    "  void go(String parcel) { kafka.send(topic, parcel); }\n}\n",
    "ship/src/main/resources/application.yml": "ship:\n  topic: parcels\nspring:\n  kafka:\n    producer:\n      acks: all\n",
    "track/go.mod": "module track\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "track/main.go": 'package main\n\nimport "github.com/segmentio/kafka-go"\n\nfunc main() {\n'
    '\tkafka.NewReader(kafka.ReaderConfig{Topic: "parcels", GroupID: "track"})\n}\n',
    "compose.yml": "services:\n  ship:\n    build: ship\n    environment:\n      SHIP_TOPIC: parcels\n  track:\n    build: track\n",
}
APPLICATION = "ship/src/main/resources/application.yml"


def test_a_topic_that_settings_and_deployment_rename_is_one_finding(check) -> None:
    files = {path: SHIP[path].replace("parcels", "parcels-v2") for path in (APPLICATION, "compose.yml")}

    assert rules(check(files, SHIP)) == {("topic-renamed", "parcels-v2")}


def test_a_setting_that_is_not_judged_is_not_unread_too(check) -> None:
    report = check({APPLICATION: SHIP[APPLICATION].replace("acks: all", "acks: 0")}, SHIP)

    assert {rule for rule, _ in rules(report)} == {"not-judged"}


CHART = {
    "chart/Chart.yaml": "name: relay\n",
    "chart/values.yaml": "config:\n  outputTopic: parcels\n",
    "chart/templates/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: relay}\nspec:\n  template:\n    spec:\n"
    "      containers:\n      - name: relay\n        image: reg/relay:1\n        env:\n"
    '        - {name: OUTPUT_TOPIC, value: "{{ .Values.config.outputTopic }}"}\n',
    "relay/go.mod": "module relay\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "relay/main.go": 'package main\n\nimport (\n\t"os"\n\n\t"github.com/segmentio/kafka-go"\n)\n\nfunc main() {\n'
    '\tw := &kafka.Writer{Topic: os.Getenv("OUTPUT_TOPIC")}\n\tw.WriteMessages(nil, kafka.Message{Value: []byte("x")})\n}\n',
    **{path: text for path, text in SHIP.items() if path.startswith("track/")},
}


def test_a_value_that_names_a_topic_of_a_program_is_that_topic_renamed_with_its_readers(check) -> None:
    report = check({"chart/values.yaml": CHART["chart/values.yaml"].replace("parcels", "letters")}, CHART)
    (finding,) = (one for one in report.findings if one.counts)

    assert (finding.rule, finding.target) == ("topic-renamed", "topic parcels")
    assert "track" in {hit.name for hit in finding.affected}


def test_a_literal_of_a_kustomization_that_no_program_reads_is_fine(check) -> None:
    files = {
        "base/kustomization.yaml": "configMapGenerator:\n- name: track\n  literals: [FORMAT=json, IN=parcels]\n",
        **SHIP,
    }
    edit = {"base/kustomization.yaml": files["base/kustomization.yaml"].replace("json", "text")}

    assert rules(check(edit, files)) == set()


def test_a_page_of_browsers_that_shows_a_topic_is_fine(check) -> None:
    page = {"site/index.html": "<p>topic <code>parcels</code></p>\n", **SHIP}

    assert rules(check({"site/index.html": "<p>topic <b>parcels</b>, <b>parcels</b></p>\n"}, page)) == set()
