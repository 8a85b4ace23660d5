"""Queries of the dictionary: one function each, ordered, returning frozen rows."""

from scanner_dictionary.queries.connectors import ConnectorRow, StatementRow, TaskRow, connectors, statements
from scanner_dictionary.queries.history import (
    ClusterRow,
    ScanRow,
    SourceRow,
    clusters,
    outcomes,
    previous_state,
    problems,
    scans,
    sources,
)
from scanner_dictionary.queries.listings import TopicRow, topics
from scanner_dictionary.queries.topic_schemas import SchemaAnswer, schemas_of
from scanner_dictionary.queries.topics import SubjectRow, schemas

__all__ = [
    "ClusterRow",
    "ConnectorRow",
    "ScanRow",
    "SchemaAnswer",
    "SourceRow",
    "StatementRow",
    "SubjectRow",
    "TaskRow",
    "TopicRow",
    "clusters",
    "connectors",
    "outcomes",
    "previous_state",
    "problems",
    "scans",
    "schemas",
    "schemas_of",
    "sources",
    "statements",
    "topics",
]
