"""A stored graph that is brought up to date is the one that would be made anew, whatever changed in the estate."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import changing_estate as changing
import pytest
from hypothesis import HealthCheck, given, settings

from dataflow_generator.analysis.findings import Finding, stored_findings, validate
from dataflow_generator.incremental.update import Renewed, renew
from dataflow_generator.query.stored_graph import whole_graph
from dataflow_generator.render import OUTPUTS
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.store import stored_graph
from scanner_model.errors import DictionaryUnusable
from scanner_model.names import Role

CONNECTORS, FIELDS, estate = changing.CONNECTORS, changing.FIELDS, changing.estate


def told(file: Path) -> tuple[str, Any, list[Any]]:
    """Return all that is stored of the graph but the keys of its rows."""
    with open_dictionary(str(file)).connect() as conn:
        about = stored_graph(conn)
        graph = "".join(OUTPUTS["json"](whole_graph(conn, about)))
    with sqlite3.connect(file) as rows:
        parts = rows.execute("SELECT kind, name, digest, told FROM flow_part ORDER BY kind, name").fetchall()
        ((made,),) = rows.execute("SELECT made_with FROM flow_graph").fetchall()
    return graph, about, [*parts, made]


def anew(file: Path) -> tuple[str, Any, list[Any]]:
    """Return the same of a graph that is made anew."""
    other = Path(shutil.copy(file, file.with_suffix(".anew.db")))
    renew(open_dictionary(str(other)), anew=True)
    return told(other)


def renewed(file: Path, state: dict[str, Any]) -> Renewed:
    return renew(changing.write_state(file, state))


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(history=changing.histories())
def test_renewed_graph_is_the_one_made_anew(empty, tmp_path_factory, history) -> None:
    """Not a byte may tell in which order an estate became what it is."""
    file = Path(shutil.copy(empty, tmp_path_factory.mktemp("renewed") / "dictionary.db"))
    for state in history:
        renewed(file, state)

        assert told(file) == anew(file)
        assert found_in(file) == validated(file)


def found_in(file: Path) -> tuple[Finding, ...]:
    with open_dictionary(str(file)).connect() as conn:
        return stored_findings(conn)


def validated(file: Path) -> tuple[Finding, ...]:
    """Return the findings of all nodes and edges that are stored."""
    with open_dictionary(str(file)).connect() as conn:
        graph = whole_graph(conn, stored_graph(conn))
        return validate(graph.nodes(), graph.edges())


@pytest.fixture
def file(empty, tmp_path) -> Path:
    """Return a dictionary with the graph of an estate."""
    copied = Path(shutil.copy(empty, tmp_path / "dictionary.db"))
    renewed(copied, estate())
    return copied


def test_what_did_not_change_is_reused(file) -> None:
    """Of two topics one has another schema: one of the two sinks, and the query that writes it, are read again."""
    schemas = {("a.orders", Role.VALUE): FIELDS, ("b.paid", Role.VALUE): FIELDS[:2]}
    after = renewed(file, estate(schemas=schemas))

    assert (after.topics, after.schemas) == ((1, 2), (1, 2))
    assert after.jobs.kept < after.jobs.all == 3
    assert told(file) == anew(file)


def test_a_topic_that_went_stays_where_a_job_names_it(file) -> None:
    """Its edges lead to what is now a dataset among others, and back when it returns."""
    for topics in (("b.paid",), ("a.orders", "b.paid"), ("a.orders",), ("a.orders", "b.paid", "c")):
        after = renewed(file, estate(topics=topics))

        assert after.jobs.kept
        assert told(file) == anew(file)


def test_a_topic_is_looked_at_by_a_connector_that_could_name_it_otherwise(file) -> None:
    """Whether the topic that it would name first is there decides whether the other one is looked at."""
    (server,) = (each for each in CONNECTORS if "sqlserver" in each["connector.class"])
    short, full = "cdc.shop.users", "cdc.main.shop.users"
    for topics in ((), (short, full), (short,), (full,), (short, "z"), ("z",)):
        renewed(file, estate(topics=topics, connectors=(server,)))

        assert told(file) == anew(file)


def test_names_that_no_connector_looked_at_change_nothing_for_it(file) -> None:
    """Of the names of all topics each reader goes through those that its pattern begins as."""
    matching = tuple(each for each in CONNECTORS if each.get("topics.regex") == r"b\.p.*")
    renewed(file, estate(connectors=matching))
    before = [row for row in told(file)[2] if row[0] == "connect"]
    renewed(file, estate(connectors=matching, topics=("a.orders", "b.paid", "z")))

    assert [row for row in told(file)[2] if row[0] == "connect"] == before


@pytest.mark.parametrize(("topic", "kept"), [("cdc.other", True), ("cdc.main.shop.users", False)])
def test_a_name_that_was_looked_at_is_told_again_and_mostly_tells_the_same(file, topic, kept) -> None:
    """A connector whose names of topics changed is read again only where it says something else of them."""
    listed = tuple(each for each in CONNECTORS if "sqlserver" in each["connector.class"])
    topics = ("a.orders", "b.paid", "cdc.shop.users")
    renewed(file, estate(topics=topics, connectors=listed))
    after = renewed(file, estate(topics=(*topics, topic), connectors=listed))

    assert (after.jobs.kept == after.jobs.all) is kept
    assert told(file) == anew(file)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE flow_graph SET made_with = replace(made_with, 'program', 'another')",
        "UPDATE flow_graph SET made_with = NULL",
        "UPDATE flow_graph SET made_with = '[]'",
        "UPDATE flow_graph SET node_count = 1",
        "UPDATE flow_part SET told = 'x'",
        "UPDATE flow_part SET digest = 'x', told = '{}' WHERE kind = 'connect'",
        "UPDATE flow_node SET node_key = 'x' || node_key WHERE kind = 'column' AND id < 0",
        "UPDATE flow_edge SET kind = 'reads' WHERE kind = 'column-flow'",
        "DELETE FROM flow_part",
    ],
)
def test_what_this_program_did_not_write_is_made_anew(file, damage) -> None:
    """A remembered part that is not sure is worth nothing."""
    with sqlite3.connect(file) as rows:
        rows.execute(damage)
    renewed(file, estate(topics=("a.orders", "b.paid", "z")))

    assert told(file)[1:] == anew(file)[1:]


def test_events_make_all_jobs_anew_and_keep_the_schemas(file) -> None:
    """What an event tells of a dataset bears on every job that names it."""
    after = renewed(file, estate(event=True))

    assert (after.topics.kept, after.jobs.kept, after.schemas) == (0, 0, (1, 1))
    assert told(file) == anew(file)


def test_a_program_that_fails_leaves_the_graph_before(file) -> None:
    """Either all of it is the new one, or nothing."""
    before = told(file)
    engine = open_dictionary(str(file))
    with sqlite3.connect(file) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DictionaryUnusable):
            renew(open_dictionary(str(file), patience=0.1))
    engine.dispose()

    assert told(file) == before
