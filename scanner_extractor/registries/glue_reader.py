"""From the JSON of AWS Glue's Schema Registry to facts: schemas, versions, texts, and what is said beside them."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.exchange import Json
from scanner_extractor.registries.rows import RowError, details, items, member, needed_number, needed_text, text
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import DEFAULT_CONTEXT, SchemaVersion

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
class About:
    """What one schema is said to be: its compatibility and its tags, sorted; empty where nobody said."""

    compatibility: str = ""
    tags: tuple[tuple[str, str], ...] = ()


def read_schemas(payload: Json) -> list[Schema]:
    """Read a page of ListSchemas; raises PayloadUnexpected for anything else."""
    return [
        Schema(
            context=_context(text(entry, "RegistryName")),
            name=SubjectName(_asked(entry, "SchemaName")),
            arn=_asked(entry, "SchemaArn"),
            description=text(entry, "Description"),
        )
        for entry in _list(payload)
    ]


def read_version_ids(payload: Json) -> list[str]:
    """Read a page of ListSchemaVersions; raises PayloadUnexpected for anything else."""
    return [_asked(entry, "SchemaVersionId") for entry in _list(payload)]


def read_next(payload: Json) -> str:
    """Give the token of the next page; empty on the last."""
    return text(payload, "NextToken")


def read_tags(payload: Json) -> tuple[tuple[str, str], ...]:
    """Read GetTags."""
    tags = member(payload, "Tags")
    return tuple(sorted((key, str(value)) for key, value in tags.items())) if isinstance(tags, dict) else ()


def read_version(payload: Json, schema: Schema, about: About, source: SourceId) -> SchemaVersion:
    """Read GetSchemaVersion; raises RowError for a version without number, format or text."""
    status = text(payload, "Status").upper()
    return SchemaVersion(
        source=source,
        context=schema.context,
        subject=schema.name,
        version=needed_number(payload, "VersionNumber", "version number"),
        schema_id=needed_text(payload, "SchemaVersionId", "version id"),
        format=needed_text(payload, "DataFormat", "data format").upper(),
        text=needed_text(payload, "SchemaDefinition", "definition"),
        metadata=details(description=schema.description, compatibility=about.compatibility, awsTags=dict(about.tags)),
        deleted=status == _DELETING,
        state="" if status == _AVAILABLE else status,
    )


def _context(registry: str) -> str:
    return DEFAULT_CONTEXT if registry in ("", _DEFAULT_REGISTRY) else registry


def _list(payload: Json) -> list[Json]:
    if not isinstance(member(payload, "Schemas"), list):
        raise PayloadUnexpected("the answer is not a list of schemas", hint="is `endpoint_url` that of AWS Glue?")
    return items(payload, "Schemas")


def _asked(entry: Json, name: str) -> str:
    try:
        return needed_text(entry, name, name)
    except RowError as wrong:
        raise PayloadUnexpected(f"an entry of the list cannot be read: {wrong}") from wrong
