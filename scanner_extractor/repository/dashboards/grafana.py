"""Grafana: the panels of dashboards in JSON whose targets are SQL. Source: Grafana, JSON model of a dashboard.

Panels are found by their targets, wherever they are: in rows, in the elements of schema version 2, in an answer of the
API.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import DASHBOARD, Chart, add_chart, without_variables
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.catalogs import PANEL
from scanner_model.documents.json_input import load_text
from scanner_model.payload import Json

_TOOL = "grafana"
_QUERIES = ("rawSql", "rawSQL", "rawQuery", "queryText", "sql")
"""Members of a target with a SQL text, by data source."""
_SCHEMES = ("postgres", "mysql", "bigquery", "snowflake", "clickhouse", "athena", "redshift", "databricks", "oracle")
_SAME = {"postgresql": "postgres", "mssql": "sqlserver", "athena": "trino"}
_WORDS = tuple(f'"{name}"' for name in _QUERIES)


class _Target(NamedTuple):
    title: str
    query: str
    dialect: str
    letter: str


def is_grafana(file: RepositoryFile) -> bool:
    """Check whether a file may be a dashboard with SQL."""
    text = file.text
    return (
        file.ending == ".json" and ('"panels"' in text or '"elements"' in text) and any(map(text.__contains__, _WORDS))
    )


def read_grafana(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the panels of dashboards whose queries are SQL; invalid JSON is left."""
    for file in files:
        try:
            document = load_text(file.text, strict=False)
        except ValueError as error:
            context.leave(file, DASHBOARD, f"invalid JSON: {error}")
            continue
        dashboard = _dashboard(document)
        if dashboard is None:
            continue
        title = str(dashboard.get("title") or file.stem)
        targets = list(_targets(dashboard, "", ""))
        counts = Counter(target.title for target in targets)
        for target in targets:
            query = without_variables(target.query)
            shown = f"{target.title} {target.letter}".strip() if counts[target.title] > 1 else target.title
            if query is None:
                context.leave(file, DASHBOARD, f"the query of {shown or 'a panel'} has a variable for a table")
            else:
                add_chart(Chart(_TOOL, title, shown, query, target.dialect, PANEL), file.path, context)


def only_shows(path: str, text: str) -> bool:
    """Return whether a file is a dashboard of Grafana, or a ConfigMap of some: what it names, it only shows."""
    if "schemaVersion" not in text or '"panels"' not in text:
        return False
    if path.endswith(".json"):
        return _is_dashboard(text)
    documents = [one.value for one in parse_yaml(text)] if path.endswith((".yaml", ".yml")) else []
    data = [one.get("data") for one in documents if isinstance(one, dict) and one.get("kind") == "ConfigMap"]
    values = [value for one in data if isinstance(one, dict) for value in one.values()]
    return len(data) == len(documents) and bool(values) and all(_is_dashboard(str(value)) for value in values)


def _is_dashboard(text: str) -> bool:
    """Return whether a text is the JSON of a dashboard: panels, and the version of Grafana's schema of them."""
    try:
        document = _dashboard(load_text(text, strict=False))
    except ValueError:
        return False
    return document is not None and isinstance(document.get("panels"), list) and "schemaVersion" in document


def _dashboard(document: Json) -> Mapping[str, Json] | None:
    """Return the dashboard of a document: itself, its `dashboard`, or its `spec`; None for another document."""
    if not isinstance(document, dict):
        return None
    if any(isinstance(document.get(name), list | dict) for name in ("panels", "rows", "elements")):
        return document
    return next((found for name in ("dashboard", "spec") if (found := _dashboard(document.get(name)))), None)


def _targets(value: Json, title: str, dialect: str) -> Iterator[_Target]:
    """Yield the targets with SQL inside *value*, which is in the panel *title*."""
    if isinstance(value, list):
        for item in value:
            yield from _targets(item, title, dialect)
    if not isinstance(value, dict):
        return
    dialect = _dialect(value) or dialect
    query = next((text for name in _QUERIES if isinstance(text := value.get(name), str) and _is_query(text)), "")
    if query and not value.get("hide"):
        yield _Target(title, query, dialect, str(value.get("refId") or ""))
    own = value.get("title")
    is_panel = isinstance(own, str) and any(name in value for name in ("targets", "data", "type"))
    for name, inside in value.items():
        if name not in ("templating", "annotations", "variables"):
            yield from _targets(inside, str(own) if is_panel else title, dialect)


def _is_query(text: str) -> bool:
    return text.lstrip(" \t\r\n(").upper().startswith(("SELECT", "WITH"))


def _dialect(value: Mapping[str, Json]) -> str:
    """Return the scheme of the database of a panel or target; empty if its data source does not show it."""
    source = value.get("datasource")
    named = (
        source.get("type") if isinstance(source, dict) else source if isinstance(source, str) else value.get("group")
    )
    text = str(named or "").lower()
    if "mssql" in text:
        return _SAME["mssql"]
    return next((_SAME.get(name, name) for name in _SCHEMES if name in text), "")
