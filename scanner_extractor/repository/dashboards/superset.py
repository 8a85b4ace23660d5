"""Superset: charts of an export, with the dataset that each shows. Source: Superset, export of assets (version 1.0.0).

A chart uses the columns and metrics of its dataset that its parameters name, wherever they do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import (
    DASHBOARD,
    Chart,
    add_chart,
    dialect_named,
    quoted_name,
    quoted_table,
)
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_input import load_text
from scanner_model.payload import Json

_TOOL = "superset"
_IS_ASSET = re.compile(r"^(?:slice_name|table_name|dashboard_title|sqlalchemy_uri):", re.MULTILINE)
_HAS_ID = re.compile(r"^uuid:", re.MULTILINE)
_TEMPLATES = ("{{", "{%")


class _Asset(NamedTuple):
    file: RepositoryFile
    members: Mapping[str, Json]

    def text(self, name: str) -> str:
        value = self.members.get(name)
        return value if isinstance(value, str) else ""

    def entries(self, name: str) -> list[Mapping[str, Json]]:
        listed = self.members.get(name)
        return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def is_superset(file: RepositoryFile) -> bool:
    """Check whether a file may be an asset of an export."""
    is_yaml = file.ending in (".yaml", ".yml")
    return is_yaml and _IS_ASSET.search(file.text) is not None and _HAS_ID.search(file.text) is not None


def read_superset(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the charts of exports, by dashboard; one whose dataset is not in the files is left."""
    assets = [
        _Asset(file, parsed.value)
        for file in files
        for parsed in parse_yaml(file.text)
        if isinstance(parsed.value, dict)
    ]
    datasets = {asset.text("uuid"): asset for asset in assets if asset.text("table_name")}
    schemes = {asset.text("uuid"): dialect_named(asset.text("sqlalchemy_uri").partition(":")[0]) for asset in assets}
    dashboards = [
        (asset.text("dashboard_title"), frozenset(_texts(asset.members.get("position"))))
        for asset in assets
        if asset.text("dashboard_title")
    ]
    for chart in assets:
        if not chart.text("slice_name"):
            continue
        dataset = datasets.get(chart.text("dataset_uuid"))
        dialect = schemes.get(dataset.text("database_uuid"), "") if dataset else ""
        query = _query(chart, dataset, dialect) if dataset else ""
        if not dataset or not query:
            reason = "its dataset is a template" if dataset else "its dataset is not in the files"
            context.leave(chart.file, DASHBOARD, reason)
            continue
        titles = [title for title, texts in dashboards if chart.text("uuid") in texts]
        for title in titles or [""]:
            add_chart(Chart(_TOOL, title, chart.text("slice_name"), query, dialect), chart.file.path, context)


def _query(chart: _Asset, dataset: _Asset, dialect: str) -> str:
    """Return a query of what a chart shows; empty for a dataset whose text or name is a template."""
    own = dataset.text("sql").strip().rstrip(";")
    parts = [part for name in ("catalog", "schema", "table_name") if (part := dataset.text(name))]
    if _is_template(own) or _is_template(parts[-1]):
        return ""
    parts = [part for part in parts if not _is_template(part)]
    table = f"({own}) AS dataset" if own else quoted_table(parts, dialect)
    expressions = dict(_fields(dataset, dialect))
    params = chart.members.get("params")
    used = set(_texts(params if isinstance(params, dict) else _json(params)))
    shown = [f"{text} AS {quoted_name(name, dialect)}" for name, text in expressions.items() if name in used]
    free = [text for text in _values(params if isinstance(params, dict) else _json(params), "sqlExpression") if text]
    shown += [f"{text} AS {quoted_name(f'expression {number}', dialect)}" for number, text in enumerate(free, 1)]
    return f"SELECT {', '.join(shown) or 'COUNT(*)'} FROM {table}"  # noqa: S608 - it is parsed, never sent


def _is_template(text: str) -> bool:
    return any(sign in text for sign in _TEMPLATES)


def _fields(dataset: _Asset, dialect: str) -> Iterator[tuple[str, str]]:
    for column in dataset.entries("columns"):
        name, text = column.get("column_name"), column.get("expression")
        if isinstance(name, str):
            yield name, f"({text})" if isinstance(text, str) and text.strip() else quoted_name(name, dialect)
    for metric in dataset.entries("metrics"):
        name, text = metric.get("metric_name"), metric.get("expression")
        if isinstance(name, str) and isinstance(text, str):
            yield name, f"({text})"


def _texts(value: Json) -> Iterator[str]:
    """Yield every text inside a value, also those of JSON in a text."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)


def _values(value: Json, name: str) -> Iterator[str]:
    items = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    if isinstance(value, dict) and isinstance(text := value.get(name), str):
        yield text
    for item in items:
        yield from _values(item, name)


def _json(text: Json) -> Json:
    try:
        return load_text(text) if isinstance(text, str) else None
    except ValueError:
        return None
