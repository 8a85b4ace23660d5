"""The client of Confluent-compatible registries: one method, one request."""

from __future__ import annotations

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.registries.confluent.reader import (
    NOTHING,
    Known,
    Origin,
    read_associations,
    read_level,
    read_names,
    read_numbers,
    read_row,
    read_rows,
)
from scanner_extractor.registries.result import BadRow, Row
from scanner_extractor.schemas.references import LATEST
from scanner_model.payload import Payload
from scanner_model.schemas import Association

Params = list[tuple[str, str | int]]

PAGE = 1000
"""Page size: the usual maximum, and the default of servers since 7.4.1."""

EVERY_CONTEXT = ":*:"

_ACCEPT = "application/vnd.schemaregistry.v1+json, application/json; q=0.9"
_DELETED: Params = [("deleted", "true")]


class ConfluentClient:
    """Client of one registry; *base* are the steps of its API's path that `url` does not name.

    Every method raises what `Http` raises, and PayloadUnexpected for an answer of another shape.
    """

    def __init__(self, http: Http, origin: Origin, base: tuple[str, ...] = ()) -> None:
        self._http = http
        self._base = base
        self.origin = origin

    def schemas(
        self, offset: int, *, deleted: bool, prefix: str = "", known: Known = NOTHING
    ) -> tuple[Row | BadRow, ...]:
        """Return a page of all schemas (since 6.1); without *prefix* Confluent returns the default context only.

        A row that is *known* is reused.
        """
        return read_rows(self._get("schemas", params=_page(offset, prefix) + _deleted(deleted)), self.origin, known)

    def associated(self, offset: int, *, prefix: str) -> tuple[Row | BadRow, ...]:
        """Return a page of the newest schemas whose subjects are associated with a topic (since 8.2)."""
        only: Params = [("latestOnly", "true"), ("resourceType", "topic")]
        return read_rows(self._get("schemas", params=_page(offset, prefix) + only), self.origin)

    def subjects(self, offset: int, *, deleted: bool, limit: int | None = None) -> tuple[str, ...]:
        """List subjects of every context; servers before 7.9 ignore *offset* and *limit*."""
        window = _start(offset) if limit is None else [("offset", offset), ("limit", limit)]
        return read_names(self._get("subjects", params=window + _deleted(deleted)))

    def contexts(self, offset: int) -> tuple[str, ...]:
        """List the contexts that schemas were registered in, and the default one (since 7.0)."""
        return read_names(self._get("contexts", params=_start(offset)))

    def versions(self, subject: str, offset: int = 0, *, deleted: bool) -> tuple[int, ...]:
        """List the numbers of a subject's versions; servers before 7.9.2 ignore *offset*."""
        return read_numbers(self._get("subjects", subject, "versions", params=_deleted(deleted) + _start(offset)))

    def version(self, subject: str, number: int, *, deleted: bool) -> Row | BadRow:
        """Return one version; -1 is the newest. With *deleted* it may be a soft-deleted one."""
        payload = self._get("subjects", subject, "versions", _number(number), params=_deleted(deleted))
        return read_row(Payload(payload), self.origin, requested=(subject, number))

    def associations(self, subject: str) -> tuple[Association, ...]:
        """List the topics that a subject is associated with (since 8.2)."""
        entries = Payload(self._get("associations", "subjects", subject)).list()
        return read_associations(entries, self.origin, subject)

    def compatibility(self, subject: str) -> str:
        """Return the compatibility level, and policy, that holds for a subject: its own, else the registry's."""
        return read_level(self._get("config", subject, params=[("defaultToGlobal", "true")]))

    def server_version(self) -> str:
        """Return the version of the registry's program (since 7.0), as `8.3.1` or `7.9.0-ccs`."""
        return Payload(self._get("v1", "metadata", "version")).need("version").text()

    def _get(self, *segments: str | int, params: Params | None = None) -> Json:
        return self._http.get(*self._base, *segments, params=params or [], accept=_ACCEPT)


def _page(offset: int, prefix: str) -> Params:
    within: Params = [("subjectPrefix", prefix)] if prefix else []
    return [*within, ("offset", offset), ("limit", PAGE)]


def _start(offset: int) -> Params:
    return [("offset", offset)] if offset else []


def _deleted(deleted: bool) -> Params:
    return _DELETED if deleted else []


def _number(number: int) -> int | str:
    return "latest" if number == LATEST else number
