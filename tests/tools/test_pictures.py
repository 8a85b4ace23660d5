"""The pictures of the documentation come from the example, by a script."""

from __future__ import annotations

import runpy
import shutil
import struct
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


def size(picture: Path) -> tuple[int, int]:
    """Return width and height of a PNG file."""
    return struct.unpack(">II", picture.read_bytes()[16:24])


def test_every_picture_is_drawn_in_its_size(tmp_path: Path) -> None:
    """Chromium reports success for a page that it could not load; the files in docs/ have the same sizes."""
    script = runpy.run_path(str(ROOT / "tools" / "pictures.py"))
    chromium = next(filter(None, map(shutil.which, script["PROGRAMS"])), None)
    if chromium is None:
        pytest.skip("Chromium is not installed")
    script["draw"](tmp_path, chromium)

    for name, (_, *expected) in script["PICTURES"].items():
        assert size(tmp_path / name) == size(ROOT / "docs" / name) == tuple(expected)
        assert (tmp_path / name).stat().st_size > 30_000
