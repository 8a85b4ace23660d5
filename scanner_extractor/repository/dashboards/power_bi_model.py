"""The semantic model of a Power BI project: its tables, from TMDL or `model.bim`, and the columns behind its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scanner_extractor.repository.dashboards.charts import UNRESOLVED, quoted_name, quoted_table
from scanner_extractor.repository.dashboards.power_query import InvalidM, MExpression, parse_m
from scanner_extractor.repository.dashboards.power_query_tables import QueryRows, UnknownTable, rows_of
from scanner_extractor.repository.dashboards.syntax.tmdl import TmdlObject, plain_name
from scanner_model.payload import Json

_REFERENCE = re.compile(
    r"\"[^\"]*\"?|//[^\n]*|--[^\n]*|\[(?P<own>[^\]\n]{1,300})\]"
    r"|(?:'(?P<quoted>[^']*)'?|(?P<word>[^\W\d]\w*))(?:\[(?P<field>[^\]\n]{1,300})\])?"
)
_QUOTE = "\0"
"""A quote inside a name, which is doubled."""
_DEEPEST = 20


@dataclass(slots=True)
class ModelTable:
    """A table of a model: its fields are columns of its source, or *formulas* in DAX; *left* says what is unknown."""

    name: str
    columns: dict[str, str] = field(default_factory=dict)
    formulas: dict[str, str] = field(default_factory=dict)
    rows: QueryRows = field(default_factory=QueryRows)
    left: str = ""
    text: str = ""


class SemanticModel:
    """The tables of a model, and the queries that they share."""

    def __init__(self, objects: Iterable[TmdlObject]) -> None:
        listed = list(objects)
        self._queries = {one.name: one.text for one in listed if one.kind == "expression"}
        self._parsed: dict[str, MExpression | None] = {}
        self.tables: dict[str, ModelTable] = {}
        own = [one for one in listed if one.kind == "table"]
        for table in own:
            for partition in table.inside("partition"):
                if partition.text.split(None, 1)[:1] == ["m"]:
                    self._queries.setdefault(table.name, partition.values.get("source", ""))
        for table in own:
            self.tables[table.name] = self._table(table)

    def query(self, fields: Iterable[tuple[str, str]]) -> tuple[str, str]:
        """Return a query of fields, each a table and a name, and its dialect; empty for fields of no database."""
        select = _Select(self)
        for table, name in fields:
            select.add(table, name)
        return select.text()

    def _table(self, own: TmdlObject) -> ModelTable:
        table = ModelTable(own.name)
        for column in own.inside("column"):
            if column.text:
                table.formulas[column.name] = column.text
            else:
                table.columns[column.name] = plain_name(column.values.get("sourceColumn", column.name))
        table.formulas |= {measure.name: measure.text for measure in own.inside("measure")}
        for partition in own.inside("partition"):
            kind, source = partition.text.split(None, 1)[:1], partition.values.get("source", "")
            entity = next(partition.inside("source"), None)
            if kind == ["m"]:
                self._add_rows(table, source)
            elif kind == ["calculated"]:
                table.text = source
            elif entity is not None and entity.values.get("entityName"):
                parts = [plain_name(entity.values.get(name, "")) for name in ("schemaName", "entityName")]
                table.rows = QueryRows((quoted_table(parts, ""),), "", (quoted_table(parts, ""),))
        return table

    def _add_rows(self, table: ModelTable, source: str) -> None:
        try:
            table.rows = rows_of(parse_m(source), self._query)
        except InvalidM as error:
            table.left = f"the query of {table.name}: {error}"
        except UnknownTable as reason:
            table.left = f"{table.name}: {reason}"

    def _query(self, name: str) -> MExpression | None:
        """Return another query of the model; None for a name of none, or a text that is not M."""
        if name not in self._parsed:
            try:
                self._parsed[name] = parse_m(self._queries[name]) if self._queries.get(name) else None
            except InvalidM:
                self._parsed[name] = None
        return self._parsed[name]


class _Select:
    """A query over the sources of a model's tables."""

    def __init__(self, model: SemanticModel) -> None:
        self._tables = model.tables
        self._dialect = ""
        self._aliases: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        self._seen: dict[tuple[str, str | None], None] = {}

    def add(self, table: str, name: str, depth: int = 0) -> None:
        """Add a field: its column, or those in its formula; without a name, the rows of the table alone."""
        own = self._tables.get(table)
        if own is None or (table, name) in self._seen or depth > _DEEPEST:
            return
        self._seen[table, name] = None
        for source in own.rows.sources:
            self._aliases.setdefault(source, f"s{len(self._aliases) + 1}")
            self._dialect = self._dialect or own.rows.dialect
        if own.text and (table, "") not in self._seen:
            self._add_formula(own.text, table, depth)
        for used in own.rows.used if (table, None) not in self._seen else ():
            self._add_column(own.rows, used, f"{table} where {used}")
        self._seen[table, None] = None
        if name in own.formulas:
            self._add_formula(own.formulas[name], table, depth)
        elif name in own.columns:
            self._add_column(own.rows, own.columns[name], name)

    def text(self) -> tuple[str, str]:
        """Return the query and its dialect; empty without a source."""
        tables = " LEFT JOIN ".join(
            f"{source} AS {alias}{' ON 1 = 1' if number else ''}"
            for number, (source, alias) in enumerate(self._aliases.items())
        )
        shown = ", ".join(f"{text} AS {quoted_name(name, self._dialect)}" for name, text in self._shown.items())
        return (f"SELECT {shown or 'COUNT(*)'} FROM {tables}" if tables else "", self._dialect)  # noqa: S608

    def _add_column(self, rows: QueryRows, name: str, title: str) -> None:
        made = rows.made.get(name, (name,))
        texts = [
            f"{self._aliases[source]}.{quoted_name(column, self._dialect)}"
            for column in made
            if column != UNRESOLVED
            for source in rows.plain
        ]
        texts += [UNRESOLVED] if rows.sources and (UNRESOLVED in made or not rows.plain) else []
        if texts:
            own = title if title not in self._shown else f"{title} ({len(self._shown)})"
            self._shown[own] = texts[0] if len(texts) == 1 else f"COALESCE({', '.join(texts)})"

    def _add_formula(self, text: str, table: str, depth: int) -> None:
        for match in _REFERENCE.finditer(text.replace("''", _QUOTE)):
            of = (match["quoted"] or "").replace(_QUOTE, "'") or match["word"] or ""
            if match["own"] is not None:
                self.add(self._owner(match["own"], table), match["own"], depth + 1)
            elif of:
                self.add(of, match["field"] or "", depth + 1)

    def _owner(self, name: str, table: str) -> str:
        """Return the table of a name without one: a measure of any table, else a column of the formula's."""
        own = self._tables[table]
        if name in own.formulas or name in own.columns:
            return table
        return next((one.name for one in self._tables.values() if name in one.formulas), table)


def model_of_json(document: Mapping[str, Json]) -> Iterator[TmdlObject]:
    """Yield the tables and expressions of `model.bim` as objects of TMDL."""
    model = document.get("model")
    members = model if isinstance(model, dict) else {}
    for kind, listed in (("table", "tables"), ("expression", "expressions")):
        for entry in _entries(members.get(listed)):
            yield _object(kind, entry)


def _object(kind: str, entry: Mapping[str, Json]) -> TmdlObject:
    own = TmdlObject(kind, _joined(entry.get("name")), _joined(entry.get("expression")))
    own.values = {name: value for name, value in entry.items() if isinstance(value, str)}
    source = entry.get("source")
    if kind == "partition" and isinstance(source, dict):
        own.text, own.values["source"] = _joined(source.get("type")), _joined(source.get("expression"))
        own.children.append(_object("source", source))
    for inner, listed in (("column", "columns"), ("measure", "measures"), ("partition", "partitions")):
        own.children += [_object(inner, one) for one in _entries(entry.get(listed))]
    return own


def _entries(value: Json) -> list[Mapping[str, Json]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _joined(value: Json) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""
