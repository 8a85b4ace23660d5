"""Which readers do not count in a check of a change: those that monitoring has not seen for long, and excluded ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any, Self

Json = Any

USAGE = "usage"
"""The member of cluster.json and `.scanner.yaml`."""
USAGE_SCHEMA: Json = {
    "title": "Usage",
    "description": "Readers that do not count in `scanner check`: their impact is a note.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "ignore_unseen_for": {
            "title": "Ignore unseen for",
            "description": "Readers that monitoring knew and has not seen for at least this long: 30d, 4w.",
            "type": "string",
            "pattern": "^[1-9][0-9]{0,3}[dw]$",
            "examples": ["30d"],
        },
        "exclude": {
            "title": "Exclude",
            "description": "Names of consumer groups and programs that never count; `*` is any text.",
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "examples": [["replay-*"]],
        },
    },
    "examples": [{"ignore_unseen_for": "30d", "exclude": ["replay-*"]}],
}
"""The JSON Schema of the member."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Which readers do not count; *unseen_for* is how long monitoring has not seen them, None counts all."""

    unseen_for: timedelta | None = None
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, item: Mapping[str, Json]) -> Self:
        """Return the usage that a valid member describes."""
        text = item.get("ignore_unseen_for", "")
        days = int(text[:-1]) * (7 if text.endswith("w") else 1) if text else 0
        return cls(unseen_for=timedelta(days=days) if days else None, exclude=tuple(item.get("exclude", ())))

    def is_excluded(self, name: str) -> bool:
        """Return whether a consumer group or program of this name never counts."""
        return any(fnmatchcase(name, pattern) for pattern in self.exclude)


COUNT_ALL = Usage()
"""Every reader counts."""
