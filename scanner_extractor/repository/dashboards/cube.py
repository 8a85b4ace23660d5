"""Cube: the cubes and views of a semantic model in YAML, as the queries that they stand for.

Source: Cube, reference of the data model: cubes, views, joins, dimensions, measures, and references in SQL. A view
shows members of cubes along a path of joins. `{CUBE}` is the table of a cube; `{member}` and `{cube.member}` are
expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.charts import (
    DASHBOARD,
    LONGEST,
    UNRESOLVED,
    Chart,
    add_chart,
    quoted_name,
)
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.payload import Json

_TOOL = "cube"
_MODEL = re.compile(r"^(?:cubes|views):", re.MULTILINE)
_MEMBERS = re.compile(r"^[ -]+(?:sql|sql_table|extends|join_path|measures|dimensions):", re.MULTILINE)
_SCRIPT = re.compile(r"^(?:cube|view)\(\s*[`'\"]", re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{|\{%")
_FILTER = re.compile(r"\{FILTER_(?:PARAMS|GROUP)\b[^{}()]*+\(\s*+(?:['\"](?P<column>[^'\"{}]*+)['\"])?+[^{}]*+\}")
_REFERENCE = re.compile(r"\{([\w.]{1,200})\}")
_SOURCE = re.compile(r"\{(\w{1,200})\.sql\(\)\}")
_OWN = ("CUBE", "TABLE")
_PLAIN = re.compile(r"\w+")
_DEEPEST = 8
"""Members that are defined by members, one inside the other."""
_MOST = 10_000
"""Characters of the expression of one member."""
_CALCULATED = ("number", "string", "time", "boolean", "number_agg")
"""Types of measures whose expression is not aggregated."""

Members = Mapping[str, Json]


class _Part(NamedTuple):
    """A cube or view, and the file that defines it."""

    file: RepositoryFile
    body: Members


class _Cube(NamedTuple):
    """A cube with the members of those that it extends, by name."""

    body: Members
    dimensions: Mapping[str, Members]
    measures: Mapping[str, Members]
    joins: Mapping[str, Members]

    @property
    def members(self) -> list[str]:
        """Return the names of dimensions and measures."""
        return [*self.dimensions, *self.measures]


def is_cube(file: RepositoryFile) -> bool:
    """Check whether a file may be a part of a semantic model."""
    if file.ending in (".js", ".ts"):
        return bool(_SCRIPT.search(file.text))
    is_yaml = file.ending in (".yaml", ".yml")
    return is_yaml and bool(_MODEL.search(file.text) and _MEMBERS.search(file.text))


def read_cube(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add each cube and view with the query that it stands for."""
    cubes: dict[str, _Part] = {}
    views: dict[str, _Part] = {}
    for file in files:
        if file.ending in (".js", ".ts") or _TEMPLATE.search(file.text):
            what = "a program" if file.ending in (".js", ".ts") else "a template"
            context.leave(file, DASHBOARD, f"its model of Cube is {what}")
            continue
        for document in (parsed.value for parsed in parse_yaml(file.text)):
            for known, key in ((cubes, "cubes"), (views, "views")):
                known.update({_text(each, "name"): _Part(file, each) for each in _entries(document, key)})
    model = {name: _cube(cubes, name) for name in cubes}
    for name, part in (*cubes.items(), *views.items()):
        query = _ModelQuery(model)
        text = query.of_view(part.body) if part is views.get(name) else query.of_cube(name)
        if text:
            dialect = "bigquery" if "`" in text else ""  # the warehouse is named outside of the files
            add_chart(Chart(_TOOL, "", name, text, dialect), part.file.path, context)
        else:
            context.leave(part.file, DASHBOARD, f"{name}: a table is chosen at run time, or a cube is in no file")


class _ModelQuery:
    """The query of one cube or view over the tables of all cubes that its members reach."""

    def __init__(self, cubes: Mapping[str, _Cube]) -> None:
        self._cubes = cubes
        self._first = ""
        self._used: dict[str, None] = {}
        self._expressions: dict[tuple[str, str, int], str] = {}

    def of_cube(self, name: str) -> str:
        """Return the query of all members of a cube; empty if its table is not known."""
        self._first = name
        self._used[name] = None
        return self._text({each: self._member(name, each, _DEEPEST) for each in self._cubes[name].members})

    def of_view(self, view: Members) -> str:
        """Return the query of the members that a view shows; empty if the table of a cube is not known."""
        shown: dict[str, str] = {}
        for entry in _entries(view, "cubes"):
            path = _text(entry, "join_path").split(".")
            self._first = self._first or path[0]
            self._used.update(dict.fromkeys(path))
            prefix = f"{_text(entry, 'alias') or path[-1]}_" if entry.get("prefix") is True else ""
            cube = self._cubes.get(path[-1], _NONE)
            for member, name in _included(entry, cube.members):
                shown[f"{prefix}{name}"] = self._member(path[-1], member, _DEEPEST)
        for each in (*_entries(view, "dimensions"), *_entries(view, "measures")):
            text = re.sub(r"\{CUBE\.(\w+)\}", lambda found: f"({shown.get(found[1], UNRESOLVED)})", _text(each, "sql"))
            shown[_text(each, "name")] = self._expanded(text, self._first, _DEEPEST) or UNRESOLVED
        return self._text(shown)

    def _text(self, shown: Mapping[str, str]) -> str:
        """Return the query that shows expressions by name; empty if the table of a cube is not known."""
        columns = ", ".join(f"{text} AS {quoted_name(name, '')}" for name, text in shown.items()) or "COUNT(*)"
        joined: list[str] = []
        tables: list[str] = []
        for name in self._reached():
            if not (table := self._table(name)):
                return ""
            condition = next((on for other in tables if (on := self._join(other, name))), "")
            joined.append(f"LEFT JOIN {table} ON {condition}" if condition else f"CROSS JOIN {table}")
            tables.append(name)
        return f"SELECT {columns} FROM {joined[0].removeprefix('CROSS JOIN ')} {' '.join(joined[1:])}".rstrip()  # noqa: S608 - parsed, never sent

    def _reached(self) -> Iterator[str]:
        """Yield the cubes whose tables the query needs, also those that the conditions of their joins name."""
        at = 0
        while at < len(self._used):
            yield list(self._used)[at]
            at += 1

    def _table(self, name: str) -> str:
        """Return the table of a cube under its name; empty if it is computed, or the cube is in no file."""
        table = self._source(name, _DEEPEST)
        return "" if "{" in table or not table else f"{table} AS {name}"

    def _source(self, name: str, depth: int) -> str:
        """Return the table or the query of a cube, with those of the cubes that it reads."""
        key = name, "", depth
        if key not in self._expressions:
            body = self._cubes.get(name, _NONE).body
            table, query = _text(body, "sql_table").strip(), _text(body, "sql").strip().rstrip(";")
            if query and depth:
                query = _SOURCE.sub(
                    lambda found: self._source(found[1], depth - 1) or "{}", _FILTER.sub(_filter, query)
                )
                query = self._expanded(query, name, depth)
            self._expressions[key] = (table or (f"({query})" if query else ""))[:LONGEST]
        return self._expressions[key]

    def _join(self, name: str, other: str) -> str:
        """Return the condition on which either of two cubes joins the other; empty without one."""
        for start, target in ((name, other), (other, name)):
            if join := self._cubes[start].joins.get(target):
                return self._expanded(_text(join, "sql"), start, _DEEPEST)
        return ""

    def _member(self, cube: str, name: str, depth: int) -> str:
        key = cube, name, depth
        if key not in self._expressions:  # members may name each other many times
            self._used[cube] = None
            self._expressions[key] = self._expression(cube, name, depth)
        return self._expressions[key]

    def _expression(self, cube: str, name: str, depth: int) -> str:
        about = self._cubes.get(cube, _NONE)
        member = about.dimensions.get(name) or about.measures.get(name)
        if member is None or not depth:
            return UNRESOLVED
        type_ = _text(member, "type")
        texts = [self._expanded(text, cube, depth - 1) for text in _expressions(member)]
        text = texts[0] if len(texts) == 1 else f"COALESCE({', '.join(texts)})" if texts else ""
        tests = [self._expanded(_text(each, "sql"), cube, depth - 1) for each in _entries(member, "filters")]
        if tests:
            text = f"CASE WHEN {' AND '.join(f'({test})' for test in tests)} THEN {text or '1'} END"
        if name in about.dimensions or type_ in _CALCULATED:
            return text or UNRESOLVED
        return f"COUNT({text or '*'})" if type_.startswith("count") else f"SUM({text or UNRESOLVED})"

    def _expanded(self, text: str, cube: str, depth: int) -> str:
        """Return SQL with the tables and expressions of its references; a plain name is a column of the cube."""
        if _PLAIN.fullmatch(text.strip()):
            return f"{cube}.{text.strip()}"

        def replaced(match: re.Match[str]) -> str:
            parts = [cube if part in _OWN else part for part in match[1].split(".")]
            if len(parts) == 1 and parts[0] in self._cubes:
                self._used[parts[0]] = None
                return parts[0]
            own = parts if parts[0] in self._cubes else [cube, *parts]
            for of, name in zip(own[-2::-1], own[:0:-1], strict=False):  # the last parts first: a.b.month has a unit
                if of in self._cubes and name in self._cubes[of].members:
                    return f"({self._member(of, name, depth)})"
            return UNRESOLVED

        return _REFERENCE.sub(replaced, text)[:_MOST]


_NONE = _Cube({}, {}, {}, {})


def _cube(parts: Mapping[str, _Part], name: str) -> _Cube:
    """Return a cube with the members of those that it extends."""
    body: dict[str, Json] = {}
    for _ in range(_DEEPEST):
        own = parts[name].body if name in parts else {}
        for key, value in own.items():
            old = body.get(key, value)
            body[key] = [*value, *old] if key in body and isinstance(value, list) and isinstance(old, list) else old
        name = _text(own, "extends")
    return _Cube(body, _named(body, "dimensions"), _named(body, "measures"), _named(body, "joins"))


def _included(entry: Members, members: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the members of a cube that a view shows, each with its name there."""
    listed, left_out = entry.get("includes"), entry.get("excludes")
    names = listed if isinstance(listed, list) else members if listed == "*" else ()
    for each in names:
        name = _text(each, "name") if isinstance(each, dict) else each
        if isinstance(name, str) and not (isinstance(left_out, list) and name in left_out):
            yield name, _text(each, "alias") or name


def _expressions(member: Members) -> list[str]:
    """Return the expressions of a member: its own, those of its cases, or of a place on the map."""
    case = member.get("case")
    branches = [*_entries(case, "when"), *([case["else"]] if isinstance(case, dict) and "else" in case else ())]
    parts = [member, *branches, member.get("latitude"), member.get("longitude")]
    parts += [each.get("label") for each in branches if isinstance(each, dict)]
    switch = _text(case, "switch")
    return [*([switch] if switch else ()), *(text for part in parts if (text := _text(part, "sql")))]


def _filter(match: re.Match[str]) -> str:
    column = match["column"] or ""
    return f"({column} IS NOT NULL)" if re.fullmatch(r"[\w.]+", column) else "(1 = 1)"


def _named(value: Members, name: str) -> Mapping[str, Members]:
    return {_text(each, "name"): each for each in _entries(value, name)}


def _entries(value: Json, name: str) -> list[Members]:
    listed = value.get(name) if isinstance(value, dict) else None
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def _text(value: Json, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
