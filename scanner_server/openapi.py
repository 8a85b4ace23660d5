"""The parameters of questions in requests, and the OpenAPI 3.1 document, both made of the table of questions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from scanner_api.questions.documents import Schemas
from scanner_api.questions.question import Parameter, Question
from scanner_api.questions.table import QUESTIONS
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, Problem

Json = Any

BASE = "/api/v1"
OPERATIONS = tuple(question for question in QUESTIONS if question.path)
"""The questions that the API answers."""


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@lru_cache(maxsize=256)
def parameters_of(question: Question) -> type[BaseModel]:
    """Return the model of the parameters of *question* in requests; a list has pages where its size is not limited."""
    signature = inspect.signature(question.answer)
    hints = get_type_hints(question.answer, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(signature.parameters.items())[1:]:
        kind, *notes = get_args(hints[name])
        described = next(note for note in notes if isinstance(note, Parameter))
        default = question.page if name == "limit" and parameter.default is None else parameter.default
        if described.longest and {str, int} <= set(get_args(kind)):  # a number has no length
            text = Annotated[str, Field(min_length=1, max_length=described.longest)]
            kind, described = text | int, replace(described, longest=None)
        least = 1 if kind is str and parameter.default is parameter.empty else None
        fields[name] = kind, _field(described, ... if parameter.default is parameter.empty else default, least)
    return create_model(f"{question.name}_parameters", __base__=_Parameters, **fields)


def _field(described: Parameter, default: object, shortest: int | None) -> Any:  # noqa: ANN401 - pydantic's
    """Return the field of a parameter, which is required where *default* is `...`."""
    limits: dict[str, Any] = {"ge": described.least, "le": described.most, "max_length": described.longest}
    names: dict[str, Any] = {"alias": described.request} if described.request else {}
    return Field(default, description=described.text, min_length=shortest, **limits, **names)


@lru_cache(maxsize=256)
def former_names(question: Question) -> Mapping[str, str]:
    """Return the names that requests may still use for parameters, with those of today."""
    hints = get_type_hints(question.answer, include_extras=True)
    described = ((name, note) for name, hint in hints.items() for note in get_args(hint) if isinstance(note, Parameter))
    return {former: note.request or name for name, note in described for former in note.former}


def outer_name(name: str, field: FieldInfo) -> str:
    """Return the name of a parameter in a request."""
    return field.alias or name


def read_parameters(question: Question, values: Mapping[str, Json], *, outer: bool = True) -> dict[str, Any]:
    """Return the arguments of *question*'s function; raises InputInvalid with every parameter that is wrong.

    They have the names of requests, or with *outer* False those of the function.
    """
    model, former = parameters_of(question), former_names(question) if outer else {}
    named = {former.get(name, name): value for name, value in values.items()}
    try:
        read = model.model_validate(named, by_alias=outer, by_name=not outer)
    except ValidationError as error:
        known = [outer_name(name, field) if outer else name for name, field in model.model_fields.items()]
        raise InputInvalid.listing([_problem(detail, known) for detail in error.errors()]) from error
    return {name: getattr(read, name) for name in model.model_fields}


def _problem(error: Any, known: list[str]) -> Problem:  # noqa: ANN401 - pydantic's details
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return Problem(name, "is not a parameter", closest_match(name, known) or f"known: {', '.join(known) or 'none'}")
    return Problem(name, str(error["msg"]))


_PROBLEM: Json = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "code": {"type": "string", "description": "Which kind of problem, a stable word for programs."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong."},
        "where": {"type": "string", "description": "Which parameter or name; may be absent."},
        "hint": {"type": "string", "description": "What to do, with the nearest known names; absent without one."},
        "problems": {"type": "array", "items": {"type": "object"}},
        "choices": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What to write instead of a name that means several things; absent for others.",
        },
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
        f"{BASE}{question.path}": {question.method.lower(): _operation(question, schemas)} for question in OPERATIONS
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
        "tags": [{"name": name, "description": text} for name, text in _tags().items()],
        "paths": paths,
        "components": {
            "schemas": {**dict(sorted(schemas.components.items())), "ProblemDetails": _PROBLEM},
            "responses": {code: _error(text) for code, text in _ERRORS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _tag(question: Question) -> str:
    """Return the group of an operation: the module of its question."""
    return question.function.partition(":")[0].rpartition(".")[2]


def _tags() -> Mapping[str, str]:
    """Return the groups of operations, in their order, with what their modules say of them."""
    modules = {_tag(question): inspect.getmodule(question.answer) for question in OPERATIONS}
    return {name: (module.__doc__ or "").partition("\n")[0] for name, module in modules.items() if module}


def _operation(question: Question, schemas: Schemas) -> Json:
    result = get_type_hints(question.answer)["return"]
    schema = schemas.of(result) if question.media == "application/json" else {"type": "string"}
    return {
        "operationId": question.name,
        "summary": question.summary,
        "tags": [_tag(question)],
        **(_posted(question) if question.method == "POST" else {"parameters": _parameters(question)}),
        "responses": {
            "200": {"description": "The answer.", "content": {question.media: {"schema": schema}}}
            | ({} if question.method == "POST" else {"headers": _HEADERS}),
            **({} if question.method == "POST" else {"304": {"description": _UNCHANGED}}),
            **{code: {"$ref": f"#/components/responses/{code}"} for code in _errors_of(question)},
        },
    }


_HEADERS = {"ETag": {"description": "Changes with every scan and graph.", "schema": {"type": "string"}}}
_UNCHANGED = "It is as the client has it (If-None-Match)."


def _errors_of(question: Question) -> list[str]:
    return [code for code in _ERRORS if question.method == "POST" or code not in _OF_BODIES]


def _posted(question: Question) -> Json:
    """Return the description of a body that has the parameters as its members."""
    schema = parameters_of(question).model_json_schema(by_alias=True)
    for member in schema["properties"].values():
        member.pop("title", None)
    schema.pop("title")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _parameters(question: Question) -> list[Json]:
    model = parameters_of(question)
    described = model.model_json_schema(by_alias=True)["properties"]
    in_path = set(re.findall(r"\{(\w+)\}", question.path))
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
                "required": field.is_required() or name in in_path,
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
