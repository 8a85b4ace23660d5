"""The bulk plan: every version of every subject from `GET /schemas`, a thousand rows a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from scanner_extractor.http.pagination import paged
from scanner_extractor.registries.confluent.client import EVERY_CONTEXT, PAGE, ConfluentClient
from scanner_extractor.registries.confluent.reader import NOTHING, Known
from scanner_extractor.registries.result import BadRow, Key, RegistryContent, Row, key_of, separate_rows
from scanner_model.schemas import SchemaVersion, qualified_subject

ReportRows = Callable[[int], None]
"""Told how many rows were read so far."""


def read_bulk(client: ConfluentClient, *, deleted: bool, report: ReportRows) -> RegistryContent | None:
    """Read everything in bulk; None: the bulk response is unusable, or empty, which is not conclusive.

    Servers of 6.1 and 6.2 read the wildcard for every context as a name prefix and find nothing, so an empty
    response is requested again without it. *deleted*: soft-deleted versions are wanted too. Raises what `Http`
    raises.
    """
    prefix = prefix_for(client)
    for candidate in (prefix, "") if prefix == EVERY_CONTEXT else (prefix,):
        forms = _forms(client, candidate, _wanted(client, deleted), report)
        if forms is None:
            return None
        if any(forms):
            return _with_deletions(forms, deleted)
    return None


def prefix_for(client: ConfluentClient) -> str:
    """Return the prefix that covers what is read: one context, or every one where there are contexts."""
    if client.origin.kind != "confluent":
        return ""
    context = client.origin.context
    return qualified_subject(context, "") if context else EVERY_CONTEXT


def key(row: Row | BadRow) -> Key | str:
    """Return the key of a row of a page."""
    return row.text if isinstance(row, BadRow) else key_of(row.version)


def _wanted(client: ConfluentClient, deleted: bool) -> tuple[bool, ...]:
    """List the forms to request by their parameter `deleted`.

    Confluent adds soft-deleted versions to the second form, and since 8.0 its rows have the flag, so that this form
    alone may do. Karapace adds them to the first, and does not mark them in either.
    """
    if client.origin.kind == "confluent":
        return (True, False) if deleted else (False,)
    return False, True


def _forms(
    client: ConfluentClient, prefix: str, deleted_forms: Iterable[bool], report: ReportRows
) -> list[tuple[Row | BadRow, ...]] | None:
    """Read the list in each form that is needed; None where its rows are of no use."""
    forms: list[tuple[Row | BadRow, ...]] = []
    known: Known = NOTHING
    for deleted in deleted_forms:
        form = _form(partial(client.schemas, deleted=deleted, prefix=prefix, known=known), report)
        if form is None:
            return None
        forms.append(form)
        rows = [row for row in form if isinstance(row, Row)]
        if deleted and all(row.flagged for row in rows):
            break
        # Nearly every row is in both lists, and need neither be read nor kept twice.
        known = {_listed_as(row.version): row for row in rows}
    return forms


def _listed_as(version: SchemaVersion) -> tuple[str, int]:
    return qualified_subject(version.context, version.subject), version.version


def _form(page: Callable[[int], Sequence[Row | BadRow]], report: ReportRows) -> tuple[Row | BadRow, ...] | None:
    first = page(0)
    if first and not any(isinstance(row, Row) for row in first):
        return None
    rows: list[Row | BadRow] = []

    def fetch(offset: int, _size: int) -> Sequence[Row | BadRow]:
        report(offset)
        return first if offset == 0 else page(offset)

    rows.extend(paged(fetch, key=key, size=PAGE))
    return tuple(rows)


def _with_deletions(forms: Sequence[tuple[Row | BadRow, ...]], deleted: bool) -> RegistryContent:
    """Flag as deleted what is missing from one of the forms and has no flag itself."""
    parts = [separate_rows(rows) for rows in forms]
    live = set.intersection(*(set(part.rows) for part in parts))
    everything = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    rows = {
        row_key: row if row.flagged or row_key in live else _deleted(row) for row_key, row in everything.rows.items()
    }
    remaining = {row_key: row for row_key, row in rows.items() if deleted or not row.version.deleted}
    return replace(everything, rows=remaining)


def _deleted(row: Row) -> Row:
    return replace(row, version=replace(row.version, deleted=True))
