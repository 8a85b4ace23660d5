"""When a request is sent again, and how long we wait before."""

from __future__ import annotations

from collections.abc import Mapping

from urllib3 import Retry
from urllib3.exceptions import InvalidHeader

from scanner_extractor.rate import Clock

RETRIES = 3
LONGEST = 60.0
"""Seconds that we wait at most because a server asks for it."""

_WORTH_IT = frozenset({408, 429, 500, 502, 503, 504})


def first_try(also: frozenset[int] = frozenset()) -> Retry:
    """Give what a new request may spend; every method that we use only reads, ksqlDB's POST too.

    *also* are statuses that are worth it with this source.
    """
    return Retry(total=RETRIES, allowed_methods=None, status_forcelist=_WORTH_IT | also, raise_on_status=False)


def tries(retry: Retry) -> int:
    """Count the times that the request was sent."""
    return len(retry.history) + 1


def is_spent(retry: Retry) -> bool:
    """Say whether no retry is left."""
    return tries(retry) > RETRIES


def back_off(retry: Retry, clock: Clock) -> float:
    """Give the seconds to wait before the next try: up to 1, 2, 4, so that clients do not march in step."""
    return clock.draw(0.0, 2.0 ** len(retry.history))


def asked_wait(status: int, headers: Mapping[str, str]) -> float:
    """Give the seconds that the server asks us to wait, capped; 0 where it does not ask.

    `Retry-After` in seconds or as a date; `X-RateLimit-Reset` (relative seconds) with a 429.
    """
    asked = _seconds(headers.get("retry-after", ""))
    if not asked and status == 429:
        asked = _seconds(headers.get("x-ratelimit-reset", ""))
    return min(asked, LONGEST)


def _seconds(text: str) -> float:
    try:
        return Retry().parse_retry_after(text) if text else 0.0
    except (InvalidHeader, ValueError, OverflowError):  # a header that nobody can read asks for nothing
        return 0.0
