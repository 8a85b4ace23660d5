"""Build definitions from registered versions: resolve references, parse each text once, apply metadata tags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType

from scanner_extractor.formats.avro.identity import spelled_alike
from scanner_extractor.schemas.known import READERS, read_again, reader_version, reading_of, text_digest
from scanner_extractor.schemas.parsing import (
    MULTIPLIED,
    ParseRequest,
    ParseTexts,
    TagPatterns,
    parse_in_process,
    parse_one,
)
from scanner_extractor.schemas.references import Find, Resolved, finder, resolve
from scanner_model.columns import ParsedSchema
from scanner_model.documents.json_input import load_text
from scanner_model.errors import Problem
from scanner_model.names import Fingerprint, RecordName, SourceId, SubjectName
from scanner_model.schemas import (
    Definition,
    KnownText,
    KnownTexts,
    SchemaVersion,
    no_known_texts,
    qualified_subject,
)

_AT_ONCE = 1000
"""Texts that are looked up together."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """Versions that know their fingerprint, each definition once, and the record names that each text may go by.

    *texts* are those that were not known before.
    """

    versions: tuple[SchemaVersion, ...]
    definitions: Mapping[Fingerprint, Definition]
    records: Mapping[Fingerprint, tuple[RecordName, ...]]
    problems: tuple[Problem, ...]
    texts: tuple[KnownText, ...] = ()


NO_MESSAGES: Mapping[SubjectName, RecordName] = MappingProxyType({})


def define(
    versions: Iterable[SchemaVersion],
    read: ParseTexts = parse_in_process,
    messages: Mapping[SubjectName, RecordName] = NO_MESSAGES,
    known: KnownTexts = no_known_texts,
) -> Defined:
    """Read every version's text, each distinct text (with what its references resolve to) once, by *read*.

    *messages* are the messages that ksqlDB reads of the texts of subjects; one that is not there is ignored. A text
    that cannot be read keeps its version, with a definition that has no columns and a problem. Texts that are *known*
    are not read again.
    """
    listed = tuple(versions)
    finders = {source: finder(v for v in listed if v.source == source) for source in {v.source for v in listed}}
    reader = _Reader(read, finders, messages, known)
    digests = reader.read((version, None) for version in listed)
    named = [(at, record) for at, version in enumerate(listed) if (record := reader.record_of(version, digests[at]))]
    for (at, _), digest in zip(named, reader.read((listed[at], record) for at, record in named), strict=True):
        digests[at] = digest
    return Defined(
        versions=tuple(replace(version, fingerprint=digest) for version, digest in zip(listed, digests, strict=True)),
        definitions=dict(sorted(reader.definitions.items())),
        records=dict(sorted(reader.records.items())),
        problems=tuple(
            problem for at, version in enumerate(listed) for problem in reader.problems(version, digests[at])
        ),
        texts=tuple(reader.texts.values()),
    )


def define_text(
    format_name: str, text: str, references: Mapping[str, str], record: RecordName | None = None
) -> Definition:
    """Read one schema text that no registry holds; *record* names which of several records (None: the default)."""
    request = ParseRequest(format=format_name, text=text, texts=references, tags=(), record=record)
    return _definition(fingerprint(format_name, text, references, (), record), request, parse_one(request))


def fingerprint(
    format_name: str, text: str, references: Mapping[str, str], tags: TagPatterns, record: RecordName | None
) -> Fingerprint:
    """Identify a definition by everything that its columns depend on, our readers too.

    Avro texts that differ in spelling only are one definition: registries print schemas in a spelling of their own.
    """
    alike = spelled_alike if format_name == "AVRO" else str
    texts = sorted((name, alike(other)) for name, other in references.items())
    parts = [READERS, format_name, alike(text), texts, tags, record]
    canonical = _ENCODER.encode(parts).encode("utf-8", "surrogatepass")
    return Fingerprint(hashlib.sha256(canonical).hexdigest())


def _fingerprint(request: ParseRequest) -> Fingerprint:
    return fingerprint(request.format, request.text, request.texts, request.tags, request.record)


def metadata_tags(metadata: str) -> TagPatterns:
    """Read the path patterns of a version's metadata and their tags; any other text has none."""
    try:
        document = load_text(metadata) if metadata else None
    except ValueError:
        document = None
    tags = document.get("tags") if isinstance(document, dict) else None
    if not isinstance(tags, dict):
        return ()
    return tuple(
        (str(pattern), tuple(map(str, names))) for pattern, names in sorted(tags.items()) if isinstance(names, list)
    )


@dataclass(slots=True)
class _Reader:
    """Reads the texts of versions and remembers every definition by its fingerprint."""

    parse: ParseTexts
    finders: Mapping[SourceId, Find]
    messages: Mapping[SubjectName, RecordName]
    known: KnownTexts
    definitions: dict[Fingerprint, Definition] = field(default_factory=dict)
    records: dict[Fingerprint, tuple[RecordName, ...]] = field(default_factory=dict)
    texts: dict[str, KnownText] = field(default_factory=dict)

    def read(self, versions: Iterable[tuple[SchemaVersion, RecordName | None]]) -> list[Fingerprint]:
        """Read what is not known yet; returns the fingerprint of each version with its requested record."""
        fingerprints: list[Fingerprint] = []
        unread: dict[Fingerprint, ParseRequest] = {}
        requests = (self._request(version, record) for version, record in versions)
        while chunk := list(islice(requests, _AT_ONCE)):
            fingerprints += self._recognize(chunk, unread)
        skipped: dict[Fingerprint, Fingerprint] = {}
        for (digest, request), parsed in zip(unread.items(), self.parse(tuple(unread.values())), strict=True):
            if MULTIPLIED in parsed.problems:
                skipped[digest] = Fingerprint(hashlib.sha256(f"{digest} not read".encode()).hexdigest())
                self._add(skipped[digest], request, parsed)
                continue
            self._add(digest, request, parsed)
            if mark := text_digest(request):
                self.texts[mark] = KnownText(mark, reader_version(), digest, reading_of(parsed))
        if skipped:  # a later scan, of fewer schemas, reads them
            self.texts = {mark: text for mark, text in self.texts.items() if text.fingerprint not in skipped}
        return [skipped.get(digest, digest) for digest in fingerprints]

    def _recognize(
        self, requests: Sequence[ParseRequest], unread: dict[Fingerprint, ParseRequest]
    ) -> Iterator[Fingerprint]:
        """Yield the fingerprint of each request; one that must be parsed is added to *unread*.

        Of a definition with several spellings the first counts, whichever of them is known.
        """
        marks = [text_digest(request) for request in requests]
        listed = self.known(set(marks))
        known = {mark: text for mark, text in listed.items() if text.reader == reader_version()}
        for mark, request in zip(marks, requests, strict=True):
            text = known.get(mark) or self.texts.get(mark)
            digest = text.fingerprint if text else _fingerprint(request)
            if mark and not text:
                self.texts[mark] = KnownText(mark, reader_version(), digest)
            if digest not in self.definitions and digest not in unread:
                if text and text.reading:
                    self._add(digest, request, read_again(request, text.reading))
                else:
                    unread[digest] = request
            yield digest

    def _add(self, digest: Fingerprint, request: ParseRequest, parsed: ParsedSchema) -> None:
        self.definitions[digest] = _definition(digest, request, parsed)
        self.records[digest] = parsed.records

    def record_of(self, version: SchemaVersion, digest: Fingerprint) -> RecordName | None:
        """Return which other record of its text a version is of; None: the root."""
        root, records = self.definitions[digest].name, self.records[digest]
        message = self.messages.get(version.subject)
        if message and version.format == "PROTOBUF":
            chosen = next((record for record in records if f".{record}".endswith(f".{message}")), root)
            return None if chosen == root else chosen
        return _record_of(version.subject, root, records)

    def problems(self, version: SchemaVersion, digest: Fingerprint) -> Iterator[Problem]:
        """List what is wrong with a live version: references that lead nowhere, what of its text cannot be read."""
        if version.deleted:
            return
        if version.references:
            yield from self._resolved(version).problems
        yield from _located(version, self.definitions[digest].problems)

    def _request(self, version: SchemaVersion, record: RecordName | None) -> ParseRequest:
        texts = self._resolved(version).texts if version.references else {}
        tags = metadata_tags(version.metadata)
        return ParseRequest(format=version.format, text=version.text, texts=texts, tags=tags, record=record)

    def _resolved(self, version: SchemaVersion) -> Resolved:
        return resolve(version, self.finders[version.source])


def _definition(digest: Fingerprint, request: ParseRequest, parsed: ParsedSchema) -> Definition:
    return Definition(
        fingerprint=digest,
        format=request.format,
        text=request.text,
        name=parsed.name,
        columns=parsed.columns,
        problems=parsed.problems,
        tags=parsed.tags,
    )


def _record_of(subject: SubjectName, root: RecordName, records: tuple[RecordName, ...]) -> RecordName | None:
    """Return which other record of a text a subject is named after, as record naming does; None: the root."""
    named = [record for record in records if f"-{subject}".endswith(f"-{record}")]
    return max(named, key=len) if named and root not in named else None


def _located(version: SchemaVersion, problems: tuple[Problem, ...]) -> Iterator[Problem]:
    for problem in problems:
        where = f"{qualified_subject(version.context, version.subject)!r} version {version.version}"
        yield replace(problem, where=f"{where} {problem.where}".rstrip())
