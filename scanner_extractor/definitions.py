"""From registered versions to definitions: references resolved, each text read once, metadata tags laid on columns."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

from scanner_extractor.formats import read_columns
from scanner_extractor.references import Find, finder, resolve
from scanner_model.columns import Column, Lookup, ParsedSchema
from scanner_model.names import Fingerprint, RecordName, SubjectName
from scanner_model.problems import Problem
from scanner_model.schemas import Definition, SchemaVersion

READERS = 1
"""Raised whenever a reader of ours makes other columns of a known text, so that the next scan reads it again."""

TagPatterns = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """Versions that know their fingerprint, each definition once, and the record names that each text may go by."""

    versions: tuple[SchemaVersion, ...]
    definitions: Mapping[Fingerprint, Definition]
    records: Mapping[Fingerprint, tuple[RecordName, ...]]
    problems: tuple[Problem, ...]


def define(versions: Iterable[SchemaVersion]) -> Defined:
    """Read every version's text, each distinct text (with what its references resolve to) once.

    A text that cannot be read keeps its version, with a definition that has no columns and says why.
    """
    listed = tuple(versions)
    reader = _Reader()
    sources = {version.source for version in listed}
    finders = {source: finder(v for v in listed if v.source == source) for source in sources}
    defined = tuple(reader.defined(version, finders[version.source]) for version in listed)
    return Defined(
        versions=defined,
        definitions=dict(sorted(reader.definitions.items())),
        records=dict(sorted(reader.records.items())),
        problems=tuple(reader.problems),
    )


def define_text(
    format_name: str, text: str, references: Mapping[str, str], record: RecordName | None = None
) -> Definition:
    """Read one schema text that no registry holds; *record* names which of several records (None: the default)."""
    parsed = read_columns(format_name, text, _lookup(format_name, references), record)
    return _definition(fingerprint(format_name, text, references, (), record), format_name, text, (), parsed)


def fingerprint(
    format_name: str, text: str, references: Mapping[str, str], tags: TagPatterns, record: RecordName | None
) -> Fingerprint:
    """Identify a definition by everything that its columns depend on, our readers too."""
    parts = [READERS, format_name, text, sorted(references.items()), tags, record]
    canonical = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return Fingerprint(hashlib.sha256(canonical).hexdigest())


def metadata_tags(metadata: str) -> TagPatterns:
    """Read the path patterns of a version's metadata and their tags; JSON text of another shape has none."""
    document = json.loads(metadata) if metadata else None
    tags = document.get("tags") if isinstance(document, dict) else None
    if not isinstance(tags, dict):
        return ()
    return tuple(
        (str(pattern), tuple(map(str, names))) for pattern, names in sorted(tags.items()) if isinstance(names, list)
    )


def with_tags(columns: tuple[Column, ...], record: str, patterns: TagPatterns) -> tuple[Column, ...]:
    """Add the tags of every pattern that a column's name matches, with or without the record's name before it.

    `*` stands for one name and `**` for any number, as in the data contracts of Confluent's registry.
    """
    if not patterns:
        return columns
    return tuple(_tagged(column, record, patterns) for column in columns)


@dataclass(slots=True)
class _Reader:
    """Reads versions one after the other and remembers every definition by its fingerprint."""

    definitions: dict[Fingerprint, Definition] = field(default_factory=dict)
    records: dict[Fingerprint, tuple[RecordName, ...]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def defined(self, version: SchemaVersion, find: Find) -> SchemaVersion:
        resolved = resolve(version, find)
        self.problems.extend(resolved.problems)
        tags = metadata_tags(version.metadata)
        default = self._read(version, resolved.texts, tags, None)
        record = _record_of(version.subject, self.definitions[default].name, self.records[default])
        mark = self._read(version, resolved.texts, tags, record) if record else default
        if not version.deleted:
            self.problems.extend(_placed(version, self.definitions[mark].problems))
        return replace(version, fingerprint=mark)

    def _read(
        self, version: SchemaVersion, texts: Mapping[str, str], tags: TagPatterns, record: RecordName | None
    ) -> Fingerprint:
        mark = fingerprint(version.format, version.text, texts, tags, record)
        if mark not in self.definitions:
            parsed = read_columns(version.format, version.text, _lookup(version.format, texts), record)
            self.definitions[mark] = _definition(mark, version.format, version.text, tags, parsed)
            self.records[mark] = parsed.records
        return mark


def _definition(mark: Fingerprint, format_name: str, text: str, tags: TagPatterns, parsed: ParsedSchema) -> Definition:
    return Definition(
        fingerprint=mark,
        format=format_name,
        text=text,
        name=parsed.name,
        columns=with_tags(parsed.columns, parsed.name, tags),
        problems=parsed.problems,
    )


def _lookup(format_name: str, texts: Mapping[str, str]) -> Lookup:
    """Look a reference up by its name, and an Avro one also by the records that its text defines.

    A registry takes any reference name for Avro, as its parser just learns the named types of every text.
    """
    if format_name != "AVRO":
        return texts.get

    @cache
    def defining() -> Mapping[str, str]:
        return {record: text for text in texts.values() for record in read_columns("AVRO", text, texts.get).records}

    return lambda name: texts[name] if name in texts else defining().get(name)


def _record_of(subject: SubjectName, root: RecordName, records: tuple[RecordName, ...]) -> RecordName | None:
    """Tell which other record of a text a subject is named after, as record naming does; None: the root."""
    named = [record for record in records if f"-{subject}".endswith(f"-{record}")]
    return max(named, key=len) if named and root not in named else None


def _placed(version: SchemaVersion, problems: tuple[Problem, ...]) -> Iterator[Problem]:
    for problem in problems:
        where = f"{version.subject} version {version.version}"
        yield replace(problem, where=f"{where} {problem.where}".rstrip())


def _tagged(column: Column, record: str, patterns: TagPatterns) -> Column:
    names = (column.name, f"{record}.{column.name}")
    found = [tag for pattern, tags in patterns if any(map(_pattern(pattern).fullmatch, names)) for tag in tags]
    return replace(column, tags=tuple(dict.fromkeys((*column.tags, *found)))) if found else column


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    parts = {"**.": r"(?:.*\.)?", "**": ".*", "*": r"[^.]*", "?": "."}
    pieces = re.split(r"(\*\*\.|\*\*|\*|\?)", pattern)
    return re.compile("".join(parts.get(piece, re.escape(piece)) for piece in pieces))
