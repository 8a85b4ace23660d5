"""Read a description of topics by expressions that name its members: JSONPath, or texts with JSONPath in braces."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scanner_extractor.naming import is_topic_name
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.settings import TopicFiles
from scanner_extractor.repository.yaml_documents import Parsed, parse_yaml
from scanner_model.catalogs import Annotation
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.names import TopicName
from scanner_model.payload import Json
from scanner_model.redaction import mask_text
from scanner_model.text import has_placeholder

if TYPE_CHECKING:
    from jsonpath import CompoundJSONPath, JSONPath, JSONPathMatch

    from scanner_extractor.repository.context import Context

MOST_MATCHES = 20_000
"""Maximum matches of one expression in one document."""
_PART = re.compile(r"\{([^{}]+)\}")
_BRACES = re.compile(r"(?<!\{)\{\{++\s*+([\w.-]++)\s*+\}\}+")
"""A placeholder of Handlebars or Helm, which is not YAML unless it is quoted."""
_COSTLY = re.compile(r"\b(?:match|search)\s*\(|=~|\.\..*\.\.")


class Found(NamedTuple):
    """A text in a document, and its line."""

    text: str
    line: int


class Entry(NamedTuple):
    """An entry of a document: *value* is at *match* in it."""

    file: RepositoryFile
    document: Json
    match: JSONPathMatch | None
    value: Json
    line: int

    def found(self, expressions: tuple[str, ...]) -> list[Found]:
        """Return the texts of the first expression that has any."""
        return next((texts for text in expressions if (texts := list(self._texts(text)))), [])

    def _texts(self, expression: str) -> Iterator[Found]:
        if expression.startswith(("$", "@")):
            root = self.value if expression.startswith("@") else self.document
            for match in matches("$" + expression[1:], root):
                if (text := _text(match.obj)) is not None:
                    yield Found(text, self._line_of(text, match))
            return
        parts = {part: self._part(part) for part in _PART.findall(expression)}
        if all(parts.values()):
            first = next((found.line for found in parts.values() if found and found.line), self.line)
            yield Found(_PART.sub(lambda part: parts[part[1]].text, expression), first)  # type: ignore[union-attr]

    def _line_of(self, text: str, match: JSONPathMatch) -> int:
        """Return the line of a text: the first from that of its member on that contains it."""
        start = _line(match) or self.line
        is_known = _line(match) and not isinstance(match.parts[-1], int)
        lines = () if is_known else self.file.text.split("\n")[start - 1 :]
        return next((line for line, written in enumerate(lines, start) if text in written), start)

    def _part(self, name: str) -> Found | None:
        match name:
            case "file":
                return Found(self.file.stem, 0)
            case "directory":
                return Found(self.file.directory.rpartition("/")[2], 0)
            case "key":
                return Found(str(self.match.parts[-1]), 0) if self.match and self.match.parts else None
        return next(self._texts(name), None) if name.startswith(("$", "@")) else None


def check_expression(expression: str) -> None:
    """Check an expression of the settings; raises InputInvalid if it is not valid, or may take too long."""
    parts = [expression] if expression.startswith(("$", "@")) else _PART.findall(expression)
    for part in parts:
        if part in ("file", "directory", "key"):
            continue
        if not part.startswith(("$", "@")):
            raise InputInvalid(f"unknown part {{{part}}}", hint="use file, directory, key, or a path such as $.name")
        if _COSTLY.search(part):
            raise InputInvalid(f"{part}: regular expressions and repeated .. are not supported")
        _compiled("$" + part[1:])


@lru_cache(maxsize=512)
def _compiled(path: str) -> JSONPath | CompoundJSONPath:
    """Return a compiled JSONPath; raises InputInvalid."""
    from jsonpath import JSONPathError, compile  # noqa: PLC0415 - takes 0.1 s, and few repositories need it

    try:
        return compile(path)
    except JSONPathError as error:
        what = f"{path}: {str(error).splitlines()[0]}"
        raise InputInvalid(what, hint="use JSONPath as in RFC 9535") from error


def matches(path: str, document: Json) -> Iterator[JSONPathMatch]:
    """Yield the matches of a JSONPath in a document; none in a text or number."""
    if isinstance(document, dict | list):
        yield from islice(_compiled(path).finditer(document), MOST_MATCHES)


def documents(file: RepositoryFile, context: Context, kind: str) -> Iterator[Parsed]:
    """Yield the documents of a file with its placeholders replaced; one that is not read is left as a *kind*."""
    text = context.variables.resolved(file.text, file.directory)
    if file.ending == ".toml":
        try:
            yield Parsed(1, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            context.leave(file, kind, f"invalid TOML: {error}")
        return
    for parsed in parse_yaml(without_braces(text)):
        if not parsed.error:
            yield parsed
        elif file.ending == ".json":
            yield from _json(file, text, context, kind)
        else:
            context.leave(file, kind, f"line {parsed.line}: {parsed.error}")


def without_braces(text: str) -> str:
    """Return *text* with placeholders that YAML can have."""
    return _BRACES.sub(r"${\1}", text)


def _json(file: RepositoryFile, text: str, context: Context, kind: str) -> Iterator[Parsed]:
    """Yield the document of a JSON file that is not YAML too, for example because of tabs; its lines are unknown."""
    try:
        yield Parsed(1, load_text(text))
    except (ValueError, RecursionError) as error:
        context.leave(file, kind, f"invalid JSON: {error}")


def add_entries(file: RepositoryFile, parsed: Parsed, mapping: TopicFiles, context: Context, tool: str) -> int:
    """Add what the entries of a document describe; return how many topics and uses were found."""
    count = 0
    for match in matches(mapping.each, parsed.value):
        entry = Entry(file, parsed.value, match, match.obj, _line(match) or parsed.line)
        count += _add_topics(entry, mapping, context, tool) + _add_program(entry, mapping, context, tool)
    return count


def _add_topics(entry: Entry, mapping: TopicFiles, context: Context, tool: str) -> int:
    """Add the topics of an entry with their users, owner and schemas."""
    names = _topics(entry, mapping.topic, context)
    for name, line in names:
        context.topic(name, f"{entry.file.path}:{line}", tool=tool)
        _annotate(entry, mapping, name, context, tool)
        for side, expressions in (("value", mapping.schemas), ("key", mapping.key_schemas)):
            found = entry.found(expressions)
            context.add_subjects([(f"{name}-{side}", schema.text) for schema in found], entry.file.directory)
        for expressions, writes in ((mapping.readers, False), (mapping.writers, True)):
            for job in entry.found(expressions):
                _use(entry, job.text, Found(name, job.line), writes, context, tool)
    return len(names)


def _add_program(entry: Entry, mapping: TopicFiles, context: Context, tool: str) -> int:
    """Add the topics that the program of an entry reads and writes."""
    count = 0
    for job in entry.found(mapping.program):
        for expressions, writes in ((mapping.reads, False), (mapping.writes, True)):
            for topic in _topics(entry, expressions, context):
                _use(entry, job.text, topic, writes, context, tool)
                count += 1
    return count


def _topics(entry: Entry, expressions: tuple[str, ...], context: Context) -> list[Found]:
    """Return the names of topics; any other text is reported."""
    found = entry.found(expressions)
    for name, line in found:
        if not is_topic_name(name):
            context.collector.problem(f"{entry.file.path}:{line}", f"{name!r} is not the name of a topic", _hint(name))
    return [topic for topic in found if is_topic_name(topic.text)]


def _use(entry: Entry, job: str, topic: Found, writes: bool, context: Context, tool: str) -> None:
    place = f"{entry.file.path}:{topic.line}"
    if has_placeholder(job) or "*" in job:
        what = f"a {'writer' if writes else 'reader'} of the topic {topic.text!r} is not one program: {job!r}"
        return context.collector.problem(place, what, _hint(job))
    return context.use(job, topic.text, writes=writes, description=tool, place=place, separate=True)


def _hint(name: str) -> str:
    return "set its variable with --var" if has_placeholder(name) else ""


def _annotate(entry: Entry, mapping: TopicFiles, topic: str, context: Context, tool: str) -> None:
    """Add the owner, description and tags of a topic, if there are any."""
    owner, description, tags = (entry.found(part) for part in (mapping.owner, mapping.description, mapping.tags))
    if owner or description or tags:
        note = Annotation(
            source=context.source,
            name=f"{entry.file.path}#{topic}",
            kind=tool.replace(" ", "_"),
            topic=TopicName(topic),
            tags=tuple(dict.fromkeys(tag.text for tag in tags)),
            owner=owner[0].text if owner else "",
            description=mask_text(description[0].text.strip()) if description else "",
        )
        context.annotations.append(note)


def _text(value: Json) -> str | None:
    """Return a value as a text; None for an empty text, a list, a mapping and null."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _line(match: JSONPathMatch) -> int:
    """Return the line of a match, or of the member that contains it; 0 if the lines are unknown."""
    if line := getattr(match.obj, "line", 0):
        return int(line)
    at: JSONPathMatch | None = match
    while at is not None and at.parent is not None:
        lines: Mapping[str, int] = getattr(at.parent.obj, "lines", {})
        if line := lines.get(str(at.parts[-1]), 0):
            return line
        at = at.parent
    return 0
