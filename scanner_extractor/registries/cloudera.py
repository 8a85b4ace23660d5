"""Reads Cloudera's (Hortonworks') Schema Registry: everything in one request, else schema by schema."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.readings import Progress, RegistryReading
from scanner_extractor.registries.cloudera_reader import (
    Listed,
    read_branches,
    read_entities,
    read_name,
    read_schema,
    read_versions,
    with_references,
)
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.registries.gathered import Gathered, as_reading, key_of, lost, sort_out, without_deleted
from scanner_extractor.registries.rows import BadRow, Row
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SourceId
from scanner_model.problems import Problem

_API = ("api", "v1", "schemaregistry")


def cloudera_base(url: str) -> tuple[str, ...]:
    """Give the steps of the API's path that *url* does not name."""
    return () if "/api/v1/" in f"{url}/" else _API


def read_cloudera(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryReading:
    """Read every version of every schema in every branch.

    Raises what `Http` raises where not even the list of schemas can be read; anything less gives what could be read,
    PARTIAL, with the names of the rest. Source: the REST API of hortonworks/registry, `/api/v1/schemaregistry`.
    """
    client = ClouderaClient(http, cloudera_base(settings.http.url))
    gathered = _everything(settings, client, progress)
    return as_reading(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)


class ClouderaClient:
    """Ask one registry: one method, one request. Every method raises what `Http` raises."""

    def __init__(self, http: Http, base: tuple[str, ...]) -> None:
        self._http = http
        self._base = base

    def aggregated(self) -> list[Json]:
        """Give every schema with its branches and versions."""
        return read_entities(self._http.get(*self._base, "schemas", "aggregated"))

    def schemas(self) -> list[Json]:
        """Give every schema without its versions."""
        return read_entities(self._http.get(*self._base, "schemas"))

    def branches(self, name: str) -> tuple[str, ...]:
        """List the branches of a schema."""
        return read_branches(self._http.get(*self._base, "schemas", name, "branches"))

    def versions(self, name: str, branch: str) -> list[Json]:
        """Give the versions that one branch of a schema holds."""
        return read_entities(self._http.get(*self._base, "schemas", name, "versions", params=[("branch", branch)]))


def _everything(settings: RegistrySettings, client: ClouderaClient, progress: Progress) -> Gathered:
    source = settings.source
    problems: tuple[Problem, ...] = ()
    try:
        entities = client.aggregated()
        rows = [row for entity in entities for row in read_schema(entity, source)]
        return _gathered(rows, entities)
    except (NotFound, SourceObjected):
        pass  # a registry before 0.3, or a proxy that does not let this path through
    except ScannerError as error:
        hint = "every schema was asked for by itself, which takes many requests"
        problems = (Problem(str(source), f"reading everything at once failed: {error}", hint),)
    return _one_by_one(settings, client, progress) + Gathered(problems=problems)


def _one_by_one(settings: RegistrySettings, client: ClouderaClient, progress: Progress) -> Gathered:
    source = settings.source
    entities = client.schemas()
    named = [entity for entity in entities if read_name(entity)]
    unnamed = [row for entity in entities if not read_name(entity) for row in read_schema(entity, source)]
    done: list[None] = []

    def told() -> None:
        done.append(None)
        progress(source, len(done), len(named))

    answers = ask_each(
        named, lambda one: _of(client, one, source), crew=Crew(threads=settings.http.concurrency), told=told
    )
    errors = [
        (read_name(one), error) for one, error in zip(named, answers, strict=True) if isinstance(error, ScannerError)
    ]
    if errors and len(errors) == len(named) and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    rows = [row for answer in answers if not isinstance(answer, ScannerError) for row in answer]
    return _gathered([*rows, *unnamed], named) + lost(source, errors)


def _of(client: ClouderaClient, schema: Json, source: SourceId) -> list[Listed | BadRow]:
    name = read_name(schema)
    held = [(branch, info) for branch in client.branches(name) for info in client.versions(name, branch)]
    return list(read_versions(schema, held, source))


def _gathered(rows: Iterable[Listed | BadRow], schemas: Iterable[Json]) -> Gathered:
    listed = list(rows)
    by_name = {read_name(schema): schema for schema in schemas}
    versions = with_references([row for row in listed if isinstance(row, Listed)], by_name)
    bad = sort_out(row for row in listed if isinstance(row, BadRow))
    return Gathered(rows={key_of(version): Row(version=version) for version in versions}) + bad
