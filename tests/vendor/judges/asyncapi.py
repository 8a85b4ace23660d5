"""Judge AsyncAPI documents by the models of asyncapi3: standard input has them, standard output gets the problems."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from asyncapi3.models import AsyncAPI3
from pydantic import ValidationError


def problems(document: Any) -> Iterator[str]:
    """Yield what the model reports."""
    try:
        AsyncAPI3.model_validate(without_dots(document))
    except ValidationError as error:
        yield from (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())


def without_dots(document: Any) -> Any:
    """Return *document* with `_` for each dot in keys and references, which asyncapi3 does not take."""
    match document:
        case dict():
            if "asyncapi" in document:
                named = {name: renamed(document[name]) for name in ("channels", "operations") if name in document}
                parts = {name: renamed(rows) for name, rows in document.get("components", {}).items()}
                document = document | named | ({"components": parts} if parts else {})
            elif set(document) == {"$ref"}:
                return {"$ref": document["$ref"].replace(".", "_")}
            return {
                name: without_dots(renamed(value) if name == "messages" and isinstance(value, dict) else value)
                for name, value in document.items()
            }
        case list():
            return [without_dots(item) for item in document]
    return document


def renamed(rows: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of a map by names without dots."""
    return {name.replace(".", "_"): row for name, row in rows.items()}


print(json.dumps([problem for document in json.load(sys.stdin) for problem in problems(document)]))
