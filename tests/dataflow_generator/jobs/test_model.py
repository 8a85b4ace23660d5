"""Ways through a job: together they are its pairs, no more and no less."""

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import GraphDataset, Naming, Pair, uses


def dataset(name: str | None, namespace: str = "kafka://k") -> GraphDataset | None:
    return None if name is None else GraphDataset(NodeKind.TOPIC, namespace, name)


def pairs(*named: tuple[str | None, str | None]) -> list[Pair]:
    return [Pair(dataset(source), dataset(target), "key") for source, target in named]


def test_what_has_the_same_targets_is_one_way() -> None:
    """Ten topics into one file need no names."""
    reads, writes = uses(pairs(("a", "x"), ("b", "x")))

    assert [(use.dataset.name, use.route) for use in (*reads, *writes)] == [("a", ""), ("b", ""), ("x", "")]


def test_what_goes_nowhere_is_a_route_of_its_own() -> None:
    """A topic whose target data choose leads to no other's table."""
    reads, writes = uses(pairs(("a", "x"), ("b", None), (None, "y")))

    assert [(use.dataset.name, use.route) for use in reads] == [("a", "a"), ("b", "b")]
    assert {(use.dataset.name, use.route) for use in writes} == {("x", "a"), ("y", "?")}


def test_topics_of_one_name_in_two_clusters_are_distinguished() -> None:
    """The route then has the whole name."""
    both = [Pair(dataset("a", place), dataset("x", place), "key") for place in ("kafka://k", "kafka://l")]

    assert [use.route for use in uses(both)[0]] == ["topic:kafka://k/a", "topic:kafka://l/a"]


def test_addresses_of_a_network_are_the_cluster_that_files_alone_describe() -> None:
    """Those of a host that has a meaning everywhere, and variables, may be those of another cluster."""
    within = ["kafka:9092", "localhost:PORT", "my-kafka-bootstrap.ns:9092", "k.default.svc.cluster.local:9092"]
    elsewhere = ["broker.example.com:9092", "${SERVERS}:9092"]
    naming = Naming([("retail", ())])

    assert {naming.dataset(f"kafka://{address}", "t").namespace for address in within} == {"kafka://retail"}
    assert [naming.dataset(f"kafka://{address}", "t").namespace for address in elsewhere] == [
        f"kafka://{address}" for address in elsewhere
    ]


NAMES = st.sampled_from("abcd")


@given(st.sets(st.tuples(NAMES, st.sampled_from("wxyz")), min_size=1))
@examples(60)
def test_routes_are_exactly_the_pairs(named) -> None:
    """Every source of a route leads to every target of it, and to no other."""
    reads, writes = uses(pairs(*sorted(named)))
    found = {(read.dataset.name, write.dataset.name) for read in reads for write in writes if read.route == write.route}

    assert found == named
