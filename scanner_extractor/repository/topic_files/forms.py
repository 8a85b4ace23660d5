"""Documents in well-known forms: each file is recognized by its content, and read as the rows of the table say."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from itertools import chain, product
from typing import Any, NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.declared import mapping, mappings, member, text, texts
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.globs import glob_pattern
from scanner_extractor.repository.settings import TopicFiles
from scanner_extractor.repository.topic_files.backstage import is_catalog, read_catalog
from scanner_extractor.repository.topic_files.eventcatalog import is_page, read_pages
from scanner_extractor.repository.topic_files.expressions import Entry, matches
from scanner_extractor.repository.topic_files.kpops import is_pipeline, read_pipeline
from scanner_extractor.repository.topic_files.mapping import (
    add_entries,
    documents,
    entries_of,
    fits,
    listed_topics,
    parsed_documents,
    without_braces,
)
from scanner_extractor.repository.topic_files.persister import is_service_map, read_service_map
from scanner_extractor.repository.topic_files.settings import is_listed
from scanner_extractor.repository.topic_files.syntaxes import syntax_of
from scanner_extractor.repository.topic_files.table import DESCRIPTIONS, FORMS, Form
from scanner_extractor.repository.yaml_documents import Mapping, Parsed, parse_yaml
from scanner_extractor.systems.deployment.kubernetes import is_deployed, resources_inside
from scanner_model.payload import Json

DESCRIPTION = "description of a topic"
"""The kind of these files, as they are counted."""
_YAML = frozenset((".yaml", ".yml", ".json"))
_PARAMETER = re.compile(r"\$\{\{?(\w+)(?:\.\w+)?\}?\}")
_MEMBER = re.compile(r"[\w-]+")
_DESCRIBED = re.compile(r"^[ \t]*(?:producers|consumers):|^topic:", re.MULTILINE)


class _Signs(NamedTuple):
    """The words of a row: a file that fits has one of each group."""

    row: TopicFiles
    groups: tuple[tuple[str, ...], ...]

    def fit(self, text: str) -> bool:
        return all(any(word in text for word in group) for group in self.groups)


def _signs(row: TopicFiles) -> _Signs:
    """Return the words that files of a row have: the names of members, and what their values begin with or contain."""
    is_json = row.files.endswith(".json")
    groups: set[tuple[str, ...]] = set()
    for path in (*row.when, row.each.partition("[?")[0]):
        parts = [_MEMBER.findall(part) for part in path.split(" | ")]
        quoted = [[f'"{name}"' if is_json else name for name in part] for part in parts]
        groups |= {(name,) for name in quoted[0]} if len(parts) == 1 else set()
        if len(parts) > 1 and all(parts):
            groups.add(tuple(part[-1] for part in quoted))
    for patterns in row.when.values():
        first = [pattern.partition("*")[0] for pattern in patterns]
        words = [max(pattern.split("*"), key=len) for pattern in patterns]
        if is_json and all(any(pair) for pair in zip(first, words, strict=True)):
            words = [json.dumps(one)[:-1] if one else word for one, word in zip(first, words, strict=True)]
            groups.add(tuple(words))
        elif all(len(word) > 1 for word in words):
            groups.add(tuple(words))
    return _Signs(row, tuple(sorted(groups, key=lambda group: (len(group), -len(group[0])))))


def has_words(row: TopicFiles, text: str) -> bool:
    """Check whether a text has the words of a row's values; one without values needs none."""
    return _signs(row).fit(text)


_SIGNS: tuple[tuple[Form, tuple[_Signs, ...]], ...] = tuple((form, tuple(map(_signs, form.rows))) for form in FORMS)


def _forms_of(file: RepositoryFile) -> list[tuple[Form, list[TopicFiles]]]:
    """Return the forms with the rows that the text of a file has the words of."""
    found = []
    for form, signs in _SIGNS:
        rows = [sign.row for sign in signs if sign.fit(file.text) and _is_named(sign.row, file)]
        if rows:
            found.append((form, rows))
    return found


def _is_document(file: RepositoryFile) -> bool:
    return file.ending in _YAML or syntax_of(file) is not None


def _is_named(row: TopicFiles, file: RepositoryFile) -> bool:
    pattern = glob_pattern(row.files) if row.files else None
    return pattern is None or pattern.fits(file.path)


def _is_described(document: Json) -> bool:
    """Check whether a document lists the users of one topic, or the files of its schemas."""
    services = mapping(document, "services")
    users = [texts(part, key) for part in (document, services) for key in ("producers", "consumers")]
    schemas = member(document, "schemas") or member(document, "schema")
    listed = schemas if isinstance(schemas, list) else [schemas]
    files = [text(entry, key) for entry in listed for key in ("resource", "file", "path", "schema")]
    has_schemas = any("." in name for name in (*files, *(entry for entry in listed if isinstance(entry, str))))
    has_topic = any(users) or isinstance(member(document, "topic"), str)
    return has_topic and (has_schemas or any(users[2:]))


READERS: tuple[tuple[Callable[[RepositoryFile], bool], Callable[[RepositoryFile, Context], None]], ...] = (
    (is_pipeline, read_pipeline),
    (is_service_map, read_service_map),
)
"""Forms that need more than the places of their members: what fits, and how one file is read."""


def is_description(file: RepositoryFile) -> bool:
    """Check whether a file may hold documents in a well-known form."""
    if not _is_document(file):
        return is_page(file)
    holds_files = file.ending in _YAML and "ConfigMap" in file.text
    if any(sign.fit(file.text) and (holds_files or _is_named(sign.row, file)) for _, signs in _SIGNS for sign in signs):
        return True
    return bool(_DESCRIBED.search(file.text)) or any(check(file) for check, _ in READERS) or is_catalog(file)


class ReadEntry(NamedTuple):
    """An entry that a row reads: its document by API, kind and name, the keys that lead to it, and to what is read.

    Indexes are ITEM, but in *place*, the keys of the entry. *topics* are the topics that it declares. *is_right*: it is
    a right. *describes* and *is_pipeline*: see `Form`.
    """

    document: tuple[str, str, str]
    keys: tuple[str, ...]
    members: frozenset[tuple[str, ...]]
    topics: tuple[str, ...]
    is_right: bool
    describes: bool
    is_pipeline: bool = False
    place: tuple[str | int, ...] = ()


ITEM = "-"
"""Stands for the place of an item in a list."""


def read_entries(path: str, text: str, own: Sequence[TopicFiles] = ()) -> tuple[ReadEntry, ...]:
    """Return what the rows of the table, and forms of the user's *own*, read of a file; empty if it fits none."""
    file = RepositoryFile(path, text)
    rows = [(row, form) for form, fitting in _forms_of(file) for row in fitting] if _is_document(file) else []
    rows += [(row, Form("", ())) for row in own if is_listed(row, path) and has_words(row, text)]
    parsed = (one for one in parsed_documents(file, text) if not one.error) if rows else ()
    return tuple(
        ReadEntry(
            _identity(document.value),
            _plain(entry.match.keys),
            _members(entry, row),
            _names(entry, row),
            is_right=bool(row.principal),
            describes=form.describes,
            is_pipeline=form.is_pipeline,
            place=tuple(entry.match.keys),
        )
        for document in chain.from_iterable(map(_inside, parsed))
        for row, form in rows
        if fits(row.when, "$", document.value) and (row.text or not is_deployed(document.value))
        for entry in entries_of(file, document, row)
    )


def are_unread_rights_equal(path: str, texts: Sequence[str], own: Sequence[TopicFiles] = ()) -> bool:
    """Return whether texts of one file have the same items that no row reads in lists with rights of topics.

    Such an item is the right of a group, for instance.
    """
    read = [_rights_read(path, text, own) for text in texts]
    lists = {key for one in read for key in one}
    first, *others = (
        Counter(
            json.dumps([*key, item], sort_keys=True, default=str)
            for key in lists
            for index, item in enumerate(_list_at(text, *key))
            if index not in one.get(key, ())
        )
        for text, one in zip(texts, read, strict=True)
    )
    return all(first == other for other in others)


_Document = tuple[str, str, str]
_Keys = tuple[str | int, ...]


def _rights_read(path: str, text: str, own: Sequence[TopicFiles]) -> dict[tuple[_Document, _Keys], set[str | int]]:
    """Return the indexes of the rights that rows read, by document and the keys of the list that they are in."""
    found: dict[tuple[_Document, _Keys], set[str | int]] = {}
    for entry in read_entries(path, text, own):
        if entry.is_right and entry.place and isinstance(entry.place[-1], int):
            found.setdefault((entry.document, entry.place[:-1]), set()).add(entry.place[-1])
    return found


def _list_at(text: str, document: _Document, keys: _Keys) -> Sequence[Json]:
    """Return the list at the keys of a document; empty where the text has none, or several such documents."""
    values: list[Any] = [one.value for one in parse_yaml(without_braces(text)) if _identity(one.value) == document]
    for key in keys if len(values) == 1 else ():
        inside = values[0].get(key) if isinstance(values[0], dict) and isinstance(key, str) else None
        values = [inside]
    return values[0] if len(values) == 1 and isinstance(values[0], list) else ()


def describes_topics(path: str, text: str) -> bool:
    """Return whether the members of a file's documents count by their meaning: no row says what is read of them."""
    entries = read_entries(path, text)
    return any(entry.describes for entry in entries) or not (entries or _forms_of(RepositoryFile(path, text)))


def _identity(value: Json) -> tuple[str, str, str]:
    return text(value, "apiVersion"), text(value, "kind"), text(value, "metadata", "name")


def _plain(keys: Sequence[str | int]) -> tuple[str, ...]:
    return tuple(ITEM if isinstance(key, int) else key for key in keys)


def _members(entry: Entry, row: TopicFiles) -> frozenset[tuple[str, ...]]:
    """Return the keys of all values that the expressions of a row lead to."""
    found = set()
    for name in fields(row):
        expressions = getattr(row, name.name) if name.name not in ("files", "when", "each") else ()
        for expression in expressions:
            for root, keys in entry.places(expression):
                found.add((*(_plain(entry.match.keys) if root == "@" else ()), *_plain(keys)))
    return frozenset(found)


def _names(entry: Entry, row: TopicFiles) -> tuple[str, ...]:
    found = () if row.principal else entry.found(row.topic)
    return tuple(topic.text for one in found for topic in listed_topics(one))


def granted(text: str) -> set[tuple[str, str, str]]:
    """Return the programs that a file allows to use its topics, each with `read` or `write`, and its team."""
    found: set[tuple[str, str, str]] = set()
    for form, signs in _SIGNS:
        rows = [sign.row for sign in signs if form.grants and sign.fit(text)]
        for parsed, row in product(parse_yaml(without_braces(text)) if rows else (), rows):
            if parsed.error or not fits(row.when, "$", parsed.value):
                continue
            for expressions, does in ((row.readers, "read"), (row.writers, "write")):
                for match in chain.from_iterable(matches(path, parsed.value) for path in expressions):
                    found.add((str(match.value), does, str(member(match.holder, "team"))))
    return found


def read_descriptions(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add what the documents of each file declare; texts that others refer to are read first."""
    read_catalog([file for file in files if is_catalog(file)], context)
    read_pages([file for file in files if is_page(file)], context)
    left = {path for path, _ in context.unread}  # such as templates
    parsed = [_parsed(file, context) for file in files if file.path not in left]
    parsed += [inside for file, listed, _ in parsed for inside in _parsed_inside(file, listed)]
    for is_text in (True, False):
        for file, inside, forms in parsed:
            rows = [(form, chosen) for form, own in forms if (chosen := [r for r in own if bool(r.text) == is_text])]
            _read(file, inside, rows, context)
    for file, inside, _ in parsed:
        for document in inside if _DESCRIBED.search(file.text) else ():
            if _is_described(document.value):
                add_entries(file, document, DESCRIPTIONS, context, "topic description")


def _parsed(
    file: RepositoryFile, context: Context
) -> tuple[RepositoryFile, list[Parsed], list[tuple[Form, list[TopicFiles]]]]:
    """Return the documents of a file with the forms that it may fit, after what reads it in a way of its own."""
    for check, read in READERS:
        if check(file):
            read(file, context)
    is_values = file.name.startswith("values") and posixpath.join(file.directory, "Chart.yaml") in context.entries
    forms = _forms_of(file) if _is_document(file) and not is_values else []  # templates decide what values declare
    is_one = forms or _DESCRIBED.search(file.text) or "ConfigMap" in file.text
    return file, list(chain.from_iterable(map(_inside, documents(file, context, DESCRIPTION)))) if is_one else [], forms


def _parsed_inside(
    file: RepositoryFile, listed: Sequence[Parsed]
) -> Iterator[tuple[RepositoryFile, list[Parsed], list[tuple[Form, list[TopicFiles]]]]]:
    """Yield the files in ConfigMaps with the forms that they fit; their lines are those of the file around them."""
    for document in listed if "ConfigMap" in file.text else ():
        data = mapping(document.value, "data") if text(document.value, "kind") == "ConfigMap" else {}
        for name, content in data.items():
            above = getattr(data, "lines", {}).get(name, document.line)
            inner = RepositoryFile(name, "\n" * above + content) if isinstance(content, str) else None
            if inner is not None and _is_document(inner) and (forms := _forms_of(inner)):
                found = (one for one in parsed_documents(inner, inner.text) if not one.error)
                # The subject of a schema without one is the name of the text, not that of the file around it.
                named = [(form, [row for row in rows if row.subject or not row.schema]) for form, rows in forms]
                yield file, list(chain.from_iterable(map(_inside, found))), named


def _read(
    file: RepositoryFile, inside: Sequence[Parsed], forms: Sequence[tuple[Form, list[TopicFiles]]], context: Context
) -> None:
    """Read documents by the first form of resources that they fit; an entry without facts is left."""
    for document in inside:
        for form, rows in forms:
            if is_deployed(document.value) and not any(row.text for row in rows):
                continue
            named = [row for row in rows if not _is_resource(document.value) or _TYPE & row.when.keys()]
            fitting = [row for row in named if fits(row.when, "$", document.value)]
            total = sum(add_entries(file, document, row, context, form.name) for row in fitting)
            if any(_is_of_document(row) for row in fitting):
                if not total and any(next(entries_of(file, document, row), None) for row in fitting):
                    context.leave(file, DESCRIPTION, f"line {document.line}: {form.name} without what is read of it")
                break


_TYPE = {"$.apiVersion", "$.kind"}


def _is_resource(value: Json) -> bool:
    """Return whether a document says itself what it is, as resources of Kubernetes do: other forms do not fit it."""
    return all(isinstance(member(value, name), str) for name in ("apiVersion", "kind"))


def _is_of_document(row: TopicFiles) -> bool:
    """Return whether a row recognizes documents by their values, not only entries in them."""
    return any(path.startswith("$") for path in row.when)


def _inside(parsed: Parsed) -> Iterator[Parsed]:
    """Yield a document, or those that a list or template contains: parameters of OpenShift and AWS are replaced."""
    value = parsed.value
    if isinstance(resources := member(value, "Resources"), dict):
        yield Parsed(parsed.line, _replaced(value, _stack_names(value, resources)))
        return
    kind, api = text(value, "kind"), text(value, "apiVersion")
    listed = "objects" if kind == "Template" else "items" if kind.endswith("List") else ""
    if not listed or not isinstance(member(value, listed), list):
        yield parsed
        yield from (Parsed(line, inside) for line, inside in resources_inside(value, parsed.line))
        return
    given = {text(entry, "name"): text(entry, "value") for entry in mappings(value, "parameters")}
    for item in mappings(value, listed):
        line = getattr(item, "line", parsed.line)
        item = _replaced(item, given) if given else item
        if not text(item, "kind"):
            whole = Mapping(line)
            whole |= {"apiVersion": api, "kind": kind.removesuffix("List"), **item}
            whole.lines |= getattr(item, "lines", {})
            item = whole
        yield Parsed(line, item)


def _stack_names(value: Json, resources: dict[str, Json]) -> dict[str, str]:
    """Return what the names of a stack of AWS stand for: resources are themselves, or the topic that they declare."""
    names = {name: text(each, "Properties", "TopicName") or name for name, each in resources.items()}
    names = {name: name if "${" in found else found for name, found in names.items()}
    given = member(value, "Parameters")
    return {**names, **{name: text(given, name, "Default") for name in given or ()}} if given else names


_CALLS = frozenset({"Ref", "Fn::Sub", "Fn::GetAtt"})


def _replaced(value: Json, given: dict[str, str]) -> Json:
    """Return *value* with the parameters of its template replaced; one without a value stays."""
    if isinstance(value, str):
        return _PARAMETER.sub(lambda found: given.get(found[1]) or found[0], value)
    if isinstance(value, list):
        return [_replaced(item, given) for item in value]
    if isinstance(value, dict) and len(value) == 1 and (called := next(iter(value))) in _CALLS:
        name = value[called]
        inner = name[0] if isinstance(name, list) and name else name
        plain = inner if called == "Fn::Sub" else f"${{{inner}}}"
        return _replaced(plain, given) if isinstance(inner, str) else value
    if isinstance(value, dict):
        for key in value:
            value[key] = _replaced(value[key], given)
    return value
