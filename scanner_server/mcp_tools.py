"""The tools of MCP: questions for an assistant, with answers within a budget.

Names, documentation and SQL come from strangers' schemas. They are only ever returned as members of a JSON document,
cut to a length.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, get_type_hints

from pydantic import BeforeValidator

from scanner_api.dictionary import Dictionary
from scanner_api.questions.documents import Schemas, document
from scanner_api.questions.names import state as read_state
from scanner_api.questions.question import Question
from scanner_api.questions.table import QUESTIONS
from scanner_model.columns import path_name
from scanner_model.names import dataset_address
from scanner_server.answering import json_text
from scanner_server.openapi import parameters_of, read_parameters
from scanner_server.problems import TOOLS as TOOL_NAMES
from scanner_server.problems import for_programs

Json = Any

BUDGET = 1_500
"""Tokens of an answer by default; four characters of JSON are counted as one."""

LARGER_BUDGET = 8_000
"""Tokens of an answer to a model that sends a `limit` above the default."""

TOOLS: Mapping[str, Question] = {question.tool: question for question in QUESTIONS if question.tool}
"""The questions that assistants can ask, by the names of their tools."""

_LINEAGE = "lineage"
_CHARACTERS = 4
_LONGEST_TEXT = 400
_ITEMS = 25
"""Items of a page by default: more rarely fit the budget."""

_NULL_IS_NONE = frozenset({"default", "doc", "logical_type", "next_cursor", "path", "way"})
"""Members without a value if they are null. Null in any other member means that the value is not known, and stays."""

_ADVICE = frozenset({"hint", "notes"})
"""Members with advice, which may name commands."""


def _none_for_empty(value: object) -> object:
    """Return *value*; None for texts that models send for it."""
    return None if value in ("", "null", "None", "none") else value


class Tools:
    """The tools over *dictionary*; *budget* is the number of tokens of an answer, *now* the clock."""

    def __init__(
        self, dictionary: Dictionary, budget: int = BUDGET, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._dictionary, self._budget, self._now = dictionary, budget, now

    def answer(self, question: Question, **arguments: object) -> dict[str, Any]:
        """Return the answer to *question* within the budget: texts cut, then lists of rows, in proportion."""
        written = document(question.answer(self._dictionary, **arguments))
        if isinstance(written, list):
            written = {"items": written}
        elif question.name == _LINEAGE:
            written = lineage_flows(written)
        short = {name: _cut(member, name) for name, member in written.items() if not _is_none(name, member)}
        about = self._about()
        room = self._budget_of(arguments) * _CHARACTERS - len(json_text({"about": about, "answer": {}, "left_out": {}}))
        left_out: dict[str, int] = {}
        for nested in (True, False):
            lists = list(_lists(short, nested=nested))
            excess, total = len(json_text(short)) - room, sum(each.size for each in lists)
            for each in lists if excess > 0 else ():
                count = each.shorten(excess * each.size / total)
                left_out |= {each.path: left_out.get(each.path, 0) + count} if count else {}
        return {"about": about, "answer": short, "left_out": left_out}

    def _budget_of(self, arguments: Mapping[str, object]) -> int:
        limit = arguments.get("limit")
        return max(self._budget, LARGER_BUDGET) if isinstance(limit, int) and limit > _ITEMS else self._budget

    def _about(self) -> dict[str, Json]:
        now = read_state(self._dictionary)
        age = (self._now() - datetime.fromisoformat(now.finished)).total_seconds() if now.finished else None
        stale = [f"{source.cluster}: {source.source} (since scan {source.since})" for source in now.stale]
        return {
            "scan": now.scan,
            "scanned_at": now.finished,
            "age_seconds": None if age is None else int(age),
            "graph_scan": now.graph_scan,
            "graph_is_current": now.graph_scan is not None and now.graph_scan >= now.scan,
            "stale_sources": stale[:20],
            "more_stale_sources": max(0, len(stale) - 20),
        }


def lineage_flows(lineage: dict[str, Json]) -> dict[str, Json]:
    """Return a lineage with names in place of ids, and a short list for each node and edge: a quarter of the tokens.

    Nodes that share a name have their ids, which every tool takes, too.
    """
    named = {node["id"]: _name(node) for node in lineage["nodes"]}
    counts = Counter(named.values())
    names = {key: name if counts[name] == 1 else key for key, name in named.items()}
    nodes = [[names[node["id"]], node["kind"], *filter(None, [node["stale"]])] for node in lineage["nodes"]]
    flows = [[names[edge["source"]], names[edge["target"]], _how(edge), edge["evidence"]] for edge in lineage["edges"]]
    listed = {name: [names.get(key, key) for key in lineage[name]] for name in ("unread", "partly_read")}
    others = {name: value for name, value in lineage.items() if name not in {"nodes", "edges", "root", *listed}}
    return {"root": names[lineage["root"]], "nodes": nodes, "flows": flows, **listed, **others}


def _name(node: Mapping[str, Json]) -> str:
    is_dataset = node["kind"] == "dataset"
    name = dataset_address(f"{node['cluster'] or node['namespace']}/{node['name']}") if is_dataset else node["name"]
    return f"{name}.{path_name(tuple(node['path']))}" if node["path"] else str(name)


def _how(edge: Mapping[str, Json]) -> str:
    certainty = edge["certainty"] if edge["certainty"] != "declared" else ""
    return " ".join(filter(None, (edge["kind"], edge["type"], edge["subtype"], certainty)))


def call_tool(dictionary: Dictionary, *, name: str, budget: int, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of the tool *name* to *arguments*."""
    return Tools(dictionary, budget).answer(TOOLS[name], **arguments)


def read_arguments(question: Question, arguments: Mapping[str, Json]) -> dict[str, Any]:
    """Return the arguments that a model sent; an empty text means that the parameter is absent. Raises InputInvalid."""
    sent = {name: value for name, value in arguments.items() if _none_for_empty(value) is not None}
    limit = parameters_of(question).model_fields.get("limit")
    if limit is not None and isinstance(limit.default, int):
        sent.setdefault("limit", min(limit.default, _ITEMS))
    return read_parameters(question, sent, outer=False)


def output_schema(question: Question) -> Json:
    """Return the JSON Schema of what a tool returns, which may lack the last items of lists."""
    schemas = Schemas()
    if question.name == _LINEAGE:
        return {"type": "object", "properties": {key: {"type": "object"} for key in ("about", "answer", "left_out")}}
    answer = schemas.of(get_type_hints(question.answer)["return"])
    rows = {name: {"properties": _types(row["properties"])} for name, row in schemas.components.items()}
    schema = {
        "type": "object",
        "properties": {"about": {"type": "object"}, "answer": answer, "left_out": {"type": "object"}},
        "$defs": rows,
    }
    return _renamed(schema)


def _renamed(schema: Json) -> Json:
    """Return *schema* with its references to components as references to `$defs`, which are shorter."""
    match schema:
        case dict():
            return {name: _renamed(value) for name, value in schema.items()}
        case list() | tuple():
            return [_renamed(value) for value in schema]
        case str():
            return schema.replace("#/components/schemas/", "#/$defs/")
        case _:
            return schema


def _types(properties: Mapping[str, Json]) -> Json:
    """Return *properties* without the types that names tell: texts, lists of texts, numbers, yes or no."""
    return {name: {} if schema in _PLAIN else schema for name, schema in properties.items()}


_PLAIN: Sequence[Json] = (
    {"type": "string"},
    {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "boolean"},
    {"type": "integer"},
    {"type": ["integer", "null"]},
    {"type": "number"},
)


def input_schema(schema: Mapping[str, Json]) -> Json:
    """Return the JSON Schema of a tool's parameters without titles, and without the null that models need not send."""
    return {
        "type": "object",
        "properties": {name: _parameter(name, property) for name, property in schema["properties"].items()},
        **({"required": schema["required"]} if "required" in schema else {}),
    }


_EVERYWHERE = frozenset({"limit", "cursor", "cluster"})
"""Parameters of most tools, which the instructions of the server explain once."""


def _parameter(name: str, schema: Mapping[str, Json]) -> Json:
    inner: Mapping[str, Json] = next((each for each in schema.get("anyOf", ()) if each != {"type": "null"}), {})
    unneeded = {"title", "anyOf", "maxLength", "minLength", "minimum", "maximum"}
    unneeded |= {"description"} if name in _EVERYWHERE else set()
    return {
        key: value
        for key, value in {**inner, **schema}.items()
        if key not in unneeded and not (key == "default" and value in (None, False))
    }


def signature_of(question: Question) -> inspect.Signature:
    """Return the signature of the tool of *question*; an empty text for an optional parameter means none."""
    parameters = []
    for name, field in parameters_of(question).model_fields.items():
        field = field._copy()
        field.alias = field.validation_alias = None
        if name == "limit" and isinstance(field.default, int):
            field.default = min(field.default, _ITEMS)
        required = field.is_required()
        note: Any = Annotated[field.annotation, field]
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=note if required else Annotated[note, BeforeValidator(_none_for_empty)],
                default=inspect.Parameter.empty if required else field.default,
            )
        )
    return inspect.Signature(parameters)


class _List(NamedTuple):
    """A list of rows in an answer: the object that has it as a member, and where it stands."""

    holder: dict[str, Json]
    name: str
    path: str
    size: int

    def shorten(self, excess: float) -> int:
        """Remove the last items, which have at least *excess* characters, at most all; return how many these are."""
        items = self.holder[self.name]
        kept = len(items)
        while kept and excess > 0:
            kept -= 1
            excess -= len(json_text(items[kept])) + 1
        self.holder[self.name] = items[:kept]
        return len(items) - kept


def _lists(answer: dict[str, Json], *, nested: bool) -> Iterator[_List]:
    """Yield the lists of objects or lists that are members of *answer*; those in the items of lists where *nested*."""
    for name, value in answer.items():
        inside = [value] if isinstance(value, dict) else value if nested and isinstance(value, list) else []
        for row in inside:
            inner = _lists(row, nested=nested and row is value) if isinstance(row, dict) else ()
            yield from (each._replace(path=f"{name}.{each.path}") for each in inner)
        if not nested and isinstance(value, list) and value and isinstance(value[0], dict | list):
            yield _List(answer, name, name, len(json_text(value)))


def _cut(value: Json, name: str = "") -> Json:
    """Return the member *name* with long texts cut, and without members of its rows that are empty or false."""
    if isinstance(value, str):
        text = for_programs(value, TOOL_NAMES) if name in _ADVICE else value
        return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}… ({len(text)} characters)"
    if isinstance(value, Mapping):
        return {key: _cut(member, key) for key, member in value.items() if not _is_empty(key, member)}
    return [_cut(item, name) for item in value] if isinstance(value, list) else value


def _is_empty(name: str, value: Json) -> bool:
    return value is False or value in ("", [], {}) or _is_none(name, value)


def _is_none(name: str, value: Json) -> bool:
    return value is None and name in _NULL_IS_NONE
