"""The documentation site, built strictly: it loads nothing from elsewhere, and offers what its pages speak of."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("material", reason="needs the extra `docs`")

pytestmark = [pytest.mark.process, pytest.mark.xdist_group("site")]

ROOT = Path(__file__).parents[2]
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""Elements that make a browser load something, with the attribute that says what."""

NOT_LOADED = {"canonical", "next", "prev", "alternate"}
"""Relations of `<link>` that only name another page."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does; a warning fails it (with `--quiet` MkDocs counts none)."""
    directory = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(directory)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


class Loaded(HTMLParser):
    """Collects what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add the address that an element loads."""
        values = dict(attrs)
        if tag in LOADING and values.get("rel") not in NOT_LOADED:
            self.addresses.append(values.get(LOADING[tag]) or "")


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    """Who reads it in an isolated network sees all of it, and nobody learns who reads it."""
    for page in site.rglob("*.html"):
        loaded = Loaded()
        loaded.feed(page.read_text("utf-8"))

        assert loaded.addresses
        assert [address for address in loaded.addresses if "//" in address] == [], page


def test_no_style_loads_anything_from_elsewhere(site: Path) -> None:
    """Fonts are a common way to name a stranger's server."""
    styles = [file.read_text("utf-8") for file in site.rglob("*.css")]

    assert len(styles) > 1
    assert [style for style in styles if "url(http" in style or "url(//" in style or "@import" in style] == []


def test_the_index_for_searching_is_a_file_of_the_site(site: Path) -> None:
    """No service is asked; the browser searches."""
    index = (site / "search" / "search_index.json").read_text("utf-8")

    assert "SASL_SSL" in index
    assert "scanner_topics_without_schema" in index


def test_the_tutorial_offers_the_example(site: Path) -> None:
    """Who installed the package has no examples."""
    with zipfile.ZipFile(site / "downloads" / "retail-example.zip") as archive:
        names = archive.namelist()

    assert {"retail/cluster.json", "retail/capture/capture.json", "retail/proposed/orders-value.avsc"} <= set(names)
    assert 'href="downloads/retail-example.zip"' in (site / "tutorial.html").read_text("utf-8")


def test_every_page_marks_which_commands_are_not_run(site: Path) -> None:
    """A comment in the source is for the reader of the site as well."""
    text = (site / "how-to" / "confluent-cloud.html").read_text("utf-8")

    assert text.count('class="not-run"') == 2
    assert "<!-- not run" not in text
