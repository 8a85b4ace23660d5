"""Where files declare jobs: connectors, programs and statements, as a scan of a repository stored it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select

from scanner_dictionary.engine.open import Connection
from scanner_dictionary.schema import tables as t


class DeclaredPlaces(NamedTuple):
    """The places of jobs by name, as `FILE:LINE` or `FILE`, and the texts of statements with the file of each."""

    jobs: Mapping[str, str]
    statements: tuple[tuple[str, str], ...]

    def of(self, job: str, statement: str = "") -> str:
        """Return where *job*, or the text of its *statement*, is declared; empty if that is not known."""
        known = self.jobs.get(job) or self.jobs.get(job.rpartition(":")[0])
        if known or not statement:
            return known or ""
        for text, file in self.statements:
            if (start := text.find(statement)) >= 0:
                name, _, line = file.rpartition(":")
                first = int(line) if name and line.isdigit() else 1
                return f"{name if name and line.isdigit() else file}:{first + text.count(chr(10), 0, start)}"
        return ""


def declared_places(conn: Connection) -> DeclaredPlaces:
    """Return the places of everything that files declare now."""
    flow, entry, statement = t.manual_flow.c, t.declaration.c, t.flink_statement.c
    flows = select(flow.job, flow.evidence).where(flow.gone.is_(None))
    declared = select(entry.name, entry.place).where(entry.gone.is_(None), entry.kind != "topic")
    jobs = {name: place for query in (flows, declared) for name, place in conn.execute(query)}
    texts = select(statement.statement, statement.detail).where(statement.gone.is_(None), statement.detail != "")
    listed = tuple((text, file) for text, file in conn.execute(texts))
    return DeclaredPlaces({name: place for name, place in jobs.items() if name and place}, listed)
