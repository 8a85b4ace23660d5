"""Asks a stream catalog what people wrote: by search for everything, by GraphQL for what a search does not tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import Listed, kept_pages, paged
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.settings_cloud import StreamCatalogSettings
from scanner_extractor.sources.cloud_lists import text
from scanner_extractor.sources.stream_catalog_reader import (
    CONNECTOR,
    FIELD,
    KINDS,
    TOPIC,
    UNSAID,
    qualified_name,
    read_entity,
    read_graphql,
    read_said,
    read_search,
)
from scanner_model.catalogs import Annotation
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceObjected, SourceRefused
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

SEARCH_PAGE = 500
"""The most entities that a search gives at once."""
GRAPHQL_PAGE = 1000
"""The most entities that a GraphQL query gives at once."""

_ATTRIBUTES = ("owner", "ownerEmail", "description", "qualifiedName", "name")
_QUERIES = {
    TOPIC: "qualifiedName tags business_metadata { name value }",
    CONNECTOR: "qualifiedName name tags business_metadata { name value } topics { name }",
}
_NOT_OFFERED = (NotFound, SourceObjected)
_NO_GRAPHQL = (NotFound, SourceObjected, SourceRefused, PayloadUnexpected)
_ADVANCED = "business metadata and connectors' topics want the Advanced package of Stream Governance"

_PATIENCE = 3600.0
"""Seconds that one type may take: its pages are progress, and the runner sees where there is none."""

Entity = dict[str, Json]
Answers = dict[str, Listed[Entity] | ScannerError]


def read_stream_catalog(settings: StreamCatalogSettings, http: Http, progress: Progress) -> CatalogReading:
    """Read tags, owners, descriptions and business metadata, and connectors' topics.

    `GET /catalog/v1/search/basic` in pages of 500 for each type of entity; `POST /catalog/graphql` in pages of 1000
    for topics and connectors. A catalog that refuses GraphQL (package Essentials) is read without it. Raises
    ScannerError where neither tells anything of topics; everything less is a problem, and the answer partial.
    """
    scan = _Scan(settings, http, progress)
    found = scan.annotations()
    progress(settings.source, len(found), len(found))
    return CatalogReading(
        outcome=Outcome(
            source=settings.source,
            kind="stream_catalog",
            answer=Answer.PARTIAL if scan.reasons else Answer.READ,
            got=len(found),
            asked=len(found),
            reason="; ".join(scan.reasons[:2]),
            requests=http.requests,
        ),
        annotations=found,
        problems=tuple(dict.fromkeys(scan.problems)),
    )


def search_page(http: Http, kind: str, start: int, size: int) -> list[Entity]:
    """Give a page of the entities of a type; raises ScannerError."""
    attributes: list[tuple[str, str | int]] = [("attr", name) for name in _ATTRIBUTES]
    params = [("type", kind), *attributes, ("limit", size), ("offset", start)]
    return read_search(http.get("catalog", "v1", "search", "basic", params=params))


def graphql_page(http: Http, root: str, start: int, size: int) -> list[Entity]:
    """Give a page of what GraphQL tells of a type; the service takes no `variables`. Raises ScannerError."""
    query = f"{{ {root}(limit: {size}, offset: {start}) {{ {_QUERIES[root]} }} }}"
    return read_graphql(http.post("catalog", "graphql", body={"query": query}), root)


@dataclass(slots=True)
class _Scan:
    """Asks one catalog; *refused* is what GraphQL answered where it is not offered."""

    settings: StreamCatalogSettings
    http: Http
    progress: Progress
    done: int = 0
    problems: list[Problem] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def annotations(self) -> tuple[Annotation, ...]:
        """Give everything that is written, sorted; raises what the search of topics raised where GraphQL fails too."""
        kinds = [kind for kind in KINDS if kind != FIELD or self.settings.fields]
        jobs = [*(partial(self._search, kind) for kind in kinds), *(partial(self._graphql, root) for root in _QUERIES)]
        crew = Crew(threads=min(self.settings.http.concurrency, len(jobs)), patience=_PATIENCE)
        told = ask_each(jobs, lambda job: job(), crew=crew)
        searched = dict(zip(kinds, told, strict=False))
        said = dict(zip(_QUERIES, told[len(kinds) :], strict=True))
        first = searched[TOPIC]
        if isinstance(first, ScannerError) and isinstance(said[TOPIC], ScannerError):
            raise first
        self._weigh(searched, said)
        read = {each.name: each for kind in kinds for each in self._read(kind, searched[kind], said)}
        return tuple(read[name] for name in sorted(read))

    def _search(self, kind: str) -> Listed[Entity]:
        return self._pages(paged(partial(search_page, self.http, kind), key=_identity, size=SEARCH_PAGE))

    def _graphql(self, root: str) -> Listed[Entity]:
        return self._pages(paged(partial(graphql_page, self.http, root), key=_identity, size=GRAPHQL_PAGE))

    def _pages(self, pages: Iterator[Entity]) -> Listed[Entity]:
        return kept_pages(map(self._counted, pages))

    def _counted(self, entity: Entity) -> Entity:
        self.done += 1
        if self.done % SEARCH_PAGE == 0:
            self.progress(self.settings.source, self.done, None)
        return entity

    def _read(self, kind: str, searched: Listed[Entity] | ScannerError, said: Answers) -> Iterator[Annotation]:
        """Give the annotations of a type, with what GraphQL adds; one that only GraphQL knows, too."""
        more = _by_name(said.get(kind))
        entities = () if isinstance(searched, ScannerError) else searched.items
        pairs = [(entity, more.pop(qualified_name(entity), None)) for entity in entities]
        for entity, told in (*pairs, *((entity, entity) for entity in more.values())):
            added = read_said(told) if told else UNSAID
            found = read_entity(entity | {"typeName": kind}, added, self.settings.source, self.settings.cluster)
            yield from (found,) if found else ()

    def _weigh(self, searched: Answers, said: Answers) -> None:
        """Say what is missing: a whole type, the end of a list, or all that only GraphQL tells."""
        for kind, answer in searched.items():
            error = answer if isinstance(answer, ScannerError) else answer.error
            if error and not (isinstance(error, _NOT_OFFERED) and kind != TOPIC):  # a catalog without this type
                self._lacks(f"{kind} could not be {'read' if answer is error else 'read to the end'}", error)
        for answer in said.values():
            error = answer if isinstance(answer, ScannerError) else answer.error
            if isinstance(error, _NO_GRAPHQL) and answer is error:
                self.problems.append(
                    Problem(str(self.settings.source), f"GraphQL tells nothing: {error.what}", _ADVANCED)
                )
            elif error:
                self._lacks("what GraphQL tells could not be read", error)

    def _lacks(self, what: str, error: ScannerError) -> None:
        self.problems.append(Problem(str(self.settings.source), f"{what}: {error.what}", error.hint))
        self.reasons.append(f"{what}: {error.what}")


def _by_name(answer: Listed[Entity] | ScannerError | None) -> dict[str, Entity]:
    items = answer.items if isinstance(answer, Listed) else ()
    return {qualified_name(each): each for each in items}


def _identity(entity: Entity) -> str:
    return text(entity, "guid") or qualified_name(entity)
