"""The parameters of operations: parsed and checked as the signature of the operation's function says."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid, Problem
from scanner_server.operations import Operation

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


def read_parameters(operation: Operation, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of *operation*'s function; raises InputInvalid with every parameter that is wrong."""
    model = parameters_of(operation)
    try:
        values = model.model_validate(dict(texts))
    except ValidationError as error:
        known = [outer_name(name, field) for name, field in model.model_fields.items()]
        raise InputInvalid.listing([_problem(each, known) for each in error.errors()]) from error
    return {name: getattr(values, name) for name in model.model_fields}


def _problem(error: Any, known: list[str]) -> Problem:  # noqa: ANN401 - pydantic's details
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return Problem(name, "is no parameter", closest_match(name, known) or f"known: {', '.join(known) or 'none'}")
    return Problem(name, str(error["msg"]))
