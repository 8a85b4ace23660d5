"""The `applications` of cluster.json, as facts: they say to whom the clients of other sources belong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scanner_extractor.config.sections import (
    Items,
    ParseContext,
    Section,
    ValidationContext,
    nonempty,
    object_of,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.results import Reading, answered
from scanner_model.clients import ApplicationIdentity, IdentityKind
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationSettings:
    """The applications that cluster.json names: for each its owner, and (kind of name, pattern) pairs."""

    owners: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("applications:cluster.json")


_KINDS = [kind.value for kind in IdentityKind]

_NAMES: Json = {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}

_APPLICATIONS: Json = {
    "type": "object",
    "title": "Applications",
    "description": "Applications with their owners and client names.",
    "propertyNames": {"minLength": 1},
    "additionalProperties": object_of(
        "Application",
        "One application; names are whole ones, or globs where they hold *, ? or [.",
        {
            "owner": nonempty("Owner", "Whom to call.", "team-orders"),
            **{kind: {**_NAMES, "title": kind, "description": f"Names of the kind {kind}."} for kind in _KINDS},
        },
    ),
    "examples": [{"orders-service": {"owner": "team-orders", "client.id": ["orders-*"], "group": ["orders"]}}],
}


def parse_applications(item: Json, _: ParseContext) -> ApplicationSettings:
    """Return the applications; each is also called by its own name."""
    return ApplicationSettings(
        owners={name: members.get("owner", "") for name, members in item.items()},
        identities={
            name: (
                (IdentityKind.APPLICATION.value, name),
                *((kind, pattern) for kind in _KINDS for pattern in members.get(kind, ())),
            )
            for name, members in item.items()
        },
    )


def validate_applications(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield names that two applications have."""
    for path, item in items:
        owners: dict[tuple[str, str], str] = {}
        for application, members in item.items():
            for kind in _KINDS if isinstance(members, dict) else ():
                listed = members.get(kind)
                for at, name in enumerate(listed if isinstance(listed, list) else ()):
                    if owners.setdefault((kind, str(name)), application) != application:
                        what = f"the application {owners[kind, str(name)]!r} has this name, too"
                        yield (*path, application, kind, at), what, "a client belongs to one application"


APPLICATIONS_SECTION = Section(
    member="applications",
    schema=_APPLICATIONS,
    parse=parse_applications,
    validate=validate_applications,
    over_http=False,
)


def read_mapping(settings: ApplicationSettings) -> Reading:
    """Return a fact for each name of each application."""
    identities = tuple(
        ApplicationIdentity(
            source=settings.source,
            application=application,
            kind=IdentityKind(kind),
            pattern=pattern,
            owner=settings.owners.get(application, ""),
        )
        for application, names in sorted(settings.identities.items())
        for kind, pattern in sorted(set(names))
    )
    return Reading(outcome=answered(settings.source, "applications", len(identities)), facts=identities)
