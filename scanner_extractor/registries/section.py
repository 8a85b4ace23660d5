"""The `schema_registries` of cluster.json; the members of each type are in its package in `systems`."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.http import parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
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
    text,
)
from scanner_extractor.config.typed_sources import OPTIONS, TypedSources
from scanner_extractor.http.messages import Json
from scanner_extractor.naming import strategies_in_force
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.settings.cluster import NamingSettings, RegistrySettings
from scanner_extractor.source_kind import SCHEMAS, typed_kind
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, quoted
from scanner_model.errors import InputInvalid

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

_TYPED = TypedSources(
    what="schema registry",
    types=REGISTRIES,
    identity_has_type=False,
    base=object_of(
        "Schema registry",
        "One schema registry.",
        {
            "type": nonempty("Kind", "Registry type", next(iter(REGISTRIES.built_in))),
            "url": address("Address of the registry.", "https://sr.example.org:8081"),
            **HTTP_MEMBERS,
            "naming": _NAMING,
            "options": OPTIONS,
            "environment": text("Environment", "Environment of the registry, stored as written.", "env-1"),
            "deleted": flag("Deleted versions", "Read soft-deleted versions."),
            "compatibility": flag(
                "Compatibility levels",
                "Read the compatibility level of each subject, one request each, if the registry does not list it.",
                default=False,
            ),
        },
        required=["type"],
    ),
)


def parse_registry(item: Json, context: ParseContext) -> RegistrySettings:
    """Return the settings of a schema registry."""
    naming = item.get("naming", {})
    options, url, place = _TYPED.place(item)
    return RegistrySettings(
        type=item["type"],
        http=parse_http(item | {"url": url}, context),
        naming=NamingSettings(
            strategies=tuple(naming.get("strategies", ())),
            subjects={subject: tuple(topics) for subject, topics in naming.get("subjects", {}).items()},
        ),
        environment=item.get("environment", ""),
        deleted=item.get("deleted", True),
        compatibility=item.get("compatibility", False),
        options=options,
        place=place,
    )


def validate_registries(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what is wrong with the types of registries, and unknown strategies."""
    yield from _TYPED.errors(items, context.shown)
    for path, item in items:
        strategies = member_of(item.get("naming"), "strategies")
        for index, name in enumerate(strategies if isinstance(strategies, list) else ()):
            if isinstance(name, str):
                yield from _strategy((*path, "naming", "strategies", index), name, context)


def _strategy(path: JsonPath, name: str, context: ValidationContext) -> Iterator[ErrorMessage]:
    try:
        strategies_in_force([name], "")
    except InputInvalid as error:
        literal = context.shown(path) == quoted(name)
        what = error.what if literal else f"{context.shown(path)} is not a naming strategy"
        yield path, what, error.hint if literal else ""


REGISTRY_SECTION = Section(
    member="schema_registries",
    listing={
        "title": "Schema registries",
        "description": "Schema registries of this cluster.",
    },
    schema=_TYPED.schema,
    parse=parse_registry,
    validate=validate_registries,
)

REGISTRY = typed_kind("schema_registry", SCHEMAS, REGISTRY_SECTION, RegistrySettings, REGISTRIES)
