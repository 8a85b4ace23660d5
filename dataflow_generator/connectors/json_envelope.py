"""The envelope of Connect's JSON: `schema` beside `payload`, of which transforms and tables see the payload only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scanner_model.names import Role
from scanner_model.paths import KEY, ColumnPath

_PAYLOAD = "payload"
_PARTS = {_PAYLOAD, "schema"}


@dataclass(frozen=True, slots=True)
class Envelope:
    """The sides of a topic's messages that are wrapped in `payload`, as their columns show.

    Source: JsonConverter with `schemas.enable`, Connect's JsonSchema.ENVELOPE_PAYLOAD_FIELD_NAME.
    """

    sides: frozenset[Role] = frozenset()

    @classmethod
    def of(cls, paths: Sequence[ColumnPath]) -> Envelope:
        """Look at the columns of a topic."""
        tops = {side: {path[:1] for path in _on(side, paths)} for side in Role}
        wrapped = (side for side, found in tops.items() if (_PAYLOAD,) in found and {*map("".join, found)} <= _PARTS)
        return cls(frozenset(wrapped))

    def opened(self, paths: Sequence[ColumnPath]) -> tuple[ColumnPath, ...]:
        """Give the columns as transforms see them; a payload without parts is one plain value."""
        parents = {path[:-1] for path in paths}
        return tuple(
            (*_side(path), *_rest(path)[1:]) if self._wraps(path) else path
            for path in paths
            if not self._wraps(path)
            or (_rest(path)[:1] == (_PAYLOAD,) and (len(_rest(path)) > 1 or path not in parents))
        )

    def closed(self, path: ColumnPath) -> ColumnPath:
        """Give a column as the message has it."""
        return (*_side(path), _PAYLOAD, *_rest(path)) if self._wraps(path) else path

    def _wraps(self, path: ColumnPath) -> bool:
        return (Role.KEY if _side(path) else Role.VALUE) in self.sides


def _side(path: ColumnPath) -> ColumnPath:
    return path[:1] if path[:1] == (KEY,) else ()


def _rest(path: ColumnPath) -> ColumnPath:
    return path[len(_side(path)) :]


def _on(side: Role, paths: Sequence[ColumnPath]) -> list[ColumnPath]:
    return [_rest(path) for path in paths if bool(_side(path)) is (side is Role.KEY)]
