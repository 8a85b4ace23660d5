"""What people call clusters and servers, wherever a node of the graph is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checked_installation import AT, installation

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.graph import lineage
from scanner_api.questions.impact import impact
from scanner_api.questions.names import nodes, summary
from scanner_cli.main import run
from scanner_dictionary.write.scan import write_scan

SERVER = "postgres://db:5432"
TABLE = "public.paid.avro"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a function that stores scans, whose files call servers so, and generates the graph."""

    def stored(*servers: tuple[tuple[str, str], ...]) -> Dictionary:
        dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("names") / "d.db", create=True)
        engine = dictionary.writing()
        scan = installation()
        for named in servers:
            cluster = replace(scan.cluster, servers=named)
            write_scan(engine, replace(scan, cluster=cluster), started=AT, finished=AT)
            scanner_api.generate(dictionary)
        engine.dispose()
        return dictionary

    return stored


@pytest.fixture(scope="module")
def named(store) -> Dictionary:
    """Return a dictionary whose database server has an alias."""
    return store(((SERVER, "warehouse"),))


def test_nodes_carry_what_people_call_their_cluster_or_server(named) -> None:
    """An address of a test cluster, or an IP address, says nothing to a reader."""
    found = {node.name: (node.namespace, node.cluster) for node in lineage(named, "paid.avro").nodes}

    assert found["paid.avro"][1] == found["orders.avro"][1] == "shop"
    assert found[TABLE] == (SERVER, "warehouse")
    assert {node.cluster for node in nodes(named, kind="dataset")} == {"warehouse"}
    assert {row.cluster for row in summary(named).nodes if row.kind in ("dataset", "topic")} == {"warehouse", "shop"}
    assert {row.cluster for row in impact(named, "paid.avro").affected if row.kind == "dataset"} == {"warehouse"}


def test_an_alias_names_a_node_as_its_namespace_does(named, capsys) -> None:
    """What a table shows can be asked for."""
    assert lineage(named, f"warehouse/{TABLE}").root == f"dataset:{SERVER}/{TABLE}"
    assert run(["lineage", "paid.avro", "--dictionary", named.url]) == 0
    assert f"warehouse/{TABLE}" in capsys.readouterr().out


def test_a_file_that_no_longer_names_a_server_takes_its_alias_back(store) -> None:
    """The next scan shows the namespace again; that of the scan before is a graph of then with the names of now."""
    dictionary = store(((SERVER, "warehouse"),), ())

    assert {node.cluster for node in nodes(dictionary, kind="dataset")} == {""}
    assert {node.cluster for node in lineage(dictionary, "paid.avro", as_of="1").nodes if node.kind == "topic"} == {
        "shop"
    }
