"""What people wrote about topics in a stream catalog: tags, owner, description."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t


class Written(NamedTuple):
    """What is written about a topic, of several catalogs the first that says it; tags are those of all, by name."""

    tags: tuple[str, ...] = ()
    owner: str = ""
    description: str = ""

    def beside(self, tags: tuple[str, ...], description: str) -> Written:
        """Add what is known of the topic from elsewhere, which comes first."""
        return Written(tuple(dict.fromkeys((*tags, *self.tags))), self.owner, description or self.description)


NOTHING = Written()


def written_of(
    conn: Connection, *, cluster: int | None = None, topic: str | None = None
) -> Mapping[tuple[int, str], Written]:
    """Give what is written about each topic, by cluster and name: of all, or of one *topic* of *cluster*."""
    note = t.annotation.c
    query = select(note.cluster_id, note.topic, note.tags, note.owner, note.description).where(
        note.topic.is_not(None), note.gone.is_(None)
    )
    query = query if topic is None else query.where(note.cluster_id == cluster, note.topic == topic)
    found: dict[tuple[int, str], Written] = {}
    for cluster_id, name, tags, owner, description in conn.execute(query.order_by(note.id)):
        known = found.get((cluster_id, name), NOTHING)
        every = tuple(sorted({*known.tags, *json.loads(tags)}))
        found[cluster_id, name] = Written(every, known.owner or owner, known.description or description)
    return found
