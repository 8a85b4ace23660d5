"""Routine loads of StarRocks and Doris: jobs inside the engine that read topics into one table each.

Source: SHOW ROUTINE LOAD of both, and `jobPropertiesToJsonString` of their class RoutineLoadJob.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scanner_extractor.catalogs.ingestion import fields_of
from scanner_extractor.systems.databases.engines.session import Row
from scanner_model.catalogs import (
    KAFKA_BROKERS,
    KAFKA_COLUMNS,
    KAFKA_FORMAT,
    KAFKA_GROUP,
    KAFKA_JOB,
    KAFKA_TOPICS,
)
from scanner_model.documents.json_input import load_text

_ENDED = frozenset({"STOPPED", "CANCELLED"})
_ALL = "*"
_BY_POSITION = frozenset({"csv"})
_LONGEST = 1_000_000

_MANY_TABLES = "each message names its table, so its topic is connected with none"
_NO_TABLE = "its table does not exist, or this user may not see it"
_NO_TOPIC = "its properties name no topic"
_NO_PATHS = "its jsonpaths cannot be parsed: columns are not connected with fields"

Field = Sequence[str]
"""The names that lead to a field of a message."""

Sources = dict[str, Any]
"""By column: `{"field": names}` where it is a copy of that field, else a list of the fields it is computed from."""


class RoutineLoads(NamedTuple):
    """The parameters of the jobs of each *table*, by its name; *problems* are pairs of a job's name and a reason."""

    of_table: Mapping[str, tuple[Mapping[str, str], ...]]
    problems: tuple[tuple[str, str], ...]


def read_routine_loads(rows: Iterable[Row], tables: Mapping[str, Sequence[str]]) -> RoutineLoads:
    """Parse what SHOW ROUTINE LOAD answers; *tables* are the columns of each table that a message can fill.

    Jobs that have ended and those of other brokers than Kafka are left out. Of all properties only topics, addresses,
    group, format and the names of fields are returned: others may hold passwords.
    """
    jobs: dict[str, list[Mapping[str, str]]] = {}
    problems: list[tuple[str, str]] = []
    for row in sorted(rows, key=lambda row: (_text(row, "name"), _text(row, "id"))):
        if _text(row, "state").upper() in _ENDED or _text(row, "datasourcetype").upper() != "KAFKA":
            continue
        name, table = _text(row, "name"), _text(row, "tablename")
        job = _Job(name, _properties(row, "jobproperties"), tables.get(table, ()))
        topic = _properties(row, "datasourceproperties").get("topic")
        if _text(row, "ismultitable").lower() == "true":
            problems.append((name, _MANY_TABLES))
        elif table not in tables or not topic:
            problems.append((name, _NO_TOPIC if table in tables else _NO_TABLE))
        else:
            jobs.setdefault(table, []).append(job.parameters(row))
            problems.extend((name, reason) for reason in job.problems)
    return RoutineLoads({table: tuple(listed) for table, listed in jobs.items()}, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Job:
    """A job: its *name*, its own properties, and the *columns* of its table."""

    name: str
    properties: Mapping[str, str]
    columns: Sequence[str]

    @property
    def format(self) -> str:
        """Return the format of messages; older versions of StarRocks name JSON only."""
        return (self.properties.get("format") or self.properties.get("dataFormat") or "csv").lower()

    @property
    def problems(self) -> list[str]:
        return [_NO_PATHS] if self._paths() is None else []

    def parameters(self, row: Row) -> Mapping[str, str]:
        """Return what is stored of the job."""
        source, custom = _properties(row, "datasourceproperties"), _properties(row, "customproperties")
        sources = {} if self.format in _BY_POSITION else self._sources()
        words = {
            KAFKA_JOB: self.name,
            KAFKA_TOPICS: source.get("topic", ""),
            KAFKA_BROKERS: source.get("brokerList", ""),
            KAFKA_GROUP: custom.get("group.id", ""),
            KAFKA_FORMAT: self.format,
            KAFKA_COLUMNS: json.dumps(sources, sort_keys=True, ensure_ascii=False) if sources else "",
        }
        return {name: value for name, value in words.items() if value}

    def _paths(self) -> list[Field] | None:
        """Return the fields that are selected by `jsonpaths`, in order; empty without them, None for other texts."""
        text = self.properties.get("jsonpaths", "")
        if not text or self.format in _BY_POSITION:
            return []
        try:
            listed = load_text(text)
        except (ValueError, RecursionError):
            return None
        return [_path(str(path)) for path in listed] if isinstance(listed, list) else None

    def _sources(self) -> Sources:
        """Return the fields that each column comes from, which the job fills."""
        written = self.properties.get("columnToColumnExpr", _ALL)
        items = [(name, None) for name in self.columns] if written in ("", _ALL) else list(_mapped(written))
        plain = [name for name, expression in items if expression is None]
        root, paths = _path(self.properties.get("json_root", "")), self._paths()
        if paths is None:
            return {}
        selected = zip(plain, paths, strict=False) if paths else ((name, (name,)) for name in plain)
        fields = {name.casefold(): [*root, *path] for name, path in selected if path}
        known = {name.casefold(): name for name in self.columns}
        sources: Sources = {}
        for name, expression in items:
            column = known.get(name.casefold())
            if column is None:
                continue  # a value that others are computed from, or one that the engine keeps to itself
            if expression is not None:
                names = (named.casefold() for named in fields_of(_QUOTED.sub(r'"\1"', expression)))
                sources[column] = [fields[named] for named in dict.fromkeys(names) if named in fields]
            elif name.casefold() in fields:
                sources[column] = {"field": fields[name.casefold()]}
        return sources


_QUOTED = re.compile(r"`([^`\"]*)`")
_STEP = re.compile(r"""\.([^.\[\]]+)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]""")


def _path(text: str) -> Field:
    """Return the names in a JSON path: those of `$.user.tags[0]` are `user` and `tags`; none of the whole message."""
    return [dotted or double or single for dotted, double, single in _STEP.findall(text[:_LONGEST])]


_PART = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.?|'')*+(?:'|\Z)|"(?:[^"\\]|\\.?)*+(?:"|\Z)|`[^`]*+(?:`|\Z))|(?P<open>[(\[])|(?P<close>[)\]])|(?P<comma>,)""",
    re.DOTALL,
)


def _mapped(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the columns of `a,b,c=tmp + 1` with their expressions; None if absent."""
    depth = start = 0
    ends: list[int] = []
    for match in _PART.finditer(text[:_LONGEST]):
        depth += bool(match["open"]) - bool(match["close"])
        if match["comma"] and depth == 0:
            ends.append(match.start())
    for end in (*ends, len(text)):
        name, sign, expression = text[start:end].partition("=")
        start = end + 1
        if plain := name.strip().strip("`"):
            yield plain, expression if sign else None


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value)


def _properties(row: Row, name: str) -> Mapping[str, str]:
    """Return the texts of a JSON object; none for any other text."""
    try:
        listed = load_text(_text(row, name) or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(listed, dict):
        return {}
    return {key: value for key, value in listed.items() if isinstance(value, str)}
