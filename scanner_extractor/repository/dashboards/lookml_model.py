"""The views and explores of a LookML project, and the SQL of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanner_extractor.repository.dashboards.charts import UNRESOLVED, without_between
from scanner_extractor.repository.dashboards.syntax.lookml import Block, without_liquid

_FIELDS = ("dimension", "dimension_group", "measure", "filter", "parameter")
_SUBSTITUTED = re.compile(r"\$\{(?P<name>[\w.]+)\}")
_FILTERED = re.compile(r"(?<![\w.])([\w.]++):")
_DEEPEST = 20
_LONGEST = 100_000
"""Characters of the SQL of a field: fields that are made of each other may grow without end."""


class Model:
    """The views and explores of a project; a refinement adds to what it refines."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.views: dict[str, Block] = {}
        self.explores: dict[str, Block] = {}
        self._known: dict[tuple[str, str, str], str] = {}
        self._declared: set[tuple[str, str]] = set()
        self._fields_of: dict[str, dict[str, Block]] = {}
        for block in blocks:
            listed = {"view": self.views, "explore": self.explores}.get(block.kind)
            if listed is not None:
                name = block.name.lstrip("+")
                if name == block.name:
                    self._declared.add((block.kind, name))
                known = listed.get(name, Block(block.kind, name, {}, []))
                listed[name] = known._replace(
                    values={**known.values, **block.values}, blocks=[*known.blocks, *block.blocks]
                )

    def view_query(self, name: str) -> str:
        """Return the query of all fields of a view; empty for one without a table."""
        fields = [block.name for block in self._by_name(name).values() if block.kind not in ("filter", "parameter")]
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
        for name in self._chain(view):
            if name in self.views:
                yield from self.views[name].inside(*_FIELDS)

    def _table(self, view: str) -> str:
        """Return the table of a view: its name, or its query in parentheses; empty if it is not known.

        A view without a table has that of the view that it extends; one that extends none is named like its table. A
        refinement of a view that is not in the files is of an unknown table.
        """
        for name in self._chain(view):
            block = self.views.get(name)
            if block is None:
                return ""
            derived = [inner.values.get("sql", "") for inner in block.inside("derived_table")]
            if derived:
                return f"({self._expanded(derived[0], view, {view: view}, 0)})" if derived[0] else ""
            if "sql_table_name" in block.values:
                return _plain(block.values["sql_table_name"])
        is_plain = ("view", view) in self._declared and len(self._chain(view)) == 1
        return view if is_plain else ""

    def _chain(self, view: str) -> list[str]:
        """Return a view and those that it extends, the nearest first."""
        names = [view]
        for name in names:
            extended = self.views[name].values.get("extends", "") if name in self.views else ""
            names += (found for found in re.findall(r"\w+", extended) if found not in names)
        return names

    def _field(self, alias: str, name: str, aliases: Mapping[str, str], depth: int) -> str:
        """Return the SQL of a field; one without SQL is the column of its name, a count of none counts rows."""
        view = aliases.get(alias, alias)
        if (alias, view, name) not in self._known:
            text = self._field_text(alias, name, aliases, depth)
            self._known[alias, view, name] = text if len(text) <= _LONGEST else UNRESOLVED
        return self._known[alias, view, name]

    def _field_text(self, alias: str, name: str, aliases: Mapping[str, str], depth: int) -> str:
        fields = self._by_name(aliases.get(alias, alias))
        field = fields.get(name) or _group_of(name, fields)
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


def _group_of(name: str, fields: Mapping[str, Block]) -> Block | None:
    """Return the group whose field of one timeframe is *name*, such as `created_day_of_week`; None for none."""
    while "_" in name:
        name = name.rpartition("_")[0]
        if name in fields and fields[name].kind == "dimension_group":
            return fields[name]
    return None


def _texts(block: Block) -> Iterator[str]:
    """Yield the SQL of a field: its own, its two ends, and that of its cases."""
    yield from (text for name, text in block.values.items() if name.startswith("sql") and name != "sql_distinct_key")
    for inner in block.inside("case", "when"):
        yield from _texts(inner)


def _plain(text: str) -> str:
    """Return SQL without Liquid: a value for its outputs, and all branches of a condition."""
    return without_between(without_liquid(text), "{{", "}}", "1").strip()
