"""Read a ksqlDB cluster in two requests, with fallbacks for older versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from scanner_extractor.http.client import Http
from scanner_extractor.results import KsqlServer, Progress, Reading, no_progress
from scanner_extractor.systems.ksqldb.queries import NOTHING_EARLIER, Earlier, closing_queries, joined_queries
from scanner_extractor.systems.ksqldb.reader import Entity, read_entities
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    Problem,
    ScannerError,
    SourceObjected,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import KsqlFunction, KsqlSource, KsqlType, Query, QueryError

ACCEPT = "application/vnd.ksql.v1+json"
PROCESSING_LOG = "KSQL_PROCESSING_LOG"
"""The stream that ksqlDB writes its own errors to, by its default name."""

_PLAIN_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_RESERVED = {"STREAMS", "TABLES", "EXTENDED"}


_Named = TypeVar("_Named", KsqlFunction, KsqlSource, KsqlType)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """A listing: its statements (newest version first), and the entities of its response.

    *spare*: a server that does not know these statements has no such objects.
    """

    about: str
    statements: tuple[str, ...]
    answers: frozenset[str]
    spare: bool = False


_SOURCES = frozenset({"sourceDescriptions", "names"})
_QUERIES = frozenset({"queryDescriptions", "queries"})
_SOURCE_WORDS = frozenset({"streams", "tables"})
_RUNNING = "SHOW QUERIES;"
_BAD_STATEMENT = 40001
"""The server's code for a statement that it does not understand, or cannot run."""
_UNKNOWN = re.compile(r"line \d+:\d+: |Syntax error at or near", re.IGNORECASE)
"""How the message of a statement begins that a server's grammar does not know (6.1.15, 8.3.1)."""
_QUESTIONS = (
    # The forms without EXTENDED spare the server the offsets of every group; old servers know only the others.
    _Listing(
        about="streams", statements=("DESCRIBE STREAMS;", "LIST STREAMS EXTENDED;", "LIST STREAMS;"), answers=_SOURCES
    ),
    _Listing(
        about="tables", statements=("DESCRIBE TABLES;", "LIST TABLES EXTENDED;", "LIST TABLES;"), answers=_SOURCES
    ),
    _Listing(
        about="queries",
        statements=("SHOW QUERIES EXTENDED;", _RUNNING),
        answers=_QUERIES,
    ),
    # Last, so that a server that knows no types has answered everything else by then.
    _Listing(about="functions", statements=("SHOW FUNCTIONS;",), answers=frozenset({"functions"}), spare=True),
    _Listing(about="types", statements=("LIST TYPES;",), answers=frozenset({"types"}), spare=True),
)


_STATES = tuple(question for question in _QUESTIONS if not question.spare)


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlStates:
    """The persistent queries of a server as they are now, and the collections that they name.

    *errors* are the last errors by query id; *unread* are queries that exist and could not be read.
    """

    collections: tuple[KsqlSource, ...]
    queries: tuple[Query, ...]
    errors: Mapping[str, QueryError]
    unread: frozenset[str]


def read_ksqldb(settings: KsqlSettings, http: Http, progress: Progress, earlier: Earlier = NOTHING_EARLIER) -> Reading:
    """Read collections, persistent queries, types and functions (`GET /info`, `POST /ksql`).

    All statements go in one request; for a server that does not know one of them, they are sent one by one, with
    fallbacks for older versions. Raises ScannerError where neither streams nor tables can be read; any other
    failure is a problem. Queries that were known *earlier* and are missing, perhaps because the server is being
    stopped, count as unread.
    """
    client = _Client(http, settings.source, progress)
    service = client.service()
    # Descriptions of queries first: they are most complete, and later entries only fill their gaps.
    entities = sorted(client.everything(), key=lambda entity: entity.kind != "queryDescriptions")
    collections = _by_name(_mark_internal(item, service) for entity in entities for item in entity.collections)
    queries, undescribed = _queries(entities, collections)
    missing = frozenset[TopicName]().union(*(entity.missing for entity in entities))
    closing = client.closing(earlier, queries, collections) | undescribed
    unread = closing.union(*(entity.unread for entity in entities))
    got = len(collections) + len(queries)
    progress(settings.source, got, got)
    outcome = SourceResult(
        source=settings.source,
        kind="ksqldb",
        status=SourceStatus.PARTIAL if unread or client.refused else SourceStatus.READ,
        received=got,
        requested=got + len(unread),
        reason="; ".join(_reasons(client.refused, unread, closing)),
        requests=http.requests,
        unread=frozenset() if "" in unread else unread,  # what has no name may be any object that is missing
    )
    return Reading(
        outcome=outcome,
        facts=(
            KsqlServer(source=settings.source, service=service, missing=missing),
            *collections,
            *queries,
            *_by_name(item for entity in entities for item in entity.functions),
            *_by_name(item for entity in entities for item in entity.types),
        ),
        problems=tuple(dict.fromkeys(problem for entity in entities for problem in entity.problems)),
    )


def read_query_states(settings: KsqlSettings, http: Http, earlier: Earlier = NOTHING_EARLIER) -> KsqlStates:
    """Read the queries and their states in one request (`POST /ksql`), in several for older servers.

    Raises ScannerError where the queries are not listed; without its collections a query has no topics. Queries that
    were known *earlier* and are missing, perhaps because the server is being stopped, are among the unread.
    """
    client = _Client(http, settings.source, no_progress, _STATES)
    entities = sorted(client.everything(), key=lambda entity: entity.kind != "queryDescriptions")
    answers = [entity for entity in entities if entity.kind in _QUERIES]
    if "queries" in client.refused or any("" in entity.unread for entity in answers):
        hint = "the user needs the right to list queries"
        raise PayloadUnexpected("ksqlDB does not list its queries", where=str(settings.source), hint=hint)
    collections = _by_name(collection for entity in entities for collection in entity.collections)
    queries, undescribed = _queries(entities, collections)
    closing = client.closing(earlier, queries, collections) | undescribed
    return KsqlStates(
        collections=collections,
        queries=queries,
        errors=dict(error for entity in answers for error in entity.errors),
        unread=closing.union(*(entity.unread for entity in answers)),
    )


class _Client:
    """Sends *questions* to one server; *refused* names the listings that it rejected in every form."""

    def __init__(
        self, http: Http, source: SourceId, progress: Progress, questions: Sequence[_Listing] = _QUESTIONS
    ) -> None:
        self._http = http
        self._source = source
        self._progress = progress
        self._questions = questions
        self.refused: list[str] = []

    def service(self) -> str:
        """Return the server's `ksqlServiceId`, empty where not reported."""
        try:
            info = self._http.get("info", accept=ACCEPT)
        except (NotFound, SourceObjected):
            return ""
        match info:
            case {"KsqlServerInfo": {"ksqlServiceId": str(service)}}:
                return service
            case _:
                return ""

    def everything(self) -> list[Entity]:
        """Return the response to every listing, all in one request where the server accepts it."""
        entities = dict(self._send_together())
        for question in self._questions:
            if question not in entities:
                entities[question] = self._send_one(question)
        names = [name for entity in entities.values() for name in entity.listed]
        return [*entities.values(), *(self._described(name, len(names)) for name in names)]

    def closing(self, earlier: Earlier, queries: Sequence[Query], collections: Sequence[KsqlSource]) -> frozenset[str]:
        """Return the queries that are missing, perhaps because the server is being stopped."""
        return (
            closing_queries(earlier, queries, collections, self._running)
            if "queries" not in self.refused
            else frozenset()
        )

    def _running(self) -> tuple[Query, ...]:
        """Return the queries that the server lists now, with their names at least; raises ScannerError.

        Raises SourceUnreachable where the server reports that it is not healthy: it may be stuck.
        """
        try:
            health = self._http.get("healthcheck", accept=ACCEPT)
        except (NotFound, SourceObjected, SourceRefused):  # an old server, or a right that this user lacks
            health = None
        if isinstance(health, dict) and health.get("isHealthy") is False:
            raise SourceUnreachable("ksqlDB reports that it is not healthy", where=str(self._source))
        for entity in self._post(_RUNNING):
            if entity.kind in _QUERIES:
                return entity.queries
        raise PayloadUnexpected("ksqlDB does not list its queries", where=str(self._source))

    def _send_together(self) -> Iterator[tuple[_Listing, Entity]]:
        try:
            answers = self._post(" ".join(question.statements[0] for question in self._questions))
        except (SourceObjected, SourceRefused):
            # One of them is not known, or needs a right that the others do not: then none of them is answered.
            answers = ()
        for question, entity in zip(self._questions, answers, strict=False):
            if entity.kind in question.answers:
                yield question, entity

    def _send_one(self, question: _Listing) -> Entity:
        """Send one listing in its newer, then in its older form; an old server reads `DESCRIBE STREAMS` as a name."""
        objection: ScannerError | None = None
        for statement in question.statements:
            try:
                answers = self._post(statement)
            except (SourceObjected, SourceRefused) as error:
                if isinstance(error, SourceRefused) and not question.spare:
                    raise
                objection = error
                continue
            for entity in answers:
                if entity.kind in question.answers:
                    return entity
        return self._refused(question, objection)

    def _refused(self, question: _Listing, objection: ScannerError | None) -> Entity:
        if question.spare and isinstance(objection, SourceObjected) and _is_unknown(objection):
            return Entity()
        self.refused.append(question.about)
        if objection and _SOURCE_WORDS.issubset(self.refused):
            raise objection
        why = objection.what if objection else "unexpected response"
        return Entity(problems=(Problem(str(self._source), f"ksqlDB does not list its {question.about}: {why}"),))

    def _described(self, name: str, total: int) -> Entity:
        """Describe one collection, as servers need that list names only."""
        self._progress(self._source, 0, total)
        try:
            (entity, *_) = (*self._post(f"DESCRIBE {_quoted(name)};"), Entity())
        except (NotFound, SourceObjected) as error:
            problem = Problem(f"{self._source} {name}", f"ksqlDB does not describe it: {error.what}")
            return Entity(problems=(problem,), unread=frozenset({name}))
        return entity if entity.collections else replace(entity, unread=entity.unread | {name})

    def _post(self, statements: str) -> tuple[Entity, ...]:
        body = {"ksql": statements, "streamsProperties": {}}
        return read_entities(self._http.post("ksql", body=body, accept=ACCEPT), self._source)


def _queries(entities: Sequence[Entity], collections: Sequence[KsqlSource]) -> tuple[tuple[Query, ...], frozenset[str]]:
    """Return the queries that are described, and the names of the others; all where queries are only listed.

    The statements of one request run one after the other: a query that is closed meanwhile is listed by the collections
    that it reads and writes, without its sources and its consumer group.
    """
    queries = joined_queries((query for entity in entities for query in entity.queries), collections)
    descriptions = [entity for entity in entities if entity.kind == "queryDescriptions"]
    described = frozenset(query.name for entity in descriptions for query in entity.queries)
    if not descriptions:
        return queries, frozenset()
    complete = tuple(query for query in queries if query.name in described)
    return complete, frozenset(query.name for query in queries) - described


def _is_unknown(objection: SourceObjected) -> bool:
    """Return whether the server does not know the statement; any other error says nothing about its objects."""
    match objection.body:
        case {"message": str(message)}:
            return objection.code == _BAD_STATEMENT and _UNKNOWN.match(message) is not None
        case _:
            return False


def _quoted(name: str) -> str:
    plain = _PLAIN_NAME.fullmatch(name) and name not in _RESERVED
    return name if plain else "`" + name.replace("`", "``") + "`"


def _mark_internal(collection: KsqlSource, service: str) -> KsqlSource:
    """Mark the processing log, which is ksqlDB's own."""
    own = collection.name == PROCESSING_LOG or (service and collection.topic == f"{service}ksql_processing_log")
    return replace(collection, internal=True) if own else collection


def _by_name(facts: Iterable[_Named]) -> tuple[_Named, ...]:
    by_name = {fact.name: fact for fact in facts}
    return tuple(by_name[name] for name in sorted(by_name))


def _reasons(refused: Sequence[str], unread: frozenset[str], closing: frozenset[str]) -> Iterator[str]:
    if closing:
        what = "1 query is" if len(closing) == 1 else f"{len(closing)} queries are"
        yield f"{what} missing: terminated, or ksqlDB is being stopped; a later scan decides"
    if refused:
        yield f"ksqlDB does not list its {' and '.join(refused)}"
    if unread - closing:
        yield f"{len(unread - closing)} of its objects could not be read"
