"""Judge requests to Google's APIs, and answers, by the discovery documents that google-api-python-client has.

Standard input has the name of a document and exchanges; standard output gets the problems.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

Json = Any
_TYPES = {"string": str, "integer": int, "boolean": bool, "number": (int, float), "array": list, "object": dict}
_FORMATS = {
    "int64": r"-?\d+",
    "uint64": r"\d+",
    "google-datetime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)",
}
_COMMON = {"alt", "fields", "key", "prettyPrint", "quotaUser"}


class Document:
    """A discovery document: its methods by HTTP method and path, and its schemas."""

    def __init__(self, name: str) -> None:
        with open(f"{DISCOVERY_DOC_DIR}/{name}.json", encoding="utf-8") as file:  # noqa: PTH123
            document = json.load(file)
        self._schemas = document["schemas"]
        self._base = "/" + document["servicePath"]
        self._methods = list(methods_of(document))

    def problems(self, exchange: Json) -> Iterator[str]:
        """Yield what is wrong with a request, and with its answer if that is no error."""
        parts = urlsplit(exchange["url"])
        where = f"{exchange['method']} {parts.path}"
        found = [method for method in self._methods if self._fits(method, exchange["method"], parts.path)]
        if len(found) != 1:
            yield f"{where}: {len(found)} methods"
            return
        (method,) = found
        where = f"{method['id']}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            known = method.get("parameters", {}).get(name)
            if known is None and name not in _COMMON:
                yield f"{where}: no parameter {name}"
            elif known:
                yield from parameter_problems(known, value, f"{where}?{name}")
        if bool(exchange["body"]) != ("request" in method):
            yield f"{where}: has {'a' if exchange['body'] else 'no'} body"
        elif exchange["body"]:
            yield from self._value(method["request"], exchange["body"], f"{where} request")
        if exchange["status"] == 200 and "response" in method and exchange["answer"] is not None:
            answers = exchange["answer"] if isinstance(exchange["answer"], list) else [exchange["answer"]]
            for answer in answers:
                yield from self._value(method["response"], answer, f"{where} answer")

    def _fits(self, method: Json, verb: str, path: str) -> bool:
        if method["httpMethod"] != verb or not path.startswith(self._base):
            return False
        template = method.get("flatPath") or method["path"]
        pattern = re.sub(r"\\\{\\?\+?\w+\\\}", "[^/]+", re.escape(template))
        return re.fullmatch(pattern, unquote(path.removeprefix(self._base))) is not None

    def _value(self, schema: Json, value: Json, path: str) -> Iterator[str]:
        schema = self._schemas[schema["$ref"]] if "$ref" in schema else schema
        kind = schema.get("type", "any")
        if kind == "any":
            return
        if not isinstance(value, _TYPES[kind]) or (kind in ("integer", "number") and isinstance(value, bool)):
            yield f"{path}: {value!r} is not of type {kind}"
        elif kind == "array":
            for number, item in enumerate(value):
                yield from self._value(schema["items"], item, f"{path}[{number}]")
        elif kind == "object":
            known = schema.get("properties", {})
            for name, member in value.items():
                if name in known and known[name].get("readOnly") and path.endswith(" request"):
                    yield f"{path}.{name} is only for output"
                if name in known or "additionalProperties" in schema:
                    yield from self._value(known.get(name) or schema["additionalProperties"], member, f"{path}.{name}")
                else:
                    yield f"{path}: no member {name}"
        elif "enum" in schema and value not in schema["enum"]:
            yield f"{path}: {value!r} is none of {schema['enum']}"
        elif kind == "string" and (form := _FORMATS.get(schema.get("format", ""))) and not re.fullmatch(form, value):
            yield f"{path}: {value!r} is no {schema['format']}"


def methods_of(resource: Json) -> Iterator[Json]:
    """Yield the methods of a resource and of those in it."""
    yield from resource.get("methods", {}).values()
    for inner in resource.get("resources", {}).values():
        yield from methods_of(inner)


def parameter_problems(schema: Json, value: str, path: str) -> Iterator[str]:
    """Yield what is wrong with the text of a parameter."""
    if schema["type"] == "integer" and not re.fullmatch(r"-?\d+", value):
        yield f"{path}: {value!r} is no number"
    if schema["type"] == "boolean" and value not in ("true", "false"):
        yield f"{path}: {value!r} is no boolean"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"


given = json.load(sys.stdin)
judge = Document(given["document"])
print(json.dumps(sorted({problem for each in given["exchanges"] for problem in judge.problems(each)})))
