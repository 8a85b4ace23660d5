"""Reads AWS Glue's Schema Registry: schemas, their versions, and each version's text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import PagesWithoutEnd, by_token
from scanner_extractor.readings import Progress, RegistryReading
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.registries.gathered import Gathered, as_reading, cut_off, lost, sort_out, without_deleted
from scanner_extractor.registries.glue_reader import (
    About,
    Schema,
    read_next,
    read_schemas,
    read_tags,
    read_version,
    read_version_ids,
)
from scanner_extractor.registries.rows import BadRow, Row, RowError, bad_row, text
from scanner_extractor.settings import RegistrySettings
from scanner_model.errors import NotFound, ScannerError, SourceObjected, SourceRefused
from scanner_model.names import SourceId
from scanner_model.problems import Problem
from scanner_model.schemas import qualified_subject

_Listed = TypeVar("_Listed", Schema, str)

PAGE = 100
"""The most entries that Glue gives at once."""


def read_glue(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryReading:
    """Read every version of every schema in the registries that the settings name, or in all of them.

    *http* speaks to Glue through `glue_exchange`. Raises SourceRefused, SourceUnreachable and NotFound where schemas
    cannot be listed; anything less gives what could be read, PARTIAL. Source: AWS Glue API, Schema Registry.
    """
    gathered = _everything(settings, GlueClient(http), progress)
    return as_reading(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)


class GlueClient:
    """Ask Glue: one method, one operation (the lists: one a page). Every method raises what `Http` raises."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def schemas(self, registry: str) -> Iterator[Schema]:
        """List the schemas of one registry; empty for those of all."""
        chosen = {"RegistryId": {"RegistryName": registry}} if registry else {}
        return self._listed("ListSchemas", chosen, read_schemas)

    def version_ids(self, schema: Schema) -> list[str]:
        """List the ids of a schema's versions."""
        return list(self._listed("ListSchemaVersions", {"SchemaId": {"SchemaArn": schema.arn}}, read_version_ids))

    def compatibility(self, schema: Schema) -> str:
        """Give a schema's compatibility."""
        return text(self._ask("GetSchema", {"SchemaId": {"SchemaArn": schema.arn}}), "Compatibility")

    def tags(self, schema: Schema) -> tuple[tuple[str, str], ...]:
        """Give a schema's tags."""
        return read_tags(self._ask("GetTags", {"ResourceArn": schema.arn}))

    def version(self, version_id: str) -> Json:
        """Give one version with its text, for `read_version`."""
        return self._ask("GetSchemaVersion", {"SchemaVersionId": version_id})

    def _listed(
        self, operation: str, body: dict[str, Json], read: Callable[[Json], Sequence[_Listed]]
    ) -> Iterator[_Listed]:
        """Read a list page by page; raises PayloadUnexpected where it does not end."""

        def page(token: str) -> tuple[Sequence[_Listed], str]:
            more = {"NextToken": token} if token else {}
            payload = self._ask(operation, {**body, "MaxResults": PAGE, **more})
            return read(payload), read_next(payload)

        return by_token(page, key=lambda one: one)

    def _ask(self, operation: str, body: dict[str, Json]) -> Json:
        return self._http.post(operation, body=body)


def _everything(settings: RegistrySettings, client: GlueClient, progress: Progress) -> Gathered:
    """Read schema by schema; one that fails costs one."""
    source = settings.source
    registries = settings.glue.registries if settings.glue else ()
    schemas, cut = _schemas(client, registries or ("",), source)
    done: list[None] = []

    def told() -> None:
        done.append(None)
        progress(source, len(done), len(schemas))

    answers = ask_each(
        schemas, lambda schema: _read(client, schema, source), crew=Crew(threads=settings.http.concurrency), told=told
    )
    errors = [
        (qualified_subject(schema.context, schema.name), answer)
        for schema, answer in zip(schemas, answers, strict=True)
        if isinstance(answer, ScannerError)
    ]
    if errors and len(errors) == len(schemas) and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    read = [answer for answer in answers if isinstance(answer, Gathered)]
    return sum(read, cut) + lost(source, errors)


def _schemas(client: GlueClient, registries: Iterable[str], source: SourceId) -> tuple[list[Schema], Gathered]:
    """List the schemas of each registry; of a list without end those that were read."""
    schemas: list[Schema] = []
    cut = Gathered()
    for name in registries:
        try:
            schemas += tuple(client.schemas(name))
        except PagesWithoutEnd as error:
            if not error.items:
                raise
            schemas += error.items
            cut += cut_off(source, error)
    return schemas, cut


def _read(client: GlueClient, schema: Schema, source: SourceId) -> Gathered:
    about, problems = _about(client, schema, source)
    rows = [_row(client.version(version_id), schema, about, source) for version_id in client.version_ids(schema)]
    return sort_out(rows) + Gathered(problems=problems)


def _row(payload: Json, schema: Schema, about: About, source: SourceId) -> Row | BadRow:
    try:
        return Row(version=read_version(payload, schema, about, source))
    except RowError as wrong:
        return bad_row(source, qualified_subject(schema.context, schema.name), wrong, payload)


def _about(client: GlueClient, schema: Schema, source: SourceId) -> tuple[About, tuple[Problem, ...]]:
    """Ask for what is said beside a schema; without the rights for it, the schema is read all the same."""
    try:
        return About(compatibility=client.compatibility(schema), tags=client.tags(schema)), ()
    except (SourceRefused, SourceObjected, NotFound):
        what = "compatibility and tags of schemas cannot be read"
        return About(), (Problem(str(source), what, "allow glue:GetSchema and glue:GetTags"),)
