"""The ZIP of Apicurio's export (v3) read: versions, artifacts and contents, as the lists would have told them."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO

from scanner_extractor.exchange import Json
from scanner_extractor.registries.apicurio_reader import (
    Artifact,
    Content,
    Found,
    read_artifact,
    read_content,
    read_found,
)
from scanner_extractor.registries.rows import BadRow, member, text
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.names import SourceId

_HINT = "the lists were read instead, which takes more requests"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, or a compression that Python does not know
    EOFError,
    KeyError,
    ValueError,
)
_DATA = (".Content.json", ".Content.data")


Exported = tuple[list[Found | BadRow], Mapping[int, Content | ScannerError], list[Artifact]]
"""Every version, every text by its content's id, and every artifact."""


def read_export(archive: bytes, source: SourceId, most: int) -> Exported:
    """Read everything that an export tells; raises PayloadUnexpected where the archive is not one that we know.

    *most* bounds the bytes that it inflates to, so that a bomb never goes off.
    """
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            if sum(part.file_size for part in opened.infolist()) > most:
                raise PayloadUnexpected(f"the export inflates to more than {most} bytes", hint=_HINT)
            artifacts = {_place(entity): read_artifact(entity) for entity in _entities(opened, ".Artifact.json")}
            return _founds(opened, source, artifacts), dict(_contents(opened)), list(artifacts.values())
    except _DAMAGED as error:
        raise PayloadUnexpected(f"the export cannot be read: {error}", hint=_HINT) from error


def _founds(
    opened: zipfile.ZipFile, source: SourceId, artifacts: Mapping[tuple[str, str], Artifact]
) -> list[Found | BadRow]:
    versions = list(_entities(opened, ".ArtifactVersion.json"))
    if not versions and any(_entities(opened, _DATA[0])):
        raise PayloadUnexpected("the export has texts and no versions", hint=_HINT)
    return [read_found(entity, source, artifacts.get(_place(entity))) for entity in versions]


def _contents(opened: zipfile.ZipFile) -> Iterator[tuple[int, Content | ScannerError]]:
    for name in opened.namelist():
        if not name.endswith(_DATA[0]):
            continue
        entity = _json(opened, name)
        number = member(entity, "contentId")
        references = text(entity, "serializedReferences")
        body = opened.read(name.removesuffix(_DATA[0]) + _DATA[1])
        if isinstance(number, int):
            yield number, _content(body, references)


def _content(body: bytes, references: str) -> Content | ScannerError:
    try:
        return read_content(body, json.loads(references) if references else [])
    except PayloadUnexpected as error:
        return error


def _entities(opened: zipfile.ZipFile, ending: str) -> Iterator[Json]:
    return (_json(opened, name) for name in opened.namelist() if name.endswith(ending))


def _json(opened: zipfile.ZipFile, name: str) -> Json:
    return json.loads(opened.read(name))


def _place(entity: Json) -> tuple[str, str]:
    return text(entity, "groupId"), text(entity, "artifactId")
