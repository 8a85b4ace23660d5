"""Versions that schemas refer to and no list carried (soft-deleted and hidden ones): asked for one by one."""

from __future__ import annotations

from scanner_extractor.naming.subjects import seen_subject
from scanner_extractor.references import find_reference, finder
from scanner_extractor.registries.confluent import ConfluentClient
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.registries.gathered import Gathered, sort_out
from scanner_extractor.registries.walk import Wanted, lost, read_one
from scanner_model.errors import NotFound, ScannerError
from scanner_model.schemas import Reference, qualified_subject

_ROUNDS = 100
"""How long a chain of versions that only references lead to may be."""


def close(client: ConfluentClient, gathered: Gathered, crew: Crew) -> Gathered:
    """Add what references lead to and is missing, so that every reference that the registry can resolve is resolved.

    A subject that could not be read is not tried again.
    """
    tried: set[tuple[str, int]] = set()
    for _ in range(_ROUNDS):
        wanted = [one for one in _missing(client, gathered) if (one.subject, one.number) not in tried]
        if not wanted:
            break
        tried |= {(one.subject, one.number) for one in wanted}
        answers = ask_each(wanted, lambda one: read_one(client, one), crew=crew)
        rows = [row for row in answers if not isinstance(row, ScannerError)]
        # Not found needs no word here: whoever resolves the reference says which schema misses it.
        errors = [
            (one.subject, answer)
            for one, answer in zip(wanted, answers, strict=True)
            if isinstance(answer, ScannerError) and not isinstance(answer, NotFound)
        ]
        gathered = gathered + sort_out(rows) + lost(client, errors)
    return gathered


def _missing(client: ConfluentClient, gathered: Gathered) -> list[Wanted]:
    find = finder(row.version for row in gathered.rows.values())
    targets = {
        _target(row.version.context, reference, client.origin.kind)
        for row in gathered.rows.values()
        for reference in row.version.references
        if find_reference(row.version.context, reference, find) is None
    }
    return [
        Wanted(subject=subject, number=number, live=True)
        for subject, number in sorted(targets)
        if qualified_subject(*seen_subject(subject, client.origin.kind)) not in gathered.unread
    ]


def _target(context: str, reference: Reference, kind: str) -> tuple[str, int]:
    """Give the name to ask for: a reference without a context of its own stays in the one it is made in."""
    inherits = seen_subject(reference.subject, kind)[1] == reference.subject
    return qualified_subject(context, reference.subject) if inherits else reference.subject, reference.version
