"""Kafka Streams applications in the graph: topics by their real names, and which leads to which."""

from dataflow_generator.jobs.model import Naming
from dataflow_generator.jobs.streams import INTERNAL, streams_jobs
from scanner_model.kafka import StreamsTopology
from scanner_model.names import SourceId

KAFKA = "kafka://kafka-1:9092"
NAMING = Naming([("retail", ("kafka-1:9092",))])
KNOWN = ("counter-seen-changelog", "eu.orders", "eu.returns", "orders", "us.orders")


def read(text: str, *topics: str):
    told = StreamsTopology(source=SourceId("streams:counter"), name="counter", topology=text, file="counter.txt")
    (reading,) = streams_jobs([("retail", told)], lambda: {"retail": topics or KNOWN}, NAMING)
    return reading


def part(number: int, source: str, sink: str, store: str = "") -> str:
    return (
        f"Sub-topology: {number}\n Source: s{number} (topics: {source})\n --> p{number}\n"
        f" Processor: p{number} (stores: [{store}])\n --> k{number}\n <-- s{number}\n"
        f" Sink: k{number} ({sink})\n <-- p{number}\n"
    )


def ways(listed) -> list[tuple[str, str]]:
    return [(use.dataset.name, use.route) for use in listed]


def test_an_application_is_a_job_named_by_its_id() -> None:
    """Its consumer group has the same name."""
    flows = read(part(0, "[orders]", "topic: paid")).flows

    assert (flows.job.namespace, flows.job.name) == ("kafka-streams://retail", "counter")
    assert dict(flows.job.attributes)["application_id"] == "counter"
    assert [use.dataset.key for use in flows.reads] == [f"topic:{KAFKA}/orders"]
    assert [use.dataset.key for use in flows.writes] == [f"topic:{KAFKA}/paid"]
    assert flows.columns == ()


def test_evidence_names_file_and_node() -> None:
    """A topology has hundreds of nodes."""
    flows = read(part(3, "[orders]", "topic: paid")).flows

    assert flows.reads[0].evidence == "topology counter in counter.txt: sub-topology 3, source s3"
    assert flows.writes[0].evidence == "topology counter in counter.txt: sub-topology 3, sink k3"


def test_what_leads_to_one_topic_only_is_a_route_of_its_own() -> None:
    """An application of two pipes does not mix them."""
    flows = read(part(0, "[a]", "topic: x") + part(1, "[b]", "topic: y")).flows

    assert ways(flows.reads) == [("a", "a"), ("b", "b")]
    assert ways(flows.writes) == [("x", "a"), ("y", "b")]


def test_own_topics_have_the_names_that_the_broker_knows() -> None:
    """A repartition topic always is; a changelog where the cluster has it."""
    text = part(0, "[orders]", "topic: by-user-repartition") + part(1, "[by-user-repartition]", "topic: paid", "seen")
    flows = read(text).flows

    own = [("counter-by-user-repartition", INTERNAL), ("counter-seen-changelog", INTERNAL)]
    assert ways(flows.reads) == [("orders", ""), *own]
    assert ways(flows.writes) == [("paid", ""), *own]
    assert ("counter-seen-changelog", INTERNAL) not in ways(read(text, "orders").flows.writes)


def test_a_pattern_reads_the_known_topics_that_it_matches() -> None:
    """As a whole name, with Java's rules."""
    assert [use.dataset.name for use in read(part(0, "eu[.].*", "topic: all")).flows.reads] == [
        "eu.orders",
        "eu.returns",
    ]


def test_a_pattern_without_a_match_stays_and_is_reported() -> None:
    """The topics may come later."""
    reading = read(part(0, "asia[.].*", "topic: all"))

    assert [use.dataset.name for use in reading.flows.reads] == ["regex:asia[.].*"]
    assert "matches none of the 5 known topics" in reading.problems[0].what


def test_a_pattern_that_is_none_is_reported() -> None:
    """Nothing is guessed."""
    reading = read(part(0, "eu(", "topic: all"))

    assert (reading.flows.reads, len(reading.problems)) == ((), 1)


def test_a_pattern_that_takes_too_long_is_reported() -> None:
    """Which topics it matches is not known, and the rest of the applications is still read."""
    reading = read(part(0, "(a|aa)+$", "topic: all"), "a" * 100 + "!")

    assert (reading.flows.reads, len(reading.problems)) == ((), 1)
    assert "takes too long" in reading.problems[0].what


def test_a_sink_whose_topic_data_choose_is_marked() -> None:
    """Where its records go nobody can tell from here."""
    reading = read(part(0, "[orders]", "extractor class: x.Y$$Lambda/1@2"))

    assert dict(reading.flows.job.attributes)["unknown_sinks"] == ("k0",)
    assert reading.flows.writes == ()
    assert [problem.what for problem in reading.problems] == ["its topic is chosen at run time"]


def test_what_only_fills_a_store_is_read_all_the_same() -> None:
    """Queries from outside look into it."""
    text = part(0, "[orders]", "topic: paid") + "Sub-topology: 1 for global store (will not generate tasks)\n"
    text += " Source: g (topics: [rates])\n --> p\n Processor: p (stores: [r])\n --> none\n <-- g\n"

    assert ways(read(text).flows.reads) == [("orders", "orders"), ("rates", "rates")]


def test_what_is_no_topology_is_a_problem_of_its_file() -> None:
    """The application is a job still."""
    reading = read("hello")

    assert reading.flows.job.name == "counter"
    assert reading.problems[0].where == "topology counter in counter.txt, line 1"
