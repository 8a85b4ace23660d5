"""Read an Apicurio registry: by its export, else by lists and texts, else by its Confluent-compatible API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.pagination import FAR, PagesWithoutEnd, paged
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    as_result,
    bad_row,
    separate_rows,
    truncated_list,
    unread_subjects,
    without_deleted,
)
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_extractor.systems.schema_registry.apicurio_reader import (
    DRAFT,
    Artifact,
    Content,
    ListedVersion,
    artifact_name,
    assemble,
    described,
    read_artifact,
    read_content,
    read_export,
    read_listed_version,
)
from scanner_extractor.systems.schema_registry.confluent import read_confluent
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SourceId
from scanner_model.payload import Payload, canonical
from scanner_model.schemas import qualified_subject

PAGE = 1000
"""Page size: v3 clamps a larger limit silently, and its default is 20."""

Page = tuple[list[Payload], int]
"""Entries, and how many there are in all."""


class ApicurioClient:
    """Client of one registry; *base* are the steps of its API's path that `url` does not name.

    Every method raises what `Http` raises, and PayloadUnexpected for an answer of another shape.
    """

    def __init__(self, http: Http, base: tuple[str, ...]) -> None:
        self._http = http
        self._base = base

    def export(self) -> bytes:
        """Return the whole registry as a ZIP (v3); needs the role of an administrator, where there are roles."""
        return self._http.raw(*self._base, "admin", "export", accept="application/zip")

    def versions(self, offset: int) -> Page:
        """Return a page of all versions of all groups (v3)."""
        return self._page("versions", "search", "versions", offset=offset, order="globalId")

    def artifacts(self, offset: int) -> Page:
        """Return a page of all artifacts of all groups."""
        return self._page("artifacts", "search", "artifacts", offset=offset, order="createdOn")

    def versions_of(self, artifact: Artifact, offset: int) -> Page:
        """Return a page of an artifact's versions; the only way in v2."""
        return self._page("versions", *_path(artifact), "versions", offset=offset)

    def content(self, version: ListedVersion) -> Content:
        """Return a version's text and references, in two requests.

        The content's id gives the text of disabled versions too, which the version itself does not. Only a draft's
        is given by the version alone.
        """
        is_draft = version.state == DRAFT
        shared = ("ids", "contentIds", str(version.content_id))
        own = (*_path(version.artifact), "versions", version.label)
        body = self._http.raw(*self._base, *((*own, "content") if is_draft else shared))
        return read_content(body, Payload(self._http.get(*self._base, *(own if is_draft else shared), "references")))

    def _page(self, name: str, *segments: str, offset: int, order: str = "") -> Page:
        window: list[tuple[str, str | int]] = [("offset", offset), ("limit", PAGE)]
        sort: list[tuple[str, str | int]] = [("orderby", order), ("order", "asc")] if order else []
        answer = Payload(self._http.get(*self._base, *segments, params=window + sort))
        return answer.entries(name), answer.member("count").number()


def _path(artifact: Artifact) -> tuple[str, ...]:
    return "groups", artifact.group or "default", "artifacts", artifact.name


_CORE = ("apis", "registry")
_COMPATIBLE = "/apis/ccompat/"


def read_apicurio(settings: RegistrySettings, http: Http, progress: Progress) -> Reading:
    """Read every version of every artifact of every group.

    A `url` with `/apis/ccompat/` in it is read through that API, and so is a server that knows neither v3 nor v2 of
    the core API. Raises what `Http` raises where not even a list can be read. Sources: Apicurio Registry core API v3
    and v2, its export, and (seen) a server 3.0.9.
    """
    pool = WorkerPool(threads=settings.http.concurrency)
    for version, base in api_paths(settings.http.url):
        try:
            gathered = _READERS[version](_Scan(settings, ApicurioClient(http, base), progress, pool))
            return as_result(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)
        except NotFound:
            if not base:  # `url` names this API, and no other is there to try
                raise
    return read_confluent(settings, http, progress)


def api_paths(url: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the versions of the core API to try, newest first, with the path steps that *url* leaves out.

    None for a `url` with `/apis/ccompat/` in it.
    """
    for version in _READERS:
        if url.endswith(f"/apis/registry/{version}"):
            yield version, ()
        elif "/apis/registry/" not in url and _COMPATIBLE not in f"{url}/":
            yield version, (*_CORE, version)


class _Scan:
    """One reading of one registry."""

    def __init__(
        self, settings: RegistrySettings, client: ApicurioClient, progress: Progress, pool: WorkerPool
    ) -> None:
        self.client = client
        self.source: SourceId = settings.source
        self.most = settings.http.max_bytes
        self.pool = pool
        self.cut = RegistryContent()
        self._progress = progress
        self.done = 0

    def responded(self, total: int | None = None) -> None:
        """Report one more response of *total*; None: their number is unknown."""
        self.done += 1
        self._progress(self.source, self.done, total)

    def listed(self, fetch: Callable[[int], Page]) -> Iterator[Payload]:
        """List every entry; no page is requested after the last, and an endless list is truncated."""
        count = 1

        def window(offset: int, _size: int) -> list[Payload]:
            nonlocal count
            if count <= offset < FAR:
                return []
            entries, total = fetch(offset)
            count = count if offset == FAR else total
            self.responded()
            return entries

        try:
            yield from paged(window, key=lambda entry: canonical(entry.value), size=PAGE)
        except PagesWithoutEnd as error:
            self.cut += truncated_list(self.source, error)


def _read_v3(scan: _Scan) -> RegistryContent:
    """Read the export, and where it is not given, the lists and each text."""
    problems: tuple[Problem, ...] = ()
    try:
        listed, contents, artifacts = read_export(scan.client.export(), scan.source, scan.most)
        return _assemble(scan, listed, contents, artifacts)
    except (NotFound, SourceObjected, SourceRefused):
        pass  # it takes an administrator, where there are roles
    except ScannerError as error:
        hint = "every text was requested separately, which takes many requests"
        problems = (Problem(str(scan.source), f"reading the export failed: {error}", hint),)
    listed = [read_listed_version(entry, scan.source) for entry in scan.listed(scan.client.versions)]
    artifacts = list(_artifacts(scan)) if listed else []
    return _assemble(scan, listed, _texts(scan, listed), artifacts) + RegistryContent(problems=problems)


def _read_v2(scan: _Scan) -> RegistryContent:
    """Read the list of artifacts, each one's versions, and each text."""
    artifacts = list(_artifacts(scan))

    def versions(artifact: Artifact) -> list[ListedVersion | BadRow]:
        pages = scan.listed(lambda offset: scan.client.versions_of(artifact, offset))
        return [read_listed_version(entry, scan.source, artifact) for entry in pages]

    answers = map_concurrently(artifacts, versions, pool=scan.pool)
    listed = [version for answer in answers if not isinstance(answer, ScannerError) for version in answer]
    errors = [
        (qualified_subject(*artifact.key), answer)
        for artifact, answer in zip(artifacts, answers, strict=True)
        if isinstance(answer, ScannerError)
    ]
    if errors and not listed and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    return _assemble(scan, listed, _texts(scan, listed), artifacts) + unread_subjects(scan.source, errors)


_READERS: Mapping[str, Callable[[_Scan], RegistryContent]] = {"v3": _read_v3, "v2": _read_v2}


def _artifacts(scan: _Scan) -> Iterator[Artifact]:
    for entry in scan.listed(scan.client.artifacts):
        try:
            yield read_artifact(entry)
        except PayloadUnexpected as error:
            scan.cut += separate_rows([bad_row(scan.source, artifact_name(entry), error, entry)])


def _texts(scan: _Scan, listed: Iterable[ListedVersion | BadRow]) -> dict[int, Content | ScannerError]:
    """Fetch each text once, however many versions share it."""
    by_content: dict[int, ListedVersion] = {}
    for version in listed:
        if isinstance(version, ListedVersion) and (version.content_id not in by_content or version.state != DRAFT):
            by_content[version.content_id] = version
    contents = list(by_content.values())
    total = scan.done + len(contents)
    answers = map_concurrently(contents, scan.client.content, pool=scan.pool, on_result=lambda _: scan.responded(total))
    if contents and all(isinstance(answer, SourceRefused) for answer in answers):
        raise next(answer for answer in answers if isinstance(answer, SourceRefused))
    return dict(zip(by_content, answers, strict=True))


def _assemble(
    scan: _Scan,
    listed: Iterable[ListedVersion | BadRow],
    contents: Mapping[int, Content | ScannerError],
    artifacts: Iterable[Artifact],
) -> RegistryContent:
    listed = list(listed)
    versions = [version for version in listed if isinstance(version, ListedVersion)]
    good = [version for version in versions if qualified_subject(*version.artifact.key) not in scan.cut.unread]
    bad = separate_rows(version for version in listed if isinstance(version, BadRow))
    return assemble(scan.source, good, contents, described(artifacts)) + bad + scan.cut
