"""The schemas of a stored graph: those that topics have now are added, those that none has any more are taken away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dataflow_generator.build.schema_nodes import schema_rows
from dataflow_generator.graph import schema_key
from dataflow_generator.incremental.keys import schema_places
from scanner_dictionary.graph import update as graph_changes
from scanner_dictionary.lineage_inputs.column_batches import Head, cells_of, live_heads
from scanner_dictionary.lineage_inputs.topics import Connection


class Schemas(NamedTuple):
    """Definitions: their *sizes* and *places*, those that topics have now, and those whose schemas are stored."""

    conn: Connection
    sizes: Mapping[int, int]
    places: Mapping[int, int]
    live: Mapping[int, Head]
    stored: frozenset[int]

    @property
    def keys(self) -> dict[str, int]:
        """Return the stored key of each node by its own."""
        return {schema_key(head.fingerprint): self.places[head.id] for head in self.live.values()}

    def add(self) -> None:
        """Add what is missing."""
        missing = [head for head in self.live.values() if head.id not in self.stored]
        for cells in cells_of(self.conn, missing):
            graph_changes.add_rows(self.conn, *schema_rows(cells, self.places))

    def drop(self) -> None:
        """Take away what no topic has; nothing may lead there any more."""
        old = sorted(self.stored - self.live.keys())
        spans = [(self.places[key], self.places[key] + self.sizes[key]) for key in old]
        graph_changes.delete_spans(self.conn, spans)
        graph_changes.delete_spans(self.conn, spans, nodes=True)


def read_schemas(conn: Connection, sizes: Mapping[int, int], stored: frozenset[int]) -> Schemas:
    """Read which schemas there should be beside those *stored*; *sizes* are the columns of each definition."""
    live = {head.id: head for head in live_heads(conn)}
    return Schemas(conn, sizes, schema_places(sizes.items()), live, stored)
