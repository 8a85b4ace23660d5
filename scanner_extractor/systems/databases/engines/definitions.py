"""SQL of streaming engines: parse statements that created objects, and types; write names, texts and SELECTs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape
from scanner_model.columns import ELEMENT, MAP_VALUE, field_segment

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[\w$]+|[^\s\w]")
_ID = re.compile(r"[a-z]+\d+")
_OPEN, _CLOSED = frozenset("(["), frozenset(")]")
_TYPES = frozenset({"ARRAY", "MAP", "STRUCT", "ROW", "MULTISET", "LIST"})
"""Types whose parameters are in angle brackets: a comma there separates no columns."""
_EMITTED = (("IMMEDIATELY",), ("ON", "WINDOW", "CLOSE"))
_NO_NAME = frozenset("'()[].,;=*")
_NO_COLUMN = frozenset({"*", "CONSTRAINT", "PRIMARY", "UNIQUE", "WATERMARK"})
"""First words of items in a list of columns that are not columns."""


class Token(NamedTuple):
    """A word, a quoted text or name, or a sign, and where it is; *depth* counts the brackets around it."""

    text: str
    start: int
    end: int
    depth: int

    @property
    def word(self) -> str:
        """Return a keyword in upper case; a quoted text, name or sign is unchanged."""
        return self.text.upper() if self.text[0] not in "'\"" else self.text

    @property
    def value(self) -> str:
        """Return the text without its quotes."""
        quote = self.text[0]
        return self.text[1:-1].replace(quote * 2, quote) if quote in "'\"" and len(self.text) > 1 else self.text


class Included(NamedTuple):
    """A column that is a part of a message: *part* is KEY, PAYLOAD, TIMESTAMP, …; *name* is empty without `AS`."""

    part: str
    name: str


class ObjectName(NamedTuple):
    """The *parts* of an object's name, and Materialize's *id* of it, empty where it is not written."""

    parts: tuple[str, ...]
    id: str = ""


class Definition:
    """A statement that created an object; of another text, the parts it shares with one.

    Its methods never raise, and take a time that grows with the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tuple(_tokens(text))

    def index(self, *words: str, start: int = 0) -> int:
        """Return the position behind the first *words* outside of brackets, from *start* on; -1 where they are not."""
        size = len(words)
        for at in range(max(start, 0), len(self._tokens) - size + 1):
            if self._tokens[at].depth == 0 and tuple(token.word for token in self._tokens[at : at + size]) == words:
                return at + size
        return -1

    def word(self, at: int) -> str:
        """Return the word at a position; empty if absent."""
        return self._tokens[at].word if 0 <= at < len(self._tokens) else ""

    def name(self, at: int) -> ObjectName:
        """Return the object's name at a position: `a."b"`, or Materialize's `[u1 AS "d"."s"."t" VERSION 2]`."""
        is_named = self.word(at) == "[" and self.word(at + 2) == "AS"
        identity, at = (self._tokens[at + 1].text, at + 3) if is_named else ("", at)
        parts: list[str] = []
        while self.word(at) and self.word(at)[0] not in _NO_NAME:
            parts.append(self._tokens[at].value)
            if self.word(at + 1) != ".":
                break
            at += 2
        return ObjectName(tuple(parts), identity)

    def behind_name(self, at: int) -> int:
        """Return the position behind the object's name at a position."""
        if self.word(at) == "[":
            behind = (i for i in range(at + 1, len(self._tokens)) if self._tokens[i].depth == self._tokens[at].depth)
            return next(behind, len(self._tokens) - 1) + 1
        return at + max(2 * len(self.name(at).parts) - 1, 0)

    def options(self, at: int) -> dict[str, str]:
        """Return the options in brackets from a position on, `TOPIC = 'a', b.c = 'd'`, by names in lower case.

        An option may lack its sign, as in `TOPIC 'a'`. One that is a secret or a list is left out.
        """
        options: dict[str, str] = {}
        for item in self._items(at):
            signs = [position for position, token in enumerate(item) if token.text == "="]
            split = signs[0] if signs else len(item) - 1
            value = item[split + bool(signs) :]
            if len(value) == 1 and split > 0:
                options[_joined(item[:split])] = value[0].value
        return options

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Return the options of `WITH (…)`; none where there is no such clause."""
        return self.options(self._with + 1) if self._with >= 0 else {}

    @cached_property
    def format(self) -> tuple[str, str]:
        """Return the words behind FORMAT and ENCODE, empty if absent; of a key and a value, the value's."""
        start = self._with if self._query >= 0 else 0
        at = self.index("VALUE", "FORMAT", start=start)
        at = at if at > 0 else self.index("FORMAT", start=start)
        return (self.word(at), self.word(self.index("ENCODE", start=at))) if at > 0 else ("", "")

    @property
    def included(self) -> Iterator[Included]:
        """Yield the parts of a message that INCLUDE names."""
        at = self.index("INCLUDE")
        while self.word(at):
            part, at = self.word(at), at + 1
            name, at = self._alias(at)
            yield Included(part, name)
            at = at + 1 if self.word(at) == "," else self.index("INCLUDE", start=at)

    def _alias(self, at: int) -> tuple[str, int]:
        """Return the name behind AS, and the position behind it: before it are a header's name and type."""
        ends = ("", ",", "INCLUDE", "WITH", "FORMAT", "ENVELOPE", "EXPOSE")
        name = ""
        while self.word(at) not in ends:
            if self.word(at) == "AS" and self.word(at + 1):
                name, at = self._tokens[at + 1].value, at + 1
            at += 1
        return name, at

    @cached_property
    def computed(self) -> Mapping[str, tuple[str, ...]]:
        """Return the words of the expression of each column that is declared `name type AS expression`."""
        first = next((at for at, token in enumerate(self._tokens) if token.text == "("), -1)
        if first < 0 or self.word(first - 1) == "WITH":
            return {}
        columns: dict[str, tuple[str, ...]] = {}
        for item in self._items(first):
            words = [token.word if token.depth == 1 else "" for token in item]
            if "AS" in words[1:] and words[0] not in _NO_COLUMN:
                columns[item[0].value] = tuple(token.value for token in item[words.index("AS") + 1 :])
        return columns

    @cached_property
    def query(self) -> str:
        """Return the query behind AS, or `SELECT * FROM name` where one object is named; empty if absent.

        What follows the query is left out: options, which may hold secrets, and when results are emitted.
        """
        if self._query < 0:
            parts = self.name(self.index("FROM")).parts
            return select(quoted(parts)) if parts else ""
        emitted = (self.index("EMIT", *words, start=self._query) - len(words) - 1 for words in _EMITTED)
        ends = [at for at in (self._with, *emitted) if at >= 0]
        last = self._tokens[min(ends)].start if ends else len(self.text)
        return self.text[self._tokens[self._query].start : last].strip(" ;\n")

    @cached_property
    def _query(self) -> int:
        """Return the position of the query behind AS; -1 where AS names something else."""
        at = self.index("AS")
        others = (self.index(word) for word in ("FROM", "INCLUDE"))
        return at if 0 < at < len(self._tokens) and not any(0 < other < at for other in others) else -1

    @cached_property
    def _with(self) -> int:
        """Return the position of `WITH (`, of a query's statement behind the query; -1 if absent."""
        start = max(self._query, 0)
        return next((at - 1 for at in self._positions("WITH", start) if self.word(at) == "("), -1)

    def _positions(self, word: str, start: int) -> Iterator[int]:
        at = self.index(word, start=start)
        while at > 0:
            yield at
            at = self.index(word, start=at)

    def replaced(self) -> Iterator[tuple[int, int, str]]:
        """Yield where names with ids and lists of OPTIONS are in the text, from and to, and what they are without."""
        close: list[int] = []
        tokens = self._tokens
        for at, token in enumerate(tokens):
            is_id = token.text == "[" and self.word(at + 2) == "AS" and _ID.fullmatch(tokens[at + 1].text)
            if not is_id and (token.word, self.word(at + 1)) != ("OPTIONS", "("):
                continue
            if close and at < close[-1]:
                continue  # inside of what is replaced
            opening = at + (not is_id)
            depth = tokens[opening].depth
            end = next((i for i in range(opening + 1, len(tokens)) if tokens[i].depth == depth), None)
            if end is None:
                return
            close.append(end)
            yield token.start, tokens[end].end, quoted(self.name(at).parts) if is_id else ""

    @property
    def changes(self) -> Iterator[Sequence[Token]]:
        """Yield what is between commas outside of brackets, behind the name that the text begins with."""
        change: list[Token] = []
        for token in self._tokens[self.behind_name(0) :]:
            if token.text == "," and token.depth == 0:
                if change:
                    yield change
                change = []
            else:
                change.append(token)
        if change:
            yield change

    @property
    def items(self) -> Iterator[Sequence[Token]]:
        """Yield what is between commas in the first brackets: the columns and constraints of a table.

        Brackets behind FROM have the options of a connection, those behind AS are part of a query.
        """
        first = next((at for at, token in enumerate(self._tokens) if token.text == "("), -1)
        is_before = all(not 0 < self.index(word) < first for word in ("FROM", "AS"))
        is_list = first > 0 and self.word(first - 1) != "WITH" and is_before
        return self._items(first) if is_list else iter(())

    def _items(self, at: int) -> Iterator[Sequence[Token]]:
        """Yield what is between commas in the brackets that begin at a position."""
        if self.word(at) != "(":
            return
        depth, item = self._tokens[at].depth, list[Token]()
        for token in self._tokens[at + 1 :]:
            if token.depth == depth and token.text == ")":
                break
            if token.depth == depth + 1 and token.text == ",":
                if item:
                    yield item
                item = []
            else:
                item.append(token)
        if item:
            yield item


def quoted(parts: Sequence[str]) -> str:
    """Return a name in SQL, each part in quotes."""
    return ".".join(_identifier(part, '"') for part in parts)


def _identifier(name: str, quote: str) -> str:
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def named_view(name: str, columns: Iterable[str], query: str, quote: str = '"') -> str:
    """Return the statement that creates a view, with the names of its columns; *quote* is the sign around names."""
    listed = ", ".join(_identifier(column, quote) for column in columns)
    return f"CREATE VIEW {_identifier(name, quote)} ({listed}) AS {query}"


def literal(value: str) -> str:
    """Return a text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def select(table: str, where: str = "", order: str = "", columns: str = "*") -> str:
    """Return the statement for the rows of a table; *where* and *order* are SQL, none if empty."""
    clauses = [f"SELECT {columns} FROM {table}"]  # noqa: S608 - names are quoted, or constants of this package
    clauses += [f"WHERE {where}"] if where else []
    clauses += [f"ORDER BY {order}"] if order else []
    return " ".join(clauses)


def plain_query(text: str) -> str:
    """Return a query of Materialize as other parsers know it: names without ids, no OPTIONS.

    `[u1 AS "a"."b" VERSION 2]` is `"a"."b"`, of tables and of types.
    """
    definition = Definition(text)
    kept: list[str] = []
    at = end = 0
    for start, behind, instead in definition.replaced():
        kept += [text[at:start], instead]
        at = end = behind
    return "".join((*kept, text[end:])).strip(" ;\n")


def _tokens(text: str) -> Iterator[Token]:
    opened: list[str] = []
    before = ""
    for match in _TOKEN.finditer(text):
        sign = match[0]
        if sign in _CLOSED:
            while opened and opened[-1] == "<":  # a comparison behind the name of a type
                opened.pop()
        if opened and (sign in _CLOSED or (sign == ">" and opened[-1] == "<")):
            opened.pop()
        yield Token(sign, match.start(), match.end(), len(opened))
        if sign in _OPEN or (sign == "<" and before in _TYPES):
            opened.append(sign)
        before = sign.upper()


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(token.value for token in tokens).lower()


_LONGEST = 20_000
_SIGN = re.compile(r'"(?:[^"]|"")*"|[<>(),]')
_STRUCT = re.compile(r"struct<(.*)>", re.DOTALL | re.IGNORECASE)
_MAP = re.compile(r"map\((.*)\)", re.DOTALL | re.IGNORECASE)
_MEMBER = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>\w+))\s+(?P<type>\S.*)', re.DOTALL)
_SIZED = re.compile(r"(?P<word>\w[\w ]*)\((?P<size>[\d, ]+)\)")


@lru_cache(maxsize=4_096)
def engine_type(text: str) -> Shape:
    """Parse a type; one that cannot be parsed keeps its text as its word. Source: RisingWave, `DataType`."""
    return _parsed(text.strip(), 1) if len(text) <= _LONGEST else Shape(word=text[:_LONGEST])


def _parsed(text: str, depth: int) -> Shape:
    if depth > DEEPEST:
        return Shape(word=text)
    if text.endswith("[]"):
        element = _parsed(text[:-2].rstrip(), depth + 1)
        return Shape(word="array", parts=(Part(segment=ELEMENT, shape=element),))
    if match := _STRUCT.fullmatch(text):
        members = tuple(_members(match[1], depth + 1))
        return Shape(word="struct", parts=members) if members else Shape(word=text)
    if (match := _MAP.fullmatch(text)) and len(types := list(_items(match[1]))) == 2:
        return Shape(word="map", parts=(Part(segment=MAP_VALUE, shape=_parsed(types[1], depth + 1)),))
    if match := _SIZED.fullmatch(text):
        return Shape(word=match["word"].rstrip(), logical=text.replace(" (", "(").replace(", ", ","))
    return Shape(word=text)


def _members(text: str, depth: int) -> Iterator[Part]:
    """Yield the members of a struct; one without a name is left out."""
    for item in _items(text):
        if match := _MEMBER.fullmatch(item):
            name = match["plain"] or match["quoted"].replace('""', '"')
            yield Part(segment=field_segment(name), shape=_parsed(match["type"], depth))


def _items(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and quotes."""
    start = depth = 0
    for sign in _SIGN.finditer(text):
        depth += (sign[0] in "<(") - (sign[0] in ">)")
        if sign[0] == "," and depth == 0:
            yield text[start : sign.start()].strip()
            start = sign.end()
    if last := text[start:].strip():
        yield last
