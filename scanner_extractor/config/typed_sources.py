"""Sources that have a `type` in cluster.json: the members of each type, in one JSON Schema and one check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scanner_extractor.config.http import valid_address
from scanner_extractor.config.sections import HTTP_MEMBERS, Items
from scanner_extractor.http.messages import Json, read_address
from scanner_extractor.source_types import SourceTypes
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown, closest_match, error_messages
from scanner_model.lazy_names import load
from scanner_model.plugins import PluginError

OPTIONS: Json = {
    "title": "Options",
    "description": "Settings of a plug-in's type, validated by its JSON Schema.",
    "type": "object",
}
"""The JSON Schema of the member."""

_WEB = ("url", "auth", "headers")
"""Members of sources that are reached by their `url`."""
_WORDS = frozenset({"title", "description", "examples"})
"""Keywords that only describe a member."""
_OF_OBJECTS = frozenset({"type", "properties", "required", "additionalProperties"}) | _WORDS


class Place(NamedTuple):
    """Settings of a source's type, its address as written, and what distinguishes it from others of its type.

    *place* has no credentials; it is empty for a source of a plug-in, which its address identifies.
    """

    options: Json
    url: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedSources:
    """The objects of a section that have a `type` of *types*; *what* is the noun for one.

    *base* is the JSON Schema with the members of every type. *choices* are those of its members that a built-in type
    has only if its own schema lists them. Types distinguish sources at one address only if *identity_has_type*.
    """

    what: str
    base: Json
    types: SourceTypes[Any]
    choices: Collection[str] = ()
    identity_has_type: bool = True

    def schema(self, items: Items | None = None) -> Json:
        """Return the JSON Schema of an object, with the members of every type that *items* need; None: of all types."""
        names = tuple(self.types.own) if items is None else self._needed(items)
        members: dict[str, Json] = dict(self.base["properties"])
        known = f"{members['type']['description']}: {', '.join(self.types.own)}."
        members["type"] = members["type"] | {"description": known}
        texts: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for name in names:
            for member, schema in self._members(name).items():
                members.setdefault(member, schema)
                if "description" in schema:
                    texts[member].setdefault(schema["description"], []).append(name)
        for member, described in texts.items():
            if members[member].get("description") not in described or member not in self.base["properties"]:
                text = " ".join(f"{', '.join(types)}: {text}" for text, types in described.items())
                members[member] = members[member] | {"description": text}
        return self.base | {"properties": members, "allOf": [self._rule(name, members) for name in names]}

    def errors(self, items: Items, shown: Shown) -> Iterator[ErrorMessage]:
        """Yield errors of items of any form: unknown types, members of other types, wrong options, duplicates."""
        known: set[str] = set()
        for path, item in items:
            kind = item.get("type")
            if not isinstance(kind, str):
                continue
            if kind not in self.types:
                hint = closest_match(kind, sorted(self.types)) or f"known: {', '.join(sorted(self.types))}"
                yield (*path, "type"), f"{shown((*path, 'type'))}: unknown type of {self.what}", hint
                continue
            yield from self._member_errors(path, item, kind)
            yield from self._option_errors(path, item, kind, shown)
            name, identity = item.get("name"), self._identity(item, kind)
            if identity in known:
                hint = "the name is its identity: change one" if name else "keep one of them"
                steps = [member for member in ("name", "url") if member in item][:1]
                yield (*path, *steps), f"this {self.what} is named twice", hint
            known |= {identity} - {""}

    def place(self, item: Json) -> Place:
        """Return the settings and the address of a valid *item*."""
        options, url = self._settings(item), self._url(item)
        if item["type"] not in self.types.own:
            return Place(options, url, "")
        return Place(options, url, self.types[item["type"]].place(options, read_address(url).url))

    def limits(self, item: Json) -> Mapping[str, float]:
        """Return the rate limit of an item's type unless the item has its own."""
        limit = self.types[item["type"]].limit if item["type"] in self.types.own else None
        return {"requests_per_second": limit} if limit else {}

    def _settings(self, item: Json) -> Json:
        """Return the settings that only the type of *item* has."""
        if item["type"] not in self.types.own:
            return item.get("options", {})
        own = self._members(item["type"]).keys() - self.base["properties"].keys()
        return {name: item[name] for name in sorted(own & item.keys())}

    def _url(self, item: Json) -> Json:
        """Return the address of an item whose type has valid settings; of any form if the item names it."""
        address = self.types.own[item["type"]].address if item["type"] in self.types.own else None
        return address(self._settings(item)) if address else item.get("url")

    def _members(self, name: str) -> dict[str, Json]:
        members: dict[str, Json] = (self.types.own[name].schema or {}).get("properties", {})
        return members

    def _needed(self, items: Items) -> Sequence[str]:
        """Return the built-in types that *items* name; all if a member belongs to none of them."""
        kinds = [item.get("type") for _, item in items]
        names = [name for name in self.types.own if name in kinds]
        known = self.base["properties"].keys() | {member for name in names for member in self._members(name)}
        return names if all(item.keys() <= known for _, item in items) else tuple(self.types.own)

    def _rule(self, name: str, members: dict[str, Json]) -> Json:
        """Return what objects of a type need, and what only this type requires of a member."""
        type_, own = self.types.own[name], self._members(name)
        schema: Json = type_.schema or {}
        required = [*([] if type_.address else ["url"]), *schema.get("required", ())]
        described = {member: {"description": (members | own)[member].get("description", "")} for member in required}
        different = {member: each for member, each in own.items() if _demands(each) != _demands(members[member])}
        rest = {word: value for word, value in schema.items() if word not in _OF_OBJECTS}
        then = rest | {"required": required, "properties": described | different}
        return {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": then}

    def _member_errors(self, path: JsonPath, item: Json, kind: str) -> Iterator[ErrorMessage]:
        if kind not in self.types.own:
            if "url" not in item:
                yield path, "'url' is missing", "the address of what the plug-in reads"
            return
        every = self.base["properties"].keys() - set(self.choices) - set(_WEB) - {"options"}
        for name in sorted(item.keys() - every - self._allowed(kind)):
            if whose := [other for other in self.types.own if name in self._allowed(other)]:
                yield (*path, name), f"{name!r} is not for type {kind}", f"leave it out; it is for {', '.join(whose)}"

    def _allowed(self, kind: str) -> Collection[str]:
        """Return the members that a type of ours has beside those that all have."""
        return {*self._members(kind), *(() if self.types.own[kind].address else _WEB)}

    def _option_errors(self, path: JsonPath, item: Json, kind: str, shown: Shown) -> Iterator[ErrorMessage]:
        """Yield what is wrong with the `options` of *item*; a broken plug-in fails when it reads."""
        where = (*path, "options")
        if kind in self.types.own or self.types[kind].schema is None:
            if "options" in item:
                yield where, f"'options' is not for type {kind}", "leave it out; only some plug-ins take options"
            return
        try:
            for error in self.types.option_errors(kind, item.get("options", {})):
                for steps, what, hint in error_messages(error, lambda steps: shown((*where, *steps))):
                    yield (*where, *steps) if "options" in item else path, what, hint
        except PluginError as error:
            yield (*path, "type"), error.what, error.hint

    def _identity(self, item: Json, kind: str) -> str:
        """Return the name of a source, or its place; empty if its members do not have their form."""
        if "name" in item:
            return str(item["name"])
        schema: Json = {} if kind not in self.types.own else self.types.own[kind].schema or {}
        address = valid_address(self._url(item)) if _is_valid(schema, item) else None
        if address is None:
            return ""
        where = self.place(item).place or address.url
        return f"{kind}:{where}" if self.identity_has_type else where


def _demands(schema: Json) -> Json:
    return {word: value for word, value in schema.items() if word not in _WORDS}


def _is_valid(schema: Json, item: Json) -> bool:
    members = {name: each for name, each in schema.get("properties", {}).items() if name not in HTTP_MEMBERS}
    form = {"properties": members, "required": schema.get("required", [])}
    return bool(load("jsonschema:Draft202012Validator")(form).is_valid(item))
