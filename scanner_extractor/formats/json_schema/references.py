"""Resolve JSON Schema references: URIs, anchors, pointers, other texts. Nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it ships no types

from scanner_extractor.formats.limits import read_json
from scanner_model.columns import Lookup
from scanner_model.errors import InputInvalid

_LEGACY = re.compile(r"draft-0[34]")
_MODERN = re.compile(r"/draft/(?:\d{4}-\d\d|next)/|/oas/3\.[1-9]")
_META = re.compile(r"https?://json-schema\.org/")

Schema = Any
"""A schema as written: an object, true or false; anything else where the text is wrong."""

_ONE = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTS = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
_SHARED = {"definitions": "$defs", "$defs": "definitions"}


class Dialect(NamedTuple):
    """What differs between drafts: *modern* (2019-09 on), keywords beside `$ref` count; *legacy* (4), `id` names."""

    modern: bool = False
    legacy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resource:
    """A schema with a URI of its own (JSON Schema 2020-12 core, section 4.3.5).

    *anchors* are schemas by plain name; *dynamic* the names among them that a `$dynamicRef` may be redirected to;
    *recursive* is the same for the root and `$recursiveRef`.
    """

    uri: str
    root: Schema
    dialect: Dialect
    recursive: bool
    anchors: dict[str, Any] = field(default_factory=dict)
    dynamic: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Located:
    """A subschema and what its references are relative to.

    *scope* are the resources passed on the way here that dynamic references may be redirected to, outermost first.
    *extra*: it holds for some values only (a branch, a condition), so it adds columns and changes nothing else.
    *options*: it is any one of these, and *schema* only annotates; *same*: if all are objects they are one object.
    *made*: *schema* was made by us, not by the text.
    *via* are references that led here and are not to be seen any more: (identity of the target, text).
    *inside* are the identities of the schemas that it is a part of, itself too, at the place in which it was merged;
    of a place that was not merged yet, those of the schemas that list it as a property, element or map value.
    """

    schema: Schema
    resource: Resource
    scope: tuple[Resource, ...] = ()
    extra: bool = False
    options: tuple[Located, ...] = ()
    same: bool = False
    made: bool = False
    via: tuple[tuple[int, str], ...] = ()
    inside: frozenset[int] = frozenset()


_DRAFT_7 = Dialect()
"""What a schema that does not name its draft is read as, as registries do."""


class References:
    """Follows the references of one schema and of the texts that it needs; each text is read once."""

    def __init__(self, root: Schema, lookup: Lookup) -> None:
        self._lookup = lookup
        self._resources: dict[str, Resource | None] = {}
        self._texts: dict[str, Resource | None] = {}
        self._targets: dict[tuple[str, Resource, tuple[Resource, ...]], Located | None] = {}
        self.root = _at_root(self._index(root, ""), ())

    def child(self, schema: Schema, parent: Located) -> Located:
        """Locate a subschema of *parent*; it may be a resource of its own."""
        return self._located(schema, parent.resource, parent.scope)

    def follow(self, reference: str, subschema: Located) -> Located | None:
        """Find what a `$ref` at *subschema* means; None: no text that we can have holds it."""
        key = (reference, subschema.resource, subschema.scope)
        if key not in self._targets:
            self._targets[key] = self._target(reference, subschema)
        return self._targets[key]

    def _target(self, reference: str, subschema: Located) -> Located | None:
        uri, _, fragment = _joined(subschema.resource.uri, reference).partition("#")
        resource = self._resource(uri, reference.partition("#")[0])
        if resource is None:
            return None
        if not fragment:
            return _at_root(resource, subschema.scope)
        if fragment.startswith("/"):
            return self._pointed(fragment, _at_root(resource, subschema.scope))
        name = unquote(fragment)
        return self._anchored(name, resource, subschema.scope) if name in resource.anchors else None

    def follow_dynamic(self, reference: str, subschema: Located) -> Located | None:
        """Find what a `$dynamicRef` means: the outermost resource on the way here with that dynamic anchor wins."""
        target = self.follow(reference, subschema)
        name = unquote(reference.partition("#")[2])
        if target is None or name not in target.resource.dynamic:
            return target
        outer = next((resource for resource in subschema.scope if name in resource.dynamic), target.resource)
        return self._anchored(name, outer, subschema.scope)

    def follow_recursive(self, reference: str, subschema: Located) -> Located | None:
        """Find what a `$recursiveRef` means: the outermost resource on the way here that allows it wins."""
        target = self.follow(reference, subschema)
        if target is None or not target.resource.recursive:
            return target
        outer = next((resource for resource in subschema.scope if resource.recursive), target.resource)
        return _at_root(outer, subschema.scope)

    def _anchored(self, name: str, resource: Resource, scope: tuple[Resource, ...]) -> Located:
        return self._located(resource.anchors[name], resource, _at_root(resource, scope).scope)

    def _located(self, schema: Schema, parent: Resource, scope: tuple[Resource, ...]) -> Located:
        name = _identifier(schema, parent.dialect)
        if name is None or schema is parent.root:
            return Located(schema=schema, resource=parent, scope=scope)
        resource = self._resources.get(_joined(parent.uri, name))
        if resource is None or resource.root is not schema:
            return Located(schema=schema, resource=parent, scope=scope)
        return _at_root(resource, scope)

    def _pointed(self, fragment: str, subschema: Located) -> Located | None:
        tokens = [unquote(token).replace("~1", "/").replace("~0", "~") for token in fragment.split("/")[1:]]
        swapped = [_SHARED.get(token, token) for token in tokens]
        return self._descend(tokens, subschema) or self._descend(swapped, subschema)

    def _descend(self, tokens: list[str], subschema: Located) -> Located | None:
        for token in tokens:
            value = subschema.schema
            if isinstance(value, dict) and token in value:
                subschema = self.child(value[token], subschema)
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                subschema = self.child(value[int(token)], subschema)
            else:
                return None
        return subschema

    def _resource(self, uri: str, reference: str) -> Resource | None:
        if uri not in self._resources:
            self._resources[uri] = self._loaded(uri, reference)
        return self._resources[uri]

    def _loaded(self, uri: str, reference: str) -> Resource | None:
        names = (uri, reference, uri.rpartition("/")[2])
        resources = (self._from_text(name, uri) for name in dict.fromkeys(names) if name)
        return next((resource for resource in resources if resource), None) or self._metaschema(uri)

    def _from_text(self, name: str, uri: str) -> Resource | None:
        # One text stays one resource whatever URI led to it: else a text that refers to itself by a relative
        # path (a/x.json, a/a/x.json, …) would never be recognised as a recursion.
        if name not in self._texts:
            text = self._lookup(name)
            value = _json(text) if text is not None else None
            self._texts[name] = self._index(value, uri) if isinstance(value, dict | bool) else None
        return self._texts[name]

    def _metaschema(self, uri: str) -> Resource | None:
        if not _META.match(uri):
            return None
        resource = REGISTRY.get(uri)
        return self._index(resource.contents, uri) if resource else None

    def _index(self, root: Schema, uri: str) -> Resource:
        """Index every resource and anchor of a text, and return the text's root resource."""
        dialect = _DRAFT_7._replace(legacy=_is_named_as_in_draft_4(root))
        outermost = self._opened(root, _joined(uri, _identifier(root, dialect) or ""), dialect)
        self._resources.setdefault(uri, outermost)
        stack = [(root, outermost)]
        while stack:
            schema, resource = stack.pop()
            if not isinstance(schema, dict):
                continue
            name = _identifier(schema, resource.dialect)
            if name is not None and schema is not resource.root:
                resource = self._opened(schema, _joined(resource.uri, name), resource.dialect)
            _note_anchors(schema, resource)
            stack.extend((child, resource) for child in reversed(list(_subschemas(schema))))
        return outermost

    def _opened(self, schema: Schema, uri: str, inherited: Dialect) -> Resource:
        recursive = isinstance(schema, dict) and schema.get("$recursiveAnchor") is True
        resource = Resource(uri=uri, root=schema, dialect=_dialect(schema, inherited), recursive=recursive)
        self._resources.setdefault(uri, resource)
        return resource


def _at_root(resource: Resource, scope: tuple[Resource, ...]) -> Located:
    if (resource.dynamic or resource.recursive) and resource not in scope:
        scope = (*scope, resource)
    return Located(schema=resource.root, resource=resource, scope=scope)


def _dialect(schema: Schema, inherited: Dialect) -> Dialect:
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return inherited
    return Dialect(modern=bool(_MODERN.search(named)), legacy=bool(_LEGACY.search(named)))


def _is_named_as_in_draft_4(schema: Schema) -> bool:
    name = schema.get("id") if isinstance(schema, dict) and "$id" not in schema else None
    return isinstance(name, str) and "://" in name


def _identifier(schema: Schema, inherited: Dialect) -> str | None:
    """Return the URI that *schema* names itself by, without a fragment; None where it has none."""
    dialect = _dialect(schema, inherited)
    if not isinstance(schema, dict) or ("$ref" in schema and not dialect.modern):
        return None
    names = [schema.get(key) for key in (("$id", "id") if dialect.legacy else ("$id",))]
    return next((name.partition("#")[0] for name in names if isinstance(name, str) and name.partition("#")[0]), None)


def _note_anchors(schema: dict[str, Any], resource: Resource) -> None:
    # Until draft 7 an anchor was an identifier that is only a fragment.
    for key in ("$anchor", "$dynamicAnchor"):
        if isinstance(name := schema.get(key), str):
            resource.anchors.setdefault(name, schema)
    for key in ("$id", "id"):
        name = schema.get(key)
        if isinstance(name, str) and "#" in name and name.partition("#")[2]:
            resource.anchors.setdefault(name.partition("#")[2], schema)
    if isinstance(name := schema.get("$dynamicAnchor"), str):
        resource.dynamic.add(name)


def _subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    for key in _ONE:
        if isinstance(schema.get(key), dict):
            yield schema[key]
    for key in _LISTS:
        if isinstance(schema.get(key), list):
            yield from schema[key]
    for key in _MAPS:
        if isinstance(schema.get(key), dict):
            yield from schema[key].values()


def _joined(base: str, reference: str) -> str:
    if reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _json(text: str) -> object:
    try:
        return read_json(text)
    except InputInvalid:
        return None
