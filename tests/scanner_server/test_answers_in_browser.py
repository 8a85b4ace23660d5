"""What the pages say before anything is looked for: sentences, owners, tags, search hits, links and pictures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlencode

import pytest
from chromium import SCANNER, serving, settle

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

AMOUNT = "postgres://127.0.0.1:29432/warehouse.public.order_facts.amount"


def test_the_panel_says_first_where_a_value_comes_from_and_whose_it_is(visit) -> None:
    page = visit(f"/flow#{urlencode({'node': AMOUNT})}")
    sentence = page.locator("#panel .sentence").inner_text()
    steps = page.locator("#panel .steps li").all_inner_texts()

    assert sentence == (
        "orders-enriched.total = CAST(o.payload.total AS DOUBLE), from shop.public.orders.total in 3 steps"
        " (copied, computed, renamed) · no known reader · owner team-warehouse · no tag"
    )
    assert [step.splitlines()[0] for step in steps][-1].endswith("warehouse.public.order_facts.amount renamed")


def test_an_owner_has_a_page_that_every_page_links_to(visit) -> None:
    page = visit("/jobs")
    page.get_by_role("link", name="team-streaming").first.click()
    page.locator("h2", has_text="team-streaming").wait_for()

    assert "2 topics, 4 jobs" in page.locator(".sentence").inner_text()
    assert page.get_by_text("INSERT INTO order_mails").count() == 1


def test_columns_start_with_the_tags_and_their_counts(visit) -> None:
    page = visit("/columns")
    page.get_by_role("row", name=re.compile("^PII")).get_by_role("link", name="8").click()
    settle(page)
    page.locator("caption", has_text="8 columns").wait_for()

    assert "tags=declared" in page.url
    assert page.locator("tr.group", has_text="cdc.customers").inner_text() == "cdc.customers · team-shop"


def test_the_header_of_a_topic_answers(visit) -> None:
    page = visit("/topic?cluster=retail&topic=orders")
    sentence = page.locator(".sentence").inner_text()

    for words in ("owner team-shop", "3 columns with PII", "no known writer", "2 partitions", "kept 7 days"):
        assert words in sentence
    assert page.get_by_role("link", name="email", exact=True).count() == 1


def test_tabs_of_a_topic_say_how_much_is_behind_them(visit) -> None:
    """What the first scan found is no change."""
    page = visit("/topic?cluster=retail&topic=orders")
    page.get_by_role("tab", name="Versions (4)").wait_for()
    page.get_by_role("tab", name="Changes (0)").click()

    page.get_by_text(re.compile("^First scanned 20")).wait_for()
    assert page.get_by_role("tab", name="Changes (0)").get_attribute("aria-selected") == "true"


@pytest.mark.parametrize(
    "path", ["/topic?cluster=retail&topic=orders&tab=delete", "/change?node=orders.customer.email"]
)
def test_whom_to_ask_is_beside_what_keeps_a_topic_or_is_hit(visit, path) -> None:
    page = visit(path)
    row = page.get_by_role("row", name=re.compile("nightly-report"))
    row.wait_for()

    assert row.get_by_role("link", name="team-finance").count() == 1


def test_hits_of_a_search_are_grouped_by_kind(visit) -> None:
    """The kind of the best hit comes first; a search for one kind needs no heading."""
    page = visit("/search?q=orders")

    headings = page.locator("tr.group").all_inner_texts()
    assert headings[:2] == ["7 topics", "3 jobs"]
    assert sum(int(heading.split()[0]) for heading in headings) == page.locator("tbody tr:not(.group)").count()
    assert visit("/search?q=amount").locator("tr.group").count() == 0


def test_on_a_phone_the_counts_of_a_drawing_have_the_width(visit) -> None:
    page = visit("/flow")
    page.set_viewport_size({"width": 390, "height": 844})

    assert page.locator("#footer").evaluate("(element) => element.offsetWidth") > 300


def test_enter_on_a_text_without_a_hit_does_nothing(visit) -> None:
    page = visit("/topics")
    page.locator("#search").fill("shipingg")
    page.locator("#hits li", has_text="shipping").first.wait_for()
    page.locator("#search").press("Enter")
    settle(page)

    assert page.locator("#search").input_value() == "shipingg"
    assert page.url.endswith("/topics")


def test_a_search_marks_the_match_and_lists_one_kind_after_the_other(visit) -> None:
    page = visit("/topics")
    page.locator("#search").fill("order")
    page.locator("#hits mark").first.wait_for()
    kinds = page.locator("#hits li").evaluate_all("(all) => all.map((each) => each.className)")
    changes = sum(before != after for before, after in pairwise(kinds))

    assert changes == len(set(kinds)) - 1
    assert set(page.locator("#hits mark").all_inner_texts()) <= {"order", "ORDER"}


def test_a_search_does_what_it_is_told(visit) -> None:
    page = visit("/topics")
    page.locator("#search").fill("impact of orders.total")
    page.locator("#hits li", has_text="Impact of orders.total").wait_for()
    page.locator("#search").press("Enter")
    page.locator("#panel", has_text="a change affects").wait_for()

    assert "list=impact" in page.url


@pytest.mark.parametrize("node", [AMOUNT, "orders", "billing"])
def test_a_short_link_leads_to_its_node(visit, node) -> None:
    page = visit(f"/flow#{urlencode({'node': node})}")
    page.locator("#panel .sentence").wait_for()
    key = page.evaluate("() => new URLSearchParams(location.hash.slice(1)).get('node')")
    short = page.evaluate("(node) => fetch(`/api/v1/node?${new URLSearchParams({node})}`).then((r) => r.json())", key)
    page.goto(f"{page.url.partition('/flow')[0]}/n/{short['short']}")
    page.locator("#panel .sentence").wait_for()

    assert page.evaluate("() => new URLSearchParams(location.hash.slice(1)).get('node')") == key


def test_a_picture_says_what_and_when_it_shows(visit) -> None:
    page = visit(f"/flow#{urlencode({'node': AMOUNT})}")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    texts = [each.text or "" for each in ET.parse(Path(download.value.path())).iter() if each.tag.endswith("text")]

    assert texts[0] == "Lineage of warehouse.public.order_facts.amount"
    assert re.fullmatch(r"scanned 20\d\d-\d\d-\d\d \d\d:\d\d UTC", texts[1])
    assert {"≡ topic", "⚙ job", "⛁ dataset"} <= set(texts)


def test_on_a_phone_a_list_comes_before_its_filters(visit) -> None:
    page = visit("/topics")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    settle(page)
    rows = page.locator("tbody tr")
    rows.first.wait_for()

    assert rows.first.bounding_box()["y"] < 230
    assert not page.get_by_label("Owner", exact=True).is_visible()
    page.get_by_text("Filters").click()
    assert page.get_by_label("Owner", exact=True).is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390


def test_on_a_phone_a_tag_does_not_lie_on_the_word_before_it(visit) -> None:
    page = visit("/columns?tag=PII")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("a.tag").first.wait_for()

    assert page.evaluate("() => getComputedStyle(document.querySelector('a.tag')).marginLeft") == "0px"


def test_a_drawing_can_be_zoomed_on_a_phone(visit) -> None:
    page = visit("/flow")
    page.set_viewport_size({"width": 390, "height": 844})

    assert page.get_by_role("button", name="Zoom in").is_visible()
    assert page.get_by_role("button", name="Fit").is_visible()


def test_no_tile_says_zero_personal_columns_beside_suggested_ones(visit) -> None:
    page = visit("/")
    tile = page.locator(".tile", has_text="columns with PII")
    page.wait_for_function("() => !document.querySelector('.tiles').innerText.includes('…')")

    assert re.fullmatch(r"\d+", tile.locator(".figure").inner_text())
    assert "look personal: review" in tile.inner_text()


def test_after_one_scan_the_number_of_changes_is_unknown_not_zero(browser, retail_alone) -> None:
    with serving(SCANNER, retail_alone.url) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_function("() => document.querySelector('.tiles') && !document.body.innerText.includes('…')")
        tile = page.locator(".tile", has_text="changes in the last week").inner_text()
        page.goto(f"{address}/topic?cluster=retail&topic=orders")
        page.get_by_role("tab", name="Changes (?)").click()
        page.get_by_text(re.compile("^Only one scan so far, 20")).wait_for()
        page.close()

    assert tile.split("\n")[0] == "?"
    assert "one scan so far" in tile
