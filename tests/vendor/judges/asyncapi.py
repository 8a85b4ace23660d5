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
        AsyncAPI3.model_validate(document)
    except ValidationError as error:
        yield from (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())


print(json.dumps([problem for document in json.load(sys.stdin) for problem in problems(document)]))
