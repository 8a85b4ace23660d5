"""The tables of Kafka Connect; `tables` takes them in."""

from __future__ import annotations

from sqlalchemy import Index, Integer, String, Text, UniqueConstraint

from scanner_dictionary.table_parts import declare, identity, may, must, ordinal, parent, told

connector = declare(
    "connector",
    "A connector of Kafka Connect.",
    identity(),
    parent("cluster_id", "cluster", "its cluster"),
    must("name", String, "its name, unique among the connectors of its source"),
    must("kind", String, "source, sink or unknown"),
    must("connector_class", Text, "the plug-in as its configuration names it"),
    must("config", Text, "JSON object of its settings; what is secret is hidden"),
    must("state", String, "the server's word, empty where it does not tell"),
    must("worker", String, "the worker that runs it, may be empty"),
    must("trace", Text, "why it failed, empty where it did not"),
    may("topics", Text, "JSON array of the topics it was seen to use; empty where that cannot be told"),
    must("plugin_version", String, "version of the plug-in, empty where nobody tells"),
    must("managed_id", String, "Confluent Cloud's id of it, empty elsewhere"),
    *told(),
    UniqueConstraint("source_id", "name", name="uq_connector_name"),
    Index("ix_connector_cluster", "cluster_id"),
)

connector_task = declare(
    "connector_task",
    "A task of a connector.",
    parent("connector_id", "connector", "the connector", key=True),
    ordinal("place among its tasks, from 0"),
    must("task_number", Integer, "the server's number"),
    must("state", String, "the server's word"),
    must("worker", String, "the worker that runs it, may be empty"),
    must("trace", Text, "why it failed, empty where it did not"),
)
