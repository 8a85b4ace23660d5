"""What becomes of the JSON of a connector, of whatever shape."""

from __future__ import annotations

from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.systems.connect.reader import (
    plugin_classes,
    read_active_topics,
    read_config,
    read_connector,
    read_passwords,
    read_plugins,
)
from scanner_model.errors import PayloadUnexpected
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask
from scanner_model.names import SourceId
from scanner_model.payload import Payload, Unread

SOURCE = SourceId("connect:main")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["info", "status", "id", "config", "tasks", "type", "connector", "state", "trace", "task", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@examples(150)
@given(JSON)
def test_reader_answers_or_objects_whatever_it_is_reported(reported: Any) -> None:
    """A proxy, a fork or a newer version may answer anything."""
    for read, kind in (
        (lambda: read_connector("x", Payload(reported), SOURCE), Connector),
        (lambda: read_plugins(Payload(reported), Unread(SOURCE)), dict),
        (lambda: read_passwords(Payload(reported)), frozenset),
        (lambda: read_active_topics(Payload(reported), "x"), tuple),
    ):
        try:
            assert isinstance(read(), kind)
        except PayloadUnexpected:
            continue


def test_configuration_may_be_an_object_or_a_list_of_pairs() -> None:
    """Confluent Cloud's API has been seen to answer both."""
    pairs = [{"config": "a", "value": "1"}, {"config": "b", "value": None}]

    assert read_config(Payload(pairs)) == read_config(Payload({"a": "1", "b": None})) == {"a": "1"}


def test_settings_that_are_no_text_are_written_as_json_writes_them() -> None:
    """A connector that was made by a script may have numbers."""
    assert read_config(Payload({"a": 1, "b": True, "c": 0.5})) == {"a": "1", "b": "true", "c": "0.5"}


@pytest.mark.parametrize("name", ["connector.class", "value.converter", "transforms.a.type", "predicates.b.type"])
def test_a_class_is_named_by_a_text(name: str) -> None:
    """A number as class would only look like a class that is not known: its plug-in and passwords would be lost."""
    with pytest.raises(PayloadUnexpected, match="is a number, not text"):
        read_config(Payload({"connector.class": "A", name: 7}))


def test_tasks_are_those_of_status_and_those_that_have_none_yet() -> None:
    """While tasks start, the list is ahead of the status; strange numbers are no tasks."""
    members = {
        "info": {"config": {}, "tasks": [{"connector": "x", "task": 1}, {"connector": "x", "task": 0}]},
        "status": {"tasks": [{"id": 2, "state": "RUNNING", "worker_id": "w"}, {"id": -1}, {"id": 2**40}]},
    }

    assert read_connector("x", Payload(members), SOURCE).tasks == (
        ConnectorTask(number=0, state=""),
        ConnectorTask(number=1, state=""),
        ConnectorTask(number=2, state="RUNNING", worker="w"),
    )


def test_managed_task_states_in_msg_why_it_failed() -> None:
    """Confluent Cloud has no trace for a task."""
    members = {"info": {"config": {}}, "status": {"tasks": [{"id": 0, "state": "FAILED", "msg": "no such bucket"}]}}

    assert read_connector("x", Payload(members), SOURCE).tasks[0].trace == "no such bucket"


def test_kind_comes_from_info_before_status() -> None:
    """The API's word outranks any guess from a class name."""
    members = {"info": {"config": {"connector.class": "com.acme.FooSinkConnector"}, "type": "source"}}

    assert read_connector("x", Payload(members), SOURCE).kind == ConnectorKind.SOURCE
    assert read_connector("x", Payload(members | {"info": {"config": {}}}), SOURCE).kind == ConnectorKind.UNKNOWN


def test_every_plugin_of_a_configuration_is_known_by_its_prefix() -> None:
    """Converters, transforms and predicates have secrets of their own."""
    config = {
        "connector.class": "C",
        "transforms": " a, b,,",
        "transforms.a.type": "T",
        "predicates": "p",
        "predicates.p.type": "P",
        "value.converter": "V",
        "key.converter": "",
    }

    assert plugin_classes(config) == {"": "C", "transforms.a.": "T", "predicates.p.": "P", "value.converter.": "V"}
