"""Files of settings as documents: each value with the keys around it and its line, whatever the syntax of the file.

YAML, JSON, HCL, TOML, HOCON, properties, INI, XML and Dockerfiles are parsed. A template is parsed with its
placeholders as values. A file in any other syntax, or one that its parser rejects, has no documents.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.parsers import expat

from scanner_check.edits.dockerfiles import instructions, is_dockerfile
from scanner_extractor.repository.applications.hocon import read_hocon
from scanner_extractor.repository.applications.settings import properties
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.syntax_trees import Node, grammar_missing, parse_tree, suffix
from scanner_extractor.repository.topic_files.syntaxes import is_toml, syntax_of
from scanner_extractor.repository.yaml_documents import parse_yaml
from scanner_model.documents.json_positions import parse_with_positions
from scanner_model.enclosed import replace_enclosed
from scanner_model.errors import InputInvalid

ITEM = "-"
"""The key of an item of a list that has no name."""
_MOST_LEAVES = 200_000
_LARGEST = 2 * 1024 * 1024
NAMES = ("name", "id", "key")
"""Members that identify an item of a list: Kubernetes merges lists by `name`, other tools by one of these."""
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]*=")
_BRACES = re.compile(r"\$?\{\{"), re.compile(r"\}\}")
_HOLES_OF_TEMPLATES = (
    _BRACES,
    (re.compile(r"\{%"), re.compile(r"%\}")),
    (re.compile(r"<%"), re.compile(r"%>")),
)
_CONTROL = re.compile(r"^[ \t]*(?:-[ \t]+)?(?:\{\{[^\n]*\}\}|\{%[^\n]*%\}|<%[^\n]*%>)[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_COMMENTS_OF_TEMPLATES = (
    (re.compile(r"\{\{-?\s*+/\*"), re.compile(r"\*/\s*+-?\}\}")),
    (re.compile(r"\{#"), re.compile(r"#\}")),
)


class Leaf(NamedTuple):
    """A value with the keys around it, its own key last, and its line."""

    path: tuple[str, ...]
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file: its values, and what it describes if it is an object of Kubernetes.

    *api*, *kind* and *name* are empty for any other document; *line* is its first line.
    """

    leaves: tuple[Leaf, ...]
    line: int = 1
    api: str = ""
    kind: str = ""
    name: str = ""

    def value(self, *path: str) -> str:
        """Return the value at a path; empty if it is absent."""
        return next((leaf.value for leaf in self.leaves if leaf.path == path), "")


def read_documents(path: str, text: str) -> tuple[Document, ...] | None:
    """Return the documents of a file; None if its syntax is not known or its parser rejects it.

    A file without text has no documents, which is an empty tuple.
    """
    if not text.strip():
        return ()
    reader = _reader(path)
    if reader is None or len(text) > _LARGEST:
        return None
    try:
        return tuple(reader(path, text))
    except (_Unreadable, InputInvalid, ValueError, RecursionError, expat.ExpatError):
        return None


def is_document(path: str) -> bool:
    """Return whether the syntax of a file is one that is parsed here."""
    return _reader(path) is not None


def _reader(path: str) -> _Reader | None:
    if is_dockerfile(path):
        return _dockerfile
    return _properties if path.rpartition("/")[2].startswith(".env") else _READERS.get(_ending(path))


class _Unreadable(Exception):
    """Raised where a text is not in the syntax of its file."""


def _ending(path: str) -> str:
    """Return the ending that says the syntax: that of a template is the one before."""
    ending = suffix(path)
    return (
        suffix(path[: -len(ending)]) if ending in (".j2", ".tpl", ".tmpl", ".erb", ".gotmpl", ".mustache") else ending
    )


# --- trees of values


def _walk(value: Any, line: int, lines: _Lines) -> Iterator[Leaf]:  # noqa: ANN401 - a value of JSON or YAML
    """Yield the leaves of a value; items of lists with a name are known by it, others by their place in no list."""
    stack: list[tuple[tuple[str, ...], Any, int, tuple[str | int, ...]]] = [((), value, line, ())]
    for _ in range(_MOST_LEAVES):
        if not stack:
            return
        path, current, at, where = stack.pop()
        match current:
            case dict() if current:
                own = getattr(current, "lines", {})
                stack += [
                    ((*path, str(key)), inside, own.get(key, lines.at((*where, key), at)), (*where, key))
                    for key, inside in reversed(current.items())
                ]
            case list() if current and all(map(_is_assigned, current)):
                for item in current:
                    key, _, text = _plain(item).partition("=")
                    yield Leaf((*path, key), text, lines.item(item, (ITEM,), at))
            case list() if current:
                names = _item_names(current)
                stack += [
                    ((*path, names[index]), inside, _line_of_item(inside, (*where, index), at, lines), (*where, index))
                    for index, inside in reversed(list(enumerate(current)))
                ]
            case _:
                yield Leaf(path, _plain(current), lines.item(current, path, at))
    raise _Unreadable


def _is_assigned(item: Any) -> bool:  # noqa: ANN401
    """Return whether an item of a list is the name of a variable with its value, as in an environment."""
    return isinstance(item, str) and _ASSIGNED.match(item) is not None


def _item_names(items: list[Any]) -> list[str]:
    """Return the key of each item: the value of its naming member if all have one of their own, else ITEM."""
    for member in NAMES:
        names = [item.get(member) if isinstance(item, dict) else None for item in items]
        if all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names):
            return [f"{member}={name}" for name in names]
    return [ITEM] * len(items)


def _line_of_item(item: Any, where: tuple[str | int, ...], at: int, lines: _Lines) -> int:  # noqa: ANN401
    return int(getattr(item, "line", 0)) or lines.at(where, at)


def _plain(value: Any) -> str:  # noqa: ANN401
    match value:
        case bool():
            return str(value).lower()
        case None | {} | []:
            return ""
        case _:
            return _HOLES.sub(lambda hole: hole[0][1:-1].translate(_WRITTEN), str(value))


_HOLES = re.compile("\ue000[^\ue000\ue001]*+\ue001")
_SIGNS = ("\"'{}:#,[]\n", "″′❴❵：＃，［］\u2028")
"""Signs that end a scalar of YAML, and what is in their place while a template is parsed."""
_HIDDEN, _WRITTEN = str.maketrans(*_SIGNS), str.maketrans(*reversed(_SIGNS))


class _Lines:
    """The lines of values: by their places in a tree if those are known, else where the text has the value."""

    def __init__(self, text: str, positions: Mapping[tuple[str | int, ...], tuple[int, int]] | None = None) -> None:
        self._text, self._positions = text.splitlines(), positions or {}

    def at(self, where: tuple[str | int, ...], default: int) -> int:
        """Return the line of the value at a place in the tree."""
        return self._positions[where][0] if where in self._positions else default

    def item(self, value: Any, path: tuple[str, ...], at: int) -> int:  # noqa: ANN401
        """Return the line of a scalar in a list, whose place the parser of YAML does not keep."""
        if self._positions or not path or path[-1] != ITEM or not isinstance(value, str):
            return at
        shown = _plain(value).splitlines()[:1]
        below = range(at, min(at + 200, len(self._text) + 1))
        return next((number for number in below if shown and shown[0] in self._text[number - 1]), at)


# --- syntaxes


def _yaml(_path: str, text: str) -> Iterator[Document]:
    lines = _Lines(text)
    plain, controls = _without_template(text)
    position = 0
    for parsed in parse_yaml(plain):
        if parsed.error:
            raise _Unreadable
        if parsed.value is not None:
            yield from _objects(parsed.value, parsed.line, lines)
            position += 1
    if controls:
        yield Document(tuple(controls), kind="{{ }}")


def _without_template(text: str) -> tuple[str, list[Leaf]]:
    """Return a template as YAML with its placeholders as values, and its control lines as leaves."""
    if "{{" not in text and "{%" not in text and "<%" not in text:
        return text, []
    text = replace_enclosed(text, lambda comment: "\n" * comment.count("\n"), *_COMMENTS_OF_TEMPLATES)
    controls = [
        Leaf((ITEM,), match[0].strip(), text.count("\n", 0, match.start()) + 1) for match in _CONTROL.finditer(text)
    ]
    text = _CONTROL.sub("", text)
    held = replace_enclosed(text, lambda hole: f"\ue000{hole.translate(_HIDDEN)}\ue001", *_HOLES_OF_TEMPLATES)
    return held, controls


def _objects(value: Any, line: int, lines: _Lines) -> Iterator[Document]:  # noqa: ANN401
    """Yield a document, or the objects in a list of Kubernetes or a template of OpenShift one by one."""
    if not isinstance(value, dict):
        yield Document(tuple(_walk(value, line, lines)), line)
        return
    listed = value.get({"List": "items", "Template": "objects"}.get(str(value.get("kind")), ""))
    if isinstance(listed, list) and value.get("apiVersion"):
        for item in listed:
            yield from _objects(item, getattr(item, "line", line), lines)
        value = {key: inside for key, inside in value.items() if inside is not listed}
    metadata = value.get("metadata")
    is_object = isinstance(value.get("kind"), str) and (bool(value.get("apiVersion")) or isinstance(metadata, dict))
    name = metadata.get("name") if isinstance(metadata, dict) else ""
    own = getattr(value, "line", line)
    leaves = tuple(_walk(value, own, lines))
    if is_object:
        yield Document(leaves, own, str(value.get("apiVersion") or ""), str(value["kind"]), _plain(name))
    else:
        yield Document(leaves, own)


def _json(path: str, text: str) -> Iterator[Document]:
    parsed = parse_with_positions(text, path)
    lines = _Lines(text, parsed.positions)
    yield from _objects(parsed.value, 1, lines)


def _toml(_path: str, text: str) -> Iterator[Document]:
    lines = text.splitlines()
    leaves = []
    for leaf in _walk(tomllib.loads(text), 1, _Lines("")):
        key = next((key for key in reversed(leaf.path) if key != ITEM and "=" not in key), "")
        having = (number for number, line in enumerate(lines, 1) if key in line and leaf.value[:40] in line)
        leaves.append(leaf._replace(line=next(having, 1)))
    yield Document(tuple(leaves))


def _properties(_path: str, text: str) -> Iterator[Document]:
    yield Document(tuple(Leaf((key,), value, line) for key, value, line, _ in properties(text)))


def _hocon(path: str, text: str) -> Iterator[Document]:
    file = RepositoryFile(path, text)
    if is_toml(file):
        yield from _toml(path, text)
        return
    if parse := syntax_of(file):
        yield from (Document(tuple(_walk(parsed.value, 1, _Lines("")))) for parsed in parse(text))
        return
    found = [Leaf(tuple(key.split(".")), value, line) for key, value, line in read_hocon(text)]
    if not found:
        raise _Unreadable
    yield Document(tuple(found))


def _hcl(_path: str, text: str) -> Iterator[Document]:
    """Yield a document for each block of a Terraform file, so that a resource is known by its type and name."""
    if grammar_missing("a.tf"):
        raise _Unreadable
    tree = parse_tree("a.tf", text)
    if tree.has_error:
        raise _Unreadable
    body = next((child for child in tree.named_children if child.type == "body"), None)
    if body is None:
        return
    rest: list[Leaf] = []
    for child in body.named_children:
        if child.type == "block":
            labels = [_source(label).strip('"') for label in child.named_children if label.type in _LABELS]
            leaves = list(_hcl_body(child, ()))
            yield Document(
                tuple(leaves), child.start_point[0] + 1, "terraform", " ".join(labels[:2]), ".".join(labels[2:])
            )
        else:
            rest += _hcl_attribute(child, ())
    if rest:
        yield Document(tuple(rest))


_LABELS = ("identifier", "string_lit")


def _hcl_body(block: Node, path: tuple[str, ...]) -> Iterator[Leaf]:
    body = next((child for child in block.named_children if child.type == "body"), None)
    yield Leaf(path or ("{}",), "", block.start_point[0] + 1)
    for child in body.named_children if body is not None else ():
        if child.type == "block":
            labels = [_source(label).strip('"') for label in child.named_children if label.type in _LABELS]
            yield from _hcl_body(child, (*path, *labels))
        else:
            yield from _hcl_attribute(child, path)


def _hcl_attribute(node: Node, path: tuple[str, ...]) -> Iterator[Leaf]:
    if node.type == "attribute" and len(node.named_children) > 1:
        yield from _hcl_value(node.named_children[1], (*path, _source(node.named_children[0])))


def _hcl_value(node: Node, path: tuple[str, ...]) -> Iterator[Leaf]:
    inner = node
    while len(inner.named_children) == 1 and inner.type in ("expression", "collection_value", "literal_value"):
        inner = inner.named_children[0]
    if inner.type == "object":
        for element in (child for child in inner.named_children if child.type == "object_elem"):
            key, value = element.named_children[0], element.named_children[-1]
            yield from _hcl_value(value, (*path, _source(key).strip('"')))
    elif inner.type == "tuple":
        for element in (child for child in inner.named_children if child.type == "expression"):
            yield from _hcl_value(element, (*path, ITEM))
    else:
        yield Leaf(path, " ".join(_source(node).split()).strip('"'), node.start_point[0] + 1)


def _source(node: Node) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _xml(_path: str, text: str) -> Iterator[Document]:
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = _refuse_entity
    reader = _XmlReader(parser)
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.text
    parser.Parse(text.encode("utf-8", "replace"), True)
    yield Document(tuple(reader.leaves))


def _refuse_entity(*_: object) -> None:
    raise _Unreadable


class _XmlReader:
    """Collects the texts and attributes of elements."""

    def __init__(self, parser: Any) -> None:  # noqa: ANN401 - expat's parser has no public type
        self._parser = parser
        self._path: list[str] = []
        self._text: list[tuple[str, int]] = []
        self._open: list[int] = []
        self.leaves: list[Leaf] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Enter an element."""
        self._flush()
        self._path.append(name.rpartition(":")[2])
        line = self._parser.CurrentLineNumber
        self._open.append(len(self.leaves))
        self.leaves += [Leaf((*self._path, key), value, line) for key, value in attributes.items()]
        if len(self.leaves) > _MOST_LEAVES:
            raise _Unreadable

    def end(self, _name: str) -> None:
        """Leave an element."""
        self._flush()
        if self._open.pop() == len(self.leaves):  # an element without content is a fact, too
            self.leaves.append(Leaf(tuple(self._path), "", self._parser.CurrentLineNumber))
        self._path.pop()

    def text(self, text: str) -> None:
        """Keep a part of a text."""
        self._text.append((text, self._parser.CurrentLineNumber))

    def _flush(self) -> None:
        text = "".join(part for part, _ in self._text).strip()
        line = next((line for part, line in self._text if part.strip()), 1)
        self._text.clear()
        if text and self._path:
            self.leaves.append(Leaf(tuple(self._path), text, line))


def _dockerfile(_path: str, text: str) -> Iterator[Document]:
    yield Document(
        tuple(Leaf((one.word,), f"{one.text} {one.documents}".strip(), one.line) for one in instructions(text))
    )


_Reader = Callable[[str, str], Iterable[Document]]
_READERS: Mapping[str, _Reader] = {
    **dict.fromkeys((".yaml", ".yml"), _yaml),
    **dict.fromkeys((".json", ".avsc"), _json),
    ".toml": _toml,
    **dict.fromkeys((".properties", ".env", ".ini", ".cfg"), _properties),
    **dict.fromkeys((".conf", ".hocon"), _hocon),
    **dict.fromkeys((".tf", ".tfvars", ".hcl"), _hcl),
    **dict.fromkeys((".xml", ".config", ".csproj", ".fsproj", ".props"), _xml),
}
