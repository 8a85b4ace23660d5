"""What a watch reports of readers: the rules of cluster.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any, Literal, Self, get_args

Json = Any
When = Literal["new-reader-of-personal-data", "new-consumer", "reader-gone", "field-without-reader"]

_TEXT: Json = {"type": "string", "minLength": 1}
TRIGGERS_SCHEMA: Json = {
    "title": "Triggers",
    "description": "What `scanner watch` posts about readers, in addition to changes.",
    "type": "object",
    "additionalProperties": False,
    "required": ["rules"],
    "properties": {
        "page": {
            **_TEXT,
            "title": "Page",
            "description": "Address of `scanner serve`: messages link to the topic there.",
            "format": "web address",
            "examples": ["https://scanner.example.org"],
        },
        "rules": {
            "title": "Rules",
            "description": "Each rule that a topic matches reports it.",
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["when"],
                "properties": {
                    "when": {
                        "title": "When",
                        "description": "new-consumer: a topic has a new reader. new-reader-of-personal-data: so has "
                        "one with a tagged column, or a copy of it. reader-gone: a reader is removed, or monitoring "
                        "has not seen it for `after`. field-without-reader: a field has lost its last known reader.",
                        "enum": list(get_args(When)),
                    },
                    "tag": {**_TEXT, "title": "Tag", "description": "Of personal data.", "default": "PII"},
                    "owner": {**_TEXT, "title": "Owner", "description": "Only topics of this owner."},
                    "topics": {**_TEXT, "title": "Topics", "description": "Only these topics; `*` is any text."},
                    "after": {
                        "title": "After",
                        "description": "How long monitoring has not seen a reader that is gone: 7d, 4w.",
                        "type": "string",
                        "pattern": "^[1-9][0-9]{0,3}[dw]$",
                        "default": "7d",
                    },
                },
            },
        },
    },
    "examples": [
        {
            "page": "https://scanner.example.org",
            "rules": [{"when": "new-reader-of-personal-data"}, {"when": "new-consumer", "owner": "team-shop"}],
        }
    ],
}
"""The JSON Schema of `triggers` in cluster.json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A rule; an empty *owner* means any. *after* is how long a reader was not seen before it is gone."""

    when: When
    tag: str = "PII"
    owner: str = ""
    topics: str = "*"
    after: timedelta = timedelta(days=7)

    @classmethod
    def of(cls, item: Mapping[str, Json]) -> Self:
        """Return the rule that a valid member describes."""
        given = {name: item[name] for name in ("when", "tag", "owner", "topics") if name in item}
        if age := item.get("after"):
            given["after"] = timedelta(days=int(age[:-1]) * (7 if age.endswith("w") else 1))
        return cls(**given)

    def is_of(self, topic: str, owner: str) -> bool:
        """Return whether the rule is about *topic* of *owner*; the letter case of owners does not matter."""
        return fnmatchcase(topic, self.topics) and (not self.owner or self.owner.lower() == owner.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """The rules of a cluster, and the *page* that messages link to; empty without one."""

    rules: tuple[Trigger, ...]
    page: str = ""

    @classmethod
    def of(cls, item: Mapping[str, Json]) -> Self:
        """Return the triggers that a valid member describes."""
        return cls(rules=tuple(map(Trigger.of, item["rules"])), page=item.get("page", "").rstrip("/"))
