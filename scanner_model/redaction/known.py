"""Masking of known secret values wherever a text quotes them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from scanner_model.redaction.values import MASK

SHORTEST = 4
"""Minimum length of a searched value: shorter ones occur in any text."""
_LONGEST_NAME = 8


def is_distinctive(secret: str) -> bool:
    """Check whether *secret* is unlike any name: a password `orders` would hide the topic everywhere."""
    return len(secret) >= _LONGEST_NAME and not (secret.isalpha() and secret[1:].islower())


def hide_values(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return *body* with each of a few *secrets* hidden, in the forms that JSON and URLs give them."""
    forms = {form.encode() for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
    for form in sorted(forms, key=lambda text: (-len(text), text)):
        if form in body:
            body = body.replace(form, MASK.encode())
    return body


class KnownSecrets:
    """A set of values that is looked for in one pass over a text, whose cost does not grow with their number."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._lengths: dict[str, tuple[int, ...]] = {}
        self.add(values)

    def add(self, values: Iterable[str]) -> None:
        """Add *values*, and what they look like in JSON and in a URL."""
        new = {form for value in values if len(value) >= SHORTEST and value != MASK for form in _forms(value)}
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for value in new - self._values:
            lengths[value[:SHORTEST]].add(len(value))
        for start, new_lengths in lengths.items():
            self._lengths[start] = tuple(sorted(new_lengths | set(self._lengths.get(start, ())), reverse=True))
        self._values |= new

    def __bool__(self) -> bool:
        return bool(self._values)

    def hide(self, text: str) -> str:
        """Return *text* with every known value hidden, the longest at each place."""
        starts = self._lengths
        if not starts:
            return text
        parts: list[str] = []
        at = 0
        for begin in [i for i in range(len(text) - SHORTEST + 1) if text[i : i + SHORTEST] in starts]:
            if begin >= at and (length := self._length_at(text, begin)):
                parts += text[at:begin], MASK
                at = begin + length
        return "".join([*parts, text[at:]]) if parts else text

    def _length_at(self, text: str, begin: int) -> int:
        lengths = self._lengths[text[begin : begin + SHORTEST]]
        return next((length for length in lengths if text[begin : begin + length] in self._values), 0)


def _forms(value: str) -> Iterator[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield quote(value, safe="")
