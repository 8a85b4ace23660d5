"""A connector's configuration as text: values by the first key that has one, lists, maps, and parts under a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_HIDDEN = re.compile(r"\*{3,}|<redacted>|\[hidden\]", re.IGNORECASE)
_QUOTES = {'"': '"', "`": "`", "[": "]"}


@dataclass(frozen=True, slots=True)
class Config:
    """Pairs of key and text, sorted by key; a value that was masked counts as absent."""

    pairs: tuple[tuple[str, str], ...] = ()
    _values: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Trim every value, once: readers look for dozens of keys in each configuration."""
        stripped = ((key, value.strip()) for key, value in self.pairs)
        object.__setattr__(self, "_values", {key: text for key, text in stripped if not _HIDDEN.fullmatch(text)})

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Config:
        """Take what a worker or a file tells: text, numbers and truth values; anything else is absent."""
        return cls(tuple(sorted((key, text) for key, value in values.items() if (text := _text(value)) is not None)))

    def key(self, *keys: str) -> str:
        """Name the first of *keys* that has a value; empty where none has."""
        return next((key for key in keys if self._value(key)), "")

    def text(self, *keys: str, default: str = "") -> str:
        """Return the value of the first of *keys* that has one."""
        return self._value(self.key(*keys)) or default

    def hides(self, *keys: str) -> bool:
        """Report whether one of *keys* has a value that somebody masked."""
        return any(_HIDDEN.fullmatch(value.strip()) for key, value in self.pairs if key in keys)

    def items(self, *keys: str) -> tuple[str, ...]:
        """List the parts of a comma-separated value, trimmed, in their order; a comma in quotes separates nothing."""
        return tuple(dict.fromkeys(split_outside(self.text(*keys), ",")))

    def is_on(self, key: str, *, default: bool = False) -> bool:
        """Read a truth value."""
        return self.text(key, default="true" if default else "false").lower() == "true"

    def mapping(self, *keys: str, sign: str = ":") -> dict[str, str]:
        """Read `a:b,c:d`; the last *sign* separates, because topics hold none and tables may not either."""
        parts = (item.rpartition(sign) for item in self.items(*keys))
        return {left.strip(): right.strip() for left, _, right in parts if left.strip() and right.strip()}

    def under(self, prefix: str) -> Config:
        """Return the pairs whose keys begin with *prefix*, without it."""
        return Config(tuple((key[len(prefix) :], value) for key, value in self.pairs if key.startswith(prefix)))

    def _value(self, key: str) -> str:
        return self._values.get(key, "") if key else ""


def split_outside(text: str, sign: str) -> Iterator[str]:
    """Split *text* at *sign* outside quotes, and trim; empty parts are left out."""
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
