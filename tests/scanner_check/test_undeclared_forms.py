"""A file in a form that is not read: what only connects or runs a program is fine, anything else is unknown."""

from __future__ import annotations

import pytest
from committed_repository import BASE, rules

pytestmark = pytest.mark.slow

SETTINGS = "kafka:\n  bootstrap-servers: k:9092\n  request-timeout-ms: 100\n  topics:\n    users: users-v1\n"
FLINK = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: f}
spec:
  image: x:1
  job: {jarURI: local:///x.jar, state: running, args: ["--topic", "refunds"]}
"""
VALUES = "kafka:\n  topic: BIG\nresources:\n  limits:\n    memory: 512Mi\n"
FILES = {**BASE, "conf/application.yml": SETTINGS, "k8s/f.yaml": FLINK, "chart/values.yaml": VALUES}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("conf/application.yml", "k:9092", "k2:9092"),
        ("conf/application.yml", "ms: 100", "ms: 200"),
        ("conf/application.yml", "kafka:\n", "# of the shop\nkafka:\n"),
        ("k8s/f.yaml", "x:1", "x:2"),
        ("chart/values.yaml", "512Mi", "1Gi"),
    ],
)
def test_what_only_connects_or_runs_a_program_is_fine(check, path, old, new):
    assert rules(check({path: FILES[path].replace(old, new)}, FILES)) == set()


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("conf/application.yml", "users-v1", "users-v2"),
        ("conf/application.yml", "users: users-v1", "users: users-v1\n    orders: x"),
        ("k8s/f.yaml", '"refunds"', '"other"'),
        ("chart/values.yaml", "BIG", "HUGE"),
        ("k8s/f.yaml", "running", "suspended"),
        ("k8s/f.yaml", "image: x:1", "image: x:2\n  mode: other"),
    ],
)
def test_what_may_name_topics_is_unknown(check, path, old, new):
    assert rules(check({path: FILES[path].replace(old, new)}, FILES)) != set()


CHARTS = {
    **BASE,
    "charts/mail/Chart.yaml": "name: mail\n",
    "charts/feed/Chart.yaml": "name: feed\n",
    "environments/pb.yaml": "shared:\n  kafka-brokers: k:9092\n  input-topic: elsewhere\n"
    "mail:\n  sender: info@example.org\nfeed:\n  kafka-topic: elsewhere\n  mode: full\n",
}


@pytest.mark.parametrize(
    ("old", "new", "is_fine"),
    [
        ("info@example.org", "mail@example.org", True),
        ("mode: full", "mode: delta", False),
        ("input-topic: elsewhere", "input-topic: others", False),
    ],
)
def test_values_of_a_chart_without_kafka_are_fine_in_a_file_with_others(check, old, new, is_fine):
    """Helm gives each chart the values below its own name, in whatever file an environment has them."""
    text = CHARTS["environments/pb.yaml"].replace(old, new)

    assert (not rules(check({"environments/pb.yaml": text}, CHARTS))) is is_fine


PUMPS = {
    **BASE,
    "topics.yaml": "".join(
        f"apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {{name: {name}}}\nspec: {{partitions: 1}}\n---\n"
        for name in ("refunds", "payouts")
    ),
    "pumps/lake.yaml": "apiVersion: streams.acme.io/v1\nkind: Pump\nmetadata: {name: lake}\n"
    "spec:\n  from: {channel: refunds}\n",
    "pumps/lake.toml": '[pump]\nchannel = "refunds"\nlimit = "refunds per day"\n',
}


@pytest.mark.parametrize(
    ("path", "old", "new", "is_fine"),
    [
        ("pumps/lake.yaml", "refunds", "payouts", False),
        ("pumps/lake.toml", '"refunds"', '"payouts"', False),
        ("pumps/lake.yaml", "name: lake", "name: sea", True),
        ("pumps/lake.toml", "refunds per day", "payouts per day", True),
    ],
)
def test_value_that_was_one_topic_and_is_another_is_unknown(check, path, old, new, is_fine):
    """Whatever the resource is: both values are names of topics, and no other word says so."""
    assert (not rules(check({path: PUMPS[path].replace(old, new)}, PUMPS))) is is_fine


CATALOG = {
    **BASE,
    "services/Shop/index.mdx": "---\nid: Shop\nsends:\n  - {id: Placed, to: [{id: placed}]}\n---\n# Shop\n",
    "channels/placed/index.mdx": "---\nid: placed\naddress: parcels\nprotocols: [kafka]\n---\n# Placed\n",
}


def test_a_page_of_a_catalog_is_not_only_documentation(check):
    path = "channels/placed/index.mdx"

    assert rules(check({path: CATALOG[path].replace("parcels", "letters")}, CATALOG)) == {("topic-renamed", "letters")}
    assert rules(check({path: CATALOG[path].replace("# Placed", "# New")}, CATALOG)) == set()


def test_a_table_of_topics_is_unknown(check):
    files = {**BASE, "kafka/topics.csv": "topic,partitions\nparcels,3\n"}

    assert rules(check({"kafka/topics.csv": files["kafka/topics.csv"].replace("parcels", "letters")}, files)) != set()
