"""Read the ZIP of Apicurio's export (v3): versions, artifacts and contents."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO

from scanner_extractor.http.messages import Json
from scanner_extractor.registries.apicurio.reader import (
    Artifact,
    Content,
    ListedVersion,
    read_artifact,
    read_content,
    read_listed_version,
)
from scanner_extractor.registries.result import BadRow, member, text
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.json_input import MOST_VALUES, load_json
from scanner_model.names import SourceId

_HINT = "the lists were read instead, which takes more requests"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, RecursionError among them
    EOFError,
    KeyError,
    ValueError,
    NotImplementedError,
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
            artifacts = {_place(entity): read_artifact(entity) for entity in export.entities(".Artifact.json")}
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

    def json(self, name: str) -> Json:
        """Read an entry as JSON."""
        body = self.read(name)
        self._values -= sum(map(body.count, (b",", b":", b"{", b"[")))
        if self._values < 0:
            raise PayloadUnexpected(f"the export has more than {2 * MOST_VALUES} values", hint=_HINT)
        return load_json(body).value

    def entities(self, ending: str) -> Iterator[Json]:
        """Read the entries whose names end so."""
        return (self.json(name) for name in self.names if name.endswith(ending))


def _listed_versions(
    export: _Export, source: SourceId, artifacts: Mapping[tuple[str, str], Artifact]
) -> list[ListedVersion | BadRow]:
    versions = export.entities(".ArtifactVersion.json")
    listed = [read_listed_version(entity, source, artifacts.get(_place(entity))) for entity in versions]
    if not listed and any(name.endswith(_DATA[0]) for name in export.names):
        raise PayloadUnexpected("the export has texts and no versions", hint=_HINT)
    return listed


def _contents(export: _Export) -> Iterator[tuple[int, Content | ScannerError]]:
    for name in export.names:
        if not name.endswith(_DATA[0]):
            continue
        entity = export.json(name)
        number = member(entity, "contentId")
        references = text(entity, "serializedReferences")
        body = export.read(name.removesuffix(_DATA[0]) + _DATA[1])
        if isinstance(number, int):
            yield number, _content(body, references)


def _content(body: bytes, references: str) -> Content | ScannerError:
    try:
        return read_content(body, load_json(references.encode()).value if references else [])
    except PayloadUnexpected as error:
        return error


def _place(entity: Json) -> tuple[str, str]:
    return text(entity, "groupId"), text(entity, "artifactId")
