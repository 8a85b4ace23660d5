"""Lightdash: charts as code, over the models of a dbt project.

Source: Lightdash, dashboards as code, and its reference of metrics and dimensions in the properties of dbt models.
A chart names fields as MODEL_FIELD. A field is a column, a column at an interval of time, or a metric, whose expression
its model or the chart defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import UNRESOLVED, Chart, add_chart, quoted_name
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.payload import Json

_TOOL = "lightdash"
_IS_CONTENT = re.compile(r"^(?:metricQuery|chartKind|tiles):", re.MULTILINE)
_IS_MODEL = re.compile(r"^ +(?:metrics|dimension|additional_dimensions):", re.MULTILINE)
_INTERVALS = (
    *("_day_of_week_index", "_day_of_month_num", "_day_of_year_num", "_hour_of_day_num", "_minute_of_hour_num"),
    *("_day_of_week_name", "_month_name", "_quarter_name", "_week_num", "_month_num", "_quarter_num", "_year_num"),
    *("_raw", "_millisecond", "_second", "_minute", "_hour", "_day", "_week", "_month", "_quarter", "_year"),
)
"""Endings of fields that are a column at an interval of time; the longer ones come first."""
_REFERENCE = re.compile(r"\$\{([\w.]{1,200})\}")
_DEEPEST = 8
"""Metrics that are defined by metrics, one inside the other."""
_MOST = 10_000
"""Characters of the expression of one metric."""

Members = Mapping[str, Json]


class _ModelFields(NamedTuple):
    """A dbt model: the expressions of its fields by name, and the conditions of its joins by model."""

    fields: Mapping[str, str]
    joins: Mapping[str, str]


def is_lightdash(file: RepositoryFile) -> bool:
    """Check whether a file may be a chart, a dashboard, or the fields of a model."""
    if file.ending not in (".yaml", ".yml"):
        return False
    is_content = _IS_CONTENT.search(file.text) and re.search(r"^slug:", file.text, re.MULTILINE)
    return bool(is_content or (re.search(r"^models:", file.text, re.MULTILINE) and _IS_MODEL.search(file.text)))


def read_lightdash(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the charts, each under the dashboards that show it."""
    documents = [
        (file, parsed.value) for file in files for parsed in parse_yaml(file.text) if isinstance(parsed.value, dict)
    ]
    models = dict(_models(document for _, document in documents))
    dashboards = [
        (_text(each, "name"), frozenset(_values(each["tiles"], "chartSlug")))
        for _, each in documents
        if "tiles" in each
    ]
    known = {*models, *(name for _, each in documents for key in ("tableName", "table") for name in _values(each, key))}
    for file, chart in documents:
        query = chart.get("metricQuery")
        table = _text(query, "exploreName") or _text(chart, "tableName") if isinstance(query, dict) else ""
        text = _ChartQuery(table, query, models, known).text() if isinstance(query, dict) and table else ""
        text = text or (_text(chart, "sql") if "chartKind" in chart else "")
        for title in [name for name, slugs in dashboards if _text(chart, "slug") in slugs] or [""]:
            if text:
                dialect = "bigquery" if "`" in text else ""  # the warehouse is named outside of the files
                add_chart(Chart(_TOOL, title, _text(chart, "name"), text, dialect), file.path, context)


class _ChartQuery:
    """The query of a chart over the model *table*, written with the columns of all models that it uses."""

    def __init__(self, table: str, query: Members, models: Mapping[str, _ModelFields], known: Iterable[str]) -> None:
        self._table, self._query, self._models = table, query, models
        self._known = sorted({*known, table}, key=len, reverse=True)
        self._own = {
            (_text(each, "table") or table, _text(each, "name")): _metric(each, "")
            for each in _entries(query, "additionalMetrics")
        }
        self._tables = {table: None}
        self._expressions: dict[tuple[str, str, int], str] = {}

    def text(self) -> str:
        """Return the query, with a join for each other model that a field belongs to."""
        names = [*_texts(self._query.get("dimensions")), *_texts(self._query.get("metrics"))]
        names += _values(self._query.get("filters"), "fieldId")
        shown = [f"{self._field(name)} AS {quoted_name(name, '')}" for name in dict.fromkeys(names)]
        joins = [self._joined(name) for name in list(self._tables) if name != self._table]
        return " ".join([f"SELECT {', '.join(shown) or 'COUNT(*)'} FROM {self._table}", *joins])  # noqa: S608 - parsed, never sent

    def _joined(self, name: str) -> str:
        model = self._models.get(self._table)
        condition = self._expanded(model.joins[name], self._table, _DEEPEST) if model and name in model.joins else ""
        return f"LEFT JOIN {name} ON {condition}" if condition else f"CROSS JOIN {name}"

    def _field(self, name: str) -> str:
        table = next((each for each in self._known if name.startswith(f"{each}_")), "")
        return self._expression(table, name[len(table) + 1 :], _DEEPEST) if table else UNRESOLVED

    def _expression(self, table: str, name: str, depth: int) -> str:
        """Return the expression of a field of a model; that of a model without properties is a column."""
        self._tables[table] = None
        model = self._models.get(table)
        fields = {
            **(model.fields if model else {}),
            **{own: text for (of, own), text in self._own.items() if of == table},
        }
        found = fields.get(name) or fields.get(name.removesuffix(_interval(name)))
        if found:
            return self._expanded(found, table, depth)
        is_plain = not model and f"{table}_{name}" in _texts(self._query.get("dimensions"))
        return f"{table}.{name}" if is_plain and not _interval(name) else UNRESOLVED

    def _expanded(self, text: str, table: str, depth: int) -> str:
        def replaced(match: re.Match[str]) -> str:
            of, _, name = match[1].rpartition(".")
            if match[1] == "TABLE":
                return table
            if not depth or of not in ("", *self._known):
                return UNRESOLVED
            key = (of or table, name, depth - 1)
            if key not in self._expressions:  # metrics may name each other many times
                self._expressions[key] = self._expression(*key)
            return f"({self._expressions[key]})"

        return _REFERENCE.sub(replaced, text)[:_MOST]


def _interval(name: str) -> str:
    return next((ending for ending in _INTERVALS if name.endswith(ending)), "")


def _models(documents: Iterable[Members]) -> Iterator[tuple[str, _ModelFields]]:
    for document in documents:
        for model in _entries(document, "models"):
            joins = {_text(each, "join"): _text(each, "sql_on") for each in _entries(_meta(model), "joins")}
            yield _text(model, "name"), _ModelFields(dict(_fields(model)), joins)


def _fields(model: Members) -> Iterator[tuple[str, str]]:
    for name, metric in _named(_meta(model), "metrics"):
        yield name, _metric(metric, "")
    for column in _entries(model, "columns"):
        meta, own = _meta(column), f"${{TABLE}}.{_text(column, 'name')}"
        dimension = meta.get("dimension")
        yield _text(dimension, "name") or _text(column, "name"), _text(dimension, "sql") or own
        for name, each in _named(meta, "additional_dimensions"):
            yield name, _text(each, "sql") or own
        for name, each in _named(meta, "metrics"):
            yield name, _metric(each, own)


def _metric(metric: Members, column: str) -> str:
    """Return the expression of a metric with the fields that its filters compare; UNRESOLVED without any."""
    text = _text(metric, "sql") or column or UNRESOLVED
    compared = [name for each in _entries(metric, "filters") for name in each if re.fullmatch(r"\w+", name)]
    conditions = " AND ".join(f"${{{name}}} IS NOT NULL" for name in compared)
    return f"CASE WHEN {conditions} THEN {text} END" if conditions else text


def _meta(value: Members) -> Members:
    """Return the properties for tools: in `meta`, or in `config.meta` since dbt 1.10."""
    config = value.get("config")
    found = value.get("meta") or (config.get("meta") if isinstance(config, dict) else None)
    return found if isinstance(found, dict) else {}


def _named(value: Members, name: str) -> list[tuple[str, Members]]:
    members = value.get(name)
    return (
        [(key, each if isinstance(each, dict) else {}) for key, each in members.items()]
        if isinstance(members, dict)
        else []
    )


def _entries(value: Members, name: str) -> list[Members]:
    listed = value.get(name)
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _text(value: Json, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _texts(value: Json) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _values(value: Json, name: str) -> list[str]:
    """Return the texts of a member at any depth."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for text in (_text(value, name),) if text] + [text for item in items for text in _values(item, name)]
