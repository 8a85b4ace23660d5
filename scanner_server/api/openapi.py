"""The OpenAPI 3.1 document, made of the table of operations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, Problem
from scanner_server.api.documents import Schemas
from scanner_server.api.operations import BASE, OPERATIONS, Operation

Json = Any


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@lru_cache(maxsize=256)
def parameters_of(operation: Operation) -> type[BaseModel]:
    """Return the model of the parameters of *operation*."""
    signature = inspect.signature(operation.answer)
    hints = get_type_hints(operation.answer, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in signature.parameters.items()
        if name != "dictionary"
    }
    return create_model(f"{operation.name}_parameters", __base__=_Parameters, **fields)


def outer_name(name: str, field: FieldInfo) -> str:
    """Return the name of a parameter in a request."""
    return field.alias or name


def read_parameters(operation: Operation, values: Mapping[str, Json]) -> dict[str, Any]:
    """Return the arguments of *operation*'s function; raises InputInvalid with every parameter that is wrong."""
    model = parameters_of(operation)
    try:
        read = model.model_validate(dict(values))
    except ValidationError as error:
        known = [outer_name(name, field) for name, field in model.model_fields.items()]
        raise InputInvalid.listing([_problem(detail, known) for detail in error.errors()]) from error
    return {name: getattr(read, name) for name in model.model_fields}


def _problem(error: Any, known: list[str]) -> Problem:  # noqa: ANN401 - pydantic's details
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return Problem(name, "is no parameter", closest_match(name, known) or f"known: {', '.join(known) or 'none'}")
    return Problem(name, str(error["msg"]))


_PROBLEM: Json = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong."},
        "where": {"type": "string", "description": "Which parameter or name; absent where there is none."},
        "hint": {"type": "string", "description": "What to do, with the nearest known names; absent without one."},
        "problems": {"type": "array", "items": {"type": "object"}},
    },
}
_ERRORS = {
    "400": "A parameter is wrong.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another host name or a web page.",
    "404": "The dictionary does not have this name; the hint has the nearest.",
    "408": "The body took too long.",
    "413": "The body is too large.",
    "503": "The dictionary cannot be read now.",
}
_OF_BODIES = ("408", "413")


@lru_cache(maxsize=1)
def openapi_document() -> Json:
    """Return the document; it is the same for every dictionary."""
    schemas = Schemas()
    paths = {
        f"{BASE}{operation.path}": {operation.method.lower(): _operation(operation, schemas)}
        for operation in OPERATIONS
    }
    paths[f"{BASE}/lineage"]["post"] = _INTAKE
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "scanner",
            "version": version("kafka-lineage-scanner"),
            "description": "Metadata and lineage of Kafka installations: what `scanner` has stored in its dictionary.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {**dict(sorted(schemas.components.items())), "ProblemDetails": _PROBLEM},
            "responses": {code: _error(text) for code, text in _ERRORS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(operation: Operation, schemas: Schemas) -> Json:
    result = get_type_hints(operation.answer)["return"]
    schema = schemas.of(result) if operation.media == "application/json" else {"type": "string"}
    return {
        "operationId": operation.name,
        "summary": (operation.answer.__doc__ or "").strip().splitlines()[0],
        **(_posted(operation) if operation.method == "POST" else {"parameters": _parameters(operation)}),
        "responses": {
            "200": {"description": "The answer.", "content": {operation.media: {"schema": schema}}}
            | ({} if operation.method == "POST" else {"headers": _HEADERS}),
            **({} if operation.method == "POST" else {"304": {"description": _UNCHANGED}}),
            **{code: {"$ref": f"#/components/responses/{code}"} for code in _errors_of(operation)},
        },
    }


_HEADERS = {"ETag": {"description": "Changes with every scan and graph.", "schema": {"type": "string"}}}
_UNCHANGED = "It is as the client has it (If-None-Match)."


def _errors_of(operation: Operation) -> list[str]:
    return [code for code in _ERRORS if operation.method == "POST" or code not in _OF_BODIES]


def _posted(operation: Operation) -> Json:
    """Return the description of a body that has the parameters as its members."""
    schema = parameters_of(operation).model_json_schema(by_alias=True)
    for member in schema["properties"].values():
        member.pop("title", None)
    schema.pop("title")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _parameters(operation: Operation) -> list[Json]:
    model = parameters_of(operation)
    described = model.model_json_schema(by_alias=True)["properties"]
    in_path = set(re.findall(r"\{(\w+)\}", operation.path))
    listed = []
    for name, field in model.model_fields.items():
        outer = outer_name(name, field)
        schema = dict(described[outer])
        text = schema.pop("description", "")
        schema.pop("title", None)
        listed.append(
            {
                "name": outer,
                "in": "path" if name in in_path else "query",
                "required": field.is_required(),
                "description": text,
                "schema": schema,
            }
        )
    return listed


def _error(text: str) -> Json:
    problem = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}
    return {"description": text, "content": {"application/problem+json": problem}}


_INTAKE: Json = {
    "operationId": "post_lineage_events",
    "summary": "Receive OpenLineage events, one or an array; only with --intake.",
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}
            }
        },
    },
    "responses": {
        "200": {"description": "Some events of a batch are stored, others were refused."},
        "201": {"description": "Every event is on disk."},
        "400": {"description": "No event is valid; `error` and `hint` say why."},
        "405": {"description": "The server does not receive events."},
        "413": {"description": "The body is too large."},
        "503": {"description": "Nothing is stored now; send it again after Retry-After seconds."},
    },
}
