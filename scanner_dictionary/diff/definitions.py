"""Definitions out of the dictionary, as the facts they were stored from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks
from scanner_dictionary.queries.columns import columns_of
from scanner_model.names import Fingerprint, RecordName
from scanner_model.problems import Problem
from scanner_model.schemas import Definition

_AT_ONCE = 500


def heads(conn: Connection, keys: Collection[int]) -> dict[int, Definition]:
    """Read the definitions with *keys*, without their columns."""
    found: dict[int, Definition] = {}
    for chunk in in_chunks(sorted(set(keys)), _AT_ONCE):
        query = select(t.schema_definition).where(t.schema_definition.c.id.in_(chunk))
        for row in conn.execute(query):
            found[row.id] = Definition(
                fingerprint=Fingerprint(row.fingerprint),
                format=row.format,
                text=row.schema_text,
                name=RecordName(row.name),
                problems=tuple(Problem(**each) for each in json.loads(row.problems)),
            )
    return found


def with_columns(conn: Connection, known: Mapping[int, Definition], keys: Collection[int]) -> dict[int, Definition]:
    """Give those of the *known* definitions that *keys* name, with their columns."""
    columns = columns_of(conn, keys)
    return {key: replace(known[key], columns=columns.get(key, ())) for key in keys}
