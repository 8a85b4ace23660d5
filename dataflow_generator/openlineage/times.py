"""Moments of events as text that sorts: UTC, nine decimals."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[Tt ](?P<clock>\d\d:\d\d(?::\d\d)?)(?:[.,](?P<fraction>\d{1,12}))?"
    r"(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/+-]{1,60}\])?"
)


@lru_cache(maxsize=1_024)
def moment(text: str) -> str | None:
    """Give *text* (ISO 8601, as Java and Python write it) in UTC with nine decimals; None where it is none.

    Without a zone it is UTC. A zone's name in brackets, as Java adds it, says nothing new.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        return None
    zone = (match["zone"] or "Z").upper()
    clock = match["clock"] if match["clock"].count(":") == 2 else f"{match['clock']}:00"
    clock = clock.removesuffix(":60") + ":59" if clock.endswith(":60") else clock  # a leap second
    try:
        at = datetime.fromisoformat(f"{match['date']}T{clock}{'+00:00' if zone == 'Z' else zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return f"{at:%Y-%m-%dT%H:%M:%S}.{(match['fraction'] or '').ljust(9, '0')[:9]}Z".rjust(30, "0")
