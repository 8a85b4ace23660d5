"""Judges of events that are no part of the program: openlineage-python's own types, and the specification's schemas.

The schemas are the JSON Schemas of OpenLineage (`spec/OpenLineage.json`, `spec/facets/*.json`), which the project does
not hold. They are taken from the folder that SCANNER_OPENLINEAGE_SPEC names, or `openlineage/spec` of SCANNER_CASES.
"""

from __future__ import annotations

import json
import os
import pkgutil
import re
import types
import typing
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import attr
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from openlineage.client import generated
from openlineage.client.generated.base import BaseFacet
from referencing import Registry, Resource

Json = Any

_CHECKER = FormatChecker(["uuid"])
_CHECKER.checks("uri")(lambda text: not isinstance(text, str) or bool(re.fullmatch(r"[A-Za-z][\w+.-]*:[!-~]+", text)))
_CHECKER.checks("date-time", ValueError)(lambda text: bool(datetime.fromisoformat(text).tzinfo))


def schemas() -> Path | None:
    """Return the folder of the specification's schemas; None where there is none."""
    named = os.environ.get("SCANNER_OPENLINEAGE_SPEC"), os.environ.get("SCANNER_CASES")
    files = [Path(named[0])] if named[0] else [Path(named[1], "openlineage", "spec")] if named[1] else []
    return next((folder for folder in files if (folder / "OpenLineage.json").is_file()), None)


class Specification:
    """Validates events against the schemas in *folder*, formats too, and counts the facets in their versions."""

    def __init__(self, folder: Path) -> None:
        documents = [json.loads(file.read_text("utf-8")) for file in sorted(folder.rglob("*.json"))]
        known = [document for document in documents if isinstance(document, dict) and "$id" in document]
        resources = [(item["$id"], Resource.from_contents(item)) for item in known]
        self._registry: Registry[Json] = Registry().with_resources(resources)
        self._ready: dict[str, Validator] = {}
        self.facets: Counter[str] = Counter()

    def problems(self, event: Json) -> list[str]:
        """Report what is wrong with *event* and its facets, each by the schema that it names."""
        wrong = list(self._wrong(event["schemaURL"], event))
        for facet in facets_of(event):
            name = facet["_schemaURL"].split("/facets/")[-1].partition(".json")[0]
            self.facets[name] += 1
            wrong += self._wrong(facet["_schemaURL"], facet)
        return wrong

    def _wrong(self, url: str, value: Json) -> Iterator[str]:
        if url not in self._ready:
            reference = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": url}
            self._ready[url] = Draft202012Validator(reference, registry=self._registry, format_checker=_CHECKER)
        return (f"{url}: {error.json_path} {error.message}"[:300] for error in self._ready[url].iter_errors(value))


def facets_of(event: Json) -> Iterator[Json]:
    """List the facets of *event*, wherever they stand."""
    holders = [event.get("run"), event.get("job"), event.get("dataset")]
    holders += [*event.get("inputs", ()), *event.get("outputs", ())]
    for holder in filter(None, holders):
        for member in ("facets", "inputFacets", "outputFacets"):
            yield from holder.get(member, {}).values()


def library_problems(event: Json) -> list[str]:
    """Report which facets of *event* are not, in members or version, those that openlineage-python writes."""
    return [problem for facet in facets_of(event) for problem in _unlike(facet)]


def _unlike(facet: Json) -> Iterator[str]:
    name = facet["_schemaURL"].rpartition("/")[2]
    kind = _types().get(name)
    if kind is None:
        yield f"{name} is no facet of the library"
        return
    if kind._get_schema() != facet["_schemaURL"]:
        yield f"{facet['_schemaURL']} is not {kind._get_schema()}"
    body = {member: value for member, value in facet.items() if not member.startswith("_")}
    yield from _misfits(body, kind, name)


def _misfits(value: Json, kind: Any, where: str) -> Iterator[str]:
    """Compare *value* with a type of the library's: attributes that it has, those that it must have, and theirs."""
    arguments = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    match typing.get_origin(kind):
        case types.UnionType | typing.Union:
            result = [list(_misfits(value, argument, where)) for argument in arguments]
            yield from min(result, key=len)
        case typing.Literal:
            yield from () if value in arguments else [f"{where}: {value!r} is none of {arguments}"]
        case origin if origin is list:
            for index, item in enumerate(value):
                yield from _misfits(item, arguments[0], f"{where}[{index}]")
        case origin if origin is dict:
            for key, item in value.items():
                yield from _misfits(item, arguments[1], f"{where}.{key}")
        case _ if attr.has(kind):
            yield from _attributes(value, kind, where)
        case _:
            yield from () if kind is Any or isinstance(value, kind) else [f"{where}: {value!r} is no {kind}"]


def _attributes(value: Json, kind: Any, where: str) -> Iterator[str]:
    hints = typing.get_type_hints(kind)
    known = {field.name: field for field in attr.fields(kind) if not field.name.startswith("_")}
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no object"
        return
    yield from (f"{where}: no member {name!r} is known" for name in value.keys() - known.keys())
    needed = {name for name, item in known.items() if item.default is attr.NOTHING}
    yield from (f"{where}: {name!r} is missing" for name in needed - value.keys())
    for name in value.keys() & known.keys():
        yield from _misfits(value[name], hints[name], f"{where}.{name}")


def _types() -> dict[str, Any]:
    """Return the library's facets by the names of their definitions."""
    if not _FOUND:
        for module in pkgutil.iter_modules(generated.__path__):
            for item in vars(import_module(f"{generated.__name__}.{module.name}")).values():
                if isinstance(item, type) and issubclass(item, BaseFacet) and hasattr(item, "_get_schema"):
                    _FOUND[item._get_schema().rpartition("/")[2]] = item
    return _FOUND


_FOUND: dict[str, Any] = {}
