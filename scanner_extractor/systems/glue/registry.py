"""Read AWS Glue's Schema Registry: schemas, their versions, and each version's text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scanner_extractor.config.aws import AWS_MEMBERS, aws_endpoint, aws_url, transport_to_aws
from scanner_extractor.config.sections import name_list, object_of
from scanner_extractor.http.aws import Client
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.http.pagination import PagesWithoutEnd, by_token
from scanner_extractor.probes import Probe
from scanner_extractor.registries import RegistryType
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    Row,
    as_result,
    bad_row,
    details,
    separate_rows,
    truncated_list,
    unread_subjects,
    without_deleted,
)
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.maturity import validated
from scanner_model.names import SourceId, SubjectName
from scanner_model.payload import Payload
from scanner_model.schemas import DEFAULT_CONTEXT, SchemaVersion, qualified_subject


def glue_registry_transport(settings: RegistrySettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return an exchange as `aws_exchange` does, for the registries that *settings* name."""
    page = "docs/sources/other-registries.md"
    return transport_to_aws("glue", settings.options["glue"], settings.http, member="glue", page=page, connect=connect)


def _chosen(options: Json) -> tuple[str, ...]:
    """Return the names of the registries to read; none for all."""
    return tuple(sorted(set(options["glue"].get("registries", ()))))


def _place(options: Json, _: str) -> str:
    place = options["glue"]
    parts = ("glue", aws_endpoint(place), place.get("profile", ""), ",".join(_chosen(options)))
    return ":".join(parts).rstrip(":")


_AVAILABLE = "AVAILABLE"
_DELETING = "DELETING"
_DEFAULT_REGISTRY = "default-registry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A schema as it is listed: *context* is its registry, `.` for `default-registry`; *arn* names it to AWS."""

    context: str
    name: SubjectName
    arn: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDetails:
    """Compatibility and sorted tags of a schema; empty where not set."""

    compatibility: str = ""
    tags: tuple[tuple[str, str], ...] = ()


def read_schema(entry: Payload) -> Schema:
    """Read an entry of ListSchemas; raises PayloadUnexpected."""
    return Schema(
        context=_context(entry.text("RegistryName")),
        name=SubjectName(entry.need("SchemaName").text()),
        arn=entry.need("SchemaArn").text(),
        description=entry.text("Description"),
    )


def read_version(payload: Payload, schema: Schema, about: SchemaDetails, source: SourceId) -> SchemaVersion:
    """Read GetSchemaVersion; raises PayloadUnexpected for a version without number, format or text."""
    status = payload.text("Status").upper()
    return SchemaVersion(
        source=source,
        context=schema.context,
        subject=schema.name,
        version=payload.member("VersionNumber").number(),
        schema_id=payload.need("SchemaVersionId").text(),
        format=payload.need("DataFormat").text().upper(),
        text=payload.member("SchemaDefinition").text(),
        metadata=details(description=schema.description, compatibility=about.compatibility, awsTags=dict(about.tags)),
        deleted=status == _DELETING,
        state="" if status == _AVAILABLE else status,
        compatibility=about.compatibility,
    )


def _context(registry: str) -> str:
    return DEFAULT_CONTEXT if registry in ("", _DEFAULT_REGISTRY) else registry


_Listed = TypeVar("_Listed", Schema, str)

PAGE = 100
"""Maximum page size of Glue."""


def read_glue(settings: RegistrySettings, http: Http, progress: Progress) -> Reading:
    """Read every version of every schema in the registries that the settings name, or in all of them.

    *http* speaks to Glue through `glue_exchange`. Raises SourceRefused, SourceUnreachable and NotFound where schemas
    cannot be listed; other failures give a partial result. Source: AWS Glue API, Schema Registry.
    """
    gathered = _all_content(settings, GlueClient(http), progress)
    return as_result(settings, gathered if settings.deleted else without_deleted(gathered), http.requests)


class GlueClient:
    """Client of Glue: one operation per method (lists: one per page). Every method raises what `Http` raises."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def schemas(self, registry: str) -> Iterator[Schema]:
        """List the schemas of one registry; empty for those of all."""
        chosen = {"RegistryId": {"RegistryName": registry}} if registry else {}
        return self._listed("ListSchemas", chosen, read_schema)

    def version_ids(self, schema: Schema) -> list[str]:
        """List the ids of a schema's versions."""
        body = {"SchemaId": {"SchemaArn": schema.arn}}
        return list(self._listed("ListSchemaVersions", body, lambda entry: entry.need("SchemaVersionId").text()))

    def compatibility(self, schema: Schema) -> str:
        """Return a schema's compatibility mode as Glue names it."""
        return self._call("GetSchema", {"SchemaId": {"SchemaArn": schema.arn}}).need("Compatibility").text()

    def tags(self, schema: Schema) -> tuple[tuple[str, str], ...]:
        """Return a schema's tags, sorted by name; none where it has none."""
        tags = self._call("GetTags", {"ResourceArn": schema.arn}).object("Tags")
        return tuple(sorted((key, value.text()) for key, value in tags.items()))

    def version(self, version_id: str) -> Payload:
        """Return one version with its text, for `read_version`."""
        return self._call("GetSchemaVersion", {"SchemaVersionId": version_id})

    def _listed(self, operation: str, body: dict[str, Json], read: Callable[[Payload], _Listed]) -> Iterator[_Listed]:
        """Read a list page by page; raises PayloadUnexpected where it does not end."""

        def page(token: str) -> tuple[Sequence[_Listed], str]:
            more = {"NextToken": token} if token else {}
            payload = self._call(operation, {**body, "MaxResults": PAGE, **more})
            return [read(entry) for entry in payload.entries("Schemas")], payload.text("NextToken")

        return by_token(page, key=lambda entry: entry)

    def _call(self, operation: str, body: dict[str, Json]) -> Payload:
        return Payload(self._http.post(operation, body=body))


def _all_content(settings: RegistrySettings, client: GlueClient, progress: Progress) -> RegistryContent:
    """Read schema by schema; one that fails costs one."""
    source = settings.source
    registries = _chosen(settings.options)
    schemas, cut = _schemas(client, registries or ("",), source)
    answers = map_concurrently(
        schemas,
        lambda schema: _read(client, schema, source),
        pool=WorkerPool(threads=settings.http.concurrency),
        on_result=lambda done: progress(source, done, len(schemas)),
    )
    errors = [
        (qualified_subject(schema.context, schema.name), answer)
        for schema, answer in zip(schemas, answers, strict=True)
        if isinstance(answer, ScannerError)
    ]
    if errors and len(errors) == len(schemas) and all(isinstance(error, SourceRefused) for _, error in errors):
        raise errors[0][1]
    read = [answer for answer in answers if isinstance(answer, RegistryContent)]
    return sum(read, cut) + unread_subjects(source, errors)


def _schemas(client: GlueClient, registries: Iterable[str], source: SourceId) -> tuple[list[Schema], RegistryContent]:
    """List the schemas of each registry; of a list without end those that were read."""
    schemas: list[Schema] = []
    cut = RegistryContent()
    for name in registries:
        try:
            schemas += tuple(client.schemas(name))
        except PagesWithoutEnd as error:
            if not error.items:
                raise
            schemas += error.items
            cut += truncated_list(source, error)
    return schemas, cut


def _read(client: GlueClient, schema: Schema, source: SourceId) -> RegistryContent:
    about, problems = _about(client, schema, source)
    rows = [_row(client.version(version_id), schema, about, source) for version_id in client.version_ids(schema)]
    return separate_rows(rows) + RegistryContent(problems=problems)


def _row(payload: Payload, schema: Schema, about: SchemaDetails, source: SourceId) -> Row | BadRow:
    try:
        return Row(version=read_version(payload, schema, about, source))
    except PayloadUnexpected as error:
        return bad_row(source, qualified_subject(schema.context, schema.name), error, payload)


def _about(client: GlueClient, schema: Schema, source: SourceId) -> tuple[SchemaDetails, tuple[Problem, ...]]:
    """Query compatibility and tags of a schema; without permission for it, the schema is read all the same."""
    try:
        return SchemaDetails(compatibility=client.compatibility(schema), tags=client.tags(schema)), ()
    except (SourceRefused, SourceObjected, NotFound):
        what = "compatibility and tags of schemas cannot be read"
        return SchemaDetails(), (Problem(str(source), what, "allow glue:GetSchema and glue:GetTags"),)


def glue_probes(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to list the schemas of AWS Glue, and to read one."""
    client = GlueClient(http)
    registries = _chosen(settings.options)
    ids: list[str] = []

    def listed() -> str:
        schemas = [schema for name in registries or ("",) for schema in client.schemas(name)]
        ids.extend(client.version_ids(schemas[0]) if schemas else ())
        return f"{len(schemas)} schemas"

    yield Probe("list schemas and versions", listed)
    if ids:
        yield Probe("read a schema", lambda: f"version {client.version(ids[0]).member('VersionNumber').number()}")


GLUE = RegistryType(
    read=read_glue,
    check=glue_probes,
    transport=glue_registry_transport,
    schema=object_of(
        "AWS Glue",
        "The schema registries of a region.",
        {
            "glue": object_of(
                "AWS Glue",
                "AWS region and registries. Credentials come from the AWS default chain.",
                {
                    **AWS_MEMBERS,
                    "registries": name_list("Registries", "Names of the registries to read; all by default.", "shop"),
                },
                required=["region"],
            )
        },
        required=["glue"],
    ),
    address=lambda options: aws_url("glue", options["glue"]),
    place=_place,
    proofs=(validated("AWS Glue Schema Registry", "moto 5.2", "tests/lab/test_lab_glue.py"),),
)
