"""Described topologies of Kafka Streams: outer topics, own topics, and what leads where."""

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.jobs.streams_topology import TopicFlow, read_topology

ENRICH = """\
Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0000000000 (topics: [clicks, shop.views])
      --> KSTREAM-MAP-0000000001
    Processor: KSTREAM-MAP-0000000001 (stores: [])
      --> by-user-repartition-sink
      <-- KSTREAM-SOURCE-0000000000
    Sink: by-user-repartition-sink (topic: by-user-repartition)
      <-- KSTREAM-MAP-0000000001

  Sub-topology: 1
    Source: by-user-repartition-source (topics: [by-user-repartition])
      --> KSTREAM-JOIN-0000000008
    Processor: KSTREAM-JOIN-0000000008 (stores: [users-store])
      --> my sink
      <-- by-user-repartition-source
    Source: KSTREAM-SOURCE-0000000005 (topics: [users])
      --> KTABLE-SOURCE-0000000006
    Processor: KTABLE-SOURCE-0000000006 (stores: [users-store])
      --> audit
      <-- KSTREAM-SOURCE-0000000005
    Sink: my sink (topic: enriched)
      <-- KSTREAM-JOIN-0000000008
    Sink: audit (topic: users-seen)
      <-- KTABLE-SOURCE-0000000006
"""


def test_outer_topics_are_those_that_others_know() -> None:
    """What stands between two parts is the application's own."""
    topology = read_topology(ENRICH)

    assert topology.sources == ("clicks", "shop.views", "users")
    assert topology.sinks == ("enriched", "users-seen")
    assert topology.internal == ("by-user-repartition",)
    assert topology.stores == ("users-store",)
    assert topology.problems == ()


def test_flows_go_through_own_topics_and_through_stores() -> None:
    """A table's store leads to the join that reads it, and a join leads to no table."""
    assert read_topology(ENRICH).flows == (
        TopicFlow("clicks", "enriched"),
        TopicFlow("shop.views", "enriched"),
        TopicFlow("users", "enriched"),
        TopicFlow("users", "users-seen"),
    )


def test_own_topics_have_their_real_names_where_the_application_is_known() -> None:
    """The text holds neither the id nor the changelogs."""
    topology = read_topology(ENRICH, "enricher")

    assert topology.internal == ("enricher-by-user-repartition", "enricher-users-store-changelog")


def test_a_pattern_of_topics_stands_without_brackets() -> None:
    """It is a source of whatever it matches."""
    text = "Topology: eu:\n Sub-topology: 0\n Source: s (topics: eu\\..*)\n --> k\n Sink: k (topic: all)\n <-- s\n"
    topology = read_topology(text)

    assert (topology.name, topology.patterns, topology.sources) == ("eu", (r"eu\..*",), ())
    assert topology.flows == (TopicFlow(r"regex:eu\..*", "all"),)


def test_a_sink_whose_topic_data_choose_is_reported() -> None:
    """Its topic is not in the text."""
    text = "Sub-topology: 0\n Source: s (topics: [a])\n --> k\n Sink: k (extractor class: x.Y$$Lambda/1@2)\n <-- s\n"
    topology = read_topology(text)

    assert (topology.dynamic, topology.sinks, topology.flows) == (("k",), (), ())
    assert topology.parts[0].nodes[1].extractor == "x.Y$$Lambda/1@2"


def test_a_global_store_reads_without_tasks() -> None:
    """Older readers of this text miss the words behind its number."""
    text = (
        "Topologies:\n  Sub-topology: 0 for global store (will not generate tasks)\n"
        "    Source: g (topics: [rates])\n      --> p\n"
        "    Processor: p (stores: [rates-store])\n      --> none\n      <-- g\n"
        "  Sub-topology: 1\n    Source: s (topics: [a])\n      --> c\n    Processor: c (stores: [rates-store])\n"
        "      --> k\n      <-- s\n    Sink: k (topic: b)\n      <-- c\n"
    )
    topology = read_topology(text)

    assert [part.shared for part in topology.parts] == [True, False]
    assert TopicFlow("rates", "b") in topology.flows


def test_a_topic_that_users_route_through_is_the_end_of_one_route_and_the_start_of_another() -> None:
    """`a` leads to `mid`, and `mid` to `b`: each flow is one step."""
    text = (
        "Sub-topology: 0\n Source: s (topics: [a])\n --> k\n Sink: k (topic: mid)\n <-- s\n"
        "Sub-topology: 1\n Source: t (topics: [mid])\n --> l\n Sink: l (topic: b)\n <-- t\n"
    )

    assert read_topology(text).flows == (TopicFlow("a", "mid"), TopicFlow("mid", "b"))


def test_arrows_of_one_side_are_enough() -> None:
    """Versions print both, one or none of them."""
    text = "Sub-topology: 0\n Source: s (topics: [a])\n Sink: k (topic: b)\n <-- s\n"

    assert read_topology(text).flows == (TopicFlow("a", "b"),)


def test_what_is_no_topology_is_a_problem() -> None:
    """Every line that is not understood is reported, with its number."""
    problems = read_topology("--> x\nSource: s (topics: [a])\nhello\n").problems

    assert [problem.where for problem in problems] == ["line 1", "line 2", "line 3"]
    assert read_topology("").problems[0].where == "line 1"


@examples(100)
@given(
    lines=st.lists(
        st.sampled_from([*ENRICH.splitlines(), "Sub-topology: 9", "Source: (topics: )", "Sink: x (topic: )", "x"])
        | st.text(max_size=20),
        max_size=25,
    )
)
def test_any_text_has_an_answer(lines) -> None:
    """A file is what somebody saved."""
    topology = read_topology("\n".join(lines))

    assert read_topology("\n".join(lines)) == topology
    assert {flow.target for flow in topology.flows} <= set(topology.sinks)
