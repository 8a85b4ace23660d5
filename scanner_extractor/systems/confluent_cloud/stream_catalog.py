"""Read annotations from a stream catalog: by search, and by GraphQL for what a search does not return."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import PartialList, paged, read_pages
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.confluent_cloud.settings import StreamCatalogSettings
from scanner_model.catalogs import Annotation
from scanner_model.errors import NotFound, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SourceId, TopicName
from scanner_model.payload import Payload, Unread

TOPIC = "kafka_topic"
CONNECTOR = "cn_connector"
FIELD = "sr_field"
KINDS = (TOPIC, CONNECTOR, "sr_schema", "sr_record", FIELD, "sr_subject_version")
"""The entity types that are about something of a scan."""

_HINT = "check the `url` of this source: it is the registry's, without /catalog"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlEntity:
    """Data that GraphQL adds to an entity: *topics* None where not reported."""

    tags: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    topics: tuple[TopicName, ...] | None = None


NO_GRAPHQL = GraphqlEntity()
"""Empty: GraphQL was not queried, or does not know the entity."""


def read_search(payload: Json) -> list[Payload]:
    """Read the page of `GET /catalog/v1/search/basic`, which without any has no member; raises PayloadUnexpected."""
    return Payload(payload).entries("entities", beside=("entities", "searchParameters"))


def read_entity(
    entity: Payload, kind: str, graphql: GraphqlEntity, source: SourceId, cluster: str
) -> Annotation | None:
    """Read an entity of a search, with what GraphQL adds; raises PayloadUnexpected.

    None where it is deleted, has no annotations, or does not belong to *cluster*.
    """
    attributes = entity.object("attributes")
    annotation = Annotation(
        source=source,
        kind=kind,
        name=attributes.text("qualifiedName") or entity.need("qualifiedName").text(),
        tags=tuple(sorted({*_words(entity.list("classificationNames")), *graphql.tags})),
        owner=attributes.text("owner"),
        owner_email=attributes.text("ownerEmail"),
        description=attributes.text("description", "userDescription"),
        business_metadata=graphql.metadata or _business(entity.object("businessMetadata", "businessAttributes")),
        connector_topics=graphql.topics if kind == CONNECTOR else None,
    )
    if entity.text("status") == "DELETED" or not is_annotated(annotation):
        return None
    own = attributes.text("name") or entity.text("name", "displayText")
    return resolve_target(annotation, own, cluster)


def is_annotated(annotation: Annotation) -> bool:
    """Return whether there is any annotation, or the catalog knows a connector's topics."""
    texts = (annotation.tags, annotation.owner, annotation.owner_email, annotation.description)
    return any((*texts, annotation.business_metadata, annotation.connector_topics is not None))


def qualified_name(entity: Payload) -> str:
    """Return an entity's qualified name, from a search or from GraphQL; empty where it shows none."""
    attributes = entity.members().get("attributes") if isinstance(entity.value, dict) else None
    return Payload(attributes).shown("qualifiedName") or entity.shown("qualifiedName")


def resolve_target(annotation: Annotation, own: str, cluster: str) -> Annotation | None:
    """Resolve the object of *cluster* that an annotation refers to.

    None where it belongs to another cluster or is unknown.

    *own* is the entity's last name. A connector's qualified name has the Connect cluster, which does not identify a
    Kafka cluster.
    """
    parts = annotation.name.split(":", 2)
    match annotation.kind:
        case "kafka_topic":
            return replace(annotation, topic=TopicName(parts[2])) if len(parts) == 3 and parts[1] == cluster else None
        case "cn_connector":
            return replace(annotation, connector=own or parts[-1]) if annotation.name else None
        case "sr_subject_version":
            return _of_subject(annotation, parts)
        case "sr_schema" | "sr_record" | "sr_field" if len(parts) == 3:
            return _of_schema(annotation, parts, own)
        case _:
            return None


def read_graphql(payload: Json, root: str) -> list[Payload]:
    """Read the entities under *root* of a GraphQL answer; raises PayloadUnexpected, and for errors SourceObjected.

    Errors have status 200.
    """
    answer = Payload(payload)
    for error in answer.list("errors"):
        what = f"GraphQL refused: {error.text('message') or 'no reason given'}"
        raise SourceObjected(what, hint=_HINT, status=200)
    return answer.need("data").entries(root, beside=(root,))


def read_graphql_entity(entity: Payload) -> GraphqlEntity:
    """Read a GraphQL entity, whose collections are null where they are not set; raises PayloadUnexpected."""
    metadata = (
        (item.need("name").text(), _json(item.member("value").value)) for item in entity.list("business_metadata")
    )
    topics = tuple(sorted({TopicName(item.need("name").text()) for item in entity.list("topics")}))
    return GraphqlEntity(
        tags=_words(entity.list("tags")),
        metadata=tuple(sorted(metadata)),
        topics=topics if entity.member("topics").value is not None else None,
    )


def _of_subject(annotation: Annotation, parts: list[str]) -> Annotation | None:
    subject, _, version = parts[-1].rpartition(":")
    if len(parts) != 3 or not subject or not version.isdecimal():
        return None
    return replace(annotation, context=parts[1], subject=subject, version=int(version))


def _of_schema(annotation: Annotation, parts: list[str], own: str) -> Annotation | None:
    """Read id, record and field; the field is taken from *own*, because names of fields may hold dots."""
    identity, _, rest = parts[2].partition(":")
    about = replace(annotation, context=parts[1], schema_id=identity)
    if annotation.kind == "sr_schema" or not rest:
        return about if annotation.kind == "sr_schema" else None
    if annotation.kind == "sr_record":
        return replace(about, record=rest)
    named = rest.removesuffix(f".{own}") if own and rest.endswith(f".{own}") else rest.rpartition(".")[0]
    field = rest[len(named) + 1 :] if named else rest
    return replace(about, record=named, path=(field,))


def _business(metadata: Payload) -> tuple[tuple[str, str], ...]:
    """Read business metadata of a search: attributes by name, by the metadata's name."""
    pairs = (
        (f"{name}.{key}", value)
        for name, _ in metadata.items()
        for key, value in metadata.object(name).members().items()
    )
    return tuple(sorted((name, _json(value)) for name, value in pairs))


def _words(tags: list[Payload]) -> tuple[str, ...]:
    """Read names of tags: texts, or objects with a name."""
    names = (tag.text() if isinstance(tag.value, str) else tag.need("name", "typeName").text() for tag in tags)
    return tuple(sorted(set(names)))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


SEARCH_PAGE = 500
"""Maximum page size of a search."""
GRAPHQL_PAGE = 1000
"""Maximum page size of a GraphQL query."""

_ATTRIBUTES = ("owner", "ownerEmail", "description", "qualifiedName", "name")
_QUERIES = {
    TOPIC: "qualifiedName tags business_metadata { name value }",
    CONNECTOR: "qualifiedName name tags business_metadata { name value } topics { name }",
}
_NOT_OFFERED = (NotFound, SourceObjected)
_NO_GRAPHQL = (NotFound, SourceObjected, SourceRefused)
_ADVANCED = "business metadata and connectors' topics require the Advanced package of Stream Governance"

_PATIENCE = 3600.0
"""Seconds that one type may take: its pages are progress, and the runner notices a lack of it."""

Answers = dict[str, PartialList[Payload] | ScannerError]


def read_stream_catalog(settings: StreamCatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read tags, owners, descriptions and business metadata, and connectors' topics.

    `GET /catalog/v1/search/basic` in pages of 500 for each type of entity; `POST /catalog/graphql` in pages of 1000
    for topics and connectors. A catalog that refuses GraphQL (package Essentials) is read without it. Raises
    ScannerError where neither returns topics; any other failure is a problem, and the result partial.
    """
    scan = _Scan(settings, http, progress)
    rows = scan.annotations()
    progress(settings.source, len(rows), len(rows))
    if scan.unread:
        scan.reasons.append(f"{len(scan.unread)} of its entities could not be read")
    return Reading(
        outcome=answered(
            settings.source, "stream_catalog", len(rows), reasons=scan.reasons[:2], requests=http.requests
        ),
        facts=rows,
        problems=tuple(dict.fromkeys(scan.problems)),
    )


def search_page(http: Http, kind: str, start: int, size: int) -> list[Payload]:
    """Return a page of the entities of a type; raises ScannerError."""
    attributes: list[tuple[str, str | int]] = [("attr", name) for name in _ATTRIBUTES]
    params = [("type", kind), *attributes, ("limit", size), ("offset", start)]
    return read_search(http.get("catalog", "v1", "search", "basic", params=params))


def graphql_page(http: Http, root: str, start: int, size: int) -> list[Payload]:
    """Return a page of GraphQL entities of a type; the service takes no `variables`. Raises ScannerError."""
    query = f"{{ {root}(limit: {size}, offset: {start}) {{ {_QUERIES[root]} }} }}"
    return read_graphql(http.post("catalog", "graphql", body={"query": query}), root)


@dataclass(slots=True)
class _Scan:
    """Reads one catalog; *problems* are what could not be read, *reasons* why the result is incomplete."""

    settings: StreamCatalogSettings
    http: Http
    progress: Progress
    done: int = 0
    problems: list[Problem] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    unread: Unread = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing unread, which is a problem each."""
        self.unread = Unread(self.settings.source, problems=self.problems)

    def annotations(self) -> tuple[Annotation, ...]:
        """Return all annotations, sorted; raises the error of the topic search where GraphQL fails too."""
        kinds = [kind for kind in KINDS if kind != FIELD or self.settings.fields]
        jobs = [*(partial(self._search, kind) for kind in kinds), *(partial(self._graphql, root) for root in _QUERIES)]
        pool = WorkerPool(threads=min(self.settings.http.concurrency, len(jobs)), patience=_PATIENCE)
        answers = map_concurrently(jobs, lambda job: job(), pool=pool)
        searched = dict(zip(kinds, answers, strict=False))
        graphql = dict(zip(_QUERIES, answers[len(kinds) :], strict=True))
        first = searched[TOPIC]
        if isinstance(first, ScannerError) and isinstance(graphql[TOPIC], ScannerError):
            raise first
        self._report_missing(searched, graphql)
        read = {
            annotation.name: annotation for kind in kinds for annotation in self._read(kind, searched[kind], graphql)
        }
        return tuple(read[name] for name in sorted(read))

    def _search(self, kind: str) -> PartialList[Payload]:
        return self._pages(paged(partial(search_page, self.http, kind), key=_identity, size=SEARCH_PAGE))

    def _graphql(self, root: str) -> PartialList[Payload]:
        return self._pages(paged(partial(graphql_page, self.http, root), key=_identity, size=GRAPHQL_PAGE))

    def _pages(self, pages: Iterator[Payload]) -> PartialList[Payload]:
        return read_pages(map(self._counted, pages))

    def _counted(self, entity: Payload) -> Payload:
        self.done += 1
        if self.done % SEARCH_PAGE == 0:
            self.progress(self.settings.source, self.done, None)
        return entity

    def _read(self, kind: str, searched: PartialList[Payload] | ScannerError, graphql: Answers) -> Iterator[Annotation]:
        """Return the annotations of a type, with what GraphQL adds; one that only GraphQL knows, too."""
        more = _by_name(graphql.get(kind))
        entities = () if isinstance(searched, ScannerError) else searched.items
        pairs = [(entity, more.pop(qualified_name(entity), None)) for entity in entities]
        pairs += [(entity, entity) for entity in more.values()]

        def read(pair: tuple[Payload, Payload | None]) -> Annotation | None:
            added = read_graphql_entity(pair[1]) if pair[1] else NO_GRAPHQL
            return read_entity(pair[0], kind, added, self.settings.source, self.settings.cluster)

        annotations = self.unread.read(pairs, read, lambda pair: qualified_name(pair[0]))
        return (annotation for annotation in annotations if annotation)

    def _report_missing(self, searched: Answers, graphql: Answers) -> None:
        """Report what is missing: a whole type, the end of a list, or all data of GraphQL."""
        for kind, answer in searched.items():
            error = answer if isinstance(answer, ScannerError) else answer.error
            if error and not (isinstance(error, _NOT_OFFERED) and kind != TOPIC):  # a catalog without this type
                self._missing(f"{kind} could not be {'read' if answer is error else 'read to the end'}", error)
        for answer in graphql.values():
            error = answer if isinstance(answer, ScannerError) else answer.error
            if isinstance(error, _NO_GRAPHQL) and answer is error:
                self.problems.append(
                    Problem(str(self.settings.source), f"GraphQL is not available: {error.what}", _ADVANCED)
                )
            elif error:
                self._missing("the data of GraphQL could not be read", error)

    def _missing(self, what: str, error: ScannerError) -> None:
        self.problems.append(Problem(str(self.settings.source), f"{what}: {error.what}", error.hint))
        self.reasons.append(f"{what}: {error.what}")


def _by_name(answer: PartialList[Payload] | ScannerError | None) -> dict[str, Payload]:
    items = answer.items if isinstance(answer, PartialList) else ()
    return {qualified_name(entity): entity for entity in items}


def _identity(entity: Payload) -> str:
    return entity.shown("guid") or qualified_name(entity)
