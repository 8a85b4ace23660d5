"""Syntaxes of settings other than YAML and JSON: each is parsed into documents that the rows of forms fit.

Sources: Logstash, "Structure of a pipeline"; SeaTunnel, "Config file" (keys of HOCON that occur again would be merged);
Fluent Bit, "Configuration file, classic mode"; rsyslog, "RainerScript objects"; Grafana Alloy, "Configuration syntax";
Tinybird, "Datasource files"; Apache Camel, "XML DSL"; JSON Lines.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator

from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.yaml_documents import Mapping, Parsed
from scanner_model.lazy_names import load
from scanner_model.payload import Json

_TABLES = re.compile(r"^[ \t]*\[\[[\w.]+\]\]", re.MULTILINE)


def is_toml(file: RepositoryFile) -> bool:
    """Return whether a file is TOML: by its ending, or by its tables of tables, as agents have in `.conf` files."""
    return file.ending == ".toml" or (file.ending == ".conf" and _TABLES.search(file.text) is not None)


def _toml(text: str) -> Iterator[Parsed]:
    try:
        yield Parsed(1, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        yield Parsed(1, error=f"invalid TOML: {error}")


# --- blocks

_SECTION = re.compile(r"^(env|input|output|source|sink)\s*\{", re.MULTILINE)
_TOKEN = re.compile(
    r'''(?P<comment>(?:\#|//)[^\n]*)|(?P<text>"""(?:[^"]|"(?!""))*+(?:""")?|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)'''
    r"""|(?P<mark>=>|[{}\[\]=:,\n])|(?P<word>[^\s{}\[\]=:,"'\#]+)"""
)
_MOST, _DEEPEST = 100_000, 50


def is_plugin_blocks(file: RepositoryFile) -> bool:
    """Check whether a file is a pipeline: sections for input or output, or those of SeaTunnel beside its `env`."""
    if file.ending not in (".conf", ".cfg"):
        return False
    sections = {match[1] for match in _SECTION.finditer(file.text)}
    return not sections.isdisjoint(("input", "output")) or ("env" in sections and len(sections) > 1)


def plugin_blocks(text: str) -> Json:
    """Return the blocks of a pipeline: each name with a list of its blocks, each setting with its last value."""
    reader = _Reader()
    for count, match in enumerate(_TOKEN.finditer(text)):
        if count > _MOST or len(reader.open) > _DEEPEST:
            break
        reader.take(match)
    return reader.open[0]


class _Reader:
    """Collects the blocks that are *open*, the outermost first."""

    def __init__(self) -> None:
        self.open: list[Mapping] = [Mapping(1)]
        self._line = 1
        self._words: list[str] = []
        self._value: list[str] | None = None
        self._items: list[str] | None = None

    def take(self, token: re.Match[str]) -> None:
        mark = token["mark"]
        if token["word"] or token["text"]:
            self._target().append(token["word"] or token["text"].strip("\"'"))
        elif mark == "{":
            self._begin()
        elif mark == "}":
            self._finish()
            self.open = self.open[:-1] or self.open
        elif mark == "[" and self._value == []:
            self._items = []
        elif mark == "]" and self._items is not None:
            self._finish()
        elif mark == "=>" and self._value and len(self._value) > 1:  # settings on one line
            name = self._value.pop()
            self._finish()
            self._words, self._value = [name], []
        elif mark in ("=>", "=", ":"):
            self._value = [] if self._value is None else self._value
        elif mark in (",", "\n") and self._items is None and self._value:
            self._finish()
        self._line += token[0].count("\n")

    def _target(self) -> list[str]:
        if self._items is not None:
            return self._items
        return self._words if self._value is None else self._value

    def _begin(self) -> None:
        name = (self._words[0] if self._value is not None else self._words[-1]) if self._words else ""
        block, holder = Mapping(self._line), self.open[-1]
        listed = holder.setdefault(name, [])
        if isinstance(listed, list):
            listed.append(block)
        self.open.append(block)
        self._words, self._value, self._items = [], None, None

    def _finish(self) -> None:
        if self._words and self._value is not None:
            name, holder = self._words[-1], self.open[-1]
            holder[name] = self._items if self._items is not None else " ".join(self._value)
            holder.lines[name] = self._line
        self._words, self._value, self._items = [], None, None


_LABELLED = re.compile(r"^([A-Za-z_][\w.]*)[ \t]+\"[^\"\n]{0,200}\"(?=[ \t]*\{)", re.MULTILINE)


def _components(text: str) -> Json:
    """Return the components of Alloy by their names; labels are left out."""
    return plugin_blocks(_LABELLED.sub(r"\1", text))


# --- sections, objects and instructions


_HEADING = re.compile(r"^[ \t]*\[(?P<name>[A-Za-z][\w. -]{0,80})\][ \t]*$", re.MULTILINE)


def _has_sections(file: RepositoryFile) -> bool:
    is_settings = file.ending in (".conf", ".ini", ".cfg")
    return is_settings and _HEADING.search(file.text) is not None


def _sections(text: str) -> Json:
    """Return the sections by their names, each a list of blocks with `key value` or `key = value`."""
    found = Mapping(1)
    block: Mapping | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _HEADING.fullmatch(line):
            block = Mapping(number)
            found.setdefault(heading["name"], []).append(block)
        elif block is not None and (entry := _entry(line)):
            block[entry[0]] = entry[1]
            block.lines[entry[0]] = number
    return found


def _entry(line: str) -> tuple[str, str] | None:
    """Return the name and value of a setting, with an equals sign or a space between them; None for another line."""
    first, _, rest = line.strip().replace("\t", " ").partition(" ")
    name, sign, value = first.partition("=")
    value = f"{value} {rest}".strip() if sign else rest.strip().removeprefix("=").strip()
    return (name, value) if name and value and name[0].isalpha() else None


_OBJECT = re.compile(r"^[ \t]*(?P<name>action|input)[ \t]*\((?P<members>[^()]*)\)", re.MULTILINE)
_MEMBER = re.compile(r"\b(?P<key>\w+)=\"(?P<value>[^\"\n]*)\"")


def _has_objects(file: RepositoryFile) -> bool:
    return file.ending == ".conf" and _OBJECT.search(file.text) is not None


def _objects(text: str) -> Json:
    """Return the objects of RainerScript by their names, each a list of mappings; members in lists are left out."""
    found = Mapping(1)
    for match in _OBJECT.finditer(text):
        block = Mapping(text.count("\n", 0, match.start("name")) + 1)
        for member in _MEMBER.finditer(match["members"]):
            block[member["key"]] = member["value"]
        found.setdefault(match["name"], []).append(block)
    return found


def _instructions(text: str) -> Json:
    """Return the instructions of a file, each on a line that begins with its name; parts of others are indented."""
    found = Mapping(1)
    for number, line in enumerate(text.splitlines(), 1):
        name, _, value = line.partition(" ")
        if name.isupper() and value.strip():
            found[name] = value.strip().strip("\"'")
            found.lines[name] = number
    return found


# --- JSON lines, XML


def _json_lines(text: str) -> Iterator[Parsed]:
    """Yield the values of each line: one, or several, such as the key and the value of a record.

    The first line that cannot be parsed is an error, and stands for all others.
    """
    decoder, has_error = json.JSONDecoder(), False
    for number, line in enumerate(text.splitlines(), 1):
        line, at = line.rstrip(), 0
        while at < len(line):
            if line[at].isspace():
                at += 1
                continue
            try:
                value, at = decoder.raw_decode(line, at)
            except (ValueError, RecursionError) as error:
                if not has_error:
                    yield Parsed(number, error=f"it is not JSON: {error}")
                has_error = True
                break
            yield Parsed(number, value)


_ROUTES = re.compile(r"<(?:\w+:)?(?:from|to|toD)\s[^<>]{0,500}\buri=[\"']kafka:")


def _has_routes(file: RepositoryFile) -> bool:
    return file.ending == ".xml" and _ROUTES.search(file.text) is not None


def _xml(text: str) -> Iterator[Parsed]:
    """Yield the document: elements by their names without prefixes, each a list; attributes are members."""
    parser = load("xml.parsers.expat:ParserCreate")()
    root = Mapping(1)
    opened = [root]

    def begin(name: str, attributes: dict[str, str]) -> None:
        element = Mapping(parser.CurrentLineNumber)
        element.update(attributes)
        opened[-1].setdefault(name.rpartition(":")[2], []).append(element)
        opened.append(element)
        if len(opened) > _DEEPEST:
            raise ValueError("it is nested too deeply")

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities")

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _name: opened.pop()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except (ValueError, load("xml.parsers.expat:ExpatError")) as error:
        yield Parsed(1, error=f"invalid XML: {error}")
        return
    yield Parsed(1, root)


def _one(parse: Callable[[str], Json]) -> Callable[[str], Iterator[Parsed]]:
    """Return a parser of the only document of a text."""
    return lambda text: iter((Parsed(1, parse(text)),))


_SYNTAXES: tuple[tuple[Callable[[RepositoryFile], bool], Callable[[str], Iterator[Parsed]]], ...] = (
    (is_plugin_blocks, _one(plugin_blocks)),
    (is_toml, _toml),
    (_has_sections, _one(_sections)),
    (_has_objects, _one(_objects)),
    (lambda file: file.ending == ".alloy", _one(_components)),
    (lambda file: file.ending == ".datasource", _one(_instructions)),
    (lambda file: file.ending in (".ndjson", ".jsonl"), _json_lines),
    (_has_routes, _xml),
)
"""Each syntax: which files have it, and how a text is parsed."""


def syntax_of(file: RepositoryFile) -> Callable[[str], Iterator[Parsed]] | None:
    """Return how the documents of a file are parsed; None for YAML and JSON, and for what has no documents."""
    return next((parse for fits, parse in _SYNTAXES if fits(file)), None)
