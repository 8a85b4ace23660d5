"""Configurations of DIGIT's persister and indexer: topics whose messages are written to tables or search indexes.

Source: DIGIT documentation, "Persister service" and "Indexer service".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, text
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.topic_files.mapping import documents
from scanner_model.columns import ELEMENT, ColumnPath
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.payload import Json

PERSISTER, INDEXER = "egov-persister", "egov-indexer"
"""The programs that read these files."""
_SIGN = re.compile(r"^[sS]erviceMaps:", re.MULTILINE)
_TOPIC = re.compile(r"^[ \t-]*(?:fromTopic|topic):", re.MULTILINE)
_TABLE = re.compile(
    r"^\s*(?:INSERT\s+INTO|UPDATE|UPSERT\s+INTO|DELETE\s+FROM)\s+(?P<table>[\w.]+)\s*(?:\((?P<columns>[^()]*)\))?",
    re.IGNORECASE,
)
_SET = re.compile(r"\bSET\b(?P<columns>.*?)(?:\bWHERE\b|$)", re.IGNORECASE | re.DOTALL)
_ASSIGNED = re.compile(r"(?<!\w)(\w++)\s*+=\s*+\?")
_STEP = re.compile(r"\.?(?:(?P<name>[\w-]+)|(?P<each>\*|\[\*\]))")
_DATABASE, _INDEX = "postgres://unknown", "elasticsearch://unknown"
"""The namespaces of tables and indexes: on which server they are is not in these files."""


class _Target(NamedTuple):
    namespace: str
    name: str
    columns: tuple[tuple[ColumnPath, str], ...] = ()


def is_service_map(file: RepositoryFile) -> bool:
    """Check whether a file configures the persister or the indexer."""
    signs = (_SIGN, _TOPIC) if file.ending in (".yaml", ".yml") else ()
    return bool(signs) and all(sign.search(file.text) for sign in signs)


def read_service_map(file: RepositoryFile, context: Context) -> None:
    """Add the flows from the topics of a file to the tables or indexes that their messages are written to."""
    for parsed in documents(file, context, "service map"):
        services = mapping(parsed.value, "serviceMaps") or mapping(parsed.value, "ServiceMaps")
        for entry in mappings(services, "mappings"):
            topic = text(entry, "fromTopic") or text(entry, "topic")
            place = f"{file.path}:{getattr(entry, 'line', parsed.line)}"
            if not is_topic_name(topic):
                context.collector.problem(place, f"{topic!r} is not the name of a topic")
                continue
            context.topic(topic, place, tool="service map")
            targets = [*_tables(entry), *(_Target(_INDEX, text(index, "name")) for index in mappings(entry, "indexes"))]
            job = PERSISTER if "fromTopic" in entry else INDEXER
            for target in targets:
                _add_flows(job, topic, target, place, context)
            if not targets:
                context.use(job, topic, writes=False, description="service map", place=place, separate=True)


def _add_flows(job: str, topic: str, target: _Target, place: str, context: Context) -> None:
    known = {(flow.job, flow.origin, flow.target) for flow in context.flows}
    for path, column in target.columns or ((None, ""),):
        flow = DeclaredFlow(
            source=context.source,
            origin=FlowEnd(name=topic, path=path),
            target=FlowEnd(namespace=target.namespace, name=target.name, path=(column,) if column else None),
            job=job,
            description="service map",
            evidence=place,
            separate=True,
        )
        if (flow.job, flow.origin, flow.target) not in known:
            context.flows.append(flow)


def _tables(entry: Mapping[str, Json]) -> Iterator[_Target]:
    """Yield the table of each query; its columns are known if each has a place in the message."""
    for query in mappings(entry, "queryMaps"):
        sql = text(query, "query")
        if found := _TABLE.match(sql):
            columns = _columns(sql, found["columns"])
            paths = [_path(text(part, "jsonPath")) for part in mappings(query, "jsonMaps")]
            pairs = tuple((path, column) for path, column in zip(paths, columns, strict=False) if path is not None)
            yield _Target(_DATABASE, found["table"], pairs)


def _columns(sql: str, listed: str | None) -> list[str]:
    """Return the columns that parameters of a statement are written to, in order; empty if others are between them."""
    if listed is not None:
        names = [name.strip().strip('"') for name in listed.split(",")]
        values = re.search(r"\bVALUES\s*\(([?,\s]*)\)", sql, re.IGNORECASE)
        return names if values and values[1].count("?") == len(names) else []
    assigned = _SET.search(sql)
    return _ASSIGNED.findall(assigned["columns"]) if assigned and "(" not in assigned["columns"] else []


def _path(expression: str) -> ColumnPath | None:
    """Return the path of a field that a JSONPath leads to; None for one with a filter."""
    rest, path, at = expression.removeprefix("$"), list[str](), 0
    for step in _STEP.finditer(rest):
        if step.start() != at:
            return None
        path.append(ELEMENT if step["each"] else step["name"])
        at = step.end()
    return tuple(path) if path and at == len(rest) else None
