"""Metabase: the questions of a serialization, by dashboard. Source: Metabase, serialization and representation format.

A question is a query of MBQL, whose fields are lists of database, schema, table and column, or a SQL text with tags. It
may read another question, which its `entity_id` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import (
    DASHBOARD,
    LONGEST,
    Chart,
    add_chart,
    dialect_named,
    quoted_name,
    quoted_table,
)
from scanner_extractor.repository.dashboards.metabase_sql import TableTag, with_tags
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.payload import Json

_TOOL = "metabase"
_META = re.compile(r"^serdes/meta:[^\n]*\n(?:[ \t-][^\n]*(?:\n|\Z))+", re.MULTILINE)
_MODEL = re.compile(r"\bmodel: *(\w+)")
_MODELS = frozenset({"Card", "Dashboard", "Database", "NativeQuerySnippet", "Segment", "Measure", "LegacyMetric"})
_SELECTING = ("fields", "aggregation", "breakout")
_ORDER = {name: at for at, name in enumerate(("source-table", "source-card", "native", "source-query", "joins"))}
"""Members of a query with its tables: of its own source, then of its joins."""
_DEEPEST = 10


class _Left(Exception):
    """Raised for a question that has no query here; the text says why."""


class _Saved(NamedTuple):
    file: RepositoryFile
    model: str
    members: Mapping[str, Json]

    def text(self, name: str) -> str:
        value = self.members.get(name)
        return value if isinstance(value, str) else ""


def is_metabase(file: RepositoryFile) -> bool:
    """Check whether a file is an entity of a serialization that charts need."""
    return file.ending in (".yaml", ".yml") and _model(file.text) in _MODELS


def _model(text: str) -> str:
    """Return the kind of an entity: the last of its path, whose first parts are what it belongs to."""
    meta = _META.search(text) if "serdes/meta:" in text else None
    return (_MODEL.findall(meta[0]) or [""])[-1] if meta else ""


def read_metabase(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the questions, once for each dashboard that shows them; one whose query is not known is left."""
    entities = [
        _Saved(file, _model(file.text), parsed.value)
        for file in files
        for parsed in parse_yaml(file.text)
        if isinstance(parsed.value, dict)
    ]
    export = _Serialization(entities)
    for card in entities:
        if card.model == "Card" and card.members.get("dataset_query") and not card.members.get("archived"):
            dialect = export.dialect(card)
            try:
                query = export.query(card)
            except _Left as reason:
                context.leave(card.file, DASHBOARD, f"{card.text('name') or 'a question'}: {reason}")
                continue
            for title in export.dashboards(card.text("entity_id")):
                chart = Chart(_TOOL, title, card.text("name"), query, dialect, description=card.text("description"))
                add_chart(chart, card.file.path, context)


class _Serialization:
    """The entities of the files, by `entity_id`; databases and snippets by name."""

    def __init__(self, entities: Sequence[_Saved]) -> None:
        self.by_id = {entity.text("entity_id"): entity for entity in entities}
        self.snippets = {one.text("name"): one.text("content") for one in entities if one.model == "NativeQuerySnippet"}
        self._engines = {one.text("name"): one.text("engine") for one in entities if one.model == "Database"}
        self._boards = [
            (one.text("name"), frozenset(_cards(one.members.get("dashcards"))))
            for one in entities
            if one.model == "Dashboard" and not one.members.get("archived")
        ]

    def dashboards(self, card: str) -> list[str]:
        """Return the titles of the dashboards that show a card; an empty one if none does."""
        return [title for title, cards in self._boards if card in cards] or [""]

    def dialect(self, card: _Saved) -> str:
        """Return the dialect of a card's database; empty if the export has no file of it."""
        query = card.members.get("dataset_query")
        name = query.get("database") if isinstance(query, dict) else None
        return dialect_named(self._engines.get(name if isinstance(name, str) else card.text("database_id"), ""))

    def query(self, card: _Saved, depth: int = 0) -> str:
        """Return the SQL of a card; raises _Left."""
        if depth > _DEEPEST:
            raise _Left("its questions read each other")
        query = _Query(self, self.dialect(card), depth)
        query.add(card.members.get("dataset_query"))
        text = query.text()
        if len(text) > LONGEST:
            raise _Left("its query is too long")
        return text

    def card(self, name: str, depth: int) -> str:
        """Return the SQL of the card that another reads; raises _Left."""
        if name not in self.by_id:
            raise _Left(f"the question {name} is not in the files")
        return self.query(self.by_id[name], depth + 1)


class _Query:
    """The tables of a query of Metabase under aliases, and the columns that it uses."""

    def __init__(self, export: _Serialization, dialect: str, depth: int) -> None:
        self._export, self._dialect, self._depth = export, dialect, depth
        self._sources: dict[str, str] = {}
        self._inner: list[str] = []
        self._shown: dict[str, None] = {}
        self._seen: set[str] = set()

    def add(self, value: Json, *, is_join: bool = False) -> None:
        """Add the sources and columns of a part of a query."""
        match value:
            case ["field", *rest]:
                self._add_field(rest)
                self.add(rest)
            case ["segment" | "measure" | "metric", *rest]:
                self._add_definitions(rest)
            case list():
                for item in value:
                    self.add(item, is_join=is_join)
            case dict():
                self._add_stage(value, is_join=is_join)

    def text(self) -> str:
        """Return a SELECT of the columns; raises _Left without a source."""
        if not self._sources:
            raise _Left("its query names no table")
        tables = " LEFT JOIN ".join(
            f"{source} AS {alias}{' ON 1 = 1' if number else ''}"
            for number, (source, alias) in enumerate(self._sources.items())
        )
        return f"SELECT {', '.join(self._shown) or 'COUNT(*)'} FROM {tables}"  # noqa: S608 - it is parsed, never sent

    def _add_stage(self, stage: Mapping[str, Json], *, is_join: bool) -> None:
        """Add a stage, or a join with its stages: without a choice of columns it has all of its source."""
        for name, inside in sorted(stage.items(), key=lambda member: _ORDER.get(member[0], len(_ORDER))):
            alias = self._source(name, inside, stage)
            chosen = stage.get("fields") == "all" if is_join else not any(stage.get(one) for one in _SELECTING)
            if alias and chosen:
                self._shown[f"{alias}.*"] = None
            if not alias and name not in ("template-tags", "parameters"):
                self.add(inside, is_join=name == "joins" or (is_join and name == "stages"))

    def _source(self, name: str, value: Json, stage: Mapping[str, Json]) -> str:
        """Return the alias of a source: a table, a card, or a SQL text; empty for another member."""
        if name == "source-table" and isinstance(value, list):
            return self._aliased(quoted_table(map(_text, value[1:]), self._dialect))
        if name in ("source-table", "source-card") and isinstance(value, str):
            return self._nested(self._export.card(value, self._depth))
        if name == "native":
            own = value if isinstance(value, dict) else {"query": value, "template-tags": stage.get("template-tags")}
            return self._nested(self._native(own))
        return ""

    def _native(self, native: Mapping[str, Json]) -> str:
        tags, text = native.get("template-tags"), _text(native.get("query"))
        if text.lstrip()[:1] in ("[", "{") and not text.lstrip().startswith(("[[", "{{")):
            raise _Left("its query is not SQL")
        try:
            return with_tags(
                text,
                tags if isinstance(tags, dict) else {},
                self._export.snippets,
                lambda card: f"({self._export.card(card, self._depth)})",
            )
        except TableTag as tag:
            raise _Left(f"the tag {tag} may name a table") from tag

    def _nested(self, query: str) -> str:
        alias = self._aliased(f"({query})")
        self._inner.append(alias)
        return alias

    def _aliased(self, source: str) -> str:
        return self._sources.setdefault(source, f"t{len(self._sources) + 1}")

    def _add_field(self, parts: Sequence[Json]) -> None:
        """Add a column of a table; or, by its name alone, of the one question that is read."""
        for part in parts:
            if isinstance(part, list) and len(part) > 3 and part[0] != "field":
                alias = self._aliased(quoted_table(map(_text, part[1:3]), self._dialect))
                self._shown[f"{alias}.{quoted_name(_text(part[3]), self._dialect)}"] = None
            elif isinstance(part, str) and len(self._inner) == 1:
                self._shown[f"{self._inner[0]}.{quoted_name(part, self._dialect)}"] = None

    def _add_definitions(self, names: Sequence[Json]) -> None:
        for name in names:
            if isinstance(name, str) and name in self._export.by_id and name not in self._seen:
                self._seen.add(name)
                members = self._export.by_id[name].members
                self.add(members.get("definition") or members.get("dataset_query"))


def _cards(value: Json) -> Iterator[str]:
    """Yield the cards of the places of a dashboard, with those of further series."""
    for place in value if isinstance(value, list) else ():
        if isinstance(place, dict):
            yield _text(place.get("card_id"))
            yield from _cards(place.get("series"))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
