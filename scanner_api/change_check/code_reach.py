"""What changed code reaches: the definitions that differ, and those of them that make or handle records of Kafka."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_api.change_check.model import Place
from scanner_extractor.repository.applications.definitions import Definition, SourceFile
from scanner_extractor.repository.syntax_trees import suffix, words

_KAFKA = re.compile(
    r"(?i)kafka|producer|consumer|topic|serde|(?:de)?seriali[sz]er|partitioner|kstream|ktable|avro|protobuf|publish|outbox"
    r"|streamsbuilder|application_?id|groupid_?config|group_id_config"
)
"""Identifiers of code that handles records, in a file that uses a client library."""
_WRITES = re.compile(
    r"(?i)produc(?!t)|publish|outbox|kafkatemplate|send|seriali[sz]|partitioner|kstream|emit|writemessages"
)
_CLIENT = re.compile(r"(?i)kafka|sarama|kgo|faust|cloud\.stream|reactive\.messaging|avro|flink")
"""What an import of a client library contains."""
_PRODUCES = re.compile(
    r"(?i)\w*(?:producer\w*|produce(?:async)?|kafkatemplate|streambridge|kstream\w*|writestream|kafkasink\w*|writemessages|publisher|outbox|(?<!de)serializer?)"
)
"""Names of what sends records."""
_ASIDE = re.compile(r"(?i)\w*(?:health|liveness|readiness|logging|checkers?$)\w*")
"""Names of functions that watch a program."""
_METRIC = re.compile(r"(?i)\w*metric\w*")
_METER = re.compile(
    r"(?i)\w*(?:counter|gauge|histogram|prometheus|statsd|meter|timer|increment|observe|tagged|registry)\w*"
)
"""Words of functions that measure a program; without one, metrics are what its records are about."""
_OF_CLASS = re.compile(
    r"(?:get|is|set|to|with|from|as|build|serialize|deserialize|encode|decode|marshal)[A-Z_]\w*|__\w+__|dict|json|schema"
)
"""Functions that a serializer calls, or that everything of a class begins with."""
_COMMON = re.compile(
    r"(?i)main|run|get|set|new|init|start|stop|close|open|handle|create|update|delete|add|name|value|data|test|process|execute|apply|call|id|key|type|config|error|result|self|cls|this"
)
_WIRES = re.compile(
    r"(?i)(?:init|setup|set_up|register|create|new|add|mount|build|configure|make|define|run|start|serve)?(?:all)?_?"
    r"(?:(?:public|private|internal|http|rest|web|admin|api|v\d)_?)*(?:apis?|routes?|routers?|routing|https?|servers?|endpoints?|swagger|urls?|views?|controllers?|middlewares?)"
)
"""Names of functions that tell a server which function answers which request: no value of theirs reaches a record."""
_MAKES = re.compile(r"\b([A-Z]\w*) (?:\(|\{|\. (?:newBuilder|builder)\b)")
"""What makes an instance of a class, in tokens with spaces between them."""
_SETS = re.compile(r"(?:\w+ )?\. (set[A-Z]\w*) \(.*\)")
"""A line that only sets a member of an object."""
_TOPIC = re.compile(r"[A-Za-z0-9]\w*(?:[.-]\w+)+")
_MOST_FILES = 40


class Edit(NamedTuple):
    """A definition that differs between two commits, from *line* on; *before* is None if it is new, *after* if gone."""

    path: str
    name: str
    kind: str
    line: int
    before: Definition | None
    after: Definition | None

    @property
    def place(self) -> Place:
        """Return where it differs."""
        return Place(file=self.path, line=self.line)

    @property
    def is_further_field(self) -> bool:
        """Return whether it is a field that is added."""
        return self.kind == "field" and self.before is None

    @property
    def only_sets_more(self) -> bool:
        """Return whether it only gets lines that set members of a record that it did not set before."""
        if self.before is None or self.after is None:
            return False
        before, after = Counter(_by_line(self.before)), Counter(_by_line(self.after))
        added = [_SETS.fullmatch(line) for line in after - before]
        return not before - after and all(one is not None and one[1] not in self.before.words for one in added)

    @property
    def shown(self) -> str:
        """Return what happens to it, for people."""
        did = "added" if self.before is None else "removed" if self.after is None else "changed"
        if self.kind == "statements":
            return "statements of the file"
        owner, _, name = self.name.rpartition(".")
        return f"field {name} {did} in {owner}" if self.kind == "field" else f"{self.kind} {self.name} {did}"

    @property
    def simple(self) -> str:
        """Return the name without that of its class."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """Return the class that it is in; empty outside of one."""
        return self.name.rpartition(".")[0].rpartition(".")[2]

    @property
    def changed(self) -> Counter[str]:
        """Return the tokens that one side has more often than the other."""
        before, after = (Counter(side.texts if side is not None else ()) for side in (self.before, self.after))
        return (before - after) + (after - before)

    @property
    def topics(self) -> frozenset[str]:
        """Return the texts in lines about topics that could be names of them."""
        found: set[str] = set()
        for side in (self.before, self.after):
            lines = {line for text, line in side.tokens if "topic" in text.casefold()} if side is not None else set()
            texts = (text.strip("'\"`") for text, line in side.tokens if line in lines) if side is not None else ()
            found |= {text for text in texts if _TOPIC.fullmatch(text)}
        return frozenset(found)


def _by_line(definition: Definition) -> list[str]:
    """Return the tokens of each line, with spaces between them."""
    lines: dict[int, list[str]] = {}
    for text, line in definition.tokens:
        lines.setdefault(line, []).append(text)
    return [" ".join(texts) for texts in lines.values()]


def edits_of(path: str, before: SourceFile, after: SourceFile) -> Iterator[Edit]:
    """Yield the definitions whose tokens differ, or that use a name whose import is another one."""
    old, new = before.named(), after.named()
    both = before.imports.keys() & after.imports.keys()
    rebound = {name for name in both if before.imports[name] != after.imports[name]}
    for name in dict.fromkeys((*old, *new)):
        befores, afters = old.get(name, []), new.get(name, [])
        if sorted(one.texts for one in befores) == sorted(one.texts for one in afters):
            touched = next((one for one in afters if rebound & one.words), None)
            if touched is not None:
                yield Edit(path, name, touched.kind, touched.line, befores[0], touched)
            continue
        gone = [one for one in befores if one.texts not in {other.texts for other in afters}]
        come = [one for one in afters if one.texts not in {other.texts for other in befores}]
        first, now = next(iter(gone or befores), None), next(iter(come or afters), None)
        some = now or first
        if some is not None and (some.tokens or some.kind != "statements"):
            yield Edit(path, name, some.kind, _line(first, now), first, now)


def _line(before: Definition | None, after: Definition | None) -> int:
    """Return the line of the first token that differs: of the second commit, if the definition is there."""
    if before is None or after is None:
        return (after or before).line if (after or before) is not None else 1  # type: ignore[union-attr]
    for (old, _), (new, line) in zip(before.tokens, after.tokens, strict=False):
        if old != new:
            return line
    return after.tokens[min(len(before.tokens), len(after.tokens)) - 1][1] if after.tokens else after.line


@dataclass(slots=True)
class Reach:
    """Follows the names in code from the files that use Kafka, *of_kafka*; *texts* are the files of the edits' module.

    *source* returns the definitions of a path, None if they are unread; *expect* is called with those that follow.
    *lines* are those of each path that name topics. *records* are the classes that schemas generate.
    """

    of_kafka: Sequence[str]
    source: Callable[[str], SourceFile | None]
    texts: Mapping[str, str]
    expect: Callable[[Iterable[str]], None] = lambda _: None
    lines: Mapping[str, Collection[int]] = field(default_factory=dict)
    records: Collection[str] = ()
    _closures: dict[str, list[Definition]] = field(default_factory=dict)

    def of(self, edits: Iterable[Edit]) -> Iterator[tuple[Edit, frozenset[str]]]:
        """Yield the edits that reach records, each with the files that use Kafka on the way."""
        for edit in edits:
            files = self._files(edit)
            if files:
                yield edit, frozenset(files)

    def may_write(self, files: Collection[str]) -> bool:
        """Return whether code of *files* may write to topics."""
        return any(
            any(_PRODUCES.fullmatch(word) for word in (one.simple, *one.words))
            for path in files
            for one in self._closure(path)
        )

    def _files(self, edit: Edit) -> set[str]:
        if all(_is_aside(one) for one in (edit.before, edit.after) if one is not None):
            return set()
        if edit.path in self.of_kafka:
            return {edit.path} if self._is_reached_inside(edit) else set()
        if edit.before is None and not edit.is_further_field:
            return set()  # who calls it differs, too
        names = self._names(edit)
        users = [path for path in self.of_kafka if _platform(path) == _platform(edit.path)]
        found = {path for path in users if names & _words(self._closure(path))}
        found |= {path for path in users if self._calls(edit, path)}
        return found or self._made(edit, names, users) or self._between(edit, names, users)

    def _is_reached_inside(self, edit: Edit) -> bool:
        """Return whether an edit of a file that uses Kafka is in what handles records there."""
        closure = self._closure(edit.path)
        sides = [one for one in (edit.before, edit.after) if one is not None]
        if any(one in closure for one in sides):
            return edit.before is not None or any(_WRITES.search(word) for one in sides for word in one.words)
        return edit.after is None and any(_KAFKA.search(word) for one in sides for word in one.words)

    def _names(self, edit: Edit) -> frozenset[str]:
        """Return the names that code uses an edit by: its own, its class's, and of those in its file that use it."""
        names = {edit.simple}
        is_common = _COMMON.fullmatch(edit.simple) or _OF_CLASS.fullmatch(edit.simple) or edit.simple == edit.owner
        if edit.owner and (edit.kind == "field" or is_common):
            names = {edit.owner}
        file = self.source(edit.path)
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            for one in file.definitions if file is not None else ():
                if one.simple not in names and name in one.words and one.kind in ("function", "class", "constant"):
                    names.add(one.simple)
                    waiting.add(one.simple)
                    if one.owner and _OF_CLASS.fullmatch(one.simple):
                        names.add(one.owner)
        return frozenset(name for name in names if len(name) > 2 and not _COMMON.fullmatch(name))

    def _calls(self, edit: Edit, path: str) -> bool:
        """Return whether an edit calls what writes records in a file."""
        mine = {word for one in (edit.before, edit.after) if one is not None for word in one.words}
        for one in self._closure(path):
            is_called = one.kind == "function" and one.simple in mine and not _COMMON.fullmatch(one.simple)
            if is_called and len(one.simple) > 4 and any(_WRITES.search(word) for word in one.words):
                return True
        return False

    def _made(self, edit: Edit, names: frozenset[str], users: Sequence[str]) -> set[str]:
        """Return those of the *users* of Kafka that send what an edit, or what uses it in its file, makes."""
        if edit.only_sets_more:
            return set()
        file = self.source(edit.path)
        listed = [one for one in file.definitions if names & {one.simple, *one.words}] if file is not None else []
        sides = (one for one in (edit.before, edit.after, *listed) if one is not None)
        made = {name for one in sides for name in _MAKES.findall(" ".join(one.texts))}
        made &= set(self.records)
        return {path for path in users if made & _words(self._closure(path)) and self.may_write((path,))}

    def _between(self, edit: Edit, names: frozenset[str], users: Sequence[str]) -> set[str]:
        """Return those of the *users* of Kafka that reach an edit through one other file."""
        if not names or not users:
            return set()
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        using = [
            path
            for path, text in self.texts.items()
            if path not in (edit.path, *self.of_kafka)
            and _platform(path) == _platform(edit.path)
            and pattern.search(text)
        ]
        found: set[str] = set()
        self.expect(using[:_MOST_FILES])
        for path in using[:_MOST_FILES]:
            file = self.source(path)
            for one in file.definitions if file is not None else ():
                if names & one.words and not _COMMON.fullmatch(one.simple) and not _WIRES.fullmatch(one.simple):
                    found |= {other for other in users if one.simple in _words(self._closure(other))}
        return found

    def _closure(self, path: str) -> list[Definition]:
        """Return the definitions of a file that handle records, and those that they use."""
        if path not in self._closures:
            file = self.source(path)
            listed = [one for one in file.definitions if not _is_aside(one)] if file is not None else []
            of_client = (
                {name for name, what in file.imports.items() if _CLIENT.search(what)} if file is not None else set()
            )
            at = self.lines.get(path, ())
            reached = [
                one
                for one in listed
                if any(map(_KAFKA.search, one.words))
                or one.simple in ("serialize", "deserialize")
                or one.words & of_client
                or any(one.line <= line <= one.end for line in at)
            ]
            seen = set(map(id, reached))
            waiting = list(reached)
            while waiting:
                known = waiting.pop().words
                for one in listed:
                    if id(one) not in seen and (one.simple in known or (one.owner in known and one.kind == "field")):
                        seen.add(id(one))
                        reached.append(one)
                        waiting.append(one)
            self._closures[path] = reached
        return self._closures[path]


def _is_aside(definition: Definition) -> bool:
    """Return whether a definition only watches the program."""
    name = definition.simple
    is_measured = _METRIC.fullmatch(name) and any(map(_METER.fullmatch, definition.words))
    return bool(_ASIDE.fullmatch(name) or is_measured)


def _platform(path: str) -> str:
    """Return what a source file runs on: only code of the same platform can call it by name."""
    ending = suffix(path)
    return next((platform for platform, endings in _PLATFORMS.items() if ending in endings), ending)


_PLATFORMS = {
    "jvm": words(".java .kt .kts .scala .groovy"),
    "node": words(".js .jsx .mjs .cjs .ts .tsx .vue"),
}


def _words(definitions: Iterable[Definition]) -> set[str]:
    return {word for one in definitions for word in one.words}
