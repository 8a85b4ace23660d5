"""The question which tags columns and topics have, and how many have each."""

from __future__ import annotations

from typing import NamedTuple

from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import columns, topics
from scanner_api.questions.question import Page


class TagRow(NamedTuple):
    """A tag, with the numbers of topics that have it, and of columns that declare, inherit or only suggest it."""

    tag: str
    topics: int
    declared: int
    inherited: int
    suggested: int


def tags(dictionary: Dictionary) -> Page[TagRow]:
    """Return the tags by name; letter case does not matter. Not `complete` if the newest scan has no graph.

    >>> [(row.tag, row.declared) for row in tags(dictionary)]
    """
    counts: dict[str, list[int]] = {}
    spelled: dict[str, str] = {}

    def count(tag: str, at: int) -> None:
        key = tag.lower()
        spelled.setdefault(key, tag)
        counts.setdefault(key, [0, 0, 0, 0])[at] += 1

    listed = columns(dictionary, tag="*", tags="all")
    for row in listed:
        declared = {tag.lower(): tag for tag in (*row.tags, *row.inherited_tags)}
        for tag in declared.values():
            count(tag, 1)
        for found in row.found_tags:
            if found.tag.lower() not in declared and found.certainty in _PLACES:
                count(found.tag, _PLACES[found.certainty])
    for topic in topics(dictionary):
        for tag in dict.fromkeys(topic.tags):
            count(tag, 0)
    return Page(tuple(TagRow(spelled[key], *counts[key]) for key in sorted(counts)), complete=listed.complete)


_PLACES = {"inherited": 2, "suggested": 3}
