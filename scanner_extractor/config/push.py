"""The member `push` of cluster.json: catalogs that lineage is pushed into."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.http import http_errors, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    ParseContext,
    ValidationContext,
    flag,
    member_of,
    object_of,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.push_targets import PushTarget, push_target, target_names
from scanner_extractor.settings.push import IdentityRow, PushSettings, Schemas
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.plugins import PluginError

_PARTS = ("documentation", "owners", "tags")
_IDENTITY: Json = {
    "type": "object",
    "title": "Identity",
    "description": "Names of the datasets of one namespace in the catalog.",
    "additionalProperties": False,
    "required": ["namespace"],
    "properties": {
        "namespace": text("Namespace", "An OpenLineage namespace, or its scheme.", "kafka://broker-1:9092", "kafka"),
        "platform": text("Platform", "DataHub's platform, or Databricks' system type.", "kafka"),
        "instance": text("Instance", "DataHub's platform instance.", "retail"),
        "service": text("Service", "OpenMetadata's service.", "retail"),
        "lower_case": flag("Lower case", "Write names in lower case, as the catalog does.", default=False),
    },
}
_MEMBERS: Json = {
    "url": text("Address", "Address of the catalog's API.", "https://datahub.example/api/gms"),
    "write": {
        "title": "Write",
        "description": "What to write in addition to schemas and lineage; nothing by default.",
        "type": "array",
        "uniqueItems": True,
        "items": {"enum": list(_PARTS)},
        "examples": [["owners", "tags"]],
    },
    "schemas": {
        "title": "Schemas",
        "description": "Which datasets get a schema: those without one, all, or none.",
        "enum": list(Schemas),
        "default": "missing",
    },
    "after_scan": flag("After each scan", "`scanner watch` and `scanner serve` push after each scan.", default=False),
    "keep_runs": {
        "title": "Kept runs",
        "description": "Newest runs that can be undone; older ones are pruned from the journal.",
        "type": "integer",
        "minimum": 1,
        "default": 100,
    },
    "identity": {
        "title": "Identity",
        "description": "Names of datasets, by namespace.",
        "type": "array",
        "items": _IDENTITY,
    },
    **HTTP_MEMBERS,
}
"""The members of every target."""


def push_schema(document: Json = None) -> Json:
    """Return the JSON Schema of a catalog: with the members of all targets, or of those that *document* names."""
    listed = member_of(document, "push")
    named = {member_of(item, "target") for item in listed} if isinstance(listed, list) else set()
    targets = [_loaded(name) for name in target_names() if document is None or name in named]
    members = {name: schema for target in targets if target for name, schema in target.schema.items()}
    kind = {"title": "Target", "description": "Type of catalog.", "type": "string", "enum": list(target_names())}
    described = "A catalog that `scanner push` writes lineage into."
    return object_of("Push", described, {"target": kind, **members, **_MEMBERS}, required=["target"])


def _loaded(name: str) -> PushTarget | None:
    """Return a target; None for a plug-in that cannot be loaded, which `push_errors` reports."""
    try:
        return push_target(name)
    except PluginError:
        return None


def push_errors(context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what a JSON Schema cannot check of the member `push`, of any form."""
    listed = member_of(context.document, "push")
    items = [(("push", number), item) for number, item in enumerate(listed if isinstance(listed, list) else ())]
    yield from http_errors([(path, item) for path, item in items if isinstance(item, dict)], context)
    for path, item in items:
        target = member_of(item, "target")
        if not isinstance(target, str) or target not in target_names():
            continue
        try:
            needs = push_target(target).needs
        except PluginError as error:
            yield (*path, "target"), error.what, error.hint
            continue
        for name in needs:
            if name not in item:
                yield path, f"the target {target} needs {name!r}", f"add {name!r}"


def push_settings(item: Json, context: ParseContext) -> PushSettings:
    """Build the settings of one catalog from a valid *item*."""
    target = push_target(item["target"])
    url = {"url": target.address(item)} if target.address else {}
    settings = PushSettings(
        target=item["target"],
        http=parse_http(url | item, context),
        identity=tuple(IdentityRow(**row) for row in item.get("identity", ())),
        parts=frozenset(item.get("write", ())),
        schemas=Schemas(item.get("schemas", Schemas.MISSING)),
        after_scan=item.get("after_scan", False),
        keep_runs=item.get("keep_runs", 100),
        options={name: item[name] for name in target.schema if name in item},
    )
    return target.parse(settings, item)
