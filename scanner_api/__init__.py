"""The library behind the command `scanner`: scan, query, generate and export from Python.

`docs/library.md` is the guide; it has an example that runs. Nothing here prints, reads an environment variable other
than those that a cluster.json names, or ends the process: messages and progress go to callbacks, and every error is a
`ScannerError`. A name is imported when it is first used, so that `import scanner_api` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scanner_api.change_check.check import CheckOptions as CheckOptions
    from scanner_api.change_check.check import Level as Level
    from scanner_api.change_check.check import Policy as Policy
    from scanner_api.change_check.check import check_change as check_change
    from scanner_api.change_check.deletion import DeletionAnswer as DeletionAnswer
    from scanner_api.change_check.deletion import may_delete as may_delete
    from scanner_api.change_check.files import ProposedFiles as ProposedFiles
    from scanner_api.change_check.files import git_files as git_files
    from scanner_api.change_check.files import proposed_files as proposed_files
    from scanner_api.change_check.model import ChangeReport as ChangeReport
    from scanner_api.change_check.proposals import PathRule as PathRule
    from scanner_api.change_check.proposals import Target as Target
    from scanner_api.configuration import ClusterTemplate as ClusterTemplate
    from scanner_api.configuration import ConnectionCheck as ConnectionCheck
    from scanner_api.configuration import ManualCheck as ManualCheck
    from scanner_api.configuration import check as check
    from scanner_api.configuration import check_manual_input as check_manual_input
    from scanner_api.configuration import cloud_templates as cloud_templates
    from scanner_api.configuration import cluster_schema as cluster_schema
    from scanner_api.configuration import manual_input_example as manual_input_example
    from scanner_api.configuration import manual_input_schema as manual_input_schema
    from scanner_api.configuration import probe_addresses as probe_addresses
    from scanner_api.configuration import probed_template as probed_template
    from scanner_api.configuration import write_templates as write_templates
    from scanner_api.dictionary import Dictionary as Dictionary
    from scanner_api.dictionary import TableCopy as TableCopy
    from scanner_api.dictionary import copy_dictionary as copy_dictionary
    from scanner_api.dictionary import open_dictionary as open_dictionary
    from scanner_api.event_intake import EventImport as EventImport
    from scanner_api.event_intake import import_events as import_events
    from scanner_api.graph.events import EventOptions as EventOptions
    from scanner_api.graph.export import export as export
    from scanner_api.graph.export import export_tables as export_tables
    from scanner_api.graph.generate import GenerateResult as GenerateResult
    from scanner_api.graph.generate import generate as generate
    from scanner_api.graph.history import FlowDiff as FlowDiff
    from scanner_api.graph.history import GraphOfScan as GraphOfScan
    from scanner_api.graph.history import HistoryRow as HistoryRow
    from scanner_api.graph.history import PruneResult as PruneResult
    from scanner_api.graph.history import diff_flows as diff_flows
    from scanner_api.graph.history import graphs as graphs
    from scanner_api.graph.history import history as history
    from scanner_api.graph.history import prune as prune
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
    from scanner_api.openlineage import emit as emit
    from scanner_api.parsing import ConnectorColumns as ConnectorColumns
    from scanner_api.parsing import connector_columns as connector_columns
    from scanner_api.parsing import explain_subject as explain_subject
    from scanner_api.parsing import parse_schema as parse_schema
    from scanner_api.parsing import parse_sql as parse_sql
    from scanner_api.parsing import read_connector as read_connector
    from scanner_api.parsing import registry_kinds as registry_kinds
    from scanner_api.parsing import schema_formats as schema_formats
    from scanner_api.parsing import subject_documents as subject_documents
    from scanner_api.queries import DictionaryOverview as DictionaryOverview
    from scanner_api.queries import clusters as clusters
    from scanner_api.queries import columns as columns
    from scanner_api.queries import connectors as connectors
    from scanner_api.queries import diff as diff
    from scanner_api.queries import diff_document as diff_document
    from scanner_api.queries import diff_rows as diff_rows
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
    from scanner_api.scanning.clusters import ScanReport as ScanReport
    from scanner_api.scanning.run import scan as scan
    from scanner_api.searching import DictionaryState as DictionaryState
    from scanner_api.searching import SearchResult as SearchResult
    from scanner_api.searching import TopicDescription as TopicDescription
    from scanner_api.searching import describe_topic as describe_topic
    from scanner_api.searching import find_columns as find_columns
    from scanner_api.searching import search as search
    from scanner_api.searching import state as state
    from scanner_api.spark import JdbcTarget as JdbcTarget
    from scanner_api.spark import SparkChoice as SparkChoice
    from scanner_model.errors import ScannerError as ScannerError

_MODULES = {
    "ChangeReport": "scanner_api.change_check.model",
    "CheckOptions": "scanner_api.change_check.check",
    "ClusterTemplate": "scanner_api.configuration",
    "ConnectionCheck": "scanner_api.configuration",
    "ConnectorColumns": "scanner_api.parsing",
    "DeletionAnswer": "scanner_api.change_check.deletion",
    "Dictionary": "scanner_api.dictionary",
    "DictionaryOverview": "scanner_api.queries",
    "DictionaryState": "scanner_api.searching",
    "EmitResult": "scanner_api.openlineage",
    "EventImport": "scanner_api.event_intake",
    "EventOptions": "scanner_api.graph.events",
    "FlowDiff": "scanner_api.graph.history",
    "GenerateResult": "scanner_api.graph.generate",
    "GraphOfScan": "scanner_api.graph.history",
    "GraphSource": "scanner_api.graph.open",
    "HistoryRow": "scanner_api.graph.history",
    "Hops": "scanner_api.graph.neighbourhood",
    "Impact": "scanner_api.graph.lineage",
    "JdbcTarget": "scanner_api.spark",
    "Level": "scanner_api.change_check.check",
    "Policy": "scanner_api.change_check.check",
    "Lineage": "scanner_api.graph.lineage",
    "ManualCheck": "scanner_api.configuration",
    "MonitorResult": "scanner_api.monitoring.run",
    "PathRule": "scanner_api.change_check.proposals",
    "ProposedFiles": "scanner_api.change_check.files",
    "PruneResult": "scanner_api.graph.history",
    "NodePaths": "scanner_api.graph.neighbourhood",
    "ScanReport": "scanner_api.scanning.clusters",
    "ScannerError": "scanner_model.errors",
    "SearchResult": "scanner_api.searching",
    "SparkChoice": "scanner_api.spark",
    "TableCopy": "scanner_api.dictionary",
    "Target": "scanner_api.change_check.proposals",
    "TopicDescription": "scanner_api.searching",
    "check": "scanner_api.configuration",
    "check_change": "scanner_api.change_check.check",
    "check_manual_input": "scanner_api.configuration",
    "cloud_templates": "scanner_api.configuration",
    "cluster_schema": "scanner_api.configuration",
    "clusters": "scanner_api.queries",
    "columns": "scanner_api.queries",
    "components": "scanner_api.graph.lineage",
    "connector_columns": "scanner_api.parsing",
    "connectors": "scanner_api.queries",
    "copy_dictionary": "scanner_api.dictionary",
    "describe_topic": "scanner_api.searching",
    "diff": "scanner_api.queries",
    "diff_document": "scanner_api.queries",
    "diff_flows": "scanner_api.graph.history",
    "diff_rows": "scanner_api.queries",
    "emit": "scanner_api.openlineage",
    "explain_subject": "scanner_api.parsing",
    "export": "scanner_api.graph.export",
    "export_tables": "scanner_api.graph.export",
    "find_columns": "scanner_api.searching",
    "forget": "scanner_api.queries",
    "generate": "scanner_api.graph.generate",
    "git_files": "scanner_api.change_check.files",
    "graphs": "scanner_api.graph.history",
    "history": "scanner_api.graph.history",
    "impact": "scanner_api.graph.lineage",
    "import_events": "scanner_api.event_intake",
    "lineage": "scanner_api.graph.lineage",
    "manual_input_example": "scanner_api.configuration",
    "manual_input_schema": "scanner_api.configuration",
    "may_delete": "scanner_api.change_check.deletion",
    "monitor": "scanner_api.monitoring.run",
    "neighbourhood": "scanner_api.graph.neighbourhood",
    "open_dictionary": "scanner_api.dictionary",
    "overview": "scanner_api.queries",
    "parse_schema": "scanner_api.parsing",
    "parse_sql": "scanner_api.parsing",
    "paths": "scanner_api.graph.neighbourhood",
    "probe_addresses": "scanner_api.configuration",
    "probed_template": "scanner_api.configuration",
    "proposed_files": "scanner_api.change_check.files",
    "proposed_schema": "scanner_api.change_check.files",
    "prune": "scanner_api.graph.history",
    "read_connector": "scanner_api.parsing",
    "registry_kinds": "scanner_api.parsing",
    "scan": "scanner_api.scanning.run",
    "scan_problems": "scanner_api.queries",
    "scan_sources": "scanner_api.queries",
    "scans": "scanner_api.queries",
    "schema_formats": "scanner_api.parsing",
    "schemas": "scanner_api.queries",
    "search": "scanner_api.searching",
    "sources": "scanner_api.queries",
    "state": "scanner_api.searching",
    "statements": "scanner_api.queries",
    "subject_documents": "scanner_api.parsing",
    "tables": "scanner_api.queries",
    "topic_schemas": "scanner_api.queries",
    "topics": "scanner_api.queries",
    "validate": "scanner_api.queries",
    "write_templates": "scanner_api.configuration",
}
"""Exported name → the module that defines it."""

__all__ = [
    "ChangeReport",
    "CheckOptions",
    "ClusterTemplate",
    "ConnectionCheck",
    "ConnectorColumns",
    "DeletionAnswer",
    "Dictionary",
    "DictionaryOverview",
    "DictionaryState",
    "EmitResult",
    "EventImport",
    "EventOptions",
    "FlowDiff",
    "GenerateResult",
    "GraphOfScan",
    "GraphSource",
    "HistoryRow",
    "Hops",
    "Impact",
    "JdbcTarget",
    "Level",
    "Lineage",
    "ManualCheck",
    "MonitorResult",
    "NodePaths",
    "PathRule",
    "Policy",
    "ProposedFiles",
    "PruneResult",
    "ScanReport",
    "ScannerError",
    "SearchResult",
    "SparkChoice",
    "TableCopy",
    "Target",
    "TopicDescription",
    "check",
    "check_change",
    "check_manual_input",
    "cloud_templates",
    "cluster_schema",
    "clusters",
    "columns",
    "components",
    "connector_columns",
    "connectors",
    "copy_dictionary",
    "describe_topic",
    "diff",
    "diff_document",
    "diff_flows",
    "diff_rows",
    "emit",
    "explain_subject",
    "export",
    "export_tables",
    "find_columns",
    "forget",
    "generate",
    "git_files",
    "graphs",
    "history",
    "impact",
    "import_events",
    "lineage",
    "manual_input_example",
    "manual_input_schema",
    "may_delete",
    "monitor",
    "neighbourhood",
    "open_dictionary",
    "overview",
    "parse_schema",
    "parse_sql",
    "paths",
    "probe_addresses",
    "probed_template",
    "proposed_files",
    "proposed_schema",
    "prune",
    "read_connector",
    "registry_kinds",
    "scan",
    "scan_problems",
    "scan_sources",
    "scans",
    "schema_formats",
    "schemas",
    "search",
    "sources",
    "state",
    "statements",
    "subject_documents",
    "tables",
    "topic_schemas",
    "topics",
    "validate",
    "write_templates",
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
