"""The bulk plan: every version of every subject from `GET /schemas`, a thousand rows a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from scanner_extractor.paging import paged
from scanner_extractor.registries.confluent import EVERY_CONTEXT, PAGE, ConfluentClient
from scanner_extractor.registries.confluent_reader import qualified
from scanner_extractor.registries.gathered import Gathered, Key, key_of, sort_out
from scanner_extractor.registries.rows import BadRow, Row
from scanner_model.schemas import SchemaVersion

Told = Callable[[int], None]
"""Told how many rows were read so far."""


def read_bulk(client: ConfluentClient, *, deleted: bool, told: Told) -> Gathered | None:
    """Read everything in bulk; None: this registry's bulk answer is of no use, or empty, which proves nothing.

    Servers of 6.1 and 6.2 take the wildcard for every context for a name's beginning and find nothing, so an empty
    answer is asked again without it. *deleted*: soft-deleted versions are wanted too. Raises what `Http` raises.
    """
    is_confluent = client.origin.kind == "confluent"
    for prefix in (EVERY_CONTEXT, "") if is_confluent else ("",):
        forms = _forms(client, prefix, both=deleted or not is_confluent, told=told)
        if forms is None:
            return None
        if any(forms):
            return _with_deletions(forms, deleted)
    return None


def prefix_for(client: ConfluentClient) -> str:
    """Give the prefix that covers every context, where there are contexts."""
    return EVERY_CONTEXT if client.origin.kind == "confluent" else ""


def key(row: Row | BadRow) -> Key | str:
    """Give what tells rows of a page apart."""
    return row.text if isinstance(row, BadRow) else key_of(row.version)


def _forms(
    client: ConfluentClient, prefix: str, *, both: bool, told: Told
) -> tuple[tuple[Row | BadRow, ...], ...] | None:
    """Read the list as it is, and the list asked for with deleted versions; None where its rows are of no use."""
    plain = _form(lambda offset: client.schemas(offset, deleted=False, prefix=prefix), told)
    if plain is None or not both:
        return plain if plain is None else (plain,)
    # Nearly every row is in both lists, and need neither be read nor kept twice.
    known = {_listed_as(row.version): row for row in plain if isinstance(row, Row)}
    other = _form(lambda offset: client.schemas(offset, deleted=True, prefix=prefix, known=known), told)
    return None if other is None else (plain, other)


def _listed_as(version: SchemaVersion) -> tuple[str, int]:
    return qualified(version.context, version.subject), version.version


def _form(page: Callable[[int], Sequence[Row | BadRow]], told: Told) -> tuple[Row | BadRow, ...] | None:
    first = page(0)
    if first and not any(isinstance(row, Row) for row in first):
        return None
    rows: list[Row | BadRow] = []

    def fetch(offset: int, _size: int) -> Sequence[Row | BadRow]:
        told(offset)
        return first if offset == 0 else page(offset)

    rows.extend(paged(fetch, key=key, size=PAGE))
    return tuple(rows)


def _with_deletions(forms: Iterable[tuple[Row | BadRow, ...]], deleted: bool) -> Gathered:
    """Flag what is missing from one of the forms.

    Confluent adds soft-deleted versions to the second form, Karapace to the first, and neither need mark them: what
    stands in both is live.
    """
    parts = [sort_out(rows) for rows in forms]
    live = set.intersection(*(set(part.rows) for part in parts))
    everything = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    rows = {place: row if place in live else _deleted(row) for place, row in everything.rows.items()}
    kept = {place: row for place, row in rows.items() if deleted or not row.version.deleted}
    return replace(everything, rows=kept)


def _deleted(row: Row) -> Row:
    return replace(row, version=replace(row.version, deleted=True))
