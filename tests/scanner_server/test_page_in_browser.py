"""The page of a running server in a real browser, as people use it: with a mouse, with the keyboard alone, by links."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from chromium import SCANNER, serving, settle, violations
from sqlalchemy import select

from scanner_api.graph.export import export
from scanner_api.questions.graph import lineage
from scanner_dictionary.schema.tables import flow_node

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
KAFKA = "kafka://127.0.0.1:29092"
ORDERS, INVOICES = f"topic:{KAFKA}/orders", f"topic:{KAFKA}/legacy.invoices"


def hash_of(**members: object) -> str:
    """Return an address of a view."""
    return f"/flow#{urlencode(members)}"


def card(page: Any, key: str) -> Any:
    return page.locator(f'.card[data-key="{key}"]')


def near(key: str = ORDERS, **members: str) -> str:
    """Return the address of a node with its neighbours only."""
    return hash_of(load=json.dumps([key, 1, 1]), node=key, **members)


def test_the_start_shows_a_small_graph_whole_and_how_much_was_read(visit) -> None:
    """Nobody begins with an empty page."""
    page = visit()

    assert page.locator(".card").count() > 50
    assert "5 with columns" in page.locator("#panel").inner_text()
    assert page.locator("#about").get_attribute("title").startswith("scan 3")


def test_a_dictionary_without_a_graph_has_a_start_without_an_error(browser, new_dictionary) -> None:
    """The first thing that somebody sees who has not scanned yet."""
    with serving(SCANNER, f"sqlite:///{new_dictionary}") as url:
        page = browser.new_page()
        page.goto(f"{url}/flow")
        settle(page)

        assert page.locator("#about").inner_text() == "no scan yet"
        assert page.locator("[role=alert]").count() == 0
        page.close()


def test_a_search_finds_names_of_the_whole_dictionary(visit) -> None:
    """Enter takes the hit of what was typed, however fast."""
    page = visit(near())
    page.keyboard.press("/")
    page.keyboard.type("customers.id")
    page.keyboard.press("Enter")
    page.locator(".row.chosen").wait_for()

    assert page.locator(".row.chosen").get_attribute("data-key").endswith("#id")
    assert card(page, f"topic:{KAFKA}/customers").locator(".row.chosen").count() == 1


def test_hops_are_expanded_with_their_counts(visit) -> None:
    """The number on the button is that of the edges that come."""
    page = visit(hash_of(load=json.dumps([ORDERS, 0, 0]), node=ORDERS))
    button = card(page, ORDERS).locator(".expand.downstream")
    count = button.inner_text()
    before = page.locator(".card").count()
    button.click()
    page.locator(".card").nth(before).wait_for()

    assert (before, count) == (1, f"+{page.locator('.card').count() - 1}")
    assert page.locator(f'{".card"}[data-key="{ORDERS}"] .expand.downstream').count() == 0


def test_columns_are_read_when_a_card_is_opened(visit) -> None:
    """The overview has none: there may be millions."""
    page = visit()
    card(page, ORDERS).focus()
    page.keyboard.press(" ")
    card(page, ORDERS).locator(".row").first.wait_for()

    rows = card(page, ORDERS).locator(".row .name").all_inner_texts()
    assert {"id", "placed_at", "email"} <= set(rows)


def test_a_topic_page_has_schemas_columns_users_and_freshness(visit) -> None:
    """All that is known of one topic, without a drawing."""
    page = visit("/topic?cluster=retail&topic=orders")
    text = page.locator("#page").inner_text()

    for words in ("com.acme.retail.Order", "email", "PII", "The shop's number", "confirmed"):
        assert words in text
    page.get_by_role("tab", name="Readers and writers").click()
    assert "order-service" in page.locator("#page").inner_text()
    assert "CZ | DE | FR" in text  # the enum of a referenced schema


WAY = """async (keys) => {
  const said = {};
  for (const key of keys) {
    location.hash = new URLSearchParams({node: key, focus: 1});
    const shown = () => document.getElementById("panel").textContent.includes(key) && document.querySelector(".way");
    for (let turn = 0; turn < 400 && (!shown() || shown().textContent === "reading …"); turn++)
      await new Promise((done) => setTimeout(done, 10));
    said[key] = document.querySelector(".way").innerText.replaceAll("\\n", " ").trim();
  }
  return said;
}"""


def test_every_column_has_the_counts_of_the_exported_page_and_of_the_command(visit, retail_alone, tmp_path) -> None:
    """The served page reads the flows of a column to their ends before it says how many there are."""
    file = tmp_path / "flow.html"
    export(retail_alone, file)
    exported = visit(f"file://{file}")
    with retail_alone.reading() as conn:
        query = select(flow_node.c.node_key).where(flow_node.c.kind == "column", flow_node.c.namespace != "")
        columns = list(conn.execute(query.order_by(flow_node.c.node_key)).scalars())
    with serving(SCANNER, retail_alone.url) as url:
        served = visit(f"{url}/flow").evaluate(WAY, columns)
    counted = {key: lineage(retail_alone, key).reachable for key in columns}

    assert len(columns) > 80
    assert served == exported.evaluate(WAY, columns)
    assert {
        key: tuple(map(int, re.findall(r"(?:stream: )(\d+)", says.replace("none", "0"))))
        for key, says in served.items()
    } == {
        key: (found.upstream, found.downstream) if found.upstream or found.downstream else ()
        for key, found in counted.items()
    }


def test_impact_is_a_list_and_a_csv_of_the_same_lines(visit) -> None:
    """The list is for people, the file for their spreadsheets."""
    page = visit(near())
    page.get_by_role("button", name="Impact").click()
    page.locator(".impact").first.wait_for()
    for folded in page.locator(".impact summary").all():
        folded.click()
    rows = page.locator(".impact tbody tr:not(.columns)")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()

    assert lines[0] == "kind,namespace,name,column,use,steps,through"
    assert len(lines) - 1 == rows.count() > 10


def test_two_scans_are_compared_on_the_drawing_and_in_a_list_with_causes(visit) -> None:
    """What came is green, what went is red, and the list has also what is not drawn."""
    page = visit(hash_of(scan=2, base=1))
    changes = page.locator("#panel").inner_text()
    marked = {each.get_attribute("data-key"): each.get_attribute("class") for each in page.locator(".card").all()}
    job = f"job:{KAFKA}/ask-for-review"

    assert "mark-added" in marked[job]
    assert "mark-changed" in marked[INVOICES]
    assert [key for key, marks in marked.items() if "mark-" in marks] == [INVOICES, job]
    assert "because of the manual flow" in changes
    page.get_by_role("button", name="legacy.invoices.iban").click()
    page.locator(".row.mark-removed").wait_for()
    assert page.locator(".curve.mark-removed").count() == 2  # into its job, and out of it


def test_the_comparison_the_other_way_shows_as_removed_what_was_added(visit) -> None:
    """The graph of an older scan is read as it was."""
    page = visit(hash_of(scan=1, base=2))
    marked = card(page, f"job:{KAFKA}/ask-for-review").get_attribute("class")
    page.select_option("#base", "")
    card(page, f"job:{KAFKA}/ask-for-review").wait_for(state="detached")

    assert "mark-removed" in marked


def test_the_slider_shows_other_scans(visit) -> None:
    """With the keyboard: it is a native slider."""
    page = visit()
    page.locator("#scan").focus()
    page.keyboard.press("Home")
    card(page, f"job:{KAFKA}/ask-for-review").wait_for(state="detached")

    assert page.locator("#scanned").inner_text().endswith("(scan 1)")
    assert "scan=1" in page.url


def test_what_the_last_scan_could_not_confirm_is_marked(visit) -> None:
    """The source was not there: its jobs are shown as they were, and said to be."""
    page = visit(near("job:connect://retail/lab/shop-cdc"))
    job, topic = card(page, "job:connect://retail/lab/shop-cdc"), card(page, f"topic:{KAFKA}/cdc.orders")

    assert job.locator(".doubt").inner_text() == "stale"
    assert "connect:lab" in job.locator(".doubt").get_attribute("title")
    assert job.get_attribute("aria-label").endswith("stale")
    assert topic.locator(".doubt").inner_text() == "stale"  # what it writes is as old as it is
    assert "1 stale source" in page.locator("#about").inner_text()


def test_the_link_of_a_view_shows_the_view_again(visit) -> None:
    """Selection, what was expanded, columns, list, theme and scans: somebody else sees the same."""
    page = visit(near())
    card(page, ORDERS).locator(".twist").click()
    page.get_by_role("button", name="Impact").click()
    page.locator(".impact").first.wait_for()
    page.keyboard.press("d")
    again = visit(page.url)

    shown = [
        (
            [each.get_attribute("data-key") for each in view.locator(".card").all()],
            view.locator(".row").count(),
            view.locator(".impact tr").count(),
            view.locator("html").get_attribute("data-theme"),
        )
        for view in (page, again)
    ]
    assert shown[0] == shown[1]
    assert shown[0][-1] == "dark"


def test_the_browsers_back_goes_to_what_was_selected_before(visit) -> None:
    """A step is a selection, and not each change of the view."""
    page = visit(near())
    job = card(page, "job:connect://retail/lab/orders-to-dr")
    job.locator(".head").click()
    selected = job.get_attribute("class")
    page.keyboard.press("d")
    page.go_back()
    page.locator(f'.card.chosen[data-key="{ORDERS}"]').wait_for()

    assert "chosen" in selected
    assert "chosen" not in job.get_attribute("class")


@pytest.mark.parametrize("view", ["start", "topic", "graph", "impact", "comparison", "search"])
def test_axe_finds_no_violation_in_light_or_dark(visit, view) -> None:
    """Contrast, names, roles, focus: what a program can check of accessibility."""
    addresses = {
        "topic": "/topic?cluster=retail&topic=orders",
        "graph": near(expand=ORDERS),
        "impact": near(list="impact"),
        "comparison": hash_of(scan=2, base=1),
    }
    page = visit(addresses.get(view, "/flow"))
    if view == "search":
        page.keyboard.press("/")
        page.keyboard.type("order")
        page.locator("#hits [role=option]").first.wait_for()
    light = violations(page)
    page.emulate_media(color_scheme="dark")

    assert (light, violations(page, "color-contrast")) == ([], [])


def test_axe_sees_what_is_wrong(visit) -> None:
    """The other test relies on it."""
    page = visit()
    page.evaluate("document.body.append(document.createElement('button'))")

    assert [each.partition(" ")[0] for each in violations(page)] == ["button-name"]


def test_the_keyboard_alone_leads_through_the_page(visit) -> None:
    """Search, choose, expand, topic page, impact, and back: no pointer is used."""
    page = visit(near(INVOICES))
    press, topic = page.keyboard.press, f"topic:{KAFKA}/cdc.customers"
    press("/")
    page.keyboard.type("shop-cdc")
    press("Enter")
    focus_on(page, "job:connect://retail/lab/shop-cdc")
    cards = page.locator(".card").count()
    press("ArrowRight")
    focus_on(page, topic)
    press("Shift+ArrowRight")
    page.locator(".card").nth(cards).wait_for()
    focus_on(page, topic)
    press("Enter")
    go_to(page, "Topic page")
    press("Enter")
    page.locator("h2", has_text="cdc.customers").wait_for()
    go_to(page, "Impact")
    press("Enter")
    page.locator(".listed:focus").wait_for()
    rows = page.locator(".impact tbody tr").count()
    press("Escape")
    focus_on(page, topic)

    assert rows > 3


def focus_on(page: Any, key: str) -> None:
    card(page, key).and_(page.locator(":focus")).wait_for()


def go_to(page: Any, name: str) -> None:
    """Press Tab until what has *name* has the focus; from the drawing `p` leads to the details first."""
    page.keyboard.press("p")
    for _ in range(30):
        if page.evaluate("document.activeElement.textContent") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name!r} is not reached with Tab")


def test_a_button_of_a_card_is_pressed_with_the_keyboard(visit) -> None:
    """Enter on it expands, and does not select the card."""
    page = visit(hash_of(load=json.dumps([ORDERS, 0, 0])))
    page.locator(".expand.downstream").focus()
    page.keyboard.press("Enter")
    page.locator(".card").nth(3).wait_for()

    assert page.evaluate("document.activeElement.dataset.key") == ORDERS


def saved(page: Any, what: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("button", name=what, exact=True).click()
    assert download.value.suggested_filename == f"data-flow.{what.lower()}"
    return Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("served", [True, False], ids=["served", "exported"])
def test_what_is_shown_is_saved_as_svg_and_png(visit, history, tmp_path, served) -> None:
    """Every card and line with its name, the whole drawing; the exported page does it from a file."""
    file = tmp_path / "flow.html"
    export(history, file)
    page = visit("/flow" if served else f"file://{file}")
    svg, png = saved(page, "SVG"), saved(page, "PNG")
    root = ET.fromstring(svg)
    texts = {each.text for each in root.iter("{http://www.w3.org/2000/svg}text")}
    size = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")

    assert {"orders", "order-service", "nightly-invoicing"} <= texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}g"))) == page.locator(".card").count() > 50
    assert png.startswith(b"\x89PNG")
    assert size == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))
    assert len(png) > 50_000


def test_an_unknown_node_in_a_link_is_an_error_that_names_the_nearest(visit, address, browser) -> None:
    """The page says what the API says."""
    page = browser.new_page()
    page.goto(f"{address}{hash_of(node='orderz')}")
    page.locator("[role=alert]").wait_for()

    assert re.search(r"orderz.*did you mean", page.locator("[role=alert]").inner_text())
    page.close()
