"""Judge requests to DataHub by the classes of acryl-datahub: standard input has them, standard output the problems."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.serialization_helper import post_json_transform, pre_json_transform
from datahub.metadata.schema_classes import ASPECT_NAME_MAP, KEY_ASPECTS, SystemMetadataClass
from datahub.metadata.urns import Urn

Json = Any


def problems(request: Json) -> Iterator[str]:
    """Yield what is wrong with a request."""
    path = [unquote(part) for part in urlsplit(request["url"]).path.strip("/").split("/")]
    match request["method"], path:
        case "POST", ["openapi", "v3", "entity", kind, "batchGet"]:
            for entity in request["body"]:
                yield from urn_problems(entity["urn"], kind)
                yield from aspect_names(kind, entity.keys() - {"urn"})
        case "POST", ["openapi", "v3", "entity", kind]:
            for entity in request["body"]:
                yield from urn_problems(entity["urn"], kind)
                yield from aspect_names(kind, entity.keys() - {"urn"})
                for name, aspect in entity.items():
                    if name != "urn" and name in ASPECT_NAME_MAP:
                        yield from aspect_problems(entity["urn"], name, aspect)
        case "DELETE", ["openapi", "v3", "entity", kind, urn, aspect]:
            yield from urn_problems(urn, kind)
            yield from aspect_names(kind, {aspect})
        case "POST", ["entities"]:
            yield from urn_problems(request["body"]["urn"])
        case other:
            yield f"no such request: {other}"


def aspect_names(kind: str, names: set[str]) -> Iterator[str]:
    """Yield the aspects that an entity of a kind does not have."""
    known = KEY_ASPECTS[kind].ASPECT_INFO["entityAspects"]
    yield from (f"{kind} has no aspect {name}" for name in sorted(names - set(known)))


def urn_problems(text: str, kind: str = "") -> Iterator[str]:
    """Yield what DataHub's parser reports for a URN, and whether it is of another kind or written otherwise."""
    try:
        urn = Urn.from_string(text)
    except Exception as error:
        yield f"{text}: {error}"
        return
    if kind and urn.entity_type != kind:
        yield f"{text} is a {urn.entity_type}, not a {kind}"
    if urn.urn() != text:
        yield f"{text} is written {urn.urn()}"


def aspect_problems(urn: str, name: str, aspect: Json) -> Iterator[str]:
    """Yield what differs between an aspect and what the class of DataHub makes of it."""
    where = f"{urn} {name}"
    try:
        value = ASPECT_NAME_MAP[name].from_obj(post_json_transform(aspect["value"]))
        proposal = MetadataChangeProposalWrapper(entityUrn=urn, aspect=value)
        valid = value.validate() and proposal.validate() and proposal.make_mcp().validate()
    except Exception as error:
        yield f"{where}: {error!r}"
        return
    if not valid:
        yield f"{where} is not valid: {str(aspect['value'])[:200]}"
        return
    yield from (f"{where}: {lost}" for lost in lost_members(aspect["value"], pre_json_transform(value.to_obj()), "$"))
    yield from (f"{where}: {problem}" for text in urns_in(aspect["value"]) for problem in urn_problems(text))
    metadata = aspect.get("systemMetadata", {})
    again = SystemMetadataClass.from_obj(metadata).to_obj()
    yield from (f"{where}: {lost}" for lost in lost_members(metadata, again, "$.systemMetadata"))
    if unknown := aspect.keys() - {"value", "systemMetadata"}:
        yield f"{where}: {sorted(unknown)}"


def lost_members(given: Json, kept: Json, path: str) -> Iterator[str]:
    """Yield the places where what was given is not what was kept; members may be added."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            yield from lost_members(value, kept.get(name), f"{path}.{name}")
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for number, (one, other) in enumerate(zip(given, kept, strict=True)):
            yield from lost_members(one, other, f"{path}[{number}]")
    elif given != kept:
        yield f"{path} was {str(given)[:100]}, and is {str(kept)[:100]}"


def urns_in(value: Json) -> Iterator[str]:
    """Yield the URNs in an aspect."""
    match value:
        case str() if value.startswith("urn:li:"):
            yield value
        case dict():
            for member in value.values():
                yield from urns_in(member)
        case list():
            for member in value:
                yield from urns_in(member)


print(json.dumps([problem for request in json.load(sys.stdin) for problem in problems(request)]))
