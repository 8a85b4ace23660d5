"""Whether each source can be reached and may be read, for `scanner check`; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from scanner_extractor.exchange import Exchange, Json
from scanner_extractor.http import Http
from scanner_extractor.settings import KafkaSettings, KsqlSettings, RegistrySettings, Settings
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId

_KSQL = "application/vnd.ksql.v1+json"
_HINT = "check the `url` and `type` of this source"
_APICURIO = (("apis", "registry", "v3", "search", "versions"), ("apis", "registry", "v2", "search", "artifacts"))


class State(StrEnum):
    """How an attempt went, named after what an operator does next."""

    OK = "ok"
    REFUSED = "refused"
    """Credentials or rights are missing."""
    UNREACHABLE = "unreachable"
    """Nobody answered, or the server failed."""
    UNEXPECTED = "unexpected"
    """Somebody answered, but not what this kind of source answers."""


_STATES = ((SourceRefused, State.REFUSED), (SourceUnreachable, State.UNREACHABLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One attempt: what was *tried* on which *source*; *detail* is what was found, or why nothing was."""

    source: SourceId
    tried: str
    state: State
    detail: str
    hint: str = ""


Probe = Callable[[KafkaSettings], str]
"""Ask the brokers for their metadata and say in a few words what was found; raises ScannerError."""


def check(settings: Settings, *, probe: Probe, exchange: Exchange | None = None) -> Iterator[CheckResult]:
    """Try every source in the order of cluster.json, two attempts each; where the first fails, it stays with one.

    *exchange* stands in for the network. Raises no ScannerError, each is a result.
    """
    if kafka := settings.kafka:
        yield _attempt(kafka.source, "read metadata of the brokers", lambda: probe(kafka))
    for ksqldb in settings.ksqldb:
        with Http(ksqldb.http, ksqldb.source, exchange=exchange) as http:
            yield from _ksqldb(ksqldb, http)
    for registry in settings.registries:
        with Http(registry.http, registry.source, exchange=exchange) as http:
            yield from _registry(registry, http)


def _ksqldb(settings: KsqlSettings, http: Http) -> Iterator[CheckResult]:
    reached = _attempt(settings.source, "reach the server", lambda: _ksql_version(http.get("info")))
    yield reached
    if reached.state is State.OK:
        body = {"ksql": "SHOW STREAMS;", "streamsProperties": {}}
        yield _attempt(
            settings.source, "list streams", lambda: _ksql_streams(http.post("ksql", body=body, accept=_KSQL))
        )


def _registry(settings: RegistrySettings, http: Http) -> Iterator[CheckResult]:
    if settings.type == "apicurio":
        yield _attempt(settings.source, "list schemas", lambda: _apicurio_count(http))
    else:
        yield from _subjects(settings, http)


def _subjects(settings: RegistrySettings, http: Http) -> Iterator[CheckResult]:
    subjects: list[str] = []

    def listed() -> str:
        subjects.extend(_texts(http.get("subjects")))
        return f"{len(subjects)} subjects"

    yield _attempt(settings.source, "list subjects", listed)
    if subjects:
        newest = partial(http.get, "subjects", subjects[0], "versions", "latest")
        yield _attempt(settings.source, "read a schema", lambda: _version(newest()))


def _apicurio_count(http: Http) -> str:
    """Ask the newest API that the server has; `url` may name one already."""
    for path in _APICURIO:
        try:
            return _counted(http.get(*path, params=[("limit", 1)]))
        except NotFound:
            continue
    return f"{len(_texts(http.get('subjects')))} subjects"


def _attempt(source: SourceId, tried: str, ask: Callable[[], str]) -> CheckResult:
    try:
        return CheckResult(source=source, tried=tried, state=State.OK, detail=ask())
    except ScannerError as error:
        state = next((state for kind, state in _STATES if isinstance(error, kind)), State.UNEXPECTED)
        detail = f"{error.where}: {error.what}" if error.where else error.what
        return CheckResult(source=source, tried=tried, state=state, detail=detail, hint=error.hint or _HINT)


def _ksql_version(payload: Json) -> str:
    match payload:
        case {"KsqlServerInfo": {"version": str(version)}}:
            return f"ksqlDB {version}"
        case _:
            raise PayloadUnexpected("the answer is not that of a ksqlDB server", hint=_HINT)


def _ksql_streams(payload: Json) -> str:
    match payload:
        case [{"streams": list(streams)}, *_]:
            return f"{len(streams)} streams"
        case _:
            raise PayloadUnexpected("the answer is not a list of streams", hint=_HINT)


def _texts(payload: Json) -> list[str]:
    if not isinstance(payload, list) or not all(isinstance(item, str) for item in payload):
        raise PayloadUnexpected("the answer is not a list of subjects", hint=_HINT)
    return payload


def _version(payload: Json) -> str:
    match payload:
        case {"version": int(version), "schema": str()}:
            return f"version {version}"
        case _:
            raise PayloadUnexpected("the answer is not a schema version", hint=_HINT)


def _counted(payload: Json) -> str:
    match payload:
        case {"count": int(count)}:
            return f"{count} found"
        case _:
            raise PayloadUnexpected("the answer is not that of an Apicurio registry", hint=_HINT)
