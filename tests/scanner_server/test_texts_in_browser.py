"""Every text of the pages is legible: none overlaps another one, is cut, or is smaller than 12 px."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from chromium import settle

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
