"""A connector's configuration as text: values by the first key that is set, lists, maps, keys under a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_HIDDEN = re.compile(r"\*{3,}|<redacted>|\[hidden\]", re.IGNORECASE)
_QUOTES = {'"': '"', "`": "`", "[": "]"}


@dataclass(frozen=True, slots=True)
class Config:
    """Key-value pairs, sorted by key; a masked value counts as absent."""

    pairs: tuple[tuple[str, str], ...] = ()
    _values: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Strip every value, once: readers look up dozens of keys in each configuration."""
        stripped = ((key, value.strip()) for key, value in self.pairs)
        object.__setattr__(self, "_values", {key: text for key, text in stripped if not _HIDDEN.fullmatch(text)})

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Config:
        """Build from parsed JSON: strings, numbers and booleans; other values are skipped."""
        return cls(tuple(sorted((key, text) for key, value in values.items() if (text := _text(value)) is not None)))

    def key(self, *keys: str) -> str:
        """Return the first of *keys* that has a value; empty where none has."""
        return next((key for key in keys if self._value(key)), "")

    def text(self, *keys: str, default: str = "") -> str:
        """Return the value of the first of *keys* that has one."""
        return self._value(self.key(*keys)) or default

    def hides(self, *keys: str) -> bool:
        """Return whether one of *keys* has a masked value."""
        return any(_HIDDEN.fullmatch(value.strip()) for key, value in self.pairs if key in keys)

    def items(self, *keys: str) -> tuple[str, ...]:
        """Return the items of a comma-separated value, stripped, in order; a comma in quotes does not separate."""
        return tuple(dict.fromkeys(split_outside(self.text(*keys), ",")))

    def is_on(self, key: str, *, default: bool = False) -> bool:
        """Return whether *key* is `true` in any letter case, as Kafka parses it; *default* where it is not set."""
        return self.text(key, default="true" if default else "false").lower() == "true"

    def mapping(self, *keys: str, sign: str = ":") -> dict[str, str]:
        """Parse `a:b,c:d`, split at the last *sign*, because topics cannot contain it and tables should not."""
        parts = (item.rpartition(sign) for item in self.items(*keys))
        return {key.strip(): value.strip() for key, _, value in parts if key.strip() and value.strip()}

    def under(self, prefix: str) -> Config:
        """Return the pairs whose keys begin with *prefix*, without the prefix."""
        return Config(tuple((key[len(prefix) :], value) for key, value in self.pairs if key.startswith(prefix)))

    def _value(self, key: str) -> str:
        return self._values.get(key, "") if key else ""


def split_outside(text: str, sign: str) -> Iterator[str]:
    """Split *text* at *sign* outside quotes and strip; empty items are skipped."""
    part, closing = "", ""
    for char in text:
        if char == sign and not closing:
            if part.strip():
                yield part.strip()
            part = ""
            continue
        if closing:
            closing = "" if char == closing else closing
        elif char == '"' or char == "`":
            closing = _QUOTES[char]
        part += char
    if part.strip():
        yield part.strip()


def _text(value: object) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return str(value)
        case _:
            return None
