"""The baseline: findings that a team has accepted, each with a reason and the day on which that ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from scanner_check.inputs.proposals import text_of_file
from scanner_check.model import ChangeFinding
from scanner_model.documents.json_positions import PositionedJson, parse_with_positions
from scanner_model.errors import InputInvalid, Problem
from scanner_model.lazy_names import load

_MEMBERS = ("fingerprint", "reason", "expires")
_HINT = 'write {"accepted": [{"fingerprint": "…", "reason": "…", "expires": "2027-01-31"}]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An entry: the fingerprint of a finding, why it is accepted, and the last day that it holds."""

    fingerprint: str
    reason: str
    expires: date


def parse_baseline(text: str, where: str) -> tuple[Accepted, ...]:
    """Parse the text of a baseline; raises InputInvalid with the place of each mistake."""
    document = parse_with_positions(text, where)
    listed = document.value.get("accepted") if isinstance(document.value, dict) else None
    if not isinstance(listed, list):
        raise InputInvalid("it has no list `accepted`", where=document.where(()), hint=_HINT)
    problems: list[Problem] = []
    entries = [_entry(document, index, entry, problems) for index, entry in enumerate(listed)]
    if problems:
        raise InputInvalid.listing(problems)
    return tuple(entry for entry in entries if entry)


def _entry(document: PositionedJson, index: int, entry: Any, problems: list[Problem]) -> Accepted | None:  # noqa: ANN401 - JSON
    where = document.where(("accepted", index))
    if not isinstance(entry, dict) or any(not isinstance(entry.get(name), str) for name in _MEMBERS):
        problems.append(Problem(where, f"an entry has the texts {', '.join(_MEMBERS)}", _HINT))
        return None
    if not entry["reason"].strip():
        problems.append(Problem(where, "the reason is empty", "say why it is accepted"))
    try:
        expires = date.fromisoformat(entry["expires"])
    except ValueError:
        problems.append(Problem(where, f"{entry['expires']!r} is not a date", "as in 2027-01-31"))
        return None
    return Accepted(fingerprint=entry["fingerprint"], reason=entry["reason"].strip(), expires=expires)


def accept(file: Path, entry: Accepted) -> None:
    """Write *entry* into the baseline *file*, in place of one with its fingerprint; the file is created if needed.

    Raises InputInvalid if the file is not a baseline or cannot be written.
    """
    old = parse_baseline(text_of_file(file), str(file)) if file.exists() else ()
    entries = [*(other for other in old if other.fingerprint != entry.fingerprint), entry]
    listed = [{**asdict(each), "expires": each.expires.isoformat()} for each in entries]
    load("scanner_api.files:write_text")(file, json.dumps({"accepted": listed}, indent=2, ensure_ascii=False) + "\n")


def apply_baseline(
    findings: Sequence[ChangeFinding], accepted: Sequence[Accepted], today: date
) -> tuple[tuple[ChangeFinding, ...], tuple[str, ...]]:
    """Return *findings* with the reasons of those that are accepted, and notes of entries that expired or fit nothing.

    An entry holds until the end of its last day.
    """
    known = {entry.fingerprint: entry for entry in accepted if entry.expires >= today}
    marked = tuple(
        replace(finding, accepted=known[finding.fingerprint].reason) if finding.fingerprint in known else finding
        for finding in findings
    )
    present = {finding.fingerprint for finding in findings}
    notes = []
    for entry in accepted:
        if entry.expires < today:
            notes.append(f"baseline: {entry.fingerprint} expired on {entry.expires}: {entry.reason}")
        elif entry.fingerprint not in present:
            notes.append(f"baseline: {entry.fingerprint} fits no finding any more: {entry.reason}")
    return marked, tuple(notes)
