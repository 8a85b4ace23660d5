"""What an editor shows at a place in a file: who reads and writes the field or topic there, and where it comes from."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from dataflow_generator.stored.column_tags import path_in_topic
from scanner_api.dictionary import Dictionary
from scanner_api.questions.graph import GraphEdge, GraphNode, lineage
from scanner_api.questions.impact import impact
from scanner_api.questions.listings import columns, topics
from scanner_api.questions.topics import describe_topic
from scanner_dictionary.queries.columns import TopicColumnRow
from scanner_dictionary.queries.places import DeclaredPlaces, declared_places
from scanner_model.columns import path_name
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.markdown import code, inert
from scanner_model.text import listed

_TOKEN = re.compile(r"[\w$-]+(?:\.[\w$-]+)*")
_SCHEMAS = (".avsc", ".proto", ".json")
_MARKS = ("[", "{", "<")
"""What the segment of an element, a value or a branch begins with."""
_SEVERAL = 200
_SHOWN = 3
"""Fields with one name that a hover shows."""
_LISTED = 6
"""Readers that a hover lists."""


class User(NamedTuple):
    """A job or consumer group that reads or writes something, and the places in files that say so (`FILE:LINE`).

    *is_certain* is False if it reads the topic and the field that it uses is not known.
    """

    name: str
    is_certain: bool
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A topic, or a field of a topic or table: its *readers*, the nearest first, its *writers*, and its *origins*.

    *origins* are the fields that its data come from. *type* is that of a field. *is_current* is False if no graph was
    generated since the newest scan: users may be missing then.
    """

    name: str
    kind: str
    type: str = ""
    doc: str = ""
    readers: tuple[User, ...] = ()
    writers: tuple[User, ...] = ()
    origins: tuple[str, ...] = ()
    is_current: bool = True

    @property
    def markdown(self) -> str:
        """Return what a hover shows."""
        certain, possible = (
            [user.name for user in self.readers if user.is_certain is known] for known in (True, False)
        )
        parts = [
            _listed("read by", certain),
            _listed("may be read by", possible),
            _listed("written by", [user.name for user in self.writers]),
            _listed("from", self.origins),
        ]
        none = "no known reader" if self.is_current else "readers unknown"
        text = "; ".join(filter(None, parts if self.readers else [none, *parts[2:]]))
        head = f"**{inert(self.name)}**" + (f" {code(self.type)}" if self.type else "") + f" ({self.kind})"
        notes = [] if self.is_current else ["No data flow was generated since the newest scan."]
        return "\n\n".join([head, *filter(None, [inert(self.doc, lines=True)]), inert(text), *notes])


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile:
    """A file that is edited: its path, and its text with what is not saved."""

    path: str
    text: str


def subjects_at(
    dictionary: Dictionary, file: OpenFile, offset: int, repository: Dictionary | None = None
) -> tuple[Subject, ...]:
    """Return the topic or fields that the word at *offset* of *file* names; empty for others.

    In a schema, a field is one of the subject that is the name of the file, or named in it. Elsewhere it is one of the
    topics and tables that the text names. *repository* is a dictionary of the files, which knows the places of jobs.
    Raises DictionaryUnusable.
    """
    words = _words_at(file.text, offset)
    places = _Places(dictionary, *([repository] if repository else []))
    for word in words:
        with suppress(NameUnknown, InputInvalid):
            return (_topic(dictionary, word, places),)
    rows = _fields(dictionary, words[-1], file) if words else ()
    return tuple(_field(dictionary, row, places) for row in rows[:_SHOWN])


def _words_at(text: str, offset: int) -> tuple[str, ...]:
    """Return the dotted name around *offset* up to the part that it is in, and that part."""
    for match in _TOKEN.finditer(text, text.rfind("\n", 0, offset) + 1):
        if match.start() > offset:
            break
        if match.end() >= offset:
            end = match[0].find(".", offset - match.start())
            name = match[0][: None if end < 0 else end]
            return tuple(dict.fromkeys((name, name.rpartition(".")[2])))
    return ()


def _fields(dictionary: Dictionary, name: str, file: OpenFile) -> Sequence[TopicColumnRow]:
    """Return the fields called *name* that a file can mean, each topic or table once.

    Those of the file's own schema are spelled as they are there; other files may use another letter case, as SQL does.
    """
    found = {(row.topic or row.dataset, row.path): row for row in columns(dictionary, name=name, limit=_SEVERAL)}
    rows = [row for row in found.values() if not _is_part(row, found)]
    named = {word.casefold() for token in _TOKEN.findall(file.text) for word in (token, token.rpartition(".")[2])}
    own = {PurePath(file.path).stem.casefold()} | (named if file.path.endswith(_SCHEMAS) else set())
    by_subject = [row for row in rows if row.subject and row.subject.casefold() in own]
    if by_subject or file.path.endswith(_SCHEMAS):
        return [row for row in by_subject if name in row.path]
    topics = {_holder(row) for row in rows if row.topic}
    return [row for row in rows if _holder(row) in named and (row.topic or _holder(row) not in topics)]


def _is_part(row: TopicColumnRow, others: Container[tuple[str, tuple[str, ...]]]) -> bool:
    """Return whether a column is the element, the value or a branch of a field that is there, too."""
    return (
        row.path[-1:] != () and row.path[-1].startswith(_MARKS) and (row.topic or row.dataset, row.path[:-1]) in others
    )


def _holder(row: TopicColumnRow) -> str:
    return (row.topic or re.split(r"[./]", row.dataset)[-1]).casefold()


def _topic(dictionary: Dictionary, name: str, places: _Places) -> Subject:
    about = describe_topic(dictionary, topic=name)
    users: dict[str, list[User]] = {"reads": [], "writes": []}
    for user in about.users:
        users[user.use].append(User(user.name, True, places.of(user.name, (user.evidence,))))
    return Subject(
        name=name,
        kind=f"topic of {about.topic.cluster}",
        readers=tuple(users["reads"]),
        writers=tuple(users["writes"]),
        is_current=about.complete,
    )


def _field(dictionary: Dictionary, row: TopicColumnRow, places: _Places) -> Subject:
    """Return what is known of a field; without a graph its type only."""
    described = describe_topic(dictionary, topic=row.topic, cluster=row.cluster) if row.topic else None
    shown = f"{row.topic or row.dataset}.{row.name}"
    path = path_name(path_in_topic(row.role, row.path)) if row.topic else ""
    node = row.node or (f"{described.node.removeprefix('topic:')}.{path}" if described and described.node else "")
    kind = f"field of topic {row.topic}" if row.topic else "column of a table"
    about = Subject(name=shown, kind=kind, type=row.type, doc=row.doc or "", is_current=bool(node))
    if not node:
        return about
    try:
        affected = impact(dictionary, node, way=True).affected
        origins = tuple(_origins(dictionary, node))
    except NameUnknown:  # a structure whose members have flows: who reads the topic may use it
        affected, origins = (), ()
    hits = [hit for hit in affected if hit.kind in ("job", "consumer-group") and hit.use != "writes"]
    users = [
        User(hit.name, hit.use != "unknown", places.of(hit.name, [edge.evidence for edge in hit.way or ()]))
        for hit in hits
    ]
    if not affected and described:
        reading = (user for user in described.users if user.use == "reads")
        users = [User(user.name, False, places.of(user.name, (user.evidence,))) for user in reading]
    written = (user for user in described.users if user.use == "writes") if described else ()
    return Subject(
        **{name: getattr(about, name) for name in ("name", "kind", "type", "doc")},
        readers=tuple(dict.fromkeys(users)),
        writers=tuple(User(user.name, True, places.of(user.name, (user.evidence,))) for user in written),
        origins=origins,
        is_current=described is None or described.complete,
    )


def _origins(dictionary: Dictionary, node: str) -> Iterator[str]:
    """Yield the fields from which data get into a field, those at the start of its flows."""
    above = lineage(dictionary, node, direction="upstream")
    flows: list[GraphEdge] = [edge for edge in above.edges if edge.kind == "column-flow" and edge.type == "DIRECT"]
    nodes: dict[str, GraphNode] = {each.id: each for each in above.nodes}
    targets = {edge.target for edge in flows}
    for name in dict.fromkeys(edge.source for edge in flows if edge.source not in targets):
        yield ".".join(filter(None, (nodes[name].name, path_name(nodes[name].path or ()))))


class Lens(NamedTuple):
    """A line above a field or topic name: the *offset* of the name, and *title*, its readers and tags."""

    offset: int
    title: str


_DECLARED = {
    ".avsc": re.compile(r'"name"\s*:\s*"(?P<name>\w+)"'),
    ".proto": re.compile(r"\b(?P<name>\w+)\s*=\s*\d+\s*[;\[]"),
    ".json": re.compile(r'"(?P<name>[\w$-]+)"\s*:\s*\{'),
}
"""How a schema declares a field, by the ending of its file."""
_MOST_LENSES = 200


def lenses_in(dictionary: Dictionary, file: OpenFile, repository: Dictionary | None = None) -> tuple[Lens, ...]:
    """Return who reads each field that a schema file declares, and each topic that another file names.

    A name has a line where the file has it first. *repository* is as in `subjects_at`.
    """
    places = _Places(dictionary, *([repository] if repository else []))
    declared = _DECLARED.get(PurePath(file.path).suffix)
    found = []
    if declared:
        for match in islice(declared.finditer(file.text), _MOST_LENSES):
            rows = _fields(dictionary, match["name"], file)
            tags = dict.fromkeys(tag for row in rows[:1] for tag in (*row.tags, *row.inherited_tags))
            found += [
                Lens(match.start("name"), _lens(_field(dictionary, row, places), tuple(tags))) for row in rows[:1]
            ]
        if found:
            return tuple(found)
    known = {str(row.name): row for row in topics(dictionary, without_internal=True)}
    named: dict[str, int] = {}
    for match in _TOKEN.finditer(file.text):
        if match[0] in known:
            named.setdefault(match[0], match.start())
    for name, offset in islice(named.items(), _MOST_LENSES):
        with suppress(NameUnknown, InputInvalid):
            found.append(Lens(offset, _lens(_topic(dictionary, name, places), tuple(known[name].tags))))
    return tuple(found)


def _lens(about: Subject, tags: tuple[str, ...]) -> str:
    """Return `read by billing:22, warehouse-revenue · PII`."""
    none = "no known reader" if about.is_current else "readers unknown"
    certain, possible = ([_with_line(user) for user in about.readers if user.is_certain is k] for k in (True, False))
    read = "; ".join(filter(None, (_listed("read by", certain), _listed("may be read by", possible))))
    return " · ".join((read or none, *tags))


def _with_line(user: User) -> str:
    line = next(filter(None, map(_line_of, user.places)), "")
    return f"{user.name}:{line}" if line else user.name


def _line_of(place: str) -> str:
    """Return the line that ends *place*, "src/app.py:12"; empty for other names."""
    file, _, line = place.rpartition(":")
    return line if line.isdecimal() and PurePath(file).suffix else ""


class _Places:
    """Finds the places of jobs in files: those of evidence, else where one of *dictionaries* says it is declared."""

    def __init__(self, *dictionaries: Dictionary) -> None:
        self._dictionaries = dictionaries

    def of(self, job: str, evidence: Sequence[str]) -> tuple[str, ...]:
        """Return the places of *job*; empty if no file is known that declares it."""
        places = [text for text in evidence if _line_of(text)]
        if not places:
            text = next(filter(None, (_statement(dictionary, job) for dictionary in self._dictionaries)), "")
            places = [place for declared in self._declared if (place := declared.of(job, text))]
        return tuple(dict.fromkeys(places))

    @cached_property
    def _declared(self) -> Sequence[DeclaredPlaces]:
        listed = []
        for dictionary in self._dictionaries:
            with dictionary.reading() as conn:
                listed.append(declared_places(conn))
        return listed


def _statement(dictionary: Dictionary, job: str) -> str:
    """Return the statement of a job; empty for a job without one, or an unknown job."""
    with suppress(NameUnknown, InputInvalid):
        found = lineage(dictionary, job, hops=0)
        return next((str(node.attributes.get("statement", "")) for node in found.nodes if node.id == found.root), "")
    return ""


def _listed(words: str, names: Sequence[str]) -> str:
    return f"{words} {listed(names, _LISTED)}" if names else ""
