"""Parsing single texts and names with the library."""

from __future__ import annotations

from scanner_api import connector_columns, explain_subject, registry_kinds, schema_formats, subject_documents
from scanner_model.plugins import REGISTRIES, SCHEMA_FORMATS

SINK = {"connector.class": "FileStreamSink", "topics": "orders", "file": "/tmp/orders.txt"}


def test_columns_that_pass_a_connector_come_out_with_their_flow() -> None:
    """Without columns there is nothing to map, and the flows alone are read."""
    result = connector_columns(SINK, ["id", "customer.name"])

    assert [column.path for column in result.columns] == [("id",), ("customer", "name")]
    assert (result.unknown, result.problems) == ((), ())
    assert connector_columns(SINK).columns == ()


def test_columns_through_an_unknown_transform_are_unknown() -> None:
    """They are listed as such, and not guessed."""
    unknown_transform = SINK | {"transforms": "t", "transforms.t.type": "com.acme.Rewrite"}
    result = connector_columns(unknown_transform, ["id"])

    assert result.columns == ()
    assert [flow.source.name for flow in result.unknown if flow.source] == ["orders"]


def test_a_declared_topic_of_a_subject_is_chosen() -> None:
    """Its JSON is that of the command."""
    (explained,) = explain_subject(["com.acme.Payment"], mapping={"com.acme.Payment": ["payments"]})
    (document,) = subject_documents([explained])

    assert explained.choice.chosen
    assert (explained.choice.chosen.topic, document["chosen"]["topic"]) == ("payments", "payments")


def test_names_include_those_of_plug_ins(install_package) -> None:
    """The options of commands list them."""
    groups = {SCHEMA_FORMATS: {"THRIFT": "x:y"}, REGISTRIES: {"acme": "x:z"}}
    own = schema_formats(), registry_kinds()
    install_package("acme-plug-ins", groups)

    assert schema_formats() == (*own[0], "THRIFT")
    assert sorted(registry_kinds()) == sorted((*own[1], "acme"))  # `cloudera` is a plug-in, too
