"""Judge requests to OpenMetadata by the models of openmetadata-ingestion.

Standard input has the requests; standard output gets the problems.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from metadata.generated.schema.api.data.createPipeline import CreatePipelineRequest
from metadata.generated.schema.api.data.createTopic import CreateTopicRequest
from metadata.generated.schema.api.services.createMessagingService import CreateMessagingServiceRequest
from metadata.generated.schema.api.services.createPipelineService import CreatePipelineServiceRequest
from metadata.generated.schema.entity.data.pipeline import Pipeline
from metadata.generated.schema.entity.data.topic import Topic
from metadata.generated.schema.entity.services.messagingService import MessagingService
from metadata.generated.schema.entity.services.pipelineService import PipelineService
from metadata.generated.schema.type.entityLineage import LineageDetails
from pydantic import BaseModel, TypeAdapter, ValidationError

Json = Any
_CREATED = {
    "topics": CreateTopicRequest,
    "pipelines": CreatePipelineRequest,
    "services/messagingServices": CreateMessagingServiceRequest,
    "services/pipelineServices": CreatePipelineServiceRequest,
}
_STORED: dict[str, type[BaseModel]] = {
    "topics": Topic,
    "pipelines": Pipeline,
    "services/messagingServices": MessagingService,
    "services/pipelineServices": PipelineService,
}


def problems(request: Json) -> Iterator[str]:
    """Yield what is wrong with a request."""
    path = unquote(urlsplit(request["url"]).path).removeprefix("/api/v1/")
    kind = "lineage" if path.startswith("lineage/") else path.partition("/name/")[0]
    where, body = f"{request['method']} {path}", request["body"]
    match request["method"]:
        case "PUT" if kind == "lineage":
            yield from model_problems(LineageDetails, with_uuid(body), where)
        case "PUT":
            yield from model_problems(_CREATED[kind], body, where)
        case "PATCH":
            for operation in body:
                yield from operation_problems(LineageDetails if kind == "lineage" else _STORED[kind], operation, where)


def operation_problems(model: type[BaseModel], operation: Json, where: str) -> Iterator[str]:
    """Yield what is wrong with an operation of a JSON Patch on a resource."""
    name, *rest = operation["path"].lstrip("/").split("/")
    field = next((field for key, field in model.model_fields.items() if name in (key, field.alias)), None)
    if field is None:
        yield f"{where}: {model.__name__} has no {name}"
    elif operation["op"] in ("add", "replace"):
        value = [operation["value"]] if rest == ["-"] else operation["value"]
        try:
            TypeAdapter(field.annotation).validate_python(with_uuid(value))
        except ValidationError as error:
            yield f"{where}/{name}: {error}"
    elif operation["op"] not in ("remove", "test"):
        yield f"{where}: {operation}"


def model_problems(model: type[BaseModel], body: Json, where: str) -> Iterator[str]:
    """Yield what a model reports, and the members that it does not have."""
    try:
        kept = model.model_validate(body).model_dump(mode="json", by_alias=True)
    except ValidationError as error:
        yield f"{where}: {error}"
        return
    yield from (f"{where}: {lost}" for lost in lost_members(body, kept, "$"))


def with_uuid(value: Json) -> Json:
    """Return *value* with a UUID for each id of the fake, which numbers them."""
    match value:
        case dict():
            return {name: _uuid(each) if name == "id" else with_uuid(each) for name, each in value.items()}
        case list():
            return [with_uuid(each) for each in value]
    return value


def _uuid(text: str) -> str:
    return "8c9b7a1e-6a4f-4d1c-9a51-0a4c6f7f6d11" if text.startswith("id-") else text


def lost_members(given: Json, kept: Json, path: str) -> Iterator[str]:
    """Yield the places where what was given is not what the model kept; members may be added."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            yield from lost_members(value, kept.get(name), f"{path}.{name}")
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for number, (one, other) in enumerate(zip(given, kept, strict=True)):
            yield from lost_members(one, other, f"{path}[{number}]")
    elif given != kept:
        yield f"{path} was {str(given)[:100]}, and is {str(kept)[:100]}"


print(json.dumps([problem for request in json.load(sys.stdin) for problem in problems(request)]))
