"""Draw the pictures of the documentation from the bundled example, with Chromium: `python tools/pictures.py`.

The example is scanned into a temporary dictionary, its graph exported as pages and served, and these are photographed.
Another version of Chromium draws other bytes, so no test compares the files; run it after a change of the page.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    "dataflow.png": (None, 1600, 800),
    "assets/tutorial.png": ("orders-enriched", 1600, 520),
    "assets/page-home.png": ("/", 1280, 760),
    "assets/page-flow.png": (f"/flow#{urlencode({'node': COLUMN, 'focus': 1})}", 1600, 560),
    "assets/page-impact.png": (f"/flow#{urlencode({'node': 'orders', 'list': 'impact'})}", 1280, 720),
    "assets/page-topics.png": ("/topics", 1280, 620),
    "assets/page-topic.png": (f"/topic?{TOPIC}&subject=orders-value&version=2", 1280, 900),
    "assets/page-change.png": ("/change?node=orders.customer.email", 1280, 820),
}
"""File below the target → the path of a page of the server, or the node whose lineage an exported page shows (None: all
of it); width and height in pixels."""


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
