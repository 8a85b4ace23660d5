"""LookML: views over tables, and the elements of dashboards. Source: Looker, LookML reference.

A view is a query of its fields; an element of a dashboard is a query of the fields that it names, over the tables of
their views, with the joins of its explore.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import DASHBOARD, Chart, add_chart
from scanner_extractor.repository.dashboards.lookml_model import Model
from scanner_extractor.repository.dashboards.syntax.lookml import parse_lookml
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml

_TOOL = "looker"
_DASHBOARD = ".dashboard.lookml"
_ENDINGS = (".lkml", ".lookml")


def is_lookml(file: RepositoryFile) -> bool:
    """Check whether a file is LookML, or a dashboard of it."""
    return file.path.endswith(_ENDINGS)


def read_lookml(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the views, and the elements of dashboards; an element of an unknown view is left."""
    parsed = [(file, parse_lookml(file.text)) for file in files if not file.path.endswith(_DASHBOARD)]
    blocks = [(file, block) for file, top in parsed for block in top.blocks]
    model = Model(block for _, block in blocks)
    for file, block in blocks:
        if block.kind == "view" and not block.name.startswith("+") and (query := model.view_query(block.name)):
            add_chart(
                Chart(_TOOL, "", f"{block.name} (view)", query, _dialect(query), "LOOKML VIEW"), file.path, context
            )
    for file in files:
        if file.path.endswith(_DASHBOARD):
            for document in parse_yaml(file.text):
                for dashboard in document.value if isinstance(document.value, list) else [document.value]:
                    if isinstance(dashboard, dict):
                        _add_elements(file, dashboard, model, context)


def _add_elements(file: RepositoryFile, dashboard: Mapping[str, Any], model: Model, context: Context) -> None:
    title = str(dashboard.get("title") or dashboard.get("dashboard") or file.stem)
    for element in _entries(dashboard.get("elements")):
        shown = str(element.get("title") or element.get("name") or "")
        names = list(dict.fromkeys(_names(element)))
        if not element.get("explore") or not names:
            continue  # a text
        query = model.query(str(element["explore"]), names)
        if query:
            add_chart(Chart(_TOOL, title, shown, query, _dialect(query)), file.path, context)
        else:
            context.leave(file, DASHBOARD, f"the view of {shown or 'a chart'} is not in the files")


def _entries(value: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401 - YAML
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _names(element: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of an element: `view.field`, in lists, and as the keys of filters."""
    for name in ("fields", "dimensions", "measures", "pivots"):
        yield from (str(field) for field in element.get(name) or () if "." in str(field))
    filters, listens = element.get("filters"), element.get("listen")
    for members in (*(filters if isinstance(filters, list) else [filters]), listens):
        if isinstance(members, dict):
            yield from (text for pair in members.items() for text in map(str, pair) if re.fullmatch(r"\w+\.\w+", text))


def _dialect(query: str) -> str:
    """Return BigQuery, which has names in backticks; the connection of a model names no dialect."""
    return "bigquery" if "`" in query else ""
