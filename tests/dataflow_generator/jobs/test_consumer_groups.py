"""Consumer groups in the graph: readers, or members of a job that is known."""

from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.consumer_groups import GroupOwner, Query, group_jobs
from dataflow_generator.jobs.model import JobFlows, Naming
from scanner_model.kafka import ConsumerGroup
from scanner_model.names import SourceId, TopicName

NAMING = Naming([("retail", ("kafka-1:9092",)), ("other", ("other:9092",))])


def group(name: str, cluster: str = "retail") -> tuple[str, ConsumerGroup]:
    topics = TopicName("orders"), TopicName("payments")
    return cluster, ConsumerGroup(source=SourceId("kafka:kafka-1:9092"), name=name, state="STABLE", topics=topics)


def told(
    row: tuple[str, ConsumerGroup], owners: tuple[GroupOwner, ...] = (), queries: tuple[Query, ...] = ()
) -> JobFlows:
    (found,) = group_jobs([row], owners, queries, NAMING)
    return found


def test_a_group_that_is_unknown_reads_its_topics() -> None:
    """The broker says so."""
    found = told(group("billing"))

    assert found.job.kind is NodeKind.CONSUMER_GROUP
    assert found.job.key == "consumer-group:kafka://kafka-1:9092/billing"
    assert found.job.attributes == (("state", "STABLE"),)
    assert [use.dataset.name for use in found.reads] == ["orders", "payments"]
    assert found.certainty is Certainty.DECLARED


def test_a_group_of_a_known_job_is_its_member_and_no_second_reader() -> None:
    """The connector reads the topics; the group is how."""
    found = told(group("connect-dw"), (GroupOwner("retail", "connect-dw", "job:connect://retail/main/dw"),))

    assert found.reads == ()
    assert found.member_of == ("job:connect://retail/main/dw",)
    assert found.certainty is Certainty.DERIVED


def test_a_group_of_the_same_name_in_another_cluster_is_another() -> None:
    """Names are a cluster's own."""
    assert told(group("connect-dw", "other"), (GroupOwner("retail", "connect-dw", "job:x"),)).reads


def test_a_group_of_ksqldb_belongs_to_the_query_that_its_name_ends_with() -> None:
    """`_confluent-ksql-<service>query_<name>`; where two servers have such a query, to none."""
    row = group("_confluent-ksql-default_query_CSAS_PAID_3")
    one = Query("retail", "CSAS_PAID_3", "job:ksqldb://a/CSAS_PAID_3")

    assert told(row, queries=(one,)).member_of == (one.job,)
    assert told(row, queries=(one, one._replace(job="job:ksqldb://b/CSAS_PAID_3"))).member_of == ()
