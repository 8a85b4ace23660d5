"""Which way an Apicurio registry is read: its export, else its lists and texts, else its Confluent-compatible API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import FAR, PagesWithoutEnd, paged
from scanner_extractor.readings import Progress, RegistryReading
from scanner_extractor.registries.apicurio_assemble import assemble, described
from scanner_extractor.registries.apicurio_client import PAGE, ApicurioClient, Page
from scanner_extractor.registries.apicurio_export import read_export
from scanner_extractor.registries.apicurio_reader import DRAFT, Artifact, Content, Found, read_artifact, read_found
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.registries.gathered import Gathered, as_reading, cut_off, lost, sort_out, without_deleted
from scanner_extractor.registries.plans import read_confluent
from scanner_extractor.registries.rows import BadRow, RowError, canonical
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SourceId
from scanner_model.problems import Problem
from scanner_model.schemas import qualified_subject

_CORE = ("apis", "registry")
_COMPATIBLE = "/apis/ccompat/"


def read_apicurio(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryReading:
    """Read every version of every artifact of every group.

    A `url` with `/apis/ccompat/` in it is read through that API, and so is a server that knows neither v3 nor v2 of
    the core API. Raises what `Http` raises where not even a list can be read. Sources: Apicurio Registry core API v3
    and v2, its export, and (seen) a server 3.0.9.
    """
    crew = Crew(threads=settings.http.concurrency)
    for version, base in api_paths(settings.http.url):
        try:
            gathered = _READERS[version](_Scan(settings, ApicurioClient(http, base), progress, crew))
            return as_reading(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)
        except NotFound:
            if not base:  # `url` names this API, and no other is there to try
                raise
    return read_confluent(settings, http, progress)


def api_paths(url: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give the versions of the core API to try, the newest first, with the steps of their paths that *url* leaves out.

    None for a `url` with `/apis/ccompat/` in it.
    """
    for version in _READERS:
        if url.endswith(f"/apis/registry/{version}"):
            yield version, ()
        elif "/apis/registry/" not in url and _COMPATIBLE not in f"{url}/":
            yield version, (*_CORE, version)


class _Scan:
    """One reading of one registry."""

    def __init__(self, settings: RegistrySettings, client: ApicurioClient, progress: Progress, crew: Crew) -> None:
        self.client = client
        self.source: SourceId = settings.source
        self.most = settings.http.max_bytes
        self.crew = crew
        self.cut = Gathered()
        self._progress = progress
        self._done = 0

    def told(self, wanted: int | None = None) -> Callable[[], None]:
        """Give what is to be called after each answer, of which *wanted* more will come; None: nobody knows."""
        total = None if wanted is None else self._done + wanted

        def one() -> None:
            self._done += 1
            self._progress(self.source, self._done, total)

        return one

    def listed(self, ask: Callable[[int], Page]) -> Iterator[Json]:
        """List every entry; no page is asked for after the last, and a list without end is cut off."""
        count = 1
        tell = self.told()

        def window(offset: int, _size: int) -> list[Json]:
            nonlocal count
            if count <= offset < FAR:
                return []
            entries, total = ask(offset)
            count = count if offset == FAR else total
            tell()
            return entries

        try:
            yield from paged(window, key=canonical, size=PAGE)
        except PagesWithoutEnd as error:
            self.cut += cut_off(self.source, error)


def _read_v3(scan: _Scan) -> Gathered:
    """Read the export, and where it is not given, the lists and each text."""
    problems: tuple[Problem, ...] = ()
    try:
        founds, contents, artifacts = read_export(scan.client.export(), scan.source, scan.most)
        return _put_together(scan, founds, contents, artifacts)
    except (NotFound, SourceObjected, SourceRefused):
        pass  # it takes an administrator, where there are roles
    except ScannerError as error:
        hint = "every text was asked for by itself, which takes many requests"
        problems = (Problem(str(scan.source), f"reading the export failed: {error}", hint),)
    founds = [read_found(entry, scan.source) for entry in scan.listed(scan.client.versions)]
    artifacts = list(_artifacts(scan)) if founds else []
    return _put_together(scan, founds, _texts(scan, founds), artifacts) + Gathered(problems=problems)


def _read_v2(scan: _Scan) -> Gathered:
    """Read the list of artifacts, each one's versions, and each text."""
    artifacts = list(_artifacts(scan))

    def versions(artifact: Artifact) -> list[Found | BadRow]:
        pages = scan.listed(lambda offset: scan.client.versions_of(artifact, offset))
        return [read_found(entry, scan.source, artifact) for entry in pages]

    answers = ask_each(artifacts, versions, crew=scan.crew)
    founds = [found for answer in answers if not isinstance(answer, ScannerError) for found in answer]
    errors = [
        (qualified_subject(*artifact.place), answer)
        for artifact, answer in zip(artifacts, answers, strict=True)
        if isinstance(answer, ScannerError)
    ]
    if errors and not founds and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    return _put_together(scan, founds, _texts(scan, founds), artifacts) + lost(scan.source, errors)


_READERS: Mapping[str, Callable[[_Scan], Gathered]] = {"v3": _read_v3, "v2": _read_v2}


def _artifacts(scan: _Scan) -> Iterator[Artifact]:
    for entry in scan.listed(scan.client.artifacts):
        try:
            yield read_artifact(entry)
        except RowError:
            continue  # without a name nothing can be asked or said of it


def _texts(scan: _Scan, founds: Iterable[Found | BadRow]) -> dict[int, Content | ScannerError]:
    """Ask for each text once, however many versions share it."""
    by_content: dict[int, Found] = {}
    for found in founds:
        if isinstance(found, Found) and (found.content_id not in by_content or found.state != DRAFT):
            by_content[found.content_id] = found
    wanted = list(by_content.values())
    answers = ask_each(wanted, scan.client.content, crew=scan.crew, told=scan.told(len(wanted)))
    if wanted and all(isinstance(answer, SourceRefused) for answer in answers):
        raise next(answer for answer in answers if isinstance(answer, SourceRefused))
    return dict(zip(by_content, answers, strict=True))


def _put_together(
    scan: _Scan,
    founds: Iterable[Found | BadRow],
    contents: Mapping[int, Content | ScannerError],
    artifacts: Iterable[Artifact],
) -> Gathered:
    listed = list(founds)
    good = [found for found in listed if isinstance(found, Found)]
    bad = sort_out(found for found in listed if isinstance(found, BadRow))
    return assemble(scan.source, good, contents, described(artifacts)) + bad + scan.cut
