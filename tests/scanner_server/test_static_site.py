"""Pages that need no server, opened from the disk in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from chromium import settle, violations
from waiting import PATIENCE

from scanner_api.dictionary import Dictionary
from scanner_cli.main import run
from scanner_server.static_site import PAGES, write_site

browsing = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
ORDERS = "topic.html?cluster=retail&topic=orders"
FILES = ("index.html", "topics.html", "columns.html?tag=PII", "jobs.html", ORDERS, "flow.html")


@pytest.fixture(scope="module")
def site(retail_alone: Dictionary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pages of the example."""
    directory = tmp_path_factory.mktemp("site")
    write_site(retail_alone, directory)
    return directory


@pytest.fixture
def opened(browser: Any, site: Path) -> Iterator[Callable[[str], Any]]:
    """Return a function that opens a file of the site; a message on the console, or a request, fails the test."""
    troubles: list[str] = []
    with ExitStack() as stack:

        def go(name: str) -> Any:
            page = browser.new_page()
            page.set_default_timeout(1000 * PATIENCE)
            stack.callback(page.close)
            page.on("console", lambda message: troubles.append(message.text))
            page.on("pageerror", lambda error: troubles.append(str(error)))
            page.on(
                "request", lambda request: None if request.url.startswith("file:") else troubles.append(request.url)
            )
            page.goto(f"file://{site}/{name}")
            settle(page)
            return page

        yield go
    assert troubles == []


@pytest.mark.parametrize("page", PAGES)
def test_site_has_the_file_of_each_page(site: Path, page: str) -> None:
    """They are one shell; its scripts look at the file's name."""
    assert "static/lists.js" in (site / f"{page}.html").read_text("utf-8")
    assert "/static/" not in (site / f"{page}.html").read_text("utf-8").replace('"static/', "")


def test_second_export_has_the_same_bytes_and_no_file_of_topics_that_are_gone(
    retail_alone: Dictionary, site: Path, tmp_path: Path
) -> None:
    """A site is often kept under version control."""
    write_site(retail_alone, tmp_path)
    gone = tmp_path / "data/topics/gone.js"
    gone.write_text("")
    write_site(retail_alone, tmp_path)
    files = {file.relative_to(site): file.read_bytes() for file in site.rglob("*") if file.is_file()}

    assert files == {file.relative_to(tmp_path): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("options", [["-o", "-"], ["-o", "site", "--node", "orders"]], ids=" ".join)
def test_part_of_the_dictionary_or_a_stream_is_refused(
    retail_alone: Dictionary, options: list[str], capsys: Any
) -> None:
    """The pages refer to each other: they are of the whole, in a directory."""
    assert run(["export", "--format", "docs", *options, "--dictionary", retail_alone.url]) == 2
    assert "docs" in capsys.readouterr().err


class TestInBrowser:
    """From file://, where a page may not fetch."""

    pytestmark = browsing

    @pytest.mark.parametrize("name", FILES)
    def test_pages_show_without_a_server(self, opened: Any, name: str) -> None:
        """No request leaves the disk, and nothing is missing."""
        assert opened(name).locator("main").inner_text().strip()

    @pytest.mark.parametrize("name", FILES[:-1])
    def test_axe_finds_no_violation(self, browser: Any, site: Path, name: str) -> None:
        """Axe requests the style sheet itself, which a file may not, so its messages are not looked at."""
        with closing(browser.new_page()) as page:
            page.goto(f"file://{site}/{name}")
            settle(page)

            assert violations(page) == []

    def test_home_leads_to_the_columns_with_a_tag(self, opened: Any) -> None:
        """Where personal data is, is two clicks away."""
        page = opened("index.html")
        page.get_by_role("link", name="PII", exact=True).click()
        settle(page)

        assert "customer.email" in page.locator("main").inner_text()
        assert page.locator("tbody tr:not(.group)").count() == 21

    def test_search_finds_a_column_and_leads_to_its_topic(self, opened: Any) -> None:
        """Names are searched in the files, best match first."""
        page = opened("topics.html")
        page.locator("#search").fill("customer.email")
        page.locator("#hits [role=option]", has_text="orders").first.click()
        page.wait_for_url("**/topic.html?*")
        settle(page)

        assert "topic=orders" in page.url
        assert "orders-value, version 2" in page.locator("main").inner_text()

    def test_versions_of_a_topic_are_compared(self, opened: Any) -> None:
        """Every version is in the file of the topic."""
        page = opened(ORDERS)
        page.get_by_role("tab", name="Versions").click()
        page.get_by_role("button", name="Compare").first.click()
        page.get_by_text("columns differ").wait_for()

    def test_filter_of_a_list_is_in_the_address(self, opened: Any) -> None:
        """As on the served page, so that a filtered list can be sent."""
        page = opened("topics.html")
        page.get_by_label("Tag").fill("finance")
        page.wait_for_url("**/topics.html?tag=finance")
        settle(page)

        assert page.locator("tbody tr:not(.group)").count() == 1

    def test_topic_leads_to_its_lineage(self, opened: Any) -> None:
        """The drawing is the exported page, with the topic in focus."""
        page = opened(ORDERS)
        page.locator("#page p.acts a", has_text="Lineage").first.click()
        page.wait_for_url("**/flow.html#*")

        assert "Downstream: 7" in page.locator("#panel").inner_text()
