"""The `schema_registries` of cluster.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanner_extractor.config.http import address_errors, parse_http, valid_address
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    OPTIONS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    address,
    flag,
    member_of,
    name_list,
    nonempty,
    object_of,
    option_errors,
    repeated_sources,
    text,
    unknown_type,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.naming import strategies_in_force
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.settings.cluster import (
    GlueSettings,
    NamingSettings,
    RegistrySettings,
    context_address,
    url_context,
)
from scanner_extractor.source_kind import (
    SCHEMAS,
    typed_kind,
)
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, quoted
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    pass

_NAMING: Json = object_of(
    "Naming",
    "How subjects are matched with topics.",
    {
        "strategies": name_list(
            "Naming strategies",
            "How subjects are named, in order of preference: names of strategies, or regex:PATTERN.",
            "topic",
            "topic-record",
        ),
        "subjects": {
            "title": "Subjects and their topics",
            "description": "Topics of subjects whose names do not contain them.",
            "type": "object",
            "additionalProperties": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
            "examples": [{"com.acme.Payment": ["payments"]}],
        },
    },
)

_GLUE: Json = object_of(
    "AWS Glue",
    "AWS Glue: region and registries. Credentials come from the AWS default chain.",
    {
        "region": text("Region", "The AWS region.", "eu-central-1", pattern="^[a-z0-9-]+$"),
        "registries": name_list("Registries", "The names of the registries to read; without it all of them.", "shop"),
        "profile": nonempty(
            "Profile", "A profile of the AWS configuration files; without it the default chain of credentials."
        ),
        "endpoint_url": text(
            "Endpoint",
            "An endpoint other than the region's public one, as a VPC endpoint.",
            "https://vpce-1.glue.eu-central-1.vpce.amazonaws.com",
        ),
    },
    required=["region"],
)

_REGISTRY: Json = object_of(
    "Schema registry",
    "One schema registry: with `glue` for AWS Glue, with `url` for every other.",
    {
        "type": nonempty("Kind", "Registry type: confluent, karapace, apicurio, cloudera, glue.", "confluent"),
        "url": address("Address of the registry.", "https://sr.example.org:8081"),
        **HTTP_MEMBERS,
        "naming": _NAMING,
        "options": OPTIONS,
        "environment": text("Environment", "Environment of the registry, stored as written.", "env-1"),
        "context": text(
            "Context",
            "Confluent: read only this context, for example .eu, or . for the default one.",
            ".eu",
            pattern="^[^:]+$",
        ),
        "deleted": flag("Deleted versions", "Read soft-deleted versions."),
        "compatibility": flag(
            "Compatibility levels",
            "Read the compatibility level of each subject, one request each. AWS Glue and Cloudera always report it.",
            default=False,
        ),
        "glue": _GLUE,
    },
    required=["type"],
) | {
    "if": {"properties": {"type": {"const": "glue"}}, "required": ["type"]},
    "then": {
        "required": ["glue"],
        "properties": {"glue": {"description": 'AWS Glue\'s region, as in {"region": "eu-central-1"}.'}},
    },
    "else": {
        "required": ["url"],
        "properties": {"url": {"description": "Address of the registry."}},
    },
}

_NOT_FOR_GLUE = frozenset({"url", "auth", "headers"})


def parse_registry(item: Json, context: ParseContext) -> RegistrySettings:
    """Return the settings of a schema registry."""
    naming = item.get("naming", {})
    glue = _glue(item["glue"]) if "glue" in item else None
    url = {"url": glue.endpoint_url or f"https://glue.{glue.region}.amazonaws.com"} if glue else {}
    return RegistrySettings(
        type=item["type"],
        http=parse_http(item | url, context),
        naming=NamingSettings(
            strategies=tuple(naming.get("strategies", ())),
            subjects={subject: tuple(topics) for subject, topics in naming.get("subjects", {}).items()},
        ),
        environment=item.get("environment", ""),
        deleted=item.get("deleted", True),
        compatibility=item.get("compatibility", False),
        glue=glue,
        context=item.get("context", ""),
        options=item.get("options", {}),
    )


def _glue(item: Json) -> GlueSettings:
    return GlueSettings(**item | {"registries": tuple(sorted(set(item.get("registries", ()))))})


def validate_registries(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield unknown types and strategies, members that are not for the type, and registries declared twice."""
    for path, item in items:
        yield from unknown_type(path, item, "schema registry", context.registry_types, context.shown)
        strategies = member_of(item.get("naming"), "strategies")
        for index, name in enumerate(strategies if isinstance(strategies, list) else ()):
            if isinstance(name, str):
                yield from _strategy((*path, "naming", "strategies", index), name, context)
        yield from _context(path, item)
        yield from option_errors(path, item, REGISTRIES, context.shown)
        yield from address_errors(path, item, ("glue", "endpoint_url"), context)
        yield from _members_of_glue(path, item)
    yield from repeated_sources(items, _identity)


def _members_of_glue(path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
    if item.get("type") == "glue":
        for name in sorted(_NOT_FOR_GLUE & item.keys()):
            yield (*path, name), f"{name!r} is not for AWS Glue", "leave it out; `glue` says where it is"
    elif "glue" in item:
        yield (*path, "glue"), "'glue' is for registries of type glue only", "leave it out, or change `type`"


def _strategy(path: JsonPath, name: str, context: ValidationContext) -> Iterator[ErrorMessage]:
    try:
        strategies_in_force([name], "")
    except InputInvalid as error:
        literal = context.shown(path) == quoted(name)
        what = error.what if literal else f"{context.shown(path)} is not a naming strategy"
        yield path, what, error.hint if literal else ""


def _context(path: JsonPath, item: Json) -> Iterator[ErrorMessage]:
    """Report a context where the registry has none, or where the address names one already."""
    if "context" not in item:
        return
    url = valid_address(item.get("url"))
    if item.get("type") != "confluent":
        yield (*path, "context"), "'context' is for registries of type confluent only", "leave it out, or change `type`"
    elif url and url_context(url.url):
        yield (*path, "context"), "there is a context in `url` and in `context`", "keep one of them"


def _identity(item: Json) -> tuple[str, str]:
    if "glue" in item:
        return "glue", json.dumps(item["glue"], sort_keys=True)
    url = valid_address(item.get("url"))
    if url and item.get("type") == "confluent":
        return "url", context_address(url.url, str(item.get("context", "")))
    return "url", url.url if url else ""


REGISTRY_SECTION = Section(
    member="schema_registries",
    listing={
        "title": "Schema registries",
        "description": "Schema registries of this cluster.",
    },
    schema=_REGISTRY,
    parse=parse_registry,
    validate=validate_registries,
)


if TYPE_CHECKING:
    pass


REGISTRY = typed_kind("schema_registry", SCHEMAS, REGISTRY_SECTION, RegistrySettings, REGISTRIES)
