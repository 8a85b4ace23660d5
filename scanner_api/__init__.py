"""The library behind the command `scanner`: scan, query, generate and export from Python.

`docs/library.md` is the guide; it has an example that runs. Nothing here prints, reads an environment variable other
than those that a cluster.json names, or ends the process: messages and progress go to callbacks, and every error is a
`ScannerError`. A name is imported when it is first used, so that `import scanner_api` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary as Dictionary
    from scanner_api.dictionary import open_dictionary as open_dictionary
    from scanner_api.graph.engines import SparkChoice as SparkChoice
    from scanner_api.graph.export import export as export
    from scanner_api.graph.export import export_tables as export_tables
    from scanner_api.graph.generate import GenerateResult as GenerateResult
    from scanner_api.graph.generate import generate as generate
    from scanner_api.graph.lineage import Impact as Impact
    from scanner_api.graph.lineage import Lineage as Lineage
    from scanner_api.graph.lineage import components as components
    from scanner_api.graph.lineage import impact as impact
    from scanner_api.graph.lineage import lineage as lineage
    from scanner_api.graph.neighbourhood import Hops as Hops
    from scanner_api.graph.neighbourhood import NodePaths as NodePaths
    from scanner_api.graph.neighbourhood import neighbourhood as neighbourhood
    from scanner_api.graph.neighbourhood import paths as paths
    from scanner_api.graph.open import GraphSource as GraphSource
    from scanner_api.monitoring.run import MonitorResult as MonitorResult
    from scanner_api.monitoring.run import monitor as monitor
    from scanner_api.openlineage import EmitResult as EmitResult
    from scanner_api.openlineage import EventOptions as EventOptions
    from scanner_api.openlineage import emit as emit
    from scanner_api.parsing import parse_schema as parse_schema
    from scanner_api.parsing import parse_sql as parse_sql
    from scanner_api.parsing import read_connector as read_connector
    from scanner_api.queries import DictionaryOverview as DictionaryOverview
    from scanner_api.queries import clusters as clusters
    from scanner_api.queries import columns as columns
    from scanner_api.queries import connectors as connectors
    from scanner_api.queries import diff as diff
    from scanner_api.queries import forget as forget
    from scanner_api.queries import overview as overview
    from scanner_api.queries import scan_problems as scan_problems
    from scanner_api.queries import scan_sources as scan_sources
    from scanner_api.queries import scans as scans
    from scanner_api.queries import schemas as schemas
    from scanner_api.queries import sources as sources
    from scanner_api.queries import statements as statements
    from scanner_api.queries import tables as tables
    from scanner_api.queries import topic_schemas as topic_schemas
    from scanner_api.queries import topics as topics
    from scanner_api.queries import validate as validate
    from scanner_api.scanning.report import ScanReport as ScanReport
    from scanner_api.scanning.run import scan as scan
    from scanner_api.searching import DictionaryState as DictionaryState
    from scanner_api.searching import SearchResult as SearchResult
    from scanner_api.searching import find_columns as find_columns
    from scanner_api.searching import search as search
    from scanner_api.searching import state as state
    from scanner_api.topic_description import TopicDescription as TopicDescription
    from scanner_api.topic_description import describe_topic as describe_topic
    from scanner_model.errors import ScannerError as ScannerError

_MODULES = {
    "Dictionary": "scanner_api.dictionary",
    "DictionaryOverview": "scanner_api.queries",
    "DictionaryState": "scanner_api.searching",
    "EmitResult": "scanner_api.openlineage",
    "EventOptions": "scanner_api.openlineage",
    "GenerateResult": "scanner_api.graph.generate",
    "GraphSource": "scanner_api.graph.open",
    "Hops": "scanner_api.graph.neighbourhood",
    "Impact": "scanner_api.graph.lineage",
    "Lineage": "scanner_api.graph.lineage",
    "MonitorResult": "scanner_api.monitoring.run",
    "NodePaths": "scanner_api.graph.neighbourhood",
    "ScanReport": "scanner_api.scanning.report",
    "ScannerError": "scanner_model.errors",
    "SearchResult": "scanner_api.searching",
    "SparkChoice": "scanner_api.graph.engines",
    "TopicDescription": "scanner_api.topic_description",
    "clusters": "scanner_api.queries",
    "columns": "scanner_api.queries",
    "components": "scanner_api.graph.lineage",
    "connectors": "scanner_api.queries",
    "describe_topic": "scanner_api.topic_description",
    "diff": "scanner_api.queries",
    "emit": "scanner_api.openlineage",
    "export": "scanner_api.graph.export",
    "export_tables": "scanner_api.graph.export",
    "find_columns": "scanner_api.searching",
    "forget": "scanner_api.queries",
    "generate": "scanner_api.graph.generate",
    "impact": "scanner_api.graph.lineage",
    "lineage": "scanner_api.graph.lineage",
    "monitor": "scanner_api.monitoring.run",
    "neighbourhood": "scanner_api.graph.neighbourhood",
    "open_dictionary": "scanner_api.dictionary",
    "overview": "scanner_api.queries",
    "parse_schema": "scanner_api.parsing",
    "parse_sql": "scanner_api.parsing",
    "paths": "scanner_api.graph.neighbourhood",
    "read_connector": "scanner_api.parsing",
    "scan": "scanner_api.scanning.run",
    "scan_problems": "scanner_api.queries",
    "scan_sources": "scanner_api.queries",
    "scans": "scanner_api.queries",
    "schemas": "scanner_api.queries",
    "search": "scanner_api.searching",
    "state": "scanner_api.searching",
    "sources": "scanner_api.queries",
    "statements": "scanner_api.queries",
    "tables": "scanner_api.queries",
    "topic_schemas": "scanner_api.queries",
    "topics": "scanner_api.queries",
    "validate": "scanner_api.queries",
}
"""Exported name → the module that defines it."""

__all__ = [
    "Dictionary",
    "DictionaryOverview",
    "DictionaryState",
    "EmitResult",
    "EventOptions",
    "GenerateResult",
    "GraphSource",
    "Hops",
    "Impact",
    "Lineage",
    "MonitorResult",
    "NodePaths",
    "ScanReport",
    "ScannerError",
    "SearchResult",
    "SparkChoice",
    "TopicDescription",
    "clusters",
    "columns",
    "components",
    "connectors",
    "describe_topic",
    "diff",
    "emit",
    "export",
    "export_tables",
    "find_columns",
    "forget",
    "generate",
    "impact",
    "lineage",
    "monitor",
    "neighbourhood",
    "open_dictionary",
    "overview",
    "parse_schema",
    "parse_sql",
    "paths",
    "read_connector",
    "scan",
    "scan_problems",
    "scan_sources",
    "scans",
    "schemas",
    "search",
    "sources",
    "state",
    "statements",
    "tables",
    "topic_schemas",
    "topics",
    "validate",
]


def __getattr__(name: str) -> object:
    """Import the exported *name* when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the exported names."""
    return sorted(__all__)
