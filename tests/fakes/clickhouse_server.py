"""A stand-in for ClickHouse's HTTP interface: it answers what ClickHouse 26.9 answered about two databases.

The answers are those of the real engine (chdb), which creates tables of the engine Kafka and shows them, but cannot run
them. Passwords are `[HIDDEN]` as the engine writes them, and so are all values of named collections.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Json = Any

RECORDED = Path(__file__).parents[1] / "conformance" / "recorded" / "clickhouse_26_9.json"
"""The recorded answers by system table and database."""


def recorded() -> dict[str, Json]:
    """Return the recorded answers, to be changed at will."""
    answers: dict[str, Json] = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]
    return copy.deepcopy(answers)


@dataclass(slots=True, kw_only=True)
class ClickHouse:
    """A server; *answers* by system table and database; *refused* are statuses and texts by the same names."""

    answers: dict[str, Json] = field(default_factory=recorded)
    refused: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def rows(self, of: str) -> list[dict[str, Json]]:
        """Return the rows of an answer, to be changed."""
        listed: list[dict[str, Json]] = self.answers[of]["data"]
        return listed

    def table(self, name: str) -> dict[str, Json]:
        """Return the row of a table, to be changed."""
        database, _, own = name.partition(".")
        return next(row for row in self.rows(f"tables {database}") if row["name"] == own)

    def answer(self, method: str, target: str, _: bytes = b"") -> tuple[int, Json]:
        """Answer a request; one that is not a GET could change data."""
        given = dict(parse_qsl(urlsplit(target).query))
        table = re.search(r"FROM system\.(\w+)", given.get("query", ""))
        if method != "GET" or not table:
            return 400, "Code: 62. DB::Exception: Syntax error: failed at position 1. (SYNTAX_ERROR)"
        name = f"{table[1]} {given.get('param_database', '')}".strip()
        self.asked.append(name)
        if name in self.refused:
            return self.refused[name]
        return 200, self.answers.get(name, {"meta": [], "data": [], "rows": 0})
