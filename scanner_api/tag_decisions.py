"""Write a decision on a tag of a column into the cluster.json that it belongs to; the rest of the file stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from scanner_api.dictionary import Dictionary
from scanner_api.files import write_text
from scanner_api.questions.listings import TopicColumnRow, columns
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.names import dataset_address
from scanner_model.tag_decisions import Decision

Json = Any
_GLOB = frozenset("*?[")
_KEY = "@key"
_MEMBERS = ("personal_data", "decisions")


class DecidedTag(NamedTuple):
    """A decision that *file* holds now; *replaced* is the text of an earlier one on the same tag, or empty."""

    file: Path
    dataset: str
    column: str
    tag: str
    decision: str
    replaced: str


def decide_tag(
    dictionary: Dictionary,
    file: Path,
    column: str,
    tag: str,
    *,
    by: str,
    on: date,
    decision: Decision = Decision.ACCEPTED,
    reason: str = "",
) -> DecidedTag:
    """Write into the cluster.json *file* that *column* has *tag*, or has it not; the next scan applies it.

    *column* is named as lists print it, as in `orders.customer.email`; a column of a key as in `orders.@key.id`. An
    earlier decision on the same tag of the column is replaced. Raises NameUnknown for a column that no topic or table
    of the dictionary has, InputInvalid if several datasets have it, or if *file* is not a valid cluster.json.
    """
    dataset, path = _column(dictionary, column)
    item = {"dataset": dataset, "column": path, "tag": tag, "decision": str(decision), "by": by, "on": on.isoformat()}
    item |= {"reason": reason} if reason else {}
    changed, replaced = with_decision(_text(file), item)
    write_text(file, changed)
    return DecidedTag(file, dataset, path, tag, str(decision), replaced)


def _text(file: Path) -> str:
    """Return the text of a cluster.json that a decision can be written into; raises InputInvalid."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
        document = load_text(text)
    except (OSError, ValueError) as error:
        raise InputInvalid(f"cannot be read: {error}", where=str(file), hint="name a cluster.json") from error
    personal = document.get("personal_data", {}) if isinstance(document, dict) else None
    is_fitting = isinstance(personal, dict) and isinstance(personal.get("decisions", []), list)
    if not is_fitting or "cluster" not in document:
        hint = f"`scanner config validate {file}` lists what is wrong; `scanner init` writes a cluster.json"
        raise InputInvalid("not a valid cluster.json", where=str(file), hint=hint)
    return text


def _column(dictionary: Dictionary, column: str) -> tuple[str, str]:
    """Return the dataset and the path of a column as cluster.json names them."""
    last = column.rpartition(".")[2]
    pattern = None if _GLOB.intersection(last) or last.startswith(_KEY) else last
    found = {place for name, place in _named_columns(dictionary, pattern) if name == column}
    if len(found) > 1:
        listed = ", ".join(sorted(f"{dataset_address(dataset)}.{path}" for dataset, path in found))
        raise InputInvalid(f"{len(found)} columns are called {column!r}", hint=f"name one of {listed}")
    if not found:
        known = (name for name, _ in _named_columns(dictionary, None))
        raise unknown_name("column", column, known, "`scanner columns` lists the columns")
    return found.pop()


def _named_columns(dictionary: Dictionary, pattern: str | None) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the names of columns, each with its dataset and path."""
    for row in columns(dictionary, pattern=pattern):
        dataset, path = row.topic or row.dataset, _path(row)
        for name in _names(dataset, is_topic=bool(row.topic)):
            yield f"{name}.{path}", (dataset, path)


def _path(row: TopicColumnRow) -> str:
    return ".".join(filter(None, (_KEY, row.name))) if row.role == "key" else row.name


def _names(dataset: str, *, is_topic: bool) -> Iterator[str]:
    """Yield the names of a dataset that lists print: a table is also known without its server."""
    yield dataset
    if not is_topic:
        yield dataset_address(dataset)
        yield dataset.rpartition("/")[2]


class _Member(NamedTuple):
    """A member of an object, or an item of an array: its name (empty for an item), and where it and its value are."""

    name: str
    start: int
    value: int
    end: int


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """Return the members of the JSON object or array that begins at *at*, and the place of its closing bracket.

    *text* is valid JSON.
    """
    decoder = json.JSONDecoder()
    is_object, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    found: list[_Member] = []
    at = _next(text, at + 1)
    while text[at] != closing:
        start, name = at, ""
        if is_object:
            name, at = decoder.raw_decode(text, at)
            at = _next(text, _next(text, at) + 1)  # behind the colon
        _, end = decoder.raw_decode(text, at)
        found.append(_Member(name, start, at, end))
        at = _next(text, end)
        at = _next(text, at + 1) if text[at] == "," else at
    return found, at


def _next(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def with_decision(text: str, item: Json) -> tuple[str, str]:
    """Return *text* with the decision *item*, and the decision that it replaces; only what must change changes."""
    at, value = _next(text, 0), [item]
    for depth, name in enumerate(_MEMBERS):
        members, end = _members(text, at)
        member = next((each for each in members if each.name == name), None)
        if member is None:
            inner = value if depth else {_MEMBERS[1]: value}
            return _inserted(text, members, end, f"{json.dumps(name)}: ", inner), ""
        at = member.value
    items, end = _members(text, at)
    for each in items:
        earlier = load_text(text[each.value : each.end])
        if isinstance(earlier, dict) and all(earlier.get(name) == item[name] for name in ("dataset", "column", "tag")):
            replaced = f"{earlier.get('decision')} by {earlier.get('by')} on {earlier.get('on')}"
            return text[: each.start] + json.dumps(item, ensure_ascii=False) + text[each.end :], replaced
    return _inserted(text, items, end, "", item), ""


def _inserted(text: str, members: list[_Member], end: int, name: str, value: Json) -> str:
    """Return *text* with a last member before *end*, indented as the others are."""
    line = text.rfind("\n", 0, members[0].start if members else end) + 1
    indent = text[line : _next(text, line)] if line else ""
    is_inline = bool(members) and not text[line : members[0].start].isspace() and members[0].start != line
    if is_inline:
        return f"{text[: members[-1].end]}, {name}{json.dumps(value, ensure_ascii=False)}{text[members[-1].end :]}"
    inner = indent if members else f"{indent}  "
    written = f"{inner}{name}{_written(value, inner)}"
    if members:
        return f"{text[: members[-1].end]},\n{written}{text[members[-1].end :]}"
    return f"{text[:end].rstrip()}\n{written}\n{indent}{text[end:]}"


def _written(value: Json, indent: str) -> str:
    """Return *value* with a decision on each line."""
    deeper = f"{indent}  "
    if isinstance(value, list):
        return f"[\n{deeper}{json.dumps(value[0], ensure_ascii=False)}\n{indent}]"
    if "decisions" in value:
        return f'{{\n{deeper}"decisions": {_written(value["decisions"], deeper)}\n{indent}}}'
    return json.dumps(value, ensure_ascii=False)
