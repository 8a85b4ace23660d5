"""The animated picture of the documentation."""

import runpy
import struct
import zlib
from pathlib import Path

import pytest

PICTURES = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "pictures.py"))
animated, chunks, chunk = PICTURES["animated"], PICTURES["_chunks"], PICTURES["_chunk"]


def picture(shade: int, width: int = 2) -> bytes:
    """Return a grey PNG of two lines whose data is in two chunks."""
    data = zlib.compress(b"".join(b"\0" + bytes([shade] * width) for _ in range(2)))
    header = struct.pack(">IIBBBBB", width, 2, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", data[:5]), chunk(b"IDAT", data[5:]), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_frames_are_the_pictures_in_their_order() -> None:
    """The first is what a program shows that knows no animation; numbers of the others go on without a gap."""
    listed = list(chunks(animated([picture(10), picture(200)], 3_000)))
    kinds = [kind for kind, _ in listed]
    numbers = [struct.unpack(">I", data[:4])[0] for kind, data in listed if kind in (b"fcTL", b"fdAT")]
    second = b"".join(data[4:] for kind, data in listed if kind == b"fdAT")

    assert kinds == [b"IHDR", b"acTL", b"fcTL", b"IDAT", b"IDAT", b"fcTL", b"fdAT", b"fdAT", b"IEND"]
    assert numbers == [0, 1, 2, 3]
    assert zlib.decompress(second) == b"\0\xc8\xc8" * 2
    assert [struct.unpack(">HH", data[20:24]) for kind, data in listed if kind == b"fcTL"] == [(3_000, 1_000)] * 2


def test_pictures_of_several_sizes_are_refused() -> None:
    """A browser would show none of them."""
    with pytest.raises(ValueError, match="differ"):
        animated([picture(1), picture(1, width=3)], 3_000)
