"""What the stored graph was made of, part by part: kept beside it, read and changed with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks, insert_rows, update_rows
from scanner_dictionary.store import next_id

PartName = tuple[str, str]
"""The kind of a part, and its name in that kind."""

_AT_ONCE = 500


class PartRow(NamedTuple):
    """What a part was made of, as a hash; *told* is JSON text of what came of it."""

    digest: str
    told: str


class Parts(NamedTuple):
    """Every part of the stored graph, and the keys of their rows."""

    rows: Mapping[PartName, PartRow]
    keys: Mapping[PartName, int]


def made_with(conn: Connection) -> str | None:
    """Give what all of the stored graph was made with, as JSON text; None where it can only be made anew."""
    return conn.execute(select(t.flow_graph.c.made_with)).scalar()


def read_parts(conn: Connection) -> Parts:
    """Read every part of the stored graph."""
    rows: dict[PartName, PartRow] = {}
    keys: dict[PartName, int] = {}
    for key, kind, name, digest, told in conn.execute(select(t.flow_part)):
        rows[kind, name], keys[kind, name] = PartRow(digest, told), key
    return Parts(rows, keys)


def write_parts(conn: Connection, before: Parts, now: Mapping[PartName, PartRow], said: str) -> None:
    """Bring the stored parts from what they were *before* to *now*; *said* is what all of the graph was made with."""
    gone = [before.keys[name] for name in before.rows if name not in now]
    for chunk in in_chunks(gone, _AT_ONCE):
        conn.execute(delete(t.flow_part).where(t.flow_part.c.id.in_(chunk)))
    differing = ((*row, before.keys[name]) for name, row in now.items() if before.rows.get(name, row) != row)
    update_rows(conn, t.flow_part, ("digest", "told"), differing)
    new = ((name, row) for name, row in now.items() if name not in before.rows)
    first = next_id(conn, t.flow_part)
    insert_rows(conn, t.flow_part, ((id_, *name, *row) for id_, (name, row) in enumerate(new, first)))
    conn.execute(update(t.flow_graph).values(made_with=said))
