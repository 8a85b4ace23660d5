"""The question for the schemas of a topic, with their columns."""

from __future__ import annotations

from typing import Annotated

from dataflow_generator.stored.column_tags import inherited_in, schemas_with_inherited
from scanner_api.dictionary import Dictionary
from scanner_api.questions.question import AnyCluster, Moment, Page, Parameter, Topic
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.queries.resolve import FoundCluster, cluster_meant
from scanner_dictionary.queries.topic_schemas import SchemaAnswer as SchemaAnswer
from scanner_dictionary.queries.topic_schemas import schemas_in


def topic_schemas(
    dictionary: Dictionary,
    *,
    topic: Topic,
    cluster: AnyCluster = None,
    schema_id: Annotated[str | int | None, Parameter("Exactly this schema id.", metavar="N")] = None,
    subject: Annotated[str | None, Parameter("This subject: its newest version, if none is named.")] = None,
    version: Annotated[str | int | None, Parameter("This version: a number, or `latest`.", metavar="V")] = None,
    as_of: Moment = None,
) -> Page[SchemaAnswer]:
    """Return the schemas of a topic with their columns: keys first, then by subject, version and id.

    *cluster* is the name of a cluster, any of its brokers, or a comma list of them. Without more arguments: all current
    schemas. *schema_id*: exactly that one. *subject*: its newest version, or *version* of it. Empty where the topic is
    known and has no schema. Raises NameUnknown for a cluster, topic, schema, subject or version that is not known,
    InputInvalid where several clusters have the topic and none is named.

    >>> for schema in topic_schemas(dictionary, cluster="localhost:29095", topic="orders"):
    ...     print(schema.role, schema.subject, [column.name for column in schema.columns])
    """
    with dictionary.at(as_of).reading() as conn:
        known = cluster_meant(conn, cluster, topic)
        listed = schemas_in(conn, known, topic, schema_id=schema_id, subject=subject, version=version)
        dataset = dataset_of(conn, known, topic)
        return Page(schemas_with_inherited(listed, dataset, inherited_in(conn, (dataset,))))


def dataset_of(conn: Connection, cluster: FoundCluster, topic: str) -> str:
    """Return the topic as the graph calls it: the namespace of its cluster, and its name."""
    homes = (node.namespace for node in SqlGraphReader(conn).cluster_nodes([cluster.name]))
    return f"{next(homes, '')}/{topic}"
