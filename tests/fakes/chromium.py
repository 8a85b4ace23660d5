"""A headless Chromium that is installed on this machine, driven by Playwright, and axe-core's findings in its pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking")
SIZE = {"width": 1600, "height": 1000}
SCANNER = (sys.executable, "-c", "from scanner_cli.main import main; main()")
"""The command of this checkout."""


def program() -> str | None:
    """Return the path of Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium, and yield Playwright's browser; raises FileNotFoundError where there is no Chromium."""
    from playwright.sync_api import sync_playwright

    path = program()
    if path is None:
        raise FileNotFoundError("no Chromium on this machine; Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(command: Sequence[str], dictionary: str) -> Iterator[str]:
    """Run `scanner serve`, which *command* starts, over the URL of a dictionary at a free port; yield its address."""
    options = ("serve", "--dictionary", dictionary, "--port", "0")
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            yield process.stderr.readline().rpartition(" at ")[2].strip()
        finally:
            process.terminate()


def settle(page: Any) -> None:
    """Wait until the page has what it requested."""
    page.locator("main:not([aria-busy=true])").wait_for()


def violations(page: Any, *rules: str) -> list[str]:
    """Return what axe-core finds wrong in a page, by all of its rules or by *rules*: rule, impact, first element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    options = {"resultTypes": ["violations"], **only}
    rows = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [f"{row['id']} ({row['impact']}): {len(row['nodes'])} of {row['nodes'][0]['html'][:200]}" for row in rows]
