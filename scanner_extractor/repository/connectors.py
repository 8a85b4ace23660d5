"""Connector configurations in texts of any form: JSON of any file ending, lists, properties, parts of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scanner_extractor.repository.declared import CLASS, plain_text
from scanner_extractor.repository.files import UnreadText
from scanner_model.documents.json_input import load_text

Json = Any

_CLASS = re.compile(r"connector\.class")
_NAMED = re.compile(r"/connectors/(?P<name>[^/\s'\"?]+)(?:/config)?/?(?=$|[\s'\"?])")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_UNQUOTED = re.compile(r"(:\s*)(\$\{?[A-Za-z_]\w*\}?|\{\{[^{}\"]*\}\}|<[A-Za-z][\w-]*>)(\s*[,}\n])")
_ESCAPED = re.compile(r"\\(?![\"\\/bfnrtu])")
_PROPERTY = re.compile(
    r"^[ \t]*(?P<key>[A-Za-z_][\w.$-]*)[ \t]*[=:][ \t]*(?P<value>(?:[^\n]*[^ \t\n])?)[ \t]*$", re.MULTILINE
)
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\[\s\S])*+[\"\n]?|[{}]")
"""A brace, or a text in quotes that ends with its line at the latest."""
_LONGEST = 200_000
_HTTP = frozenset(("put", "post", "PUT", "POST"))


class FoundConnector(NamedTuple):
    """A configuration and the line that it begins on; *name* is empty where the text does not name it."""

    name: str
    config: dict[str, Json]
    line: int


def connectors_in(text: str) -> Iterator[FoundConnector]:
    """Yield the configurations in a text: of a JSON document, of a properties file, else every object that is one.

    Raises UnreadText where too much of it would have to be looked at.
    """
    if not _CLASS.search(text):
        yield from _mirrors(text) if is_mirror_maker(text) else ()
        return
    document = _loaded(text)
    if document is not None:
        yield from _of_json(document, "", 1)
        return
    found = False
    for connector in _objects(text):
        found = True
        yield connector
    if not found and (properties := _properties(text)):
        yield FoundConnector(properties.get("name", ""), dict(properties), 1)


def name_in_url(words: tuple[str, ...]) -> str:
    """Return the connector that a request to a worker names in its address; empty where it names none."""
    return next((match["name"] for word in words if (match := _NAMED.search(word))), "")


def posted_file(words: tuple[str, ...], reads: str) -> str:
    """Return the file whose content a request sends: `-d @file`, or the file that the command reads."""
    marked = [word.split("@", 1)[1] for word in words if re.match(r"(?:-d|--data[\w-]*=?|--json=?)?@\S+$", word)]
    return marked[0] if marked else reads if any(word in _HTTP for word in words) else ""


def _of_json(value: Json, name: str, line: int) -> Iterator[FoundConnector]:
    """Yield the connectors of a document: one, a list, or an object with one a member."""
    match value:
        case {"config": dict() as config} if CLASS in config:
            yield FoundConnector(plain_text(value.get("name")) or plain_text(config.get("name")) or name, config, line)
        case dict() if CLASS in value:
            yield FoundConnector(plain_text(value.get("name")) or name, value, line)
        case dict():
            for key, inside in value.items():
                if isinstance(inside, dict | list):
                    yield from _of_json(inside, key if isinstance(inside, dict) else name, line)
        case list():
            for inside in value:
                yield from _of_json(inside, "", line)


def _objects(text: str) -> Iterator[FoundConnector]:
    """Yield the JSON objects of a text that are configurations, such as those in a script."""
    ends, behind = _ObjectEnds(text), 0
    for mark in _CLASS.finditer(text):
        start = text.rfind("{", behind, mark.start()) if mark.start() >= behind else -1
        while start >= 0 and mark.start() - start < _LONGEST:
            end = ends.of(start)
            value = _loaded(text[start:end]) if end > mark.start() else None
            if isinstance(value, dict):
                outer = text.rfind("{", behind, start)
                is_wrapped = outer >= 0 and re.search(r"\"config\"\s*:\s*$", text[outer:start])
                outer_end = ends.of(outer) if is_wrapped else -1
                wrapped = _loaded(text[outer:outer_end]) if outer_end > end - 1 else None
                line = text.count("\n", 0, start) + 1
                yield from _of_json(wrapped if isinstance(wrapped, dict) else value, "", line)
                behind = max(end, outer_end)
                break
            start = text.rfind("{", behind, start)


@dataclass(slots=True)
class _ObjectEnds:
    """Finds where objects of a text end; *left* is how many characters may be looked at until that is too much."""

    text: str
    left: int = 5_000_000

    def of(self, start: int) -> int:
        """Return the position behind the object that begins at *start*; 0 where it does not end."""
        depth, limit = 0, min(len(self.text), start + _LONGEST)
        for token in _TOKEN.finditer(self.text, start, limit):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if not depth:
                self._count(token.end() - start)
                return token.end()
        self._count(limit - start)
        return 0

    def _count(self, looked_at: int) -> None:
        self.left -= looked_at
        if self.left < 0:
            raise UnreadText("it has too many braces that do not belong together around connector.class")


def _loaded(text: str) -> Json:
    """Return the value of a JSON text, placeholders without quotes and commas before a bracket allowed; else None."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or stripped[-1:] not in ("}", "]"):
        return None
    for candidate in (stripped, _repaired(stripped), _repaired(stripped.replace('\\"', '"'))):
        try:
            return load_text(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _repaired(text: str) -> str:
    text = _ESCAPED.sub("", text)
    text = _UNQUOTED.sub(lambda match: f'{match[1]}"{match[2]}"{match[3]}', text)
    return _TRAILING_COMMA.sub(r"\1", text)


def _properties(text: str) -> dict[str, str]:
    """Return the settings of a connector in a properties file; empty where the class is not one of them."""
    settings = _pairs(text)
    return settings if CLASS in settings else _of_server(settings)


def _pairs(text: str, pattern: re.Pattern[str] = _PROPERTY) -> dict[str, str]:
    """Return the settings of a properties file; by default those with a sign, since words are separated by spaces."""
    text = re.sub(r"\\\n[ \t]*", "", re.sub(r"^[ \t]*[#!].*$", "", text, flags=re.MULTILINE))
    return {match["key"]: _ESCAPE.sub(_unescaped, match["value"]) for match in pattern.finditer(text)}


_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character of an escape. Source: Java, `Properties.load`: a backslash before any other is dropped."""
    return chr(int(escape[1], 16)) if escape[1] else _CONTROLS.get(escape[2], escape[2])


_CLUSTERS = re.compile(r"^[ \t]*clusters[ \t=:]", re.MULTILINE)
_REPLICATION = re.compile(r"^[ \t]*(?P<source>[\w-]+)->(?P<target>[\w-]+)\.(?P<key>[\w.-]+)[ \t=:]", re.MULTILINE)
_ANY_PROPERTY = re.compile(
    r"^[ \t]*(?P<key>[A-Za-z_][\w.$>-]*+)[ \t]*+[=:]?[ \t]*+(?P<value>(?:[^\n]*[^ \t\n])?)[ \t]*$", re.MULTILINE
)
_MIRROR = "MirrorSourceConnector"


def is_mirror_maker(text: str) -> bool:
    """Return whether a text is the properties file of MirrorMaker 2 as a cluster of its own."""
    return _CLUSTERS.search(text) is not None and _REPLICATION.search(text) is not None


def _mirrors(text: str) -> Iterator[FoundConnector]:
    """Yield the connector of each flow between two clusters that is enabled, named as Strimzi names it.

    Source: Kafka, "Geo-replication", `connect-mirror-maker.properties`: settings of a flow begin with `source->target.`
    and override those without a prefix; without `topics`, all are replicated.
    """
    known = _pairs(text, _ANY_PROPERTY)
    plain = {key: value for key, value in known.items() if "->" not in key}
    aliases = {alias.strip() for alias in plain.pop("clusters", "").split(",")}
    common = {key: value for key, value in plain.items() if key.partition(".")[0] not in aliases}
    flows = dict.fromkeys(key.partition(".")[0] for key in known if "->" in key)
    for flow in flows:
        source, _, target = flow.partition("->")
        own = {key.removeprefix(f"{flow}."): value for key, value in known.items() if key.startswith(f"{flow}.")}
        if own.pop("enabled", plain.get("enabled", "false")).lower() != "true":
            continue
        ends = {
            f"{end}.cluster.{name}": value
            for end, alias in (("source", source), ("target", target))
            for name, value in (("alias", alias), ("bootstrap.servers", plain.get(f"{alias}.bootstrap.servers", "")))
        }
        config = {CLASS: f"org.apache.kafka.connect.mirror.{_MIRROR}", "topics": ".*", **common, **ends, **own}
        yield FoundConnector(f"{flow}.{_MIRROR}", config, text.count("\n", 0, text.index(f"{flow}.")) + 1)


_SERVER, _OF_SOURCE, _TRANSFORMS = "debezium.", "debezium.source.", "debezium.transforms"


def _of_server(settings: dict[str, str]) -> dict[str, str]:
    """Return the connector that Debezium Server runs, called after its topics; empty if it does not write to Kafka.

    Source: Debezium Server, "Configuration": settings of the connector and its transforms have a prefix.
    """
    if settings.get("debezium.sink.type") != "kafka" or f"{_OF_SOURCE}{CLASS}" not in settings:
        return {}
    own = {key.removeprefix(_OF_SOURCE): value for key, value in settings.items() if key.startswith(_OF_SOURCE)}
    own |= {key.removeprefix(_SERVER): value for key, value in settings.items() if key.startswith(_TRANSFORMS)}
    return {"name": own.get("topic.prefix", ""), **own}


def file_connector_name(path: str) -> str:
    """Return the name of a connector that its file does not name: that of the file without its ending."""
    return PurePosixPath(path).name.split(".")[0]
