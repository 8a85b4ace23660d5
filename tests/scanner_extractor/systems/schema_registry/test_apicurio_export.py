"""An export that cannot be opened is reported as such, so that the lists are read instead."""

import tracemalloc
import zipfile
from io import BytesIO

import pytest

from scanner_extractor.systems.schema_registry.apicurio_reader import read_export
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId

SOURCE = SourceId("schema_registry:http://apicurio")


def archive() -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        opened.writestr("groups/a/artifacts/b/b.Artifact.json", "{}")
    return written.getvalue()


def marked(raw: bytes, at: int, value: int) -> bytes:
    """Return *raw* with *value* in a 16-bit member of both headers of its one entry; *at* counts in the local one."""
    patched = bytearray(raw)
    central = raw.index(b"PK\x01\x02")
    for location in (at, central + at + 2):
        patched[location : location + 2] = value.to_bytes(2, "little")
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


def lying(kind: int, body: bytes) -> bytes:
    """Return an archive with an entry of *body* whose headers say that it has a thousand bytes."""
    written = BytesIO()
    with zipfile.ZipFile(written, "w", kind) as opened:
        opened.writestr("a.ArtifactVersion.json", body)
    return written.getvalue().replace(len(body).to_bytes(4, "little"), (1000).to_bytes(4, "little"))


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_export_whose_headers_lie_is_not_inflated(kind: int) -> None:
    """What is inflated is bounded, not what is said of it."""
    archive = lying(kind, b"\0" * 50_000_000)
    tracemalloc.start()

    with pytest.raises(PayloadUnexpected):
        read_export(archive, SOURCE, 10_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 40_000_000


@pytest.mark.slow
def test_export_of_very_many_values_is_refused() -> None:
    """Labels are kept, and a small archive can hold millions of them."""
    written = BytesIO()
    entity = b'{"labels": {' + b",".join(b'"%d":""' % number for number in range(1_000_000)) + b"}}"
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as opened:
        for number in range(6):
            opened.writestr(f"{number}.ArtifactVersion.json", entity)

    with pytest.raises(PayloadUnexpected, match="values"):
        read_export(written.getvalue(), SOURCE, 250_000_000)
