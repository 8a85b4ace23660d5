"""Tableau: the sheets of workbooks (`.twb`), and data sources (`.tds`), in XML. Source: Tableau, document API.

A data source has relations: tables of a connection, or SQL texts. Its fields are columns of relations, or calculations
over other fields; a sheet lists the fields that it depends on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import (
    DASHBOARD,
    UNRESOLVED,
    Chart,
    add_chart,
    dialect_named,
    quoted_name,
    quoted_table,
)
from scanner_extractor.repository.dashboards.syntax.elements import Element, InvalidXml, parse_xml
from scanner_extractor.repository.files import RepositoryFile

_TOOL = "tableau"
_BRACKETED = re.compile(r"\[([^\]]*)\]?")
_BRACKET = "\0"
"""A bracket inside a name, which is doubled."""
_QUALIFIED = re.compile(r"\[([^\]]{1,300})\]\.\[[^\]]{1,300}\]")
_INTERNAL = ("[:", "[__tableau_internal", "[Number of Records]")
_PARAMETER = re.compile(r"<(?:\[[^\]<>]{1,200}\]\.?){1,2}>")
_DATABASES = ("dbname", "schema", "service", "project", "catalog", "CATALOG", "odbc-connect-string-extras")
_SERVERS = ("server", "project", "CATALOG", "catalog", "odbc-dsn")
_FILES = ("filename", "directory")
_PUBLISHED = "sqlproxy"
_DEEPEST = 20


def is_tableau(file: RepositoryFile) -> bool:
    """Check whether a file is a workbook or a data source."""
    return file.ending in (".twb", ".tds") and "<relation" in file.text


def read_tableau(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the sheets over databases, by dashboard, and the data sources that no sheet of their file uses."""
    for file in files:
        try:
            root = parse_xml(file.text)
        except InvalidXml as error:
            context.leave(file, DASHBOARD, f"invalid XML: {error}")
            continue
        listed = [root] if root.tag == "datasource" else root.inside("datasources", "datasource")
        sources = {one.attributes.get("name", ""): _DataSource(one) for one in listed if one.child("connection")}
        sheets = list(_sheets(file, root, sources))
        for chart, _ in sheets:
            add_chart(chart, file.path, context)
        shown = {name for _, name in sheets}
        for name, source in sources.items():
            if name not in shown and source.tables:
                title = f"{source.title or file.stem} (data source)"
                chart = Chart(_TOOL, "", title, source.query(), source.dialect, "DATA SOURCE")
                add_chart(chart, file.path, context)
            for reason in source.left:
                context.leave(file, DASHBOARD, f"{source.title or name}: {reason}")


def _sheets(file: RepositoryFile, root: Element, sources: Mapping[str, _DataSource]) -> Iterator[tuple[Chart, str]]:
    """Yield the charts of a workbook, each with the data source that it shows."""
    boards = [
        (one.attributes.get("name", ""), {zone.attributes.get("name") for zone in one.all("zone")})
        for one in root.inside("dashboards", "dashboard")
    ]
    for sheet in root.inside("worksheets", "worksheet"):
        title = sheet.attributes.get("name", "")
        for used in sheet.all("datasource-dependencies"):
            name = used.attributes.get("datasource", "")
            source = sources.get(name)
            if source is None or not source.tables:
                continue
            fields = [one.attributes.get("name") or one.attributes.get("column", "") for one in used.children]
            for board in [board for board, zones in boards if title in zones] or [file.stem]:
                yield Chart(_TOOL, board, title, source.query(fields), source.dialect), name


class _DataSource:
    """A data source: its *tables* under their aliases, and what of it is *left*."""

    def __init__(self, element: Element) -> None:
        attributes = element.attributes
        self.title = attributes.get("caption") or attributes.get("formatted-name") or attributes.get("name", "")
        self._element = element
        self.tables: dict[str, str] = {}
        self.left: list[str] = []
        self.dialect = ""
        connection = element.child("connection") or Element("connection", {})
        named = {
            one.attributes.get("name", ""): one.child("connection")
            for one in connection.inside("named-connections", "named-connection")
        }
        for relation in _leaves(connection):
            own = named.get(relation.attributes.get("connection", "")) or connection
            self._add(relation, own.attributes)
        self._columns = dict(self._mapped(connection))
        self._formulas = dict(_formulas(element))

    def query(self, fields: Iterable[str] | None = None) -> str:
        """Return a query of *fields*; of all columns without them."""
        names = dict.fromkeys(self._columns if fields is None else filter(None, fields))
        texts = [(name, self._field(name, 0)) for name in names]
        shown = [f"{text} AS {self._quoted(_plain(name))}" for name, text in texts if text]
        tables = " LEFT JOIN ".join(
            f"{table} AS {self._quoted(alias)}{' ON 1 = 1' if number else ''}"
            for number, (alias, table) in enumerate(self.tables.items())
        )
        return f"SELECT {', '.join(shown) or ('*' if fields is None else 'COUNT(*)')} FROM {tables}"  # noqa: S608

    def _add(self, relation: Element, connection: Mapping[str, str]) -> None:
        """Add the table or SQL text of a relation, if its connection is of a database."""
        name, kind = relation.attributes.get("name", ""), connection.get("class", "")
        if kind == _PUBLISHED:
            self.left.append(f"the data source is published as {connection.get('dbname', 'another')}, not in the files")
        is_database = any(map(connection.get, _DATABASES)) and any(map(connection.get, _SERVERS))
        if kind == _PUBLISHED or not is_database or any(map(connection.get, _FILES)):
            return
        self.dialect = self.dialect or dialect_named(kind)
        if relation.attributes.get("type") == "text":
            self.tables[name] = f"({_sql(relation.text)})"
        elif relation.attributes.get("type") == "table" and (parts := _parts(relation.attributes.get("table", ""))):
            self.tables[name] = quoted_table(parts, self.dialect)
        else:
            self.left.append(f"the relation {name} is neither a table nor a query")

    def _mapped(self, connection: Element) -> Iterator[tuple[str, str]]:
        """Yield the columns of fields, by the map of the connection and the records of metadata."""
        for record in connection.all("metadata-record"):
            texts = {one.tag: one.text.strip() for one in record.children}
            parent = _plain(texts.get("parent-name", ""))
            if record.attributes.get("class") == "column":
                yield texts.get("local-name", ""), self._column(parent, texts.get("remote-name", ""))
        for entry in connection.inside("cols", "map"):
            parts = _parts(entry.attributes.get("value", ""))
            if len(parts) > 1:
                yield entry.attributes.get("key", ""), self._column(parts[0], parts[-1])

    def _field(self, name: str, depth: int) -> str:
        """Return the SQL of a field: of its column, or of the fields in its formula; empty for one of no table."""
        if name in self._columns:
            return self._columns[name]
        if name in self._formulas:
            formula = self._formulas[name]
            others = [pair for pair in _QUALIFIED.findall(formula) if pair != "Parameters"]
            inside = dict.fromkeys(f"[{one}]" for one in _BRACKETED.findall(_QUALIFIED.sub(" ", formula)))
            texts = [self._field(one, depth + 1) for one in inside if one != name] if depth < _DEEPEST else []
            texts = [*filter(None, texts), *([UNRESOLVED] if others else [])]
            return f"CONCAT({', '.join(texts)})" if texts else ""
        if name.startswith(_INTERNAL):
            return ""
        is_plain = len(self.tables) == 1 and not self._columns
        return self._column(next(iter(self.tables)), _plain(name)) if is_plain else UNRESOLVED

    def _column(self, alias: str, name: str) -> str:
        """Return a column of a relation; empty if the relation is not in a database."""
        return f"{self._quoted(alias)}.{self._quoted(name)}" if alias in self.tables else ""

    def _quoted(self, name: str) -> str:
        return quoted_name(name, self.dialect)


def _formulas(source: Element) -> Iterator[tuple[str, str]]:
    """Yield the formulas of calculations; those of groups are the fields that they are made of."""
    for column in source.all("column"):
        formulas = [one.attributes.get("formula", "") for one in column.children if one.tag == "calculation"]
        if formulas:
            yield column.attributes.get("name", ""), " ".join(formulas)
    for group in source.all("group"):
        yield (
            group.attributes.get("name", ""),
            " ".join(one.attributes.get("level", "") for one in group.all("groupfilter")),
        )


def _leaves(element: Element) -> Iterator[Element]:
    """Yield the relations that have no relations inside: of joins, unions and collections, their parts."""
    for child in element.children:
        if child.tag == "relation":
            parts = list(_leaves(child))
            yield from parts or [child]


def _parts(text: str) -> list[str]:
    """Return the parts of a name in brackets; a name without is one part."""
    return [part.replace(_BRACKET, "]") for part in _BRACKETED.findall(text.replace("]]", _BRACKET))] or (
        [text] if text else []
    )


def _plain(name: str) -> str:
    return _parts(name)[-1] if name else ""


def _sql(text: str) -> str:
    """Return a SQL text: signs of comparison are doubled, and a parameter is its name between single ones."""
    plain = _PARAMETER.sub("1", text)
    return plain.replace("<<", "<").replace(">>", ">").replace("==", "=").strip().rstrip(";")
