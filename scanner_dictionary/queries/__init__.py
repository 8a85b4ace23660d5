"""The questions that the dictionary answers: one function each, ordered, in frozen rows."""

from scanner_dictionary.queries.connectors import ConnectorRow, TaskRow, connectors
from scanner_dictionary.queries.history import (
    ClusterRow,
    OutcomeRow,
    ScanRow,
    SourceRow,
    clusters,
    outcomes,
    problems,
    scans,
    sources,
)
from scanner_dictionary.queries.listing import SubjectRow, TopicRow, schemas, topics
from scanner_dictionary.queries.remembered import remembered
from scanner_dictionary.queries.schemas_of import SchemaAnswer, schemas_of
from scanner_dictionary.queries.statements import StatementRow, statements

__all__ = [
    "ClusterRow",
    "ConnectorRow",
    "OutcomeRow",
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
    "problems",
    "remembered",
    "scans",
    "schemas",
    "schemas_of",
    "sources",
    "statements",
    "topics",
]
