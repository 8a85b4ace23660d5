"""An export that cannot be opened is told as such, so that the lists are read instead."""

import zipfile
from io import BytesIO

import pytest

from scanner_extractor.registries.apicurio_export import read_export
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId

SOURCE = SourceId("schema_registry:http://apicurio")


def archive() -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        opened.writestr("groups/a/artifacts/b/b.Artifact.json", "{}")
    return written.getvalue()


def marked(raw: bytes, at: int, value: int) -> bytes:
    """Give *raw* with *value* in a 16-bit member of both headers of its one entry; *at* counts in the local one."""
    patched = bytearray(raw)
    central = raw.index(b"PK\x01\x02")
    for place in (at, central + at + 2):
        patched[place : place + 2] = value.to_bytes(2, "little")
    return bytes(patched)


@pytest.mark.parametrize(
    "raw",
    [b"", b"PK no archive", archive()[:-30], marked(archive(), 6, 1), marked(archive(), 8, 99)],
    ids=["empty", "no archive", "cut", "encrypted", "unknown compression"],
)
def test_export_that_cannot_be_opened_is_unexpected(raw: bytes) -> None:
    """It must cost the export, never the registry."""
    with pytest.raises(PayloadUnexpected):
        read_export(raw, SOURCE, 10_000_000)
