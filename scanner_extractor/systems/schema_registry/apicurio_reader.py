"""Parse the JSON of Apicurio's core API (v3, v2, and export entities) to schema versions."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from scanner_extractor.http.messages import Json
from scanner_extractor.naming.subjects import artifact_reference, artifact_subject
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    Row,
    bad_row,
    details,
    key_of,
    unread_subjects,
)
from scanner_extractor.schemas.references import LATEST
from scanner_model.documents.json_input import MOST_VALUES, load_json
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError
from scanner_model.names import SourceId, SubjectName
from scanner_model.payload import Payload
from scanner_model.schemas import Reference, SchemaVersion, qualified_subject

SubjectKey = tuple[str, SubjectName]
Labels = tuple[tuple[str, str | None], ...]

DRAFT = "DRAFT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """User metadata of an artifact or a version; empty if absent."""

    name: str = ""
    description: str = ""
    owner: str = ""
    labels: Labels = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact as it is listed; *group* as the server writes it, empty for the default one."""

    group: str
    name: str
    format: str
    described: Described

    @property
    def key(self) -> SubjectKey:
        """Return context and subject of its versions."""
        context, subject = artifact_subject(self.group, self.name)
        return context, SubjectName(subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVersion:
    """A version as it is listed, without its text; *label* is Apicurio's version text."""

    artifact: Artifact
    label: str
    global_id: int
    content_id: int
    state: str
    described: Described


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A reference as Apicurio writes it; an empty *label* means the newest version."""

    name: str
    group: str
    artifact: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A text and what it refers to; versions that share it share its id."""

    text: str
    pointers: tuple[Pointer, ...] = ()


def read_artifact(entry: Payload) -> Artifact:
    """Read one entry of `/search/artifacts`; raises PayloadUnexpected."""
    return Artifact(
        group=entry.text("groupId"),
        name=entry.need("artifactId", "id").text(),
        format=entry.text("artifactType", "type").upper(),
        described=_described(entry),
    )


def read_listed_version(entry: Payload, source: SourceId, artifact: Artifact | None = None) -> ListedVersion | BadRow:
    """Read one version; *artifact* supplies what the version list of one artifact omits."""
    try:
        own = artifact or read_artifact(entry)
        if not own.format:
            raise entry.error("has no artifact type")
        return ListedVersion(
            artifact=own,
            label=entry.need("version").text(),
            global_id=entry.need("globalId").number(),
            content_id=entry.need("contentId").number(),
            state=entry.text("state").upper(),
            described=_described(entry),
        )
    except PayloadUnexpected as error:
        return bad_row(source, qualified_subject(*artifact.key) if artifact else artifact_name(entry), error, entry)


def artifact_name(entry: Payload) -> str:
    """Return the subject of an entry that cannot be read; empty where it shows none."""
    name = entry.shown("artifactId", "id")
    return qualified_subject(*artifact_subject(entry.shown("groupId"), name)) if name else ""


def read_content(body: bytes, references: Payload) -> Content:
    """Read a text and its references; raises PayloadUnexpected for a text that is not UTF-8, or other references."""
    try:
        return Content(text=body.decode("utf-8"), pointers=tuple(map(_pointer, references.list())))
    except UnicodeDecodeError as error:
        raise PayloadUnexpected("its text is not UTF-8") from error


def _described(entry: Payload) -> Described:
    return Described(
        name=entry.text("name"),
        description=entry.text("description"),
        owner=entry.text("owner", "createdBy"),
        labels=_labels(entry),
    )


def _labels(entry: Payload) -> Labels:
    """Read labels; in v2 they were `properties`, and `labels` a list of words, which became labels without a value."""
    are_words = isinstance(entry.member("labels").value, list)
    labels: dict[str, str | None] = dict.fromkeys(entry.texts("labels")) if are_words else {}
    for name in ("properties",) if are_words else ("labels", "properties"):
        labels |= {key: value.text() if value.value is not None else None for key, value in entry.object(name).items()}
    return tuple(sorted(labels.items()))


def _pointer(entry: Payload) -> Pointer:
    return Pointer(
        name=entry.need("name").text(),
        group=entry.text("groupId"),
        artifact=entry.need("artifactId").text(),
        label=entry.text("version"),
    )


Numbers = Mapping[tuple[str, SubjectName, str], int]
"""The number of each version, by context, subject and label."""

UNKNOWN = 0
"""The number in a reference to a version that is not there; no version has it."""

_ORDINARY = "ENABLED"
_DISABLED = "DISABLED"
_NO_TEXT = NotFound("the registry gives no text for it", status=404)


def assemble(
    source: SourceId,
    listed: Sequence[ListedVersion],
    contents: Mapping[int, Content | ScannerError],
    artifacts: Mapping[SubjectKey, Described],
) -> RegistryContent:
    """Put versions and texts together; a version whose text could not be read is reported."""
    numbers = numbered(listed)
    rows: list[Row] = []
    errors: list[tuple[str, ScannerError]] = []
    for listed_version in listed:
        content = contents.get(listed_version.content_id, _NO_TEXT)
        if isinstance(content, ScannerError):
            errors.append((qualified_subject(*listed_version.artifact.key), content))
        else:
            rows.append(Row(version=_version(source, listed_version, content, numbers, artifacts)))
    return RegistryContent(rows={key_of(row.version): row for row in rows}) + unread_subjects(source, errors)


def numbered(listed: Iterable[ListedVersion]) -> Numbers:
    """Number the versions of each artifact.

    A label is any text. One that is a number, greater than those before it, is that number, as Apicurio labels
    versions itself; any other is the number after the one before it, in the order of registration.
    """
    numbers: dict[tuple[str, SubjectName, str], int] = {}
    last: dict[SubjectKey, int] = {}
    for version in sorted(listed, key=lambda version: version.global_id):
        key = version.artifact.key
        before = last.get(key, 0)
        own = _number(version.label)
        last[key] = own if own > before else before + 1
        numbers[*key, version.label] = last[key]
    return numbers


def _version(
    source: SourceId,
    listed: ListedVersion,
    content: Content,
    numbers: Numbers,
    artifacts: Mapping[SubjectKey, Described],
) -> SchemaVersion:
    context, subject = listed.artifact.key
    number = numbers[context, subject, listed.label]
    return SchemaVersion(
        source=source,
        context=context,
        subject=subject,
        version=number,
        schema_id=str(listed.content_id),
        format=listed.artifact.format,
        text=content.text,
        references=tuple(_references(content.pointers, context, numbers)),
        metadata=details(
            globalId=listed.global_id,
            version="" if listed.label == str(number) else listed.label,
            artifact=_description_members(artifacts.get((context, subject), Described())),
            **_description_members(listed.described),
        ),
        # Apicurio's compatible API deletes a version softly by disabling it.
        deleted=listed.state == _DISABLED,
        state="" if listed.state == _ORDINARY else listed.state,
    )


def _references(pointers: Iterable[Pointer], context: str, numbers: Numbers) -> Iterator[Reference]:
    for pointer in pointers:
        own, artifact = artifact_subject(pointer.group, pointer.artifact)
        number = numbers.get((own, SubjectName(artifact), pointer.label), _number(pointer.label) or UNKNOWN)
        yield Reference(
            name=pointer.name,
            subject=SubjectName(artifact_reference(pointer.group, pointer.artifact, context)),
            version=number if pointer.label else LATEST,
        )


def _description_members(described: Described) -> dict[str, Json]:
    members = {
        "name": described.name,
        "description": described.description,
        "owner": described.owner,
        "labels": dict(described.labels),
    }
    return {name: value for name, value in members.items() if value}


def _number(label: str) -> int:
    """Return the number that a label is written as; 0 if it is not a number, or too large."""
    return int(label) if label.isascii() and label.isdecimal() and len(label) < 10 and label[0] != "0" else 0


def described(artifacts: Iterable[Artifact]) -> Mapping[SubjectKey, Described]:
    """Return the user metadata of each artifact."""
    return {artifact.key: artifact.described for artifact in artifacts}


_HINT = "the lists were read instead, which takes more requests"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, RecursionError among them
    EOFError,
    KeyError,
    ValueError,
    NotImplementedError,  # what zipfile raises for a compression that it does not know
)
_DATA = (".Content.json", ".Content.data")
_ENTRY = b"PK\x01\x02"
_MOST_ENTRIES = 500_000
"""Entries of an export, at most: each takes half a kilobyte of memory before anything of it is read."""
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What Java writes, and Apicurio therefore; Python inflates any other without a bound."""


Exported = tuple[list[ListedVersion | BadRow], Mapping[int, Content | ScannerError], list[Artifact]]
"""Every version, every text by its content's id, and every artifact."""


def read_export(archive: bytes, source: SourceId, most: int) -> Exported:
    """Read an export; raises PayloadUnexpected for an unknown archive.

    *most* bounds the bytes that it inflates to, regardless of its headers.
    """
    if archive.count(_ENTRY) > _MOST_ENTRIES:
        raise PayloadUnexpected(f"the export has more than {_MOST_ENTRIES} entries", hint=_HINT)
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            export = _Export(opened, most)
            export.check_announced()
            artifacts = {_subject_key(entity): read_artifact(entity) for entity in export.entities(".Artifact.json")}
            return _listed_versions(export, source, artifacts), dict(_contents(export)), list(artifacts.values())
    except _DAMAGED as error:
        raise PayloadUnexpected(f"the export cannot be read: {error}", hint=_HINT) from error


class _Export:
    """The entries of an archive; all that is read of them together is bounded, in bytes and in values of JSON."""

    def __init__(self, opened: zipfile.ZipFile, most: int) -> None:
        self._opened = opened
        self._most = self._left = most
        self._values = 2 * MOST_VALUES
        self.names = opened.namelist()

    def check_announced(self) -> None:
        """Raise PayloadUnexpected where the headers declare it as too large; they may understate it."""
        if sum(entry.file_size for entry in self._opened.infolist()) > self._most:
            raise self._too_large()

    def _too_large(self) -> PayloadUnexpected:
        return PayloadUnexpected(f"the export inflates to more than {self._most} bytes", hint=_HINT)

    def read(self, name: str) -> bytes:
        """Read an entry; raises PayloadUnexpected where all that was read is too large."""
        entry = self._opened.getinfo(name)
        if entry.compress_type not in _COMPRESSIONS:
            raise PayloadUnexpected("the export is compressed in a way that Apicurio does not use", hint=_HINT)
        with self._opened.open(entry) as stream:
            body = stream.read(self._left + 1)
        self._left -= len(body)
        if self._left < 0:
            raise self._too_large()
        return body

    def json(self, name: str) -> Payload:
        """Read an entry as JSON."""
        body = self.read(name)
        self._values -= sum(map(body.count, (b",", b":", b"{", b"[")))
        if self._values < 0:
            raise PayloadUnexpected(f"the export has more than {2 * MOST_VALUES} values", hint=_HINT)
        return Payload(load_json(body).value, f"{name} $")

    def entities(self, ending: str) -> Iterator[Payload]:
        """Read the entries whose names end so."""
        return (self.json(name) for name in self.names if name.endswith(ending))


def _listed_versions(
    export: _Export, source: SourceId, artifacts: Mapping[tuple[str, str], Artifact]
) -> list[ListedVersion | BadRow]:
    versions = export.entities(".ArtifactVersion.json")
    listed = [read_listed_version(entity, source, artifacts.get(_subject_key(entity))) for entity in versions]
    if not listed and any(name.endswith(_DATA[0]) for name in export.names):
        raise PayloadUnexpected("the export has texts and no versions", hint=_HINT)
    return listed


def _contents(export: _Export) -> Iterator[tuple[int, Content | ScannerError]]:
    for name in export.names:
        if not name.endswith(_DATA[0]):
            continue
        entity = export.json(name)
        body = export.read(name.removesuffix(_DATA[0]) + _DATA[1])
        yield entity.need("contentId").number(), _content(body, entity.text("serializedReferences"))


def _content(body: bytes, references: str) -> Content | ScannerError:
    try:
        return read_content(body, Payload(load_json(references.encode()).value if references else []))
    except PayloadUnexpected as error:
        return error


def _subject_key(entity: Payload) -> tuple[str, str]:
    return entity.text("groupId"), entity.text("artifactId")
