"""What of the names of topics a connector's reader looked at: only that can make it tell something else."""

import pytest

from dataflow_generator.connectors import Config, Connector, read_connector
from dataflow_generator.connectors.topics import KnownTopics, beginning, is_candidate_topic

NAMES = ("a", "a.b", "a.c", "ab", "b")


@pytest.mark.parametrize(
    ("look", "starts"),
    [
        (lambda names: names.beginning("a."), {"a."}),
        (lambda names: "ab" in names, {"ab"}),
        (lambda names: 7 in names, {""}),
        (list, {""}),
        (sorted, {""}),
        (len, {""}),
        (lambda names: names[0], {""}),
        (lambda names: names or (), {""}),
        (lambda names: names is None, set()),
    ],
)
def test_names_remember_what_was_looked_at(look, starts) -> None:
    """A plug-in goes through them as it likes: what it does not say is all of them."""
    names = KnownTopics(NAMES)
    look(names)

    assert names.starts == starts


@pytest.mark.parametrize(
    ("start", "found"), [("a.", ("a.b", "a.c")), ("", NAMES), ("b", ("b",)), ("c", ()), ("a.d", ())]
)
def test_names_that_begin_so_are_found(start, found) -> None:
    """They stand together."""
    assert beginning(NAMES, start) == KnownTopics(NAMES).beginning(start) == found


def looked_at(**config: str) -> set[str]:
    known = KnownTopics(("b.paid", "cdc.shop.users", "cdc.x", "z"))
    told = {name.replace("_", "."): value for name, value in config.items()}
    read_connector(Connector(name="c", config=Config.of(told), known=known))
    return known.starts


JDBC = {"connection_url": "jdbc:postgresql://db/dwh"}
SINK = {"connector_class": "io.confluent.connect.jdbc.JdbcSinkConnector", **JDBC}
SOURCE = {"connector_class": "io.confluent.connect.jdbc.JdbcSourceConnector", **JDBC}
DEBEZIUM = {"connector_class": "io.debezium.connector.postgresql.PostgresConnector", "topic_prefix": "cdc"}


@pytest.mark.parametrize(
    ("config", "starts"),
    [
        (SINK | {"topics": "z"}, set()),
        (SINK | {"topics_regex": r"b\..*"}, {"b."}),
        (SINK | {"topics_regex": r"c\..*"}, {"c.", ""}),
        (SINK | {"topics_regex": "(b|z).*"}, {""}),
        (SOURCE | {"topic_prefix": "cdc.", "table_whitelist": "x"}, {"cdc."}),
        (DEBEZIUM | {"table_include_list": r"shop\..*"}, {"cdc."}),
    ],
)
def test_a_reader_looks_at_the_names_that_its_configuration_is_about(config, starts) -> None:
    """A pattern without a match counts all names in what it tells."""
    assert looked_at(**config) == starts


def test_a_name_is_seen_whole() -> None:
    """That another one begins with it says nothing."""
    known = KnownTopics(("cdc.users",))

    assert not is_candidate_topic(Connector(name="c", config=Config.of({}), known=known), "cdc")
