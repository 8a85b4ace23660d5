"""Draw the pictures of the documentation from the bundled example, with Chromium: `python tools/pictures.py`.

The example is scanned into a temporary dictionary, its graph exported as pages, and these are photographed. Another
version of Chromium draws other bytes, so no test compares the files; run it after a change of the page.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import scanner_api

ROOT = Path(__file__).parents[1]
RETAIL = ROOT / "examples" / "retail"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
COLUMN = "column:postgres://127.0.0.1:29432/warehouse.public.order_facts#amount"
"""The column that is selected in the pictures."""

VIEW = urlencode({"still": 0, "node": COLUMN})
PICTURES = {"dataflow.png": (None, 1600, 800), "assets/tutorial.png": ("orders-enriched", 1600, 520)}
"""File below the target → the node whose lineage it shows (None: everything), width and height in pixels."""


def draw(target: Path, chromium: str) -> None:
    """Write every picture below *target*; raises CalledProcessError where Chromium fails."""
    with TemporaryDirectory() as directory:
        dictionary = scanner_api.open_dictionary(Path(directory) / "dictionary.db", create=True)
        scanner_api.scan([RETAIL / "cluster.json"], dictionary, replay=RETAIL / "capture")
        scanner_api.generate(dictionary)
        for name, (node, width, height) in PICTURES.items():
            page = Path(directory) / f"{Path(name).stem}.html"
            scanner_api.export(dictionary, page, node=node)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            photograph(chromium, page, target / name, (width, height))


def photograph(chromium: str, page: Path, picture: Path, size: tuple[int, int]) -> None:
    """Write what *chromium* shows of *page* in a window of *size*; raises CalledProcessError."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000")
    window = f"--window-size={size[0]},{size[1]}"
    command = [chromium, *options, window, f"--screenshot={picture.resolve()}", f"{page.resolve().as_uri()}#{VIEW}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    if not picture.exists():
        raise FileNotFoundError(picture)


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
