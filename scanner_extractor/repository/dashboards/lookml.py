"""LookML: views over tables, and the elements of dashboards. Source: Looker, LookML reference.

A view is a query of its fields; an element of a dashboard is a query of the fields that it names, over the tables of
their views, with the joins of its explore.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import DASHBOARD, UNRESOLVED, Chart, add_chart, without_between
from scanner_extractor.repository.dashboards.lookml_syntax import Block, parse_lookml
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml

_TOOL = "looker"
_DASHBOARD = ".dashboard.lookml"
_ENDINGS = (".lkml", ".lookml")
_FIELDS = ("dimension", "dimension_group", "measure", "filter", "parameter")
_SUBSTITUTED = re.compile(r"\$\{(?P<name>[\w.]+)\}")
_FILTERED = re.compile(r"([\w.]+):")
_DEEPEST = 20
_LONGEST = 100_000
"""Characters of the SQL of a field: fields that are made of each other may grow without end."""
_GROUPED = re.compile(
    r"_(?:raw|time|date|week|month|quarter|year|hour|minute|second|day_of_\w+|hour_of_day|month_name|month_num|\w+_num)$"
)


def is_lookml(file: RepositoryFile) -> bool:
    """Check whether a file is LookML, or a dashboard of it."""
    return file.path.endswith(_ENDINGS)


def read_lookml(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the views, and the elements of dashboards; an element of an unknown view is left."""
    parsed = [(file, parse_lookml(file.text)) for file in files if not file.path.endswith(_DASHBOARD)]
    blocks = [(file, block) for file, top in parsed for block in top.blocks]
    model = _Model(block for _, block in blocks)
    for file, block in blocks:
        if block.kind == "view" and (query := model.view_query(block.name.lstrip("+"))):
            add_chart(
                Chart(_TOOL, "", f"{block.name} (view)", query, _dialect(query), "LOOKML VIEW"), file.path, context
            )
    for file in files:
        if file.path.endswith(_DASHBOARD):
            for document in parse_yaml(file.text):
                for dashboard in document.value if isinstance(document.value, list) else [document.value]:
                    if isinstance(dashboard, dict):
                        _add_elements(file, dashboard, model, context)


def _add_elements(file: RepositoryFile, dashboard: Mapping[str, Any], model: _Model, context: Context) -> None:
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
            context.leave(file, f"{DASHBOARD} {title}/{shown}", "its view is not in the files")


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


class _Model:
    """The views and explores of a project; a refinement adds to what it refines."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.views: dict[str, Block] = {}
        self.explores: dict[str, Block] = {}
        self._known: dict[tuple[str, str, str], str] = {}
        self._fields_of: dict[str, dict[str, Block]] = {}
        for block in blocks:
            listed = {"view": self.views, "explore": self.explores}.get(block.kind)
            if listed is not None:
                name = block.name.lstrip("+")
                known = listed.get(name, Block(block.kind, name, {}, []))
                listed[name] = known._replace(
                    values={**known.values, **block.values}, blocks=[*known.blocks, *block.blocks]
                )

    def view_query(self, name: str) -> str:
        """Return the query of all fields of a view; empty for one without a table."""
        fields = [block.name for block in self._fields(name)]
        return self._select(name, [f"{name}.{field}" for field in fields], f"{self._table(name)} AS {name}")

    def query(self, explore: str, names: Sequence[str]) -> str:
        """Return the query of an element of a dashboard; empty if a view of it is not known."""
        block = self.explores.get(explore, Block("explore", explore, {}, []))
        base = block.values.get("view_name") or block.values.get("from") or explore
        used = {name.partition(".")[0] for name in names}
        tables = [f"{self._table(base)} AS {explore}"]
        aliases = {explore: base}
        for join in block.inside("join"):
            view = join.values.get("from") or join.name
            if join.name in used and self._table(view):
                aliases[join.name] = view
                condition = self._expanded(join.values.get("sql_on", "1 = 1"), join.name, aliases, 0)
                tables.append(f"LEFT JOIN {self._table(view)} AS {join.name} ON {condition}")
        if not self._table(base) or used - aliases.keys():
            return ""
        return self._select(explore, names, " ".join(tables), aliases)

    def _select(self, view: str, names: Sequence[str], tables: str, aliases: Mapping[str, str] | None = None) -> str:
        known = aliases or {view: view}
        parts = [name.partition(".") for name in names]
        shown = [f"{self._field(alias, field, known, 0)} AS {field}" for alias, _, field in parts]
        is_known = tables.split(" AS ")[0].strip()
        return f"SELECT {', '.join(shown) or '1'} FROM {tables}" if is_known else ""  # noqa: S608 - parsed, never sent

    def _by_name(self, view: str) -> Mapping[str, Block]:
        if view not in self._fields_of:
            self._fields_of[view] = {block.name: block for block in reversed(list(self._fields(view)))}
        return self._fields_of[view]

    def _fields(self, view: str) -> Iterator[Block]:
        """Yield the fields of a view, with those of the views that it extends."""
        seen: set[str] = set()
        names = [view]
        while names:
            name = names.pop(0)
            if name not in seen and name in self.views:
                seen.add(name)
                yield from self.views[name].inside(*_FIELDS)
                names += re.findall(r"[\w+]+", self.views[name].values.get("extends", ""))

    def _table(self, view: str) -> str:
        """Return the table of a view: its name, or its query in parentheses; empty if it has none."""
        block = self.views.get(view)
        if block is None:
            return ""
        derived = next((inner.values["sql"] for inner in block.inside("derived_table") if "sql" in inner.values), "")
        if derived:
            return f"({self._expanded(derived, view, {view: view}, 0)})"
        if any(block.inside("derived_table")):
            return ""  # a query of an explore
        return _plain(block.values.get("sql_table_name", view))

    def _field(self, alias: str, name: str, aliases: Mapping[str, str], depth: int) -> str:
        """Return the SQL of a field; one without SQL is the column of its name, a count of none counts rows."""
        view = aliases.get(alias, alias)
        if (alias, view, name) not in self._known:
            text = self._field_text(alias, name, aliases, depth)
            self._known[alias, view, name] = text if len(text) <= _LONGEST else UNRESOLVED
        return self._known[alias, view, name]

    def _field_text(self, alias: str, name: str, aliases: Mapping[str, str], depth: int) -> str:
        fields = self._by_name(aliases.get(alias, alias))
        field = fields.get(name) or fields.get(_GROUPED.sub("", name))
        if field is None or depth > _DEEPEST:
            return UNRESOLVED
        kind, is_measure = field.values.get("type", ""), field.kind == "measure"
        texts = list(_texts(field))
        if not texts:
            own = UNRESOLVED if is_measure else f"{alias}.{name}"
            return "COUNT(*)" if kind == "count" else "1" if field.kind in ("filter", "parameter") else own
        text = texts[0] if len(texts) == 1 else f"CONCAT({', '.join(texts)})"
        inside = self._expanded(text, alias, aliases, depth + 1)
        filters = [inner.values.get("field", "") for inner in field.inside("filters")]
        for name in [*filters, *_FILTERED.findall(field.values.get("filters", ""))]:
            of, _, other = name.rpartition(".")
            inside = f"CASE WHEN {self._field(of or alias, other, aliases, depth + 1)} IS NOT NULL THEN {inside} END"
        return f"SUM({inside})" if is_measure and kind not in ("number", "string", "yesno") else f"({inside})"

    def _expanded(self, text: str, alias: str, aliases: Mapping[str, str], depth: int) -> str:
        def value(match: re.Match[str]) -> str:
            name = match["name"]
            if name == "TABLE":
                return alias
            of, _, field = name.rpartition(".")
            if field == "SQL_TABLE_NAME":
                return self._table(of) or UNRESOLVED if depth < _DEEPEST else UNRESOLVED
            return self._field(of or alias, field, {**aliases, of: aliases.get(of, of)} if of else aliases, depth + 1)

        return _SUBSTITUTED.sub(value, _plain(text))


def _texts(block: Block) -> Iterator[str]:
    """Yield the SQL of a field: its own, its two ends, and that of its cases."""
    yield from (text for name, text in block.values.items() if name.startswith("sql") and name != "sql_distinct_key")
    for inner in block.inside("case", "when"):
        yield from _texts(inner)


def _plain(text: str) -> str:
    """Return SQL without the tags of Liquid: what they enclose stays, and an output is a value."""
    return without_between(without_between(text, "{%", "%}", " "), "{{", "}}", "1").strip()
