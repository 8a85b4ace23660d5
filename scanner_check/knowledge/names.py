"""Names of settings as words, so that `EmailQueueTopicName`, `email-queue.topic_name` and `EMAIL_TOPIC` are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=20_000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, whatever joins them."""
    return tuple(part.lower() for part in _PART.findall(name))


def all_words(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the words of several keys, one after the other."""
    return tuple(word for key in keys for word in words_of(key))


def ends_with(words: Sequence[str], ending: Sequence[str]) -> bool:
    """Return whether *words* end with those of *ending*."""
    return len(ending) > 0 and tuple(words[-len(ending) :]) == tuple(ending)
