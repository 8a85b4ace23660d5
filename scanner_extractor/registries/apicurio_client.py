"""The client of Apicurio's core API, v3 and v2: one method, one request."""

from __future__ import annotations

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.registries.apicurio_reader import DRAFT, Artifact, Content, Found, page, read_content

PAGE = 1000
"""Entries asked for at once: v3 clamps a larger limit silently, and without one gives 20."""

Page = tuple[list[Json], int]
"""Entries, and how many there are in all."""


class ApicurioClient:
    """Ask one registry; *base* are the steps of its API's path that `url` does not name.

    Every method raises what `Http` raises, and PayloadUnexpected for an answer of another shape.
    """

    def __init__(self, http: Http, base: tuple[str, ...]) -> None:
        self._http = http
        self._base = base

    def export(self) -> bytes:
        """Give the whole registry as a ZIP (v3); needs the role of an administrator, where there are roles."""
        return self._http.raw(*self._base, "admin", "export", accept="application/zip")

    def versions(self, offset: int) -> Page:
        """Give a page of all versions of all groups (v3)."""
        return self._page("versions", "search", "versions", offset=offset, order="globalId")

    def artifacts(self, offset: int) -> Page:
        """Give a page of all artifacts of all groups."""
        return self._page("artifacts", "search", "artifacts", offset=offset, order="createdOn")

    def versions_of(self, artifact: Artifact, offset: int) -> Page:
        """Give a page of an artifact's versions; the only way in v2."""
        return self._page("versions", *_path(artifact), "versions", offset=offset)

    def content(self, found: Found) -> Content:
        """Give a version's text and references, in two requests.

        The content's id gives the text of disabled versions too, which the version itself does not. Only a draft's
        is given by the version alone.
        """
        is_draft = found.state == DRAFT
        shared = ("ids", "contentIds", str(found.content_id))
        own = (*_path(found.artifact), "versions", found.label)
        body = self._http.raw(*self._base, *((*own, "content") if is_draft else shared))
        return read_content(body, self._http.get(*self._base, *(own if is_draft else shared), "references"))

    def _page(self, name: str, *segments: str, offset: int, order: str = "") -> Page:
        window: list[tuple[str, str | int]] = [("offset", offset), ("limit", PAGE)]
        sort: list[tuple[str, str | int]] = [("orderby", order), ("order", "asc")] if order else []
        return page(self._http.get(*self._base, *segments, params=window + sort), name)


def _path(artifact: Artifact) -> tuple[str, ...]:
    return "groups", artifact.group or "default", "artifacts", artifact.name
