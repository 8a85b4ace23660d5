"""Every text of the pages is legible: none overlaps another one, is cut, or is smaller than 12 px."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import changing_installation as changing
import pytest
from chromium import SCANNER, serving, settle

from dataflow_generator.build.store import generate
from scanner_api.dictionary import open_dictionary

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

TEXTS = (Path(__file__).parent / "texts.js").read_text()
ORDERS = "topic:kafka://127.0.0.1:29092/orders"
PAGES = {
    "home": "/",
    "drawing": "/flow",
    "a topic in the drawing": f"/flow#{urlencode({'node': ORDERS})}",
    "one lineage": f"/flow#{urlencode({'node': ORDERS, 'focus': 1})}",
    "topic": "/topic?cluster=retail&topic=orders",
    "change": "/change?node=orders.customer.email",
    **{
        each: f"/{each}" for each in ("topics", "jobs", "subjects", "findings", "sources", "changes", "columns?tag=PII")
    },
}


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_text_overlaps_is_cut_or_is_small(visit, path, width) -> None:
    """At the width of a telephone and of a screen, as the page is shown first."""
    page = visit("/sources")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{page.url.removesuffix('/sources')}{path}")
    settle(page)

    assert page.evaluate(TEXTS) == {"small": [], "cut": [], "overlap": []}


@pytest.fixture(scope="module")
def long_names(tmp_path_factory) -> Iterator[str]:
    """Serve a dictionary whose topics have long names, with and without a place where a line may break."""
    words = ("MOVEMENTS_OF_VEHICLES_JOINED_WITH_THEIR_SCHEDULES", "src/main/java/com/acme/shop/orders/validation/Order")
    names = tuple(f"{word}_{number:02}" for word in words for number in range(12))
    file = tmp_path_factory.mktemp("long") / "long.db"
    engine = changing.write_state(file, changing.installation(topics=("a.orders", "b.paid", *names)))
    generate(engine)
    engine.dispose()
    with serving(SCANNER, open_dictionary(file).url) as address:
        yield address


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("path", ["/", "/flow", "/topics", "/jobs", "/findings", "/search?q=movements"])
def test_long_names_are_legible_too(visit, long_names, path, width) -> None:
    page = visit(f"{long_names}/sources")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{long_names}{path}")
    settle(page)

    assert page.evaluate(TEXTS) == {"small": [], "cut": [], "overlap": []}
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if path in ("/topics", "/findings"):
        assert page.get_by_text("MOVEMENTS_OF_VEHICLES").count() >= 12


@pytest.mark.parametrize(
    "path", ["/topic?cluster=retail&topic=orders&tab=lineage", "/change?node=orders.customer.email"]
)
def test_an_embedded_drawing_fills_its_frame(visit, path) -> None:
    """Its page has neither a header nor a panel there."""
    page = visit(path)
    frame = page.frame_locator("iframe.drawing")
    frame.locator(".card").first.wait_for()

    assert (
        frame.locator("#stage").bounding_box()["height"] > 0.7 * page.locator("iframe.drawing").bounding_box()["height"]
    )


SOURCE = "postgres://127.0.0.1:29432/shop.public.orders.total"
BACKWARDS = """() => {
  const cards = [...document.querySelectorAll(".card")];
  const at = new Map(cards.map((card) => [card.dataset.key, card.getBoundingClientRect()]));
  const lines = [...document.querySelectorAll(".curve")].flatMap((curve) => curve.edges || []);
  const ends = lines.map((edge) => [at.get(edge.source.card?.key), at.get(edge.target.card?.key)]);
  return ends.filter(([from, to]) => from && to && from !== to && from.left >= to.left).length;
}"""
CARDS = "() => document.querySelectorAll('.card').length"


@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_a_way_that_is_wider_than_the_page_is_scrolled_never_wrapped(visit, width) -> None:
    page = visit("/sources")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{page.url.removesuffix('/sources')}/change?{urlencode({'node': SOURCE})}")
    page.frame_locator("iframe.drawing").locator(".card.on").first.wait_for()
    drawing = page.frames[1]
    drawing.locator("main:not([aria-busy=true])").wait_for()

    assert drawing.evaluate(CARDS) > 1
    assert drawing.evaluate(BACKWARDS) == 0
    assert drawing.evaluate(TEXTS) == {"small": [], "cut": [], "overlap": []}


@pytest.mark.parametrize("path", ["/flow", f"/flow#{urlencode({'node': SOURCE})}", "/flow#node=orders&focus=1"])
def test_each_target_is_to_the_right_of_its_source(visit, path) -> None:
    page = visit(path)
    page.locator(".card").first.wait_for()

    assert page.evaluate("() => document.querySelectorAll('.curve').length") > 0
    assert page.evaluate(BACKWARDS) == 0


@pytest.mark.parametrize("press", ["Fit", "Focus"])
def test_a_long_way_stays_legible_when_it_is_fitted_again(visit, press) -> None:
    page = visit(f"/flow#{urlencode({'node': SOURCE, 'focus': 1})}")
    page.set_viewport_size({"width": 1000, "height": 900})
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name=press, exact=True).click()
    if press == "Focus":
        page.get_by_role("button", name=press, exact=True).click()
    settle(page)

    assert page.evaluate(BACKWARDS) == 0
    assert page.evaluate(TEXTS) == {"small": [], "cut": [], "overlap": []}


def test_a_group_is_a_row_of_its_job_and_no_card(visit) -> None:
    page = visit("/flow")
    job = page.locator(".card.kind-job", has_text="warehouse-orders")
    job.locator(".row.member", has_text="connect-warehouse-orders").wait_for()

    assert page.locator(".card.kind-consumer-group", has_text="connect-").count() == 0
    assert page.locator(".card.kind-consumer-group", has_text="billing").count() == 1


def test_an_embedded_drawing_leaves_the_wheel_to_its_page(visit) -> None:
    page = visit(f"/change?{urlencode({'node': SOURCE})}")
    page.frame_locator("iframe.drawing").locator(".card").first.wait_for()
    page.locator("iframe.drawing").hover()
    before = page.frames[1].evaluate("() => document.querySelector('.world').style.transform")
    page.mouse.wheel(0, 120)
    page.wait_for_function("() => scrollY > 0")

    assert page.frames[1].evaluate("() => document.querySelector('.world').style.transform") == before


def test_the_check_sees_what_is_wrong(visit) -> None:
    """The other test relies on it."""
    page = visit("/sources")
    texts = {"small": "font-size:9px", "cut": "width:20px;overflow:hidden;white-space:nowrap"}
    styles = [*texts.values(), "margin-bottom:-16px", ""]
    page.evaluate(
        """(styles) => document.querySelector("main").replaceChildren(...styles.map((style) => {
          const element = document.createElement("div");
          element.style.cssText = style;
          element.textContent = "a text of some length";
          return element;
        }))""",
        styles,
    )
    wrong = page.evaluate(TEXTS)

    assert {kind: len(found) for kind, found in wrong.items()} == {"small": 1, "cut": 1, "overlap": 1}
