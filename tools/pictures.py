"""Draw the pictures of the documentation from the bundled example, with Chromium: `python tools/pictures.py`.

The example is scanned into a temporary dictionary, its graph exported as pages and served, and these are photographed.
Another version of Chromium draws other bytes, so no test compares the files; run it after a change of the page.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode
from urllib.request import urlopen

import scanner_api

ROOT = Path(__file__).parents[1]
RETAIL = ROOT / "examples" / "retail"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
COLUMN = "column:postgres://127.0.0.1:29432/warehouse.public.order_facts#amount"
"""The column that is selected in the pictures."""

VIEW = urlencode({"still": 0, "node": COLUMN})
TOPIC = urlencode({"cluster": "retail", "topic": "orders"})
PICTURES = {
    "dataflow.png": (None, 1940, 640),
    "assets/tutorial.png": ("orders-enriched", 1600, 520),
    "assets/page-home.png": ("/", 1280, 760),
    "assets/page-flow.png": (f"/flow#{urlencode({'node': COLUMN, 'focus': 1})}", 1760, 780),
    "assets/page-impact.png": (f"/flow#{urlencode({'node': 'orders', 'list': 'impact'})}", 1280, 720),
    "assets/page-topics.png": ("/topics", 1280, 620),
    "assets/page-topic.png": (f"/topic?{TOPIC}", 1280, 900),
    "assets/page-change.png": ("/change?node=orders.customer.email", 1280, 820),
}
"""File below the target → the path of a page of the server, or the node whose lineage an exported page shows (None: all
of it); width and height in pixels."""

TOUR = (
    "/",
    "/search?q=orders",
    f"/flow#{urlencode({'node': 'postgres://127.0.0.1:29432/shop.public.orders.total', 'focus': 1})}",
    "/change?node=postgres://127.0.0.1:29432/shop.public.orders.total",
    "/columns?tag=PII",
    f"/topic?{TOPIC}&tab=versions",
)
"""Pages of `assets/tour.png`, one after the other: what is wrong, who is affected and whom to call, personal data."""

_TOUR_SIZE = (940, 780)
"""About the width that GitHub shows a picture in, so that its texts are legible there."""

_SHOWN_FOR = 3_000
_PNG = b"\x89PNG\r\n\x1a\n"


def draw(target: Path, chromium: str) -> None:
    """Write every picture below *target*; raises CalledProcessError where Chromium fails."""
    with TemporaryDirectory() as directory:
        dictionary = scanner_api.open_dictionary(Path(directory) / "dictionary.db", create=True)
        scanner_api.scan([RETAIL / "cluster.json"], dictionary, replay=RETAIL / "capture")
        scanner_api.generate(dictionary)
        with serving(dictionary.url) as server:
            for name, (shown, width, height) in PICTURES.items():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                if shown is not None and shown.startswith("/"):
                    address = server + shown
                else:
                    page = Path(directory) / f"{Path(name).stem}.html"
                    scanner_api.export(dictionary, page, node=shown)
                    address = f"{page.resolve().as_uri()}#{VIEW}"
                photograph(chromium, address, target / name, (width, height))
            (target / "assets/tour.png").write_bytes(_tour(chromium, server, Path(directory)))


def _tour(chromium: str, server: str, directory: Path) -> bytes:
    """Return the animated picture of the pages of `TOUR`."""
    files = [directory / f"tour-{number}.png" for number in range(len(TOUR))]
    for file, path in zip(files, TOUR, strict=True):
        photograph(chromium, server + path, file, _TOUR_SIZE)
    return animated([file.read_bytes() for file in files], _SHOWN_FOR)


@contextmanager
def serving(dictionary: str) -> Iterator[str]:
    """Run `scanner serve` over a dictionary at a free port, and yield its address."""
    command = [sys.executable, "-c", "from scanner_cli.main import main; main()"]
    options = ["serve", "--dictionary", dictionary, "--port", "0"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            server = process.stderr.readline().rpartition(" at ")[2].strip()
            urlopen(f"{server}/api/v1/impact?node=orders", timeout=60).close()  # starts a process, which takes seconds
            yield server
        finally:
            process.terminate()


def photograph(chromium: str, address: str, picture: Path, size: tuple[int, int]) -> None:
    """Write what *chromium* shows at *address* in a window of *size*; raises CalledProcessError."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=8000")
    quiet = ("--disable-background-networking", f"--window-size={size[0]},{size[1]}")
    command = [chromium, *options, *quiet, f"--screenshot={picture.resolve()}", address]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    if not picture.exists():
        raise FileNotFoundError(picture)


def animated(pictures: Sequence[bytes], milliseconds: int) -> bytes:
    """Return an animated PNG that shows each of *pictures*, PNG files of one size and colour type, for so long.

    It repeats without end. Raises ValueError for a picture of another size or colour type. Source: PNG specification,
    third edition: `acTL`, `fcTL` and `fdAT`.
    """
    headers = {dict(_chunks(picture))[b"IHDR"] for picture in pictures}
    if len(headers) != 1:
        raise ValueError("the pictures differ in size or colour type")
    header = headers.pop()
    parts = [_PNG, _chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", len(pictures), 0))]
    numbers = count()
    for at, picture in enumerate(pictures):
        frame = struct.pack(">I", next(numbers)) + header[:8] + struct.pack(">IIHHBB", 0, 0, milliseconds, 1000, 0, 0)
        parts.append(_chunk(b"fcTL", frame))
        for kind, data in _chunks(picture):
            if kind == b"IDAT":
                # The first picture is what a program shows that knows no animation.
                parts.append(
                    _chunk(kind, data) if at == 0 else _chunk(b"fdAT", struct.pack(">I", next(numbers)) + data)
                )
    return b"".join((*parts, _chunk(b"IEND", b"")))


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and content of each chunk."""
    at = len(_PNG)
    while at < len(picture):
        (size,) = struct.unpack_from(">I", picture, at)
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        at += size + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> int:
    """Draw the pictures into docs/; the exit status is 1 without Chromium."""
    chromium = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if chromium is None:
        print("no Chromium was found (Debian: apt-get install chromium)", file=sys.stderr)
        return 1
    draw(ROOT / "docs", chromium)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
